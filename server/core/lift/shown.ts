import { CONVERSION_FROM } from '../../../shared/visible-effect.ts'
import type { Arms } from './arms.ts'

// When there is something to show (decision 59). Below these an interval misses the truth more often than it says (docs/lift.md).

/** Purchases in each arm from which the difference in revenue is shown, by either interval. From 50 the sequence missed the truth in 6 % of simulated shops. */
export const REVENUE_FROM = 75

/** Of an experiment's people who bought, the smaller arm's number decides. `bought`: sums of outcomes that are 0 or 1. */
export const isConversionShown = (bought: Arms) => purchasesOf(bought) >= CONVERSION_FROM
export const isRevenueShown = (bought: Arms) => purchasesOf(bought) >= REVENUE_FROM

/** Of the arm with fewer. */
export const purchasesOf = ({ treated, control }: Arms) => Math.min(treated.total, control.total)
