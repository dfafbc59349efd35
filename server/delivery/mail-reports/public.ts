// What other rooms use: bounces, complaints.

export { listenForBounces } from './bounce-intake.ts'
export { readMailboxes, removeMailbox, saveMailbox, viewMailbox } from './bounce-mailbox.ts'
export { mailEventRoutes } from './mail-event-routes.ts'
export { applyWaitingReports } from './mail-reports.ts'
