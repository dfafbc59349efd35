import { type ActContext, drawAnswer } from './act-makers.ts'
import { createSeededRandom } from './random.ts'
import type { Act, Scenario, Step } from './steps.ts'

// In every fourth scenario steps of the flow have a coupon, and the store's admin, its replies and shoppers change
// coupons. Uses a random stream of its own, so that other scenarios stay the same.

/** Coupon of a step. Money in minor units, percentages in hundredths. */
export interface StepCoupon {
  kind: 'shared' | 'personal'
  percent: number | null
  amountMinor: number | null
  /** For a personal percentage. */
  maxDiscountMinor: number | null
  minSpendMinor: number | null
  /** For a shared coupon. */
  usageLimit: number | null
  endsInHours: number | null
  validHours: number
  isTiedToEmail: boolean
  fallback: 'without' | 'skip'
  isFirstOrderOnly: boolean
  pauseDays: number | null
  aboveMinor: number | null
}

export type CouponAct =
  /** The store's admin changes the shared coupon of a step. */
  | { do: 'coupon'; step: number; change: 'deleted' | 'expired' | 'drafted' | 'used up' | 'restored' }
  /** The store's admin changes a personal code, by index, newest first. */
  | { do: 'code'; place: number; change: 'deleted' | 'expired' | 'used up' }
  /** How the store handles writes of coupons. */
  | { do: 'coupon writes'; mood: 'answer' | 'are refused' | 'are slow' | 'come too late' | 'lose their answers' }
  | { do: 'tidy'; worker: number }

type Coupons = readonly (StepCoupon | null)[]

const HAVE_THEM = 0.26
const DICE = 0xc0_0b0e
/** Chosen so that almost all seeds of other mutations keep finding them. */
const HAVE_DICE = 0x4ac6
const MINUTE = 60_000
const HOUR = 3_600_000

export function addCoupons(seed: number, scenario: Omit<Scenario, 'coupons'>, chance: ActContext): Scenario {
  if (!createSeededRandom(seed ^ HAVE_DICE).isLucky(HAVE_THEM)) return { ...scenario, coupons: null }
  const dice = { ...chance, ...createSeededRandom(seed ^ DICE) }
  dice.next()
  const coupons = scenario.channels.map(() => (dice.isLucky(0.75) ? drawCoupon(dice) : null))
  const steps = scenario.steps.map((step) => addInterruption(dice, coupons, step))
  for (let more = dice.between(4, 10); more > 0; more--) {
    const waitMs = dice.weighted({ none: 3, minutes: 4, hour: 2, days: 0.3 })
    const most = { none: 0, minutes: 20 * MINUTE, hour: 2 * HOUR, days: 200 * HOUR }[waitMs]
    steps.splice(dice.between(2, steps.length), 0, { ...drawAct(dice, coupons), waitMs: dice.between(0, most) })
  }
  return { ...scenario, coupons, steps }
}

function drawCoupon(dice: ActContext): StepCoupon {
  const what = dice.weighted({ percentage: 4, fixed: 3, capped: 3 })
  const isPersonal = what === 'capped' || dice.isLucky(0.5)
  return {
    kind: isPersonal ? 'personal' : 'shared',
    percent: what === 'fixed' ? null : dice.pick([500, 1_000, 5_000]),
    amountMinor: what === 'fixed' ? dice.pick([100, 1_000]) : null,
    maxDiscountMinor: what === 'capped' ? dice.pick([50, 300]) : null,
    minSpendMinor: dice.isLucky(0.15) ? dice.pick([1_000, 2_500]) : null,
    usageLimit: !isPersonal && dice.isLucky(0.4) ? dice.between(1, 3) : null,
    endsInHours: dice.isLucky(0.3) ? dice.pick([20, 30, 60, 200]) : null,
    validHours: dice.pick([1, 12, 72]),
    isTiedToEmail: isPersonal && dice.isLucky(0.15),
    fallback: dice.isLucky(0.4) ? 'skip' : 'without',
    isFirstOrderOnly: dice.isLucky(0.15),
    pauseDays: dice.isLucky(0.4) ? dice.pick([1, 90]) : null,
    aboveMinor: dice.isLucky(0.1) ? 2_000 : null,
  }
}

function drawAct(dice: ActContext, coupons: Coupons): Act {
  const what = dice.weighted({ admin: 7, writes: 3, tidy: 2, order: 3, work: 6 })
  if (what === 'tidy') return { do: 'tidy', worker: dice.between(0, 1) }
  if (what === 'order') return drawOrder(dice)
  if (what === 'admin') return drawAdminChange(dice, coupons)
  if (what === 'writes') {
    const moods = { answer: 6, 'are refused': 2, 'are slow': 1, 'come too late': 2, 'lose their answers': 2 }
    return { do: 'coupon writes', mood: dice.weighted(moods) }
  }
  const answers = dice.isLucky(0.3) ? [drawAnswer(dice)] : []
  return {
    do: 'work',
    worker: dice.between(0, 1),
    answers,
    meanwhile: null,
    diesAt: dice.isLucky(0.1) ? dice.between(1, 45) : null,
  }
}

/** Placed by the holder of the code or by a friend; other acts do not use these three orders. */
function drawOrder(dice: ActContext): Act {
  const { email, typedPhone } = dice.pick(dice.people)
  return {
    do: 'order',
    order: dice.between(6, 8),
    kind: dice.weighted({ purchase: 6, pending: 1, cancelled: 1 }),
    email: dice.isLucky(0.8) ? email : null,
    phone: dice.isLucky(0.3) ? typedPhone : null,
    customerId: null,
    items: [[dice.pick(['16', '17', '18']), 1]],
    totalMinor: dice.between(10, 90) * 100,
    refundedMinor: 0,
    isStaff: dice.isLucky(0.06),
    country: null,
    state: null,
    consents: [],
    webhook: dice.weighted({ now: 5, late: 2, twice: 1, lost: 3 }),
    codeOf: dice.between(0, 3),
  }
}

/** Changes a shared coupon, mostly of early steps, because most messages are of the first; or a personal code. */
function drawAdminChange(dice: ActContext, coupons: Coupons): Act {
  const shared = coupons.flatMap((coupon, step) => (coupon?.kind === 'shared' ? [step] : []))
  const isOfCode = shared.length === 0 || (coupons.some((coupon) => coupon?.kind === 'personal') && dice.isLucky(0.4))
  if (isOfCode) return drawCodeChange(dice)
  const change = dice.weighted({ deleted: 3, expired: 2, drafted: 2, 'used up': 3, restored: 2 })
  return { do: 'coupon', step: dice.isLucky(0.6) ? shared[0]! : dice.pick(shared), change }
}

const drawCodeChange = (dice: ActContext): Act => ({
  do: 'code',
  place: Number(dice.weighted({ 0: 4, 1: 2, 2: 1 })),
  change: dice.pick(['deleted', 'expired', 'used up']),
})

/** An order with a code, or a worker pass during which the store's coupons change. */
function addInterruption(dice: ActContext, coupons: Coupons, step: Step): Step {
  if (step.do === 'order' && dice.isLucky(0.25)) return { ...step, codeOf: dice.between(0, 3) }
  if (step.do !== 'work' || step.meanwhile || !dice.isLucky(0.35)) return step
  const at = dice.pick(['page', 'claim', 'evaluate', 'before sending'] as const)
  return { ...step, meanwhile: { at, steps: [{ ...drawAdminChange(dice, coupons), waitMs: 0 }] } }
}
