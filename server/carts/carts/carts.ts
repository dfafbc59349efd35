import { newId } from '../../core/common/ids.ts'
import type { StoreTx } from '../../core/db/db.ts'
import type { Episode, Fold } from '../../core/schema/facts.ts'
import * as messages from '../../messages/messages/messages.ts'
import * as shoppersSql from '../../shoppers/shoppers/shoppers.ts'
import { inheritFlow } from '../flow-choice/choose.ts'
import { type Evidence, findLastTouch } from '../orders/attribution.ts'

import { readableContact } from './erased.ts'
import { compareFacts, emptyFold, type Fact, foldFacts } from './fold.ts'
import { type CartPlan, locateFacts, planCarts } from './reconcile.ts'
import * as sql from './sql.ts'
import type { CartItem, CartState } from '../../../shared/carts.ts'
import type { FoldItem } from '../../core/schema/facts.ts'
import { readableChoices } from './erased.ts'
import type { CartRow } from './reconcile.ts'
import type { CartValues, CatalogueRow } from './sql.ts'

// Keeps the cart rows: active → abandoned → recovered | purchased | emptied | lost (S1–S6). There is one row per
// episode. A row is a function of its shopper's facts, of touches (recovered or purchased) and of the clock (abandoned,
// lost). Many shoppers are read in a few statements, folded in memory and written in a few statements.

/** Changes of one shopper. */
export interface ShopperChange {
  shopperId: string
  /** Facts stored just now. */
  news: Fact[]
  /** Whether another shopper was merged into this one (S6). */
  isMerged: boolean
}

interface ShopperFold {
  shopperId: string
  episodes: Episode[]
  folds: Fold[]
  lastFacts: { at: number; id: string }[]
  openingFacts: Map<string, number>
  rows: LockedCart[]
}

type LockedCart = Awaited<ReturnType<typeof sql.lockCarts>>[number]

/**
 * Updates the cart rows of the shoppers, which the caller has locked. If all new facts are newer than the known ones,
 * the stored fold of the newest cart is continued. After an older fact or a merge, all facts are folded from scratch.
 */
export async function refold(
  tx: StoreTx,
  store: StoreRules,
  changed: readonly ShopperChange[],
  evidence: Evidence,
  now: Date,
): Promise<void> {
  const works = await foldAll(tx, changed)
  const plans = works.map((work) => ({ work, plan: planShopper(store, work, evidence) }))
  await writeCarts(tx, await buildWrites(tx, store, plans), now)
  for (const { plan } of plans) {
    for (const { row, into } of plan.merged) await mergeCart(tx, row.id, into.id, now)
    for (const row of plan.orphans) await dropCart(tx, row.id, now)
  }
  const firstSeen = new Map(changed.map(({ shopperId, news }) => [shopperId, findEarliest(news)]))
  await shoppersSql.updateShoppers(
    tx,
    works.map((work) => ({
      ...{ id: work.shopperId, ...toShopperContact(work.folds.at(-1)!) },
      seen_at: firstSeen.get(work.shopperId) ?? null,
    })),
  )
}

const findEarliest = (facts: readonly Fact[]) =>
  facts.length > 0 ? new Date(Math.min(...facts.map(({ at }) => at))) : null

async function foldAll(tx: StoreTx, changed: readonly ShopperChange[]): Promise<ShopperFold[]> {
  const ids = changed.filter((each) => !each.isMerged).map((each) => each.shopperId)
  const newest = new Map((await sql.selectNewestCarts(tx, ids)).map((cart) => [cart.shopper_id, cart]))
  const sorted = changed.map((each) => ({ ...each, news: [...each.news].sort(compareFacts) }))
  const continued = sorted.filter(({ shopperId, news }) => isNewer(news, newest.get(shopperId)))
  const restarted = sorted.filter((each) => !continued.includes(each)).map((each) => each.shopperId)
  const cartIds = continued.map(({ shopperId }) => newest.get(shopperId)!.id)
  const carts = await sql.lockCarts(tx, [...cartIds, ...(await sql.selectCartIds(tx, restarted))])
  const cartsOf = Map.groupBy(carts, (cart) => cart.shopper_id)
  const facts = await sql.selectFacts(tx, restarted)
  return [
    ...continued.map(({ shopperId, news }) => continueFold(shopperId, cartsOf.get(shopperId)![0]!, news)),
    ...restarted.map((shopperId) =>
      foldFromScratch(shopperId, cartsOf.get(shopperId) ?? [], facts.get(shopperId) ?? []),
    ),
  ]
}

function isNewer([first]: readonly Fact[], cart: sql.NewestCart | undefined): boolean {
  return first !== undefined && cart !== undefined && isAfter(first, cart)
}

const isAfter = (fact: Fact, cart: sql.NewestCart) =>
  compareFacts(fact, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id }) > 0

function continueFold(shopperId: string, cart: LockedCart, facts: readonly Fact[]): ShopperFold {
  const steps = foldSteps(cart.fold, facts, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id })
  return { shopperId, ...steps, rows: [cart], openingFacts: new Map([[cart.opening_fact_id, 0]]) }
}

function foldFromScratch(shopperId: string, rows: LockedCart[], facts: readonly Fact[]): ShopperFold {
  const steps = foldSteps(emptyFold, facts, { at: 0, id: '' })
  const order = new Map(facts.map((fact, index) => [fact.id, index]))
  const opening = rows.map((row) => row.opening_fact_id)
  return { shopperId, ...steps, rows, openingFacts: locateFacts(steps.episodes, order, opening) }
}

/** Folds facts one by one. Returns the state and the last fact of each episode. */
function foldSteps(from: Fold, facts: readonly Fact[], last: { at: number; id: string }) {
  const episodes: Episode[] = []
  const folds: Fold[] = []
  const lastFacts: { at: number; id: string }[] = []
  let fold = from
  let at = last
  for (const fact of facts) {
    const next = foldFacts(fold, [fact]).fold
    if (fold.episode && next.episode!.openingFactId !== fold.episode.openingFactId) {
      episodes.push(fold.episode)
      folds.push(fold)
      lastFacts.push(at)
    }
    fold = next
    at = { at: fact.at, id: fact.id }
  }
  if (fold.episode) episodes.push(fold.episode)
  folds.push(fold)
  lastFacts.push(at)
  return { episodes, folds, lastFacts }
}

function planShopper(store: StoreRules, work: ShopperFold, evidence: Evidence): CartPlan {
  return planCarts(work.episodes, work.rows, work.openingFacts, (episode) =>
    isRecovered(store, work, episode, evidence),
  )
}

/** A purchase is a recovery if a human touch precedes it within the window. Staff orders never are (S3, A1, A2). */
function isRecovered(store: StoreRules, work: ShopperFold, episode: Episode, evidence: Evidence): boolean {
  const order = evidence.purchases.get(episode.orderId ?? '')
  if (!order || order.is_staff) return false
  return findLastTouch(evidence, work.shopperId, new Date(episode.endedAt!), store) !== undefined
}

type CartWrite = CartSource & { cart: sql.WrittenCart }

async function buildWrites(
  tx: StoreTx,
  store: StoreRules,
  plans: readonly { work: ShopperFold; plan: CartPlan }[],
): Promise<CartWrite[]> {
  const items = plans.flatMap(({ work }) => work.episodes.flatMap((episode) => episode.items))
  const products = await sql.selectCatalogue(tx, [...new Set(items.map((item) => item.productId))])
  const catalogue = new Map(products.map((row) => [`${row.product_id}:${row.variation_id}`, row]))
  return plans.flatMap(({ work, plan }) =>
    plan.carts.map((planned, index) => {
      const source = { ...planned, fold: work.folds[index]!, last: work.lastFacts[index]! }
      const id = planned.row?.id ?? newId()
      return { ...source, cart: { id, shopper_id: work.shopperId, ...computeCartValues(source, store, catalogue) } }
    }),
  )
}

async function writeCarts(tx: StoreTx, writes: readonly CartWrite[], now: Date): Promise<void> {
  // Before the carts are written: when a cart counts as lost depends on the due time of its last message.
  const moved = writes.filter(({ row, episode }) => row && hasMoved(row, episode))
  const activity = moved.map(({ cart, episode }) => ({
    cartId: cart.id,
    lastActivity: new Date(episode.lastActivityAt),
  }))
  await messages.retimeFlowMessages(tx, activity, now)
  const [known, fresh] = [writes.filter(({ row }) => row), writes.filter(({ row }) => !row)]
  await sql.updateCarts(
    tx,
    known.map(({ cart }) => cart),
  )
  await sql.insertCarts(
    tx,
    fresh.map(({ cart }) => cart),
    now,
  )
  await logChanges(
    tx,
    writes.filter(({ row, status }) => row?.status !== status),
    now,
  )
  const open = known.filter(({ episode }) => episode.status === 'open')
  await messages.wakeCartMessages(
    tx,
    open.map(({ cart }) => cart.id),
    now,
  )
  await closeMessages(
    tx,
    known.filter((write) => !open.includes(write)),
    now,
  )
}

const hasMoved = (row: LockedCart | (CartSource['row'] & {}), episode: Episode) =>
  row.last_activity_at.getTime() !== episode.lastActivityAt && episode.status === 'open'

/** Logs each change of state. A correction by late evidence is logged now, with the state before it (S3). */
async function logChanges(tx: StoreTx, changes: readonly CartWrite[], now: Date): Promise<void> {
  const events = changes.map(({ row, status, episode, cart }) => {
    const before = row?.status
    const isCorrection = (before === 'recovered' || before === 'purchased') && episode.status === 'purchased'
    const order = episode.orderId ? { orderId: episode.orderId } : {}
    return {
      id: newId(),
      cart_id: cart.id,
      at: isCorrection ? now : new Date(episode.endedAt ?? episode.lastActivityAt),
      kind: status,
      detail: isCorrection ? { ...order, before } : order,
    }
  })
  await sql.insertEvents(tx, events)
  const recovered = changes.filter(({ status }) => status === 'recovered').map(({ cart }) => cart.id)
  await sql.notifyRecovered(tx, recovered, { now, since: new Date(now.getTime() - 86_400_000) })
}

/** Cancels open messages. A checkout empties the cart just before its order arrives: the reason is corrected then. */
async function closeMessages(tx: StoreTx, ended: readonly CartWrite[], now: Date): Promise<void> {
  const byReason = Map.groupBy(ended, ({ status }) => (status === 'recovered' ? 'purchased' : status))
  for (const [reason, writes] of byReason) {
    const ids = writes.map(({ cart }) => cart.id)
    await messages.cancelCartMessages(tx, ids, reason, now)
  }
  const emptied = (byReason.get('purchased') ?? []).filter(({ row }) => row?.status === 'emptied')
  const change = { from: 'emptied', to: 'purchased', now }
  await messages.correctCancelReason(
    tx,
    emptied.map(({ cart }) => cart.id),
    change,
  )
}

/** Moves badge, flow and messages of the merged cart, and of carts merged into it before, to the survivor (S6). */
async function mergeCart(tx: StoreTx, fromId: string, intoId: string, now: Date): Promise<void> {
  await sql.inheritLastSent(tx, fromId, intoId)
  await inheritFlow(tx, fromId, intoId)
  await sql.markMerged(tx, fromId, intoId, now)
  const earlier = await sql.repointMerged(tx, fromId, intoId)
  for (const id of [fromId, ...earlier]) await messages.mergeCartMessages(tx, id, intoId, now)
  await sql.insertEvents(tx, [{ id: newId(), cart_id: intoId, at: now, kind: 'merged', detail: { cart: fromId } }])
}

/** Removes a cart that, by earlier facts that arrived late, never existed. */
async function dropCart(tx: StoreTx, id: string, now: Date): Promise<void> {
  await sql.markMerged(tx, id, null, now)
  await messages.cancelCartMessages(tx, [id], 'purchased', now)
}

function toShopperContact(fold: Fold): shoppersSql.ShopperContact {
  const { email, phone, firstName, lastName, country, countrySource } = readableContact(fold.contact)
  return {
    email: email ?? null,
    phone: phone ?? null,
    first_name: firstName ?? null,
    last_name: lastName ?? null,
    country: country ?? null,
    country_source: countrySource ?? null,
  }
}

// Computes the columns of a cart row from an episode. Pure.

/** Store settings that cart rows depend on. */
interface StoreRules {
  id: string
  currency: string
  effective_timeout_minutes: number
  attribution_window_days: number
}

/** Products by `product id:variation id`; a product without variations has an empty second part. */
type Catalogue = ReadonlyMap<string, CatalogueRow>

interface CartSource {
  row: CartRow | null
  episode: Episode
  status: CartState
  /** State after the episode's last fact. `last`: time and id of that fact. */
  fold: Fold
  last: { at: number; id: string }
}

const LOST_AFTER_MS = 30 * 86_400_000

function computeCartValues(source: CartSource, store: StoreRules, catalogue: Catalogue): CartValues {
  const { row, episode, status, fold, last } = source
  const items = nameItems(episode.items, catalogue)
  const lastActivity = new Date(episode.lastActivityAt)
  const contact = readableContact(episode.contact)
  const name = [contact.firstName, contact.lastName].filter(Boolean).join(' ') || 'Guest'
  const isOpen = episode.status === 'open'
  return {
    status,
    started_at: new Date(episode.startedAt),
    last_activity_at: lastActivity,
    abandon_at: isOpen && items.length > 0 ? computeAbandonAt(row, episode, store) : null,
    abandoned_at: status === 'active' ? null : (row?.abandoned_at ?? null),
    ended_at: episode.endedAt === null ? null : new Date(episode.endedAt),
    recovered_at: status === 'recovered' ? new Date(episode.endedAt!) : null,
    pending_until: episode.pending ? new Date(episode.pending.until) : null,
    lost_at: new Date(lastActivity.getTime() + LOST_AFTER_MS),
    opening_fact_id: row?.opening_fact_id ?? episode.openingFactId,
    last_fact_at: new Date(last.at),
    last_fact_id: last.id,
    customer_name: name,
    email: contact.email ?? null,
    phone: contact.phone ?? null,
    items,
    item_count: items.reduce((sum, item) => sum + item.quantity, 0),
    value_minor: items.reduce((sum, item) => sum + item.quantity * item.unitPriceMinor, 0),
    currency: episode.currency ?? store.currency,
    coupons: episode.coupons,
    search: [name, contact.email, contact.phone].filter(Boolean).join(' ').toLowerCase(),
    fold,
  }
}

/** Fixed at the time of the last activity: later changes of the setting do not apply (S1). */
function computeAbandonAt(row: CartRow | null, episode: Episode, store: StoreRules): Date {
  const isSameActivity = row?.last_activity_at.getTime() === episode.lastActivityAt
  const timeoutMs = store.effective_timeout_minutes * 60_000
  return (isSameActivity && row?.abandon_at) || new Date(episode.lastActivityAt + timeoutMs)
}

/** Lines with name and price from the store's catalogue. Unknown product ids are dropped (X5). */
function nameItems(items: readonly FoldItem[], catalogue: Catalogue): CartItem[] {
  return items.flatMap((item) => {
    const product = catalogue.get(`${item.productId}:`)
    const known = catalogue.get(`${item.productId}:${item.variationId ?? ''}`) ?? product
    const name = item.name ?? known?.name
    const unitPriceMinor = item.unitPriceMinor ?? known?.price_minor
    if (name === undefined || unitPriceMinor === undefined) return []
    return [
      {
        productId: item.productId,
        variationId: item.variationId,
        name,
        sku: item.sku ?? known?.sku ?? null,
        quantity: item.quantity,
        unitPriceMinor,
        imageUrl: item.imageUrl ?? known?.image_url ?? product?.image_url ?? null,
        ...(readableChoices(item.choices) ? { choices: item.choices! } : {}),
      },
    ]
  })
}
