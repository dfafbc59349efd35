// Chance that can be repeated: one seed, one sequence (mulberry32).

export interface Chance {
  /** In [0, 1). */
  next(): number
  /** Whole, both ends included. */
  between(least: number, most: number): number
  isLucky(share: number): boolean
  pick<T>(from: readonly T[]): T
  /** By weight: `{ often: 9, seldom: 1 }`. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
}

export function chanceOf(seed: number): Chance {
  let state = (seed ^ 0x9e3779b9) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    isLucky: (share) => next() < share,
    pick: (from) => from[between(0, from.length - 1)]!,
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      return entries.at(-1)![0]
    },
  }
}
