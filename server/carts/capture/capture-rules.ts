import type { CapturePost } from '../../../shared/carts/capture.ts'
import { findFirstEmail, normalizePhone } from '../../../shared/core/contact.ts'
import { type KnownLocale, parseLocale } from '../../../shared/core/locale.ts'
import type {
  Contact,
  DeviceClass,
  FactPayload,
  FoldItem,
  ReceivedPost,
  UnconfirmedContacts,
} from '../../core/schema/public.ts'
import { buildContactKeys, hashBrowserTokens, type ShopperKey } from '../../shoppers/shoppers/public.ts'
import { hasSameCoupons, hasSameItems, type NewFact, toLineText } from '../carts/public.ts'

// Reads a capture post, which any client can forge, and keeps what is usable (X5). Pure.

/** Whether a page's origin is the store's URL, as entered or as the store reports it. */
export function isStoreOrigin(store: { url: string; home_url: string }, origin: string): boolean {
  return [store.url, store.home_url].some((url) => new URL(url).origin === origin)
}

/** Longer user agents are cut: the part that identifies a phone comes first. */
const MAX_NAME_LENGTH = 300

/** Device class from the user agent (decision 99); null if there is none. Tablets count as desktops. */
export function readDeviceClass(userAgent: string | undefined): DeviceClass | null {
  const name = (userAgent ?? '').slice(0, MAX_NAME_LENGTH)
  const says = (word: string) => name.includes(word)
  if (says('iPad')) return 'desktop'
  if (says('iPhone') || says('iPod') || says('Mobi')) return 'phone'
  return ['Windows NT', 'Macintosh', 'Linux', 'BSD', 'CrOS', 'Android'].some(says) ? 'desktop' : null
}

/** A snapshot if the post has contents, else a contact; null if nothing is usable. */
export function readPost(
  post: ReceivedPost,
  parentOf: ReadonlyMap<string, string>,
): Extract<FactPayload, { type: 'snapshot' | 'contact' }> | null {
  const contact = markUnconfirmed(buildContact(post), post.unconfirmed)
  const order = {
    page: post.page,
    seq: post.seq,
    ...(post.zone ? { zone: post.zone } : {}),
    ...(post.deviceClass ? { deviceClass: post.deviceClass } : {}),
    ...(post.isBack ? { isBack: true as const } : {}),
    ...readPostLocale(post),
  }
  const toldBy = hashBrowserTokens(post)
  if (post.signed) {
    const { items, currency } = post.signed
    const fields = {
      ...(contact ? { contact } : {}),
      ...(currency ? { currency } : {}),
      toldBy,
      isSigned: true as const,
    }
    return { type: 'snapshot', items, coupons: readCoupons(post), ...fields, ...order }
  }
  if (post.items) {
    const fields = { ...(contact ? { contact } : {}), toldBy }
    return { type: 'snapshot', items: readItems(post.items, parentOf), coupons: readCoupons(post), ...fields, ...order }
  }
  return contact ? { type: 'contact', contact, toldBy, ...order } : null
}

function readPostLocale({ lang, signed }: ReceivedPost): { locale?: KnownLocale } {
  if (signed) return signed.locale ? { locale: signed.locale } : {}
  const tag = parseLocale(lang)
  return tag ? { locale: { tag, source: 'page' } } : {}
}

/** The typed contact, with the customer id of a signed report. */
function buildContact({ contact: typed = {}, signed }: ReceivedPost): Contact | null {
  const contact = readContact(typed)
  if (!signed?.customerId && !signed?.state) return contact
  const { customerId, state } = signed
  return { ...contact, ...(state && { state }), ...(customerId && { customerId }) }
}

/** Returns null if nothing usable was typed. A phone without prefix is read with the country typed beside it. */
export function readContact(typed: NonNullable<CapturePost['contact']>): Contact | null {
  const country = /^[A-Za-z]{2}$/.test(typed.country ?? '') ? typed.country!.toUpperCase() : null
  const email = findFirstEmail(typed.email)
  const phone = normalizePhone(typed.phone, country)
  const firstName = readName(typed.firstName)
  const lastName = readName(typed.lastName)
  const contact: Contact = {
    ...(email ? { email } : {}),
    ...(phone ? { phone } : {}),
    ...(firstName ? { firstName } : {}),
    ...(lastName ? { lastName } : {}),
    ...(country ? { country, countrySource: 'typed' as const } : {}),
  }
  return Object.keys(contact).length > 0 ? contact : null
}

function markUnconfirmed(contact: Contact | null, unconfirmed: UnconfirmedContacts = {}): Contact | null {
  if (!contact) return null
  const { email, phone, ...rest } = contact
  return {
    ...rest,
    ...(email && { [unconfirmed.email ? 'unconfirmedEmail' : 'email']: email }),
    ...(phone && { [unconfirmed.phone ? 'unconfirmedPhone' : 'phone']: phone }),
  }
}

/** Removes control characters and lone surrogates, which the database refuses. */
export function readName(text: string | undefined): string {
  const clean = (text ?? '').toWellFormed().replace(/\p{Cc}+/gu, ' ')
  return clean.trim()
}

/** Sums lines of one product with the same choices. A variation's product comes from the catalogue. */
function readItems(items: NonNullable<CapturePost['items']>, parentOf: ReadonlyMap<string, string>): FoldItem[] {
  const lines = new Map<string, FoldItem>()
  for (const { id, variation, quantity, choices } of items.map(withReadableChoices)) {
    const parent = variation ? undefined : parentOf.get(id)
    const ids = parent ? { productId: parent, variationId: id } : { productId: id, variationId: variation ?? null }
    const line = { ...ids, quantity, ...(choices?.length ? { choices } : {}) }
    const before = lines.get(toLineText(line))?.quantity ?? 0
    lines.set(toLineText(line), { ...line, quantity: Math.min(9_999, before + quantity) })
  }
  return [...lines.values()]
}

function readCoupons(post: CapturePost): string[] {
  return [...new Set((post.coupons ?? []).map((code) => readName(code).toLowerCase()).filter(Boolean))]
}

export function listKeys(post: ReceivedPost, contact: Contact | undefined, storeHost: string): ShopperKey[] {
  return [
    { kind: 'cart', value: post.cart },
    ...(post.device ? [{ kind: 'device' as const, value: post.device }] : []),
    // A draft order joins its cart by its order id (S6).
    ...(post.signed?.draftId ? [{ kind: 'order' as const, value: post.signed.draftId }] : []),
    ...buildContactKeys(contact ?? {}, storeHost),
  ]
}

/** Data of the cart's shopper before a post. */
export interface KnownShopper {
  keys: ShopperKey[]
  contact: Contact
  /** The limit that each unconfirmed contact was above. */
  limits?: UnconfirmedContacts
  /** The newest fact with the cart's contents, or the one that ended it. */
  lastCart: FactPayload | null
  /** The newest sequence number of this page; null for the page's first post. */
  lastSeq: number | null
}

/** The usable part of a post, as a post: reading it again gives the same, and the database accepts all of it. */
export function dropUnusable(post: ReceivedPost): ReceivedPost {
  const { cart, back, device, page, seq, items, coupons, contact, boxes, zone, deviceClass } = post
  const lang = parseLocale(post.lang)
  const { countrySource: _, customerId: __, ...typed } = readContact(contact ?? {}) ?? {}
  return {
    cart,
    page,
    seq,
    ...(back ? { back } : {}),
    ...(device ? { device } : {}),
    ...(items ? { items: items.map(withReadableChoices), coupons: (coupons ?? []).map(readName) } : {}),
    ...(Object.keys(typed).length > 0 ? { contact: typed } : {}),
    ...(boxes ? { boxes: readBoxes(boxes) } : {}),
    ...(zone ? { zone } : {}),
    ...(deviceClass ? { deviceClass } : {}),
    ...(lang ? { lang } : {}),
  }
}

const readBoxes = (boxes: NonNullable<CapturePost['boxes']>) =>
  Object.fromEntries(Object.entries(boxes).map(([channel, id]) => [channel, readName(id)]))

type PostItem = NonNullable<CapturePost['items']>[number]

function withReadableChoices({ choices, ...item }: PostItem): PostItem {
  const readable = (choices ?? [])
    .slice(0, 10)
    .map(({ name, value }) => ({ name: readName(name), value: readName(value) }))
    .filter(({ name, value }) => name && value)
  return readable.length > 0 ? { ...item, choices: readable } : item
}

/** Not compared: part of the keys, derived, or part of an address compared elsewhere. */
const NOT_COMPARED = ['countrySource', 'customerId', 'state']

/**
 * Whether a post brings nothing new (S7). A page's post is dropped only if no earlier post of the page is still under
 * way: otherwise the overtaken post would be the latest.
 */
function isRepeat(
  known: KnownShopper & { isSigned?: boolean },
  payload: Extract<FactPayload, { type: 'snapshot' | 'contact' }>,
  keys: readonly ShopperKey[],
): boolean {
  const [seq, lastSeq] = [payload.seq ?? 0, known.lastSeq ?? -1]
  // The plugin has one queue for all carts; signed-posts.ts records the posts that were dropped.
  if (known.isSigned ? seq <= lastSeq : seq !== lastSeq + 1) return false
  if (!keys.every((key) => known.keys.some((each) => each.kind === key.kind && each.value === key.value))) return false
  const fields = Object.entries(payload.contact ?? {})
  if (fields.some(([name, value]) => !NOT_COMPARED.includes(name) && known.contact[name as keyof Contact] !== value))
    return false
  if (payload.type === 'contact') return true
  const last = known.lastCart
  return (
    last?.type === 'snapshot' &&
    hasReporters(last, payload) &&
    hasSameItems(payload.items, last.items) &&
    hasSameCoupons(payload.coupons, last.coupons)
  )
}

/** The same contents from another browser are new: it may get the cart's notifications too (decision 72). */
const hasReporters = ({ toldBy = [] }: { toldBy?: string[] }, news: { toldBy?: string[] }): boolean =>
  (news.toldBy ?? []).every((mark) => toldBy.includes(mark))

/**
 * Whether a checkout may have emptied the cart: a contact was typed and no purchase is known. Without a contact the
 * order could not be matched to the cart.
 */
export function mayBeOrdered({ payload, known }: Pick<ReadPost, 'payload' | 'known'>): boolean {
  if (payload?.type !== 'snapshot' || payload.items.length > 0) return false
  const last = known?.lastCart
  const isBought = last?.type === 'order' && last.orderKind === 'purchase'
  const { email, phone } = { ...known?.contact, ...payload.contact }
  return !isBought && Boolean(email || phone)
}

/** Addresses new to this cart's shopper. They count towards the limits (X5). */
export function listNewAddresses(known: readonly ShopperKey[], keys: readonly ShopperKey[]): ShopperKey[] {
  return keys.filter(
    (key) =>
      (key.kind === 'email' || key.kind === 'phone') &&
      !known.some((each) => each.kind === key.kind && each.value === key.value),
  )
}

/** The fact of a post, beside what it is compared with. `payload` is null if nothing is usable. */
export interface ReadPost extends Omit<NewFact, 'payload'> {
  post: ReceivedPost
  payload: ReturnType<typeof readPost>
  /** undefined: an unknown cart. */
  known: KnownShopper | undefined
}

type ReadablePost<Post extends ReadPost> = Post & { payload: NonNullable<Post['payload']> }

/** Posts with something new (S7), compared with stored data and with earlier posts of the list. */
export function filterNews<Post extends ReadPost>(posts: readonly Post[]): ReadablePost<Post>[] {
  const carts = new Map<string, KnownShopper>()
  const lastSeqs = new Map<string, number>()
  const isReadable = (read: Post): read is ReadablePost<Post> => read.payload !== null
  return posts.filter(isReadable).filter((read) => {
    const { post, payload, keys, known: stored } = read
    const page = `${post.cart} ${post.page}`
    const lastSeq = lastSeqs.get(page) ?? stored?.lastSeq ?? null
    const before = carts.get(post.cart) ?? stored
    const isSigned = post.signed !== undefined
    if (before && isRepeat({ ...before, lastSeq, isSigned }, payload, keys)) return false
    carts.set(post.cart, addPost(before, read, lastSeq))
    lastSeqs.set(page, Math.max(lastSeq ?? -1, post.seq))
    return true
  })
}

function addPost(
  before: KnownShopper | undefined,
  { post, payload, keys }: ReadablePost<ReadPost>,
  lastSeq: number | null,
): KnownShopper {
  const isOvertaken = lastSeq !== null && post.seq < lastSeq
  const lastCart = isOvertaken || payload.type === 'contact' ? (before?.lastCart ?? null) : payload
  const contact = { ...before?.contact, ...payload.contact }
  return { keys: [...(before?.keys ?? []), ...keys], contact, lastCart, lastSeq }
}
