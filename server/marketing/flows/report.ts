import { CONVERSION_FROM } from '../../../shared/carts/visible-effect.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import type { FlowReport, ReportedVariant } from '../../../shared/marketing/flow-report.ts'
import { getVariantName } from '../../../shared/marketing/flows.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import { computeSequence, hasEnoughForConversion, sumCounts } from '../../core/lift/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './report-sql.ts'
import { readFlow } from './sql.ts'

// The report of a flow by step (decision 57) and by text variant (decision 55), computed from daily figures alone.

export async function reportFlow(
  deps: Pick<Deps, 'now'>,
  store: StoreDb,
  flowId: string,
  days: FlowReport['days'],
): Promise<FlowReport> {
  requireFound(await readFlow(store, flowId), 'Flow')
  const { currency, time_zone: zone } = requireFound(await readStore(store), 'Store')
  const today = Temporal.Instant.fromEpochMilliseconds(deps.now().getTime()).toZonedDateTimeISO(zone).toPlainDate()
  const range = { flowId, first: today.subtract({ days: days - 1 }).toString(), last: today.toString(), currency }
  const [steps, variants, sent, reporting, counts, countedAt] = await Promise.all([
    sql.readReportedSteps(store, flowId),
    sql.readReportedVariants(store, flowId),
    sql.readSentBySteps(store, range),
    sql.readReportingBySteps(store, range),
    sql.readCountsBySteps(store, range),
    sql.readCountedAt(store),
  ])
  const totals = variants.length > 0 ? await sql.readVariantTotals(store, flowId) : []
  const read = { sent, reporting, counts, variants, totals, currency }
  return {
    days,
    from: range.first,
    to: range.last,
    countedAt: countedAt?.toISOString() ?? null,
    currency,
    steps: steps
      .map((step) => presentStep(step, read))
      .filter((step) => step.step !== null || step.planned + step.sent + step.skipped.length > 0),
  }
}

interface StepFigures {
  sent: readonly sql.SentRow[]
  reporting: readonly sql.ReportingRow[]
  counts: readonly sql.CountRow[]
  variants: readonly sql.ReportedVariant[]
  totals: readonly sql.VariantTotal[]
  currency: string
}

function presentStep(
  step: sql.ReportedStep,
  { sent, reporting, counts, variants, totals, currency }: StepFigures,
): FlowReport['steps'][number] {
  const ofStep = sent.filter(({ step_id }) => step_id === step.id)
  const counted = counts.filter(({ step_id }) => step_id === step.id)
  const sum = (of: (row: sql.SentRow) => number) => ofStep.reduce((total, row) => total + of(row), 0)
  const amount = (minor: number) => minor / 10 ** getCurrencyExponent(currency)
  const recipients = sum(({ accepted }) => accepted)
  const revenueMinor = sum(({ revenue_minor }) => revenue_minor)
  const reported = reporting.find(({ step_id }) => step_id === step.id)?.accepted ?? 0
  const skipped = counted.filter(({ reason }) => reason !== '').toSorted((a, b) => b.count - a.count)
  return {
    stepId: step.id,
    step: step.removed_at ? null : step.step,
    name: step.name,
    planned: counted.find(({ reason }) => reason === '')?.count ?? 0,
    sent: recipients,
    delivered: reported > 0 ? sum(({ delivered }) => delivered) : null,
    reporting: reported,
    clicked: sum(({ clicked }) => clicked),
    orders: sum(({ credited }) => credited),
    revenue: amount(revenueMinor),
    revenuePerRecipient: recipients === 0 ? null : amount(Math.round(revenueMinor / recipients)),
    unsubscribed: sum(({ unsubscribed }) => unsubscribed),
    skipped: skipped.map(({ reason, count }) => ({ reason, explanation: explain(reason, step.channels[0]), count })),
    ...presentVariants(
      variants.filter(({ step_id }) => step_id === step.id),
      { sent: ofStep, totals },
      amount,
    ),
  }
}

/**
 * Compares each variant with the first (decision 61): an always-valid interval, with α shared among the comparisons. It
 * is valid from a fixed start only, so it covers all days since the split began, for any period of the report.
 */
function presentVariants(
  variants: readonly sql.ReportedVariant[],
  { sent, totals }: Pick<StepFigures, 'sent' | 'totals'>,
  amount: (minor: number) => number,
): Pick<FlowReport['steps'][number], 'variants' | 'purchasesNeeded'> {
  if (variants.length < 2) return { variants: [], purchasesNeeded: null }
  const rows = variants.map((variant) => ({ variant, row: sent.find(({ variant_id }) => variant_id === variant.id) }))
  const sums = variants.map(({ id }) => {
    const total = totals.find(({ variant_id }) => variant_id === id)
    return sumCounts(total?.accepted ?? 0, total?.credited ?? 0)
  })
  const alpha = 0.05 / (variants.length - 1)
  const compared = sums.map((treated, index) => {
    const arms = { treated, control: sums[0]! }
    return index > 0 && hasEnoughForConversion(arms) ? computeSequence(arms, alpha) : null
  })
  const presented = rows.map(({ variant, row }, index): ReportedVariant => {
    const interval = compared[index]
    return {
      variantId: variant.id,
      name: getVariantName(variant.nth),
      isCurrent: variant.ended_at === null,
      sharePercent: variant.ended_at ? 0 : variant.share_percent,
      people: row?.accepted ?? 0,
      clicked: row?.clicked ?? 0,
      bought: row?.credited ?? 0,
      revenue: amount(row?.revenue_minor ?? 0),
      comparison: interval
        ? {
            lower: interval.low * 100,
            upper: interval.high * 100,
            excludesZero: interval.low > 0 || interval.high < 0,
          }
        : null,
    }
  })
  const isAnyMissing = compared.slice(1).some((each) => each === null)
  return { variants: presented, purchasesNeeded: isAnyMissing ? CONVERSION_FROM : null }
}

/** Keeps the counter tables small, so that a sum reads few rows. */
export const foldFlowCounts = ({ db }: { db: Db }): Promise<void> => sql.foldCounts(db)
