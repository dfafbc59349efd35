import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import type { Language } from '../../../shared/delivery/preferences.ts'
import { loadShopBrand } from '../../carts/brand/public.ts'
import { createToken, openLink } from '../../carts/links/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type Db, type StoreTx, transact, withRetry } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { listChannelsOfAddress, maskAddress } from '../../messages/channels/public.ts'
import * as sql from '../../messages/messages/public.ts'
import { insertAnswer } from '../../shoppers/consent/public.ts'
import { hasUnsubscribed, splitStopAll, suppress, unsuppress } from '../../shoppers/suppressions/public.ts'
import { detectLanguage, findPageLanguage } from './rules.ts'

// Unsubscribes by a message's link. A token works only for its own purpose (X1).

export interface UnsubscribeLink {
  storeName: string
  brand: ShopBrand
  address: string
  isUnsubscribed: boolean
  language: Language
  /** Token of the same message's preference page. */
  preferencesToken: string
}

export async function readUnsubscribeLink(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
  accepted: string | undefined,
): Promise<UnsubscribeLink> {
  const { message, store, hash } = await messageOfToken(deps, token)
  const sources = await sql.readLanguage(store, message.id)
  const isUnsubscribed = await hasUnsubscribed(store, message.account_id, hash, message.channel)
  return {
    storeName: message.store_name,
    brand: await loadShopBrand(store),
    address: maskAddress(message.channel, message.to_address!),
    isUnsubscribed,
    language: findPageLanguage(sources) ?? detectLanguage(accepted, sources.store_locale),
    preferencesToken: createToken(deps.secrets, 'preferences', message.id),
  }
}

/** Unsubscribes and closes every message not yet sent, in the same commit (C2). Idempotent. */
export async function unsubscribe(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
  source: string,
): Promise<{ storeName: string }> {
  const { message, store, hash } = await messageOfToken(deps, token)
  const now = deps.now()
  const stop = async (tx: StoreTx) => {
    const address = message.to_address!
    const { account_id: accountId, channel } = message
    await suppress(tx, { accountId, hash, address, channel, reason: 'unsubscribed', source, at: now })
    await insertAnswer(tx, {
      addressHash: hash,
      channel,
      status: 'withdrawn',
      source,
      wording: null,
      at: now,
      who: maskAddress(channel, address),
    })
    // Locks the sent message before open ones, as settling does (send/settle.ts), to avoid deadlocks.
    await sql.setUnsubscribed(tx, message.id, { at: now })
    await sql.skipOpenMessagesTo(tx, { accountId, address, channel, now })
  }
  await withRetry(() => transact(store, stop))
  return { storeName: message.store_name }
}

/** Undoes the shopper's own unsubscribe (C5). */
export async function resubscribe(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
): Promise<{ storeName: string }> {
  const { message, store, hash } = await messageOfToken(deps, token)
  await transact(store, async (tx) => {
    await splitStopAll(tx, message.account_id, hash, listChannelsOfAddress(message.channel))
    await unsuppress(tx, message.account_id, hash, message.channel)
    await sql.setUnsubscribed(tx, message.id, { at: null })
    await insertAnswer(tx, {
      addressHash: hash,
      channel: message.channel,
      status: 'granted',
      source: 'undo on the unsubscribe page',
      wording: null,
      at: deps.now(),
      who: maskAddress(message.channel, message.to_address!),
    })
  })
  return { storeName: message.store_name }
}

async function messageOfToken(deps: Pick<Deps, 'db' | 'now' | 'secrets'>, token: string) {
  const link = await openLink(deps, 'unsubscribe', token)
  const store = { storeId: link?.storeId ?? '', db: deps.db as Db }
  const message = link ? await sql.findMessageRecipient(store, link.messageId) : undefined
  // Notifications have no such link; a push subscription ends by its deletion (decision 73).
  if (!message?.to_address || message.channel === 'push')
    throw new AppError('not_found', 'This link is not valid or has expired.')
  return { message, store, hash: deps.secrets.addressHash(message.to_address) }
}
