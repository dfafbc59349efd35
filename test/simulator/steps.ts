import type { ChannelName, TextChannelName } from '../../server/messages/channels/channel.ts'
import type { OrderKind } from '../../server/platforms/platform/platform.ts'
import type { CaptureMode } from '../../shared/capture-mode.ts'
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

// A history is data: what shoppers, the store, the providers, the owner, the clock and the workers do, in order.

export interface Scenario {
  seed: number
  /** Minutes after the last activity. */
  delays: readonly number[]
  cap: number
  holdoutPercent: number
  /** So many are claimed together. */
  batchSize: number
  /** Of the flow's steps. */
  channels: readonly Channel[]
  /** Where each of the three people lives. */
  countries: readonly Country[]
  /** Of the first day, UTC. */
  startHour: number
  /** After the day on which histories begin. */
  startDay: number
  plan: Plan
  /** What its limits leave in the first month, on each channel; null: no plan's limit is near. */
  room: number | null
  /** Of texts in a month; null: none is set. */
  budgetMicros: number | null
  cooldownHours: number
  /** Of the WhatsApp template that is chosen. */
  template: 'marketing' | 'utility'
  shortage: Shortage | null
  /** Of each step of the flow; null: nothing of this history is about coupons. */
  coupons: readonly (StepCoupon | null)[] | null
  hasCampaigns: boolean
  /** null: nothing of this history is about web push. */
  push: PushFrame | null
  /** null: the shop is one on WooCommerce. */
  shopify: ShopifyFrame | null
  /** What is kept of shoppers before they agree (C9); null: everything, as nobody has chosen. */
  beforeConsent: CaptureMode | null
  steps: readonly Step[]
}

export type Plan = 'free' | 'starter' | 'growth'

/** Whether it has SMS or WhatsApp at all. */
export const hasTexts = ({ channels }: Pick<Scenario, 'channels'>): boolean =>
  channels.some((channel) => channel === 'sms' || channel === 'whatsapp')

export type Contact = { email?: string; phone?: string; firstName?: string; country?: string }
export type Consent = Partial<Record<AddressChannel, boolean>>
export type Channel = ChannelName
/** By which a person gives and is written to by their address or number. */
export type AddressChannel = Exclude<Channel, 'push'>

/** What a provider does with the next message. */
export type Answer =
  | 'accepts'
  | 'refuses'
  /** There is no such mailbox, or phone. */
  | 'bounces'
  /** Texts: the person has opted out with the provider. */
  | 'opted out'
  | 'retry'
  /** It took the mail, and its answer was lost. */
  | 'silent, took it'
  | 'silent, lost it'
  /** It took the mail, and the sending process ended before the answer came. */
  | 'takes it, sender dies'
  | 'sender dies first'

export interface Meanwhile {
  /**
   * Where in the worker's way: before the claim, the judgement, the send; at a page of orders; behind the send; in flight; between
   * two pages of a run's rows.
   */
  at: 'page' | 'pages' | 'claim' | 'evaluate' | 'before sending' | 'sent' | 'submission'
  steps: readonly Step[]
}

export type Act =
  | {
      do: 'post'
      browser: number
      /** A new page view begins; otherwise the post is the page's next. */
      isNewPage: boolean
      items: readonly [id: string, quantity: number][] | null
      coupons: readonly string[]
      contact: Contact | null
      consent: Consent | null
      /** `left`: kept and answered by a process that ended before it made a fact of it. */
      network: 'now' | 'late' | 'twice' | 'lost' | 'left'
      /** By a script from a cache, which knows neither the store's mode nor the answers of its banner. */
      isCached?: boolean
      /** The words beside the boxes are not the store's any more. */
      isOutdated?: boolean
    }
  /** The browser forgets its cart token and keeps its device token. */
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
      /** The number of the order that it is a part of (A6). */
      parent?: number
      isRenewal?: boolean
      country: string | null
      state: string | null
      /** What the checkout kept of the shopper's yes. */
      consents: readonly AddressChannel[]
      webhook: 'now' | 'late' | 'twice' | 'lost'
      /** Names the code of this message, if it has one that can be used. */
      codeOf?: number
    } & Partial<ShopifyOrderFields>)
  /** What a plugin or a proxy kept back: bodies of earlier states, in any order. */
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
  | { do: 'unsubscribe'; mail: number; way: 'page' | 'one-click' }
  | { do: 'resubscribe'; mail: number }
  /** A person writes to us: a keyword or just words. */
  | {
      do: 'says'
      person: number
      channel: TextChannelName
      words: 'STOP' | 'START' | 'YES' | 'HELP' | 'hello'
      network: 'now' | 'twice' | 'late' | 'forged'
    }
  | { do: 'late words arrive'; isReversed: boolean }
  /** A provider tells what became of a text. */
  | {
      do: 'report'
      text: number
      status: 'sent' | 'delivered' | 'read' | 'failed'
      code: string | null
      network: 'now' | 'twice' | 'late' | 'forged'
    }
  | { do: 'late reports arrive'; isReversed: boolean }
  /** A person sends to some carts, by their place; with the same key it is the same request. */
  | {
      do: 'manual'
      channel: AddressChannel
      carts: readonly number[]
      isBulk: boolean
      key: number | null
      overrideHoldout: boolean
      laterHours: number | null
      /** Who works while the answer is waited for. */
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

/** Time passes, then something happens. */
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
    ...(scenario.shopify ? [sayShopify(scenario.shopify)] : []),
    ...(scenario.beforeConsent ? [`before consent: ${scenario.beforeConsent}`] : []),
    ...(scenario.push ? [`web push; its service takes ${scenario.push.mostBytes} bytes`] : []),
    ...(shortage
      ? [`sold out from step ${shortage.from + 1} to ${shortage.to + 1}: ${shortage.products.join(', ')}`]
      : []),
    ...(scenario.coupons ?? []).flatMap((coupon, at) => (coupon ? [`step ${at + 1} has ${sayCoupon(coupon)}`] : [])),
    ...scenario.steps.map((step, index) => `${String(index + 1).padStart(3)}. ${describeStep(step)}`),
  ].join('\n')
}

const sayShopify = ({ hasAllOrders, hasOther }: ShopifyFrame) =>
  `a shop on Shopify${hasAllOrders ? ' with all its orders' : ''}${hasOther ? ', and one on WooCommerce' : ''}`

const sayCoupon = (coupon: StepCoupon) =>
  Object.entries(coupon)
    .flatMap(([name, value]) => (value === null || value === false ? [] : [`${name} ${value}`]))
    .join(', ')

export function describeStep({ waitMs, ...act }: Step): string {
  return `${waitMs ? `after ${sayTime(waitMs)}, ` : ''}${sayAct(act as Act)}`
}

function sayAct(act: Act): string {
  if (act.do === 'in the other shop') return `in the other shop: ${sayAct(act.act)}`
  if (act.do === 'at once') return `at once: ${act.acts.map(sayAct).join('  |  ')}`
  const { do: what, ...rest } = act
  const parts = Object.entries(rest).flatMap(([name, value]) => {
    if (name === 'meanwhile') return value ? [sayMeanwhile(value as Meanwhile)] : []
    if (value === null || value === false || (Array.isArray(value) && value.length === 0)) return []
    return [`${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`]
  })
  return parts.length > 0 ? `${what} (${parts.join(', ')})` : what
}

const sayMeanwhile = ({ at, steps }: Meanwhile) => `meanwhile at ${at} [${steps.map(describeStep).join('; ')}]`

function sayTime(ms: number): string {
  const units: [number, string][] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ]
  const [size, name] = units.find(([each]) => Math.abs(ms) >= each) ?? [1, 'ms']
  return `${Number((ms / size).toFixed(2))} ${name}`
}
