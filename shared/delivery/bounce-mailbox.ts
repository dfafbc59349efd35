import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'

// The account's own mailbox for bounces, which Recoup reads.

export const MailboxView = z.object({
  mailbox: z
    .object({
      address: z.string(),
      host: z.string(),
      port: z.number().int(),
      user: z.string(),
      /** Reports found in it so far. */
      reports: z.number().int(),
      readAt: z.string().nullable(),
      /** Why the last attempt to read it failed. */
      problem: z.string().nullable(),
      version: z.number().int(),
    })
    .nullable(),
  /** Read-only: the demo's mailbox. */
  isFixed: z.boolean(),
})
export type MailboxView = z.infer<typeof MailboxView>

export const readBounceMailbox = endpoint({
  method: 'GET',
  path: '/api/sending/bounce-mailbox',
  permission: 'stores:read',
  scope: 'account',
  summary: 'The mailbox that receives bounces',
  reply: MailboxView,
})

export const saveBounceMailbox = endpoint({
  method: 'PUT',
  path: '/api/sending/bounce-mailbox',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Check the sign-in to the mailbox, then save it',
  body: z.object({
    address: z.string().trim().toLowerCase().max(254).pipe(z.email('An email address')),
    host: z
      .string()
      .trim()
      .toLowerCase()
      .max(253)
      .regex(/^([a-z0-9_-]{1,63}\.)*[a-z0-9-]{1,63}$/, 'A name such as imap.example.com'),
    port: z.union([z.literal(993), z.literal(143)], '993 or 143'),
    user: z.string().trim().min(1, 'This field is required').max(254),
    /** Empty: keeps the stored one. */
    password: z.string().max(500),
    version: z.number().int().min(0),
  }),
  reply: MailboxView,
})

export const removeBounceMailbox = endpoint({
  method: 'DELETE',
  path: '/api/sending/bounce-mailbox',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Stop reading the mailbox and delete its password',
  reply: MailboxView,
})
