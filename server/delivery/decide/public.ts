// What other rooms use: may this message be sent now.

export { explainByChannel, explainSkippedChannels, readChannel } from './channel-reasons.ts'
export { type AnyComposed, compose, isPush, isText } from './composing.ts'
export { backOff, type Decision } from './decide.ts'
export { type DecisionContext, type ForecastUsage, findMailRoute, getPlanLimit, type Texts } from './decision-inputs.ts'
export { loadDesigns } from './designs.ts'
export { type DecisionRow, dryRun, type Evaluation, evaluate, evaluateReach, type Ready } from './evaluate.ts'
export {
  type ClaimedRow,
  findTemplateByKey,
  hasTemplate,
  loadImagined,
  loadImaginedFor,
  loadPreview,
  loadSuppressions,
  type SampleOffer,
} from './evaluate-sql.ts'
export { explainForecast, foresee, HELD_BEHIND, type MessageForecast } from './forecast.ts'
export { hadOfSameOffer, matchingPending, matchingPurchase, selectCoupon, TEXTS_OF_CART } from './fragments.ts'
export { findCoupon } from './message-coupon.ts'
export { findQuietHours } from './quiet.ts'
export { countReach, matchesReach, type ReachDecision } from './reach-rules.ts'
export { loadSituation, type Situation } from './situation-sql.ts'
export { closeUnusable } from './unusable.ts'
export { withVariants } from './variants.ts'
