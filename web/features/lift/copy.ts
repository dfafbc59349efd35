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
function formatBounds(measure: Measure, { low, high }: Interval, currency: string): string {
  const { inner } = getBoundFormats(measure, currency)
  const most = getUnit(measure, currency)(high)
  return inner(low) === inner(0) ? `up to ${most}` : `between ${inner(low)} and ${most}`
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
  const peopleText = `these ${formatCounted(people.treated, 'person', 'people')}`
  if (interval.low > 0) return `Recoup brought in ${formatBounds(measure, interval, currency)} more from ${peopleText}.`
  if (interval.high < 0) {
    const loss = { low: -interval.high, high: -interval.low }
    return `With messages ${peopleText} brought in ${formatBounds(measure, loss, currency)} less than they would have without.`
  }
  const largest = Math.max(-interval.low, interval.high)
  return `No difference seen; if there is one it is smaller than ${getUnit(measure, currency)(largest)}, in all from ${peopleText}.`
}

function describeTooFew(experiment: ExperimentView, measure: Measure): string {
  const { people, startedAt, windowDays, endedAt, capAmount, timeZone } = experiment
  if (measure === 'revenue' && capAmount === null) {
    return 'Amounts are not compared: there was no order when it began to say what an unusually large one is.'
  }
  if (endedAt) return 'Not enough data: it ended before enough people had bought in both groups.'
  if (people.treated + people.control === 0) {
    const first = formatDay(Date.parse(startedAt) + windowDays * 86_400_000, timeZone)
    return `Nobody is counted yet: each person’s orders count for ${windowDays} days, so the first are counted from ${first}.`
  }
  return `Not enough data yet${describeMissing(experiment[measure].missing)}.`
}

/** ": about 400 more people (≈ 12 days at your pace)" */
function describeMissing(missing: Finding['missing']): string {
  if (!missing) return ''
  const days = missing.days === null ? '' : ` (≈ ${formatCounted(missing.days, 'day')} at your pace)`
  return `: about ${formatCounted(missing.people, 'more person', 'more people')}${days}`
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

/** The smallest detectable rise in purchases. */
export function describeRise(percent: number): string {
  if (percent < 90) return `a rise of ${percent}% or more in purchases`
  if (percent <= 110) return 'twice as many purchases or more'
  const times = 1 + percent / 100
  if (times > 100) return 'more than 100 times as many purchases'
  return `${times < 9.95 ? times.toFixed(1) : Math.round(times)} times as many purchases or more`
}

type Choice = ReturnType<typeof listShareChoices>[number]

/** What a share could detect in this many days. */
export function describeChoice({ treated, control, smallestPercent }: Choice, days: number): string {
  const people = `${formatCount(control)} of ${formatCounted(treated + control, 'person', 'people')} in ${days} days get no messages.`
  if (smallestPercent === null) return `${people} Too few of them would buy to see any difference.`
  return `${people} You would see ${describeRise(smallestPercent)}.`
}

const SHARE_NAMES: Record<number, string> = { 10: 'a tenth', 20: 'a fifth', 30: 'three tenths', 50: 'half' }

const NOT_YET = 'A control group is not worth it yet.'

/** Describes what the proposed share could detect; without a proposal, why no share is useful. */
export function describeBefore({ pace, proposedPercent }: ExperimentsReply): string {
  if (pace.people === 0) {
    return `Nobody who can be written to has left a cart in the last 30 days, so nothing could be measured yet. ${NOT_YET}`
  }
  const choice = listShareChoices(pace).find(({ sharePercent }) => sharePercent === proposedPercent)
  if (proposedPercent === null || !choice || choice.smallestPercent === null) {
    const month = formatCounted(pace.people, 'person', 'people')
    return `With ${month} a month who leave a cart and can be written to, even a large effect could not be seen in ${PLANNED_DAYS} days, whatever the share: too few of them would buy. ${NOT_YET}`
  }
  const people = `With ${formatCounted(pace.people, 'person', 'people')} a month who leave a cart and can be written to, and ${SHARE_NAMES[proposedPercent] ?? `${proposedPercent}%`} of them held out,`
  const example = choice.smallestPercent > 25 ? ', such as a fifth,' : ''
  return `${people} you would see ${describeRise(choice.smallestPercent)} in ${PLANNED_DAYS} days. A smaller rise${example} could not be told from chance.`
}

/** Shown while a group runs, wherever messages are created: it covers the whole store. */
export const describeRunning = (sharePercent: number): string =>
  `A control group is running for all flows and campaigns of this store: ${sharePercent}% of people get no message of any of them, and no push notification.`

/** Describes the shoppers behind the purchase rate. */
export function describePace({ pace }: ExperimentsReply): string {
  if (pace.boughtPercent === null) {
    return `Too few of them bought in the last 30 days to know how many do; ${pace.assumedPercent}% is assumed.`
  }
  return `Of those who left a cart in the last 30 days, ${pace.boughtPercent}% bought.`
}

/** Cost of the control group. Like the gain, it claims no more than its interval supports. */
export function describeCost({ cost, people, currency }: ExperimentView): string {
  const peopleText = `the ${formatCounted(people.control, 'person', 'people')} of the control group`
  if (!cost) return `What it cost not to write to ${peopleText} cannot be told, for the same reason.`
  if (cost.low > 0) return `Not writing to ${peopleText} has cost ${formatBounds('revenue', cost, currency)}.`
  if (cost.high < 0) return `Not writing to ${peopleText} has cost nothing.`
  return `Not writing to ${peopleText} has cost at most ${getUnit('revenue', currency)(cost.high)}, and perhaps nothing.`
}

/** Results of the check for a sample ratio mismatch (decision 61). */
export const healthTexts: Record<ExperimentView['health'], string> = {
  few: 'Too few people to check whether one of the groups has lost some.',
  even: 'The sizes of both groups are what chance explains.',
  off: 'The sizes of the groups cannot be chance: people are missing in one of them. Do not rely on this result.',
}

/** Error of the typed number of days; null if valid. */
export function checkDays(days: number | string): string | null {
  const isFine =
    typeof days === 'number' && Number.isInteger(days) && days >= MIN_PLANNED_DAYS && days <= MAX_PLANNED_DAYS
  return isFine ? null : `Enter ${MIN_PLANNED_DAYS} to ${MAX_PLANNED_DAYS} days.`
}
