// What other rooms use.

export { closeUnseenCoupons, saveCouponPage } from './copy.ts'
export {
  computeDiscounts,
  computeDisplayedRest,
  type DiscountCoupon,
  type DiscountLine,
  type DiscountRules,
} from './discount.ts'
export {
  applyComputedAmount,
  type CouponSettings,
  type EnteredCoupon,
  loadEnteredCoupons,
  loadMessageCoupons,
  loadSentCoupon,
  type MessageCoupon,
  saveStoreState,
  wakeIfCreated,
} from './for-messages.ts'
export { codeTerms, currentCode, hasCurrentAmount, isCouponUsable, soldOutItems } from './fragments.ts'
export { beginCouponsJob, couponUsesJob } from './jobs.ts'
export { loadStepCoupons } from './list.ts'
export { isPersonal, type StoredCoupon, selectExistingCoupons, selectStoredCoupons } from './message-sql.ts'
export { couponRoutes } from './routes.ts'
export { countInStore } from './sql.ts'
export { enqueueStarts, startCoupons } from './start.ts'
export { queueUseReads, readUses, refreshUses } from './uses.ts'
export {
  type CouponState,
  type CouponUse,
  findCouponProblem,
  findEnd,
  findWithholdingRule,
  MIN_VALID_MS,
  removeRestrictions,
} from './validity.ts'
