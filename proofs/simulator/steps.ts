import type { ChannelName, TextChannelName } from '../../server/messages/channels/channel.ts'
import type { OrderKind } from '../../server/platforms/platform/platform.ts'
import type { CaptureMode } from '../../shared/shoppers/capture-mode.ts'
import type { CampaignAct } from './campaigns.ts'
import type { CouponAct, StepCoupon } from './coupons.ts'
import type { FlowEditAct } from './flow-edits.ts'
import type { ModeAct } from './modes.ts'
import type { Country } from './people.ts'
import type { PluginAct } from './plugin.ts'
import type { PushAct, PushFrame } from './push.ts'
import type { SeveralFlowsAct } from './several-flows.ts'
import type { ShopifyAct, ShopifyFrame, ShopifyOrderFields } from './shopify.ts'
import type { Shortage } from './shortage.ts'
import type { StopAct } from './stops.ts'

// A scenario is data: the actions of shoppers, store, providers, owner, clock and workers, in order.

export interface Scenario {
  seed: number
  /** Minutes after the last activity. */
  delays: readonly number[]
  cap: number
  holdoutPercent: number
  /** Number of messages claimed together. */
  batchSize: number
  /** Channels of the flow's steps. */
  channels: readonly Channel[]
  /** Countries of the three people. */
  countries: readonly Country[]
  /** Hour of the first day, UTC. */
  startHour: number
  /** Days after the simulator's first day. */
  startDay: number
  plan: Plan
  /** Messages that the plan has left in the first month, on each channel; null: no limit is near. */
  room: number | null
  /** Monthly budget for texts; null: none. */
  budgetMicros: number | null
  cooldownHours: number
  /** Category of the chosen WhatsApp template. */
  template: 'marketing' | 'utility'
  shortage: Shortage | null
  /** For each step of the flow; null: the scenario has no coupons. */
  coupons: readonly (StepCoupon | null)[] | null
  hasCampaigns: boolean
  /** null: the scenario has no web push. */
  push: PushFrame | null
  /** null: the shop is on WooCommerce. */
  shopify: ShopifyFrame | null
  /** Capture mode before consent (C9); null: not set, everything is stored. */
  beforeConsent: CaptureMode | null
  steps: readonly Step[]
}

export type Plan = 'free' | 'starter' | 'growth'

/** Whether it uses SMS or WhatsApp. */
export const hasTexts = ({ channels }: Pick<Scenario, 'channels'>): boolean =>
  channels.some((channel) => channel === 'sms' || channel === 'whatsapp')

export type Contact = { email?: string; phone?: string; firstName?: string; country?: string }
export type Consent = Partial<Record<AddressChannel, boolean>>
export type Channel = ChannelName
/** Channels that use an address or number of the person. */
export type AddressChannel = Exclude<Channel, 'push'>

/** A provider's reply to the next message. */
export type Answer =
  | 'accepts'
  | 'refuses'
  /** The mailbox or phone does not exist. */
  | 'bounces'
  /** Texts: the person has opted out with the provider. */
  | 'opted out'
  | 'retry'
  /** Accepted, but the reply was lost. */
  | 'silent, took it'
  | 'silent, lost it'
  /** Accepted, and the sending process ended before the reply. */
  | 'takes it, sender dies'
  | 'sender dies first'

export interface Meanwhile {
  /**
   * Point of the worker's pass: before the claim, the decision or the send; at a page of orders; after the send; in
   * flight; between two pages of a run's rows.
   */
  at: 'page' | 'pages' | 'claim' | 'evaluate' | 'before sending' | 'sent' | 'submission'
  steps: readonly Step[]
}

export type Act =
  | {
      do: 'post'
      browser: number
      /** Starts a new page view; otherwise the post is the page's next one. */
      isNewPage: boolean
      items: readonly [id: string, quantity: number][] | null
      coupons: readonly string[]
      contact: Contact | null
      consent: Consent | null
      /** `left`: a process stored it and replied, and ended before processing it. */
      network: 'now' | 'late' | 'twice' | 'lost' | 'left'
      /** From a cached script, which knows neither the capture mode nor the banner's answers. */
      isCached?: boolean
      /** The text next to the boxes is not the store's present one. */
      isOutdated?: boolean
    }
  /** The browser drops its cart token and keeps its device token. */
  | { do: 'new visit'; browser: number }
  | { do: 'late posts arrive'; isReversed: boolean }
  | ({
      do: 'order'
      order: number
      kind: OrderKind
      email: string | null
      phone: string | null
      customerId: string | null
      items: readonly [id: string, quantity: number][]
      totalMinor: number
      refundedMinor: number
      isStaff: boolean
      /** Number of its parent order (A6). */
      parent?: number
      isRenewal?: boolean
      country: string | null
      state: string | null
      /** Consents that the checkout stored. */
      consents: readonly AddressChannel[]
      webhook: 'now' | 'late' | 'twice' | 'lost'
      /** Uses the code of this message, if it has a valid one. */
      codeOf?: number
    } & Partial<ShopifyOrderFields>)
  /** Deliveries that a plugin or proxy delayed: bodies of earlier states, in any order. */
  | { do: 'late webhooks arrive'; isOld: boolean }
  | { do: 'work'; worker: number; answers: readonly Answer[]; meanwhile: Meanwhile | null; diesAt: number | null }
  | { do: 'restart'; worker: number }
  | {
      do: 'store'
      mood: 'answers' | 'is down' | 'fails at page 2' | 'is slow' | 'stalls' | 'stalls at lists' | 'stalls at stock'
    }
  | { do: 'sweep'; worker: number }
  | { do: 'clock'; jumpMs: number | 'right' }
  | { do: 'flow'; isOn: boolean; includeLast24h: boolean }
  | { do: 'edit'; delays: readonly number[]; isTextChanged: boolean; channels: readonly Channel[] | null }
  | { do: 'pause'; isPaused: boolean }
  | { do: 'disconnect' }
  | { do: 'reconnect' }
  | { do: 'click'; mail: number; isHuman: boolean }
  | { do: 'restore'; mail: number }
  | { do: 'unsubscribe'; mail: number; method: 'page' | 'one-click' }
  | { do: 'resubscribe'; mail: number }
  /** An inbound message: a keyword or free text. */
  | {
      do: 'says'
      person: number
      channel: TextChannelName
      keyword: 'STOP' | 'START' | 'YES' | 'HELP' | 'hello'
      network: 'now' | 'twice' | 'late' | 'forged'
    }
  | { do: 'late words arrive'; isReversed: boolean }
  /** A provider's delivery report for a text. */
  | {
      do: 'report'
      text: number
      status: 'sent' | 'delivered' | 'read' | 'failed'
      code: string | null
      network: 'now' | 'twice' | 'late' | 'forged'
    }
  | { do: 'late reports arrive'; isReversed: boolean }
  /** A manual send to some carts, by index; the same key repeats the request. */
  | {
      do: 'manual'
      channel: AddressChannel
      carts: readonly number[]
      isBulk: boolean
      key: number | null
      overrideHoldout: boolean
      laterHours: number | null
      /** The worker that runs while the request waits. */
      worker: number | null
      answers: readonly Answer[]
    }
  | { do: 'suppress'; person: number; kind: 'email' | 'phone'; channels: readonly TextChannelName[] }
  | { do: 'allow again'; person: number; kind: 'email' | 'phone'; channel: Channel | 'all' }
  | { do: 'override'; rule: number }
  | { do: 'end override'; rule: number }
  | { do: 'budget'; micros: number | null }
  | { do: 'plan'; plan: Plan }
  /** Without `isRunNow` the job waits for a worker. */
  | { do: 'erase'; person: number; kind: 'email' | 'phone'; isRunNow: boolean }
  | { do: 'at once'; acts: readonly [Act, Act] }
  | CouponAct
  | CampaignAct
  | StopAct
  | FlowEditAct
  | SeveralFlowsAct
  | PushAct
  | PluginAct
  | ModeAct
  | ShopifyAct
  | { do: 'in the other shop'; act: Act }

/** First the wait, then the act. */
export type Step = Act & { waitMs: number }

export function describeScenario(scenario: Scenario): string {
  const { seed, delays, cap, holdoutPercent, batchSize } = scenario
  const head = `seed ${seed}: steps after ${delays.join(', ')} min; at most ${cap} a day; holdout ${holdoutPercent} %; batches of ${batchSize}`
  const { channels, countries, startHour, startDay, plan, room, shortage, budgetMicros, cooldownHours, template } =
    scenario
  const more = `by ${channels.join(', ')}; people in ${countries.join(', ')}; from ${startHour}:00 UTC${startDay ? ` of day ${startDay}` : ''}; plan ${plan}${room === null ? '' : `, ${room} left`}`
  const texts = `budget ${budgetMicros ?? 'none'}; cooldown ${cooldownHours} h; ${template} template`
  return [
    head,
    more,
    ...(hasTexts(scenario) ? [texts] : []),
    ...(scenario.shopify ? [describeShopify(scenario.shopify)] : []),
    ...(scenario.beforeConsent ? [`before consent: ${scenario.beforeConsent}`] : []),
    ...(scenario.push ? [`web push; its service takes ${scenario.push.mostBytes} bytes`] : []),
    ...(shortage
      ? [`sold out from step ${shortage.from + 1} to ${shortage.to + 1}: ${shortage.products.join(', ')}`]
      : []),
    ...(scenario.coupons ?? []).flatMap((coupon, at) =>
      coupon ? [`step ${at + 1} has ${describeCoupon(coupon)}`] : [],
    ),
    ...scenario.steps.map((step, index) => `${String(index + 1).padStart(3)}. ${describeStep(step)}`),
  ].join('\n')
}

const describeShopify = ({ hasAllOrders, hasOther }: ShopifyFrame) =>
  `a shop on Shopify${hasAllOrders ? ' with all its orders' : ''}${hasOther ? ', and one on WooCommerce' : ''}`

const describeCoupon = (coupon: StepCoupon) =>
  Object.entries(coupon)
    .flatMap(([name, value]) => (value === null || value === false ? [] : [`${name} ${value}`]))
    .join(', ')

export function describeStep({ waitMs, ...act }: Step): string {
  return `${waitMs ? `after ${describeTime(waitMs)}, ` : ''}${describeAct(act as Act)}`
}

function describeAct(act: Act): string {
  if (act.do === 'in the other shop') return `in the other shop: ${describeAct(act.act)}`
  if (act.do === 'at once') return `at once: ${act.acts.map(describeAct).join('  |  ')}`
  const { do: what, ...rest } = act
  const parts = Object.entries(rest).flatMap(([name, value]) => {
    if (name === 'meanwhile') return value ? [describeMeanwhile(value as Meanwhile)] : []
    if (value === null || value === false || (Array.isArray(value) && value.length === 0)) return []
    return [`${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`]
  })
  return parts.length > 0 ? `${what} (${parts.join(', ')})` : what
}

const describeMeanwhile = ({ at, steps }: Meanwhile) => `meanwhile at ${at} [${steps.map(describeStep).join('; ')}]`

function describeTime(ms: number): string {
  const units: [number, string][] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ]
  const [size, name] = units.find(([each]) => Math.abs(ms) >= each) ?? [1, 'ms']
  return `${Number((ms / size).toFixed(2))} ${name}`
}
