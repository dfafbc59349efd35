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
  reply: z.object({ isAccepted: z.boolean(), to: z.string(), from: z.string(), steps: z.array(Check) }),
})

/** A domain that takes no mail of the account's at the moment. */
export const PausedReceiver = z.object({
  domain: z.string(),
  /** deferred: not now · blocked: not from you */
  kind: z.enum(['deferred', 'blocked']),
  since: z.string(),
  /** When one message tries again; null while it is on its way. */
  triesAt: z.string().nullable(),
  /** The receiver's own words. */
  answer: z.string(),
})
export type PausedReceiver = z.infer<typeof PausedReceiver>

export const listPausedReceivers = endpoint({
  method: 'GET',
  path: '/api/sending/receivers',
  permission: 'stores:read',
  scope: 'account',
  summary: 'Receiving domains that put off or refuse the account’s mail at the moment',
  reply: z.object({ receivers: z.array(PausedReceiver) }),
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
