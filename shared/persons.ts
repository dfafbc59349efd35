import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { suppressionChannels, suppressionReasons } from './suppressions.ts'

// One person, found by an address: what is kept about them, handed over, erased (C8).

/** What has to be typed before a person is erased. */
export const ERASE_WORD = 'erase'

/** What is kept, in an owner's words. Tables that are not here are counted into none of them. */
export const keptWords = {
  customers: 'Customer record of the store',
  carts: 'Carts',
  orders: 'Orders',
  messages: 'Messages',
  facts: 'What was seen in the shop',
  consents: 'Consent records',
  visits: 'Opens and clicks',
  notifications: 'Notifications',
} as const
export type Kept = keyof typeof keptWords

const Counts = z.record(z.string(), z.number())

const Erasure = z.object({
  id: z.string(),
  askedAt: z.string(),
  /** A member's name; null when they have left. */
  askedBy: z.string().nullable(),
  finishedAt: z.string().nullable(),
  storesTotal: z.number(),
  storesDone: z.number(),
  /** Rows by table. */
  counts: Counts,
})
export type Erasure = z.infer<typeof Erasure>

const Person = z.object({
  /** The address as it is kept: normalised email, or E.164. */
  address: z.string(),
  /** All the person is known by, that one first. */
  addresses: z.array(z.string()),
  names: z.array(z.string()),
  stores: z.array(z.object({ id: z.string(), name: z.string() })),
  firstSeenAt: z.string().nullable(),
  counts: Counts,
  suppressed: z.array(
    z.object({ channel: z.enum(suppressionChannels), reason: z.enum(suppressionReasons), since: z.string() }),
  ),
  /** Newest first. */
  erasures: z.array(Erasure),
})
export type Person = z.infer<typeof Person>

/** An email address, or a phone number in any usual spelling. */
const params = z.object({ address: z.string().trim().min(1).max(254) })

export const readPerson = endpoint({
  method: 'GET',
  path: '/api/persons/:address',
  permission: 'persons:write',
  scope: 'account',
  summary: 'What is kept about one person, found by email address or phone number, in all stores of the account',
  params,
  reply: z.object({ person: Person }),
})

export const erasePerson = endpoint({
  method: 'DELETE',
  path: '/api/persons/:address',
  permission: 'persons:write',
  scope: 'account',
  summary: `Erase a person: nothing is sent any more at once, everything personal goes within moments, a fingerprint of the address stays so that nobody writes again. \`confirmation\` is “${ERASE_WORD}”`,
  params,
  body: z.object({ confirmation: z.string().max(40).default('') }),
  reply: z.object({ erasure: Erasure }),
})

export const exportPerson = endpoint({
  method: 'GET',
  path: '/api/persons/:address/export',
  permission: 'persons:write',
  scope: 'account',
  summary: 'A link, good for two minutes, to everything kept about a person: `json` one file, `csv` a zip of tables',
  params,
  query: z.object({ format: z.enum(['json', 'csv']).default('json') }),
  reply: z.object({ url: z.string(), expiresAt: z.string() }),
})

export const readErasure = endpoint({
  method: 'GET',
  path: '/api/erasures/:erasureId',
  permission: 'persons:write',
  scope: 'account',
  summary: 'How far an erasure is',
  params: z.object({ erasureId: z.uuid() }),
  reply: z.object({ erasure: Erasure }),
})

export const personTexts = {
  nobody: 'Nothing is kept about this address.',
  confirm: `Type “${ERASE_WORD}” to confirm.`,
} as const
