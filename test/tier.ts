// What a run of the tests looks at. `npm test` tries a part of what takes long, chosen by a seed; `npm run test:all` tries all of it.

export const isEverythingTested = process.env.TEST_TIER === 'all'

/** The day, as 20261123, unless `TEST_SEED` says otherwise: each day another part, and any of them again. */
export const testSeed = Number(process.env.TEST_SEED || new Date().toISOString().slice(0, 10).replaceAll('-', ''))

/** The seed's one of them. */
export function oneOf<T>(all: readonly T[]): T {
  return all[testSeed % all.length]!
}
