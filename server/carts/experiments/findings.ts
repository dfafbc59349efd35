import type { Finding } from '../../../shared/carts/experiments.ts'
import { CONVERSION_FROM } from '../../../shared/carts/visible-effect.ts'
import {
  type Arms,
  compareMeans,
  compareShares,
  computeSequence,
  countSmallerArm,
  hasEnoughForConversion,
  hasEnoughForRevenue,
  type Interval,
  REVENUE_FROM,
  type Sums,
  sumCounts,
  sumTotals,
} from '../../core/lift/public.ts'

// Computes the findings of an experiment from its sums (decisions 59 to 61). Pure.

export interface ArmCounts {
  people: number
  purchases: number
  netMinor: number
  netSquares: number
}

export type ArmsCounts = Record<'treated' | 'control', ArmCounts>

export interface FindingContext {
  /**
   * The planned day has come, it was not ended before, and all purchases are counted, so the planned interval may be shown once.
   */
  isPlannedDay: boolean
  /** Shoppers whose window ends per day, at the current pace; null: unknown. */
  peopleADay: number | null
  /** Purchase rate, fraction of 1, used if there is no purchase yet. */
  rate: number
}

const mapArms = (counts: ArmsCounts, of: (arm: ArmCounts) => Sums): Arms => ({
  treated: of(counts.treated),
  control: of(counts.control),
})

const countPurchases = (counts: ArmsCounts) => mapArms(counts, ({ people, purchases }) => sumCounts(people, purchases))

/** In purchases. */
export function findConversion(counts: ArmsCounts, of: FindingContext): Finding {
  const bought = countPurchases(counts)
  if (!hasEnoughForConversion(bought)) return estimateMissing(counts, CONVERSION_FROM, of)
  return buildFinding(counts, computeSequence(bought), of.isPlannedDay ? compareShares(bought) : null)
}

/** In minor units. */
export function findRevenue(counts: ArmsCounts, of: FindingContext): Finding {
  if (!hasEnoughForRevenue(countPurchases(counts))) return estimateMissing(counts, REVENUE_FROM, of)
  const spent = mapArms(counts, ({ people, netMinor, netSquares }) => sumTotals(people, netMinor, netSquares))
  return buildFinding(counts, computeSequence(spent), of.isPlannedDay ? compareMeans(spent) : null)
}

/** Scaled to all shoppers of the treated arm. */
function buildFinding({ treated: { people } }: ArmsCounts, anytime: Interval, planned: Interval | null): Finding {
  const ofAll = ({ low, high }: Interval) => ({ low: low * people, high: high * people })
  // On the planned day its own interval counts too.
  const readings = [anytime, ...(planned ? [planned] : [])]
  const isMore = readings.some(({ low }) => low > 0)
  const isLess = readings.some(({ high }) => high < 0)
  const state = isMore ? 'more' : isLess ? 'less' : 'unseen'
  return { state, anytime: ofAll(anytime), planned: planned && ofAll(planned), missing: null }
}

/** Number of shoppers until the arm with fewer purchases has enough, at its own rate. */
function estimateMissing(counts: ArmsCounts, from: number, { peopleADay, rate }: FindingContext): Finding {
  const { treated, control } = counts
  const arm = control.purchases <= treated.purchases ? control : treated
  const all = treated.people + control.people
  const isKnown = arm.purchases > 0
  // Purchases of this arm per shopper of both arms.
  const each = isKnown ? arm.purchases / all : rate * (all === 0 ? 0 : arm.people / all)
  const missing = from - countSmallerArm(countPurchases(counts))
  const people = each > 0 ? roundUp(missing / each) : null
  return {
    state: 'few' as const,
    anytime: null,
    planned: null,
    missing: people === null ? null : { people, days: peopleADay ? Math.ceil(people / peopleADay) : null },
  }
}

/** Rounds up to two significant digits, because the estimate is not more exact. */
function roundUp(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1)
  return Math.ceil(count / unit) * unit
}

/** Additional revenue if the control group had got messages. */
export function computeCost(counts: ArmsCounts, revenue: Finding): Interval | null {
  if (!revenue.anytime || counts.treated.people === 0) return null
  const part = counts.control.people / counts.treated.people
  return { low: revenue.anytime.low * part, high: revenue.anytime.high * part }
}

/**
 * Shoppers × share × (1 − share): above it a loss of a tenth of an arm is found in 99 of 100 experiments
 * (docs/lift.md).
 */
const CHECKED_FROM = 4_250

export function canCheckArms({ treated, control }: ArmsCounts, controlBps: number): boolean {
  const share = controlBps / 10_000
  return (treated.people + control.people) * share * (1 - share) >= CHECKED_FROM
}
