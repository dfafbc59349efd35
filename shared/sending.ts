import { z } from 'zod'
import { Check } from './checks.ts'
import { endpoint, storeQuery } from './endpoint.ts'

// Whether mail of a store leaves, and whether it is believed where it arrives.

export const SELECTOR_LENGTH = 63
/** The name of a DKIM key, as it stands before `._domainkey`. */
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
    /** Where it went; what the built-in mailbox accepts does not reach anybody's inbox. */
    way: z.enum(['own', 'server', 'mailbox', 'none']),
    steps: z.array(Check),
  }),
})

/** Decision 136. */
export const SendingPause = z.object({
  pausedAt: z.string(),
  /** Null when that person has left. */
  pausedBy: z.string().nullable(),
  /** Messages that would have gone out by now, and are decided again when sending resumes. At most `MOST_COUNTED`. */
  waiting: z.number(),
  /** When the first of them becomes too old to be sent; null when none waits. */
  nextExpiresAt: z.string().nullable(),
})
export type SendingPause = z.infer<typeof SendingPause>

/** More than these are not counted one by one. */
export const MOST_COUNTED = 10_000

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

/** A domain that takes no mail of the account's at the moment. */
export const ThrottledDomain = z.object({
  domain: z.string(),
  /** deferred: not now · blocked: not from you */
  kind: z.enum(['deferred', 'blocked']),
  since: z.string(),
  /** When one message tries again; null while it is on its way. */
  triesAt: z.string().nullable(),
  /** The receiver's own words. */
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

/** set: as it should be · attention: somebody has to look · none: not set up, or not checked yet. */
export const SendingState = z.object({
  id: z.enum(sendingSections),
  state: z.enum(['set', 'attention', 'none']),
  /** How it stands, in a sentence. */
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
    /** Where mail comes from. */
    address: z.string(),
    domain: z.string(),
    /** Where replies go, when elsewhere. */
    replyTo: z.string().nullable(),
    /** Said before the checks; with a domain that is in no public DNS there are none. */
    note: z.string().nullable(),
    checks: z.array(Check),
  }),
})
