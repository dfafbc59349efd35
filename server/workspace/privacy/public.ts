// What other rooms use: access, export, erasure, retention.

export { resumeErasures, runErasure } from './erase.ts'
export { eraseJob, retainJob } from './jobs.ts'
export { handlePrivacyRequest } from './platform-requests.ts'
export { eraseForShop, exportForShop } from './plugin-requests.ts'
export { enqueueRetention, runRetention } from './retention.ts'
export { privacyRoutes } from './routes.ts'
