import {
  type ExperimentsReply,
  type ExperimentView,
  type Finding,
  type Interval,
  MAX_PLANNED_DAYS,
  MIN_PLANNED_DAYS,
  PLANNED_DAYS,
} from '../../../shared/carts/experiments.ts'
import { listShareChoices } from '../../../shared/carts/visible-effect.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { formatCount, formatCounted, formatMoney } from '../../core/ui/format.ts'
import { toKnownZone } from '../../core/ui/zone.ts'

// Texts about a control group (decisions 59 and 60). Pure. No text claims more than its interval supports.

export type Measure = 'revenue' | 'conversion'

/** The day of an instant in the store's time zone, as in all of analytics. */
export const formatDay = (instant: string | number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: toKnownZone(timeZone) }).format(new Date(instant))

type Unit = (amount: number) => string

/** Formats of an interval's bounds, inner and outer. Rounding never narrows an interval. */
export const getBoundFormats = (measure: Measure, currency: string): Record<'inner' | 'outer', Unit> =>
  measure === 'revenue'
    ? { inner: createMoneyFormat(Math.floor, currency), outer: createMoneyFormat(Math.ceil, currency) }
    : { inner: (count) => formatCount(Math.floor(count)), outer: (count) => formatCount(Math.ceil(count)) }

/** In whole units of the currency. */
function createMoneyFormat(round: (coins: number) => number, currency: string): Unit {
  const scale = 10 ** getCurrencyExponent(currency)
  return (amount) => formatMoney(round(roundNoise(amount * scale)) / scale, currency)
}

/** Corrects floating point, such as 1.1 × 100, without rounding up a unit. */
const roundNoise = (coins: number) => Number(coins.toFixed(4))

/** Formats the outer bound of a measure in a sentence: money, or whole purchases. */
const getUnit = (measure: Measure, currency: string): Unit =>
  measure === 'revenue'
    ? createMoneyFormat(Math.ceil, currency)
    : (count) => formatCounted(Math.ceil(count), 'purchase')

/** Both bounds of a positive interval: money in full; for purchases the first without its unit. */
function formatBounds(measure: Measure, { low, high }: Interval, format: Unit, currency: string): string {
  const { inner } = getBoundFormats(measure, currency)
  const most = format(high)
  return inner(low) === inner(0) ? `up to ${most}` : `${inner(low)} to ${most}`
}

/** The sentence of a measure, with the always-valid interval or the planned day's. */
export function describeMeasure(
  experiment: ExperimentView,
  measure: Measure,
  by: 'anytime' | 'planned' = 'anytime',
): string {
  const { people, currency } = experiment
  const finding = experiment[measure]
  const interval = finding[by]
  if (!interval) return describeTooFew(experiment, measure)
  const shoppers = `these ${formatCounted(people.treated, 'shopper')}`
  const money = getUnit('revenue', currency)
  const purchases = (word: string) => (count: number) => formatCounted(Math.ceil(count), `${word} purchase`)
  if (interval.low > 0) {
    const gain =
      measure === 'revenue'
        ? `${formatBounds(measure, interval, money, currency)} of extra sales`
        : formatBounds(measure, interval, purchases('extra'), currency)
    return `Your messages caused ${gain} from ${shoppers}.`
  }
  if (interval.high < 0) {
    const bounds = { low: -interval.high, high: -interval.low }
    const loss =
      measure === 'revenue'
        ? `spent ${formatBounds(measure, bounds, money, currency)} less`
        : `made ${formatBounds(measure, bounds, purchases('fewer'), currency)}`
    return `With messages, ${shoppers} ${loss}.`
  }
  const largest = Math.max(-interval.low, interval.high)
  return `No difference proven. If there is one, it is below ${getUnit(measure, currency)(largest)} for ${shoppers} together.`
}

function describeTooFew(experiment: ExperimentView, measure: Measure): string {
  const { people, startedAt, windowDays, endedAt, capAmount, timeZone } = experiment
  if (measure === 'revenue' && capAmount === null) {
    return 'Revenue is not compared, because the store had no order when the control group started.'
  }
  if (endedAt) return 'Not enough data: the control group ended before enough shoppers had bought in both groups.'
  if (people.treated + people.control === 0) {
    const first = formatDay(Date.parse(startedAt) + windowDays * 86_400_000, timeZone)
    return `No shoppers are counted yet. Each shopper’s orders count for ${windowDays} days, so the first result comes after ${first}.`
  }
  return `Not enough data yet${describeMissing(experiment[measure].missing)}.`
}

/** ": about 400 more shoppers (≈ 12 days at your pace)" */
function describeMissing(missing: Finding['missing']): string {
  if (!missing) return ''
  const days = missing.days === null ? '' : ` (≈ ${formatCounted(missing.days, 'day')} at your pace)`
  return `: about ${formatCounted(missing.people, 'more shopper')}${days}`
}

/** Whether a measure has enough data. */
export const hasResult = (experiment: ExperimentView, measure: Measure) => experiment[measure].state !== 'few'

/** The measure to show where there is room for one; null if neither has enough data. */
export function chooseMeasure(experiment: ExperimentView): Measure | null {
  if (hasResult(experiment, 'revenue')) return 'revenue'
  return hasResult(experiment, 'conversion') ? 'conversion' : null
}

/** Summary of an ended group in a sentence: uses the planned day's interval if there is one. */
export function describePast(experiment: ExperimentView): string {
  if (experiment.health === 'off') return healthTexts.off
  const measure = chooseMeasure(experiment) ?? 'conversion'
  return describeMeasure(experiment, measure, experiment[measure].planned ? 'planned' : 'anytime')
}

/** The newest control group with a result: the running one, otherwise the last ended one. */
export function findNewestResult({ running, past }: Pick<ExperimentsReply, 'running' | 'past'>): ExperimentView | null {
  return [running, ...past].find((each) => each !== null && chooseMeasure(each) !== null) ?? null
}

/** The smallest increase of purchases that can be proven. */
export function describeRise(percent: number): string {
  if (percent < 90) return `an increase of ${percent}% or more`
  if (percent <= 110) return 'twice as many purchases or more'
  const times = 1 + percent / 100
  if (times > 100) return 'more than 100 times as many purchases'
  return `${times < 9.95 ? times.toFixed(1) : Math.round(times)} times as many purchases or more`
}

type Choice = ReturnType<typeof listShareChoices>[number]

/** What a share could prove in this many days. */
export function describeChoice({ treated, control, smallestPercent }: Choice, days: number): string {
  const shoppers = `${formatCount(control)} of ${formatCounted(treated + control, 'shopper')} in ${days} days get no messages.`
  if (smallestPercent === null) return `${shoppers} Too few of them would buy to prove a difference.`
  return `${shoppers} This proves ${describeRise(smallestPercent)}.`
}

const SHARE_NAMES: Record<number, string> = { 10: 'a tenth', 20: 'a fifth', 30: 'three tenths', 50: 'half' }

/** The proposed share and what it could prove; null: no share is useful. */
export function findProposal({ pace, proposedPercent }: ExperimentsReply) {
  const choice = listShareChoices(pace).find(({ sharePercent }) => sharePercent === proposedPercent)
  return choice && choice.smallestPercent !== null ? { ...choice, smallestPercent: choice.smallestPercent } : null
}

/** A typical store gains less than this, so a control group that proves only more is not worth it. */
const TYPICAL_RISE_PERCENT = 25

/** Describes what the proposed share could prove; without a proposal, why no share is useful. */
export function describeBefore(reply: ExperimentsReply): string {
  const { people } = reply.pace
  if (people === 0) {
    return 'No reachable shopper abandoned a cart in the last 30 days, so there is nothing to measure yet.'
  }
  const month = `You have about ${formatCounted(people, 'reachable shopper')} a month.`
  const choice = findProposal(reply)
  if (!choice) return `${month} Too few would buy in ${PLANNED_DAYS} days to prove any increase. It’s not worth it yet.`
  const share = SHARE_NAMES[choice.sharePercent] ?? `${choice.sharePercent}%`
  const isLarge = choice.smallestPercent > TYPICAL_RISE_PERCENT
  return `${month} With ${share} of them in a control group, ${PLANNED_DAYS} days would ${isLarge ? 'only ' : ''}prove ${describeRise(choice.smallestPercent)}.${isLarge ? ' That’s probably not worth it yet.' : ''}`
}

/** Shown while a group runs, wherever messages are created: it covers the whole store. */
export const describeRunning = (sharePercent: number): string =>
  `A control group is running: ${sharePercent}% of shoppers get no flow, campaign or push notification from this store.`

/** Describes the shoppers behind the purchase rate. */
export function describePace({ pace }: ExperimentsReply): string {
  if (pace.boughtPercent === null) {
    return `Too few of them bought in the last 30 days to measure a rate. ${pace.assumedPercent}% is assumed.`
  }
  return `${pace.boughtPercent}% of shoppers who abandoned a cart in the last 30 days bought.`
}

/** Cost of the control group. Like the gain, it claims no more than its interval supports. */
export function describeCost({ cost, currency }: ExperimentView): string {
  const format = getUnit('revenue', currency)
  if (!cost) return 'Not known yet'
  if (cost.high < 0) return 'None'
  if (cost.low > 0) return `${formatBounds('revenue', cost, format, currency)} in missed sales`
  return `At most ${format(cost.high)} in missed sales, perhaps none`
}

/** Results of the check for a sample ratio mismatch (decision 61). */
export const healthTexts: Record<ExperimentView['health'], string> = {
  few: 'Too few shoppers to check the group sizes.',
  even: 'Both groups have the expected size.',
  off: 'One group has lost shoppers, so the groups cannot be compared. Do not rely on this result.',
}

/** The two ranges, named (decision 59). */
export const rangeTexts = {
  anytime: 'At any time (95% range)',
  planned: 'On the planned end day (95% range)',
} as const

/** One group as a bar from zero: how many of its shoppers bought. */
export interface GroupBar {
  arm: 'treated' | 'control'
  label: string
  people: number
  purchases: number
  /** null: nobody is counted. */
  boughtPercent: number | null
  /** Length in percent, with the larger group as the measure. */
  width: number
}

export function buildGroupBars({ people, purchases }: Pick<ExperimentView, 'people' | 'purchases'>): GroupBar[] {
  const rate = (arm: GroupBar['arm']) => (people[arm] > 0 ? purchases[arm] / people[arm] : 0)
  const most = Math.max(rate('treated'), rate('control'))
  return (['control', 'treated'] as const).map((arm) => ({
    arm,
    label: arm === 'control' ? 'Control group' : 'With messages',
    people: people[arm],
    purchases: purchases[arm],
    boughtPercent: people[arm] > 0 ? Math.round(rate(arm) * 1_000) / 10 : null,
    width: most > 0 ? Math.round((rate(arm) / most) * 1_000) / 10 : 0,
  }))
}

/** Error of the typed number of days; null if valid. */
export function checkDays(days: number | string): string | null {
  const isFine =
    typeof days === 'number' && Number.isInteger(days) && days >= MIN_PLANNED_DAYS && days <= MAX_PLANNED_DAYS
  return isFine ? null : `Enter ${MIN_PLANNED_DAYS} to ${MAX_PLANNED_DAYS} days.`
}
