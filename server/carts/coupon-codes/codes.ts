import type { z } from 'zod'
import { storeProblemMessage } from '../../../shared/store-problems.ts'
import { storeAccess } from '../../access/stores/access.ts'
import { after, isForOwner } from '../../access/stores/rules.ts'
import { inPlace, type StepAside } from '../../core/common/seats.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook, wakeMessages } from '../../messages/messages/messages.ts'
import type { CouponChanged, CouponMade } from '../../platforms/platform/coupon.ts'
import type { StoreClient } from '../../platforms/platform/platform.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { renewLease, runSyncJob, type SyncJob, type SyncResult } from '../sync/sync-jobs.ts'
import { codesJob } from './codes-jobs.ts'
import { cappedAmount, codeOf, draftOf, isAsWanted, lookAgainAt, markOf, problemOf, retryAt } from './codes-rules.ts'
import * as sql from './codes-sql.ts'

// Personal codes (decisions 33 and 34), made in the store before their messages leave. A row is written first, so that whatever happens
// between the store's answer and ours, the next run finds what stands there: by its code, and by our mark on it.

const AHEAD_MS = 15 * 60_000
/** What a store takes at once. */
const BATCH = 100
/** Codes of others in a row, at 1 in 150,000,000,000. */
const MOST_DERIVATIONS = 20

/** Tick: wakes one job per store that has codes to make. */
export async function enqueueDueCodes(deps: Deps): Promise<void> {
  const now = deps.now()
  for (const storeId of await sql.storesNeedingCodes(deps.db, { now, horizon: after(now, AHEAD_MS) })) {
    await deps.jobs.enqueue(deps.db, codesJob, { storeId }, storeId)
  }
}

/** Of these messages, those that will not go until then, or not with a code, as far as it is known now (server/delivery/send/needless-codes.ts). */
export type FindNeedless = (
  deps: Deps,
  store: StoreDb<Db>,
  messages: readonly { id: string; wakeAt: Date }[],
  until: Date,
) => Promise<Set<string>>

/**
 * Job. One run per store at a time; those due first are made first. A store that is away is left alone for a while. What nobody will get as
 * things stand is not made; it is looked at again in a minute, and when its message is due.
 */
export function makeCodes(
  deps: Deps,
  { storeId }: z.infer<typeof codesJob.payload>,
  findNeedless: FindNeedless,
  stepAside: StepAside = inPlace,
): Promise<SyncResult> {
  return runSyncJob(deps, { storeId, stream: 'coupon_codes' }, async (run) => {
    if (await sql.isAtRest(run.store)) return { rowsSeen: 0 }
    let client: StoreClient | undefined
    let rowsSeen = 0
    for (;;) {
      const { batch, isEnd } = await takeBatch(run, findNeedless)
      if (isEnd) return { rowsSeen }
      if (batch.length === 0) continue
      client ??= await storeAccess(deps, run.store, stepAside)
      await makeBatch(run, client, batch)
      rowsSeen += batch.length
      await renewLease(run)
    }
  })
}

/** The next codes to ask the store for, each with a row that says so. One whose terms are edited meanwhile is taken up again. */
async function takeBatch(
  { deps, store }: SyncJob,
  findNeedless: FindNeedless,
): Promise<{ batch: sql.DueCode[]; isEnd: boolean }> {
  const now = deps.now()
  const ahead = { now, horizon: after(now, AHEAD_MS) }
  // Looked at before the transaction: it reads a snapshot of its own.
  const asked = (await sql.dueCodes(store, ahead, BATCH)).filter(isUnknownToStore)
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
    await sql.holdTerms(tx)
    const due = await sql.dueCodes(tx, ahead, BATCH)
    const isNeedless = (row: sql.DueCode) => isUnknownToStore(row) && needless.has(row.message_id)
    const wanted = due.filter((row) => !isNeedless(row))
    const spared = due.filter(isNeedless)
    const sparedRows = [...spared.filter((row) => row.is_known), ...(await insertNew(deps, tx, spared, now))]
    await sql.putOff(
      tx,
      sparedRows.map(({ message_id, coupon_id, wake_at }) => {
        return { message_id, coupon_id, next_try_at: lookAgainAt(wake_at, now) }
      }),
    )
    const rows = [...wanted.filter((row) => row.is_known), ...(await insertNew(deps, tx, wanted, now))]
    await sql.noteAsked(
      tx,
      rows.map((row) => ({
        message_id: row.message_id,
        coupon_id: row.coupon_id,
        amount_minor: cappedAmount(row),
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

/** What it has been asked for may stand there, and is brought in line. */
const isUnknownToStore = ({ platform_id, attempts }: sql.DueCode): boolean => platform_id === null && attempts === 0

async function insertNew(deps: Deps, tx: Parameters<typeof sql.insertCodes>[0], due: sql.DueCode[], now: Date) {
  let waiting = due.filter((row) => !row.is_known)
  const done: sql.DueCode[] = []
  for (let derivation = 0; waiting.length > 0 && derivation < MOST_DERIVATIONS; derivation += 1) {
    const tried = waiting.map((row) => ({ ...row, derivation, code: codeFor(deps, tx.storeId, row, derivation) }))
    const taken = await sql.insertCodes(tx, tried.map(newRow), now)
    done.push(...tried.filter((row) => taken.has(row.message_id)))
    waiting = waiting.filter((row) => !taken.has(row.message_id))
  }
  return done
}

const codeFor = (deps: Deps, storeId: string, row: sql.DueCode, derivation: number) =>
  codeOf(deps.secrets, { storeId, messageId: row.message_id, couponId: row.coupon_id, prefix: row.prefix }, derivation)

const newRow = (row: sql.DueCode): sql.NewCode => ({
  message_id: row.message_id,
  coupon_id: row.coupon_id,
  shopper_id: row.shopper_id,
  cart_id: row.cart_id,
  code: row.code,
  derivation: row.derivation,
  terms: row.wanted_terms,
  expires_at: row.wanted_expires_at,
})

/** What came of one code. `moved`: it has another code now and is taken up again. */
type Answer = { platformId: string } | { refusal: string } | 'moved'

async function makeBatch(run: SyncJob, client: StoreClient, batch: readonly sql.DueCode[]): Promise<void> {
  const impossible = batch.flatMap((row) => {
    const refusal = problemOf(row)
    return refusal ? [{ row, answer: { refusal } }] : []
  })
  await settle(run, impossible)
  const makable = batch.filter((row) => problemOf(row) === null)
  try {
    await makeNew(
      run,
      client,
      makable.filter((row) => row.platform_id === null),
    )
    await changeMade(
      run,
      client,
      makable.filter((row) => row.platform_id !== null),
    )
  } catch (error) {
    if (error instanceof StoreProblem && isForOwner(error.code)) await refuseAll(run, makable, error)
    throw error
  }
}

async function makeNew(run: SyncJob, client: StoreClient, rows: readonly sql.DueCode[]): Promise<void> {
  if (rows.length === 0) return
  const answers = (await client.createCoupons(rows.map(draftOf))).map((made, index) => ({ row: rows[index]!, made }))
  const isTaken = ({ made }: (typeof answers)[number]) => 'refusal' in made && made.refusal === 'duplicate'
  await settle(
    run,
    answers.filter((each) => !isTaken(each)).map(({ row, made }) => ({ row, answer: answerOf(made) })),
  )
  // One question to the store each: the lease lives on meanwhile.
  for (const { row } of answers.filter(isTaken)) {
    await settle(run, [{ row, answer: await resolveDuplicate(run, client, row) }])
    await renewLease(run)
  }
}

const answerOf = (made: CouponMade): Answer =>
  'coupon' in made ? { platformId: made.coupon.couponId } : { refusal: made.words }

/** Ours: an earlier try was carried out and its answer lost. Somebody else's: the next code. */
async function resolveDuplicate(run: SyncJob, client: StoreClient, row: sql.DueCode): Promise<Answer> {
  const found = await client.couponByCode(row.code, row.currency)
  if (found?.mark !== markOf(row.message_id)) return takeNextCode(run, row)
  return isAsWanted(found, draftOf(row)) ? { platformId: found.couponId } : change(run, client, row, found.couponId)
}

async function takeNextCode({ deps, store }: SyncJob, row: sql.DueCode): Promise<Answer> {
  for (let derivation = row.derivation + 1; derivation < MOST_DERIVATIONS; derivation += 1) {
    const code = codeFor(deps, store.storeId, row, derivation)
    if (await sql.moveToCode(store, row, { code, derivation, now: deps.now() })) return 'moved'
  }
  return { refusal: 'Every code for this message is taken in the store.' }
}

/** The cart, the message or the coupon's terms are others than those they were made for. Written twice they are the same. */
async function changeMade(run: SyncJob, client: StoreClient, rows: readonly sql.DueCode[]): Promise<void> {
  if (rows.length === 0) return
  const changed = await client.updateCoupons(rows.map((row) => ({ id: row.platform_id!, draft: changesOf(row) })))
  const settled: Settled[] = []
  for (const [index, row] of rows.entries()) {
    settled.push({ row, answer: await answerOfChange(run, row, { platformId: row.platform_id!, ...changed[index]! }) })
  }
  await settle(run, settled)
}

async function change(run: SyncJob, client: StoreClient, row: sql.DueCode, platformId: string): Promise<Answer> {
  return answerOfChange(run, row, { platformId, ...(await client.updateCoupon(platformId, changesOf(row))) })
}

function changesOf(row: sql.DueCode) {
  const { mark: _, code: __, ...changes } = draftOf(row)
  return changes
}

async function answerOfChange(
  run: SyncJob,
  row: sql.DueCode,
  { platformId, ...changed }: CouponChanged & { platformId: string },
): Promise<Answer> {
  if ('coupon' in changed) return { platformId }
  if (changed.refusal !== 'gone') return { refusal: changed.words }
  // Somebody has deleted it in the store: it is made again.
  await sql.forgetMade(run.store, row)
  return 'moved'
}

/** A key that may not write, a plugin that blocks: the words are kept with every code, and the store is asked again later. */
async function refuseAll(run: SyncJob, rows: readonly sql.DueCode[], problem: StoreProblem): Promise<void> {
  const refusal = storeProblemMessage(problem.code, problem.detail)
  await settle(
    run,
    rows.map((row) => ({ row, answer: { refusal } })),
  )
}

interface Settled {
  row: sql.DueCode
  answer: Answer
}

/** Writes down what the store said, and wakes the messages that waited for it. */
async function settle({ deps, store }: SyncJob, settled: readonly Settled[]): Promise<void> {
  if (settled.length === 0) return
  const now = deps.now()
  const made = settled.flatMap(({ row: { message_id, coupon_id }, answer }) =>
    typeof answer === 'object' && 'platformId' in answer
      ? [{ message_id, coupon_id, platform_id: answer.platformId }]
      : [],
  )
  const refused = settled.flatMap(({ row: { message_id, coupon_id, attempts }, answer }) =>
    typeof answer === 'object' && 'refusal' in answer
      ? [{ message_id, coupon_id, refusal: answer.refusal.slice(0, 500), next_try_at: retryAt(now, attempts + 1) }]
      : [],
  )
  await transact(store as StoreDb<Db>, async (tx) => {
    await sql.noteMade(tx, made, now)
    await sql.noteRefused(tx, refused)
    const waiting = [...made, ...refused].map((each) => each.message_id)
    await wakeMessages(tx, waiting, ['coupon_pending', 'coupon_failed'], now)
    await scheduleNextLook(tx)
  })
}
