import { setTimeout as sleep } from 'node:timers/promises'
import { tidyAccounts } from './accounts/accounts.ts'
import {
  mailEmailChange,
  mailEmailUndo,
  mailInvitation,
  mailRegistration,
  mailReset,
  removeAccount,
} from './accounts/jobs.ts'
import {
  mailEmailChangeLink,
  mailEmailUndoLink,
  mailInvitationLink,
  mailRegistrationAttempt,
  mailResetLink,
  mailSecurityNotice,
  mailVerificationLink,
} from './accounts/mails.ts'
import { removeAccountData } from './accounts/removal.ts'
import { watchStages } from './alarms/alarms.ts'
import { countAskedBuyers } from './analytics/buyers.ts'
import { countFigures } from './analytics/figures.ts'
import { renewRanges } from './analytics/product-ranges.ts'
import { countDuePeople, foldRollups } from './analytics/rollups.ts'
import { weeklyReport } from './analytics-reports/jobs.ts'
import { mailWeeklyReport, planWeeklyReports } from './analytics-reports/weekly.ts'
import { tellUsage } from './billing/tell-usage.ts'
import { proposeLogoJob } from './brand/jobs.ts'
import { proposeLogo } from './brand/proposals.ts'
import { guardCampaigns } from './campaigns/guard.ts'
import { followJob, planRunsJob } from './campaigns/jobs.ts'
import { followCampaign, followZones, planRuns, runCampaigns } from './campaigns/runs.ts'
import { foldLeftPosts } from './capture/capture-intake.ts'
import { detectAbandoned, detectLost, detectNoResponse, tidyCounts } from './carts/detect.ts'
import { tidyBoxCounts } from './consent/box-counts.ts'
import { type Handler, on, onSteppingAside } from './core/jobs.ts'
import { enqueueDueCodes, makeCodes } from './coupon-codes/codes.ts'
import { codesJob, tidyCodesJob } from './coupon-codes/codes-jobs.ts'
import { enqueueTidyCodes, tidyCodes } from './coupon-codes/codes-tidy.ts'
import { beginCoupons, enqueueBeginnings } from './coupons/begin.ts'
import { beginCouponsJob, couponUsesJob } from './coupons/jobs.ts'
import { readUses } from './coupons/uses.ts'
import { tellCredits } from './credits/tell.ts'
import { tidyCustomerCounts } from './customers/counts.ts'
import type { Deps } from './deps.ts'
import { checkSenderKeys } from './email/sender-keys.ts'
import { countExperiments } from './experiments/experiments.ts'
import { tidyFlowCounts } from './flows/report.ts'
import { sendReply, tidyInbound } from './inbound/inbound.ts'
import { replyJob } from './inbound/jobs.ts'
import { fetchPrices } from './inbound/prices.ts'
import { runImport, tidyImports } from './ledger/import.ts'
import { consentImportJob } from './ledger/jobs.ts'
import { checkLinkHosts } from './links/link-hosts.ts'
import { deleteExpiredTokens } from './links/link-tokens.ts'
import { readMailboxes } from './mail-reports/bounce-mailbox.ts'
import { applyWaitingReports } from './mail-reports/mail-reports.ts'
import { forgetOldRequests } from './manual-sends/idempotency.ts'
import { mailNotice, mailVerification } from './members/jobs.ts'
import { sendDueMessages } from './messages/jobs.ts'
import { wakeDueStores } from './messages/scan.ts'
import { mailNotificationsTo } from './notification-mails/mails.ts'
import { gatherNotifications } from './notifications/gather.ts'
import { mailNotifications } from './notifications/jobs.ts'
import { mailDueNotifications } from './notifications/mails.ts'
import { tidyNotifications } from './notifications/tidy.ts'
import { askWaiting } from './opt-in/opt-in-request.ts'
import { endCustomer, lookAtCharge } from './payments/ending.ts'
import { chargeJob, endCustomerJob, refreshJob, trialEndingJob, waitAgainJob } from './payments/jobs.ts'
import { reconcileAccounts, refreshByJob, refreshTrial } from './payments/reconcile.ts'
import { reachJob, wakeJob, yieldJob } from './plugin/jobs.ts'
import { tidyPlugins, wakePlugin } from './plugin/plugin.ts'
import { reachShop, yieldStore } from './plugin-calls/reach.ts'
import { resumeErasures, runErasure } from './privacy/erase.ts'
import { eraseJob, retainJob } from './privacy/jobs.ts'
import { enqueueRetention, runRetention } from './privacy/retention.ts'
import { takePrivacyRequest } from './privacy/store-requests.ts'
import { endOldKeys } from './push/keys.ts'
import { closeAbandonedSends } from './send/abandoned.ts'
import { findNeedless } from './send/needless-codes.ts'
import { sendDue } from './send/send-due.ts'
import { beat, endBeat } from './send/workers.ts'
import { purgeStore } from './store-settings/stores.ts'
import { endUninstalled } from './store-settings/uninstalled.ts'
import { waitAgainByJob } from './subscribing/waiting.ts'
import { refreshCheckout } from './sync/checkouts.ts'
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
} from './sync/jobs.ts'
import { refreshCustomer, refreshProducts } from './sync/local-copies.ts'
import { enqueueDueSyncs, importStore, readNewOrders, readProfileAnew, refreshOrder, syncStore } from './sync/sync.ts'
import { ensureWebhooks } from './sync/webhooks.ts'

/** All background work, one line each. */
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
  onSteppingAside(profileJob, readProfileAnew),
  // Not aside: nothing would wake it again after an error or a crash, and messages would go on.
  on(uninstalledJob, endUninstalled),
  on(privacyJob, takePrivacyRequest),
  onSteppingAside(codesJob, async (deps, store, aside) => void (await makeCodes(deps, store, findNeedless, aside))),
  onSteppingAside(tidyCodesJob, async (deps, store, aside) => void (await tidyCodes(deps, store, aside))),
  on(planRunsJob, planRuns),
  on(followJob, followCampaign),
  onSteppingAside(wakeJob, wakePlugin),
  onSteppingAside(reachJob, reachShop),
  on(yieldJob, yieldStore),
  on(purgeJob, purgeStore),
  onSteppingAside(proposeLogoJob, proposeLogo),
  onSteppingAside(beginCouponsJob, beginCoupons),
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
  on(mailNotifications, mailNotificationsTo),
  on(weeklyReport, mailWeeklyReport),
  on(removeAccount, removeAccountData),
  on(refreshJob, refreshByJob),
  on(trialEndingJob, refreshTrial),
  on(chargeJob, lookAtCharge),
  on(endCustomerJob, endCustomer),
  on(waitAgainJob, waitAgainByJob),
  on(replyJob, sendReply),
  on(consentImportJob, runImport),
]

/** What the clock does, and how often. Several workers may run: each statement takes only what no other one has. */
export const ticks: { name: string; everyMs: number; run: (deps: Deps) => Promise<unknown> }[] = [
  { name: 'workers.beat', everyMs: 3_000, run: beat },
  { name: 'carts.posts', everyMs: 5_000, run: (deps) => foldLeftPosts(deps) },
  { name: 'carts.abandon', everyMs: 1_000, run: detectAbandoned },
  { name: 'messages.scan', everyMs: 1_000, run: wakeDueStores },
  { name: 'campaigns.run', everyMs: 1_000, run: runCampaigns },
  { name: 'campaigns.zones', everyMs: 60_000, run: followZones },
  { name: 'campaigns.guard', everyMs: 10_000, run: (deps) => guardCampaigns(deps) },
  { name: 'messages.abandoned-sends', everyMs: 3_000, run: closeAbandonedSends },
  { name: 'messages.reports', everyMs: 5_000, run: applyWaitingReports },
  { name: 'messages.requests', everyMs: 600_000, run: forgetOldRequests },
  { name: 'messages.link-tokens', everyMs: 3_600_000, run: (deps) => deleteExpiredTokens(deps) },
  { name: 'shoppers.ask', everyMs: 3_000, run: askWaiting },
  { name: 'notifications.gather', everyMs: 400, run: gatherNotifications },
  { name: 'notifications.mail', everyMs: 5_000, run: mailDueNotifications },
  { name: 'notifications.tidy', everyMs: 3_600_000, run: tidyNotifications },
  { name: 'carts.no-response', everyMs: 60_000, run: detectNoResponse },
  { name: 'carts.lose', everyMs: 60_000, run: detectLost },
  { name: 'carts.counts', everyMs: 60_000, run: tidyCounts },
  { name: 'flows.counts', everyMs: 60_000, run: tidyFlowCounts },
  { name: 'customers.counts', everyMs: 60_000, run: tidyCustomerCounts },
  { name: 'analytics.fold', everyMs: 15_000, run: foldRollups },
  { name: 'analytics.figures', everyMs: 15_000, run: countFigures },
  { name: 'analytics.buyers', everyMs: 2_000, run: countAskedBuyers },
  { name: 'analytics.ranges', everyMs: 15_000, run: renewRanges },
  { name: 'analytics.people', everyMs: 60_000, run: countDuePeople },
  { name: 'experiments.count', everyMs: 60_000, run: countExperiments },
  { name: 'analytics.weekly', everyMs: 60_000, run: planWeeklyReports },
  { name: 'stores.tick', everyMs: 60_000, run: enqueueDueSyncs },
  { name: 'coupons.codes', everyMs: 2_000, run: enqueueDueCodes },
  { name: 'coupons.tidy-codes', everyMs: 60_000, run: enqueueTidyCodes },
  { name: 'coupons.begin', everyMs: 60_000, run: enqueueBeginnings },
  { name: 'billing.usage', everyMs: 60_000, run: tellUsage },
  { name: 'credits.tell', everyMs: 60_000, run: tellCredits },
  { name: 'payments.reconcile', everyMs: 60_000, run: reconcileAccounts },
  { name: 'alarms.watch', everyMs: 60_000, run: watchStages },
  { name: 'channels.prices', everyMs: 60_000, run: fetchPrices },
  { name: 'channels.tidy', everyMs: 3_600_000, run: tidyInbound },
  { name: 'engagement.link-hosts', everyMs: 30_000, run: (deps) => checkLinkHosts(deps) },
  { name: 'channels.mailboxes', everyMs: 30_000, run: (deps) => readMailboxes(deps) },
  { name: 'channels.sender-keys', everyMs: 300_000, run: checkSenderKeys },
  { name: 'push.keys', everyMs: 3_600_000, run: endOldKeys },
  { name: 'plugin.tidy', everyMs: 600_000, run: tidyPlugins },
  { name: 'consent.tidy', everyMs: 3_600_000, run: tidyBoxCounts },
  { name: 'ledger.tidy', everyMs: 3_600_000, run: tidyImports },
  { name: 'privacy.erase', everyMs: 60_000, run: resumeErasures },
  { name: 'privacy.retain', everyMs: 60_000, run: enqueueRetention },
  { name: 'accounts.tidy', everyMs: 3_600_000, run: tidyAccounts },
]

export interface Worker {
  stop(): Promise<void>
}

/** Starts the clockwork; jobs are taken up by the queue. `stop` waits for the ticks under way. */
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
