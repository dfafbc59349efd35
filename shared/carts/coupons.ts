import { z } from 'zod'
import { STORE_PROBLEM_TEXT } from '../access/store-problems.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { getCurrencyExponent } from '../core/money.ts'
import { buildPageFields, Pagination } from '../core/paging.ts'

// Coupons (B 2, 3, 5, 7, 9; decisions 30 to 38). Coupons of the store are listed; those created here can also be edited
// and deleted.

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
  /** A warning, not an error. */
  endIsPast: 'This end date has passed, so the coupon can’t be used. Choose a later date.',
  badDate: 'Enter a date and time such as 2026-05-31T12:00:00Z',
  endBeforeStart: 'End date must be after start date',
  badUsageLimit: 'Usage limit must be greater than 0',
  partOfAUse: 'Usage limit must be a whole number',
  badId: 'Invalid coupon ID',
  duplicate: 'A coupon with this code already exists in your store.',
  /** Decision 32: the store accepts the code, because a draft does not reserve it. */
  duplicateDraft:
    'A coupon with this code already exists in your store. It is not published: publish or delete it in the store, or choose another code.',
  /** Decision 34: their codes could not be told apart. */
  duplicatePersonal: 'Codes of another personal coupon start the same way. Choose a different start.',
  noStore: 'No store connected. Please connect your store to manage coupons.',
  noStoreToCreate: 'No store connected. Please connect your store to create coupons.',
  noStoreToUpdate: 'No store connected. Please connect your store to update coupons.',
  noStoreToDelete: 'No store connected. Please connect your store to delete coupons.',
  /** Decision 33. */
  sharedCap:
    'The shop cannot cap the discount of a shared percentage code. Choose personal codes, or remove the maximum discount.',
  /** Decision 34. */
  personalLimit: 'Each personal code can be used once, so a personal coupon has no usage limit.',
  /** Decision 34, for shops that tie codes only to their own customers. */
  noTie:
    'Your shop can tie codes only to existing customers. Codes for new shoppers would fail, so codes are not tied to an email. Each works once.',
  fixedCap: 'A fixed amount has no maximum discount.',
  readOnlyKey: 'The key of this store is read-only. Coupons need a key with read/write permission.',
  notOurs: 'This coupon was created in the store. It can only be edited there.',
  /** Its codes have been sent, or it is shared: the change would create another coupon. */
  kindIsKept: 'A shared coupon cannot become personal, nor a personal one shared. Create another coupon.',
  isChanging: 'This coupon is being changed at the moment. Try again in a few seconds.',
  goneInStore: 'This coupon is no longer in your store.',
  fetchFailed: 'Failed to fetch coupons (using fallback)',
  createFailed: 'Failed to create coupon',
  updateFailed: 'Failed to update coupon',
  deleteFailed: 'Failed to delete coupon',
} as const

/** Why the list is outdated, as text for the owner. */
export function getCouponReadErrorText(code: string): string {
  if (code !== 'no_rights') return couponTexts.fetchFailed
  return `${couponTexts.fetchFailed}. ${COUPONS_NOT_READABLE}`
}

export const COUPONS_NOT_READABLE = `The key of this store may not read coupons. ${STORE_PROBLEM_TEXT.no_rights.nextStep} Then choose “Replace keys” under Settings, Store.`

/**
 * Upper case, as codes are stored (decision 31). Letters without a single capital stay: the store does not know "süß"
 * as "SÜSS".
 */
export const toCapitals = (code: string): string =>
  Array.from(code, (letter) => {
    const capital = letter.toUpperCase()
    return capital.toLowerCase() === letter.toLowerCase() ? capital : letter
  }).join('')

/** Decision 128: "1.234" is not an amount of dollars. */
export const describeDecimals = (decimals: number): string =>
  decimals === 0
    ? 'Enter a whole amount, without decimals'
    : `Enter an amount with at most ${decimals} decimal${decimals === 1 ? '' : 's'}`

export const MAX_COUPON_CODE_LENGTH = 60
/** Above any store's prices, and safe in minor units of every currency. */
const MAX_MONEY = 1_000_000_000
const PERCENT_DECIMALS = 2

const instant = z.iso.datetime({ offset: true })

/** Issued, used and earned (decision 38). Amounts in the store's currency. */
export const CouponFigures = z.object({
  /** Number of created personal codes; null for a shared coupon. */
  issued: z.number().nullable(),
  /** Messages sent with it. */
  sent: z.number(),
  used: z.number(),
  orders: z.number(),
  netRevenue: z.number(),
  discountGiven: z.number(),
})

/** A flow step that sends it. */
export const CouponStep = z.object({ flowId: z.string(), flowName: z.string(), step: z.number() })
export type CouponStep = z.infer<typeof CouponStep>

export const Coupon = z.object({
  _id: z.string(),
  /** Upper case. For a personal coupon, the prefix of its codes. */
  code: z.string(),
  /** `other`: a type that only the store can create; `platformType` has the platform's name for it. */
  type: z.enum(['percentage', 'fixed', 'other']),
  platformType: z.string(),
  /** Percent, or money in the store's currency. */
  amount: z.number(),
  minSpend: z.number().nullable(),
  maxDiscount: z.number().nullable(),
  /** For a coupon of the store: when it was created there. */
  startDate: instant.nullable(),
  /** null: never. */
  endDate: instant.nullable(),
  usageLimit: z.number().nullable(),
  usageCount: z.number(),
  isActive: z.boolean(),
  kind: z.enum(['shared', 'personal']),
  madeBy: z.enum(['recoup', 'store']),
  currency: z.string(),
  /** For a personal coupon. */
  validHours: z.number(),
  isTiedToEmail: z.boolean(),
  /** Where the store's own coupon is edited; null for those created here. */
  editUrl: z.string().nullable(),
  steps: z.array(CouponStep),
  figures: CouponFigures,
})
export type Coupon = z.infer<typeof Coupon>

/** Description of a step's coupon. */
export const FlowStepCoupon = Coupon.pick({
  _id: true,
  code: true,
  kind: true,
  madeBy: true,
  type: true,
  platformType: true,
  amount: true,
  minSpend: true,
  maxDiscount: true,
  currency: true,
  startDate: true,
  endDate: true,
  isActive: true,
  usageLimit: true,
  usageCount: true,
}).extend({
  /** Deleted in the store. */
  isGone: z.boolean(),
})
export type FlowStepCoupon = z.infer<typeof FlowStepCoupon>

/** The error if the value exceeds a billion; null: it does not. */
export const getMostText = (what: 'Amount' | 'Minimum spend' | 'Maximum discount' | 'Usage limit', amount: number) =>
  amount > MAX_MONEY ? `${what} must be at most ${new Intl.NumberFormat('en-US').format(MAX_MONEY)}` : null

const above = (text: string, what: Parameters<typeof getMostText>[0]) =>
  z
    .number({ error: text })
    .gt(0, text)
    .max(MAX_MONEY, getMostText(what, Number.POSITIVE_INFINITY) ?? text)
const dateField = (missing: string) =>
  z
    .string({ error: missing })
    .trim()
    .min(1, missing)
    .pipe(z.iso.datetime({ offset: true, error: couponTexts.badDate }))

/** B 5, for form and server. Dates are instants; the form reads them in the store's time zone. */
const fields = z.object({
  code: z
    .string({ error: couponTexts.noCode })
    .trim()
    .toUpperCase()
    .min(1, couponTexts.noCode)
    .max(MAX_COUPON_CODE_LENGTH, couponTexts.longCode)
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
  /** For a personal coupon: validity of a code in hours after sending. */
  validHours: z.number().min(1).max(8_760).multipleOf(1).default(72),
  isTiedToEmail: z.boolean().default(false),
  platform: z.string().max(40).optional(),
  storeId: z.string().max(2_048).optional(),
})

/** Errors between fields, with the field that shows each. Fields may also be invalid on their own. */
function findConflicts(input: Partial<z.infer<typeof fields>>): [keyof typeof fields.shape, string][] {
  const { type, amount, maxDiscount, usageLimit, kind = 'shared', startDate, endDate } = input
  const wrong: [keyof typeof fields.shape, string | false][] = [
    ['amount', Number.isFinite(amount) && checkAmount(type, amount!)],
    ['maxDiscount', maxDiscount != null && getCapText(type, kind)],
    ['usageLimit', kind === 'personal' && usageLimit != null && couponTexts.personalLimit],
    ['endDate', Date.parse(endDate ?? '') <= Date.parse(startDate ?? '') && couponTexts.endBeforeStart],
  ]
  return wrong.flatMap(([field, text]) => (text ? [[field, text]] : []))
}

function checkAmount(type: unknown, amount: number): string | false {
  if (type === 'percentage') {
    if (amount < 1 || amount > 100) return couponTexts.badPercentage
    return checkPercentDecimals(amount) ?? false
  }
  if (type !== 'fixed') return false
  if (!(amount > 0)) return couponTexts.badFixed
  return getMostText('Amount', amount) ?? false
}

/** Decision 33. */
function getCapText(type: unknown, kind: unknown): string | false {
  if (type === 'fixed') return couponTexts.fixedCap
  return kind === 'shared' && couponTexts.sharedCap
}

/** null: no more decimals than are stored. */
export const checkPercentDecimals = (amount: number): string | null =>
  hasMoreDecimals(amount, PERCENT_DECIMALS) ? describeDecimals(PERCENT_DECIMALS) : null

const hasMoreDecimals = (amount: number, decimals: number) => Number(amount.toFixed(decimals)) !== amount

/** Reports all errors at once, including those between fields while others are invalid. */
export const CouponInput = fields.superRefine(
  (input, { addIssue }) => {
    for (const [field, message] of findConflicts(input ?? {})) addIssue({ code: 'custom', path: [field], message })
  },
  { when: () => true },
)
export type CouponInput = z.infer<typeof CouponInput>

/** Decision 128: amounts have the decimals of the currency. Empty: no error. */
export function checkDecimals(
  input: Pick<CouponInput, 'type' | 'amount' | 'minSpend' | 'maxDiscount'>,
  currency: string,
): Partial<Record<'amount' | 'minSpend' | 'maxDiscount', string>> {
  const decimals = Math.min(getCurrencyExponent(currency), 2)
  const money = {
    ...(input.type === 'fixed' && { amount: input.amount }),
    minSpend: input.minSpend,
    maxDiscount: input.maxDiscount,
  }
  const wrong = Object.entries(money).filter(([, amount]) => amount != null && hasMoreDecimals(amount, decimals))
  return Object.fromEntries(wrong.map(([field]) => [field, describeDecimals(decimals)]))
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
    ...buildPageFields({ limit: 50, max: 100 }),
    search: z.string().max(MAX_COUPON_CODE_LENGTH).default(''),
    usable: z.enum(['yes']).optional(),
  }),
  reply: z.object({
    coupons: z.array(Coupon),
    pagination: Pagination,
    /** When the store's coupons were last read completely; null: never. */
    readAt: z.string().nullable(),
    /** The error of the last read; the list is outdated then. */
    problem: z.string().nullable(),
    /** The store's currency and time zone; dates are entered in that zone. */
    currency: z.string(),
    timeZone: z.string(),
    /** The store's API key has write access. */
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
