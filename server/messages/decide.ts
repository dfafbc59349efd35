import type { CartState } from '../../shared/carts.ts'
import type { ChannelName } from '../channels/channel.ts'
import { type Permit, permitByDecision } from '../channels/permit.ts'
import { type ConsentInputs, consentFinding, type TextRefusal } from '../shoppers/consent.ts'

// The decision about one message at the moment of sending (D2). Pure: everything it needs comes in, what it decides and
// why goes out. The first check that fails decides; temporary reasons hold with `until`, final ones skip or cancel.

export interface DecisionInputs {
  now: Date
  message: { step: number; channel: ChannelName; dueAt: Date; expiresAt: Date; attempts: number }
  isInstancePaused: boolean
  store: { isActive: boolean; hasSender: boolean }
  /** null: the origin (flow, step) no longer exists. */
  origin: { isOn: boolean; holdoutBps: number } | null
  /** Asked for by a person (D11); null: of a flow. */
  byHand: { overridesHoldout: boolean } | null
  /** A later step of the same flow is due as well, or went out while this one was held. */
  isSuperseded: boolean
  cart: { status: CartState; abandonAt: Date | null; pendingUntil: Date | null }
  /** A purchase by a matching identity at or after the episode's start (S3), whether or not it could be merged. */
  matchingPurchase: { orderId: string } | null
  person: { arm: Arm | null; isMember: boolean; drawnArm: Arm }
  address: string | null
  suppression: string | null
  consent: ConsentInputs & { countrySource: string }
  /** When the newest order pull that reached its end had started; null: never. */
  fencePulledAt: Date | null
  cap: { used: number; max: number; freesAt: Date | null }
  plan: { used: number; limit: number; renewsAt: Date }
  /** The receiving domain is left alone for a while (receivers.ts); null: it takes mail. */
  receiver: { heldUntil: Date } | null
  /** Renders the message; the problem in a word, or null. Called only when all earlier checks passed. */
  renderProblem: () => string | null
  /** What only SMS and WhatsApp are asked; null for other channels. */
  text: TextInputs | null
}

export interface TextInputs {
  isConfigured: boolean
  /** Decision 6: in a flow SMS and WhatsApp ask for a plan that has them. */
  isInPlan: boolean
  /** WhatsApp: outside the 24-hour window something approved has to be there. */
  isTemplateMissing: boolean
  /** The country's or the channel's own rule (C6). */
  refusal: TextRefusal | null
  /** It lets pass one per cart and no second, which the hand-over has to hold to. */
  isOncePerCart: boolean
  /** Decision 12: when this cart may have the next one; null: now. */
  coolUntil: Date | null
  /** T2. */
  quietUntil: Date | null
  /** T2 once more, when it is handed over and when it leaves: night may have fallen. */
  isQuietAt: (at: Date) => boolean
  spreadMs: number
  /** The month's budget has no room for the rendered message; asked after it was rendered. */
  isOverBudget: () => boolean
}

export type Decision =
  | { outcome: 'send'; reason: 'ok' | 'fence_degraded'; permit: Permit; assignArm?: Arm }
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
  const decision =
    ofFence(inputs) ?? ofPace(inputs) ?? ofRender(inputs) ?? ofReceiver(inputs) ?? ofPlan(inputs) ?? send(inputs)
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
  if (inputs.text && !inputs.text.isConfigured) return hold(`${message.channel}_not_configured`, message.expiresAt)
  return null
}

function ofCart(inputs: DecisionInputs): Decision | null {
  const { cart, now, message, byHand, isSuperseded, matchingPurchase } = inputs
  if (cart.status === 'recovered' || cart.status === 'purchased') return { outcome: 'cancel', reason: 'purchased' }
  if (matchingPurchase) return { outcome: 'cancel', reason: 'purchased' }
  // A cart that was given up is still there, for whoever writes to its shopper by hand.
  if (cart.status === 'emptied' || cart.status === 'merged' || (cart.status === 'lost' && !byHand)) {
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

function ofHoldout({ person, origin, byHand }: DecisionInputs): Decision | null {
  if (person.isMember || !origin || origin.holdoutBps === 0 || byHand?.overridesHoldout) return null
  return person.arm === 'control' ? { outcome: 'skip', reason: 'holdout' } : null
}

function ofPermission({ suppression, address, consent, message, text }: DecisionInputs): Decision | null {
  if (suppression) return { outcome: 'skip', reason: `suppressed_${suppression}` }
  if (!address) return hold('no_contact', message.expiresAt)
  const { problem } = consentFinding(consent)
  if (problem === 'consent_withdrawn') return { outcome: 'skip', reason: problem }
  if (problem) return hold(problem, message.expiresAt)
  return text?.refusal ? { outcome: 'skip', reason: text.refusal } : null
}

/** null: drawn already, or nobody is drawn. */
function drawOf({ person, origin, byHand }: DecisionInputs): Arm | null {
  const isDrawn = !byHand && !person.isMember && person.arm === null && (origin?.holdoutBps ?? 0) > 0
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
  const reason = isPulledWithin(inputs, FENCE_FRESH_MS) ? 'ok' : 'fence_degraded'
  return { outcome: 'send', reason, permit: permitByDecision() }
}

/** How many a person may have (T1), how soon after the last one (decision 12), and when not (T2). */
function ofPace({ cap, now, text }: DecisionInputs): Decision | null {
  if (cap.used >= cap.max) return hold('frequency_cap', later(cap.freesAt ?? soon(now), soon(now)))
  if (text?.coolUntil && text.coolUntil > now) return hold('cooldown', text.coolUntil)
  return text?.quietUntil ? hold('quiet_hours', new Date(text.quietUntil.getTime() + text.spreadMs)) : null
}

function ofRender({ renderProblem, text, message }: DecisionInputs): Decision | null {
  if (text?.isTemplateMissing) return hold('template_missing', message.expiresAt)
  const problem = renderProblem()
  return problem ? { outcome: 'skip', reason: `render_failed:${problem}` } : null
}

/** The provider's rate, of D2, as receivers see it. */
function ofReceiver({ receiver }: DecisionInputs): Decision | null {
  return receiver ? hold('receiver_paused', receiver.heldUntil) : null
}

function ofPlan({ plan, text }: DecisionInputs): Decision | null {
  if (text && !text.isInPlan) return hold('plan_required', plan.renewsAt)
  if (plan.limit >= 0 && plan.used >= plan.limit) return hold('plan_limit', plan.renewsAt)
  return text?.isOverBudget() ? hold('budget', plan.renewsAt) : null
}

const hold = (reason: string, until: Date): Decision => ({ outcome: 'hold', reason, until })
const later = (a: Date, b: Date) => (a > b ? a : b)
const soon = (now: Date) => new Date(now.getTime() + 1_000)

/** 30 s, 1 min, 2 min … 15 min at most, with a little jitter so that stores do not all come back at once. */
export function backOff(now: Date, attempts: number, jitter = Math.random()): Date {
  const delay = Math.min(30_000 * 2 ** Math.min(attempts, 10), 900_000)
  return new Date(now.getTime() + delay * (0.9 + 0.2 * jitter))
}
