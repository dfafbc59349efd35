import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// The plugin for shop owners: connection and status. The calls of the plugin itself are in
// server/workspace/plugin-calls/wire.ts.

/** Reasons why a connection fails, as sent to the plugin. */
export const PluginProblem = z.enum(['other_account', 'no_room', 'no_right', 'invalid'])
export type PluginProblem = z.infer<typeof PluginProblem>

const connect = z.string().max(2_000)

export const reviewPlugin = endpoint({
  method: 'GET',
  path: '/api/stores/plugin/request',
  permission: 'session',
  scope: 'account',
  summary: 'A plugin’s connection request: the shop, the account, and any obstacle',
  query: z.object({ connect }),
  reply: z.object({
    homeUrl: z.string(),
    name: z.string(),
    account: z.string(),
    problem: z.object({ code: PluginProblem, message: z.string(), backUrl: z.string() }).nullable(),
    /** Returns to WordPress without connecting. */
    cancelUrl: z.string(),
  }),
})

export const confirmPlugin = endpoint({
  method: 'POST',
  path: '/api/stores/plugin/confirm',
  permission: 'stores:connect',
  scope: 'account',
  summary: 'Approve a plugin’s connection request: returns the WordPress address with a code valid for 10 minutes',
  body: z.object({ connect }),
  reply: z.object({ url: z.string() }),
})

export const PluginView = z.object({
  version: z.string(),
  /** The newer version that this server offers. */
  newerVersion: z.string().nullable(),
  connectedAt: z.string(),
  calledAt: z.string().nullable(),
  cartAt: z.string().nullable(),
  isAlive: z.boolean(),
  /** null: not tried yet. */
  isReached: z.boolean().nullable(),
  /** Recoup cannot reach the shop, and this plugin version does not report what its messages need. */
  isOutdated: z.boolean(),
  /** Whether this plugin version shows consent boxes in the page's language. */
  showsLanguages: z.boolean(),
  /** Why Recoup cannot reach the shop. */
  reason: z.string().nullable(),
  test: z.object({ isWaiting: z.boolean(), seenAt: z.string().nullable() }),
})
export type PluginView = z.infer<typeof PluginView>

export const readPlugin = endpoint({
  method: 'GET',
  path: '/api/stores/plugin',
  permission: 'stores:read',
  scope: 'store',
  summary: 'The plugin of the store: version, last call, whether Recoup reaches the shop. null: connected without it',
  query: storeQuery,
  reply: z.object({ plugin: PluginView.nullable() }),
})

export const testPlugin = endpoint({
  method: 'POST',
  path: '/api/stores/plugin/test',
  permission: 'stores:sync',
  scope: 'store',
  summary: 'Request a test cart from the shop’s plugin; no cart is stored',
  query: storeQuery,
  reply: z.object({ message: z.string() }),
})
