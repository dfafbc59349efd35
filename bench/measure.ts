// Measuring helpers.

import { readFileSync } from 'node:fs'
import type { AppInstance } from './lab.ts'

/** Length of a clock tick in /proc. */
const TICK_MS = 10

/** The value below which `share` of the sample is. */
export function computePercentile(sample: readonly number[], share: number): number {
  const sorted = [...sample].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const computeMedian = (sample: readonly number[]): number => computePercentile(sample, 0.5)

/** Returns elapsed milliseconds. */
export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/**
 * CPU milliseconds of this process and its database connections, without PostgreSQL's background processes. Linux only.
 */
export async function measureCpuMs({ pool }: AppInstance, work: () => Promise<unknown>) {
  const measureSpent = async () => {
    const { rows } = await pool.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database()',
    )
    return new Map(rows.map(({ pid }) => [pid, readCpuMs(pid)]))
  }
  const before = await measureSpent()
  const own = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(own)
  const after = await measureSpent()
  const postgres = [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
  return { node: (user + system) / 1_000, postgres }
}

/** Returns 0 for an ended process. */
function readCpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return 0
  }
}

/** Resident memory of a process in MB. Linux only, like the published figures. */
export function readResidentMb(pid: number | 'self' = 'self'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** Deterministic random numbers, so that runs measure the same work. */
export function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}
