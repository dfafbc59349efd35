import type { ExperimentsReply, ExperimentView, Finding } from '../../../shared/experiments.ts'
import { currencyExponent } from '../../../shared/money.ts'
import { readStore } from '../../access/stores/store.ts'
import { requireFound } from '../../core/common/errors.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { type ArmCounts, type ArmsCounts, canCheckArms, computeCost, findConversion, findRevenue } from './findings.ts'
import { ASSUMED_PERCENT, computeRate, estimateRate, type Pace, proposePercent } from './forecast.ts'
import { type ArmSums, selectSums, selectWithOpenWindows } from './outcomes-sql.ts'
import { readPace, type Span, selectAttributed } from './pace-sql.ts'
import { type Experiment, listExperiments } from './sql.ts'

// The owner's view of the control group, read from sums.

const DAY_MS = 86_400_000
/** More experiments than a store starts. */
const MAX_LISTED = 20

export async function viewExperiments(store: StoreDb<Db>, now: Date): Promise<ExperimentsReply> {
  const zone = requireFound(await readStore(store), 'Store').time_zone
  const [pace, experiments] = await Promise.all([
    readPace(store, new Date(now.getTime() - 30 * DAY_MS)),
    listExperiments(store, MAX_LISTED),
  ])
  const ids = experiments.map(({ id }) => id)
  const spans = experiments.map((each) => buildSpan(each, findEnd(each, now), zone))
  const over = experiments.filter((each) => isOver(each, now)).map(({ id }) => id)
  const [sums, attributed, open] = await Promise.all([
    selectSums(store, ids),
    selectAttributed(store, spans),
    selectWithOpenWindows(store, over),
  ])
  const views = experiments.map((experiment) =>
    presentExperiment(experiment, {
      ...{ now, zone, pace, sums: sums.filter(({ experiment_id }) => experiment_id === experiment.id) },
      isEverybodyCounted: !open.has(experiment.id),
      attributedMinor: attributed.get(experiment.id) ?? 0,
    }),
  )
  const rate = computeRate(pace)
  return {
    pace: {
      people: pace.people,
      boughtPercent: rate === null ? null : Math.round(rate * 1_000) / 10,
      assumedPercent: ASSUMED_PERCENT,
      rate: estimateRate(pace),
    },
    proposedPercent: proposePercent(pace),
    running: views.find(({ endedAt }) => endedAt === null) ?? null,
    past: views.filter(({ endedAt }) => endedAt !== null),
  }
}

function buildSpan({ id, currency, started_at: start }: Experiment, end: Date, zone: string): Span {
  const [first, last] = [toDay(start, zone), toDay(end, zone)]
  const beginOf = (day: Temporal.PlainDate) => new Date(day.toZonedDateTime(zone).epochMilliseconds)
  const parts = first.equals(last)
    ? [{ since: start, until: end }]
    : [
        // Purchases are dated to the second.
        { since: start, until: new Date(beginOf(first.add({ days: 1 })).getTime() - 1) },
        { since: beginOf(last), until: end },
      ]
  return { id, currency, firstDay: first.toString(), lastDay: last.toString(), parts }
}

const toDay = (at: Date, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate()

/** The planned end applies even before the job has recorded it. */
const findEnd = ({ ended_at, planned_end_at }: Experiment, now: Date): Date =>
  ended_at ?? (planned_end_at <= now ? planned_end_at : now)

const isOver = ({ ended_at, planned_end_at }: Experiment, now: Date) => ended_at !== null || planned_end_at <= now

interface ExperimentData {
  now: Date
  zone: string
  pace: Pace
  sums: readonly ArmSums[]
  /** Of an ended experiment. */
  isEverybodyCounted: boolean
  attributedMinor: number
}

function presentExperiment(
  experiment: Experiment,
  { now, zone, pace, sums, isEverybodyCounted, attributedMinor }: ExperimentData,
): ExperimentView {
  const counts: ArmsCounts = { treated: sumCounts(sums, 'treated'), control: sumCounts(sums, 'control') }
  const all = (of: keyof Pick<ArmSums, 'overridden' | 'left_out'>) => sums.reduce((sum, each) => sum + each[of], 0)
  // Shown once: not before all shoppers are counted.
  const isPlannedDay =
    isOver(experiment, now) && (experiment.end_reason ?? 'planned') === 'planned' && isEverybodyCounted
  const waiting = isOver(experiment, now)
    ? { treated: 0, control: 0 }
    : { treated: experiment.waiting_treated, control: experiment.waiting_control }
  const drawn = counts.treated.people + counts.control.people + waiting.treated + waiting.control + all('left_out')
  const circumstances = {
    isPlannedDay,
    peopleADay: isOver(experiment, now) ? null : computePace(experiment, { now, pace, drawn }),
    rate: estimateRate(pace),
  }
  const revenue = experiment.cap_minor === null ? NOT_MEASURED : findRevenue(counts, circumstances)
  const scale = 10 ** currencyExponent(experiment.currency)
  const cost = computeCost(counts, revenue)
  return {
    id: experiment.id,
    sharePercent: experiment.control_bps / 100,
    timeZone: zone,
    startedAt: experiment.started_at.toISOString(),
    plannedEndAt: experiment.planned_end_at.toISOString(),
    drawsUntil: new Date(experiment.planned_end_at.getTime() - experiment.window_days * DAY_MS).toISOString(),
    endedAt: isOver(experiment, now) ? findEnd(experiment, now).toISOString() : null,
    endReason: isOver(experiment, now) ? (experiment.end_reason ?? 'planned') : null,
    windowDays: experiment.window_days,
    currency: experiment.currency,
    capAmount: experiment.cap_minor === null ? null : experiment.cap_minor / scale,
    people: { treated: counts.treated.people, control: counts.control.people },
    purchases: { treated: counts.treated.purchases, control: counts.control.purchases },
    waiting,
    leftOut: all('left_out'),
    overridden: all('overridden'),
    drawnEarlier: experiment.drawn_earlier,
    conversion: findConversion(counts, circumstances),
    revenue: scaleFinding(revenue, scale),
    cost: cost && { low: cost.low / scale, high: cost.high / scale },
    attributedAmount: attributedMinor / scale,
    health: experiment.alarm_at ? 'off' : canCheckArms(counts, experiment.control_bps) ? 'even' : 'few',
  }
}

const NOT_MEASURED: Finding = { state: 'few', anytime: null, planned: null, missing: null }

const sumCounts = (sums: readonly ArmSums[], arm: 'treated' | 'control'): ArmCounts => {
  const of = sums.find((each) => each.arm === arm)
  return {
    people: of?.people ?? 0,
    purchases: of?.purchases ?? 0,
    netMinor: of?.net_minor ?? 0,
    netSquares: of?.net_squares ?? 0,
  }
}

/** Shoppers per day: as assigned so far, or in the first week by the store's last 30 days. */
function computePace(
  { started_at }: Experiment,
  { now, pace, drawn }: { now: Date; pace: Pace; drawn: number },
): number | null {
  const days = (now.getTime() - started_at.getTime()) / DAY_MS
  const aDay = days < 7 ? pace.people / 30 : drawn / days
  return aDay > 0 ? aDay : null
}

function scaleFinding(finding: Finding, scale: number): Finding {
  const of = (interval: Finding['anytime']) => interval && { low: interval.low / scale, high: interval.high / scale }
  return { ...finding, anytime: of(finding.anytime), planned: of(finding.planned) }
}
