import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { CapturePost } from '../../shared/capture.ts'
import { type Limit, tryTake } from '../accounts/limits.ts'
import { clientNetwork } from '../accounts/rules.ts'
import { type StoreDb, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { scheduleNextLook, wakeCartMessages } from '../messages/messages.ts'
import { recordSaid, type Said } from '../shoppers/consents.ts'
import type { ShopperKey } from '../shoppers/rules.ts'
import { readStore } from '../stores/sql.ts'
import { isRepeat, keysOf, newAddresses, newsAmong, readContact, readName, readPost } from './capture-rules.ts'
import * as sql from './capture-sql.ts'
import type { Contact } from './fold.ts'
import { recordFacts } from './record.ts'

// Capture: what the script on the shop's pages posts becomes facts. Anybody can post; ids, quantities and contact are all
// that is taken, and addresses are counted (X5).

export interface CaptureStore {
  id: string
  url: string
  home_url: string
}

/** New addresses of one kind an hour: what one client may bring to one store, and what one store takes from everybody. */
const PER_CLIENT: Record<'email' | 'phone', Limit> = {
  email: { name: 'capture-email', points: 5, windowS: 3_600 },
  phone: { name: 'capture-phone', points: 5, windowS: 3_600 },
}
export const STORE_CEILING: Limit = { name: 'capture-store', points: 600, windowS: 3_600 }
const ALARM: Limit = { name: 'capture-alarm', points: 1, windowS: 3_600 }

/** Posts of one client in ten minutes; a busy checkout needs about twenty. Kept in memory: it only spares the database. */
const POSTS = { points: 600, duration: 600 }

export type PostLimiter = (storeId: string, client: string) => Promise<void>

export function createPostLimiter(): PostLimiter {
  const limiter = new RateLimiterMemory(POSTS)
  return async (storeId, client) => {
    try {
      await limiter.consume(`${storeId}:${client}`)
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      throw new AppError('rate_limited', 'Too many posts.', { retryAfterS: Math.ceil(refusal.msBeforeNext / 1_000) })
    }
  }
}

/** One client's name for this hour; the address itself is kept nowhere. */
export function clientOf(deps: Deps, ip: string): string {
  const salt = deps.secrets.token('capture-client', String(Math.floor(deps.now().getTime() / 3_600_000)))
  return deps.secrets.addressHash(`${salt}\0${clientNetwork(ip)}`).toString('base64url')
}

/** Answers when everything is committed. */
export async function recordCapture(deps: Deps, store: CaptureStore, post: CapturePost, client: string): Promise<void> {
  const handle = { storeId: store.id, db: deps.db }
  const known = (await sql.knownCarts(handle, [post])).get(0)
  const payload = readPost(post, await parentsOf(handle, [post]))
  const host = new URL(store.home_url).hostname
  const keys = keysOf(post, payload?.contact, host)
  const said = saidOf(post, { ...known?.contact, ...payload?.contact })
  const isNews = payload !== null && !(known && isRepeat(known, payload, keys))
  if (!isNews && said.length === 0) return sql.noteCapture(handle, deps.now())
  await takeAddresses(deps, store.id, newAddresses(known?.keys ?? [], keys), client)
  // Before the facts: what waits for consent is looked at again when they arrive.
  if (said.length > 0) await recordConsents(deps, handle, said, keys)
  if (isNews) {
    const uniqueKey = uniqueKeyOf(post)
    await recordFacts(deps, store.id, [{ keys, source: 'capture', at: deps.now(), uniqueKey, payload }])
  }
  await sql.noteCapture(handle, deps.now())
}

/** Counts a post's new addresses before it is kept (X5). Throws when there are too many. */
export async function admitPost(deps: Deps, store: CaptureStore, post: CapturePost, client: string): Promise<void> {
  const contact = readContact(post.contact ?? {}) ?? undefined
  const keys = keysOf(post, contact, new URL(store.home_url).hostname)
  if (newAddresses([], keys).length === 0) return
  const known = (await sql.knownCarts({ storeId: store.id, db: deps.db }, [post])).get(0)
  await takeAddresses(deps, store.id, newAddresses(known?.keys ?? [], keys), client)
}

/**
 * Posts whose addresses were counted, many at once, in the order they came. What they say that is new becomes facts. Safe to
 * repeat.
 */
export async function recordPosts(deps: Deps, storeId: string, kept: readonly sql.KeptPost[]): Promise<void> {
  const handle = { storeId, db: deps.db }
  const store = await readStore(handle)
  if (!store) return
  const host = new URL(store.home_url).hostname
  const posts = kept.map(({ post }) => post)
  const parents = await parentsOf(handle, posts)
  const known = await sql.knownCarts(handle, posts)
  const read = kept.map(({ post, receivedAt }, place) => {
    const payload = readPost(post, parents)
    return { post, payload, keys: keysOf(post, payload?.contact, host), at: receivedAt, known: known.get(place) }
  })
  const news = newsAmong(read)
  // Two posts of a page within one millisecond: the one overtaken is dated by the later one, which has to be known before it (S7).
  news.sort((a, b) => a.at.getTime() - b.at.getTime() || b.post.seq - a.post.seq)
  await recordFacts(
    deps,
    storeId,
    news.map(({ post, payload, keys, at }) => ({ payload, keys, at, source: 'capture', uniqueKey: uniqueKeyOf(post) })),
  )
  await sql.noteCapture(handle, deps.now())
}

const uniqueKeyOf = ({ cart, page, seq }: CapturePost) => `capture:${cart}:${page}:${seq}`

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

async function takeAddresses(deps: Deps, storeId: string, fresh: readonly ShopperKey[], client: string) {
  for (const { kind } of fresh) {
    const wait = await tryTake(deps, PER_CLIENT[kind as 'email' | 'phone'], `${storeId}\0${client}`)
    if (wait > 0) throw new AppError('rate_limited', 'Too many new addresses.', { retryAfterS: wait })
  }
  for (const _ of fresh) {
    const wait = await tryTake(deps, STORE_CEILING, storeId)
    if (wait === 0) continue
    if ((await tryTake(deps, ALARM, storeId)) === 0) await soundAlarm(deps, storeId)
    throw new AppError('rate_limited', 'Too many new addresses.', { retryAfterS: wait })
  }
}

async function soundAlarm(deps: Deps, storeId: string): Promise<void> {
  deps.log.warn({ storeId }, 'capture.flooded')
  await sql.insertFloodAlarm(
    { storeId, db: deps.db },
    {
      id: newId(),
      message: `More than ${STORE_CEILING.points} new addresses came in within an hour. Further ones are refused until the hour is over.`,
      at: deps.now(),
    },
  )
}

/** Every box that speaks of an address we know; another one says nothing about anybody. */
function saidOf({ consent }: CapturePost, contact: Contact): Said[] {
  if (!consent) return []
  const { email, sms, whatsapp } = consent
  const boxes = {
    email: email === undefined ? undefined : { isGiven: email, wording: consent.wording ?? '' },
    sms,
    whatsapp,
  }
  return (['email', 'sms', 'whatsapp'] as const).flatMap((channel) => {
    const [box, address] = [boxes[channel], channel === 'email' ? contact.email : contact.phone]
    if (!box || !address) return []
    const { isGiven, wording } = box
    return [{ channel, address, isGiven, wording: readName(wording) || null, country: contact.country ?? null }]
  })
}

async function recordConsents(
  deps: Deps,
  store: StoreDb,
  said: readonly Said[],
  keys: readonly ShopperKey[],
): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    if (!(await recordSaid(deps, tx, said, now))) return
    await wakeCartMessages(tx, await sql.openCartsOf(tx, keys), now)
    await scheduleNextLook(tx)
  })
}
