import { chanceOf } from './random.ts'
import type { Act, Scenario, Step } from './steps.ts'

// In some histories a browser that knows somebody's address types it, fills a cart of its own in their name and empties it: before the person's
// own browser, beside it, or behind it. They come last, with dice of their own, so that all other histories stay what they were.

const HAVE_THEM = 0.2
const DICE = 0x57_4a6e
const MINUTE = 60_000

export function withStrangers(seed: number, scenario: Scenario, emails: readonly string[]): Scenario {
  const dice = chanceOf(seed ^ DICE)
  if (!dice.isLucky(HAVE_THEM)) return scenario
  const email = dice.pick(emails)
  const [own, strange] = dice.pick([
    [0, 1],
    [1, 2],
    [2, 0],
  ] as const)
  const post = (browser: number, more: Partial<Extract<Act, { do: 'post' }>>): Step => ({
    ...{ do: 'post', browser, isNewPage: dice.isLucky(0.5), items: null, coupons: [], contact: null, consent: null },
    ...{ network: dice.weighted({ now: 8, twice: 1, left: 1 }), waitMs: dice.pick([0, 1_000, MINUTE, 20 * MINUTE]) },
    ...more,
  })
  const work = (): Step => ({
    ...{ do: 'work', worker: 0, answers: [], meanwhile: null, diesAt: null },
    waitMs: dice.pick([MINUTE, 20 * MINUTE, 90 * MINUTE]),
  })
  const filled = post(own, { items: [['16', dice.between(1, 3)]], contact: { email } })
  const named = post(strange, { contact: { email, firstName: 'Mallory' } })
  const junk = post(strange, { items: [['18', 9]], ...(dice.isLucky(0.5) && { contact: { email } }) })
  const emptied = post(strange, { items: [] })
  const refused = post(strange, { contact: { email }, consent: { email: false } })
  const acts = dice.pick([
    [filled, named, junk, emptied],
    [named, filled, junk, work(), emptied],
    [junk, filled, named, emptied],
    [filled, work(), named, junk, work(), emptied, refused],
    [named, junk, emptied, filled, post(strange, { items: [] }), refused],
  ])
  const visits = [own, strange].map((browser): Step => ({ do: 'new visit', browser, waitMs: 0 }))
  const end = [work(), work(), post(own, { items: [] })]
  return { ...scenario, steps: [...scenario.steps, ...visits, ...acts, ...end] }
}
