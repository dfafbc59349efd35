import type { Databases } from './databases.ts'
import { openDatabases } from './databases.ts'
import { type Mutation, mutations } from './mutations.ts'
import { describeScenario } from './steps.ts'
import { describeMails, startTally } from './tally.ts'
import type { PlayReport } from './worker.ts'
import { listSeeds, runWorkers } from './workers.ts'

// Commands of `npm run simulate`, with progress and a summary. Each returns the exit code.

const PROGRESS_EVERY_MS = 5_000
const MANY_FAILURES = 20
/** A mutation that survives this many scenarios counts as missed. */
const MUTATION_LIMIT = 1_500

/** Drops the databases when a signal ends the run. */
function clearOnSignal(databases: Databases): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void databases.clear().finally(() => process.exit(130)))
}

export async function simulateSeed(seed: number): Promise<number> {
  const databases = await openDatabases()
  clearOnSignal(databases)
  let code = 0
  try {
    const onReport = (report: PlayReport) => {
      code = report.failure ? 1 : 0
      console.log(
        report.failure
          ? describeFailure(report)
          : `Seed ${seed}: ${report.steps} steps, ${describeMails(report.mails)}, no invariant broken.`,
      )
    }
    await runWorkers({ databases, workers: 1, seeds: listSeeds(seed, 1), isShrunk: true, onReport })
  } finally {
    await databases.clear()
  }
  return code
}

/** Ctrl-C ends the run after the scenarios in progress; a second one ends it at once. */
export async function simulateMany(count: number, from: number, workers: number): Promise<number> {
  const databases = await openDatabases()
  const tally = startTally(from)
  let isStopped = false
  const stop = () => {
    isStopped = true
    clearOnSignal(databases)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const progress = setInterval(() => console.log(tally.progress(count)), PROGRESS_EVERY_MS)
  const onReport = (report: PlayReport) => {
    tally.add(report)
    if (report.failure) console.log(`\n${describeFailure(report)}\n`)
  }
  const onLost = (message: string) => {
    tally.lost.push(message)
    console.log(`\n${message}\n`)
  }
  const isEnough = () => isStopped || tally.failed.length + tally.lost.length >= MANY_FAILURES
  try {
    const seeds = listSeeds(from, count)
    await runWorkers({ databases, workers, seeds, isShrunk: true, isAlone: true, onReport, onLost, isEnough })
  } finally {
    clearInterval(progress)
    console.log(`\n${isStopped ? 'Stopped. ' : ''}${tally.summary(workers)}`)
    await databases.clear()
  }
  return tally.failed.length + tally.lost.length > 0 ? 1 : 0
}

export function describeFailure({ seed, failure, steps }: PlayReport): string {
  const { scenario, broken } = failure!
  const head = `Seed ${seed} breaks ${broken.rule} (${scenario.steps.length} of ${steps} steps are needed):`
  return [
    head,
    ...broken.problems.slice(0, 5).map((each) => `  ${each}`),
    describeScenario(scenario),
    `Again: npm run simulate -- --seed ${seed}`,
  ].join('\n')
}

export interface MutationResult {
  mutation: Mutation
  /** Scenarios played until the mutation was found; null: it survived. */
  after: number | null
  seed: number
  by: string | null
}

/** In concurrent scenarios PostgreSQL decides the order, so such a seed does not find the mutation every time. */
const TRIES = 12

/** The seed known to find a mutation, then all others. */
function* generateSeeds({ seed }: Mutation): Generator<number> {
  for (let n = 0; n < TRIES; n++) yield seed
  yield* listSeeds(1, MUTATION_LIMIT)
}

/** Plays scenarios with the mutated engine until one fails. */
export async function tryMutation(
  databases: Databases,
  mutation: Mutation,
  workers: number,
  isAlone = false,
): Promise<MutationResult> {
  let scenarios = 0
  let caught: MutationResult = { mutation, after: null, seed: 0, by: null }
  await runWorkers({
    databases,
    workers,
    seeds: generateSeeds(mutation),
    isShrunk: false,
    // Most mutations are found at once; larger batches would play scenarios for nothing.
    atOnce: 1,
    isAlone,
    mutation: mutation.name,
    isEnough: () => caught.after !== null,
    onReport: ({ seed, failure }) => {
      scenarios += 1
      if (failure?.broken.rule === mutation.rule && caught.after === null)
        caught = { mutation, after: scenarios, seed, by: failure.broken.problems[0] ?? '' }
    },
  })
  return caught
}

/** `only`: an invariant, or part of a mutation's name. */
export async function simulateMutations(workers: number, only: string): Promise<number> {
  const selected = mutations.filter(({ name, rule }) => rule === only || name.includes(only))
  const databases = await openDatabases()
  clearOnSignal(databases)
  let missed = 0
  try {
    for (const mutation of selected) {
      const startedAt = performance.now()
      const { after, seed, by } = await tryMutation(databases, mutation, workers, true)
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
      if (after === null) missed += 1
      const result =
        after === null ? `NOT CAUGHT in ${MUTATION_LIMIT} scenarios` : `caught after ${after} scenarios (seed ${seed})`
      console.log(`${mutation.rule.padEnd(9)}${mutation.name}: ${result}, ${seconds} s${by ? `\n         ${by}` : ''}`)
    }
  } finally {
    await databases.clear()
  }
  console.log(`\n${selected.length - missed} of ${selected.length} mutations caught.`)
  return missed > 0 ? 1 : 0
}
