import type { Page, Request } from 'playwright-core'
import type { Coupon } from '../../shared/coupons.ts'
import { isUsable } from '../../web/coupons/rules.ts'

// The coupons of a store as the server tells them, made up: what a screen does with them is looked at, not where they come from.

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000
export const EDIT_URL = 'https://shop.example/wp-admin/post.php?post=31&action=edit'

const inMs = (ms: number, now: number) => new Date(now + ms).toISOString()
let made = 0

export function aCoupon(given: Partial<Coupon> = {}, now = Date.now()): Coupon {
  made += 1
  return {
    ...{ _id: `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`, code: 'SUMMER10', currency: 'USD' },
    ...{ type: 'percentage', platformType: 'percent', amount: 10, minSpend: null, maxDiscount: null },
    ...{ startDate: inMs(-DAY_MS, now), endDate: inMs(6 * DAY_MS + 30 * MINUTE_MS, now) },
    ...{ usageLimit: null, usageCount: 0, isActive: true, kind: 'shared', madeBy: 'recoup' },
    ...{ validHours: 72, isTiedToEmail: false, editUrl: null, steps: [] },
    figures: { issued: null, sent: 0, used: 0, orders: 0, netRevenue: 0, discountGiven: 0 },
    ...given,
  }
}

/** One of each that looks different. */
export const someCoupons = (now = Date.now()): Coupon[] => [
  aCoupon(
    {
      ...{ usageLimit: 100, usageCount: 12, minSpend: 50 },
      steps: [{ flowId: '00000000-0000-4000-8000-00000000000f', flowName: 'Abandoned cart reminders', step: 2 }],
      figures: { issued: null, sent: 214, used: 12, orders: 12, netRevenue: 1_840.5, discountGiven: 204.5 },
    },
    now,
  ),
  aCoupon(
    {
      code: 'CART',
      kind: 'personal',
      maxDiscount: 20,
      figures: { issued: 40, sent: 38, used: 5, orders: 5, netRevenue: 400, discountGiven: 51.25 },
    },
    now,
  ),
  aCoupon(
    {
      code: 'WINTER5',
      type: 'fixed',
      platformType: 'fixed_cart',
      amount: 5,
      startDate: inMs(7 * DAY_MS, now),
      endDate: inMs(14 * DAY_MS, now),
    },
    now,
  ),
  aCoupon({ code: 'SPRING15', amount: 15, isActive: false, endDate: inMs(-DAY_MS, now) }, now),
  aCoupon(
    {
      ...{ code: 'FREESHIP', type: 'other', platformType: 'fixed_product', madeBy: 'store', endDate: null },
      ...{ editUrl: EDIT_URL, usageCount: 1_204, minSpend: 25 },
    },
    now,
  ),
]

interface Answer {
  status?: number
  json: object
}

interface Api {
  coupons: Coupon[]
  /** What was asked for and sent, in its order. */
  asked: { method: string; path: string; query: Record<string, string>; body: Record<string, unknown> }[]
  /** Answers in place of what would be. */
  refuse: ((request: Request) => Answer | null) | null
  more: object
}

/** Takes the place of the calls for coupons on this page. */
export async function withCoupons(page: Page, coupons: Coupon[], more: object = {}): Promise<Api> {
  const api: Api = { coupons, asked: [], refuse: null, more }
  await page.route(/\/api\/coupons(\/|\?|$)/, async (route) => {
    const request = route.request()
    const url = new URL(request.url())
    const body = (request.postDataJSON() ?? {}) as Record<string, unknown>
    api.asked.push({ method: request.method(), path: url.pathname, query: Object.fromEntries(url.searchParams), body })
    const { status = 200, json } = api.refuse?.(request) ?? { json: answerOf(api, request.method(), url, body) }
    await route.fulfill({ status, json })
  })
  return api
}

function answerOf(api: Api, method: string, url: URL, body: Record<string, unknown>): object {
  const id = url.pathname.split('/')[3]
  if (method === 'POST') {
    const coupon = aCoupon(body as Partial<Coupon>)
    api.coupons = [coupon, ...api.coupons]
    return { coupon }
  }
  if (method === 'PUT') {
    api.coupons = api.coupons.map((each) => (each._id === id ? { ...each, ...(body as Partial<Coupon>) } : each))
    return { coupon: api.coupons.find(({ _id }) => _id === id) }
  }
  if (method === 'DELETE') {
    const steps = api.coupons.find(({ _id }) => _id === id)?.steps ?? []
    api.coupons = api.coupons.filter(({ _id }) => _id !== id)
    return { success: true, steps }
  }
  return listOf(api, url.searchParams)
}

function listOf({ coupons, more }: Api, query: URLSearchParams): object {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit'))]
  const found = coupons.filter(
    (coupon) =>
      coupon.code.startsWith((query.get('search') ?? '').toUpperCase()) &&
      (query.get('usable') !== 'yes' || isUsable(coupon, Date.now())),
  )
  const pagination = { page, limit, total: found.length, pages: Math.ceil(found.length / limit) }
  return {
    ...{ coupons: found.slice((page - 1) * limit, page * limit), pagination, problem: null, currency: 'USD' },
    ...{ readAt: inMs(-2 * MINUTE_MS, Date.now()), timeZone: 'America/New_York', canWrite: true },
    ...more,
  }
}
