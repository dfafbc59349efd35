import type { Ground } from './ground.ts'
import { openGround } from './ground.ts'
import type { Report } from './lane.ts'
import { runLanes, seedsFrom } from './lanes.ts'
import { type Mutation, mutations } from './mutations.ts'
import { describe } from './steps.ts'

// What `npm run simulate` does, with progress and a summary. Each answers the exit code.

const PROGRESS_EVERY_MS = 5_000
const MANY_FAILURES = 10
/** A mutation not noticed by then is not noticed. */
export const MUTATION_LIMIT = 1_500

export async function simulateSeed(seed: number): Promise<number> {
  const ground = await openGround()
  let code = 0
  try {
    const onReport = (report: Report) => {
      code = report.failure ? 1 : 0
      console.log(
        report.failure
          ? sayFailure(report)
          : `Seed ${seed}: ${report.steps} steps, ${report.mails} mails, nothing broken.`,
      )
    }
    await runLanes({ ground, lanes: 1, seeds: seedsFrom(seed, 1), isShrunk: true, onReport })
  } finally {
    await ground.clear()
  }
  return code
}

export async function simulateMany(count: number, from: number, lanes: number): Promise<number> {
  const ground = await openGround()
  const begun = performance.now()
  const total = { histories: 0, steps: 0, mails: 0, deadlocks: 0 }
  const failed: number[] = []
  let lastSaid = begun
  const onReport = (report: Report) => {
    total.histories += 1
    total.steps += report.steps
    total.mails += report.mails
    total.deadlocks += report.deadlocks
    if (report.failure) {
      failed.push(report.seed)
      console.log(`\n${sayFailure(report)}\n`)
    }
    if (performance.now() - lastSaid < PROGRESS_EVERY_MS) return
    lastSaid = performance.now()
    console.log(sayProgress(total.histories, count, failed.length, (lastSaid - begun) / 1_000))
  }
  try {
    const isEnough = () => failed.length >= MANY_FAILURES
    await runLanes({ ground, lanes, seeds: seedsFrom(from, count), isShrunk: true, onReport, isEnough })
  } finally {
    await ground.clear()
  }
  const seconds = (performance.now() - begun) / 1_000
  const rate = (total.histories / seconds).toFixed(1)
  console.log(
    `\n${total.histories} histories (seeds ${from} to ${from + total.histories - 1}), ${total.steps} steps, ${total.mails} mails, ${total.deadlocks} deadlocks`,
  )
  console.log(`in ${seconds.toFixed(0)} s over ${lanes} processes: ${rate} histories/s`)
  console.log(failed.length > 0 ? `FAILED: seeds ${failed.join(', ')}` : 'No invariant was broken.')
  return failed.length > 0 ? 1 : 0
}

function sayProgress(done: number, count: number, failures: number, seconds: number): string {
  const rate = done / seconds
  const left = Math.round((count - done) / rate)
  const eta = left > 90 ? `${Math.round(left / 60)} min` : `${left} s`
  return `${done} of ${count} · ${rate.toFixed(1)} histories/s · ${eta} left · ${failures} failed`
}

export function sayFailure({ seed, failure, steps }: Report): string {
  const { history, broken } = failure!
  const head = `Seed ${seed} breaks ${broken.rule} (${history.steps.length} of ${steps} steps are needed):`
  return [
    head,
    ...broken.words.slice(0, 5).map((each) => `  ${each}`),
    describe(history),
    `Again: npm run simulate -- --seed ${seed}`,
  ].join('\n')
}

export interface Caught {
  mutation: Mutation
  /** How many histories it took; null: it was not noticed. */
  after: number | null
  by: string | null
}

/** Plays histories with the changed engine until one is broken. */
export async function tryMutation(
  ground: Ground,
  mutation: Mutation,
  lanes: number,
  limit = MUTATION_LIMIT,
): Promise<Caught> {
  let histories = 0
  let caught: Caught = { mutation, after: null, by: null }
  await runLanes({
    ground,
    lanes,
    seeds: seedsFrom(1, limit),
    isShrunk: false,
    mutation: mutation.name,
    isEnough: () => caught.after !== null,
    onReport: ({ failure }) => {
      histories += 1
      if (failure?.broken.rule === mutation.rule && caught.after === null)
        caught = { mutation, after: histories, by: failure.broken.words[0] ?? '' }
    },
  })
  return caught
}

export async function simulateMutations(lanes: number): Promise<number> {
  const ground = await openGround()
  let missed = 0
  try {
    for (const mutation of mutations) {
      const begun = performance.now()
      const { after, by } = await tryMutation(ground, mutation, lanes)
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
      if (after === null) missed += 1
      const result = after === null ? `NOT CAUGHT in ${MUTATION_LIMIT} histories` : `caught after ${after} histories`
      console.log(`${mutation.rule.padEnd(4)}${mutation.name}: ${result}, ${seconds} s${by ? `\n      ${by}` : ''}`)
    }
  } finally {
    await ground.clear()
  }
  console.log(`\n${mutations.length - missed} of ${mutations.length} mutations caught.`)
  return missed > 0 ? 1 : 0
}
