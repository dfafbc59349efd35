// What other rooms use: secret and signature of the plugin.

export { keepReported, listNeededGoods, MAX_GOODS, readReportedTerms } from './goods.ts'
export { ageGoods } from './goods-sql.ts'
export { reachJob, wakeJob, yieldJob } from './jobs.ts'
export { decryptSecrets, deleteExpiredPluginData, endPlugin, queueWake, saveSecret, wakePlugin } from './plugin.ts'
export { changePlugin, noteBatch, noteCall, type PluginRow, readPlugin, takeNonce } from './plugin-sql.ts'
export {
  canBeRead,
  computeReadAt,
  explainFirewall,
  explainReach,
  explainUnreached,
  FAILURES,
  isAlive,
  isCalling,
  isPushOnly,
  isReachUncertain,
  isReporting,
} from './rules.ts'
export { type CallHeaders, type CallName, isInTime, isSignedBy, readHeaders, signReply } from './signature.ts'
