import { toCapitals } from '../../../shared/carts/coupons.ts'
import { createId } from '../../core/common/public.ts'
import type { StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { Page, PlatformCoupon } from '../../platforms/platform/public.ts'
import { buildTerms, isMessageCode, parseMark } from './rules.ts'
import * as sql from './sql.ts'

// Updates our copy of the store's coupons (decision 30). Personal codes are not part of it.

interface ReadContext {
  accountId: string
  currency: string
  /** Start of the read. Newer data is kept. */
  at: Date
}

/** Saves one page of a listing. */
export async function saveCouponPage(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb,
  { rows, skipped }: Pick<Page<PlatformCoupon>, 'rows' | 'skipped'>,
  of: ReadContext,
): Promise<void> {
  const coupons = rows.filter((coupon) => !isMessageCode(coupon))
  await sql.upsertListed(store, await buildListedRows(deps, store, coupons, of), of.at, deps.now())
  const unread = skipped.flatMap(({ id }) => (id ? [id] : []))
  if (unread.length > 0) await sql.markRead(store, unread, of.at)
}

/**
 * Finds coupons by the store's id, or by our mark for one created here. A copy made in the store belongs to the store.
 */
async function buildListedRows(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb,
  coupons: readonly PlatformCoupon[],
  of: ReadContext,
) {
  const marks = coupons.flatMap(({ mark }) => parseMark(mark, of.accountId) ?? [])
  const known = await sql.selectKnownCoupons(
    store,
    coupons.map(({ couponId }) => couponId),
    marks,
  )
  const byPlatform = new Map(known.map((row) => [row.platform_id, row.id]))
  const knownIds = new Set(known.map(({ id }) => id))
  const rows = new Map<string, sql.ListedRow>()
  for (const coupon of coupons) {
    const marked = parseMark(coupon.mark, of.accountId)
    const isNew = marked !== null && !knownIds.has(marked)
    if (isNew) knownIds.add(marked)
    const id = byPlatform.get(coupon.couponId) ?? (isNew ? marked : createId())
    rows.set(coupon.couponId, { ...buildListedRow(deps, coupon, of), id, made_by: id === marked ? 'recoup' : 'store' })
  }
  return [...rows.values()]
}

export function buildListedRow(
  { secrets }: Pick<Deps, 'secrets'>,
  coupon: PlatformCoupon,
  { currency, at }: Omit<ReadContext, 'accountId'>,
) {
  return {
    platform_id: coupon.couponId,
    code: toCapitals(coupon.code.replaceAll('\0', '').toWellFormed()),
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
    terms: buildTerms(coupon, secrets.addressHash),
    modified_at: coupon.modifiedAt,
    created_at: coupon.createdAt ?? at.toISOString(),
  }
}

/** Call after a complete listing in one run. */
export async function closeUnseenCoupons(
  deps: Pick<Deps, 'log' | 'now'>,
  store: StoreDb,
  readBefore: Date,
): Promise<void> {
  const ours = await sql.closeUnseen(store, readBefore, deps.now())
  if (ours.length > 0) deps.log.warn({ storeId: store.storeId, coupons: ours }, 'coupons.gone')
}
