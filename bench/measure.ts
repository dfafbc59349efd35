// Small tools for measuring.

import { readFileSync } from 'node:fs'
import type { AppInstance } from './lab.ts'

/** Of a clock tick in /proc. */
const TICK_MS = 10

/** The value below which `share` of the sample lies. */
export function percentile(sample: readonly number[], share: number): number {
  const sorted = [...sample].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (sample: readonly number[]): number => percentile(sample, 0.5)

/** Milliseconds it took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Milliseconds of CPU: of this process, and of the database's connections for it without what it writes in the background. Linux only. */
export async function processorMs({ pool }: AppInstance, work: () => Promise<unknown>) {
  const spent = async () => {
    const { rows } = await pool.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database()',
    )
    return new Map(rows.map(({ pid }) => [pid, spentMs(pid)]))
  }
  const before = await spent()
  const own = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(own)
  const after = await spent()
  const postgres = [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
  return { node: (user + system) / 1_000, postgres }
}

/** A process that has ended says nothing more. */
function spentMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return 0
  }
}

/** What a process holds in memory, in MB; Linux only, like the figures we publish. */
export function residentMb(pid: number | 'self' = 'self'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** Always the same numbers: two runs measure the same work. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}
