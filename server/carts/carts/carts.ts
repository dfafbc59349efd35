import type { CartItem, CartState } from '../../../shared/carts/carts.ts'
import { createId } from '../../core/common/public.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { Episode, Fold, FoldItem } from '../../core/schema/public.ts'
import * as messages from '../../messages/messages/public.ts'
import { selectNewestSend, sendingOfCart } from '../../messages/messages/public.ts'
import * as shoppersSql from '../../shoppers/shoppers/public.ts'
import { inheritFlow } from '../flow-choice/public.ts'
import { type Evidence, findLastTouch } from '../orders/public.ts'
import { removeErasedChoices, removeErasedContact } from './erased.ts'
import { compareFacts, emptyFold, type Fact, foldFacts } from './fold.ts'
import type { CartRow } from './reconcile.ts'
import { type CartPlan, locateFacts, type PlannedCart, planCarts } from './reconcile.ts'
import { notifyRecovered } from './sql.ts'

// Keeps the cart rows: active → abandoned → recovered | purchased | emptied | lost (S1–S6). There is one row per
// episode. A row is a function of its shopper's facts, of touches (recovered or purchased) and of the clock (abandoned,
// lost). Many shoppers are read in a few statements, folded in memory and written in a few statements.

/** Shoppers whose carts are updated. */
interface ShopperChanges {
  shopperIds: readonly string[]
  /** Facts stored just now, by shopper. */
  news?: ReadonlyMap<string, readonly Fact[]>
  /** Shoppers into which another was merged (S6). */
  merged?: ReadonlySet<string>
}

interface ShopperFold {
  shopperId: string
  /** The state after each episode's last fact. */
  folds: Fold[]
  lastFacts: { at: number; id: string }[]
  openingFacts: Map<string, number>
  rows: LockedCart[]
}

type LockedCart = Awaited<ReturnType<typeof lockCarts>>[number]

/**
 * Updates the cart rows of the shoppers, which the caller has locked. If all new facts are newer than the known ones,
 * the stored fold of the newest cart is continued. After an older fact or a merge, all facts are folded from scratch.
 */
export async function refold(
  tx: StoreTx,
  store: StoreRules,
  { shopperIds, news = new Map(), merged = new Set() }: ShopperChanges,
  evidence: Evidence,
  now: Date,
): Promise<void> {
  const works = await foldAll(tx, { shopperIds, news, merged })
  const plans = works.map((work) => ({ work, plan: planShopper(store, work, evidence) }))
  const rows = works.flatMap((work) => work.rows)
  await writeCarts(tx, await buildCarts(tx, store, plans), new Map(rows.map((row) => [row.id, row])), now)
  for (const { plan } of plans) {
    for (const { row, into } of plan.merged) await mergeCart(tx, row.id, into.id, now)
    for (const row of plan.orphans) await dropCart(tx, row.id, now)
  }
  await shoppersSql.updateShoppers(
    tx,
    works.map((work) => ({
      id: work.shopperId,
      ...toShopperContact(work.folds.at(-1)!),
      seen_at: findEarliest(news.get(work.shopperId) ?? []),
    })),
  )
}

const findEarliest = (facts: readonly Fact[]) =>
  facts.length > 0 ? new Date(Math.min(...facts.map(({ at }) => at))) : null

async function foldAll(tx: StoreTx, { shopperIds, news, merged }: Required<ShopperChanges>): Promise<ShopperFold[]> {
  const unmerged = shopperIds.filter((id) => !merged.has(id))
  const newest = new Map((await selectNewestCarts(tx, unmerged)).map((cart) => [cart.shopper_id, cart]))
  const sorted = new Map(shopperIds.map((id) => [id, [...(news.get(id) ?? [])].sort(compareFacts)]))
  const continued = shopperIds.filter((id) => isNewer(sorted.get(id)!, newest.get(id)))
  const restarted = shopperIds.filter((id) => !continued.includes(id))
  const cartIds = continued.map((id) => newest.get(id)!.id)
  const carts = await lockCarts(tx, [...cartIds, ...(await selectCartIds(tx, restarted))])
  const cartsOf = Map.groupBy(carts, (cart) => cart.shopper_id)
  const facts = await selectFacts(tx, restarted)
  return [
    ...continued.map((id) => continueFold(id, cartsOf.get(id)![0]!, sorted.get(id)!)),
    ...restarted.map((shopperId) =>
      foldFromScratch(shopperId, cartsOf.get(shopperId) ?? [], facts.get(shopperId) ?? []),
    ),
  ]
}

function isNewer([first]: readonly Fact[], cart: NewestCart | undefined): boolean {
  return first !== undefined && cart !== undefined && isAfter(first, cart)
}

const isAfter = (fact: Fact, cart: NewestCart) =>
  compareFacts(fact, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id }) > 0

function continueFold(shopperId: string, cart: LockedCart, facts: readonly Fact[]): ShopperFold {
  const steps = foldSteps(cart.fold, facts, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id })
  return { shopperId, ...steps, rows: [cart], openingFacts: new Map([[cart.opening_fact_id, 0]]) }
}

function foldFromScratch(shopperId: string, rows: LockedCart[], facts: readonly Fact[]): ShopperFold {
  const steps = foldSteps(emptyFold, facts, { at: 0, id: '' })
  const order = new Map(facts.map((fact, index) => [fact.id, index]))
  const opening = rows.map((row) => row.opening_fact_id)
  return { shopperId, ...steps, rows, openingFacts: locateFacts(listEpisodes(steps.folds), order, opening) }
}

/** The last fold has no episode if the shopper has no cart. */
const listEpisodes = (folds: readonly Fold[]): Episode[] => folds.flatMap(({ episode }) => episode ?? [])

/** Folds facts one by one. Returns the state and the last fact of each episode. */
function foldSteps(from: Fold, facts: readonly Fact[], last: { at: number; id: string }) {
  const folds: Fold[] = []
  const lastFacts: { at: number; id: string }[] = []
  let fold = from
  let at = last
  for (const fact of facts) {
    const next = foldFacts(fold, [fact]).fold
    if (fold.episode && next.episode!.openingFactId !== fold.episode.openingFactId) {
      folds.push(fold)
      lastFacts.push(at)
    }
    fold = next
    at = { at: fact.at, id: fact.id }
  }
  folds.push(fold)
  lastFacts.push(at)
  return { folds, lastFacts }
}

function planShopper(store: StoreRules, work: ShopperFold, evidence: Evidence): CartPlan {
  return planCarts(listEpisodes(work.folds), work.rows, work.openingFacts, (episode) =>
    isRecovered(store, work, episode, evidence),
  )
}

/** A purchase is a recovery if a human touch precedes it within the window. Staff orders never are (S3, A1, A2). */
function isRecovered(store: StoreRules, work: ShopperFold, episode: Episode, evidence: Evidence): boolean {
  const order = evidence.purchases.get(episode.orderId ?? '')
  if (!order || order.is_staff) return false
  return findLastTouch(evidence, work.shopperId, new Date(episode.endedAt!), store) !== undefined
}

async function buildCarts(
  tx: StoreTx,
  store: StoreRules,
  plans: readonly { work: ShopperFold; plan: CartPlan }[],
): Promise<WrittenCart[]> {
  const items = plans.flatMap(({ plan }) => plan.carts.flatMap(({ episode }) => episode.items))
  const products = await selectCatalogue(tx, [...new Set(items.map((item) => item.productId))])
  const catalogue = new Map(products.map((row) => [`${row.product_id}:${row.variation_id}`, row]))
  return plans.flatMap(({ work, plan }) =>
    plan.carts.map((planned, index) => buildCart(planned, { work, index, store, catalogue })),
  )
}

type CartRows = ReadonlyMap<string, LockedCart>

/** `rows`: the carts that exist, before the change. */
async function writeCarts(tx: StoreTx, carts: readonly WrittenCart[], rows: CartRows, now: Date): Promise<void> {
  const [known, fresh] = [carts.filter(({ id }) => rows.has(id)), carts.filter(({ id }) => !rows.has(id))]
  const open = known.filter(isOpen)
  // Before the carts are written: when a cart counts as lost depends on the due time of its last message.
  const moved = open.filter((cart) => +rows.get(cart.id)!.last_activity_at !== +cart.last_activity_at)
  await messages.retimeFlowMessages(
    tx,
    moved.map((cart) => ({ cartId: cart.id, lastActivity: cart.last_activity_at })),
    now,
  )
  await updateCarts(tx, known)
  await insertCarts(tx, fresh, now)
  const changed = carts.filter(({ id, status }) => rows.get(id)?.status !== status)
  await logChanges(tx, changed, rows, now)
  await messages.wakeCartMessages(
    tx,
    open.map(({ id }) => id),
    now,
  )
  await closeMessages(
    tx,
    known.filter((cart) => !isOpen(cart)),
    rows,
    now,
  )
}

const isOpen = ({ fold }: WrittenCart) => fold.episode!.status === 'open'

/** Logs each change of state. A correction by late evidence is logged now, with the state before it (S3). */
async function logChanges(tx: StoreTx, changed: readonly WrittenCart[], rows: CartRows, now: Date): Promise<void> {
  const events = changed.map((cart) => {
    const before = rows.get(cart.id)?.status
    const { status, orderId } = cart.fold.episode!
    const isCorrection = (before === 'recovered' || before === 'purchased') && status === 'purchased'
    const order = orderId ? { orderId } : {}
    return {
      id: createId(),
      cart_id: cart.id,
      at: isCorrection ? now : (cart.ended_at ?? cart.last_activity_at),
      kind: cart.status,
      detail: isCorrection ? { ...order, before } : order,
    }
  })
  await insertEvents(tx, events)
  const recovered = changed.filter(({ status }) => status === 'recovered').map(({ id }) => id)
  await notifyRecovered(tx, recovered, { now, since: new Date(now.getTime() - 86_400_000) })
}

/** Cancels open messages. A checkout empties the cart just before its order arrives: the reason is corrected then. */
async function closeMessages(tx: StoreTx, ended: readonly WrittenCart[], rows: CartRows, now: Date): Promise<void> {
  const byReason = Map.groupBy(ended, ({ status }) => (status === 'recovered' ? 'purchased' : status))
  for (const [reason, carts] of byReason) {
    const ids = carts.map(({ id }) => id)
    await messages.cancelCartMessages(tx, ids, reason, now)
  }
  const emptied = (byReason.get('purchased') ?? []).filter(({ id }) => rows.get(id)!.status === 'emptied')
  const change = { from: 'emptied', to: 'purchased', now }
  await messages.correctCancelReason(
    tx,
    emptied.map(({ id }) => id),
    change,
  )
}

/** Moves badge, flow and messages of the merged cart, and of carts merged into it before, to the survivor (S6). */
async function mergeCart(tx: StoreTx, fromId: string, intoId: string, now: Date): Promise<void> {
  await inheritLastSent(tx, fromId, intoId)
  await inheritFlow(tx, fromId, intoId)
  await markMerged(tx, fromId, intoId, now)
  const earlier = await repointMerged(tx, fromId, intoId)
  for (const id of [fromId, ...earlier]) await messages.mergeCartMessages(tx, id, intoId, now)
  await insertEvents(tx, [{ id: createId(), cart_id: intoId, at: now, kind: 'merged', detail: { cart: fromId } }])
}

/** Removes a cart that, by earlier facts that arrived late, never existed. */
async function dropCart(tx: StoreTx, id: string, now: Date): Promise<void> {
  await markMerged(tx, id, null, now)
  await messages.cancelCartMessages(tx, [id], 'purchased', now)
}

function toShopperContact(fold: Fold): shoppersSql.ShopperContact {
  const { email, phone, firstName, lastName, country, countrySource } = removeErasedContact(fold.contact)
  return {
    email: email ?? null,
    phone: phone ?? null,
    first_name: firstName ?? null,
    last_name: lastName ?? null,
    country: country ?? null,
    country_source: countrySource ?? null,
    locale: fold.locale?.tag ?? null,
    locale_source: fold.locale?.source ?? null,
  }
}

// Builds cart rows from episodes.

/** Store settings that cart rows depend on. */
interface StoreRules {
  id: string
  currency: string
  effective_timeout_minutes: number
  attribution_window_days: number
}

/** Products by `product id:variation id`; a product without variations has an empty second part. */
type Catalogue = ReadonlyMap<string, CatalogueRow>

interface CartContext {
  work: ShopperFold
  /** The episode's place among the folds. */
  index: number
  store: StoreRules
  catalogue: Catalogue
}

const LOST_AFTER_MS = 30 * 86_400_000

function buildCart({ row, episode, status }: PlannedCart, { work, index, store, catalogue }: CartContext): WrittenCart {
  const [fold, last] = [work.folds[index]!, work.lastFacts[index]!]
  const items = nameItems(episode.items, catalogue)
  const lastActivity = new Date(episode.lastActivityAt)
  const contact = removeErasedContact(episode.contact)
  const name = [contact.firstName, contact.lastName].filter(Boolean).join(' ') || 'Guest'
  const canBeAbandoned = episode.status === 'open' && items.length > 0
  return {
    id: row?.id ?? createId(),
    shopper_id: work.shopperId,
    status,
    started_at: new Date(episode.startedAt),
    last_activity_at: lastActivity,
    abandon_at: canBeAbandoned ? computeAbandonAt(row, episode, store) : null,
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
    locale: fold.locale?.tag ?? null,
    fold,
  }
}

/** Set at the last activity. A change of the timeout moves it in `refreshEffectiveTimeout` (S1). */
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
        ...(removeErasedChoices(item.choices) ? { choices: item.choices! } : {}),
      },
    ]
  })
}

/** All facts of some shoppers, in order per shopper. */
async function selectFacts({ db, storeId }: StoreDb, shopperIds: readonly string[]): Promise<Map<string, Fact[]>> {
  if (shopperIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('facts')
    .select(['id', 'shopper_id', 'at', 'payload'])
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', sql<string>`any(${[...shopperIds]}::uuid[])`)
    .orderBy('shopper_id')
    .orderBy('at')
    .orderBy('id')
    .execute()
  const facts = new Map<string, Fact[]>()
  for (const { id, shopper_id, at, payload } of rows) {
    const fact = { id, at: at.getTime(), payload }
    const list = facts.get(shopper_id)
    if (list) list.push(fact)
    else facts.set(shopper_id, [fact])
  }
  return facts
}

interface NewestCart {
  shopper_id: string
  id: string
  last_fact_at: Date
  last_fact_id: string
}

/** The newest cart of each shopper. If several began at the same moment, the one with the newest fact. */
async function selectNewestCarts({ db, storeId }: StoreDb, shopperIds: readonly string[]): Promise<NewestCart[]> {
  if (shopperIds.length === 0) return []
  const rows = await sql<NewestCart>`
    select s.shopper_id, c.* from unnest(${[...shopperIds]}::uuid[]) as s(shopper_id)
    cross join lateral (select id, last_fact_at, last_fact_id from carts
      where store_id = ${storeId} and shopper_id = s.shopper_id and status <> 'merged'
      order by started_at desc, last_fact_at desc, last_fact_id desc limit 1) c`.execute(db)
  return rows.rows
}

async function selectCartIds({ db, storeId }: StoreDb, shopperIds: readonly string[]): Promise<string[]> {
  if (shopperIds.length === 0) return []
  const rows = await db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', sql<string>`any(${[...shopperIds]}::uuid[])`)
    .where('status', '<>', 'merged')
    .execute()
  return rows.map((row) => row.id)
}

/** Locks by id; returns carts in order of start. */
async function lockCarts({ db, storeId }: StoreTx, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('carts')
    .selectAll()
    .select(
      sql<Date | null>`coalesce((select cb.last_sent_at from cart_badges cb
        where cb.store_id = carts.store_id and cb.cart_id = carts.id), ${sendingOfCart})`.as('last_sent_at'),
    )
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return rows.sort((a, b) => a.started_at.getTime() - b.started_at.getTime())
}

interface WrittenCart {
  id: string
  shopper_id: string
  status: CartState
  started_at: Date
  last_activity_at: Date
  abandon_at: Date | null
  abandoned_at: Date | null
  ended_at: Date | null
  recovered_at: Date | null
  pending_until: Date | null
  lost_at: Date
  opening_fact_id: string
  last_fact_at: Date
  last_fact_id: string
  customer_name: string
  email: string | null
  phone: string | null
  items: CartItem[]
  item_count: number
  value_minor: number
  currency: string
  coupons: string[]
  search: string
  locale: string | null
  fold: Fold
}

const CART_COLUMNS = sql`id uuid, shopper_id uuid, status text, started_at timestamptz, last_activity_at timestamptz,
  abandon_at timestamptz, abandoned_at timestamptz, ended_at timestamptz, recovered_at timestamptz,
  pending_until timestamptz, lost_at timestamptz, opening_fact_id uuid, last_fact_at timestamptz, last_fact_id uuid,
  customer_name text, email text, phone text, items jsonb, item_count int, value_minor bigint, currency text,
  coupons jsonb, search text, locale text, fold jsonb`

async function insertCarts({ db, storeId }: StoreTx, carts: readonly WrittenCart[], now: Date): Promise<void> {
  if (carts.length === 0) return
  await sql`
    insert into carts (store_id, created_at, id, shopper_id, status, started_at, last_activity_at, abandon_at, abandoned_at,
      ended_at, recovered_at, pending_until, lost_at, opening_fact_id, last_fact_at, last_fact_id, customer_name, email,
      phone, items, item_count, value_minor, currency, coupons, search, locale, fold)
    select ${storeId}, ${now}, c.* from jsonb_to_recordset(${JSON.stringify(carts)}::jsonb) as c(${CART_COLUMNS})`.execute(
    db,
  )
}

/**
 * Keeps `shopper_id`: only a merge of shoppers changes it. The badge "Recovered" stays unless a late correction makes
 * the cart plain purchased (S3).
 */
async function updateCarts({ db, storeId }: StoreTx, carts: readonly WrittenCart[]): Promise<void> {
  if (carts.length === 0) return
  await sql`
    with v as materialized (select * from jsonb_to_recordset(${JSON.stringify(carts)}::jsonb) as v(${CART_COLUMNS})),
    recovered as (
      insert into cart_badges as cb (store_id, cart_id, badge) select ${storeId}, v.id, 'Recovered' from v where v.status = 'recovered' order by v.id
      on conflict (store_id, cart_id) do update set badge = 'Recovered', no_response_at = null
        where cb.badge <> 'Recovered' or cb.no_response_at is not null),
    others as (
      update cart_badges cb set
        badge = case when cb.badge <> 'Recovered' then cb.badge when cb.last_sent_at is null then 'No Action'
          else coalesce((select h.badge from (${selectNewestSend(sql`cb.store_id`, sql`cb.cart_id`)}) h), 'Email Sent') end,
        no_response_at = case when v.status in ('abandoned', 'active', 'lost') then cb.no_response_at end
      from v where cb.store_id = ${storeId} and cb.cart_id = any(${carts.map((cart) => cart.id)}::uuid[]) and cb.cart_id = v.id
        and v.status <> 'recovered'
        and (cb.badge = 'Recovered' or cb.no_response_at is not null and v.status not in ('abandoned', 'active', 'lost')))
    update carts set status = v.status, started_at = v.started_at, last_activity_at = v.last_activity_at,
      abandon_at = v.abandon_at, abandoned_at = v.abandoned_at, ended_at = v.ended_at, recovered_at = v.recovered_at,
      pending_until = v.pending_until, opening_fact_id = v.opening_fact_id, last_fact_at = v.last_fact_at,
      last_fact_id = v.last_fact_id, customer_name = v.customer_name, email = v.email, phone = v.phone, items = v.items,
      item_count = v.item_count, value_minor = v.value_minor,
      abandoned_minor = case when v.abandoned_at is not null and v.currency = carts.currency then carts.abandoned_minor end,
      currency = v.currency, coupons = v.coupons,
      search = v.search, locale = v.locale, fold = v.fold, version = carts.version + 1,
      -- Seven days after the last planned message or, if later, after the last activity (S5).
      lost_at = coalesce((select greatest(max(m.due_at), v.last_activity_at) + interval '7 days' from messages m
        where m.store_id = carts.store_id and m.cart_id = carts.id having count(*) > 0), v.lost_at)
    from v where carts.store_id = ${storeId} and carts.id = any(${carts.map((cart) => cart.id)}::uuid[]) and carts.id = v.id`.execute(
    db,
  )
}

async function markMerged({ db, storeId }: StoreTx, id: string, into: string | null, now: Date) {
  await db
    .updateTable('carts')
    .set((eb) => ({
      status: 'merged' as const,
      merged_into: into,
      ended_at: now,
      abandon_at: null,
      version: eb('version', '+', 1),
    }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute()
  await db
    .updateTable('cart_badges')
    .set({ no_response_at: null })
    .where('store_id', '=', storeId)
    .where('cart_id', '=', id)
    .where('no_response_at', 'is not', null)
    .execute()
}

/** A message sent for the merged cart counts for the survivor: badge and "No Response" time are copied (S6). */
async function inheritLastSent({ db, storeId }: StoreTx, fromId: string, intoId: string): Promise<void> {
  await sql`
    insert into cart_badges as cb (store_id, cart_id, badge, last_sent_at, no_response_at)
    select c.store_id, c.id, case when o.badge = 'Recovered' then 'No Action' else o.badge end, o.last_sent_at,
      case when c.status in ('abandoned', 'active', 'lost') then o.no_response_at end
    from carts c join cart_badges o on o.store_id = c.store_id and o.cart_id = ${fromId} and o.last_sent_at is not null
    where c.store_id = ${storeId} and c.id = ${intoId}
    on conflict (store_id, cart_id) do update set last_sent_at = excluded.last_sent_at,
      badge = case when 'Recovered' in (cb.badge, (select o.badge from cart_badges o where o.store_id = cb.store_id and o.cart_id = ${fromId}))
        then cb.badge else excluded.badge end,
      no_response_at = excluded.no_response_at
      where cb.last_sent_at is null or cb.last_sent_at < excluded.last_sent_at`.execute(db)
}

/** Points carts merged earlier at the new survivor; returns their ids. */
async function repointMerged({ db, storeId }: StoreTx, fromId: string, intoId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    update carts set merged_into = ${intoId} where store_id = ${storeId} and merged_into = ${fromId}
      and shopper_id = (select shopper_id from carts where store_id = ${storeId} and id = ${intoId}) returning id`.execute(
    db,
  )
  return rows.rows.map((row) => row.id)
}

async function insertEvents(
  { db, storeId }: StoreTx,
  events: readonly { id: string; cart_id: string; at: Date; kind: string; detail: Record<string, unknown> }[],
): Promise<void> {
  if (events.length === 0) return
  await sql`
    insert into cart_events (store_id, id, cart_id, at, kind, detail)
    select ${storeId}, e.* from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as e(id uuid, cart_id uuid, at timestamptz, kind text, detail jsonb)`.execute(db)
}

interface CatalogueRow {
  product_id: string
  variation_id: string
  name: string
  sku: string | null
  price_minor: number
  image_url: string | null
}

/**
 * Names, prices and pictures for lines that a browser reports by id (X5). A variation falls back to its product's
 * picture.
 */
async function selectCatalogue({ db, storeId }: StoreDb, productIds: readonly string[]): Promise<CatalogueRow[]> {
  if (productIds.length === 0) return []
  return db
    .selectFrom('products')
    .select(['product_id', 'variation_id', 'name', 'sku', 'price_minor', 'image_url'])
    .where('store_id', '=', storeId)
    .where('product_id', '=', sql<string>`any(${[...productIds]}::text[])`)
    .execute()
}
