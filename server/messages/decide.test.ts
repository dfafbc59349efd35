import { describe, expect, test } from 'vitest'
import { backOff, type DecisionInputs, decide } from './decide.ts'
import { drawArm, monthOf } from './judge-inputs.ts'

const now = new Date('2026-03-02T15:00:00.000Z')
const at = (ms: number) => new Date(now.getTime() + ms)
const HOUR = 3_600_000
const expiresAt = at(20 * HOUR)

/** Everything is well: the message goes out. */
function allWell(): DecisionInputs {
  return {
    now,
    message: { step: 1, channel: 'email', dueAt: at(-4 * HOUR), expiresAt, attempts: 0 },
    isInstancePaused: false,
    store: { isActive: true, hasSender: true },
    origin: { isOn: true, holdoutBps: 1_000 },
    byHand: null,
    text: null,
    isSuperseded: false,
    cart: { status: 'abandoned', abandonAt: at(-4 * HOUR), pendingUntil: null },
    matchingPurchase: null,
    person: { arm: 'treated', isMember: false, drawnArm: 'treated' },
    address: 'ada@shoppers.example',
    suppression: null,
    consent: {
      ...{ channel: 'email', country: 'US', countrySource: 'address' },
      ...{ word: null, hasBoughtBefore: false, relaxations: [] },
    },
    fencePulledAt: at(-30_000),
    cap: { used: 0, max: 3, freesAt: null },
    plan: { used: 0, limit: 500, renewsAt: at(700 * HOUR) },
    receiver: null,
    renderProblem: () => null,
  }
}

const aNo = { evidence: 'withdrawn', id: 'row', source: 'STOP by SMS', at: '2026-03-01T00:00:00.000Z' }

type Problem = [string, 'hold' | 'skip' | 'cancel', (inputs: DecisionInputs) => void]

/** In the order of D2, the last to be looked at first: each problem is added to all those behind it. */
const PROBLEMS: Problem[] = [
  ['plan_limit', 'hold', (inputs) => Object.assign(inputs.plan, { used: 500 })],
  ['receiver_paused', 'hold', (inputs) => Object.assign(inputs, { receiver: { heldUntil: at(HOUR) } })],
  ['render_failed:empty_body', 'skip', (inputs) => Object.assign(inputs, { renderProblem: () => 'empty_body' })],
  ['frequency_cap', 'hold', (inputs) => Object.assign(inputs.cap, { used: 3, freesAt: at(HOUR) })],
  ['store_unreachable', 'hold', (inputs) => Object.assign(inputs, { fencePulledAt: at(-900_001) })],
  ['no_consent', 'hold', (inputs) => Object.assign(inputs.consent, { country: 'BR' })],
  ['consent_withdrawn', 'skip', (inputs) => Object.assign(inputs.consent, { word: aNo })],
  ['no_contact', 'hold', (inputs) => Object.assign(inputs, { address: null })],
  ['suppressed_hard_bounce', 'skip', (inputs) => Object.assign(inputs, { suppression: 'hard_bounce' })],
  ['holdout', 'skip', (inputs) => Object.assign(inputs.person, { arm: 'control' })],
  ['purchase_in_progress', 'hold', (inputs) => Object.assign(inputs.cart, { pendingUntil: at(HOUR) })],
  ['cart_active', 'hold', (inputs) => Object.assign(inputs.cart, { status: 'active', abandonAt: at(HOUR) })],
  ['superseded', 'skip', (inputs) => Object.assign(inputs, { isSuperseded: true })],
  ['emptied', 'cancel', (inputs) => Object.assign(inputs.cart, { status: 'emptied' })],
  ['purchased', 'cancel', (inputs) => Object.assign(inputs, { matchingPurchase: { orderId: '1' } })],
  ['sender_missing', 'hold', (inputs) => Object.assign(inputs.store, { hasSender: false })],
  ['flow_off', 'hold', (inputs) => Object.assign(inputs.origin!, { isOn: false })],
  ['disconnected', 'cancel', (inputs) => Object.assign(inputs.store, { isActive: false })],
  ['flow_removed', 'cancel', (inputs) => Object.assign(inputs, { origin: null })],
  ['instance_paused', 'hold', (inputs) => Object.assign(inputs, { isInstancePaused: true })],
]

test('a message with nothing against it goes out (D2)', () => {
  expect(decide(allWell())).toMatchObject({ outcome: 'send', reason: 'ok', permit: 'decision' })
})

test.each(
  PROBLEMS.map(([reason], index) => [reason, index] as const),
)('%s decides, whatever later check would fail too (D2)', (_, index) => {
  const alone = allWell()
  PROBLEMS[index]![2](alone)
  const withAllLater = allWell()
  for (const [, , spoil] of PROBLEMS.slice(0, index + 1)) spoil(withAllLater)
  const [reason, outcome] = PROBLEMS[index]!
  expect(decide(alone)).toMatchObject({ outcome, reason })
  expect(decide(withAllLater)).toMatchObject({ outcome, reason })
})

test.each(['recovered', 'purchased'] as const)('a %s cart is cancelled as purchased (S3)', (status) => {
  const inputs = { ...allWell(), cart: { status, abandonAt: null, pendingUntil: null } }
  expect(decide(inputs)).toEqual({ outcome: 'cancel', reason: 'purchased' })
})

test.each(['emptied', 'lost', 'merged'] as const)('a %s cart is cancelled as such (D2)', (status) => {
  const inputs = { ...allWell(), cart: { status, abandonAt: null, pendingUntil: null } }
  expect(decide(inputs)).toEqual({ outcome: 'cancel', reason: status })
})

test('what is rendered is rendered last but for the plan: earlier checks spare the work (D2)', () => {
  let count = 0
  const renderProblem = () => {
    count += 1
    return null
  }
  const counted = { ...allWell(), renderProblem }
  decide({ ...counted, suppression: 'unsubscribed' })
  decide({ ...counted, fencePulledAt: null })
  expect(count).toBe(0)
  decide(counted)
  expect(count).toBe(1)
})

describe('too old (D7)', () => {
  const old = (spoil: (inputs: DecisionInputs) => void) => {
    const inputs = allWell()
    inputs.message.expiresAt = now
    spoil(inputs)
    return decide(inputs)
  }

  test('at the age limit itself it is over, a moment before it is not', () => {
    expect(old(() => {})).toEqual({ outcome: 'skip', reason: 'too_old' })
    expect(old((inputs) => Object.assign(inputs.message, { expiresAt: at(1) }))).toMatchObject({ outcome: 'send' })
  })

  test.each(
    PROBLEMS.filter(([, outcome]) => outcome === 'hold').map(([reason, , spoil]) => [reason, spoil] as const),
  )('nothing is held past it for %s: a hold that ends at once would be decided for ever', (_, spoil) =>
    expect(old(spoil)).toEqual({ outcome: 'skip', reason: 'too_old' }))

  test('a final reason that comes earlier is told instead', () => {
    expect(old((inputs) => Object.assign(inputs.cart, { status: 'purchased' }))).toMatchObject({ reason: 'purchased' })
  })
})

describe('how long a hold lasts (D2)', () => {
  const until = (spoil: (inputs: DecisionInputs) => void) => {
    const inputs = allWell()
    spoil(inputs)
    const decision = decide(inputs)
    return decision.outcome === 'hold' ? decision.until : null
  }

  test('an active cart is looked at when it may be abandoned, a payment when its time is over', () => {
    const active = { status: 'active', abandonAt: at(HOUR), pendingUntil: null } as const
    expect(until((inputs) => Object.assign(inputs, { cart: active }))).toEqual(at(HOUR))
    expect(until((inputs) => Object.assign(inputs.cart, { pendingUntil: at(2 * HOUR) }))).toEqual(at(2 * HOUR))
  })

  test('never in the past, so that nothing spins', () => {
    const late = { status: 'active', abandonAt: at(-HOUR), pendingUntil: null } as const
    expect(until((inputs) => Object.assign(inputs, { cart: late }))).toEqual(at(1_000))
    expect(until((inputs) => Object.assign(inputs.cap, { used: 3, freesAt: at(-5) }))).toEqual(at(1_000))
    expect(until((inputs) => Object.assign(inputs.cap, { used: 3, freesAt: null }))).toEqual(at(1_000))
  })

  test('the cap frees with its oldest message, the plan with the month', () => {
    expect(until((inputs) => Object.assign(inputs.cap, { used: 3, freesAt: at(HOUR) }))).toEqual(at(HOUR))
    expect(until((inputs) => Object.assign(inputs.plan, { used: 500 }))).toEqual(at(700 * HOUR))
  })

  test('a plan without an end never holds', () => {
    expect(until((inputs) => Object.assign(inputs.plan, { used: 1_000_000, limit: -1 }))).toBeNull()
  })
})

describe('the fence (D3)', () => {
  const pulled = (ms: number | null) => decide({ ...allWell(), fencePulledAt: ms === null ? null : at(ms) })

  test('a pull of the last minute is proof, one of the last 15 minutes is said to be degraded, an older one is none', () => {
    expect(pulled(0)).toMatchObject({ outcome: 'send', reason: 'ok' })
    expect(pulled(-60_000)).toMatchObject({ outcome: 'send', reason: 'ok' })
    expect(pulled(-60_001)).toMatchObject({ outcome: 'send', reason: 'fence_degraded' })
    expect(pulled(-900_000)).toMatchObject({ outcome: 'send', reason: 'fence_degraded' })
    expect(pulled(-900_001)).toMatchObject({ outcome: 'hold', reason: 'store_unreachable' })
    expect(pulled(null)).toMatchObject({ outcome: 'hold', reason: 'store_unreachable' })
  })

  test('a pull dated in the future is the word of a clock that stepped back, and proves nothing (T4)', () => {
    expect(pulled(1)).toMatchObject({ outcome: 'hold', reason: 'store_unreachable' })
  })
})

describe('the draw (F1)', () => {
  const drawn = (person: Partial<DecisionInputs['person']>, spoil: (inputs: DecisionInputs) => void = () => {}) => {
    const inputs = { ...allWell(), person: { arm: null, isMember: false, drawnArm: 'control' as const, ...person } }
    spoil(inputs)
    return decide(inputs)
  }

  test('a contactable person is drawn, and a held-out one skipped', () => {
    expect(drawn({})).toEqual({ outcome: 'skip', reason: 'holdout', assignArm: 'control' })
    expect(drawn({ drawnArm: 'treated' })).toEqual({
      outcome: 'send',
      permit: 'decision',
      reason: 'ok',
      assignArm: 'treated',
    })
  })

  test('what was drawn is kept even when a later check holds the message', () => {
    const isAway = (inputs: DecisionInputs) => Object.assign(inputs, { fencePulledAt: null })
    expect(drawn({ drawnArm: 'treated' }, isAway)).toMatchObject({ reason: 'store_unreachable', assignArm: 'treated' })
    expect(drawn({}, isAway)).toEqual({ outcome: 'skip', reason: 'holdout', assignArm: 'control' })
  })

  test('nobody is drawn before they may be contacted', () => {
    for (const index of [5, 6, 7, 8]) expect(drawn({}, PROBLEMS[index]![2])).not.toHaveProperty('assignArm')
  })

  test('members of the account, and everybody at a share of 0, are never held out', () => {
    expect(drawn({ isMember: true })).toEqual({ outcome: 'send', permit: 'decision', reason: 'ok' })
    expect(drawn({ isMember: true, arm: 'control' })).toEqual({ outcome: 'send', permit: 'decision', reason: 'ok' })
    const noShare = (inputs: DecisionInputs) => Object.assign(inputs, { origin: { isOn: true, holdoutBps: 0 } })
    expect(drawn({}, noShare)).toEqual({ outcome: 'send', permit: 'decision', reason: 'ok' })
  })

  test('the arm is always the same for one shopper and experiment, and the share is what was asked for', () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => `shopper-${n}`)
    for (const bps of [0, 1_000, 5_000]) {
      const control = ids.filter((id) => drawArm(id, 'salt', bps) === 'control').length
      expect(Math.abs(control - bps)).toBeLessThan(150) // three standard deviations of 10,000 draws
    }
    const arms = (salt: string, bps: number) => ids.map((id) => drawArm(id, salt, bps))
    expect(arms('salt', 1_000)).toEqual(arms('salt', 1_000))
    expect(arms('salt', 1_000)).not.toEqual(arms('other', 1_000))
    // Whoever is held out at 10 % is so at 50 % too: a larger share adds people and swaps none.
    const isNested = ids.every(
      (id) => drawArm(id, 'salt', 1_000) === 'treated' || drawArm(id, 'salt', 5_000) === 'control',
    )
    expect(isNested).toBe(true)
  })
})

test('retries wait 30 s, then twice as long each time, a quarter of an hour at most (D4)', () => {
  const waits = (attempts: number, jitter: number) => backOff(now, attempts, jitter).getTime() - now.getTime()
  expect([0, 1, 2, 3, 4, 5, 6, 1_000, 1e9].map((attempts) => waits(attempts, 0.5))).toEqual([
    30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000, 900_000,
  ])
  expect(waits(0, 0)).toBe(27_000)
  expect(waits(0, 1)).toBe(33_000)
})

test('a month is a calendar month in UTC (decision 6)', () => {
  expect(monthOf(new Date('2026-03-31T23:59:59.999Z'))).toBe('2026-03-01')
  expect(monthOf(new Date('2026-04-01T00:00:00.000Z'))).toBe('2026-04-01')
})
