// What other rooms use: posts of the capture script.

export { createBackLink } from './back-link.ts'
export { foldStalePosts, foldStorePosts } from './capture-intake.ts'
export { buildModeSetup } from './capture-mode.ts'
export { captureRoutes } from './capture-routes.ts'
export { isStoreOrigin, readContact, readDeviceClass, readName } from './capture-rules.ts'
export { type CaptureScript, openCaptureScript, type ScriptEncoding } from './capture-script.ts'
export { readCaptureStatus, readStoreCeiling } from './contact-limits.ts'
export { hashClient } from './post-limits.ts'
export { recordCustomerConsents, recordSignedPosts, type SignedPost } from './signed-posts.ts'
export { buildZone, openZones, type Zones } from './zones.ts'
