// Facts in, episodes out (engine S1–S4, S6, S7). Pure: no clock, no database, no network.
// Sorted by (time, id) the same set of facts gives the same episodes, whatever the order they arrived in.

export interface FoldItem {
  productId: string
  variationId: string | null
  quantity: number
  /** Only from the store's own records; a browser's word on names and prices is not taken (X5). */
  name?: string
  sku?: string | null
  unitPriceMinor?: number
  imageUrl?: string | null
}

export interface Contact {
  email?: string
  phone?: string
  firstName?: string
  lastName?: string
  /** Alpha-2, with where it was read (C6). */
  country?: string
  countrySource?: 'address' | 'typed'
  /** Of an address in the United States (T2); no news of a person. */
  state?: string
  customerId?: string
}

export type OrderKind = 'draft' | 'pending' | 'failed' | 'cancelled' | 'trashed' | 'purchase'

export type FactPayload =
  | { type: 'snapshot'; items: FoldItem[]; coupons: string[]; contact?: Contact; page?: string; seq?: number }
  | { type: 'contact'; contact: Contact; page?: string; seq?: number }
  | {
      type: 'order'
      orderId: string
      orderKind: OrderKind
      isStaff: boolean
      items: FoldItem[]
      coupons: string[]
      contact: Contact
      currency: string
    }
  | { type: 'lost' }

export interface Fact {
  id: string
  /** Milliseconds since the epoch, UTC. */
  at: number
  payload: FactPayload
}

export interface Episode {
  status: 'open' | 'purchased' | 'emptied' | 'lost'
  openingFactId: string
  startedAt: number
  lastActivityAt: number
  endedAt: number | null
  items: FoldItem[]
  coupons: string[]
  contact: Contact
  currency: string | null
  /** A placed order awaits its payment: nothing is sent before `until` (S4). */
  pending: { orderId: string; until: number } | null
  /** The order that ended it. */
  orderId: string | null
}

/** What is known of a shopper after the newest fact; kept on the newest cart, so that the next fact need not read them all. */
export interface Fold {
  episode: Episode | null
  contact: Contact
  /** Order id → its kind when last seen; a purchase stays one. */
  orders: Record<string, OrderKind>
}

export const emptyFold: Fold = { episode: null, contact: {}, orders: {} }

/** Pending payment holds messages this long (S4). */
export const PENDING_MS = 24 * 3_600_000
/** A snapshot of just what was bought, arriving this soon after the purchase, is the checkout's echo and no new cart. */
const ECHO_MS = 15 * 60_000
/** A checkout may empty the cart moments before its order is dated: a purchase this soon after still ends that episode. */
const EMPTIED_BY_CHECKOUT_MS = 60 * 60_000

export interface Folded {
  fold: Fold
  /** Episodes in the order they began; the first may continue `from.episode`. */
  episodes: Episode[]
}

/** Applies facts, oldest first, to what was known. `facts` must be sorted by `compareFacts`. */
export function foldFacts(from: Fold, facts: readonly Fact[]): Folded {
  let fold = from
  const episodes: Episode[] = []
  for (const fact of facts) {
    const next = applyFact(fold, fact)
    const isNew = next.episode?.openingFactId !== fold.episode?.openingFactId
    if (isNew && fold.episode) episodes.push(fold.episode)
    fold = next
  }
  if (fold.episode) episodes.push(fold.episode)
  return { fold, episodes }
}

export function compareFacts(a: { at: number; id: string }, b: { at: number; id: string }): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

export function applyFact(fold: Fold, fact: Fact): Fold {
  switch (fact.payload.type) {
    case 'contact':
      return withContact(fold, fact, fact.payload.contact)
    case 'snapshot':
      return withSnapshot(fold, fact, fact.payload)
    case 'order':
      return withOrder(fold, fact, fact.payload)
    case 'lost':
      return fold.episode?.status === 'open' ? ended(fold, 'lost', fact.at, null) : fold
  }
}

/** `isActivity` undefined: it is when it says anything new. */
function withContact(fold: Fold, fact: Fact, contact: Contact, isActivity?: boolean): Fold {
  const merged = mergeContact(fold.contact, contact)
  if (fold.episode?.status !== 'open') return { ...fold, contact: merged }
  const isNews = isActivity ?? !sameContact(merged, fold.contact)
  const episode = { ...fold.episode, contact: merged }
  if (isNews) episode.lastActivityAt = Math.max(episode.lastActivityAt, fact.at)
  return { ...fold, contact: merged, episode }
}

function withSnapshot(fold: Fold, fact: Fact, seen: Extract<FactPayload, { type: 'snapshot' }>): Fold {
  const known = seen.contact ? withContact(fold, fact, seen.contact) : fold
  if (seen.items.length > 0) return withItems(known, fact, seen)
  const episode = known.episode
  if (episode?.status !== 'open') return known
  // An unpaid order was placed of it: the checkout emptied the cart, not the shopper.
  if (episode.pending && fact.at < episode.pending.until) return known
  return ended(known, 'emptied', fact.at, null)
}

function withOrder(fold: Fold, fact: Fact, order: Extract<FactPayload, { type: 'order' }>): Fold {
  const before = fold.orders[order.orderId]
  if (before === 'purchase') return fold // later states of a paid order move money, never carts (S3)
  const orders = { ...fold.orders, [order.orderId]: order.orderKind }
  if (order.orderKind === 'purchase') return purchased({ ...fold, orders }, fact, order)
  const settled = { ...fold, orders, episode: withoutPending(fold.episode, order.orderId) }
  const isShoppers = order.orderKind === 'draft' || order.orderKind === 'pending' || order.orderKind === 'failed'
  if (order.isStaff || !isShoppers || order.items.length === 0) return settled
  // A placed order changes when its state does; what else is changed in it is the staff's doing (S1).
  const isPlaced = order.orderKind !== 'draft'
  const isActivity = isPlaced ? order.orderKind !== before : undefined
  const known = withContact(settled, fact, order.contact, isActivity)
  const filled = withItems(known, fact, order, isActivity)
  if (order.orderKind !== 'pending' || filled.episode?.status !== 'open') return filled
  const since =
    before === 'pending' && fold.episode?.pending?.orderId === order.orderId
      ? fold.episode.pending.until
      : fact.at + PENDING_MS
  return { ...filled, episode: { ...filled.episode, pending: { orderId: order.orderId, until: since } } }
}

interface Contents {
  items: FoldItem[]
  coupons: string[]
  currency?: string
}

/** New contents: activity when they differ (or as `isActivity` says), the start of an episode when none is open. */
function withItems(fold: Fold, fact: Fact, contents: Contents, isActivity?: boolean): Fold {
  const { items, coupons, currency = null } = contents
  const episode = fold.episode
  if (episode?.status === 'open') {
    const isChanged = isActivity ?? (!sameItems(items, episode.items) || !sameCoupons(coupons, episode.coupons))
    return {
      ...fold,
      episode: {
        ...episode,
        items: keepNames(items, episode.items),
        coupons,
        currency: currency ?? episode.currency,
        lastActivityAt: isChanged ? Math.max(episode.lastActivityAt, fact.at) : episode.lastActivityAt,
      },
    }
  }
  if (isActivity === false || (episode && isEcho(episode, fact.at, items))) return fold
  return { ...fold, episode: opened(fact, items, coupons, fold.contact, currency) }
}

function opened(fact: Fact, items: FoldItem[], coupons: string[], contact: Contact, currency: string | null): Episode {
  return {
    status: 'open',
    openingFactId: fact.id,
    startedAt: fact.at,
    lastActivityAt: fact.at,
    endedAt: null,
    items,
    coupons,
    contact,
    currency,
    pending: null,
    orderId: null,
  }
}

/** A purchase ends the open episode, and one that was given up or emptied by the checkout itself (S3). */
function purchased(fold: Fold, fact: Fact, order: Extract<FactPayload, { type: 'order' }>): Fold {
  const known = { ...fold, contact: mergeContact(fold.contact, order.contact) }
  const episode = fold.episode
  if (!episode) return known
  const isEndable =
    episode.status === 'open' ||
    episode.status === 'lost' ||
    (episode.status === 'emptied' && fact.at - (episode.endedAt ?? 0) <= EMPTIED_BY_CHECKOUT_MS)
  if (!isEndable) return known
  const closed = ended(known, 'purchased', fact.at, order.orderId)
  return { ...closed, episode: { ...closed.episode!, contact: known.contact } }
}

function ended(fold: Fold, status: Episode['status'], at: number, orderId: string | null): Fold {
  return { ...fold, episode: { ...fold.episode!, status, endedAt: at, orderId, pending: null } }
}

function withoutPending(episode: Episode | null, orderId: string): Episode | null {
  return episode?.pending?.orderId === orderId ? { ...episode, pending: null } : episode
}

function isEcho(episode: Episode, at: number, items: FoldItem[]): boolean {
  return episode.status === 'purchased' && at - (episode.endedAt ?? 0) <= ECHO_MS && sameItems(items, episode.items)
}

/** Newer words win field by field; what is not said stays. */
export function mergeContact(before: Contact, news: Contact): Contact {
  const said = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined && value !== ''))
  return { ...before, ...said }
}

const sameContact = (a: Contact, b: Contact) =>
  a.email === b.email && a.phone === b.phone && a.firstName === b.firstName && a.lastName === b.lastName

const lineKey = (item: FoldItem) => `${item.productId}:${item.variationId ?? ''}`

/** Same products and quantities, in any order. */
export function sameItems(a: readonly FoldItem[], b: readonly FoldItem[]): boolean {
  if (a.length !== b.length) return false
  const quantities = new Map(a.map((item) => [lineKey(item), item.quantity]))
  return quantities.size === a.length && b.every((item) => quantities.get(lineKey(item)) === item.quantity)
}

export const sameCoupons = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n')

/** A browser names ids only: names and prices the store told for the same line are kept. */
function keepNames(items: FoldItem[], before: readonly FoldItem[]): FoldItem[] {
  const known = new Map(before.map((item) => [lineKey(item), item]))
  return items.map((item) => (item.name === undefined ? { ...known.get(lineKey(item)), ...item } : item))
}
