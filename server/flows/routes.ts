import * as api from '../../shared/flows.ts'
import { explain } from '../../shared/reasons.ts'
import type { StoreDb } from '../db.ts'
import type { Deps } from '../deps.ts'
import { found } from '../errors.ts'
import { type Routes, serveStore } from '../http.ts'
import { previewStep } from '../messages/preview.ts'
import { readStore } from '../stores/sql.ts'
import { responsesOf } from '../visits/sql.ts'
import { channelsFor, minDelayMinutes, missingForSending, saveFlow, switchFlow, wordsOfSteps } from './flows.ts'
import * as sql from './sql.ts'

export const flowRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listFlows, async ({ store }) => ({
    flows: await viewFlows(deps, store, await sql.listFlows(store)),
    channels: await channelsFor(deps, found(await readStore(store), 'Store').account_id),
  }))

  serveStore(app, deps, api.saveFlow, async ({ store, params, body }) => {
    await saveFlow(deps, store, params.flowId, body)
    return viewFlow(deps, store, params.flowId)
  })

  serveStore(app, deps, api.switchFlow, async ({ store, params, body }) => {
    await switchFlow(deps, store, params.flowId, body)
    return viewFlow(deps, store, params.flowId)
  })

  serveStore(app, deps, api.previewFlow, ({ store, params, body }) => previewStep(deps, store, params.flowId, body))

  serveStore(app, deps, api.upcomingMessages, async ({ store, params, query }) => {
    found(await sql.readFlow(store, params.flowId), 'Flow')
    const now = deps.now()
    const { rows, total } = await sql.upcoming(
      store,
      params.flowId,
      new Date(now.getTime() + query.minutes * 60_000),
      100,
    )
    const recent = await sql.abandonedSince(store, new Date(now.getTime() - 86_400_000))
    return {
      total,
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
  const origins = ids.map((id) => `flow:${id}`)
  const [steps, counts, responses] = await Promise.all([
    sql.stepsOf(store, ids),
    sql.countsOf(store, ids),
    responsesOf(store, origins),
  ])
  const wordsOf = await wordsOfSteps(store, steps)
  return flows.map((flow) => ({
    id: flow.id,
    name: flow.name,
    isOn: flow.is_on,
    switchedOnAt: flow.switched_on_at?.toISOString() ?? null,
    holdoutPercent: flow.holdout_bps / 100,
    steps: steps.filter((step) => step.flow_id === flow.id).map((step) => presentStep(step, wordsOf(step))),
    counts: presentCounts(counts.filter((count) => count.origin === `flow:${flow.id}`)),
    responses: presentResponses(responses.find((each) => each.origin === `flow:${flow.id}`)),
    missing: missingForSending(row),
    minDelayMinutes: minDelayMinutes(deps, row),
  }))
}

function presentResponses(row: Awaited<ReturnType<typeof responsesOf>>[number] | undefined): api.FlowView['responses'] {
  return {
    clicked: row?.clicked ?? 0,
    opened: row?.opened ?? 0,
    openedByMachines: row?.opened_by_machines ?? 0,
  }
}

function presentStep(step: sql.Step, words: Pick<api.FlowStep, 'subject' | 'body' | 'sms'>): api.FlowStep {
  return {
    step: step.step,
    delayMinutes: step.delay_minutes,
    channel: step.channel,
    templateId: step.template_id,
    templateKey: step.key,
    templateName: step.name,
    ...words,
  }
}

/** D6: the parts add up to planned. */
export function presentCounts(rows: readonly { state: string; count: number }[]) {
  const of = (...states: string[]) =>
    rows.filter((row) => states.includes(row.state)).reduce((sum, row) => sum + row.count, 0)
  return {
    planned: rows.reduce((sum, row) => sum + row.count, 0),
    waiting: of('scheduled', 'claimed'),
    held: of('held'),
    inFlight: of('handed_over'),
    sent: of('sent', 'delivered'),
    skipped: of('skipped'),
    failed: of('failed'),
    unknown: of('unknown'),
    cancelled: of('cancelled'),
  }
}
