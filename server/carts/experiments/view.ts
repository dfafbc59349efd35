import type { ExperimentsReply, ExperimentView, Finding } from '../../../shared/carts/experiments.ts'
import { listShareChoices } from '../../../shared/carts/visible-effect.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, sql } from '../../core/db/public.ts'
import { isCountedOrder } from '../orders/public.ts'
import { type ArmCounts, type ArmsCounts, canCheckArms, computeCost, findConversion, findRevenue } from './findings.ts'
import { type ArmSums, selectSums, selectWithOpenWindows } from './outcomes-sql.ts'
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
      now,
      zone,
      pace,
      sums: sums.filter(({ experiment_id }) => experiment_id === experiment.id),
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
  const toDayStart = (day: Temporal.PlainDate) => new Date(day.toZonedDateTime(zone).epochMilliseconds)
  const parts = first.equals(last)
    ? [{ since: start, until: end }]
    : [
        // Purchases are dated to the second.
        { since: start, until: new Date(toDayStart(first.add({ days: 1 })).getTime() - 1) },
        { since: toDayStart(last), until: end },
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
  const scale = 10 ** getCurrencyExponent(experiment.currency)
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

// SQL for the pace of an experiment and on attributed revenue beside it.

/**
 * Served by indexes: shoppers with a listed cart, and those whose order ended an abandoned one, even if it does not
 * count (S4).
 */
export async function readPace({ db, storeId }: StoreDb, since: Date): Promise<Pace> {
  const rows = await sql<Pace>`
    with ended as (
      select c.shopper_id, bool_or(${isCountedOrder}) as has_bought from orders o join carts c on c.store_id = o.store_id and c.id = o.cart_id
      where o.store_id = ${storeId} and o.purchased_at > ${since} and not o.is_staff and o.kind = 'purchase'
        and c.abandoned_at > ${since} and (c.has_email or c.has_phone or c.had_contact) group by c.shopper_id),
    listed as (
      select distinct c.shopper_id from carts c
      where c.store_id = ${storeId} and c.status in ('abandoned', 'recovered', 'lost') and c.last_activity_at > ${since}
        and (c.has_email or c.has_phone or c.had_contact))
    select (select count(*)::int from (select shopper_id from listed union select shopper_id from ended) p) as people,
      (select count(*)::int from ended where has_bought) as bought`.execute(db)
  return rows.rows[0]!
}

/** An experiment's time in the store's calendar: its whole days, and the parts of its first and last day. */
interface Span {
  id: string
  currency: string
  /** The days between these two are whole. */
  firstDay: string
  lastDay: string
  /** Parts of the first and last day, or of the only one. */
  parts: { since: Date; until: Date }[]
}

/** Attributed revenue by experiment, in minor units: whole days from daily figures, the first and last from orders. */
async function selectAttributed({ db, storeId }: StoreDb, spans: readonly Span[]): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; net_minor: number }>`
    select e.id, (coalesce((select sum(f.net_minor) from order_figures f where f.store_id = ${storeId} and f.source = 'attributed'
        and f.currency = e.currency and f.day > e."firstDay" and f.day < e."lastDay"), 0)
      + coalesce((select sum(o.net_minor) from jsonb_to_recordset(e.parts) as p(since timestamptz, until timestamptz)
        join orders o on o.store_id = ${storeId} and o.purchased_at >= p.since and o.purchased_at <= p.until
        where o.touchpoint_id is not null and o.currency = e.currency and o.net_minor > 0), 0))::bigint as net_minor
    from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb) as e(id text, currency text, "firstDay" date, "lastDay" date, parts jsonb)`.execute(
    db,
  )
  return new Map(rows.rows.map((row) => [row.id, row.net_minor]))
}

// Forecasts before an experiment starts (decision 60). Pure.

interface Pace {
  /** Shoppers with a contact who abandoned a cart in the last 30 days. */
  people: number
  /** Number of these who bought. */
  bought: number
}

/** Fewer purchases give no reliable rate. */
const MIN_PURCHASES = 10
const ASSUMED_RATE = 0.05

/** Fraction of 1; null: too few purchases. */
export const computeRate = ({ people, bought }: Pace): number | null =>
  bought < MIN_PURCHASES ? null : bought / people

const ASSUMED_PERCENT = ASSUMED_RATE * 100

/** Fraction of 1: the store's own rate, else the assumed one. */
export const estimateRate = (pace: Pace): number => computeRate(pace) ?? ASSUMED_RATE

/**
 * Fewer shoppers need a larger control group: 50 % below 2,000 a month, 20 % up to 10,000, 10 % above, or the next
 * larger share that can detect an effect. null: no share can, so nothing is proposed.
 */
export function proposePercent(pace: Pace): number | null {
  const { people } = pace
  const min = people < 2_000 ? 50 : people <= 10_000 ? 20 : 10
  const choice = listShareChoices({ people, rate: estimateRate(pace) }).find(
    ({ sharePercent, smallestPercent }) => sharePercent >= min && smallestPercent !== null,
  )
  return choice?.sharePercent ?? null
}
