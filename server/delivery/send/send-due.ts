import { foldPostsOf } from '../../carts/capture/capture-intake.ts'
import type { ChannelName, OutgoingText } from '../../messages/channels/channel.ts'
import type { Authorized, SendAuthorization } from '../../messages/channels/send-authorization.ts'
import { isTextChannelName } from '../../messages/channels/traits.ts'
import { type Composed, feedbackIdOf, outgoingEmail } from '../compose/compose.ts'
import { topicOf } from '../compose/compose-push.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import { isDatabaseAway, outlast } from '../../core/db/db-away.ts'
import { newId } from '../../core/common/ids.ts'
import { inPlace, type StepAside } from '../../core/common/seats.ts'
import { wakeIfMade } from '../../carts/coupons/for-messages.ts'
import { type AnyComposed, isPush, isText } from '../decide/composing.ts'
import type { Texts } from '../decide/decision-inputs.ts'
import { type DecisionRow, type Evaluation, evaluate, type Ready } from '../decide/evaluate.ts'
import type { Situation } from '../decide/situation.ts'
import { closeUnusable } from '../decide/unusable.ts'
import type { Deps } from '../../deps.ts'
import { assign } from '../../carts/experiments/experiments.ts'
import { scheduleNextLook, wakeAskedMessages } from '../../messages/messages/messages.ts'
import { notifyAccountOnce } from '../../access/notifications/notifications.ts'
import { sendPush } from '../push/send-push.ts'
import { isFresh } from '../../access/stores/rules.ts'
import { type Goods, NONE_UNREAD, readCoupons, readGoods, type UnreadCoupons } from '../../carts/sync/goods.ts'
import { checkOrders } from '../../carts/sync/sync.ts'
import { itemsOf } from './goods-sql.ts'
import { type StoreLease, takeStoreLease } from './lease.ts'
import { mailOutOf } from './mail-out.ts'
import * as sql from './send-due-sql.ts'
import { openQueue, type SendQueue } from './send-window.ts'

// Way C: order check, posts, claim, decide and render here; send and outcome behind send-window.ts. The state
// `sending` is committed before the provider is called; a row goes back only on proof that the message was not accepted.

const BATCH = 100
/** A claim this old was left behind by a process that ended; its rows are due again. */
const LEASE_MS = 60_000

/** What a send refused is decided anew, but not in the same breath: two that disagree must not spin. */
const REFUSED_WAIT_MS = 1_000

export interface Sending {
  storeId: string
  /** So many are claimed, judged and prepared together. */
  batchSize?: number
}

/** Where a batch is sent within this time, the next one is prepared as soon as its send begins; else once half of it is sent. */
const QUICK_MS = 3_000

/** A shop that takes so long to be asked is not asked while a batch is sent. */
const SLOW_MS = 5_000

/** Sends what is due for one store, one process at a time. While the shop is waited for, the job steps aside for others (D8). */
export async function sendDue(
  deps: Deps,
  { storeId, batchSize = BATCH }: Sending,
  stepAside: StepAside = inPlace,
): Promise<void> {
  const store = { storeId, db: deps.db }
  const lease = await takeStoreLease(deps, store)
  if (!lease) return
  const late: Promise<unknown>[] = []
  try {
    await sendRounds(deps, store, { lease, late, batchSize, stepAside }).finally(async () => {
      // Ended whatever happens: a lease that went on being renewed would keep everybody from sending for the store.
      await transact(store, scheduleNextLook).finally(() => lease.end())
    })
  } finally {
    // Others may send for the store by now; a process that stops still waits for these.
    await Promise.all(late)
  }
}

interface Rounds {
  lease: StoreLease
  late: Promise<unknown>[]
  batchSize: number
  stepAside: StepAside
}

/** While a full batch is sent, the next one is claimed, judged and prepared (decision 149). */
async function sendRounds(deps: Deps, store: StoreDb<Db>, rounds: Rounds): Promise<void> {
  /** Of the last one not all may have started; the one before it waits for answers. */
  let running: RunningBatch[] = []
  /** How long the last batch took to be sent. */
  let tookMs = Number.POSITIVE_INFINITY
  const ends = async (batches: readonly RunningBatch[]) => {
    await Promise.all(batches.map(({ ended }) => ended))
    running = running.filter((each) => !batches.includes(each))
  }
  try {
    for (let round = 0; round < 1_000; round++) {
      const busy = running.flatMap(({ shoppers }) => shoppers)
      const begun = deps.now()
      const batch = await nextBatch(deps, store, { ...rounds, busy })
      const isSlow = deps.now().getTime() - begun.getTime() > SLOW_MS
      if (batch === 'stop' || (batch === 'none' && running.length === 0)) return
      if (batch === 'none') {
        await ends(running)
        continue
      }
      try {
        await Promise.all([running.at(-1)?.started, ends(running.slice(0, -1))])
      } catch (error) {
        await batch.drop()
        throw error
      }
      const last = batch.send()
      running.push(last)
      const startedAt = deps.now().getTime()
      void last.started.then(() => {
        tookMs = deps.now().getTime() - startedAt
      })
      // What was judged long before its turn would have to be judged again, and so would what is sent while a slow shop is asked (D3).
      if (isSlow || batch.size < rounds.batchSize) await ends(running)
      else if (tookMs > QUICK_MS) await last.isHalfStarted
    }
  } finally {
    await Promise.allSettled(running.map(({ ended }) => ended))
  }
}

/** One that may be sent; `none`: nothing is due just now; `stop`: nothing may be sent any more. */
async function nextBatch(
  deps: Deps,
  store: StoreDb<Db>,
  rounds: Rounds & { busy: readonly string[] },
): Promise<Batch | 'none' | 'stop'> {
  const isWoken = await wakeAskedMessages(store, deps.now())
  if (isWoken && !(await sql.hasDue(store, deps.now()))) return 'none'
  const { isFresh: isChecked } = await checkOrders(deps, store.storeId, rounds)
  await foldPostsOf(deps, store.storeId)
  if (!(await rounds.lease.hold())) return 'stop'
  const claim = newId()
  const now = deps.now()
  const leaseUntil = new Date(now.getTime() + LEASE_MS)
  try {
    const { batchSize: limit, busy } = rounds
    const rows = await sql.claimDue(store, { claim, workerId: deps.workerId, now, leaseUntil, limit, busy })
    if (rows.length === 0) return 'none'
    return await prepareClaim(deps, store, { claim, rows, isChecked, ...rounds })
  } catch (error) {
    await giveBack(deps, store, claim)
    throw error
  }
}

/** After a failure nobody works on the claim any more. With the database away it is given back as soon as it returns. */
async function giveBack(deps: Deps, store: StoreDb<Db>, claim: string): Promise<void> {
  const release = () =>
    sql.releaseClaim(store, { claim, workerId: deps.workerId }, { ids: [], wakeAt: deps.now() }, deps.now())
  const note = (error: unknown) => deps.log.error({ storeId: store.storeId, err: error }, 'messages.claim-not-released')
  try {
    await release()
  } catch (error) {
    if (isDatabaseAway(error)) void outlast(release).catch(note)
    else note(error)
  }
}

async function applyDecisions(deps: Deps, store: StoreDb<Db>, claim: string, decisions: readonly DecisionRow[]) {
  await sql.applyDecisions(store, claim, decisions, deps.now())
  // A code may have been made since it was looked for.
  const pending = decisions.filter(({ reason }) => reason === 'coupon_pending')
  await wakeIfMade(
    store,
    pending.flatMap(({ id, couponId }) => (couponId ? [{ messageId: id, couponId }] : [])),
    deps.now(),
  )
}

/** What holds everything further is told once a month. */
async function tellHeld(deps: Deps, evaluation: Evaluation): Promise<void> {
  const account = { accountId: evaluation.situation.account_id, db: deps.db }
  const at = deps.now()
  const month = at.toISOString().slice(0, 7)
  const first = (reason: string) => evaluation.decisions.find((decision) => decision.reason === reason)
  const plan = first('plan_limit')
  if (plan) {
    const data = { channel: plan.channel, renewsAt: plan.until?.toISOString() ?? null }
    await notifyAccountOnce(account, { type: 'plan_limit', key: `${plan.channel} ${month}`, data, at })
  }
  const budget = first('budget')
  if (!budget) return
  const data = { renewsAt: budget.until?.toISOString() ?? null }
  await notifyAccountOnce(account, { type: 'budget_reached', key: month, data, at })
}

interface Claimed {
  claim: string
  rows: readonly sql.ClaimedId[]
  lease: StoreLease
  late: Promise<unknown>[]
  /** The store's orders were read to the last page within a minute (D3). */
  isChecked: boolean
  stepAside: StepAside
}

/** What was claimed together, judged and prepared. */
interface Batch {
  size: number
  send(): RunningBatch
  /** None of it is sent. Never throws. */
  drop(): Promise<void>
}

interface RunningBatch {
  /** Whose messages they are. */
  shoppers: readonly string[]
  /** Half of it has started, or may not. Never rejects. */
  isHalfStarted: Promise<void>
  /** All of it. Never rejects. */
  started: Promise<void>
  /** With what came back written down, and the rest given back. */
  ended: Promise<void>
}

async function prepareClaim(deps: Deps, store: StoreDb<Db>, claimed: Claimed): Promise<Batch> {
  const { claim, lease, rows, isChecked } = claimed
  const texts = await textsFor(
    deps,
    store,
    rows.flatMap((row) => row.channels ?? [row.channel]),
  )
  const ids = rows.map((row) => row.id)
  const read = await readForBatch(deps, store, ids, { isChecked, stepAside: claimed.stepAside })
  const evaluation = await evaluate(deps, store, { ids, texts, isChecked, ...read })
  if (evaluation.unusable.length > 0) await closeUnusable(deps, store, claim, evaluation.unusable)
  const { experiment } = evaluation.situation
  if (experiment && evaluation.arms.length > 0) {
    await assign(store, evaluation.arms, { experimentId: experiment.id, now: deps.now() })
  }
  if (evaluation.decisions.length > 0) {
    await applyDecisions(deps, store, claim, evaluation.decisions)
    await tellHeld(deps, evaluation)
  }
  await saveChannels(store, claim, rows, evaluation.ready)
  // The rest of a slow batch goes back and is decided on a new pull.
  const mayGoOn = async () => isFresh(evaluation.checkedAt, deps.now()) && lease.hold()
  const base = { claim, evaluation, mayGoOn, late: claimed.late }
  const byChannel = Map.groupBy(oncePerPerson(evaluation.ready), ({ row }) => row.channel)
  const opened = await Promise.allSettled(
    [...byChannel].map(async ([channel, ready]) => {
      const { mail, ...out } = await transportOf(deps, store, evaluation.situation, { channel, texts })
      const credits = (isTextChannelName(channel) && texts.get(channel)?.credits) || null
      const mayGoOnBy = async () => (await mayGoOn()) && (mail === null || (await mail.mayGoOn()))
      return openQueue(deps, store, { ...base, channel, mail, credits, ...out, mayGoOn: mayGoOnBy }, ready)
    }),
  )
  const queues = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const failed = opened.find((each) => each.status === 'rejected')
  if (failed) {
    await Promise.all(queues.map((queue) => queue.drop()))
    throw failed.reason
  }
  return {
    size: rows.length,
    send: () => ({ shoppers: rows.map((row) => row.shopper_id), ...sendQueues(deps, store, claim, queues) }),
    drop: async () => {
      await Promise.all(queues.map((queue) => queue.drop()))
      await giveBack(deps, store, claim)
    },
  }
}

function sendQueues(deps: Deps, store: StoreDb<Db>, claim: string, queues: readonly SendQueue[]) {
  // Side by side: a slow provider of one channel keeps no other waiting.
  const sent = queues.map((queue) => queue.send())
  const ended = release(
    deps,
    store,
    claim,
    sent.map((each) => each.ended),
  )
  // Whoever waits for it hears of a failure; nobody may be waiting yet.
  ended.catch(() => {})
  const all = async (moments: Promise<void>[]) => void (await Promise.all(moments))
  return {
    isHalfStarted: all(sent.map((each) => each.isHalfStarted)),
    started: all(sent.map((each) => each.started)),
    ended,
  }
}

async function release(deps: Deps, store: StoreDb<Db>, claim: string, sent: readonly Promise<string[]>[]) {
  const ended = await Promise.allSettled(sent)
  try {
    const failed = ended.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
    const refused = ended.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    const now = deps.now()
    const wakeAt = new Date(now.getTime() + REFUSED_WAIT_MS)
    // Second messages of one person and what was not come to: decided anew at once.
    await sql.releaseClaim(store, { claim, workerId: deps.workerId }, { ids: refused, wakeAt }, now)
  } catch (error) {
    await giveBack(deps, store, claim)
    throw error
  }
}

/** Each ready row is sent by the channel that was decided on. */
async function saveChannels(
  store: StoreDb<Db>,
  claim: string,
  rows: readonly sql.ClaimedId[],
  ready: readonly Ready[],
): Promise<void> {
  const before = new Map(rows.map(({ id, channel }) => [id, channel]))
  const chosen = ready.map(({ row: { id, channel } }) => ({ id, channel }))
  const changed = chosen.filter(({ id, channel }) => before.get(id) !== channel)
  if (changed.length > 0) await sql.setChannels(store, claim, changed)
}

/** Stock, prices and coupons of a batch. Without the first two nothing is sent; without a coupon, nothing that is to carry one. */
async function readForBatch(
  deps: Deps,
  store: StoreDb<Db>,
  ids: readonly string[],
  { isChecked, stepAside }: { isChecked: boolean; stepAside: StepAside },
): Promise<{ goods: Goods; unread: UnreadCoupons }> {
  const goods = await readGoods(deps, store, await itemsOf(store, ids), { isChecked, stepAside })
  if (!isChecked || 'problem' in goods) return { goods, unread: NONE_UNREAD }
  return { goods, unread: await readCoupons(deps, store, ids, stepAside) }
}

/** What is configured of the text channels among these; the account is looked up only for them. */
export async function textsFor(deps: Deps, store: StoreDb<Db>, channels: readonly ChannelName[]): Promise<Texts> {
  const names = [...new Set(channels)].filter(isTextChannelName)
  if (names.length === 0) return new Map()
  const accountId = await sql.accountOf(store)
  return new Map(
    await Promise.all(names.map(async (name) => [name, await deps.channels.text(accountId, name)] as const)),
  )
}

/** What is sent, of a message's row or of a test that has none. */
export interface OutgoingMessage {
  id: string
  channel: ChannelName
  address: string
  composed: AnyComposed
  sendAuthorization: SendAuthorization
}

/** The transport of a channel, and how it sends a message. */
export async function transportOf(
  deps: Deps,
  store: StoreDb<Db>,
  situation: Situation,
  { channel, texts }: { channel: ChannelName; texts: Texts },
) {
  if (isTextChannelName(channel)) {
    // Without it no row of the channel is ready.
    const transport = texts.get(channel)!
    return { transport, mail: null, sendOne: (each: OutgoingMessage) => transport.send(outgoingText(each)) }
  }
  if (channel === 'push') {
    const sendOne = ({ id, composed, sendAuthorization }: OutgoingMessage, mayGoOn: () => boolean) => {
      if (!isPush(composed)) throw new Error('not a notification')
      const { payload } = composed
      return sendPush(deps, store, { id, payload, topic: topicOf(payload), sendAuthorization, mayGoOn })
    }
    return { transport: deps.channels.push, mail: null, sendOne }
  }
  const mail = await mailOutOf(deps, situation)
  const { transport, from } = mail
  const feedbackId = feedbackIdOf(deps.secrets, situation.account_id, situation.url)
  const { account_id: accountId } = situation
  const sender = { name: situation.sender_name, email: situation.sender_email, feedbackId, accountId }
  const sendOne = ({ id, address, composed, sendAuthorization }: OutgoingMessage) =>
    transport.send({ ...outgoingEmail(id, address, composed as Composed, sender, from), sendAuthorization })
  return { transport, mail, sendOne }
}

function outgoingText({
  id,
  channel,
  address,
  composed,
  sendAuthorization,
}: OutgoingMessage): Authorized<OutgoingText> {
  if (!isText(composed) || !isTextChannelName(channel)) throw new Error('not a text')
  const { text, template } = composed
  return { messageId: id, channel, to: address, text, template, sendAuthorization }
}

/** A batch holds at most one message per person (D10): the cap counts the first before the second is decided. */
function oncePerPerson(ready: readonly Ready[]): Ready[] {
  const seen = new Set<string>()
  return ready.filter(({ row }) => !seen.has(row.shopper_id) && seen.add(row.shopper_id))
}
