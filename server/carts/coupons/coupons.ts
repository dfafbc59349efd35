import { type CouponInput, couponTexts, wrongDecimals } from '../../../shared/coupons.ts'
import { capabilities } from '../../../shared/platforms.ts'
import { connectedProblemMessage } from '../../../shared/store-problems.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import type { Deps } from '../../deps.ts'
import type { CouponChanged, CouponDraft, PlatformCoupon } from '../../platforms/platform/coupon.ts'
import type { StoreClient } from '../../platforms/platform/platform.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { readPlugin } from '../../access/plugin/plugin.ts'
import { behindWallText, isCalling } from '../../access/plugin/rules.ts'
import { storeAccess } from '../../access/stores/access.ts'
import { toAppError } from '../../access/stores/problems.ts'
import { readStore, type StoreRow, updateStore } from '../../access/stores/store.ts'
import { listedRow } from './copy.ts'
import { withCoupon } from './lock.ts'
import { draftOf, isWithheld, markedId, markOf, type Wanted, wantedOf } from './rules.ts'
import * as sql from './sql.ts'

// Coupons made, changed and deleted by members. The store has the last word: a shared coupon is written there first, and its answer here.
// An answer that was lost is looked up in the store, so that whatever is repeated finds what was done.

interface Writing {
  deps: Deps
  store: StoreDb<Db>
  row: StoreRow
}

const hasStart = ({ row }: Pick<Writing, 'row'>): boolean => capabilities[row.platform].coupons.startDate

export async function createCoupon(deps: Deps, store: StoreDb<Db>, input: CouponInput): Promise<string> {
  const writing = await begin(deps, store, couponTexts.noStoreToCreate)
  const wanted = readWanted(writing, input)
  if (input.kind === 'personal') return insertPersonal(writing, wanted)
  return inWords(writing, couponTexts.createFailed, async (client) => {
    const draft = draftOf(wanted, { currency: writing.row.currency, now: deps.now(), hasStart: hasStart(writing) })
    const standing = await client.couponByCode(wanted.code, writing.row.currency)
    const id = standing ? await lostOne(writing, standing) : newId()
    if (!id) throw duplicate(standing!)
    const made = standing
      ? madeOf(await client.updateCoupon(standing.couponId, draft), couponTexts.createFailed)
      : await make(client, { ...draft, mark: markOf(writing.row.account_id, id) })
    await keepShared(writing, { id, wanted, made })
    return id
  })
}

export async function updateCoupon(deps: Deps, store: StoreDb<Db>, id: string, input: CouponInput): Promise<void> {
  const writing = await begin(deps, store, couponTexts.noStoreToUpdate)
  const wanted = readWanted(writing, input)
  await changeOwn(writing, id, (coupon) => writeChange(writing, { coupon, wanted, input }))
}

interface Change {
  coupon: sql.CouponRow
  wanted: Wanted
  input: CouponInput
}

async function writeChange(writing: Writing, { coupon, wanted, input }: Change): Promise<void> {
  const { deps, store } = writing
  const { id } = coupon
  if (input.kind !== coupon.kind) throw wrongField('kind', couponTexts.kindIsKept)
  if (coupon.kind === 'personal') {
    return transact(store, async (tx) => {
      if (wanted.code !== coupon.code) await refuseTaken(tx, wanted.code, id)
      await sql.updateCoupon(tx, id, { ...wanted, platform_type: wanted.type })
    })
  }
  await inWords(writing, couponTexts.updateFailed, async (client) => {
    const draft = draftOf(wanted, { currency: writing.row.currency, now: deps.now(), hasStart: hasStart(writing) })
    if (wanted.code !== coupon.code) {
      const standing = await client.couponByCode(wanted.code, writing.row.currency)
      if (standing && standing.couponId !== coupon.platform_id) throw duplicate(standing)
    }
    const changed = await change(client, coupon.platform_id!, draft)
    if ('refusal' in changed && changed.refusal === 'gone') await sql.updateCoupon(store, id, { gone_at: deps.now() })
    await keepShared(writing, { id, wanted, made: madeOf(changed, couponTexts.updateFailed) })
  })
}

/** Answers the steps of flows that sent it; they go on without a coupon. What it earned stays in the reports. */
export async function deleteCoupon(deps: Deps, store: StoreDb<Db>, id: string): Promise<sql.StepRow[]> {
  const writing = await begin(deps, store, couponTexts.noStoreToDelete)
  return changeOwn(writing, id, (coupon) => takeAway(writing, coupon))
}

async function takeAway(writing: Writing, { id, platform_id: platformId }: sql.CouponRow): Promise<sql.StepRow[]> {
  const { deps, store } = writing
  if (platformId !== null) {
    await inWords(writing, couponTexts.deleteFailed, async (client) => {
      if (!(await remove(client, platformId, writing.row.currency))) {
        throw new AppError('unprocessable', couponTexts.deleteFailed)
      }
    })
  }
  return transact(store, async (tx) => {
    const at = deps.now()
    // A listing that began before does not bring it back.
    await sql.updateCoupon(tx, id, { gone_at: at, seen_at: at })
    return sql.leaveSteps(tx, id)
  })
}

async function begin(deps: Deps, store: StoreDb<Db>, noStore: string): Promise<Writing> {
  const row = await readStore(store)
  if (!row?.is_active) throw new AppError('conflict', noStore)
  return { deps, store, row }
}

/** A start is written in a moment. */
const PATIENCE_MS = 10_000

async function changeOwn<T>(
  { deps, store }: Writing,
  id: string,
  work: (coupon: sql.CouponRow) => Promise<T>,
): Promise<T> {
  const done = await withCoupon(deps, store, { id, waitMs: PATIENCE_MS }, async (coupon) => {
    if (coupon.made_by !== 'recoup') throw new AppError('conflict', couponTexts.notOurs)
    return { answer: await work(coupon) }
  })
  if (done === 'gone') throw new AppError('not_found', couponTexts.badId)
  if (done === 'busy') throw new AppError('conflict', couponTexts.isChanging)
  return done.answer
}

function readWanted({ row }: Writing, input: CouponInput): Wanted {
  const fields = wrongDecimals(input, row.currency)
  const [first] = Object.values(fields)
  if (first) throw new AppError('invalid', first, { fields })
  if (input.kind === 'personal' && input.isTiedToEmail && !capabilities[row.platform].coupons.personal) {
    throw wrongField('isTiedToEmail', couponTexts.noTie)
  }
  return wantedOf(input, row.currency)
}

const wrongField = (field: string, text: string) => new AppError('invalid', text, { fields: { [field]: text } })

function duplicate({ isPublished }: PlatformCoupon): AppError {
  const code = isPublished ? couponTexts.duplicate : couponTexts.duplicateDraft
  return new AppError('conflict', code, { fields: { code } })
}

/** A coupon of ours that the list does not know: its making was never answered. Its id; null: somebody else's, or known. */
async function lostOne({ store, row }: Writing, standing: PlatformCoupon): Promise<string | null> {
  const id = markedId(standing.mark, row.account_id)
  if (!id) return null
  const known = await sql.knownCoupons(store, [standing.couponId], [id])
  return known.length === 0 ? id : null
}

async function make(client: StoreClient, draft: CouponDraft): Promise<PlatformCoupon> {
  const made = await orLookUp(
    async () => (await client.createCoupons([draft]))[0]!,
    async () => {
      const found = await client.couponByCode(draft.code, draft.currency)
      return found?.mark === draft.mark ? { coupon: found } : null
    },
  )
  return madeOf(made, couponTexts.createFailed)
}

function change(client: StoreClient, platformId: string, draft: Omit<CouponDraft, 'mark'>): Promise<CouponChanged> {
  return orLookUp<CouponChanged>(
    () => client.updateCoupon(platformId, draft),
    // Written twice it is the same.
    () => client.updateCoupon(platformId, draft),
  )
}

async function remove(client: StoreClient, platformId: string, currency: string): Promise<boolean> {
  return orLookUp(
    async () => (await client.deleteCoupons([platformId])).includes(platformId),
    async () => {
      const { rows, skipped } = await client.couponsById({ ids: [platformId], currency })
      return rows.length + skipped.length === 0 || null
    },
  )
}

/** What was asked may have been done, though the answer was lost. */
const MAYBE_DONE = new Set([
  ...['timeout', 'unreachable', 'store_error', 'bad_answer'],
  ...['shopify_error', 'shopify_bad_answer'],
])

async function orLookUp<T>(ask: () => Promise<T>, lookUp: () => Promise<T | null>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof StoreProblem) || !MAYBE_DONE.has(error.code)) throw error
    const found = await lookUp().catch(() => null)
    if (found === null) throw error
    return found
  }
}

function madeOf(answer: CouponChanged, failed: string): PlatformCoupon {
  if ('coupon' in answer) return answer.coupon
  if (answer.refusal === 'duplicate') {
    throw new AppError('conflict', couponTexts.duplicate, { fields: { code: couponTexts.duplicate } })
  }
  if (answer.refusal === 'gone') throw new AppError('not_found', couponTexts.goneInStore)
  throw new AppError('unprocessable', `${failed}: ${answer.words}`)
}

/** What the store answered, and what it does not keep. */
async function keepShared(
  { deps, store, row }: Writing,
  { id, wanted, made }: { id: string; wanted: Wanted; made: PlatformCoupon },
): Promise<void> {
  const at = deps.now()
  const { terms, modified_at, created_at, ...listed } = listedRow(deps, made, { currency: row.currency, at })
  await transact(store, (tx) =>
    sql.insertCoupon(tx, {
      ...listed,
      ...wanted,
      ...{ id, made_by: 'recoup', kind: 'shared', is_withheld: isWithheld(wanted, at, hasStart({ row })), seen_at: at },
      ...{ modified_at: modified_at === null ? null : new Date(modified_at), created_at: new Date(created_at) },
      terms: JSON.stringify(terms),
    }),
  )
}

async function insertPersonal({ deps, store, row }: Writing, wanted: Wanted): Promise<string> {
  // Its codes are made in the store later on.
  if (!row.can_write) throw new AppError('store_credentials', couponTexts.readOnlyKey)
  const [id, at] = [newId(), deps.now()]
  await transact(store, async (tx) => {
    await refuseTaken(tx, wanted.code, id)
    await sql.insertCoupon(tx, {
      ...wanted,
      ...{ id, made_by: 'recoup', kind: 'personal', platform_type: wanted.type, currency: row.currency },
      ...{ seen_at: at, created_at: at },
    })
  })
  return id
}

async function refuseTaken(tx: StoreTx, code: string, id: string): Promise<void> {
  if (!(await sql.isBeginningTaken(tx, code, id))) return
  throw new AppError('conflict', couponTexts.duplicatePersonal, { fields: { code: couponTexts.duplicatePersonal } })
}

/** What the store does wrong, in words. */
async function inWords<T>(writing: Writing, failed: string, work: (client: StoreClient) => Promise<T>): Promise<T> {
  const { deps, store } = writing
  try {
    const done = await work(await storeAccess(deps, store))
    await noteRights(writing, true)
    return done
  } catch (error) {
    if (!(error instanceof StoreProblem)) throw error
    if (error.code === 'read_only_key') await noteRights(writing, false)
    deps.log.warn({ storeId: store.storeId, problem: error.code }, 'coupons.not_written')
    const told = toAppError(error)
    const plugin = await readPlugin(store)
    // Every shop with the plugin calls. A firewall may keep us from one that has never been reached.
    const isBehindWall = plugin?.is_reached === false && isCalling(plugin, deps.now())
    const atWall = isBehindWall ? behindWallText(error.code) : undefined
    const words =
      error.code === 'read_only_key'
        ? couponTexts.readOnlyKey
        : `${failed}: ${atWall ?? connectedProblemMessage(error.code, error.detail)}`
    const { retryAfterS } = told
    throw new AppError(told.code, words, { cause: error, ...(retryAfterS ? { retryAfterS } : {}) })
  }
}

/** What a write has shown about the key: the screens offer what it may do. */
async function noteRights({ deps, store, row }: Writing, canWrite: boolean): Promise<void> {
  if (row.can_write === canWrite) return
  await updateStore({ accountId: row.account_id, db: deps.db }, store.storeId, { can_write: canWrite })
}
