import os from 'node:os'
import type { CampaignCoverage } from './campaign-actions.ts'
import type { Channel } from './steps.ts'
import { describeCampaigns } from './tally-campaigns.ts'
import type { PlayReport } from './worker.ts'

// Results of a long run so far. Processes finish out of order, so finished seeds are a range plus a few beyond it.

const CHANNELS = ['email', 'sms', 'whatsapp', 'push'] as const

export const describeMails = ({ email, sms, whatsapp, push }: PlayReport['mails']): string =>
  `${email} mails, ${sms} SMS, ${whatsapp} WhatsApp messages, ${push} notifications`

export interface Tally {
  scenarios: number
  steps: number
  mails: Record<Channel, number>
  deadlocks: number
  campaigns: CampaignCoverage[]
  failed: number[]
  /** Processes that ended or hung, each with its unfinished seeds. */
  lost: string[]
  add(report: PlayReport): void
  summary(workers: number): string
  progress(count: number): string
}

export function startTally(from: number): Tally {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1_000
  const ahead = new Set<number>()
  let next = from
  const tally: Tally = {
    scenarios: 0,
    steps: 0,
    mails: { email: 0, sms: 0, whatsapp: 0, push: 0 },
    deadlocks: 0,
    campaigns: [],
    failed: [],
    lost: [],
    add(report) {
      tally.scenarios += 1
      tally.steps += report.steps
      for (const channel of CHANNELS) tally.mails[channel] += report.mails[channel]
      tally.deadlocks += report.deadlocks
      if (report.campaigns) tally.campaigns.push(report.campaigns)
      if (report.failure) tally.failed.push(report.seed)
      ahead.add(report.seed)
      while (ahead.delete(next)) next += 1
    },
    summary: (workers) => describeSummary(tally, describeSeeds(from, next, ahead), seconds(), workers),
    progress: (count) => describeProgress(tally, count, seconds()),
  }
  return tally
}

function describeSeeds(from: number, next: number, ahead: ReadonlySet<number>): string {
  const row = next > from ? [`${from} to ${next - 1}`] : []
  return [...row, ...[...ahead].sort((a, b) => a - b)].join(', ')
}

function describeSummary(tally: Tally, seeds: string, seconds: number, workers: number): string {
  const { scenarios, steps, mails, deadlocks, failed, lost } = tally
  const machine = `${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}), Node ${process.versions.node}`
  return [
    `${scenarios} scenarios (seeds ${seeds}), ${steps} steps, ${describeMails(mails)}, ${deadlocks} deadlocks`,
    `in ${seconds.toFixed(0)} s over ${workers} processes: ${(scenarios / seconds).toFixed(1)} scenarios/s, on ${machine}`,
    describeCampaigns(tally.campaigns),
    ...lost,
    failed.length > 0 ? `FAILED: seeds ${failed.join(', ')}` : 'No invariant was broken.',
  ].join('\n')
}

function describeProgress({ scenarios, failed }: Tally, count: number, seconds: number): string {
  const rate = scenarios / seconds
  const remainingS = Math.round((count - scenarios) / rate)
  const eta = remainingS > 90 ? `${Math.round(remainingS / 60)} min` : `${remainingS} s`
  return `${scenarios} of ${count} · ${rate.toFixed(1)} scenarios/s · ${eta} left · ${failed.length} failed`
}
