// What other rooms use.

export { readBackLink } from './back-link-cart.ts'
export { type Restorable, type RestoreResult, readRestorable, restoreCart, testRestore } from './restore.ts'
export type { RestoredItem } from './restore-rules.ts'
