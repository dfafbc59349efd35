// Quantiles of distributions, and the gamma function. Pure.

/** Natural logarithm of Γ, by Stirling's series, which is precise from 10 on. Γ(x + 1) = x Γ(x) raises smaller values. */
export function logGamma(value: number): number {
  let x = value
  let product = 1
  for (; x < 10; x++) product *= x
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1_260 * x ** 5) - 1 / (1_680 * x ** 7)
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - Math.log(product)
}

const normalDensity = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)

/** Probability that a standard normal value is below `x`. Beyond ±6 it differs from 0 or 1 by less than 1e-9. */
export const computeNormalCdf = (x: number): number =>
  Math.abs(x) > 6 ? Number(x > 0) : 0.5 + integrate(normalDensity, x)

/** Quantile of the standard normal distribution, for a probability from 0.5. */
export const getNormalQuantile = (probability: number): number => invert(normalDensity, probability - 0.5)

/**
 * Quantile of Student's t distribution, for a probability from 0.5. For t = √degrees · tan θ, the density of θ is
 * proportional to cos(θ) ** (degrees − 1): as smooth for one degree of freedom as for a million.
 */
export function getStudentQuantile(probability: number, degrees: number): number {
  const scale = Math.exp(logGamma((degrees + 1) / 2) - logGamma(degrees / 2)) / Math.sqrt(Math.PI)
  const angle = invert((theta) => scale * Math.cos(theta) ** (degrees - 1), probability - 0.5)
  return Math.sqrt(degrees) * Math.tan(angle)
}

/** Where the area from 0 reaches `area`. The density falls from 0 on, so Newton's method never goes past it. */
function invert(density: (x: number) => number, area: number): number {
  let x = 0
  for (let step = 1; step > 1e-12 * x; x += step) step = (area - integrate(density, x)) / density(x)
  return x
}

/** Nodes and weights of the Gauss-Legendre rule with ten points. */
const NODES = [
  [0.1488743389816312, 0.2955242247147529],
  [0.4333953941292472, 0.2692667193099963],
  [0.6794095682990244, 0.219086362515982],
  [0.8650633666889845, 0.1494513491505806],
  [0.9739065285171717, 0.0666713443086881],
] as const

/** Area from 0 to `end`. */
function integrate(density: (x: number) => number, end: number): number {
  const half = end / 2
  return (
    half * NODES.reduce((sum, [x, weight]) => sum + weight * (density(half - half * x) + density(half + half * x)), 0)
  )
}
