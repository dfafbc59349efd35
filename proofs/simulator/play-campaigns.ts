import { recordMailReport } from '../../server/delivery/mail-reports/mail-reports.ts'
import { createAudience, deleteAudience, readAudiences } from '../../server/marketing/audiences/audiences.ts'
import { readReport } from '../../server/marketing/campaign-reports/report.ts'
import { createCampaign, readCampaigns, saveCampaign } from '../../server/marketing/campaigns/campaigns.ts'
import { guardCampaigns } from '../../server/marketing/campaigns/guard.ts'
import { sendToAll } from '../../server/marketing/campaigns/quick-send.ts'
import { retryFailed } from '../../server/marketing/campaigns/retry.ts'
import { followCampaign, planRuns, runCampaigns } from '../../server/marketing/campaigns/runs.ts'
import * as steps from '../../server/marketing/campaigns/steps.ts'
import { CAMPAIGN_TEMPLATES } from '../../server/messages/templates/ready-templates.ts'
import * as api from '../../shared/marketing/campaigns.ts'
import type { Actor, ProcessState } from './actors.ts'
import { listActions, readCampaignActivity } from './campaign-actions.ts'
import type { CampaignAct, CampaignPlan } from './campaigns.ts'
import { CODE_SNIPPET, TEXT } from './fixture.ts'
import { type ActOf, type Harness, openAccountHandle, openStoreHandle } from './harness.ts'
import { isCampaignSend } from './invariants/scene.ts'
import { formatDay, type Schedule } from './new-york.ts'

// Campaign actions of an owner, and the expectations that follow from them. These come from the rules, not from the
// engine.

/** A campaign as its owner knows it. Times are true times, except those compared with a schedule. */
export interface PlayedCampaign {
  id: string
  /** The last version is in force. */
  versions: { plan: CampaignPlan; schedule: Schedule }[]
  /** Periods in which its owner had paused, cancelled or deleted it; the open one is last. */
  stops: { from: number; until: number | null }[]
  isDeleted: boolean
  /** Times of retries of failed messages, on the engine's clock. */
  retried: { from: number; until: number }[]
  /** Times of requested runs, on the engine's clock. */
  requested: { from: number; until: number }[]
  /** Times of creation and edits: a run whose time had passed starts at that moment. */
  saved: { from: number; until: number }[]
  plays: number
  /** Start of its present schedule on the engine's clock; null: the schedule has ended. */
  scheduledSince: number | null
  /** Step of the owner's last action. */
  changedInStep: number
  /** Time on the engine's clock at which it was last paused because of bounces or complaints. */
  enginePausedAt: number | null
  /** The pause before that. */
  previousEnginePauseAt: number | null
  /** Expected rows of each run: cart and shopper. */
  expected: Map<number, { cart: string; shopper: string }[]>
}

type Players = { [Kind in CampaignAct['do']]: (harness: Harness, act: ActOf<Kind>) => Promise<unknown> }

export const campaignPlayers: Players = {
  async campaign(harness, { plan: wish, isNow, isTwice }) {
    const { plan, offered } = await fillAudience(harness, wish)
    const schedule = buildSchedule(harness, plan)
    const input = buildInput(harness, { plan: { ...plan, filters: offered }, schedule }, isNow)
    const request = buildRequest(harness, 'create')
    const period = startPeriod(harness)
    const make = () => createCampaign(harness.web.deps, openStoreHandle(harness), request, input)
    const id = await sendRequest(isTwice, make)
    harness.campaigns.push(recordCampaign(harness, id, { plan, schedule }, isNow ? period() : null))
    harness.campaigns.at(-1)!.saved.push(period())
    harness.campaignActions.add('create')
    if (plan.isSaved) harness.campaignActions.add('saved audience')
  },
  async 'send to all'(harness, { filters, coupon, isTwice }) {
    const period = startPeriod(harness)
    const request = buildRequest(harness, 'send to all')
    const input = {
      subject: 'Your cart',
      htmlContent: buildBody('email', coupon !== null, true),
      filters,
      coupon: findCouponId(harness, coupon),
    }
    const body = api.sendToAbandonedCarts.body.parse(input)
    const id = await sendRequest(isTwice, () => sendToAll(harness.web.deps, openStoreHandle(harness), request, body))
    const plan = { ...QUICK, filters, coupon }
    harness.campaigns.push(recordCampaign(harness, id, { plan, schedule: buildSchedule(harness, plan) }, period()))
    harness.campaignActions.add('send to all')
  },
  async 'campaign edit'(harness, { place, change, isNow }) {
    const campaign = harness.campaigns.at(-1 - place)
    if (!campaign) return
    const { plan: before, schedule: previousSchedule } = campaign.versions.at(-1)!
    const plan = {
      ...before,
      ...change,
      frequency: before.people === 'matching' ? (change.frequency ?? before.frequency) : 'once',
    }
    if (before.people !== 'matching') plan.filters = {}
    const schedule = change.inDays === undefined ? previousSchedule : buildSchedule(harness, plan)
    const request = startPeriod(harness)
    const busy = await readCampaignActivity(harness.environment.pool, campaign.id)
    markChanged(harness, campaign)
    // Rows may have the new times before the reply arrives.
    campaign.versions.push({ plan, schedule })
    const saved = { from: request().from, until: Number.POSITIVE_INFINITY }
    campaign.saved.push(saved)
    const input = buildInput(harness, { plan, schedule }, isNow)
    try {
      const { nextRunAt } = await saveCampaign(harness.web.deps, openStoreHandle(harness), campaign.id, input)
      if (schedule !== previousSchedule)
        campaign.scheduledSince = nextRunAt === null ? null : harness.clock.now().getTime()
    } catch (error) {
      campaign.versions.push({ plan: before, schedule: previousSchedule })
      throw error
    } finally {
      saved.until = request().until
    }
    if (isNow) resumeCampaign(harness, campaign, request())
    markChanged(harness, campaign)
    for (const action of listActions('edit', busy)) harness.campaignActions.add(action)
  },
  async 'campaign step'(harness, { place, step, isTwice }) {
    const campaign = harness.campaigns.at(-1 - place)
    if (!campaign) return
    const period = startPeriod(harness)
    markChanged(harness, campaign)
    const request = buildRequest(harness, step)
    const busy = await readCampaignActivity(harness.environment.pool, campaign.id)
    await sendRequest(isTwice && step !== 'delete', () => requestStep(harness, campaign.id, step, request))
    if (step === 'retry') campaign.retried.push(period())
    else if (step === 'play') play(harness, campaign, period())
    else if (step === 'send' || step === 'send now') resumeCampaign(harness, campaign, period())
    else stop(harness, campaign, step)
    markChanged(harness, campaign)
    if (step === 'retry') return
    for (const action of listActions(step, busy)) harness.campaignActions.add(action)
  },
  async audience(harness, { filters }) {
    const input = { name: `Audience ${harness.arrivals} ${harness.clock.trueNow()}`, filters }
    const by = { store: openStoreHandle(harness), account: openAccountHandle(harness) }
    const { id } = await createAudience(harness.web.deps, by, input)
    harness.audiences.push({ id, filters })
  },
  async 'audience gone'(harness) {
    const audience = harness.audiences.pop()
    if (audience) await deleteAudience(openStoreHandle(harness), audience.id)
  },
  async 'mail report'(harness, { place, kind }) {
    const mails = harness.providers.mails.filter(
      ({ channel, isAnswered, answer, evidence }) =>
        channel === 'email' && isAnswered && answer === 'accepts' && evidence && isCampaignSend(evidence),
    )
    const mail = mails.at(-1 - place)
    if (!mail) return
    const report = { messageId: mail.id, kind, source: 'dsn' as const, status: null, words: '550 5.1.1 No such user' }
    await recordMailReport(harness.web.deps, report)
    harness.returned.set(mail.id, new Set(harness.returned.get(mail.id)).add(kind))
    const key = `email:${mail.to}`
    harness.suppressed.set(key, harness.suppressed.get(key) ?? harness.clock.trueNow())
  },
}

/** As in the form: reads a saved audience from the list and copies its filters. */
async function fillAudience(harness: Harness, plan: CampaignPlan) {
  const saved = plan.isSaved ? harness.audiences.at(-1) : undefined
  const offered = saved && (await readAudiences(openStoreHandle(harness))).find(({ id }) => id === saved.id)
  if (!saved || !offered) return { plan: { ...plan, isSaved: false }, offered: plan.filters }
  return { plan: { ...plan, filters: saved.filters }, offered: offered.filters as CampaignPlan['filters'] }
}

const QUICK: CampaignPlan = {
  channel: 'email',
  people: 'matching',
  isSaved: false,
  chosen: [],
  filters: {},
  frequency: 'once',
  inDays: 0,
  timeOfDay: '00:00',
  delay: 0,
  spreadHours: null,
  coupon: null,
  isTextChanged: true,
}

function markChanged({ stepNumber }: Harness, campaign: PlayedCampaign): void {
  campaign.changedInStep = stepNumber
}

function stop({ clock }: Harness, campaign: PlayedCampaign, step: 'pause' | 'cancel' | 'delete'): void {
  if (step !== 'pause') campaign.scheduledSince = null
  campaign.isDeleted ||= step === 'delete'
  if (campaign.stops.at(-1)?.until !== null) campaign.stops.push({ from: clock.trueNow(), until: null })
}

/** Also ends its schedule. */
function resumeCampaign(
  { clock }: Harness,
  campaign: PlayedCampaign,
  request: PlayedCampaign['requested'][number],
): void {
  const last = campaign.stops.at(-1)
  if (last && !campaign.isDeleted) last.until ??= clock.trueNow()
  campaign.requested.push(request)
  campaign.scheduledSince = null
}

/** Starts the schedule of an ended campaign again, or continues that of a paused one; has no effect on others. */
function play(harness: Harness, campaign: PlayedCampaign, request: PlayedCampaign['requested'][number]): void {
  const { status } = harness.figures.get(campaign.id) ?? {}
  const hasEnded = status === 'completed' || status === 'sent' || status === 'cancelled'
  const wasPaused = campaign.stops.at(-1)?.until === null
  const { scheduledSince } = campaign
  resumeCampaign(harness, campaign, request)
  campaign.plays += 1
  campaign.scheduledSince =
    hasEnded || (wasPaused && scheduledSince !== null) ? harness.clock.now().getTime() : scheduledSince
}

/** Returns a function that returns start and end on the engine's clock. */
function startPeriod({ clock }: Harness) {
  const from = clock.now().getTime()
  return () => ({ from, until: clock.now().getTime() })
}

function recordCampaign(
  { clock, stepNumber }: Harness,
  id: string,
  version: PlayedCampaign['versions'][number],
  request: PlayedCampaign['requested'][number] | null,
): PlayedCampaign {
  return {
    id,
    versions: [version],
    stops: [],
    isDeleted: false,
    retried: [],
    saved: [],
    requested: request ? [request] : [],
    plays: 0,
    scheduledSince: request ? null : clock.now().getTime(),
    changedInStep: stepNumber,
    enginePausedAt: null,
    previousEnginePauseAt: null,
    expected: new Map(),
  }
}

/** Sends the request once, or twice at the same time; both create one campaign. */
async function sendRequest(isTwice: boolean, work: () => Promise<{ id: string }>): Promise<string> {
  const [first, second] = await Promise.all([work(), ...(isTwice ? [work()] : [])])
  if (second && second.id !== first!.id) throw new Error('a repeated request created two campaigns')
  return first!.id
}

const requestStep = (
  harness: Harness,
  id: string,
  step: ActOf<'campaign step'>['step'],
  request: ReturnType<typeof buildRequest>,
) => {
  const [deps, store] = [harness.web.deps, openStoreHandle(harness)] as const
  const done = {
    retry: async () => {
      if ((await retryFailed(deps, store, id)) > 0) harness.campaignActions.add('retry')
      return { id }
    },
    play: () => steps.playCampaign(deps, store, id),
    pause: () => steps.pauseCampaign(deps, store, id),
    cancel: () => steps.cancelCampaign(deps, store, id),
    delete: async () => {
      await steps.deleteCampaign(deps, store, id)
      return { id }
    },
    'send now': () => steps.sendNow(deps, store, request, id),
    send: () => steps.sendAgain(deps, store, request, id),
  }
  return done[step]()
}

/** Two equal requests at the same moment have the same key. */
function buildRequest(harness: Harness, what: string) {
  const { fixture, arrivals, clock, campaigns } = harness
  const key = `campaign-${what}-${campaigns.length}-${arrivals}-${clock.trueNow()}`
  return { session: fixture.session, account: openAccountHandle(harness), key, body: key }
}

const buildSchedule = ({ clock }: Harness, { inDays, timeOfDay, frequency }: CampaignPlan): Schedule => ({
  startDate: formatDay(clock.now().getTime(), inDays),
  timeOfDay,
  frequency,
})

function buildInput(
  harness: Harness,
  { plan, schedule }: PlayedCampaign['versions'][number],
  sendNow: boolean,
): api.CampaignInput {
  const { channel, people, chosen, filters, delay, spreadHours, coupon, isTextChanged } = plan
  return api.createCampaign.body.parse({
    name: 'Spring',
    type: channel,
    sendNow,
    targetAudience: {
      type: people === 'customers' ? 'specific_customers' : 'abandoned_carts',
      mode: people === 'matching' ? 'matching' : 'selected',
      filters,
      customerEmails: chosen.map((person) => harness.people[person]!.email),
    },
    content: {
      subject: isTextChanged ? 'Still there' : 'Your cart',
      body:
        people === 'customers' ? buildNeutralBody(coupon !== null) : buildBody(channel, coupon !== null, isTextChanged),
      coupon: findCouponId(harness, coupon),
    },
    schedule: { ...schedule, delay, spreadHours },
  })
}

const OURS = CAMPAIGN_TEMPLATES.find(({ id }) => id === 'first_reminder')!.body
const OWN = 'Hello {{ customer_name }}: {{ cart_items }} {{ checkout_link }}'

/** Selected customers may have no cart. */
const buildNeutralBody = (hasCoupon: boolean) => (hasCoupon ? NEUTRAL + CODE_SNIPPET : NEUTRAL)
const NEUTRAL = 'Hello {{ customer_name }}, from {{ store_name }}.'

function buildBody(channel: CampaignPlan['channel'], hasCoupon: boolean, isOwn: boolean): string {
  const body = channel === 'email' ? (isOwn ? OWN : OURS) : TEXT
  return hasCoupon ? body + CODE_SNIPPET : body
}

function findCouponId({ scenario, couponIds }: Harness, at: number | null) {
  const coupon = at === null ? null : scenario.coupons![at]!
  if (!coupon) return null
  const { fallback, isFirstOrderOnly, pauseDays, aboveMinor } = coupon
  const aboveAmount = aboveMinor === null ? null : aboveMinor / 100
  return { couponId: couponIds[at!]!, fallback, firstOrderOnly: isFirstOrderOnly, pauseDays, aboveAmount }
}

/** Processes that are planning the rows of a run. */
export const planning = new WeakSet<ProcessState>()

/** Small, so that a run has several pages. */
const ROWS_A_PAGE = 1
/** Small, because scenarios send few mails. */
export const PAUSE_LIMITS = {
  minAccepted: 2,
  bounces: { min: 1, share: 0.05 },
  complaints: { min: 1, share: 0.003 },
}

/** Runs the tick of each second and the jobs it queues. */
export async function runDueCampaigns(harness: Harness, { deps, life }: Actor): Promise<void> {
  const { storeId } = harness.fixture
  const { campaignJobs } = harness.environment
  await guardCampaigns(deps, PAUSE_LIMITS).finally(() => recordAutomaticPauses(harness))
  await runCampaigns(deps).finally(() => recordAutomaticPauses(harness))
  for (const campaignId of campaignJobs.plan) {
    // A process that dies leaves the rest to the next tick.
    campaignJobs.plan.delete(campaignId)
    planning.add(life)
    await planRuns(deps, { storeId, campaignId }, ROWS_A_PAGE).finally(() => {
      planning.delete(life)
      if (life.isDead) harness.campaignActions.add('crash in planning')
    })
  }
  for (const campaignId of campaignJobs.follow) {
    campaignJobs.follow.delete(campaignId)
    try {
      await followCampaign(deps, { storeId, campaignId })
    } catch (error) {
      // The queue delivers the job again.
      campaignJobs.follow.add(campaignId)
      throw error
    }
  }
}

/** Records pauses that the engine made. */
async function recordAutomaticPauses(harness: Harness): Promise<void> {
  const { rows } = await harness.environment.pool.query<{ id: string; cause: string }>(
    "select id, paused_by as cause from campaigns where store_id = $1 and paused_by is not null and status = 'paused'",
    [harness.fixture.storeId],
  )
  for (const campaign of harness.campaigns) {
    const found = rows.find(({ id }) => id === campaign.id)
    if (!found || campaign.stops.at(-1)?.until === null) continue
    campaign.stops.push({ from: harness.clock.trueNow(), until: null })
    // A run that the plan does not allow.
    if (found.cause !== 'bounces' && found.cause !== 'complaints') continue
    campaign.previousEnginePauseAt = campaign.enginePausedAt
    campaign.enginePausedAt = harness.clock.now().getTime()
    harness.campaignActions.add('guard pause')
  }
}

/** Reads status and counts in the list of campaigns (D6). */
export async function readFigures(harness: Harness): Promise<void> {
  const query = { page: 1, limit: 100, search: undefined, status: undefined }
  const { campaigns } = await readCampaigns(
    { storeId: harness.fixture.storeId, db: harness.environment.observer },
    query as never,
  )
  harness.figures = new Map(campaigns.map(({ id, status, counts }) => [id, { status, counts }]))
}

/** Reads reports of the newest campaigns, including a deleted one. */
export async function readReports(harness: Harness): Promise<void> {
  const store = { storeId: harness.fixture.storeId, db: harness.environment.observer }
  harness.reports.clear()
  for (const { id } of harness.campaigns.slice(-2))
    harness.reports.set(id, await readReport(harness.web.deps, store, id))
}
