// What other rooms use: rows and states.

export {
  answeredState,
  becomesAccepted,
  becomesCancelled,
  becomesClaimed,
  becomesDelivered,
  becomesDue,
  becomesFailed,
  becomesScheduled,
  becomesSending,
  becomesSkipped,
  countByState,
  hasBounced,
  hasWorker,
  isAccepted,
  isClaimed,
  isDelivered,
  isFailed,
  isHeld,
  isMovedByReport,
  isOpen,
  isRunningCampaign,
  isSending,
  isUnknown,
  mayArrive,
  reportedState,
  SCHEDULED,
  selectFirstMailsSince,
  selectNewestSend,
  selectOpenTo,
  selectOutcome,
  sendingOfCart,
  wasAccepted,
  wasAttempted,
  wasEverAttempted,
} from './fragments.ts'
export { sendDueMessages } from './jobs.ts'
export { readLastMessage } from './last-message.ts'
export {
  cancelCartMessages,
  cancelOpenMessages,
  correctCancelReason,
  mergeCartMessages,
  retimeFlowMessages,
  scheduleFlowMessages,
  wakeAfterOrderCheck,
  wakeCartMessages,
  wakeMessages,
  wakeMessagesToAddresses,
  wakeRequestedMessages,
} from './messages.ts'
export { planMessages } from './plan.ts'
export { cancelDuplicates as mergeShopperMessages, type PlannedMessage } from './plan-sql.ts'
export { wakeDueStores } from './scan.ts'
export {
  countHeldByPlan,
  requestWake as wakeStoreMessages,
  requestWakeOfStores as wakeMessagesOf,
  retimeEdited as retimeEditedMessages,
  setNextDue as scheduleNextRun,
  spaceNextSteps,
} from './sql.ts'
export {
  countParts,
  describeState,
  findPart,
  findProgress,
  findTextStatus,
  isCancelled,
  isFailedState,
  isOpenState,
  listStates,
  stateAfterAnswer,
  stateAfterDecision,
} from './state-rules.ts'
export { applyEditedSteps } from './steps.ts'
export { cancelFlow as cancelFlowMessages } from './steps-sql.ts'
export {
  findMessageRecipient,
  lockMessageShopper,
  readLanguage,
  setAddress,
  setUnsubscribed,
  skipOpenMessagesTo,
} from './track-sql.ts'
