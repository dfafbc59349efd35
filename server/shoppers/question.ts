import type { Outcome, OutgoingText, TextChannel } from '../channels/channel.ts'
import { notSent } from '../channels/not-sent.ts'
import { permitQuestion } from '../channels/permit.ts'
import { type Db, type StoreDb, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { insertSuppression } from '../messages/deliver-sql.ts'
import { monthOf, planLimitOf } from '../messages/judge-inputs.ts'
import { loadSituation, type Situation, suppressedOf } from '../messages/judge-sql.ts'
import { bookSpend, lockBudget } from '../messages/spend-sql.ts'
import { erasedAmong } from '../suppressions/sql.ts'
import * as system from '../system.ts'
import { ledgerWords } from './evidence-sql.ts'
import { isGermanSpeaking, phoneCountry } from './phone.ts'
import * as sql from './question-sql.ts'
import { quietHours } from './quiet.ts'
import { addressKey } from './rules.ts'
import { lockAllKeys } from './shoppers.ts'

// Double opt-in for SMS: the one message that asks whether a yes given in the shop was meant. It advertises nothing, leaves once and
// is never repeated; it obeys suppression, quiet hours, budget and whatever stops the store from sending. YES is taken up by
// channels/inbound.ts.

/** A question that could not be put for this long comes too late to be understood. */
const GIVEN_UP_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
const AT_ONCE = 50
/** What ends a question reaches it within this time. */
const SOON_MS = 1_000

/** Tick: puts the questions that are due. */
export async function askWaiting(deps: Deps): Promise<void> {
  for (const storeId of await system.storesWithQuestions(deps.db, deps.now())) {
    const store = { storeId, db: deps.db }
    for (const question of await sql.dueQuestions(store, deps.now(), AT_ONCE)) {
      await ask(deps, store, question).catch((error) => deps.log.error({ err: error, storeId }, 'consent.ask-failed'))
    }
  }
}

async function ask(deps: Deps, store: StoreDb<Db>, question: sql.Question): Promise<void> {
  const situation = await loadSituation(store, monthOf(deps.now()))
  if (!situation) return
  const obstacle = await obstacleTo(deps, store, question, situation)
  if (obstacle === 'drop') return sql.dropQuestion(store, question, 'waiting')
  if (obstacle instanceof Date) return sql.postponeQuestion(store, question, obstacle)
  await put(deps, store, question, { situation, ...obstacle })
}

interface Ready {
  wire: TextChannel
  message: OutgoingText
}

/** `drop`: it will never be put; a date: not before then. */
async function obstacleTo(
  deps: Deps,
  store: StoreDb,
  { phone, country, createdAt, addressHash }: sql.Question,
  situation: Situation,
): Promise<'drop' | Date | Ready> {
  const now = deps.now()
  const later = (minutes: number) => new Date(now.getTime() + minutes * MINUTE_MS)
  if (now.getTime() - createdAt.getTime() > GIVEN_UP_MS) return 'drop'
  if (!situation.is_active || planLimitOf(situation, 'sms') === 0) return 'drop'
  if (situation.is_paused) return later(5)
  const key = `sms:${addressHash.toString('hex')}`
  if ((await suppressedOf(store, [addressHash], ['sms'])).has(key)) return 'drop'
  const evidence = (await ledgerWords(store, [addressHash], ['sms'])).get(key)?.evidence
  if (evidence !== 'pending' && evidence !== 'express_yes') return 'drop'
  const quietIn = {
    fromMinute: situation.quiet_from_minute,
    untilMinute: situation.quiet_until_minute,
    timeZone: situation.time_zone,
  }
  const quiet = quietHours(now, { country: country ?? phoneCountry(phone), phone }, quietIn)
  if (quiet.until) return quiet.until
  const wire = await deps.channels.text(situation.account_id, 'sms')
  if (!wire) return later(10)
  const text = questionText(situation.sender_name || situation.name, country ?? phoneCountry(phone))
  return { wire, message: { messageId: newId(), channel: 'sms', to: phone, text, template: null } }
}

/** Taken before it is sent: a question that got lost is better than a second one. */
async function put(
  deps: Deps,
  store: StoreDb<Db>,
  question: sql.Question,
  { situation, wire, message }: Ready & { situation: Situation },
): Promise<void> {
  const now = deps.now()
  const { account_id: accountId } = situation
  const { cost } = wire.estimate(message)
  const isTaken = await transact(store, async (tx) => {
    const left = await lockBudget(tx, accountId, monthOf(now))
    const isOver = left && cost.amountMicros > 0 && (left.currency !== cost.currency || cost.amountMicros > left.micros)
    if (isOver || !(await sql.takeQuestion(tx, question, { wording: message.text, now }))) return false
    await bookSpend(tx, accountId, monthOf(now), [cost])
    return true
  })
  if (!isTaken) return sql.postponeQuestion(store, question, new Date(now.getTime() + 60 * MINUTE_MS))
  // A process that stood still meanwhile knows nothing of a STOP or a pause since, and looks anew (D5).
  const isLate = Math.abs(deps.now().getTime() - now.getTime()) >= SOON_MS
  const outcome = isLate
    ? notSent('too much time has passed since it was decided.')
    : await wire.send({ ...message, permit: permitQuestion() })
  deps.log.info({ storeId: store.storeId, outcome: outcome.kind }, 'consent.asked')
  const isFree = outcome.kind === 'rejected' || outcome.kind === 'retry'
  // One commit for all that follows from the answer: half of it would leave a price in the books that nobody took.
  await transact(store, async (tx) => {
    // An erasure holds the same lock: it comes before the question of who is erased, or after what is written (C8).
    await lockAllKeys(tx, [addressKey(question.phone)])
    if (isFree) {
      await bookSpend(tx, accountId, monthOf(now), [{ ...cost, amountMicros: -cost.amountMicros }])
      await sql.unaskAnswered(tx, question, now)
    }
    const isErased = (await erasedAmong(tx, [question.addressHash])).size > 0
    await note(deps, tx, question, outcome, isErased)
    if (isErased || outcome.kind !== 'rejected' || !outcome.isRecipientFault) return
    const reason = outcome.suppress ?? 'invalid'
    const { addressHash: hash, phone: address } = question
    await insertSuppression(tx, { accountId, hash, channel: 'sms', address, reason, source: 'sms provider', at: now })
  })
}

/** Only proof that it was not taken brings it back. Of whoever was erased meanwhile nothing is written down, and they are not asked again. */
async function note(deps: Deps, store: StoreDb, question: sql.Question, outcome: Outcome, isErased: boolean) {
  if (outcome.kind === 'retry') {
    if (isErased) return sql.dropQuestion(store, question, 'asked')
    const waitMs = outcome.retryAfterMs ?? MINUTE_MS
    return sql.reopenQuestion(store, question, new Date(deps.now().getTime() + waitMs))
  }
  const providerId = outcome.kind === 'accepted' && !isErased ? outcome.providerId : null
  await sql.closeQuestion(store, question, { state: outcome.kind === 'rejected' ? 'failed' : 'asked', providerId })
}

/** Says who asks, what a YES means and how to end it, and nothing of any cart. */
export function questionText(name: string, country: string | null): string {
  return isGermanSpeaking(country)
    ? `${name}: Möchten Sie SMS zu Ihrem Warenkorb und zu Angeboten erhalten? Dann antworten Sie mit JA. Ohne Antwort erhalten Sie keine. STOP beendet.`
    : `${name}: do you want text messages about your cart and offers? Then reply YES. Without an answer you get none. Msg & data rates may apply. Reply STOP to stop.`
}
