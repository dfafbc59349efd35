import { z } from 'zod'
import { Check } from '../core/checks.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// Whether a store's mail is sent, and whether receivers trust it.

export const SELECTOR_LENGTH = 63
/** The selector of a DKIM key, before `._domainkey`. */
export const isSelector = (text: string) =>
  text.length <= SELECTOR_LENGTH && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)

export const sendTestMail = endpoint({
  method: 'POST',
  path: '/api/stores/sending/test-mail',
  permission: 'flows:switch',
  scope: 'store',
  query: storeQuery,
  summary: 'Send a real mail to yourself, and what the mail server answers at each step',
  reply: z.object({
    isAccepted: z.boolean(),
    to: z.string(),
    from: z.string(),
    /** Its route; mail in the built-in mailbox does not reach an inbox. */
    way: z.enum(['own', 'server', 'mailbox', 'none']),
    steps: z.array(Check),
  }),
})

/** Decision 136. */
export const SendingPause = z.object({
  pausedAt: z.string(),
  /** Null if that member has left. */
  pausedBy: z.string().nullable(),
  /** Messages that would have been sent by now; they are decided again on resume. At most `MAX_COUNTED`. */
  waiting: z.number(),
  /** When the first of them expires; null if none waits. */
  nextExpiresAt: z.string().nullable(),
})
export type SendingPause = z.infer<typeof SendingPause>

/** Counts stop here. */
export const MAX_COUNTED = 10_000

const pauseReply = z.object({ pause: SendingPause.nullable() })

export const readSendingPause = endpoint({
  method: 'GET',
  path: '/api/stores/sending/pause',
  permission: 'stores:read',
  scope: 'store',
  query: storeQuery,
  summary: 'Whether all sending of the store is paused, since when, by whom, and what waits',
  reply: pauseReply,
})

export const pauseSending = endpoint({
  method: 'POST',
  path: '/api/stores/sending/pause',
  permission: 'sending:pause',
  scope: 'store',
  stops: true,
  query: storeQuery,
  summary: 'Pause all sending for the store: unsent messages are held',
  reply: pauseReply,
})

export const resumeSending = endpoint({
  method: 'POST',
  path: '/api/stores/sending/resume',
  permission: 'sending:pause',
  scope: 'store',
  query: storeQuery,
  summary: 'Resume sending: waiting messages are checked again, expired ones are not sent',
  reply: pauseReply,
})

/** A domain that currently accepts no mail from the account. */
export const ThrottledDomain = z.object({
  domain: z.string(),
  /** deferred: not now · blocked: not from this sender */
  kind: z.enum(['deferred', 'blocked']),
  since: z.string(),
  /** Time of the next trial message; null while it is in flight. */
  triesAt: z.string().nullable(),
  /** The receiver's response. */
  answer: z.string(),
})
export type ThrottledDomain = z.infer<typeof ThrottledDomain>

export const listThrottledDomains = endpoint({
  method: 'GET',
  path: '/api/sending/throttled-domains',
  permission: 'stores:read',
  scope: 'account',
  summary: 'Receiving domains that currently delay or refuse the account’s email',
  reply: z.object({ domains: z.array(ThrottledDomain) }),
})

export const sendingSections = ['sender', 'brand', 'mail-server', 'domain', 'bounces', 'sms', 'whatsapp'] as const
export type SendingSection = (typeof sendingSections)[number]

/** set: OK · attention: needs action · none: not set up, or not checked yet. */
export const SendingState = z.object({
  id: z.enum(sendingSections),
  state: z.enum(['set', 'attention', 'none']),
  /** The status as a sentence. */
  words: z.string(),
})
export type SendingState = z.infer<typeof SendingState>

export const readSendingStates = endpoint({
  method: 'GET',
  path: '/api/stores/sending',
  permission: 'stores:read',
  scope: 'store',
  query: storeQuery,
  summary: 'What is set up for sending, and what needs attention',
  reply: z.object({ sections: z.array(SendingState) }),
})

export const checkSenderDomain = endpoint({
  method: 'GET',
  path: '/api/stores/sending/domain',
  permission: 'stores:read',
  scope: 'store',
  query: storeQuery.extend({ selector: z.string().max(SELECTOR_LENGTH).optional() }),
  summary: 'SPF, DKIM and DMARC of the domain mail is sent from',
  reply: z.object({
    /** The sender address. */
    address: z.string(),
    domain: z.string(),
    /** The reply address, if different. */
    replyTo: z.string().nullable(),
    /** A note before the checks; without checks for a domain that is not in public DNS. */
    note: z.string().nullable(),
    checks: z.array(Check),
  }),
})
