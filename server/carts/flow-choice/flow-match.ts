import type { FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import { type ConditionFinding, type ConditionValues, evaluateConditions } from './conditions.ts'
import { type ConditionContext, readConditionValues } from './facts.ts'

// Explains why a flow sends a cart nothing: the cart does not belong to it and will not (decision 51). Used by message
// previews; it chooses nothing.

export type FlowMismatch =
  | { why: 'conditions'; finding: ConditionFinding; currency: string }
  /** `flow`: name of the other flow. */
  | { why: 'other_flow' | 'flow_above'; flow: string }
  /** `left_untaken`: no flow matched when the cart was abandoned, which is final. */
  | { why: 'left_before' | 'left_untaken' }

/** `entry`: unsaved conditions; undefined: the stored ones. null: the flow has the cart or would take it. */
export async function explainMismatch(
  store: StoreDb,
  asking: ConditionContext,
  { flowId, cartId, entry }: { flowId: string; cartId: string; entry?: FlowConditions | null | undefined },
): Promise<FlowMismatch | null> {
  const cart = await selectCart(store, cartId)
  const flows = await selectFlows(store)
  const stored = flows.find(({ id }) => id === flowId)
  if (!cart || !stored) return null
  const flow = entry === undefined ? stored : { ...stored, conditions: entry }
  const above = flows.slice(0, flows.indexOf(stored))
  const conditions = [flow, ...above].map((each) => each.conditions)
  const facts = (await readConditionValues(store, asking, [cartId], conditions)).get(cartId)
  return facts ? findMismatch(cart, facts, { flow, flows, above }) : null
}

interface FlowOrder {
  flow: FlowState
  flows: readonly FlowState[]
  above: readonly FlowState[]
}

/** Pure. Reasons of the flow itself come before those of other flows. */
function findMismatch(cart: CartState, facts: ConditionValues, { flow, flows, above }: FlowOrder): FlowMismatch | null {
  // The choice is final for the episode, even if the flow changed since.
  if (cart.flowId === flow.id) return null
  const finding = evaluateConditions(flow.conditions, facts)
  if (!finding.holds) return { why: 'conditions', finding, currency: facts.storeCurrency }
  const owner = flows.find(({ id }) => id === cart.flowId)
  if (owner) return { why: 'other_flow', flow: owner.name }
  const first = above.find((each) => takesCart(each, cart) && evaluateConditions(each.conditions, facts).holds)
  if (first) return { why: 'flow_above', flow: first.name }
  // A flow that is off never takes a cart, so there is no further reason.
  if (!flow.isOn) return null
  if (!takesCart(flow, cart)) return { why: 'left_before' }
  return cart.isAsked ? { why: 'left_untaken' } : null
}

const takesCart = ({ isOn, takesFrom }: FlowState, { lastActivityAt }: CartState): boolean =>
  isOn && takesFrom !== null && lastActivityAt >= takesFrom

// SQL for explaining why a flow does not match a cart.

interface FlowState {
  id: string
  name: string
  isOn: boolean
  /** The flow takes carts with a last activity at or after this time; null: it was never on. */
  takesFrom: Date | null
  conditions: FlowConditions | null
}

/** All flows in order of priority, active or not. */
async function selectFlows({ db, storeId }: StoreDb): Promise<FlowState[]> {
  const { rows } = await sql<FlowState>`
    select id, name, is_on as "isOn", takes_from as "takesFrom", conditions from flows where store_id = ${storeId} and kind = 'flow'
    order by position, id`.execute(db)
  return rows
}

interface CartState {
  flowId: string | null
  lastActivityAt: Date
  /** The cart was abandoned, and a flow was chosen or not. */
  isAsked: boolean
}

async function selectCart({ db, storeId }: StoreDb, cartId: string): Promise<CartState | undefined> {
  const { rows } = await sql<CartState>`
    select flow_id as "flowId", last_activity_at as "lastActivityAt", status = 'abandoned' and flow_choice is not null as "isAsked"
    from carts where store_id = ${storeId} and id = ${cartId}`.execute(db)
  return rows[0]
}
