import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { buildCursorFields, DownloadLink } from '../core/paging.ts'

// The suppression list of an account (C1): who gets no messages, why, and who may change that.

export const suppressionReasons = ['unsubscribed', 'complaint', 'hard_bounce', 'manual', 'invalid', 'erased'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

export const suppressionChannels = ['all', 'email', 'sms', 'whatsapp', 'push'] as const
export type SuppressionChannel = (typeof suppressionChannels)[number]

/**
 * Who may remove an entry (C5). `person`: only the person, because they asked for it; `owner-after-warning`: an owner
 * after a warning; `owner`: an owner.
 */
export type Removal = 'owner' | 'owner-after-warning' | 'person'
export const removalByReason: Record<SuppressionReason, Removal> = {
  unsubscribed: 'person',
  complaint: 'person',
  erased: 'person',
  hard_bounce: 'owner-after-warning',
  manual: 'owner',
  invalid: 'owner',
}

/** Reasons that an import may contain. An import cannot erase a person. */
export const importableReasons = ['manual', 'unsubscribed', 'complaint', 'hard_bounce', 'invalid'] as const

const Entry = z.object({
  id: z.string(),
  /** Null after an erasure: the entry then identifies no one. */
  address: z.string().nullable(),
  channel: z.enum(suppressionChannels),
  reason: z.enum(suppressionReasons),
  source: z.string(),
  note: z.string().nullable(),
  /** The member's name, if a member did it. */
  addedBy: z.string().nullable(),
  since: z.string(),
})
export type SuppressionEntry = z.infer<typeof Entry>

export const RemovedEntry = z.object({
  id: z.string(),
  address: z.string().nullable(),
  channel: z.enum(suppressionChannels),
  reason: z.enum(suppressionReasons),
  removedBy: z.string().nullable(),
  removedAt: z.string(),
})
export type RemovedEntry = z.infer<typeof RemovedEntry>

const Filter = z.object({
  search: z.string().max(254).optional(),
  reason: z.enum(suppressionReasons).optional(),
  channel: z.enum(suppressionChannels).optional(),
})
export type SuppressionFilter = z.infer<typeof Filter>

export const listSuppressions = endpoint({
  method: 'GET',
  path: '/api/suppressions',
  permission: 'carts:read',
  scope: 'account',
  summary:
    'The suppression list, newest first. `search`: the beginning of an address, or a whole one in any spelling, which also finds entries of erased people; `cursor`: `next` of the page before',
  query: Filter.extend({
    ...buildCursorFields(),
  }),
  reply: z.object({
    entries: z.array(Entry),
    next: z.string().nullable(),
    total: z.number(),
    /** Entries removed by owners, newest first, for the same search. */
    removed: z.array(RemovedEntry),
  }),
})

const DoubtfulEntry = Entry.extend({
  /** The mail server's response. */
  reply: z.string(),
})
export type DoubtfulSuppression = z.infer<typeof DoubtfulEntry>

export const listDoubtfulSuppressions = endpoint({
  method: 'GET',
  path: '/api/suppressions/doubtful',
  permission: 'carts:read',
  scope: 'account',
  summary:
    'Addresses that were suppressed as bad although the mail server’s answer blames something else (policy, content, a full mailbox), among the newest 2,000; at most 100. None is released by itself',
  reply: z.object({ entries: z.array(DoubtfulEntry) }),
})

const note = z.string().trim().max(200)

export const addSuppression = endpoint({
  method: 'POST',
  path: '/api/suppressions',
  permission: 'carts:write',
  scope: 'account',
  summary: 'Add an email address or phone number, in any usual format, to the list',
  body: z.object({
    address: z.string().trim().min(1, 'Enter an email address or a phone number.').max(254),
    /** For a phone number; an email address only suppresses email. */
    channels: z
      .array(z.enum(['sms', 'whatsapp']))
      .min(1, 'Choose at least one.')
      .default(['sms', 'whatsapp']),
    note: note.default(''),
  }),
  reply: z.object({ address: z.string(), added: z.number() }),
})

export const removeSuppression = endpoint({
  method: 'DELETE',
  path: '/api/suppressions/:suppressionId',
  permission: 'suppressions:write',
  scope: 'account',
  summary: 'Remove an entry from the list, unless the person made it; who removed it and when is kept',
  params: z.object({ suppressionId: z.string().max(200) }),
  reply: z.object({ success: z.literal(true) }),
})

/** The browser splits a larger file into several calls. */
export const MAX_IMPORT_ROWS_PER_CALL = 2_000
/** Per file. */
export const MAX_IMPORT_ROWS = 200_000

const ImportRow = z.object({
  /** Line in the file, from 1. */
  line: z.number().int().min(1),
  address: z.string().max(400),
  /** As in the file; empty: the defaults. */
  channel: z.string().max(100).default(''),
  reason: z.string().max(100).default(''),
  note: z.string().max(400).default(''),
})
export type ImportRow = z.input<typeof ImportRow>

export const importSuppressions = endpoint({
  method: 'POST',
  path: '/api/suppressions/import',
  permission: 'suppressions:write',
  scope: 'account',
  summary: 'Add many addresses to the list; each row is accepted or refused individually, and the call is idempotent',
  body: z.object({
    rows: z.array(ImportRow).min(1).max(MAX_IMPORT_ROWS_PER_CALL),
    /** For rows without a reason. */
    reason: z.enum(importableReasons).default('manual'),
    fileName: z.string().max(200).default(''),
  }),
  reply: z.object({
    taken: z.number(),
    /** Already on the list. */
    known: z.number(),
    refused: z.array(z.object({ line: z.number(), problem: z.string() })),
  }),
})

export const exportSuppressions = endpoint({
  method: 'GET',
  path: '/api/suppressions/export',
  permission: 'suppressions:write',
  scope: 'account',
  summary: 'A link, good for two minutes, to the list as a CSV file',
  query: Filter,
  reply: DownloadLink,
})

export const suppressionTexts = {
  /** Short label of the reason. */
  reasons: {
    unsubscribed: 'Unsubscribed',
    complaint: 'Reported as spam',
    hard_bounce: 'Address does not work',
    manual: 'Added by you',
    invalid: 'Not a valid address',
    erased: 'Erased person',
  } satisfies Record<SuppressionReason, string>,
  channels: {
    all: 'Everything',
    email: 'Email',
    sms: 'SMS',
    whatsapp: 'WhatsApp',
    push: 'Browser notifications',
  } satisfies Record<SuppressionChannel, string>,
  /** Why an owner cannot remove an entry. */
  notRemovableReasons: {
    unsubscribed:
      'This person opted out. Only they can undo that, with the link in an earlier message or by texting START.',
    complaint: 'This person reported a message as spam and can no longer be contacted from here.',
    erased:
      'This person was erased. Only a fingerprint of the address is kept, so that they are never contacted again.',
  },
  unknownAddress:
    'This is neither an email address nor a phone number. Include the country code in a phone number, as in +1 212 555 0123.',
  gone: 'This entry is no longer on the list.',
} as const
