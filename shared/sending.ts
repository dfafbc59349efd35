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
