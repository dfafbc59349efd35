import { notifyAccountOnce } from '../../access/notifications/public.ts'
import { isFresh } from '../../access/stores/public.ts'
import { foldStorePosts } from '../../carts/capture/public.ts'
import { wakeIfCreated } from '../../carts/coupons/public.ts'
import { assign } from '../../carts/experiments/public.ts'
import {
  checkOrders,
  type Goods,
  NONE_UNREAD,
  readCoupons,
  readGoods,
  type UnreadCoupons,
} from '../../carts/sync/public.ts'
import { createId, keepSlot, type ReleaseSlot } from '../../core/common/public.ts'
import { type Db, isDatabaseUnavailable, retryUntilAvailable, type StoreDb, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  type Authorized,
  type ChannelName,
  isTextChannelName,
  type OutgoingText,
  type SendAuthorization,
} from '../../messages/channels/public.ts'
import { scheduleNextRun, wakeRequestedMessages } from '../../messages/messages/public.ts'
import { buildFeedbackId, type ComposedMail, outgoingEmail, toTopic } from '../compose/public.ts'
import {
  type AnyComposed,
  closeUnusable,
  type DecisionRow,
  type Evaluation,
  evaluate,
  isPush,
  isText,
  type Ready,
  type Situation,
  type Texts,
} from '../decide/public.ts'
import { sendPush } from '../push/public.ts'
import { listItems } from './goods-sql.ts'

import { openMailTransport } from './mail-out.ts'
import * as sql from './send-due-sql.ts'
import { openQueue, type SendQueue } from './send-window.ts'

// The send job ("Way C"): order check, posts, claim, decide and render here; send and outcome behind send-window.ts.
// The state `sending` is committed before the provider is called. A row is due again only on proof that the message was
// not accepted.

const BATCH = 100
/** The lease of a claim. When it runs out, the claiming process has ended and the rows are due again. */
const LEASE_MS = 60_000

/** How long rows wait that the turn refused. Without it, decision and turn would loop where they disagree. */
const REFUSED_WAIT_MS = 1_000

export interface Sending {
  storeId: string
  /** How many rows are claimed, decided and prepared together. */
  batchSize?: number
}

/**
 * If the last batch started within this time, the next one is prepared at once; otherwise when half of it has started.
 */
const QUICK_MS = 3_000

/** A shop whose checks take longer than this is not asked while a batch is sent. */
const SLOW_MS = 5_000

/** Sends the due messages of one store, one process at a time. While it waits for the shop, other jobs may run (D8). */
export async function sendDue(
  deps: Deps,
  { storeId, batchSize = BATCH }: Sending,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  const store = { storeId, db: deps.db }
  const lease = await takeStoreLease(deps, store)
  if (!lease) return
  const late: Promise<unknown>[] = []
  try {
    await sendBatches(deps, store, { lease, late, batchSize, releaseSlot }).finally(async () => {
      // The lease ends in any case: renewed for ever, it would block every other sender of the store.
      await transact(store, scheduleNextRun).finally(() => lease.end())
    })
  } finally {
    // Another process may already hold the store's lease. Shutdown still waits for these replies.
    await Promise.all(late)
  }
}

interface SendLoop {
  lease: StoreLease
  late: Promise<unknown>[]
  batchSize: number
  releaseSlot: ReleaseSlot
}

/** While a full batch is sent, the next one is claimed, decided and prepared (decision 149). */
async function sendBatches(deps: Deps, store: StoreDb<Db>, loop: SendLoop): Promise<void> {
  /** At most two: the last one may still start messages, the one before it only waits for replies. */
  let running: RunningBatch[] = []
  /** How long it took until the last batch had started all its messages. */
  let startMs = Number.POSITIVE_INFINITY
  const awaitEnds = async (batches: readonly RunningBatch[]) => {
    await Promise.all(batches.map(({ ended }) => ended))
    running = running.filter((each) => !batches.includes(each))
  }
  try {
    for (let round = 0; round < 1_000; round++) {
      const busy = running.flatMap(({ shoppers }) => shoppers)
      const begun = deps.now()
      const batch = await nextBatch(deps, store, { ...loop, busy })
      const isSlow = deps.now().getTime() - begun.getTime() > SLOW_MS
      if (batch === 'stop' || (batch === 'none' && running.length === 0)) return
      if (batch === 'none') {
        await awaitEnds(running)
        continue
      }
      try {
        await Promise.all([running.at(-1)?.started, awaitEnds(running.slice(0, -1))])
      } catch (error) {
        await batch.drop()
        throw error
      }
      const last = batch.send()
      running.push(last)
      const startedAt = deps.now().getTime()
      void last.started.then(() => {
        startMs = deps.now().getTime() - startedAt
      })
      // Decisions age: a batch prepared too early would have to be decided again, and so would one sent beside a slow
      // check (D3).
      if (isSlow || batch.size < loop.batchSize) await awaitEnds(running)
      else if (startMs > QUICK_MS) await last.isHalfStarted
    }
  } finally {
    await Promise.allSettled(running.map(({ ended }) => ended))
  }
}

/** Returns the next batch to send, `none` if nothing is due now, `stop` if the lease was lost. */
async function nextBatch(
  deps: Deps,
  store: StoreDb<Db>,
  loop: SendLoop & { busy: readonly string[] },
): Promise<Batch | 'none' | 'stop'> {
  const isWoken = await wakeRequestedMessages(store, deps.now())
  if (isWoken && !(await sql.hasDue(store, deps.now()))) return 'none'
  const { isFresh: isChecked } = await checkOrders(deps, store, loop)
  await foldStorePosts(deps, store)
  if (!(await loop.lease.hold())) return 'stop'
  const claim = createId()
  const now = deps.now()
  const leaseUntil = new Date(now.getTime() + LEASE_MS)
  try {
    const { batchSize: limit, busy } = loop
    const rows = await sql.claimDue(store, { claim, workerId: deps.workerId, now, leaseUntil, limit, busy })
    if (rows.length === 0) return 'none'
    return await prepareClaim(deps, store, { claim, rows, isChecked, ...loop })
  } catch (error) {
    await releaseAfterFailure(deps, store, claim)
    throw error
  }
}

/**
 * Releases the claim after a failure. If the database is unreachable, it retries in the background until it is back.
 */
async function releaseAfterFailure(
  deps: Pick<Deps, 'log' | 'now' | 'workerId'>,
  store: StoreDb<Db>,
  claim: string,
): Promise<void> {
  const release = () =>
    sql.releaseClaim(store, { claim, workerId: deps.workerId }, { ids: [], wakeAt: deps.now() }, deps.now())
  const note = (error: unknown) => deps.log.error({ storeId: store.storeId, err: error }, 'messages.claim-not-released')
  try {
    await release()
  } catch (error) {
    if (isDatabaseUnavailable(error)) void retryUntilAvailable(release).catch(note)
    else note(error)
  }
}

async function applyDecisions(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  claim: string,
  decisions: readonly DecisionRow[],
) {
  await sql.applyDecisions(store, claim, decisions, deps.now())
  // The personal code may have been created since the decision looked for it.
  const pending = decisions.filter(({ reason }) => reason === 'coupon_pending')
  await wakeIfCreated(
    store,
    pending.flatMap(({ id, couponId }) => (couponId ? [{ messageId: id, couponId }] : [])),
    deps.now(),
  )
}

/** Notifies the account once a month that its plan limit or budget holds messages. */
async function notifyHeld(deps: Pick<Deps, 'db' | 'now'>, evaluation: Evaluation): Promise<void> {
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

interface ClaimContext {
  claim: string
  rows: readonly sql.ClaimedId[]
  lease: StoreLease
  late: Promise<unknown>[]
  /** The store's orders were read to the last page within a minute (D3). */
  isChecked: boolean
  releaseSlot: ReleaseSlot
}

/** Messages that were claimed, decided and prepared together. */
interface Batch {
  size: number
  send(): RunningBatch
  /** None of it is sent. Never throws. */
  drop(): Promise<void>
}

interface RunningBatch {
  /** Ids of the recipients. */
  shoppers: readonly string[]
  /** Half of the messages have started or were refused. Never rejects. */
  isHalfStarted: Promise<void>
  /** All messages have started or were refused. Never rejects. */
  started: Promise<void>
  /** The replies are recorded, and unsent rows are released. */
  ended: Promise<void>
}

async function prepareClaim(deps: Deps, store: StoreDb<Db>, context: ClaimContext): Promise<Batch> {
  const { claim, lease, rows, isChecked } = context
  const texts = await loadTextChannels(
    deps,
    store,
    rows.flatMap((row) => row.channels ?? [row.channel]),
  )
  const ids = rows.map((row) => row.id)
  const read = await readForBatch(deps, store, ids, { isChecked, releaseSlot: context.releaseSlot })
  const evaluation = await evaluate(deps, store, { ids, texts, isChecked, ...read })
  if (evaluation.unusable.length > 0) await closeUnusable(deps, store, claim, evaluation.unusable)
  const { experiment } = evaluation.situation
  if (experiment && evaluation.arms.length > 0) {
    await assign(store, evaluation.arms, { experimentId: experiment.id, now: deps.now() })
  }
  if (evaluation.decisions.length > 0) {
    await applyDecisions(deps, store, claim, evaluation.decisions)
    await notifyHeld(deps, evaluation)
  }
  await saveChannels(store, claim, rows, evaluation.ready)
  // The rest of a slow batch is released and decided again after a new order check.
  const mayGoOn = async () => isFresh(evaluation.checkedAt, deps.now()) && lease.hold()
  const base = { claim, evaluation, mayGoOn, late: context.late }
  const byChannel = Map.groupBy(oneMessagePerShopper(evaluation.ready), ({ row }) => row.channel)
  const opened = await Promise.allSettled(
    [...byChannel].map(async ([channel, ready]) => {
      const { mail, ...out } = await openTransport(deps, store, evaluation.situation, { channel, texts })
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
      await releaseAfterFailure(deps, store, claim)
    },
  }
}

function sendQueues(
  deps: Pick<Deps, 'log' | 'now' | 'workerId'>,
  store: StoreDb<Db>,
  claim: string,
  queues: readonly SendQueue[],
) {
  // In parallel, so that a slow provider delays only its own channel.
  const sent = queues.map((queue) => queue.send())
  const ended = release(
    deps,
    store,
    claim,
    sent.map((each) => each.ended),
  )
  // Prevents an unhandled rejection before a caller awaits it; callers still see the failure.
  ended.catch(() => {})
  const all = async (moments: Promise<void>[]) => void (await Promise.all(moments))
  return {
    isHalfStarted: all(sent.map((each) => each.isHalfStarted)),
    started: all(sent.map((each) => each.started)),
    ended,
  }
}

async function release(
  deps: Pick<Deps, 'log' | 'now' | 'workerId'>,
  store: StoreDb<Db>,
  claim: string,
  sent: readonly Promise<string[]>[],
) {
  const ended = await Promise.allSettled(sent)
  try {
    const failed = ended.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
    const refused = ended.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    const now = deps.now()
    const wakeAt = new Date(now.getTime() + REFUSED_WAIT_MS)
    // Second messages of one shopper and rows the queues did not reach are due again at once.
    await sql.releaseClaim(store, { claim, workerId: deps.workerId }, { ids: refused, wakeAt }, now)
  } catch (error) {
    await releaseAfterFailure(deps, store, claim)
    throw error
  }
}

/** Stores the decided channel in each ready row where it differs. */
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

/**
 * Reads stock, prices and coupons for a batch. Without stock and prices nothing is sent; an unread coupon holds only
 * its messages.
 */
async function readForBatch(
  deps: Pick<Deps, 'db' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  ids: readonly string[],
  { isChecked, releaseSlot }: { isChecked: boolean; releaseSlot: ReleaseSlot },
): Promise<{ goods: Goods; unread: UnreadCoupons }> {
  const goods = await readGoods(deps, store, await listItems(store, ids), { isChecked, releaseSlot })
  if (!isChecked || 'problem' in goods) return { goods, unread: NONE_UNREAD }
  return { goods, unread: await readCoupons(deps, store, ids, releaseSlot) }
}

/** Loads the account's configured text channels among `channels`. Without a text channel there is no query. */
export async function loadTextChannels(
  deps: Pick<Deps, 'channels'>,
  store: StoreDb<Db>,
  channels: readonly ChannelName[],
): Promise<Texts> {
  const names = [...new Set(channels)].filter(isTextChannelName)
  if (names.length === 0) return new Map()
  const accountId = await sql.readAccountId(store)
  return new Map(
    await Promise.all(names.map(async (name) => [name, await deps.channels.text(accountId, name)] as const)),
  )
}

/** A composed message with its recipient. Test sends have no row in the database. */
export interface OutgoingMessage {
  id: string
  channel: ChannelName
  address: string
  composed: AnyComposed
  sendAuthorization: SendAuthorization
}

/** Returns the channel's transport and `sendOne`, which sends one message by it. */
export async function openTransport(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  situation: Situation,
  { channel, texts }: { channel: ChannelName; texts: Texts },
) {
  if (isTextChannelName(channel)) {
    // Set: without credentials no row of the channel becomes ready.
    const transport = texts.get(channel)!
    return { transport, mail: null, sendOne: (each: OutgoingMessage) => transport.send(outgoingText(each)) }
  }
  if (channel === 'push') {
    const sendOne = ({ id, composed, sendAuthorization }: OutgoingMessage, mayGoOn: () => boolean) => {
      if (!isPush(composed)) throw new Error('not a notification')
      const { payload } = composed
      return sendPush(deps, store, { id, payload, topic: toTopic(payload), sendAuthorization, mayGoOn })
    }
    return { transport: deps.channels.push, mail: null, sendOne }
  }
  const mail = await openMailTransport(deps, situation)
  const { transport, from } = mail
  const feedbackId = buildFeedbackId(deps.secrets, situation.account_id, situation.url)
  const { account_id: accountId } = situation
  const sender = { name: situation.sender_name, email: situation.sender_email, feedbackId, accountId }
  const sendOne = ({ id, address, composed, sendAuthorization }: OutgoingMessage) =>
    transport.send({ ...outgoingEmail(id, address, composed as ComposedMail, sender, from), sendAuthorization })
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

/**
 * Keeps one message per shopper and batch (D10), so that the frequency cap counts the first before the second is
 * decided.
 */
function oneMessagePerShopper(ready: readonly Ready[]): Ready[] {
  const shopperIds = new Set<string>()
  return ready.filter(({ row }) => !shopperIds.has(row.shopper_id) && shopperIds.add(row.shopper_id))
}

/** How long a crashed process keeps others from sending for the store. */
const STORE_LEASE_MS = 15_000
const RENEW_EVERY_MS = 5_000

/** The right to send for a store, for one process at a time: two would put twice the pool in flight (D10). */
interface StoreLease {
  /** Renews the lease if needed and returns whether this process holds it. Call before each send. */
  hold(): Promise<boolean>
  end(): Promise<void>
}

/**
 * Returns null while another process holds the lease. Its end time identifies a lease, so no process renews or frees a
 * later one.
 */
async function takeStoreLease(deps: Pick<Deps, 'log' | 'now'>, store: StoreDb<Db>): Promise<StoreLease | null> {
  const ending = () => new Date(deps.now().getTime() + STORE_LEASE_MS)
  let until = ending()
  if (!(await sql.leaseStore(store, deps.now(), until))) return null
  let isOurs = true
  let renewal = Promise.resolve()
  const renewOnce = async () => {
    const next = ending()
    if (!isOurs || next.getTime() === until.getTime()) return
    isOurs = await sql.renewStore(store, until, next)
    if (isOurs) until = next
  }
  const renew = () => {
    renewal = renewal.then(renewOnce).catch((error) => deps.log.warn({ err: error }, 'lease.not-renewed'))
    return renewal
  }
  const timer = setInterval(renew, RENEW_EVERY_MS)
  return {
    async hold() {
      if (until.getTime() - deps.now().getTime() < STORE_LEASE_MS - RENEW_EVERY_MS) await renew()
      return isOurs && until > deps.now()
    },
    async end() {
      clearInterval(timer)
      await renewal
      if (isOurs) await sql.freeStore(store, until)
    },
  }
}
