import { computeCreditPrice } from '../../../shared/billing/credits.ts'
import { hasListedPrice } from '../../../shared/messages/text-prices.ts'
import { notifyOnce } from '../../access/notifications/public.ts'
import { cleanStoreName } from '../../access/stores/public.ts'
import { addUsage, formatMonth, lockUsage } from '../../billing/billing/public.ts'
import { lockCredits, payWithCredits, refundCredits } from '../../billing/credits/public.ts'
import { createId } from '../../core/common/public.ts'
import * as system from '../../core/db/public.ts'
import { type Db, type Limit, type StoreDb, type StoreTx, sql, takeMany, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  authorizeOptInRequest,
  buildNotSentOutcome,
  type Cost,
  findPhoneCountry,
  findTextCountry,
  isGermanSpeaking,
  type Outcome,
  type OutgoingText,
  type TextChannel,
} from '../../messages/channels/public.ts'
import { selectEvidence } from '../../shoppers/consent/public.ts'
import { buildAddressKey, lockAllKeys } from '../../shoppers/shoppers/public.ts'
import { insertSuppression, selectErased } from '../../shoppers/suppressions/public.ts'
import { findQuietHours, getPlanLimit, loadSituation, loadSuppressions, type Situation } from '../decide/public.ts'
import { bookSpend, lockBudget } from '../texts/public.ts'

// Double opt-in for SMS: one message asks the shopper to confirm the consent given in the shop. It contains no
// advertising and is sent at most once. It obeys suppressions, quiet hours, budget and everything that stops the store.
// inbound/inbound.ts handles the YES.

/** A request that could not be sent within this time is dropped: the shopper would not understand it any more. */
const EXPIRY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
const AT_ONCE = 50
const NO_ROOM_S = 3_600
/** The longest time between check and send. */
const SOON_MS = 1_000
/** Limits for numbers without an order, because any visitor can submit a number. */
export const LIMITS_WITHOUT_ORDER: readonly (Limit & { per: 'hour' | 'day' })[] = [
  { name: 'opt-in-hour', points: 10, windowS: 3_600, per: 'hour' },
  { name: 'opt-in-day', points: 30, windowS: 86_400, per: 'day' },
]

/** Tick: sends the due requests. */
export async function sendOptInRequests(
  deps: Pick<Deps, 'channels' | 'db' | 'log' | 'now' | 'secrets'>,
): Promise<void> {
  for (const storeId of await system.listStoresWithOptInRequests(deps.db, deps.now())) {
    const store = { storeId, db: deps.db }
    for (const optInRequest of await dueOptInRequests(store, deps.now(), AT_ONCE)) {
      await ask(deps, store, optInRequest).catch((error) =>
        deps.log.error({ err: error, storeId }, 'consent.ask-failed'),
      )
    }
  }
}

async function ask(
  deps: Pick<Deps, 'channels' | 'log' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  optInRequest: OptInRequest,
): Promise<void> {
  const situation = await loadSituation(store, formatMonth(deps.now()), deps.now())
  if (!situation) return
  const checked = await checkRequest(deps, store, optInRequest, situation)
  if (checked === 'drop') return dropOptInRequest(store, optInRequest, 'waiting')
  if (checked instanceof Date) return postponeOptInRequest(store, optInRequest, checked)
  await sendRequest(deps, store, optInRequest, { situation, ...checked })
}

interface Ready {
  transport: TextChannel
  message: OutgoingText
}

/** Only mobile numbers of countries that the store sells to and that have a listed price. */
export function mayRequestOptIn(phone: string, store: Pick<Situation, 'base_country' | 'selling_countries'>): boolean {
  const country = findTextCountry(phone)
  if (!country || !hasListedPrice(country)) return false
  const { base_country: base, selling_countries: selling } = store
  return selling === null || country === base || selling.includes(country)
}

/** Checks a request: `drop` for never, a date for not before then, or the message to send. */
async function checkRequest(
  deps: Pick<Deps, 'channels' | 'now'>,
  store: StoreDb,
  { phone, country, createdAt, addressHash }: OptInRequest,
  situation: Situation,
): Promise<'drop' | Date | Ready> {
  const now = deps.now()
  if (!mayRequestOptIn(phone, situation)) return 'drop'
  const addMinutes = (minutes: number) => new Date(now.getTime() + minutes * MINUTE_MS)
  if (now.getTime() - createdAt.getTime() > EXPIRY_MS) return 'drop'
  if (!situation.is_active || getPlanLimit(situation, 'sms') === 0) return 'drop'
  const { is_paused, is_account_suspended, is_resting, is_sending_paused } = situation
  if (is_paused || is_account_suspended || is_resting || is_sending_paused) return addMinutes(5)
  const key = `sms:${addressHash.toString('hex')}`
  if ((await loadSuppressions(store, [addressHash], ['sms'])).has(key)) return 'drop'
  const evidence = (await selectEvidence(store, [addressHash], ['sms'])).get(key)?.evidence
  if (evidence !== 'pending' && evidence !== 'express_yes') return 'drop'
  const quietIn = {
    fromMinute: situation.quiet_from_minute,
    untilMinute: situation.quiet_until_minute,
    timeZone: situation.time_zone,
  }
  const quiet = findQuietHours(now, { country: country ?? findPhoneCountry(phone), phone }, quietIn)
  if (quiet.until) return quiet.until
  const transport = await deps.channels.text(situation.account_id, 'sms')
  if (!transport) return addMinutes(10)
  const { sender_name, name, home_url, url } = situation
  const text = buildOptInRequestText(
    sender_name || cleanStoreName(name, [home_url, url]),
    country ?? findPhoneCountry(phone),
  )
  return { transport, message: { messageId: createId(), channel: 'sms', to: phone, text, template: null } }
}

/** Marks the request as sent before sending it: a lost request is better than a second one. */
async function sendRequest(
  deps: Pick<Deps, 'log' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  optInRequest: OptInRequest,
  { situation, transport, message }: Ready & { situation: Situation },
): Promise<void> {
  const now = deps.now()
  const { account_id: accountId } = situation
  const { cost } = transport.estimate(message)
  const question = { situation, transport, message }
  const limits = (await hasBoughtWith(store, optInRequest.phone)) ? [] : LIMITS_WITHOUT_ORDER
  const waitS = await transact(store, (tx) => takeAndBook(deps, tx, optInRequest, { question, cost, limits, now }))
  if (waitS > 0) return postponeOptInRequest(store, optInRequest, new Date(now.getTime() + waitS * 1_000))
  // If the process stalled, a STOP or a pause may have come since the check (D5).
  const isLate = Math.abs(deps.now().getTime() - now.getTime()) >= SOON_MS
  const outcome = isLate
    ? buildNotSentOutcome('too much time has passed since the last check.')
    : await transport.send({ ...message, sendAuthorization: authorizeOptInRequest() })
  deps.log.info({ storeId: store.storeId, outcome: outcome.kind }, 'consent.asked')
  const isFree = outcome.kind === 'rejected' || outcome.kind === 'retry'
  // One commit for all consequences of the reply: a part of them would leave a booked price that was never charged.
  await transact(store, async (tx) => {
    // An erasure takes the same lock, so it is complete before this check or starts after this commit (C8).
    await lockAllKeys(tx, [buildAddressKey(optInRequest.phone)])
    if (isFree) {
      await returnUsage(tx, question, { claimedAt: now, now: deps.now() })
      await bookSpend(tx, accountId, formatMonth(now), [{ ...cost, amountMicros: -cost.amountMicros }])
      await unaskAnswered(tx, optInRequest, now)
    }
    const isErased = (await selectErased(tx, [optInRequest.addressHash])).size > 0
    await recordReply(deps, tx, optInRequest, outcome, isErased)
    if (isErased || outcome.kind !== 'rejected' || !outcome.isRecipientFault) return
    const reason = outcome.suppress ?? 'invalid'
    const { addressHash: hash, phone: address } = optInRequest
    await insertSuppression(tx, { accountId, hash, channel: 'sms', address, reason, source: 'sms provider', at: now })
  })
}

interface Price {
  question: Question
  cost: Cost
  limits: typeof LIMITS_WITHOUT_ORDER
  now: Date
}

/**
 * Books usage and price. Returns 0, or the seconds to wait if a limit, plan, credits or budget is used up or another
 * process sent it.
 */
async function takeAndBook(
  deps: Pick<Deps, 'log' | 'now' | 'secrets'>,
  tx: StoreTx,
  optInRequest: OptInRequest,
  { question, cost, limits, now }: Price,
): Promise<number> {
  if (!(await takeUsage(tx, question, now))) return NO_ROOM_S
  const { account_id: accountId } = question.situation
  const budget = await lockBudget(tx, accountId, formatMonth(now))
  const isOver =
    budget && cost.amountMicros > 0 && (budget.currency !== cost.currency || cost.amountMicros > budget.micros)
  const waitS = isOver ? NO_ROOM_S : await takePoints(deps, tx, limits)
  const { text: wording } = question.message
  if (waitS === 0 && (await takeOptInRequest(tx, optInRequest, { wording, now }))) {
    await bookSpend(tx, accountId, formatMonth(now), [cost])
    return 0
  }
  await returnUsage(tx, question, { claimedAt: now, now })
  return waitS || NO_ROOM_S
}

/** Takes from the rate limits. Returns 0, or the seconds to wait; then it notifies the team once a day. */
async function takePoints(
  deps: Pick<Deps, 'log' | 'now' | 'secrets'>,
  tx: StoreTx,
  limits: typeof LIMITS_WITHOUT_ORDER,
): Promise<number> {
  for (const limit of limits) {
    const waitS = await takeMany(deps, limit, { db: tx.db, subject: tx.storeId, count: 1 })
    if (waitS === 0) continue
    const { points, per } = limit
    const now = deps.now()
    deps.log.warn({ storeId: tx.storeId, points, per }, 'consent.questions-flooded')
    await notifyOnce(tx, {
      type: 'question_flood',
      key: now.toISOString().slice(0, 10),
      data: { points, per },
      at: now,
    })
    return waitS
  }
  return 0
}

/**
 * Records the reply. Only proof of non-acceptance allows a retry. For an erased person nothing is stored, and they are
 * not asked again.
 */
async function recordReply(
  deps: Pick<Deps, 'now'>,
  store: StoreDb,
  optInRequest: OptInRequest,
  outcome: Outcome,
  isErased: boolean,
) {
  if (outcome.kind === 'retry') {
    if (isErased) return dropOptInRequest(store, optInRequest, 'asked')
    const waitMs = outcome.retryAfterMs ?? MINUTE_MS
    return reopenOptInRequest(store, optInRequest, new Date(deps.now().getTime() + waitMs))
  }
  const providerId = outcome.kind === 'accepted' && !isErased ? outcome.providerId : null
  await closeOptInRequest(store, optInRequest, {
    state: outcome.kind === 'rejected' ? 'failed' : 'asked',
    providerId,
  })
}

/** Names the sender, the meaning of YES and how to opt out, without details of a cart. */
export function buildOptInRequestText(name: string, country: string | null): string {
  return isGermanSpeaking(country)
    ? `${name}: Möchten Sie SMS zu Ihrem Warenkorb und zu Angeboten erhalten? Dann antworten Sie mit JA. Ohne Antwort erhalten Sie keine. STOP beendet.`
    : `${name}: do you want text messages about your cart and offers? Then reply YES. Without an answer you get none. Msg & data rates may apply. Reply STOP to stop.`
}

// SQL for double opt-in requests by SMS.

interface OptInRequest {
  addressHash: Buffer
  /** E.164. */
  phone: string
  country: string | null
  createdAt: Date
}

/** Lists due requests, oldest first. */
async function dueOptInRequests({ db, storeId }: StoreDb, now: Date, limit: number): Promise<OptInRequest[]> {
  const rows = await sql<OptInRequest>`
    select address_hash as "addressHash", phone, country, created_at as "createdAt" from opt_in_requests
    where store_id = ${storeId} and channel = 'sms' and state = 'waiting' and due_at <= ${now} and phone is not null
    order by due_at limit ${limit}`.execute(db)
  return rows.rows
}

/** Whether an order with this number exists. */
async function hasBoughtWith({ db, storeId }: StoreDb, phone: string): Promise<boolean> {
  const rows = await sql<{ hasBought: boolean }>`
    select exists (select 1 from shopper_keys k join facts f on f.store_id = k.store_id and f.shopper_id = k.shopper_id
      where k.store_id = ${storeId} and k.kind = 'phone' and k.value = ${phone} and f.kind = 'order'
        and f.payload ->> 'orderKind' = 'purchase' and f.payload #>> '{contact,phone}' = ${phone}) as "hasBought"`.execute(
    db,
  )
  return rows.rows[0]!.hasBought
}

/** Returns false if another process has taken it. */
async function takeOptInRequest(
  { db, storeId }: StoreTx,
  { addressHash }: OptInRequest,
  { wording, now }: { wording: string; now: Date },
): Promise<boolean> {
  const rows =
    await sql`update opt_in_requests set state = 'asked', asked_at = ${now}, wording = ${wording}, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'waiting' returning 1`.execute(
      db,
    )
  return rows.rows.length > 0
}

async function postponeOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  until: Date,
): Promise<void> {
  await sql`update opt_in_requests set due_at = ${until}
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'waiting'`.execute(db)
}

/** Puts a request back that was provably not sent. */
async function reopenOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash, phone }: OptInRequest,
  dueAt: Date,
): Promise<void> {
  await sql`update opt_in_requests set state = 'waiting', asked_at = null, wording = null, phone = ${phone}, due_at = ${dueAt}
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'asked'`.execute(db)
}

/** Keeps a YES that came before the proof that the request was not sent, but as a reply to no question. */
async function unaskAnswered(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  requestedAt: Date,
): Promise<void> {
  await sql`update opt_in_requests set asked_at = null, wording = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'answered'
      and asked_at = ${requestedAt}`.execute(db)
}

/** Records the provider's reply. A shopper's reply that came earlier stays. */
async function closeOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  { state, providerId }: { state: 'asked' | 'failed'; providerId: string | null },
): Promise<void> {
  await sql`update opt_in_requests set state = ${state}, provider_id = ${providerId}, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'asked'`.execute(db)
}

/** Drops a request for good: it must not be sent, or was provably not sent. */
async function dropOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  from: 'waiting' | 'asked',
): Promise<void> {
  await sql`update opt_in_requests set state = 'dropped', asked_at = null, wording = null, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = ${from}`.execute(db)
}

// Plan usage of opt-in requests. A request by the operator's SMS account uses a plan message or credits, as it costs
// the operator the same as any SMS. A request by the store's own provider uses none.

interface Question {
  situation: Situation
  transport: TextChannel
  message: OutgoingText
}

/**
 * Takes a plan message or credits. Call in the transaction that takes the request, before booking its price. Returns
 * false if both are used up.
 */
async function takeUsage(tx: StoreTx, { situation, transport, message }: Question, now: Date): Promise<boolean> {
  if (!transport.credits) return true
  const { account_id: accountId } = situation
  const month = formatMonth(now)
  const used = await lockUsage(tx, accountId, month, 'sms')
  const credits = await lockCredits(tx, accountId)
  const limit = getPlanLimit(situation, 'sms')
  if (limit < 0 || used < limit) {
    await addUsage(tx, accountId, month, 'sms', 1)
    return true
  }
  const micros = computeCreditPrice(transport.estimate(message).cost.amountMicros, transport.credits.perMille)
  if (limit === 0 || micros > credits) return false
  await payWithCredits(tx, accountId, [{ messageId: message.messageId, micros }], now)
  return true
}

/** Gives back the usage of an unsent request. `claimedAt` selects the month it was counted in. */
async function returnUsage(
  tx: StoreTx,
  { situation, transport, message }: Question,
  { claimedAt, now }: { claimedAt: Date; now: Date },
): Promise<void> {
  if (!transport.credits) return
  const { account_id: accountId } = situation
  await lockUsage(tx, accountId, formatMonth(claimedAt), 'sms')
  const paid = await refundCredits(tx, accountId, [message.messageId], now)
  if (paid.size === 0) await addUsage(tx, accountId, formatMonth(claimedAt), 'sms', -1)
}
