import type { ChannelName, Outcome } from '../../messages/channels/channel.ts'
import { notSent } from '../../messages/channels/not-sent.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import type { Evaluation, Ready } from '../decide/evaluate.ts'
import type { Deps } from '../../deps.ts'
import type { Finished } from '../outcome/outcome.ts'
import { isFresh, isMoment } from '../../access/stores/rules.ts'
import { type HasSlots, joinSlots, type SlotShare } from './connection-slots.ts'
import type { MailOut } from './mail-out.ts'
import type { OutgoingMessage } from './send-due.ts'
import * as sql from './send-due-sql.ts'
import { Turns } from './turn.ts'

// The last part of Way C: at any moment at most as many messages are in flight as the channel can have there (D10), of all stores
// together (connection-slots.ts). As soon as some are answered, one commit writes their answers and lets as many others be sent (turn.ts).

export interface Sender {
  claim: string
  evaluation: Evaluation
  /** All messages of a queue go by one channel. */
  channel: ChannelName
  transport: HasSlots
  /** The mail server it is sent by; null for texts and notifications. */
  mail: MailOut | null
  /** Sends one message. Stops between attempts once `mayGoOn` says no. */
  sendOne: (each: OutgoingMessage, mayGoOn: () => boolean) => Promise<Outcome>
  /** Where credits pay for what the plan does not include: by how much; null: nowhere. */
  credits: { perMille: number } | null
  /** Asked before anything is sent: the lease and the order pull must still hold. */
  mayGoOn: () => Promise<boolean>
  /** Takes up the ends of those that are not waited for any longer. */
  late: Promise<unknown>[]
}

/** A provider that says nothing for this long keeps its message's place in flight, but not the store's next ones waiting. */
const PATIENCE_MS = 5_000

/** What is ready of a batch and goes by one channel. */
export interface SendQueue {
  send(): Sent
  /** None of it is sent. Never throws. */
  drop(): Promise<void>
}

interface Sent {
  /** Half of it has started, or may not. Never rejects. */
  isHalfStarted: Promise<void>
  /** All of it. Never rejects. */
  started: Promise<void>
  /** Ids of the rows that were not sent. The outcomes of the others are recorded, except those still in `late`. */
  ended: Promise<string[]>
}

export async function openQueue(
  deps: Deps,
  store: StoreDb<Db>,
  sender: Sender,
  ready: readonly Ready[],
): Promise<SendQueue> {
  const turns = new Turns(deps, store, sender)
  const waiting = await turns.prepare(ready)
  return {
    send: () => {
      const [half, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const tell = (left: number) => {
        if (left <= ready.length / 2) half.resolve()
        if (left === 0) all.resolve()
      }
      const refused = ready.filter((each) => !waiting.includes(each)).map(({ row }) => row.id)
      const ended = sendWithinSlots(deps, store, { ...sender, turns }, { waiting, refused, tell })
      return { isHalfStarted: half.promise, started: all.promise, ended: ended.finally(() => tell(0)) }
    },
    drop: () => turns.end(),
  }
}

interface Waiting {
  waiting: Ready[]
  refused: string[]
  /** Told how many wait still. */
  tell: (left: number) => void
}

async function sendWithinSlots(
  deps: Deps,
  store: StoreDb<Db>,
  sender: Sender & { turns: Turns },
  { waiting, refused, tell }: Waiting,
): Promise<string[]> {
  const { turns } = sender
  const share = joinSlots(sender.transport)
  const sends = new Sends(deps, store, sender, share)
  let failure: unknown = null
  let isSilent = false
  try {
    while (waiting.length > 0 || (share.inFlight > 0 && !isSilent)) {
      if (waiting.length > 0 && (failure || !(await sender.mayGoOn()))) waiting.length = 0
      tell(waiting.length)
      const done = sends.settled()
      const next = waiting.splice(0, share.plan(waiting.length, done.length))
      isSilent = false
      if (done.length === 0 && next.length === 0) {
        share.settle(0, 0)
        if (waiting.length > 0 || share.inFlight > 0) isSilent = !(await sends.news(waiting.length > 0))
        if (isSilent) await turns.flush([])
        continue
      }
      if (waiting.length === 0 && next.length === 0 && done.length === share.inFlight) {
        await turns.flush(done)
        share.settle(done.length, 0)
        continue
      }
      const turn = await turns.take(done, next)
      failure ??= turn.failure
      share.settle(done.length, turn.sending.size)
      for (const each of next) {
        if (turn.sending.has(each.row.id)) sends.start(each, turn.at)
        else refused.push(each.row.id)
      }
    }
  } finally {
    sends.close()
    await turns.end()
  }
  if (failure) throw failure
  return refused
}

/** What this sender has in flight. */
class Sends {
  readonly #parts: [Deps, StoreDb<Db>, Sender & { turns: Turns }]
  readonly #share: SlotShare
  readonly #inFlight = new Set<Promise<void>>()
  readonly #settled: Finished[] = []
  #wake = () => {}
  #isClosed = false

  constructor(deps: Deps, store: StoreDb<Db>, sender: Sender & { turns: Turns }, share: SlotShare) {
    this.#parts = [deps, store, sender]
    this.#share = share
  }

  start(ready: Ready, sendingAt: Date): void {
    const [deps, store, sender] = this.#parts
    const ended: Promise<void> = send(deps, store, sender, ready, sendingAt)
      .then((outcome) => this.#settle({ ready, outcome, sendingAt, answeredAt: deps.now() }))
      .finally(() => this.#inFlight.delete(ended))
    this.#inFlight.add(ended)
  }

  async #settle(finished: Finished): Promise<void> {
    if (this.#isClosed) return this.#settleLate(finished)
    this.#settled.push(finished)
    this.#wake()
  }

  async #settleLate(...finished: Finished[]): Promise<void> {
    await this.#parts[2].turns.record(finished)
    this.#share.settle(finished.length, 0)
  }

  /** Those that were answered since it was last asked. */
  settled(): Finished[] {
    return this.#settled.splice(0)
  }

  /** Waits for an answer or, if wanted, for a place in flight; false when neither came for a while. */
  async news(isPlaceWanted: boolean): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, PATIENCE_MS, false)
    this.#wake = () => resolve(true)
    if (isPlaceWanted) void this.#share.place().then(this.#wake)
    return promise.finally(() => clearTimeout(timer))
  }

  /** What is still in flight is written down when it is answered; what was answered and not asked for, now. */
  close(): void {
    this.#isClosed = true
    const settled = this.settled()
    this.#parts[2].late.push(...this.#inFlight, ...(settled.length > 0 ? [this.#settleLate(...settled)] : []))
    this.#share.close()
  }
}

/** Never throws: the others are in flight too. */
async function send(deps: Deps, store: StoreDb<Db>, { evaluation, sendOne }: Sender, ready: Ready, sendingAt: Date) {
  if (!isPullFresh(evaluation, deps.now())) return notSent('orders, stock or prices were read too long ago.')
  if (!(await isStillMeant(deps, store, ready, sendingAt)))
    return notSent('too much time has passed since the last check.')
  if (ready.isQuietAt(deps.now())) return notSent('quiet hours have begun where the recipient lives.')
  const { row, address, composed, decision } = ready
  const { sendAuthorization } = decision
  const from = deps.now()
  const mayGoOn = () => isMoment(from, deps.now()) && isPullFresh(evaluation, deps.now())
  const outgoing = { id: row.id, channel: row.channel, address, composed, sendAuthorization }
  return sendOne(outgoing, mayGoOn).catch((error): Outcome => {
    deps.log.error({ messageId: ready.row.id, err: error }, 'channel.failed')
    return { kind: 'unknown', reason: 'channel_failed', response: 'The channel closed without an answer.' }
  })
}

/**
 * A process that stalled after the commit of `sending` (a closed laptop, a moved VM) does not know what was
 * switched off, bought or withdrawn meanwhile (D5), nor of people who were found to be one. It looks once more, and where that takes
 * as long, it is decided anew.
 */
async function isStillMeant(deps: Deps, store: StoreDb<Db>, ready: Ready, sendingAt: Date) {
  if (isMoment(sendingAt, deps.now())) return true
  const lookedAt = deps.now()
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
  const isMeant = await sql.mayStillSend(store, sending).catch((error) => {
    deps.log.warn({ messageId: row.id, err: error }, 'message.not-looked-at')
    return false
  })
  return isMeant && isMoment(lookedAt, deps.now())
}

/** Checked right before the channel is called: the commit itself may have outlasted the order pull (D3). */
const isPullFresh = ({ checkedAt }: Evaluation, now: Date): boolean => isFresh(checkedAt, now)
