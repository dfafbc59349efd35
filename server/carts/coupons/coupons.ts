import { getConnectedProblemMessage } from '../../../shared/access/store-problems.ts'
import { type CouponInput, checkDecimals, couponTexts } from '../../../shared/carts/coupons.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { explainFirewall, isCalling, readPlugin } from '../../access/plugin/public.ts'
import { openStoreClient, readStore, type StoreRow, toAppError, updateStore } from '../../access/stores/public.ts'
import { AppError, createId } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  type CouponChangeResult,
  type CouponDraft,
  type PlatformCoupon,
  type StoreClient,
  StoreProblem,
} from '../../platforms/platform/public.ts'
import { buildListedRow } from './copy.ts'
import { withCoupon } from './lock.ts'
import { buildDraft, buildMark, type CouponValues, isWithheld, parseMark, toCouponValues } from './rules.ts'
import * as sql from './sql.ts'

// Creates, updates and deletes coupons for members. A shared coupon is written to the store first, and the store's
// answer here. After a lost answer the store is queried, so that a repeated request finds what was done.

interface WriteContext {
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'storeClient'>
  store: StoreDb<Db>
  row: StoreRow
}

const hasStart = ({ row }: Pick<WriteContext, 'row'>): boolean => capabilities[row.platform].coupons.startDate

export async function createCoupon(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  input: CouponInput,
): Promise<string> {
  const writing = await openWrite(deps, store, couponTexts.noStoreToCreate)
  const couponValues = parseInput(writing, input)
  if (input.kind === 'personal') return insertPersonal(writing, couponValues)
  return withStoreErrors(writing, couponTexts.createFailed, async (client) => {
    const draft = buildDraft(couponValues, {
      currency: writing.row.currency,
      now: deps.now(),
      hasStart: hasStart(writing),
    })
    const existing = await client.couponByCode(couponValues.code, writing.row.currency)
    const id = existing ? await findUnconfirmed(writing, existing) : createId()
    if (!id) throw createDuplicateError(existing!)
    const saved = existing
      ? unwrapAnswer(await client.updateCoupon(existing.couponId, draft), couponTexts.createFailed)
      : await createInStore(client, { ...draft, mark: buildMark(writing.row.account_id, id) })
    await saveShared(writing, { id, couponValues, coupon: saved })
    return id
  })
}

export async function updateCoupon(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  id: string,
  input: CouponInput,
): Promise<void> {
  const writing = await openWrite(deps, store, couponTexts.noStoreToUpdate)
  const couponValues = parseInput(writing, input)
  await withOwnCoupon(writing, id, (coupon) => writeChange(writing, { coupon, couponValues, input }))
}

interface Change {
  coupon: sql.CouponRow
  couponValues: CouponValues
  input: CouponInput
}

async function writeChange(writing: WriteContext, { coupon, couponValues, input }: Change): Promise<void> {
  const { deps, store } = writing
  const { id } = coupon
  if (input.kind !== coupon.kind) throw createFieldError('kind', couponTexts.kindIsKept)
  if (coupon.kind === 'personal') {
    return transact(store, async (tx) => {
      if (couponValues.code !== coupon.code) await refuseUsedPrefix(tx, couponValues.code, id)
      await sql.updateCoupon(tx, id, { ...couponValues, platform_type: couponValues.type })
    })
  }
  await withStoreErrors(writing, couponTexts.updateFailed, async (client) => {
    const draft = buildDraft(couponValues, {
      currency: writing.row.currency,
      now: deps.now(),
      hasStart: hasStart(writing),
    })
    if (couponValues.code !== coupon.code) {
      const existing = await client.couponByCode(couponValues.code, writing.row.currency)
      if (existing && existing.couponId !== coupon.platform_id) throw createDuplicateError(existing)
    }
    const changed = await updateInStore(client, coupon.platform_id!, draft)
    if ('refusal' in changed && changed.refusal === 'gone') await sql.updateCoupon(store, id, { gone_at: deps.now() })
    await saveShared(writing, { id, couponValues, coupon: unwrapAnswer(changed, couponTexts.updateFailed) })
  })
}

/** Returns the flow steps that used the coupon; they continue without one. Reports keep its figures. */
export async function deleteCoupon(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  id: string,
): Promise<sql.StepRow[]> {
  const writing = await openWrite(deps, store, couponTexts.noStoreToDelete)
  return withOwnCoupon(writing, id, (coupon) => deleteEverywhere(writing, coupon))
}

async function deleteEverywhere(
  writing: WriteContext,
  { id, platform_id: platformId }: sql.CouponRow,
): Promise<sql.StepRow[]> {
  const { deps, store } = writing
  if (platformId !== null) {
    await withStoreErrors(writing, couponTexts.deleteFailed, async (client) => {
      if (!(await deleteInStore(client, platformId, writing.row.currency))) {
        throw new AppError('unprocessable', couponTexts.deleteFailed)
      }
    })
  }
  return transact(store, async (tx) => {
    const at = deps.now()
    // Keeps a listing that began earlier from restoring the coupon.
    await sql.updateCoupon(tx, id, { gone_at: at, seen_at: at })
    return sql.removeFromSteps(tx, id)
  })
}

async function openWrite(deps: WriteContext['deps'], store: StoreDb<Db>, noStore: string): Promise<WriteContext> {
  const row = await readStore(store)
  if (!row?.is_active) throw new AppError('conflict', noStore)
  return { deps, store, row }
}

/** Starting a coupon takes only a moment. */
const LOCK_WAIT_MS = 10_000

async function withOwnCoupon<T>(
  { deps, store }: WriteContext,
  id: string,
  work: (coupon: sql.CouponRow) => Promise<T>,
): Promise<T> {
  const done = await withCoupon(deps, store, { id, waitMs: LOCK_WAIT_MS }, async (coupon) => {
    if (coupon.made_by !== 'recoup') throw new AppError('conflict', couponTexts.notOurs)
    return { answer: await work(coupon) }
  })
  if (done === 'gone') throw new AppError('not_found', couponTexts.badId)
  if (done === 'busy') throw new AppError('conflict', couponTexts.isChanging)
  return done.answer
}

function parseInput({ row }: WriteContext, input: CouponInput): CouponValues {
  const fields = checkDecimals(input, row.currency)
  const [first] = Object.values(fields)
  if (first) throw new AppError('invalid', first, { fields })
  if (input.kind === 'personal' && input.isTiedToEmail && !capabilities[row.platform].coupons.personal) {
    throw createFieldError('isTiedToEmail', couponTexts.noTie)
  }
  return toCouponValues(input, row.currency)
}

const createFieldError = (field: string, text: string) => new AppError('invalid', text, { fields: { [field]: text } })

function createDuplicateError({ isPublished }: PlatformCoupon): AppError {
  const code = isPublished ? couponTexts.duplicate : couponTexts.duplicateDraft
  return new AppError('conflict', code, { fields: { code } })
}

/** Id of our coupon whose creation was never confirmed; null if it is known, or not ours. */
async function findUnconfirmed({ store, row }: WriteContext, existing: PlatformCoupon): Promise<string | null> {
  const id = parseMark(existing.mark, row.account_id)
  if (!id) return null
  const known = await sql.selectKnownCoupons(store, [existing.couponId], [id])
  return known.length === 0 ? id : null
}

async function createInStore(client: StoreClient, draft: CouponDraft): Promise<PlatformCoupon> {
  const created = await retryLostAnswer(
    async () => (await client.createCoupons([draft]))[0]!,
    async () => {
      const found = await client.couponByCode(draft.code, draft.currency)
      return found?.mark === draft.mark ? { coupon: found } : null
    },
  )
  return unwrapAnswer(created, couponTexts.createFailed)
}

function updateInStore(
  client: StoreClient,
  platformId: string,
  draft: Omit<CouponDraft, 'mark'>,
): Promise<CouponChangeResult> {
  return retryLostAnswer<CouponChangeResult>(
    () => client.updateCoupon(platformId, draft),
    // Idempotent, so it is simply repeated.
    () => client.updateCoupon(platformId, draft),
  )
}

async function deleteInStore(client: StoreClient, platformId: string, currency: string): Promise<boolean> {
  return retryLostAnswer(
    async () => (await client.deleteCoupons([platformId])).includes(platformId),
    async () => {
      const { rows, skipped } = await client.couponsById({ ids: [platformId], currency })
      return rows.length + skipped.length === 0 || null
    },
  )
}

/** Errors after which the request may have been executed. */
const MAYBE_DONE = new Set([
  'timeout',
  'unreachable',
  'store_error',
  'bad_answer',
  'shopify_error',
  'shopify_bad_answer',
])

async function retryLostAnswer<T>(ask: () => Promise<T>, findCreated: () => Promise<T | null>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof StoreProblem) || !MAYBE_DONE.has(error.code)) throw error
    const found = await findCreated().catch(() => null)
    if (found === null) throw error
    return found
  }
}

function unwrapAnswer(answer: CouponChangeResult, failed: string): PlatformCoupon {
  if ('coupon' in answer) return answer.coupon
  if (answer.refusal === 'duplicate') {
    throw new AppError('conflict', couponTexts.duplicate, { fields: { code: couponTexts.duplicate } })
  }
  if (answer.refusal === 'gone') throw new AppError('not_found', couponTexts.goneInStore)
  throw new AppError('unprocessable', `${failed}: ${answer.detail}`)
}

/** Saves the store's answer together with what the store does not keep. */
async function saveShared(
  { deps, store, row }: WriteContext,
  { id, couponValues, coupon }: { id: string; couponValues: CouponValues; coupon: PlatformCoupon },
): Promise<void> {
  const at = deps.now()
  const { terms, modified_at, created_at, ...listed } = buildListedRow(deps, coupon, { currency: row.currency, at })
  await transact(store, (tx) =>
    sql.insertCoupon(tx, {
      ...listed,
      ...couponValues,
      id,
      made_by: 'recoup',
      kind: 'shared',
      is_withheld: isWithheld(couponValues, at, hasStart({ row })),
      seen_at: at,
      modified_at: modified_at === null ? null : new Date(modified_at),
      created_at: new Date(created_at),
      terms: JSON.stringify(terms),
    }),
  )
}

async function insertPersonal({ deps, store, row }: WriteContext, couponValues: CouponValues): Promise<string> {
  // Its codes are created in the store later.
  if (!row.can_write) throw new AppError('store_credentials', couponTexts.readOnlyKey)
  const [id, at] = [createId(), deps.now()]
  await transact(store, async (tx) => {
    await refuseUsedPrefix(tx, couponValues.code, id)
    await sql.insertCoupon(tx, {
      ...couponValues,
      id,
      made_by: 'recoup',
      kind: 'personal',
      platform_type: couponValues.type,
      currency: row.currency,
      seen_at: at,
      created_at: at,
    })
  })
  return id
}

async function refuseUsedPrefix(tx: StoreTx, code: string, id: string): Promise<void> {
  if (!(await sql.isPrefixUsed(tx, code, id))) return
  throw new AppError('conflict', couponTexts.duplicatePersonal, { fields: { code: couponTexts.duplicatePersonal } })
}

/** Runs a write and turns the store's errors into sentences. */
async function withStoreErrors<T>(
  writing: WriteContext,
  failed: string,
  work: (client: StoreClient) => Promise<T>,
): Promise<T> {
  const { deps, store } = writing
  try {
    const done = await work(await openStoreClient(deps, store))
    await recordWriteAccess(writing, true)
    return done
  } catch (error) {
    if (!(error instanceof StoreProblem)) throw error
    if (error.code === 'read_only_key') await recordWriteAccess(writing, false)
    deps.log.warn({ storeId: store.storeId, problem: error.code }, 'coupons.not_written')
    const appError = toAppError(error)
    const plugin = await readPlugin(store)
    // Active plugins always call. A firewall may block us if the shop was never reached.
    const isBehindWall = plugin?.is_reached === false && isCalling(plugin, deps.now())
    const atWall = isBehindWall ? explainFirewall(error.code) : undefined
    const sentence =
      error.code === 'read_only_key'
        ? couponTexts.readOnlyKey
        : `${failed}: ${atWall ?? getConnectedProblemMessage(error.code, error.detail)}`
    const { retryAfterS } = appError
    throw new AppError(appError.code, sentence, { cause: error, ...(retryAfterS ? { retryAfterS } : {}) })
  }
}

/** Records whether the key can write, as the screens depend on it. */
async function recordWriteAccess({ deps, store, row }: WriteContext, canWrite: boolean): Promise<void> {
  if (row.can_write === canWrite) return
  await updateStore({ accountId: row.account_id, db: deps.db }, store.storeId, { can_write: canWrite })
}
