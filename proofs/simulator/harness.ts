import crypto from 'node:crypto'
import type pg from 'pg'
import type { z } from 'zod'
import { ensureKey } from '../../server/delivery/push/keys.ts'
import type { CapturePost } from '../../shared/carts/capture.ts'
import type { CampaignReport } from '../../shared/marketing/campaign-report.ts'
import type { CampaignStatus } from '../../shared/marketing/campaigns.ts'
import type { FlowCounts } from '../../shared/marketing/flows.ts'
import { type Actor, createProcess, createWorker, type Environment, openObserver } from './actors.ts'
import type { CampaignAction } from './campaign-actions.ts'
import type { CampaignFilters } from './campaigns.ts'
import { type Clock, startClock } from './clock.ts'
import type { ShopDelivery } from './deliveries.ts'
import { createFixture, type Fixture } from './fixture.ts'
import { createFlows, type Flows } from './flows.ts'
import { createPeople, LEAVERS, type Person } from './people.ts'
import type { PlayedCampaign } from './play-campaigns.ts'
import { insertStepCoupons } from './play-coupons.ts'
import type { StepsSnapshot } from './play-flow-edits.ts'
import { createModeState, type ModeState } from './play-modes.ts'
import type { Plugin } from './play-plugin.ts'
import { buildProviderId, openProviders, type Providers, type SendBlocks } from './providers.ts'
import { openPushService, type PushService } from './push-service.ts'
import { openSecondShop, readSecondBlocks } from './second-shop.ts'
import { type OrderVersion, openShop, type Shop } from './shop.ts'
import { openShopifyShop, type ShopifyShop } from './shop-shopify.ts'
import type { Cart } from './state.ts'
import { type Act, type Channel, hasTexts, type Plan, type Scenario } from './steps.ts'
import type { DeliveryReport, InboundMessage } from './texts.ts'

// State of a running scenario.

export interface Harness {
  scenario: Scenario
  fixture: Fixture
  clock: Clock
  shop: Shop
  providers: Providers
  environment: Environment
  web: Actor
  workers: Actor[]
  /** `banner`: the shopper's answer to the shop's consent banner. */
  browsers: { visit: number; page: number; seq: number; banner?: 'yes' | 'no' }[]
  /** Cart contents that each browser has reported (in the form of `Evidence.contents`). */
  reportedContents: Set<string>[]
  latePosts: CapturePost[]
  lateWebhooks: OrderVersion[]
  /** Genuine Shopify deliveries that are delayed. */
  lateDeliveries: ShopDelivery[]
  /** Consents that the shop reported and the engine processed. */
  processedConsents: Set<string>
  arrivals: number
  deadlocks: number
  hasJumped: boolean
  editedAt: number | null
  flows: Flows
  /** Snapshots of the flow's steps, in order; empty: never edited. */
  stepSnapshots: StepsSnapshot[]
  /** Number of times sending was paused. */
  pauses: number
  people: readonly Person[]
  /** Carts after the last step, abandoned ones first. Manual sends choose among them by index. */
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
  /** Erasures whose job has not finished. */
  erasing: string[]
  /** Consents by `channel:address`; `channel:*` if the address was not known. */
  consented: Set<string>
  /** Contacts that the posts of each cart have named. */
  contacts: Map<string, ReadonlySet<string>>
  /** Contacts named by an order, or by a post within the limits on new contacts. */
  usable: Set<string>
  /** Contacts named by posts of a cart above these limits. */
  refused: Map<string, ReadonlySet<string>>
  isCrowdFull: boolean
  /** Time of each person's last STOP or START, as dated by the phone. */
  keywords: Map<string, { keyword: string; sentAt: number }>
  /** Time of the last WhatsApp message, by phone. */
  lastInboundAt: Map<string, number>
  lateInbound: InboundMessage[]
  lateReports: DeliveryReport[]
  /** Accepted delivery reports of each message. */
  reported: Map<string, Set<DeliveryReport['status']>>
  /** Time of a message's first failure report, in true time. */
  failedAt: Map<string, number>
  manual: ManualState
  /** For each step of the flow; null: it has no coupon. */
  couponIds: readonly (string | null)[]
  campaigns: PlayedCampaign[]
  /** Saved audiences with their filters. */
  audiences: { id: string; filters: CampaignFilters }[]
  /** Bounces and complaints of mails. */
  returned: Map<string, Set<'hard' | 'complaint'>>
  /** Reports of campaigns in the last step. */
  reports: Map<string, CampaignReport>
  /** Campaign actions performed so far. */
  campaignActions: Set<CampaignAction>
  /** Campaign messages that were held at some time. */
  everHeld: Set<string>
  /** Status and counts of each campaign in the list of campaigns. */
  figures: Map<string, { status: CampaignStatus; counts: z.output<typeof FlowCounts> }>
  /** A worker finished its pass and is alive. */
  isPassDone: boolean
  /** True time at which a worker died during a pass. */
  diedAt: number
  /** True time at which the last step started, before its wait. */
  stepStartedAt: number
  /** Index of the last step, from 0. */
  stepNumber: number
  /** There is a control group only while a flow is on. */
  isFlowOn: boolean
  /** The step in which the flow was last switched on. */
  flowOnStep: number
  /** The step in which switching on included carts of the last day. */
  lastDayStep: number
  /** The last step was the cleanup job, and it finished. */
  isCleanedUp: boolean
  isDisconnected: boolean
  stops: SendingStops
  /** Browsers and their push service; null: the store has no web push. */
  push: PushService | null
  /** The store's automatic notifications are on. */
  isPushOn: boolean
  /** The same object as `shop`; null: the store is on WooCommerce. */
  shopify: ShopifyShop | null
  /** A second store of the account, on WooCommerce; null: there is none. */
  other: Harness | null
  /** null: the shop has no plugin, or it has not called yet. */
  plugin: Plugin | null
  /** null: no capture mode is set, and everything may be stored. */
  modes: ModeState | null
  /** The unsubscribe of the last step. */
  justUnsubscribed: { channel: Channel; address: string } | null
  setBlocks(news: Partial<SendBlocks>): void
  /** The same for a flow that was created later. */
  setFlowBlock(flowId: string, since: number | null): void
}

/** Suspension by an operator, and the store's rest because of the plan. */
export interface SendingStops {
  suspended: boolean
  isChosen: boolean
  plan: Plan
  hasNeighbours: boolean
  isResting: boolean
  /** True time of the last change. */
  changedAt: number
}

export type ActOf<Kind extends Act['do']> = Extract<Act, { do: Kind }>

/** The store's handle for the web server. */
export const openStoreHandle = ({ fixture, web }: Harness) => ({ storeId: fixture.storeId, db: web.deps.db })
export const openAccountHandle = ({ fixture, web }: Harness) => ({ accountId: fixture.accountId, db: web.deps.db })

/** A manual send request, which may be repeated with its key. */
export interface ManualRequest {
  body: string
  /** True time. */
  at: number
  engineAt: number
  /** Number of callers that wait for the reply. */
  waiting: number
  /** A message was created for it. */
  isRecorded: boolean
}

/** Manual send requests. */
export interface ManualState {
  /** By key. */
  requests: Map<string, ManualRequest>
  /** Most messages that the requests may create. */
  allowed: number
  /** Messages that were reported as sent. */
  reportedSent: string[]
  /** Broadcast notifications by content: time of the last request on the engine's clock. */
  broadcasts: Map<number, number>
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
    reportedContents: [0, 1, 2, ...LEAVERS].map(() => new Set()),
    latePosts: [],
    lateWebhooks: [],
    lateDeliveries: [],
    processedConsents: new Set(),
    arrivals: 0,
    deadlocks: 0,
    hasJumped: false,
    editedAt: null,
    flows: createFlows(fixture, clock.now().getTime()),
    stepSnapshots: [],
    pauses: 0,
    people: [...createPeople(scenario.countries), ...(scenario.hasCampaigns ? LEAVERS : [])],
    carts: [],
    unsubscribed: new Map(),
    withdrawn: new Map(),
    suppressed: new Map(),
    erased: new Map(),
    resubscribed: new Set(),
    erasing: [],
    consented: new Set(),
    contacts: new Map(),
    usable: new Set(),
    refused: new Map(),
    isCrowdFull: false,
    keywords: new Map(),
    lastInboundAt: new Map(),
    lateInbound: [],
    lateReports: [],
    reported: new Map(),
    failedAt: new Map(),
    manual: { requests: new Map(), allowed: 0, reportedSent: [], broadcasts: new Map() },
    campaigns: [],
    campaignActions: new Set(),
    audiences: [],
    returned: new Map(),
    reports: new Map(),
    everHeld: new Set(),
    figures: new Map(),
    isPassDone: false,
    diedAt: Number.NEGATIVE_INFINITY,
    stepStartedAt: 0,
    stepNumber: 0,
    isFlowOn: true,
    flowOnStep: -1,
    lastDayStep: -1,
    isCleanedUp: false,
    isDisconnected: false,
    plugin: null,
    modes: scenario.beforeConsent && createModeState(),
    other: null,
    stops: {
      suspended: false,
      isChosen: false,
      plan: scenario.plan,
      hasNeighbours: false,
      isResting: false,
      changedAt: 0,
    },
    push: scenario.push && openPushService(scenario.push.mostBytes),
    isPushOn: false,
    justUnsubscribed: null,
    setBlocks: (news: Partial<SendBlocks>) => Object.assign(owner, news),
    setFlowBlock: (flowId: string, since: number | null) => {
      const others = [...owner.othersOffSince].filter(([id]) => id !== flowId)
      owner.othersOffSince = new Map(since === null ? others : [...others, [flowId, since]])
    },
  } as unknown as Harness
  harness.couponIds = await insertStepCoupons(pool, harness, fixture)
  const readSendBlocks = (channel: Channel, address: string): SendBlocks => ({
    ...owner,
    unsubscribedSince: harness.unsubscribed.get(`${channel}:${address}`) ?? null,
    withdrawnSince: harness.withdrawn.get(`${channel}:${address}`) ?? null,
    suppressedSince: suppressedSince(harness, channel, address),
    erasedSince: harness.erased.get(address) ?? null,
    hasConsented: harness.consented.has(`${channel}:${address}`) || harness.consented.has(`${channel}:*`),
  })
  harness.other = scenario.shopify?.hasOther ? await openSecondShop(pool, harness) : null
  harness.providers = openProviders(clock, openObserver(pool), (channel, address) => {
    const [sendBlocks, { other }] = [readSendBlocks(channel, address), harness]
    const inOther = other && readSecondBlocks(other, sendBlocks, channel, address)
    return (storeId) => (inOther && storeId === other?.fixture.storeId ? inOther : sendBlocks)
  })
  harness.providers.push = harness.push
  const texts = hasTexts(scenario)
    ? { template: scenario.template, finalCost: (id: string) => computeFinalCost(harness, id) }
    : null
  harness.environment = {
    pool,
    clock,
    client: (by, access, shelf) => {
      const { other } = harness
      const of = other && access.platform !== 'shopify' ? other.shop : shop
      return of.client(by, access, shelf)
    },
    take: harness.providers.take,
    takePush: harness.providers.takePush,
    texts,
    replies: [],
    storeJobs: [],
    areCodesDue: false,
    campaignJobs: { plan: new Set(), follow: new Set() },
    observer: openObserver(pool),
  }
  harness.web = createProcess(harness.environment, crypto.randomUUID())
  if (scenario.push) await ensureKey(harness.web.deps, openStoreHandle(harness))
  harness.workers = [await createWorker(harness.environment), await createWorker(harness.environment)]
  return harness
}

function suppressedSince({ suppressed }: Harness, channel: Channel, address: string): number | null {
  const since = [channel, 'all'].flatMap((each) => suppressed.get(`${each}:${address}`) ?? [])
  return since.length > 0 ? Math.min(...since) : null
}

/** Half of the list price for every second message. */
function computeFinalCost({ providers }: Harness, providerId: string) {
  const index = providers.mails.findIndex(({ id }) => buildProviderId(id) === providerId)
  const micros = providers.mails[index]?.micros ?? 0
  return index >= 0 ? { amountMicros: index % 2 === 0 ? micros : micros / 2, currency: 'USD' } : null
}
