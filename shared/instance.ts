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
    /** Who takes the payment for a plan here; `none`: nothing is sold (decision 82). */
    sells: z.enum(['stripe', 'test', 'none']),
    isPaused: z.boolean(),
    pausedReason: z.string().nullable(),
    /** Whether the caller is one of those who run this server, and may say that it is the live one. */
    mayConfirm: z.boolean(),
    /** Where mail of this server goes: a mail server, the built-in mailbox, or nowhere, and then none is sent. */
    mail: z.enum(['server', 'mailbox', 'none']),
    /** Addresses of the demo's own parts, local mode only. */
    demoStoreUrl: z.string().nullable(),
    mailboxUrl: z.string().nullable(),
    phoneUrl: z.string().nullable(),
    /** When the data was made by which shoppers are located, as YYYY-MM-DD; null: not known. */
    locationDataFrom: z.string().nullable(),
  }),
})

export const confirmLive = endpoint({
  method: 'POST',
  path: '/api/instance/confirm-live',
  permission: 'session',
  scope: 'account',
  summary:
    '"This is the live installation": a copied or restored instance may send again; for operators of the server (D7)',
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
  summary: 'Whether the demo’s 90 days of sample data are still being created; always false for other accounts',
  reply: DemoPast,
})

export const resetDemo = endpoint({
  method: 'POST',
  path: '/api/demo/reset',
  permission: 'session',
  scope: 'account',
  summary: 'Reset the demo account and the demo store',
  reply: z.object({ success: z.literal(true), message: z.string() }),
})
