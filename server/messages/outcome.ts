import type { Outcome } from '../channels/channel.ts'
import type { StoreTx } from '../db.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { backOff } from './decide.ts'
import * as sql from './deliver-sql.ts'
import type { Judged, Ready } from './judge.ts'
import type * as load from './judge-sql.ts'
import { spaceNextSteps } from './sql.ts'

// What became of hand-overs, written down for several at once (engine, "Sending").

export interface Finished {
  ready: Ready
  outcome: Outcome
  /** Which of its hand-overs this is the end of. */
  handedOverAt: Date
}

export async function recordOutcomes(deps: Deps, tx: StoreTx, judged: Judged, done: readonly Finished[]) {
  const now = deps.now()
  const moved = await sql.applyOutcomes(
    tx,
    deps.workerId,
    done.map((each) => outcomeRow(each, now)),
    now,
  )
  const changed = done.filter(({ ready }) => moved.has(ready.row.id))
  const out = changed.filter(({ outcome }) => outcome.kind === 'accepted' || outcome.kind === 'unknown').map(idOf)
  if (out.length > 0) await spaceNextSteps(tx, out, now)
  for (const { ready, outcome } of changed) {
    if (outcome.kind === 'rejected' || outcome.kind === 'retry') await takeBack(tx, judged, ready.row.id)
    if (outcome.kind === 'rejected' && outcome.isRecipientFault) await suppressBounced(deps, tx, judged, ready, now)
  }
}

const idOf = ({ ready }: Finished): string => ready.row.id

async function takeBack(tx: StoreTx, judged: Judged, messageId: string): Promise<void> {
  await sql.undoBadge(tx, messageId)
  await sql.addUsage(tx, judged.situation.account_id, judged.month, 'email', -1)
}

function outcomeRow({ ready, outcome, handedOverAt }: Finished, now: Date): sql.OutcomeRow {
  const { row, addressHash } = ready
  const base = {
    id: row.id,
    handed_over_at: handedOverAt,
    response: outcome.response,
    provider_id: null,
    wake_at: null,
    address_hash: addressHash,
  }
  const news = newsOf(ready, outcome, now)
  switch (outcome.kind) {
    case 'accepted':
      return { ...base, state: 'sent', reason: null, provider_id: outcome.providerId, result: 'accepted', news }
    case 'rejected':
      return { ...base, state: 'failed', reason: `rejected:${outcome.reason}`, result: 'rejected', news }
    case 'unknown':
      return { ...base, state: 'unknown', reason: 'unknown', result: 'unknown', news }
    case 'retry':
      return {
        ...base,
        state: 'held',
        reason: 'retry',
        wake_at: retryAt(outcome, row, now),
        result: 'retry',
        news: null,
      }
  }
}

function retryAt(outcome: Extract<Outcome, { kind: 'retry' }>, row: load.ClaimedRow, now: Date): Date {
  return outcome.retryAfterMs ? new Date(now.getTime() + outcome.retryAfterMs) : backOff(now, row.attempts)
}

async function suppressBounced(deps: Deps, tx: StoreTx, judged: Judged, ready: Ready, now: Date): Promise<void> {
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

function newsOf({ row, address }: Ready, outcome: Outcome, now: Date): NonNullable<sql.OutcomeRow['news']> {
  const isSent = outcome.kind === 'accepted'
  return {
    id: newId(),
    type: isSent ? 'email_sent' : 'email_failed',
    title: isSent ? 'Recovery email sent' : 'Recovery email not delivered',
    message: isSent
      ? `Reminder ${row.step} went to ${address}.`
      : `Reminder ${row.step} to ${address}: ${outcome.kind === 'unknown' ? 'no answer from the mail server' : outcome.response}`,
    data: { cartId: row.cart_id, messageId: row.id, timestamp: now.toISOString() },
  }
}
