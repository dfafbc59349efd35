import type { CapturePost } from '../../../shared/carts/capture.ts'
import { type CaptureMode, isStoringEverything } from '../../../shared/shoppers/capture-mode.ts'
import type { ConsentChannel } from '../../../shared/shoppers/consent.ts'
import { boxChannels, computeWordingId } from '../../../shared/shoppers/consent-box.ts'
import { readStore } from '../../access/stores/public.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import type { Contact, ReceivedPost, UnconfirmedContacts } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextRun, wakeCartMessages, wakeMessagesToAddresses } from '../../messages/messages/public.ts'
import {
  type BoxView,
  type ConsentAnswer,
  countBoxViews,
  doesConsentCount,
  findDisplayedWording,
  listFormViews,
  readCurrentTexts,
  recordAnswers,
  recordBoxSightings,
} from '../../shoppers/consent/public.ts'
import { hashBrowserTokens, type ShopperKey } from '../../shoppers/shoppers/public.ts'
import { recordFacts } from '../carts/public.ts'
import { queueNewOrders } from '../sync/public.ts'
import { redirectPosts } from './back-link.ts'
import { applyMode } from './capture-mode.ts'
import {
  filterNews,
  type KnownShopper,
  listKeys,
  listNewAddresses,
  mayBeOrdered,
  type ReadPost,
  readContact,
  readPost,
} from './capture-rules.ts'
import { type InboxPost, selectKnownCarts } from './capture-sql.ts'
import { admitContact, type NewContact } from './contact-limits.ts'

// Turns posts of the capture script into facts. Anybody can post, so only ids, quantities and contact are used, and new
// addresses are limited (X5).

export interface CaptureStore {
  id: string
  url: string
  home_url: string
}

/** Removes from a page's post what the mode forbids before consent (C9); null: nothing is left. */
export async function limitPostToMode(
  deps: Pick<Deps, 'db'>,
  store: { id: string; before_consent: CaptureMode | null },
  post: ReceivedPost,
): Promise<ReceivedPost | null> {
  const mode = store.before_consent
  if (isStoringEverything(mode)) return post
  const texts = post.consent || post.ticked ? await readCurrentTexts({ storeId: store.id, db: deps.db }) : null
  const ticked = post.ticked?.split(',') ?? []
  const isTicked = (channel: ConsentChannel) => texts?.[channel].some((each) => ticked.includes(computeWordingId(each)))
  return applyMode(post, mode, {
    countsTick: (channel, box) => texts !== null && findDisplayedWording(texts[channel], box) !== null,
    earlierConsents: boxChannels.filter(isTicked),
  })
}

/** Records one post with its consents. Resolves after the commit. */
export async function recordCapture(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>,
  store: CaptureStore,
  placed: ReceivedPost,
  client: string,
): Promise<void> {
  const handle = { storeId: store.id, db: deps.db }
  const host = new URL(store.home_url).hostname
  const known = (await selectKnownCarts(handle, [placed])).get(0)
  const post = addLimits(placed, await findLimits(deps, handle, { post: placed, known, host, client }))
  const fact = readFact(post, { parents: await findParents(handle, [post]), host, known, at: deps.now() })
  const { payload, keys } = fact
  const texts = post.consent ? await readCurrentTexts(handle) : null
  const reported = texts
    ? readConsents(post, { texts, contact: { ...known?.contact, ...payload?.contact }, known })
    : []
  const consents = await filterWithdrawals(deps, handle, reported, post)
  // Consents come before facts, because new facts trigger another check of messages that wait for consent.
  if (consents.length > 0) await recordConsents(deps, handle, consents, keys)
  await recordFacts(deps, handle, filterNews([fact]))
  await recordCaptureTime(handle, deps.now())
  await recordBoxViews(deps, handle, [post])
}

/** Counts a post's new addresses before it is stored, and adds the limits that they exceed (X5). */
export async function admitPost(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'pool' | 'secrets'>,
  store: Pick<CaptureStore, 'id' | 'home_url'>,
  post: ReceivedPost,
  client: string,
): Promise<ReceivedPost> {
  const handle = { storeId: store.id, db: deps.db }
  const host = new URL(store.home_url).hostname
  if (listNewAddresses([], listTypedKeys(post, host)).length === 0) return post
  const known = (await selectKnownCarts(handle, [post])).get(0)
  return addLimits(post, await findLimits(deps, handle, { post, known, host, client }))
}

interface TypedPost extends Pick<NewContact, 'known' | 'client'> {
  post: ReceivedPost
  host: string
}

const findLimits = (
  deps: Pick<Deps, 'log' | 'now' | 'pool' | 'secrets'>,
  store: StoreDb,
  { post, known, host, client }: TypedPost,
) => admitContact(deps, store, { known, keys: listTypedKeys(post, host), client, isSigned: post.signed !== undefined })

const listTypedKeys = (post: ReceivedPost, host: string) =>
  listKeys(post, readContact(post.contact ?? {}) ?? undefined, host)

export const addLimits = (post: ReceivedPost, unconfirmed: UnconfirmedContacts | undefined): ReceivedPost =>
  unconfirmed && Object.keys(unconfirmed).length > 0 ? { ...post, unconfirmed } : post

/** Records many posts whose addresses were counted, in order of arrival. Idempotent. */
export async function recordPosts(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  handle: StoreDb<Db>,
  inboxPosts: readonly InboxPost[],
): Promise<void> {
  const { news } = await recordAll(deps, handle, inboxPosts, { areInInbox: true })
  if (news.some(mayBeOrdered)) await queueNewOrders(deps, handle)
}

/**
 * Records posts and returns what was read of each and which were new. `areInInbox`: the posts wait in the inbox, where
 * another worker may have recorded and removed them.
 */
export async function recordAll(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  handle: StoreDb<Db>,
  inboxPosts: readonly InboxPost[],
  { areInInbox = false } = {},
) {
  const store = await readStore(handle)
  if (!store) return { read: [], news: [] }
  const host = new URL(store.home_url).hostname
  const counted = await redirectPosts(deps, handle, inboxPosts)
  const posts = counted.map(({ post }) => post)
  const parents = await findParents(handle, posts)
  const known = await selectKnownCarts(handle, posts)
  const read = counted.map(({ id, post, received_at: at }, place) => ({
    ...readFact(post, { parents, host, known: known.get(place), at }),
    id,
    ...(areInInbox && { postId: id }),
  }))
  const news = filterNews(read)
  // Of two posts of a page within one millisecond the overtaken one is dated by the later one, which must come first
  // (S7).
  news.sort((a, b) => a.at.getTime() - b.at.getTime() || b.post.seq - a.post.seq)
  await recordFacts(deps, handle, news)
  await recordCaptureTime(handle, deps.now())
  await recordBoxViews(deps, handle, posts)
  return { read, news }
}

/** Records the boxes of the last checkout among the posts, and counts views and ticks. */
async function recordBoxViews(
  deps: Pick<Deps, 'log' | 'now' | 'secrets'>,
  store: StoreDb,
  posts: readonly ReceivedPost[],
): Promise<void> {
  const boxes = posts.findLast((post) => post.boxes)?.boxes
  if (boxes) {
    const boxIds = boxChannels.flatMap((channel) =>
      boxes[channel] === undefined ? [] : [{ channel, id: boxes[channel] }],
    )
    await recordBoxSightings(store, boxIds, deps.now())
  }
  await countBoxViews(deps, store, posts.flatMap(listBoxViews))
}

function listBoxViews({ cart, boxes = {}, consent = {}, signed, forms = {} }: ReceivedPost): BoxView[] {
  if (signed) return listFormViews(cart, forms)
  return boxChannels.flatMap((channel) => {
    const [id, answer] = [boxes[channel], consent[channel]]
    if (id === undefined) return []
    // A tick beside another text than the one shown is not a consent.
    const isTicked = answer && (!answer.isGiven || answer.id === id) ? answer.isGiven : null
    return [{ of: cart, place: 'page', channel, id, isTicked, isSigned: false }]
  })
}

interface PostContext {
  parents: ReadonlyMap<string, string>
  host: string
  known: KnownShopper | undefined
  at: Date
}

function readFact(post: ReceivedPost, { parents, host, known, at }: PostContext): ReadPost {
  const { cart, page, seq, unconfirmed } = post
  const payload = readPost(post, parents)
  const source = post.signed ? 'plugin' : 'capture'
  return {
    post,
    known,
    payload,
    keys: listKeys(post, payload?.contact, host),
    at,
    source,
    uniqueKey: `${source}:${cart}:${page}:${seq}`,
    ...(unconfirmed && { unconfirmed }),
  }
}

/** Most ids are products; only the others can be variations. */
async function findParents(store: StoreDb, posts: readonly CapturePost[]): Promise<Map<string, string>> {
  const items = posts.flatMap((post) => post.items ?? [])
  const ids = [...new Set(items.filter((item) => !item.variation).map((item) => item.id))]
  const products = await selectProducts(store, ids)
  return selectParents(
    store,
    ids.filter((id) => !products.has(id)),
  )
}

interface ConsentContext {
  /** Current texts of each box, in all languages. */
  texts: Record<ConsentChannel, string[]>
  contact: Contact
  known: KnownShopper | undefined
}

/**
 * Consents and withdrawals for known addresses; boxes beside an unconfirmed contact are ignored. A consent needs the
 * store's current text, and a withdrawal a contact that the cart had before: any client can post both.
 */
function readConsents(
  { consent, unconfirmed = {} }: ReceivedPost,
  { texts, contact, known }: ConsentContext,
): ConsentAnswer[] {
  return boxChannels.flatMap((channel) => {
    const kind = channel === 'email' ? 'email' : 'phone'
    const [box, address] = [consent?.[channel], contact[kind]]
    if (!box || !address || unconfirmed[kind]) return []
    const wording = box.isGiven ? findDisplayedWording(texts[channel], box) : null
    const counts = box.isGiven ? wording !== null : hasKey(known, { kind, value: address })
    if (!counts) return []
    return [
      { channel, address, isGiven: box.isGiven, wording, country: contact.country ?? null, unproven: 'page script' },
    ]
  })
}

/** Keeps only withdrawals that this browser may make: it must not speak for shoppers known from elsewhere. */
async function filterWithdrawals(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb,
  answers: readonly ConsentAnswer[],
  post: ReceivedPost,
): Promise<ConsentAnswer[]> {
  const browsers = hashBrowserTokens(post)
  const consents = answers.flatMap(({ channel, address, isGiven }, place) => {
    const addressHash = deps.secrets.addressHash(address).toString('hex')
    return isGiven ? [] : [{ place, channel, kind: channel === 'email' ? 'email' : 'phone', address, addressHash }]
  })
  const own =
    consents.length > 0 ? await selectOwnWithdrawals(store, consents, { cart: post.cart, marks: browsers }) : new Set()
  return answers.flatMap((each, place) => (each.isGiven || own.has(place) ? [{ ...each, browsers }] : []))
}

export const hasKey = (known: KnownShopper | undefined, { kind, value }: ShopperKey): boolean =>
  known?.keys.some((key) => key.kind === kind && key.value === value) ?? false

export async function recordConsents(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb,
  answers: readonly ConsentAnswer[],
  keys: readonly ShopperKey[],
): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    if (!(await recordAnswers(deps, tx, answers, now))) return
    await wakeCartMessages(tx, await selectOpenCarts(tx, keys), now)
    await wakeMessagesToAddresses(
      tx,
      answers.map(({ address }) => address),
      now,
    )
    await scheduleNextRun(tx)
  })
}

/**
 * Indexes of the withdrawals that count. Anybody can type an address, so one of these must hold: only this browser
 * reported it, the store confirmed that it is this browser's, or all its consents came from this browser.
 */
async function selectOwnWithdrawals(
  { db, storeId }: StoreDb,
  consents: readonly { place: number; channel: string; kind: string; address: string; addressHash: string }[],
  { cart, marks }: { cart: string; marks: readonly string[] },
): Promise<Set<number>> {
  const browser = [...marks]
  const ofBrowser = (list: ReturnType<typeof sql>) => sql`coalesce(${list}, '[]') ?| ${browser}::text[]`
  const byBrowser = sql`(${ofBrowser(sql`f.payload -> 'toldBy'`)} or ${ofBrowser(sql`f.payload -> 'browsers'`)}
    or starts_with(f.unique_key, ${`capture:${cart}:`}))`
  const rows = await sql<{ place: number }>`
    select w.place from jsonb_to_recordset(${JSON.stringify(consents)}::jsonb) as w(place int, channel text, kind text, address text, "addressHash" text)
    cross join lateral (select k.shopper_id from shopper_keys k
      where k.store_id = ${storeId} and k.kind = w.kind and k.value = w.address limit 1) k
    cross join lateral (
      select coalesce(bool_and(${byBrowser}), false) as is_alone,
        coalesce(bool_or(f.source <> 'capture' and ${byBrowser} and f.payload -> 'contact' ->> w.kind = w.address), false) as is_told
      from facts f where f.store_id = ${storeId} and f.shopper_id = k.shopper_id and f.kind <> 'lost' offset 0) f
    cross join lateral (
      select coalesce(bool_and(${ofBrowser(sql`c.evidence -> 'browsers'`)}), false) as is_own,
        coalesce(bool_or(c.import_ids is not null or c.source in ('order', 'unpaid order')), false) as is_known
      from consents c where c.store_id = ${storeId} and c.address_hash = decode(w."addressHash", 'hex') and c.channel = w.channel
        and ${doesConsentCount('c')} offset 0) c
    where f.is_told or c.is_own or f.is_alone and not c.is_known and not exists (
      select 1 from shopper_keys r where r.store_id = ${storeId} and r.shopper_id = k.shopper_id and r.kind = 'customer')`.execute(
    db,
  )
  return new Set(rows.rows.map(({ place }) => place))
}

/** Product ids by variation id. Ids that are not variations are missing. */
async function selectParents({ db, storeId }: StoreDb, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('products')
    .select(['product_id', 'variation_id'])
    .where('store_id', '=', storeId)
    .where('variation_id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.variation_id, row.product_id]))
}

/** Returns those ids that are products. */
async function selectProducts({ db, storeId }: StoreDb, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('products')
    .select('product_id')
    .distinct()
    .where('store_id', '=', storeId)
    .where('product_id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  return new Set(rows.map((row) => row.product_id))
}

/** Records that the script is active, at most once a minute. */
async function recordCaptureTime({ db, storeId }: StoreDb, now: Date): Promise<void> {
  await sql`update stores set capture_seen_at = ${now}
    where id = ${storeId} and coalesce(capture_seen_at not between ${now}::timestamptz - interval '1 minute' and ${now}, true)`.execute(
    db,
  )
}

async function selectOpenCarts({ db, storeId }: StoreTx, keys: readonly ShopperKey[]): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select c.id from carts c where c.store_id = ${storeId} and c.status in ('active', 'abandoned') and c.shopper_id in (
      select k.shopper_id from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as wanted(kind text, value text)
      join shopper_keys k on k.store_id = ${storeId} and k.kind = wanted.kind and k.value = wanted.value)
    order by c.id`.execute(db)
  return rows.rows.map((row) => row.id)
}
