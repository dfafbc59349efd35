import { setTimeout as sleep } from 'node:timers/promises'
import type { EmailChannel, Outcome } from '../channels/channel.ts'
import { type Db, type StoreDb, snapshot, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { pullFence } from '../stores/sync.ts'
import { outgoingEmail } from './compose.ts'
import { backOff, FENCE_DEGRADED_MS, FENCE_FRESH_MS } from './decide.ts'
import * as sql from './deliver-sql.ts'
import { type Judged, judge, monthOf, type Ready } from './judge.ts'
import type * as load from './judge-sql.ts'
import { type StoreLease, takeStoreLease } from './lease.ts'
import { scheduleNextLook } from './messages.ts'
import { spaceNextSteps } from './sql.ts'

// Way C: fence, claim, decide, render, hand over, outcome. What leaves is written before it leaves; a row goes back only
// on proof that it was not accepted.

const BATCH = 100
/** The pull itself stops after 20 s (D3); this one only guards against a pull that never returns. */
const FENCE_LIMIT_MS = 30_000
/** A claim this old was left behind by a process that ended; its rows are due again. */
const LEASE_MS = 60_000

/** After a pull that failed the mirror decides for a while: asking a store that is away for every batch holds up others (D8). */
const ASK_AGAIN_MS = 30_000
/** What a hand-over refused is decided anew, but not in the same breath: two that disagree must not spin. */
const REFUSED_WAIT_MS = 1_000

/** Sends what is due for one store, one process at a time. */
export async function sendDue(deps: Deps, { storeId }: { storeId: string }): Promise<void> {
  const store = { storeId, db: deps.db }
  const lease = await takeStoreLease(deps, store)
  if (!lease) return
  try {
    await sendRounds(deps, store, lease)
  } finally {
    await transact(store, scheduleNextLook)
    await lease.end()
  }
}

async function sendRounds(deps: Deps, store: StoreDb<Db>, lease: StoreLease): Promise<void> {
  let failedAt: Date | null = null
  for (let round = 0; round < 1_000; round++) {
    if (!failedAt || deps.now().getTime() - failedAt.getTime() >= ASK_AGAIN_MS) {
      const fence = await pullFence(deps, store.storeId, AbortSignal.timeout(FENCE_LIMIT_MS))
      failedAt = fence.isFresh ? null : deps.now()
    }
    if (!(await lease.hold())) return
    const claim = newId()
    const now = deps.now()
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const ids = await sql.claimDue(store, { claim, workerId: deps.workerId, now, leaseUntil, limit: BATCH })
    if (ids.length === 0) return
    await deliverClaim(deps, store, { claim, ids, lease, isFenceDown: failedAt !== null })
  }
}

interface Batch {
  claim: string
  ids: readonly string[]
  lease: StoreLease
  /** The pull just failed, so that orders known from the last 15 minutes have to do (D3). */
  isFenceDown: boolean
}

async function deliverClaim(deps: Deps, store: StoreDb<Db>, batch: Batch): Promise<void> {
  const { claim, lease } = batch
  const judged = await snapshot(store, (tx) => judge(deps, tx, batch.ids))
  if (judged.arms.length > 0) await sql.setArms(store, judged.arms)
  if (judged.verdicts.length > 0) await sql.applyVerdicts(store, claim, judged.verdicts, deps.now())
  const leaving = oncePerPerson(judged.ready)
  const channel = judged.situation.account_is_demo ? deps.channels.demoEmail : deps.channels.email
  const refused: string[] = []
  for (let start = 0; start < leaving.length; start += channel.poolSize) {
    // The rest of a slow batch goes back and is decided on a new pull.
    if (!batch.isFenceDown && !isFenceFresh(judged, deps.now())) break
    if (!(await lease.hold())) break
    const chunk = leaving.slice(start, start + channel.poolSize)
    refused.push(...(await handOverAndSend(deps, store, claim, channel, judged, chunk)))
  }
  const now = deps.now()
  const wakeAt = new Date(now.getTime() + REFUSED_WAIT_MS)
  // Second messages of one person and what was not come to: decided anew at once.
  await sql.releaseClaim(store, claim, { ids: refused, wakeAt }, now)
}

function isFenceFresh({ situation }: Judged, now: Date): boolean {
  return situation.fence_started !== null && now.getTime() - situation.fence_started.getTime() <= FENCE_FRESH_MS
}

/** A batch holds at most one message per person (D10): the cap counts the first before the second is decided. */
function oncePerPerson(ready: readonly Ready[]): Ready[] {
  const seen = new Set<string>()
  return ready.filter(({ row }) => !seen.has(row.shopper_id) && seen.add(row.shopper_id))
}

/** Answers which rows might not leave after all. */
async function handOverAndSend(
  deps: Deps,
  store: StoreDb<Db>,
  claim: string,
  channel: EmailChannel,
  judged: Judged,
  chunk: readonly Ready[],
): Promise<string[]> {
  const gone = await handOver(deps, store, claim, judged, chunk)
  await Promise.all(
    chunk.filter(({ row }) => gone.has(row.id)).map((ready) => send(deps, store, channel, judged, ready)),
  )
  return chunk.map(({ row }) => row.id).filter((id) => !gone.has(id))
}

/** Never throws: the others of the chunk are on the wire too. What cannot be written down is closed by `flights.ts`. */
async function send(
  deps: Deps,
  store: StoreDb<Db>,
  channel: EmailChannel,
  judged: Judged,
  ready: Ready,
): Promise<void> {
  const { situation } = judged
  const sender = { name: situation.sender_name, email: situation.sender_email }
  const mail = outgoingEmail(ready.row.id, ready.address, ready.composed, sender, deps.config.mailFrom)
  const failure = { storeId: store.storeId, messageId: ready.row.id }
  const outcome = await channel.send(mail).catch((error): Outcome => {
    deps.log.error({ ...failure, err: error }, 'channel.failed')
    return { kind: 'unknown', reason: 'channel_failed', response: 'The channel ended without an answer.' }
  })
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      return await recordOutcome(deps, store, judged, ready, outcome)
    } catch (error) {
      deps.log.error({ ...failure, err: error, outcome: outcome.kind, attempt }, 'message.outcome-not-recorded')
      await sleep(attempt * 200)
    }
  }
}

/** One transaction: locks the people and the plan's counter, moves the rows that still may go, keeps their links. */
async function handOver(deps: Deps, store: StoreDb<Db>, claim: string, judged: Judged, batch: readonly Ready[]) {
  return transact(store, async (tx) => {
    const now = deps.now()
    const { situation, month, planLimit } = judged
    // Midnight passed in between: the new month has a limit of its own.
    if (month !== monthOf(now)) return new Set<string>()
    await sql.lockShoppersOf(
      tx,
      batch.map(({ row }) => row.shopper_id),
    )
    const used = await sql.lockUsage(tx, situation.account_id, month, 'email')
    const allowed = planLimit < 0 ? batch : batch.slice(0, Math.max(0, planLimit - used))
    const isDegraded = allowed.some(({ decision }) => decision.reason === 'fence_degraded')
    const gone = await sql.handOver(tx, claim, deps.workerId, allowed.map(handOverRow), {
      now,
      mirrorSince: new Date(now.getTime() - (isDegraded ? FENCE_DEGRADED_MS : FENCE_FRESH_MS)),
      capSince: judged.capSince,
      capMax: situation.cap_messages,
    })
    if (gone.size === 0) return gone
    await sql.addUsage(tx, situation.account_id, month, 'email', gone.size)
    const tokens = batch
      .filter(({ row }) => gone.has(row.id))
      .flatMap(({ row, composed }) =>
        composed.tokens.map((token) => ({ ...token, message_id: row.id, cart_id: row.cart_id })),
      )
    await sql.insertLinkTokens(tx, tokens, now, new Date(now.getTime() + TOKEN_MS))
    return gone
  })
}

/** Links live 30 days from their message (decision 4). */
const TOKEN_MS = 30 * 86_400_000

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
  }
}

async function recordOutcome(
  deps: Deps,
  store: StoreDb<Db>,
  judged: Judged,
  ready: Ready,
  outcome: Outcome,
): Promise<void> {
  const { row } = ready
  const now = deps.now()
  await transact(store, async (tx) => {
    const isMoved = await sql.applyOutcome(tx, row.id, outcomeRow(outcome, row, now), now)
    if (!isMoved) return
    if (outcome.kind === 'accepted' || outcome.kind === 'unknown') await spaceNextSteps(tx, row.id, now)
    else await takeBack(tx, judged, row.id)
    if (outcome.kind === 'rejected' && outcome.isRecipientFault) await suppressBounced(deps, tx, judged, ready, now)
    if (outcome.kind !== 'retry') await notify(tx, ready, outcome, now)
  })
  deps.log.info({ storeId: store.storeId, messageId: row.id, outcome: outcome.kind }, 'message.handed-over')
}

async function takeBack(tx: Parameters<typeof sql.undoBadge>[0], judged: Judged, messageId: string): Promise<void> {
  await sql.undoBadge(tx, messageId)
  await sql.addUsage(tx, judged.situation.account_id, judged.month, 'email', -1)
}

function outcomeRow(outcome: Outcome, row: load.ClaimedRow, now: Date): sql.OutcomeRow {
  const base = { response: outcome.response, providerId: null, wakeAt: null }
  switch (outcome.kind) {
    case 'accepted':
      return { ...base, state: 'sent', reason: null, providerId: outcome.providerId }
    case 'rejected':
      return { ...base, state: 'failed', reason: `rejected:${outcome.reason}` }
    case 'unknown':
      return { ...base, state: 'unknown', reason: 'unknown' }
    case 'retry': {
      const asked = outcome.retryAfterMs ? new Date(now.getTime() + outcome.retryAfterMs) : null
      return { ...base, state: 'held', reason: 'retry', wakeAt: asked ?? backOff(now, row.attempts) }
    }
  }
}

async function suppressBounced(
  deps: Deps,
  tx: Parameters<typeof sql.undoBadge>[0],
  judged: Judged,
  ready: Ready,
  now: Date,
) {
  await sql.insertSuppression(tx, {
    accountId: judged.situation.account_id,
    hash: deps.secrets.addressHash(ready.address),
    channel: 'email',
    address: ready.address,
    reason: 'hard_bounce',
    source: 'smtp',
    at: now,
  })
}

async function notify(
  tx: Parameters<typeof sql.undoBadge>[0],
  ready: Ready,
  outcome: Outcome,
  now: Date,
): Promise<void> {
  const isSent = outcome.kind === 'accepted'
  await sql.insertNotification(tx, {
    id: newId(),
    type: isSent ? 'email_sent' : 'email_failed',
    title: isSent ? 'Recovery email sent' : 'Recovery email not delivered',
    message: isSent
      ? `Reminder ${ready.row.step} went to ${ready.address}.`
      : `Reminder ${ready.row.step} to ${ready.address}: ${outcome.kind === 'unknown' ? 'no answer from the mail server' : outcome.response}`,
    data: { cartId: ready.row.cart_id, messageId: ready.row.id, timestamp: now.toISOString() },
    at: now,
  })
}
