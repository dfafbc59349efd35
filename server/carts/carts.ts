import type { CartItem, CartState } from '../../shared/carts.ts'
import type { StoreTx } from '../db.ts'
import { newId } from '../ids.ts'
import * as messages from '../messages/messages.ts'
import * as shoppersSql from '../shoppers/sql.ts'
import { compareFacts, type Episode, emptyFold, type Fact, type Fold, type FoldItem, foldFacts } from './fold.ts'
import { type CartRow, episodeOfFacts, planCarts } from './reconcile.ts'
import * as sql from './sql.ts'

// Carts: active → abandoned → recovered | purchased | emptied | lost (S1–S6). One row per episode; a row is a function of
// its shopper's facts, of touches (recovered or purchased) and of the clock (abandoned, lost).

/** The store's settings that cart rows depend on. */
export interface StoreRules {
  id: string
  currency: string
  effective_timeout_minutes: number
  attribution_window_days: number
}

interface Refold {
  episodes: Episode[]
  folds: Fold[]
  lastFacts: { at: number; id: string }[]
  openingFacts: Map<string, number>
  rows: Awaited<ReturnType<typeof sql.cartsOfShopper>>
}

const LOST_AFTER_MS = 30 * 86_400_000

/**
 * Brings a shopper's cart rows in line with the facts. `news` are facts just stored; when they are newer than all before,
 * the newest cart's folded state is carried on, otherwise (older fact, merge) everything of the shopper is folded anew.
 */
export async function refold(
  tx: StoreTx,
  store: StoreRules,
  shopperId: string,
  news: Fact[],
  isMerged: boolean,
  now: Date,
): Promise<void> {
  const sorted = [...news].sort(compareFacts)
  const newest = isMerged ? undefined : await sql.newestCart(tx, shopperId)
  const carryOn = newest && sorted.length > 0 && isNewer(sorted[0]!, newest) ? newest : undefined
  const work = carryOn ? continueFold(carryOn, sorted) : await foldAnew(tx, shopperId)
  if (work.episodes.length === 0 && work.rows.length === 0)
    return saveContact(tx, shopperId, work.folds.at(-1) ?? emptyFold)
  await applyPlan(tx, store, shopperId, work, now)
}

const isNewer = (fact: Fact, cart: { last_fact_at: Date; last_fact_id: string }) =>
  compareFacts(fact, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id }) > 0

function continueFold(cart: Awaited<ReturnType<typeof sql.cartsOfShopper>>[number], facts: Fact[]): Refold {
  const steps = foldSteps(cart.fold, facts, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id })
  return { ...steps, rows: [cart], openingFacts: new Map([[cart.opening_fact_id, 0]]) }
}

async function foldAnew(tx: StoreTx, shopperId: string): Promise<Refold> {
  const rows = await sql.cartsOfShopper(tx, shopperId)
  const facts = await sql.factsOf(tx, shopperId)
  const steps = foldSteps(emptyFold, facts, { at: 0, id: '' })
  const order = new Map(facts.map((fact, index) => [fact.id, index]))
  return {
    ...steps,
    rows,
    openingFacts: episodeOfFacts(
      steps.episodes,
      order,
      rows.map((row) => row.opening_fact_id),
    ),
  }
}

/** Folds one by one and keeps, for each episode, the state and the fact it ended with. */
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

async function applyPlan(tx: StoreTx, store: StoreRules, shopperId: string, work: Refold, now: Date): Promise<void> {
  const recovered = await recoveredEpisodes(tx, store, shopperId, work.episodes)
  const plan = planCarts(work.episodes, work.rows, work.openingFacts, (episode) => recovered.has(episode))
  const catalogue = await catalogueFor(tx, work.episodes)
  for (const [index, planned] of plan.carts.entries()) {
    const context = { store, fold: work.folds[index]!, last: work.lastFacts[index]!, catalogue, now }
    await writeCart(tx, shopperId, planned.row, planned.episode, planned.status, context)
  }
  for (const { row, into } of plan.merged) await mergeCart(tx, row.id, into.id, now)
  for (const row of plan.orphans) {
    await sql.markMerged(tx, row.id, null, now)
    await messages.cancelCartMessages(tx, row.id, 'purchased', now)
  }
  await saveContact(tx, shopperId, work.folds.at(-1)!)
}

/** What the joined cart had handed over counts for the survivor, and so does what carts joined to it earlier had (S6). */
async function mergeCart(tx: StoreTx, fromId: string, intoId: string, now: Date): Promise<void> {
  await sql.inheritHandOver(tx, fromId, intoId)
  await sql.markMerged(tx, fromId, intoId, now)
  const earlier = await sql.repointMerged(tx, fromId, intoId)
  for (const id of [fromId, ...earlier]) await messages.mergeCartMessages(tx, id, intoId, now)
  await event(tx, intoId, now, 'merged', { cart: fromId })
}

interface WriteContext {
  store: StoreRules
  fold: Fold
  last: { at: number; id: string }
  catalogue: Catalogue
  now: Date
}

async function writeCart(
  tx: StoreTx,
  shopperId: string,
  row: CartRow | null,
  episode: Episode,
  status: CartState,
  context: WriteContext,
): Promise<void> {
  const values = cartValues(row, episode, status, context)
  const id = row?.id ?? newId()
  // Before the cart is written: when it is given up depends on the last of its messages.
  const hasMoved = row && row.last_activity_at.getTime() !== episode.lastActivityAt && episode.status === 'open'
  if (hasMoved) await messages.retimeFlowMessages(tx, id, new Date(episode.lastActivityAt), context.now)
  if (row) await sql.updateCart(tx, id, values)
  else await sql.insertCart(tx, id, shopperId, values, context.now)
  if (row?.status !== status) await noteChange(tx, id, row?.status ?? null, status, episode, context.now)
  if (!row) return
  if (episode.status === 'open') await messages.wakeCartMessages(tx, id, context.now)
  else await closeMessages(tx, id, row.status, status, context.now)
}

/** Each move is logged; what late evidence corrects is logged when it is known, with what was thought before (S3). */
async function noteChange(
  tx: StoreTx,
  id: string,
  before: CartState | null,
  status: CartState,
  episode: Episode,
  now: Date,
): Promise<void> {
  const isCorrection = (before === 'recovered' || before === 'purchased') && episode.status === 'purchased'
  const at = isCorrection ? now : new Date(episode.endedAt ?? episode.lastActivityAt)
  const order = episode.orderId ? { orderId: episode.orderId } : {}
  await event(tx, id, at, status, isCorrection ? { ...order, before } : order)
  if (status === 'recovered') await sql.notifyRecovered(tx, id, episode.orderId!, now)
}

/** A checkout empties the cart a moment before its order is known: the record then says what it was. */
async function closeMessages(tx: StoreTx, id: string, before: CartState, status: CartState, now: Date): Promise<void> {
  const reason = status === 'recovered' ? 'purchased' : status
  await messages.cancelCartMessages(tx, id, reason, now)
  if (reason === 'purchased' && before === 'emptied') await messages.correctCancelReason(tx, id, 'emptied', reason, now)
}

function cartValues(row: CartRow | null, episode: Episode, status: CartState, context: WriteContext): sql.CartValues {
  const { store, fold, last, catalogue } = context
  const currency = episode.currency ?? store.currency
  const items = namedItems(episode.items, catalogue)
  const lastActivity = new Date(episode.lastActivityAt)
  const contact = episode.contact
  const name = [contact.firstName, contact.lastName].filter(Boolean).join(' ') || 'Guest'
  const isOpen = episode.status === 'open'
  const isSameActivity = row?.last_activity_at.getTime() === episode.lastActivityAt
  const timeoutMs = store.effective_timeout_minutes * 60_000
  const abandonAt = (isSameActivity && row?.abandon_at) || new Date(lastActivity.getTime() + timeoutMs)
  return {
    status,
    started_at: new Date(episode.startedAt),
    last_activity_at: lastActivity,
    abandon_at: isOpen && items.length > 0 ? abandonAt : null,
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
    currency,
    coupons: episode.coupons,
    search: [name, contact.email, contact.phone].filter(Boolean).join(' ').toLowerCase(),
    fold,
  }
}

type Catalogue = Map<string, sql.CatalogueRow>

async function catalogueFor(tx: StoreTx, episodes: readonly Episode[]): Promise<Catalogue> {
  const ids = episodes.flatMap((episode) => episode.items.map((item) => item.productId))
  const rows = await sql.catalogueOf(tx, [...new Set(ids)])
  return new Map(rows.map((row) => [`${row.product_id}:${row.variation_id}`, row]))
}

/** Lines with name and price as the store tells them; ids the store does not know are dropped (X5). */
function namedItems(items: readonly FoldItem[], catalogue: Catalogue): CartItem[] {
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
      },
    ]
  })
}

/** Which purchases a touch precedes within the window, and to which message each order is attributed (S3, A1, A2). */
async function recoveredEpisodes(tx: StoreTx, store: StoreRules, shopperId: string, episodes: readonly Episode[]) {
  const recovered = new Set<Episode>()
  const orders = new Map((await sql.ordersOf(tx, shopperId)).map((order) => [order.order_id, order]))
  for (const episode of episodes) {
    const order = episode.orderId ? orders.get(episode.orderId) : undefined
    if (episode.status !== 'purchased' || !order || order.is_staff) continue
    const until = new Date(episode.endedAt!)
    const from = new Date(until.getTime() - store.attribution_window_days * 86_400_000)
    if (await sql.lastTouch(tx, shopperId, from, until)) recovered.add(episode)
  }
  return recovered
}

async function saveContact(tx: StoreTx, shopperId: string, fold: Fold): Promise<void> {
  const { email, phone, firstName, lastName, country, countrySource } = fold.contact
  await shoppersSql.updateShopper(tx, shopperId, {
    email: email ?? null,
    phone: phone ?? null,
    first_name: firstName ?? null,
    last_name: lastName ?? null,
    country: country ?? null,
    country_source: countrySource ?? null,
  })
}

async function event(
  tx: StoreTx,
  cartId: string,
  at: Date,
  kind: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await sql.insertEvents(tx, [{ id: newId(), cart_id: cartId, at, kind, detail }])
}
