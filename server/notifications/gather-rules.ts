import { isProblem } from '../../shared/notification-kinds.ts'
import {
  type Gathered,
  isGathered,
  type NotificationData,
  type NotificationType,
  notificationText,
} from '../../shared/notifications.ts'

// Pure: what happens in bulk becomes one notification per hour (decisions 64 and 65).

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export type Data = NotificationData[NotificationType]
type Zone = Record<string, string>

/** What happened. */
export interface Pending {
  storeId: string
  id: string
  type: NotificationType
  data: Data
  zone: Zone | null
  at: Date
}

/** How many of a topic there were in an hour, and the row that gathers them. */
export interface Hour {
  storeId: string
  topic: string
  hour: Date
  count: number
  /** null: each has a row of its own. */
  row: { id: string; type: NotificationType; data: Data; createdAt: Date } | null
}

export interface Row extends Pending {
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

interface Rule {
  topic: string
  /** More than this in such a time are gathered, and for a day after that. */
  above: number
  withinMs: number
}

/** null: never gathered. */
export function ruleOf(type: NotificationType, data: Data): Rule | null {
  if (type === 'cart_abandoned' || type === 'cart_recovered') return { topic: type, above: 10, withinMs: HOUR_MS }
  if (type.endsWith('_sent')) {
    const isKept = 'isInMailbox' in data && data.isInMailbox
    return { topic: isKept ? `${type}:mailbox` : type, above: 0, withinMs: HOUR_MS }
  }
  if (type === 'complaint_failed') return { topic: type, above: 10, withinMs: DAY_MS }
  if (/^(email|sms|whatsapp|push)_failed$/.test(type) && 'cause' in data) {
    return { topic: `${type}:${data.cause}`, above: 10, withinMs: DAY_MS }
  }
  return null
}

/** `hours` are those of the last day. */
export function planRows(pending: readonly Pending[], hours: readonly Hour[], lastAt: Date): Plan {
  const known = new Map(hours.map((hour) => [keyOf(hour), { ...hour }]))
  const plan: Plan = { inserts: [], updates: [], hours: [], lastAt }
  const touched = new Set<Hour>()
  const updated = new Set<Hour>()
  for (const each of pending) {
    const rule = ruleOf(each.type, each.data)
    const hour = rule && hourOf(known, each, rule)
    if (hour) touched.add(hour)
    if (hour?.row) {
      hour.row.data = add(hour.row, each)
      updated.add(hour)
      continue
    }
    const row = rowOf(each, plan)
    plan.inserts.push(row)
    if (rule && hour && isBusy(known, each.storeId, rule, hour.hour)) hour.row = row
  }
  plan.hours.push(...touched)
  for (const { storeId, row } of updated) settle(plan, storeId, row!)
  return plan
}

const keyOf = ({ storeId, topic, hour }: Pick<Hour, 'storeId' | 'topic' | 'hour'>) =>
  `${storeId} ${topic} ${hour.getTime()}`

function hourOf(known: Map<string, Hour>, { storeId, at }: Pending, { topic }: Rule): Hour {
  const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS)
  const key = keyOf({ storeId, topic, hour })
  const found = known.get(key) ?? { storeId, topic, hour, count: 0, row: null }
  known.set(key, found)
  found.count += 1
  return found
}

/** Whether an hour of the last day, or the day as a whole, had more than so many. */
function isBusy(known: Map<string, Hour>, storeId: string, { topic, above, withinMs }: Rule, hour: Date): boolean {
  const counts = Array.from({ length: 24 }, (_, ago) => {
    const key = keyOf({ storeId, topic, hour: new Date(hour.getTime() - ago * HOUR_MS) })
    return known.get(key)?.count ?? 0
  })
  return withinMs === HOUR_MS ? Math.max(...counts) > above : counts.reduce((sum, count) => sum + count, 0) > above
}

/** Each is later than the one before it: "up to this one" is exact. */
function rowOf(each: Pending, plan: Plan): Row {
  const createdAt = new Date(Math.max(each.at.getTime(), plan.lastAt.getTime() + 1))
  plan.lastAt = createdAt
  return { ...each, createdAt, isProblem: isProblem(each.type), search: searchOf({ ...each, createdAt }) }
}

/** One that is inserted only now is changed there. */
function settle(plan: Plan, storeId: string, row: NonNullable<Hour['row']>): void {
  const search = searchOf(row)
  const inserted = plan.inserts.find(({ id }) => id === row.id)
  if (inserted) Object.assign(inserted, { data: row.data, search, zone: null })
  else plan.updates.push({ ...row, storeId, search, isProblem: isProblem(row.type) })
}

function add(row: NonNullable<Hour['row']>, { type, data, at }: Pending): Data {
  const [a, b] = [summed(row.type, row.data, row.createdAt), summed(type, data, at)]
  const sum = {
    ...a,
    count: a.count + b.count,
    since: a.since < b.since ? a.since : b.since,
    until: a.until > b.until ? a.until : b.until,
  }
  if (!('value' in a && 'value' in b)) return sum as Data
  const isOne = a.currency !== null && a.currency === b.currency
  return { ...sum, value: isOne ? a.value! + b.value! : null, currency: isOne ? a.currency : null } as Data
}

type Sum = Gathered & { value?: number | null; currency?: string | null }

/** What a gathered row holds of one: figures, and nothing of a person. */
function summed(type: NotificationType, data: Data, at: Date): Sum {
  if (isGathered(data)) return data as Sum
  const count = 'count' in data ? (data.count as number) : 1
  const sum = { count, since: at.toISOString(), until: at.toISOString() }
  if (type === 'cart_abandoned' || type === 'cart_recovered') {
    const { value, currency } = data as { value: number; currency: string }
    return { ...sum, value, currency }
  }
  if ('cause' in data) return { ...sum, cause: data.cause } as Sum
  return type.endsWith('_sent') ? ({ ...sum, isInMailbox: 'isInMailbox' in data && data.isInMailbox } as Sum) : sum
}

/** What the search of the screen looks through. */
export function searchOf(row: { type: NotificationType; data: Data; createdAt: Date }): string {
  const { title, message } = notificationText(row)
  const words = Object.values(row.data).filter((value) => typeof value === 'string')
  return [title, message, ...words].join('\n').toLowerCase().slice(0, 2_000).toWellFormed()
}
