import { authTexts } from '../../../shared/access/auth.ts'
import type { FlowChannel } from '../../../shared/carts/flow-conditions.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import type { FlowStep, FlowVariant, FlowView, StepTexts } from '../../../shared/marketing/flows.ts'
import { needsConfirmedAddress } from '../../access/members/public.ts'
import { readStore, type StoreRow } from '../../access/stores/public.ts'
import { loadStepCoupons } from '../../carts/coupons/public.ts'
import { selectRunning } from '../../carts/experiments/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type AccountDb, type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { countParts } from '../../messages/messages/public.ts'
import { openDesign } from '../../messages/templates/public.ts'
import { listMissingForMail, listMissingForSending, minDelayMinutes } from './flows.ts'
import { ATTRIBUTED_DAYS, readAttributedRevenue } from './report-sql.ts'
import { type listFlows, listSteps, readCounts, readFlow, type Step } from './sql.ts'
import { presentCoupon } from './step-coupons.ts'
import { getDefaultText, loadVariants, type StoredVariant } from './variants.ts'

// Builds the API view of flows.

export async function viewFlow(
  deps: Pick<Deps, 'config' | 'now'>,
  store: StoreDb,
  flowId: string,
): Promise<{ flow: FlowView }> {
  const flow = requireFound(await readFlow(store, flowId), 'Flow')
  return { flow: (await viewFlows(deps, store, [flow]))[0]! }
}

export async function viewFlows(
  deps: Pick<Deps, 'config' | 'now'>,
  store: StoreDb,
  flows: Awaited<ReturnType<typeof listFlows>>,
): Promise<FlowView[]> {
  if (flows.length === 0) return []
  const ids = flows.map((flow) => flow.id)
  const row = requireFound(await readStore(store), 'Store')
  const [steps, counts, responses, brought] = await Promise.all([
    listSteps(store, ids),
    readCounts(store, ids),
    responsesTo(store, ids),
    readAttributedRevenue(store, ids, { currency: row.currency, now: deps.now() }),
  ])
  const variants = await loadVariants(store, steps)
  const experiment = await selectRunning(store, deps.now())
  const coupons = await loadStepCoupons(
    store,
    steps.flatMap((step) => step.coupon_id ?? []),
  )
  const missing = [
    ...listMissingForSending(row),
    ...(await missingMailSetup(deps, { accountId: row.account_id, db: store.db }, steps)),
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
        ...presentStep(step, variants.get(step.id)!, row),
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
  deps: Pick<Deps, 'config'>,
  account: AccountDb,
  steps: readonly Step[],
): Promise<string[]> {
  const missing = await listMissingForMail(deps, account, steps)
  if (missing.length > 0) return missing
  return (await needsConfirmedAddress(account)) ? [authTexts.verifyFirst] : []
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
  revenue: (row?.revenue_minor ?? 0) / 10 ** getCurrencyExponent(currency),
})

function presentStep(
  step: Step,
  stored: readonly StoredVariant[],
  { currency, locale }: Pick<StoreRow, 'currency' | 'locale'>,
): Omit<FlowStep, 'couponShown'> {
  const variants = stored.map((variant) => presentVariant(variant, locale))
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
    subject: email.subject,
    body: email.body,
    sms: sms.body,
    pushTitle: push.title,
    pushBody: push.body,
    coupon: presentCoupon(step, currency),
  }
}

/** Messages that were answered, of all days. */
async function responsesTo({ db, storeId }: StoreDb, flowIds: readonly string[]): Promise<ResponsesRow[]> {
  const { rows } = await sql<ResponsesRow>`
    select flow_id, sum(clicked)::int as clicked, sum(opened)::int as opened, sum(machine_opened)::int as machine_opened
    from flow_figures where store_id = ${storeId} and flow_id = any(${[...flowIds]}::uuid[]) group by flow_id`.execute(
    db,
  )
  return rows
}

interface ResponsesRow {
  flow_id: string
  clicked: number
  opened: number
  /** Opened only by machines, such as scanners and privacy proxies. */
  machine_opened: number
}

function presentVariant({ id, name, sharePercent, words }: StoredVariant, locale: string | null): FlowVariant {
  const getText = (channel: FlowChannel) => words.get(channel) ?? getDefaultText(channel, locale)
  const { subject: title, body } = getText('push')
  const email = getText('email')
  const presented: StepTexts = {
    email: { subject: email.subject, body: email.body, design: openDesign(email) },
    sms: { body: getText('sms').body },
    push: { title, body },
  }
  return { id, name, sharePercent, words: presented }
}
