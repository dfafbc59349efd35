import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// A host name of the shop, such as links.shop.example, for the links in its mails.

export const LinkHostView = z.object({
  host: z.string().nullable(),
  /** A DNS record has proved that the name is the store's. */
  isProven: z.boolean(),
  /** The TXT record for the proof. */
  proof: z.object({ name: z.string(), value: z.string() }).nullable(),
  /** The required target of its CNAME record. */
  target: z.string(),
  /** Links in mails use it. */
  isUsed: z.boolean(),
  /** Why not, as a sentence. */
  problem: z.string().nullable(),
  checkedAt: z.string().nullable(),
  isFixed: z.boolean(),
})
export type LinkHostView = z.infer<typeof LinkHostView>

const path = '/api/stores/sending/link-host' as const
const spec = { path, scope: 'store', query: storeQuery, reply: LinkHostView } as const

export const readLinkHost = endpoint({
  ...spec,
  method: 'GET',
  permission: 'stores:read',
  summary: 'The host of the links in the store’s emails',
})

export const saveLinkHost = endpoint({
  ...spec,
  method: 'PUT',
  permission: 'flows:switch',
  summary: 'Set a host of the store’s own for the links in its emails, and check it',
  body: z.object({
    host: z
      .string()
      .trim()
      .toLowerCase()
      .max(253)
      .regex(
        /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.){2,}[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
        'A domain such as links.shop.com',
      ),
  }),
})

export const removeLinkHost = endpoint({
  ...spec,
  method: 'DELETE',
  permission: 'flows:switch',
  summary: 'Links in the store’s emails use the server’s own host again',
})
