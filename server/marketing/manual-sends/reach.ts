import { setImmediate as breathe } from 'node:timers/promises'
import type { z } from 'zod'
import type { CartReach, CartStage, cartReach, StageFilter } from '../../../shared/carts/reach.ts'
import { readStore } from '../../access/stores/public.ts'
import * as list from '../../carts/carts/public.ts'
import { type ListFilter, parseFilter } from '../../carts/carts/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type Db, type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'
import { countReach, evaluateReach, matchesReach, type ReachDecision } from '../../delivery/decide/public.ts'
import type { Deps } from '../../deps.ts'
import { findFirstDay, wasSent } from '../../insights/analytics/public.ts'

// Which carts email could reach now, by running the send decision on hypothetical messages without store-wide blockers.
// The result depends on consent, suppressions, orders, caps and time, so it is computed on request for the newest
// carts.

const CHUNK = 500

export async function readReach(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  input: z.output<typeof cartReach.body>,
): Promise<CartReach> {
  if (input.cartIds) return countReach(await evaluateAll(deps, store, [...new Set(input.cartIds)]), null)
  const { ids, isPartial } = await selectNewest(deps, store, parseFilter(input))
  const [evaluated, amounts] = await Promise.all([evaluateAll(deps, store, ids), list.readCartAmounts(store, ids)])
  const tally = countReach(evaluated, amounts)
  return { ...tally, ...(isPartial && { lookedThrough: list.MAX_EVALUATED }) }
}

/**
 * Counts the carts of a filter. Days, country, product and stage filter the newest carts of the other filters; a reach
 * filter evaluates these.
 */
export async function countFiltered(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  filter: ListFilter,
): Promise<list.CartTotal> {
  const { reach, days, country, product, stage } = filter
  if (!reach && days === null && country === null && product === null && !stage) return list.countCarts(store, filter)
  const { ids, isPartial, counted } = await selectNewest(deps, store, filter)
  const among = reach
    ? (await evaluateAll(deps, store, ids)).filter((each) => matchesReach(each, reach)).map(({ cartId }) => cartId)
    : ids
  const total = { total: among.length, isCapped: false, isMany: false }
  return { ...counted, ...total, among, isEvaluatedInPart: isPartial }
}

async function selectNewest(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, filter: ListFilter) {
  const counted = await list.countCarts(store, filter)
  const since = filter.days === null ? null : await startOfDays(deps, store, filter.days)
  const newestFound = await list.selectNewestIds(store, filter, counted, since)
  const newestOnes = newestFound.slice(0, list.MAX_EVALUATED)
  const ids = await applyFilters(store, newestOnes, filter)
  return { ids, isPartial: newestFound.length > list.MAX_EVALUATED, counted }
}

async function applyFilters(
  store: StoreDb<Db>,
  newestOnes: string[],
  { country, product, stage }: ListFilter,
): Promise<string[]> {
  let ids = newestOnes
  if (country !== null) ids = await list.filterByCountry(store, ids, country === 'none' ? null : country)
  if (product !== null) ids = await list.filterByProduct(store, ids, product)
  if (stage) ids = await listIdsAtStage(store, ids, stage)
  return ids
}

async function startOfDays(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, days: number): Promise<Date> {
  return findFirstDay(deps.now(), requireFound(await readStore(store), 'Store').time_zone, days)
}

async function evaluateAll(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  cartIds: readonly string[],
): Promise<ReachDecision[]> {
  const evaluated: ReachDecision[] = []
  for (let start = 0; start < cartIds.length; start += CHUNK) {
    evaluated.push(...(await evaluateReach(deps, store, cartIds.slice(start, start + CHUNK))))
    await breathe()
  }
  return evaluated
}

// Conditions for carts at a stage of the conversion funnel, counted as the funnel does (decision 93).

const proofs: Record<Exclude<CartStage, 'converted'>, (storeId: string) => RawBuilder<unknown>> = {
  sent: () => sql`true`,
  opened: (storeId) => sql`exists (select 1 from engagement_events e
    where e.store_id = ${storeId} and e.message_id = m.id and e.kind = 'open' and e.class = 'human')`,
  clicked: (storeId) => sql`exists (select 1 from touchpoints t
    where t.store_id = ${storeId} and t.message_id = m.id and t.is_human and t.kind in ('click', 'restore'))`,
}

export async function listIdsAtStage({ db, storeId }: StoreDb, ids: readonly string[], filter: StageFilter) {
  const { stage, channel } = filter
  const isAt =
    stage === 'converted' ? isConverted(storeId, channel) : isReached(storeId, proofs[stage](storeId), channel)
  const { rows } = await sql<{ id: string }>`
    select c.id from carts c where c.store_id = ${storeId} and c.id = any(${[...ids]}::uuid[]) and ${isAt}`.execute(db)
  return rows.map(({ id }) => id)
}

const isOfChannel = (channel: StageFilter['channel']) => (channel ? sql`and m.channel = ${channel}` : sql``)

/** A message about a merged cart counts for the surviving cart (S6). */
const isReached = (storeId: string, proof: RawBuilder<unknown>, channel: StageFilter['channel']) => sql`exists (
  select 1 from (
    select c.id union all
    select j.id from carts j where j.store_id = ${storeId} and j.shopper_id = c.shopper_id and j.merged_into = c.id) own
  join messages m on m.store_id = ${storeId} and m.cart_id = own.id
  where m.sending_at is not null and ${wasSent} ${isOfChannel(channel)} and ${proof})`

const isConverted = (storeId: string, channel: StageFilter['channel']) =>
  channel === null
    ? sql`c.status = 'recovered' and not c.is_void`
    : sql`c.status = 'recovered' and not c.is_void and exists (
        select 1 from orders o join messages m on m.store_id = ${storeId} and m.id = o.message_id
        where o.store_id = ${storeId} and o.cart_id = c.id and o.touchpoint_id is not null ${isOfChannel(channel)})`
