// What other rooms use: imports, webhooks, order check.

export { refreshCheckout } from './checkouts.ts'
export {
  buildGoodsKey,
  type Goods,
  NONE_UNREAD,
  readCoupons,
  readGoods,
  refreshGoods,
  type Terms,
  type UnreadCoupon,
  type UnreadCoupons,
} from './goods.ts'
export { readHealth } from './health.ts'
export {
  checkoutJob,
  customerJob,
  importJob,
  newOrdersJob,
  orderJob,
  privacyJob,
  productsJob,
  profileJob,
  purgeJob,
  syncJob,
  uninstalledJob,
  webhooksJob,
} from './jobs.ts'
export { recordActive, refreshCustomer, refreshProducts } from './local-copies.ts'
export { queueNewOrders } from './new-orders.ts'
export { checkOrders } from './order-check.ts'
export { openRequest } from './privacy-requests.ts'
export { clearCheckFailures, completeReported } from './reported-sql.ts'
export { enqueueDueSyncs, importStore, readNewOrders, refreshOrder, rereadProfile, syncNow, syncStore } from './sync.ts'
export { renewLease, runSyncJob, type SyncJob, type SyncResult } from './sync-jobs.ts'
export { clearFailures, endLeases, ensureStreams, readStreams, shiftReadTimes } from './sync-sql.ts'
export { findSyncProblem, isServedByPlugin, syncAge } from './sync-status.ts'
export { readUnpaidOrder } from './unpaid.ts'
export { readPushOnlyPlugin } from './unreachable.ts'
export { webhookRoutes } from './webhook-routes.ts'
export { deleteWebhooks, listWebhooks, markForRenewal } from './webhook-sql.ts'
export { ensureWebhooks, removeWebhooks } from './webhook-subscriptions.ts'
