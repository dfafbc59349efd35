import { KEYS_UNREADABLE_TEXT, type StoreProblemCode } from '../../../shared/access/store-problems.ts'
import type { Check } from '../../../shared/core/checks.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import { explainUnreached, isAlive, isPushOnly, type PluginRow } from '../../access/plugin/public.ts'

// The doctor's checks of the plugin, from its last heartbeat. Pure.

export interface PluginFindings {
  plugin: PluginRow | null
  now: Date
  /** The shop's live answer. */
  storeAnswer:
    | { kind: 'answered' }
    | { kind: 'problem'; code: StoreProblemCode | 'keys_unreadable'; detail: string | null }
  streams: readonly { stream: string; failures: number; failed_at: Date | null; completed_at: Date | null }[]
}

type CheckResult = Pick<Check, 'state' | 'finding'> & Partial<Check>

const HOUR_MS = 3_600_000
/** Heartbeats are hourly, if the shop's scheduled tasks run. */
const LATE_MS = 3 * HOUR_MS
const LATE_CRON_S = 2 * 3_600
const MANY_WAITING = 100
/** Reports come every minute. */
const LATE_REPORT_MS = 5 * 60_000

/** Empty for a store without the plugin. */
export function buildPluginChecks(found: PluginFindings, ago: (at: Date) => string): [string, string, CheckResult][] {
  const { plugin } = found
  if (!plugin || plugin.ended_at) return []
  return [
    ['plugin', 'Plugin', checkCalls(plugin, found, ago)],
    ['plugin-reach', 'Recoup reaches the shop', checkReach(plugin, found, ago)],
    ['plugin-queue', 'Plugin’s queue', checkQueue(plugin)],
    ['plugin-tasks', 'Scheduled tasks of WordPress', checkTasks(plugin, found)],
    ['plugin-test', 'Test cart', checkTest(plugin, found, ago)],
  ]
}

const isCutOff = (plugin: PluginRow, { streams }: PluginFindings): boolean =>
  isPushOnly(
    plugin,
    streams.find(({ stream }) => stream === 'order_check'),
  )

function checkCalls(plugin: PluginRow, { now }: PluginFindings, ago: (at: Date) => string): CheckResult {
  const { called_at: calledAt, version, health, cart_at: cartAt } = plugin
  if (health?.isBlocked) {
    return {
      state: 'bad',
      finding: 'WordPress blocks outgoing calls to Recoup (WP_HTTP_BLOCK_EXTERNAL).',
      nextStep: 'Add Recoup’s host to WP_ACCESSIBLE_HOSTS in wp-config.php.',
    }
  }
  if (!calledAt) return { state: 'warn', finding: `Version ${version}. No call since you connected it.` }
  const lastCall = `Version ${version}. Last call ${ago(calledAt)}${cartAt ? `, last cart ${ago(cartAt)}` : ''}.`
  if (now.getTime() - calledAt.getTime() <= LATE_MS) return { state: 'good', finding: lastCall }
  return {
    state: isAlive(plugin, now) ? 'warn' : 'bad',
    finding: lastCall,
    nextStep: 'In WordPress, check that the plugin is active. Its screen shows the last attempt.',
  }
}

/** The live answer overrides earlier observations. */
function checkReach(plugin: PluginRow, found: PluginFindings, ago: (at: Date) => string): CheckResult {
  const { streams, storeAnswer, now } = found
  const check = streams.find(({ stream }) => stream === 'order_check')
  const isUnreached = isCutOff(plugin, found)
  const canReachShop = storeAnswer.kind === 'answered'
  if (!isUnreached && canReachShop) return { state: 'good', finding: 'Recoup reads the shop with the plugin’s key.' }
  if (canReachShop) {
    return {
      state: 'quiet',
      finding: 'The shop has just answered again. Recoup reads its orders itself within a minute.',
    }
  }
  const answer = storeAnswer.detail
  const why = storeAnswer.code === 'keys_unreadable' ? KEYS_UNREADABLE_TEXT : explainUnreached(storeAnswer.code)
  if (!isUnreached)
    return { state: 'warn', finding: `${why} If this continues, the plugin reports orders, stock and prices.`, answer }
  if (plugin.reports_goods === false) {
    const finding = `${why} This version of the plugin does not report stock and prices, so cart messages are not sent.`
    return { state: 'bad', finding, answer, nextStep: pluginTexts.updatePlugin }
  }
  const reportedAt = plugin.reports_goods ? (check?.completed_at ?? null) : null
  if (reportedAt && now.getTime() - reportedAt.getTime() <= LATE_REPORT_MS) {
    const finding = `${why} The plugin reports orders, stock and prices instead, last ${ago(reportedAt)}. A due message waits for the next report. Products, customers and coupons are not read.`
    return { state: 'warn', finding, answer }
  }
  return {
    state: 'bad',
    finding: `${why} Messages wait for the plugin’s next report: ${reportedAt ? `the last one arrived ${ago(reportedAt)}` : 'none has arrived yet'}.`,
    answer,
    nextStep: pluginTexts.reportsByCron,
  }
}

function checkQueue({ health }: PluginRow): CheckResult {
  if (!health) return { state: 'quiet', finding: 'The plugin has not reported it yet.' }
  const { queue, oldestS, droppedDay } = health
  const waiting = queue === 0 ? 'The queue is empty.' : `${queue} waiting, the oldest for ${minutes(oldestS)}.`
  if (droppedDay > 0) {
    return {
      state: 'warn',
      finding: `${waiting} ${droppedDay === 1 ? '1 entry was' : `${droppedDay} entries were`} dropped or refused within a day.`,
      nextStep: 'The log says why: Status → Logs, source “recoup”.',
    }
  }
  return { state: queue > MANY_WAITING ? 'warn' : 'good', finding: waiting }
}

/** As reported with the last heartbeat. */
function checkTasks(plugin: PluginRow, found: PluginFindings): CheckResult {
  const { health, beat_at, connected_at } = plugin
  const { now } = found
  if (!health) return { state: 'quiet', finding: 'The plugin has not reported them yet.' }
  const { cronS, isCronDisabled } = health
  const sinceBeatS = beat_at ? Math.max(0, (now.getTime() - beat_at.getTime()) / 1_000) : 0
  const ranS = cronS === null ? null : Math.round(cronS + sinceBeatS)
  if (ranS !== null && ranS * 1_000 > LATE_REPORT_MS && isCutOff(plugin, found)) {
    const finding = `They ran ${minutes(ranS)} ago. Messages wait for them, because Recoup cannot reach the shop.`
    return { state: 'warn', finding, nextStep: pluginTexts.reportsByCron }
  }
  if (ranS !== null && ranS <= LATE_CRON_S) return { state: 'good', finding: `They ran ${minutes(ranS)} ago.` }
  if (ranS === null && !isCronDisabled && now.getTime() - connected_at.getTime() <= HOUR_MS) {
    return {
      state: 'quiet',
      finding: 'Not known yet: they have not run since the plugin was connected, less than an hour ago.',
    }
  }
  const disabled = isCronDisabled ? ' WP-Cron is switched off (DISABLE_WP_CRON).' : ''
  return {
    state: 'warn',
    finding: `${ranS === null ? 'They have not run yet.' : `They ran ${minutes(ranS)} ago.`}${disabled}`,
    nextStep: 'Ask your host to call wp-cron.php every few minutes. The queue is then sent automatically.',
  }
}

function checkTest(plugin: PluginRow, found: PluginFindings, ago: (at: Date) => string): CheckResult {
  const { test_seen_at: seenAt, test_asked, test_seen } = plugin
  const last = seenAt && `The last one arrived ${ago(seenAt)}.`
  if (test_asked !== null && test_asked !== test_seen) {
    const wait = isCutOff(plugin, found) ? 'comes with the plugin’s next call' : 'has not arrived yet'
    return { state: 'quiet', finding: `${last ? `${last} Another` : 'One'} was requested and ${wait}.` }
  }
  return last
    ? { state: 'good', finding: last }
    : { state: 'quiet', finding: 'No test cart yet. “Send a test cart” under Plugin tests the whole path.' }
}

function minutes(seconds: number): string {
  if (seconds < 120) return seconds < 60 ? `${seconds} seconds` : 'a minute'
  const count = Math.round(seconds / 60)
  return count < 120 ? `${count} minutes` : `${Math.round(count / 60)} hours`
}
