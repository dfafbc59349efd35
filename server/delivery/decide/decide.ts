import type { CartState } from '../../../shared/carts/carts.ts'
import { isFresh } from '../../access/stores/public.ts'
import type { ConditionFinding } from '../../carts/flow-choice/public.ts'
import { authorizeByDecision, type ChannelName, type SendAuthorization } from '../../messages/channels/public.ts'
import { type ConsentInputs, decideConsent, type TextRefusal } from '../../shoppers/consent/public.ts'
import type { CouponFinding } from './coupon-finding.ts'

// Decides about one message at the moment of sending (D2). Pure. The first check that fails decides: temporary reasons
// hold the message `until` a time, final ones skip or cancel it.

export interface DecisionInputs {
  now: Date
  message: { step: number; channel: ChannelName; dueAt: Date; expiresAt: Date }
  isInstancePaused: boolean
  /** `isSuspended`: an operator suspended the account. `isResting`: the plan includes fewer stores. */
  store: { isActive: boolean; isSuspended: boolean; isResting: boolean; isPaused: boolean; hasSender: boolean }
  /** false: no mail server is configured (mail-route.ts). */
  hasMailRoute: boolean
  /** The account's mail server failed and is paused until then; null: it works. */
  mailRestsUntil: Date | null
  /** null: the origin (flow, step) no longer exists. */
  origin: { isOn: boolean; isStepRemoved: boolean; holdoutBps: number } | null
  /** null: the message belongs to no campaign. */
  campaign: { end: 'campaign_cancelled' | 'campaign_deleted' | null; isRepeated: boolean } | null
  /** Requested by a member (D11); null: a message of a flow or a campaign. */
  manual: { overridesHoldout: boolean; isRepeated?: boolean } | null
  /** The step's conditions on cart and shopper (decision 52); null: none. */
  condition: (ConditionFinding & { currency: string }) | null
  /** A later step of the same flow is due too, or was sent while this one was held. */
  isSuperseded: boolean
  /** null: a message without a cart. */
  cart: { status: CartState; abandonAt: Date | null } | null
  /** End of the wait for an order that awaits payment (S4); null: there is none. */
  pendingUntil: Date | null
  /**
   * A purchase by a matching identity since the episode's start (S3), merged or not. For a message without a cart:
   * since the time its origin sets, or null if no purchase ends it.
   */
  matchingPurchase: { orderId: string } | null
  /**
   * `isInProgress`: the cart had a message before the experiment began, so the experiment does not apply (decision 58).
   */
  person: { arm: Arm | null; isMember: boolean; isInProgress: boolean; drawnArm: Arm | null }
  address: string | null
  /** The address was typed beyond the limits on new contacts and is not confirmed (X5). */
  isContactUnconfirmed: boolean
  suppression: string | null
  consent: ConsentInputs & { countrySource: string }
  orderCheck: OrderCheck
  /** No item of the cart is available any more. */
  isAllUnavailable: boolean
  cap: { used: number; max: number; freesAt: Date | null }
  /** null: the message has no coupon. */
  coupon: CouponFinding | null
  plan: { used: number; limit: number; renewsAt: Date }
  /** The receiving domain is paused (throttles.ts); null: it accepts mail. */
  recipientDomain: { heldUntil: Date } | null
  /** Requests the rendering and returns its problem as a code, or null. Called only after all earlier checks passed. */
  renderProblem: () => string | null
  /** Inputs for SMS and WhatsApp; null for other channels. */
  text: TextInputs | null
  /** Quiet hours for notifications (T2); null for other channels. */
  quiet: QuietInputs | null
  /** null: no limit applies, or this is not the first mail to a person without an order. */
  firstMails: FirstMails | null
}

/** First mails within 24 hours to people without an order, limited for accounts younger than a month. */
export interface FirstMails {
  sent: number
  limit: number
}

/** Quiet hours (T2). */
export interface QuietInputs {
  /** null: no quiet hours now. */
  until: Date | null
  /** Checked again in the turn, and right before the channel is called. */
  isQuietAt: (at: Date) => boolean
  spreadMs: number
}

/** The state of the store's order check (D3). */
export interface OrderCheck {
  /** Start of the newest check that reached the last page; null: there is none. */
  startedAt: Date | null
  /** The store's failure since then, as a code; null: none. */
  problem: string | null
  /** The store's error text, for the record. */
  detail: string | null
  /** When the store is asked again. */
  nextTryAt: Date
}

export interface TextInputs {
  isConfigured: boolean
  /** The plan includes this kind of text (decision 6). */
  isInPlan: boolean
  /** WhatsApp outside the 24-hour window, without an approved template. */
  isTemplateMissing: boolean
  /** The country's or the channel's own rule (C6). */
  refusal: TextRefusal | null
  /** The rule allows one text per cart; the send checks this again. */
  isOncePerCart: boolean
  /** End of the cart's cooldown (decision 12); null: none. */
  coolUntil: Date | null
  /** End of the quiet hours (T2); null: none now. */
  quietUntil: Date | null
  /** Checked again in the turn and right before the channel is called: quiet hours may have begun. */
  isQuietAt: (at: Date) => boolean
  spreadMs: number
  /** The month's budget does not cover the rendered message. Called after rendering. */
  isOverBudget: () => boolean
  /** Credits cover the rendered message (decision 85). Called after rendering, if the plan is used up. */
  isPaidByCredits: () => boolean
}

export type Decision =
  | { outcome: 'send'; reason: 'ok'; sendAuthorization: SendAuthorization; assignArm?: Arm }
  | { outcome: 'hold'; reason: string; until: Date; assignArm?: Arm }
  | { outcome: 'skip'; reason: string; assignArm?: Arm }
  | { outcome: 'cancel'; reason: string; assignArm?: Arm }

export type Arm = 'treated' | 'control'

export function decide(inputs: DecisionInputs): Decision {
  const early =
    checkOrigin(inputs) ??
    checkCart(inputs) ??
    checkAge(inputs) ??
    checkCondition(inputs) ??
    checkHoldout(inputs) ??
    checkPermission(inputs)
  if (early) return early
  // The person may be contacted, so the arm is drawn now and kept, regardless of the later checks (F1).
  const assignArm = pickArm(inputs)
  if (assignArm === 'control') return { outcome: 'skip', reason: 'holdout', assignArm }
  const decision =
    checkOrderCheck(inputs) ??
    checkGoods(inputs) ??
    checkPace(inputs) ??
    checkCoupon(inputs) ??
    checkRendering(inputs) ??
    checkMailRate(inputs) ??
    checkFirstMails(inputs) ??
    checkPlan(inputs) ??
    send()
  return assignArm ? { ...decision, assignArm } : decision
}

/**
 * Returns the reason why cart, shopper or goods rule out a message, ignoring what stops the whole store; null: none.
 */
export function findCartProblem(inputs: DecisionInputs): string | null {
  const problem =
    checkCart(inputs) ??
    checkHoldout(inputs) ??
    checkPermission(inputs) ??
    checkGoods(inputs) ??
    checkFrequencyCap(inputs)
  return problem?.reason ?? null
}

/** Comes before every check that only holds: no message is held past its age limit. */
const isTooOld = ({ now, message }: DecisionInputs) => now >= message.expiresAt

function checkOrigin(inputs: DecisionInputs): Decision | null {
  const { isInstancePaused, origin, campaign, store, message } = inputs
  if (isInstancePaused && !isTooOld(inputs)) return hold('instance_paused', message.expiresAt)
  if (!origin) return { outcome: 'cancel', reason: 'flow_removed' }
  // The step was removed while the message was in flight, and the provider put it off.
  if (origin.isStepRemoved) return { outcome: 'cancel', reason: 'step_removed' }
  if (campaign?.end) return { outcome: 'cancel', reason: campaign.end }
  if (!store.isActive) return { outcome: 'cancel', reason: 'disconnected' }
  if (isTooOld(inputs)) return null
  if (store.isSuspended) return hold('account_suspended', message.expiresAt)
  if (store.isResting) return hold('store_resting', message.expiresAt)
  if (store.isPaused) return hold('sending_paused', message.expiresAt)
  if (!origin.isOn) return hold(campaign ? 'campaign_paused' : 'flow_off', message.expiresAt)
  if (!store.hasSender) return hold('sender_missing', message.expiresAt)
  if (!inputs.hasMailRoute) return hold('mail_not_configured', message.expiresAt)
  if (inputs.text && !inputs.text.isConfigured) return hold(`${message.channel}_not_configured`, message.expiresAt)
  return null
}

function checkCart(inputs: DecisionInputs): Decision | null {
  const { cart, now, message, manual, campaign, isSuperseded, matchingPurchase } = inputs
  // Two merged shoppers get one message of a discount mail or a campaign run (D1).
  if (manual?.isRepeated || campaign?.isRepeated) return { outcome: 'cancel', reason: 'merged' }
  if (!cart) return checkShopper(inputs)
  if (cart.status === 'recovered' || cart.status === 'purchased') return { outcome: 'cancel', reason: 'purchased' }
  if (matchingPurchase) return { outcome: 'cancel', reason: 'purchased' }
  // A manual message may be about a lost cart.
  if (cart.status === 'emptied' || cart.status === 'merged' || (cart.status === 'lost' && !manual)) {
    return { outcome: 'cancel', reason: cart.status }
  }
  // Without an address the later step is not sent either, so it supersedes nothing.
  if (isSuperseded && inputs.address) return { outcome: 'skip', reason: 'superseded' }
  if (isTooOld(inputs)) return null
  if (cart.status === 'active') return hold('cart_active', chooseLater(cart.abandonAt ?? message.expiresAt, soon(now)))
  return checkPendingOrder(inputs)
}

/** Checks purchases of a message without a cart. */
function checkShopper(inputs: DecisionInputs): Decision | null {
  if (inputs.matchingPurchase) return { outcome: 'skip', reason: 'purchased' }
  return isTooOld(inputs) ? null : checkPendingOrder(inputs)
}

const checkPendingOrder = ({ pendingUntil, now }: DecisionInputs): Decision | null =>
  pendingUntil && pendingUntil > now ? hold('purchase_in_progress', pendingUntil) : null

function checkAge(inputs: DecisionInputs): Decision | null {
  if (!isTooOld(inputs)) return null
  return { outcome: 'skip', reason: inputs.address ? 'too_old' : `too_old:${explainMissingContact(inputs)}` }
}

/** Comes before the holdout: a shopper who does not match the conditions is not drawn (F1). */
const checkCondition = ({ condition }: DecisionInputs): Decision | null =>
  condition && !condition.holds ? { outcome: 'skip', reason: 'condition' } : null

function checkHoldout({ person, origin, manual }: DecisionInputs): Decision | null {
  if (person.isMember || !origin || origin.holdoutBps === 0 || manual?.overridesHoldout) return null
  return person.arm === 'control' ? { outcome: 'skip', reason: 'holdout' } : null
}

function checkPermission(inputs: DecisionInputs): Decision | null {
  const { suppression, address, consent, message, text } = inputs
  if (suppression) return { outcome: 'skip', reason: `suppressed_${suppression}` }
  if (!address) return hold(explainMissingContact(inputs), message.expiresAt)
  const { problem } = decideConsent(consent)
  if (problem === 'consent_withdrawn') return { outcome: 'skip', reason: problem }
  if (problem) return hold(problem, message.expiresAt)
  return text?.refusal ? { outcome: 'skip', reason: text.refusal } : null
}

const explainMissingContact = ({ isContactUnconfirmed }: DecisionInputs) =>
  isContactUnconfirmed ? 'contact_unconfirmed' : 'no_contact'

/** Returns the arm to assign; null: assigned before, or no draw applies. */
function pickArm({ person, origin, manual }: DecisionInputs): Arm | null {
  const isDrawable = !person.isMember && !person.isInProgress && person.arm === null
  const isDrawn = !manual && isDrawable && (origin?.holdoutBps ?? 0) > 0
  return isDrawn ? person.drawnArm : null
}

/** There is no degraded mode: an old order check proves nothing (D3). */
function checkOrderCheck({ orderCheck: { startedAt, problem, nextTryAt }, now }: DecisionInputs): Decision | null {
  if (isFresh(startedAt, now)) return null
  return hold(problem ? `store_unreachable:${problem}` : 'store_unreachable', chooseLater(nextTryAt, soon(now)))
}

const checkGoods = ({ isAllUnavailable }: DecisionInputs): Decision | null =>
  isAllUnavailable ? { outcome: 'skip', reason: 'items_gone' } : null

const send = (): Decision => ({ outcome: 'send', reason: 'ok', sendAuthorization: authorizeByDecision() })

/** Frequency cap (T1), cooldown (decision 12) and quiet hours (T2). */
function checkPace(inputs: DecisionInputs): Decision | null {
  const { now, text, quiet } = inputs
  const tooMany = checkFrequencyCap(inputs)
  if (tooMany) return tooMany
  if (text?.coolUntil && text.coolUntil > now) return hold('cooldown', text.coolUntil)
  const night = quiet ?? (text && { until: text.quietUntil, spreadMs: text.spreadMs })
  return night?.until ? hold('quiet_hours', new Date(night.until.getTime() + night.spreadMs)) : null
}

const checkFrequencyCap = ({ cap, now }: DecisionInputs): Decision | null =>
  cap.used >= cap.max ? hold('frequency_cap', chooseLater(cap.freesAt ?? soon(now), soon(now))) : null

/** A message without its coupon is sent or skipped, never held (decisions 35 and 36). */
function checkCoupon({ coupon, message, now }: DecisionInputs): Decision | null {
  if (!coupon || coupon.outcome === 'included') return null
  if (coupon.outcome === 'left_out') return coupon.isSkipped ? { outcome: 'skip', reason: coupon.reason } : null
  const until = chooseLater(coupon.until, soon(now))
  return hold(coupon.reason, until < message.expiresAt ? until : message.expiresAt)
}

function checkRendering({ renderProblem, text, message }: DecisionInputs): Decision | null {
  if (text?.isTemplateMissing) return hold('template_missing', message.expiresAt)
  const problem = renderProblem()
  return problem ? { outcome: 'skip', reason: `render_failed:${problem}` } : null
}

/** The provider rate of D2: pauses of the account's mail server and of receiving domains. */
function checkMailRate({ recipientDomain, mailRestsUntil, now }: DecisionInputs): Decision | null {
  if (mailRestsUntil && mailRestsUntil > now) return hold('mail_server_away', mailRestsUntil)
  return recipientDomain ? hold('domain_throttled', recipientDomain.heldUntil) : null
}

/**
 * A new account may mail only a few people who never ordered. The limit holds for every text, since spam fits into
 * product names too.
 */
function checkFirstMails({ firstMails, now }: DecisionInputs): Decision | null {
  const isOver = firstMails !== null && firstMails.sent >= firstMails.limit
  return isOver ? hold('new_account', new Date(now.getTime() + NEW_ACCOUNT_WAIT_MS)) : null
}

const NEW_ACCOUNT_WAIT_MS = 15 * 60_000

function checkPlan({ plan, text }: DecisionInputs): Decision | null {
  if (text && !text.isInPlan) return hold('plan_required', plan.renewsAt)
  if (isUsedUp(plan) && !text?.isPaidByCredits()) return hold('plan_limit', plan.renewsAt)
  return text?.isOverBudget() ? hold('budget', plan.renewsAt) : null
}

/** A limit of -1 means unlimited. */
export const isUsedUp = ({ used, limit }: Pick<DecisionInputs['plan'], 'used' | 'limit'>): boolean =>
  limit >= 0 && used >= limit

const hold = (reason: string, until: Date): Decision => ({ outcome: 'hold', reason, until })
const chooseLater = (a: Date, b: Date) => (a > b ? a : b)
const soon = (now: Date) => new Date(now.getTime() + 1_000)

/**
 * The next attempt after 30 s, 1 min, 2 min … at most 15 min, with ±10% jitter so that deferred messages do not retry
 * together.
 */
export function backOff(now: Date, attempts: number, jitter = Math.random()): Date {
  const delay = Math.min(30_000 * 2 ** Math.min(attempts, 10), 900_000)
  return new Date(now.getTime() + delay * (0.9 + 0.2 * jitter))
}
