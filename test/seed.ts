import { readFileSync } from 'node:fs'

// `npm test` draws the same values each time, from the number in `test/seed`. Proofs draw fresh seeds, print them, and
// run at full size.

export const testSeed = Number(process.env.TEST_SEED || readFileSync(new URL('seed', import.meta.url), 'utf8'))

/** Set by `npm run proofs`. */
export const isFullRun = process.env.TEST_PROOF === '1'

/** Number of runs of a property test. */
export const countPropertyRuns = (few: number, many: number) => ({ numRuns: isFullRun ? many : few, seed: testSeed })

/** Returns one of `parts` shares of slow cases, chosen by the seed; in a proof all of them. */
export const pickSeededShare = <T>(all: readonly T[], parts: number): readonly T[] =>
  isFullRun ? all : all.filter((_, place) => (place + testSeed) % parts === 0)
