import { expect, test } from 'vitest'
import { computeSharesFactor, hasSampleRatioMismatch } from '../../server/core/lift/arm-shares.ts'
import { pickSeededShare } from '../../test/seed.ts'
import { isLossFound, LOSSES } from './losses.ts'
import { createRandom, drawPurchasers, logNormalMean } from './random.ts'
import { computeMissedShare, computePlannedShare, SETTINGS, tallySetting } from './settings.ts'

// A short run. `npm run lift` is the long one (docs/lift.md).

const EXPERIMENTS = 200

test.each(
  pickSeededShare(SETTINGS, 4),
)('200 shops with a control group of $share, conversion $conversion, σ $sigma, effect $effect', (setting) => {
  const tallies = tallySetting(setting, EXPERIMENTS, 1)
  for (const tally of [tallies.conversion, tallies.revenue]) {
    // 5% and 95%, with three standard errors for 200 experiments.
    expect(computeMissedShare(tally) ?? 0).toBeLessThanOrEqual(0.097)
    expect(computePlannedShare(tally) ?? 0.95).toBeGreaterThanOrEqual(0.903)
  }
  expect(tallies.conversion.significant).toBe(EXPERIMENTS)
})

test('a fixed-sample interval that is checked daily misses the true value in every fourth shop', () => {
  const { conversion } = tallySetting({ share: 0.5, conversion: 0.05, sigma: 1, effect: 0 }, EXPERIMENTS, 1)
  expect(conversion.naiveMissed / EXPERIMENTS).toBeGreaterThan(0.25)
})

test.each(LOSSES)('arms of $share lose $ofControl and $ofTreated (decision 61)', (loss) => {
  const found = Array.from({ length: 50 }, (_, seed) => isLossFound(loss, createRandom(seed + 1))).filter(
    Boolean,
  ).length
  if (loss.ofControl + loss.ofTreated > 0) expect(found).toBeGreaterThanOrEqual(48)
  else expect(found).toBe(0)
})

test('the factor for sample ratio mismatch equals that of the Dirichlet prior', () => {
  // One person in the first of two equal arms: the prior’s mean is the planned share.
  expect(computeSharesFactor([1, 0], [0.5, 0.5])).toBeCloseTo(0, 9)
  // Two in the same arm: ((500 + 1) / (1,000 + 1)) ÷ 0.5.
  expect(computeSharesFactor([2, 0], [0.5, 0.5])).toBeCloseTo(Math.log(501 / 1_001 / 0.5), 9)
  expect(hasSampleRatioMismatch([5_000, 5_000], [0.5, 0.5])).toBe(false)
  expect(hasSampleRatioMismatch([5_000, 4_500], [0.5, 0.5])).toBe(true)
  expect(hasSampleRatioMismatch([500, 300, 300], [0.4, 0.3, 0.3])).toBe(false)
})

test('simulated shops have the stated rates', () => {
  const chance = createRandom(7)
  const purchases = Array.from({ length: 2_000 }, () => drawPurchasers(chance, 450, 0.05)).reduce(
    (sum, one) => sum + one,
    0,
  )
  expect(purchases / 2_000 / 450).toBeCloseTo(0.05, 2)
  let total = 0
  for (let each = 0; each < 200_000; each++) total += Math.min(400, 60 * Math.exp(chance.normal()))
  expect(Math.abs(total / 200_000 / logNormalMean(Math.log(60), 1, 400) - 1)).toBeLessThan(0.01)
})
