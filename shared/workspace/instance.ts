import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'

// The running installation.

export const readInstance = endpoint({
  method: 'GET',
  path: '/api/instance',
  permission: 'public',
  summary: 'What the sign-in screen and the shell need to know of this server',
  reply: z.object({
    productName: z.string(),
    /** The operator's company, for footers and terms. */
    companyName: z.string(),
    supportEmail: z.string(),
    /** The operator's own pages; null: the built-in ones, and no imprint. */
    termsUrl: z.string().nullable(),
    privacyUrl: z.string().nullable(),
    imprintUrl: z.string().nullable(),
    /** Who may create an account: everyone, people an operator invites, or no one. */
    registration: z.enum(['open', 'invite', 'closed']),
    hasDemo: z.boolean(),
    /** The payment provider for plans here; `none`: plans are not sold (decision 82). */
    sells: z.enum(['stripe', 'test', 'none']),
    isPaused: z.boolean(),
    pausedReason: z.string().nullable(),
    /** Whether the caller is an operator, who may confirm that this is the live server. */
    mayConfirm: z.boolean(),
    /** Where this server sends mail: a mail server, the built-in mailbox, or nowhere. */
    mail: z.enum(['server', 'mailbox', 'none']),
    /** Addresses of the demo's parts, in local mode only. */
    demoStoreUrl: z.string().nullable(),
    mailboxUrl: z.string().nullable(),
    phoneUrl: z.string().nullable(),
    /** Date of the IP location data, as YYYY-MM-DD; null: unknown. */
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

/** `percent` is null while the progress is unknown. */
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
