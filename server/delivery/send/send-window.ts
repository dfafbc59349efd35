import { isFresh, isWithinSecond } from '../../access/stores/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { buildNotSentOutcome, type ChannelName, type Outcome } from '../../messages/channels/public.ts'
import type { Evaluation, Ready } from '../decide/public.ts'
import type { SendResult } from '../outcome/public.ts'

import type { MailTransport } from './mail-out.ts'
import type { OutgoingMessage } from './send-due.ts'
import * as sql from './send-due-sql.ts'
import { Turns } from './turn.ts'

// Sends a prepared queue. All stores together have at most as many messages in flight as the channel has slots (D10,
// `joinSlots`). As soon as replies arrive, one commit stores them and starts as many further messages
// (turn.ts).

export interface SendContext {
  claim: string
  evaluation: Evaluation
  /** All messages of a queue go by one channel. */
  channel: ChannelName
  transport: HasSlots
  /** The mail server of the queue; null for texts and notifications. */
  mail: MailTransport | null
  /** Sends one message. Stops between attempts once `mayGoOn` returns false. */
  sendOne: (each: OutgoingMessage, mayGoOn: () => boolean) => Promise<Outcome>
  /** The credit price per mille of the cost, for messages beyond the plan; null: credits do not pay here. */
  credits: { perMille: number } | null
  /** Checked before each turn: the lease is held and the order check is fresh. */
  mayGoOn: () => Promise<boolean>
  /** Collects the promises of messages that the queue no longer waits for. */
  late: Promise<unknown>[]
}

/** A message without a reply for this long keeps its slot, but no longer delays the store's other messages. */
const PATIENCE_MS = 5_000

/** The ready messages of a batch on one channel. */
export interface SendQueue {
  send(): QueueProgress
  /** None of it is sent. Never throws. */
  drop(): Promise<void>
}

interface QueueProgress {
  /** Half of the messages have started or were refused. Never rejects. */
  isHalfStarted: Promise<void>
  /** All messages have started or were refused. Never rejects. */
  started: Promise<void>
  /** Ids of the rows that were not sent. The outcomes of the others are recorded, except those still in `late`. */
  ended: Promise<string[]>
}

export async function openQueue(
  deps: Deps,
  store: StoreDb<Db>,
  sender: SendContext,
  ready: readonly Ready[],
): Promise<SendQueue> {
  const turns = new Turns(deps, store, sender)
  const waiting = await turns.prepare(ready)
  return {
    send: () => {
      const [half, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const reportProgress = (remaining: number) => {
        if (remaining <= ready.length / 2) half.resolve()
        if (remaining === 0) all.resolve()
      }
      const refused = ready.filter((each) => !waiting.includes(each)).map(({ row }) => row.id)
      const ended = sendWithinSlots(deps, store, { ...sender, turns }, { waiting, refused, reportProgress })
      return { isHalfStarted: half.promise, started: all.promise, ended: ended.finally(() => reportProgress(0)) }
    },
    drop: () => turns.end(),
  }
}

interface QueueState {
  waiting: Ready[]
  refused: string[]
  /** Called with the number of messages that still wait. */
  reportProgress: (remaining: number) => void
}

async function sendWithinSlots(
  deps: Deps,
  store: StoreDb<Db>,
  sender: SendContext & { turns: Turns },
  { waiting, refused, reportProgress }: QueueState,
): Promise<string[]> {
  const { turns } = sender
  const share = joinSlots(sender.transport)
  const inFlight = new InFlight(deps, store, sender, share)
  let failure: unknown = null
  let isSilent = false
  try {
    while (waiting.length > 0 || (share.inFlight > 0 && !isSilent)) {
      if (waiting.length > 0 && (failure || !(await sender.mayGoOn()))) waiting.length = 0
      reportProgress(waiting.length)
      const done = inFlight.takeAnswered()
      const next = waiting.splice(0, share.plan(waiting.length, done.length))
      isSilent = false
      if (done.length === 0 && next.length === 0) {
        share.finishTurn(0, 0)
        if (waiting.length > 0 || share.inFlight > 0) isSilent = !(await inFlight.waitForNews(waiting.length > 0))
        if (isSilent) await turns.flush([])
        continue
      }
      if (waiting.length === 0 && next.length === 0 && done.length === share.inFlight) {
        await turns.flush(done)
        share.finishTurn(done.length, 0)
        continue
      }
      const turn = await turns.take(done, next)
      failure ??= turn.failure
      share.finishTurn(done.length, turn.sending.size)
      for (const each of next) {
        if (turn.sending.has(each.row.id)) inFlight.start(each, turn.at)
        else refused.push(each.row.id)
      }
    }
  } finally {
    inFlight.close()
    await turns.end()
  }
  if (failure) throw failure
  return refused
}

/** The messages of one queue that are in flight, and their replies. */
class InFlight {
  readonly #parts: [Deps, StoreDb<Db>, SendContext & { turns: Turns }]
  readonly #share: SlotShare
  readonly #inFlight = new Set<Promise<void>>()
  readonly #answered: SendResult[] = []
  #wake = () => {}
  #isClosed = false

  constructor(deps: Deps, store: StoreDb<Db>, sender: SendContext & { turns: Turns }, share: SlotShare) {
    this.#parts = [deps, store, sender]
    this.#share = share
  }

  start(ready: Ready, sendingAt: Date): void {
    const [deps, store, sender] = this.#parts
    const ended: Promise<void> = send(deps, store, sender, ready, sendingAt)
      .then((outcome) => this.#addAnswer({ ready, outcome, sendingAt, answeredAt: deps.now() }))
      .finally(() => this.#inFlight.delete(ended))
    this.#inFlight.add(ended)
  }

  async #addAnswer(finished: SendResult): Promise<void> {
    if (this.#isClosed) return this.#recordLate(finished)
    this.#answered.push(finished)
    this.#wake()
  }

  async #recordLate(...finished: SendResult[]): Promise<void> {
    await this.#parts[2].turns.record(finished)
    this.#share.finishTurn(finished.length, 0)
  }

  /** Returns the messages answered since the last call. */
  takeAnswered(): SendResult[] {
    return this.#answered.splice(0)
  }

  /** Waits for a reply or, if wanted, for a free slot. Returns false after `PATIENCE_MS` without either. */
  async waitForNews(needsSlot: boolean): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, PATIENCE_MS, false)
    this.#wake = () => resolve(true)
    if (needsSlot) void this.#share.waitForSlot().then(this.#wake)
    return promise.finally(() => clearTimeout(timer))
  }

  /** Hands the rest to `late`: replies not taken yet are recorded now, the others when they arrive. */
  close(): void {
    this.#isClosed = true
    const answered = this.takeAnswered()
    this.#parts[2].late.push(...this.#inFlight, ...(answered.length > 0 ? [this.#recordLate(...answered)] : []))
    this.#share.close()
  }
}

/** Sends one message. Never throws, because other messages are in flight beside it. */
async function send(
  deps: Pick<Deps, 'log' | 'now'>,
  store: StoreDb<Db>,
  { evaluation, sendOne }: SendContext,
  ready: Ready,
  sendingAt: Date,
) {
  if (!isOrderCheckFresh(evaluation, deps.now()))
    return buildNotSentOutcome('orders, stock or prices were read too long ago.')
  if (!(await mayStillSend(deps, store, ready, sendingAt)))
    return buildNotSentOutcome('too much time has passed since the last check.')
  if (ready.isQuietAt(deps.now())) return buildNotSentOutcome('quiet hours have begun where the recipient lives.')
  const { row, address, composed, decision } = ready
  const { sendAuthorization } = decision
  const from = deps.now()
  const mayGoOn = () => isWithinSecond(from, deps.now()) && isOrderCheckFresh(evaluation, deps.now())
  const outgoing = { id: row.id, channel: row.channel, address, composed, sendAuthorization }
  return sendOne(outgoing, mayGoOn).catch((error): Outcome => {
    deps.log.error({ messageId: ready.row.id, err: error }, 'channel.failed')
    return { kind: 'unknown', reason: 'channel_failed', response: 'The channel closed without an answer.' }
  })
}

/**
 * Checks a send again if the process stalled after the commit of `sending` (a closed laptop, a moved VM). Meanwhile the
 * flow may be off, the cart bought, a consent withdrawn (D5) or two shoppers merged. If the check itself stalls, the
 * message is not sent.
 */
async function mayStillSend(deps: Pick<Deps, 'log' | 'now'>, store: StoreDb<Db>, ready: Ready, sendingAt: Date) {
  if (isWithinSecond(sendingAt, deps.now())) return true
  const checkedAt = deps.now()
  const { row, addressHash, otherHashes, inputs } = ready
  const couponWording = ready.coupon?.wording ?? null
  const sending = {
    id: row.id,
    sendingAt,
    cartVersion: row.cart_version,
    addressHash,
    otherHashes,
    inputs,
    couponWording,
  }
  const isAllowed = await sql.mayStillSend(store, sending).catch((error) => {
    deps.log.warn({ messageId: row.id, err: error }, 'message.not-looked-at')
    return false
  })
  return isAllowed && isWithinSecond(checkedAt, deps.now())
}

/**
 * Checked right before the channel is called: the commit may have taken longer than the order check stays fresh (D3).
 */
const isOrderCheckFresh = ({ checkedAt }: Evaluation, now: Date): boolean => isFresh(checkedAt, now)

// A semaphore per channel. Several stores send at once, and together they have at most `poolSize` messages in flight.
// So a crash leaves at most that many `unknown` messages per process, not per store (D10).

/** The part of a channel that the slots need. */
interface HasSlots {
  readonly poolSize: number
}

const pools = new WeakMap<HasSlots, SlotPool>()

/** Registers a sender with the channel's slots. The sender calls `close` at its end. */
function joinSlots(channel: HasSlots): SlotShare {
  const pool = pools.get(channel) ?? new SlotPool(channel.poolSize)
  pools.set(channel, pool)
  return new SlotShare(pool)
}

/** Counts senders with messages in flight or waiting for a slot. For tests. */
export const countSenders = (channel: HasSlots): number => pools.get(channel)?.countAtWork() ?? 0

class SlotPool {
  readonly size: number
  readonly queue: SlotShare[] = []
  readonly senders = new Set<SlotShare>()
  #free: number

  constructor(size: number) {
    this.size = size
    this.#free = size
  }

  countAtWork(): number {
    return [...this.senders].filter((share) => share.inFlight > 0 || this.queue.includes(share)).length
  }

  take(count: number): number {
    const acquired = Math.min(count, this.#free)
    this.#free -= acquired
    return acquired
  }

  /** Frees slots. The sender that has waited longest gets the next one. */
  give(count: number): void {
    this.#free += count
    while (this.#free > 0 && this.queue.length > 0) {
      this.#free -= 1
      this.queue.shift()!.grant()
    }
  }
}

class SlotShare {
  readonly #pool: SlotPool
  #inFlight = 0
  /** Slots taken and not used yet. */
  #spare = 0
  #granted = () => {}

  constructor(pool: SlotPool) {
    this.#pool = pool
    pool.senders.add(this)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * Returns how many of `want` messages the turn that stores `answered` replies may start. While others wait for a
   * slot, a sender gets at most an equal share. With more senders than slots, the slot of an answered message goes to
   * the next sender (D8).
   */
  plan(want: number, answered: number): number {
    const { size, senders, queue } = this.#pool
    const isContended = queue.some((other) => other !== this)
    const free = Math.floor(size / senders.size) - (this.#inFlight - answered) - this.#spare
    const again = isContended ? Math.max(0, Math.min(answered, free)) : answered
    if (!isContended) this.#spare += this.#pool.take(Math.max(0, want - again - this.#spare))
    return Math.min(want, again + this.#spare)
  }

  /** Ends a turn in which `answered` messages ended and `started` ones began. Frees unused slots. */
  finishTurn(answered: number, started: number): void {
    const places = this.#inFlight + this.#spare
    this.#inFlight += started - answered
    this.#spare = 0
    this.#pool.give(places - this.#inFlight)
  }

  /** Resolves when a slot is reserved for this sender. */
  waitForSlot(): Promise<void> {
    return new Promise((resolve) => {
      this.#granted = resolve
      if (!this.#pool.queue.includes(this)) this.#pool.queue.push(this)
    })
  }

  grant(): void {
    this.#spare += 1
    this.#granted()
  }

  /** Leaves the pool. Messages still in flight keep their slots until `finishTurn`. */
  close(): void {
    const { queue } = this.#pool
    if (queue.includes(this)) queue.splice(queue.indexOf(this), 1)
    this.#pool.senders.delete(this)
    this.finishTurn(0, 0)
  }
}
