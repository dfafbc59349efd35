import type { FlowConditions } from '../../../shared/flow-conditions.ts'
import type { StoreDb } from '../../core/db/db.ts'
import { type ConditionFacts, type ConditionFinding, findingOf } from './conditions.ts'
import { type Asking, readFacts } from './facts.ts'
import { type AskedCart, type AskedFlow, cartToTake, flowsInOrder } from './taking-sql.ts'

// Why a flow sends a cart nothing at all: the cart is none of its own, and does not become one (decision 51). For those who look at a message
// before it is sent; nothing is chosen.

export type NotTaken =
  | { why: 'conditions'; finding: ConditionFinding; currency: string }
  /** `flow`: its name. */
  | { why: 'other_flow' | 'flow_above'; flow: string }
  /** `left_untaken`: no flow took it when it was left, which stands. */
  | { why: 'left_before' | 'left_untaken' }

/** `entry`: conditions that are not saved yet; undefined: as stored. null: the flow takes the cart, or has it. */
export async function whyNotTaken(
  store: StoreDb,
  asking: Asking,
  { flowId, cartId, entry }: { flowId: string; cartId: string; entry?: FlowConditions | null | undefined },
): Promise<NotTaken | null> {
  const cart = await cartToTake(store, cartId)
  const flows = await flowsInOrder(store)
  const stored = flows.find(({ id }) => id === flowId)
  if (!cart || !stored) return null
  const flow = entry === undefined ? stored : { ...stored, conditions: entry }
  const above = flows.slice(0, flows.indexOf(stored))
  const conditions = [flow, ...above].map((each) => each.conditions)
  const facts = (await readFacts(store, asking, [cartId], conditions)).get(cartId)
  return facts ? notTaken(cart, facts, { flow, flows, above }) : null
}

interface Flows {
  flow: AskedFlow
  flows: readonly AskedFlow[]
  above: readonly AskedFlow[]
}

/** Pure. What of the flow itself stands against it is said before what of others does. */
function notTaken(cart: AskedCart, facts: ConditionFacts, { flow, flows, above }: Flows): NotTaken | null {
  // The choice stands for the episode, whatever was changed since.
  if (cart.flowId === flow.id) return null
  const finding = findingOf(flow.conditions, facts)
  if (!finding.holds) return { why: 'conditions', finding, currency: facts.storeCurrency }
  const owner = flows.find(({ id }) => id === cart.flowId)
  if (owner) return { why: 'other_flow', flow: owner.name }
  const first = above.find((each) => isTaking(each, cart) && findingOf(each.conditions, facts).holds)
  if (first) return { why: 'flow_above', flow: first.name }
  // Of a flow that is off that is said, not what it took.
  if (!flow.isOn) return null
  if (!isTaking(flow, cart)) return { why: 'left_before' }
  return cart.isAsked ? { why: 'left_untaken' } : null
}

const isTaking = ({ isOn, takesFrom }: AskedFlow, { lastActivityAt }: AskedCart): boolean =>
  isOn && takesFrom !== null && lastActivityAt >= takesFrom
