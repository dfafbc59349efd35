import type { CartState } from '../../shared/carts.ts'
import type { ChannelName } from '../channels/channel.ts'
import { type ConsentRule, consentProblem } from '../shoppers/consent.ts'

// The decision about one message at the moment of sending (D2). Pure: everything it needs comes in, what it decides and
// why goes out. The first check that fails decides; temporary reasons hold with `until`, final ones skip or cancel.

export interface DecisionInputs {
  now: Date
  message: { step: number; channel: ChannelName; dueAt: Date; expiresAt: Date; attempts: number }
  isInstancePaused: boolean
  store: { isActive: boolean; hasSender: boolean }
  /** null: the origin (flow, step) no longer exists. */
  origin: { isOn: boolean; holdoutBps: number } | null
  /** A later step of the same flow is due as well, or went out while this one was held. */
  isSuperseded: boolean
  cart: { status: CartState; abandonAt: Date | null; pendingUntil: Date | null }
  /** A purchase by a matching identity at or after the episode's start (S3), whether or not it could be merged. */
  matchingPurchase: { orderId: string } | null
  person: { arm: Arm | null; isMember: boolean; drawnArm: Arm }
  address: string | null
  suppression: string | null
  consent: {
    country: string | null
    countrySource: string
    rule: ConsentRule
    ledger: 'granted' | 'withdrawn' | null
    hasBoughtBefore: boolean
  }
  /** When the newest order pull that reached its end had started; null: never. */
  fencePulledAt: Date | null
  cap: { used: number; max: number; freesAt: Date | null }
  plan: { used: number; limit: number; renewsAt: Date }
  /** Renders the message; the problem in a word, or null. Called only when all earlier checks passed. */
  renderProblem: () => string | null
}

export type Decision =
  | { outcome: 'send'; reason: 'ok' | 'fence_degraded'; assignArm?: Arm }
  | { outcome: 'hold'; reason: string; until: Date; assignArm?: Arm }
  | { outcome: 'skip'; reason: string; assignArm?: Arm }
  | { outcome: 'cancel'; reason: string; assignArm?: Arm }

export type Arm = 'treated' | 'control'

/** A pull this fresh is proof enough on its own (D3). */
export const FENCE_FRESH_MS = 60_000
/** With a store that fails to answer, what we saw this long ago is still enough (D3: degraded). */
export const FENCE_DEGRADED_MS = 15 * 60_000

export function decide(inputs: DecisionInputs): Decision {
  const early = ofOrigin(inputs) ?? ofCart(inputs) ?? ofAge(inputs) ?? ofHoldout(inputs) ?? ofPermission(inputs)
  if (early) return early
  // The person may be contacted at this moment: the arm is drawn now and kept, whatever the checks below say (F1).
  const assignArm = drawOf(inputs)
  if (assignArm === 'control') return { outcome: 'skip', reason: 'holdout', assignArm }
  const decision = ofFence(inputs) ?? ofCap(inputs) ?? ofRender(inputs) ?? ofPlan(inputs) ?? send(inputs)
  return assignArm ? { ...decision, assignArm } : decision
}

/** Too old decides before anything that only holds: nothing may be held past its age limit. */
const isTooOld = ({ now, message }: DecisionInputs) => now >= message.expiresAt

function ofOrigin(inputs: DecisionInputs): Decision | null {
  const { isInstancePaused, origin, store, message } = inputs
  if (isInstancePaused && !isTooOld(inputs)) return hold('instance_paused', message.expiresAt)
  if (!origin) return { outcome: 'cancel', reason: 'flow_removed' }
  if (!store.isActive) return { outcome: 'cancel', reason: 'disconnected' }
  if (isTooOld(inputs)) return null
  if (!origin.isOn) return hold('flow_off', message.expiresAt)
  if (!store.hasSender) return hold('sender_missing', message.expiresAt)
  return null
}

function ofCart(inputs: DecisionInputs): Decision | null {
  const { cart, now, message, isSuperseded, matchingPurchase } = inputs
  if (cart.status === 'recovered' || cart.status === 'purchased') return { outcome: 'cancel', reason: 'purchased' }
  if (matchingPurchase) return { outcome: 'cancel', reason: 'purchased' }
  if (cart.status === 'emptied' || cart.status === 'lost' || cart.status === 'merged') {
    return { outcome: 'cancel', reason: cart.status }
  }
  if (isSuperseded) return { outcome: 'skip', reason: 'superseded' }
  if (isTooOld(inputs)) return null
  if (cart.status === 'active') return hold('cart_active', later(cart.abandonAt ?? message.expiresAt, soon(now)))
  if (cart.pendingUntil && cart.pendingUntil > now) return hold('purchase_in_progress', cart.pendingUntil)
  return null
}

function ofAge(inputs: DecisionInputs): Decision | null {
  return isTooOld(inputs) ? { outcome: 'skip', reason: 'too_old' } : null
}

function ofHoldout({ person, origin }: DecisionInputs): Decision | null {
  if (person.isMember || !origin || origin.holdoutBps === 0) return null
  return person.arm === 'control' ? { outcome: 'skip', reason: 'holdout' } : null
}

function ofPermission({ suppression, address, consent, message }: DecisionInputs): Decision | null {
  if (suppression) return { outcome: 'skip', reason: `suppressed_${suppression}` }
  if (!address) return hold('no_contact', message.expiresAt)
  const problem = consentProblem(consent)
  if (problem === 'consent_withdrawn') return { outcome: 'skip', reason: problem }
  return problem ? hold(problem, message.expiresAt) : null
}

/** null: drawn already, or nobody is drawn. */
function drawOf({ person, origin }: DecisionInputs): Arm | null {
  const isDrawn = !person.isMember && person.arm === null && (origin?.holdoutBps ?? 0) > 0
  return isDrawn ? person.drawnArm : null
}

/** A pull dated later than now was dated by a clock that has stepped back since, and proves nothing (T4). */
function isPulledWithin({ fencePulledAt, now }: DecisionInputs, ms: number): boolean {
  const ageMs = fencePulledAt ? now.getTime() - fencePulledAt.getTime() : -1
  return ageMs >= 0 && ageMs <= ms
}

function ofFence(inputs: DecisionInputs): Decision | null {
  if (isPulledWithin(inputs, FENCE_DEGRADED_MS)) return null
  return hold('store_unreachable', backOff(inputs.now, inputs.message.attempts))
}

function send(inputs: DecisionInputs): Decision {
  return { outcome: 'send', reason: isPulledWithin(inputs, FENCE_FRESH_MS) ? 'ok' : 'fence_degraded' }
}

function ofCap({ cap, now }: DecisionInputs): Decision | null {
  return cap.used >= cap.max ? hold('frequency_cap', later(cap.freesAt ?? soon(now), soon(now))) : null
}

function ofRender({ renderProblem }: DecisionInputs): Decision | null {
  const problem = renderProblem()
  return problem ? { outcome: 'skip', reason: `render_failed:${problem}` } : null
}

function ofPlan({ plan }: DecisionInputs): Decision | null {
  return plan.limit >= 0 && plan.used >= plan.limit ? hold('plan_limit', plan.renewsAt) : null
}

const hold = (reason: string, until: Date): Decision => ({ outcome: 'hold', reason, until })
const later = (a: Date, b: Date) => (a > b ? a : b)
const soon = (now: Date) => new Date(now.getTime() + 1_000)

/** 30 s, 1 min, 2 min … 15 min at most, with a little jitter so that stores do not all come back at once. */
export function backOff(now: Date, attempts: number, jitter = Math.random()): Date {
  const delay = Math.min(30_000 * 2 ** Math.min(attempts, 10), 900_000)
  return new Date(now.getTime() + delay * (0.9 + 0.2 * jitter))
}
