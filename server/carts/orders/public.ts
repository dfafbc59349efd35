// What other rooms use: attribution.

export { attributeOrders, type Evidence, endOfSecond, findLastTouch, readEvidence } from './attribution.ts'
export { isCountedOrder } from './fragments.ts'
export { listParentKeys, readKnownHashes, writeOrders } from './split-orders.ts'
export type { OrderRow } from './sql.ts'
