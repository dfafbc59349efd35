import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { cursorFields, DownloadLink } from './paging.ts'

// The suppression list of an account (C1): who gets no messages, why, and who may change that.

export const suppressionReasons = ['unsubscribed', 'complaint', 'hard_bounce', 'manual', 'invalid', 'erased'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

export const suppressionChannels = ['all', 'email', 'sms', 'whatsapp', 'push'] as const
export type SuppressionChannel = (typeof suppressionChannels)[number]

/**
 * Who may take an entry off (C5). `person`: it was the person's own act, and only they come back; `warned`: an owner, who is told what
 * it may cost; `owner`: an owner.
 */
export type Removal = 'owner' | 'warned' | 'person'
export const removalOf: Record<SuppressionReason, Removal> = {
  unsubscribed: 'person',
  complaint: 'person',
  erased: 'person',
  hard_bounce: 'warned',
  manual: 'owner',
  invalid: 'owner',
}

/** Reasons a file may bring along. Nobody is erased by a file. */
export const importableReasons = ['manual', 'unsubscribed', 'complaint', 'hard_bounce', 'invalid'] as const

const Entry = z.object({
  id: z.string(),
  /** Null once the person was erased: what is left names nobody. */
  address: z.string().nullable(),
  channel: z.enum(suppressionChannels),
  reason: z.enum(suppressionReasons),
  source: z.string(),
  note: z.string().nullable(),
  /** A member's name, where a member did it. */
  addedBy: z.string().nullable(),
  since: z.string(),
})
export type SuppressionEntry = z.infer<typeof Entry>

const Removed = z.object({
  id: z.string(),
  address: z.string().nullable(),
  channel: z.enum(suppressionChannels),
  reason: z.enum(suppressionReasons),
  removedBy: z.string().nullable(),
  removedAt: z.string(),
})
export type RemovedEntry = z.infer<typeof Removed>

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
    ...cursorFields(),
  }),
  reply: z.object({
    entries: z.array(Entry),
    next: z.string().nullable(),
    total: z.number(),
    /** What owners took off the list, newest first, of the same search. */
    removed: z.array(Removed),
  }),
})

const DoubtfulEntry = Entry.extend({
  /** What the mail server answered. */
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
    /** Of a phone number; an email address gets no email. */
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

/** Rows per call; a browser sends a large file in so many parts. */
export const IMPORT_PART = 2_000
/** Rows a file may have. */
export const IMPORT_MOST_ROWS = 200_000

const ImportRow = z.object({
  /** In the file, from 1. */
  line: z.number().int().min(1),
  address: z.string().max(400),
  /** As the file has them; empty: the defaults. */
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
    rows: z.array(ImportRow).min(1).max(IMPORT_PART),
    /** Where a row names none. */
    reason: z.enum(importableReasons).default('manual'),
    fileName: z.string().max(200).default(''),
  }),
  reply: z.object({
    taken: z.number(),
    /** On the list before. */
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
  /** Why, in a word or two. */
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
  /** Why an owner cannot take an entry off. */
  personsAct: {
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
