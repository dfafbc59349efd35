import crypto from 'node:crypto'
import { capitals } from '../../../shared/coupons.ts'
import { type OrderWord, proveAccountConsents, recordOrderText } from '../../shoppers/consent/consents.ts'
import { type StoreTx, transact } from '../../core/db/db.ts'
import { withRetry } from '../../core/db/db-away.ts'
import { couponsNamed } from '../coupons/uses.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import { attributeOrders, type Evidence, readEvidence } from '../orders/attribution.ts'
import { familyKeys, knownHashes, type OrderRow, writeOrders } from '../orders/split-orders.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'
import type { Contact, FactPayload, OrderKind, Unconfirmed } from '../../core/schema/facts.ts'
import { contactKeys, isSharedAddress, type ShopperKey, tokenKeys } from '../../shoppers/shoppers/rules.ts'
import { lockAllKeys, resolveShoppers } from '../../shoppers/shoppers/shoppers.ts'
import { readStore } from '../../access/stores/store.ts'
import { allowedOrders } from './before-consent.ts'
import { stillCaptured, stillInInbox, unconfirmedKeys, withCapturedCarts, withoutLoneDrafts } from './captured.ts'
import { insertUnconfirmed, type UnconfirmedContact } from './captured-sql.ts'
import { refold } from './carts.ts'
import { withoutErased } from './erased-intake.ts'
import { timesOf } from './post-order.ts'
import * as sql from './sql.ts'

// Way B: something happened in a store. It becomes a fact, once, and the shopper's carts follow in the same transaction.

/** A fact before it is known whose it is. `order` is the order's mirror row to write along. */
export interface NewFact {
  keys: ShopperKey[]
  source: sql.FactRow['source']
  at: Date
  uniqueKey: string
  payload: FactPayload
  order?: Omit<OrderRow, 'shopper_id'>
  /** Of a post: the limits its contact was above (X5). */
  unconfirmed?: Unconfirmed
  /** Of a post that waits in the inbox: once it is out of it somebody else has recorded it, and whose it was may be erased since (C8). */
  postId?: string
  /** Of an order whose contact was left out (C9): whose cart it fits cannot be told. */
  isNameless?: boolean
  /** Kept only where it belongs to a cart that is known (S6). */
  isPartOnly?: boolean
}

/** Facts per transaction: a page of orders. Its statements cost little more for a hundred than for one; its locks end soon. */
const CHUNK = 100

export interface Recorded {
  stored: number
  shopperIds: string[]
}

/** Stores facts and brings the carts of their shoppers in line. Safe to repeat: a fact known already moves nothing. */
export async function recordFacts(deps: Deps, storeId: string, facts: readonly NewFact[]): Promise<Recorded> {
  const total: Recorded = { stored: 0, shopperIds: [] }
  for (let start = 0; start < facts.length; start += CHUNK) {
    const chunk = facts.slice(start, start + CHUNK)
    const done = await withRetry(() => transact({ storeId, db: deps.db }, (tx) => recordChunk(deps, tx, chunk)))
    total.stored += done.stored
    total.shopperIds.push(...done.shopperIds)
  }
  return total
}

/** Orders from a pull, a webhook or the shop's plugin, which may say in which cart one was. What we have in just this state already is passed over before any lock is taken. */
export async function recordOrders(
  deps: Deps,
  storeId: string,
  told: readonly PlatformOrder[],
  source: FactSource,
  cartsOf: ReadonlyMap<string, string> = new Map(),
): Promise<Recorded> {
  if (told.length === 0) return { stored: 0, shopperIds: [] }
  const handle = { storeId, db: deps.db }
  const store = await readStore(handle)
  if (!store) return { stored: 0, shopperIds: [] }
  const orders = await allowedOrders(deps, store, told, cartsOf)
  const known = await knownHashes(
    handle,
    orders.map((order) => order.orderId),
  )
  const host = new URL(store.home_url).hostname
  const isCaptureAlive =
    store.capture_seen_at !== null && deps.now().getTime() - store.capture_seen_at.getTime() < 86_400_000
  const facts = orders
    .map((order) => ofCart(orderFact(asShown(order, store), host, source), cartsOf.get(order.orderId)))
    .filter((fact) => known.get(fact.order!.order_id) !== fact.order!.content_hash)
    .map((fact) => (isCaptureAlive && isNamelessDraft(fact) ? { ...fact, isPartOnly: true } : fact))
  // Before the facts: what waits for consent is looked at again when they arrive.
  const news = new Set(facts.map((fact) => fact.order!.order_id))
  await recordOrderText(deps, storeId, orders.filter((order) => news.has(order.orderId)).flatMap(wordsOf))
  await proveAccountConsents(deps, storeId, orders.filter((order) => news.has(order.orderId)).flatMap(boughtWith))
  return recordFacts(deps, storeId, facts)
}

function boughtWith(order: PlatformOrder) {
  const { customerId, email, phone } = order
  if (!isProven(order) || !customerId) return []
  return [email?.toLowerCase(), phone].flatMap((address) => (address ? [{ customerId, address }] : []))
}

/** An unpaid order in a status of the shop's own may be a request for a quote, and a cancelled one a stranger's (S4). */
const isProven = ({ kind, amount, paidAt }: PlatformOrder): boolean =>
  paidAt !== null || (kind === 'purchase' && !amount)

/** With the prices that the store's cart shows; one that does not say is taken to show them as they were entered. */
function asShown(order: PlatformOrder, { shows_tax }: { shows_tax: boolean | null }): PlatformOrder {
  const items = order.items.map(({ shown, ...item }) =>
    shown && shows_tax !== null
      ? { ...item, unitPriceMinor: shows_tax ? shown.withTaxMinor : shown.withoutTaxMinor }
      : item,
  )
  return { ...order, items }
}

type FactSource = 'sync' | 'webhook' | 'plugin'

const ofCart = (fact: NewFact, cart: string | undefined): NewFact =>
  cart === undefined || !fact.order
    ? fact
    : { ...fact, keys: [...fact.keys, { kind: 'cart', value: cart }], order: { ...fact.order, cart_token: cart } }

/** What a shopper agreed to in an order's checkout. Until it counts as a purchase (S4) anybody may have begun it. */
function wordsOf(order: PlatformOrder): OrderWord[] {
  const { consents = [], orderId, customerId, email, phone, country } = order
  const unproven = isProven(order) ? {} : ({ unproven: 'unpaid order' } as const)
  const shared = { isGiven: true, country, customerId, orderId, at: new Date(order.createdAt) }
  return consents.flatMap(({ channel, wording }): OrderWord[] => {
    const address = channel === 'email' ? email : phone
    return address ? [{ ...shared, channel, address, wording, ...unproven }] : []
  })
}

/** A draft without contact is no cart of its own while the capture script sees the same shopper (S6). */
function isNamelessDraft(fact: NewFact): boolean {
  return fact.order?.kind === 'draft' && !fact.order.email && !fact.order.phone
}

function orderFact(order: PlatformOrder, storeHost: string, source: FactSource): NewFact {
  const contact = orderContact(order, storeHost)
  const parentId = order.parentId === order.orderId ? null : (order.parentId ?? null)
  const purchasedAt = order.kind === 'purchase' ? earlier(order.paidAt ?? order.modifiedAt, order.modifiedAt) : null
  const payload: FactPayload = {
    type: 'order',
    orderId: order.orderId,
    orderKind: order.kind,
    // Orders of staff, tills and renewals, and those that try the shop out, are nobody's abandoned cart and are never attributed (A2).
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
  const hash = crypto.createHash('sha256').update(JSON.stringify(state)).digest('base64url')
  return {
    ...(order.isNameless && { isNameless: true }),
    keys: [{ kind: 'order', value: order.orderId }, ...tokenKeys(order), ...contactKeys(contact, storeHost)],
    source,
    at: new Date(purchasedAt ?? order.modifiedAt),
    uniqueKey: `order:${order.orderId}:${order.modifiedAt}:${hash}`,
    payload,
    order: {
      order_id: order.orderId,
      kind: order.kind,
      status: order.status,
      created_at: order.createdAt,
      modified_at: order.modifiedAt,
      purchased_at: purchasedAt,
      currency: order.currency,
      total_minor: order.totalMinor,
      net_minor: order.amount ? 0 : netOf(order),
      waiting_minor: order.amount === 'if_counted' ? netOf(order) : null,
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
      coupons: couponsOf(order),
    },
  }
}

/** Codes are compared without case (decision 31); what one took off may be unknown. */
function couponsOf({ coupons, discounts = [] }: PlatformOrder): OrderRow['coupons'] {
  const codes = new Set([...coupons.map(capitals), ...discounts.map(({ code }) => code)])
  const taken = Map.groupBy(discounts, ({ code }) => code)
  return [...codes].map((code) => ({
    code,
    discount_minor: (taken.get(code) ?? []).reduce((sum, { discountMinor }) => sum + discountMinor, 0),
  }))
}

/** Cancelled and trashed orders brought nothing; refunds come off (S3). */
function netOf(order: PlatformOrder): number {
  return order.kind === 'purchase' ? Math.max(0, order.totalMinor - order.refundedMinor) : 0
}

function orderContact(order: PlatformOrder, storeHost: string): Contact {
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

const earlier = (a: string, b: string) => (new Date(a) < new Date(b) ? a : b)

async function recordChunk(deps: Deps, tx: StoreTx, said: readonly NewFact[]): Promise<Recorded> {
  const now = deps.now()
  const store = await readStore(tx)
  if (!store) return { stored: 0, shopperIds: [] }
  const found = await withCapturedCarts(tx, said)
  await lockAllKeys(
    tx,
    found.flatMap((fact) => [...fact.keys, ...unconfirmedKeys(fact), ...familyKeys(fact)]),
  )
  const waiting = await stillInInbox(tx, await stillCaptured(tx, said, found))
  const captured = await withoutLoneDrafts(tx, waiting)
  const facts = await withoutErased(tx, deps.secrets, captured)
  if (facts.length === 0) return { stored: 0, shopperIds: [] }
  const keys = facts.map((fact) => fact.keys)
  const { shopperIds, merged } = await resolveShoppers(tx, keys, now)
  const rows = await factRows(tx, facts, shopperIds, now)
  const stored = await sql.insertFacts(tx, rows)
  await insertUnconfirmed(
    tx,
    facts.flatMap((fact, index) => unconfirmedOf(fact, shopperIds[index]!)),
  )
  const unproven = new Set<string>()
  for (const round of roundsOf(facts, shopperIds)) {
    for (const id of await writeOrders(tx, round)) unproven.add(id)
  }
  const news = Map.groupBy(
    rows.filter((row) => stored.has(row.id)),
    (row) => row.shopper_id,
  )
  const affected = [...new Set(shopperIds)]
  const evidence = await readEvidence(tx, affected)
  const changed = affected
    .filter((id) => news.has(id) || merged.has(id))
    .map((shopperId) => ({
      shopperId,
      news: (news.get(shopperId) ?? []).map(({ id, at, payload }) => ({ id, at: at.getTime(), payload })),
      isMerged: merged.has(shopperId),
    }))
  if (changed.length > 0) await refold(tx, store, changed, evidence, now)
  await attributeOrders(tx, store, evidence)
  await sql.notifyRecovered(tx, cartsPaidLate(facts, unproven, evidence, now), { now, since: null })
  await couponsNamed(deps, tx, facts.flatMap(codesOf))
  await scheduleNextLook(tx)
  return { stored: stored.size, shopperIds: affected }
}

/** Carts whose order was `unproven` before and was paid, or confirmed, in the last day. `notifyRecovered` checks whether it counts now. */
function cartsPaidLate(facts: readonly NewFact[], unproven: Set<string>, { orders }: Evidence, now: Date): string[] {
  const recent = facts.filter(({ order, at }) => order && unproven.has(order.order_id) && +now - +at < 86_400_000)
  return recent.flatMap(({ order }) => orders.get(order!.order_id)?.cart_id ?? [])
}

/** Drafts use no coupon. */
function codesOf({ payload }: NewFact): string[] {
  return payload.type === 'order' && payload.orderKind !== 'draft' ? payload.coupons : []
}

/** What is left of an erased person's post names no contact any more. */
function unconfirmedOf({ unconfirmed = {}, payload, at }: NewFact, shopperId: string): UnconfirmedContact[] {
  const contact = 'contact' in payload ? payload.contact : undefined
  const said = { email: contact?.unconfirmedEmail, phone: contact?.unconfirmedPhone }
  return (['email', 'phone'] as const).flatMap((kind) => {
    const [value, reason] = [said[kind], unconfirmed[kind]]
    return value && reason ? [{ shopperId, kind, value, reason, at }] : []
  })
}

/** One statement writes an order once; a second state of it within the chunk goes into the next. */
function roundsOf(facts: readonly NewFact[], shopperIds: readonly string[]): OrderRow[][] {
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

/** Rows to store, each key once. */
async function factRows(
  tx: StoreTx,
  facts: readonly NewFact[],
  shopperIds: readonly string[],
  now: Date,
): Promise<sql.FactRow[]> {
  const times = await timesOf(tx, facts, shopperIds)
  const rows = new Map<string, sql.FactRow>()
  for (const [index, fact] of facts.entries()) {
    if (rows.has(fact.uniqueKey)) continue
    rows.set(fact.uniqueKey, {
      id: factId(times[index]!, fact),
      shopper_id: shopperIds[index]!,
      kind: fact.payload.type,
      source: fact.source,
      at: times[index]!,
      unique_key: fact.uniqueKey,
      payload: fact.payload,
      received_at: now,
    })
  }
  return [...rows.values()]
}

/**
 * A UUID that begins with the fact's own time and goes on with its rank and a hash of its key: facts of the same moment
 * have the same order whichever arrived first (S7), and a store's facts still lie together in the index.
 */
function factId(at: Date, { uniqueKey, payload }: NewFact): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  const hash = crypto.createHash('sha256').update(uniqueKey).digest('hex')
  const hex = `${time}7${rankOf(payload)}${hash.slice(0, 2)}8${hash.slice(2, 17)}`
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Stores date to the second: of what bears the same time, the state an order reaches last is the later one. */
function rankOf(payload: FactPayload): number {
  if (payload.type === 'lost') return 7
  if (payload.type !== 'order') return 0
  if (payload.parentId && payload.orderKind === 'purchase') return 8 // the whole was bought first (A6)
  return ORDER_STATES.indexOf(payload.orderKind) + 1
}

const ORDER_STATES: OrderKind[] = ['draft', 'pending', 'failed', 'cancelled', 'trashed', 'purchase']
