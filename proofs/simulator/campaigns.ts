import type { ActContext } from './act-makers.ts'
import { createLeaverSteps, drawEpisode, drawMonth } from './campaign-episodes.ts'
import { createSeededRandom } from './random.ts'
import type { Act, Channel, Scenario, Step } from './steps.ts'

// In some scenarios the owner has campaigns, and sends to all abandoned carts. Uses a random stream of its own, so that
// other scenarios stay the same.

export interface CampaignPlan {
  channel: Channel
  /** People who match the filters, or selected people: with or without a cart. */
  people: 'matching' | 'selected' | 'customers'
  /** Selected people. */
  chosen: readonly number[]
  filters: CampaignFilters
  /** Uses the filters of the newest saved audience, if any. */
  isSaved: boolean
  frequency: 'once' | 'daily' | 'weekly' | 'monthly'
  /** Days after creation, in the store's calendar. */
  inDays: number
  timeOfDay: string
  delay: 0 | 12 | 24
  spreadHours: number | null
  /** The coupon of this step of the flow. */
  coupon: number | null
  isTextChanged: boolean
}

/** Amounts in dollars, times in hours. */
export interface CampaignFilters {
  minAbandonTime?: number
  maxAbandonTime?: number
  minCartValue?: number
  maxCartValue?: number
  productId?: string
  mailedBefore?: 'yes' | 'no'
}

type CampaignStep = 'play' | 'pause' | 'cancel' | 'delete' | 'send now' | 'send' | 'retry'

export type CampaignAct =
  /** `isTwice`: two identical requests arrive at once. */
  | { do: 'campaign'; plan: CampaignPlan; isNow: boolean; isTwice: boolean }
  | { do: 'send to all'; filters: CampaignFilters; coupon: number | null; isTwice: boolean }
  /** Index among existing campaigns, newest first. `inDays`: a new start date, counted from the edit. */
  | { do: 'campaign edit'; place: number; change: Partial<CampaignPlan>; isNow: boolean }
  | { do: 'campaign step'; place: number; step: CampaignStep; isTwice: boolean }
  | { do: 'audience'; filters: CampaignFilters }
  | { do: 'audience gone' }
  /** A later bounce or complaint about a campaign mail, by index, newest first. */
  | { do: 'mail report'; place: number; kind: 'hard' | 'complaint' }

const HAVE_THEM = 0.2
const A_MONTH = 0.2
const NO_FLOW = 0.3
const DICE = 0xca_3a19
/** Chosen so that the seeds of other mutations keep finding them. */
const HAVE_DICE = 0x4_6c
const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

const hasCampaigns = (seed: number): boolean => createSeededRandom(seed ^ HAVE_DICE).isLucky(HAVE_THEM)

export function addCampaigns(seed: number, scenario: Omit<Scenario, 'hasCampaigns'>, chance: ActContext): Scenario {
  if (!hasCampaigns(seed)) return { ...scenario, hasCampaigns: false }
  const dice = { ...chance, ...createSeededRandom(seed ^ DICE) }
  const steps = scenario.steps.map((step) => addInterruption(dice, scenario, step))
  const put = (step: Step, from: number) =>
    steps.splice(dice.between(Math.min(from, steps.length), steps.length), 0, step)
  for (let more = dice.between(2, 5); more > 0; more--) put({ ...drawAct(dice, scenario), waitMs: drawWait(dice) }, 6)
  // Runs are hours apart. A worker's pass after a run is followed by another a moment later, mostly undisturbed.
  for (let more = dice.between(2, 4); more > 0; more--) {
    const at = dice.between(4, steps.length)
    const waitMs = dice.weighted({ hours: 4, day: 3, days: 0.4 })
    const [least, most] = { hours: [HOUR, 12 * HOUR], day: [20 * HOUR, 28 * HOUR], days: [60 * HOUR, 100 * HOUR] }[
      waitMs
    ]
    const first = { ...drawPass(dice), waitMs: dice.between(least!, most!) }
    steps.splice(at, 0, addInterruption(dice, scenario, first), {
      ...drawPass(dice),
      waitMs: dice.between(SECOND, 90 * SECOND),
    })
  }
  for (let more = dice.between(1, 2); more > 0; more--) {
    const isForAll = dice.isLucky(0.2)
    const act = isForAll ? sendToAll(dice, scenario) : create(dice, scenario)
    steps.splice(dice.between(1, 8), 0, { ...act, waitMs: dice.between(0, 20 * MINUTE) })
  }
  // From last to first, so that no insertion lands inside another.
  const places = Array.from({ length: dice.between(1, 2) }, () => dice.between(6, steps.length)).sort((a, b) => b - a)
  if (dice.isLucky(A_MONTH))
    steps.splice(dice.between(Math.floor(0.7 * steps.length), steps.length), 0, ...drawMonth(dice))
  for (const place of places) steps.splice(Math.min(place, Math.floor(0.7 * steps.length)), 0, ...drawEpisode(dice))
  steps.splice(1, 0, ...createLeaverSteps(dice))
  // Only campaigns write to these people then.
  if (dice.isLucky(NO_FLOW)) steps.splice(1, 0, { do: 'flow', isOn: false, includeLast24h: false, waitMs: 0 })
  // Every other scenario starts on the day before the clocks change.
  const startDay = Number(dice.weighted({ 0: 4, 5: 2, 243: 2 }))
  return { ...scenario, startDay, hasCampaigns: true, steps }
}

type Frame = Pick<Scenario, 'channels' | 'coupons'>

const drawWait = (dice: ActContext) =>
  dice.between(0, { none: 0, minutes: 20 * MINUTE, hour: 2 * HOUR }[dice.weighted({ none: 3, minutes: 5, hour: 2 })])

function drawAct(dice: ActContext, frame: Frame): Act {
  const what = dice.weighted({ create: 2, all: 1, edit: 3, step: 7 })
  if (what === 'create') return create(dice, frame)
  if (what === 'all') return sendToAll(dice, frame)
  return what === 'edit' ? edit(dice, frame) : drawStep(dice)
}

const create = (dice: ActContext, frame: Frame): Act => ({
  do: 'campaign',
  plan: drawPlan(dice, frame),
  isNow: dice.isLucky(0.25),
  isTwice: dice.isLucky(0.1),
})

const sendToAll = (dice: ActContext, frame: Frame): Act => ({
  do: 'send to all',
  filters: dice.isLucky(0.5) ? {} : drawFilters(dice),
  coupon: drawCoupon(dice, frame),
  isTwice: dice.isLucky(0.2),
})

const drawStep = (dice: ActContext): Act => ({
  do: 'campaign step',
  place: Number(dice.weighted({ 0: 6, 1: 2, 2: 1 })),
  step: dice.weighted({ pause: 4, play: 6, cancel: 2, delete: 1.5, 'send now': 2, send: 2, retry: 1.5 }),
  isTwice: dice.isLucky(0.15),
})

const edit = (dice: ActContext, frame: Frame): Act => ({
  do: 'campaign edit',
  place: Number(dice.weighted({ 0: 6, 1: 2 })),
  change: drawChange(dice, drawPlan(dice, frame)),
  isNow: dice.isLucky(0.1),
})

function drawChange(
  dice: ActContext,
  { filters, delay, spreadHours, inDays, timeOfDay, frequency }: CampaignPlan,
): Partial<CampaignPlan> {
  const what = dice.weighted({ words: 3, filters: 3, pace: 3, schedule: 3 })
  if (what === 'words') return { isTextChanged: true }
  if (what === 'filters') return { filters }
  return what === 'pace' ? { delay, spreadHours } : { inDays, timeOfDay, frequency }
}

function drawPlan(dice: ActContext, frame: Frame): CampaignPlan {
  const people = dice.weighted({ matching: 7, selected: 2, customers: 1.5 })
  const channel = dice.isLucky(0.7) ? 'email' : dice.pick(frame.channels)
  return {
    // The approved WhatsApp template mentions a cart, which selected customers may not have.
    channel: people === 'customers' && channel === 'whatsapp' ? 'sms' : channel,
    people,
    chosen: people === 'matching' ? [] : dice.pick([[0, 1, 2], [0, 1], [0], [2, 1]]),
    filters: people === 'matching' ? drawFilters(dice) : {},
    isSaved: false,
    frequency: people === 'matching' ? dice.weighted({ once: 4, daily: 4, weekly: 1, monthly: 1 }) : 'once',
    inDays: Number(dice.weighted({ 0: 6, 1: 3, 2: 1 })),
    // When the clocks change, these two times occur zero times or twice.
    timeOfDay: dice.pick(['00:00', '10:00', '12:15', '18:40', '02:30', '01:30']),
    delay: Number(dice.weighted({ 0: 6, 12: 1, 24: 1 })) as 0,
    spreadHours: dice.isLucky(0.2) ? dice.pick([1, 6]) : null,
    coupon: drawCoupon(dice, frame),
    isTextChanged: dice.isLucky(0.3),
  }
}

function drawCoupon(dice: ActContext, { coupons }: Frame): number | null {
  const there = (coupons ?? []).flatMap((coupon, at) => (coupon ? [at] : []))
  return there.length > 0 && dice.isLucky(0.6) ? dice.pick(there) : null
}

const drawFilters = (dice: ActContext): CampaignFilters =>
  dice.pick<CampaignFilters>([
    {},
    {},
    { minAbandonTime: 1, maxAbandonTime: 72 },
    { minAbandonTime: 0.5 },
    { maxAbandonTime: 24 },
    { minCartValue: 20 },
    { maxCartValue: 30 },
    { productId: '16' },
    { mailedBefore: 'no' },
    { mailedBefore: 'yes' },
  ])

function drawPass(dice: ActContext): Extract<Act, { do: 'work' }> {
  return {
    do: 'work',
    worker: dice.between(0, 1),
    answers: [],
    meanwhile: null,
    diesAt: dice.isLucky(0.15) ? dice.between(5, 90) : null,
  }
}

/** A worker pass during which the owner changes campaigns; a page of a run's rows may be in progress. */
function addInterruption(dice: ActContext, frame: Frame, step: Step): Step {
  const stop: Act = { do: 'campaign step', place: 0, step: dice.pick(['pause', 'cancel']), isTwice: false }
  const rival = () => (dice.isLucky(0.5) ? stop : dice.isLucky(0.2) ? edit(dice, frame) : drawStep(dice))
  if (step.do === 'at once' && step.acts[1].do !== 'manual' && dice.isLucky(0.3)) {
    return { ...step, acts: [step.acts[0], rival()] }
  }
  if (step.do !== 'work' || step.meanwhile || step.diesAt || !dice.isLucky(0.3)) return step
  const at = dice.weighted({ pages: 4, 'before sending': 3, claim: 1, evaluate: 1, sent: 1, submission: 1 })
  // Late enough not to count as the same moment.
  const after: Step = { do: 'new visit', browser: 2, waitMs: dice.between(2 * SECOND, 20 * SECOND) }
  const first = rival()
  // Half of the workers that stall between two pages die there.
  const isKilled = at === 'pages' && after.waitMs % 2 === 1
  const act: Act = isKilled ? { do: 'restart', worker: step.worker } : first
  return { ...step, meanwhile: { at, steps: [{ ...act, waitMs: 0 }, after] } }
}
