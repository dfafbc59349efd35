import { hasEnoughForConversion, hasEnoughForRevenue } from '../../server/core/lift/minimum-sizes.ts'
import { compareMeans, compareShares } from '../../server/core/lift/planned.ts'
import { computeSequence } from '../../server/core/lift/sequence.ts'
import { type Arms, type Interval, sumCounts, sumTotals } from '../../server/core/lift/sums.ts'
import { drawPurchasers, logNormalMean, type Random } from './random.ts'

// One experiment of a simulated shop with a known lift (decision 62), evaluated every day.

export interface ExperimentSetting {
  /** Purchases per person in the control group's population. */
  share: number
  /** Share of the control group that buys. */
  conversion: number
  /** σ of the logarithm of an order's amount. */
  sigma: number
  /** Relative lift of the conversion rate: 0.2 is 20%. */
  effect: number
}

/** The result for one measure of one experiment. */
export interface Verdict {
  /** There were enough data to show a result on some day. */
  isSignificant: boolean
  /** The confidence sequence missed the true value on some day on which it was shown. */
  isMissed: boolean
  /** Whether the interval of the last day held the true value; null: it was not shown then. */
  isPlannedRight: boolean | null
  /** A fixed-sample interval, checked daily from the tenth purchase on, missed the true value on some day. */
  isNaiveMissed: boolean
}

export interface Verdicts {
  conversion: Verdict
  revenue: Verdict
}

export const DAYS = 90
export const PEOPLE_A_DAY = 450
/** Median of an order, in the currency's unit. */
const MEDIAN = 60
/** Orders of the previous half year, from which the cap is computed. */
const ORDERS_BEFORE = 1_000

interface Arm {
  people: number
  buyers: number
  total: number
  squares: number
}

export function runExperiment(setting: ExperimentSetting, chance: Random): Verdicts {
  const rates = { treated: setting.conversion * (1 + setting.effect), control: setting.conversion }
  const cap = computeCap(setting.sigma, chance)
  const orderMean = logNormalMean(Math.log(MEDIAN), setting.sigma, cap)
  const truth = { conversion: rates.treated - rates.control, revenue: (rates.treated - rates.control) * orderMean }
  const arms = { treated: createEmptyArm(), control: createEmptyArm() }
  const conversion = createVerdict()
  const revenue = createVerdict()
  for (let day = 1; day <= DAYS; day++) {
    const held = drawPurchasers(chance, PEOPLE_A_DAY, setting.share)
    addPeople(arms.control, held, rates.control, setting.sigma, cap, chance)
    addPeople(arms.treated, PEOPLE_A_DAY - held, rates.treated, setting.sigma, cap, chance)
    const buyerTotals = selectMeasure(arms, ({ people, buyers }) => sumCounts(people, buyers))
    const spent = selectMeasure(arms, ({ people, total, squares }) => sumTotals(people, total, squares))
    const isLast = day === DAYS
    evaluateDay(conversion, buyerTotals, compareShares, {
      isSignificant: hasEnoughForConversion(buyerTotals),
      bought: buyerTotals,
      truth: truth.conversion,
      isLast,
    })
    evaluateDay(revenue, spent, compareMeans, {
      isSignificant: hasEnoughForRevenue(buyerTotals),
      bought: buyerTotals,
      truth: truth.revenue,
      isLast,
    })
  }
  return { conversion, revenue }
}

function evaluateDay(
  verdict: Verdict,
  arms: Arms,
  planned: (arms: Arms) => Interval,
  { isSignificant, bought, truth, isLast }: { isSignificant: boolean; bought: Arms; truth: number; isLast: boolean },
): void {
  if (isSignificant) {
    verdict.isSignificant = true
    if (!containsValue(computeSequence(arms), truth)) verdict.isMissed = true
    if (isLast) verdict.isPlannedRight = containsValue(planned(arms), truth)
  }
  if (hasEnoughForConversion(bought) && !containsValue(compareMeans(arms), truth)) verdict.isNaiveMissed = true
}

const containsValue = ({ low, high }: Interval, truth: number) => low <= truth && truth <= high

const createEmptyArm = (): Arm => ({ people: 0, buyers: 0, total: 0, squares: 0 })
const createVerdict = (): Verdict => ({
  isSignificant: false,
  isMissed: false,
  isPlannedRight: null,
  isNaiveMissed: false,
})
const selectMeasure = (arms: Record<'treated' | 'control', Arm>, of: (arm: Arm) => Arms['treated']): Arms => ({
  treated: of(arms.treated),
  control: of(arms.control),
})

function addPeople(arm: Arm, people: number, rate: number, sigma: number, cap: number, chance: Random): void {
  const buyers = drawPurchasers(chance, people, rate)
  arm.people += people
  arm.buyers += buyers
  for (let order = 0; order < buyers; order++) {
    const amount = Math.min(cap, MEDIAN * Math.exp(sigma * chance.normal()))
    arm.total += amount
    arm.squares += amount * amount
  }
}

/** The 99th percentile of earlier orders, as an experiment fixes it at its start. */
function computeCap(sigma: number, chance: Random): number {
  const amounts = Float64Array.from({ length: ORDERS_BEFORE }, () => MEDIAN * Math.exp(sigma * chance.normal())).sort()
  return amounts[Math.ceil(ORDERS_BEFORE * 0.99) - 1]!
}
