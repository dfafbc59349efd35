import { createRandom } from '../../demo/random.ts'

// Reproducible random numbers: one seed, one sequence.

export interface Random {
  /** In [0, 1). */
  next(): number
  /** An integer, both ends included. */
  between(least: number, most: number): number
  isLucky(share: number): boolean
  pick<T>(from: readonly T[]): T
  /** Draws by weight: `{ often: 9, seldom: 1 }`. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
}

export function createSeededRandom(seed: number): Random {
  const { next, between, chance, pick, weighted } = createRandom(seed ^ 0x9e3779b9)
  return {
    next,
    between,
    pick,
    isLucky: chance,
    weighted: <K extends string>(weights: Readonly<Record<K, number>>) =>
      (Object.keys(weights) as K[])[weighted(Object.values(weights))]!,
  }
}
