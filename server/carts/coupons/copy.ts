import { capitals } from '../../../shared/coupons.ts'
import type { StoreDb } from '../../core/db/db.ts'
import { newId } from '../../core/common/ids.ts'
import type { Deps } from '../../deps.ts'
import type { PlatformCoupon } from '../../platforms/platform/coupon.ts'
import type { Page } from '../../platforms/platform/platform.ts'
import { isOfMessage, markedId, termsOf } from './rules.ts'
import * as sql from './sql.ts'

// The copy of a store's coupons (decision 30), as readings of the store fill it. Codes made for single messages are not in it.

export { countInStore } from './sql.ts'

interface Of {
  accountId: string
  currency: string
  /** When the reading began: what is known from later stays. */
  at: Date
}

/** A page of a listing. */
export async function keepPage(
  deps: Deps,
  store: StoreDb,
  { rows, skipped }: Pick<Page<PlatformCoupon>, 'rows' | 'skipped'>,
  of: Of,
): Promise<void> {
  const coupons = rows.filter((coupon) => !isOfMessage(coupon))
  await sql.upsertListed(store, await listedRows(deps, store, coupons, of), of.at, deps.now())
  const unread = skipped.flatMap(({ id }) => (id ? [id] : []))
  if (unread.length > 0) await sql.markSeen(store, unread, of.at)
}

/** Known by the store's id, or by what we wrote into it when it was made. A copy of ours, made in the store, is the store's own. */
async function listedRows(deps: Deps, store: StoreDb, coupons: readonly PlatformCoupon[], of: Of) {
  const marks = coupons.flatMap(({ mark }) => markedId(mark, of.accountId) ?? [])
  const known = await sql.knownCoupons(
    store,
    coupons.map(({ couponId }) => couponId),
    marks,
  )
  const byPlatform = new Map(known.map((row) => [row.platform_id, row.id]))
  const taken = new Set(known.map(({ id }) => id))
  const rows = new Map<string, sql.ListedRow>()
  for (const coupon of coupons) {
    const marked = markedId(coupon.mark, of.accountId)
    const isNew = marked !== null && !taken.has(marked)
    if (isNew) taken.add(marked)
    const id = byPlatform.get(coupon.couponId) ?? (isNew ? marked : newId())
    rows.set(coupon.couponId, { ...listedRow(deps, coupon, of), id, made_by: id === marked ? 'recoup' : 'store' })
  }
  return [...rows.values()]
}

export function listedRow({ secrets }: Deps, coupon: PlatformCoupon, { currency, at }: Omit<Of, 'accountId'>) {
  return {
    platform_id: coupon.couponId,
    code: capitals(coupon.code.replaceAll('\0', '').toWellFormed()),
    type: coupon.type,
    platform_type: coupon.platformType,
    percent: coupon.percent,
    amount_minor: coupon.amountMinor,
    currency,
    min_spend_minor: coupon.minSpendMinor,
    max_spend_minor: coupon.maxSpendMinor,
    ends_at: coupon.expiresAt,
    usage_limit: coupon.usageLimit,
    usage_count: coupon.usageCount,
    is_active: coupon.isPublished,
    terms: termsOf(coupon, secrets.addressHash),
    modified_at: coupon.modifiedAt,
    created_at: coupon.createdAt ?? at.toISOString(),
  }
}

/** After a listing read from its first page to its last, in one run. */
export async function closeUnseen(deps: Deps, store: StoreDb, seenBefore: Date): Promise<void> {
  const ours = await sql.closeUnseen(store, seenBefore, deps.now())
  if (ours.length > 0) deps.log.warn({ storeId: store.storeId, coupons: ours }, 'coupons.gone')
}
