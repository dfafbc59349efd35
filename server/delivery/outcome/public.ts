// What other rooms use: answers and delivery reports.

export { applyReports, recordDeliveryReport, recordInbound } from './delivery.ts'
export {
  buildOutcomeRow,
  mayHaveArrived,
  needsNextRun,
  recordOutcomes,
  type SendResult,
  type SentRow,
  type SettleContext,
} from './outcome.ts'
export { markNotificationDelivered, type OutcomeRow, undoBadge } from './outcome-sql.ts'
