import crypto from 'node:crypto'
import type pg from 'pg'
import type { z } from 'zod'
import { ensureKey } from '../../server/delivery/push/keys.ts'
import type { CampaignReport } from '../../shared/campaign-report.ts'
import type { CampaignStatus } from '../../shared/campaigns.ts'
import type { CapturePost } from '../../shared/capture.ts'
import type { FlowCounts } from '../../shared/flows.ts'
import { type Actor, createProcess, createWorker, type Environment, openObserver } from './actors.ts'
import type { CampaignFilters } from './campaigns.ts'
import { type Clock, startClock } from './clock.ts'
import type { CampaignAction } from './deeds.ts'
import type { ShopDelivery } from './deliveries.ts'
import { createFixture, type Fixture } from './fixture.ts'
import { createFlows, type Flows } from './flows.ts'
import { openSecondShop, readSecondStanding } from './other-shop.ts'
import { createPeople, LEAVERS, type Person } from './people.ts'
import type { PlayedCampaign } from './play-campaigns.ts'
import { insertStepCoupons } from './play-coupons.ts'
import type { StepsSnapshot } from './play-flow-edits.ts'
import { createModeState, type ModeState } from './play-modes.ts'
import type { Plugin } from './play-plugin.ts'
import { buildProviderId, openProviders, type Providers, type SendBlocks } from './post.ts'
import { openPushService, type PushService } from './push-service.ts'
import { type OrderVersion, openShop, type Shop } from './shop.ts'
import { openShopifyShop, type ShopifyShop } from './shop-shopify.ts'
import { type Act, type Channel, hasTexts, type Plan, type Scenario } from './steps.ts'
import type { DeliveryReport, InboundWords } from './texts.ts'
import type { Cart } from './witness.ts'

// Everything a history is played with.

export interface Harness {
  scenario: Scenario
  fixture: Fixture
  clock: Clock
  shop: Shop
  post: Providers
  outside: Environment
  web: Actor
  workers: Actor[]
  /** `banner`: what its shopper has answered the shop's consent banner. */
  browsers: { visit: number; page: number; seq: number; banner?: 'yes' | 'no' }[]
  /** What each browser has ever told to be in its cart (as `Evidence.contents` says it). */
  told: Set<string>[]
  latePosts: CapturePost[]
  lateWebhooks: OrderVersion[]
  /** Genuine ones of Shopify's. */
  lateDeliveries: ShopDelivery[]
  /** What the shop said of consents and was understood. */
  heard: Set<string>
  arrivals: number
  deadlocks: number
  hasJumped: boolean
  editedAt: number | null
  flows: Flows
  /** What the steps of flows were when, in order; empty: as they began. */
  flowPast: StepsSnapshot[]
  /** How often sending was paused. */
  pauses: number
  people: readonly Person[]
  /** As they were after the last step, those left first: which one an act by hand means. */
  carts: readonly Cart[]
  /** By `channel:address`, in true time. */
  unsubscribed: Map<string, number>
  withdrawn: Map<string, number>
  /** Also by `all:address`. */
  suppressed: Map<string, number>
  /** By address. */
  erased: Map<string, number>
  /** Addresses. */
  resubscribed: Set<string>
  /** Erasures whose job has not ended yet. */
  erasing: string[]
  /** `channel:address`; `channel:*` where it was not said whose. */
  yeses: Set<string>
  /** What the posts of each cart have said of who it is. */
  contacts: Map<string, ReadonlySet<string>>
  /** Named by an order, or by a post below the limits on new contacts. */
  usable: Set<string>
  /** Named by posts of a cart above them. */
  refused: Map<string, ReadonlySet<string>>
  isCrowdFull: boolean
  /** When each person last said STOP or START, as their phone dates it. */
  keywords: Map<string, { words: string; saidAt: number }>
  /** By phone, when WhatsApp was last written on. */
  wrote: Map<string, number>
  lateWords: InboundWords[]
  lateReports: DeliveryReport[]
  /** What each message's provider has said of it, and was believed. */
  reported: Map<string, Set<DeliveryReport['status']>>
  /** When a message's provider first said that it failed, in true time. */
  failedAt: Map<string, number>
  manual: ManualState
  /** Of each step of the flow; null: it has none. */
  couponIds: readonly (string | null)[]
  campaigns: PlayedCampaign[]
  /** Kept by a name, with the filters they were given. */
  audiences: { id: string; filters: CampaignFilters }[]
  /** Of mails what their receivers said later. */
  returned: Map<string, Set<'hard' | 'complaint'>>
  /** What the report of a campaign said in the last step. */
  reports: Map<string, CampaignReport>
  /** What was done with campaigns so far. */
  deeds: Set<CampaignAction>
  /** Messages of campaigns that were held at some time. */
  heldOnce: Set<string>
  /** What the list of campaigns says of each. */
  figures: Map<string, { status: CampaignStatus; counts: z.output<typeof FlowCounts> }>
  /** A worker came to the end of its look, and is alive. */
  isLookDone: boolean
  /** When a worker died in the middle of a look: in true time. */
  diedAt: number
  /** When the last step began, before its wait: in true time. */
  stepStartedAt: number
  /** Of the last step, counted from 0. */
  stepNumber: number
  /** There is a control group only while a flow is on. */
  isFlowOn: boolean
  /** The step in which it was switched on last. */
  flowOnIn: number
  /** The step in which that took in the carts of the last day. */
  lastDayIn: number
  /** The last step was the tidy job, and it came to its end. */
  isTidied: boolean
  isDisconnected: boolean
  stops: SendingStops
  /** Browsers and their push service; null: the store has no web push. */
  push: PushService | null
  /** The store's own notifications are on. */
  isPushOn: boolean
  /** The same as `shop`; null: it is on WooCommerce. */
  shopify: ShopifyShop | null
  /** On WooCommerce, of the same account; null: there is none. */
  other: Harness | null
  /** null: the shop has none, or has said nothing yet. */
  plugin: Plugin | null
  /** null: everything may be kept, as nobody has chosen. */
  modes: ModeState | null
  /** Whose unsubscribe the last step was. */
  justUnsubscribed: { channel: Channel; address: string } | null
  say(news: Partial<SendBlocks>): void
  /** The same of a flow that was made later. */
  sayOff(flowId: string, since: number | null): void
}

/** What an operator and the plan let the store do. */
export interface SendingStops {
  suspended: boolean
  isChosen: boolean
  plan: Plan
  hasNeighbours: boolean
  rests: boolean
  /** When one of them changed last, in true time. */
  changedAt: number
}

export type ActOf<Kind extends Act['do']> = Extract<Act, { do: Kind }>

/** The store, as the web server reaches it. */
export const storeHandle = ({ fixture, web }: Harness) => ({ storeId: fixture.storeId, db: web.deps.db })
export const accountHandle = ({ fixture, web }: Harness) => ({ accountId: fixture.accountId, db: web.deps.db })

/** A request by hand, which may come again under its key. */
export interface ManualRequest {
  body: string
  /** True time. */
  at: number
  engineAt: number
  /** So many wait for an answer to it. */
  waiting: number
  /** A message was written for it. */
  isMade: boolean
}

/** What people have asked for by hand. */
export interface ManualState {
  /** By key. */
  asked: Map<string, ManualRequest>
  /** So many messages may there be. */
  allowed: number
  /** Messages that were said to be sent. */
  saidSent: string[]
  /** Notifications to everybody, by their words: when they were asked for last, by the engine's clock. */
  toAll: Map<number, number>
}

export async function openHarness(pool: pg.Pool, scenario: Scenario): Promise<Harness> {
  const clock = startClock(scenario.startHour, scenario.startDay)
  const fixture = await createFixture(pool, scenario, clock.now())
  const shopify = scenario.shopify && openShopifyShop(clock, fixture.homeUrl, scenario.shopify.hasAllOrders)
  const shop = shopify ?? openShop(clock, fixture.homeUrl)
  const budget = { micros: scenario.budgetMicros, since: 0 }
  const stopped = {
    pausedSince: null,
    flowOffSince: null,
    othersOffSince: new Map() as ReadonlyMap<string, number>,
    disconnectedSince: null,
    suspendedSince: null,
    restingSince: null,
    pushOffSince: 0,
  }
  const owner = { ...stopped, budget, plannedSince: 0 } as SendBlocks
  const harness = {
    scenario,
    fixture,
    clock,
    shop,
    shopify,
    browsers: [0, 1, 2, ...LEAVERS].map(() => ({ visit: 0, page: 0, seq: -1 })),
    told: [0, 1, 2, ...LEAVERS].map(() => new Set()),
    latePosts: [],
    lateWebhooks: [],
    lateDeliveries: [],
    heard: new Set(),
    arrivals: 0,
    deadlocks: 0,
    hasJumped: false,
    editedAt: null,
    flows: createFlows(fixture, clock.now().getTime()),
    flowPast: [],
    pauses: 0,
    people: [...createPeople(scenario.countries), ...(scenario.hasCampaigns ? LEAVERS : [])],
    carts: [],
    unsubscribed: new Map(),
    withdrawn: new Map(),
    suppressed: new Map(),
    erased: new Map(),
    resubscribed: new Set(),
    erasing: [],
    yeses: new Set(),
    contacts: new Map(),
    usable: new Set(),
    refused: new Map(),
    isCrowdFull: false,
    keywords: new Map(),
    wrote: new Map(),
    lateWords: [],
    lateReports: [],
    reported: new Map(),
    failedAt: new Map(),
    manual: { asked: new Map(), allowed: 0, saidSent: [], toAll: new Map() },
    campaigns: [],
    deeds: new Set(),
    audiences: [],
    returned: new Map(),
    reports: new Map(),
    heldOnce: new Set(),
    figures: new Map(),
    isLookDone: false,
    diedAt: Number.NEGATIVE_INFINITY,
    stepStartedAt: 0,
    stepNumber: 0,
    isFlowOn: true,
    flowOnIn: -1,
    lastDayIn: -1,
    isTidied: false,
    isDisconnected: false,
    plugin: null,
    modes: scenario.beforeConsent && createModeState(),
    other: null,
    stops: {
      ...{ suspended: false, isChosen: false, plan: scenario.plan, hasNeighbours: false, rests: false, changedAt: 0 },
    },
    push: scenario.push && openPushService(scenario.push.mostBytes),
    isPushOn: false,
    justUnsubscribed: null,
    say: (news: Partial<SendBlocks>) => Object.assign(owner, news),
    sayOff: (flowId: string, since: number | null) => {
      const others = [...owner.othersOffSince].filter(([id]) => id !== flowId)
      owner.othersOffSince = new Map(since === null ? others : [...others, [flowId, since]])
    },
  } as unknown as Harness
  harness.couponIds = await insertStepCoupons(pool, harness, fixture)
  const standingOf = (channel: Channel, address: string): SendBlocks => ({
    ...owner,
    unsubscribedSince: harness.unsubscribed.get(`${channel}:${address}`) ?? null,
    withdrawnSince: harness.withdrawn.get(`${channel}:${address}`) ?? null,
    suppressedSince: suppressedSince(harness, channel, address),
    erasedSince: harness.erased.get(address) ?? null,
    hasSaidYes: harness.yeses.has(`${channel}:${address}`) || harness.yeses.has(`${channel}:*`),
  })
  harness.other = scenario.shopify?.hasOther ? await openSecondShop(pool, harness) : null
  harness.post = openProviders(clock, openObserver(pool), (channel, address) => {
    const [standing, { other }] = [standingOf(channel, address), harness]
    const inOther = other && readSecondStanding(other, standing, channel, address)
    return (storeId) => (inOther && storeId === other?.fixture.storeId ? inOther : standing)
  })
  harness.post.push = harness.push
  const texts = hasTexts(scenario)
    ? { template: scenario.template, finalCost: (id: string) => finalCost(harness, id) }
    : null
  harness.outside = {
    pool,
    clock,
    client: (by, access, shelf) => {
      const { other } = harness
      const of = other && access.platform !== 'shopify' ? other.shop : shop
      return of.client(by, access, shelf)
    },
    take: harness.post.take,
    takePush: harness.post.takePush,
    texts,
    replies: [],
    storeJobs: [],
    areCodesDue: false,
    campaignJobs: { plan: new Set(), follow: new Set() },
    observer: openObserver(pool),
  }
  harness.web = createProcess(harness.outside, crypto.randomUUID())
  if (scenario.push) await ensureKey(harness.web.deps, storeHandle(harness))
  harness.workers = [await createWorker(harness.outside), await createWorker(harness.outside)]
  return harness
}

function suppressedSince({ suppressed }: Harness, channel: Channel, address: string): number | null {
  const since = [channel, 'all'].flatMap((each) => suppressed.get(`${each}:${address}`) ?? [])
  return since.length > 0 ? Math.min(...since) : null
}

/** Half of what the price list says, for every other message. */
function finalCost({ post }: Harness, providerId: string) {
  const index = post.mails.findIndex(({ id }) => buildProviderId(id) === providerId)
  const micros = post.mails[index]?.micros ?? 0
  return index >= 0 ? { amountMicros: index % 2 === 0 ? micros : micros / 2, currency: 'USD' } : null
}
