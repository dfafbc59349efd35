import crypto from 'node:crypto'
import { maxConsentWording } from '../../../shared/consent.ts'
import type { Unproven } from '../../../shared/ledger.ts'
import { maskedAddress } from '../../messages/channels/mask.ts'
import { isSatelliteOrPremium, phoneCountry } from '../../messages/channels/phone.ts'
import { type StoreTx, transact } from '../../core/db/db.ts'
import { newId } from '../../core/common/ids.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook, wakeCartMessages, wakeMessagesTo } from '../../messages/messages/messages.ts'
import { addressKey } from '../shoppers/rules.ts'
import { lockAllKeys } from '../shoppers/shoppers.ts'
import { erasedAmong } from '../suppressions/suppressions.ts'
import { recipientCountry, ruleInForce } from './consent.ts'
import * as sql from './consent-sql.ts'
import { type ConsentRow, insertConsent } from './consent-sql.ts'
import { ledgerText } from './evidence-sql.ts'

// What shoppers say in the shop goes into the ledger (C5): append-only, with the words that were shown. Where a yes by SMS has to be
// confirmed, it goes in as `pending` and the question is put on its way (opt-in-request.ts).

/** Kept with the answer on a page of ours. */
export { keepOptInRequest } from './consent-sql.ts'

export type ShopChannel = 'email' | 'sms' | 'whatsapp'

/** One box of a checkout. */
export interface Said {
  channel: ShopChannel
  /** Normalised email or E.164. */
  address: string
  isGiven: boolean
  wording: string | null
  /** Of the shopper, as far as they gave one. */
  country: string | null
  /** Nothing proves whose address it is. */
  unproven?: Unproven
  /** Ledger source; defaults to `checkout`. */
  source?: string
  /** Marks of the browser that said it, as far as a page tells. */
  browsers?: string[]
  /** The store's id of the customer who was signed in. */
  customerId?: string | null
  /** Said before now, as the shop tells: what was said since stands. */
  saidAt?: Date
}

/** When something said now counts from: after what was said before, also where the clock has been put back since (T4). */
export const laterThan = (before: Date, now: Date): Date => (before >= now ? new Date(before.getTime() + 1) : now)

/** What somebody says themselves on a page of ours, at this moment. */
export async function insertSaid(tx: StoreTx, said: Omit<ConsentRow, 'id'>): Promise<void> {
  const last = await sql.lastConsent(tx, said.addressHash, said.channel)
  await insertConsent(tx, { ...said, id: newId(), at: last ? laterThan(last.at, said.at) : said.at })
}

/** What one post of the shop's pages says; saying the same again adds nothing. Answers whether anything was added. */
export async function recordSaid(deps: Deps, tx: StoreTx, said: readonly Said[], now: Date): Promise<boolean> {
  let isNew = false
  for (const { addressHash, ...each } of await ofOthersThanErased(deps, tx, said)) {
    const status = await statusOf(tx, each, addressHash)
    const last = await sql.lastConsent(tx, addressHash, each.channel)
    const isNewCustomer = each.isGiven && each.customerId && last?.evidence?.customerId !== each.customerId
    const isSame =
      last && last.wording === each.wording && (last.status === status || (last.is_confirmed && each.isGiven))
    if (isSame && !isNewCustomer) {
      // A consent that the update marked as unproven waits for a confirmation, and its number was not known then.
      if (status === 'pending') await sql.keepFirstOptInRequest(tx, { ...each, addressHash, now })
      continue
    }
    if (last && each.saidAt && last.at > each.saidAt) continue
    const saidAt = each.saidAt ?? now
    const at = last ? laterThan(last.at, saidAt) : saidAt
    const source = each.source ?? 'checkout'
    await insertConsent(tx, { id: newId(), addressHash, status, source, at, ...shared(each) })
    if (status === 'pending') await sql.keepOptInRequest(tx, { ...each, addressHash, now })
    isNew = true
  }
  return isNew
}

export interface OrderWord extends Said {
  orderId: string
  /** When the order was made: what was said since stands. */
  at: Date
}

/** A payment that is under way may take this long. The purchase may prove the consent, so that nothing has to be asked. */
const PAYMENT_MS = 3_600_000

/** Records an order's consent once, and again when the order becomes a purchase. */
export async function recordOrderText(deps: Deps, storeId: string, said: readonly OrderWord[]): Promise<void> {
  if (said.length === 0) return
  const now = deps.now()
  await transact({ storeId, db: deps.db }, async (tx) => {
    let isNew = false
    for (const { addressHash, ...each } of await ofOthersThanErased(deps, tx, said)) {
      const id = orderWordId(storeId, each)
      if (await sql.consentTime(tx, id)) continue
      const { unproven, ...paid } = each
      const other = await sql.consentTime(
        tx,
        orderWordId(storeId, unproven ? paid : { ...paid, unproven: 'unpaid order' }),
      )
      // A purchase that is cancelled proves what it proved.
      if (other && unproven) continue
      const status = await statusOf(tx, each, addressHash)
      // A store's clock ahead of ours must not outrank what is said later, also not when the order becomes a purchase then.
      const madeAt = other ?? (each.at < now ? each.at : now)
      // What was withdrawn in that very moment was withdrawn after it.
      const last = await sql.lastConsent(tx, addressHash, each.channel)
      const isTakenBack = last?.status === 'withdrawn' && last.at.getTime() === madeAt.getTime()
      const at = isTakenBack ? new Date(madeAt.getTime() - 1) : madeAt
      const source = each.unproven ?? 'order'
      await insertConsent(tx, { id, addressHash, status, source, at, ...shared(each) })
      const dueAt = unproven ? new Date(now.getTime() + PAYMENT_MS) : now
      if (status === 'pending') await sql.keepOptInRequest(tx, { ...each, addressHash, now, dueAt })
      // What was said since, and is asked about, does not rest on this order.
      else if (each.channel === 'sms' && !(last?.status === 'pending' && last.at > at))
        await sql.dropOptInRequest(tx, addressHash)
      isNew = true
    }
    if (!isNew) return
    const addresses = said.map(({ address }) => address)
    await wakeThoseTo(tx, addresses, now)
    await scheduleNextLook(tx)
  })
}

/** A purchase with the address proves what its customer agreed to in My account before: the ledger gets the consent once more, at its own time. */
export async function proveAccountConsents(
  deps: Deps,
  storeId: string,
  purchases: readonly { customerId: string; address: string }[],
): Promise<void> {
  const hashed = purchases.map(({ customerId, address }) => ({
    customerId,
    address,
    hash: deps.secrets.addressHash(address).toString('hex'),
  }))
  const store = { storeId, db: deps.db }
  if (hashed.length === 0 || !(await sql.hasUnprovenOf(store, hashed))) return
  await transact(store, async (tx) => sql.insertProven(tx, await ofOthersThanErased(deps, tx, hashed)))
}

/** Messages to these addresses that were held, about a cart or not: a consent may let them pass. */
export async function wakeThoseTo(tx: StoreTx, addresses: readonly string[], now: Date): Promise<void> {
  await wakeCartMessages(tx, await sql.openCartsTo(tx, addresses), now)
  await wakeMessagesTo(tx, addresses, now)
}

/** Whoever was erased stays so: what is said at their address is not written down, neither its number nor its beginning (C8). */
export async function ofOthersThanErased<T extends { address: string }>(deps: Deps, tx: StoreTx, said: readonly T[]) {
  const hashed = said.map((each) => ({ ...each, addressHash: deps.secrets.addressHash(each.address) }))
  if (hashed.length === 0) return []
  // An erasure holds the same locks: it comes before the question, or after what is written.
  await lockAllKeys(
    tx,
    said.map(({ address }) => addressKey(address)),
  )
  const erased = await erasedAmong(
    tx,
    hashed.map(({ addressHash }) => addressHash),
  )
  return hashed.filter(({ addressHash }) => !erased.has(addressHash.toString('hex')))
}

const shared = ({ channel, address, isGiven, wording, unproven, browsers, customerId }: Said) => {
  const evidence = {
    ...(unproven && { unproven, ...(browsers && { browsers }) }),
    ...(isGiven && customerId && { customerId }),
  }
  return {
    channel,
    wording: wording?.slice(0, maxConsentWording) || null,
    who: maskedAddress(channel, address),
    ...(Object.keys(evidence).length > 0 && { evidence }),
  }
}

/**
 * An SMS opt-in stays pending where the rule in force or the store asks for a confirmation. So does an unproven one for a satellite or premium
 * number: anybody can type such a number, with any country, and no customer has one.
 */
export async function statusOf(
  tx: StoreTx,
  said: Pick<Said, 'channel' | 'address' | 'isGiven' | 'country' | 'unproven'>,
  addressHash: Buffer,
): Promise<'pending' | 'granted' | 'withdrawn'> {
  if (!said.isGiven) return 'withdrawn'
  if (said.channel !== 'sms') return 'granted'
  const terms = await sql.consentTerms(tx)
  const recipient = { country: said.country, phone: said.address }
  const { country } = recipientCountry('sms', recipient, terms, phoneCountry)
  const isAsked =
    terms.smsConfirmation === 'always' ||
    (said.unproven !== undefined && (terms.smsConfirmation === 'page_script' || isSatelliteOrPremium(said.address))) ||
    ruleInForce({ channel: 'sms', country, ...terms }) === 'confirmed_opt_in'
  if (!isAsked) return 'granted'
  const word = (await ledgerText(tx, [addressHash], ['sms'])).get(`sms:${addressHash.toString('hex')}`)
  return word?.evidence === 'confirmed' ? 'granted' : 'pending'
}

/** The same for the same order and channel, whichever process reads it. */
function orderWordId(storeId: string, { orderId, channel, unproven }: OrderWord): string {
  const name = [storeId, 'order', orderId, channel, ...(unproven ? [unproven] : [])].join('\0')
  const hex = crypto.createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
