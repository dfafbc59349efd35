import { pluginTexts } from '../../shared/plugin.ts'
import { isStoreProblem, STORE_PROBLEM_TEXT } from '../../shared/store-problems.ts'
import type { PluginRow } from './plugin-sql.ts'

// The plugin in a shop: pure rules.

/** The restore page relies on a plugin that has called this recently. */
const ALIVE_MS = 48 * 3_600_000

/** Connected, and heard from lately. */
export function isAlive(plugin: PluginRow | undefined, now: Date): plugin is PluginRow {
  const calledAt = plugin?.called_at
  return Boolean(calledAt && !plugin.ended_at && now.getTime() - calledAt.getTime() <= ALIVE_MS)
}

interface OrderCheck {
  failures: number
  failed_at: Date | null
  completed_at: Date | null
}

/** So many readings in a row have to fail before the shop is asked to report its orders itself. */
const FAILURES = 3

/** All that comes from the shop is what its plugin sends. */
export function isPushOnly(plugin: Pick<PluginRow, 'is_reached'>, check: OrderCheck | undefined): boolean {
  if (plugin.is_reached !== true) return plugin.is_reached === false
  return check !== undefined && check.failures >= FAILURES
}

/** Why we do not reach the shop, for its owner. */
export function reachReason({ reach_code: code, is_reached }: Pick<PluginRow, 'reach_code' | 'is_reached'>): string {
  if (code === 'other_account') return pluginTexts.otherAccount
  if (code && isStoreProblem(code)) return `${STORE_PROBLEM_TEXT[code].sentence} ${STORE_PROBLEM_TEXT[code].nextStep}`
  return is_reached === null
    ? 'Recoup has not called the shop yet.'
    : 'The shop did not answer the last times it was asked for its orders.'
}
