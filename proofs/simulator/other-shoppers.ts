import { createSeededRandom } from './random.ts'
import type { Act, Scenario, Step } from './steps.ts'

// In some scenarios a browser types another person's address, fills a cart of its own with it and empties it: before,
// during or after visits of the person's own browser. Runs last, with a random stream of its own, so that other
// scenarios stay the same.

const HAVE_THEM = 0.2
const DICE = 0x57_4a6e
const MINUTE = 60_000

export function addOtherShoppers(seed: number, scenario: Scenario, emails: readonly string[]): Scenario {
  const dice = createSeededRandom(seed ^ DICE)
  if (!dice.isLucky(HAVE_THEM)) return scenario
  const email = dice.pick(emails)
  const [own, strange] = dice.pick([
    [0, 1],
    [1, 2],
    [2, 0],
  ] as const)
  const post = (browser: number, more: Partial<Extract<Act, { do: 'post' }>>): Step => ({
    do: 'post',
    browser,
    isNewPage: dice.isLucky(0.5),
    items: null,
    coupons: [],
    contact: null,
    consent: null,
    network: dice.weighted({ now: 8, twice: 1, left: 1 }),
    waitMs: dice.pick([0, 1_000, MINUTE, 20 * MINUTE]),
    ...more,
  })
  const work = (): Step => ({
    do: 'work',
    worker: 0,
    answers: [],
    meanwhile: null,
    diesAt: null,
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

const HAVE_ERASED = 0.12
const ERASED_DICE = 0x0e_9a5e
const HOUR = 60 * MINUTE

/**
 * Another browser names a person and then an erased person; or it comes days after the cart changed, and a day after
 * the shopper's browser reported it again. Uses a random stream of its own, after all others.
 */
export function addErasedNames(seed: number, scenario: Scenario, emails: readonly string[]): Scenario {
  const dice = createSeededRandom(seed ^ ERASED_DICE)
  if (!dice.isLucky(HAVE_ERASED)) return scenario
  const [person, erasedPerson, third] = dice.pick([
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
  ] as const)
  const [email, erased] = [emails[person]!, emails[erasedPerson]!]
  const wait = () => dice.pick([0, 1_000, MINUTE, 20 * MINUTE])
  const post = (browser: number, items: [string, number][], named: string | null, waitMs = wait()): Step => ({
    do: 'post',
    browser,
    isNewPage: dice.isLucky(0.5),
    items,
    coupons: [],
    consent: null,
    network: 'now',
    waitMs,
    contact: named === null ? null : { email: named },
  })
  const work = (): Step => ({
    do: 'work',
    worker: 0,
    answers: [],
    meanwhile: null,
    diesAt: null,
    waitMs: dice.pick([MINUTE, 20 * MINUTE, 90 * MINUTE]),
  })
  const had: [string, number][] = [['16', dice.between(1, 3)]]
  const buildNewVisit = (browser: number): Step => ({ do: 'new visit', browser, waitMs: 0 })
  const erase: Step = { do: 'erase', person: erasedPerson, kind: 'email', isRunNow: dice.isLucky(0.3), waitMs: wait() }
  const known = [0, 1, 2].map(buildNewVisit).concat(post(third, [['17', 1]], erased), post(person, had, email))
  const strange = erasedPerson
  const naming = [
    post(strange, [['18', 9]], email),
    post(person, had, null),
    erase,
    post(strange, dice.isLucky(0.5) ? [] : [['18', 8]], erased),
    post(strange, [], erased),
    work(),
    post(third, [], erased),
    post(person, [], dice.isLucky(0.5) ? erased : null),
  ]
  const aging = [
    work(),
    buildNewVisit(person),
    post(person, had, email, dice.between(30, 47) * HOUR),
    post(strange, [['18', 9]], email, dice.between(20, 40) * HOUR),
    post(strange, [], null),
    work(),
  ]
  return { ...scenario, steps: [...scenario.steps, ...known, ...(dice.isLucky(0.6) ? naming : aging)] }
}
