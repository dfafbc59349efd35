import crypto from 'node:crypto'
import { type StoreTx, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { scheduleNextLook } from '../messages/messages.ts'
import type { PlatformOrder } from '../platforms/platform.ts'
import { contactKeys, isSharedAddress, type ShopperKey } from '../shoppers/rules.ts'
import { lockAllKeys, resolveShopper } from '../shoppers/shoppers.ts'
import { readStore } from '../stores/sql.ts'
import { attributeOrders } from './attribution.ts'
import { refold } from './carts.ts'
import type { Contact, Fact, FactPayload, OrderKind } from './fold.ts'
import * as sql from './sql.ts'

// Way B: something happened in a store. It becomes a fact, once, and the shopper's carts follow in the same transaction.

/** A fact before it is known whose it is. `order` is the order's mirror row to write along. */
export interface NewFact {
  keys: ShopperKey[]
  source: sql.FactRow['source']
  at: Date
  uniqueKey: string
  payload: FactPayload
  order?: Omit<sql.OrderRow, 'shopper_id'>
}

type Store = NonNullable<Awaited<ReturnType<typeof readStore>>>

/** Shoppers per transaction: large enough to spare commits, small enough not to hold many locks for long. */
const CHUNK = 25

export interface Recorded {
  stored: number
  shopperIds: string[]
}

/** Stores facts and brings the carts of their shoppers in line. Safe to repeat: a fact known already moves nothing. */
export async function recordFacts(deps: Deps, storeId: string, facts: readonly NewFact[]): Promise<Recorded> {
  const total: Recorded = { stored: 0, shopperIds: [] }
  for (let start = 0; start < facts.length; start += CHUNK) {
    const chunk = facts.slice(start, start + CHUNK)
    const done = await withRetry(() => transact({ storeId, db: deps.db }, (tx) => recordChunk(tx, chunk, deps.now())))
    total.stored += done.stored
    total.shopperIds.push(...done.shopperIds)
  }
  return total
}

/** Orders from a pull or a webhook. What we have in just this state already is passed over before any lock is taken. */
export async function recordOrders(
  deps: Deps,
  storeId: string,
  orders: readonly PlatformOrder[],
  source: 'sync' | 'webhook',
): Promise<Recorded> {
  const handle = { storeId, db: deps.db }
  const store = await readStore(handle)
  if (!store) return { stored: 0, shopperIds: [] }
  const known = await sql.knownHashes(
    handle,
    orders.map((order) => order.orderId),
  )
  const host = new URL(store.home_url).hostname
  const isCaptureAlive =
    store.capture_seen_at !== null && deps.now().getTime() - store.capture_seen_at.getTime() < 86_400_000
  const facts = orders
    .map((order) => orderFact(order, host, source))
    .filter((fact) => known.get(fact.order!.order_id) !== fact.order!.content_hash)
    .filter((fact) => !(isCaptureAlive && isNamelessDraft(fact)))
  return recordFacts(deps, storeId, facts)
}

/** A draft without contact is no cart of its own while the capture script sees the same shopper (S6). */
function isNamelessDraft(fact: NewFact): boolean {
  return fact.order?.kind === 'draft' && !fact.order.email && !fact.order.phone
}

/** Orders of staff, tills and renewals are nobody's abandoned cart and are never attributed (A2). */
const STAFF = new Set(['admin', 'pos', 'subscription', 'wc_deposits', 'bulk_edit'])

function orderFact(order: PlatformOrder, storeHost: string, source: 'sync' | 'webhook'): NewFact {
  const contact = orderContact(order, storeHost)
  const purchasedAt = order.kind === 'purchase' ? earlier(order.paidAt ?? order.modifiedAt, order.modifiedAt) : null
  const payload: FactPayload = {
    type: 'order',
    orderId: order.orderId,
    orderKind: order.kind,
    isStaff: STAFF.has(order.createdVia),
    items: order.items,
    coupons: order.coupons,
    contact,
    currency: order.currency,
  }
  const hash = crypto
    .createHash('sha256')
    .update(JSON.stringify([payload, order.status, order.totalMinor, order.refundedMinor]))
    .digest('base64url')
  return {
    keys: [{ kind: 'order', value: order.orderId }, ...contactKeys(contact, storeHost)],
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
      net_minor: netOf(order),
      email: contact.email ?? null,
      phone: contact.phone ?? null,
      is_staff: payload.isStaff,
      content_hash: hash,
    },
  }
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
  return contact
}

const earlier = (a: string, b: string) => (new Date(a) < new Date(b) ? a : b)

async function recordChunk(tx: StoreTx, facts: readonly NewFact[], now: Date): Promise<Recorded> {
  const store = await readStore(tx)
  if (!store) return { stored: 0, shopperIds: [] }
  await lockAllKeys(
    tx,
    facts.flatMap((fact) => fact.keys),
  )
  const affected = new Map<string, { news: Fact[]; isMerged: boolean }>()
  let stored = 0
  for (const fact of facts) {
    const shopper = await resolveShopper(tx, fact.keys, now)
    const entry = affected.get(shopper.shopperId) ?? { news: [], isMerged: false }
    entry.isMerged ||= shopper.isMerged
    affected.set(shopper.shopperId, entry)
    const row = await factRow(tx, fact, shopper.shopperId, now)
    const isNew = (await sql.insertFacts(tx, [row])).has(row.id)
    if (fact.order) await sql.upsertOrders(tx, [{ ...fact.order, shopper_id: shopper.shopperId }])
    if (!isNew) continue
    stored += 1
    entry.news.push({ id: row.id, at: row.at.getTime(), payload: row.payload })
  }
  for (const [shopperId, { news, isMerged }] of affected) await bringInLine(tx, store, shopperId, news, isMerged, now)
  await scheduleNextLook(tx)
  return { stored, shopperIds: [...affected.keys()] }
}

/** A shopper joined to another within the same chunk has nothing left to fold: the lock in `resolveShopper` moved it all. */
async function bringInLine(tx: StoreTx, store: Store, shopperId: string, news: Fact[], isMerged: boolean, now: Date) {
  if (news.length > 0 || isMerged) await refold(tx, store, shopperId, news, isMerged, now)
  await attributeOrders(tx, store, shopperId)
}

async function factRow(tx: StoreTx, fact: NewFact, shopperId: string, now: Date): Promise<sql.FactRow> {
  const at = await timeOf(tx, fact, shopperId)
  return {
    id: factId(at, fact),
    shopper_id: shopperId,
    kind: fact.payload.type,
    source: fact.source,
    at,
    unique_key: fact.uniqueKey,
    payload: fact.payload,
    received_at: now,
  }
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
  return ORDER_STATES.indexOf(payload.orderKind) + 1
}

const ORDER_STATES: OrderKind[] = ['draft', 'pending', 'failed', 'cancelled', 'trashed', 'purchase']

/** A post that was overtaken by a later one of the same page happened before it (S7: page sequence number). */
async function timeOf(tx: StoreTx, fact: NewFact, shopperId: string): Promise<Date> {
  const { payload } = fact
  if (payload.type === 'order' || payload.type === 'lost' || !payload.page || !payload.seq) return fact.at
  const later = await sql.laterOnPage(tx, shopperId, payload.page, payload.seq)
  return later && later <= fact.at ? new Date(later.getTime() - 1) : fact.at
}

/** Two transactions that waited for each other: Postgres ended one, which simply runs again. */
async function withRetry<T>(work: () => Promise<T>, attempts = 4): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = (error as { code?: string }).code
    if (attempts > 1 && (code === '40P01' || code === '40001')) return withRetry(work, attempts - 1)
    throw error
  }
}
