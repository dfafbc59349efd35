// What other rooms use: the store of a request.

export { forgetPreviousKeys, openStoreClient, readDeliverySecrets, saveKeys } from './access.ts'
export { chooseStore, type RequestedStore } from './choose.ts'
export { listDemoStoreUrls } from './demo-stores.ts'
export { presentStore } from './present.ts'
export { callWithTypedKeys, toAppError } from './problems.ts'
export { homeColumns, isSameStore, toProfileColumns } from './profile.ts'
export {
  addMs,
  cleanStoreName,
  computeNextTry,
  errorCodeOf,
  findNextNewOrders,
  findNextWatermark,
  findOldest,
  hasRoom,
  hasTimedOut,
  IMPORT_REACH_MS,
  isFresh,
  isHanging,
  isOnStoreHost,
  isOnStoreOrigin,
  isSameAddress,
  isShopDown,
  isWithinSecond,
  KEY_PROBLEMS,
  NIGHTLY_EVERY_MS,
  NIGHTLY_OVERLAP_MS,
  needsOwner,
  ORDER_CHECK_FRESH_MS,
  ORDER_CHECK_LIMIT_MS,
  ORDER_CHECK_OVERLAP_MS,
  ORDER_CHECK_REACH_MS,
  PENDING_HOLDS_MS,
  PENDING_LIMIT_MS,
  pickEarlier,
  pickNewest,
  RETENTION_MS,
  RETRY_AFTER_MS,
  SWEEP_EVERY_MS,
  SWEEP_OVERLAP_MS,
  subtractMs,
  WEBHOOKS_ALIVE_MS,
  WEBHOOKS_RETRY_MS,
} from './rules.ts'
export {
  deleteCredentials,
  isDemoAccount,
  listStores,
  listStoresToPurge,
  lockConnected,
  lockStore,
  readStore,
  type StoreRow,
  updateStore,
} from './sql.ts'
