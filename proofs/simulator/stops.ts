import { createSeededRandom } from './random.ts'
import type { Act, Scenario, Step } from './steps.ts'

// In every sixth scenario operators suspend and resume the account, and its store rests and wakes, by choice of its
// owner or because of the plan. Uses a random stream of its own, so that other scenarios stay the same.

export type StopAct =
  | { do: 'suspend'; isSuspended: boolean }
  /** Whether the store is first to rest among three; together with the plan it follows whether it does. */
  | { do: 'rest'; isChosen: boolean; plan: 'starter' | 'growth' | null }

const HAVE_THEM = 0.16
const DICE = 0x57_0b5
const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

/** Stores of an account of which one rests. */
export const STORES = 3

export function addStops(seed: number, scenario: Scenario): Scenario {
  const dice = createSeededRandom(seed ^ DICE)
  if (!dice.isLucky(HAVE_THEM)) return scenario
  // Near a limit, or with texts in the plan, plan changes are separate acts.
  const plans = scenario.plan === 'growth' && scenario.channels.every((channel) => channel === 'email')
  const act = (): Act => {
    if (dice.isLucky(0.4)) return { do: 'suspend', isSuspended: dice.isLucky(0.6) }
    const plan = plans && scenario.room === null && dice.isLucky(0.7) ? dice.pick(['starter', 'growth'] as const) : null
    return { do: 'rest', isChosen: dice.isLucky(0.7), plan }
  }
  const steps = scenario.steps.map((step): Step => {
    if (step.do !== 'work' || step.meanwhile || !dice.isLucky(0.25)) return step
    const at = dice.pick(['claim', 'evaluate', 'before sending', 'sent', 'submission'] as const)
    const waitMs = dice.isLucky(0.5) ? 0 : dice.between(2 * SECOND, 40 * SECOND)
    const stop: Act = dice.isLucky(0.4) ? { do: 'suspend', isSuspended: true } : act()
    return {
      ...step,
      meanwhile: {
        at,
        steps: [
          { ...stop, waitMs },
          { do: 'new visit', browser: 2, waitMs },
        ],
      },
    }
  })
  for (let more = dice.between(3, 8); more > 0; more--) {
    const most = dice.pick([0, MINUTE, 20 * MINUTE, 90 * MINUTE])
    steps.splice(dice.between(2, steps.length), 0, { ...act(), waitMs: dice.between(0, most) })
  }
  // Finally everything resumes and a worker runs two passes: held messages are sent, or expire.
  const awake: Step[] = [
    { do: 'suspend', isSuspended: false, waitMs: MINUTE },
    { do: 'rest', isChosen: false, plan: null, waitMs: MINUTE },
  ]
  const work = (waitMs: number): Step => ({
    do: 'work',
    worker: 0,
    answers: [],
    meanwhile: null,
    diesAt: null,
    waitMs,
  })
  return { ...scenario, steps: [...steps, ...awake, work(10 * MINUTE), work(HOUR)] }
}
