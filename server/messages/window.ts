import { setTimeout as sleep } from 'node:timers/promises'
import type { EmailChannel, Outcome } from '../channels/channel.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../db.ts'
import { isDatabaseAway, outlast } from '../db-away.ts'
import type { Deps } from '../deps.ts'
import { outgoingEmail } from './compose.ts'
import { FENCE_DEGRADED_MS, FENCE_FRESH_MS } from './decide.ts'
import * as sql from './deliver-sql.ts'
import { type Judged, monthOf, type Ready } from './judge.ts'
import { scheduleNextLook } from './messages.ts'
import { type Finished, recordOutcomes } from './outcome.ts'
import { joinWire, type WireShare } from './wire.ts'

// The last part of Way C: at any moment at most as many messages are `handed_over` as the channel can have on the wire (D10),
// of all stores together (wire.ts). As soon as some are answered, one transaction writes their outcomes and lets as many others leave.

export interface Leaving {
  claim: string
  judged: Judged
  channel: EmailChannel
  /** Asked before anything leaves: the lease and the order pull must still hold. */
  mayGoOn: () => Promise<boolean>
  /** Takes up the ends of those that are not waited for any longer. */
  late: Promise<unknown>[]
}

/** Links live 30 days from their message (decision 4). */
const TOKEN_MS = 30 * 86_400_000

/** A mail server that says nothing for this long keeps its message's place on the wire, but not the store's next ones waiting. */
const PATIENCE_MS = 5_000

/** Answers which rows might not leave after all. What left has its outcome written, but for those in `late`. */
export async function sendInWindow(
  deps: Deps,
  store: StoreDb<Db>,
  leaving: Leaving,
  ready: readonly Ready[],
): Promise<string[]> {
  const waiting = [...ready]
  const refused: string[] = []
  const share = joinWire(leaving.channel)
  const flights = new Flights(deps, store, leaving, share)
  let failure: unknown = null
  let isSilent = false
  try {
    while (waiting.length > 0 || (share.onWire > 0 && !isSilent)) {
      if (waiting.length > 0 && (failure || !(await leaving.mayGoOn()))) waiting.length = 0
      const done = flights.landed()
      const next = waiting.splice(0, share.plan(waiting.length, done.length))
      isSilent = false
      if (done.length === 0 && next.length === 0) {
        share.settle(0, 0)
        if (waiting.length > 0 || share.onWire > 0) isSilent = !(await flights.news(waiting.length > 0))
        continue
      }
      const turn = await takeTurn(deps, store, leaving, done, next)
      failure ??= turn.failure
      share.settle(done.length, turn.gone.size)
      for (const each of next) {
        if (turn.gone.has(each.row.id)) flights.start(each, turn.at)
        else refused.push(each.row.id)
      }
    }
  } finally {
    flights.leave()
  }
  if (failure) throw failure
  return refused
}

/** What this sender has on the wire. */
class Flights {
  readonly #parts: [Deps, StoreDb<Db>, Leaving]
  readonly #share: WireShare
  readonly #inAir = new Set<Promise<void>>()
  readonly #landed: Finished[] = []
  #wake = () => {}
  #isLeft = false

  constructor(deps: Deps, store: StoreDb<Db>, leaving: Leaving, share: WireShare) {
    this.#parts = [deps, store, leaving]
    this.#share = share
  }

  start(ready: Ready, handedOverAt: Date): void {
    const [deps, , leaving] = this.#parts
    const flight: Promise<void> = send(deps, leaving, ready)
      .then((outcome) => this.#land({ ready, outcome, handedOverAt }))
      .finally(() => this.#inAir.delete(flight))
    this.#inAir.add(flight)
  }

  async #land(finished: Finished): Promise<void> {
    if (this.#isLeft) return this.#landLate(finished)
    this.#landed.push(finished)
    this.#wake()
  }

  async #landLate(finished: Finished): Promise<void> {
    const [deps, store, leaving] = this.#parts
    await recordAlone(deps, store, leaving, [finished])
    this.#share.settle(1, 0)
    await transact(store, scheduleNextLook).catch((error) => deps.log.warn({ err: error }, 'messages.no-next-look'))
  }

  /** Those that were answered since it was last asked. */
  landed(): Finished[] {
    return this.#landed.splice(0)
  }

  /** Waits for an answer or, if wanted, for a place on the wire; false when neither came for a while. */
  async news(isPlaceWanted: boolean): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, PATIENCE_MS, false)
    this.#wake = () => resolve(true)
    if (isPlaceWanted) void this.#share.place().then(this.#wake)
    return promise.finally(() => clearTimeout(timer))
  }

  /** What is still on the wire is written down when it is answered. */
  leave(): void {
    this.#isLeft = true
    this.#parts[2].late.push(...this.#inAir)
    this.#share.leave()
  }
}

interface Turn {
  gone: Set<string>
  at: Date
  failure: unknown
}

/** One transaction for both. When it fails, answers are still written down: they cannot be had again. */
async function takeTurn(
  deps: Deps,
  store: StoreDb<Db>,
  leaving: Leaving,
  done: readonly Finished[],
  next: readonly Ready[],
): Promise<Turn> {
  let at = deps.now()
  try {
    const gone = await transact(store, async (tx) => {
      await sql.lockShoppersOf(tx, [...done.map(({ ready }) => ready), ...next].map(shopperOf))
      if (done.length > 0) await recordOutcomes(deps, tx, leaving.judged, done)
      if (next.length === 0) return new Set<string>()
      const used = await sql.lockUsage(tx, leaving.judged.situation.account_id, leaving.judged.month, 'email')
      // Only now: waiting for the locks may have made the order pull too old (D3).
      at = deps.now()
      return handOver(deps, tx, { ...leaving, at, used }, next)
    })
    logOutcomes(deps, store, done)
    return { gone, at, failure: null }
  } catch (error) {
    deps.log.error({ storeId: store.storeId, err: error }, 'messages.turn-failed')
    if (done.length > 0) await recordAlone(deps, store, leaving, done)
    const unsure = isDatabaseAway(error) ? next.map((ready) => neverLeft(ready, at)) : []
    if (unsure.length > 0) await recordAlone(deps, store, leaving, unsure)
    return { gone: new Set(), at, failure: error }
  }
}

/** The commit may have happened though its answer never came. Nothing was put on the wire: what was handed over in it is due again. */
function neverLeft(ready: Ready, handedOverAt: Date): Finished {
  const response = 'Not sent: the database was away.'
  return { ready, handedOverAt, outcome: { kind: 'retry', reason: 'not_sent', response, retryAfterMs: 1_000 } }
}

const shopperOf = ({ row }: Ready): string => row.shopper_id

/** What cannot be written down after all is closed by `flights.ts`. */
async function recordAlone(deps: Deps, store: StoreDb<Db>, { judged }: Leaving, done: readonly Finished[]) {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      await outlast(() => transact(store, (tx) => recordOutcomes(deps, tx, judged, done)))
      return logOutcomes(deps, store, done)
    } catch (error) {
      const ids = done.map(({ ready }) => ready.row.id)
      deps.log.error({ storeId: store.storeId, messageIds: ids, err: error, attempt }, 'message.outcome-not-recorded')
      await sleep(attempt * 200)
    }
  }
}

function logOutcomes(deps: Deps, { storeId }: StoreDb, done: readonly Finished[]): void {
  for (const { ready, outcome } of done)
    deps.log.info({ storeId, messageId: ready.row.id, outcome: outcome.kind }, 'message.handed-over')
}

/** Never throws: the others are on the wire too. */
async function send(deps: Deps, { judged, channel }: Leaving, ready: Ready): Promise<Outcome> {
  if (!isPullFresh(judged, ready, deps.now())) {
    return {
      kind: 'retry',
      reason: 'not_sent',
      response: 'Not sent: the orders were read too long ago.',
      retryAfterMs: 1_000,
    }
  }
  const { situation } = judged
  const sender = { name: situation.sender_name, email: situation.sender_email }
  const mail = outgoingEmail(ready.row.id, ready.address, ready.composed, sender, deps.config.mailFrom)
  return channel.send(mail).catch((error): Outcome => {
    deps.log.error({ messageId: ready.row.id, err: error }, 'channel.failed')
    return { kind: 'unknown', reason: 'channel_failed', response: 'The channel ended without an answer.' }
  })
}

/** The last look before the wire: the hand-over's commit itself may have taken so long that the pull proves nothing any more (D3). */
function isPullFresh({ situation }: Judged, { decision }: Ready, now: Date): boolean {
  const ageMs = situation.fence_started ? now.getTime() - situation.fence_started.getTime() : -1
  return ageMs >= 0 && ageMs <= (decision.reason === 'fence_degraded' ? FENCE_DEGRADED_MS : FENCE_FRESH_MS)
}

/** Moves the rows that still may go. The caller has locked their people and the plan's counter, which says `used`. */
async function handOver(
  deps: Deps,
  tx: StoreTx,
  { claim, judged, at: now, used }: Leaving & { at: Date; used: number },
  next: readonly Ready[],
) {
  const { situation, month, planLimit } = judged
  // Midnight passed in between: the new month has a limit of its own.
  if (month !== monthOf(now)) return new Set<string>()
  const allowed = planLimit < 0 ? next : next.slice(0, Math.max(0, planLimit - used))
  const isDegraded = allowed.some(({ decision }) => decision.reason === 'fence_degraded')
  return sql.handOver(tx, claim, deps.workerId, allowed.map(handOverRow), {
    now,
    mirrorSince: new Date(now.getTime() - (isDegraded ? FENCE_DEGRADED_MS : FENCE_FRESH_MS)),
    capSince: judged.capSince,
    capMax: situation.cap_messages,
    accountId: situation.account_id,
    month,
    tokensUntil: new Date(now.getTime() + TOKEN_MS),
  })
}

function handOverRow({ row, address, addressHash, composed, decision, inputs }: Ready): sql.HandOverRow {
  return {
    id: row.id,
    cart_version: row.cart_version,
    address_hash: addressHash,
    to_address: address,
    subject: composed.subject,
    body_html: composed.html,
    body_text: composed.text,
    template_id: row.template_id,
    template_version: row.template_version,
    reason: decision.reason,
    inputs,
    tokens: composed.tokens,
  }
}
