import type { z } from 'zod'
import { BrowserSubscription, pushTexts } from '../../../shared/push.ts'
import { insertSaid } from '../../shoppers/consent/consents.ts'
import type { StoreTx } from '../../core/db/db.ts'
import { AppError, found } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import { isSameSecret, type Secrets } from '../../core/common/secrets.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook, wakeCartMessages } from '../../messages/messages/messages.ts'
import { browserMarks } from '../../shoppers/shoppers/rules.ts'
import { lockShoppersOf } from '../../shoppers/shoppers/shoppers.ts'
import { keyByPublic, keyInUse } from './keys.ts'
import { serviceOf } from './services.ts'
import * as sql from './subscriptions-sql.ts'

// Subscriptions of shoppers' browsers (decisions 72 and 73). A row is a live subscription whose consent stands: withdrawing deletes it, and
// the ledger keeps that it was withdrawn. What it says can write to a browser, so it is kept encrypted.

export { countBrowsersOf, countSubscribers } from './subscriptions-sql.ts'

const Kept = BrowserSubscription.pick({ endpoint: true, keys: true })
export type KeptSubscription = z.infer<typeof Kept>

const contextOf = (storeId: string, id: string) => `push-subscription:${storeId}:${id}`

export function openSubscription(secrets: Secrets, row: { storeId: string; id: string; encrypted: Buffer }) {
  return Kept.parse(JSON.parse(secrets.open(row.encrypted, contextOf(row.storeId, row.id))))
}

const seal = (secrets: Secrets, storeId: string, id: string, { endpoint, keys }: KeptSubscription) =>
  secrets.seal(JSON.stringify({ endpoint, keys }), contextOf(storeId, id))

/** What the engine calls it: the address of a message, and whom the ledger speaks of. */
export const addressOfSubscription = (id: string): string => `push:${id}`

/** Proves to whoever holds it whose subscription it is. */
export function subscriptionToken(secrets: Secrets, storeId: string, id: string): string {
  return `${id}.${secrets.token('push-subscription', `${storeId}:${id}`)}`
}

/** The subscription's id. Throws `not_found`. */
export function readSubscriptionToken(secrets: Secrets, storeId: string, token: string): string {
  const [id = ''] = token.split('.')
  if (!isSameSecret(token, subscriptionToken(secrets, storeId, id)))
    throw new AppError('not_found', 'Subscription not found')
  return id
}

/** How the capture script in a browser calls its cart, and itself. */
export interface BrowserTokens {
  cart: string
  device?: string | undefined
}

export interface Subscribing extends BrowserTokens {
  subscription: BrowserSubscription
  publicKey: string
  /** As they were shown. */
  wording: string
  deviceClass: 'phone' | 'desktop' | null
}

/** Kept, with the consent it stands for. A cart that is not known yet has to be told of again (`resubscribe`). */
export async function subscribe(
  deps: Deps,
  tx: StoreTx,
  wanted: Subscribing,
): Promise<{ token: string; isCartKnown: boolean }> {
  const { secrets } = deps
  const known = await sql.subscriptionBy(tx, secrets.addressHash(wanted.subscription.endpoint))
  const row = await rowOf(deps, tx, wanted, known?.id)
  const { shopper_id: shopperId, kind } = await shopperOf(tx, wanted)
  const isCartKnown = kind === 'cart'
  const isNew = known?.shopper_id !== shopperId
  if (isNew && (await hasTooMany(tx, shopperId))) throw new AppError('unprocessable', pushTexts.tooManyBrowsers)
  const now = deps.now()
  const id = await sql.keepSubscription(tx, {
    ...row,
    ...{ shopper_id: shopperId, device_class: wanted.deviceClass, created_at: now },
    marks: browserMarks(isCartKnown ? wanted : { device: wanted.device }),
  })
  // Told again by the same person it says nothing new.
  if (isNew) await noteConsent(deps, tx, id, { status: 'granted', wording: wanted.wording })
  await wakeMessagesOf(tx, shopperId, now)
  return { token: subscriptionToken(secrets, tx.storeId, id), isCartKnown }
}

async function shopperOf(tx: StoreTx, browser: BrowserTokens) {
  const found = await sql.shopperBy(tx, browser)
  if (!found) throw new AppError('unprocessable', pushTexts.unknownDevice)
  return found
}

const hasTooMany = async (tx: StoreTx, shopperId: string): Promise<boolean> =>
  (await sql.countBrowsersOf(tx, shopperId)) >= sql.MOST_BROWSERS

/** What has waited for a browser of theirs. */
async function wakeMessagesOf(tx: StoreTx, shopperId: string, now: Date): Promise<void> {
  await wakeCartMessages(tx, await sql.liveCartsOf(tx, shopperId), now)
  await scheduleNextLook(tx)
}

interface Moving extends Pick<Subscribing, 'subscription' | 'publicKey'> {
  token: string
  /** undefined: it knows of none. */
  cart?: string | undefined
  device?: string | undefined
}

/** The browser has another one now, or another cart, which may be somebody else's. Throws `not_found` where the old one has ended. */
export async function resubscribe(deps: Deps, tx: StoreTx, { token, ...wanted }: Moving): Promise<string> {
  const id = readSubscriptionToken(deps.secrets, tx.storeId, token)
  const row = await rowOf(deps, tx, wanted, id)
  if (!(await sql.moveSubscription(tx, row))) found(null, 'Subscription')
  const { cart, device } = wanted
  if (cart !== undefined) await follow(deps, tx, id, { cart, device })
  return token
}

/** What comes after an order is another cart, which the same browser tells of; its subscription goes along, where there is room for it. */
async function follow(deps: Deps, tx: StoreTx, id: string, browser: BrowserTokens): Promise<void> {
  // Of whom the device was before says nothing of this cart.
  const { shopper_id: shopperId } = await shopperOf(tx, { cart: browser.cart })
  const isNew = (await sql.ownerOf(tx, id))?.shopper_id !== shopperId
  if (isNew && (await hasTooMany(tx, shopperId))) return
  await sql.giveTo(tx, id, { shopperId, marks: browserMarks(browser) })
  await wakeMessagesOf(tx, shopperId, deps.now())
}

/** Deleted, with the word in the ledger; one that is not there any more says nothing. */
export async function endSubscriptions(
  deps: Deps,
  tx: StoreTx,
  ids: readonly string[],
  source: string,
): Promise<number> {
  const ended = await sql.deleteSubscriptions(tx, ids)
  for (const id of ended) await noteConsent(deps, tx, id, { status: 'withdrawn', source })
  return ended.length
}

/**
 * "Stop these" in a notification: in all browsers of whoever it was for, and of whoever that browser is now. Shoppers are locked in the one
 * order.
 */
export async function endSubscriptionsBy(deps: Deps, tx: StoreTx, messageId: string, source: string): Promise<void> {
  await lockShoppersOf(tx, await sql.peopleOfNotification(tx, messageId))
  for (const shopperId of await sql.peopleOfNotification(tx, messageId)) {
    await endSubscriptionsOf(deps, tx, shopperId, source)
  }
}

/** All of a person's, in whatever browsers. */
export async function endSubscriptionsOf(deps: Deps, tx: StoreTx, shopperId: string, source: string): Promise<number> {
  return endSubscriptions(deps, tx, await sql.idsOfShopper(tx, shopperId), source)
}

/** Throws where the service or the key is not ours to write with. */
async function rowOf(
  deps: Deps,
  tx: StoreTx,
  { subscription, publicKey }: Pick<Subscribing, 'subscription' | 'publicKey'>,
  id = newId(),
) {
  const { secrets, config } = deps
  const service = serviceOf(subscription.endpoint, config)
  if (!service) throw new AppError('unprocessable', pushTexts.unknownService)
  const key = (await keyInUse(tx))?.public_key === publicKey ? await keyByPublic(tx, publicKey) : undefined
  if (!key) throw new AppError('conflict', pushTexts.otherKey)
  return {
    ...{ id, key_id: key.id, service, seen_at: deps.now() },
    endpoint_hash: secrets.addressHash(subscription.endpoint),
    encrypted: seal(secrets, tx.storeId, id, subscription),
  }
}

async function noteConsent(
  deps: Deps,
  tx: StoreTx,
  id: string,
  said: { status: 'granted'; wording: string } | { status: 'withdrawn'; source: string },
): Promise<void> {
  await insertSaid(tx, {
    ...{ addressHash: deps.secrets.addressHash(addressOfSubscription(id)), channel: 'push', at: deps.now() },
    ...(said.status === 'granted'
      ? { ...said, source: 'push prompt', evidence: { unproven: 'page script' as const } }
      : { ...said, wording: null }),
  })
}
