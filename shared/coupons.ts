import { z } from 'zod'
import { endpoint, storeQuery } from './endpoint.ts'
import { currencyExponent } from './money.ts'
import { Pagination, pageFields } from './paging.ts'
import { STORE_PROBLEM_TEXT } from './store-problems.ts'

// Coupons (B 2, 3, 5, 7, 9; decisions 30 to 38): the store's own are listed, those made here are edited and deleted here.

export const couponTexts = {
  noCode: 'Coupon code is required',
  badCode: 'Coupon code can only contain uppercase letters, numbers, and hyphens',
  longCode: 'Coupon code can have at most 60 characters',
  noAmount: 'Amount is required',
  badPercentage: 'Percentage must be between 1 and 100',
  badFixed: 'Fixed amount must be greater than 0',
  badMinSpend: 'Minimum spend must be greater than 0',
  badMaxDiscount: 'Maximum discount must be greater than 0',
  noStart: 'Start date is required',
  noEnd: 'End date is required',
  /** No mistake: a warning beside the field. */
  endIsPast: 'This end date has passed: nobody can use the coupon.',
  badDate: 'Enter a date and time such as 2026-05-31T12:00:00Z',
  endBeforeStart: 'End date must be after start date',
  badUsageLimit: 'Usage limit must be greater than 0',
  partOfAUse: 'Usage limit must be a whole number',
  badId: 'Invalid coupon ID',
  duplicate: 'A coupon with this code already exists in your store.',
  /** Decision 32: to the store a code of a draft is free. */
  duplicateDraft:
    'A coupon with this code already exists in your store. It is not published: publish or delete it in the store, or choose another code.',
  /** Decision 34: nobody could tell their codes apart. */
  duplicatePersonal: 'A personal coupon whose codes begin like this already exists. Choose another beginning.',
  noStore: 'No store connected. Please connect your store to manage coupons.',
  noStoreToCreate: 'No store connected. Please connect your store to create coupons.',
  noStoreToUpdate: 'No store connected. Please connect your store to update coupons.',
  noStoreToDelete: 'No store connected. Please connect your store to delete coupons.',
  /** Decision 33. */
  sharedCap:
    'The shop cannot cap a percentage for a code that everybody uses. Choose personal codes, or remove the maximum discount.',
  /** Decision 34. */
  personalLimit: 'Each personal code can be used once, so a personal coupon has no usage limit.',
  /** Decision 34, where a shop ties codes to its own customers alone. */
  noTie:
    'Your shop can tie a code only to a customer it already knows, so a new shopper would get none. Each code is tied to nobody there, and works once.',
  fixedCap: 'A fixed amount has no maximum discount.',
  readOnlyKey: 'The key of this store is read-only. Coupons need a key with read/write permission.',
  notOurs: 'This coupon was made in the store. It can only be edited there.',
  /** Of a personal coupon whose codes are out, and of a shared one: it would be another coupon. */
  kindIsKept: 'A shared coupon cannot become personal, nor a personal one shared. Create another coupon.',
  isChanging: 'This coupon is being changed at the moment. Try again in a few seconds.',
  goneInStore: 'This coupon is no longer in your store.',
  fetchFailed: 'Failed to fetch coupons (using fallback)',
  createFailed: 'Failed to create coupon',
  updateFailed: 'Failed to update coupon',
  deleteFailed: 'Failed to delete coupon',
} as const

/** Why the list is older than it should be, in words for the owner. */
export function couponsUnreadText(code: string): string {
  if (code !== 'no_rights') return couponTexts.fetchFailed
  return `${couponTexts.fetchFailed}. ${COUPONS_NOT_READABLE}`
}

export const COUPONS_NOT_READABLE = `The key of this store may not read coupons. ${STORE_PROBLEM_TEXT.no_rights.nextStep} Then choose “Replace keys” under Settings, Store.`

/**
 * Upper case, as codes are kept (decision 31). A letter that has no capital of its own stays: "süß" as "SÜSS" is no code of the store.
 */
export const capitals = (code: string): string =>
  Array.from(code, (letter) => {
    const capital = letter.toUpperCase()
    return capital.toLowerCase() === letter.toLowerCase() ? capital : letter
  }).join('')

/** Decision 128: "1.234" is no amount of dollars. */
export const decimalsText = (decimals: number): string =>
  decimals === 0
    ? 'Enter a whole amount, without decimals'
    : `Enter an amount with at most ${decimals} decimal${decimals === 1 ? '' : 's'}`

export const COUPON_CODE_MOST = 60
/** More than any store sells for; below what an integer of minor units holds in every currency. */
const MOST_MONEY = 1_000_000_000
const PERCENT_DECIMALS = 2

const instant = z.iso.datetime({ offset: true })

/** What was issued, used and earned (decision 38). Money in the store's currency. */
export const CouponFigures = z.object({
  /** Personal codes made; null of a shared coupon. */
  issued: z.number().nullable(),
  /** Messages that left with it. */
  sent: z.number(),
  used: z.number(),
  orders: z.number(),
  netRevenue: z.number(),
  discountGiven: z.number(),
})

/** A step of a flow that sends it. */
export const CouponStep = z.object({ flowId: z.string(), flowName: z.string(), step: z.number() })
export type CouponStep = z.infer<typeof CouponStep>

export const Coupon = z.object({
  _id: z.string(),
  /** Upper case. Of a personal coupon the beginning of its codes. */
  code: z.string(),
  /** `other`: a type that can be made in the store alone; `platformType` has the platform's word for it. */
  type: z.enum(['percentage', 'fixed', 'other']),
  platformType: z.string(),
  /** Percent, or money in the store's currency. */
  amount: z.number(),
  minSpend: z.number().nullable(),
  maxDiscount: z.number().nullable(),
  /** Of a coupon of the store's own: when it was made there. */
  startDate: instant.nullable(),
  /** null: never. */
  endDate: instant.nullable(),
  usageLimit: z.number().nullable(),
  usageCount: z.number(),
  isActive: z.boolean(),
  kind: z.enum(['shared', 'personal']),
  madeBy: z.enum(['recoup', 'store']),
  currency: z.string(),
  /** Of a personal coupon. */
  validHours: z.number(),
  isTiedToEmail: z.boolean(),
  /** Where the store's own is edited; null of those made here. */
  editUrl: z.string().nullable(),
  steps: z.array(CouponStep),
  figures: CouponFigures,
})
export type Coupon = z.infer<typeof Coupon>

/** What a step says of the coupon it has. */
export const CouponOfStep = Coupon.pick({
  ...{ _id: true, code: true, kind: true, madeBy: true, type: true, platformType: true, amount: true },
  ...{ minSpend: true, maxDiscount: true, currency: true, startDate: true, endDate: true, isActive: true },
  ...{ usageLimit: true, usageCount: true },
}).extend({
  /** Deleted in the store. */
  isGone: z.boolean(),
})
export type CouponOfStep = z.infer<typeof CouponOfStep>

/** What is at most a billion; null: it is. */
export const mostText = (what: 'Amount' | 'Minimum spend' | 'Maximum discount' | 'Usage limit', given: number) =>
  given > MOST_MONEY ? `${what} must be at most ${new Intl.NumberFormat('en-US').format(MOST_MONEY)}` : null

const above = (text: string, what: Parameters<typeof mostText>[0]) =>
  z
    .number({ error: text })
    .gt(0, text)
    .max(MOST_MONEY, mostText(what, Number.POSITIVE_INFINITY) ?? text)
const dateField = (missing: string) =>
  z
    .string({ error: missing })
    .trim()
    .min(1, missing)
    .pipe(z.iso.datetime({ offset: true, error: couponTexts.badDate }))

/** B 5, shared by form and server. Dates are instants: the form reads them in the store's zone. */
const fields = z.object({
  code: z
    .string({ error: couponTexts.noCode })
    .trim()
    .toUpperCase()
    .min(1, couponTexts.noCode)
    .max(COUPON_CODE_MOST, couponTexts.longCode)
    .regex(/^[A-Z0-9-]*$/, couponTexts.badCode),
  type: z.enum(['percentage', 'fixed']),
  amount: z.number({ error: couponTexts.noAmount }),
  minSpend: above(couponTexts.badMinSpend, 'Minimum spend').nullish(),
  maxDiscount: above(couponTexts.badMaxDiscount, 'Maximum discount').nullish(),
  startDate: dateField(couponTexts.noStart),
  endDate: dateField(couponTexts.noEnd),
  usageLimit: above(couponTexts.badUsageLimit, 'Usage limit')
    .refine((limit) => Number.isInteger(limit), couponTexts.partOfAUse)
    .nullish(),
  isActive: z.boolean().default(true),
  kind: z.enum(['shared', 'personal']).default('shared'),
  /** Of a personal coupon: how long after sending a code is good for. */
  validHours: z.number().min(1).max(8_760).multipleOf(1).default(72),
  isTiedToEmail: z.boolean().default(false),
  platform: z.string().max(40).optional(),
  storeId: z.string().max(2_048).optional(),
})

/** What stands between fields, and by which of them it is shown. Every field may still be wrong by itself. */
function wrongTogether(said: Partial<z.infer<typeof fields>>): [keyof typeof fields.shape, string][] {
  const { type, amount, maxDiscount, usageLimit, kind = 'shared', startDate, endDate } = said
  const wrong: [keyof typeof fields.shape, string | false][] = [
    ['amount', Number.isFinite(amount) && wrongAmount(type, amount!)],
    ['maxDiscount', maxDiscount != null && capText(type, kind)],
    ['usageLimit', kind === 'personal' && usageLimit != null && couponTexts.personalLimit],
    ['endDate', Date.parse(endDate ?? '') <= Date.parse(startDate ?? '') && couponTexts.endBeforeStart],
  ]
  return wrong.flatMap(([field, text]) => (text ? [[field, text]] : []))
}

function wrongAmount(type: unknown, amount: number): string | false {
  if (type === 'percentage') {
    if (amount < 1 || amount > 100) return couponTexts.badPercentage
    return percentDecimals(amount) ?? false
  }
  if (type !== 'fixed') return false
  if (!(amount > 0)) return couponTexts.badFixed
  return mostText('Amount', amount) ?? false
}

/** Decision 33. */
function capText(type: unknown, kind: unknown): string | false {
  if (type === 'fixed') return couponTexts.fixedCap
  return kind === 'shared' && couponTexts.sharedCap
}

/** null: as many as are kept. */
export const percentDecimals = (amount: number): string | null =>
  hasMoreDecimals(amount, PERCENT_DECIMALS) ? decimalsText(PERCENT_DECIMALS) : null

const hasMoreDecimals = (amount: number, decimals: number) => Number(amount.toFixed(decimals)) !== amount

/** All mistakes come at once, as the form shows them: also what stands between fields while others are wrong by themselves. */
export const CouponInput = fields.superRefine(
  (said, { addIssue }) => {
    for (const [field, message] of wrongTogether(said ?? {})) addIssue({ code: 'custom', path: [field], message })
  },
  { when: () => true },
)
export type CouponInput = z.infer<typeof CouponInput>

/** Decision 128: amounts have the decimals of the currency. Empty: nothing is wrong. */
export function wrongDecimals(
  said: Pick<CouponInput, 'type' | 'amount' | 'minSpend' | 'maxDiscount'>,
  currency: string,
): Partial<Record<'amount' | 'minSpend' | 'maxDiscount', string>> {
  const decimals = Math.min(currencyExponent(currency), 2)
  const money = {
    ...(said.type === 'fixed' && { amount: said.amount }),
    minSpend: said.minSpend,
    maxDiscount: said.maxDiscount,
  }
  const wrong = Object.entries(money).filter(([, amount]) => amount != null && hasMoreDecimals(amount, decimals))
  return Object.fromEntries(wrong.map(([field]) => [field, decimalsText(decimals)]))
}

export const listCoupons = endpoint({
  method: 'GET',
  path: '/api/coupons',
  permission: 'carts:read',
  scope: 'store',
  noStore: couponTexts.noStore,
  summary:
    'Coupons of the store, newest first, a page at a time. `search`: the beginning of a code. `usable=yes`: those a message can carry now',
  query: storeQuery.extend({
    ...pageFields({ limit: 50, most: 100 }),
    search: z.string().max(COUPON_CODE_MOST).default(''),
    usable: z.enum(['yes']).optional(),
  }),
  reply: z.object({
    coupons: z.array(Coupon),
    pagination: Pagination,
    /** When the store's coupons were last read completely; null: never. */
    readAt: z.string().nullable(),
    /** What went wrong when they were last read; the list is older then. */
    problem: z.string().nullable(),
    /** The store's, with its zone: dates are entered in it. */
    currency: z.string(),
    timeZone: z.string(),
    /** The store's key may write. */
    canWrite: z.boolean(),
  }),
})

const couponId = z.object({ id: z.uuid(couponTexts.badId) })
const oneCoupon = z.object({ coupon: Coupon })

export const createCoupon = endpoint({
  method: 'POST',
  path: '/api/coupons',
  permission: 'coupons:write',
  scope: 'store',
  noStore: couponTexts.noStoreToCreate,
  summary: 'Create a coupon: a shared one in the store, a personal one here, whose codes are made for single messages',
  query: storeQuery,
  body: CouponInput,
  reply: oneCoupon,
})

export const updateCoupon = endpoint({
  method: 'PUT',
  path: '/api/coupons/:id',
  permission: 'coupons:write',
  scope: 'store',
  noStore: couponTexts.noStoreToUpdate,
  summary: 'Change a coupon made here, in the store too',
  params: couponId,
  query: storeQuery,
  body: CouponInput,
  reply: oneCoupon,
})

export const deleteCoupon = endpoint({
  method: 'DELETE',
  path: '/api/coupons/:id',
  permission: 'coupons:write',
  scope: 'store',
  noStore: couponTexts.noStoreToDelete,
  summary: 'Delete a coupon made here, in the store too. Steps of flows that send it go on without a coupon',
  params: couponId,
  query: storeQuery,
  reply: z.object({ success: z.literal(true), steps: z.array(CouponStep) }),
})
