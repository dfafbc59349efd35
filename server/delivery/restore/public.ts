// What other rooms use.

export { type Restorable, type Restored, readRestorable, restoreCart, testRestore } from './restore.ts'
export type { RestoredItem } from './restore-rules.ts'
export { readWayBack } from './way-back-cart.ts'
