import type { z } from 'zod'
import { formatChange, formatPercent } from '../../../shared/core/percent.ts'
import { weeklyReaders } from '../../access/notifications/public.ts'
import { readStore, type StoreRow } from '../../access/stores/public.ts'
import { hasFeature, loadEntitlements } from '../../billing/billing/public.ts'
import { toInstant, validZone } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  addDays,
  change,
  type Day,
  isCountedBefore,
  readWeeks,
  toLocalTime,
  type Week,
  type Weeks,
} from '../../insights/analytics/public.ts'
import { type AccountMail, type MailItem, type MailStation, mailMember } from '../accounts/public.ts'
import { weeklyReport } from './jobs.ts'

// Weekly reports by mail (decision 100): once per member, store and week, for any number of processes and crashes.

const STORES_AT_ONCE = 100
/** Delay until the next check whether the week's figures are complete. */
const WAIT_MS = 5 * 60_000

/** Tick: plans the reports of stores in which it is Monday morning. */
export async function planWeeklyReports(deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now'>): Promise<void> {
  const now = deps.now()
  await startClocks(deps.db, now)
  for (const storeId of await dueClocks(deps.db, now, STORES_AT_ONCE)) {
    await planStore(deps, { storeId, db: deps.db }, now).catch((error) => {
      // Reports of other stores must go on.
      deps.log.error({ err: error, storeId }, 'analytics.weekly_report_failed')
    })
  }
}

async function planStore(deps: Pick<Deps, 'jobs'>, store: StoreDb<Db>, now: Date): Promise<void> {
  const row = await readStore(store)
  if (!row) return
  const monday = findMonday(now, row.time_zone)
  const readers = await findReaders(store, row, now)
  await transact(store, async (tx) => {
    if (!(await lockClock(tx, now))) return
    if (readers === null) return setClock(tx, new Date(now.getTime() + WAIT_MS))
    for (const userId of await addReports(tx, readers, monday)) {
      await deps.jobs.enqueue(tx.db, weeklyReport, { storeId: store.storeId, userId, monday })
    }
    await setClock(tx, findNextReportTime(now, row.time_zone))
  })
}

/** Skips the week before the store was connected, and weeks without carts. null: the week's figures are incomplete. */
async function findReaders(store: StoreDb<Db>, row: StoreRow, now: Date): Promise<string[] | null> {
  const monday = findMonday(now, row.time_zone)
  const at = reportAt(monday, row.time_zone)
  if (!row.is_active || !isInTime(now, at) || row.connected_at >= at) return []
  if (!(await isCountedBefore(store, monday, row.time_zone))) return null
  if (!(await readWeeks(store, row.currency, monday))) return []
  return weeklyReaders({ accountId: row.account_id, db: store.db })
}

/** Checks the member's current choice. Only a mail that was certainly rejected is retried. */
export async function mailWeeklyReport(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log' | 'now'>,
  { storeId, userId, monday }: z.infer<typeof weeklyReport.payload>,
): Promise<void> {
  const store = { storeId, db: deps.db as Db }
  const row = await readStore(store)
  if (!row?.is_active) return
  const account = { accountId: row.account_id, db: store.db }
  if (!(await weeklyReaders(account)).includes(userId)) return
  const weeks = await readWeeks(store, row.currency, monday)
  if (!weeks) return
  const hasProducts = hasFeature(await loadEntitlements(account, deps.now()), 'advanced_analytics')
  const { publicUrl } = deps.config
  if (!(await claimReport(store, { userId, monday }, deps.now()))) return
  try {
    await mailMember(deps, userId, (name) => weekMail(weeks, { name, store: row, publicUrl, hasProducts }))
  } catch (error) {
    await releaseReport(store, { userId, monday })
    throw error
  }
}

// When a weekly report is sent: Monday morning in the store's time zone (decision 100). Pure.

const HOUR = 8
/** A later report is skipped, because its figures are outdated. */
const LATEST_MS = 48 * 3_600_000

/** The Monday of the current week in the store's calendar. */
export function findMonday(now: Date, zone: string): Day {
  const today = toLocalTime(now, zone).toPlainDate()
  return today.subtract({ days: today.dayOfWeek - 1 }).toString()
}

export function reportAt(monday: Day, zone: string): Date {
  const wallClock = Temporal.PlainDate.from(monday).toPlainDateTime({ hour: HOUR })
  return new Date(toInstant(wallClock, validZone(zone)).epochMilliseconds)
}

export function findNextReportTime(now: Date, zone: string): Date {
  const monday = findMonday(now, zone)
  const thisWeek = reportAt(monday, zone)
  return thisWeek > now ? thisWeek : reportAt(addDays(monday, 7), zone)
}

export const isInTime = (now: Date, at: Date): boolean => now >= at && now.getTime() - at.getTime() < LATEST_MS

// Texts of the weekly report (decision 100). Pure.

interface WeeklyMailInput {
  name: string
  store: Pick<StoreRow, 'id' | 'name' | 'platform' | 'currency'>
  publicUrl: string
  /** Products are part of Advanced Analytics (decision 131). */
  hasProducts: boolean
}

function weekMail(weeks: Weeks, letter: WeeklyMailInput): AccountMail {
  const { name, store, publicUrl } = letter
  const won = formatMoney(weeks.now.won, store.currency)
  return {
    subject: weeks.now.won > 0 ? `Your week at ${store.name}: ${won} recovered` : `Your week at ${store.name}`,
    paragraphs: [
      `Hello ${name},`,
      `${store.name} from ${formatDay(weeks.first)} to ${formatDay(weeks.last)}, compared with the week before.`,
    ],
    path: buildPath(weeks.path),
    items: [...figureItems(weeks, letter), ...(letter.hasProducts ? productItems(weeks, letter) : [])],
    link: { label: 'Open the analytics', url: buildAddress(letter) },
    footer: {
      label: 'Choose which of these emails you get',
      url: `${publicUrl}/settings/account/notifications`,
    },
  }
}

/** The stations of the thread on screen. */
const buildPath = (path: Weeks['path']): MailStation[] => [
  { label: 'Cart', figure: formatCount(path.began) },
  { label: 'Abandoned', figure: formatCount(path.abandoned) },
  { label: 'Message', figure: formatCount(path.messages) },
  { label: 'Click', figure: formatCount(path.clicks) },
  { label: 'Bought', figure: formatCount(path.bought), isWon: path.bought > 0 },
]

const buildAddress = ({ publicUrl, store }: WeeklyMailInput) =>
  `${publicUrl}/analytics?platform=${store.platform}&storeId=${store.id}&range=7d`

interface Figure {
  title: string
  of: (week: Week) => number | null
  show: (value: number | null) => string
  /** Fewer is better. */
  isLoss?: boolean
  text: string
}

function figureItems({ now, before }: Weeks, letter: WeeklyMailInput): MailItem[] {
  const money = (value: number | null) => formatMoney(value ?? 0, letter.store.currency)
  const figures: Figure[] = [
    {
      title: 'Revenue recovered',
      of: ({ won }) => won,
      show: money,
      text: 'Net revenue of orders from your messages.',
    },
    {
      title: 'Recovered orders',
      of: ({ orders }) => orders,
      show: (value) => formatCount(value ?? 0),
      text: 'Orders from your messages.',
    },
    {
      title: 'Recovery rate',
      of: ({ recoveredShare }) => recoveredShare,
      show: formatPercent,
      text: `${formatCount(now.recovered)} of ${formatCounted(now.abandoned, 'abandoned cart')} recovered so far.`,
    },
    {
      title: 'Revenue opportunity',
      of: ({ revenueOpportunity }) => revenueOpportunity,
      show: money,
      isLoss: true,
      text: 'Value of carts abandoned this week and not bought yet.',
    },
  ]
  return figures.map(({ title, of, show, isLoss = false, text }) => ({
    title: `${title}: ${show(of(now))}`,
    url: buildAddress(letter),
    note: describeChange(of(now), of(before), show),
    text,
    tone: getTone(change(of(now), of(before)), isLoss),
  }))
}

function describeChange(now: number | null, before: number | null, show: (value: number | null) => string): string {
  const changed = change(now, before)
  if (changed === null) return `${show(before)} the week before`
  return `${formatChange(changed)} vs. the week before (${show(before)})`
}

function getTone(changed: number | null, isLoss: boolean): MailItem['tone'] {
  if (changed === null || changed === 0) return 'neutral'
  return changed > 0 === isLoss ? 'neutral' : 'good'
}

function productItems({ products }: Weeks, letter: WeeklyMailInput): MailItem[] {
  return products.map(({ name, abandonedCount, recoveryRate, revenueLost }) => ({
    title: truncateName(name),
    url: buildAddress(letter),
    note: `In ${formatCounted(abandonedCount, 'abandoned cart')}, ${formatPercent(recoveryRate)} recovered`,
    text: `${formatMoney(revenueLost, letter.store.currency)} not bought yet.`,
    tone: 'neutral',
  }))
}

const MAX_CHARACTERS = 80

/** Store names on one line, truncated. */
function truncateName(name: string): string {
  const line = name.replace(/\s+/g, ' ').trim()
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1)}…` : line
}

const formatMoney = (amount: number, currency: string) =>
  amount.toLocaleString('en-US', { style: 'currency', currency })
const formatCount = (count: number) => count.toLocaleString('en-US')
const formatCounted = (count: number, noun: string) => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`

const DAY = new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' })
const formatDay = (day: string) => DAY.format(Date.parse(day))

// SQL for the schedule of weekly reports, and for created and sent ones.

/** For newly connected stores. */
async function startClocks(db: Db, now: Date): Promise<void> {
  await sql`
    insert into weekly_report_clocks (store_id, due_at)
    select s.id, ${now} from stores s
    where s.is_active and not exists (select 1 from weekly_report_clocks c where c.store_id = s.id)
    on conflict do nothing`.execute(db)
}

async function dueClocks(db: Db, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ store_id: string }>`
    select store_id from weekly_report_clocks where due_at <= ${now} order by due_at limit ${limit}`.execute(db)
  return rows.map(({ store_id }) => store_id)
}

/** False: another process holds it or has done it. */
async function lockClock({ db, storeId }: StoreTx, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 as due from weekly_report_clocks where store_id = ${storeId} and due_at <= ${now} for update skip locked`.execute(
    db,
  )
  return rows.length > 0
}

async function setClock({ db, storeId }: StoreTx, at: Date): Promise<void> {
  await sql`update weekly_report_clocks set due_at = ${at} where store_id = ${storeId}`.execute(db)
}

/** Returns the members without this report, and deletes older records. */
async function addReports({ db, storeId }: StoreTx, userIds: readonly string[], monday: Day): Promise<string[]> {
  await sql`delete from weekly_reports where store_id = ${storeId} and monday < ${monday}::date`.execute(db)
  const { rows } = await sql<{ user_id: string }>`
    insert into weekly_reports (store_id, user_id, monday)
    select ${storeId}, u.id, ${monday}::date from unnest(${[...userIds]}::uuid[]) as u(id)
    on conflict do nothing returning user_id`.execute(db)
  return rows.map(({ user_id }) => user_id)
}

interface Report {
  userId: string
  monday: Day
}

/** False: already sent. */
async function claimReport({ db, storeId }: StoreDb, { userId, monday }: Report, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update weekly_reports set handed_at = ${now}
    where store_id = ${storeId} and user_id = ${userId} and monday = ${monday}::date and handed_at is null
    returning user_id`.execute(db)
  return rows.length > 0
}

async function releaseReport({ db, storeId }: StoreDb, { userId, monday }: Report): Promise<void> {
  await sql`
    update weekly_reports set handed_at = null
    where store_id = ${storeId} and user_id = ${userId} and monday = ${monday}::date`.execute(db)
}
