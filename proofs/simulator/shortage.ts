import { createSeededRandom } from './random.ts'

// In some scenarios products sell out for a while. Uses a random stream of its own, so that other scenarios stay the
// same.

/** Products that are sold out from one step to another, by index from 0. */
export interface Shortage {
  products: readonly string[]
  from: number
  to: number
}

const HAVE_ONE = 0.2
const DICE = 0x50_1d

export function drawShortage(seed: number, steps: number): Shortage | null {
  const dice = createSeededRandom(seed ^ DICE)
  if (!dice.isLucky(HAVE_ONE)) return null
  const from = dice.between(0, Math.floor(steps / 2))
  const products = dice.pick([['16'], ['17'], ['16', '17'], ['16', '17', '18']])
  return { products, from, to: from + dice.between(5, steps) }
}
