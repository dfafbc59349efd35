// What other rooms use: folds facts into carts, detects abandonment.

export { recordCart, recordCheckouts } from './checkouts.ts'
export { hasSameCoupons, hasSameItems, toLineText } from './compare.ts'
export { compactCartCounts, detectAbandoned, detectLost, detectNoResponse } from './detect.ts'
export { createEraser } from './erased.ts'
export { type ListFilter, parseFilter } from './filter.ts'
export { BADGE, CART_COLUMNS, hasBadge, newestAbandoned, withMerged, writeBadges } from './fragments.ts'
export {
  type CartTotal,
  countCarts,
  filterByCountry,
  filterByProduct,
  type ListedCart,
  listCarts,
  MAX_EVALUATED,
  MAX_SEARCHED,
  readCartAmounts,
  readCartPages,
  selectNewestIds,
} from './list-sql.ts'
export { type NewFact, recordFacts, recordOrders } from './record.ts'
export { recordTouchpoint, revokeTouchpoints } from './touchpoints.ts'
