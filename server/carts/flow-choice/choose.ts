import type { StoreTx } from '../../core/db/db.ts'
import { scheduleFlowMessages } from '../../messages/messages/messages.ts'
import * as sql from './choose-sql.ts'
import { type ConditionFacts, findingOf } from './conditions.ts'
import { type Asking, readFacts } from './facts.ts'

// A cart that falls quiet belongs to the first flow that is on and whose entry conditions hold (decision 51). It is stored with what it rests
// on, and stands for the episode.

/** Chooses for the carts among these that belong to no flow yet, and plans what their flows send. */
export async function takeIntoFlows(tx: StoreTx, asking: Asking, cartIds: readonly string[]): Promise<void> {
  if (cartIds.length === 0) return
  await chooseFlows(tx, asking, cartIds)
  await scheduleFlowMessages(tx, cartIds, asking.now)
}

async function chooseFlows(tx: StoreTx, asking: Asking, cartIds: readonly string[]): Promise<void> {
  const flows = await sql.takingFlows(tx)
  if (flows.length === 0) return
  const carts = await sql.unchosen(tx, cartIds)
  if (carts.length === 0) return
  const conditions = flows.map((flow) => flow.conditions)
  const isAsked = conditions.some((each) => each !== null)
  const ids = carts.map(({ id }) => id)
  const facts = isAsked ? await readFacts(tx, asking, ids, conditions) : new Map<string, ConditionFacts>()
  const choices = carts.map((cart) => choiceOf(flows, cart, facts.get(cart.id), asking.now))
  await sql.saveChoices(tx, choices)
}

/** `inheritFlow`: for the cart that two turned out to be. */
export { inheritFlow, keepFlows } from './choose-sql.ts'

/** Pure. The record says which flows were asked, in order, and the values their conditions looked at. */
export function choiceOf(
  flows: readonly sql.TakingFlow[],
  cart: sql.UnchosenCart,
  facts: ConditionFacts | undefined,
  now: Date,
): sql.Choice {
  const asked: { id: string; holds: boolean }[] = []
  let values: Record<string, unknown> = {}
  for (const { id, takes_from, conditions } of flows) {
    if (cart.last_activity_at < takes_from) continue
    const finding = conditions && !facts ? { holds: false, asked: {} } : findingOf(conditions, facts!)
    asked.push({ id, holds: finding.holds })
    values = { ...values, ...finding.asked }
    if (finding.holds) break
  }
  const flowId = asked.find(({ holds }) => holds)?.id ?? null
  return { cartId: cart.id, flowId, record: { at: now, flows: asked, values } }
}
