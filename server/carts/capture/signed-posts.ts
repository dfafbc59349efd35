import { keepsAll } from '../../../shared/capture-mode.ts'
import type { ConsentChannel } from '../../../shared/consent.ts'
import { boxChannels, wordingId } from '../../../shared/consent-box.ts'
import type { Said } from '../../shoppers/consent/consents.ts'
import { agreedChannels, coveredCustomers } from '../../shoppers/consent/covered-customers.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { newId } from '../../core/common/ids.ts'
import type { Deps } from '../../deps.ts'
import type { AdmittedPost, Contact, PlacedPost, SignedCart } from '../../core/schema/facts.ts'
import { contactKeys } from '../../shoppers/shoppers/rules.ts'
import { readStore } from '../../access/stores/store.ts'
import { admitPost, hadBefore, recordAll, recordConsents } from './capture.ts'
import { withinMode } from './capture-mode.ts'
import type { KnownShopper } from './capture-rules.ts'
import type { KeptPost } from './capture-sql.ts'
import * as sql from './signed-posts-sql.ts'

// What a shop's plugin reports of its carts becomes facts the way a page's posts do. It is signed, so that its names, prices and words
// count; each report is the whole state of a cart, and `seq` says which of two is the later one.

export interface SignedPost {
  /** `page` is the name of the shop's queue. */
  post: PlacedPost & { signed: SignedCart }
  /** When it happened. */
  at: Date
  /** The shopper's network, as the shop has named it for this day. */
  client: string | null
}

/** Of a report that only takes back a consent, nothing else may remain. */
type AllowedPost = Omit<SignedPost, 'post'> & { post: PlacedPost }

const HOUR_MS = 3_600_000

/** All of one queue. Safe to repeat. Answers the store's ids of the signed-in customers whom its carts may name (C9). */
export async function recordSigned(
  deps: Deps,
  store: { id: string; home_url: string },
  { install, posts: told }: { install: string; posts: readonly SignedPost[] },
): Promise<string[]> {
  const handle = { storeId: store.id, db: deps.db }
  const posts = await allowed(deps, handle, told)
  const carts = posts.map(({ post }) => post.cart)
  const taken = await sql.takenCarts(handle, install, carts)
  // A later state of the cart was no news and so is no fact: this one would have the last word.
  const current = posts.filter(({ post }) => post.seq > (taken.get(post.cart)?.repeat_seq ?? 0))
  const kept: (KeptPost & { cart: string })[] = []
  for (const { post, at, client } of current) {
    // A day that arrives at once is no flood: contacts count in the hour they were typed in.
    const named = `plugin ${client ?? 'unknown'} ${Math.floor(at.getTime() / HOUR_MS)}`
    kept.push({ id: newId(), cart: post.cart, receivedAt: at, post: await admitPost(deps, store, post, named) })
  }
  const { read, news } = await recordAll(deps, handle, kept)
  const newIds = new Set(news.map(({ id }) => id))
  for (const each of read) await recordBoxes(deps, handle, each, taken.get(cartOf(kept, each.id)))
  await sql.noteTaken(handle, install, {
    now: deps.now(),
    carts: newest(kept).map(({ id, cart, post }) => ({
      cart,
      seq: post.seq,
      repeat_seq: newIds.has(id) ? null : post.seq,
      said: { ...taken.get(cart)?.said, ...saidNames(post) },
    })),
  })
  return posts.flatMap(({ post }) => post.signed?.customerId ?? [])
}

/** Of each what may be kept before its shopper agreed (C9). */
async function allowed(deps: Deps, store: StoreDb, told: readonly SignedPost[]): Promise<readonly AllowedPost[]> {
  const mode = (await readStore(store))?.before_consent ?? null
  if (keepsAll(mode)) return told
  const people = told.map((each) => customerOf(each.post))
  const covered = mode === 'cart_only' ? await coveredCustomers(deps, store, people) : new Set()
  const agreed = await agreedChannels(deps, store, people)
  return told.flatMap((each, place) => {
    const person = people[place]!
    const known = {
      countsTick: hasMatchingWordingId,
      isCovered: covered.has(person),
      earlierConsents: agreed.get(person) ?? [],
    }
    const post = withinMode(each.post, mode, known)
    return post ? [{ ...each, post }] : []
  })
}

/** The shop signs for the words; of a tick beside others nothing is written down. */
const hasMatchingWordingId = (_: ConsentChannel, { id, wording }: { id?: string | undefined; wording: string }) =>
  id === wordingId(wording)

/** Who is signed in to the shop. */
const customerOf = ({ signed, contact }: SignedPost['post']) => ({
  customerId: signed.customerId,
  email: contact?.email ?? null,
  phone: contact?.phone ?? null,
  country: contact?.country ?? null,
})

/** A browser on its way back posts under another cart's name. */
const cartOf = (kept: readonly (KeptPost & { cart: string })[], id: string) => kept.find((each) => each.id === id)!.cart

const newest = <Kept extends { cart: string; post: AdmittedPost }>(kept: readonly Kept[]): Kept[] =>
  [...Map.groupBy(kept, ({ cart }) => cart).values()].map((each) =>
    each.reduce((a, b) => (b.post.seq > a.post.seq ? b : a)),
  )

/** Of each box: what was said, and beside which words. */
const saidNames = ({ consent = {} }: AdmittedPost) =>
  Object.fromEntries(
    boxChannels.flatMap((channel) => {
      const box = consent[channel]
      return box ? [[channel, nameOf(box)]] : []
    }),
  )

const nameOf = ({ isGiven, id }: { isGiven: boolean; id?: string | undefined }) =>
  `${isGiven ? 'yes' : 'no'} ${id ?? ''}`

interface ReadSigned {
  post: AdmittedPost
  payload: { contact?: { email?: string; phone?: string; country?: string } } | null
  keys: { kind: string; value: string }[]
  at: Date
  known: KnownShopper | undefined
}

/**
 * Reports repeat what was said, so that only a change counts, or an address that is new to the cart: a withdrawal by the link of a mail must
 * not be undone by the next report. Anybody can type an address into a checkout: it counts as said on a page, and a no only for an
 * address this cart had before.
 */
async function recordBoxes(deps: Deps, store: StoreDb<Db>, read: ReadSigned, taken: sql.TakenCart | undefined) {
  const { post, payload, known, at } = read
  if (!post.consent || post.seq < (taken?.seq ?? 0)) return
  const contact = { ...known?.contact, ...payload?.contact }
  const said = boxChannels.flatMap((channel): Said[] => {
    const kind = channel === 'email' ? 'email' : 'phone'
    const [box, address] = [post.consent?.[channel], contact[kind]]
    if (!box || !address || post.unconfirmed?.[kind]) return []
    const isKnown = hadBefore(known, { kind, value: address })
    if (isKnown && taken?.said[channel] === nameOf(box)) return []
    if (box.isGiven ? !hasMatchingWordingId(channel, box) : !isKnown) return []
    const wording = box.isGiven ? box.wording : null
    const country = contact.country ?? null
    return [{ channel, address, isGiven: box.isGiven, wording, country, unproven: 'page script', saidAt: at }]
  })
  if (said.length > 0) await recordConsents(deps, store, said, read.keys as KnownShopper['keys'])
}

/** What a customer says who is logged in at the shop. */
export async function recordSaidByCustomer(
  deps: Deps,
  store: StoreDb<Db>,
  { said, contact }: { said: readonly Said[]; contact: Contact },
): Promise<void> {
  if (said.length > 0) await recordConsents(deps, store, said, contactKeys(contact, ''))
}
