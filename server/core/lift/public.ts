// What other rooms use: statistics.

export { hasSampleRatioMismatch } from './arm-shares.ts'
export { countSmallerArm, hasEnoughForConversion, hasEnoughForRevenue, REVENUE_FROM } from './minimum-sizes.ts'
export { compareMeans, compareShares } from './planned.ts'
export { computeSequence } from './sequence.ts'
export { type Arms, type Interval, type Sums, sumCounts, sumTotals } from './sums.ts'
