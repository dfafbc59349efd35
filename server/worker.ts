import { setTimeout as sleep } from 'node:timers/promises'
import { mailNotice, mailVerification } from './access/members/public.ts'
import {
  deleteOldNotifications,
  groupNotifications,
  mailDueNotifications,
  mailNotifications,
} from './access/notifications/public.ts'
import { deleteExpiredPluginData, reachJob, wakeJob, wakePlugin, yieldJob } from './access/plugin/public.ts'
import { notifyUsage } from './billing/billing/public.ts'
import { notifyLowCredits } from './billing/credits/public.ts'
import {
  chargeJob,
  endCustomer,
  endCustomerJob,
  handleCharge,
  reconcileAccounts,
  refreshByJob,
  refreshJob,
  refreshTrial,
  trialEndingJob,
  waitAgainJob,
} from './billing/payments/public.ts'
import { restoreByJob } from './billing/subscribing/public.ts'
import { proposeLogo, proposeLogoJob } from './carts/brand/public.ts'
import { foldStalePosts } from './carts/capture/public.ts'
import { compactCartCounts, detectAbandoned, detectLost, detectNoResponse } from './carts/carts/public.ts'
import {
  codesJob,
  createCodes,
  deleteUnneededCodes,
  enqueueCodeCleanups,
  enqueueDueCodes,
  tidyCodesJob,
} from './carts/coupon-codes/public.ts'
import { beginCouponsJob, couponUsesJob, enqueueStarts, readUses, startCoupons } from './carts/coupons/public.ts'
import { countExperiments } from './carts/experiments/public.ts'
import { checkLinkHosts, deleteExpiredTokens } from './carts/links/public.ts'
import {
  checkoutJob,
  customerJob,
  enqueueDueSyncs,
  ensureWebhooks,
  importJob,
  importStore,
  newOrdersJob,
  orderJob,
  privacyJob,
  productsJob,
  profileJob,
  purgeJob,
  readNewOrders,
  refreshCheckout,
  refreshCustomer,
  refreshOrder,
  refreshProducts,
  rereadProfile,
  syncJob,
  syncStore,
  uninstalledJob,
  webhooksJob,
} from './carts/sync/public.ts'
import { type Handler, type LookLease, on, onReleasingSlot, openLookLease } from './core/jobs/jobs.ts'
import { checkSenderKeys } from './delivery/email/public.ts'
import { fetchPrices, replyJob, sendReply, tidyInbound } from './delivery/inbound/public.ts'
import { applyWaitingReports, readMailboxes } from './delivery/mail-reports/public.ts'
import { sendOptInRequests } from './delivery/opt-in/public.ts'
import { endOldKeys } from './delivery/push/public.ts'
import { beat, closeAbandonedSends, endBeat, findUnneededCodes, sendDue } from './delivery/send/public.ts'
import type { Deps } from './deps.ts'
import { watchStages } from './insights/alarms/alarms.ts'
import {
  countDuePeople,
  countFigures,
  countRequestedBuyers,
  foldRollups,
  renewRanges,
} from './insights/analytics/public.ts'
import {
  followCampaign,
  followJob,
  followZones,
  guardCampaigns,
  planRuns,
  planRunsJob,
  runCampaigns,
} from './marketing/campaigns/public.ts'
import { foldCustomerListCounts } from './marketing/customers/public.ts'
import { foldFlowCounts } from './marketing/flows/public.ts'
import { consentImportJob, deleteOldImports, runImport } from './marketing/ledger/public.ts'
import { deleteExpiredRequests } from './marketing/manual-sends/public.ts'
import { sendDueMessages, wakeDueStores } from './messages/messages/public.ts'
import { deleteOldBoxCounts } from './shoppers/consent/public.ts'
import {
  cleanUpAccounts,
  mailEmailChange,
  mailEmailChangeLink,
  mailEmailUndo,
  mailEmailUndoLink,
  mailInvitation,
  mailInvitationLink,
  mailOwnerInvitation,
  mailOwnerInvitationLink,
  mailRegistration,
  mailRegistrationAttempt,
  mailReset,
  mailResetLink,
  mailSecurityNotice,
  mailVerificationLink,
  removeAccount,
  removeAccountData,
} from './workspace/accounts/public.ts'
import { mailWeeklyReport, planWeeklyReports, weeklyReport } from './workspace/analytics-reports/public.ts'
import { sendNotificationMail } from './workspace/notification-mails/public.ts'
import { reachShop, yieldStore } from './workspace/plugin-calls/public.ts'
import {
  enqueueRetention,
  eraseJob,
  handlePrivacyRequest,
  resumeErasures,
  retainJob,
  runErasure,
  runRetention,
} from './workspace/privacy/public.ts'
import { disconnectUninstalled, purgeStore } from './workspace/store-settings/public.ts'

/** All background jobs, one line each. */
export const handlers: Handler[] = [
  onReleasingSlot(sendDueMessages, sendDue),
  onReleasingSlot(importJob, importStore),
  onReleasingSlot(syncJob, syncStore),
  on(orderJob, refreshOrder),
  onReleasingSlot(newOrdersJob, readNewOrders),
  onReleasingSlot(webhooksJob, ensureWebhooks),
  on(checkoutJob, refreshCheckout),
  on(customerJob, refreshCustomer),
  onReleasingSlot(productsJob, refreshProducts),
  onReleasingSlot(profileJob, rereadProfile),
  // Must not release its slot: after an error or a crash it would not be started again, and sending would continue.
  on(uninstalledJob, disconnectUninstalled),
  on(privacyJob, handlePrivacyRequest),
  onReleasingSlot(
    codesJob,
    async (deps, store, releaseSlot) => void (await createCodes(deps, store, findUnneededCodes, releaseSlot)),
  ),
  onReleasingSlot(
    tidyCodesJob,
    async (deps, store, releaseSlot) => void (await deleteUnneededCodes(deps, store, releaseSlot)),
  ),
  on(planRunsJob, planRuns),
  on(followJob, followCampaign),
  onReleasingSlot(wakeJob, wakePlugin),
  onReleasingSlot(reachJob, reachShop),
  on(yieldJob, yieldStore),
  on(purgeJob, purgeStore),
  onReleasingSlot(proposeLogoJob, proposeLogo),
  onReleasingSlot(beginCouponsJob, startCoupons),
  onReleasingSlot(couponUsesJob, readUses),
  on(eraseJob, runErasure),
  on(retainJob, runRetention),
  on(mailReset, mailResetLink),
  on(mailRegistration, mailRegistrationAttempt),
  on(mailVerification, mailVerificationLink),
  on(mailInvitation, mailInvitationLink),
  on(mailOwnerInvitation, mailOwnerInvitationLink),
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

interface Tick {
  name: string
  everyMs: number
  run: (deps: Deps) => Promise<unknown>
}

/**
 * All periodic work and its interval. One of several workers does it, the one with the lease. Should two do it for a
 * moment, each statement takes only rows that no other worker holds.
 */
export const ticks: Tick[] = [
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
  const lease = openLookLease(deps)
  const stopping = new AbortController()
  const own = [
    { name: 'workers.beat', everyMs: 3_000, run: beat },
    { name: 'workers.lease', everyMs: 1_000, run: () => lease.renew() },
  ]
  const loops = [
    ...own.map((tick) => repeat(deps, tick, stopping.signal)),
    ...ticks.map((tick) => repeat(deps, tick, stopping.signal, lease)),
  ]
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await lease.release()
      await endBeat(deps)
    },
  }
}

const CHECK_LEASE_MS = 250

/** With `lease`: only while this worker holds it. */
async function repeat(deps: Deps, tick: Tick, stopping: AbortSignal, lease?: LookLease): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping }).catch(() => {})
  while (!stopping.aborted) {
    if (lease && !lease.isHeld()) {
      await pause(CHECK_LEASE_MS)
      continue
    }
    try {
      await tick.run(deps)
    } catch (error) {
      deps.log.error({ err: error }, `${tick.name}.failed`)
    }
    await pause(tick.everyMs)
  }
}
