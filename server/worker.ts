import { setTimeout as sleep } from 'node:timers/promises'
import { mailNotice, mailVerification } from './access/members/jobs.ts'
import { groupNotifications } from './access/notifications/group.ts'
import { mailNotifications } from './access/notifications/jobs.ts'
import { mailDueNotifications } from './access/notifications/mails.ts'
import { deleteOldNotifications } from './access/notifications/tidy.ts'
import { reachJob, wakeJob, yieldJob } from './access/plugin/jobs.ts'
import { deleteExpiredPluginData, wakePlugin } from './access/plugin/plugin.ts'
import { notifyUsage } from './billing/billing/usage-notices.ts'
import { notifyLowCredits } from './billing/credits/notices.ts'
import { endCustomer, handleCharge } from './billing/payments/ending.ts'
import { chargeJob, endCustomerJob, refreshJob, trialEndingJob, waitAgainJob } from './billing/payments/jobs.ts'
import { reconcileAccounts, refreshByJob, refreshTrial } from './billing/payments/reconcile.ts'
import { restoreByJob } from './billing/subscribing/waiting-plan.ts'
import { proposeLogoJob } from './carts/brand/jobs.ts'
import { proposeLogo } from './carts/brand/proposals.ts'
import { foldStalePosts } from './carts/capture/capture-intake.ts'
import { compactCartCounts, detectAbandoned, detectLost, detectNoResponse } from './carts/carts/detect.ts'
import { createCodes, enqueueDueCodes } from './carts/coupon-codes/codes.ts'
import { codesJob, tidyCodesJob } from './carts/coupon-codes/codes-jobs.ts'
import { deleteUnneededCodes, enqueueCodeCleanups } from './carts/coupon-codes/codes-tidy.ts'
import { beginCouponsJob, couponUsesJob } from './carts/coupons/jobs.ts'
import { enqueueStarts, startCoupons } from './carts/coupons/start.ts'
import { readUses } from './carts/coupons/uses.ts'
import { countExperiments } from './carts/experiments/experiments.ts'
import { checkLinkHosts } from './carts/links/link-hosts.ts'
import { deleteExpiredTokens } from './carts/links/link-tokens.ts'
import { refreshCheckout } from './carts/sync/checkouts.ts'
import {
  checkoutJob,
  customerJob,
  importJob,
  newOrdersJob,
  orderJob,
  privacyJob,
  productsJob,
  profileJob,
  purgeJob,
  syncJob,
  uninstalledJob,
  webhooksJob,
} from './carts/sync/jobs.ts'
import { refreshCustomer, refreshProducts } from './carts/sync/local-copies.ts'
import {
  enqueueDueSyncs,
  importStore,
  readNewOrders,
  refreshOrder,
  rereadProfile,
  syncStore,
} from './carts/sync/sync.ts'
import { ensureWebhooks } from './carts/sync/webhooks.ts'
import { type Handler, on, onSteppingAside } from './core/jobs/jobs.ts'
import { checkSenderKeys } from './delivery/email/sender-keys.ts'
import { sendReply, tidyInbound } from './delivery/inbound/inbound.ts'
import { replyJob } from './delivery/inbound/jobs.ts'
import { fetchPrices } from './delivery/inbound/prices.ts'
import { readMailboxes } from './delivery/mail-reports/bounce-mailbox.ts'
import { applyWaitingReports } from './delivery/mail-reports/mail-reports.ts'
import { sendOptInRequests } from './delivery/opt-in/opt-in-request.ts'
import { endOldKeys } from './delivery/push/keys.ts'
import { closeAbandonedSends } from './delivery/send/abandoned.ts'
import { findUnneededCodes } from './delivery/send/needless-codes.ts'
import { sendDue } from './delivery/send/send-due.ts'
import { beat, endBeat } from './delivery/send/workers.ts'
import type { Deps } from './deps.ts'
import { watchStages } from './insights/alarms/alarms.ts'
import { countRequestedBuyers } from './insights/analytics/buyers.ts'
import { countFigures } from './insights/analytics/figures.ts'
import { renewRanges } from './insights/analytics/product-ranges.ts'
import { countDuePeople, foldRollups } from './insights/analytics/rollups.ts'
import { guardCampaigns } from './marketing/campaigns/guard.ts'
import { followJob, planRunsJob } from './marketing/campaigns/jobs.ts'
import { followCampaign, followZones, planRuns, runCampaigns } from './marketing/campaigns/runs.ts'
import { foldCustomerListCounts } from './marketing/customers/counts.ts'
import { foldFlowCounts } from './marketing/flows/report.ts'
import { deleteOldImports, runImport } from './marketing/ledger/import.ts'
import { consentImportJob } from './marketing/ledger/jobs.ts'
import { deleteExpiredRequests } from './marketing/manual-sends/idempotency.ts'
import { sendDueMessages } from './messages/messages/jobs.ts'
import { wakeDueStores } from './messages/messages/scan.ts'
import { deleteOldBoxCounts } from './shoppers/consent/box-counts.ts'
import { cleanUpAccounts } from './workspace/accounts/accounts.ts'
import {
  mailEmailChange,
  mailEmailUndo,
  mailInvitation,
  mailRegistration,
  mailReset,
  removeAccount,
} from './workspace/accounts/jobs.ts'
import {
  mailEmailChangeLink,
  mailEmailUndoLink,
  mailInvitationLink,
  mailRegistrationAttempt,
  mailResetLink,
  mailSecurityNotice,
  mailVerificationLink,
} from './workspace/accounts/mails.ts'
import { removeAccountData } from './workspace/accounts/removal.ts'
import { weeklyReport } from './workspace/analytics-reports/jobs.ts'
import { mailWeeklyReport, planWeeklyReports } from './workspace/analytics-reports/weekly.ts'
import { sendNotificationMail } from './workspace/notification-mails/mails.ts'
import { reachShop, yieldStore } from './workspace/plugin-calls/reach.ts'
import { resumeErasures, runErasure } from './workspace/privacy/erase.ts'
import { eraseJob, retainJob } from './workspace/privacy/jobs.ts'
import { enqueueRetention, runRetention } from './workspace/privacy/retention.ts'
import { handlePrivacyRequest } from './workspace/privacy/store-requests.ts'
import { purgeStore } from './workspace/store-settings/stores.ts'
import { disconnectUninstalled } from './workspace/store-settings/uninstalled.ts'

/** All background jobs, one line each. */
export const handlers: Handler[] = [
  onSteppingAside(sendDueMessages, sendDue),
  onSteppingAside(importJob, importStore),
  onSteppingAside(syncJob, syncStore),
  on(orderJob, refreshOrder),
  onSteppingAside(newOrdersJob, readNewOrders),
  onSteppingAside(webhooksJob, ensureWebhooks),
  on(checkoutJob, refreshCheckout),
  on(customerJob, refreshCustomer),
  onSteppingAside(productsJob, refreshProducts),
  onSteppingAside(profileJob, rereadProfile),
  // Must not step aside: after an error or a crash nothing would start it again, and messages would still be sent.
  on(uninstalledJob, disconnectUninstalled),
  on(privacyJob, handlePrivacyRequest),
  onSteppingAside(
    codesJob,
    async (deps, store, aside) => void (await createCodes(deps, store, findUnneededCodes, aside)),
  ),
  onSteppingAside(tidyCodesJob, async (deps, store, aside) => void (await deleteUnneededCodes(deps, store, aside))),
  on(planRunsJob, planRuns),
  on(followJob, followCampaign),
  onSteppingAside(wakeJob, wakePlugin),
  onSteppingAside(reachJob, reachShop),
  on(yieldJob, yieldStore),
  on(purgeJob, purgeStore),
  onSteppingAside(proposeLogoJob, proposeLogo),
  onSteppingAside(beginCouponsJob, startCoupons),
  onSteppingAside(couponUsesJob, readUses),
  on(eraseJob, runErasure),
  on(retainJob, runRetention),
  on(mailReset, mailResetLink),
  on(mailRegistration, mailRegistrationAttempt),
  on(mailVerification, mailVerificationLink),
  on(mailInvitation, mailInvitationLink),
  on(mailEmailChange, mailEmailChangeLink),
  on(mailEmailUndo, mailEmailUndoLink),
  on(mailNotice, mailSecurityNotice),
  on(mailNotifications, sendNotificationMail),
  on(weeklyReport, mailWeeklyReport),
  on(removeAccount, removeAccountData),
  on(refreshJob, refreshByJob),
  on(trialEndingJob, refreshTrial),
  on(chargeJob, handleCharge),
  on(endCustomerJob, endCustomer),
  on(waitAgainJob, restoreByJob),
  on(replyJob, sendReply),
  on(consentImportJob, runImport),
]

/**
 * All periodic work and its interval. Several workers may run: each statement takes only rows that no other worker
 * holds.
 */
export const ticks: { name: string; everyMs: number; run: (deps: Deps) => Promise<unknown> }[] = [
  { name: 'workers.beat', everyMs: 3_000, run: beat },
  { name: 'carts.posts', everyMs: 5_000, run: (deps) => foldStalePosts(deps) },
  { name: 'carts.abandon', everyMs: 1_000, run: detectAbandoned },
  { name: 'messages.scan', everyMs: 1_000, run: wakeDueStores },
  { name: 'campaigns.run', everyMs: 1_000, run: runCampaigns },
  { name: 'campaigns.zones', everyMs: 60_000, run: followZones },
  { name: 'campaigns.guard', everyMs: 10_000, run: (deps) => guardCampaigns(deps) },
  { name: 'messages.abandoned-sends', everyMs: 3_000, run: closeAbandonedSends },
  { name: 'messages.reports', everyMs: 5_000, run: applyWaitingReports },
  { name: 'messages.requests', everyMs: 600_000, run: deleteExpiredRequests },
  { name: 'messages.link-tokens', everyMs: 3_600_000, run: (deps) => deleteExpiredTokens(deps) },
  { name: 'shoppers.ask', everyMs: 3_000, run: sendOptInRequests },
  { name: 'notifications.gather', everyMs: 400, run: groupNotifications },
  { name: 'notifications.mail', everyMs: 5_000, run: mailDueNotifications },
  { name: 'notifications.tidy', everyMs: 3_600_000, run: deleteOldNotifications },
  { name: 'carts.no-response', everyMs: 60_000, run: detectNoResponse },
  { name: 'carts.lose', everyMs: 60_000, run: detectLost },
  { name: 'carts.counts', everyMs: 60_000, run: compactCartCounts },
  { name: 'flows.counts', everyMs: 60_000, run: foldFlowCounts },
  { name: 'customers.counts', everyMs: 60_000, run: foldCustomerListCounts },
  { name: 'analytics.fold', everyMs: 15_000, run: foldRollups },
  { name: 'analytics.figures', everyMs: 15_000, run: countFigures },
  { name: 'analytics.buyers', everyMs: 2_000, run: countRequestedBuyers },
  { name: 'analytics.ranges', everyMs: 15_000, run: renewRanges },
  { name: 'analytics.people', everyMs: 60_000, run: countDuePeople },
  { name: 'experiments.count', everyMs: 60_000, run: countExperiments },
  { name: 'analytics.weekly', everyMs: 60_000, run: planWeeklyReports },
  { name: 'stores.tick', everyMs: 60_000, run: enqueueDueSyncs },
  { name: 'coupons.codes', everyMs: 2_000, run: enqueueDueCodes },
  { name: 'coupons.tidy-codes', everyMs: 60_000, run: enqueueCodeCleanups },
  { name: 'coupons.begin', everyMs: 60_000, run: enqueueStarts },
  { name: 'billing.usage', everyMs: 60_000, run: notifyUsage },
  { name: 'credits.tell', everyMs: 60_000, run: notifyLowCredits },
  { name: 'payments.reconcile', everyMs: 60_000, run: reconcileAccounts },
  { name: 'alarms.watch', everyMs: 60_000, run: watchStages },
  { name: 'channels.prices', everyMs: 60_000, run: fetchPrices },
  { name: 'channels.tidy', everyMs: 3_600_000, run: tidyInbound },
  { name: 'engagement.link-hosts', everyMs: 30_000, run: (deps) => checkLinkHosts(deps) },
  { name: 'channels.mailboxes', everyMs: 30_000, run: (deps) => readMailboxes(deps) },
  { name: 'channels.sender-keys', everyMs: 300_000, run: checkSenderKeys },
  { name: 'push.keys', everyMs: 3_600_000, run: endOldKeys },
  { name: 'plugin.tidy', everyMs: 600_000, run: deleteExpiredPluginData },
  { name: 'consent.tidy', everyMs: 3_600_000, run: deleteOldBoxCounts },
  { name: 'ledger.tidy', everyMs: 3_600_000, run: deleteOldImports },
  { name: 'privacy.erase', everyMs: 60_000, run: resumeErasures },
  { name: 'privacy.retain', everyMs: 60_000, run: enqueueRetention },
  { name: 'accounts.tidy', everyMs: 3_600_000, run: cleanUpAccounts },
]

export interface Worker {
  stop(): Promise<void>
}

/** Starts the ticks; the queue runs the jobs. `stop` waits for running ticks. */
export async function startWorker(deps: Deps): Promise<Worker> {
  await beat(deps)
  const stopping = new AbortController()
  const loops = ticks.map((tick) => repeat(deps, tick, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await endBeat(deps)
    },
  }
}

async function repeat(deps: Deps, tick: (typeof ticks)[number], stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await tick.run(deps)
    } catch (error) {
      deps.log.error({ err: error }, `${tick.name}.failed`)
    }
    await sleep(tick.everyMs, undefined, { signal: stopping }).catch(() => {})
  }
}
