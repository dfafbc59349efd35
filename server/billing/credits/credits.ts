import type { CreditEntry } from '../../../shared/billing/credits.ts'
import { raiseProblem, resolveProblem } from '../../access/problems/problems.ts'

import {
  type AccountDb,
  type AccountTx,
  type Db,
  describePage,
  findPageWindow,
  type StoreTx,
  transactAccount,
} from '../../core/db/public.ts'
import { wakeMessagesOf } from '../../messages/messages/public.ts'
import { type CreditPayment, computeSettlement, type EntryDraft } from './rules.ts'
import * as sql from './sql.ts'

// Prepaid credits of an account. The balance is the sum of an append-only ledger. Every change locks the balance first,
// before any message (ARCHITECTURE.md, "Time and order of locks").

/** Balance in millionths of a dollar, locked until the transaction ends. */
export async function lockCredits(tx: StoreTx | AccountTx, accountId: string): Promise<number> {
  return (await sql.lockBalance(tx, accountId))?.micros ?? 0
}

export interface CreditUse {
  messageId: string
  micros: number
}

/**
 * Call in the transaction that sends these messages. The caller has locked the balance and checked that it suffices.
 */
export async function payWithCredits(
  tx: StoreTx,
  accountId: string,
  uses: readonly CreditUse[],
  now: Date,
): Promise<void> {
  const drafts = uses.map(({ messageId, micros }): EntryDraft => ({ kind: 'use', messageId, micros: -micros }))
  if (drafts.length > 0) await appendEntries(tx, accountId, drafts, now)
}

/** For messages that were not sent. Returns those paid with credits. Idempotent. */
export async function refundCredits(
  tx: StoreTx,
  accountId: string,
  messageIds: readonly string[],
  now: Date,
): Promise<Set<string>> {
  if (messageIds.length === 0 || !(await sql.lockBalance(tx, accountId))) return new Set()
  const paid = await sql.selectPaid(tx, accountId, messageIds)
  const drafts = paid.map(({ messageId, micros }): EntryDraft => ({ kind: 'give_back', messageId, micros }))
  if (drafts.length > 0) await appendEntries(tx, accountId, drafts, now)
  return new Set(paid.map(({ messageId }) => messageId))
}

/**
 * Updates the ledger to Stripe's state of these payments, in the snapshot's transaction. Wakes messages that waited for
 * credits.
 */
export async function settleCredits(tx: AccountTx, payments: readonly CreditPayment[], now: Date): Promise<void> {
  if (payments.length === 0) return
  await sql.openBalance(tx, now)
  const balance = await sql.lockBalance(tx, tx.accountId)
  const settled = await sql.selectSettledPayments(
    tx,
    payments.map(({ paymentId }) => paymentId),
  )
  const drafts = computeSettlement(payments, settled, balance!.micros)
  if (drafts.length === 0) return
  await appendEntries(tx, tx.accountId, drafts, now)
  if (drafts.some(({ micros }) => micros > 0)) await wakeMessagesOf(tx.db, tx.accountId, ['plan_limit'], now)
  const owed = await sql.readOwed(tx)
  if (owed <= 0) return resolveProblem(tx, 'credits_used', now)
  const detail = `Credit payments were refunded after ${formatDollars(owed)} of the credits had been used for SMS.`
  await raiseProblem(tx, { kind: 'credits_used', detail, now })
}

const formatDollars = (micros: number) => `$${(Math.ceil(micros / 10_000) / 100).toFixed(2)}`

/** Adds credits without a payment. */
export async function addCredits(account: AccountDb<Db>, draft: EntryDraft, now: Date): Promise<number> {
  return transactAccount(account, (tx) => appendCredits(tx, draft, now))
}

export async function appendCredits(tx: AccountTx, draft: EntryDraft, now: Date): Promise<number> {
  await sql.openBalance(tx, now)
  const micros = await appendEntries(tx, tx.accountId, [draft], now)
  await wakeMessagesOf(tx.db, tx.accountId, ['plan_limit'], now)
  return micros
}

/** Call in the transaction that logs the action (decision 90). Returns false if the balance is too low. */
export async function adjustCredits(
  tx: AccountTx,
  { micros, note, now }: { micros: number; note: string; now: Date },
): Promise<boolean> {
  await sql.openBalance(tx, now)
  if ((await lockCredits(tx, tx.accountId)) + micros < 0) return false
  await appendEntries(tx, tx.accountId, [{ kind: 'adjustment', micros, note }], now)
  if (micros > 0) await wakeMessagesOf(tx.db, tx.accountId, ['plan_limit'], now)
  return true
}

/** Returns the new balance. The database refuses a negative one. */
async function appendEntries(
  tx: StoreTx | AccountTx,
  accountId: string,
  drafts: readonly EntryDraft[],
  now: Date,
): Promise<number> {
  const before = await sql.lockBalance(tx, accountId)
  let balance = before!.micros
  const entries = drafts.map(({ kind, micros, owed = 0, paymentId, messageId, note }, index) => {
    balance += micros
    const of = { paymentId: paymentId ?? null, messageId: messageId ?? null, note: note ?? null }
    return { seq: before!.entries + index + 1, kind, micros, balance, owed, ...of }
  })
  await sql.insertEntries(tx, accountId, entries, now)
  return balance
}

export const readBalance = (account: AccountDb): Promise<number> => sql.readBalance(account)

/** Newest first. */
export async function listLedger(account: AccountDb, page: { page: number; limit: number }) {
  const total = await sql.countEntries(account)
  const window = findPageWindow(page, total, false)
  const rows = window ? await sql.listEntries(account, window) : []
  return { entries: rows.map(presentEntry), pagination: describePage(page, total) }
}

const presentEntry = (row: Awaited<ReturnType<typeof sql.listEntries>>[number]): CreditEntry => ({
  seq: row.seq,
  at: row.at.toISOString(),
  kind: row.kind,
  micros: row.micros,
  balanceMicros: row.balance_micros,
  owedMicros: row.owed_micros,
  note: row.note,
})
