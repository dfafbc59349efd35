import jstat from 'jstat'

// What statistics take from a library.

const { jStat } = jstat

/** Of the normal distribution with mean 0 and deviation 1. */
export const normalQuantile = (probability: number): number => jStat.normal.inv(probability, 0, 1)

/** Of Student's t. */
export const studentQuantile = (probability: number, degrees: number): number =>
  jStat.studentt.inv(probability, degrees)

/** Natural logarithm of Γ. */
export const logGamma = (value: number): number => jStat.gammaln(value)
