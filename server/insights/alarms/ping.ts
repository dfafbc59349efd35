import { openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import type { Deps } from '../../deps.ts'

// Pings an external monitor (dead man's switch), which raises the alarm if pings stop. Sends no store data.

const LIMIT_MS = 10_000

/** Never throws: an unreachable monitor notices the missing ping itself. */
export async function ping(deps: Pick<Deps, 'config' | 'log'>, state: 'well' | 'fail'): Promise<void> {
  const { alarmPingUrl } = deps.config
  if (!alarmPingUrl) return
  const url = pingUrl(alarmPingUrl, state)
  // The URL is the operator's setting, so a private address is allowed.
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

/** Appends `/fail` to the path and keeps the query. */
export function pingUrl(setting: string, state: 'well' | 'fail'): string {
  const url = new URL(setting)
  if (state === 'fail') url.pathname = `${url.pathname.replace(/\/$/, '')}/fail`
  return url.href
}
