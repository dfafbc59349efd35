/** Seeded random numbers: the same seed gives the same history. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number
  chance(share: number): boolean
  /** Whole, both ends included. */
  between(low: number, high: number): number
  pick<T>(list: readonly T[]): T
  /** A random index by weight. */
  weighted(weights: readonly number[]): number
  /** Letters and digits, for tokens that open nothing. */
  text(length: number): string
}

/** mulberry32: small, fast and even enough for a demo. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const drawNext = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const drawBetween = (low: number, high: number) => low + Math.floor(drawNext() * (high - low + 1))
  return {
    next: drawNext,
    chance: (share) => drawNext() < share,
    between: drawBetween,
    pick: (list) => list[drawBetween(0, list.length - 1)]!,
    weighted(weights) {
      let left = drawNext() * weights.reduce((sum, weight) => sum + weight, 0)
      const index = weights.findIndex((weight) => {
        left -= weight
        return left < 0
      })
      return index < 0 ? weights.length - 1 : index
    },
    text: (length) => Array.from({ length }, () => 'abcdefghijkmnpqrstuvwxyz23456789'[drawBetween(0, 31)]).join(''),
  }
}

/** A deterministic number for a text, used as a seed. */
export const hashText = (text: string): number =>
  [...text].reduce((sum, sign) => Math.imul(sum, 31) + sign.charCodeAt(0), 7)
