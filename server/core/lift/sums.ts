// The inputs of an experiment's statistics: sums over the people of an arm. Pure.

/**
 * One measure over the people of one arm: their number, the total of their outcomes, and the squared deviations from
 * the mean.
 */
export interface Sums {
  people: number
  total: number
  /** Σ (outcome − mean)². */
  squares: number
}

/** The treated arm gets messages, the control arm none. */
export interface Arms {
  treated: Sums
  control: Sums
}

/** Bounds of treated − control, in the unit of the outcome. */
export interface Interval {
  low: number
  high: number
}

export const computeMean = ({ people, total }: Sums) => (people === 0 ? 0 : total / people)

/** Sums of outcomes that are 0 or 1. */
export const sumCounts = (people: number, successes: number): Sums => ({
  people,
  total: successes,
  squares: people === 0 ? 0 : successes * (1 - successes / people),
})

/**
 * Sums from the total and the total of squares, as a database computes them. Rounding never makes the deviations
 * negative.
 */
export const sumTotals = (people: number, total: number, totalOfSquares: number): Sums => ({
  people,
  total,
  squares: people === 0 ? 0 : Math.max(0, totalOfSquares - (total * total) / people),
})

export const computeDifference = ({ treated, control }: Arms) => computeMean(treated) - computeMean(control)

/** Standard error of the difference of the two means; infinite while an arm has fewer than two people. */
export function computeStandardError({ treated, control }: Arms): number {
  return Math.sqrt(computeVarianceOfMean(treated) + computeVarianceOfMean(control))
}

/** Variance of an arm's mean. */
export const computeVarianceOfMean = ({ people, squares }: Sums) =>
  people < 2 ? Number.POSITIVE_INFINITY : squares / (people - 1) / people
