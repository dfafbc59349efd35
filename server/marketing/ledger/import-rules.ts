import { LRUCache } from 'lru-cache'
import { findEmails, findPhones, normalizePhone } from '../../../shared/core/contact.ts'
import {
  type DateOrder,
  type ImportChannel,
  type ImportMapping,
  type ImportProblem,
  type ImportReason,
  importChannels,
  type RowStatus,
} from '../../../shared/marketing/ledger.ts'
import type { SuppressionReason } from '../../../shared/shoppers/suppressions.ts'
import { toInstant } from '../../core/common/public.ts'
import {
  type CellMark,
  cellMark,
  coversChannel,
  findRefusalAnywhere,
  type HeadingKind,
  headingKind,
  strongestReason,
} from './import-marks.ts'

// Interprets the rows of an imported file: guesses columns, parses status and dates, rejects what proves nothing. Pure.

export interface ReadOptions {
  mapping: ImportMapping
  columns: ConsentColumns
  /** The country of national phone numbers. */
  country: string | null
  /** The store's time zone, for times without a zone. */
  zone: string
  /** Time of the upload; later consent times are invalid. */
  uploadedAt: Date
}

/** The parsed row; `problem` says why it is rejected. */
export interface ReadRow {
  line: number
  address: string
  /** Further addresses of an opt-out, which counts for each of them. */
  others: readonly string[]
  channel: ImportChannel | null
  status: RowStatus | null
  /** Why the row is not a consent; null: it is one, or a plain opt-out. */
  reason: ImportReason | null
  /** null: not in the file. */
  at: Date | null
  given: string
  wording: string
  problem: ImportProblem | null
}

/** `line`: in the file, with the heading as line 1. */
export function readRow(cells: readonly string[], line: number, reading: ReadOptions): ReadRow {
  const { mapping, country, zone, uploadedAt } = reading
  const cell = (index: number | null) => (index === null ? '' : (cells[index] ?? '').trim().replace(/^'(?=[+=@-])/, ''))
  const typed = cell(mapping.address)
  const channel = mapping.channel === null ? mapping.channelForAll : parseChannel(cell(mapping.channel))
  const date = cell(mapping.date)
  const dated = date ? parseDate(date, mapping.dateOrder, zone) : null
  const statement = readStatement(cells, channel, reading)
  const isGranted = statement.status === 'granted'
  const at = statement.at ?? dated
  const source = (mapping.source === null ? mapping.sourceForAll : cell(mapping.source)).slice(0, 300)
  const [address, ...others] = channel === null ? [] : addressesIn(typed, channel, { country, isGranted })
  const row = {
    line,
    address: address ?? typed,
    others: isGranted ? [] : others,
    channel,
    status: statement.status,
    reason: statement.reason,
    // An opt-out with an impossible time counts from the upload.
    at: !isGranted && at && at > uploadedAt ? null : at,
    given: source,
    wording: cell(mapping.wording).slice(0, 1_000),
  }
  const facts = { ...row, typed, date, isAddress: Boolean(address), isUnread: statement.isUnread }
  return { ...row, problem: findProblem(facts, uploadedAt) }
}

/** For an opt-in, a cell must contain nothing but the number. */
function addressesIn(
  typed: string,
  channel: ImportChannel,
  { country, isGranted }: { country: string | null; isGranted: boolean },
): string[] {
  if (channel === 'email') return findEmails(typed)
  return isGranted ? [normalizePhone(typed, country) ?? []].flat() : findPhones(typed, country)
}

interface ParsedRow extends Omit<ReadRow, 'problem'> {
  typed: string
  date: string
  isAddress: boolean
  isUnread: boolean
}

/** An opt-out needs no proof, only an address and a channel. */
function findProblem(row: ParsedRow, uploadedAt: Date): ImportProblem | null {
  if (row.typed === '') return 'no_address'
  if (row.channel === null) return 'bad_channel'
  if (!row.isAddress) return row.channel === 'email' ? 'bad_address' : 'bad_phone'
  if (row.status === null) return row.isUnread ? 'bad_status' : 'no_status'
  if (row.status !== 'granted') return null
  if (row.at && row.at > uploadedAt) return 'future_date'
  if (row.at === null) return row.date === '' ? 'no_date' : 'bad_date'
  return row.given === '' ? 'no_source' : null
}

/** What the columns of a file say about consent. */
export interface ConsentColumns {
  /** The column that states who opted in; null: none. */
  main: { index: number; isUnclear: boolean; isOptInHeading: boolean } | null
  /** A yes or a date there is an opt-out; a no says nothing. */
  noes: readonly (Column & { kind: NoHeading })[]
  /** Further consent columns: a no counts, a yes adds nothing. */
  others: readonly Column[]
  /** The rest: an opt-out status counts there as well. */
  rest: readonly Column[]
  /** Interprets a cell; results are cached, because most files repeat a few values. */
  markOf: (cell: string) => CellMark
}

interface Column {
  index: number
  name: string
  /** The channels of its heading. */
  channels: readonly ImportChannel[]
}

type NoHeading = Extract<HeadingKind, { means: 'no' }>
const CHOSEN_AS_NO: NoHeading = { means: 'no', reason: 'opted_out', isDetail: false }

/**
 * The recognized meaning of a heading overrides the chosen mapping: a wrong choice cannot turn an opt-out into an
 * opt-in.
 */
export function findConsentColumns(names: readonly string[], mapping: ImportMapping): ConsentColumns {
  const { status } = mapping
  const kinds = names.map((name, index) => {
    return {
      index,
      name,
      channels: importChannels.filter((each) => coversChannel(name, each)),
      kind: headingKind(name),
    }
  })
  const noes = kinds.flatMap(({ kind, ...column }) => {
    const { index } = column
    // Addresses under “Unsubscribed email” are a list of opt-outs.
    if (kind?.means === 'no')
      return [{ ...column, kind: index === mapping.address ? { ...kind, isDetail: true } : kind }]
    const isChosenAsNo = index === status && kind === null && mapping.yesMeans === 'withdrawn'
    return isChosenAsNo ? [{ ...column, kind: CHOSEN_AS_NO }] : []
  })
  const read = [mapping.address, mapping.channel, status, mapping.date, mapping.source, mapping.wording]
  const others = kinds.filter(({ index, kind }) => kind && kind.means !== 'no' && !read.includes(index))
  const chosen = kinds.find(({ index }) => index === status && !noes.some((each) => each.index === index))
  const means = chosen?.kind?.means
  // Under an unknown heading, a bare yes may mean anything.
  const isUnclear = means === 'either' || (chosen?.kind === null && mapping.yesMeans === null)
  const main = chosen ? { index: chosen.index, isUnclear, isOptInHeading: means === 'yes' } : null
  const rest = kinds.filter(({ index, kind }) => kind === null && !read.includes(index))
  return { main, noes, others, rest, markOf: cacheMarks(cellMark) }
}

const MAX_CACHED = 1_000
const MAX_CACHED_LENGTH = 60

function cacheMarks(markOf: (cell: string) => CellMark): (cell: string) => CellMark {
  const known = new LRUCache<string, CellMark>({ max: MAX_CACHED })
  return (cell) => {
    const mark = known.get(cell) ?? markOf(cell)
    if (cell.length <= MAX_CACHED_LENGTH) known.set(cell, mark)
    return mark
  }
}

interface Statement {
  status: RowStatus | null
  reason: ImportReason | null
  /** Time of the statement, if its column has dates. */
  at: Date | null
  /** A statement that cannot be interpreted; it grants nothing. */
  isUnread: boolean
}

/** An opt-out wins over an opt-in of another column and over the owner's answer for the whole file. */
function readStatement(
  cells: readonly string[],
  channel: ImportChannel | null,
  { columns: { main, noes, others, rest, markOf }, mapping, zone }: ReadOptions,
): Statement {
  const cell = (index: number) => cells[index] ?? ''
  const dateIn = (index: number) => parseDate(cell(index).trim(), mapping.dateOrder, zone)
  const isMeant = ({ channels }: Column) => channel === null || channels.includes(channel)
  const found: Opinion[] = [
    ...(main ? [mainOpinion(markOf(cell(main.index)), main, () => dateIn(main.index))] : []),
    ...noes.filter(isMeant).map(({ index, kind }) => noOpinion(markOf(cell(index)), kind, () => dateIn(index))),
    ...others.filter(isMeant).map(({ index }) => otherOpinion(markOf(cell(index)))),
    ...rest.filter(isMeant).map(({ index }) => toOpinion(findRefusalAnywhere(cell(index)))),
  ]
  const refusals = found.filter((each) => typeof each === 'object' && 'reason' in each)
  if (refusals.length > 0) {
    const reason = strongestReason(refusals.flatMap((each) => each.reason ?? []))
    const at = refusals.find((each) => each.at)?.at ?? null
    const status = reason && suppressionFor[reason] ? 'suppressed' : 'withdrawn'
    return { status, reason, at, isUnread: false }
  }
  const isUnread = found.includes('unread')
  const isGranted = main ? found.some((each) => typeof each === 'object') : mapping.statusForAll === 'granted'
  const status = isUnread ? null : isGranted ? 'granted' : main ? null : mapping.statusForAll
  const at = found.find((each) => typeof each === 'object')?.at ?? null
  return { status, reason: null, at, isUnread: isUnread || main !== null }
}

type OptOut = { reason: ImportReason | null; at: Date | null }
type Opinion = OptOut | { isGranted: true; at: Date | null } | 'unread' | 'silent'

function mainOpinion(mark: CellMark, main: NonNullable<ConsentColumns['main']>, readDate: () => Date | null): Opinion {
  if (typeof mark === 'object') return { ...mark, at: null }
  if (mark === 'empty') return 'silent'
  if (mark === 'granted') return { isGranted: true, at: null }
  if (main.isUnclear || mark === 'mark') return 'unread'
  if (mark === 'no') return { reason: null, at: null }
  if (mark === 'yes') return { isGranted: true, at: null }
  const date = main.isOptInHeading ? readDate() : null
  return date ? { isGranted: true, at: date } : 'unread'
}

function noOpinion(mark: CellMark, { reason, isDetail }: NoHeading, readDate: () => Date | null): Opinion {
  // “Suppressed” gives no reason, but a cell may.
  if (typeof mark === 'object') {
    return { reason: reason === 'suppressed' ? mark.reason : strongestReason([mark.reason, reason]), at: null }
  }
  if (mark === 'yes' || mark === 'mark') return { reason, at: null }
  if (mark === 'no' || mark === 'empty') return 'silent'
  const date = readDate()
  return date || mark === 'time' || isDetail ? { reason, at: date } : 'unread'
}

const toOpinion = (reason: ImportReason | null): Opinion => (reason ? { reason, at: null } : 'silent')

/** Handles a plain no in a further column, from a file of people who ticked another box. */
function otherOpinion(mark: CellMark): Opinion {
  if (typeof mark === 'object') return { ...mark, at: null }
  return mark === 'no' ? { reason: null, at: null } : 'silent'
}

/** Reasons for the suppression list; any other opt-out is a withdrawal. */
export const suppressionFor: Partial<Record<ImportReason, SuppressionReason>> = {
  bounced: 'hard_bounce',
  complained: 'complaint',
  invalid: 'invalid',
}

/** Reasons that are not the person's own decision: they do not override a consent given here. */
export const isNotOwnDecision = (reason: ImportReason | null): boolean => reason === 'never' || reason === 'unconfirmed'

const CHANNELS: Record<ImportChannel, readonly string[]> = {
  email: ['email', 'e-mail', 'mail', 'newsletter'],
  sms: ['sms', 'text', 'phone', 'mobile', 'telefon', 'handy'],
  whatsapp: ['whatsapp', 'whats app', 'wa'],
}

const parseChannel = (text: string): ImportChannel | null =>
  importChannels.find((channel) => CHANNELS[channel].includes(text.toLowerCase())) ?? null

const ISO =
  // Bounded: see parseDate.
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*([ap]\.?m\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i
const WRITTEN = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?\s*([ap]\.?m\.?)?$/i
/** Allows time, zone and spaces. */
const LONGEST_DATE = 60
/** Earlier than any web shop. */
const EARLIEST_YEAR = 1995
const EARLIEST = Date.UTC(EARLIEST_YEAR, 0, 1)

/**
 * Parses an instant; a date alone is the start of its day. Without a zone, in the store's time zone. null: not a date.
 */
export function parseDate(text: string, order: DateOrder, zone: string): Date | null {
  if (text.length > LONGEST_DATE) return null
  if (/^\d{10}$/.test(text)) return parseValidDate(Number(text) * 1_000)
  if (/^\d{13}$/.test(text)) return parseValidDate(Number(text))
  const iso = ISO.exec(text)
  const written = iso ? null : WRITTEN.exec(text)
  if (iso) return instant([iso[1]!, iso[2]!, iso[3]!], iso.slice(4), zone)
  if (!written || order === 'iso') return null
  const [, first, second, yearText] = written
  const year = yearText!.length === 4 ? yearText : `${Number(yearText) >= EARLIEST_YEAR % 100 ? '19' : '20'}${yearText}`
  return instant(order === 'dmy' ? [year!, second!, first!] : [year!, first!, second!], written.slice(4), zone)
}

function instant(day: [string, string, string], time: (string | undefined)[], zone: string): Date | null {
  const [year, month, date] = day.map(Number) as [number, number, number]
  const [hourText, minute, second] = time.slice(0, 3).map((part) => Number(part ?? 0)) as [number, number, number]
  const hour = toHour(hourText, time[3])
  if (hour === null) return null
  try {
    // Rejects dates that do not exist, such as 31 February: the file's date order is probably read wrong.
    const clock = Temporal.PlainDateTime.from({ year, month, day: date, hour, minute, second }, { overflow: 'reject' })
    return parseValidDate(toInstant(clock, parseOffset(time[4]) ?? zone).epochMilliseconds)
  } catch {
    return null
  }
}

/** Converts to 24 hours; null: the 12-hour clock has no such hour. */
function toHour(hour: number, half: string | undefined): number | null {
  if (!half) return hour
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0)
}

/** As an ISO offset; null: no zone in the text. */
function parseOffset(zone: string | undefined): string | null {
  if (!zone) return null
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? []
  return sign ? `${sign}${hours}:${minutes}` : '+00:00'
}

const parseValidDate = (ms: number): Date | null => (Number.isFinite(ms) && ms >= EARLIEST ? new Date(ms) : null)

const HEADINGS: [keyof ImportMapping, RegExp][] = [
  ['address', /e-?mail|address|adresse|phone|mobile|telefon|handy|number|recipient/i],
  [
    'date',
    /confirm.?time|consent.{0,40}(date|time|at\b)|opt.?in.?(time|date|at)|date|datum|[_ ](?:at|on|am)$|signed.?up|time|when|zeit|since/i,
  ],
  // By the meaning of the heading.
  ['status', /./],
  ['channel', /channel|kanal|medium/i],
  ['wording', /wording|statement|wortlaut|consent.?text|text/i],
  ['source', /source|quelle|evidence|nachweis|proof|form|origin|herkunft|method/i],
]

/** Suggests a mapping from headings and first rows; the owner can change it. */
export function guessMapping(
  columns: readonly string[],
  sample: readonly (readonly string[])[],
  country: string | null,
): ImportMapping {
  const places: Partial<Record<keyof ImportMapping, number>> = {}
  const kinds = columns.map(headingKind)
  const listValues = (index: number) => sample.map((row) => row[index] ?? '').filter(Boolean)
  const isMailIn = (index: number) =>
    listValues(index).some((value) => value.includes('@')) || listValues(index).length === 0
  for (const [field, heading] of HEADINGS) {
    const usedPlaces = new Set(Object.values(places))
    const place = columns.findIndex((name, index) => {
      const kind = kinds[index]?.means
      if (usedPlaces.has(index) || kind === 'no') return false
      if (field !== 'status') return kind === undefined && heading.test(name)
      const channel = isMailIn(places.address ?? 0) ? 'email' : 'sms'
      return kind !== undefined && coversChannel(name, channel)
    })
    if (place >= 0) places[field] = place
  }
  const withAt = columns.findIndex((_, index) => listValues(index).some((value) => value.includes('@')))
  const address = places.address ?? Math.max(0, withAt)
  return {
    address,
    channel: places.channel ?? null,
    channelForAll: isMailIn(address) ? 'email' : 'sms',
    status: places.status ?? null,
    yesMeans: null,
    statusForAll: null,
    date: places.date ?? null,
    dateOrder: places.date === undefined ? 'iso' : detectOrder(listValues(places.date), country),
    source: places.source ?? null,
    sourceForAll: '',
    wording: places.wording ?? null,
  }
}

const MONTH_FIRST = ['US', 'PH']

/** Day or month first: decided by values above 12, then by the store's country. */
function detectOrder(dates: readonly string[], country: string | null): DateOrder {
  const written = dates.map((text) => WRITTEN.exec(text)).filter((found) => found !== null)
  if (written.length === 0) return 'iso'
  if (written.some(([, first]) => Number(first) > 12)) return 'dmy'
  if (written.some(([, , second]) => Number(second) > 12)) return 'mdy'
  return MONTH_FIRST.includes(country ?? '') && !dates.some((text) => text.includes('.')) ? 'mdy' : 'dmy'
}

/** Opt-outs first: they override opt-ins of the same file, wherever they are in it (C5). */
export function optOutsFirst(rows: readonly ReadRow[]): { rows: ReadRow[]; yesFrom: number } {
  const isYes = (row: ReadRow) => row.problem === null && row.status === 'granted'
  const others = rows.filter((row) => !isYes(row))
  return { rows: [...others, ...rows.filter(isYes)], yesFrom: others.length }
}

/** Up to `max` rows that show each outcome: the first row of each, then the second, and so on. */
export function pickSampleOutcomes(rows: readonly ReadRow[], max: number): ReadRow[] {
  const kinds = new Map<string, ReadRow[]>()
  for (const row of rows) {
    const kind = row.problem ?? `${row.status} ${row.reason}`
    const same = kinds.get(kind) ?? []
    if (same.length < max) same.push(row)
    kinds.set(kind, same)
  }
  const firsts = [...kinds.values()].flatMap((same) => same.map((row, place) => ({ row, place })))
  const samples = firsts.sort((a, b) => a.place - b.place || a.row.line - b.row.line).slice(0, max)
  return samples.map(({ row }) => row).sort((a, b) => a.line - b.line)
}
