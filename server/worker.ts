import { setTimeout as sleep } from 'node:timers/promises'
import { tidyAccounts } from './accounts/accounts.ts'
import {
  mailEmailChange,
  mailInvitation,
  mailNotice,
  mailRegistration,
  mailReset,
  removeAccount,
} from './accounts/jobs.ts'
import {
  mailEmailChangeLink,
  mailInvitationLink,
  mailRegistrationAttempt,
  mailResetLink,
  mailSecurityNotice,
} from './accounts/mails.ts'
import { removeAccountData } from './accounts/removal.ts'
import { watchStages } from './alarms/alarms.ts'
import { countDuePeople, foldRollups } from './analytics/rollups.ts'
import { foldLeftPosts } from './carts/capture-intake.ts'
import { detectAbandoned, detectLost, detectNoResponse, tidyCounts } from './carts/detect.ts'
import { readMailboxes } from './channels/bounce-mailbox.ts'
import { sendReply, tidyInbound } from './channels/inbound.ts'
import { replyJob } from './channels/jobs.ts'
import { fetchPrices } from './channels/prices.ts'
import { checkSenderKeys } from './channels/sender-keys.ts'
import type { Deps } from './deps.ts'
import { beat, endBeat } from './instance/workers.ts'
import { type Handler, on } from './jobs.ts'
import { runImport, tidyImports } from './ledger/import.ts'
import { consentImportJob } from './ledger/jobs.ts'
import { sendDue } from './messages/deliver.ts'
import { closeAbandonedFlights } from './messages/flights.ts'
import { sendDueMessages } from './messages/jobs.ts'
import { applyWaitingReports } from './messages/mail-reports.ts'
import { forgetOldRequests } from './messages/repeatable.ts'
import { wakeDueStores } from './messages/scan.ts'
import { resumeErasures, runErasure } from './persons/erase.ts'
import { eraseJob } from './persons/jobs.ts'
import { askWaiting } from './shoppers/question.ts'
import { importJob, orderJob, purgeJob, syncJob, webhooksJob } from './stores/jobs.ts'
import { purgeStore } from './stores/stores.ts'
import { enqueueDueSyncs, importStore, refreshOrder, syncStore } from './stores/sync.ts'
import { ensureWebhooks } from './stores/webhooks.ts'
import { checkLinkHosts } from './visits/link-hosts.ts'

/** All background work, one line each. */
export const handlers: Handler[] = [
  on(sendDueMessages, sendDue),
  on(importJob, importStore),
  on(syncJob, syncStore),
  on(orderJob, refreshOrder),
  on(webhooksJob, ensureWebhooks),
  on(purgeJob, purgeStore),
  on(eraseJob, runErasure),
  on(mailReset, mailResetLink),
  on(mailRegistration, mailRegistrationAttempt),
  on(mailInvitation, mailInvitationLink),
  on(mailEmailChange, mailEmailChangeLink),
  on(mailNotice, mailSecurityNotice),
  on(removeAccount, removeAccountData),
  on(replyJob, sendReply),
  on(consentImportJob, runImport),
]

/** What the clock does, and how often. Several workers may run: each statement takes only what no other one has. */
const ticks: { name: string; everyMs: number; run: (deps: Deps) => Promise<unknown> }[] = [
  { name: 'workers.beat', everyMs: 3_000, run: beat },
  { name: 'carts.posts', everyMs: 5_000, run: (deps) => foldLeftPosts(deps) },
  { name: 'carts.abandon', everyMs: 1_000, run: detectAbandoned },
  { name: 'messages.scan', everyMs: 1_000, run: wakeDueStores },
  { name: 'messages.flights', everyMs: 3_000, run: closeAbandonedFlights },
  { name: 'messages.reports', everyMs: 5_000, run: applyWaitingReports },
  { name: 'messages.requests', everyMs: 600_000, run: forgetOldRequests },
  { name: 'shoppers.ask', everyMs: 3_000, run: askWaiting },
  { name: 'carts.no-response', everyMs: 60_000, run: detectNoResponse },
  { name: 'carts.lose', everyMs: 60_000, run: detectLost },
  { name: 'carts.counts', everyMs: 60_000, run: tidyCounts },
  { name: 'analytics.fold', everyMs: 15_000, run: foldRollups },
  { name: 'analytics.people', everyMs: 60_000, run: countDuePeople },
  { name: 'stores.tick', everyMs: 60_000, run: enqueueDueSyncs },
  { name: 'alarms.watch', everyMs: 60_000, run: watchStages },
  { name: 'channels.prices', everyMs: 60_000, run: fetchPrices },
  { name: 'channels.tidy', everyMs: 3_600_000, run: tidyInbound },
  { name: 'visits.link-hosts', everyMs: 30_000, run: (deps) => checkLinkHosts(deps) },
  { name: 'channels.mailboxes', everyMs: 30_000, run: (deps) => readMailboxes(deps) },
  { name: 'channels.sender-keys', everyMs: 300_000, run: checkSenderKeys },
  { name: 'ledger.tidy', everyMs: 3_600_000, run: tidyImports },
  { name: 'persons.erase', everyMs: 60_000, run: resumeErasures },
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
