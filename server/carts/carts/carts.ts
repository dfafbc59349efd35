import type { StoreTx } from '../../core/db/db.ts'
import { newId } from '../../core/common/ids.ts'
import { inheritFlow } from '../flow-choice/choose.ts'
import * as messages from '../../messages/messages/messages.ts'
import { type Evidence, lastTouch } from '../orders/attribution.ts'
import type { Episode, Fold } from '../../core/schema/facts.ts'
import * as shoppersSql from '../../shoppers/shoppers/shoppers.ts'
import { type CartSource, cartValues, type StoreRules } from './cart-rules.ts'
import { readableContact } from './erased.ts'
import { compareFacts, emptyFold, type Fact, foldFacts } from './fold.ts'
import { type CartPlan, episodeOfFacts, planCarts } from './reconcile.ts'
import * as sql from './sql.ts'

// Carts: active → abandoned → recovered | purchased | emptied | lost (S1–S6). One row per episode; a row is a function of
// its shopper's facts, of touches (recovered or purchased) and of the clock (abandoned, lost). Many shoppers at once: what they
// need is read in a few statements, folded in memory, and written in a few.

/** What is new about one shopper. */
export interface ShopperNews {
  shopperId: string
  /** Facts just stored. */
  news: Fact[]
  /** Another shopper was joined to this one (S6). */
  isMerged: boolean
}

interface Refold {
  shopperId: string
  episodes: Episode[]
  folds: Fold[]
  lastFacts: { at: number; id: string }[]
  openingFacts: Map<string, number>
  rows: LockedCart[]
}

type LockedCart = Awaited<ReturnType<typeof sql.lockCarts>>[number]

/**
 * Brings shoppers' cart rows in line with the facts. Where all that is new is newer than what was known, the newest cart's folded
 * state is carried on; otherwise (older fact, merge) everything of the shopper is folded anew. The shoppers are locked.
 */
export async function refold(
  tx: StoreTx,
  store: StoreRules,
  changed: readonly ShopperNews[],
  evidence: Evidence,
  now: Date,
): Promise<void> {
  const works = await foldAll(tx, changed)
  const plans = works.map((work) => ({ work, plan: planOf(store, work, evidence) }))
  await writeCarts(tx, await writesOf(tx, store, plans), now)
  for (const { plan } of plans) {
    for (const { row, into } of plan.merged) await mergeCart(tx, row.id, into.id, now)
    for (const row of plan.orphans) await dropCart(tx, row.id, now)
  }
  const firstSeen = new Map(changed.map(({ shopperId, news }) => [shopperId, earliestOf(news)]))
  await shoppersSql.updateShoppers(
    tx,
    works.map((work) => ({
      ...{ id: work.shopperId, ...contactOf(work.folds.at(-1)!) },
      seen_at: firstSeen.get(work.shopperId) ?? null,
    })),
  )
}

const earliestOf = (facts: readonly Fact[]) =>
  facts.length > 0 ? new Date(Math.min(...facts.map(({ at }) => at))) : null

async function foldAll(tx: StoreTx, changed: readonly ShopperNews[]): Promise<Refold[]> {
  const ids = changed.filter((each) => !each.isMerged).map((each) => each.shopperId)
  const newest = new Map((await sql.newestCarts(tx, ids)).map((cart) => [cart.shopper_id, cart]))
  const sorted = changed.map((each) => ({ ...each, news: [...each.news].sort(compareFacts) }))
  const continued = sorted.filter(({ shopperId, news }) => isNewer(news, newest.get(shopperId)))
  const anew = sorted.filter((each) => !continued.includes(each)).map((each) => each.shopperId)
  const cartIds = continued.map(({ shopperId }) => newest.get(shopperId)!.id)
  const carts = await sql.lockCarts(tx, [...cartIds, ...(await sql.cartIdsOf(tx, anew))])
  const cartsOf = Map.groupBy(carts, (cart) => cart.shopper_id)
  const facts = await sql.factsOf(tx, anew)
  return [
    ...continued.map(({ shopperId, news }) => continueFold(shopperId, cartsOf.get(shopperId)![0]!, news)),
    ...anew.map((shopperId) => foldAnew(shopperId, cartsOf.get(shopperId) ?? [], facts.get(shopperId) ?? [])),
  ]
}

function isNewer([first]: readonly Fact[], cart: sql.NewestCart | undefined): boolean {
  return first !== undefined && cart !== undefined && isAfter(first, cart)
}

const isAfter = (fact: Fact, cart: sql.NewestCart) =>
  compareFacts(fact, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id }) > 0

function continueFold(shopperId: string, cart: LockedCart, facts: readonly Fact[]): Refold {
  const steps = foldSteps(cart.fold, facts, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id })
  return { shopperId, ...steps, rows: [cart], openingFacts: new Map([[cart.opening_fact_id, 0]]) }
}

function foldAnew(shopperId: string, rows: LockedCart[], facts: readonly Fact[]): Refold {
  const steps = foldSteps(emptyFold, facts, { at: 0, id: '' })
  const order = new Map(facts.map((fact, index) => [fact.id, index]))
  const opening = rows.map((row) => row.opening_fact_id)
  return { shopperId, ...steps, rows, openingFacts: episodeOfFacts(steps.episodes, order, opening) }
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

function planOf(store: StoreRules, work: Refold, evidence: Evidence): CartPlan {
  return planCarts(work.episodes, work.rows, work.openingFacts, (episode) =>
    isRecovered(store, work, episode, evidence),
  )
}

/** A purchase is a recovery if a human touch precedes it within the window; the staff's orders are nobody's (S3, A1, A2). */
function isRecovered(store: StoreRules, work: Refold, episode: Episode, evidence: Evidence): boolean {
  const order = evidence.purchases.get(episode.orderId ?? '')
  if (!order || order.is_staff) return false
  return lastTouch(evidence, work.shopperId, new Date(episode.endedAt!), store) !== undefined
}

type CartWrite = CartSource & { cart: sql.WrittenCart }

async function writesOf(
  tx: StoreTx,
  store: StoreRules,
  plans: readonly { work: Refold; plan: CartPlan }[],
): Promise<CartWrite[]> {
  const items = plans.flatMap(({ work }) => work.episodes.flatMap((episode) => episode.items))
  const products = await sql.catalogueOf(tx, [...new Set(items.map((item) => item.productId))])
  const catalogue = new Map(products.map((row) => [`${row.product_id}:${row.variation_id}`, row]))
  return plans.flatMap(({ work, plan }) =>
    plan.carts.map((planned, index) => {
      const source = { ...planned, fold: work.folds[index]!, last: work.lastFacts[index]! }
      const id = planned.row?.id ?? newId()
      return { ...source, cart: { id, shopper_id: work.shopperId, ...cartValues(source, store, catalogue) } }
    }),
  )
}

async function writeCarts(tx: StoreTx, writes: readonly CartWrite[], now: Date): Promise<void> {
  // Before the carts are written: when one is given up depends on the last of its messages.
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
  await noteChanges(
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

/** Each move is logged; what late evidence corrects is logged when it is known, with what was thought before (S3). */
async function noteChanges(tx: StoreTx, changes: readonly CartWrite[], now: Date): Promise<void> {
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

/** A checkout empties the cart a moment before its order is known: the record then says what it was. */
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

/** What the joined cart had sent counts for the survivor, and so does what carts joined to it earlier had (S6). */
async function mergeCart(tx: StoreTx, fromId: string, intoId: string, now: Date): Promise<void> {
  await sql.inheritLastSent(tx, fromId, intoId)
  await inheritFlow(tx, fromId, intoId)
  await sql.markMerged(tx, fromId, intoId, now)
  const earlier = await sql.repointMerged(tx, fromId, intoId)
  for (const id of [fromId, ...earlier]) await messages.mergeCartMessages(tx, id, intoId, now)
  await sql.insertEvents(tx, [{ id: newId(), cart_id: intoId, at: now, kind: 'merged', detail: { cart: fromId } }])
}

/** Earlier facts, known only now, say that there was no cart. */
async function dropCart(tx: StoreTx, id: string, now: Date): Promise<void> {
  await sql.markMerged(tx, id, null, now)
  await messages.cancelCartMessages(tx, [id], 'purchased', now)
}

function contactOf(fold: Fold): shoppersSql.ShopperContact {
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
