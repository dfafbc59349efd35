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
  /** A later step of the same flow is due as well. */
  isSuperseded: boolean
  cart: { status: CartState; abandonAt: Date | null; pendingUntil: Date | null }
  /** A purchase by a matching identity at or after the episode's start (S3), whether or not it could be merged. */
  matchingPurchase: { orderId: string } | null
  person: { arm: 'treated' | 'control' | null; isMember: boolean; drawnArm: 'treated' | 'control' }
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
  | { outcome: 'send'; reason: 'ok' | 'fence_degraded'; assignArm: 'treated' | null }
  | { outcome: 'hold'; reason: string; until: Date }
  | { outcome: 'skip'; reason: string; assignArm?: 'control' }
  | { outcome: 'cancel'; reason: string }

/** A pull this fresh is proof enough on its own (D3). */
export const FENCE_FRESH_MS = 60_000
/** With a store that fails to answer, what we saw this long ago is still enough (D3: degraded). */
export const FENCE_DEGRADED_MS = 15 * 60_000

export function decide(inputs: DecisionInputs): Decision {
  return (
    ofOrigin(inputs) ??
    ofCart(inputs) ??
    ofAge(inputs) ??
    ofHoldout(inputs) ??
    ofPermission(inputs) ??
    ofDraw(inputs) ??
    ofFence(inputs) ??
    ofCap(inputs) ??
    ofRender(inputs) ??
    ofPlan(inputs) ?? {
      outcome: 'send',
      reason: isFresh(inputs) ? 'ok' : 'fence_degraded',
      assignArm: armToKeep(inputs),
    }
  )
}

function ofOrigin({ isInstancePaused, origin, store, message }: DecisionInputs): Decision | null {
  if (isInstancePaused) return hold('instance_paused', message.expiresAt)
  if (!origin) return { outcome: 'cancel', reason: 'flow_removed' }
  if (!origin.isOn) return hold('flow_off', message.expiresAt)
  if (!store.isActive) return { outcome: 'cancel', reason: 'disconnected' }
  if (!store.hasSender) return hold('sender_missing', message.expiresAt)
  return null
}

function ofCart({ cart, now, message, isSuperseded, matchingPurchase }: DecisionInputs): Decision | null {
  if (cart.status === 'recovered' || cart.status === 'purchased') return { outcome: 'cancel', reason: 'purchased' }
  if (matchingPurchase) return { outcome: 'cancel', reason: 'purchased' }
  if (cart.status === 'emptied' || cart.status === 'lost' || cart.status === 'merged') {
    return { outcome: 'cancel', reason: cart.status }
  }
  if (isSuperseded) return { outcome: 'skip', reason: 'superseded' }
  if (now > message.expiresAt) return null // too old decides, whatever else is the matter
  if (cart.status === 'active') return hold('cart_active', later(cart.abandonAt ?? message.expiresAt, soon(now)))
  if (cart.pendingUntil && cart.pendingUntil > now) return hold('purchase_in_progress', cart.pendingUntil)
  return null
}

function ofAge({ now, message }: DecisionInputs): Decision | null {
  return now > message.expiresAt ? { outcome: 'skip', reason: 'too_old' } : null
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

/** The arm is drawn once, for a person who may be contacted at this moment (F1). */
function ofDraw({ person, origin }: DecisionInputs): Decision | null {
  const isDrawn = !person.isMember && person.arm === null && (origin?.holdoutBps ?? 0) > 0
  return isDrawn && person.drawnArm === 'control' ? { outcome: 'skip', reason: 'holdout', assignArm: 'control' } : null
}

function armToKeep({ person, origin }: DecisionInputs): 'treated' | null {
  return !person.isMember && person.arm === null && (origin?.holdoutBps ?? 0) > 0 ? 'treated' : null
}

function ofFence(inputs: DecisionInputs): Decision | null {
  const { fencePulledAt, now, message } = inputs
  if (fencePulledAt && now.getTime() - fencePulledAt.getTime() <= FENCE_DEGRADED_MS) return null
  return hold('store_unreachable', backOff(now, message.attempts))
}

const isFresh = ({ fencePulledAt, now }: DecisionInputs) =>
  fencePulledAt !== null && now.getTime() - fencePulledAt.getTime() <= FENCE_FRESH_MS

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
