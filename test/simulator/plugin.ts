import { createSeededRandom } from './random.ts'
import type { Act, Contact, Scenario, Step } from './steps.ts'

// In every sixth history without web push the shop has the plugin: browsers whose carts it reports, over a way that loses, doubles and reorders,
// beside people who forge and replay. Thrown with dice of their own, so that all other histories stay what they were.

export type PluginAct =
  /** A cart changed, and the plugin tells its whole state. Until it is answered, it waits in the shop. */
  | {
      do: 'snapshot'
      browser: number
      items: readonly [id: string, quantity: number][]
      contact: Contact | null
      /** Who is signed in to the shop. */
      customerId?: string
      /** `unanswered`: taken, and the answer was lost, so that it is sent again. `overtaken`: by the cart's next state. */
      network: 'now' | 'waits' | 'twice' | 'unanswered' | 'overtaken' | 'altered'
    }
  /** What waits in the shop arrives, in calls of so many entries. */
  | { do: 'outbox'; size: number; isReversed: boolean }
  /** Whether Recoup reaches the shop, from now on. */
  | { do: 'reach'; isReached: boolean }
  /** The plugin's beat, and those that follow it at once, each with a report where Recoup asks for one. `unanswered`: taken, and the answer was lost. */
  | { do: 'beat'; readingMs: number; network: 'now' | 'lost' | 'unanswered' | 'twice' }
  /** Somebody without the secret speaks for the shop. */
  | { do: 'forge'; how: 'key' | 'store' | 'late' | 'name' }

const HAVE_IT = 0.16
/** By these none of the histories that notice other mistakes has it. */
const DICE = 0x9_25dc
const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

export function addPlugin(seed: number, scenario: Scenario, emails: readonly string[]): Scenario {
  const dice = createSeededRandom(seed ^ DICE)
  if (!dice.isLucky(HAVE_IT)) return scenario
  const line = (): [string, number] => [dice.pick(['16', '17', '18']), dice.between(1, 3)]
  const snapshot = (network: Extract<PluginAct, { do: 'snapshot' }>['network']): Act => ({
    do: 'snapshot',
    browser: dice.between(0, 2),
    items: dice.isLucky(0.1) ? [] : [line()],
    contact: dice.isLucky(0.6) ? { email: dice.pick(emails) } : null,
    network,
  })
  const act = (): Act => {
    const kind = dice.weighted({ snapshot: 7, outbox: 2, forge: 1 })
    if (kind === 'outbox') return { do: 'outbox', size: dice.between(1, 3), isReversed: dice.isLucky(0.5) }
    if (kind === 'forge') return { do: 'forge', how: dice.pick(['key', 'store', 'late', 'name'] as const) }
    return snapshot(dice.weighted({ now: 6, waits: 6, twice: 1, unanswered: 2, overtaken: 2, altered: 1 }))
  }
  const steps = [...scenario.steps]
  for (let more = dice.between(10, 20); more > 0; more--) {
    const most = dice.pick([0, 30 * SECOND, 20 * MINUTE, 90 * MINUTE])
    steps.splice(dice.between(1, steps.length), 0, { ...act(), waitMs: dice.between(0, most) })
  }
  // Recoup was away for a day, and what waited comes at once.
  const day: Step[] = [
    { ...snapshot('waits'), waitMs: MINUTE },
    { ...snapshot('waits'), waitMs: 20 * MINUTE },
    { do: 'outbox', size: dice.between(1, 2), isReversed: dice.isLucky(0.5), waitMs: dice.between(20, 26) * HOUR },
    { do: 'work', worker: 0, answers: [], meanwhile: null, diesAt: null, waitMs: 5 * MINUTE },
  ]
  return { ...scenario, steps: cutOff(seed, [...steps, ...day]) }
}

/** Half of these shops are out of Recoup's reach: all it learns is what their plugins report. */
const CUT_OFF = 0.5
const CUT_OFF_DICE = 0x0ff_121

function cutOff(seed: number, steps: readonly Step[]): Step[] {
  const dice = createSeededRandom(seed ^ CUT_OFF_DICE)
  if (!dice.isLucky(CUT_OFF)) return [...steps]
  const beat = (): Step => ({
    ...{ do: 'beat', readingMs: dice.pick([0, 0, 800, 9_000, 40_000]) },
    network: dice.weighted({ now: 8, lost: 1, unanswered: 1, twice: 1 }),
    waitMs: dice.between(0, 60 * SECOND),
  })
  const work = (): Step => ({
    ...{ do: 'work', worker: dice.between(0, 1), answers: [], meanwhile: null, diesAt: null },
    waitMs: dice.pick([0, 5 * SECOND, 30 * SECOND, 61 * SECOND]),
  })
  // A message says which goods it needs when it is looked at; the next beat reports them, and a later look sends it.
  const told = steps.flatMap((step) => (step.do === 'work' && dice.isLucky(0.8) ? [step, beat(), work()] : [step]))
  const end: Step[] = [beat(), work(), beat(), work()]
  const all: Step[] = [{ do: 'reach', isReached: false, waitMs: 0 }, ...told, ...end]
  if (dice.isLucky(0.3)) all.splice(dice.between(1, all.length), 0, { do: 'reach', isReached: true, waitMs: MINUTE })
  if (dice.isLucky(0.3)) all.splice(dice.between(1, all.length), 0, { do: 'reach', isReached: false, waitMs: MINUTE })
  return all
}
