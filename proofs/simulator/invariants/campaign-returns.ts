import type { Harness } from '../harness.ts'
import { PAUSE_LIMITS } from '../play-campaigns.ts'
import type { Message, State } from '../state.ts'
import { type Invariant, OPEN } from './scene.ts'

// Report and Guard: recounts campaign reports, and checks that exactly the campaigns with too many bounces or
// complaints are paused.

const PARTS: Record<string, readonly string[]> = {
  planned: [],
  waiting: ['scheduled', 'claimed'],
  held: ['held'],
  inFlight: ['sending'],
  sent: ['sent', 'delivered'],
  skipped: ['skipped'],
  failed: ['failed'],
  unknown: ['unknown'],
  cancelled: ['cancelled'],
}

export const checkReport: Invariant = ({ harness, state }) =>
  [...harness.reports].flatMap(([id, { counts, runs, orders, revenue, bounced }]) => {
    const rows = state.messages.filter(({ origin }) => origin === `campaign:${id}`)
    const ofRuns = state.runs.filter(({ campaign }) => campaign === id).sort((a, b) => b.run - a.run)
    const reported = {
      counts,
      orders,
      revenue,
      bounced,
      runs: runs.map((each) => [each.run, each.counts, each.orders, each.revenue]),
    }
    const counted = {
      counts: countRows(rows),
      ...sumRevenue(rows, state),
      bounced: rows.filter((row) => row.state === 'failed' && /^(bounced|undelivered)/.test(row.reason ?? '')).length,
      runs: ofRuns.map(({ run }) => {
        const some = rows.filter(({ step }) => step === run)
        const earned = sumRevenue(some, state)
        return [run, countRows(some), earned.orders, earned.revenue]
      }),
    }
    const [is, should] = [reported, counted].map(toSortedJson)
    return is === should ? [] : [`the report shows ${is}; a recount gives ${should}`]
  })

const countRows = (rows: readonly Message[]) =>
  Object.fromEntries(
    Object.entries(PARTS).map(([part, states]) => [
      part,
      part === 'planned' ? rows.length : rows.filter((row) => states.includes(row.state)).length,
    ]),
  )

/** All orders have one currency. */
function sumRevenue(rows: readonly Message[], { orders }: State) {
  const ids = new Set(rows.map(({ id }) => id))
  const attributed = orders.filter(({ message }) => message !== null && ids.has(message))
  const net = attributed.reduce((sum, order) => sum + order.net, 0)
  return { orders: attributed.length, revenue: attributed.length > 0 ? [{ amount: net / 100, currency: 'USD' }] : [] }
}

const toSortedJson = (of: unknown): string =>
  JSON.stringify(of, (_, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )

/**
 * Checked after a worker's pass. Bounces and complaints from before the pass count: for sends since the last such
 * pause, in the newest runs of 30 days with enough data, and for each older run that is still sending.
 */
export const checkGuard: Invariant = ({ harness, state, before, step }) => {
  if (!before || step.do !== 'work' || !harness.isPassDone || harness.hasJumped) return []
  const since = harness.clock.now().getTime() - WATCHED_MS
  return harness.campaigns.flatMap((campaign) => {
    const [then, now] = [before, state].map((each) => each.campaigns.find(({ id }) => id === campaign.id))
    if (!then || !now || campaign.isDeleted || campaign.changedInStep >= harness.stepNumber || !isRunning(then.status))
      return []
    const { id, enginePausedAt, previousEnginePauseAt } = campaign
    if (isRunning(now.status))
      return isTooMuch(harness, before, {
        id,
        since: Math.max(since, enginePausedAt ?? 0),
        isSending: (run) => [before, state].every((each) => isGoingOn(each, id, run)),
      })
        ? ['a campaign with too many bounces or complaints was not paused']
        : []
    if (now.pausedBy !== 'bounces' && now.pausedBy !== 'complaints') return []
    // Reports that arrived during the pass may have been counted, and an older run may have been sending then.
    return isTooMuch(harness, state, {
      id,
      since: Math.max(since - step.waitMs, previousEnginePauseAt ?? 0),
      isSending: () => true,
    })
      ? []
      : [`a campaign was paused for ${now.pausedBy} without reaching the limit`]
  })
}

const WATCHED_MS = 30 * 86_400_000

const GOES_ON: ReadonlySet<string> = new Set([...OPEN, 'sending'])

const isGoingOn = ({ messages }: State, id: string, run: number): boolean =>
  messages.some(({ origin, step, state }) => origin === `campaign:${id}` && step === run && GOES_ON.has(state))

const isRunning = (status: string) => status === 'scheduled' || status === 'active'

function isTooMuch(
  { returned }: Harness,
  { messages, runs }: State,
  { id, since, isSending }: { id: string; since: number; isSending: (run: number) => boolean },
): boolean {
  const sent = messages.filter(({ origin, sendingAt }) => origin === `campaign:${id}` && sendingAt! > since)
  const all = runs.filter(({ campaign }) => campaign === id)
  const newest = { accepted: 0, bounced: 0, complained: 0 }
  const checked = [newest]
  for (const { run } of all.sort((a, b) => b.run - a.run)) {
    const some = sent.filter(({ step }) => step === run)
    const isNewest = newest.accepted < PAUSE_LIMITS.minAccepted
    if (!isNewest && !isSending(run)) continue
    const sum = isNewest ? newest : { accepted: 0, bounced: 0, complained: 0 }
    sum.accepted += some.filter((each) => ['sent', 'delivered'].includes(each.state) || hasBounced(each)).length
    sum.bounced += some.filter(hasBounced).length
    sum.complained += some.filter((each) => returned.get(each.id)?.has('complaint')).length
    if (!isNewest) checked.push(sum)
  }
  return checked.some(isOver)
}

const hasBounced = ({ state, reason }: Message) => state === 'failed' && /^(bounced|undelivered)/.test(reason ?? '')

const isOver = ({ accepted, bounced, complained }: { accepted: number; bounced: number; complained: number }) =>
  accepted >= PAUSE_LIMITS.minAccepted &&
  [[bounced, PAUSE_LIMITS.bounces] as const, [complained, PAUSE_LIMITS.complaints] as const].some(
    ([count, { min, share }]) => count >= min && count / accepted > share,
  )
