import { createSeededRandom } from './random.ts'
import type { Act, Contact, Scenario, Step } from './steps.ts'

// In every sixth scenario without web push the shop has the plugin, which reports carts of browsers over a network that
// loses, duplicates and reorders calls, while others forge and replay them. Uses a random stream of its own, so that
// other scenarios stay the same.

export type PluginAct =
  /** A cart changed, and the plugin reports its whole state. It stays queued in the shop until it is acknowledged. */
  | {
      do: 'snapshot'
      browser: number
      items: readonly [id: string, quantity: number][]
      contact: Contact | null
      /** The customer who is signed in to the shop. */
      customerId?: string
      /**
       * `unanswered`: accepted, but the reply was lost, so that it is repeated. `overtaken`: the cart's next state
       * arrives first.
       */
      network: 'now' | 'waits' | 'twice' | 'unanswered' | 'overtaken' | 'altered'
    }
  /** Queued entries arrive, in calls of this many. */
  | { do: 'outbox'; size: number; isReversed: boolean }
  /** Whether Recoup can reach the shop from now on. */
  | { do: 'reach'; isReached: boolean }
  /**
   * The plugin's beat and those that follow at once, each with the requested report. `unanswered`: accepted, but the
   * reply was lost.
   */
  | { do: 'beat'; readingMs: number; network: 'now' | 'lost' | 'unanswered' | 'twice' }
  /** Calls without the secret. */
  | { do: 'forge'; how: 'key' | 'store' | 'late' | 'name' }

const HAVE_IT = 0.16
/** Chosen so that the seeds of other mutations have no plugin. */
const DICE = 0x9_25dc
const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

export function addPlugin(seed: number, scenario: Scenario, emails: readonly string[]): Scenario {
  const dice = createSeededRandom(seed ^ DICE)
  if (!dice.isLucky(HAVE_IT)) return scenario
  const drawLine = (): [string, number] => [dice.pick(['16', '17', '18']), dice.between(1, 3)]
  const snapshot = (network: Extract<PluginAct, { do: 'snapshot' }>['network']): Act => ({
    do: 'snapshot',
    browser: dice.between(0, 2),
    items: dice.isLucky(0.1) ? [] : [drawLine()],
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
  // After a day of downtime, all queued entries arrive at once.
  const day: Step[] = [
    { ...snapshot('waits'), waitMs: MINUTE },
    { ...snapshot('waits'), waitMs: 20 * MINUTE },
    { do: 'outbox', size: dice.between(1, 2), isReversed: dice.isLucky(0.5), waitMs: dice.between(20, 26) * HOUR },
    { do: 'work', worker: 0, answers: [], meanwhile: null, diesAt: null, waitMs: 5 * MINUTE },
  ]
  return { ...scenario, steps: makeUnreachable(seed, [...steps, ...day]) }
}

/** Half of these shops cannot be reached: Recoup learns only what their plugins report. */
const CUT_OFF = 0.5
const CUT_OFF_DICE = 0x0ff_121

function makeUnreachable(seed: number, steps: readonly Step[]): Step[] {
  const dice = createSeededRandom(seed ^ CUT_OFF_DICE)
  if (!dice.isLucky(CUT_OFF)) return [...steps]
  const buildBeat = (): Step => ({
    do: 'beat',
    readingMs: dice.pick([0, 0, 800, 9_000, 40_000]),
    network: dice.weighted({ now: 8, lost: 1, unanswered: 1, twice: 1 }),
    waitMs: dice.between(0, 60 * SECOND),
  })
  const work = (): Step => ({
    do: 'work',
    worker: dice.between(0, 1),
    answers: [],
    meanwhile: null,
    diesAt: null,
    waitMs: dice.pick([0, 5 * SECOND, 30 * SECOND, 61 * SECOND]),
  })
  // A message names the products it needs in its pass; the next beat reports them, and a later pass sends it.
  const withBeats = steps.flatMap((step) =>
    step.do === 'work' && dice.isLucky(0.8) ? [step, buildBeat(), work()] : [step],
  )
  const end: Step[] = [buildBeat(), work(), buildBeat(), work()]
  const all: Step[] = [{ do: 'reach', isReached: false, waitMs: 0 }, ...withBeats, ...end]
  if (dice.isLucky(0.3)) all.splice(dice.between(1, all.length), 0, { do: 'reach', isReached: true, waitMs: MINUTE })
  if (dice.isLucky(0.3)) all.splice(dice.between(1, all.length), 0, { do: 'reach', isReached: false, waitMs: MINUTE })
  return all
}
