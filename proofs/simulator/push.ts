import type { PushFrequency } from '../../shared/delivery/push.ts'
import type { ActContext } from './act-makers.ts'
import { createSeededRandom } from './random.ts'
import type { Act, Channel, Scenario, Step } from './steps.ts'

// In every fourth scenario the store has web push: browsers subscribe, change and unsubscribe, and keys are replaced.
// Uses a random stream of its own, so that other scenarios stay the same.

/** The push service of all browsers in a scenario. */
export interface PushFrame {
  /** Maximum payload size. */
  mostBytes: number
}

export type PushAct =
  /** Settings of the owner, `frequency` and others. */
  | {
      do: 'push settings'
      isOn: boolean
      frequency: PushFrequency
      delay: number
      most: number
      isTextChanged: boolean
    }
  /** The shopper allows notifications. `forged`: a page reports a URL outside the push services. */
  | { do: 'push allow'; browser: number; network: 'now' | 'twice' | 'lost' | 'forged' }
  /** A page of the shop opens, and the widget reports changes of the browser. */
  | { do: 'push visit'; browser: number }
  /** The browser replaces its subscription by itself. */
  | { do: 'push change'; browser: number; network: 'now' | 'lost' }
  /** The shopper revokes the permission. `isTold`: a page is open and reports it at once. */
  | { do: 'push revoke'; browser: number; status: 404 | 410; isReported: boolean }
  /** An event of a notification, by index, newest first. */
  | { do: 'push event'; note: number; kind: 'shown' | 'click' | 'close' | 'stop' }
  | { do: 'push keys'; isLeaked: boolean }
  /** A member sends to all subscribers. */
  | { do: 'push all'; isTwice: boolean; text: number }

const HAVE_IT = 0.25
const DICE = 0x9_05b
/** Chosen so that most seeds of other mutations keep finding them. */
const HAVE_DICE = 0x3_a1
const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

export const hasPush = (seed: number, have = HAVE_DICE): boolean => createSeededRandom(seed ^ have).isLucky(HAVE_IT)

export function addPush(seed: number, scenario: Omit<Scenario, 'push'>, chance: ActContext): Scenario {
  if (!hasPush(seed)) return { ...scenario, push: null }
  const dice = { ...chance, ...createSeededRandom(seed ^ DICE) }
  const steps = scenario.steps.map((step) => addInterruption(dice, step))
  const put = (act: Act, from: number, waitMs: number) =>
    steps.splice(dice.between(Math.min(from, steps.length), steps.length), 0, { ...act, waitMs })
  for (let more = dice.between(3, 8); more > 0; more--) put(drawAct(dice), 6, drawWait(dice))
  for (let more = dice.between(3, 6); more > 0; more--) put(drawPass(dice), 6, dice.between(MINUTE, 2 * HOUR))
  // Carts are abandoned and browsers subscribe early; mostly automatic notifications are already on.
  const later: Step[] = [0, 1, 2]
    .filter((browser) => browser === 0 || dice.isLucky(0.5))
    .flatMap((browser): Step[] => [
      { ...drawPost(dice, browser), waitMs: dice.between(0, MINUTE) },
      { do: 'push allow', browser, network: 'now', waitMs: dice.between(SECOND, MINUTE) },
    ])
  for (let more = dice.between(1, 3); more > 0; more--)
    steps.splice(dice.between(3, steps.length), 0, ...drawEpisode(dice))
  const on: Step = { ...buildSettings(dice), isOn: true, waitMs: 0 } as Step
  steps.splice(2, 0, ...(dice.isLucky(0.8) ? [on, ...later] : [...later, { ...on, waitMs: dice.between(0, 2 * HOUR) }]))
  if (dice.isLucky(0.5)) steps.splice(dice.between(3, steps.length), 0, ...drawLateSubscription(dice))
  return {
    ...scenario,
    channels: dice.isLucky(0.3) ? replaceByNotification(dice, scenario.channels) : scenario.channels,
    push: { mostBytes: dice.weighted({ 4096: 3, 1200: 1 }) === '4096' ? 4_096 : 1_200 },
    steps,
  }
}

/** A cart is abandoned, its browser has subscribed, and worker passes follow when messages are due. */
function drawEpisode(dice: ActContext): Step[] {
  const browser = drawBrowser(dice)
  const allow: Act = { do: 'push allow', browser, network: 'now' }
  const post = drawPost(dice, browser)
  const second = dice.isLucky(0.4) ? drawSecondBrowser(dice, post) : []
  const rival = dice.isLucky(0.4) ? [{ ...drawAct(dice), waitMs: dice.between(0, 10 * MINUTE) }] : []
  return [
    {
      ...post,
      ...(second.length > 0 && { contact: buildContact(dice, browser) }),
      waitMs: dice.between(0, HOUR),
    } as Step,
    { ...allow, waitMs: dice.between(SECOND, MINUTE) },
    ...second,
    ...rival,
    addInterruption(dice, { ...drawPass(dice), waitMs: dice.between(15 * MINUTE, 70 * MINUTE) }, 0.6),
    {
      ...drawPass(dice),
      waitMs: dice.isLucky(0.4) ? dice.between(5 * MINUTE, 9 * MINUTE) : dice.between(5 * MINUTE, 40 * MINUTE),
    },
    ...(dice.isLucky(0.6) ? [{ ...actMakers.event(dice), waitMs: dice.between(SECOND, 20 * MINUTE) }] : []),
    ...(dice.isLucky(0.5) ? [{ ...drawPass(dice), waitMs: dice.between(5 * HOUR, 8 * HOUR) }] : []),
  ]
}

const buildContact = ({ people }: ActContext, browser: number) => ({ email: people[browser]!.email })

/** Another browser of the person with the same cart, which may receive its notifications too. */
function drawSecondBrowser(dice: ActContext, post: Extract<Act, { do: 'post' }>): Step[] {
  const browser = (post.browser + dice.between(1, 2)) % 3
  return [
    { ...post, browser, contact: buildContact(dice, post.browser), waitMs: dice.between(0, MINUTE) },
    { do: 'push allow', browser, network: 'now', waitMs: dice.between(0, MINUTE) },
    // The newer of the two is gone, and the server does not know.
    ...(dice.isLucky(0.5)
      ? [{ do: 'push revoke', browser, status: 410, isReported: false, waitMs: MINUTE } as Step]
      : []),
  ]
}

/** A notification is due before its browser has subscribed, and waits only for that. */
function drawLateSubscription(dice: ActContext): Step[] {
  const browser = dice.between(0, 2)
  const workAct: Act = { do: 'work', worker: 0, meanwhile: null, diesAt: null, answers: [] }
  return [
    { ...buildSettings(dice), isOn: true, frequency: 'immediate', waitMs: 0 } as Step,
    { do: 'new visit', browser, waitMs: 0 },
    { ...drawPost(dice, browser), contact: null, waitMs: dice.between(0, MINUTE) } as Step,
    { ...workAct, waitMs: dice.between(HOUR, 90 * MINUTE) },
    { ...workAct, waitMs: dice.between(SECOND, 5 * MINUTE) },
    { do: 'push allow', browser, network: 'now', waitMs: dice.between(SECOND, MINUTE) },
    { ...workAct, waitMs: dice.between(SECOND, MINUTE) },
  ]
}

/** Makes one of the flow's mails a notification. */
function replaceByNotification(dice: ActContext, channels: readonly Channel[]): Channel[] {
  const at = dice.between(0, channels.length - 1)
  return channels.map((channel, index) => (index === at && channel === 'email' ? 'push' : channel))
}

const drawWait = (dice: ActContext) =>
  dice.between(
    0,
    { none: 0, moment: 40 * SECOND, minutes: 30 * MINUTE, hours: 8 * HOUR }[
      dice.weighted({ none: 2, moment: 2, minutes: 4, hours: 2 })
    ],
  )

/** A cart, usually of the person to whom this browser belongs. */
function drawPost(dice: ActContext, browser: number): Extract<Act, { do: 'post' }> {
  const person = dice.people[dice.isLucky(0.75) ? browser : dice.between(0, 2)]!
  return {
    do: 'post',
    browser,
    isNewPage: true,
    items: [[dice.pick(['16', '17']), 1]],
    coupons: [],
    contact: dice.isLucky(0.7) ? { email: person.email } : null,
    consent: null,
    network: 'now',
  }
}

function drawAct(dice: ActContext): Act {
  const what = dice.weighted({ allow: 3, visit: 3, change: 1.5, revoke: 2, event: 4, keys: 1.5, settings: 1.5, all: 1 })
  return actMakers[what](dice)
}

/** An act that forbids a notification just before its send. */
function drawRival(dice: ActContext): Act {
  return actMakers[dice.weighted({ revoke: 3, stop: 4, keys: 1.5, settings: 2, allow: 2, visit: 1, change: 1 })](dice)
}

const drawBrowser = (dice: ActContext) => Number(dice.weighted({ 0: 5, 1: 3, 2: 2 }))

const buildSettings = (dice: ActContext): Act => ({
  do: 'push settings',
  isOn: dice.isLucky(0.7),
  frequency: dice.weighted({ immediate: 4, '1hour': 2, '6hours': 1, '24hours': 0.5, custom: 2 }),
  delay: dice.pick([0, 20, 90, 400]),
  most: dice.pick([1, 2, 3, 5]),
  isTextChanged: dice.isLucky(0.4),
})

const actMakers = {
  allow: (dice) => ({
    do: 'push allow',
    browser: drawBrowser(dice),
    network: dice.weighted({ now: 6, twice: 2, lost: 1, forged: 1.5 }),
  }),
  visit: (dice) => ({ do: 'push visit', browser: drawBrowser(dice) }),
  change: (dice) => ({ do: 'push change', browser: drawBrowser(dice), network: dice.isLucky(0.7) ? 'now' : 'lost' }),
  revoke: (dice) => ({
    do: 'push revoke',
    browser: drawBrowser(dice),
    status: dice.pick([404, 410] as const),
    isReported: dice.isLucky(0.6),
  }),
  event: (dice) => ({
    do: 'push event',
    note: Number(dice.weighted({ 0: 6, 1: 2, 2: 1 })),
    kind: dice.weighted({ shown: 4, click: 4, close: 1, stop: 1.5 }),
  }),
  stop: (dice) => ({ do: 'push event', note: Number(dice.weighted({ 0: 6, 1: 2 })), kind: 'stop' }),
  keys: (dice) => ({ do: 'push keys', isLeaked: dice.isLucky(0.4) }),
  settings: buildSettings,
  all: (dice) => ({ do: 'push all', isTwice: dice.isLucky(0.4), text: dice.between(1, 3) }),
} satisfies Record<string, (dice: ActContext) => Act>

const drawPass = (dice: ActContext): Extract<Act, { do: 'work' }> => ({
  do: 'work',
  worker: dice.between(0, 1),
  meanwhile: null,
  diesAt: null,
  answers: dice.isLucky(0.4)
    ? [
        dice.weighted({ accepts: 2, retry: 3, bounces: 2, 'opted out': 1.5, refuses: 1, 'silent, took it': 3 }),
        'accepts',
      ]
    : [],
})

/** A worker pass during which a shopper or the owner changes something about the next send. */
function addInterruption(dice: ActContext, step: Step, share = 0.3): Step {
  if (step.do !== 'work' || step.meanwhile || step.diesAt || !dice.isLucky(share)) return step
  const at = dice.weighted({ claim: 1, evaluate: 2, 'before sending': 3, sent: 2, submission: 3 })
  const waitMs = dice.isLucky(0.5) ? 0 : dice.between(2 * SECOND, 40 * SECOND)
  return {
    ...step,
    meanwhile: {
      at,
      steps: [
        { ...drawRival(dice), waitMs: 0 },
        { do: 'new visit', browser: 2, waitMs },
      ],
    },
  }
}
