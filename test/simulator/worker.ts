import crypto from 'node:crypto'
import { openPool } from '../../server/core/db/db.ts'
import { replaceTimers } from './clock.ts'
import { pinToCore } from './cores.ts'
import type { CampaignCoverage } from './deeds.ts'
import { generateScenario } from './generate.ts'
import { createSeededRandom } from './random.ts'
import { type InvariantFailure, playScenario } from './run.ts'
import { shrink } from './shrink.ts'
import type { Channel, Scenario } from './steps.ts'

// One process, one database, one history after the other. Told which seeds by its parent, answers with what came of them.

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

/** As many as are used at once, at most; few are. */
const CONNECTIONS = 8
/** What finished histories leave behind in the tables goes, so that a long run is no slower at its end. */
const CLEAN_EVERY = 250

export function runWorker(databaseUrl: string): void {
  replaceTimers()
  // Its clock leaps: a limit on waiting for a connection would be over in no time.
  const pool = openPool({ url: databaseUrl, max: CONNECTIONS, connectMs: 0 })
  // A connection that was idle for a while is not closed: another one would have to plan every statement anew.
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
  // Ctrl-C reaches all processes of the terminal. The first one says when to end.
  process.on('SIGINT', () => {})
  process.send!('idle')
}

async function playSeed(pool: ReturnType<typeof openPool>, seed: number, isShrunk: boolean): Promise<PlayReport> {
  const scenario = generateScenario(seed)
  fixChance(seed)
  const { broken, ...seen } = await playScenario(pool, scenario)
  const report = { seed, ...seen, steps: scenario.steps.length }
  if (!broken) return { ...report, failure: null }
  const least = isShrunk ? await shrink(pool, scenario, broken) : { scenario, broken }
  return { ...report, failure: { ...least, original: scenario } }
}

/** Ids and jitter of the engine are the history's as well, as far as this process makes them. */
function fixChance(seed: number): void {
  const chance = createSeededRandom(~seed)
  Math.random = chance.next
  let count = 0
  const part = (length: number) => Array.from({ length }, () => chance.between(0, 15).toString(16)).join('')
  crypto.randomUUIDv7 = () => {
    const time = (1_772_000_000_000 + count++).toString(16).padStart(12, '0')
    const hex = `${time}7${part(3)}8${part(15)}`
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-') as never
  }
}
