import { createSeededRandom } from './random.ts'
import type { Act, Step } from './steps.ts'

// In some histories somebody buys on three days, and the store tells of the last day first: what was counted as a person's first order is
// not: before late webhooks arrive, all is counted. Thrown with dice of their own, so that all other histories stay what they were.

const HAVE_THEM = 0.25
const DICE = 0x1a7e0d
const DAY = 86_400_000

export function addLateOrders(seed: number, steps: readonly Step[], emails: readonly string[]): Step[] {
  const dice = createSeededRandom(seed ^ DICE)
  if (!dice.isLucky(HAVE_THEM)) return [...steps]
  const email = dice.pick(emails)
  // No other order has these numbers.
  const bought = ([6, 7, 8] as const).map((order): Step => {
    const act: Act = {
      ...{ do: 'order', order, kind: 'purchase', email, phone: null, customerId: null, items: [['16', 1]] },
      ...{ totalMinor: order * 1_000, refundedMinor: 0, isStaff: false, country: null, state: null, consents: [] },
      webhook: order === 8 ? 'now' : 'late',
    }
    return { ...act, waitMs: dice.between(DAY, 3 * DAY) }
  })
  return [...steps, ...bought, { do: 'late webhooks arrive', isOld: false, waitMs: 1_000 }]
}
