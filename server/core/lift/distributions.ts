import jstat from 'jstat'

// Statistical functions taken from a library.

const { jStat } = jstat

/** Quantile of the standard normal distribution. */
export const normalQuantile = (probability: number): number => jStat.normal.inv(probability, 0, 1)

/** Quantile of Student's t distribution. */
export const studentQuantile = (probability: number, degrees: number): number =>
  jStat.studentt.inv(probability, degrees)

/** Natural logarithm of Γ. */
export const logGamma = (value: number): number => jStat.gammaln(value)
