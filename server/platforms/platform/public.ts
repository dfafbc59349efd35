// What other rooms use: the interface of a store.

export type { StoreProblemCode } from '../../../shared/access/store-problems.ts'
export type { PlatformName, StoreRights } from '../../../shared/platforms/platforms.ts'
export type { StoreAccess, StoreKeys, StoreNet, StoreToken, TokenCache } from './access.ts'
export type {
  CouponChange,
  CouponChangeResult,
  CouponDraft,
  CouponLimits,
  CouponResult,
  CouponsById,
  PlatformCoupon,
} from './coupon.ts'
export type { PrivacyRequest, StoreEvent } from './event.ts'
export { parseKeys } from './keys.ts'
export type { Platform, PlatformPlugin, RestoreItem, RestoreLink, RestoreOptions, RestoreSource } from './kind.ts'
export { createMemoryTokenCache } from './memory-token-cache.ts'
export type {
  CheckoutPage,
  CheckoutQuery,
  DisplayedTax,
  ItemRef,
  ItemTerms,
  OrderConsent,
  OrderDiscount,
  OrderKind,
  OrderPage,
  OrderQuery,
  OrderSource,
  Page,
  PlatformCart,
  PlatformCheckout,
  PlatformConsent,
  PlatformCustomer,
  PlatformItem,
  PlatformOrder,
  PlatformProduct,
  PluginAnswer,
  PluginCall,
  ProductCategory,
  RawDelivery,
  RefillRequest,
  RefillResult,
  SkippedRow,
  StoreClient,
  StoreLogo,
  StorePricing,
  StoreProfile,
  WebhookSubscription,
} from './platform.ts'
export { toFetchProblem } from './problem-from-fetch.ts'
export { createRequestQueues } from './request-queue.ts'
export {
  field,
  type RowReading,
  readRows,
  skip,
  wireId,
  wireList,
  wirePart,
  wireRaw,
  wireText,
  wireTime,
  wireUrl,
} from './row.ts'
export { StoreProblem } from './store-problem.ts'
export {
  addChoices,
  isRecord,
  parseCountryCode,
  parseGmt,
  parseId,
  parseUnixTime,
  parseWebAddress,
  removeSecrets,
  toPlainText,
} from './text.ts'
