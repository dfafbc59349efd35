import crypto from 'node:crypto'
import type { Unproven } from '../../../shared/marketing/ledger.ts'
import { maxConsentWording } from '../../../shared/shoppers/consent.ts'
import { createId } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { findPhoneCountry, isSatelliteOrPremium, maskAddress } from '../../messages/channels/public.ts'
import { scheduleNextRun, wakeCartMessages, wakeMessagesToAddresses } from '../../messages/messages/public.ts'
import { buildAddressKey, lockAllKeys } from '../shoppers/public.ts'
import { selectErased } from '../suppressions/public.ts'
import { findRecipientCountry, findRuleInForce } from './consent.ts'
import * as sql from './consent-sql.ts'
import { type ConsentRow, insertConsent } from './consent-sql.ts'
import { selectEvidence } from './evidence-sql.ts'

// Records consents from the shop in the ledger (C5), which is append-only and keeps the displayed text. An SMS consent
// that must be confirmed is recorded as `pending`, and an opt-in request is queued (opt-in-request.ts).

export type ShopChannel = 'email' | 'sms' | 'whatsapp'

/** Answer at one consent box. */
export interface ConsentAnswer {
  channel: ShopChannel
  /** Normalized email or E.164 number. */
  address: string
  isGiven: boolean
  wording: string | null
  /** The shopper's country, if known. */
  country: string | null
  /** Nothing proves whose address it is. */
  unproven?: Unproven
  /** Ledger source; defaults to `checkout`. */
  source?: string
  /** Marks of the browser, if a page reported it. */
  browsers?: string[]
  /** The store's id of the signed-in customer. */
  customerId?: string | null
  /** Earlier time reported by the shop; later entries take precedence. */
  answeredAt?: Date
}

/** Time of a new entry: always after the previous one, even if the clock was set back (T4). */
export const computeLaterTime = (before: Date, now: Date): Date =>
  before >= now ? new Date(before.getTime() + 1) : now

/** Records an answer that a shopper gives on one of our pages now. */
export async function insertAnswer(tx: StoreTx, answer: Omit<ConsentRow, 'id'>): Promise<void> {
  const last = await sql.selectLastConsent(tx, answer.addressHash, answer.channel)
  await insertConsent(tx, { ...answer, id: createId(), at: last ? computeLaterTime(last.at, answer.at) : answer.at })
}

/** Records the answers of one post. Repeated answers add nothing. Returns whether anything was added. */
export async function recordAnswers(
  deps: Pick<Deps, 'secrets'>,
  tx: StoreTx,
  answers: readonly ConsentAnswer[],
  now: Date,
): Promise<boolean> {
  let isNew = false
  for (const { addressHash, ...each } of await dropErased(deps, tx, answers)) {
    const status = await computeStatus(tx, each, addressHash)
    const last = await sql.selectLastConsent(tx, addressHash, each.channel)
    const isNewCustomer = each.isGiven && each.customerId && last?.evidence?.customerId !== each.customerId
    const isSame =
      last && last.wording === each.wording && (last.status === status || (last.is_confirmed && each.isGiven))
    if (isSame && !isNewCustomer) {
      // A consent that an update marked as unproven waits for a confirmation, but its number was unknown then.
      if (status === 'pending') await sql.queueFirstOptInRequest(tx, { ...each, addressHash, now })
      continue
    }
    if (last && each.answeredAt && last.at > each.answeredAt) continue
    const answeredAt = each.answeredAt ?? now
    const at = last ? computeLaterTime(last.at, answeredAt) : answeredAt
    const source = each.source ?? 'checkout'
    await insertConsent(tx, { id: createId(), addressHash, status, source, at, ...buildSharedColumns(each) })
    if (status === 'pending') await sql.queueOptInRequest(tx, { ...each, addressHash, now })
    isNew = true
  }
  return isNew
}

export interface OrderConsent extends ConsentAnswer {
  orderId: string
  /** Time of the order; later entries take precedence. */
  at: Date
}

/** A payment in progress may take this long. The purchase may prove the consent, so that no SMS is needed. */
const PAYMENT_MS = 3_600_000

/** Records an order's consent once, and again when the order becomes a purchase. */
export async function recordOrderConsents(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  answers: readonly OrderConsent[],
): Promise<void> {
  if (answers.length === 0) return
  const now = deps.now()
  const { storeId } = store
  await transact(store, async (tx) => {
    let isNew = false
    for (const { addressHash, ...each } of await dropErased(deps, tx, answers)) {
      const id = buildOrderConsentId(storeId, each)
      if (await sql.selectConsentTime(tx, id)) continue
      const { unproven, ...paid } = each
      const other = await sql.selectConsentTime(
        tx,
        buildOrderConsentId(storeId, unproven ? paid : { ...paid, unproven: 'unpaid order' }),
      )
      // A cancelled purchase still proves what it proved.
      if (other && unproven) continue
      const status = await computeStatus(tx, each, addressHash)
      // A store's clock ahead of ours must not outrank later entries, even if the order becomes a purchase only then.
      const createdAt = other ?? (each.at < now ? each.at : now)
      // A withdrawal at the same moment counts as later.
      const last = await sql.selectLastConsent(tx, addressHash, each.channel)
      const isWithdrawn = last?.status === 'withdrawn' && last.at.getTime() === createdAt.getTime()
      const at = isWithdrawn ? new Date(createdAt.getTime() - 1) : createdAt
      const source = each.unproven ?? 'order'
      await insertConsent(tx, { id, addressHash, status, source, at, ...buildSharedColumns(each) })
      const dueAt = unproven ? new Date(now.getTime() + PAYMENT_MS) : now
      if (status === 'pending') await sql.queueOptInRequest(tx, { ...each, addressHash, now, dueAt })
      // A later consent that awaits confirmation does not depend on this order.
      else if (each.channel === 'sms' && !(last?.status === 'pending' && last.at > at))
        await sql.dropOptInRequest(tx, addressHash)
      isNew = true
    }
    if (!isNew) return
    const addresses = answers.map(({ address }) => address)
    await wakeHeldMessages(tx, addresses, now)
    await scheduleNextRun(tx)
  })
}

/**
 * A purchase with the address proves the customer's earlier consents in My account. Each is added again, with its
 * own time.
 */
export async function proveAccountConsents(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb<Db>,
  purchases: readonly { customerId: string; address: string }[],
): Promise<void> {
  const hashed = purchases.map(({ customerId, address }) => ({
    customerId,
    address,
    hash: deps.secrets.addressHash(address).toString('hex'),
  }))
  if (hashed.length === 0 || !(await sql.hasUnprovenConsents(store, hashed))) return
  await transact(store, async (tx) => sql.insertProven(tx, await dropErased(deps, tx, hashed)))
}

/** Wakes held messages to these addresses, with or without a cart, because a consent may release them. */
export async function wakeHeldMessages(tx: StoreTx, addresses: readonly string[], now: Date): Promise<void> {
  await wakeCartMessages(tx, await sql.selectOpenCarts(tx, addresses), now)
  await wakeMessagesToAddresses(tx, addresses, now)
}

/** Drops answers for addresses of erased shoppers: not even a masked form is stored (C8). */
export async function dropErased<T extends { address: string }>(
  deps: Pick<Deps, 'secrets'>,
  tx: StoreTx,
  answers: readonly T[],
) {
  const hashed = answers.map((each) => ({ ...each, addressHash: deps.secrets.addressHash(each.address) }))
  if (hashed.length === 0) return []
  // An erasure takes the same locks, so it comes either before this check or after the write.
  await lockAllKeys(
    tx,
    answers.map(({ address }) => buildAddressKey(address)),
  )
  const erased = await selectErased(
    tx,
    hashed.map(({ addressHash }) => addressHash),
  )
  return hashed.filter(({ addressHash }) => !erased.has(addressHash.toString('hex')))
}

const buildSharedColumns = ({ channel, address, isGiven, wording, unproven, browsers, customerId }: ConsentAnswer) => {
  const evidence = {
    ...(unproven && { unproven, ...(browsers && { browsers }) }),
    ...(isGiven && customerId && { customerId }),
  }
  return {
    channel,
    wording: wording?.slice(0, maxConsentWording) || null,
    who: maskAddress(channel, address),
    ...(Object.keys(evidence).length > 0 && { evidence }),
  }
}

/**
 * An SMS consent is pending if the rule or the store requires a confirmation. So is an unproven one for a satellite or
 * premium number: anybody can type such a number, and no real customer has one.
 */
export async function computeStatus(
  tx: StoreTx,
  answer: Pick<ConsentAnswer, 'channel' | 'address' | 'isGiven' | 'country' | 'unproven'>,
  addressHash: Buffer,
): Promise<'pending' | 'granted' | 'withdrawn'> {
  if (!answer.isGiven) return 'withdrawn'
  if (answer.channel !== 'sms') return 'granted'
  const terms = await sql.selectConsentTerms(tx)
  const recipient = { country: answer.country, phone: answer.address }
  const { country } = findRecipientCountry('sms', recipient, terms, findPhoneCountry)
  const needsConfirmation =
    terms.smsConfirmation === 'always' ||
    (answer.unproven !== undefined &&
      (terms.smsConfirmation === 'page_script' || isSatelliteOrPremium(answer.address))) ||
    findRuleInForce({ channel: 'sms', country, ...terms }) === 'confirmed_opt_in'
  if (!needsConfirmation) return 'granted'
  const word = (await selectEvidence(tx, [addressHash], ['sms'])).get(`sms:${addressHash.toString('hex')}`)
  return word?.evidence === 'confirmed' ? 'granted' : 'pending'
}

/** Deterministic id per order and channel, so that several processes record it once. */
function buildOrderConsentId(storeId: string, { orderId, channel, unproven }: OrderConsent): string {
  const name = [storeId, 'order', orderId, channel, ...(unproven ? [unproven] : [])].join('\0')
  const hex = crypto.createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
