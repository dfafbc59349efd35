import { type Coupon, type CouponOfStep, capitals, couponsUnreadText, couponTexts } from '../../../shared/coupons.ts'
import { readStore, type StoreRow } from '../../access/stores/store.ts'
import { AppError, requireFound } from '../../core/common/errors.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { describePage, pageWindow } from '../../core/db/paging.ts'
import type { Deps } from '../../deps.ts'
import * as listSql from './list-sql.ts'
import { presentCoupon, presentCouponOfStep } from './present.ts'
import { type CouponRow, readCoupon } from './sql.ts'

// Coupons as members see them, from our copy: no requests to the store.

export interface ListQuery {
  search: string
  usable?: 'yes' | undefined
  page: number
  limit: number
}

export async function listCoupons({ now }: Pick<Deps, 'now'>, store: StoreDb<Db>, wish: ListQuery) {
  const row = await readStore(store)
  if (!row?.is_active) throw new AppError('conflict', couponTexts.noStore)
  const search = capitals(wish.search.trim()).replaceAll('\0', '')
  const personal = parsePersonalCode(search)
  const personalIds = personal ? await listSql.selectPersonalCoupons(store, personal) : []
  const filter = { search, personalIds, usableAt: wish.usable && now() }
  const total = await listSql.countCoupons(store, filter)
  const window = pageWindow(wish, total, true)
  const rows = window ? await listSql.selectCouponPage(store, filter, window) : []
  const reading = await listSql.selectLastRead(store)
  return {
    coupons: await presentCoupons(store, row, rows),
    pagination: describePage(wish, total),
    readAt: reading?.completed_at?.toISOString() ?? null,
    problem: reading?.error_code ? couponsUnreadText(reading.error_code) : null,
    currency: row.currency,
    timeZone: row.time_zone,
    canWrite: row.can_write,
  }
}

/** Parses a personal code as read aloud or listed: CART-7K2M9QXW, cart-7k2m, CART-••••••••. null if it is none. */
function parsePersonalCode(search: string): { beginning: string; code: string } | null {
  const [, beginning, own] = /^(.+)-([A-Z0-9]{0,8}|•{1,8})$/.exec(search.replaceAll(/\s/g, '')) ?? []
  return beginning === undefined ? null : { beginning, code: `${beginning}-${own}` }
}

export async function viewCoupon(store: StoreDb<Db>, id: string): Promise<Coupon> {
  const row = requireFound(await readStore(store), 'Store')
  const [coupon] = await presentCoupons(store, row, [requireFound(await readCoupon(store, id), 'Coupon')])
  return coupon!
}

/** Coupons of flow steps by id, including those deleted in the store. */
export async function loadStepCoupons(store: StoreDb, ids: readonly string[]): Promise<Map<string, CouponOfStep>> {
  if (ids.length === 0) return new Map()
  return new Map((await listSql.selectCouponsById(store, ids)).map((row) => [row.id, presentCouponOfStep(row)]))
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
