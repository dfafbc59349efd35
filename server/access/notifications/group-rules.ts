import { isProblem } from '../../../shared/workspace/notification-kinds.ts'
import {
  type FailedCause,
  failedCauses,
  getNotificationText,
  isSummary,
  type NotificationData,
  type NotificationSummary,
  type NotificationType,
} from '../../../shared/workspace/notifications.ts'
import { buildWindowKey, findPool, findRule, MAX_SINGLE_ROWS, type Rule, type Span } from './group-spans.ts'

// Groups bulk events into one notification for an hour or more (decisions 64 and 65). Pure.

const HOUR_MS = 3_600_000

export type Data = NotificationData[NotificationType]
/** The shopper's city, region, country and time zone, as in `Zone` of `shared/workspace/notification-calls.ts`. */
type ShopperLocation = Record<string, string>

/** An event that is not a notification yet. */
export interface PendingEvent {
  storeId: string
  id: string
  type: NotificationType
  data: Data
  zone: ShopperLocation | null
  /** The store's time zone. */
  timeZone: string
  at: Date
}

interface GroupRow {
  id: string
  type: NotificationType
  data: Data
  createdAt: Date
}

/** The number of a topic's events in an hour, and the row that groups them, possibly with other hours. */
export interface Hour {
  storeId: string
  topic: string
  hour: Date
  count: number
  /** null: each event has its own row. */
  row: GroupRow | null
}

export interface Row extends Omit<PendingEvent, 'timeZone'> {
  createdAt: Date
  search: string
  isProblem: boolean
}

export interface Plan {
  inserts: Row[]
  updates: Omit<Row, 'at' | 'zone'>[]
  hours: Hour[]
  lastAt: Date
}

/** Plans the rows for pending events. `hours` covers the last day. */
export function planRows(pending: readonly PendingEvent[], hours: readonly Hour[], lastAt: Date): Plan {
  const day = new Day(hours)
  const plan: Plan = { inserts: [], updates: [], hours: [], lastAt }
  const touched = new Set<Hour>()
  const extendedRows = new Map<GroupRow, string>()
  for (const each of pending) {
    const rule = findRule(each.type, each.data)
    if (!rule) {
      plan.inserts.push(toRow(each, plan))
      continue
    }
    const hour = day.count(each, rule)
    touched.add(hour)
    const span = day.isBelowLimit(each, hour, rule) ? rule.spanBelowLimit : rule.spanAboveLimit
    const open = span === 'single' ? null : day.findOpenRow(each, hour, { ...rule, span })
    if (open) {
      open.data = mergeEventData(open, each)
      hour.row = open
      extendedRows.set(open, each.storeId)
      continue
    }
    const row = toRow(each, plan)
    plan.inserts.push(row)
    if (span !== 'single') hour.row = row
  }
  plan.hours.push(...touched)
  for (const [row, storeId] of extendedRows) replaceRow(plan, storeId, row)
  return plan
}

/** The last day's counts and rows, including those being planned. */
class Day {
  readonly #hours: Map<string, Hour>
  /** By store, pool and hour. */
  readonly #pools = new Map<string, number>()

  constructor(hours: readonly Hour[]) {
    // A row that groups several hours occurs once per hour in `hours`.
    const rows = new Map(hours.flatMap(({ row }) => (row ? [[row.id, { ...row }]] : [])))
    this.#hours = new Map(
      hours.map((hour) => [buildHourKey(hour), { ...hour, row: hour.row && rows.get(hour.row.id)! }]),
    )
    for (const hour of hours) this.#addToPool(hour, hour.count)
  }

  count({ storeId, at, data }: PendingEvent, { topic }: Rule): Hour {
    const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS)
    const hourKey = { storeId, topic, hour }
    const found = this.#hours.get(buildHourKey(hourKey)) ?? { ...hourKey, count: 0, row: null }
    this.#hours.set(buildHourKey(hourKey), found)
    found.count += countEvents(data)
    this.#addToPool(hourKey, countEvents(data))
    return found
  }

  /** Whether the day has fewer than `MAX_SINGLE_ROWS` earlier events. */
  isBelowLimit({ storeId, data }: PendingEvent, { hour }: Hour, { topic }: Rule): boolean {
    const pool = findPool(topic)
    const counts = listHours(hour).map(
      (each) => this.#pools.get(buildHourKey({ storeId, topic: pool, hour: each })) ?? 0,
    )
    return counts.reduce((sum, count) => sum + count, 0) - countEvents(data) < MAX_SINGLE_ROWS
  }

  /** The newest row that still accepts events. */
  findOpenRow(
    { storeId, timeZone }: PendingEvent,
    { topic, hour }: Hour,
    { span, fullAt = Number.POSITIVE_INFINITY }: Rule & { span: Exclude<Span, 'single'> },
  ): GroupRow | null {
    const hours = listHours(hour).map((each) => this.#hours.get(buildHourKey({ storeId, topic, hour: each })))
    const newest = hours.find((each) => each?.row)
    const row = newest?.row ?? null
    if (!row || newest!.hour.getTime() === hour.getTime()) return row
    if (isSummary(row.data) && row.data.count >= fullAt) return null
    return buildWindowKey(newest!.hour, timeZone, span) === buildWindowKey(hour, timeZone, span) ? row : null
  }

  #addToPool({ storeId, topic, hour }: HourKey, count: number): void {
    const key = buildHourKey({ storeId, topic: findPool(topic), hour })
    this.#pools.set(key, (this.#pools.get(key) ?? 0) + count)
  }
}

/** Number of events; sent messages arrive as one event with a count. */
const countEvents = (data: Data): number => (isSummary(data) ? data.count : 1)

type HourKey = Pick<Hour, 'storeId' | 'topic' | 'hour'>

/** The last 24 hours, newest first. */
const listHours = (hour: Date): Date[] =>
  Array.from({ length: 24 }, (_, ago) => new Date(hour.getTime() - ago * HOUR_MS))

const buildHourKey = ({ storeId, topic, hour }: HourKey) => `${storeId} ${topic} ${hour.getTime()}`

/** Each row is later than the one before it, so that "mark as read up to this one" has no ties. */
function toRow({ timeZone: _, ...each }: PendingEvent, plan: Plan): Row {
  const createdAt = new Date(Math.max(each.at.getTime(), plan.lastAt.getTime() + 1))
  plan.lastAt = createdAt
  return { ...each, createdAt, isProblem: isProblem(each.type), search: buildSearchText({ ...each, createdAt }) }
}

/** A row that is only planned is changed in the plan. */
function replaceRow(plan: Plan, storeId: string, row: GroupRow): void {
  const search = buildSearchText(row)
  const inserted = plan.inserts.find(({ id }) => id === row.id)
  if (inserted) Object.assign(inserted, { data: row.data, search, zone: null })
  else plan.updates.push({ ...row, storeId, search, isProblem: isProblem(row.type) })
}

function mergeEventData(row: GroupRow, { type, data, at }: PendingEvent): Data {
  const [a, b] = [toSum(row.type, row.data, row.createdAt), toSum(type, data, at)]
  const sum = {
    ...a,
    count: a.count + b.count,
    since: a.since < b.since ? a.since : b.since,
    until: a.until > b.until ? a.until : b.until,
    ...sumCauses(a, b),
  }
  if (!('value' in a && 'value' in b)) return sum as Data
  const hasSameCurrency = a.currency !== null && a.currency === b.currency
  return {
    ...sum,
    value: hasSameCurrency ? a.value! + b.value! : null,
    currency: hasSameCurrency ? a.currency : null,
  } as Data
}

type Causes = Partial<Record<FailedCause, number>>
type Sum = NotificationSummary & Causes & { value?: number | null; currency?: string | null }

const sumCauses = (a: Causes, b: Causes): Causes =>
  Object.fromEntries(
    failedCauses.flatMap((cause) => (cause in a || cause in b ? [[cause, (a[cause] ?? 0) + (b[cause] ?? 0)]] : [])),
  )

/** A grouped row's data: numbers only, without personal data. */
function toSum(type: NotificationType, data: Data, at: Date): Sum {
  if (isSummary(data)) return data as Sum
  const count = 'count' in data ? (data.count as number) : 1
  const sum = { count, since: at.toISOString(), until: at.toISOString() }
  if (type === 'cart_abandoned' || type === 'cart_recovered') {
    const { value, currency } = data as { value: number; currency: string }
    return { ...sum, value, currency }
  }
  if ('cause' in data) {
    const step = data.cause === 'unrenderable' && 'step' in data ? { step: data.step } : {}
    return { ...sum, ...step, [data.cause]: count } as Sum
  }
  return type.endsWith('_sent') ? ({ ...sum, isInMailbox: 'isInMailbox' in data && data.isInMailbox } as Sum) : sum
}

/** The text that the page's search matches. */
export function buildSearchText(row: { type: NotificationType; data: Data; createdAt: Date }): string {
  const { title, message } = getNotificationText(row)
  const texts = Object.values(row.data).filter((value) => typeof value === 'string')
  return [title, message, ...texts].join('\n').toLowerCase().slice(0, 2_000).toWellFormed()
}
