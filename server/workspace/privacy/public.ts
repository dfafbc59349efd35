// What other rooms use: access, export, erasure, retention.

export { resumeErasures, runErasure } from './erase.ts'
export { eraseJob, retainJob } from './jobs.ts'
export { enqueueRetention, runRetention } from './retention.ts'
export { privacyRoutes } from './routes.ts'
export { eraseForShop, exportForShop } from './shop-requests.ts'
export { handlePrivacyRequest } from './store-requests.ts'
