import type { CartState } from '../../../shared/carts.ts'
import type { ChannelName } from '../../messages/channels/channel.ts'
import { authorizeByDecision, type SendAuthorization } from '../../messages/channels/send-authorization.ts'
import { type ConsentInputs, consentFinding, type TextRefusal } from '../../shoppers/consent/consent.ts'
import type { ConditionFinding } from '../../carts/flow-choice/conditions.ts'
import { isFresh } from '../../access/stores/rules.ts'
import type { CouponFinding } from './coupon-finding.ts'

// The decision about one message at the moment of sending (D2). Pure: everything it needs comes in, what it decides and
// why goes out. The first check that fails decides; temporary reasons hold with `until`, final ones skip or cancel.

export interface DecisionInputs {
  now: Date
  message: { step: number; channel: ChannelName; dueAt: Date; expiresAt: Date }
  isInstancePaused: boolean
  /** `isSuspended`: the account is, by an operator. `isResting`: the plan has no room for the store. */
  store: { isActive: boolean; isSuspended: boolean; isResting: boolean; isPaused: boolean; hasSender: boolean }
  /** false: mail has nowhere to go (mail-way.ts). */
  hasMailWay: boolean
  /** The account's own mail server took nothing and is left alone until then; null: it works. */
  mailRestsUntil: Date | null
  /** null: the origin (flow, step) no longer exists. */
  origin: { isOn: boolean; isStepRemoved: boolean; holdoutBps: number } | null
  /** null: not of a campaign. */
  campaign: { end: 'campaign_cancelled' | 'campaign_deleted' | null; isRepeated: boolean } | null
  /** Asked for by a person (D11); null: of a flow or a campaign. */
  manual: { overridesHoldout: boolean; isRepeated?: boolean } | null
  /** What its step asks of the cart and its shopper (decision 52); null: nothing. */
  condition: (ConditionFinding & { currency: string }) | null
  /** A later step of the same flow is due as well, or went out while this one was held. */
  isSuperseded: boolean
  /** null: the message is about no cart. */
  cart: { status: CartState; abandonAt: Date | null } | null
  /** A purchase in progress: an order that awaits its payment (S4). */
  pendingUntil: Date | null
  /**
   * A purchase by a matching identity at or after the episode's start (S3), whether or not it could be merged. Of a message without a cart:
   * since when its origin says; null where no purchase ends it.
   */
  matchingPurchase: { orderId: string } | null
  /** `isUnderWay`: the cart had a message before the experiment began, and goes on as before (decision 58). */
  person: { arm: Arm | null; isMember: boolean; isUnderWay: boolean; drawnArm: Arm | null }
  address: string | null
  /** An address was typed above the limits on new contacts, and nothing has confirmed it (X5). */
  isContactUnconfirmed: boolean
  suppression: string | null
  consent: ConsentInputs & { countrySource: string }
  orderCheck: OrderCheck
  /** Nothing in the cart can be bought any more. */
  isAllGone: boolean
  cap: { used: number; max: number; freesAt: Date | null }
  /** null: the message is to have none. */
  coupon: CouponFinding | null
  plan: { used: number; limit: number; renewsAt: Date }
  /** The receiving domain is left alone for a while (throttles.ts); null: it takes mail. */
  recipientDomain: { heldUntil: Date } | null
  /** Renders the message; the problem in a word, or null. Called only when all earlier checks passed. */
  renderProblem: () => string | null
  /** What only SMS and WhatsApp are asked; null for other channels. */
  text: TextInputs | null
  /** T2 where it is no text: of notifications; null for other channels. */
  quiet: QuietInputs | null
  /** null: nothing limits it, or it is not the first mail to a person without an order. */
  firstMails: FirstMails | null
}

/** Of an account that is younger than a month: first mails to people without an order in 24 hours. */
export interface FirstMails {
  sent: number
  limit: number
}

/** T2. */
export interface QuietInputs {
  /** null: it is not night. */
  until: Date | null
  /** Checked again in the turn, and right before the channel is called. */
  isQuietAt: (at: Date) => boolean
  spreadMs: number
}

/** D3. */
export interface OrderCheck {
  /** When the newest one that reached the last page had started; null: never. */
  startedAt: Date | null
  /** What the store did wrong since, as a code; null: nothing. */
  problem: string | null
  /** The same in the store's own words, for the record. */
  detail: string | null
  /** When the store is asked again. */
  nextTryAt: Date
}

export interface TextInputs {
  isConfigured: boolean
  /** Decision 6: in a flow SMS and WhatsApp ask for a plan that has them. */
  isInPlan: boolean
  /** WhatsApp: outside the 24-hour window something approved has to be there. */
  isTemplateMissing: boolean
  /** The country's or the channel's own rule (C6). */
  refusal: TextRefusal | null
  /** It lets pass one per cart and no second, which the send has to hold to. */
  isOncePerCart: boolean
  /** Decision 12: when this cart may have the next one; null: now. */
  coolUntil: Date | null
  /** T2. */
  quietUntil: Date | null
  /** T2 again, in the turn and right before the channel is called: night may have fallen. */
  isQuietAt: (at: Date) => boolean
  spreadMs: number
  /** The month's budget has no room for the rendered message; asked after it was rendered. */
  isOverBudget: () => boolean
  /** The plan is used up, and credits suffice for the rendered message (decision 85); asked after it was rendered. */
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
    ofOrigin(inputs) ??
    ofCart(inputs) ??
    ofAge(inputs) ??
    ofCondition(inputs) ??
    ofHoldout(inputs) ??
    ofPermission(inputs)
  if (early) return early
  // The person may be contacted at this moment: the arm is drawn now and kept, whatever the checks below say (F1).
  const assignArm = drawOf(inputs)
  if (assignArm === 'control') return { outcome: 'skip', reason: 'holdout', assignArm }
  const decision =
    ofOrderCheck(inputs) ??
    ofGoods(inputs) ??
    ofPace(inputs) ??
    ofCoupon(inputs) ??
    ofRender(inputs) ??
    ofRecipientDomain(inputs) ??
    ofNewAccount(inputs) ??
    ofPlan(inputs) ??
    send()
  return assignArm ? { ...decision, assignArm } : decision
}

/** What of cart, shopper and goods stands against a message, whatever stops the whole store; null: nothing. */
export function cartProblem(inputs: DecisionInputs): string | null {
  const problem = ofCart(inputs) ?? ofHoldout(inputs) ?? ofPermission(inputs) ?? ofGoods(inputs) ?? ofFrequency(inputs)
  return problem?.reason ?? null
}

/** Too old decides before anything that only holds: nothing may be held past its age limit. */
const isTooOld = ({ now, message }: DecisionInputs) => now >= message.expiresAt

function ofOrigin(inputs: DecisionInputs): Decision | null {
  const { isInstancePaused, origin, campaign, store, message } = inputs
  if (isInstancePaused && !isTooOld(inputs)) return hold('instance_paused', message.expiresAt)
  if (!origin) return { outcome: 'cancel', reason: 'flow_removed' }
  // Removed while it was in flight, from where it came back.
  if (origin.isStepRemoved) return { outcome: 'cancel', reason: 'step_removed' }
  if (campaign?.end) return { outcome: 'cancel', reason: campaign.end }
  if (!store.isActive) return { outcome: 'cancel', reason: 'disconnected' }
  if (isTooOld(inputs)) return null
  if (store.isSuspended) return hold('account_suspended', message.expiresAt)
  if (store.isResting) return hold('store_resting', message.expiresAt)
  if (store.isPaused) return hold('sending_paused', message.expiresAt)
  if (!origin.isOn) return hold(campaign ? 'campaign_paused' : 'flow_off', message.expiresAt)
  if (!store.hasSender) return hold('sender_missing', message.expiresAt)
  if (!inputs.hasMailWay) return hold('mail_not_configured', message.expiresAt)
  if (inputs.text && !inputs.text.isConfigured) return hold(`${message.channel}_not_configured`, message.expiresAt)
  return null
}

function ofCart(inputs: DecisionInputs): Decision | null {
  const { cart, now, message, manual, campaign, isSuperseded, matchingPurchase } = inputs
  // Two who turned out to be one get one message of a discount mail, or of a run (D1).
  if (manual?.isRepeated || campaign?.isRepeated) return { outcome: 'cancel', reason: 'merged' }
  if (!cart) return ofPerson(inputs)
  if (cart.status === 'recovered' || cart.status === 'purchased') return { outcome: 'cancel', reason: 'purchased' }
  if (matchingPurchase) return { outcome: 'cancel', reason: 'purchased' }
  // A cart that was given up is still there, for whoever writes to its shopper by hand.
  if (cart.status === 'emptied' || cart.status === 'merged' || (cart.status === 'lost' && !manual)) {
    return { outcome: 'cancel', reason: cart.status }
  }
  // Without an address the later step does not go out either, so it takes no other's place.
  if (isSuperseded && inputs.address) return { outcome: 'skip', reason: 'superseded' }
  if (isTooOld(inputs)) return null
  if (cart.status === 'active') return hold('cart_active', later(cart.abandonAt ?? message.expiresAt, soon(now)))
  return ofPending(inputs)
}

/** Without a cart there is nothing to be abandoned, superseded or lost. */
function ofPerson(inputs: DecisionInputs): Decision | null {
  if (inputs.matchingPurchase) return { outcome: 'skip', reason: 'purchased' }
  return isTooOld(inputs) ? null : ofPending(inputs)
}

const ofPending = ({ pendingUntil, now }: DecisionInputs): Decision | null =>
  pendingUntil && pendingUntil > now ? hold('purchase_in_progress', pendingUntil) : null

function ofAge(inputs: DecisionInputs): Decision | null {
  if (!isTooOld(inputs)) return null
  return { outcome: 'skip', reason: inputs.address ? 'too_old' : `too_old:${missingContact(inputs)}` }
}

/** Asked when the message is due, once for all its channels; whoever the step is not for is not drawn by it either (F1). */
const ofCondition = ({ condition }: DecisionInputs): Decision | null =>
  condition && !condition.holds ? { outcome: 'skip', reason: 'condition' } : null

function ofHoldout({ person, origin, manual }: DecisionInputs): Decision | null {
  if (person.isMember || !origin || origin.holdoutBps === 0 || manual?.overridesHoldout) return null
  return person.arm === 'control' ? { outcome: 'skip', reason: 'holdout' } : null
}

function ofPermission(inputs: DecisionInputs): Decision | null {
  const { suppression, address, consent, message, text } = inputs
  if (suppression) return { outcome: 'skip', reason: `suppressed_${suppression}` }
  if (!address) return hold(missingContact(inputs), message.expiresAt)
  const { problem } = consentFinding(consent)
  if (problem === 'consent_withdrawn') return { outcome: 'skip', reason: problem }
  if (problem) return hold(problem, message.expiresAt)
  return text?.refusal ? { outcome: 'skip', reason: text.refusal } : null
}

const missingContact = ({ isContactUnconfirmed }: DecisionInputs) =>
  isContactUnconfirmed ? 'contact_unconfirmed' : 'no_contact'

/** null: drawn already, or nobody is drawn. */
function drawOf({ person, origin, manual }: DecisionInputs): Arm | null {
  const isDrawable = !person.isMember && !person.isUnderWay && person.arm === null
  const isDrawn = !manual && isDrawable && (origin?.holdoutBps ?? 0) > 0
  return isDrawn ? person.drawnArm : null
}

/** There is no degraded mode: an older order check proves nothing, whatever is known from before (D3). */
function ofOrderCheck({ orderCheck: { startedAt, problem, nextTryAt }, now }: DecisionInputs): Decision | null {
  if (isFresh(startedAt, now)) return null
  return hold(problem ? `store_unreachable:${problem}` : 'store_unreachable', later(nextTryAt, soon(now)))
}

const ofGoods = ({ isAllGone }: DecisionInputs): Decision | null =>
  isAllGone ? { outcome: 'skip', reason: 'items_gone' } : null

const send = (): Decision => ({ outcome: 'send', reason: 'ok', sendAuthorization: authorizeByDecision() })

/** How many a person may have (T1), how soon after the last one (decision 12), and when not (T2). */
function ofPace(inputs: DecisionInputs): Decision | null {
  const { now, text, quiet } = inputs
  const tooMany = ofFrequency(inputs)
  if (tooMany) return tooMany
  if (text?.coolUntil && text.coolUntil > now) return hold('cooldown', text.coolUntil)
  const night = quiet ?? (text && { until: text.quietUntil, spreadMs: text.spreadMs })
  return night?.until ? hold('quiet_hours', new Date(night.until.getTime() + night.spreadMs)) : null
}

const ofFrequency = ({ cap, now }: DecisionInputs): Decision | null =>
  cap.used >= cap.max ? hold('frequency_cap', later(cap.freesAt ?? soon(now), soon(now))) : null

/** A message is not held for a coupon it is not to have; it is sent without it, or not at all (decisions 35 and 36). */
function ofCoupon({ coupon, message, now }: DecisionInputs): Decision | null {
  if (!coupon || coupon.outcome === 'included') return null
  if (coupon.outcome === 'left_out') return coupon.isSkipped ? { outcome: 'skip', reason: coupon.reason } : null
  const until = later(coupon.until, soon(now))
  return hold(coupon.reason, until < message.expiresAt ? until : message.expiresAt)
}

function ofRender({ renderProblem, text, message }: DecisionInputs): Decision | null {
  if (text?.isTemplateMissing) return hold('template_missing', message.expiresAt)
  const problem = renderProblem()
  return problem ? { outcome: 'skip', reason: `render_failed:${problem}` } : null
}

/** The provider's rate, of D2, as the account's mail server and receivers see it. */
function ofRecipientDomain({ recipientDomain, mailRestsUntil, now }: DecisionInputs): Decision | null {
  if (mailRestsUntil && mailRestsUntil > now) return hold('mail_server_away', mailRestsUntil)
  return recipientDomain ? hold('domain_throttled', recipientDomain.heldUntil) : null
}

/** Whoever has just registered may mail a few people who never ordered, whatever the words: names of shop and products are theirs too. */
function ofNewAccount({ firstMails, now }: DecisionInputs): Decision | null {
  const isOver = firstMails !== null && firstMails.sent >= firstMails.limit
  return isOver ? hold('new_account', new Date(now.getTime() + NEW_ACCOUNT_WAIT_MS)) : null
}

const NEW_ACCOUNT_WAIT_MS = 15 * 60_000

function ofPlan({ plan, text }: DecisionInputs): Decision | null {
  if (text && !text.isInPlan) return hold('plan_required', plan.renewsAt)
  if (isUsedUp(plan) && !text?.isPaidByCredits()) return hold('plan_limit', plan.renewsAt)
  return text?.isOverBudget() ? hold('budget', plan.renewsAt) : null
}

/** -1: unlimited. */
export const isUsedUp = ({ used, limit }: Pick<DecisionInputs['plan'], 'used' | 'limit'>): boolean =>
  limit >= 0 && used >= limit

const hold = (reason: string, until: Date): Decision => ({ outcome: 'hold', reason, until })
const later = (a: Date, b: Date) => (a > b ? a : b)
const soon = (now: Date) => new Date(now.getTime() + 1_000)

/** 30 s, 1 min, 2 min … 15 min at most, with a little jitter so that what a provider put off does not all come back at once. */
export function backOff(now: Date, attempts: number, jitter = Math.random()): Date {
  const delay = Math.min(30_000 * 2 ** Math.min(attempts, 10), 900_000)
  return new Date(now.getTime() + delay * (0.9 + 0.2 * jitter))
}
