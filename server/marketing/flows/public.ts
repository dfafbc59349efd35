// What other rooms use.

export { createReadyFlow, listMissingForMail, listMissingForSending, refreshTimeout } from './flows.ts'
export { readPushSettings, savePushSettings } from './push-flow.ts'
export { foldFlowCounts } from './report.ts'
export { flowRoutes } from './routes.ts'
export { insertTemplates, saveTemplate } from './sql.ts'
export { COUPON_MISSING, couponColumns, presentCoupon } from './step-coupons.ts'
export { nameVariants } from './variants.ts'
