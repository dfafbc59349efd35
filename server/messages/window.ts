import { setTimeout as sleep } from 'node:timers/promises'
import type { EmailChannel, Outcome } from '../channels/channel.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../db.ts'
import { outlast } from '../db-away.ts'
import type { Deps } from '../deps.ts'
import { outgoingEmail } from './compose.ts'
import { FENCE_DEGRADED_MS, FENCE_FRESH_MS } from './decide.ts'
import * as sql from './deliver-sql.ts'
import { type Judged, monthOf, type Ready } from './judge.ts'
import { type Finished, recordOutcomes } from './outcome.ts'

// The last part of Way C: at any moment at most as many messages are `handed_over` as the channel can have on the wire (D10).
// As soon as some are answered, one transaction writes their outcomes and lets as many others leave.

export interface Leaving {
  claim: string
  judged: Judged
  channel: EmailChannel
  /** Asked before anything leaves: the lease and the order pull must still hold. */
  mayGoOn: () => Promise<boolean>
}

/** Links live 30 days from their message (decision 4). */
const TOKEN_MS = 30 * 86_400_000

/** Answers which rows might not leave after all. Ends when everything that left has its outcome written. */
export async function sendInWindow(
  deps: Deps,
  store: StoreDb<Db>,
  leaving: Leaving,
  ready: readonly Ready[],
): Promise<string[]> {
  const waiting = [...ready]
  const finished: Finished[] = []
  const refused: string[] = []
  let failure: unknown = null
  let onWire = 0
  let wake = () => {}
  while (waiting.length > 0 || onWire > 0) {
    if (waiting.length > 0 && (failure || !(await leaving.mayGoOn()))) waiting.length = 0
    const done = finished.splice(0)
    const next = waiting.splice(0, leaving.channel.poolSize - onWire + done.length)
    if (done.length === 0 && next.length === 0) {
      if (onWire > 0) await new Promise<void>((resolve) => (wake = resolve))
      continue
    }
    const turn = await takeTurn(deps, store, leaving, done, next)
    failure ??= turn.failure
    onWire += turn.gone.size - done.length
    for (const each of next) {
      if (!turn.gone.has(each.row.id)) refused.push(each.row.id)
      else
        void send(deps, leaving, each).then((outcome) => {
          finished.push({ ready: each, outcome })
          wake()
        })
    }
  }
  if (failure) throw failure
  return refused
}

interface Turn {
  gone: Set<string>
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
  try {
    const gone = await transact(store, async (tx) => {
      await sql.lockShoppersOf(tx, [...done.map(({ ready }) => ready), ...next].map(shopperOf))
      if (done.length > 0) await recordOutcomes(deps, tx, leaving.judged, done)
      return next.length > 0 ? handOver(deps, tx, leaving, next) : new Set<string>()
    })
    logOutcomes(deps, store, done)
    return { gone, failure: null }
  } catch (error) {
    deps.log.error({ storeId: store.storeId, err: error }, 'messages.turn-failed')
    if (done.length > 0) await recordAlone(deps, store, leaving, done)
    return { gone: new Set(), failure: error }
  }
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
function send(deps: Deps, { judged, channel }: Leaving, ready: Ready): Promise<Outcome> {
  const { situation } = judged
  const sender = { name: situation.sender_name, email: situation.sender_email }
  const mail = outgoingEmail(ready.row.id, ready.address, ready.composed, sender, deps.config.mailFrom)
  return channel.send(mail).catch((error): Outcome => {
    deps.log.error({ messageId: ready.row.id, err: error }, 'channel.failed')
    return { kind: 'unknown', reason: 'channel_failed', response: 'The channel ended without an answer.' }
  })
}

/** Moves the rows that still may go. The caller has locked their people; this locks the plan's counter. */
async function handOver(deps: Deps, tx: StoreTx, { claim, judged }: Leaving, next: readonly Ready[]) {
  const now = deps.now()
  const { situation, month, planLimit } = judged
  // Midnight passed in between: the new month has a limit of its own.
  if (month !== monthOf(now)) return new Set<string>()
  const used = await sql.lockUsage(tx, situation.account_id, month, 'email')
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
