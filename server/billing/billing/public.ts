// What other rooms use: plans, limits, usage.

export {
  type AccountPlan,
  chooseFreePlan,
  findSeller,
  loadPlan,
  parsePlanKey,
  refuseDemo,
  setPlanByOperator,
} from './billing.ts'
export { applyDefaultPlan, assignDefaultPlan } from './default-plan.ts'
export { loadEntitlements, requireFeature } from './entitlements.ts'
export { type ChosenPlan, selectChosenPlan, selectPlanInForce } from './fragments.ts'
export { loadMonthlyPrice } from './price.ts'
export { listStoreRests, lockStores, saveRestingOrder, updateResting } from './resting.ts'
export { explainNoRoom } from './room.ts'
export { billingRoutes } from './routes.ts'
export { computeLimits, computePlanLimits, formatMonth, hasFeature, type InForce, startOfNextMonth } from './rules.ts'
export { resumeAccount, suspendAccount } from './suspension.ts'
export { canStartTrial, claimTrial } from './trials.ts'
export { loadUsage } from './usage.ts'
export { notifyUsage } from './usage-notices.ts'
export { addUsage, lockUsage } from './usage-sql.ts'
