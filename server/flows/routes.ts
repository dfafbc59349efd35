import { authTexts } from '../../shared/auth.ts'
import * as api from '../../shared/flows.ts'
import { explain } from '../../shared/reasons.ts'
import type { StoreDb } from '../core/db.ts'
import { found } from '../core/errors.ts'
import { couponsOfSteps } from '../coupons/list.ts'
import type { Deps } from '../deps.ts'
import { responsesOf } from '../engagement/responses.ts'
import { runningExperiment } from '../experiments/experiments.ts'
import { type Routes, serveStore } from '../http/http.ts'
import { waitsForProof } from '../members/verification.ts'
import { countsOfStates } from '../messages/state-rules.ts'
import { previewStep } from '../preview/preview.ts'
import { readStore } from '../stores/store.ts'
import {
  channelsFor,
  minDelayMinutes,
  missingForMail,
  missingForSending,
  saveFlow,
  switchFlow,
  textOfSteps,
} from './flows.ts'
import * as sql from './sql.ts'
import { presentCoupon } from './step-coupons.ts'

export const flowRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listFlows, async ({ store }) => ({
    flows: await viewFlows(deps, store, await sql.listFlows(store)),
    channels: await channelsFor(deps, found(await readStore(store), 'Store')),
  }))

  serveStore(app, deps, api.saveFlow, async ({ store, params, body }) => {
    await saveFlow(deps, store, params.flowId, body)
    return viewFlow(deps, store, params.flowId)
  })

  serveStore(app, deps, api.switchFlow, async ({ store, params, body }) => {
    await switchFlow(deps, store, params.flowId, body)
    return viewFlow(deps, store, params.flowId)
  })

  serveStore(app, deps, api.previewFlow, ({ store, params, body, request }) =>
    previewStep({ deps, store, signal: request.signal }, { ...body, ...params }),
  )

  serveStore(app, deps, api.upcomingMessages, async ({ store, params, query }) => {
    found(await sql.readFlow(store, params.flowId), 'Flow')
    const now = deps.now()
    const { rows, total, obstacles } = await sql.upcoming(
      store,
      params.flowId,
      new Date(now.getTime() + query.minutes * 60_000),
      100,
    )
    const recent = await sql.abandonedSince(store, new Date(now.getTime() - 86_400_000))
    return {
      total,
      notSent: obstacles.map(({ reason, channel, count }) => ({ explanation: explain(reason, channel), count })),
      cartsOfLast24h: recent.length,
      messages: rows.map((row) => ({
        cartId: row.cart_id,
        customer: row.customer_name,
        to: row.to,
        step: row.step,
        channel: row.channel,
        dueAt: row.due_at.toISOString(),
        state: row.state,
        explanation: explain(row.reason, row.channel),
      })),
    }
  })
}

async function viewFlow(deps: Deps, store: StoreDb, flowId: string) {
  const flow = found(await sql.readFlow(store, flowId), 'Flow')
  return { flow: (await viewFlows(deps, store, [flow]))[0]! }
}

async function viewFlows(
  deps: Deps,
  store: StoreDb,
  flows: Awaited<ReturnType<typeof sql.listFlows>>,
): Promise<api.FlowView[]> {
  if (flows.length === 0) return []
  const ids = flows.map((flow) => flow.id)
  const row = found(await readStore(store), 'Store')
  const [steps, counts, responses] = await Promise.all([
    sql.stepsOf(store, ids),
    sql.countsOf(store, ids),
    responsesOf(store, 'flow', ids),
  ])
  const wordsOf = await textOfSteps(store, steps)
  const coupons = await couponsOfSteps(
    store,
    steps.flatMap((step) => step.coupon_id ?? []),
  )
  const experiment = await runningExperiment(store, deps.now())
  const missing = [...missingForSending(row), ...(await missingWays(deps, store, { accountId: row.account_id, steps }))]
  return flows.map((flow) => ({
    id: flow.id,
    name: flow.name,
    isOn: flow.is_on,
    switchedOnAt: flow.switched_on_at?.toISOString() ?? null,
    holdoutPercent: (experiment?.control_bps ?? 0) / 100,
    steps: steps
      .filter((step) => step.flow_id === flow.id)
      .map((step) => ({
        ...presentStep(step, wordsOf(step), row.currency),
        couponShown: (step.coupon_id && coupons.get(step.coupon_id)) || null,
      })),
    counts: countsOfStates(counts.filter((count) => count.flow_id === flow.id)),
    responses: presentResponses(responses.find((each) => each.origin_id === flow.id)),
    missing,
    minDelayMinutes: minDelayMinutes(deps, row),
  }))
}

/** Without a mail server no confirmation leaves either, and an account with its own needs none: then the server alone is named. */
async function missingWays(
  deps: Deps,
  store: StoreDb,
  of: { accountId: string; steps: sql.Step[] },
): Promise<string[]> {
  const missing = await missingForMail(deps, store, of.accountId, of.steps)
  if (missing.length > 0) return missing
  return (await waitsForProof({ db: store.db, accountId: of.accountId })) ? [authTexts.verifyFirst] : []
}

function presentResponses(row: Awaited<ReturnType<typeof responsesOf>>[number] | undefined): api.FlowView['responses'] {
  return {
    clicked: row?.clicked ?? 0,
    opened: row?.opened ?? 0,
    openedByMachines: row?.opened_by_machines ?? 0,
  }
}

function presentStep(
  step: sql.Step,
  words: Pick<api.FlowStep, 'subject' | 'body' | 'sms' | 'pushTitle' | 'pushBody'>,
  currency: string,
): Omit<api.FlowStep, 'couponShown'> {
  return {
    step: step.step,
    delayMinutes: step.delay_minutes,
    channel: step.channel,
    templateId: step.template_id,
    templateKey: step.key,
    templateName: step.name,
    ...words,
    coupon: presentCoupon(step, currency),
  }
}
