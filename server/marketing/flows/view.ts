import { authTexts } from '../../../shared/auth.ts'
import type { FlowStep, FlowView } from '../../../shared/flows.ts'
import { currencyExponent } from '../../../shared/money.ts'
import { needsConfirmedAddress } from '../../access/members/verification.ts'
import { readStore } from '../../access/stores/store.ts'
import { loadStepCoupons } from '../../carts/coupons/list.ts'
import { selectRunning } from '../../carts/experiments/experiments.ts'
import { requireFound } from '../../core/common/errors.ts'
import type { StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { countParts } from '../../messages/messages/state-rules.ts'
import { minDelayMinutes, missingForMail, missingForSending } from './flows.ts'
import { ATTRIBUTED_DAYS, readAttributedRevenue, responsesTo } from './report-sql.ts'
import * as sql from './sql.ts'
import { presentCoupon } from './step-coupons.ts'
import { presentVariant, type StoredVariant, variantsOf } from './variants.ts'

// Builds the API view of flows.

export async function viewFlow(deps: Deps, store: StoreDb, flowId: string): Promise<{ flow: FlowView }> {
  const flow = requireFound(await sql.readFlow(store, flowId), 'Flow')
  return { flow: (await viewFlows(deps, store, [flow]))[0]! }
}

export async function viewFlows(
  deps: Deps,
  store: StoreDb,
  flows: Awaited<ReturnType<typeof sql.listFlows>>,
): Promise<FlowView[]> {
  if (flows.length === 0) return []
  const ids = flows.map((flow) => flow.id)
  const row = requireFound(await readStore(store), 'Store')
  const [steps, counts, responses, brought] = await Promise.all([
    sql.stepsOf(store, ids),
    sql.readCounts(store, ids),
    responsesTo(store, ids),
    readAttributedRevenue(store, ids, { currency: row.currency, now: deps.now() }),
  ])
  const variants = await variantsOf(store, steps)
  const experiment = await selectRunning(store, deps.now())
  const coupons = await loadStepCoupons(
    store,
    steps.flatMap((step) => step.coupon_id ?? []),
  )
  const missing = [
    ...missingForSending(row),
    ...(await missingMailSetup(deps, store, { accountId: row.account_id, steps })),
  ]
  return flows.map((flow) => ({
    id: flow.id,
    name: flow.name,
    position: flow.position,
    conditions: flow.conditions,
    isOn: flow.is_on,
    switchedOnAt: flow.switched_on_at?.toISOString() ?? null,
    holdoutPercent: (experiment?.control_bps ?? 0) / 100,
    steps: steps
      .filter((step) => step.flow_id === flow.id)
      .map((step) => ({
        ...presentStep(step, variants.get(step.id)!, row.currency),
        couponShown: (step.coupon_id && coupons.get(step.coupon_id)) || null,
      })),
    counts: countParts(counts.filter((count) => count.flow_id === flow.id)),
    responses: presentResponses(responses.find((each) => each.flow_id === flow.id)),
    missing,
    minDelayMinutes: minDelayMinutes(deps, row),
    brought: presentAttributed(
      brought.find((each) => each.flow_id === flow.id),
      row.currency,
    ),
    currency: row.currency,
  }))
}

/**
 * Without any mail server no confirmation mail works either, and an account with its own server needs none. Then only
 * the server is named.
 */
async function missingMailSetup(
  deps: Deps,
  store: StoreDb,
  of: { accountId: string; steps: sql.Step[] },
): Promise<string[]> {
  const missing = await missingForMail(deps, store, of.accountId, of.steps)
  if (missing.length > 0) return missing
  return (await needsConfirmedAddress({ db: store.db, accountId: of.accountId })) ? [authTexts.verifyFirst] : []
}

function presentResponses(row: Awaited<ReturnType<typeof responsesTo>>[number] | undefined): FlowView['responses'] {
  return {
    clicked: row?.clicked ?? 0,
    opened: row?.opened ?? 0,
    openedByMachines: row?.machine_opened ?? 0,
  }
}

const presentAttributed = (
  row: Awaited<ReturnType<typeof readAttributedRevenue>>[number] | undefined,
  currency: string,
): FlowView['brought'] => ({
  days: ATTRIBUTED_DAYS,
  orders: row?.orders ?? 0,
  revenue: (row?.revenue_minor ?? 0) / 10 ** currencyExponent(currency),
})

function presentStep(
  step: sql.Step,
  stored: readonly StoredVariant[],
  currency: string,
): Omit<FlowStep, 'couponShown'> {
  const variants = stored.map(presentVariant)
  const { email, sms, push } = variants[0]!.words
  return {
    id: step.id,
    step: step.step,
    name: step.name,
    delayMinutes: step.delay_minutes,
    channels: [step.channel, ...step.fallback],
    conditions: step.conditions,
    variants,
    variantsSoFar: stored[0]!.soFar,
    channel: step.channel,
    templateId: step.template_id,
    templateKey: step.key,
    templateName: step.name,
    ...{ ...email, sms: sms.body, pushTitle: push.title, pushBody: push.body },
    coupon: presentCoupon(step, currency),
  }
}
