import { computeNormalCdf } from '../../server/core/lift/distributions.ts'

// Seeded random numbers, and known values of the distributions they are drawn from.

export interface Random {
  /** Between 0 and 1, never 0. */
  uniform(): number
  /** Standard normal: mean 0, deviation 1. */
  normal(): number
}

/** Source: xoshiro128** by Blackman and Vigna, seeded by splitmix32. */
export function createRandom(seed: number): Random {
  let mix = seed | 0
  const drawNext = () => {
    mix = (mix + 0x9e3779b9) | 0
    let z = Math.imul(mix ^ (mix >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return z ^ (z >>> 15)
  }
  let [a, b, c, d] = [drawNext(), drawNext(), drawNext(), drawNext()]
  const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by))
  const uniform = () => {
    const drawn = Math.imul(rotate(Math.imul(b, 5), 7), 9)
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotate(d, 11)
    return ((drawn >>> 0) + 0.5) / 2 ** 32
  }
  // The Box-Muller method makes two numbers at a time.
  let spare: number | null = null
  const normal = () => {
    if (spare !== null) {
      const value = spare
      spare = null
      return value
    }
    const radius = Math.sqrt(-2 * Math.log(uniform()))
    const angle = 2 * Math.PI * uniform()
    spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
  return { uniform, normal }
}

/** Draws from a binomial distribution, by the gaps between successes: buyers among `people` with probability `rate`. */
export function drawPurchasers(chance: Random, people: number, rate: number): number {
  if (rate <= 0) return 0
  const logOfNot = Math.log1p(-rate)
  let done = 0
  for (let at = gap(); at < people; at += 1 + gap()) done += 1
  return done

  function gap(): number {
    return Math.floor(Math.log(chance.uniform()) / logOfNot)
  }
}

/** Mean of min(X, cap), where the logarithm of X is normal with mean `mu` and deviation `sigma`. */
export function logNormalMean(mu: number, sigma: number, cap: number): number {
  const at = (Math.log(cap) - mu) / sigma
  return Math.exp(mu + (sigma * sigma) / 2) * computeNormalCdf(at - sigma) + cap * (1 - computeNormalCdf(at))
}
