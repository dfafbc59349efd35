import {
  type Coupon,
  couponTexts,
  type FlowStepCoupon,
  getCouponReadErrorText,
  toCapitals,
} from '../../../shared/carts/coupons.ts'
import { readStore, type StoreRow } from '../../access/stores/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type Db, describePage, findPageWindow, type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { PlatformName } from '../../platforms/platform/public.ts'
import { findPlatform } from '../../platforms/registry/public.ts'
import type { FiguresRow } from './list-sql.ts'
import * as listSql from './list-sql.ts'
import { presentStep } from './present.ts'
import { toDecimal } from './rules.ts'
import type { StepRow } from './sql.ts'
import { type CouponRow, readCoupon } from './sql.ts'

// Coupons as members see them, from our copy: no requests to the store.

export interface ListQuery {
  search: string
  usable?: 'yes' | undefined
  page: number
  limit: number
}

export async function listCoupons({ now }: Pick<Deps, 'now'>, store: StoreDb<Db>, query: ListQuery) {
  const row = await readStore(store)
  if (!row?.is_active) throw new AppError('conflict', couponTexts.noStore)
  const search = toCapitals(query.search.trim()).replaceAll('\0', '')
  const personal = parsePersonalCode(search)
  const personalIds = personal ? await selectPersonalCoupons(store, personal) : []
  const filter = { search, personalIds, usableAt: query.usable && now() }
  const total = await listSql.countCoupons(store, filter)
  const window = findPageWindow(query, total, true)
  const rows = window ? await listSql.selectCouponPage(store, filter, window) : []
  const reading = await selectLastRead(store)
  return {
    coupons: await presentCoupons(store, row, rows),
    pagination: describePage(query, total),
    readAt: reading?.completed_at?.toISOString() ?? null,
    problem: reading?.error_code ? getCouponReadErrorText(reading.error_code) : null,
    currency: row.currency,
    timeZone: row.time_zone,
    canWrite: row.can_write,
  }
}

/** Parses a personal code: CART-7K2M9QXW, its start CART-7K2M, or CART-••••••••. null: it cannot be a personal code. */
function parsePersonalCode(search: string): { prefix: string; code: string } | null {
  const [, prefix, suffix] = /^(.+)-([A-Z0-9]{0,8}|•{1,8})$/.exec(search.replaceAll(/\s/g, '')) ?? []
  return prefix === undefined ? null : { prefix, code: `${prefix}-${suffix}` }
}

export async function viewCoupon(store: StoreDb<Db>, id: string): Promise<Coupon> {
  const row = requireFound(await readStore(store), 'Store')
  const [coupon] = await presentCoupons(store, row, [requireFound(await readCoupon(store, id), 'Coupon')])
  return coupon!
}

/** Coupons of flow steps by id, including those deleted in the store. */
export async function loadStepCoupons(store: StoreDb, ids: readonly string[]): Promise<Map<string, FlowStepCoupon>> {
  if (ids.length === 0) return new Map()
  return new Map((await selectCouponsById(store, ids)).map((row) => [row.id, presentFlowStepCoupon(row)]))
}

async function presentCoupons(store: StoreDb<Db>, row: StoreRow, coupons: readonly CouponRow[]): Promise<Coupon[]> {
  const ids = coupons.map(({ id }) => id)
  if (ids.length === 0) return []
  const figures = new Map((await listSql.selectFigures(store, ids)).map((each) => [each.id, each]))
  const steps = Map.groupBy(await listSql.selectSteps(store, ids), (step) => step.coupon_id)
  return coupons.map((coupon) =>
    presentCoupon(coupon, { store: row, figures: figures.get(coupon.id), steps: steps.get(coupon.id) ?? [] }),
  )
}

/** Personal coupons whose prefix matches, and the coupon of exactly this code. */
async function selectPersonalCoupons(
  { db, storeId }: StoreDb,
  { prefix, code }: { prefix: string; code: string },
): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select c.id from coupons c where c.store_id = ${storeId} and c.code collate "C" = ${prefix} and c.kind = 'personal'
    union
    select k.coupon_id from coupon_codes k where k.store_id = ${storeId} and k.code = ${code}`.execute(db)
  return rows.rows.map(({ id }) => id)
}

/** Includes deleted coupons. */
function selectCouponsById({ db, storeId }: StoreDb, ids: readonly string[]): Promise<CouponRow[]> {
  return db
    .selectFrom('coupons')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', 'in', [...ids])
    .execute()
}

/** Time and error of the last read of coupons. */
function selectLastRead({ db, storeId }: StoreDb) {
  return db
    .selectFrom('sync_state')
    .select(['completed_at', 'error_code'])
    .where('store_id', '=', storeId)
    .where('stream', '=', 'coupons')
    .executeTakeFirst()
}

interface CouponContext {
  store: { platform: PlatformName; url: string; home_url: string }
  figures: FiguresRow | undefined
  steps: readonly StepRow[]
}

function presentCoupon(row: CouponRow, { store, figures, steps }: CouponContext): Coupon {
  const isShared = row.kind === 'shared'
  const usageCount = isShared ? row.usage_count : (figures?.used_codes ?? 0)
  return {
    ...presentTerms(row),
    usageCount,
    validHours: row.valid_hours,
    isTiedToEmail: row.is_tied_to_email,
    editUrl:
      row.made_by === 'store' && row.platform_id
        ? findPlatform(store.platform).couponUrl({ storeUrl: store.url, homeUrl: store.home_url }, row.platform_id)
        : null,
    steps: steps.map(presentStep),
    figures: {
      issued: isShared ? null : (figures?.issued ?? 0),
      sent: figures?.sent ?? 0,
      used: usageCount,
      orders: figures?.orders ?? 0,
      netRevenue: toDecimal(figures?.net_minor ?? 0, row.currency),
      discountGiven: toDecimal(figures?.discount_minor ?? 0, row.currency),
    },
  }
}

const presentFlowStepCoupon = (row: CouponRow): FlowStepCoupon => ({
  ...presentTerms(row),
  usageCount: row.usage_count,
  isGone: row.gone_at !== null,
})

function presentTerms(row: CouponRow) {
  const money = (minor: number | null) => (minor === null ? null : toDecimal(minor, row.currency))
  return {
    _id: row.id,
    code: row.code,
    type: row.type,
    platformType: row.platform_type,
    amount: row.percent === null ? (money(row.amount_minor) ?? 0) : row.percent / 100,
    minSpend: money(row.min_spend_minor),
    maxDiscount: money(row.max_discount_minor),
    startDate: (row.starts_at ?? row.created_at).toISOString(),
    endDate: row.ends_at?.toISOString() ?? null,
    usageLimit: row.usage_limit,
    isActive: row.is_active && row.terms.isPublished !== false,
    kind: row.kind,
    madeBy: row.made_by,
    currency: row.currency,
  }
}
