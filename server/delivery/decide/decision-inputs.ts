import crypto from 'node:crypto'
import type { Feature } from '../../../shared/billing/billing.ts'
import { computeCreditPrice } from '../../../shared/billing/credits.ts'
import { customTextLimit } from '../../access/members/public.ts'
import { computeLimits, hasFeature, startOfNextMonth } from '../../billing/billing/public.ts'
import type { EnteredCoupon, MessageCoupon } from '../../carts/coupons/public.ts'
import { type ConditionValues, evaluateConditions } from '../../carts/flow-choice/public.ts'
import type { Goods, UnreadCoupons } from '../../carts/sync/public.ts'
import type { Place } from '../../core/common/public.ts'
import type { Deps } from '../../deps.ts'
import {
  type AccountMailRoute,
  type ChannelName,
  type Cost,
  channelTraits,
  chooseAccountMailRoute,
  findPhoneCountry,
  isTextChannelName,
  type TextChannel,
  type TextChannelName,
} from '../../messages/channels/public.ts'
import type { MailBrand } from '../../messages/templates/public.ts'
import {
  decideConsent,
  findRecipientCountry,
  findTextLimits,
  findTextProblem,
  type LedgerEvidence,
} from '../../shoppers/consent/public.ts'
import { isAllUnavailable, type ShownProduct } from '../compose/public.ts'
import { type DomainThrottleRow, findPauseEnd } from '../deliverability/public.ts'
import { getDomain } from '../email/public.ts'
import type { Arm, DecisionInputs, QuietInputs, TextInputs } from './decide.ts'
import * as load from './evaluate-sql.ts'
import { findCoupon, recordOfCoupon } from './message-coupon.ts'
import { buildOrderCheck } from './order-check-inputs.ts'
import { computeSpread, findQuietHours } from './quiet.ts'
import type { Budget, Situation } from './situation-sql.ts'

// Maps rows to the inputs of a decision. Pure.

export interface DecisionContext {
  deps: Pick<Deps, 'config' | 'log' | 'renders' | 'secrets'>
  now: Date
  situation: Situation
  /** Design of the store's mails. */
  brand: MailBrand
  capMs: number
  /** The configured SMS and WhatsApp channels, loaded before the snapshot and only if such rows are due. */
  texts: Texts
  /** Reason by `channel:hash`. */
  suppressed: Map<string, string>
  ledger: Map<string, LedgerEvidence>
  /** Throttled receiving domains, by name. */
  throttles: Map<string, DomainThrottleRow>
  /** Ids of the rows' shoppers who have had a mail; empty if the account's first mails are not limited. */
  mailedBefore: ReadonlySet<string>
  /** Address hashes of people who wrote on WhatsApp within the last 24 hours. */
  inWindow: Set<string>
  /** Hex hash by address. */
  hashes: Map<string, string>
  /** Stock and prices of the rows' items; null: not read. */
  goods: Goods | null
  /** The order check was fresh. If not, stock, prices and coupons were not read. */
  isChecked: boolean
  /** Coupons that the store did not report. */
  unread: UnreadCoupons
  /** The coupons of the messages, by message id. */
  coupons: ReadonlyMap<string, MessageCoupon>
  /** Products that the emails' documents show, by id. */
  products: ReadonlyMap<string, ShownProduct>
  /** Facts for the steps' conditions, by cart id. */
  facts: ReadonlyMap<string, ConditionValues>
  /** Coupons that shoppers entered in their carts, by message id. */
  entered: ReadonlyMap<string, EnteredCoupon>
  /** A preview or forecast. It skips the order check, which runs before every real send. */
  isImagined: boolean
  /** What the messages before it in the same forecast would use. */
  ahead?: ForecastUsage
}

/** Usage of plan, budget, credits and frequency cap by forecast messages. */
export interface ForecastUsage {
  count: number
  micros: number
  /** Credits in micros. */
  creditMicros: number
  ofShopper: Map<string, number>
}

export type Texts = ReadonlyMap<TextChannelName, TextChannel | null>

/** Messages per month in the plan; -1: unlimited. */
export function getPlanLimit({ in_force }: Situation, channel: ChannelName): number {
  const { limit } = channelTraits[channel]
  if (in_force && limit === null) return -1
  return in_force && limit ? computeLimits(in_force)[limit] : 0
}

export interface Rendering {
  problem: () => string | null
  /** Cost of the rendered text; null before rendering. */
  cost: () => { amountMicros: number; currency: string } | null
}

export function decisionInputs(
  context: DecisionContext,
  row: load.ClaimedRow,
  addressHash: string,
  rendering: Rendering,
): DecisionInputs {
  const { now, situation, capMs } = context
  const { channel } = row
  const selling = { baseCountry: situation.base_country, sellingCountries: situation.selling_countries }
  const found = findRecipientCountry(channel, { country: row.country, phone: row.phone }, selling, findPhoneCountry)
  const key = `${channel}:${addressHash}`
  const ahead = getUsageAhead(context, row)
  return {
    now,
    message: { step: row.step, channel, dueAt: row.due_at, expiresAt: row.expires_at },
    isInstancePaused: situation.is_paused,
    store: {
      isActive: situation.is_active,
      isSuspended: situation.is_account_suspended,
      isResting: situation.is_resting,
      isPaused: situation.is_sending_paused,
      hasSender: hasSender(situation, channel),
    },
    hasMailRoute: channel !== 'email' || findMailRoute(context.deps, situation) !== 'none',
    mailRestsUntil: channel === 'email' ? situation.mail_rests_until : null,
    origin: originInputs(situation, row),
    manual: row.manual && { overridesHoldout: row.manual.overridesHoldout, isRepeated: row.manual.isRepeated },
    campaign: row.campaign && { end: row.campaign.end, isRepeated: row.campaign.isRepeated },
    condition: conditionInputs(context, row),
    isSuperseded: row.is_superseded,
    cart: row.cart_status && { status: row.cart_status, abandonAt: row.abandon_at },
    pendingUntil: row.pending_until,
    matchingPurchase: row.matching_order ? { orderId: row.matching_order } : null,
    person: {
      arm: row.arm,
      isMember: row.is_member,
      isInProgress: row.is_under_way,
      drawnArm: situation.experiment && drawnArm(row.shopper_id, situation.experiment),
    },
    address: load.getAddress(row),
    isContactUnconfirmed: isUnconfirmed(row),
    suppression: findSuppression(context, row, key),
    consent: {
      channel,
      country: found.country,
      countrySource: found.source,
      word: context.ledger.get(key) ?? null,
      hasBoughtBefore: row.has_bought_before,
      overrides: situation.overrides,
    },
    orderCheck: buildOrderCheck(context, row),
    isAllUnavailable: isAllUnavailable(row, context.goods),
    cap: {
      used: row.cap_used + ahead.ofShopper,
      max: situation.cap_messages,
      freesAt: row.cap_oldest || ahead.ofShopper > 0 ? new Date((row.cap_oldest ?? now).getTime() + capMs) : null,
    },
    coupon: findCoupon(context, row),
    plan: {
      used: (situation.used[channel] ?? 0) + ahead.count,
      limit: getPlanLimit(situation, channel),
      renewsAt: startOfNextMonth(now),
    },
    recipientDomain: recipientDomainInputs(context, row),
    renderProblem: rendering.problem,
    text: isTextChannelName(channel) ? textInputs(context, row, { channel, addressHash, found, rendering }) : null,
    quiet: channel === 'push' ? quietInputs(context, row, found) : null,
    firstMails: channel === 'email' && !row.has_bought_before ? firstMailInputs(context, row) : null,
  }
}

function conditionInputs(
  { facts }: DecisionContext,
  { conditions, cart_id }: load.ClaimedRow,
): DecisionInputs['condition'] {
  const known = cart_id === null ? undefined : facts.get(cart_id)
  return conditions && known ? { ...evaluateConditions(conditions, known), currency: known.storeCurrency } : null
}

export const findMailRoute = ({ config }: Pick<Deps, 'config'>, situation: Situation): AccountMailRoute =>
  chooseAccountMailRoute(config, { isDemo: situation.account_is_demo, hasOwn: situation.has_own_mail })

const getUsageAhead = ({ ahead }: DecisionContext, row: load.ClaimedRow) => ({
  count: ahead?.count ?? 0,
  ofShopper: ahead?.ofShopper.get(row.shopper_id) ?? 0,
})

function firstMailInputs(
  { deps, situation, now, ahead, mailedBefore }: DecisionContext,
  row: load.ClaimedRow,
): DecisionInputs['firstMails'] {
  const limit = deps.config.isLocal ? null : customTextLimit(situation.account_created_at, now)
  if (limit === null || situation.first_mails === null || mailedBefore.has(row.shopper_id)) return null
  return { sent: situation.first_mails + (ahead?.count ?? 0), limit }
}

function recipientDomainInputs(
  { throttles, now }: DecisionContext,
  row: load.ClaimedRow,
): DecisionInputs['recipientDomain'] {
  const known = row.channel === 'email' ? throttles.get(getDomain(load.getAddress(row) ?? '')) : undefined
  const until = known ? findPauseEnd(known, now) : null
  // Spreads the retries.
  return until && { heldUntil: new Date(until.getTime() + (computeSpread(row.id) % SPREAD_MS)) }
}

const SPREAD_MS = 20_000

/** C7 requires a sender for mail only; texts and notifications name the store. */
function hasSender({ sender_name, postal_address }: Situation, channel: ChannelName): boolean {
  return channel !== 'email' || Boolean(sender_name && postal_address)
}

function isUnconfirmed(row: load.ClaimedRow): boolean {
  const { contact } = channelTraits[row.channel]
  return contact !== 'subscription' && row[`unconfirmed_${contact}`] !== null
}

/** For notifications, a suppression of one of the shopper's other addresses counts too (C1). */
function findSuppression({ suppressed, hashes }: DecisionContext, row: load.ClaimedRow, key: string): string | null {
  const others = listOtherAddresses(row).flatMap(
    (address) => suppressed.get(`${row.channel}:${hashes.get(address)}`) ?? [],
  )
  return suppressed.get(key) ?? others[0] ?? null
}

/** The shopper's other addresses whose suppressions count. */
export const listOtherAddresses = (row: load.ClaimedRow): string[] =>
  row.channel === 'push' ? [row.email, row.phone].filter((address) => address !== null) : []

/** Quiet hours for notifications (T2). */
function quietInputs(
  { now, situation }: DecisionContext,
  row: load.ClaimedRow,
  found: ReturnType<typeof findRecipientCountry>,
): QuietInputs {
  const place = findPlace(row, found, row.phone ?? '')
  const until = (at: Date) => findQuietHours(at, place, getQuietSettings(situation)).until
  return {
    until: until(now),
    isQuietAt: (at) => toMinute(at) !== toMinute(now) && until(at) !== null,
    spreadMs: computeSpread(row.id),
  }
}

function originInputs(situation: Situation, row: load.ClaimedRow): DecisionInputs['origin'] {
  const holdoutBps = situation.experiment?.controlBps ?? 0
  const { manual, campaign, flow_is_on: isOn, is_step_removed: isStepRemoved } = row
  if (manual) return { isOn: true, isStepRemoved, holdoutBps }
  if (campaign) return { isOn: campaign.isRunning, isStepRemoved, holdoutBps }
  return isOn === null || !row.template_id ? null : { isOn, isStepRemoved, holdoutBps }
}

interface TextCircumstances {
  channel: TextChannelName
  addressHash: string
  found: ReturnType<typeof findRecipientCountry>
  rendering: Rendering
}

function textInputs(
  context: DecisionContext,
  row: load.ClaimedRow,
  { channel, addressHash, found, rendering }: TextCircumstances,
): TextInputs {
  const { now, situation, texts, inWindow } = context
  const configured = texts.get(channel) ?? null
  const approved = getRequiredTemplate(configured, inWindow.has(addressHash))
  const phone = load.getAddress(row) ?? ''
  const limits = findTextLimits(channel, [found.country, findPhoneCountry(phone)], phone)
  const facts = {
    // Legal limits on cart reminders; they do not apply without a cart.
    sentForCart: row.cart_id === null ? 0 : row.texts_sent,
    sinceActivityMs: row.last_activity_at ? now.getTime() - row.last_activity_at.getTime() : 0,
    isMarketing: approved !== 'free' && approved?.category !== 'utility',
  }
  const place = findPlace(row, found, phone)
  const quietUntil = (at: Date) => findQuietHours(at, place, getQuietSettings(situation)).until
  return {
    isConfigured: configured !== null,
    isInPlan:
      row.manual !== null || (situation.in_force !== null && hasFeature(situation.in_force, getRequiredFeature(row))),
    isTemplateMissing: approved === null,
    refusal: findTextProblem(limits, facts),
    isOncePerCart: limits.perCart === 1 && row.cart_id !== null,
    coolUntil: row.text_last ? new Date(row.text_last.getTime() + situation.text_cooldown_hours * 3_600_000) : null,
    quietUntil: quietUntil(now),
    // Quiet hours begin on a full minute.
    isQuietAt: (at) => toMinute(at) !== toMinute(now) && quietUntil(at) !== null,
    spreadMs: computeSpread(row.id),
    isOverBudget: () => isOverBudget(situation.budget, rendering.cost(), context.ahead?.micros),
    isPaidByCredits: () => {
      const price = computeMessagePrice(context, { channel, to: phone, cost: rendering.cost() })
      return price !== null && price <= situation.credit_micros - (context.ahead?.creditMicros ?? 0)
    },
  }
}

/**
 * The plan feature a message needs (decisions 6 and 43): a single SMS campaign is in Starter, other automatic
 * texts are in Growth.
 */
function getRequiredFeature({ campaign, channel }: load.ClaimedRow): Feature {
  if (!campaign) return 'flow_texts'
  return campaign.frequency === 'once' && channel === 'sms' ? 'manual_texts' : 'campaign_texts'
}

const toMinute = (at: Date) => Math.floor(at.getTime() / 60_000)

/**
 * Returns the approved template to use, `free` if any text is allowed, or null if a template is required and missing.
 */
export function getRequiredTemplate(channel: TextChannel | null, isInWindow: boolean) {
  return channel?.template === undefined || isInWindow ? ('free' as const) : channel.template
}

/** The US state belongs to the address, so it counts only if the country comes from the address. */
const findPlace = (row: load.ClaimedRow, { country, source }: TextCircumstances['found'], phone: string): Place => ({
  country: source === 'store' ? null : country,
  state: source === 'address' ? row.us_state : null,
  phone,
})

export const getQuietSettings = (situation: Situation) => ({
  fromMinute: situation.quiet_from_minute,
  untilMinute: situation.quiet_until_minute,
  timeZone: situation.time_zone,
})

/**
 * The price in credits; before rendering, for the shortest text. null: credits cannot pay for it (decisions 6 and 85).
 */
export function computeMessagePrice(
  { texts, situation }: Pick<DecisionContext, 'texts' | 'situation'>,
  { channel, to, cost }: { channel: TextChannelName; to: string; cost: Cost | null },
): number | null {
  const carrier = texts.get(channel)
  if (!carrier?.credits || getPlanLimit(situation, channel) <= 0) return null
  const { amountMicros } = cost ?? carrier.estimate({ to, text: '', template: null }).cost
  return computeCreditPrice(amountMicros, carrier.credits.perMille)
}

/**
 * A price in another currency than the budget's counts as over budget, because they cannot be compared (decision 21).
 */
export function isOverBudget(budget: Budget | null, cost: ReturnType<Rendering['cost']>, microsAhead = 0): boolean {
  if (!budget || !cost || cost.amountMicros === 0) return false
  const spentMicros = budget.spentMicros + microsAhead
  return cost.currency !== budget.currency || spentMicros + cost.amountMicros > budget.monthlyMicros
}

/** null: the experiment draws no further shoppers, because their window would end after the planned day. */
const drawnArm = (
  shopperId: string,
  { salt, controlBps, isDrawing }: NonNullable<Situation['experiment']>,
): Arm | null => (isDrawing ? drawArm(shopperId, salt, controlBps) : null)

/**
 * Returns the same arm for a shopper and an experiment each time (F1): control if the HMAC as a number is below the
 * share.
 */
export function drawArm(shopperId: string, salt: string, holdoutBps: number): Arm {
  const digest = crypto.createHmac('sha256', salt).update(shopperId).digest()
  return digest.readUInt32BE(0) / 2 ** 32 < holdoutBps / 10_000 ? 'control' : 'treated'
}

/** Records the unmet conditions too, because the step's may change later. */
function conditionRecord({ condition }: DecisionInputs): Record<string, unknown> {
  if (!condition) return {}
  const { holds, values, unmet, currency } = condition
  const record = { conditionHolds: holds, conditionValues: values }
  return holds ? record : { ...record, conditionsUnmet: { currency, conditions: unmet } }
}

/** The decision's record (D12): facts without address and text. */
export function toDecisionRecord(inputs: DecisionInputs): Record<string, unknown> {
  const { message, cart, consent, cap, plan, text, manual } = inputs
  const { rule, basis } = decideConsent(consent)
  return {
    step: message.step,
    channel: message.channel,
    due: message.dueAt,
    expires: message.expiresAt,
    cart: cart?.status ?? null,
    flowOn: inputs.origin?.isOn ?? null,
    suppression: inputs.suppression,
    country: consent.country,
    countrySource: consent.countrySource,
    consentRule: rule,
    consent: consent.word?.evidence ?? null,
    consentBasis: basis,
    boughtBefore: consent.hasBoughtBefore,
    ordersReadAt: inputs.orderCheck.startedAt,
    storeProblem: inputs.orderCheck.problem,
    storeDetail: inputs.orderCheck.detail,
    ...conditionRecord(inputs),
    ...(inputs.isAllUnavailable ? { itemsGone: true } : {}),
    ...recordOfCoupon(inputs.coupon),
    messagesInWindow: cap.used,
    messagesAllowed: cap.max,
    planUsed: plan.used,
    planLimit: plan.limit,
    arm: inputs.person.arm,
    ...(inputs.person.isInProgress ? { cartIsUnderWay: true } : {}),
    ...(manual ? { manual: true, overridesHoldout: manual.overridesHoldout } : {}),
    ...(inputs.campaign ? { campaign: true } : {}),
    ...(inputs.quiet ? { quietUntil: inputs.quiet.until } : {}),
    ...(text ? { rule: text.refusal, quietUntil: text.quietUntil, cooldownUntil: text.coolUntil } : {}),
  }
}
