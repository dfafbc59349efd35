import type { Deps } from '../../deps.ts'
import { openGuardedHttp } from '../../core/net/guarded-fetch.ts'

// The dead man's switch: somebody outside who misses us when we fall silent altogether. Nothing of a store goes there.

const LIMIT_MS = 10_000

/** Never throws: an unreachable switch notices by itself. */
export async function ping(deps: Pick<Deps, 'config' | 'log'>, state: 'well' | 'fail'): Promise<void> {
  const { alarmPingUrl } = deps.config
  if (!alarmPingUrl) return
  const url = pingUrl(alarmPingUrl, state)
  // The operator's own setting: it may well be a machine next to this one.
  const http = openGuardedHttp({ allowPrivate: true, totalTimeoutMs: LIMIT_MS, maxBytes: 100_000 })
  try {
    const { status } = await http.fetch(url, { timeoutMs: LIMIT_MS })
    if (status >= 400) deps.log.warn({ status }, 'alarm.ping_refused')
  } catch (error) {
    deps.log.warn({ problem: String(error) }, 'alarm.ping_failed')
  } finally {
    await http.close()
  }
}

/** `/fail` goes behind the path; a query stays where it is. */
export function pingUrl(setting: string, state: 'well' | 'fail'): string {
  const url = new URL(setting)
  if (state === 'fail') url.pathname = `${url.pathname.replace(/\/$/, '')}/fail`
  return url.href
}
