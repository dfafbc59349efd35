import type { EmailChannel, Outcome } from '../channels/channel.ts'
import { type Db, type StoreDb, snapshot, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { pullFence } from '../stores/sync.ts'
import { outgoingEmail } from './compose.ts'
import { backOff, FENCE_DEGRADED_MS, FENCE_FRESH_MS } from './decide.ts'
import * as sql from './deliver-sql.ts'
import { type Judged, judge, type Ready } from './judge.ts'
import type * as load from './judge-sql.ts'
import { scheduleNextLook } from './messages.ts'

// Way C: fence, claim, decide, render, hand over, outcome. What leaves is written before it leaves; a row goes back only
// on proof that it was not accepted.

const BATCH = 100
/** The pull itself stops after 20 s (D3); this one only guards against a pull that never returns. */
const FENCE_LIMIT_MS = 30_000
/** A claim this old was left behind by a process that ended; its rows are due again. */
const LEASE_MS = 60_000

/** How long a process that ended without a word keeps others from sending for the store. */
const STORE_LEASE_MS = 15_000

/**
 * Sends what is due for one store, one process at a time. Two at once would still be safe: rows are leased, and the hand-over
 * checks the lease; but twice the pool would be on the wire (D10).
 */
export async function sendDue(deps: Deps, { storeId }: { storeId: string }): Promise<void> {
  const store = { storeId, db: deps.db }
  const lease = () => sql.leaseStore(store, deps.now(), new Date(deps.now().getTime() + STORE_LEASE_MS))
  if (!(await lease())) return
  const renewal = setInterval(
    () => sql.renewStore(store, new Date(deps.now().getTime() + STORE_LEASE_MS)).catch(() => {}),
    5_000,
  )
  try {
    await sendRounds(deps, store)
  } finally {
    clearInterval(renewal)
    await transact(store, scheduleNextLook)
    await sql.freeStore(store)
  }
}

async function sendRounds(deps: Deps, store: StoreDb<Db>): Promise<void> {
  for (let round = 0; round < 1_000; round++) {
    await pullFence(deps, store.storeId, AbortSignal.timeout(FENCE_LIMIT_MS))
    const claim = newId()
    const now = deps.now()
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const ids = await sql.claimDue(store, { claim, workerId: deps.workerId, now, leaseUntil, limit: BATCH })
    if (ids.length === 0) return
    await deliverClaim(deps, store, claim, ids)
  }
}

async function deliverClaim(deps: Deps, store: StoreDb<Db>, claim: string, ids: readonly string[]): Promise<void> {
  const judged = await snapshot(store, (tx) => judge(deps, tx, ids))
  const now = deps.now()
  for (const { shopperId, arm } of judged.arms) await sql.setArm(store, shopperId, arm)
  if (judged.verdicts.length > 0) await sql.applyVerdicts(store, claim, judged.verdicts, now)
  const leaving = oncePerPerson(judged.ready)
  const channel = judged.situation.account_is_demo ? deps.channels.demoEmail : deps.channels.email
  for (let start = 0; start < leaving.length; start += channel.poolSize) {
    await handOverAndSend(deps, store, claim, channel, judged, leaving.slice(start, start + channel.poolSize))
  }
  // Second messages of one person and rows that failed the re-check: decided anew at once.
  await sql.releaseClaim(store, claim, now, now)
}

/** A batch holds at most one message per person (D10): the cap counts the first before the second is decided. */
function oncePerPerson(ready: readonly Ready[]): Ready[] {
  const seen = new Set<string>()
  return ready.filter(({ row }) => !seen.has(row.shopper_id) && seen.add(row.shopper_id))
}

async function handOverAndSend(
  deps: Deps,
  store: StoreDb<Db>,
  claim: string,
  channel: EmailChannel,
  judged: Judged,
  batch: readonly Ready[],
): Promise<void> {
  const gone = await handOver(deps, store, claim, judged, batch)
  await Promise.all(
    batch
      .filter(({ row }) => gone.has(row.id))
      .map(async (ready) => {
        const { situation } = judged
        const sender = { name: situation.sender_name, email: situation.sender_email }
        const mail = outgoingEmail(ready.row.id, ready.address, ready.composed, sender, deps.config.mailFrom)
        const outcome = await channel.send(mail)
        await recordOutcome(deps, store, judged, ready, outcome)
      }),
  )
}

/** One transaction: locks the people and the plan's counter, moves the rows that still may go, keeps their links. */
async function handOver(deps: Deps, store: StoreDb<Db>, claim: string, judged: Judged, batch: readonly Ready[]) {
  return transact(store, async (tx) => {
    const now = deps.now()
    const { situation, month, planLimit } = judged
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
    if (outcome.kind === 'accepted' || outcome.kind === 'unknown') await sql.spaceNextSteps(tx, row.id)
    else await takeBack(tx, judged, row.id)
    if (outcome.kind === 'rejected' && outcome.isRecipientFault) await suppressBounced(deps, tx, judged, ready, now)
    if (outcome.kind !== 'retry') await notify(tx, ready, outcome, now)
    await scheduleNextLook(tx)
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
