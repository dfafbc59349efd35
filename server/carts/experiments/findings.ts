import type { Finding } from '../../../shared/experiments.ts'
import { CONVERSION_FROM } from '../../../shared/visible-effect.ts'
import { type Arms, type Interval, type Sums, sumsOfCounts, sumsOfTotals } from '../../core/lift/arms.ts'
import { plannedMeans, plannedShares } from '../../core/lift/planned.ts'
import { sequenceOf } from '../../core/lift/sequence.ts'
import { isConversionShown, isRevenueShown, purchasesOf, REVENUE_FROM } from '../../core/lift/shown.ts'

// What the sums of an experiment say (decisions 59 to 61). Pure.

export interface ArmCounts {
  people: number
  purchases: number
  netMinor: number
  netSquares: number
}

export type Counts = Record<'treated' | 'control', ArmCounts>

export interface Circumstances {
  /** The planned day has come, nobody ended it before, and everybody is counted: one look at the other interval is right. */
  isPlannedDay: boolean
  /** Whose window ends in a day, at the pace so far; null: nobody can tell. */
  peopleADay: number | null
  /** Of 1, where nobody has bought yet. */
  rate: number
}

const ofBoth = (counts: Counts, of: (arm: ArmCounts) => Sums): Arms => ({
  treated: of(counts.treated),
  control: of(counts.control),
})

const boughtIn = (counts: Counts) => ofBoth(counts, ({ people, purchases }) => sumsOfCounts(people, purchases))

/** Of purchases. */
export function conversionOf(counts: Counts, of: Circumstances): Finding {
  const bought = boughtIn(counts)
  if (!isConversionShown(bought)) return few(counts, CONVERSION_FROM, of)
  return shown(counts, sequenceOf(bought), of.isPlannedDay ? plannedShares(bought) : null)
}

/** Of minor units. */
export function revenueOf(counts: Counts, of: Circumstances): Finding {
  if (!isRevenueShown(boughtIn(counts))) return few(counts, REVENUE_FROM, of)
  const spent = ofBoth(counts, ({ people, netMinor, netSquares }) => sumsOfTotals(people, netMinor, netSquares))
  return shown(counts, sequenceOf(spent), of.isPlannedDay ? plannedMeans(spent) : null)
}

/** Of all the people who were written to. */
function shown({ treated: { people } }: Counts, anytime: Interval, planned: Interval | null): Finding {
  const ofAll = ({ low, high }: Interval) => ({ low: low * people, high: high * people })
  // On the planned day its own interval says it, too.
  const seen = [anytime, ...(planned ? [planned] : [])]
  const isMore = seen.some(({ low }) => low > 0)
  const isLess = seen.some(({ high }) => high < 0)
  const state = isMore ? 'more' : isLess ? 'less' : 'unseen'
  return { state, anytime: ofAll(anytime), planned: planned && ofAll(planned), missing: null }
}

/** Until the arm with fewer purchases has enough of them, at its own rate. */
function few(counts: Counts, from: number, { peopleADay, rate }: Circumstances): Finding {
  const { treated, control } = counts
  const arm = control.purchases <= treated.purchases ? control : treated
  const all = treated.people + control.people
  const isKnown = arm.purchases > 0
  // Purchases of this arm for each person of both.
  const each = isKnown ? arm.purchases / all : rate * (all === 0 ? 0 : arm.people / all)
  const missing = from - purchasesOf(boughtIn(counts))
  const people = each > 0 ? roundUp(missing / each) : null
  return {
    ...{ state: 'few' as const, anytime: null, planned: null },
    missing: people === null ? null : { people, days: peopleADay ? Math.ceil(people / peopleADay) : null },
  }
}

/** To two digits: nobody knows better. */
function roundUp(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1)
  return Math.ceil(count / unit) * unit
}

/** What as many people of the control group would have brought in, had they been written to. */
export function costOf(counts: Counts, revenue: Finding): Interval | null {
  if (!revenue.anytime || counts.treated.people === 0) return null
  const part = counts.control.people / counts.treated.people
  return { low: revenue.anytime.low * part, high: revenue.anytime.high * part }
}

/** People × share × (1 − share): from here a loss of a tenth of an arm is found in 99 of 100 experiments, as measured in docs/lift.md. */
const CHECKED_FROM = 4_250

export function canCheckArms({ treated, control }: Counts, controlBps: number): boolean {
  const share = controlBps / 10_000
  return (treated.people + control.people) * share * (1 - share) >= CHECKED_FROM
}
