// What other rooms use: copies Stripe.

export { buildLines, loadCatalogue } from './catalogue.ts'
export { buildExtraStoreKey, buildPlanKey, findEntry, type PlanChoice, paidPlans } from './catalogue-rules.ts'
export { isPaused } from './copy-sql.ts'
export { findCounted, isLive, isOverdue, isTrial, readPurchase, WAITING_PLAN } from './derive-rules.ts'
export { endCustomer, endPayments, handleCharge } from './ending.ts'
export { deleteOldEvents } from './events.ts'
export { stripeHookRoutes } from './hook-routes.ts'
export { chargeJob, endCustomerJob, refreshJob, trialEndingJob, waitAgainJob } from './jobs.ts'
export { CREDITS_METADATA } from './payment-rules.ts'
export { reconcileAccounts, refreshByJob, refreshTrial } from './reconcile.ts'
export { refreshAccount } from './refresh.ts'
export { paymentRoutes } from './routes.ts'
export { ensurePortal } from './setup.ts'
export { askStripe, describeDecline, openStripe, parseAnswer, parsePageUrl, readStripeCode } from './stripe.ts'
export {
  buildListSchema,
  StripeCustomer,
  StripePrice,
  StripeSchedule,
  StripeSubscription,
  toDate,
} from './stripe-schemas.ts'
