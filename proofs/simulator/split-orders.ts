import { createSeededRandom } from './random.ts'
import type { Act, Step } from './steps.ts'

// In some scenarios a marketplace stores a purchase as one order plus one per vendor, reports them in any order, and
// changes them later (A6); and a subscription renews (S3). Uses a random stream of its own, so that other scenarios
// stay the same.

const HAVE_THEM = 0.3
const DICE = 0x5b117
/** Other orders do not use these numbers. */
const [WHOLE, FIRST, SECOND, RENEWAL] = [10, 11, 12, 13] as const

export function addSplitOrders(seed: number, steps: readonly Step[], emails: readonly string[]): Step[] {
  const dice = createSeededRandom(seed ^ DICE)
  if (!dice.isLucky(HAVE_THEM)) return [...steps]
  const email = dice.pick(emails)
  const orders: Record<number, Partial<Placed>> = {
    [WHOLE]: { totalMinor: 5_000 },
    [FIRST]: { totalMinor: 2_000, parent: WHOLE },
    [SECOND]: { totalMinor: 3_000, parent: WHOLE },
    [RENEWAL]: { totalMinor: 1_500, isRenewal: true },
  }
  const placeOrder = (order: number, more: Partial<Placed> = {}): Step => ({
    do: 'order',
    order,
    kind: 'purchase',
    email,
    phone: null,
    customerId: null,
    items: [['16', 1]],
    totalMinor: 0,
    refundedMinor: 0,
    isStaff: false,
    country: null,
    state: null,
    consents: [],
    webhook: dice.weighted({ now: 40, late: 20, twice: 10, lost: 20 }),
    ...orders[order],
    ...more,
    waitMs: dice.pick([0, 1_000, 60_000, 3_600_000]),
  })
  const placed = shuffle(dice, [WHOLE, FIRST, SECOND]).map((order) => placeOrder(order))
  const changes = [WHOLE, FIRST, SECOND]
    .filter(() => dice.isLucky(0.4))
    .map((order) => placeOrder(order, dice.isLucky(0.5) ? { kind: 'cancelled' } : { refundedMinor: 500 }))
  const renewed = dice.isLucky(0.6)
    ? [placeOrder(RENEWAL, { kind: dice.pick(['purchase', 'pending']) }), placeOrder(RENEWAL)]
    : []
  const at = dice.between(0, steps.length)
  const split = [...placed, ...(dice.isLucky(0.5) ? changes : [])]
  const late: Step[] = [...changes, { do: 'late webhooks arrive', isOld: dice.isLucky(0.5), waitMs: 1_000 }]
  return [...renewed, ...steps.slice(0, at), ...split, ...steps.slice(at), ...late]
}

type Placed = Extract<Act, { do: 'order' }>

function shuffle<T>(dice: ReturnType<typeof createSeededRandom>, all: readonly T[]): T[] {
  const remaining = [...all]
  return all.map(() => remaining.splice(dice.between(0, remaining.length - 1), 1)[0]!)
}
