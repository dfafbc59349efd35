import type { OrderKind } from '../../server/platforms/platform/platform.ts'
import { type ActContext, type ActMakers, drawAnswer } from './act-makers.ts'
import { addAliases } from './aliases.ts'
import { drawBatchSize } from './batch-size.ts'
import { addCampaigns } from './campaigns.ts'
import { addCoupons } from './coupons.ts'
import { addFlowEdits } from './flow-edits.ts'
import { drawFrame, MIXED_CHANNELS } from './frame.ts'
import { ownerActMakers, textActMakers } from './generate-more.ts'
import { addLateOrders } from './late-orders.ts'
import { addMode } from './modes.ts'
import { addErasedNames, addOtherShoppers } from './other-shoppers.ts'
import { createPeople, type Person } from './people.ts'
import { addPlugin } from './plugin.ts'
import { addPush } from './push.ts'
import { createSeededRandom } from './random.ts'
import { addSeveralFlows } from './several-flows.ts'
import { addShopify } from './shopify.ts'
import { drawShortage } from './shortage.ts'
import { addSplitOrders } from './split-orders.ts'
import {
  type Act,
  type AddressChannel,
  type Consent,
  type Contact,
  hasTexts,
  type Meanwhile,
  type Scenario,
  type Step,
} from './steps.ts'
import { addStops } from './stops.ts'

// Random scenarios. Three browsers, three people, few products and short delays make collisions likely. Half of the
// scenarios have texts.

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

const DELAYS = [
  [15, 30, 45],
  [20, 90, 1_440],
  [60, 1_440, 4_320],
  [15, 16, 300],
] as const
const LEAST_STEPS = 20
const MOST_STEPS = 40

export function generateScenario(seed: number): Scenario {
  const dice = createSeededRandom(seed)
  const length = dice.between(LEAST_STEPS, MOST_STEPS)
  const frame = {
    seed,
    delays: dice.pick(DELAYS),
    cap: dice.pick([1, 2, 3, 3]),
    holdoutPercent: dice.isLucky(0.15) ? 50 : 0,
    batchSize: drawBatchSize(seed),
    ...drawFrame(dice),
    shortage: null,
    coupons: null,
    startDay: 0,
    hasCampaigns: false,
    push: null,
    shopify: null,
    beforeConsent: null,
    steps: [],
  }
  const chance: ActContext = { ...dice, people: createPeople(frame.countries), hasTexts: hasTexts(frame) }
  // Most start with people who abandon a cart and leave an address, because otherwise nothing can go wrong.
  const first = chance.weighted({ none: 1, one: 6, all: 3 })
  const people = { none: [], one: [chance.between(0, 2)], all: [0, 1, 2] }[first]
  const steps: Step[] = people.map((person) => ({ ...createFirstPost(chance, person), waitMs: 0 }))
  while (steps.length < length) steps.push({ ...drawAct(chance), waitMs: drawWait(chance) })
  const scenario = { ...frame, shortage: drawShortage(seed, length), steps: addAliases(seed, steps) }
  const whole = addCampaigns(seed, addCoupons(seed, scenario, chance), chance)
  const emails = chance.people.map(({ email }) => email)
  const stopped = addStops(seed, {
    ...whole,
    steps: addSplitOrders(seed, addLateOrders(seed, whole.steps, emails), emails),
  })
  const pushed = addPush(seed, stopped, chance)
  const plugged = pushed.push === null ? addPlugin(seed, pushed, emails) : pushed
  const shopped = plugged === pushed ? addShopify(seed, pushed, chance.people) : plugged
  const flowing = addSeveralFlows(seed, addFlowEdits(seed, shopped), chance.people)
  return addMode(seed, addErasedNames(seed, addOtherShoppers(seed, flowing, emails), emails), chance.people)
}

const WAITS = { none: 8, moment: 27, minutes: 38, hour: 18, hours: 8, days: 1 }
/** A few hours pass a night, or make due messages expire. */
const TEXT_WAITS = { none: 8, moment: 27, minutes: 48, hour: 14, hours: 2.7, days: 0.3 }

function drawWait(chance: ActContext): number {
  const [least, most] = {
    none: [0, 0],
    moment: [500, 50 * SECOND],
    minutes: [MINUTE, 20 * MINUTE],
    hour: [20 * MINUTE, 90 * MINUTE],
    hours: [2 * HOUR, 30 * HOUR],
    days: [2 * DAY, 9 * DAY],
  }[chance.weighted(chance.hasTexts ? TEXT_WAITS : WAITS)] as [number, number]
  return chance.between(least, most)
}

function drawAct(chance: ActContext): Act {
  return actMakers[chance.weighted(chance.hasTexts ? TEXT_WEIGHTS : WEIGHTS)]![1](chance)
}

const createFirstPost = (chance: ActContext, person: number): Act => ({
  ...post(chance),
  browser: person,
  isNewPage: true,
  items: drawItems(chance),
  contact: { email: chance.people[person]!.email, ...(chance.hasTexts ? drawReachableContact(chance, person) : {}) },
  consent: chance.hasTexts && chance.isLucky(0.85) ? { sms: true, whatsapp: true } : null,
  network: 'now',
})

const drawReachableContact = (chance: ActContext, person: number): Contact => {
  const { typedPhone, country } = chance.people[person]!
  return { phone: typedPhone, ...(chance.isLucky(0.5) ? { country } : {}) }
}

function post(chance: ActContext): Extract<Act, { do: 'post' }> {
  const hasItems = chance.isLucky(0.7)
  return {
    do: 'post',
    browser: Number(chance.weighted({ 0: 5, 1: 3, 2: 2 })),
    isNewPage: chance.isLucky(0.4),
    items: hasItems ? (chance.isLucky(0.08) ? [] : drawItems(chance)) : null,
    coupons: chance.isLucky(0.1) ? ['welcome10'] : [],
    contact: !hasItems || chance.isLucky(0.35) ? drawContact(chance) : null,
    consent: chance.isLucky(chance.hasTexts ? 0.25 : 0.1) ? drawConsent(chance) : null,
    network: chance.weighted({ now: 80, late: 8, twice: 6, left: 4, lost: 2 }),
  }
}

function drawConsent(chance: ActContext): Consent {
  if (!chance.hasTexts) return { email: chance.isLucky(0.5) }
  const boxes: AddressChannel[] = chance.pick([
    ['email'],
    ['sms'],
    ['whatsapp'],
    ['sms', 'whatsapp'],
    ['email', 'sms', 'whatsapp'],
  ])
  return Object.fromEntries(boxes.map((channel) => [channel, chance.isLucky(0.6)]))
}

function drawItems(chance: ActContext): [string, number][] {
  const first: [string, number] = [chance.pick(['16', '17', '18']), chance.between(1, 2)]
  return chance.isLucky(0.2) && first[0] !== '18' ? [first, ['18', 1]] : [first]
}

function drawContact(chance: ActContext): Contact {
  const person = chance.pick(chance.people)
  const parts = chance.weighted(
    chance.hasTexts ? { email: 3, phone: 2, both: 5, name: 1 } : { email: 6, phone: 1, both: 2, name: 1 },
  )
  return {
    ...(parts === 'email' || parts === 'both' ? { email: person.email } : {}),
    ...(parts === 'phone' || parts === 'both' ? { phone: person.typedPhone } : {}),
    ...(parts === 'name' ? { firstName: chance.pick(['Ada', 'Grace']) } : {}),
    ...(chance.hasTexts && chance.isLucky(0.2) ? { country: person.country } : {}),
  }
}

const KINDS: Record<OrderKind, number> = { draft: 30, pending: 12, failed: 5, cancelled: 5, trashed: 1, purchase: 47 }

/** Five order numbers, so that the same order returns in another state. */
function order(chance: ActContext): Act {
  const person = chance.pick(chance.people)
  const key = chance.weighted({ email: 6, phone: 2, customer: 1.5, all: 2, nobody: 0.5 })
  const totalMinor = chance.between(10, 90) * 100
  return {
    do: 'order',
    order: chance.between(1, 5),
    kind: chance.weighted(KINDS),
    email: key === 'email' || key === 'all' ? person.email : null,
    phone: key === 'phone' || key === 'all' ? person.typedPhone : null,
    customerId: key === 'customer' || key === 'all' ? person.customerId : null,
    items: drawItems(chance),
    totalMinor,
    refundedMinor: chance.isLucky(0.15) ? chance.between(0, totalMinor) : 0,
    isStaff: chance.isLucky(0.06),
    ...(chance.hasTexts && chance.isLucky(0.5) ? drawAddress(chance, person) : { country: null, state: null }),
    consents:
      chance.hasTexts && chance.isLucky(0.3)
        ? chance.pick<AddressChannel[]>([['sms'], ['whatsapp'], ['email', 'sms']])
        : [],
    webhook: chance.weighted({ now: 40, late: 20, twice: 10, lost: 30 }),
  }
}

const drawAddress = (chance: ActContext, { country }: Person) => ({
  country,
  state: country === 'US' ? chance.pick(['NY', 'HI', null]) : null,
})

function work(chance: ActContext): Extract<Act, { do: 'work' }> {
  const answers = chance.isLucky(0.35) ? [drawAnswer(chance), drawAnswer(chance)] : []
  const pause = chance.isLucky(0.25) ? drawMeanwhile(chance) : null
  return {
    do: 'work',
    worker: chance.between(0, 1),
    answers,
    meanwhile: pause,
    diesAt: chance.isLucky(0.05) ? chance.between(1, 45) : null,
  }
}

function drawMeanwhile(chance: ActContext): Meanwhile {
  const at = chance.weighted({ page: 2, claim: 1, evaluate: 2, 'before sending': 4, submission: 4 })
  const steps = Array.from({ length: chance.between(1, 2) }, () => ({
    ...drawRival(chance),
    waitMs: chance.isLucky(0.5) ? 0 : chance.between(500, 40 * SECOND),
  }))
  const waitedMs = steps.reduce((sum, { waitMs }) => sum + waitMs, 0)
  // Half of the workers that stall around the send do so after it, long enough not to count as the same moment.
  const isBehind = at === 'before sending' && waitedMs >= SECOND && waitedMs % 2 === 1
  return { at: isBehind ? 'sent' : at, steps }
}

function drawImmediate(chance: ActContext): Act {
  const twice = chance.hasTexts && chance.isLucky(0.2) ? textActMakers.manual![1](chance) : null
  return { do: 'at once', acts: twice ? [twice, twice] : [work(chance), drawRival(chance)] }
}

const OF_TEXTS = { says: 3, report: 2, manual: 2, budget: 0.5, endConsentOverride: 0.5 }
const NO_TEXTS = { says: 0, report: 0, manual: 0, budget: 0, endConsentOverride: 0 }

/** What others do while a worker runs. */
function drawRival(chance: ActContext): Act {
  const kind = chance.weighted({
    post: 6,
    order: 6,
    work: 4,
    flow: 2,
    edit: 1,
    pause: 1,
    disconnect: 1,
    unsubscribe: 3,
    lateWebhooks: 1,
    suppress: 1,
    erase: 0.5,
    clock: 0.3,
    ...(chance.hasTexts ? OF_TEXTS : NO_TEXTS),
  })
  if (kind !== 'work') return actMakers[kind]![1](chance)
  return { do: 'work', worker: chance.between(0, 1), answers: [], meanwhile: null, diesAt: null }
}

const store = (chance: ActContext): Act => ({
  do: 'store',
  mood: chance.weighted({
    answers: 5,
    'is down': 3,
    'fails at page 2': 2,
    'is slow': 2,
    // The store hangs at everything, at all but the probe of the order check (D3), or only at stock and prices.
    stalls: 0.5,
    'stalls at lists': 0.25,
    'stalls at stock': 0.25,
  }),
})

const buildClock = (chance: ActContext): Act => ({
  do: 'clock',
  jumpMs: chance.isLucky(0.4) ? 'right' : chance.pick([-DAY, -2 * HOUR, -10 * MINUTE, 5 * MINUTE, 3 * HOUR, DAY]),
})

const edit = (chance: ActContext): Act => ({
  do: 'edit',
  delays: chance.pick(DELAYS),
  isTextChanged: chance.isLucky(0.5),
  channels: chance.hasTexts && chance.isLucky(0.5) ? chance.pick(MIXED_CHANNELS) : null,
})

const unsubscribe = (chance: ActContext): Act => ({
  do: 'unsubscribe',
  mail: chance.between(0, 5),
  method: chance.isLucky(0.5) ? 'page' : 'one-click',
})

/** Name of the act, weight, and how to draw one. */
const actMakers: ActMakers = {
  post: [24, (chance) => post(chance)],
  visit: [2, (chance) => ({ do: 'new visit', browser: chance.between(0, 2) })],
  latePosts: [3, (chance) => ({ do: 'late posts arrive', isReversed: chance.isLucky(0.5) })],
  order: [14, order],
  lateWebhooks: [3, (chance) => ({ do: 'late webhooks arrive', isOld: chance.isLucky(0.5) })],
  work: [34, work],
  restart: [2, (chance) => ({ do: 'restart', worker: chance.between(0, 1) })],
  store: [3, store],
  sweep: [1, (chance) => ({ do: 'sweep', worker: chance.between(0, 1) })],
  clock: [2, buildClock],
  flow: [2.5, (chance) => ({ do: 'flow', isOn: chance.isLucky(0.65), includeLast24h: chance.isLucky(0.5) })],
  edit: [1.5, edit],
  pause: [1.5, (chance) => ({ do: 'pause', isPaused: chance.isLucky(0.4) })],
  disconnect: [0.7, () => ({ do: 'disconnect' })],
  reconnect: [1, () => ({ do: 'reconnect' })],
  click: [3, (chance) => ({ do: 'click', mail: chance.between(0, 5), isHuman: chance.isLucky(0.7) })],
  restore: [1, (chance) => ({ do: 'restore', mail: chance.between(0, 5) })],
  unsubscribe: [1.5, unsubscribe],
  resubscribe: [0.4, (chance) => ({ do: 'resubscribe', mail: chance.between(0, 5) })],
  both: [3, drawImmediate],
  ...ownerActMakers,
  ...textActMakers,
}
const readWeights = (some: readonly string[]) => Object.fromEntries(some.map((name) => [name, actMakers[name]![0]]))
/** Texts have more rules that prevent a send. */
const TEXT_WEIGHTS = { ...readWeights(Object.keys(actMakers)), work: 60, order: 10, disconnect: 0.4, post: 20 }
const WEIGHTS = readWeights(Object.keys(actMakers).filter((name) => !(name in textActMakers)))
