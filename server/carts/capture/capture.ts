import type { CapturePost } from '../../../shared/capture.ts'
import { type CaptureMode, keepsAll } from '../../../shared/capture-mode.ts'
import type { ConsentChannel } from '../../../shared/consent.ts'
import { boxChannels, wordingId } from '../../../shared/consent-box.ts'
import { type NewFact, recordFacts } from '../carts/record.ts'
import { type BoxView, countBoxViews, viewsOfForms } from '../../shoppers/consent/box-counts.ts'
import { currentTexts, findShownWording, noteBoxes } from '../../shoppers/consent/boxes.ts'
import { recordSaid, type Said } from '../../shoppers/consent/consents.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook, wakeCartMessages, wakeMessagesTo } from '../../messages/messages/messages.ts'
import type { AdmittedPost, Contact, PlacedPost, Unconfirmed } from '../../core/schema/facts.ts'
import { browserMarks, type ShopperKey } from '../../shoppers/shoppers/rules.ts'
import { readStore } from '../../access/stores/store.ts'
import { queueNewOrders } from '../sync/new-orders.ts'
import { withinMode } from './capture-mode.ts'
import {
  isRepeat,
  type KnownShopper,
  keysOf,
  mayBeOrdered,
  newAddresses,
  newsAmong,
  readContact,
  readPost,
} from './capture-rules.ts'
import * as sql from './capture-sql.ts'
import { type Arrival, admitContact } from './contact-limits.ts'
import { alongWaysBack } from './way-back.ts'

// Capture: what the script on the shop's pages posts becomes facts. Anybody can post; ids, quantities and contact are all
// that is taken, and addresses are counted (X5).

export interface CaptureStore {
  id: string
  url: string
  home_url: string
}

/** What of a page's post may be kept before its shopper agreed (C9); null: nothing. */
export async function allowedPost(
  deps: Deps,
  store: { id: string; before_consent: CaptureMode | null },
  post: PlacedPost,
): Promise<PlacedPost | null> {
  const mode = store.before_consent
  if (keepsAll(mode)) return post
  const words = post.consent || post.ticked ? await currentTexts({ storeId: store.id, db: deps.db }) : null
  const ticked = post.ticked?.split(',') ?? []
  const isTicked = (channel: ConsentChannel) => words?.[channel].some((each) => ticked.includes(wordingId(each)))
  return withinMode(post, mode, {
    countsTick: (channel, box) => words !== null && findShownWording(words[channel], box) !== null,
    earlierConsents: boxChannels.filter(isTicked),
  })
}

/** Answers when everything is committed. */
export async function recordCapture(deps: Deps, store: CaptureStore, said: PlacedPost, client: string): Promise<void> {
  const handle = { storeId: store.id, db: deps.db }
  const host = new URL(store.home_url).hostname
  const known = (await sql.knownCarts(handle, [said])).get(0)
  const post = withLimits(said, await limitsOf(deps, handle, { post: said, known, host, client }))
  const payload = readPost(post, await parentsOf(handle, [post]))
  const keys = keysOf(post, payload?.contact, host)
  const words = post.consent ? await currentTexts(handle) : null
  const heard = words ? saidOf(post, { words, contact: { ...known?.contact, ...payload?.contact }, known }) : []
  const consents = await withoutOthers(deps, handle, heard, post)
  const isNews = payload !== null && !(known && isRepeat(known, payload, keys))
  // Before the facts: what waits for consent is looked at again when they arrive.
  if (consents.length > 0) await recordConsents(deps, handle, consents, keys)
  if (isNews) await recordFacts(deps, store.id, [factOf({ post, payload, keys, at: deps.now() })])
  await sql.noteCapture(handle, deps.now())
  await noteBoxesOf(deps, handle, [post])
}

/** Counts a post's new addresses before it is kept; the answer names those above a limit (X5). */
export async function admitPost(
  deps: Deps,
  store: Pick<CaptureStore, 'id' | 'home_url'>,
  post: PlacedPost,
  client: string,
): Promise<AdmittedPost> {
  const handle = { storeId: store.id, db: deps.db }
  const host = new URL(store.home_url).hostname
  if (newAddresses([], typedKeys(post, host)).length === 0) return post
  const known = (await sql.knownCarts(handle, [post])).get(0)
  return withLimits(post, await limitsOf(deps, handle, { post, known, host, client }))
}

interface TypedPost extends Pick<Arrival, 'known' | 'client'> {
  post: PlacedPost
  host: string
}

const limitsOf = (deps: Deps, store: StoreDb, { post, known, host, client }: TypedPost) =>
  admitContact(deps, store, { known, keys: typedKeys(post, host), client, isSigned: post.signed !== undefined })

const typedKeys = (post: PlacedPost, host: string) => keysOf(post, readContact(post.contact ?? {}) ?? undefined, host)

export const withLimits = (post: PlacedPost, unconfirmed: Unconfirmed | undefined): AdmittedPost =>
  unconfirmed && Object.keys(unconfirmed).length > 0 ? { ...post, unconfirmed } : post

/**
 * Posts whose addresses were counted, many at once, in the order they came. What they say that is new becomes facts. Safe to
 * repeat.
 */
export async function recordPosts(deps: Deps, storeId: string, kept: readonly sql.KeptPost[]): Promise<void> {
  const handle = { storeId, db: deps.db }
  const { news } = await recordAll(deps, handle, kept, { areInInbox: true })
  if (news.some(mayBeOrdered)) await queueNewOrders(deps, handle)
}

/** The same, and answers what was read of each and what of it was news. `areInInbox`: they wait there, and whoever has made facts of them takes them out. */
export async function recordAll(
  deps: Deps,
  handle: StoreDb<Db>,
  kept: readonly sql.KeptPost[],
  { areInInbox = false } = {},
) {
  const store = await readStore(handle)
  if (!store) return { read: [], news: [] }
  const host = new URL(store.home_url).hostname
  const counted = await alongWaysBack(deps, handle, kept)
  const posts = counted.map(({ post }) => post)
  const parents = await parentsOf(handle, posts)
  const known = await sql.knownCarts(handle, posts)
  const read = counted.map(({ id, post, receivedAt }, place) => {
    const payload = readPost(post, parents)
    return { id, post, payload, keys: keysOf(post, payload?.contact, host), at: receivedAt, known: known.get(place) }
  })
  const news = newsAmong(read)
  // Two posts of a page within one millisecond: the one overtaken is dated by the later one, which has to be known before it (S7).
  news.sort((a, b) => a.at.getTime() - b.at.getTime() || b.post.seq - a.post.seq)
  const facts = news.map((each) => ({ ...factOf(each), ...(areInInbox && { postId: each.id }) }))
  await recordFacts(deps, handle.storeId, facts)
  await sql.noteCapture(handle, deps.now())
  await noteBoxesOf(deps, handle, posts)
  return { read, news }
}

/** What the last checkout among these posts showed, and who saw it. */
async function noteBoxesOf(deps: Deps, store: StoreDb, posts: readonly AdmittedPost[]): Promise<void> {
  const boxes = posts.findLast((post) => post.boxes)?.boxes
  if (boxes) {
    const seen = boxChannels.flatMap((channel) =>
      boxes[channel] === undefined ? [] : [{ channel, id: boxes[channel] }],
    )
    await noteBoxes(store, seen, deps.now())
  }
  await countBoxViews(deps, store, posts.flatMap(viewsOf))
}

function viewsOf({ cart, boxes = {}, consent = {}, signed, forms = {} }: AdmittedPost): BoxView[] {
  if (signed) return viewsOfForms(cart, forms)
  return boxChannels.flatMap((channel) => {
    const [id, said] = [boxes[channel], consent[channel]]
    if (id === undefined) return []
    // A tick beside another text than the one shown is no consent.
    const isTicked = said && (!said.isGiven || said.id === id) ? said.isGiven : null
    return [{ of: cart, place: 'page', channel, id, isTicked, isSigned: false }]
  })
}

interface ReadyPost {
  post: AdmittedPost
  payload: NonNullable<ReturnType<typeof readPost>>
  keys: ShopperKey[]
  at: Date
}

function factOf({ post, payload, keys, at }: ReadyPost): NewFact {
  const { cart, page, seq, unconfirmed } = post
  const source = post.signed ? 'plugin' : 'capture'
  return {
    payload,
    keys,
    at,
    source,
    uniqueKey: `${source}:${cart}:${page}:${seq}`,
    ...(unconfirmed && { unconfirmed }),
  }
}

/** Most ids are products; only the others can be variations. */
async function parentsOf(store: StoreDb, posts: readonly CapturePost[]): Promise<Map<string, string>> {
  const items = posts.flatMap((post) => post.items ?? [])
  const ids = [...new Set(items.filter((item) => !item.variation).map((item) => item.id))]
  const products = await sql.productsAmong(store, ids)
  return sql.parentsOf(
    store,
    ids.filter((id) => !products.has(id)),
  )
}

interface Heard {
  /** What each box of the store says now, in each language. */
  words: Record<ConsentChannel, string[]>
  contact: Contact
  known: KnownShopper | undefined
}

/**
 * Every box that speaks of an address we know; one beside an unconfirmed contact says nothing about anybody. A yes counts for the words
 * the store shows now, and a no for the contact this cart had before: anybody can post both.
 */
function saidOf({ consent, unconfirmed = {} }: AdmittedPost, { words, contact, known }: Heard): Said[] {
  return boxChannels.flatMap((channel) => {
    const kind = channel === 'email' ? 'email' : 'phone'
    const [box, address] = [consent?.[channel], contact[kind]]
    if (!box || !address || unconfirmed[kind]) return []
    const wording = box.isGiven ? findShownWording(words[channel], box) : null
    const counts = box.isGiven ? wording !== null : hadBefore(known, { kind, value: address })
    if (!counts) return []
    return [
      { channel, address, isGiven: box.isGiven, wording, country: contact.country ?? null, unproven: 'page script' },
    ]
  })
}

/** A no of a page takes back what its browser has said, and speaks for nobody whom the store knows from elsewhere. */
async function withoutOthers(deps: Deps, store: StoreDb, said: readonly Said[], post: PlacedPost): Promise<Said[]> {
  const browsers = browserMarks(post)
  const asked = said.flatMap(({ channel, address, isGiven }, place) => {
    const addressHash = deps.secrets.addressHash(address).toString('hex')
    return isGiven ? [] : [{ place, channel, kind: channel === 'email' ? 'email' : 'phone', address, addressHash }]
  })
  const own =
    asked.length > 0 ? await sql.ownWithdrawals(store, asked, { cart: post.cart, marks: browsers }) : new Set()
  return said.flatMap((each, place) => (each.isGiven || own.has(place) ? [{ ...each, browsers }] : []))
}

export const hadBefore = (known: KnownShopper | undefined, { kind, value }: ShopperKey): boolean =>
  known?.keys.some((key) => key.kind === kind && key.value === value) ?? false

export async function recordConsents(
  deps: Deps,
  store: StoreDb,
  said: readonly Said[],
  keys: readonly ShopperKey[],
): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    if (!(await recordSaid(deps, tx, said, now))) return
    await wakeCartMessages(tx, await sql.openCartsOf(tx, keys), now)
    await wakeMessagesTo(
      tx,
      said.map(({ address }) => address),
      now,
    )
    await scheduleNextLook(tx)
  })
}
