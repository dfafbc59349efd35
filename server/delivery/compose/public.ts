// What other rooms use: its content.

export {
  buildFeedbackId,
  type ComposedMail,
  composeEmail,
  createRestoreToken,
  outgoingEmail,
  type ShownProduct,
} from './compose.ts'
export { type ComposedPush, composePush, toTopic } from './compose-push.ts'
export { type ComposedText, composeText } from './compose-text.ts'
export type { DisplayedCoupon } from './coupon-text.ts'
export { buildCurrentContents, isAllUnavailable, isUnknown } from './goods-rules.ts'
export { assertTextRenders, findTextProblem, type TextProblem } from './own-text.ts'
