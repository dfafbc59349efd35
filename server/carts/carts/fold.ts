import type { CheckoutRef, Contact, Episode, FactPayload, Fold, FoldItem } from '../../core/schema/facts.ts'
import { isOfOther, showNext, showSame, withOther, withTeller } from './browsers.ts'
import { lineKey, mergeContact, sameContact, sameCoupons, sameItems } from './same.ts'

// Facts in, episodes out (engine S1–S4, S6, S7). Pure: no clock, no database, no network.
// Sorted by (time, id) the same set of facts gives the same episodes, whatever the order they arrived in.

export interface Fact {
  id: string
  /** Milliseconds since the epoch, UTC. */
  at: number
  payload: FactPayload
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
      return withDevice(withTyped(fold, fact, fact.payload), fact.payload)
    case 'snapshot':
      return withDevice(withSnapshot(fold, fact, fact.payload), fact.payload)
    case 'order':
      return withOrder(fold, fact, fact.payload)
    case 'lost':
      return fold.episode?.status === 'open' ? ended(fold, 'lost', fact.at, null) : fold
  }
}

/** The first browser that tells what it is: an email is often opened on another device. */
function withDevice(fold: Fold, { deviceClass }: Pick<Extract<FactPayload, { type: 'contact' }>, 'deviceClass'>): Fold {
  const { episode } = fold
  if (!deviceClass || episode?.status !== 'open' || episode.deviceClass) return fold
  return { ...fold, episode: { ...episode, deviceClass } }
}

function withTyped(fold: Fold, fact: Fact, typed: Extract<FactPayload, { type: 'contact' }>): Fold {
  if (fold.episode?.status !== 'open') return withContact(fold, fact, typed.contact)
  if (isOfOther(fold.episode, typed)) return withOther(fold, typed, fact.at)
  const known = withContact(fold, fact, typed.contact)
  return { ...known, episode: withTeller(known.episode!, typed, fact.at) }
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
  if (seen.isCompleted) return completed(fold, fact, seen)
  if (fold.episode?.status === 'open' && isOfOther(fold.episode, seen)) return withOther(fold, seen, fact.at)
  const like = seen.toldBy || seen.browsers ? fold : showSame(fold, seen.items)
  const known = seen.contact ? withContact(like, fact, seen.contact) : like
  if (seen.items.length > 0) {
    const filled = withItems(known, fact, seen)
    return filled.episode?.status === 'open'
      ? { ...filled, episode: withTeller(filled.episode, seen, fact.at) }
      : filled
  }
  const episode = known.episode
  if (episode?.status !== 'open') return known
  // An unpaid order was placed of it: the checkout emptied the cart, not the shopper.
  if (episode.pending && fact.at < episode.pending.until) return known
  return showNext(known, fact.at) ?? ended(known, 'emptied', fact.at, null)
}

function withOrder(fold: Fold, fact: Fact, order: Extract<FactPayload, { type: 'order' }>): Fold {
  const before = fold.orders[order.orderId]
  if (order.parentId && fold.orders[order.parentId] === 'purchase') {
    return { ...fold, orders: { ...fold.orders, [order.orderId]: order.orderKind } } // a part of what was bought (A6)
  }
  if (before === 'purchase') return fold // later states of a paid order move money, never carts (S3)
  const orders = { ...fold.orders, [order.orderId]: order.orderKind }
  if (order.orderKind === 'purchase') return purchased({ ...fold, orders: withWhole(orders, order) }, fact, order)
  const settled = { ...fold, orders, episode: withoutPending(fold.episode, order.orderId) }
  const isShoppers = order.orderKind === 'draft' || order.orderKind === 'pending' || order.orderKind === 'failed'
  if (order.isStaff || order.parentId || !isShoppers || order.items.length === 0) return settled
  // A placed order changes when its state does; what else is changed in it is the staff's doing (S1).
  const isPlaced = order.orderKind !== 'draft'
  const isActivity = isPlaced ? order.orderKind !== before : undefined
  const known = withContact(showSame(settled, order.items), fact, order.contact, isActivity)
  const filled = byStore(withItems(known, fact, order, isActivity), isActivity === false ? null : fact.at)
  if (order.orderKind !== 'pending' || filled.episode?.status !== 'open') return filled
  const since =
    before === 'pending' && fold.episode?.pending?.orderId === order.orderId
      ? fold.episode.pending.until
      : fact.at + PENDING_MS
  return { ...filled, episode: { ...filled.episode, pending: { orderId: order.orderId, until: since } } }
}

/** `at`: of what the shopper did; null: not an act of the shopper. */
function byStore(fold: Fold, at: number | null): Fold {
  if (fold.episode?.status !== 'open') return fold
  return { ...fold, episode: { ...fold.episode, isProven: true, ...(at !== null && { toldAt: at }) } }
}

/** A part that is known first says that the whole was bought. */
const withWhole = (orders: Fold['orders'], { parentId }: Extract<FactPayload, { type: 'order' }>): Fold['orders'] =>
  parentId ? { ...orders, [parentId]: 'purchase' } : orders

interface Contents {
  items: FoldItem[]
  coupons: string[]
  toldBy?: string[]
  currency?: string
  checkout?: CheckoutRef
}

/** New contents: activity when they differ (or as `isActivity` says), the start of an episode when none is open. */
function withItems(fold: Fold, fact: Fact, contents: Contents, isActivity?: boolean): Fold {
  const { items, coupons, currency = null } = contents
  const episode = fold.episode
  if (episode?.status === 'open') {
    const isChanged = isActivity ?? (!sameItems(items, episode.items) || !sameCoupons(coupons, episode.coupons))
    const { toldBy: tellers = [], ...known } = episode
    return {
      ...fold,
      episode: {
        ...known,
        ...tellersOf(contents, sameItems(items, episode.items) ? tellers : []),
        items: keepNames(items, episode.items),
        coupons,
        currency: currency ?? episode.currency,
        ...(contents.checkout && { checkout: contents.checkout }),
        lastActivityAt: isChanged ? Math.max(episode.lastActivityAt, fact.at) : episode.lastActivityAt,
      },
    }
  }
  if (isActivity === false || (episode && isEcho(episode, fact.at, items))) return fold
  const begun = { ...opened(fact, items, coupons, fold.contact, currency), ...tellersOf(contents, []) }
  return { ...fold, episode: { ...begun, ...(contents.checkout && { checkout: contents.checkout }) } }
}

/** So many marks: those of twenty browsers. The newest stay. */
const MOST_TELLERS = 40

/** Who knows these contents: whoever tells of them, and whoever told of just the same before (decision 72). */
function tellersOf({ toldBy = [] }: Contents, before: readonly string[]): Pick<Episode, 'toldBy'> {
  const all = [...before.filter((mark) => !toldBy.includes(mark)), ...toldBy]
  return all.length > 0 ? { toldBy: all.slice(-MOST_TELLERS) } : {}
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

/** A checkout that became an order ends the episode; which order it was is told by the order (S3). */
function completed(fold: Fold, fact: Fact, { contact }: Extract<FactPayload, { type: 'snapshot' }>): Fold {
  const known = contact ? { ...fold, contact: mergeContact(fold.contact, contact) } : fold
  if (!fold.episode || !isEndable(fold.episode, fact.at)) return known
  return ended(known, 'purchased', fact.at, null)
}

/** Open, given up, or emptied by the checkout itself. */
const isEndable = ({ status, endedAt }: Episode, at: number): boolean =>
  status === 'open' || status === 'lost' || (status === 'emptied' && at - (endedAt ?? 0) <= EMPTIED_BY_CHECKOUT_MS)

/** A purchase ends the open episode, and one that was given up or emptied by the checkout itself (S3). */
function purchased(fold: Fold, fact: Fact, order: Extract<FactPayload, { type: 'order' }>): Fold {
  const known = { ...fold, contact: mergeContact(fold.contact, order.contact) }
  const episode = fold.episode
  if (!episode || !isShoppersOwn(order, episode)) return known
  const isOfCheckout = episode.status === 'purchased' && episode.orderId === null
  if (!isOfCheckout && !isEndable(episode, fact.at)) return known
  const closed = ended(known, 'purchased', fact.at, order.orderId)
  return { ...closed, episode: { ...closed.episode!, contact: known.contact } }
}

/** A renewal is no act of the shopper, unless a checkout with just that in the cart paid it. */
function isShoppersOwn({ renewal, items }: Extract<FactPayload, { type: 'order' }>, episode: Episode): boolean {
  if (!renewal) return true
  const bought = new Set(items.map(lineKey))
  return renewal === 'paid' && episode.items.length > 0 && episode.items.every((item) => bought.has(lineKey(item)))
}

function ended(fold: Fold, status: Episode['status'], at: number, orderId: string | null): Fold {
  const { others: _, ...episode } = fold.episode!
  return { ...fold, episode: { ...episode, status, endedAt: at, orderId, pending: null } }
}

function withoutPending(episode: Episode | null, orderId: string): Episode | null {
  return episode?.pending?.orderId === orderId ? { ...episode, pending: null } : episode
}

function isEcho(episode: Episode, at: number, items: FoldItem[]): boolean {
  return episode.status === 'purchased' && at - (episode.endedAt ?? 0) <= ECHO_MS && sameItems(items, episode.items)
}

/**
 * A browser names ids only: names and prices the store told for the same line are kept. So is what was chosen of it, where the newer
 * source tells less.
 */
function keepNames(items: FoldItem[], before: readonly FoldItem[]): FoldItem[] {
  const known = new Map(before.map((item) => [lineKey(item), item]))
  return items.map((item) => {
    const { choices = [], ...line } = known.get(lineKey(item)) ?? {}
    const kept = choices.length > (item.choices?.length ?? 0) ? { choices } : {}
    return item.name === undefined ? { ...line, ...item, ...kept } : { ...item, ...kept }
  })
}
