import { chooseKnownLocale, type KnownLocale } from '../../../shared/core/locale.ts'
import type { CheckoutRef, Contact, Episode, FactPayload, Fold, FoldItem } from '../../core/schema/public.ts'
import { addReporter, isFromOtherBrowser, showCartWithItems, showNextCart, storeOtherCart } from './browsers.ts'
import { buildLineKey, hasSameContact, hasSameCoupons, hasSameItems, mergeContact } from './compare.ts'

// Folds facts into episodes (engine S1–S4, S6, S7). Pure: no clock, no database, no network.
// Facts are sorted by (time, id), so the order of arrival does not change the episodes.

export interface Fact {
  id: string
  /** Milliseconds since the epoch, UTC. */
  at: number
  payload: FactPayload
}

export const emptyFold: Fold = { episode: null, contact: {}, orders: {} }

/** A pending payment holds messages this long (S4). */
export const PENDING_MS = 24 * 3_600_000
/** A snapshot of the bought items this soon after the purchase is an echo of the checkout, not a new cart. */
const ECHO_MS = 15 * 60_000
/** A checkout may empty the cart before its order is dated. A purchase within this time still ends that episode. */
const EMPTIED_BY_CHECKOUT_MS = 60 * 60_000

export interface FoldResult {
  fold: Fold
  /** In order of start; the first may continue `from.episode`. */
  episodes: Episode[]
}

/** Applies facts to a fold. `facts` must be sorted by `compareFacts`. */
export function foldFacts(from: Fold, facts: readonly Fact[]): FoldResult {
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
  const next = applyContents(fold, fact)
  const locale = readLocale(fold, fact.payload)
  return locale ? { ...next, locale: chooseKnownLocale(fold.locale, locale) } : next
}

/** The language of a fact. Another browser may be another person's, and staff place orders in their own language. */
function readLocale({ episode }: Fold, payload: FactPayload): KnownLocale | undefined {
  if (payload.type === 'lost' || (payload.type === 'order' && payload.isStaff)) return undefined
  if (payload.type === 'order' || payload.isSigned || episode?.status !== 'open') return payload.locale
  return isFromOtherBrowser(episode, payload) ? undefined : payload.locale
}

function applyContents(fold: Fold, fact: Fact): Fold {
  switch (fact.payload.type) {
    case 'contact':
      return withDevice(applyContact(fold, fact, fact.payload), fact.payload)
    case 'snapshot':
      return withDevice(applySnapshot(fold, fact, fact.payload), fact.payload)
    case 'order':
      return applyOrder(fold, fact, fact.payload)
    case 'lost':
      return fold.episode?.status === 'open' ? endEpisode(fold, 'lost', fact.at, null) : fold
  }
}

/** Keeps the first known device of an episode: emails are often opened on another device. */
function withDevice(fold: Fold, { deviceClass }: Pick<Extract<FactPayload, { type: 'contact' }>, 'deviceClass'>): Fold {
  const { episode } = fold
  if (!deviceClass || episode?.status !== 'open' || episode.deviceClass) return fold
  return { ...fold, episode: { ...episode, deviceClass } }
}

function applyContact(fold: Fold, fact: Fact, typed: Extract<FactPayload, { type: 'contact' }>): Fold {
  if (fold.episode?.status !== 'open') return withContact(fold, fact, typed.contact)
  if (isFromOtherBrowser(fold.episode, typed)) return storeOtherCart(fold, typed, fact.at)
  const known = withContact(fold, fact, typed.contact)
  return { ...known, episode: addReporter(known.episode!, typed, fact.at) }
}

/** If `isActivity` is undefined, any new value counts as activity. */
function withContact(fold: Fold, fact: Fact, contact: Contact, isActivity?: boolean): Fold {
  const merged = mergeContact(fold.contact, contact)
  if (fold.episode?.status !== 'open') return { ...fold, contact: merged }
  const isNews = isActivity ?? !hasSameContact(merged, fold.contact)
  const episode = { ...fold.episode, contact: merged }
  if (isNews) episode.lastActivityAt = Math.max(episode.lastActivityAt, fact.at)
  return { ...fold, contact: merged, episode }
}

function applySnapshot(fold: Fold, fact: Fact, snapshot: Extract<FactPayload, { type: 'snapshot' }>): Fold {
  if (snapshot.isCompleted) return completeCheckout(fold, fact, snapshot)
  if (fold.episode?.status === 'open' && isFromOtherBrowser(fold.episode, snapshot))
    return storeOtherCart(fold, snapshot, fact.at)
  const like = snapshot.toldBy || snapshot.browsers ? fold : showCartWithItems(fold, snapshot.items)
  const known = snapshot.contact ? withContact(like, fact, snapshot.contact) : like
  if (snapshot.items.length > 0) {
    const filled = withItems(known, fact, snapshot)
    return filled.episode?.status === 'open'
      ? { ...filled, episode: addReporter(filled.episode, snapshot, fact.at) }
      : filled
  }
  const episode = known.episode
  if (episode?.status !== 'open') return known
  // An unpaid order exists: the checkout emptied the cart, not the shopper.
  if (episode.pending && fact.at < episode.pending.until) return known
  return showNextCart(known, fact.at) ?? endEpisode(known, 'emptied', fact.at, null)
}

function applyOrder(fold: Fold, fact: Fact, order: Extract<FactPayload, { type: 'order' }>): Fold {
  const before = fold.orders[order.orderId]
  if (order.parentId && fold.orders[order.parentId] === 'purchase') {
    return { ...fold, orders: { ...fold.orders, [order.orderId]: order.orderKind } } // a part of what was bought (A6)
  }
  if (before === 'purchase') return fold // later states of a paid order move money, never carts (S3)
  const orders = { ...fold.orders, [order.orderId]: order.orderKind }
  if (order.orderKind === 'purchase')
    return applyPurchase({ ...fold, orders: addParentOrder(orders, order) }, fact, order)
  const settled = { ...fold, orders, episode: removePending(fold.episode, order.orderId) }
  const isShoppers = order.orderKind === 'draft' || order.orderKind === 'pending' || order.orderKind === 'failed'
  if (order.isStaff || order.parentId || !isShoppers || order.items.length === 0) return settled
  // A placed order is shopper activity only when its state changes; other changes are made by staff (S1).
  const isPlaced = order.orderKind !== 'draft'
  const isActivity = isPlaced ? order.orderKind !== before : undefined
  const known = withContact(showCartWithItems(settled, order.items), fact, order.contact, isActivity)
  const filled = markProven(withItems(known, fact, order, isActivity), isActivity === false ? null : fact.at)
  if (order.orderKind !== 'pending' || filled.episode?.status !== 'open') return filled
  const since =
    before === 'pending' && fold.episode?.pending?.orderId === order.orderId
      ? fold.episode.pending.until
      : fact.at + PENDING_MS
  return { ...filled, episode: { ...filled.episode, pending: { orderId: order.orderId, until: since } } }
}

/** `at`: time of the shopper's action; null if the shopper did nothing. */
function markProven(fold: Fold, at: number | null): Fold {
  if (fold.episode?.status !== 'open') return fold
  return { ...fold, episode: { ...fold.episode, isProven: true, ...(at !== null && { toldAt: at }) } }
}

/** If the part of a split order arrives first, it proves that the whole was bought. */
const addParentOrder = (
  orders: Fold['orders'],
  { parentId }: Extract<FactPayload, { type: 'order' }>,
): Fold['orders'] => (parentId ? { ...orders, [parentId]: 'purchase' } : orders)

interface CartContents {
  items: FoldItem[]
  coupons: string[]
  toldBy?: string[]
  currency?: string
  checkout?: CheckoutRef
}

/**
 * Sets the contents and opens an episode if none is open. Changed contents are activity unless `isActivity` is given.
 */
function withItems(fold: Fold, fact: Fact, contents: CartContents, isActivity?: boolean): Fold {
  const { items, coupons, currency = null } = contents
  const episode = fold.episode
  if (episode?.status === 'open') {
    const isChanged = isActivity ?? (!hasSameItems(items, episode.items) || !hasSameCoupons(coupons, episode.coupons))
    const { toldBy: tellers = [], ...known } = episode
    return {
      ...fold,
      episode: {
        ...known,
        ...mergeReporters(contents, hasSameItems(items, episode.items) ? tellers : []),
        items: keepNames(items, episode.items),
        coupons,
        currency: currency ?? episode.currency,
        ...(contents.checkout && { checkout: contents.checkout }),
        lastActivityAt: isChanged ? Math.max(episode.lastActivityAt, fact.at) : episode.lastActivityAt,
      },
    }
  }
  if (isActivity === false || (episode && isEcho(episode, fact.at, items))) return fold
  const begun = { ...openEpisode(fact, items, coupons, fold.contact, currency), ...mergeReporters(contents, []) }
  return { ...fold, episode: { ...begun, ...(contents.checkout && { checkout: contents.checkout }) } }
}

/** Limit of marks, enough for twenty browsers. The newest are kept. */
const MAX_REPORTERS = 40

/** Marks of all browsers that reported exactly these contents (decision 72). */
function mergeReporters({ toldBy = [] }: CartContents, before: readonly string[]): Pick<Episode, 'toldBy'> {
  const all = [...before.filter((mark) => !toldBy.includes(mark)), ...toldBy]
  return all.length > 0 ? { toldBy: all.slice(-MAX_REPORTERS) } : {}
}

function openEpisode(
  fact: Fact,
  items: FoldItem[],
  coupons: string[],
  contact: Contact,
  currency: string | null,
): Episode {
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

/** A completed checkout ends the episode. Its order follows and supplies the order id (S3). */
function completeCheckout(fold: Fold, fact: Fact, { contact }: Extract<FactPayload, { type: 'snapshot' }>): Fold {
  const known = contact ? { ...fold, contact: mergeContact(fold.contact, contact) } : fold
  if (!fold.episode || !isEndable(fold.episode, fact.at)) return known
  return endEpisode(known, 'purchased', fact.at, null)
}

/** Open, lost, or emptied by the checkout itself. */
const isEndable = ({ status, endedAt }: Episode, at: number): boolean =>
  status === 'open' || status === 'lost' || (status === 'emptied' && at - (endedAt ?? 0) <= EMPTIED_BY_CHECKOUT_MS)

/** A purchase ends an open or lost episode, and one that the checkout has just emptied (S3). */
function applyPurchase(fold: Fold, fact: Fact, order: Extract<FactPayload, { type: 'order' }>): Fold {
  const known = { ...fold, contact: mergeContact(fold.contact, order.contact) }
  const episode = fold.episode
  if (!episode || !isShopperAction(order, episode)) return known
  const isOfCheckout = episode.status === 'purchased' && episode.orderId === null
  if (!isOfCheckout && !isEndable(episode, fact.at)) return known
  const closed = endEpisode(known, 'purchased', fact.at, order.orderId)
  return { ...closed, episode: { ...closed.episode!, contact: known.contact } }
}

/** A renewal is not an action of the shopper, unless a checkout of exactly this cart paid it. */
function isShopperAction({ renewal, items }: Extract<FactPayload, { type: 'order' }>, episode: Episode): boolean {
  if (!renewal) return true
  const bought = new Set(items.map(buildLineKey))
  return renewal === 'paid' && episode.items.length > 0 && episode.items.every((item) => bought.has(buildLineKey(item)))
}

function endEpisode(fold: Fold, status: Episode['status'], at: number, orderId: string | null): Fold {
  const { others: _, ...episode } = fold.episode!
  return { ...fold, episode: { ...episode, status, endedAt: at, orderId, pending: null } }
}

function removePending(episode: Episode | null, orderId: string): Episode | null {
  return episode?.pending?.orderId === orderId ? { ...episode, pending: null } : episode
}

function isEcho(episode: Episode, at: number, items: FoldItem[]): boolean {
  return episode.status === 'purchased' && at - (episode.endedAt ?? 0) <= ECHO_MS && hasSameItems(items, episode.items)
}

/**
 * Browsers report ids only, so names and prices from the store are kept for the same line. Choices are kept if the
 * newer source reports fewer.
 */
function keepNames(items: FoldItem[], before: readonly FoldItem[]): FoldItem[] {
  const known = new Map(before.map((item) => [buildLineKey(item), item]))
  return items.map((item) => {
    const { choices = [], ...line } = known.get(buildLineKey(item)) ?? {}
    const added = choices.length > (item.choices?.length ?? 0) ? { choices } : {}
    return item.name === undefined ? { ...line, ...item, ...added } : { ...item, ...added }
  })
}
