import type {
  CouponChange,
  CouponChangeResult,
  CouponDraft,
  CouponResult,
  PlatformCoupon,
} from '../../server/platforms/platform/coupon.ts'
import type { PlatformOrder, StoreClient } from '../../server/platforms/platform/platform.ts'
import { StoreProblem } from '../../server/platforms/platform/store-problem.ts'
import type { Clock } from './clock.ts'
import type { ActOf } from './harness.ts'
import type { Shop } from './shop.ts'

// Coupons of the scenario's store, and each reply about one.

export interface CouponStock {
  coupons: PlatformCoupon[]
  mood: ActOf<'coupon writes'>['mood']
  answers: CouponAnswer[]
  /** Ids of codes that the store's admin has deleted. */
  deletedByAdmin: Set<string>
  lastId: number
}

/** A reply about one coupon to one process. */
export interface CouponAnswer {
  couponId: string
  by: string | null
  /** The reply to a read; otherwise to a write. */
  isReading: boolean
  /** True time. */
  at: number
  /** A shopper could have used it then, on the engine's clock. */
  isUsable: boolean
}

export const createCouponStock = (): CouponStock => ({
  coupons: [],
  mood: 'answer',
  answers: [],
  deletedByAdmin: new Set(),
  lastId: 100,
})

const SLOW_MS = 20_000
const PATIENCE_MS = 30_000
/** Shorter than the time after which the engine considers a request finished. */
const TOO_LATE_MS = 120_000

type Calls = Pick<
  StoreClient,
  'coupons' | 'couponsById' | 'couponByCode' | 'createCoupons' | 'updateCoupon' | 'updateCoupons' | 'deleteCoupons'
>

/** `by`: the calling process. `isThere`: throws if the store does not reply. */
export function createCouponCalls(
  { couponStock }: Shop,
  clock: Clock,
  by: string | null,
  isThere: () => Promise<void>,
): Calls {
  const recordAnswer = (couponId: string, isReading: boolean) => {
    const coupon = couponStock.coupons.find((each) => each.couponId === couponId)
    const isUsable = coupon !== undefined && isUsableAt(coupon, clock.now().getTime())
    couponStock.answers.push({ couponId, by, isReading, at: clock.trueNow(), isUsable })
    return coupon ? [{ ...coupon }] : []
  }
  /** Performs the write as the store's present mood allows. */
  const write = async <Answer>(work: () => Answer): Promise<Answer> => {
    await isThere()
    if (couponStock.mood === 'are slow') await clock.passTime(SLOW_MS)
    if (couponStock.mood === 'come too late') {
      clock.after(TOO_LATE_MS, async () => void work())
      await clock.passTime(PATIENCE_MS)
      throw new StoreProblem('timeout')
    }
    const done = work()
    if (couponStock.mood === 'lose their answers') throw new StoreProblem('unreachable')
    return done
  }
  const change = ({ id, draft }: CouponChange): CouponChangeResult => {
    if (couponStock.mood === 'are refused') return { refusal: 'refused', detail: 'No coupons today.' }
    const coupon = couponStock.coupons.find(({ couponId }) => couponId === id)
    if (coupon) Object.assign(coupon, buildFields(draft))
    const changed = recordAnswer(id, false)[0]
    return changed ? { coupon: changed } : { refusal: 'gone', detail: 'Invalid ID.' }
  }
  return {
    async *coupons() {
      await isThere()
      const rows = couponStock.coupons.map((coupon) => ({ ...coupon }))
      yield { rows, skipped: [], page: 1, totalPages: 1, isLast: true }
    },
    async couponsById({ ids, signal }) {
      await isThere()
      if (signal?.aborted) throw signal.reason
      return { rows: ids.flatMap((id) => recordAnswer(id, true)), skipped: [] }
    },
    async couponByCode(code) {
      await isThere()
      const found = findByCode(couponStock, code)
      return found ? { ...found } : null
    },
    async createCoupons(drafts) {
      // The store checks for a free code when the request arrives, not when it finishes.
      const wasPublished = drafts.map((draft) => findByCode(couponStock, draft.code)?.isPublished ?? false)
      return write(() =>
        drafts.map((draft, at): CouponResult => {
          if (couponStock.mood === 'are refused') return { refusal: 'refused', detail: 'No coupons today.' }
          if (wasPublished[at]) return { refusal: 'duplicate', detail: 'The coupon code already exists' }
          const coupon = addCoupon(couponStock, draft)
          couponStock.coupons.push(coupon)
          return { coupon: recordAnswer(coupon.couponId, false)[0]! }
        }),
      )
    },
    async updateCoupon(id, draft) {
      return write(() => change({ id, draft }))
    },
    async updateCoupons(changes) {
      return write(() => changes.map(change))
    },
    async deleteCoupons(ids) {
      return write(() => {
        couponStock.coupons = couponStock.coupons.filter(({ couponId }) => !ids.includes(couponId))
        return [...ids]
      })
    },
  }
}

/** Whether a shopper can use it, written independently of the engine. */
export function isUsableAt({ isPublished, expiresAt, usageLimit, usageCount }: PlatformCoupon, at: number): boolean {
  return isPublished && (expiresAt === null || Date.parse(expiresAt) > at) && (!usageLimit || usageCount < usageLimit)
}

/** Prefers a published one. */
export function findByCode({ coupons }: CouponStock, code: string): PlatformCoupon | undefined {
  const some = coupons.filter((each) => each.code === code.toLowerCase())
  return some.find(({ isPublished }) => isPublished) ?? some[0]
}

export function addCoupon(couponStock: CouponStock, draft: CouponDraft): PlatformCoupon {
  couponStock.lastId += 1
  return {
    couponId: String(couponStock.lastId),
    platformType: '',
    percent: null,
    amountMinor: null,
    minSpendMinor: null,
    maxSpendMinor: null,
    expiresAt: null,
    usageLimit: null,
    usageLimitPerUser: null,
    usageCount: 0,
    isPublished: true,
    isIndividual: false,
    excludesSaleItems: false,
    createdAt: null,
    modifiedAt: null,
    limits: NO_LIMITS,
    ...(buildFields(draft) as Pick<PlatformCoupon, 'code' | 'type' | 'mark'>),
  }
}

const NO_LIMITS = {
  productIds: [],
  excludedProductIds: [],
  categoryIds: [],
  excludedCategoryIds: [],
  emails: [],
  items: null,
}

function buildFields({ currency: _, email, code, ...draft }: Partial<CouponDraft>): Partial<PlatformCoupon> {
  return {
    ...draft,
    ...(code !== undefined && { code: code.toLowerCase() }),
    ...(draft.type !== undefined && { platformType: draft.type === 'percentage' ? 'percent' : 'fixed_cart' }),
    ...(email !== undefined && { limits: { ...NO_LIMITS, emails: email === null ? [] : [email] } }),
  }
}

/** The store counts a coupon's use with a purchase, and undoes it with a cancellation. */
export function countUse({ couponStock }: Shop, before: PlatformOrder | undefined, after: PlatformOrder): void {
  const more = Number(after.kind === 'purchase') - Number(before?.kind === 'purchase')
  for (const code of after.coupons) {
    const coupon = findByCode(couponStock, code)
    if (coupon) coupon.usageCount += more
  }
}
