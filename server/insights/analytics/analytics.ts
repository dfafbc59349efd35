import {
  type AnalyticsRange,
  type AnalyticsReply,
  analyticsTexts,
  rangeDays,
  type TopProduct,
} from '../../../shared/insights/analytics.ts'
import type { StoresQuery } from '../../../shared/insights/dashboard.ts'
import { listStores, readStore, type StoreRow } from '../../access/stores/public.ts'
import { hasFeature, loadEntitlements, requireFeature } from '../../billing/billing/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, sql } from '../../core/db/public.ts'
import { isFailed } from '../../messages/messages/public.ts'
import * as rules from './analytics-rules.ts'
import { type CartSums, type OrderSums, readCountedUntil, sumCarts, sumFunnels, sumOrders } from './analytics-sql.ts'
import { readBuyers } from './buyers.ts'
import type { DayBounds } from './days.ts'
import { getDayBounds } from './days.ts'
import { type ChannelSums, sumMessages } from './messages-sql.ts'
import { ensureRange, ensureRangeSoon } from './product-ranges.ts'
import { listProductsAfter } from './product-ranges-sql.ts'
import { daysOfRange, type RangeDays } from './ranges.ts'

// Advanced Analytics (B 2, decisions 91 to 101): figures of a range of days, for one store or several with one
// currency.

/** One store, or all stores of the account with one currency. */
export interface AccountQuery {
  account: AccountDb<Db>
  store: StoreDb<Db>
  query: StoresQuery
  now: Date
}

export interface RangeQuery extends AccountQuery {
  range: AnalyticsRange
  /** A trend of 30 days may have weeks. */
  buckets?: 'days' | 'auto'
  /** An export: waits until all products are summed, because a file does not refresh. */
  isFile?: boolean
}

/** A store and its range of days; each store has its own calendar. */
export interface Scope {
  store: StoreDb<Db>
  row: StoreRow
  days: RangeDays
}

export interface ResolvedQuery {
  /** The chosen store first. */
  scopes: Scope[]
  currency: string
}

/** Selects stores and currency, as far as the plan allows (decisions 131 and 154). */
export async function resolveScopes({ range, ...query }: RangeQuery): Promise<ResolvedQuery> {
  const { rows, currency } = await listRequestedStores(query)
  const buildScope = (row: StoreRow): Scope => ({
    store: { storeId: row.id, db: query.store.db },
    row,
    days: daysOfRange(range, query.now, row.time_zone),
  })
  return { scopes: rows.map(buildScope), currency }
}

/** The selected stores, the chosen one first. Only connected stores are summed. */
export async function listRequestedStores({ account, store, query, now }: AccountQuery) {
  const own = requireFound(await readStore(store), 'Store')
  if (query.stores === 'one') return { rows: [own], currency: own.currency }
  await requireFeature(account, now, { feature: 'multi_store_dashboard', sentence: analyticsTexts.allStoresPlan })
  const currency = (query.currency ?? own.currency).toUpperCase()
  const rows = (await listStores(account)).filter((row) => row.is_active && row.currency === currency)
  if (rows.length === 0) throw new AppError('unprocessable', analyticsTexts.noStoreOfCurrency)
  const rankOwn = (row: StoreRow) => Number(row.id === own.id)
  return { rows: rows.sort((a, b) => rankOwn(b) - rankOwn(a)), currency }
}

/** The free plan shows figures and funnel of 7 and 30 days, starter and higher plans the rest (decision 131). */
export async function readAnalytics(rangeQuery: RangeQuery): Promise<AnalyticsReply> {
  const isWhole = hasFeature(await loadEntitlements(rangeQuery.account, rangeQuery.now), 'advanced_analytics')
  if (!isWhole && rangeDays[rangeQuery.range] > 30) await demandAdvanced(rangeQuery)
  const asking = await resolveScopes(rangeQuery)
  const { scopes, currency } = asking
  const [carts, orders, funnels, messages, frame] = await Promise.all([
    eachStore(scopes, ({ store, days }) => sumCarts(store, days)),
    eachStore(scopes, ({ store, days }) => sumOrders(store, days)),
    eachStore(scopes, ({ store, days }) => sumFunnels(store, days)),
    eachStore(scopes, ({ store, days }) => sumMessages(store, days)),
    buildFrame(asking),
  ])
  const [now, before] = [carts.filter((row) => row.isNow), carts.filter((row) => !row.isNow)]
  const [figures, figuresBefore] = [rules.buildCartFigures(now, currency), rules.buildCartFigures(before, currency)]
  const lifetime = rules.lifetimeValue(orders, currency)
  const byChannel = rules.buildFunnels(
    funnels,
    rules.sum(now, (row) => row.began),
  )
  return {
    ...figures,
    revenueOpportunityChange: rules.change(figures.revenueOpportunity, figuresBefore.revenueOpportunity),
    averageCartValueChange: rules.change(figures.averageCartValue, figuresBefore.averageCartValue),
    abandonmentRateChange: rules.change(figures.abandonmentRate, figuresBefore.abandonmentRate),
    customerLifetimeValue: lifetime.now,
    customerLifetimeValueChange: rules.change(lifetime.now, lifetime.before),
    funnel: byChannel.email,
    funnels: byChannel,
    ...frame,
    ...(isWhole
      ? await advanced(rangeQuery, asking, { carts: now, orders, messages })
      : { email: null, customers: null, topProducts: null }),
    otherCurrencies: rules.listOtherCurrencies(now, orders, currency),
    counts: {
      carts: rules.sum(now, (row) => row.began),
      abandoned: rules.sum(now, (row) => row.abandoned),
      orders: rules.sum(orders, (row) => row.orders),
      messages: rules.sum(messages, (row) => row.accepted),
    },
  }
}

export const demandAdvanced = ({ account, now }: Pick<RangeQuery, 'account' | 'now'>) =>
  requireFeature(account, now, { feature: 'advanced_analytics', sentence: analyticsTexts.advancedPlan })

async function advanced(
  { range, now, isFile = false }: RangeQuery,
  asking: ResolvedQuery,
  sums: { carts: readonly CartSums[]; orders: readonly OrderSums[]; messages: readonly ChannelSums[] },
) {
  const { scopes, currency } = asking
  const { carts, orders, messages } = sums
  const [buyers, refused, top] = await Promise.all([
    Promise.all(scopes.map(({ store, row }) => readBuyers(store, { range, zone: row.time_zone, now }))),
    Promise.all(scopes.map(countRefusedIn)),
    topProducts(asking, isFile),
  ])
  const isBeingCounted = !top.isWhole || buyers.some(({ counts }) => counts === null)
  const platforms = new Set(scopes.map(({ row }) => row.platform))
  return {
    email: {
      ...rules.channelFigures(rules.filterChannel(messages, 'email'), currency),
      refused: rules.sum(refused, (count) => count),
    },
    customers: rules.buildCustomerFigures(buyers),
    ...(isBeingCounted && { isBeingCounted, countedUntil: null }),
    ...rules.buildPlatformBlock(platforms, { carts, orders, currency }),
    topProducts: top.products,
  }
}

const countRefusedIn = ({ store, row: { time_zone: zone }, days: { first, last } }: Scope): Promise<number> =>
  countRefused(store, { since: getDayBounds(first, zone).since, until: getDayBounds(last, zone).until })

const TOP = 10

/** The top products of all stores; equal products of two stores are not merged. */
async function topProducts({ scopes, currency }: ResolvedQuery, isFile: boolean) {
  let isWhole = true
  const rows = await eachStore(scopes, async ({ store, days }) => {
    if (isFile) await ensureRange(store, days)
    else if (!(await ensureRangeSoon(store, days))) isWhole = false
    return listProductsAfter(store, days, { currency, after: null, limit: TOP })
  })
  const products = rows
    .sort((a, b) => b.lost_minor - a.lost_minor)
    .slice(0, TOP)
    .map((row): TopProduct => rules.presentProduct(row, currency))
  return { products, isWhole }
}

/** Fields that every reply contains. */
export async function buildFrame({ scopes, currency }: ResolvedQuery) {
  const [own] = scopes
  const counted = await Promise.all(scopes.map(({ store }) => readCountedUntil(store)))
  const isBeingCounted = counted.includes('being counted')
  const moments = counted.filter((at) => at instanceof Date)
  return {
    currency,
    timeZone: own!.row.time_zone,
    firstDay: own!.days.first,
    lastDay: own!.days.last,
    countedUntil:
      isBeingCounted || moments.length === 0 ? null : new Date(Math.min(...moments.map(Number))).toISOString(),
    isBeingCounted,
  }
}

export async function eachStore<T>(scopes: readonly Scope[], read: (scope: Scope) => Promise<T[]>): Promise<T[]> {
  return (await Promise.all(scopes.map(read))).flat()
}

/** Counts emails refused at the send, by the index `messages_refused`. The daily figures contain sent messages only. */
async function countRefused({ db, storeId }: StoreDb, { since, until }: Pick<DayBounds, 'since' | 'until'>) {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from messages m where m.store_id = ${storeId} and ${isFailed('m')} and m.reason like 'rejected:%' and m.channel = 'email'
      and m.finished_at >= ${since} and m.finished_at < ${until}`.execute(db)
  return rows[0]!.count
}
