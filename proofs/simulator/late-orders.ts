import { createSeededRandom } from './random.ts'
import type { Act, Step } from './steps.ts'

// In some scenarios a person buys on three days, and the store reports the last day first. What counted as a first
// order has to be recounted before late webhooks arrive. Uses a random stream of its own, so that other scenarios stay
// the same.

const HAVE_THEM = 0.25
const DICE = 0x1a7e0d
const DAY = 86_400_000

export function addLateOrders(seed: number, steps: readonly Step[], emails: readonly string[]): Step[] {
  const dice = createSeededRandom(seed ^ DICE)
  if (!dice.isLucky(HAVE_THEM)) return [...steps]
  const email = dice.pick(emails)
  // Other orders do not use these numbers.
  const orderSteps = ([6, 7, 8] as const).map((order): Step => {
    const act: Act = {
      do: 'order',
      order,
      kind: 'purchase',
      email,
      phone: null,
      customerId: null,
      items: [['16', 1]],
      totalMinor: order * 1_000,
      refundedMinor: 0,
      isStaff: false,
      country: null,
      state: null,
      consents: [],
      webhook: order === 8 ? 'now' : 'late',
    }
    return { ...act, waitMs: dice.between(DAY, 3 * DAY) }
  })
  return [...steps, ...orderSteps, { do: 'late webhooks arrive', isOld: false, waitMs: 1_000 }]
}
