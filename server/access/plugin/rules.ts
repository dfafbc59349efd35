import { isStoreProblem, STORE_PROBLEM_TEXT, type StoreProblemCode } from '../../../shared/access/store-problems.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import type { PluginRow } from './plugin-sql.ts'

// Pure rules of the plugin in a shop.

/** The restore page relies on a plugin that called this recently. */
const ALIVE_MS = 48 * 3_600_000

/** Connected, with a recent call. */
export function isAlive(plugin: PluginRow | undefined, now: Date): plugin is PluginRow {
  if (!plugin || plugin.ended_at) return false
  // Connecting counts as a call.
  const calledAt = plugin.called_at ?? plugin.connected_at
  return now.getTime() - calledAt.getTime() <= ALIVE_MS
}

/** A plugin in an unreached shop calls every minute. After this time without a call the shop may be down. */
const CALLING_MS = 2 * 3_600_000

export function isCalling(plugin: PluginRow | undefined, now: Date): boolean {
  const at = plugin && !plugin.ended_at ? plugin.called_at : null
  return !!at && now.getTime() - at.getTime() <= CALLING_MS
}

interface OrderCheck {
  failures: number
  failed_at: Date | null
  completed_at: Date | null
}

/** Consecutive failed reads before the shop is asked to report its orders itself. */
export const FAILURES = 3

/** Whether all data of the shop comes from its plugin. */
export function isPushOnly(plugin: Pick<PluginRow, 'is_reached'>, check: OrderCheck | undefined): boolean {
  if (plugin.is_reached !== true) return plugin.is_reached === false
  return check !== undefined && check.failures >= FAILURES
}

/** Reachability is uncertain, so the plugin should call again within a minute. */
export function isReachUncertain(plugin: Pick<PluginRow, 'is_reached'>, check: OrderCheck | undefined): boolean {
  return plugin.is_reached !== true || (check !== undefined && check.failures > 0)
}

/** After this time without a heartbeat we read the shop again, regardless of its plugin's reports. */
const REPORTING_MS = 3 * 60_000

/**
 * An unreached shop reports every minute what messages need. Reading it as well would take 20 seconds each time and
 * return nothing.
 */
export function isReporting(
  { beat_at: at, reports_goods }: Pick<PluginRow, 'beat_at' | 'reports_goods'>,
  now: Date,
): boolean {
  const ageMs = at ? now.getTime() - at.getTime() : -1
  return reports_goods === true && ageMs >= 0 && ageMs <= REPORTING_MS
}

/** Longer than the plugin's timeout, so no report was in transit for longer. */
const MAX_TRANSIT_MS = 15_000

interface Report {
  age: number
  askedAt?: string | null | undefined
  sinceAskedS?: number | null | undefined
}

/**
 * When the shop began to read what it reports, or slightly earlier (D3). Its stated age excludes transit time. The time
 * is therefore based on our request for the report; the shop's clock only measures the delay until it began.
 */
export function computeReadAt({ age, askedAt, sinceAskedS }: Report, receivedAt: Date): Date {
  const sent = receivedAt.getTime() - age * 1_000
  const requestedAt = Date.parse(askedAt ?? '')
  if (!(requestedAt <= receivedAt.getTime())) return new Date(sent - MAX_TRANSIT_MS)
  return new Date(Math.min(sent, requestedAt + (sinceAskedS ?? 0) * 1_000))
}

/** The site answers, but not as the shop that its plugin names. */
const ANSWERING: ReadonlySet<string> = new Set(['moved', 'other_account', 'bad_answer'])

/** Whether stock and prices may be read directly while no reports arrive. */
export const canBeRead = (plugin: PluginRow, now: Date): boolean =>
  plugin.is_reached === false && ANSWERING.has(plugin.reach_code ?? '') && !isReporting(plugin, now)

const FIREWALL = 'A firewall or password protection may block Recoup. Ask your host to allow Recoup’s server.'
/** A plugin's call proves that the shop's address is right, so these problems have other texts. */
const SHOP_TEXTS: Partial<Record<StoreProblemCode, string>> = {
  unreachable: `There is no response from the shop’s address. ${FIREWALL}`,
  timeout: `The shop does not answer in time. ${FIREWALL}`,
}

/** undefined: the usual text and next step apply. */
export const explainFirewall = (code: StoreProblemCode): string | undefined => SHOP_TEXTS[code]

export const explainUnreached = (code: StoreProblemCode): string =>
  SHOP_TEXTS[code] ?? `${STORE_PROBLEM_TEXT[code].sentence} ${STORE_PROBLEM_TEXT[code].nextStep}`

/** Why we cannot reach the shop, for its owner. */
export function explainReach({ reach_code: code, is_reached }: Pick<PluginRow, 'reach_code' | 'is_reached'>): string {
  if (code === 'other_account') return pluginTexts.otherAccount
  if (code && isStoreProblem(code)) return explainUnreached(code)
  return is_reached === null
    ? 'Recoup has not called the shop yet.'
    : 'The shop did not answer the last requests for its orders.'
}
