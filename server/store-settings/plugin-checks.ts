import type { Check } from '../../shared/checks.ts'
import type { PluginRow } from '../plugin/plugin.ts'
import { isAlive, isPushOnly, reachReason } from '../plugin/rules.ts'

// What the doctor says of the plugin in the shop, from its last beat. Pure.

export interface PluginFindings {
  plugin: PluginRow | null
  now: Date
  streams: readonly { stream: string; failures: number; failed_at: Date | null; completed_at: Date | null }[]
}

type Said = Pick<Check, 'state' | 'finding'> & Partial<Check>

const HOUR_MS = 3_600_000
/** A beat comes every hour, as far as the shop's scheduled tasks run. */
const LATE_MS = 3 * HOUR_MS
const LATE_CRON_S = 2 * 3_600
const MANY_WAITING = 100

/** None for a store without the plugin. */
export function pluginChecks(found: PluginFindings, ago: (at: Date) => string): [string, string, Said][] {
  const { plugin } = found
  if (!plugin || plugin.ended_at) return []
  return [
    ['plugin', 'Plugin', ofCalls(plugin, found, ago)],
    ['plugin-reach', 'Recoup reaches the shop', ofReach(plugin, found)],
    ['plugin-queue', 'Plugin’s queue', ofQueue(plugin)],
    ['plugin-tasks', 'Scheduled tasks of WordPress', ofTasks(plugin)],
    ['plugin-test', 'Test cart', ofTest(plugin, ago)],
  ]
}

function ofCalls(plugin: PluginRow, { now }: PluginFindings, ago: (at: Date) => string): Said {
  const { called_at: calledAt, version, health, cart_at: cartAt } = plugin
  if (health?.isBlocked) {
    return {
      state: 'bad',
      finding: 'WordPress blocks outgoing calls to Recoup (WP_HTTP_BLOCK_EXTERNAL).',
      nextStep: 'Add Recoup’s host to WP_ACCESSIBLE_HOSTS in wp-config.php.',
    }
  }
  if (!calledAt) return { state: 'warn', finding: `Version ${version}. It has not called since it was connected.` }
  const heard = `Version ${version}. It called ${ago(calledAt)}${cartAt ? `, the last cart came ${ago(cartAt)}` : ''}.`
  if (now.getTime() - calledAt.getTime() <= LATE_MS) return { state: 'good', finding: heard }
  return {
    state: isAlive(plugin, now) ? 'warn' : 'bad',
    finding: heard,
    nextStep: 'In WordPress, check that the plugin is active, and what its screen says of its last try.',
  }
}

function ofReach(plugin: PluginRow, { streams }: PluginFindings): Said {
  const check = streams.find(({ stream }) => stream === 'order_check')
  if (plugin.is_reached === null) return { state: 'quiet', finding: 'Not tried yet.' }
  if (!isPushOnly(plugin, check)) return { state: 'good', finding: 'Recoup reads the shop with the plugin’s key.' }
  return {
    state: 'warn',
    finding: `${reachReason(plugin)} All that comes from the shop is what its plugin sends; messages leave only within a minute of a report of its orders.`,
    answer: plugin.reach_detail,
  }
}

function ofQueue({ health }: PluginRow): Said {
  if (!health) return { state: 'quiet', finding: 'The plugin has not reported it yet.' }
  const { queue, oldestS, droppedDay } = health
  const waiting = queue === 0 ? 'Nothing waits.' : `${queue} waiting, the oldest for ${minutes(oldestS)}.`
  if (droppedDay > 0) {
    return {
      state: 'warn',
      finding: `${waiting} ${droppedDay} entries were dropped or refused within a day.`,
      nextStep: 'The log says why: Status → Logs, source “recoup”.',
    }
  }
  return { state: queue > MANY_WAITING ? 'warn' : 'good', finding: waiting }
}

function ofTasks({ health }: PluginRow): Said {
  if (!health) return { state: 'quiet', finding: 'The plugin has not reported them yet.' }
  const { cronS, isCronDisabled } = health
  if (cronS !== null && cronS <= LATE_CRON_S) return { state: 'good', finding: `They ran ${minutes(cronS)} ago.` }
  const disabled = isCronDisabled ? ' WP-Cron is switched off (DISABLE_WP_CRON).' : ''
  return {
    state: 'warn',
    finding: `${cronS === null ? 'They have not run yet.' : `They ran ${minutes(cronS)} ago.`}${disabled}`,
    nextStep:
      'Ask your host to call wp-cron.php every few minutes. What waits in the queue is then sent again by itself.',
  }
}

function ofTest({ test_seen_at: seenAt, test_asked, test_seen }: PluginRow, ago: (at: Date) => string): Said {
  if (test_asked !== null && test_asked !== test_seen)
    return { state: 'quiet', finding: 'One was asked for and has not come yet.' }
  return seenAt
    ? { state: 'good', finding: `The last one came ${ago(seenAt)}.` }
    : { state: 'quiet', finding: 'None was asked for. “Send a test cart” under Plugin tries the whole way.' }
}

function minutes(seconds: number): string {
  if (seconds < 120) return seconds < 60 ? `${seconds} seconds` : 'a minute'
  const count = Math.round(seconds / 60)
  return count < 120 ? `${count} minutes` : `${Math.round(count / 60)} hours`
}
