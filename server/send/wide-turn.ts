import { setTimeout as sleep } from 'node:timers/promises'
import { monthOf } from '../billing/rules.ts'
import { addUsage, lockUsage } from '../billing/usage.ts'
import { channelTraits, isTextChannelName } from '../channels/traits.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../core/db.ts'
import { isDatabaseAway, outlast } from '../core/db-away.ts'
import { lockCredits, payWithCredits } from '../credits/credits.ts'
import { planLimitOf } from '../decide/decision-inputs.ts'
import type { Evaluation, Ready } from '../decide/evaluate.ts'
import type { Deps } from '../deps.ts'
import { TOKEN_MS } from '../links/message-tokens.ts'
import { scheduleNextLook, spaceNextSteps } from '../messages/messages.ts'
import { applyReports } from '../outcome/delivery.ts'
import { type Finished, hasComeBack, recordOutcomes } from '../outcome/outcome.ts'
import { lockShoppersOf } from '../shoppers/shoppers.ts'
import { before, ORDER_CHECK_FRESH_MS } from '../stores/rules.ts'
import * as spend from '../texts/spend.ts'
import { payable, usesOf } from './credit-room.ts'
import * as sql from './deliver-sql.ts'
import { costOf, sendRow } from './send-row.ts'
import type { Sender } from './send-window.ts'
import { neverLeft, shopperOf, type Turn, type Turns } from './turns.ts'

// Texts and notifications: one transaction writes outcomes and lets others leave, with all that follows from it.

export const wideTurns = (deps: Deps, store: StoreDb<Db>, sender: Sender): Turns => ({
  prepare: async (ready) => [...ready],
  take: (done, next) => takeTurn(deps, store, sender, done, next),
  record: (done) => recordAlone(deps, store, sender, done),
  flush: async (last) => {
    if (last.length > 0) await takeTurn(deps, store, sender, last, [])
  },
  end: async () => {},
})

async function takeTurn(
  deps: Deps,
  store: StoreDb<Db>,
  sender: Sender,
  done: readonly Finished[],
  next: readonly Ready[],
): Promise<Turn> {
  let at = deps.now()
  const letLeave = async (tx: StoreTx, credits: number) => {
    const { situation, month } = sender.evaluation
    const used = await lockUsage(tx, situation.account_id, month, sender.channel)
    // Only now: waiting for the locks may have made the order pull too old (D3).
    at = deps.now()
    return startSending(deps, tx, { ...sender, at, room: { used, credits } }, next)
  }
  try {
    const submitted = await transact(store, async (tx) => {
      await lockShoppersOf(tx, [...done.map(({ ready }) => ready), ...next].map(shopperOf))
      const credits = await lockForText(tx, sender)
      if (done.length > 0) await recordOutcomes(deps, tx, sender, done)
      const left = next.length > 0 ? await letLeave(tx, credits) : new Set<string>()
      if (hasComeBack(done)) await scheduleNextLook(tx)
      return left
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

/** What cannot be written down after all is closed by `abandoned.ts`. */
async function recordAlone(deps: Deps, store: StoreDb<Db>, sender: Sender, done: readonly Finished[]) {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      await outlast(() =>
        transact(store, async (tx) => {
          await lockForText(tx, sender)
          await recordOutcomes(deps, tx, sender, done)
          if (hasComeBack(done)) await scheduleNextLook(tx)
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
  const { evaluation, channel } = sender
  for (const { ready, outcome } of done)
    deps.log.info({ storeId: store.storeId, messageId: ready.row.id, outcome: outcome.kind }, 'message.answered')
  const providerIds = done.flatMap(({ outcome }) => (outcome.kind === 'accepted' ? [outcome.providerId] : []))
  if (providerIds.length === 0 || !isTextChannelName(channel)) return
  const of = { accountId: evaluation.situation.account_id, channel, providerIds }
  await applyReports(deps, of).catch((error) => deps.log.error({ err: error }, 'message.reports-not-applied'))
}

interface Room {
  /** Of the plan's number. */
  used: number
  /** What is left of them. */
  credits: number
}

/** Moves the rows that still may go. The caller has locked their people, the plan's counter and the credits, which say what `room` there is. */
async function startSending(
  deps: Deps,
  tx: StoreTx,
  { claim, evaluation, channel, at: now, room, credits }: Sender & { at: Date; room: Room },
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
  const coolSince = new Date(now.getTime() - situation.text_cooldown_hours * 3_600_000)
  const submitted = await sql.startSending(
    tx,
    claim,
    deps.workerId,
    allowed.map((ready) => sendRow(ready, coolSince)),
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
  // Not with the answer: it may be long in coming, or never come, and the next step may be due by then (T4).
  if (submitted.size > 0) await spaceNextSteps(tx, [...submitted], now)
  const left = allowed.filter(({ row }) => submitted.has(row.id))
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
