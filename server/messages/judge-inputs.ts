import crypto from 'node:crypto'
import { plans } from '../../shared/billing.ts'
import type { ChannelName, TextChannel, TextChannelName } from '../channels/channel.ts'
import { domainOf } from '../channels/leaving.ts'
import { channelTraits, isTextChannelName } from '../channels/traits.ts'
import type { Deps } from '../deps.ts'
import { consentFinding, type LedgerWord, recipientCountry, textLimits, textProblem } from '../shoppers/consent.ts'
import { phoneCountry } from '../shoppers/phone.ts'
import { type Place, quietHours, spreadOf } from '../shoppers/quiet.ts'
import type { Arm, DecisionInputs, TextInputs } from './decide.ts'
import type * as load from './judge-sql.ts'
import { heldUntil } from './receiver-rules.ts'
import type { ReceiverRow } from './receivers-sql.ts'

// From rows to what a decision rests on. Pure but for the clock's reading that comes in.

export interface Context {
  deps: Deps
  now: Date
  situation: load.Situation
  capMs: number
  /** What is configured of SMS and WhatsApp; asked for before the snapshot, and only when such rows are due. */
  texts: Texts
  /** By `channel:hash`. */
  suppressed: Map<string, string>
  ledger: Map<string, LedgerWord>
  /** Receiving domains that have had enough, by name. */
  receivers: Map<string, ReceiverRow>
  /** Hashes of those who wrote on WhatsApp in the last 24 hours. */
  inWindow: Set<string>
  /** Of the rows' addresses, in hex. */
  hashes: Map<string, string>
  /** Nobody has pulled for what is only imagined: a pull comes before anything is sent. */
  isImagined: boolean
  /** Imagined together with others: what those before it would have taken. */
  ahead?: Ahead
}

/** What messages that do not exist would take of what there is only so much of. */
export interface Ahead {
  count: number
  micros: number
  ofShopper: Map<string, number>
}

export type Texts = ReadonlyMap<TextChannelName, TextChannel | null>

/** Whom the row is for: the cart's contact, or the customer a person has named (X5). */
export const addressOf = (row: load.ClaimedRow): string | null =>
  row.by_hand?.toAddress ?? row[channelTraits[row.channel].contact]

/** -1: unlimited. */
export function planLimitOf({ plan }: load.Situation, channel: ChannelName): number {
  const { limit } = channelTraits[channel]
  return plan && limit ? plans[plan].limits[limit] : 0
}

export interface Rendering {
  problem: () => string | null
  /** Of the rendered text; null before. */
  cost: () => { amountMicros: number; currency: string } | null
}

export function decisionInputs(
  context: Context,
  row: load.ClaimedRow,
  addressHash: string,
  rendering: Rendering,
): DecisionInputs {
  const { now, situation, capMs } = context
  const { channel } = row
  const selling = { baseCountry: situation.base_country, sellingCountries: situation.selling_countries }
  const found = recipientCountry(channel, { country: row.country, phone: row.phone }, selling, phoneCountry)
  const key = `${channel}:${addressHash}`
  const ahead = aheadOf(context, row)
  return {
    now,
    message: { step: row.step, channel, dueAt: row.due_at, expiresAt: row.expires_at, attempts: row.attempts },
    isInstancePaused: situation.is_paused,
    store: { isActive: situation.is_active, hasSender: hasSender(situation, channel) },
    origin: originOf(situation, row),
    byHand: row.by_hand ? { overridesHoldout: row.by_hand.overridesHoldout } : null,
    isSuperseded: row.is_superseded,
    cart: { status: row.cart_status, abandonAt: row.abandon_at, pendingUntil: row.pending_until },
    matchingPurchase: row.matching_order ? { orderId: row.matching_order } : null,
    person: {
      arm: row.arm,
      isMember: row.is_member,
      drawnArm: drawArm(row.shopper_id, row.salt ?? '', row.holdout_bps ?? 0),
    },
    address: addressOf(row),
    suppression: context.suppressed.get(key) ?? null,
    consent: {
      channel,
      country: found.country,
      countrySource: found.source,
      word: context.ledger.get(key) ?? null,
      hasBoughtBefore: row.has_bought_before,
      relaxations: situation.relaxations,
    },
    fencePulledAt: context.isImagined ? now : situation.fence_started,
    cap: {
      used: row.cap_used + ahead.ofShopper,
      max: situation.cap_messages,
      freesAt: row.cap_oldest || ahead.ofShopper > 0 ? new Date((row.cap_oldest ?? now).getTime() + capMs) : null,
    },
    plan: {
      used: (situation.used[channel] ?? 0) + ahead.count,
      limit: planLimitOf(situation, channel),
      renewsAt: nextMonth(now),
    },
    receiver: receiverOf(context, row),
    renderProblem: rendering.problem,
    text: isTextChannelName(channel) ? textInputs(context, row, { channel, addressHash, found, rendering }) : null,
  }
}

const aheadOf = ({ ahead }: Context, row: load.ClaimedRow) => ({
  count: ahead?.count ?? 0,
  ofShopper: ahead?.ofShopper.get(row.shopper_id) ?? 0,
})

function receiverOf({ receivers, now }: Context, row: load.ClaimedRow): DecisionInputs['receiver'] {
  const known = row.channel === 'email' ? receivers.get(domainOf(addressOf(row) ?? '')) : undefined
  const until = known ? heldUntil(known, now) : null
  // Not all of them in the same second.
  return until && { heldUntil: new Date(until.getTime() + (spreadOf(row.id) % SPREAD_MS)) }
}

const SPREAD_MS = 20_000

/** C7 is about mail; a text names the store. */
function hasSender({ sender_name, postal_address }: load.Situation, channel: ChannelName): boolean {
  return channelTraits[channel].isText || Boolean(sender_name && postal_address)
}

function originOf(situation: load.Situation, row: load.ClaimedRow): DecisionInputs['origin'] {
  if (row.by_hand) return { isOn: true, holdoutBps: situation.holdout_bps }
  return row.flow_is_on === null || !row.template_id ? null : { isOn: row.flow_is_on, holdoutBps: row.holdout_bps ?? 0 }
}

interface TextCircumstances {
  channel: TextChannelName
  addressHash: string
  found: ReturnType<typeof recipientCountry>
  rendering: Rendering
}

function textInputs(
  context: Context,
  row: load.ClaimedRow,
  { channel, addressHash, found, rendering }: TextCircumstances,
): TextInputs {
  const { now, situation, texts, inWindow } = context
  const configured = texts.get(channel) ?? null
  const approved = approvedFor(configured, inWindow.has(addressHash))
  const phone = addressOf(row) ?? ''
  const limits = textLimits(channel, [found.country, phoneCountry(phone)], phone)
  const facts = {
    sentForCart: row.texts_sent,
    sinceActivityMs: now.getTime() - row.last_activity_at.getTime(),
    isMarketing: approved !== 'free' && approved?.category !== 'utility',
  }
  const place = placeOf(row, found, phone)
  const quietUntil = (at: Date) => quietHours(at, place, quietStore(situation)).until
  return {
    isConfigured: configured !== null,
    isInPlan: row.by_hand !== null || situation.plan === 'growth',
    isTemplateMissing: approved === null,
    refusal: textProblem(limits, facts),
    isOncePerCart: limits.perCart === 1,
    coolUntil: row.text_last ? new Date(row.text_last.getTime() + situation.text_cooldown_hours * 3_600_000) : null,
    quietUntil: quietUntil(now),
    // Nights begin with a minute.
    isQuietAt: (at) => minuteOf(at) !== minuteOf(now) && quietUntil(at) !== null,
    spreadMs: spreadOf(row.id),
    isOverBudget: () => isOverBudget(situation.budget, rendering.cost(), context.ahead?.micros),
  }
}

const minuteOf = (at: Date) => Math.floor(at.getTime() / 60_000)

/** What has to be used: an approved template, `free` text, or null when the template that is needed is not there. */
export function approvedFor(channel: TextChannel | null, isInWindow: boolean) {
  return channel?.template === undefined || isInWindow ? ('free' as const) : channel.template
}

/** The state is of the address, so it counts where the address says the country. */
const placeOf = (row: load.ClaimedRow, { country, source }: TextCircumstances['found'], phone: string): Place => ({
  country: source === 'store' ? null : country,
  state: source === 'address' ? row.us_state : null,
  phone,
})

export const quietStore = (situation: load.Situation) => ({
  fromMinute: situation.quiet_from_minute,
  untilMinute: situation.quiet_until_minute,
  timeZone: situation.time_zone,
})

/** A price in another currency than the budget's cannot be held against it, so nothing is spent (decision 21). */
export function isOverBudget(
  budget: load.Budget | null,
  cost: ReturnType<Rendering['cost']>,
  microsAhead = 0,
): boolean {
  if (!budget || !cost || cost.amountMicros === 0) return false
  const spentMicros = budget.spentMicros + microsAhead
  return cost.currency !== budget.currency || spentMicros + cost.amountMicros > budget.monthlyMicros
}

/** Treated or control, always the same for a shopper and an experiment (F1): HMAC as a number below the share. */
export function drawArm(shopperId: string, salt: string, holdoutBps: number): Arm {
  const digest = crypto.createHmac('sha256', salt).update(shopperId).digest()
  return digest.readUInt32BE(0) / 2 ** 32 < holdoutBps / 10_000 ? 'control' : 'treated'
}

export const monthOf = (now: Date): string => `${now.toISOString().slice(0, 7)}-01`

function nextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}

/** What the decision record keeps (D12): facts, no address and no text. */
export function recordOf(inputs: DecisionInputs): Record<string, unknown> {
  const { message, cart, consent, cap, plan, text, byHand } = inputs
  const { rule, basis } = consentFinding(consent)
  return {
    step: message.step,
    channel: message.channel,
    due: message.dueAt,
    expires: message.expiresAt,
    cart: cart.status,
    flowOn: inputs.origin?.isOn ?? null,
    suppression: inputs.suppression,
    country: consent.country,
    countrySource: consent.countrySource,
    consentRule: rule,
    consent: consent.word?.evidence ?? null,
    consentBasis: basis,
    boughtBefore: consent.hasBoughtBefore,
    ordersReadAt: inputs.fencePulledAt,
    messagesInWindow: cap.used,
    messagesAllowed: cap.max,
    planUsed: plan.used,
    planLimit: plan.limit,
    arm: inputs.person.arm,
    ...(byHand ? { byHand: true, overridesHoldout: byHand.overridesHoldout } : {}),
    ...(text ? { rule: text.refusal, quietUntil: text.quietUntil, cooldownUntil: text.coolUntil } : {}),
  }
}
