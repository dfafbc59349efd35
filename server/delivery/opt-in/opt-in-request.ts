import { hasListedPrice } from '../../../shared/text-prices.ts'
import { notifyOnce } from '../../access/notifications/notifications.ts'
import { cleanStoreName } from '../../access/stores/rules.ts'
import { formatMonth } from '../../billing/billing/rules.ts'
import { newId } from '../../core/common/ids.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { type Limit, takeMany } from '../../core/db/rate-limits.ts'
import * as system from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import type { Cost, Outcome, OutgoingText, TextChannel } from '../../messages/channels/channel.ts'
import { notSent } from '../../messages/channels/not-sent.ts'
import { findPhoneCountry, isGermanSpeaking, textCountry } from '../../messages/channels/phone.ts'
import { authorizeOptInRequest } from '../../messages/channels/send-authorization.ts'
import { selectEvidence } from '../../shoppers/consent/evidence.ts'
import { buildAddressKey } from '../../shoppers/shoppers/rules.ts'
import { lockAllKeys } from '../../shoppers/shoppers/shoppers.ts'
import { selectErased } from '../../shoppers/suppressions/suppressions.ts'
import { insertSuppression } from '../../shoppers/suppressions/unsubscribe.ts'
import { planLimitOf } from '../decide/decision-inputs.ts'
import { quietHours } from '../decide/quiet.ts'
import { loadSituation, loadSuppressions, type Situation } from '../decide/situation.ts'
import { bookSpend, lockBudget } from '../texts/spend.ts'
import * as sql from './opt-in-request-sql.ts'
import { type Question, returnUsage, takeUsage } from './question-room.ts'

// Double opt-in for SMS: one message asks the shopper to confirm the consent given in the shop. It contains no
// advertising and is sent at most once. It obeys suppressions, quiet hours, budget and everything that stops the store.
// inbound/inbound.ts handles the YES.

/** A request that could not be sent within this time is dropped: the shopper would not understand it any more. */
const GIVEN_UP_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
const AT_ONCE = 50
const NO_ROOM_S = 3_600
/** The longest time between check and send. */
const SOON_MS = 1_000
/** Limits for numbers without an order, because anybody can submit a number. */
export const WITHOUT_ORDER: readonly (Limit & { per: 'hour' | 'day' })[] = [
  { name: 'opt-in-hour', points: 10, windowS: 3_600, per: 'hour' },
  { name: 'opt-in-day', points: 30, windowS: 86_400, per: 'day' },
]

/** Tick: sends the due requests. */
export async function sendOptInRequests(deps: Deps): Promise<void> {
  for (const storeId of await system.listStoresWithOptInRequests(deps.db, deps.now())) {
    const store = { storeId, db: deps.db }
    for (const optInRequest of await sql.dueOptInRequests(store, deps.now(), AT_ONCE)) {
      await ask(deps, store, optInRequest).catch((error) =>
        deps.log.error({ err: error, storeId }, 'consent.ask-failed'),
      )
    }
  }
}

async function ask(deps: Deps, store: StoreDb<Db>, optInRequest: sql.OptInRequest): Promise<void> {
  const situation = await loadSituation(store, formatMonth(deps.now()), deps.now())
  if (!situation) return
  const checked = await checkRequest(deps, store, optInRequest, situation)
  if (checked === 'drop') return sql.dropOptInRequest(store, optInRequest, 'waiting')
  if (checked instanceof Date) return sql.postponeOptInRequest(store, optInRequest, checked)
  await sendRequest(deps, store, optInRequest, { situation, ...checked })
}

interface Ready {
  transport: TextChannel
  message: OutgoingText
}

/** Only mobile numbers of countries that the store sells to and that have a listed price. */
export function mayBeAsked(phone: string, store: Pick<Situation, 'base_country' | 'selling_countries'>): boolean {
  const country = textCountry(phone)
  if (!country || !hasListedPrice(country)) return false
  const { base_country: base, selling_countries: selling } = store
  return selling === null || country === base || selling.includes(country)
}

/** Checks a request: `drop` for never, a date for not before then, or the message to send. */
async function checkRequest(
  deps: Deps,
  store: StoreDb,
  { phone, country, createdAt, addressHash }: sql.OptInRequest,
  situation: Situation,
): Promise<'drop' | Date | Ready> {
  const now = deps.now()
  if (!mayBeAsked(phone, situation)) return 'drop'
  const later = (minutes: number) => new Date(now.getTime() + minutes * MINUTE_MS)
  if (now.getTime() - createdAt.getTime() > GIVEN_UP_MS) return 'drop'
  if (!situation.is_active || planLimitOf(situation, 'sms') === 0) return 'drop'
  const { is_paused, is_account_suspended, is_resting, is_sending_paused } = situation
  if (is_paused || is_account_suspended || is_resting || is_sending_paused) return later(5)
  const key = `sms:${addressHash.toString('hex')}`
  if ((await loadSuppressions(store, [addressHash], ['sms'])).has(key)) return 'drop'
  const evidence = (await selectEvidence(store, [addressHash], ['sms'])).get(key)?.evidence
  if (evidence !== 'pending' && evidence !== 'express_yes') return 'drop'
  const quietIn = {
    fromMinute: situation.quiet_from_minute,
    untilMinute: situation.quiet_until_minute,
    timeZone: situation.time_zone,
  }
  const quiet = quietHours(now, { country: country ?? findPhoneCountry(phone), phone }, quietIn)
  if (quiet.until) return quiet.until
  const transport = await deps.channels.text(situation.account_id, 'sms')
  if (!transport) return later(10)
  const { sender_name, name, home_url, url } = situation
  const text = optInRequestText(
    sender_name || cleanStoreName(name, [home_url, url]),
    country ?? findPhoneCountry(phone),
  )
  return { transport, message: { messageId: newId(), channel: 'sms', to: phone, text, template: null } }
}

/** Marks the request as sent before sending it: a lost request is better than a second one. */
async function sendRequest(
  deps: Deps,
  store: StoreDb<Db>,
  optInRequest: sql.OptInRequest,
  { situation, transport, message }: Ready & { situation: Situation },
): Promise<void> {
  const now = deps.now()
  const { account_id: accountId } = situation
  const { cost } = transport.estimate(message)
  const question = { situation, transport, message }
  const limits = (await sql.hasBoughtWith(store, optInRequest.phone)) ? [] : WITHOUT_ORDER
  const waitS = await transact(store, (tx) => takeAndBook(deps, tx, optInRequest, { question, cost, limits, now }))
  if (waitS > 0) return sql.postponeOptInRequest(store, optInRequest, new Date(now.getTime() + waitS * 1_000))
  // If the process stalled, a STOP or a pause may have come since the check (D5).
  const isLate = Math.abs(deps.now().getTime() - now.getTime()) >= SOON_MS
  const outcome = isLate
    ? notSent('too much time has passed since the last check.')
    : await transport.send({ ...message, sendAuthorization: authorizeOptInRequest() })
  deps.log.info({ storeId: store.storeId, outcome: outcome.kind }, 'consent.asked')
  const isFree = outcome.kind === 'rejected' || outcome.kind === 'retry'
  // One commit for all consequences of the reply: a part of them would leave a booked price that was never charged.
  await transact(store, async (tx) => {
    // An erasure takes the same lock, so it is complete before this check or starts after this commit (C8).
    await lockAllKeys(tx, [buildAddressKey(optInRequest.phone)])
    if (isFree) {
      await returnUsage(tx, question, { takenAt: now, now: deps.now() })
      await bookSpend(tx, accountId, formatMonth(now), [{ ...cost, amountMicros: -cost.amountMicros }])
      await sql.unaskAnswered(tx, optInRequest, now)
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
  limits: typeof WITHOUT_ORDER
  now: Date
}

/**
 * Books usage and price. Returns 0, or the seconds to wait if a limit, plan, credits or budget is used up or another
 * process sent it.
 */
async function takeAndBook(
  deps: Deps,
  tx: StoreTx,
  optInRequest: sql.OptInRequest,
  { question, cost, limits, now }: Price,
): Promise<number> {
  if (!(await takeUsage(tx, question, now))) return NO_ROOM_S
  const { account_id: accountId } = question.situation
  const left = await lockBudget(tx, accountId, formatMonth(now))
  const isOver = left && cost.amountMicros > 0 && (left.currency !== cost.currency || cost.amountMicros > left.micros)
  const waitS = isOver ? NO_ROOM_S : await takePoints(deps, tx, limits)
  const { text: wording } = question.message
  if (waitS === 0 && (await sql.takeOptInRequest(tx, optInRequest, { wording, now }))) {
    await bookSpend(tx, accountId, formatMonth(now), [cost])
    return 0
  }
  await returnUsage(tx, question, { takenAt: now, now })
  return waitS || NO_ROOM_S
}

/** Takes from the rate limits. Returns 0, or the seconds to wait; then it notifies the team once a day. */
async function takePoints(deps: Deps, tx: StoreTx, limits: typeof WITHOUT_ORDER): Promise<number> {
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
  deps: Deps,
  store: StoreDb,
  optInRequest: sql.OptInRequest,
  outcome: Outcome,
  isErased: boolean,
) {
  if (outcome.kind === 'retry') {
    if (isErased) return sql.dropOptInRequest(store, optInRequest, 'asked')
    const waitMs = outcome.retryAfterMs ?? MINUTE_MS
    return sql.reopenOptInRequest(store, optInRequest, new Date(deps.now().getTime() + waitMs))
  }
  const providerId = outcome.kind === 'accepted' && !isErased ? outcome.providerId : null
  await sql.closeOptInRequest(store, optInRequest, {
    state: outcome.kind === 'rejected' ? 'failed' : 'asked',
    providerId,
  })
}

/** Names the sender, the meaning of YES and how to opt out, without details of a cart. */
export function optInRequestText(name: string, country: string | null): string {
  return isGermanSpeaking(country)
    ? `${name}: Möchten Sie SMS zu Ihrem Warenkorb und zu Angeboten erhalten? Dann antworten Sie mit JA. Ohne Antwort erhalten Sie keine. STOP beendet.`
    : `${name}: do you want text messages about your cart and offers? Then reply YES. Without an answer you get none. Msg & data rates may apply. Reply STOP to stop.`
}
