import { z } from 'zod'
import { endpoint } from './endpoint.ts'

// The running copy of the product itself.

export const readInstance = endpoint({
  method: 'GET',
  path: '/api/instance',
  permission: 'public',
  summary: 'What the sign-in screen and the shell need to know of this server',
  reply: z.object({
    productName: z.string(),
    /** Who runs this server: named in footers and terms. */
    companyName: z.string(),
    supportEmail: z.string(),
    hasDemo: z.boolean(),
    isPaused: z.boolean(),
    pausedReason: z.string().nullable(),
    /** Addresses of the demo's own parts, local mode only. */
    demoStoreUrl: z.string().nullable(),
    mailboxUrl: z.string().nullable(),
    phoneUrl: z.string().nullable(),
  }),
})

export const confirmLive = endpoint({
  method: 'POST',
  path: '/api/instance/confirm-live',
  permission: 'instance:confirm',
  scope: 'account',
  summary: '"This is the live one": a copied or restored instance may send again (D7)',
  reply: z.object({ success: z.literal(true) }),
})

/** `percent` is null where it is not known how far it is. */
export const DemoPast = z.object({ isBeingWritten: z.boolean(), percent: z.number().nullable() })
export type DemoPast = z.infer<typeof DemoPast>

export const readDemoPast = endpoint({
  method: 'GET',
  path: '/api/demo/past',
  permission: 'session',
  scope: 'account',
  summary: 'Whether the ninety days of past of the demo are still being written; to other accounts it never is',
  reply: DemoPast,
})

export const resetDemo = endpoint({
  method: 'POST',
  path: '/api/demo/reset',
  permission: 'session',
  scope: 'account',
  summary: 'Put the demo account and the demo store back to their first state',
  reply: z.object({ success: z.literal(true), message: z.string() }),
})
