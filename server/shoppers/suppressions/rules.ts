import { normalizeEmail, normalizePhone } from '../../../shared/core/contact.ts'
import {
  type importableReasons,
  type SuppressionChannel,
  type SuppressionReason,
  suppressionTexts,
} from '../../../shared/shoppers/suppressions.ts'
import { listNumberAliases } from '../../messages/channels/public.ts'

// Normalizes typed and imported suppressions. Pure.

export type Address = { kind: 'email' | 'phone'; address: string }

/**
 * Parses an email address or phone number in any usual spelling. `countries` (alpha-2): for numbers without country
 * code.
 */
export function readAddress(typed: string, countries: readonly string[]): Address | null {
  // Our own files and spreadsheets mark text with an apostrophe.
  const text = typed.trim().replace(/^'/, '')
  const email = normalizeEmail(text)
  if (email) return { kind: 'email', address: email }
  if (text.includes('@') || !/\d/.test(text)) return null
  const international = text.replace(/^00/, '+').replace(/^(?=[1-9]\d{7,14}$)/, '+')
  for (const country of [...countries, null]) {
    const phone = normalizePhone(country ? text : international, country)
    if (phone) return { kind: 'phone', address: phone }
  }
  return null
}

/** All addresses of the same phone: some have two numbers. */
export const listAliases = ({ kind, address }: Address): string[] =>
  kind === 'phone' ? listNumberAliases(address) : [address]

/** Normalized prefix of an address: lower case, numbers without separators. */
export function normalizePrefix(typed: string): string {
  const text = typed.trim().toLowerCase()
  if (!/^[+\d\s().\-/]+$/.test(text)) return text
  const digits = text.replace(/[^\d]/g, '')
  return text.startsWith('+') || text.startsWith('00') ? `+${digits.replace(/^00/, '')}` : digits
}

export interface NewEntry {
  address: string
  channel: SuppressionChannel
  reason: SuppressionReason
  note: string | null
}

export interface FileRow {
  line: number
  address: string
  channel: string
  reason: string
  note: string
}

export interface ReadRows {
  entries: NewEntry[]
  refused: { line: number; problem: string }[]
}

/** Parses each row. An invalid one is reported with its line and does not affect others. */
export function readRows(
  rows: readonly FileRow[],
  options: { reason: (typeof importableReasons)[number]; countries: readonly string[] },
): ReadRows {
  const entries: NewEntry[] = []
  const refused: ReadRows['refused'] = []
  for (const row of rows) {
    const read = readRow(row, options)
    if (typeof read === 'string') refused.push({ line: row.line, problem: read })
    else entries.push(...read)
  }
  return { entries, refused }
}

function readRow(row: FileRow, options: Parameters<typeof readRows>[1]): NewEntry[] | string {
  if (row.address.trim() === '') return 'There is no address in this row.'
  const address = readAddress(row.address, options.countries)
  if (!address) return suppressionTexts.unknownAddress
  const channels = readChannels(row.channel, address)
  if (typeof channels === 'string') return channels
  const reason = readReason(row.reason) ?? options.reason
  const note = row.note.trim().slice(0, 200) || null
  return listAliases(address).flatMap((each) => channels.map((channel) => ({ address: each, channel, reason, note })))
}

const CHANNEL_TEXT: Record<string, 'all' | 'email' | 'sms' | 'whatsapp'> = {
  all: 'all',
  everything: 'all',
  email: 'email',
  'e-mail': 'email',
  mail: 'email',
  sms: 'sms',
  text: 'sms',
  whatsapp: 'whatsapp',
}

function readChannels(cell: string, { kind }: Address): SuppressionChannel[] | string {
  const text = cell
    .toLowerCase()
    .split(/[\s,;/|+&]+/)
    .filter(Boolean)
  const named = text.map((word) => CHANNEL_TEXT[word])
  if (named.includes(undefined))
    return `“${cell.trim().slice(0, 40)}” is not a channel. Use email, SMS or WhatsApp, or leave it empty.`
  const channels = [...new Set(named as SuppressionChannel[])]
  if (kind === 'email') {
    return channels.some((channel) => channel === 'sms' || channel === 'whatsapp')
      ? 'An email address cannot get SMS or WhatsApp messages.'
      : ['email']
  }
  if (channels.length > 0 && channels.every((channel) => channel === 'email')) return 'A phone number cannot get email.'
  const texts = channels.filter((channel) => channel !== 'email')
  return texts.length === 0 || texts.includes('all') || texts.length === 2 ? ['all'] : texts
}

const REASON_TEXT: readonly [RegExp, SuppressionReason][] = [
  [/unsub|opt.{0,3}out|stop|abgemeldet/, 'unsubscribed'],
  [/complain|spam|abuse/, 'complaint'],
  [/invalid|not a valid/, 'invalid'],
  [/bounce|does not work|undeliver/, 'hard_bounce'],
  [/manual|by hand|added by you/, 'manual'],
]

/** Returns null for an unknown reason. */
const readReason = (cell: string): SuppressionReason | null =>
  REASON_TEXT.find(([pattern]) => pattern.test(cell.toLowerCase()))?.[1] ?? null

/** Id of an entry: hash of its address, channel and reason. */
export const buildEntryId = (hash: Buffer, channel: string, reason: string): string =>
  `${hash.toString('base64url')}.${channel}.${reason}`

export function readEntryId(id: string): { hash: Buffer; channel: string; reason: string } | null {
  const [hash = '', channel = '', reason = ''] = id.split('.')
  const bytes = Buffer.from(hash, 'base64url')
  return bytes.length === 32 ? { hash: bytes, channel, reason } : null
}
