import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { DownloadLink } from '../core/paging.ts'
import { suppressionChannels, suppressionReasons } from '../shoppers/suppressions.ts'

// The data of a person found by an address, to export or erase (C8).

/** The word that a member types to confirm an erasure. */
export const ERASE_WORD = 'erase'

/** Stored data in an owner's terms. Tables missing here are not counted. */
export const dataKindText = {
  customers: 'Customer record of the store',
  carts: 'Carts',
  orders: 'Orders, unpaid and cancelled ones too',
  messages: 'Messages',
  facts: 'Browsing data',
  consents: 'Consent records',
  engagement_events: 'Opens and clicks',
  notifications: 'Notifications',
} as const
export type DataKind = keyof typeof dataKindText

const Counts = z.record(z.string(), z.number())

const Erasure = z.object({
  id: z.string(),
  askedAt: z.string(),
  /** A member's name; null if the member has left. */
  askedBy: z.string().nullable(),
  finishedAt: z.string().nullable(),
  storesTotal: z.number(),
  storesDone: z.number(),
  /** Rows by table. */
  counts: Counts,
})
export type Erasure = z.infer<typeof Erasure>

const Person = z.object({
  /** The address as stored: normalized email, or E.164. */
  address: z.string(),
  /** All known addresses, starting with that one. */
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

export const readDataSubject = endpoint({
  method: 'GET',
  path: '/api/privacy/:address',
  permission: 'privacy:write',
  scope: 'account',
  summary: 'The data kept about one person, found by email address or phone number, in all stores of the account',
  params,
  reply: z.object({ person: Person }),
})

export const eraseDataSubject = endpoint({
  method: 'DELETE',
  path: '/api/privacy/:address',
  permission: 'privacy:write',
  scope: 'account',
  summary: `Erase a person: sending stops immediately, personal data is erased within moments, and a fingerprint of the address is kept so that it is never contacted again. \`confirmation\` is “${ERASE_WORD}”`,
  params,
  body: z.object({ confirmation: z.string().max(40).default('') }),
  reply: z.object({ erasure: Erasure }),
})

export const exportDataSubject = endpoint({
  method: 'GET',
  path: '/api/privacy/:address/export',
  permission: 'privacy:write',
  scope: 'account',
  summary: 'A link, valid for two minutes, to everything kept about a person: `json` one file, `csv` a zip of tables',
  params,
  query: z.object({ format: z.enum(['json', 'csv']).default('json') }),
  reply: DownloadLink,
})

export const readErasure = endpoint({
  method: 'GET',
  path: '/api/erasures/:erasureId',
  permission: 'privacy:write',
  scope: 'account',
  summary: 'The progress of an erasure',
  params: z.object({ erasureId: z.uuid() }),
  reply: z.object({ erasure: Erasure }),
})

export const privacyTexts = {
  nobody: 'No data about this address.',
  confirm: `Type “${ERASE_WORD}” to confirm.`,
} as const
