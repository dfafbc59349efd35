import crypto from 'node:crypto'
import { toCapitals } from '../../../shared/carts/coupons.ts'
import { readStore } from '../../access/stores/public.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact, withRetry } from '../../core/db/public.ts'
import type { Contact, ContactLimit, FactPayload, OrderKind, UnconfirmedContacts } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextRun } from '../../messages/messages/public.ts'
import type { PlatformOrder } from '../../platforms/platform/public.ts'
import { type OrderConsent, proveAccountConsents, recordOrderConsents } from '../../shoppers/consent/public.ts'
import {
  buildContactKeys,
  isSharedAddress,
  listTokenKeys,
  lockAllKeys,
  resolveShoppers,
  type ShopperKey,
} from '../../shoppers/shoppers/public.ts'
import { queueUseReads } from '../coupons/public.ts'
import {
  attributeOrders,
  type Evidence,
  listParentKeys,
  type OrderRow,
  readEvidence,
  readKnownHashes,
  writeOrders,
} from '../orders/public.ts'
import { filterOrders } from './before-consent.ts'
import { refold } from './carts.ts'
import { removeErased } from './erased-intake.ts'
import type { Fact } from './fold.ts'
import {
  addCapturedCarts,
  dropLoneDrafts,
  dropRecordedPosts,
  listUnconfirmedKeys,
  recheckCapturedCarts,
} from './match-captured.ts'
import { resolveTimes } from './post-order.ts'
import { notifyRecovered } from './sql.ts'

// Way B: records what happened in a store as facts, each once, and updates the shoppers' carts in the same transaction.

/** A fact before its shopper is known. `order`: the order row to write with it. */
export interface NewFact {
  keys: ShopperKey[]
  source: FactRow['source']
  at: Date
  uniqueKey: string
  payload: FactPayload
  order?: Omit<OrderRow, 'shopper_id'>
  /** The limits that the post's contact was above (X5). */
  unconfirmed?: UnconfirmedContacts
  /**
   * Of a post in the inbox. If it is no longer there, another worker recorded it, and its shopper may be erased (C8).
   */
  postId?: string
  /** The order's contact was removed (C9), so it cannot be matched to a cart. */
  isNameless?: boolean
  /** Keep the fact only if it belongs to a known cart (S6). */
  isPartOnly?: boolean
}

/** Facts per transaction: a page of orders. A hundred cost little more than one, and the locks stay short. */
const CHUNK = 100

export interface RecordResult {
  stored: number
  shopperIds: string[]
}

/** Stores facts and updates the carts of their shoppers. Idempotent: a known fact changes nothing. */
export async function recordFacts(
  deps: Pick<Deps, 'jobs' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  facts: readonly NewFact[],
): Promise<RecordResult> {
  const total: RecordResult = { stored: 0, shopperIds: [] }
  for (let start = 0; start < facts.length; start += CHUNK) {
    const chunk = facts.slice(start, start + CHUNK)
    const done = await withRetry(() => transact(store, (tx) => recordChunk(deps, tx, chunk)))
    total.stored += done.stored
    total.shopperIds.push(...done.shopperIds)
  }
  return total
}

/**
 * Records orders from a sync, a webhook or the plugin. Orders that have not changed are skipped before any lock.
 * `cartsOf`: cart token by order id, where the plugin reports it.
 */
export async function recordOrders(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'secrets'>,
  storeId: string,
  received: readonly PlatformOrder[],
  source: FactSource,
  cartsOf: ReadonlyMap<string, string> = new Map(),
): Promise<RecordResult> {
  if (received.length === 0) return { stored: 0, shopperIds: [] }
  const handle = { storeId, db: deps.db }
  const store = await readStore(handle)
  if (!store) return { stored: 0, shopperIds: [] }
  const orders = await filterOrders(deps, { handle, store }, received, cartsOf)
  const known = await readKnownHashes(
    handle,
    orders.map((order) => order.orderId),
  )
  const host = new URL(store.home_url).hostname
  const isCaptureAlive =
    store.capture_seen_at !== null && deps.now().getTime() - store.capture_seen_at.getTime() < 86_400_000
  const facts = orders
    .map((order) =>
      addCartToken(buildOrderFact(useDisplayedPrices(order, store), host, source), cartsOf.get(order.orderId)),
    )
    .filter((fact) => known.get(fact.order!.order_id) !== fact.order!.content_hash)
    .map((fact) => (isCaptureAlive && isDraftWithoutContact(fact) ? { ...fact, isPartOnly: true } : fact))
  // Consents come before facts, because new facts trigger another check of messages that wait for consent.
  const news = new Set(facts.map((fact) => fact.order!.order_id))
  await recordOrderConsents(deps, handle, orders.filter((order) => news.has(order.orderId)).flatMap(readConsents))
  await proveAccountConsents(
    deps,
    handle,
    orders.filter((order) => news.has(order.orderId)).flatMap(listBuyerAddresses),
  )
  return recordFacts(deps, handle, facts)
}

function listBuyerAddresses(order: PlatformOrder) {
  const { customerId, email, phone } = order
  if (!isProven(order) || !customerId) return []
  return [email?.toLowerCase(), phone].flatMap((address) => (address ? [{ customerId, address }] : []))
}

/**
 * An unpaid order in a custom status may be a request for a quote, and any visitor may have placed a cancelled one (S4).
 */
const isProven = ({ kind, amount, paidAt }: PlatformOrder): boolean =>
  paidAt !== null || (kind === 'purchase' && !amount)

/** Uses the prices that the store's cart shows. If the store does not report this, they stay as entered. */
function useDisplayedPrices(order: PlatformOrder, { shows_tax }: { shows_tax: boolean | null }): PlatformOrder {
  const items = order.items.map(({ displayed, ...item }) =>
    displayed && shows_tax !== null
      ? { ...item, unitPriceMinor: shows_tax ? displayed.withTaxMinor : displayed.withoutTaxMinor }
      : item,
  )
  return { ...order, items }
}

type FactSource = 'sync' | 'webhook' | 'plugin'

const addCartToken = (fact: NewFact, cart: string | undefined): NewFact =>
  cart === undefined || !fact.order
    ? fact
    : { ...fact, keys: [...fact.keys, { kind: 'cart', value: cart }], order: { ...fact.order, cart_token: cart } }

/** Consents from an order's checkout. Until the order counts as a purchase (S4), any visitor may have placed it. */
function readConsents(order: PlatformOrder): OrderConsent[] {
  const { consents = [], orderId, customerId, email, phone, country } = order
  const unproven = isProven(order) ? {} : ({ unproven: 'unpaid order' } as const)
  const shared = { isGiven: true, country, customerId, orderId, at: new Date(order.createdAt) }
  return consents.flatMap(({ channel, wording }): OrderConsent[] => {
    const address = channel === 'email' ? email : phone
    return address ? [{ ...shared, channel, address, wording, ...unproven }] : []
  })
}

/** A draft without contact gets no cart of its own while the capture script sees the same shopper (S6). */
function isDraftWithoutContact(fact: NewFact): boolean {
  return fact.order?.kind === 'draft' && !fact.order.email && !fact.order.phone
}

function buildOrderFact(order: PlatformOrder, storeHost: string, source: FactSource): NewFact {
  const contact = buildContact(order, storeHost)
  const parentId = order.parentId === order.orderId ? null : (order.parentId ?? null)
  const purchasedAt = order.kind === 'purchase' ? pickEarlier(order.paidAt ?? order.modifiedAt, order.modifiedAt) : null
  const payload: FactPayload = {
    type: 'order',
    orderId: order.orderId,
    orderKind: order.kind,
    // Orders by staff, tills, renewals and test orders have no abandoned cart and are never attributed (A2).
    isStaff: order.source !== 'shopper' || order.isTest === true,
    ...(parentId && { parentId }),
    ...(order.source === 'renewal' && { renewal: order.isPaidRenewal ? ('paid' as const) : ('automatic' as const) }),
    items: order.items,
    coupons: order.coupons,
    contact,
    currency: order.currency,
  }
  const state = [
    payload,
    order.status,
    order.totalMinor,
    order.refundedMinor,
    ...(order.amount ? [order.amount, isProven(order)] : []),
  ]
  // Without the locale, so that orders known from before it was read are not recorded again.
  const hash = crypto.createHash('sha256').update(JSON.stringify(state)).digest('base64url')
  return {
    ...(order.isNameless && { isNameless: true }),
    keys: [{ kind: 'order', value: order.orderId }, ...listTokenKeys(order), ...buildContactKeys(contact, storeHost)],
    source,
    at: new Date(purchasedAt ?? order.modifiedAt),
    uniqueKey: `order:${order.orderId}:${order.modifiedAt}:${hash}`,
    payload: order.locale ? { ...payload, locale: { tag: order.locale, source: 'shop' } } : payload,
    order: {
      order_id: order.orderId,
      kind: order.kind,
      status: order.status,
      created_at: order.createdAt,
      modified_at: order.modifiedAt,
      purchased_at: purchasedAt,
      currency: order.currency,
      total_minor: order.totalMinor,
      net_minor: order.amount ? 0 : computeNet(order),
      waiting_minor: order.amount === 'if_counted' ? computeNet(order) : null,
      is_unproven: !isProven(order),
      email: contact.email ?? null,
      phone: contact.phone ?? null,
      is_staff: payload.isStaff,
      content_hash: hash,
      customer_id: contact.customerId ?? null,
      cart_token: order.cartToken ?? null,
      parent_id: parentId,
      product_ids: [...new Set(order.items.map(({ productId }) => productId))].sort(),
      is_renewal: order.source === 'renewal',
      coupons: buildOrderCoupons(order),
    },
  }
}

/** Codes are compared case-insensitively (decision 31). The discount of a code may be unknown. */
function buildOrderCoupons({ coupons, discounts = [] }: PlatformOrder): OrderRow['coupons'] {
  const codes = new Set([...coupons.map(toCapitals), ...discounts.map(({ code }) => code)])
  const byCode = Map.groupBy(discounts, ({ code }) => code)
  return [...codes].map((code) => ({
    code,
    discount_minor: (byCode.get(code) ?? []).reduce((sum, { discountMinor }) => sum + discountMinor, 0),
  }))
}

/** Cancelled and trashed orders have no revenue; refunds are subtracted (S3). */
function computeNet(order: PlatformOrder): number {
  return order.kind === 'purchase' ? Math.max(0, order.totalMinor - order.refundedMinor) : 0
}

function buildContact(order: PlatformOrder, storeHost: string): Contact {
  const contact: Contact = {}
  if (order.email && !isSharedAddress(order.email, storeHost)) contact.email = order.email
  if (order.phone) contact.phone = order.phone
  if (order.firstName) contact.firstName = order.firstName
  if (order.lastName) contact.lastName = order.lastName
  if (order.customerId) contact.customerId = order.customerId
  if (order.country) Object.assign(contact, { country: order.country, countrySource: 'address' })
  if (order.state) contact.state = order.state
  return contact
}

const pickEarlier = (a: string, b: string) => (new Date(a) < new Date(b) ? a : b)

async function recordChunk(
  deps: Pick<Deps, 'jobs' | 'now' | 'secrets'>,
  tx: StoreTx,
  input: readonly NewFact[],
): Promise<RecordResult> {
  const now = deps.now()
  const store = await readStore(tx)
  if (!store) return { stored: 0, shopperIds: [] }
  const found = await addCapturedCarts(tx, input)
  await lockAllKeys(
    tx,
    found.flatMap((fact) => [...fact.keys, ...listUnconfirmedKeys(fact), ...listParentKeys(fact)]),
  )
  const waiting = await dropRecordedPosts(tx, await recheckCapturedCarts(tx, input, found))
  const captured = await dropLoneDrafts(tx, waiting)
  const facts = await removeErased(tx, deps.secrets, captured)
  if (facts.length === 0) return { stored: 0, shopperIds: [] }
  const keys = facts.map((fact) => fact.keys)
  const { shopperIds, merged } = await resolveShoppers(tx, keys, now)
  const rows = await buildFactRows(tx, facts, shopperIds, now)
  const stored = await insertFacts(tx, rows)
  await insertUnconfirmed(
    tx,
    facts.flatMap((fact, index) => listUnconfirmed(fact, shopperIds[index]!)),
  )
  const unproven = new Set<string>()
  for (const round of groupIntoRounds(facts, shopperIds)) {
    for (const id of await writeOrders(tx, round)) unproven.add(id)
  }
  const news = Map.groupBy(
    rows.filter((row) => stored.has(row.id)),
    (row) => row.shopper_id,
  )
  const affected = [...new Set(shopperIds)]
  const evidence = await readEvidence(tx, affected)
  const changed = affected.filter((id) => news.has(id) || merged.has(id))
  if (changed.length > 0) await refold(tx, store, { shopperIds: changed, news, merged }, evidence, now)
  await attributeOrders(tx, store, evidence)
  await notifyRecovered(tx, findCartsPaidLate(facts, unproven, evidence, now), { now, since: null })
  await queueUseReads(deps, tx, facts.flatMap(listUsedCodes))
  await scheduleNextRun(tx)
  return { stored: stored.size, shopperIds: affected }
}

/** Carts whose unproven order was paid or confirmed within a day. `notifyRecovered` checks whether it counts now. */
function findCartsPaidLate(
  facts: readonly NewFact[],
  unproven: Set<string>,
  { orders }: Evidence,
  now: Date,
): string[] {
  const recent = facts.filter(({ order, at }) => order && unproven.has(order.order_id) && +now - +at < 86_400_000)
  return recent.flatMap(({ order }) => orders.get(order!.order_id)?.cart_id ?? [])
}

/** Drafts do not use a coupon. */
function listUsedCodes({ payload }: NewFact): string[] {
  return payload.type === 'order' && payload.orderKind !== 'draft' ? payload.coupons : []
}

/** The post of an erased shopper no longer has a contact. */
function listUnconfirmed({ unconfirmed = {}, payload, at }: NewFact, shopperId: string): UnconfirmedContact[] {
  const contact = 'contact' in payload ? payload.contact : undefined
  const typed = { email: contact?.unconfirmedEmail, phone: contact?.unconfirmedPhone }
  return (['email', 'phone'] as const).flatMap((kind) => {
    const [value, reason] = [typed[kind], unconfirmed[kind]]
    return value && reason ? [{ shopperId, kind, value, reason, at }] : []
  })
}

/** A statement can write an order once, so a second state of it goes into the next round. */
function groupIntoRounds(facts: readonly NewFact[], shopperIds: readonly string[]): OrderRow[][] {
  const rounds: Map<string, OrderRow>[] = []
  for (const [index, { order }] of facts.entries()) {
    if (!order) continue
    const free = rounds.find((round) => !round.has(order.order_id))
    const round = free ?? new Map<string, OrderRow>()
    if (!free) rounds.push(round)
    round.set(order.order_id, { ...order, shopper_id: shopperIds[index]! })
  }
  return rounds.map((round) => [...round.values()])
}

/** Rows to insert, one per key. */
async function buildFactRows(
  tx: StoreTx,
  facts: readonly NewFact[],
  shopperIds: readonly string[],
  now: Date,
): Promise<FactRow[]> {
  const times = await resolveTimes(tx, facts, shopperIds)
  const rows = new Map<string, FactRow>()
  for (const [index, fact] of facts.entries()) {
    if (rows.has(fact.uniqueKey)) continue
    rows.set(fact.uniqueKey, {
      id: buildFactId(times[index]!, fact),
      shopper_id: shopperIds[index]!,
      kind: fact.payload.type,
      source: fact.source,
      at: times[index]!.getTime(),
      unique_key: fact.uniqueKey,
      payload: fact.payload,
      received_at: now,
    })
  }
  return [...rows.values()]
}

/**
 * A UUID from the fact's time, its rank and a hash of its key. Facts of the same moment get the same order however they
 * arrive (S7), and a store's facts stay together in the index.
 */
function buildFactId(at: Date, { uniqueKey, payload }: NewFact): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  const hash = crypto.createHash('sha256').update(uniqueKey).digest('hex')
  const hex = `${time}7${getRank(payload)}${hash.slice(0, 2)}8${hash.slice(2, 17)}`
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Stores date to the second. At equal times, the state that an order reaches last is the later one. */
function getRank(payload: FactPayload): number {
  if (payload.type === 'lost') return 7
  if (payload.type !== 'order') return 0
  if (payload.parentId && payload.orderKind === 'purchase') return 8 // after the whole order (A6)
  return ORDER_STATES.indexOf(payload.orderKind) + 1
}

const ORDER_STATES: OrderKind[] = ['draft', 'pending', 'failed', 'cancelled', 'trashed', 'purchase']

// Finds captured carts that belong to orders which do not name them.

interface UnconfirmedContact {
  shopperId: string
  kind: 'email' | 'phone'
  value: string
  reason: ContactLimit
  at: Date
}

async function insertUnconfirmed({ db, storeId }: StoreTx, contacts: readonly UnconfirmedContact[]): Promise<void> {
  if (contacts.length === 0) return
  await sql`insert into unconfirmed_contacts (store_id, shopper_id, kind, value, reason, said_at)
    select distinct on ("shopperId", kind, value) ${storeId}::uuid, "shopperId", kind, value, reason, at
    from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb)
      as c("shopperId" uuid, kind text, value text, reason text, at timestamptz)
    order by "shopperId", kind, value, at desc
    on conflict (store_id, shopper_id, kind, value) do update set said_at = greatest(unconfirmed_contacts.said_at, excluded.said_at)`.execute(
    db,
  )
}

interface FactRow extends Fact {
  shopper_id: string
  kind: FactPayload['type']
  source: 'capture' | 'plugin' | 'webhook' | 'sync' | 'engine'
  unique_key: string
  received_at: Date
}

/**
 * Inserts each fact once and returns the ids of new ones. After an erasure a fact is recognized by its id alone, which
 * is derived from the same key (C8).
 */
async function insertFacts({ db, storeId }: StoreTx, facts: readonly FactRow[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }>`
    insert into facts (store_id, id, shopper_id, kind, source, at, unique_key, payload, received_at)
    select ${storeId}, id, shopper_id, kind, source, to_timestamp(at / 1000.0), unique_key, payload, received_at
    from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb)
      as f(id uuid, shopper_id uuid, kind text, source text, at bigint, unique_key text, payload jsonb, received_at timestamptz)
    on conflict do nothing returning id`.execute(db)
  return new Set(rows.rows.map((row) => row.id))
}
