import type { Page } from 'playwright-core'
import {
  type Coupon,
  type CouponInput,
  createCoupon,
  deleteCoupon,
  listCoupons,
  updateCoupon,
} from '../shared/carts/coupons.ts'
import { buildCoupon as couponAt, DAY_MS, MINUTE_MS } from '../test/coupon-fixtures.ts'
import { isUsable } from '../web/kits/coupons/rules.ts'
import type { Api, FakeAnswer } from './api.ts'
import { NOW } from './app.ts'

// Coupons in every state that looks different, and a stateful mock of the server.

export { DAY_MS, MINUTE_MS }
export const EDIT_URL = 'https://shop.example/wp-admin/post.php?post=31&action=edit'

/** Time since the screen was opened. */
export const addTime = (ms: number) => new Date(NOW.getTime() + ms).toISOString()

export const buildCoupon = (changes?: Partial<Coupon>) => couponAt(changes, NOW.getTime())

/** Shared, personal, not started, expired and inactive, and created in the store. */
export const buildCoupons = (): Coupon[] => [
  buildCoupon({
    usageLimit: 100,
    usageCount: 12,
    minSpend: 50,
    steps: [{ flowId: '00000000-0000-4000-8000-00000000000f', flowName: 'Abandoned cart reminders', step: 2 }],
    figures: { issued: null, sent: 214, used: 12, orders: 12, netRevenue: 1_840.5, discountGiven: 204.5 },
  }),
  buildCoupon({
    code: 'CART',
    kind: 'personal',
    maxDiscount: 20,
    figures: { issued: 40, sent: 38, used: 5, orders: 5, netRevenue: 400, discountGiven: 51.25 },
  }),
  buildCoupon({
    code: 'WINTER5',
    type: 'fixed',
    platformType: 'fixed_cart',
    amount: 5,
    startDate: addTime(7 * DAY_MS),
    endDate: addTime(14 * DAY_MS),
  }),
  buildCoupon({ code: 'SPRING15', amount: 15, isActive: false, endDate: addTime(-DAY_MS) }),
  buildCoupon({
    code: 'FREESHIP',
    type: 'other',
    platformType: 'fixed_product',
    madeBy: 'store',
    endDate: null,
    editUrl: EDIT_URL,
    usageCount: 1_204,
    minSpend: 25,
  }),
]

type List = Exclude<FakeAnswer<typeof listCoupons>, (...given: never) => unknown>

export interface CouponServer {
  coupons: Coupon[]
  /** Differing parts of the list's reply. */
  list: Partial<List>
}

/** Replies to all coupon calls as a server with these coupons. */
export function serveCoupons(api: Api, coupons = buildCoupons(), list: Partial<List> = {}): CouponServer {
  const server: CouponServer = { coupons, list }
  api.answer(listCoupons, ({ query }) => buildPage(server, query))
  api.answer(createCoupon, ({ body }) => {
    const coupon = buildCoupon(buildFields(body))
    server.coupons = [coupon, ...server.coupons]
    return { coupon }
  })
  api.answer(updateCoupon, ({ params: { id }, body }) => {
    server.coupons = server.coupons.map((each) => (each._id === id ? { ...each, ...buildFields(body) } : each))
    return { coupon: server.coupons.find(({ _id }) => _id === id)! }
  })
  api.answer(deleteCoupon, ({ params: { id } }) => {
    const steps = server.coupons.find(({ _id }) => _id === id)?.steps ?? []
    server.coupons = server.coupons.filter(({ _id }) => _id !== id)
    return { success: true as const, steps }
  })
  return server
}

const buildFields = ({ platform: _, storeId: __, minSpend, maxDiscount, usageLimit, ...body }: CouponInput) => ({
  ...body,
  minSpend: minSpend ?? null,
  maxDiscount: maxDiscount ?? null,
  usageLimit: usageLimit ?? null,
})

function buildPage(
  { coupons, list }: CouponServer,
  query: { page: number; limit: number; search: string; usable?: 'yes' | undefined },
): List {
  const { page, limit, search, usable } = query
  const found = coupons.filter(
    (coupon) => coupon.code.startsWith(search.toUpperCase()) && (!usable || isUsable(coupon, NOW.getTime())),
  )
  return {
    coupons: found.slice((page - 1) * limit, page * limit),
    pagination: { page, limit, total: found.length, pages: Math.ceil(found.length / limit) },
    problem: null,
    currency: 'USD',
    readAt: addTime(-2 * MINUTE_MS),
    timeZone: 'America/New_York',
    canWrite: true,
    ...list,
  }
}

export const findRow = (page: Page, code: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name: code, exact: true }) })

/** The banner titled Error. */
export const findError = (page: Page) => page.getByRole('alert').filter({ hasText: 'Error' })
