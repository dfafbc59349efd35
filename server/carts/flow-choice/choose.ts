import type { StoreTx } from '../../core/db/public.ts'
import { scheduleFlowMessages } from '../../messages/messages/public.ts'
import * as sql from './choose-sql.ts'
import { type ConditionValues, evaluateConditions } from './conditions.ts'
import { type ConditionContext, readConditionValues } from './facts.ts'

// Assigns an abandoned cart to the first active flow whose entry conditions match (decision 51). The choice is stored
// with the values it used, and is final for the episode.

/** Chooses flows for carts without one, and schedules the flows' messages. */
export async function assignFlows(tx: StoreTx, asking: ConditionContext, cartIds: readonly string[]): Promise<void> {
  if (cartIds.length === 0) return
  await chooseFlows(tx, asking, cartIds)
  await scheduleFlowMessages(tx, cartIds, asking.now)
}

async function chooseFlows(tx: StoreTx, asking: ConditionContext, cartIds: readonly string[]): Promise<void> {
  const flows = await sql.selectActiveFlows(tx)
  if (flows.length === 0) return
  const carts = await sql.selectCartsWithoutFlow(tx, cartIds)
  if (carts.length === 0) return
  const conditions = flows.map((flow) => flow.conditions)
  const isConditional = conditions.some((each) => each !== null)
  const ids = carts.map(({ id }) => id)
  const facts = isConditional
    ? await readConditionValues(tx, asking, ids, conditions)
    : new Map<string, ConditionValues>()
  const choices = carts.map((cart) => chooseFlow(flows, cart, facts.get(cart.id), asking.now))
  await sql.saveChoices(tx, choices)
}

/** Pure. The record lists the evaluated flows in order, and the values that their conditions read. */
export function chooseFlow(
  flows: readonly sql.ActiveFlow[],
  cart: sql.CartWithoutFlow,
  facts: ConditionValues | undefined,
  now: Date,
): sql.FlowChoice {
  const answers: { id: string; holds: boolean }[] = []
  let values: Record<string, unknown> = {}
  for (const { id, takes_from, conditions } of flows) {
    if (cart.last_activity_at < takes_from) continue
    const finding = conditions && !facts ? { holds: false, values: {} } : evaluateConditions(conditions, facts!)
    answers.push({ id, holds: finding.holds })
    values = { ...values, ...finding.values }
    if (finding.holds) break
  }
  const flowId = answers.find(({ holds }) => holds)?.id ?? null
  return { cartId: cart.id, flowId, record: { at: now, flows: answers, values } }
}
