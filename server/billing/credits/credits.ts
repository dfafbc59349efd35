import type { CreditEntry } from '../../../shared/credits.ts'
import { type AccountDb, type AccountTx, type Db, type StoreTx, transactAccount } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { pageWindow, paginationOf } from '../../core/db/paging.ts'
import { wakeMessagesOf } from '../../messages/messages/messages.ts'
import { raiseProblem, resolveProblem } from '../../access/problems/problems.ts'
import { type CreditPayment, type Draft, settlement } from './rules.ts'
import * as sql from './sql.ts'

// Credits of an account: what it has left is the sum of a ledger that only grows. Whoever moves it locks the balance first, before any message
// (ARCHITECTURE.md, "Time and order of locks").

/** What is left, locked until the end of the transaction; what is taken in it is taken once. */
export async function lockCredits(tx: StoreTx | AccountTx, accountId: string): Promise<number> {
  return (await sql.lockBalance(tx, accountId))?.micros ?? 0
}

export interface Use {
  messageId: string
  micros: number
}

/** In the transaction that hands these messages over. The caller has locked the balance and seen that it suffices. */
export async function payWithCredits(tx: StoreTx, accountId: string, uses: readonly Use[], now: Date): Promise<void> {
  const drafts = uses.map(({ messageId, micros }): Draft => ({ kind: 'use', messageId, micros: -micros }))
  if (drafts.length > 0) await append(tx, accountId, drafts, now)
}

/** Nothing of these has left. Answers which of them credits had paid for; done twice it gives back once. */
export async function giveBackCredits(
  tx: StoreTx,
  accountId: string,
  messageIds: readonly string[],
  now: Date,
): Promise<Set<string>> {
  if (messageIds.length === 0 || !(await sql.lockBalance(tx, accountId))) return new Set()
  const paid = await sql.paidFor(tx, accountId, messageIds)
  const drafts = paid.map(({ messageId, micros }): Draft => ({ kind: 'give_back', messageId, micros }))
  if (drafts.length > 0) await append(tx, accountId, drafts, now)
  return new Set(paid.map(({ messageId }) => messageId))
}

/** Brings the ledger in line with what Stripe has of these payments, in the transaction of a look. What waited for credits is looked at again. */
export async function settleCredits(tx: AccountTx, payments: readonly CreditPayment[], now: Date): Promise<void> {
  if (payments.length === 0) return
  await sql.openBalance(tx, now)
  const balance = await sql.lockBalance(tx, tx.accountId)
  const settled = await sql.settledPayments(
    tx,
    payments.map(({ paymentId }) => paymentId),
  )
  const drafts = settlement(payments, settled, balance!.micros)
  if (drafts.length === 0) return
  await append(tx, tx.accountId, drafts, now)
  if (drafts.some(({ micros }) => micros > 0)) await wakeMessagesOf(tx.db, tx.accountId, ['plan_limit'], now)
  const owed = await sql.readOwed(tx)
  if (owed <= 0) return resolveProblem(tx, 'credits_used', now)
  const detail = `Payments for credits were given back after ${dollars(owed)} of them had been used for SMS.`
  await raiseProblem(tx, { kind: 'credits_used', detail, now })
}

const dollars = (micros: number) => `$${(Math.ceil(micros / 10_000) / 100).toFixed(2)}`

/** Not by a payment. */
export async function addCredits(account: AccountDb<Db>, draft: Draft, now: Date): Promise<number> {
  return transactAccount(account, (tx) => addTo(tx, draft, now))
}

async function addTo(tx: AccountTx, draft: Draft, now: Date): Promise<number> {
  await sql.openBalance(tx, now)
  const micros = await append(tx, tx.accountId, [draft], now)
  await wakeMessagesOf(tx.db, tx.accountId, ['plan_limit'], now)
  return micros
}

const DAY_MS = 86_400_000

export interface CreditRequest {
  userId: string
  /** The `Idempotency-Key`. */
  key: string
}

/** The same request within a day adds nothing and gets the first answer; throws `conflict` when its key came with another amount (D9). */
export async function addCreditsOnce(
  account: AccountDb<Db>,
  request: CreditRequest,
  { draft, now }: { draft: Draft; now: Date },
): Promise<number> {
  return transactAccount(account, async (tx) => {
    const until = new Date(now.getTime() + DAY_MS)
    if (!(await sql.keepRequest(tx, { ...request, micros: draft.micros, now, until }))) {
      return (await findAnswer(tx, request, { draft, now })) ?? 0
    }
    const balance = await addTo(tx, draft, now)
    await sql.keepAnswer(tx, request, balance)
    return balance
  })
}

/** What the same request was answered within a day; null: it did not come. Throws as `addCreditsOnce`. */
export async function findAnswer(
  account: AccountDb,
  request: CreditRequest,
  { draft, now }: { draft: Draft; now: Date },
): Promise<number | null> {
  const first = await sql.readRequest(account, request, now)
  if (first && first.micros !== draft.micros)
    throw new AppError('conflict', 'This Idempotency-Key belongs to another request.')
  return first?.balance_micros ?? null
}

/** In the transaction that writes the deed down (decision 90). False: there is not so much to take. */
export async function adjustCredits(
  tx: AccountTx,
  { micros, note, now }: { micros: number; note: string; now: Date },
): Promise<boolean> {
  await sql.openBalance(tx, now)
  if ((await lockCredits(tx, tx.accountId)) + micros < 0) return false
  await append(tx, tx.accountId, [{ kind: 'adjustment', micros, note }], now)
  if (micros > 0) await wakeMessagesOf(tx.db, tx.accountId, ['plan_limit'], now)
  return true
}

/** Answers the balance after them. The database refuses one below nothing. */
async function append(
  tx: StoreTx | AccountTx,
  accountId: string,
  drafts: readonly Draft[],
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

export const balanceOf = (account: AccountDb): Promise<number> => sql.readBalance(account)

const WEEK_MS = 7 * 86_400_000

export const weekOf = (account: AccountDb, now: Date): Promise<number> =>
  sql.usedSince(account, new Date(now.getTime() - WEEK_MS))

/** The newest first. */
export async function listLedger(account: AccountDb, page: { page: number; limit: number }) {
  const total = await sql.countEntries(account)
  const window = pageWindow(page, total, false)
  const rows = window ? await sql.listEntries(account, window) : []
  return { entries: rows.map(present), pagination: paginationOf(page, total) }
}

const present = (row: Awaited<ReturnType<typeof sql.listEntries>>[number]): CreditEntry => ({
  seq: row.seq,
  at: row.at.toISOString(),
  kind: row.kind,
  micros: row.micros,
  balanceMicros: row.balance_micros,
  owedMicros: row.owed_micros,
  note: row.note,
})
