import { readFileSync } from 'node:fs'

// `npm test` tries the same of everything each time: what it draws comes from the number in `test/seed`. Proofs draw fresh seeds, print
// them, and run at full size.

export const testSeed = Number(process.env.TEST_SEED || readFileSync(new URL('seed', import.meta.url), 'utf8'))

/** `npm run proofs` asks for the full size. */
export const isProof = process.env.TEST_PROOF === '1'

/** How often a property is tried; what it draws comes from the seed. */
export const propertyRuns = (few: number, many: number) => ({ numRuns: isProof ? many : few, seed: testSeed })

/** The seed's share of what takes long, one in `parts`; all of it in a proof. */
export const pickSeededShare = <T>(all: readonly T[], parts: number): readonly T[] =>
  isProof ? all : all.filter((_, place) => (place + testSeed) % parts === 0)
