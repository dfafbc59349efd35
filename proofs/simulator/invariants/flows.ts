import { isMatch } from '../conditions.ts'
import { isUnchanged } from '../expected-recipients.ts'
import type { FlowAssignment } from '../flow-assignments.ts'
import type { FlowSnapshot } from '../flows.ts'
import type { Harness } from '../harness.ts'
import type { Cart } from '../state.ts'
import { describeMail, type Invariant, isFlowSend, OPEN, type Scene } from './scene.ts'

// Decision 51: when a cart falls quiet, it gets the first flow that is on and matches; without one, the next flow that
// is switched on. This holds for the episode, and no other flow sends about it. Changes of the owner in the same step
// may come before or after.

export const checkFlows: Invariant = (scene) => [
  ...(scene.state === scene.before
    ? []
    : [...checkChosenFlow(scene), ...checkSwitchedOn(scene), ...checkMergedCarts(scene)]),
  ...checkOtherFlows(scene),
]

/** Flow settings that were in force at some moment of the step. */
function listFlowsInForce({ flows: { past }, stepNumber }: Harness): FlowSnapshot[] {
  const earlier = past.findLast(({ step }) => step < stepNumber)
  return [...(earlier ? [earlier] : []), ...past.filter(({ step }) => step === stepNumber)]
}

type CartAtChange = Pick<FlowAssignment, 'lastActivityAt' | 'value' | 'items' | 'hasPhone'>

function findMatchingFlow({ flows: all }: FlowSnapshot, cart: CartAtChange): string | null {
  const takes = all.find(
    ({ isOn, matchesFrom, entry }) =>
      isOn && matchesFrom !== null && cart.lastActivityAt >= matchesFrom && isMatch(entry, cart),
  )
  return takes?.id ?? null
}

function checkChosenFlow({ harness, state, before }: Scene): string[] {
  const last = Math.max(0, ...(before?.choices.map(({ place }) => place) ?? []))
  const fresh = state.choices.filter(({ place }) => place > last).sort((a, b) => a.place - b.place)
  const together = Map.groupBy(fresh, ({ cart, transaction }) => `${cart} ${transaction}`)
  const expected = listFlowsInForce(harness)
  return [...together.values()].flatMap((some) => {
    const { cart, flow, ...facts } = some.at(-1)!
    const was = some[0]!.flowBefore
    if (flow === was && !(was === null && some.some(({ isQuiet }) => isQuiet))) return []
    if (was !== null) return [`cart ${shorten(cart)} belonged to flow ${shorten(was)} and belongs to ${shorten(flow)}`]
    const isInherited = state.carts.some((other) => other.mergedInto === cart && other.flow === flow)
    if (isInherited || expected.some((each) => findMatchingFlow(each, facts) === flow)) return []
    return [
      `cart ${shorten(cart)} belongs to flow ${shorten(flow)}, but matches ${shorten(findMatchingFlow(expected.at(-1)!, facts))}`,
    ]
  })
}

/** A flow that is switched on gets matching carts without a flow. */
function checkSwitchedOn({ harness, state, before }: Scene): string[] {
  const last = harness.flows.past.at(-1)!
  const { step, switchedOn, flows: all } = last
  // After several switches within a step, the order is not known here.
  const isOnce = harness.flows.past.filter((each) => each.step === step && each.switchedOn !== null).length === 1
  if (step !== harness.stepNumber || switchedOn === null || !isOnce) return []
  const { matchesFrom } = all.find(({ id }) => id === switchedOn)!
  return state.carts
    .filter(({ id, flow, lastActivityAt }) => {
      return flow === null && lastActivityAt >= matchesFrom! && isUnchanged(id, state, before)
    })
    .filter((cart) => findMatchingFlow(last, toCartAtChange(cart)) !== null)
    .map(({ id }) => `cart ${shorten(id)} belongs to no flow although a matching one was switched on`)
}

const toCartAtChange = ({ lastActivityAt, value, items, phone }: Cart): CartAtChange => ({
  lastActivityAt,
  value,
  items,
  hasPhone: phone !== null,
})

/** Another flow would start again for a person who already got messages (S6). */
function checkMergedCarts({ state, before }: Scene): string[] {
  const known = new Map(before?.carts.map((cart) => [cart.id, cart]))
  return state.carts.flatMap(({ id, mergedInto, flow }) => {
    const into = mergedInto === null || flow === null ? undefined : state.carts.find((cart) => cart.id === mergedInto)
    const isNew = known.get(id)?.mergedInto === null
    return isNew && into && into.flow === null
      ? [`cart ${shorten(into.id)} did not keep the flow of a cart merged into it`]
      : []
  })
}

function checkOtherFlows({ state, fresh, mails }: Scene): string[] {
  const flowNames = new Map(state.carts.map(({ id, flow }) => [id, `flow:${flow}`]))
  const isOthers = (message: { cart: string; origin: string }) =>
    isFlowSend(message) && flowNames.has(message.cart) && flowNames.get(message.cart) !== message.origin
  const open = state.messages.filter((message) => OPEN.has(message.state) && isOthers(message))
  const ofOthers = fresh.filter(({ evidence }) => isOthers(evidence))
  const second = fresh.filter(({ evidence: { cart, origin } }) =>
    mails.some(({ evidence: e }) => e?.cart === cart && isFlowSend({ origin }) && isFlowSend(e) && e.origin !== origin),
  )
  return [
    ...open.map(({ step, cart }) => `step ${step} of another flow is open for cart ${shorten(cart)}`),
    ...ofOthers.map((mail) => `${describeMail(mail)} was sent by a flow that its cart does not belong to`),
    ...second.map((mail) => `${describeMail(mail)} was sent although another flow has sent about that cart`),
  ]
}

const shorten = (id: string | null) => id?.slice(-6) ?? 'none'
