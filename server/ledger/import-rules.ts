import { normalizeEmail, normalizePhone } from '../../shared/contact.ts'
import {
  type DateOrder,
  type ImportChannel,
  type ImportMapping,
  type ImportProblem,
  importChannels,
} from '../../shared/ledger.ts'
import { instantOf } from '../core/time.ts'

// How a row of somebody else's file is read: columns guessed, words and dates understood, what proves nothing refused. Pure.

export interface ReadingOf {
  mapping: ImportMapping
  /** Reads national phone numbers. */
  country: string | null
  /** Of the store: what a wall clock in the file speaks of where it names no zone. */
  zone: string
  /** The moment of the upload: nothing was agreed after it. */
  uploadedAt: Date
}

/** What could be made out; `problem` says why the rest does not help. */
export interface ReadRow {
  line: number
  address: string
  channel: ImportChannel | null
  status: 'granted' | 'withdrawn' | null
  /** null: the file gives none. */
  at: Date | null
  given: string
  wording: string
  problem: ImportProblem | null
}

/** `line`: in the file, the heading being 1. */
export function readRow(cells: readonly string[], line: number, reading: ReadingOf): ReadRow {
  const { mapping, country, zone, uploadedAt } = reading
  const cell = (index: number | null) => (index === null ? '' : (cells[index] ?? '').trim().replace(/^'(?=[+=@-])/, ''))
  const typed = cell(mapping.address)
  const channel = mapping.channel === null ? mapping.channelForAll : channelOf(cell(mapping.channel))
  const status = mapping.status === null ? 'granted' : statusOf(cell(mapping.status))
  const date = cell(mapping.date)
  const at = date ? dateOf(date, mapping.dateOrder, zone) : null
  const given = (mapping.source === null ? mapping.sourceForAll : cell(mapping.source)).slice(0, 300)
  const address = channel && (channel === 'email' ? normalizeEmail(typed) : normalizePhone(typed, country))
  const row = {
    line,
    address: address ?? typed,
    channel,
    status,
    at,
    given,
    wording: cell(mapping.wording).slice(0, 1_000),
  }
  return { ...row, problem: problemOf({ ...row, typed, date, isAddress: Boolean(address) }, uploadedAt) }
}

interface Facts extends Omit<ReadRow, 'problem'> {
  typed: string
  date: string
  isAddress: boolean
}

/** A no needs no proof: only who, and of what. */
function problemOf(row: Facts, uploadedAt: Date): ImportProblem | null {
  if (row.typed === '') return 'no_address'
  if (row.channel === null) return 'bad_channel'
  if (!row.isAddress) return row.channel === 'email' ? 'bad_address' : 'bad_phone'
  if (row.status === null) return 'bad_status'
  if (row.at && row.at > uploadedAt) return 'future_date'
  if (row.status === 'withdrawn') return null
  if (row.date === '') return 'no_date'
  if (row.at === null) return 'bad_date'
  return row.given === '' ? 'no_source' : null
}

const CHANNELS: Record<ImportChannel, readonly string[]> = {
  email: ['email', 'e-mail', 'mail', 'newsletter'],
  sms: ['sms', 'text', 'phone', 'mobile', 'telefon', 'handy'],
  whatsapp: ['whatsapp', 'whats app', 'wa'],
}

const channelOf = (text: string): ImportChannel | null =>
  importChannels.find((channel) => CHANNELS[channel].includes(text.toLowerCase())) ?? null

const YES =
  'yes y true 1 granted given subscribed subscriber active optin opt-in opted-in confirmed consented ja wahr aktiv angemeldet said-yes'
const NO =
  'no n false 0 withdrawn unsubscribed inactive optout opt-out opted-out revoked declined nein falsch abgemeldet said-no'

function statusOf(text: string): ReadRow['status'] {
  const word = text.toLowerCase().replace(/[\s_]+/g, '-')
  if (YES.split(' ').includes(word)) return 'granted'
  return NO.split(' ').includes(word) ? 'withdrawn' : null
}

const ISO =
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i
const WRITTEN = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?\s*()?$/
/** Nobody agreed to messages of a web shop before there was one. */
const EARLIEST = Date.UTC(1995, 0, 1)

/** An instant; a day alone is its first moment. Without a zone of its own it is the store's wall clock. null: not a date. */
export function dateOf(text: string, order: DateOrder, zone: string): Date | null {
  if (/^\d{10}$/.test(text)) return checked(Number(text) * 1_000)
  if (/^\d{13}$/.test(text)) return checked(Number(text))
  const iso = ISO.exec(text)
  const written = iso ? null : WRITTEN.exec(text)
  if (iso) return instant([iso[1]!, iso[2]!, iso[3]!], iso.slice(4), zone)
  if (!written || order === 'iso') return null
  const [, first, second, year] = written
  return instant(order === 'dmy' ? [year!, second!, first!] : [year!, first!, second!], written.slice(4), zone)
}

function instant(day: [string, string, string], time: (string | undefined)[], zone: string): Date | null {
  const [year, month, date] = day.map(Number) as [number, number, number]
  const [hour, minute, second] = time.slice(0, 3).map((part) => Number(part ?? 0)) as [number, number, number]
  try {
    // What does not exist, such as 31 February, is refused: a file that has it is read wrong.
    const clock = Temporal.PlainDateTime.from({ year, month, day: date, hour, minute, second }, { overflow: 'reject' })
    return checked(instantOf(clock, offsetOf(time[3]) ?? zone).epochMilliseconds)
  } catch {
    return null
  }
}

/** As an ISO offset; null: the text names none. */
function offsetOf(zone: string | undefined): string | null {
  if (!zone) return null
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? []
  return sign ? `${sign}${hours}:${minutes}` : '+00:00'
}

const checked = (ms: number): Date | null => (Number.isFinite(ms) && ms >= EARLIEST ? new Date(ms) : null)

const HEADINGS: [keyof ImportMapping, RegExp][] = [
  ['address', /e-?mail|address|adresse|phone|mobile|telefon|handy|number|recipient/i],
  [
    'date',
    /confirm.?time|consent.{0,40}(date|time|at)|opt.?in.?(time|date|at)|date|datum|[_ ](?:at|on|am)$|signed.?up|time|when|zeit|since/i,
  ],
  ['status', /status|subscribed|consent|einwilligung|opt.?in$|accepts|permission/i],
  ['channel', /channel|kanal|medium/i],
  ['wording', /wording|statement|wortlaut|consent.?text|text/i],
  ['source', /source|quelle|evidence|nachweis|proof|form|origin|herkunft|method/i],
]

/** The columns as their headings and first rows suggest; the owner has the last word. */
export function guessMapping(
  columns: readonly string[],
  sample: readonly (readonly string[])[],
  country: string | null,
): ImportMapping {
  const places: Partial<Record<keyof ImportMapping, number>> = {}
  for (const [field, heading] of HEADINGS) {
    const taken = new Set(Object.values(places))
    const place = columns.findIndex((name, index) => !taken.has(index) && heading.test(name))
    if (place >= 0) places[field] = place
  }
  const valuesOf = (index: number) => sample.map((row) => row[index] ?? '').filter(Boolean)
  const withAt = columns.findIndex((_, index) => valuesOf(index).some((value) => value.includes('@')))
  const address = places.address ?? Math.max(0, withAt)
  const isMail = valuesOf(address).some((value) => value.includes('@')) || valuesOf(address).length === 0
  return {
    address,
    channel: places.channel ?? null,
    channelForAll: isMail ? 'email' : 'sms',
    status: places.status ?? null,
    date: places.date ?? null,
    dateOrder: places.date === undefined ? 'iso' : orderOf(valuesOf(places.date), country),
    source: places.source ?? null,
    sourceForAll: '',
    wording: places.wording ?? null,
  }
}

const MONTH_FIRST = ['US', 'PH']

/** Day or month first: what cannot be a month decides, then where the shop is. */
function orderOf(dates: readonly string[], country: string | null): DateOrder {
  const written = dates.map((text) => WRITTEN.exec(text)).filter((found) => found !== null)
  if (written.length === 0) return 'iso'
  if (written.some(([, first]) => Number(first) > 12)) return 'dmy'
  if (written.some(([, , second]) => Number(second) > 12)) return 'mdy'
  return MONTH_FIRST.includes(country ?? '') && !dates.some((text) => text.includes('.')) ? 'mdy' : 'dmy'
}

/** What people have said no to comes first: whatever its place in the file, it beats a yes of the same file (C5). */
export function inOrder(rows: readonly ReadRow[]): { rows: ReadRow[]; yesFrom: number } {
  const isYes = (row: ReadRow) => row.problem === null && row.status === 'granted'
  const others = rows.filter((row) => !isYes(row))
  return { rows: [...others, ...rows.filter(isYes)], yesFrom: others.length }
}
