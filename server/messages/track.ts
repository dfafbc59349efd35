import { recordTouch } from '../carts/touch.ts'
import type { Db } from '../db.ts'
import { transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { besides, maskedAddress } from '../shoppers/mask.ts'
import { tokenHash } from '../secrets.ts'
import * as shoppersSql from '../shoppers/sql.ts'
import * as system from '../system.ts'
import { messageOfProbe } from '../visits/probes.ts'
import { classifyVisit, type Visit, type VisitKind } from '../visits/visit.ts'
import { recordVisit } from '../visits/visits.ts'
import { preferencesTokenOf, restoreTokenOf } from './compose.ts'
import * as sql from './track-sql.ts'
import { classifyVisit, type Visit } from './visit.ts'

// What comes back from a message: clicks, and the way out. Tokens of one purpose open nothing else (X1).

/** Where a click leads: the restore page, or the store's own address it was written for. null: no such link. */
export async function followLink(
  deps: Deps,
  token: string,
  visit: Omit<Visit, 'sinceHandOverMs'>,
): Promise<string | null> {
  const link = await system.linkToken(deps.db, tokenHash(token), 'click', deps.now())
  if (!link) return null
  // A test's link says itself where it leads, to its own restore page, and is nobody's touch.
  if (link.message_id === null) return link.target
  const store = { storeId: link.store_id, db: deps.db }
  const message = await sql.messageOf(store, link.message_id)
  if (!message) return null
  const now = deps.now()
  const sinceHandOverMs = message.handed_over_at ? now.getTime() - message.handed_over_at.getTime() : null
  const verdict = classifyVisit({ ...visit, sinceHandOverMs })
  await transact(store, async (tx) => {
    const cartId = message.merged_into ?? message.cart_id
    const touch = { id: newId(), messageId: message.id, cartId, kind: 'click' as const, at: now }
    await recordTouch(tx, { ...touch, isHuman: verdict.isHuman, reason: verdict.reason })
  })
  if (link.target && isOfStore(link.target, message)) return link.target
  return `${deps.config.publicUrl}/cart/recover?cart_id=${restoreTokenOf(deps.secrets, message.id)}`
}

/** X1: only hosts the platform reports for that store, at the moment of the click. */
function isOfStore(target: string, store: { store_url: string; home_url: string }): boolean {
  const host = new URL(target).host
  return host === new URL(store.store_url).host || host === new URL(store.home_url).host
}

export interface WayOut {
  storeName: string
  address: string
  isUnsubscribed: boolean
}

export async function readWayOut(deps: Deps, token: string): Promise<WayOut> {
  const { message, store, hash } = await wayOut(deps, token)
  const isUnsubscribed = await sql.isUnsubscribed(store, message.account_id, hash, message.channel)
  const preferences = preferencesTokenOf(deps.secrets, message.id)
  const hasPreferences = await system.linkToken(deps.db, tokenHash(preferences), 'preferences', deps.now())
  return {
    storeName: message.store_name,
    address: maskedAddress(message.channel, message.to_address!),
    isUnsubscribed,
    language: await sql.languageOf(store, message.id),
    preferencesToken: hasPreferences ? preferences : null,
  }
}

/** Counts for every message not yet handed over, in the same commit (C2). Doing it twice is doing it once. */
export async function unsubscribe(deps: Deps, token: string, source: string): Promise<{ storeName: string }> {
  const { message, store, hash } = await wayOut(deps, token)
  const now = deps.now()
  await transact(store, async (tx) => {
    const address = message.to_address!
    const { account_id: accountId, channel } = message
    await sql.suppress(tx, { accountId, hash, address, channel, reason: 'unsubscribed', source, at: now })
    await shoppersSql.insertConsent(tx, {
      id: newId(),
      addressHash: hash,
      channel,
      status: 'withdrawn',
      source,
      wording: null,
      at: now,
    })
    await sql.skipOpenTo(tx, { accountId, address, channel, now })
  })
  return { storeName: message.store_name }
}

/** The person's own act restores (C5). */
export async function resubscribe(deps: Deps, token: string): Promise<{ storeName: string }> {
  const { message, store, hash } = await wayOut(deps, token)
  await transact(store, async (tx) => {
    await sql.unsuppress(tx, message.account_id, hash, message.channel)
    await shoppersSql.insertConsent(tx, {
      id: newId(),
      addressHash: hash,
      channel: message.channel,
      status: 'granted',
      source: 'undo on the unsubscribe page',
      wording: null,
  /** What the person chose to read; null: nothing yet. */
  language: 'en' | 'de' | null
  /** Of the same message; null for one that was sent before there was such a page. */
  preferencesToken: string | null
      at: deps.now(),
    })
  })
  return { storeName: message.store_name }
}

async function wayOut(deps: Deps, token: string) {
  const link = await system.linkToken(deps.db, tokenHash(token), 'unsubscribe', deps.now())
  const store = link ? { storeId: link.store_id, db: deps.db as Db } : null
  const message = store && link?.message_id ? await sql.messageOf(store, link.message_id) : undefined
  if (!store || !message?.to_address) throw new AppError('not_found', 'This link is not valid or has expired.')
  return { message, store, hash: deps.secrets.addressHash(message.to_address) }
}

/** `a•••@example.com`: enough to recognise one's own address. */
export function masked(address: string): string {
  const [local = '', domain = ''] = address.split('@')
  return `${local.slice(0, 1)}•••@${domain}`
}
      who: maskedAddress(channel, address),
    await sql.splitStopAll(tx, message.account_id, hash, besides(message.channel))
      who: maskedAddress(message.channel, message.to_address!),
