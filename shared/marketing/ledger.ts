import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { buildCursorFields, DownloadLink } from '../core/paging.ts'

// The consent ledger for its owner, and the import of consents given elsewhere (C5).

/** Proof of a ledger row beyond its text and time. */
export interface ConsentEvidence {
  /** From the preference page. */
  reason?: string
  note?: string
  language?: string
  /** For an import: its id, the line of the file, and the source stated in the file. */
  importId?: string
  /** Why the file’s row is not a consent. */
  said?: ImportReason
  line?: number
  given?: string
  /** The address was never confirmed. */
  unproven?: Unproven
  /** Keyed marks of the browsers; a browser may withdraw its own consent. */
  browsers?: string[]
  /** The store's customer id, if the customer was signed in and the consent is for the address of this row. */
  customerId?: string
}

/**
 * `page script`: anyone can fake a post of the shop's page. `account page`: the shop does not confirm account
 * addresses. `unpaid order`: anyone can begin an order with any address.
 * An order that becomes a purchase (S4) proves the consent, even with payment on delivery.
 */
export type Unproven = 'page script' | 'account page' | 'unpaid order'

export const ledgerChannels = ['email', 'sms', 'whatsapp', 'push'] as const
export const ledgerStatuses = ['granted', 'withdrawn', 'pending'] as const
export type LedgerChannel = (typeof ledgerChannels)[number]
export type LedgerStatus = (typeof ledgerStatuses)[number]

/** Display names of sources; others are shown as they are. */
const sourceNames: Record<string, string> = {
  checkout: 'Checkout box, not verified: reported by the tracking script',
  'one-click': 'Unsubscribe button of an email app',
  'unsubscribe page': 'Unsubscribe page',
  'undo on the unsubscribe page': 'Undone on the unsubscribe page',
  'preference page': 'Preference page',
  'account page': 'Account page, with an address used in orders',
  'account page, unconfirmed': 'Account page, not verified: address not confirmed',
  order: 'Order in the shop',
  'unpaid order': 'Order not counted as a purchase, not verified: address not confirmed',
  store: 'The shop’s own records',
  import: 'Imported file',
  'YES by SMS': 'Replied YES by SMS',
  'STOP by SMS': 'Replied STOP by SMS',
  'START by SMS': 'Replied START by SMS',
  'STOP by WhatsApp': 'Replied STOP by WhatsApp',
  'START by WhatsApp': 'Replied START by WhatsApp',
}
export const getSourceText = (source: string): string =>
  sourceNames[source] ?? `${source.slice(0, 1).toUpperCase()}${source.slice(1)}`

export const statusText: Record<LedgerStatus, string> = {
  granted: 'Opted in',
  withdrawn: 'Opted out',
  pending: 'Not confirmed yet',
}

/**
 * Whether the rows of an import count. `doubted`: its opt-ins do not count until it is kept; `undone`: no row counts.
 */
export const importStandings = ['stands', 'doubted', 'undone'] as const
export type ImportStanding = (typeof importStandings)[number]
/** Why an import of an earlier version is doubtful: where its status came from. */
export const importDoubts = ['no_heading', 'no_column'] as const
export type ImportDoubt = (typeof importDoubts)[number]
export type ReviewDecision = 'doubted' | 'kept' | 'undone'

const LedgerFilter = storeQuery.extend({
  /** A complete address or number, in any usual spelling. */
  address: z.string().trim().max(254).default(''),
  channel: z.enum(ledgerChannels).optional(),
  status: z.enum(ledgerStatuses).optional(),
  source: z.string().max(80).optional(),
  /** Days in the store's time zone, both inclusive. */
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
})
export type LedgerFilter = z.output<typeof LedgerFilter>

export const LedgerEntry = z.object({
  id: z.string(),
  /** As searched; otherwise masked; null if only the hash is stored. */
  who: z.string().nullable(),
  /** Distinguishes people without a stored address. */
  person: z.string(),
  channel: z.enum(ledgerChannels),
  status: z.enum(ledgerStatuses),
  isConfirmed: z.boolean(),
  /**
   * For an import: whether the row counts. `doubted`: not until the import is kept; `undone`: not any more. Other rows
   * count.
   */
  standing: z.enum(importStandings),
  source: z.string(),
  wording: z.string().nullable(),
  at: z.string(),
  /** The proof as text. */
  evidence: z.array(z.string()),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>

export const searchLedger = endpoint({
  method: 'GET',
  path: '/api/consent/ledger',
  permission: 'carts:read',
  scope: 'store',
  summary: 'The consent ledger of a store, newest first; `cursor`: `next` of the page before',
  query: LedgerFilter.extend({
    ...buildCursorFields(),
  }),
  reply: z.object({ entries: z.array(LedgerEntry), next: z.string().nullable(), sources: z.array(z.string()) }),
})

export const exportLedger = endpoint({
  method: 'GET',
  path: '/api/consent/ledger/export',
  permission: 'account:export',
  scope: 'store',
  summary: 'A link to the ledger as a CSV file, good for two minutes',
  query: LedgerFilter,
  reply: DownloadLink,
})

export const importChannels = ['email', 'sms', 'whatsapp'] as const
export type ImportChannel = (typeof importChannels)[number]
/** What an owner can state for all rows of a file. */
export const importStatuses = ['granted', 'withdrawn'] as const
/** The result of a row. `suppressed`: an entry of the suppression list. */
export const rowStatuses = [...importStatuses, 'suppressed'] as const
export type RowStatus = (typeof rowStatuses)[number]

/** Why a row of a file is not a consent. */
export const importReasons = {
  opted_out: 'unsubscribed or opted out',
  blocked: 'blocked, or not to be contacted',
  suppressed: 'suppressed',
  bounced: 'bounced',
  complained: 'reported a message as spam',
  invalid: 'not a valid address',
  unconfirmed: 'never confirmed',
  never: 'never subscribed',
} as const
export type ImportReason = keyof typeof importReasons
export const dateOrders = ['iso', 'dmy', 'mdy'] as const
export type DateOrder = (typeof dateOrders)[number]

/** Maximum rows and bytes of a file. */
export const MAX_IMPORT_ROWS = 200_000
export const MAX_IMPORT_BYTES = 20 * 1024 * 1024

const column = z.number().int().min(0).max(199).nullable()

/** The columns of the file. Without a column, one value applies to the whole file. */
export const ImportMapping = z.object({
  address: z.number().int().min(0).max(199),
  channel: column,
  /** Where no column names one. */
  channelForAll: z.enum(importChannels),
  status: column,
  /**
   * Meaning of a plain yes in that column, if its heading does not state it; null: unknown, so a plain yes or no cannot be
   * read.
   */
  yesMeans: z.enum(importStatuses).nullable().default(null),
  /** Meaning of a row if no column states a consent; null: unknown, so nothing is granted. */
  statusForAll: z.enum(importStatuses).nullable().default(null),
  date: column,
  dateOrder: z.enum(dateOrders),
  source: column,
  /** The owner's proof for all rows, if no column has one. */
  sourceForAll: z.string().trim().max(300),
  wording: column,
})
export type ImportMapping = z.infer<typeof ImportMapping>

export const importProblems = {
  no_address: 'There is no email address or phone number in this row.',
  bad_address: 'This is not a complete email address.',
  bad_phone: 'This is not a complete phone number. Numbers of other countries begin with + and the country code.',
  bad_channel: 'The channel is not email, SMS or WhatsApp.',
  bad_status: 'This is neither an opt-in nor an opt-out.',
  no_status: 'No column says that this person opted in.',
  no_date: 'The date of the consent is missing, so it proves nothing.',
  bad_date: 'The date cannot be read.',
  future_date: 'The date is in the future.',
  no_source: 'The source of the consent is missing, so it proves nothing.',
  withdrawn: 'This person has opted out. Only they can opt in again.',
  suppressed: 'This address is on the suppression list.',
  opted_in: 'This person opted in here. A missing opt-in elsewhere does not change that.',
} as const
export type ImportProblem = keyof typeof importProblems

const PreviewRow = z.object({
  line: z.number(),
  address: z.string(),
  /** Further addresses in the row; an opt-out counts for each. */
  others: z.array(z.string()),
  channel: z.enum(importChannels).nullable(),
  status: z.enum(rowStatuses).nullable(),
  /** The file's reason for a missing consent. */
  reason: z.enum(Object.keys(importReasons) as [ImportReason, ...ImportReason[]]).nullable(),
  at: z.string().nullable(),
  source: z.string(),
  wording: z.string(),
  problem: z.string().nullable(),
})

const Preview = z.object({
  mapping: ImportMapping,
  /** Ten rows as they would be stored, some of each outcome, with later consents taken into account. */
  rows: z.array(PreviewRow),
  /** All rows: how many are readable, and the problems of the others. Later consents are checked at the import. */
  readable: z.number(),
  /** Results of the readable rows. */
  counts: z.record(z.enum(rowStatuses), z.number()),
  /** A column states who opted in. Otherwise nothing is granted without `statusForAll`. */
  statesConsent: z.boolean(),
  /** The heading of the chosen column does not define a yes: `yesMeans` does. */
  asksYesMeans: z.boolean(),
  /** Headings of the columns where a yes or a date is an opt-out. */
  optOutColumns: z.array(z.string()),
  problems: z.array(z.object({ problem: z.string(), count: z.number() })),
})
export type ImportPreview = z.infer<typeof Preview>

export const importStates = ['uploaded', 'running', 'done', 'failed'] as const
const ImportView = z.object({
  id: z.string(),
  fileName: z.string(),
  state: z.enum(importStates),
  rowCount: z.number(),
  doneCount: z.number(),
  addedCount: z.number(),
  /** Already in the ledger from an earlier upload. */
  knownCount: z.number(),
  refusedCount: z.number(),
  /** Those of the added rows that became suppressions. */
  suppressedCount: z.number(),
  standing: z.enum(importStandings),
  doubt: z.enum(importDoubts).nullable(),
  /** The member who last kept or undid it. */
  reviewedBy: z.string().nullable(),
  reviewedAt: z.string().nullable(),
  legalGround: z.string().nullable(),
  confirmedBy: z.string().nullable(),
  uploadedAt: z.string(),
  confirmedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  /** The rejected rows can still be downloaded. */
  hasReport: z.boolean(),
})
export type ImportView = z.infer<typeof ImportView>

const importId = z.object({ importId: z.string().max(60) })

export const uploadConsents = endpoint({
  method: 'POST',
  path: '/api/consent/imports',
  permission: 'flows:switch',
  scope: 'store',
  summary: 'A CSV file of consents (body: text/csv); nothing of it counts until it is confirmed',
  query: storeQuery.extend({ fileName: z.string().max(200).default('') }),
  body: z.unknown(),
  reply: z.object({ import: ImportView, columns: z.array(z.string()), preview: Preview }),
})

export const previewConsents = endpoint({
  method: 'POST',
  path: '/api/consent/imports/:importId/preview',
  permission: 'flows:switch',
  scope: 'store',
  summary: 'How the rows would be read with these columns',
  params: importId,
  query: storeQuery,
  body: z.object({ mapping: ImportMapping }),
  reply: Preview,
})

export const MIN_LEGAL_GROUND_LENGTH = 20

export const confirmConsents = endpoint({
  method: 'POST',
  path: '/api/consent/imports/:importId/confirm',
  permission: 'flows:switch',
  scope: 'store',
  summary: 'Import the rows into the ledger, with a legal ground; who confirmed it and when is kept',
  params: importId,
  query: storeQuery,
  body: z.object({
    mapping: ImportMapping,
    legalGround: z
      .string()
      .trim()
      .min(MIN_LEGAL_GROUND_LENGTH, 'Describe in a sentence how these people opted in.')
      .max(2_000, 'At most 2,000 characters.'),
  }),
  reply: z.object({ import: ImportView }),
})

export const cancelConsents = endpoint({
  method: 'DELETE',
  path: '/api/consent/imports/:importId',
  permission: 'flows:switch',
  scope: 'store',
  summary: 'Delete an uploaded file that was not confirmed',
  params: importId,
  query: storeQuery,
  reply: z.object({ success: z.literal(true) }),
})

const review = (path: 'keep' | 'undo', summary: string) =>
  endpoint({
    method: 'POST',
    path: `/api/consent/imports/:importId/${path}`,
    permission: 'flows:switch',
    scope: 'store',
    summary,
    params: importId,
    query: storeQuery,
    reply: z.object({ import: ImportView }),
  })

export const keepConsents = review(
  'keep',
  'Keep a questioned import: its opt-ins count again. Recoup records who kept it and when',
)
export const undoConsents = review(
  'undo',
  'Undo an import in one step: its rows no longer count. Recoup records who undid it and when',
)

export const listConsentImports = endpoint({
  method: 'GET',
  path: '/api/consent/imports',
  permission: 'stores:read',
  scope: 'store',
  summary: 'Imports of consents, doubted ones first, then the newest',
  query: storeQuery,
  reply: z.object({ imports: z.array(ImportView) }),
})

export const reportConsents = endpoint({
  method: 'GET',
  path: '/api/consent/imports/:importId/report',
  permission: 'flows:switch',
  scope: 'store',
  summary: 'A link to the refused rows as a CSV file, good for two minutes; they are kept for a week',
  params: importId,
  query: storeQuery,
  reply: DownloadLink,
})
