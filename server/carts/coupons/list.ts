import { type Coupon, type CouponOfStep, capitals, couponsUnreadText, couponTexts } from '../../../shared/coupons.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { AppError, found } from '../../core/common/errors.ts'
import { pageWindow, paginationOf } from '../../core/db/paging.ts'
import type { Deps } from '../../deps.ts'
import { readStore, type StoreRow } from '../../access/stores/store.ts'
import * as listSql from './list-sql.ts'
import { presentCoupon, presentCouponOfStep } from './present.ts'
import { type CouponRow, readCoupon } from './sql.ts'

// Coupons as members see them, from the copy: nothing here asks the store.

export interface ListWish {
  search: string
  usable?: 'yes' | undefined
  page: number
  limit: number
}

export async function listCoupons({ now }: Pick<Deps, 'now'>, store: StoreDb<Db>, wish: ListWish) {
  const row = await readStore(store)
  if (!row?.is_active) throw new AppError('conflict', couponTexts.noStore)
  const search = capitals(wish.search.trim()).replaceAll('\0', '')
  const said = personalCode(search)
  const personalIds = said ? await listSql.personalCoupons(store, said) : []
  const filter = { search, personalIds, usableAt: wish.usable && now() }
  const total = await listSql.countCoupons(store, filter)
  const window = pageWindow(wish, total, true)
  const rows = window ? await listSql.pageOfCoupons(store, filter, window) : []
  const reading = await listSql.readingOf(store)
  return {
    coupons: await present(store, row, rows),
    pagination: paginationOf(wish, total),
    readAt: reading?.completed_at?.toISOString() ?? null,
    problem: reading?.error_code ? couponsUnreadText(reading.error_code) : null,
    currency: row.currency,
    timeZone: row.time_zone,
    canWrite: row.can_write,
  }
}

/** As a shopper reads one out, or as the list shows it: CART-7K2M9QXW, cart-7k2m, CART-••••••••. null: no personal code looks so. */
function personalCode(search: string): { beginning: string; code: string } | null {
  const [, beginning, own] = /^(.+)-([A-Z0-9]{0,8}|•{1,8})$/.exec(search.replaceAll(/\s/g, '')) ?? []
  return beginning === undefined ? null : { beginning, code: `${beginning}-${own}` }
}

export async function viewCoupon(store: StoreDb<Db>, id: string): Promise<Coupon> {
  const row = found(await readStore(store), 'Store')
  const [coupon] = await present(store, row, [found(await readCoupon(store, id), 'Coupon')])
  return coupon!
}

/** Of steps of flows, by id; also those deleted in the store meanwhile. */
export async function couponsOfSteps(store: StoreDb, ids: readonly string[]): Promise<Map<string, CouponOfStep>> {
  if (ids.length === 0) return new Map()
  return new Map((await listSql.couponsById(store, ids)).map((row) => [row.id, presentCouponOfStep(row)]))
}

async function present(store: StoreDb<Db>, row: StoreRow, coupons: readonly CouponRow[]): Promise<Coupon[]> {
  const ids = coupons.map(({ id }) => id)
  if (ids.length === 0) return []
  const figures = new Map((await listSql.figuresOf(store, ids)).map((each) => [each.id, each]))
  const steps = Map.groupBy(await listSql.stepsOf(store, ids), (step) => step.coupon_id)
  return coupons.map((coupon) =>
    presentCoupon(coupon, { store: row, figures: figures.get(coupon.id), steps: steps.get(coupon.id) ?? [] }),
  )
}
