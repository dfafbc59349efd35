import { isStoringEverything } from '../../../shared/shoppers/capture-mode.ts'
import type { ConsentChannel } from '../../../shared/shoppers/consent.ts'
import { boxChannels, computeWordingId } from '../../../shared/shoppers/consent-box.ts'
import { readStore } from '../../access/stores/public.ts'
import { createId } from '../../core/common/public.ts'
import { type Db, type StoreDb, sql } from '../../core/db/public.ts'
import type { Contact, ReceivedPost, SignedCart } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { type ConsentAnswer, findConsentedChannels, findCoveredCustomers } from '../../shoppers/consent/public.ts'
import { buildContactKeys } from '../../shoppers/shoppers/public.ts'
import { admitPost, hasKey, recordAll, recordConsents } from './capture.ts'
import { applyMode } from './capture-mode.ts'
import type { ReadPost } from './capture-rules.ts'
import type { InboxPost } from './capture-sql.ts'

// Records cart reports of the plugin like posts of a page. They are signed, so names, prices and texts are trusted.
// Each report has the whole state of a cart, and `seq` orders them.

export interface SignedPost {
  /** `page`: name of the shop's queue. */
  post: ReceivedPost & { signed: SignedCart }
  /** Time of the report in the shop. */
  at: Date
  /** The shopper's network, as hashed by the shop for this day. */
  client: string | null
}

/** A report that only withdraws a consent is reduced to a post without the signed part. */
type AllowedPost = Omit<SignedPost, 'post'> & { post: ReceivedPost }

const HOUR_MS = 3_600_000

/** Records reports of one queue. Idempotent. Returns the customer ids of signed-in shoppers that may be named (C9). */
export async function recordSignedPosts(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>,
  store: { id: string; home_url: string },
  { install, posts: reports }: { install: string; posts: readonly SignedPost[] },
): Promise<string[]> {
  const handle = { storeId: store.id, db: deps.db }
  const posts = await limitToMode(deps, handle, reports)
  const carts = posts.map(({ post }) => post.cart)
  const stored = await selectReportedCarts(handle, install, carts)
  // Skips reports older than a later repeat: the repeat left no fact, so an older report would become the latest.
  const current = posts.filter(({ post }) => post.seq > (stored.get(post.cart)?.repeat_seq ?? 0))
  const currentPosts: (InboxPost & { cart: string })[] = []
  for (const { post, at, client } of current) {
    // A day's backlog is not a flood: contacts count in the hour in which they were typed.
    const named = `plugin ${client ?? 'unknown'} ${Math.floor(at.getTime() / HOUR_MS)}`
    const admitted = await admitPost(deps, store, post, named)
    currentPosts.push({ store_id: store.id, id: createId(), cart: post.cart, received_at: at, post: admitted })
  }
  const { read, news } = await recordAll(deps, handle, currentPosts)
  const newIds = new Set(news.map(({ id }) => id))
  for (const each of read) await recordBoxes(deps, handle, each, stored.get(findReportedCart(currentPosts, each.id)))
  await recordReported(handle, install, {
    now: deps.now(),
    carts: selectNewest(currentPosts).map(({ id, cart, post }) => ({
      cart,
      seq: post.seq,
      repeat_seq: newIds.has(id) ? null : post.seq,
      said: { ...stored.get(cart)?.said, ...describeBoxes(post) },
    })),
  })
  return posts.flatMap(({ post }) => post.signed?.customerId ?? [])
}

/** Removes what the mode forbids before consent (C9). */
async function limitToMode(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb,
  reports: readonly SignedPost[],
): Promise<readonly AllowedPost[]> {
  const mode = (await readStore(store))?.before_consent ?? null
  if (isStoringEverything(mode)) return reports
  const people = reports.map((each) => readCustomer(each.post))
  const covered = mode === 'cart_only' ? await findCoveredCustomers(deps, store, people) : new Set()
  const agreed = await findConsentedChannels(deps, store, people)
  return reports.flatMap((each, place) => {
    const person = people[place]!
    const known = {
      countsTick: hasMatchingWordingId,
      isCovered: covered.has(person),
      earlierConsents: agreed.get(person) ?? [],
    }
    const post = applyMode(each.post, mode, known)
    return post ? [{ ...each, post }] : []
  })
}

/** The shop signs for its texts; a tick beside another text is ignored. */
const hasMatchingWordingId = (_: ConsentChannel, { id, wording }: { id?: string | undefined; wording: string }) =>
  id === computeWordingId(wording)

/** The signed-in customer. */
const readCustomer = ({ signed, contact }: SignedPost['post']) => ({
  customerId: signed.customerId,
  email: contact?.email ?? null,
  phone: contact?.phone ?? null,
  country: contact?.country ?? null,
})

/** A browser that came back by a restore link posts as another cart, so the reported cart is looked up. */
const findReportedCart = (currentPosts: readonly (InboxPost & { cart: string })[], id: string) =>
  currentPosts.find((each) => each.id === id)!.cart

const selectNewest = <Kept extends { cart: string; post: ReceivedPost }>(currentPosts: readonly Kept[]): Kept[] =>
  [...Map.groupBy(currentPosts, ({ cart }) => cart).values()].map((each) =>
    each.reduce((a, b) => (b.post.seq > a.post.seq ? b : a)),
  )

/** Answer and text id of each box. */
const describeBoxes = ({ consent = {} }: ReceivedPost) =>
  Object.fromEntries(
    boxChannels.flatMap((channel) => {
      const box = consent[channel]
      return box ? [[channel, describeBox(box)]] : []
    }),
  )

const describeBox = ({ isGiven, id }: { isGiven: boolean; id?: string | undefined }) =>
  `${isGiven ? 'yes' : 'no'} ${id ?? ''}`

/**
 * Reports repeat the boxes, so only a change or a new address counts. Otherwise the next report would undo an
 * unsubscribe. Anybody can type an address into a checkout, so consents count as unproven. A withdrawal needs an
 * address that the cart had before.
 */
async function recordBoxes(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  read: ReadPost,
  stored: ReportedCart | undefined,
) {
  const { post, payload, known, at } = read
  if (!post.consent || post.seq < (stored?.seq ?? 0)) return
  const contact = { ...known?.contact, ...payload?.contact }
  const answers = boxChannels.flatMap((channel): ConsentAnswer[] => {
    const kind = channel === 'email' ? 'email' : 'phone'
    const [box, address] = [post.consent?.[channel], contact[kind]]
    if (!box || !address || post.unconfirmed?.[kind]) return []
    const isKnown = hasKey(known, { kind, value: address })
    if (isKnown && stored?.said[channel] === describeBox(box)) return []
    if (box.isGiven ? !hasMatchingWordingId(channel, box) : !isKnown) return []
    const wording = box.isGiven ? box.wording : null
    const country = contact.country ?? null
    return [{ channel, address, isGiven: box.isGiven, wording, country, unproven: 'page script', answeredAt: at }]
  })
  if (answers.length > 0) await recordConsents(deps, store, answers, read.keys)
}

/** Records consents of a customer who is signed in to the shop. */
export async function recordCustomerConsents(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  { said: answers, contact }: { said: readonly ConsentAnswer[]; contact: Contact },
): Promise<void> {
  if (answers.length > 0) await recordConsents(deps, store, answers, buildContactKeys(contact, ''))
}

// SQL for the progress of the plugin's cart reports.

interface ReportedCart {
  cart: string
  seq: number
  repeat_seq: number | null
  said: Record<string, string>
}

async function selectReportedCarts(
  { db, storeId }: StoreDb,
  install: string,
  carts: readonly string[],
): Promise<Map<string, ReportedCart>> {
  const rows = await db
    .selectFrom('plugin_carts')
    .select(['cart', 'seq', 'repeat_seq', 'said'])
    .where('store_id', '=', storeId)
    .where('install', '=', install)
    .where('cart', '=', sql<string>`any(${[...carts]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.cart, row]))
}

/** Numbers only increase; the newest report sets the state of the boxes. */
async function recordReported(
  { db, storeId }: StoreDb,
  install: string,
  { now, carts }: { now: Date; carts: readonly ReportedCart[] },
): Promise<void> {
  if (carts.length === 0) return
  await sql`insert into plugin_carts as p (store_id, install, cart, seq, repeat_seq, said, seen_at)
    select ${storeId}, ${install}, cart, seq, repeat_seq, said, ${now}
    from jsonb_to_recordset(${JSON.stringify(carts)}::jsonb) as c(cart text, seq bigint, repeat_seq bigint, said jsonb)
    order by cart
    on conflict (store_id, install, cart) do update set seen_at = excluded.seen_at,
      said = case when excluded.seq >= p.seq then excluded.said else p.said end,
      seq = greatest(p.seq, excluded.seq), repeat_seq = greatest(p.repeat_seq, excluded.repeat_seq)`.execute(db)
}
