import type { CaptureMode } from '../../shared/shoppers/capture-mode.ts'
import type { Person } from './people.ts'
import { createSeededRandom, type Random } from './random.ts'
import type { Act, Scenario, Step } from './steps.ts'

// In some scenarios the owner has chosen what is stored before consent (C9). Shoppers answer the shop's banner and
// revoke the answer, tick boxes and untick them, buy, and return as customers. Half of their browsers run an old cached
// script. Uses a random stream of its own, so that other scenarios stay the same.

export type ModeAct = { do: 'banner'; browser: number; answer: 'yes' | 'no' }

const HAVE_IT = 0.2
/** Chosen so that the seeds of other mutations have no capture mode. */
const DICE = 0x2f_a84b
const SECOND = 1_000
const MINUTE = 60_000
const MODES: Record<CaptureMode, number> = { nothing: 4, cart_only: 4, cart_and_contact: 1 }

/** Not for scenarios about Shopify or notifications, whose browsers have tokens of their own. */
export function addMode(seed: number, scenario: Scenario, people: readonly Person[]): Scenario {
  const dice = createSeededRandom(seed ^ DICE)
  if (scenario.shopify || scenario.push || !dice.isLucky(HAVE_IT)) return scenario
  const steps = scenario.steps.map((step): Step => ({ ...drawCached(dice, step), waitMs: step.waitMs }))
  for (let more = dice.between(10, 18); more > 0; more--) {
    const most = dice.pick([0, 30 * SECOND, 20 * MINUTE, 90 * MINUTE])
    const act = actMakers[dice.weighted({ banner: 4, box: 5, bought: 2, customer: 4, draft: 2 })](dice, people)
    steps.splice(dice.between(0, steps.length), 0, { ...act, waitMs: dice.between(0, most) })
  }
  return { ...scenario, beforeConsent: dice.weighted(MODES), steps }
}

const drawCached = (dice: Random, act: Act): Act =>
  act.do === 'post' && dice.isLucky(0.5) ? { ...act, isCached: true } : act

const actMakers = {
  banner: (dice) => ({
    do: 'banner',
    browser: dice.between(0, 2),
    answer: dice.weighted({ yes: 5, no: 3 }),
  }),
  /** A consent box for a typed address and number. */
  box: (dice, people) => {
    const { email, typedPhone } = dice.pick(people)
    const channel = dice.weighted({ email: 5, sms: 2, whatsapp: 1 })
    return {
      do: 'post',
      browser: dice.between(0, 2),
      isNewPage: dice.isLucky(0.3),
      coupons: [],
      items: dice.isLucky(0.6) ? drawItems(dice) : null,
      contact: { email, phone: typedPhone },
      consent: { [channel]: dice.isLucky(0.7) },
      network: dice.weighted({ now: 8, late: 1, twice: 1 }),
      ...(dice.isLucky(0.2) && { isOutdated: true }),
      ...(dice.isLucky(0.5) && { isCached: true }),
    }
  },
  bought: (dice, people) => ({ ...order(dice, dice.pick(people)), kind: 'purchase', order: dice.between(31, 33) }),
  draft: (dice, people) => ({
    ...order(dice, dice.pick(people)),
    kind: dice.weighted({ draft: 3, pending: 2, failed: 1 }),
    order: dice.between(34, 36),
    consents: dice.isLucky(0.2) ? ['email'] : [],
  }),
  /** The shopper is signed in to the shop, with their own address or another one. */
  customer: (dice, people) => {
    const person = dice.pick(people)
    const { email } = dice.isLucky(0.7) ? person : dice.pick(people)
    return {
      do: 'snapshot',
      browser: dice.between(0, 2),
      items: drawItems(dice),
      contact: { email, country: person.country },
      customerId: person.customerId,
      network: dice.weighted({ now: 6, waits: 1, twice: 1, unanswered: 1 }),
    }
  },
} satisfies Record<string, (dice: Random, people: readonly Person[]) => Act>

/** Other orders do not use these numbers. */
const order = (dice: Random, { email, typedPhone, customerId, country }: Person): Extract<Act, { do: 'order' }> => ({
  do: 'order',
  order: 31,
  kind: 'purchase',
  email,
  phone: dice.isLucky(0.3) ? typedPhone : null,
  customerId,
  items: drawItems(dice),
  totalMinor: dice.between(10, 90) * 100,
  refundedMinor: 0,
  isStaff: false,
  country,
  state: null,
  consents: [],
  webhook: dice.weighted({ now: 6, late: 1, lost: 2 }),
})

const drawItems = (dice: Random): [string, number][] => [[dice.pick(['16', '17', '18']), dice.between(1, 2)]]
