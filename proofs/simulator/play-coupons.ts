import type pg from 'pg'
import { createCodes, enqueueDueCodes } from '../../server/carts/coupon-codes/codes.ts'
import { deleteUnneededCodes } from '../../server/carts/coupon-codes/codes-tidy.ts'
import { createId } from '../../server/core/common/ids.ts'
import { findUnneededCodes } from '../../server/delivery/send/needless-codes.ts'
import type { Deps } from '../../server/deps.ts'
import type { PlatformCoupon } from '../../server/platforms/platform/coupon.ts'
import type { Actor } from './actors.ts'
import type { CouponAct } from './coupons.ts'
import type { Fixture } from './fixture.ts'
import type { ActOf, Harness } from './harness.ts'
import { addCoupon, findByCode, isUsableAt } from './shop-coupons.ts'

// Coupons of the flow's steps, in the store's admin, and in orders of shoppers and their friends.

type Players = { [Kind in CouponAct['do']]: (harness: Harness, act: ActOf<Kind>) => Promise<unknown> }
type FindWorker = (harness: Harness, worker: number) => Promise<Actor>

export const couponPlayers = (findWorker: FindWorker): Players => ({
  async coupon({ shop, clock }, { step, change }) {
    const { couponStock } = shop
    const code = buildStepCode(step)
    const coupon = findByCode(couponStock, code)
    if (change === 'deleted') couponStock.deletedByAdmin.add(code)
    if (change === 'deleted') couponStock.coupons = couponStock.coupons.filter((each) => each !== coupon)
    if (!coupon) return
    const at = new Date(clock.trueNow()).toISOString()
    if (change === 'expired') Object.assign(coupon, { expiresAt: at, modifiedAt: at })
    if (change === 'drafted') Object.assign(coupon, { isPublished: false, modifiedAt: at })
    if (change === 'used up') Object.assign(coupon, { usageLimit: 3, usageCount: 3, modifiedAt: at })
    if (change === 'restored')
      Object.assign(coupon, { isPublished: true, expiresAt: null, usageLimit: null, modifiedAt: at })
  },
  async code({ shop, clock }, { place, change }) {
    const { couponStock } = shop
    const coupon = couponStock.coupons.filter(({ mark }) => mark !== null).at(-1 - place)
    if (!coupon) return
    if (change === 'deleted') {
      couponStock.deletedByAdmin.add(coupon.code)
      couponStock.coupons = couponStock.coupons.filter((each) => each !== coupon)
    }
    if (change === 'expired') coupon.expiresAt = new Date(clock.trueNow()).toISOString()
    if (change === 'used up') coupon.usageCount = 1
  },
  async 'coupon writes'({ shop }, { mood }) {
    shop.couponStock.mood = mood
  },
  async tidy(harness, { worker }) {
    const { deps } = await findWorker(harness, worker)
    const { kind } = await deleteUnneededCodes(deps, { storeId: harness.fixture.storeId })
    // A paused installation does not call the store.
    const { rows } = await harness.environment.pool.query('select 1 from instance where is_paused')
    harness.isCleanedUp = kind === 'done' && rows.length === 0
  },
})

/** Runs the tick and the job it queues. */
export async function createDueCodes({ environment, fixture }: Harness, deps: Deps): Promise<void> {
  await enqueueDueCodes(deps)
  if (!environment.areCodesDue) return
  environment.areCodesDue = false
  await createCodes(deps, { storeId: fixture.storeId }, findUnneededCodes)
}

/** Returns the code of a message while the store accepts it in an order. */
export function findUsableCodes({ providers, shop, clock }: Harness, { codeOf }: ActOf<'order'>): string[] {
  const code = codeOf === undefined ? null : providers.mails.filter(({ evidence }) => evidence?.coupon.code)[codeOf]
  const coupon = code && findByCode(shop.couponStock, code.evidence!.coupon.code!)
  return coupon && isUsableAt(coupon, clock.trueNow()) ? [coupon.code] : []
}

const buildStepCode = (step: number) => `step-${step + 1}`

/** Inserts the rows that choosing coupons for steps would have written. */
export async function insertStepCoupons(
  pool: pg.Pool,
  harness: Pick<Harness, 'scenario' | 'shop' | 'clock'>,
  fixture: Fixture,
): Promise<(string | null)[]> {
  const { scenario, shop, clock } = harness
  if (!scenario.coupons) return []
  const now = clock.now()
  const rows = scenario.coupons.flatMap((coupon, at) => {
    if (!coupon) return []
    const { kind, percent, amountMinor, minSpendMinor, usageLimit, endsInHours } = coupon
    const endsAt = endsInHours === null ? null : new Date(now.getTime() + endsInHours * 3_600_000).toISOString()
    const type = percent === null ? ('fixed' as const) : ('percentage' as const)
    let inStore: PlatformCoupon | null = null
    if (kind === 'shared') {
      const base = { code: buildStepCode(at), type, percent, amountMinor, currency: 'USD', minSpendMinor, usageLimit }
      const draft = { ...base, expiresAt: endsAt, isIndividual: false, email: null, mark: '' }
      inStore = {
        ...addCoupon(shop.couponStock, draft),
        mark: null,
        createdAt: now.toISOString(),
        modifiedAt: now.toISOString(),
      }
      shop.couponStock.coupons.push(inStore)
    }
    const code = buildStepCode(at).toUpperCase()
    return [{ ...coupon, id: createId(), step: at + 1, code, type, endsAt, platformId: inStore?.couponId ?? null }]
  })
  await pool.query(COUPONS, [fixture.storeId, now, JSON.stringify(rows)])
  return scenario.coupons.map((_, at) => rows.find(({ step }) => step === at + 1)?.id ?? null)
}

const COUPONS = `
  with told as (select * from jsonb_to_recordset($3::jsonb) as t(id uuid, step int, kind text, code text, type text, percent int,
    "amountMinor" bigint, "maxDiscountMinor" bigint, "minSpendMinor" bigint, "usageLimit" int, "endsAt" timestamptz, "validHours" int,
    "isTiedToEmail" bool, "platformId" text, fallback text, "isFirstOrderOnly" bool, "pauseDays" int, "aboveMinor" bigint)),
  coupons as (insert into coupons (store_id, id, made_by, kind, platform_id, code, type, platform_type, percent, amount_minor, currency,
      min_spend_minor, max_discount_minor, ends_at, usage_limit, is_active, valid_hours, is_tied_to_email, seen_at, created_at)
    select $1::uuid, id, case kind when 'shared' then 'store' else 'recoup' end, kind, "platformId", code, type,
      case type when 'fixed' then 'fixed_cart' else 'percent' end, percent, "amountMinor", 'USD', "minSpendMinor", "maxDiscountMinor",
      "endsAt", "usageLimit", true, "validHours", "isTiedToEmail", $2::timestamptz, $2 from told)
  update flow_steps s set coupon_id = t.id, coupon_fallback = t.fallback, coupon_first_order_only = t."isFirstOrderOnly",
    coupon_pause_days = t."pauseDays", coupon_above_minor = t."aboveMinor"
  from told t where s.store_id = $1 and s.step = t.step`
