// What other rooms use: prepaid SMS.

export {
  adjustCredits,
  type CreditUse,
  lockCredits,
  payWithCredits,
  readBalance,
  refundCredits,
  settleCredits,
} from './credits.ts'
export { selectCreditMicros } from './fragments.ts'
export { notifyLowCredits } from './notices.ts'
export { assertCanBuy } from './offer.ts'
export { creditRoutes } from './routes.ts'
export type { CreditPayment } from './rules.ts'
