import { setTimeout as sleep } from 'node:timers/promises'
import { monthOf } from '../billing/rules.ts'
import { addUsage, lockUsage } from '../billing/usage.ts'
import type { ChannelName, Outcome } from '../channels/channel.ts'
import { notSent } from '../channels/not-sent.ts'
import { channelTraits, isTextChannelName } from '../channels/traits.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../core/db.ts'
import { isDatabaseAway, outlast } from '../core/db-away.ts'
import { lockCredits, payWithCredits } from '../credits/credits.ts'
import { planLimitOf } from '../decide/decision-inputs.ts'
import type { Evaluation, Ready } from '../decide/evaluate.ts'
import { noteOutcomes, passThrottle, type Throttle, unsent } from '../deliverability/throttles.ts'
import type { Deps } from '../deps.ts'
import { TOKEN_MS } from '../links/message-tokens.ts'
import { scheduleNextLook, spaceNextSteps } from '../messages/messages.ts'
import { applyReports } from '../outcome/delivery.ts'
import { type Finished, recordOutcomes } from '../outcome/outcome.ts'
import { lockShoppersOf } from '../shoppers/shoppers.ts'
import { before, isFresh, isMoment, ORDER_CHECK_FRESH_MS } from '../stores/rules.ts'
import * as spend from '../texts/spend.ts'
import { type HasSlots, joinSlots, type SlotShare } from './connection-slots.ts'
import { payable, usesOf } from './credit-room.ts'
import type { Departing } from './deliver.ts'
import * as sql from './deliver-sql.ts'
import { costOf, handOverRow } from './hand-over-row.ts'
import type { MailOut } from './mail-out.ts'

// The last part of Way C: at any moment at most as many messages are `handed_over` as the channel can have on the wire (D10),
// of all stores together (connection-slots.ts). As soon as some are answered, one transaction writes their outcomes and lets as many others leave.

export interface Sender {
  claim: string
  evaluation: Evaluation
  /** All that leaves together is of one. */
  channel: ChannelName
  transport: HasSlots
  /** What is known of the domains mail goes to; null for texts. */
  throttle: Throttle | null
  /** The mail server it leaves by; null for texts. */
  mail: MailOut | null
  /** Puts one on the wire, at once or as long as it may go on. */
  put: (each: Departing, mayGoOn: () => boolean) => Promise<Outcome>
  /** Where credits pay for what the plan does not include: by how much; null: nowhere. */
  credits: { perMille: number } | null
  /** Asked before anything leaves: the lease and the order pull must still hold. */
  mayGoOn: () => Promise<boolean>
  /** Takes up the ends of those that are not waited for any longer. */
  late: Promise<unknown>[]
}

/** A mail server that says nothing for this long keeps its message's place on the wire, but not the store's next ones waiting. */
const PATIENCE_MS = 5_000

/** Answers which rows might not leave after all. What left has its outcome written, but for those in `late`. */
export async function sendWithinSlots(
  deps: Deps,
  store: StoreDb<Db>,
  sender: Sender,
  ready: readonly Ready[],
): Promise<string[]> {
  const waiting = [...ready]
  const refused: string[] = []
  const share = joinSlots(sender.transport)
  const submissions = new Submissions(deps, store, sender, share)
  let failure: unknown = null
  let isSilent = false
  try {
    while (waiting.length > 0 || (share.inFlight > 0 && !isSilent)) {
      if (waiting.length > 0 && (failure || !(await sender.mayGoOn()))) waiting.length = 0
      const done = submissions.settled()
      const next = waiting.splice(0, share.plan(waiting.length, done.length))
      isSilent = false
      if (done.length === 0 && next.length === 0) {
        share.settle(0, 0)
        if (waiting.length > 0 || share.inFlight > 0) isSilent = !(await submissions.news(waiting.length > 0))
        continue
      }
      const turn = await takeTurn(deps, store, sender, done, next)
      failure ??= turn.failure
      share.settle(done.length, turn.submitted.size)
      for (const each of next) {
        if (turn.submitted.has(each.row.id)) submissions.start(each, turn.at)
        else refused.push(each.row.id)
      }
    }
  } finally {
    submissions.leave()
  }
  if (failure) throw failure
  return refused
}

/** What this sender has on the wire. */
class Submissions {
  readonly #parts: [Deps, StoreDb<Db>, Sender]
  readonly #share: SlotShare
  readonly #inFlight = new Set<Promise<void>>()
  readonly #settled: Finished[] = []
  #wake = () => {}
  #isLeft = false

  constructor(deps: Deps, store: StoreDb<Db>, sender: Sender, share: SlotShare) {
    this.#parts = [deps, store, sender]
    this.#share = share
  }

  start(ready: Ready, handedOverAt: Date): void {
    const [deps, store, sender] = this.#parts
    const submission: Promise<void> = send(deps, store, sender, ready, handedOverAt)
      .then((outcome) => this.#settle({ ready, outcome, handedOverAt }))
      .finally(() => this.#inFlight.delete(submission))
    this.#inFlight.add(submission)
  }

  async #settle(finished: Finished): Promise<void> {
    if (this.#isLeft) return this.#settleLate(finished)
    this.#settled.push(finished)
    this.#wake()
  }

  async #settleLate(...finished: Finished[]): Promise<void> {
    const [deps, store, sender] = this.#parts
    await recordAlone(deps, store, sender, finished)
    this.#share.settle(finished.length, 0)
    await transact(store, scheduleNextLook).catch((error) => deps.log.warn({ err: error }, 'messages.no-next-look'))
  }

  /** Those that were answered since it was last asked. */
  settled(): Finished[] {
    return this.#settled.splice(0)
  }

  /** Waits for an answer or, if wanted, for a place on the wire; false when neither came for a while. */
  async news(isPlaceWanted: boolean): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, PATIENCE_MS, false)
    this.#wake = () => resolve(true)
    if (isPlaceWanted) void this.#share.place().then(this.#wake)
    return promise.finally(() => clearTimeout(timer))
  }

  /** What is still on the wire is written down when it is answered; what was answered and not asked for, now. */
  leave(): void {
    this.#isLeft = true
    const settled = this.settled()
    this.#parts[2].late.push(...this.#inFlight, ...(settled.length > 0 ? [this.#settleLate(...settled)] : []))
    this.#share.leave()
  }
}

interface Turn {
  submitted: Set<string>
  at: Date
  failure: unknown
}

/** One transaction for both. When it fails, answers are still written down: they cannot be had again. */
async function takeTurn(
  deps: Deps,
  store: StoreDb<Db>,
  sender: Sender,
  done: readonly Finished[],
  next: readonly Ready[],
): Promise<Turn> {
  let at = deps.now()
  try {
    const submitted = await transact(store, async (tx) => {
      await lockShoppersOf(tx, [...done.map(({ ready }) => ready), ...next].map(shopperOf))
      const { situation, month } = sender.evaluation
      const credits = await lockForText(tx, sender)
      if (done.length > 0) await recordOutcomes(deps, tx, sender, done)
      if (next.length === 0) return new Set<string>()
      const used = await lockUsage(tx, situation.account_id, month, sender.channel)
      // Only now: waiting for the locks may have made the order pull too old (D3).
      at = deps.now()
      return handOver(deps, tx, { ...sender, at, room: { used, credits } }, next)
    })
    await afterRecorded(deps, store, sender, done)
    return { submitted, at, failure: null }
  } catch (error) {
    deps.log.error({ storeId: store.storeId, err: error }, 'messages.turn-failed')
    if (done.length > 0) await recordAlone(deps, store, sender, done)
    const unsure = isDatabaseAway(error) ? next.map((ready) => neverLeft(ready, at)) : []
    if (unsure.length > 0) await recordAlone(deps, store, sender, unsure)
    return { submitted: new Set(), at, failure: error }
  }
}

/** Before any message, and before any price is settled: whoever moves these takes them in this order. Answers the credits that are left. */
async function lockForText(tx: StoreTx, { evaluation: { situation, month }, channel }: Sender): Promise<number> {
  if (!isTextChannelName(channel)) return 0
  await lockUsage(tx, situation.account_id, month, channel)
  return lockCredits(tx, situation.account_id)
}

/** The commit may have happened though its answer never came. Nothing was put on the wire: what was handed over in it is due again. */
function neverLeft(ready: Ready, handedOverAt: Date): Finished {
  return { ready, handedOverAt, outcome: notSent('the database was unreachable.') }
}

const shopperOf = ({ row }: Ready): string => row.shopper_id

/** What cannot be written down after all is closed by `submissions.ts`. */
async function recordAlone(deps: Deps, store: StoreDb<Db>, sender: Sender, done: readonly Finished[]) {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      await outlast(() =>
        transact(store, async (tx) => {
          await lockForText(tx, sender)
          await recordOutcomes(deps, tx, sender, done)
        }),
      )
      return await afterRecorded(deps, store, sender, done)
    } catch (error) {
      const ids = done.map(({ ready }) => ready.row.id)
      deps.log.error({ storeId: store.storeId, messageIds: ids, err: error, attempt }, 'message.outcome-not-recorded')
      await sleep(attempt * 200)
    }
  }
}

/** The outcomes are committed: never throws. A provider may have reported of a message before it had answered. */
async function afterRecorded(deps: Deps, store: StoreDb, sender: Sender, done: readonly Finished[]) {
  const { evaluation, channel, throttle, mail } = sender
  for (const { ready, outcome } of done)
    deps.log.info({ storeId: store.storeId, messageId: ready.row.id, outcome: outcome.kind }, 'message.handed-over')
  const note = (error: unknown) => deps.log.error({ err: error }, 'messages.throttles-not-noted')
  if (throttle) await noteOutcomes(deps, throttle, done).catch(note)
  if (mail && done.length > 0) await mail.note(done.map(({ outcome }) => outcome)).catch(note)
  const providerIds = done.flatMap(({ outcome }) => (outcome.kind === 'accepted' ? [outcome.providerId] : []))
  if (providerIds.length === 0 || !isTextChannelName(channel)) return
  const of = { accountId: evaluation.situation.account_id, channel, providerIds }
  await applyReports(deps, of).catch((error) => deps.log.error({ err: error }, 'message.reports-not-applied'))
}

/** Never throws: the others are on the wire too. */
async function send(deps: Deps, store: StoreDb<Db>, { evaluation, put }: Sender, ready: Ready, handedOverAt: Date) {
  if (!isPullFresh(evaluation, deps.now())) return notSent('the orders were read too long ago.')
  if (!(await isStillMeant(deps, store, ready, handedOverAt)))
    return notSent('too much time has passed since the last check.')
  if (ready.isQuietAt(deps.now())) return notSent('quiet hours have begun where the recipient lives.')
  const { row, address, composed, decision } = ready
  const { sendAuthorization } = decision
  const from = deps.now()
  const mayGoOn = () => isMoment(from, deps.now()) && isPullFresh(evaluation, deps.now())
  const departing = { id: row.id, channel: row.channel, address, composed, sendAuthorization }
  return put(departing, mayGoOn).catch((error): Outcome => {
    deps.log.error({ messageId: ready.row.id, err: error }, 'channel.failed')
    return { kind: 'unknown', reason: 'channel_failed', response: 'The channel closed without an answer.' }
  })
}

/**
 * A process that stood still after its hand-over (a laptop that was closed, a machine that was moved) knows nothing of what was
 * switched off, bought or withdrawn meanwhile (D5), nor of people who were found to be one. It looks once more, and where that takes
 * as long, it is decided anew.
 */
async function isStillMeant(deps: Deps, store: StoreDb<Db>, ready: Ready, handedOverAt: Date) {
  if (isMoment(handedOverAt, deps.now())) return true
  const lookedAt = deps.now()
  const { row, addressHash, otherHashes, inputs } = ready
  const couponWording = ready.coupon?.wording ?? null
  const handedOver = {
    id: row.id,
    handedOverAt,
    cartVersion: row.cart_version,
    addressHash,
    otherHashes,
    inputs,
    couponWording,
  }
  const isMeant = await sql.mayStillLeave(store, handedOver).catch((error) => {
    deps.log.warn({ messageId: row.id, err: error }, 'message.not-looked-at')
    return false
  })
  return isMeant && isMoment(lookedAt, deps.now())
}

/** The last look before the wire: the hand-over's commit itself may have taken so long that the pull proves nothing any more (D3). */
const isPullFresh = ({ situation }: Evaluation, now: Date): boolean => isFresh(situation.check_started, now)

interface Room {
  /** Of the plan's number. */
  used: number
  /** What is left of them. */
  credits: number
}

/** Moves the rows that still may go. The caller has locked their people, the plan's counter and the credits, which say what `room` there is. */
async function handOver(
  deps: Deps,
  tx: StoreTx,
  { claim, evaluation, channel, throttle, at: now, room, credits }: Sender & { at: Date; room: Room },
  next: readonly Ready[],
) {
  const { situation, month } = evaluation
  const accountId = situation.account_id
  // Midnight passed in between: the new month has a limit of its own.
  if (month !== monthOf(now)) return new Set<string>()
  const awake = next.filter(({ isQuietAt }) => !isQuietAt(now))
  const planLimit = planLimitOf(situation, channel)
  const slots = planLimit < 0 ? awake.length : Math.max(0, planLimit - room.used)
  const perMille = planLimit > 0 ? (credits?.perMille ?? null) : null
  const inPlan = payable(awake, { slots, credits: room.credits, perMille })
  const allowed = channelTraits[channel].isText ? await withinBudget(tx, evaluation, inPlan) : inPlan
  const open = throttle ? await passThrottle(tx, throttle, allowed, now) : allowed
  const coolSince = new Date(now.getTime() - situation.text_cooldown_hours * 3_600_000)
  const submitted = await sql.handOver(
    tx,
    claim,
    deps.workerId,
    open.map((ready) => handOverRow(ready, coolSince)),
    {
      now,
      localCopySince: before(now, ORDER_CHECK_FRESH_MS),
      capSince: evaluation.capSince,
      capMax: situation.cap_messages,
      accountId,
      month,
      channel,
      badge: channelTraits[channel].badge,
      tokensUntil: new Date(now.getTime() + TOKEN_MS),
    },
  )
  if (throttle) await unsent(tx, throttle, open, submitted)
  // Not with the answer: it may be long in coming, or never come, and the next step may be due by then (T4).
  if (submitted.size > 0) await spaceNextSteps(tx, [...submitted], now)
  const left = open.filter(({ row }) => submitted.has(row.id))
  if (perMille !== null && left.length > slots) {
    const uses = usesOf(left.slice(slots), perMille)
    // The statement has counted them all.
    await addUsage(tx, accountId, month, channel, -uses.length)
    await payWithCredits(tx, accountId, uses, now)
  }
  await spend.bookSpend(
    tx,
    accountId,
    month,
    left.flatMap(({ composed }) => costOf(composed)),
  )
  return submitted
}

/** Those the month's budget still pays for, in their order. Its counter stays locked until what leaves is booked (exact with any number of senders). */
async function withinBudget(tx: StoreTx, { situation, month }: Evaluation, ready: readonly Ready[]): Promise<Ready[]> {
  const left = await spend.lockBudget(tx, situation.account_id, month)
  if (!left) return [...ready]
  let micros = left.micros
  return ready.filter(({ composed }) => {
    const cost = costOf(composed)[0]
    if (!cost || cost.amountMicros === 0) return true
    if (cost.currency !== left.currency || cost.amountMicros > micros) return false
    micros -= cost.amountMicros
    return true
  })
}
