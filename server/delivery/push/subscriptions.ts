import type { z } from 'zod'
import { BrowserSubscription, pushTexts } from '../../../shared/delivery/push.ts'
import { AppError, createId, isSameSecret, requireFound, type Secrets } from '../../core/common/public.ts'
import type { StoreTx } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextRun, wakeCartMessages } from '../../messages/messages/public.ts'
import { insertAnswer } from '../../shoppers/consent/public.ts'
import { hashBrowserTokens, lockShoppersById } from '../../shoppers/shoppers/public.ts'
import { findCurrentKey, findKeyByPublic } from './keys-sql.ts'
import { findService } from './services.ts'
import * as sql from './subscriptions-sql.ts'

// Subscriptions of shoppers' browsers (decisions 72 and 73). A row is a live subscription with consent. Withdrawal
// deletes it and stays in the consent ledger. A subscription allows sending to the browser, so it is stored encrypted.

const StoredSubscription = BrowserSubscription.pick({ endpoint: true, keys: true })
export type StoredPushSubscription = z.infer<typeof StoredSubscription>

const buildContext = (storeId: string, id: string) => `push-subscription:${storeId}:${id}`

export function openSubscription(secrets: Secrets, row: { storeId: string; id: string; encrypted: Buffer }) {
  return StoredSubscription.parse(JSON.parse(secrets.open(row.encrypted, buildContext(row.storeId, row.id))))
}

const seal = (secrets: Secrets, storeId: string, id: string, { endpoint, keys }: StoredPushSubscription) =>
  secrets.seal(JSON.stringify({ endpoint, keys }), buildContext(storeId, id))

/** The subscription as an address, in messages and in the consent ledger. */
export const addressOfSubscription = (id: string): string => `push:${id}`

/** A token that authenticates the browser of a subscription. */
export function buildSubscriptionToken(secrets: Secrets, storeId: string, id: string): string {
  return `${id}.${secrets.token('push-subscription', `${storeId}:${id}`)}`
}

/** Returns the subscription's id. Throws `not_found`. */
export function readSubscriptionToken(secrets: Secrets, storeId: string, token: string): string {
  const [id = ''] = token.split('.')
  if (!isSameSecret(token, buildSubscriptionToken(secrets, storeId, id)))
    throw new AppError('not_found', 'Subscription not found')
  return id
}

/** The capture script's ids of its cart and its browser. */
export interface BrowserTokens {
  cart: string
  device?: string | undefined
}

export interface Subscribing extends BrowserTokens {
  subscription: BrowserSubscription
  publicKey: string
  /** The consent texts as shown. */
  wording: string
  deviceClass: 'phone' | 'desktop' | null
}

/**
 * Stores a subscription with its consent. If the cart is not known yet, the browser has to call `resubscribe` later.
 */
export async function subscribe(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  tx: StoreTx,
  input: Subscribing,
): Promise<{ token: string; isCartKnown: boolean }> {
  const { secrets } = deps
  const known = await sql.findSubscription(tx, secrets.addressHash(input.subscription.endpoint))
  const row = await buildRow(deps, tx, input, known?.id)
  const { shopper_id: shopperId, kind } = await findBrowserShopper(tx, input)
  const isCartKnown = kind === 'cart'
  const isNew = known?.shopper_id !== shopperId
  if (isNew && (await hasTooMany(tx, shopperId))) throw new AppError('unprocessable', pushTexts.tooManyBrowsers)
  const now = deps.now()
  const id = await sql.keepSubscription(tx, {
    ...row,
    shopper_id: shopperId,
    device_class: input.deviceClass,
    created_at: now,
    marks: hashBrowserTokens(isCartKnown ? input : { device: input.device }),
  })
  // A repeated registration by the same shopper is not a new consent.
  if (isNew) await noteConsent(deps, tx, id, { status: 'granted', wording: input.wording })
  await wakeShopperMessages(tx, shopperId, now)
  return { token: buildSubscriptionToken(secrets, tx.storeId, id), isCartKnown }
}

async function findBrowserShopper(tx: StoreTx, browser: BrowserTokens) {
  const shopper = await sql.findShopper(tx, browser)
  if (!shopper) throw new AppError('unprocessable', pushTexts.unknownDevice)
  return shopper
}

const hasTooMany = async (tx: StoreTx, shopperId: string): Promise<boolean> =>
  (await sql.countBrowsers(tx, shopperId)) >= sql.MAX_BROWSERS

/** Wakes messages that wait for one of the shopper's browsers. */
async function wakeShopperMessages(tx: StoreTx, shopperId: string, now: Date): Promise<void> {
  await wakeCartMessages(tx, await sql.listLiveCarts(tx, shopperId), now)
  await scheduleNextRun(tx)
}

interface Resubscription extends Pick<Subscribing, 'subscription' | 'publicKey'> {
  token: string
  /** undefined: the browser has no cart. */
  cart?: string | undefined
  device?: string | undefined
}

/**
 * Updates a browser's subscription and cart, which may belong to another shopper. Throws `not_found` if the old
 * subscription has ended.
 */
export async function resubscribe(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  tx: StoreTx,
  { token, ...input }: Resubscription,
): Promise<string> {
  const id = readSubscriptionToken(deps.secrets, tx.storeId, token)
  const row = await buildRow(deps, tx, input, id)
  if (!(await sql.moveSubscription(tx, row))) requireFound(null, 'Subscription')
  const { cart, device } = input
  if (cart !== undefined) await moveToCart(deps, tx, id, { cart, device })
  return token
}

/**
 * Moves the subscription to the shopper of the browser's new cart, for example after an order, unless they have too
 * many browsers.
 */
async function moveToCart(deps: Pick<Deps, 'now'>, tx: StoreTx, id: string, browser: BrowserTokens): Promise<void> {
  // Only the cart counts; the device's earlier shopper need not own it.
  const { shopper_id: shopperId } = await findBrowserShopper(tx, { cart: browser.cart })
  const isNew = (await sql.findOwner(tx, id))?.shopper_id !== shopperId
  if (isNew && (await hasTooMany(tx, shopperId))) return
  await sql.assignSubscription(tx, id, { shopperId, marks: hashBrowserTokens(browser) })
  await wakeShopperMessages(tx, shopperId, deps.now())
}

/**
 * Deletes subscriptions and records the withdrawals in the ledger. Ignores missing ones. Returns how many were deleted.
 */
export async function endSubscriptions(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  ids: readonly string[],
  source: string,
): Promise<number> {
  const ended = await sql.deleteSubscriptions(tx, ids)
  for (const id of ended) await noteConsent(deps, tx, id, { status: 'withdrawn', source })
  return ended.length
}

/**
 * Handles "Stop these" in a notification: ends all subscriptions of its shopper and of its browser's current shopper.
 * Shoppers are locked in the common order.
 */
export async function endMessageSubscriptions(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  messageId: string,
  source: string,
): Promise<void> {
  await lockShoppersById(tx, await sql.shoppersOfNotification(tx, messageId))
  for (const shopperId of await sql.shoppersOfNotification(tx, messageId)) {
    await endShopperSubscriptions(deps, tx, shopperId, source)
  }
}

/** Ends all subscriptions of a shopper. */
export async function endShopperSubscriptions(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  shopperId: string,
  source: string,
): Promise<number> {
  return endSubscriptions(deps, tx, await sql.listShopperSubscriptionIds(tx, shopperId), source)
}

/** Builds the row. Throws if the push service is not allowed or the key is not the store's current one. */
async function buildRow(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  tx: StoreTx,
  { subscription, publicKey }: Pick<Subscribing, 'subscription' | 'publicKey'>,
  id = createId(),
) {
  const { secrets, config } = deps
  const service = findService(subscription.endpoint, config)
  if (!service) throw new AppError('unprocessable', pushTexts.unknownService)
  const key = (await findCurrentKey(tx))?.public_key === publicKey ? await findKeyByPublic(tx, publicKey) : undefined
  if (!key) throw new AppError('conflict', pushTexts.otherKey)
  return {
    id,
    key_id: key.id,
    service,
    seen_at: deps.now(),
    endpoint_hash: secrets.addressHash(subscription.endpoint),
    encrypted: seal(secrets, tx.storeId, id, subscription),
  }
}

async function noteConsent(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  id: string,
  consent: { status: 'granted'; wording: string } | { status: 'withdrawn'; source: string },
): Promise<void> {
  await insertAnswer(tx, {
    addressHash: deps.secrets.addressHash(addressOfSubscription(id)),
    channel: 'push',
    at: deps.now(),
    ...(consent.status === 'granted'
      ? { ...consent, source: 'push prompt', evidence: { unproven: 'page script' as const } }
      : { ...consent, wording: null }),
  })
}
