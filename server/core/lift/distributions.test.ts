import { expect, test } from 'vitest'
import { computeNormalCdf, getNormalQuantile, getStudentQuantile, logGamma } from './distributions.ts'

// Known values: NIST's tables and R.

test.each([
  [0.5, 0],
  [0.9, 1.2815515655],
  [0.975, 1.9599639845],
  [0.995, 2.5758293035],
  [0.9995, 3.2905267315],
])('the normal quantile of %f is %f', (probability, quantile) => {
  expect(getNormalQuantile(probability)).toBeCloseTo(quantile, 7)
  expect(computeNormalCdf(quantile)).toBeCloseTo(probability, 10)
  expect(computeNormalCdf(-quantile)).toBeCloseTo(1 - probability, 10)
})

test('far from the mean the normal distribution is 0 or 1', () => {
  expect([-1_000, -100, 100, 1_000].map(computeNormalCdf)).toEqual([0, 0, 1, 1])
})

test.each([
  [1, 12.7062047362, 63.6567411629],
  [2, 4.3026527297, 9.9248432009],
  [10, 2.228138852, 3.1692726726],
  [30, 2.0422724563, 2.7499956536],
  [100, 1.9839715185, 2.6258905214],
  [1_000_000, 1.9599663568, 2.5758342195],
])('Student’s quantiles with %f degrees of freedom are %f and %f', (degrees, quantile, far) => {
  expect(getStudentQuantile(0.5, degrees)).toBe(0)
  expect(getStudentQuantile(0.975, degrees)).toBeCloseTo(quantile, 7)
  expect(getStudentQuantile(0.995, degrees)).toBeCloseTo(far, 7)
})

test('the logarithm of Γ is that of factorials and of √π', () => {
  expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 11)
  let factorial = 1
  for (let n = 1; n <= 20; n++) {
    expect(logGamma(n)).toBeCloseTo(Math.log(factorial), 11)
    factorial *= n
  }
  expect(logGamma(1e7) / 151180949.36947393).toBeCloseTo(1, 14)
})
