import crypto from 'node:crypto'
import { openPool } from '../../server/core/db/db.ts'
import type { CampaignCoverage } from './campaign-actions.ts'
import { replaceTimers } from './clock.ts'
import { pinToCore } from './cpu-pinning.ts'
import { generateScenario } from './generate.ts'
import { createSeededRandom } from './random.ts'
import { type InvariantFailure, playScenario } from './run.ts'
import { shrink } from './shrink.ts'
import type { Channel, Scenario } from './steps.ts'

// One process with one database, playing one scenario after another. Its parent sends seeds and gets reports.

export interface PlayRequest {
  seeds: number[]
  isShrunk: boolean
}

export interface PlayReport {
  seed: number
  mails: Record<Channel, number>
  deadlocks: number
  campaigns: CampaignCoverage | null
  steps: number
  failure: { scenario: Scenario; broken: InvariantFailure; original: Scenario } | null
}

/** Most connections in use at once. */
const CONNECTIONS = 8
/** Vacuums regularly, so that rows of finished scenarios do not slow down a long run. */
const CLEAN_EVERY = 250

export function runWorker(databaseUrl: string): void {
  replaceTimers()
  // Its clock jumps: a connection timeout would expire at once.
  const pool = openPool({ url: databaseUrl, max: CONNECTIONS, connectMs: 0 })
  // Idle connections stay open, because a new one would have to plan every statement again.
  pool.options.idleTimeoutMillis = 0
  const core = process.env.SIMULATOR_CORE
  if (core) {
    pinToCore(core, process.pid)
    pool.on('connect', (client) => pinToCore(core, (client as unknown as { processID: number }).processID))
  }
  let played = 0
  process.on('message', async ({ seeds, isShrunk }: PlayRequest) => {
    for (const seed of seeds) {
      process.send!(await playSeed(pool, seed, isShrunk))
      if (++played % CLEAN_EVERY === 0) await pool.query('vacuum')
    }
    process.send!('idle')
  })
  process.on('disconnect', () => process.exit())
  // Ctrl-C reaches all processes of the terminal. The parent decides when to end.
  process.on('SIGINT', () => {})
  process.send!('idle')
}

async function playSeed(pool: ReturnType<typeof openPool>, seed: number, isShrunk: boolean): Promise<PlayReport> {
  const scenario = generateScenario(seed)
  seedRandomness(seed)
  const { broken, ...result } = await playScenario(pool, scenario)
  const report = { seed, ...result, steps: scenario.steps.length }
  if (!broken) return { ...report, failure: null }
  const least = isShrunk ? await shrink(pool, scenario, broken) : { scenario, broken }
  return { ...report, failure: { ...least, original: scenario } }
}

/** Makes ids and jitter of the engine depend on the seed, as far as this process creates them. */
function seedRandomness(seed: number): void {
  const chance = createSeededRandom(~seed)
  Math.random = chance.next
  let count = 0
  const formatPart = (length: number) => Array.from({ length }, () => chance.between(0, 15).toString(16)).join('')
  crypto.randomUUIDv7 = () => {
    const time = (1_772_000_000_000 + count++).toString(16).padStart(12, '0')
    const hex = `${time}7${formatPart(3)}8${formatPart(15)}`
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-') as never
  }
}
