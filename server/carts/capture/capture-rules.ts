import type { CapturePost } from '../../../shared/capture.ts'
import { firstEmail, normalizePhone } from '../../../shared/contact.ts'
import { lineOf, sameCoupons, sameItems } from '../carts/same.ts'
import type {
  AdmittedPost,
  Contact,
  DeviceClass,
  FactPayload,
  FoldItem,
  PlacedPost,
  Unconfirmed,
} from '../../core/schema/facts.ts'
import { browserMarks, contactKeys, type ShopperKey } from '../../shoppers/shoppers/rules.ts'

// Capture: from a post that anybody can write to what is taken from it (X5). Pure.

/** The origins a store's pages have: as it was entered, and as the store calls itself. */
export function isOriginOf(store: { url: string; home_url: string }, origin: string): boolean {
  return [store.url, store.home_url].some((url) => new URL(url).origin === origin)
}

/** Longer names are cut: what tells a phone stands in the first words. */
const MOST_OF_NAME = 300

/** What a browser calls itself, reduced to what the figures ask (decision 99); null: it does not say. Tablets count as desktops. */
export function deviceClassOf(userAgent: string | undefined): DeviceClass | null {
  const name = (userAgent ?? '').slice(0, MOST_OF_NAME)
  const says = (word: string) => name.includes(word)
  if (says('iPad')) return 'desktop'
  if (says('iPhone') || says('iPod') || says('Mobi')) return 'phone'
  return ['Windows NT', 'Macintosh', 'Linux', 'BSD', 'CrOS', 'Android'].some(says) ? 'desktop' : null
}

/** A snapshot when the post tells of the cart, else contact; null when nothing of it can be used. */
export function readPost(
  post: AdmittedPost,
  parentOf: ReadonlyMap<string, string>,
): Extract<FactPayload, { type: 'snapshot' | 'contact' }> | null {
  const contact = withUnconfirmed(contactOf(post), post.unconfirmed)
  const order = {
    ...{ page: post.page, seq: post.seq },
    ...(post.zone ? { zone: post.zone } : {}),
    ...(post.deviceClass ? { deviceClass: post.deviceClass } : {}),
    ...(post.isBack ? { isBack: true as const } : {}),
  }
  const toldBy = browserMarks(post)
  if (post.signed) {
    const { items, currency } = post.signed
    const said = { ...(contact ? { contact } : {}), ...(currency ? { currency } : {}), toldBy, isSigned: true as const }
    return { type: 'snapshot', items, coupons: readCoupons(post), ...said, ...order }
  }
  if (post.items) {
    const said = { ...(contact ? { contact } : {}), toldBy }
    return { type: 'snapshot', items: readItems(post.items, parentOf), coupons: readCoupons(post), ...said, ...order }
  }
  return contact ? { type: 'contact', contact, toldBy, ...order } : null
}

/** What was typed, and who the shop says is logged in. */
function contactOf({ contact: typed = {}, signed }: AdmittedPost): Contact | null {
  const contact = readContact(typed)
  if (!signed?.customerId && !signed?.state) return contact
  const { customerId, state } = signed
  return { ...contact, ...(state && { state }), ...(customerId && { customerId }) }
}

/** null when nothing usable was typed. A phone without its country's prefix is read by the country typed with it. */
export function readContact(typed: NonNullable<CapturePost['contact']>): Contact | null {
  const country = /^[A-Za-z]{2}$/.test(typed.country ?? '') ? typed.country!.toUpperCase() : null
  const email = firstEmail(typed.email)
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

function withUnconfirmed(contact: Contact | null, unconfirmed: Unconfirmed = {}): Contact | null {
  if (!contact) return null
  const { email, phone, ...rest } = contact
  return {
    ...rest,
    ...(email && { [unconfirmed.email ? 'unconfirmedEmail' : 'email']: email }),
    ...(phone && { [unconfirmed.phone ? 'unconfirmedPhone' : 'phone']: phone }),
  }
}

/** Control characters and halves of characters do not survive; the database would refuse them. */
export function readName(text: string | undefined): string {
  const clean = (text ?? '').toWellFormed().replace(/\p{Cc}+/gu, ' ')
  return clean.trim()
}

/** Lines of one product, chosen alike, are one line. A variation is told by its own id; the catalogue knows whose it is. */
function readItems(items: NonNullable<CapturePost['items']>, parentOf: ReadonlyMap<string, string>): FoldItem[] {
  const lines = new Map<string, FoldItem>()
  for (const { id, variation, quantity, choices } of items.map(withReadableChoices)) {
    const parent = variation ? undefined : parentOf.get(id)
    const ids = parent ? { productId: parent, variationId: id } : { productId: id, variationId: variation ?? null }
    const line = { ...ids, quantity, ...(choices?.length ? { choices } : {}) }
    const before = lines.get(lineOf(line))?.quantity ?? 0
    lines.set(lineOf(line), { ...line, quantity: Math.min(9_999, before + quantity) })
  }
  return [...lines.values()]
}

function readCoupons(post: CapturePost): string[] {
  return [...new Set((post.coupons ?? []).map((code) => readName(code).toLowerCase()).filter(Boolean))]
}

export function keysOf(post: PlacedPost, contact: Contact | undefined, storeHost: string): ShopperKey[] {
  return [
    { kind: 'cart', value: post.cart },
    ...(post.device ? [{ kind: 'device' as const, value: post.device }] : []),
    // A draft order joins its cart by its number (S6).
    ...(post.signed?.draftId ? [{ kind: 'order' as const, value: post.signed.draftId }] : []),
    ...contactKeys(contact ?? {}, storeHost),
  ]
}

/** What is known of the cart's shopper before a post. */
export interface KnownShopper {
  keys: ShopperKey[]
  contact: Contact
  /** Which limit the unconfirmed part of the contact was above. */
  limits?: Unconfirmed
  /** The newest fact that said what is in the cart, or ended it. */
  lastCart: FactPayload | null
  /** The newest sequence number of this post's page; null when it is the page's first. */
  lastSeq: number | null
}

/** What is taken of a post, as a post: read again it says the same, and nothing in it is refused by the database. */
export function onlyReadable(post: PlacedPost): PlacedPost {
  const { cart, back, device, page, seq, items, coupons, contact, boxes, zone, deviceClass } = post
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

/** Told by the keys, by the place it was read at, or of an address that is compared itself. */
const NOT_COMPARED = ['countrySource', 'customerId', 'state']

/**
 * Whether a post says nothing new (S7). Of a page's posts only when nothing of its page is still under way: dropped too early, a post that was
 * overtaken would have the last word.
 */
export function isRepeat(
  known: KnownShopper & { isSigned?: boolean },
  payload: Extract<FactPayload, { type: 'snapshot' | 'contact' }>,
  keys: readonly ShopperKey[],
): boolean {
  const [seq, lastSeq] = [payload.seq ?? 0, known.lastSeq ?? -1]
  // A plugin has one queue for all carts; what is left out of it is noted (signed-posts.ts).
  if (known.isSigned ? seq <= lastSeq : seq !== lastSeq + 1) return false
  if (!keys.every((key) => known.keys.some((each) => each.kind === key.kind && each.value === key.value))) return false
  const said = Object.entries(payload.contact ?? {})
  if (said.some(([name, value]) => !NOT_COMPARED.includes(name) && known.contact[name as keyof Contact] !== value))
    return false
  if (payload.type === 'contact') return true
  const last = known.lastCart
  return (
    last?.type === 'snapshot' &&
    hasToldOf(last, payload) &&
    sameItems(payload.items, last.items) &&
    sameCoupons(payload.coupons, last.coupons)
  )
}

/** Another browser with the same in its cart is news: the cart's notifications are for it too (decision 72). */
const hasToldOf = ({ toldBy = [] }: { toldBy?: string[] }, news: { toldBy?: string[] }): boolean =>
  (news.toldBy ?? []).every((mark) => toldBy.includes(mark))

/**
 * Whether a checkout may have emptied the cart: somebody typed a contact there, and no purchase is known. Without a contact the cart
 * could not be joined to its order.
 */
export function mayBeOrdered({ payload, known }: Pick<ReadPost, 'payload' | 'known'>): boolean {
  if (payload?.type !== 'snapshot' || payload.items.length > 0) return false
  const last = known?.lastCart
  const isBought = last?.type === 'order' && last.orderKind === 'purchase'
  const { email, phone } = { ...known?.contact, ...payload.contact }
  return !isBought && Boolean(email || phone)
}

/** Addresses of a post that this cart's shopper did not have: what is counted against a flood (X5). */
export function newAddresses(known: readonly ShopperKey[], keys: readonly ShopperKey[]): ShopperKey[] {
  return keys.filter(
    (key) =>
      (key.kind === 'email' || key.kind === 'phone') &&
      !known.some((each) => each.kind === key.kind && each.value === key.value),
  )
}

interface ReadPost {
  post: PlacedPost
  payload: ReturnType<typeof readPost>
  keys: ShopperKey[]
  /** undefined: the cart was never seen. */
  known: KnownShopper | undefined
}

type ReadablePost<Post extends ReadPost> = Post & { payload: NonNullable<Post['payload']> }

/** Posts that say something new (S7), each compared with what is stored and with those before it in the list. */
export function newsAmong<Post extends ReadPost>(posts: readonly Post[]): ReadablePost<Post>[] {
  const carts = new Map<string, KnownShopper>()
  const lastSeqs = new Map<string, number>()
  const isReadable = (read: Post): read is ReadablePost<Post> => read.payload !== null
  return posts.filter(isReadable).filter(({ post, payload, keys, known: stored }) => {
    const page = `${post.cart} ${post.page}`
    const lastSeq = lastSeqs.get(page) ?? stored?.lastSeq ?? null
    const before = carts.get(post.cart) ?? stored
    const isSigned = post.signed !== undefined
    if (before && isRepeat({ ...before, lastSeq, isSigned }, payload, keys)) return false
    carts.set(post.cart, afterPost(before, { post, payload, keys, lastSeq }))
    lastSeqs.set(page, Math.max(lastSeq ?? -1, post.seq))
    return true
  })
}

function afterPost(
  before: KnownShopper | undefined,
  { post, payload, keys, lastSeq }: Omit<ReadablePost<ReadPost>, 'known'> & { lastSeq: number | null },
): KnownShopper {
  const isOvertaken = lastSeq !== null && post.seq < lastSeq
  const lastCart = isOvertaken || payload.type === 'contact' ? (before?.lastCart ?? null) : payload
  const contact = { ...before?.contact, ...payload.contact }
  return { keys: [...(before?.keys ?? []), ...keys], contact, lastCart, lastSeq }
}
