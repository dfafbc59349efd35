import type { z } from 'zod'
import { storeProblemMessage } from '../../../shared/store-problems.ts'
import { openStoreClient } from '../../access/stores/access.ts'
import { after, needsOwner } from '../../access/stores/rules.ts'
import { keepSlot, type StepAside } from '../../core/common/concurrency.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook, wakeMessages } from '../../messages/messages/messages.ts'
import type { CouponChangeResult, CouponResult } from '../../platforms/platform/coupon.ts'
import type { StoreClient } from '../../platforms/platform/platform.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { renewLease, runSyncJob, type SyncJob, type SyncResult } from '../sync/sync-jobs.ts'
import { codesJob } from './codes-jobs.ts'
import {
  buildCodeDraft,
  buildCodeMark,
  computeCappedAmount,
  computeNextCheck,
  computeRetry,
  deriveCode,
  findProblem,
  matchesDraft,
} from './codes-rules.ts'
import * as sql from './codes-sql.ts'

// Creates personal codes in the store before their messages are sent (decisions 33 and 34). A row is written first, so
// that after a lost answer the next run finds the code in the store, by its name and our mark.

const AHEAD_MS = 15 * 60_000
/** Codes per request to the store. */
const BATCH = 100
/** Attempts to find a free code; each collides with probability 1 in 150,000,000,000. */
const MAX_DERIVATIONS = 20

/** Tick: queues one job per store with codes to create. */
export async function enqueueDueCodes(deps: Deps): Promise<void> {
  const now = deps.now()
  for (const storeId of await sql.selectStoresNeedingCodes(deps.db, { now, horizon: after(now, AHEAD_MS) })) {
    await deps.jobs.enqueue(deps.db, codesJob, { storeId }, storeId)
  }
}

/**
 * Finds messages that will not be sent by then, or not with a code, as far as known
 * (server/delivery/send/needless-codes.ts).
 */
export type FindUnneeded = (
  deps: Deps,
  store: StoreDb<Db>,
  messages: readonly { id: string; wakeAt: Date }[],
  until: Date,
) => Promise<Set<string>>

/**
 * Job. One run per store at a time, first due first. An unreachable store is not asked for a while. Codes that would
 * not be used are not created; they are checked again in a minute and when their message is due.
 */
export function createCodes(
  deps: Deps,
  { storeId }: z.infer<typeof codesJob.payload>,
  findNeedless: FindUnneeded,
  stepAside: StepAside = keepSlot,
): Promise<SyncResult> {
  return runSyncJob(deps, { storeId, stream: 'coupon_codes' }, async (run) => {
    if (await sql.isPaused(run.store)) return { rowsSeen: 0 }
    let client: StoreClient | undefined
    let rowsSeen = 0
    for (;;) {
      const { batch, isEnd } = await claimBatch(run, findNeedless)
      if (isEnd) return { rowsSeen }
      if (batch.length === 0) continue
      client ??= await openStoreClient(deps, run.store, stepAside)
      await createBatch(run, client, batch)
      rowsSeen += batch.length
      await renewLease(run)
    }
  })
}

/** The next codes to request, each with a row that records the request. Codes with terms being edited come later. */
async function claimBatch(
  { deps, store }: SyncJob,
  findNeedless: FindUnneeded,
): Promise<{ batch: sql.DueCode[]; isEnd: boolean }> {
  const now = deps.now()
  const ahead = { now, horizon: after(now, AHEAD_MS) }
  // Before the transaction, because it reads its own snapshot.
  const asked = (await sql.selectDueCodes(store, ahead, BATCH)).filter(isUnknownToStore)
  const needless =
    asked.length === 0
      ? new Set<string>()
      : await findNeedless(
          deps,
          store,
          asked.map(({ message_id: id, wake_at: wakeAt }) => ({ id, wakeAt })),
          ahead.horizon,
        )
  return transact(store, async (tx) => {
    await sql.lockTerms(tx)
    const due = await sql.selectDueCodes(tx, ahead, BATCH)
    const isNeedless = (row: sql.DueCode) => isUnknownToStore(row) && needless.has(row.message_id)
    const wanted = due.filter((row) => !isNeedless(row))
    const spared = due.filter(isNeedless)
    const sparedRows = [...spared.filter((row) => row.is_known), ...(await insertNew(deps, tx, spared, now))]
    await sql.postponeCodes(
      tx,
      sparedRows.map(({ message_id, coupon_id, wake_at }) => {
        return { message_id, coupon_id, next_try_at: computeNextCheck(wake_at, now) }
      }),
    )
    const rows = [...wanted.filter((row) => row.is_known), ...(await insertNew(deps, tx, wanted, now))]
    await sql.markRequested(
      tx,
      rows.map((row) => ({
        message_id: row.message_id,
        coupon_id: row.coupon_id,
        amount_minor: computeCappedAmount(row),
        cart_version: row.cart_version,
        sold_out: row.sold_out,
        terms: row.wanted_terms,
        expires_at: row.wanted_expires_at,
      })),
      now,
    )
    return { batch: rows, isEnd: rows.length + sparedRows.length === 0 }
  })
}

/** A code that was requested may exist in the store, and must be updated instead. */
const isUnknownToStore = ({ platform_id, attempts }: sql.DueCode): boolean => platform_id === null && attempts === 0

async function insertNew(deps: Deps, tx: Parameters<typeof sql.insertCodes>[0], due: sql.DueCode[], now: Date) {
  let waiting = due.filter((row) => !row.is_known)
  const done: sql.DueCode[] = []
  for (let derivation = 0; waiting.length > 0 && derivation < MAX_DERIVATIONS; derivation += 1) {
    const tried = waiting.map((row) => ({ ...row, derivation, code: buildCode(deps, tx.storeId, row, derivation) }))
    const taken = await sql.insertCodes(tx, tried.map(buildRow), now)
    done.push(...tried.filter((row) => taken.has(row.message_id)))
    waiting = waiting.filter((row) => !taken.has(row.message_id))
  }
  return done
}

const buildCode = (deps: Deps, storeId: string, row: sql.DueCode, derivation: number) =>
  deriveCode(
    deps.secrets,
    { storeId, messageId: row.message_id, couponId: row.coupon_id, prefix: row.prefix },
    derivation,
  )

const buildRow = (row: sql.DueCode): sql.NewCode => ({
  message_id: row.message_id,
  coupon_id: row.coupon_id,
  shopper_id: row.shopper_id,
  cart_id: row.cart_id,
  code: row.code,
  derivation: row.derivation,
  terms: row.wanted_terms,
  expires_at: row.wanted_expires_at,
})

/** Result for one code. `moved`: it has another code now and is handled again. */
type CodeResult = { platformId: string } | { refusal: string } | 'moved'

async function createBatch(run: SyncJob, client: StoreClient, batch: readonly sql.DueCode[]): Promise<void> {
  const impossible = batch.flatMap((row) => {
    const refusal = findProblem(row)
    return refusal ? [{ row, answer: { refusal } }] : []
  })
  await saveResults(run, impossible)
  const makable = batch.filter((row) => findProblem(row) === null)
  try {
    await createNewCodes(
      run,
      client,
      makable.filter((row) => row.platform_id === null),
    )
    await updateCreated(
      run,
      client,
      makable.filter((row) => row.platform_id !== null),
    )
  } catch (error) {
    if (error instanceof StoreProblem && needsOwner(error.code)) await refuseAll(run, makable, error)
    throw error
  }
}

async function createNewCodes(run: SyncJob, client: StoreClient, rows: readonly sql.DueCode[]): Promise<void> {
  if (rows.length === 0) return
  const answers = (await client.createCoupons(rows.map(buildCodeDraft))).map((made, index) => ({
    row: rows[index]!,
    made,
  }))
  const isTaken = ({ made }: (typeof answers)[number]) => 'refusal' in made && made.refusal === 'duplicate'
  await saveResults(
    run,
    answers.filter((each) => !isTaken(each)).map(({ row, made }) => ({ row, answer: toResult(made) })),
  )
  // One request per code, so the lease is renewed meanwhile.
  for (const { row } of answers.filter(isTaken)) {
    await saveResults(run, [{ row, answer: await resolveDuplicate(run, client, row) }])
    await renewLease(run)
  }
}

const toResult = (made: CouponResult): CodeResult =>
  'coupon' in made ? { platformId: made.coupon.couponId } : { refusal: made.words }

/** If the existing coupon is ours, an earlier answer was lost. Otherwise the next code is used. */
async function resolveDuplicate(run: SyncJob, client: StoreClient, row: sql.DueCode): Promise<CodeResult> {
  const found = await client.couponByCode(row.code, row.currency)
  if (found?.mark !== buildCodeMark(row.message_id)) return takeNextCode(run, row)
  return matchesDraft(found, buildCodeDraft(row))
    ? { platformId: found.couponId }
    : updateCode(run, client, row, found.couponId)
}

async function takeNextCode({ deps, store }: SyncJob, row: sql.DueCode): Promise<CodeResult> {
  for (let derivation = row.derivation + 1; derivation < MAX_DERIVATIONS; derivation += 1) {
    const code = buildCode(deps, store.storeId, row, derivation)
    if (await sql.moveToCode(store, row, { code, derivation, now: deps.now() })) return 'moved'
  }
  return { refusal: 'Every code for this message is taken in the store.' }
}

/** Updates codes whose cart, message or terms have changed. Idempotent. */
async function updateCreated(run: SyncJob, client: StoreClient, rows: readonly sql.DueCode[]): Promise<void> {
  if (rows.length === 0) return
  const changed = await client.updateCoupons(rows.map((row) => ({ id: row.platform_id!, draft: buildChanges(row) })))
  const settled: SettledCode[] = []
  for (const [index, row] of rows.entries()) {
    settled.push({ row, answer: await toChangeResult(run, row, { platformId: row.platform_id!, ...changed[index]! }) })
  }
  await saveResults(run, settled)
}

async function updateCode(
  run: SyncJob,
  client: StoreClient,
  row: sql.DueCode,
  platformId: string,
): Promise<CodeResult> {
  return toChangeResult(run, row, { platformId, ...(await client.updateCoupon(platformId, buildChanges(row))) })
}

function buildChanges(row: sql.DueCode) {
  const { mark: _, code: __, ...changes } = buildCodeDraft(row)
  return changes
}

async function toChangeResult(
  run: SyncJob,
  row: sql.DueCode,
  { platformId, ...changed }: CouponChangeResult & { platformId: string },
): Promise<CodeResult> {
  if ('coupon' in changed) return { platformId }
  if (changed.refusal !== 'gone') return { refusal: changed.words }
  // Deleted in the store: create it again.
  await sql.resetCode(run.store, row)
  return 'moved'
}

/** The key cannot write, or a plugin blocks us: saves the reason with every code and retries later. */
async function refuseAll(run: SyncJob, rows: readonly sql.DueCode[], problem: StoreProblem): Promise<void> {
  const refusal = storeProblemMessage(problem.code, problem.detail)
  await saveResults(
    run,
    rows.map((row) => ({ row, answer: { refusal } })),
  )
}

interface SettledCode {
  row: sql.DueCode
  answer: CodeResult
}

/** Saves the store's answers and wakes the messages that waited for them. */
async function saveResults({ deps, store }: SyncJob, settled: readonly SettledCode[]): Promise<void> {
  if (settled.length === 0) return
  const now = deps.now()
  const made = settled.flatMap(({ row: { message_id, coupon_id }, answer }) =>
    typeof answer === 'object' && 'platformId' in answer
      ? [{ message_id, coupon_id, platform_id: answer.platformId }]
      : [],
  )
  const refused = settled.flatMap(({ row: { message_id, coupon_id, attempts }, answer }) =>
    typeof answer === 'object' && 'refusal' in answer
      ? [{ message_id, coupon_id, refusal: answer.refusal.slice(0, 500), next_try_at: computeRetry(now, attempts + 1) }]
      : [],
  )
  await transact(store as StoreDb<Db>, async (tx) => {
    await sql.markCreated(tx, made, now)
    await sql.markRefused(tx, refused)
    const waiting = [...made, ...refused].map((each) => each.message_id)
    await wakeMessages(tx, waiting, ['coupon_pending', 'coupon_failed'], now)
    await scheduleNextLook(tx)
  })
}
