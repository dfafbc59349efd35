import { describe, expect, test } from 'vitest'
import { formatMonth } from '../../billing/billing/rules.ts'
import { backOff, type DecisionInputs, decide, findCartProblem } from './decide.ts'
import { drawArm } from './decision-inputs.ts'

const now = new Date('2026-03-02T15:00:00.000Z')
const at = (ms: number) => new Date(now.getTime() + ms)
const HOUR = 3_600_000
const expiresAt = at(20 * HOUR)

/** Inputs that pass every check. */
function buildSendableInputs(): DecisionInputs {
  return {
    now,
    message: { step: 1, channel: 'email', dueAt: at(-4 * HOUR), expiresAt },
    isInstancePaused: false,
    store: { isActive: true, isSuspended: false, isResting: false, isPaused: false, hasSender: true },
    hasMailRoute: true,
    mailRestsUntil: null,
    origin: { isOn: true, isStepRemoved: false, holdoutBps: 1_000 },
    manual: null,
    campaign: null,
    text: null,
    condition: null,
    isSuperseded: false,
    cart: { status: 'abandoned', abandonAt: at(-4 * HOUR) },
    pendingUntil: null,
    matchingPurchase: null,
    person: { arm: 'treated', isMember: false, isInProgress: false, drawnArm: 'treated' },
    address: 'ada@shoppers.example',
    suppression: null,
    consent: {
      channel: 'email',
      country: 'US',
      countrySource: 'address',
      word: null,
      hasBoughtBefore: false,
      overrides: [],
    },
    orderCheck: { startedAt: at(-30_000), problem: null, detail: null, nextTryAt: now },
    isAllUnavailable: false,
    coupon: null,
    cap: { used: 0, max: 3, freesAt: null },
    plan: { used: 0, limit: 500, renewsAt: at(700 * HOUR) },
    recipientDomain: null,
    isContactUnconfirmed: false,
    renderProblem: () => null,
    quiet: null,
    firstMails: null,
  }
}

const withdrawnConsent = { evidence: 'withdrawn', id: 'row', source: 'STOP by SMS', at: '2026-03-01T00:00:00.000Z' }

const pendingCoupon = { outcome: 'waiting', reason: 'coupon_pending', until: at(60_000), code: 'CART', refusal: null }

type Problem = [string, 'hold' | 'skip' | 'cancel', (inputs: DecisionInputs) => void]

/** In reverse order of D2: each problem is added to all later ones. */
const PROBLEMS: Problem[] = [
  ['plan_limit', 'hold', (inputs) => Object.assign(inputs.plan, { used: 500 })],
  ['new_account', 'hold', (inputs) => Object.assign(inputs, { firstMails: { sent: 50, limit: 50 } })],
  ['domain_throttled', 'hold', (inputs) => Object.assign(inputs, { recipientDomain: { heldUntil: at(HOUR) } })],
  ['mail_server_away', 'hold', (inputs) => Object.assign(inputs, { mailRestsUntil: at(HOUR) })],
  ['render_failed:empty_body', 'skip', (inputs) => Object.assign(inputs, { renderProblem: () => 'empty_body' })],
  ['coupon_pending', 'hold', (inputs) => Object.assign(inputs, { coupon: pendingCoupon })],
  ['frequency_cap', 'hold', (inputs) => Object.assign(inputs.cap, { used: 3, freesAt: at(HOUR) })],
  ['items_gone', 'skip', (inputs) => Object.assign(inputs, { isAllUnavailable: true })],
  ['store_unreachable', 'hold', (inputs) => Object.assign(inputs.orderCheck, { startedAt: at(-60_001) })],
  ['no_consent', 'hold', (inputs) => Object.assign(inputs.consent, { country: 'BR' })],
  ['consent_withdrawn', 'skip', (inputs) => Object.assign(inputs.consent, { word: withdrawnConsent })],
  ['no_contact', 'hold', (inputs) => Object.assign(inputs, { address: null })],
  ['suppressed_hard_bounce', 'skip', (inputs) => Object.assign(inputs, { suppression: 'hard_bounce' })],
  ['holdout', 'skip', (inputs) => Object.assign(inputs.person, { arm: 'control' })],
  ['condition', 'skip', (inputs) => Object.assign(inputs, { condition: { holds: false, values: { items: 1 } } })],
  ['purchase_in_progress', 'hold', (inputs) => Object.assign(inputs, { pendingUntil: at(HOUR) })],
  ['cart_active', 'hold', (inputs) => Object.assign(inputs.cart!, { status: 'active', abandonAt: at(HOUR) })],
  ['superseded', 'skip', (inputs) => Object.assign(inputs, { isSuperseded: true })],
  ['emptied', 'cancel', (inputs) => Object.assign(inputs.cart!, { status: 'emptied' })],
  ['purchased', 'cancel', (inputs) => Object.assign(inputs, { matchingPurchase: { orderId: '1' } })],
  ['mail_not_configured', 'hold', (inputs) => Object.assign(inputs, { hasMailRoute: false })],
  ['sender_missing', 'hold', (inputs) => Object.assign(inputs.store, { hasSender: false })],
  ['flow_off', 'hold', (inputs) => Object.assign(inputs.origin!, { isOn: false })],
  ['sending_paused', 'hold', (inputs) => Object.assign(inputs.store, { isPaused: true })],
  ['store_resting', 'hold', (inputs) => Object.assign(inputs.store, { isResting: true })],
  ['account_suspended', 'hold', (inputs) => Object.assign(inputs.store, { isSuspended: true })],
  ['disconnected', 'cancel', (inputs) => Object.assign(inputs.store, { isActive: false })],
  ['step_removed', 'cancel', (inputs) => Object.assign(inputs.origin!, { isStepRemoved: true })],
  ['flow_removed', 'cancel', (inputs) => Object.assign(inputs, { origin: null })],
  ['instance_paused', 'hold', (inputs) => Object.assign(inputs, { isInstancePaused: true })],
]

test('a contact typed beyond the limits on new contacts holds the message with its own reason (X5)', () => {
  const inputs = { ...buildSendableInputs(), address: null, isContactUnconfirmed: true }
  expect(decide(inputs)).toMatchObject({ outcome: 'hold', reason: 'contact_unconfirmed' })
  expect(decide({ ...inputs, address: 'ada@shoppers.example' })).toMatchObject({ outcome: 'send' })
})

test('a message that passes all checks is sent (D2)', () => {
  expect(decide(buildSendableInputs())).toMatchObject({ outcome: 'send', reason: 'ok', sendAuthorization: 'decision' })
})

test.each(
  PROBLEMS.map(([reason], index) => [reason, index] as const),
)('%s decides, even if a later check would fail too (D2)', (_, index) => {
  const alone = buildSendableInputs()
  PROBLEMS[index]![2](alone)
  const withAllLater = buildSendableInputs()
  const [reason, outcome] = PROBLEMS[index]!
  // A step without an address has no later one that goes instead of it.
  const added = PROBLEMS.slice(0, index + 1).filter(([other]) => !(reason === 'superseded' && other === 'no_contact'))
  for (const [, , spoil] of added) spoil(withAllLater)
  expect(decide(alone)).toMatchObject({ outcome, reason })
  expect(decide(withAllLater)).toMatchObject({ outcome, reason })
})

/** Checks that only messages with a cart have. */
const OF_CART = ['cart_active', 'superseded', 'emptied']

describe('a message without a cart', () => {
  const withoutCart = (inputs: DecisionInputs) => Object.assign(inputs, { cart: null })
  const others = PROBLEMS.filter(([reason]) => !OF_CART.includes(reason))

  test('is sent when it passes all checks, and is never superseded (D2)', () => {
    const inputs = Object.assign(withoutCart(buildSendableInputs()), { isSuperseded: true })
    expect(decide(inputs)).toMatchObject({ outcome: 'send', reason: 'ok', sendAuthorization: 'decision' })
  })

  test.each(
    others.map(([reason], index) => [reason, index] as const),
  )('%s decides, even if a later check would fail too (D2)', (_, index) => {
    const [alone, withAllLater] = [withoutCart(buildSendableInputs()), withoutCart(buildSendableInputs())]
    const [reason, outcome, spoil] = others[index]!
    spoil(alone)
    for (const [, , add] of others.slice(0, index + 1)) add(withAllLater)
    // A purchase ends the cart; a message without one is not sent.
    const expected = { outcome: reason === 'purchased' ? 'skip' : outcome, reason }
    expect(decide(alone)).toMatchObject(expected)
    expect(decide(withAllLater)).toMatchObject(expected)
  })

  test('is too old at its age limit and not held beyond it (D7)', () => {
    const inputs = Object.assign(withoutCart(buildSendableInputs()), { now: expiresAt, pendingUntil: at(40 * HOUR) })
    expect(decide(inputs)).toEqual({ outcome: 'skip', reason: 'too_old' })
  })

  test('as a text waits for quiet hours and the monthly budget like all others (T2)', () => {
    const text = {
      isConfigured: true,
      isInPlan: true,
      isTemplateMissing: false,
      refusal: null,
      isOncePerCart: false,
      coolUntil: null,
      quietUntil: at(HOUR),
      isQuietAt: () => true,
      spreadMs: 0,
      isOverBudget: () => true,
      isPaidByCredits: () => false,
    }
    const inputs = Object.assign(withoutCart(buildSendableInputs()), { text })
    expect(decide(inputs)).toMatchObject({ outcome: 'hold', reason: 'quiet_hours', until: at(HOUR) })
    Object.assign(text, { quietUntil: null })
    expect(decide(inputs)).toMatchObject({ outcome: 'hold', reason: 'budget' })
  })
})

test('`findCartProblem` covers cart, shopper and goods, and ignores what stops the store', () => {
  const ofStore = [
    'plan_limit',
    'new_account',
    'domain_throttled',
    'mail_server_away',
    'render_failed:empty_body',
    'store_unreachable',
    'coupon_pending',
    // Only steps have a minimum: a manual message has none.
    'condition',
  ]
  const ofCart = PROBLEMS.slice(0, 20).filter(([reason]) => !ofStore.includes(reason))
  const spoiled = (problems: Problem[]) => {
    const inputs = buildSendableInputs()
    // Without a flow there is no control group.
    for (const [reason, , spoil] of problems) if (reason !== 'flow_removed') spoil(inputs)
    return findCartProblem(inputs)
  }
  const others = PROBLEMS.filter((problem) => !ofCart.includes(problem))
  expect(others).toHaveLength(18)
  expect(spoiled(others)).toBeNull()
  for (const problem of ofCart) expect(spoiled([...others, problem])).toBe(problem[0])
})

test.each(['recovered', 'purchased'] as const)('a %s cart is cancelled as purchased (S3)', (status) => {
  const inputs = { ...buildSendableInputs(), cart: { status, abandonAt: null } }
  expect(decide(inputs)).toEqual({ outcome: 'cancel', reason: 'purchased' })
})

test.each(['emptied', 'lost', 'merged'] as const)('a %s cart is cancelled as such (D2)', (status) => {
  const inputs = { ...buildSendableInputs(), cart: { status, abandonAt: null } }
  expect(decide(inputs)).toEqual({ outcome: 'cancel', reason: status })
})

test('rendering comes after all checks except the plan (D2)', () => {
  let count = 0
  const renderProblem = () => {
    count += 1
    return null
  }
  const counted = { ...buildSendableInputs(), renderProblem }
  decide({ ...counted, suppression: 'unsubscribed' })
  decide({ ...counted, orderCheck: { ...counted.orderCheck, startedAt: null } })
  expect(count).toBe(0)
  decide(counted)
  expect(count).toBe(1)
})

describe('too old (D7)', () => {
  const old = (spoil: (inputs: DecisionInputs) => void) => {
    const inputs = buildSendableInputs()
    inputs.message.expiresAt = now
    spoil(inputs)
    return decide(inputs)
  }

  test('a message is too old exactly at the age limit, not a moment before', () => {
    expect(old(() => {})).toEqual({ outcome: 'skip', reason: 'too_old' })
    expect(old((inputs) => Object.assign(inputs.message, { expiresAt: at(1) }))).toMatchObject({ outcome: 'send' })
  })

  test.each(
    PROBLEMS.filter(([, outcome]) => outcome === 'hold').map(([reason, , spoil]) => [reason, spoil] as const),
  )('nothing is held past it for %s: a hold that ends at once would be decided for ever', (held, spoil) =>
    expect(old(spoil)).toEqual({
      outcome: 'skip',
      reason: held === 'no_contact' ? 'too_old:no_contact' : 'too_old',
    }))

  test('a step without an address is held, then closed for the missing contact, not as superseded', () => {
    const nameless = { ...buildSendableInputs(), address: null, isSuperseded: true }
    expect(decide(nameless)).toEqual({ outcome: 'hold', reason: 'no_contact', until: expiresAt })
    expect(old((inputs) => Object.assign(inputs, { address: null, isSuperseded: true }))).toEqual({
      outcome: 'skip',
      reason: 'too_old:no_contact',
    })
    const typed = { address: null, isSuperseded: true, isContactUnconfirmed: true }
    expect(old((inputs) => Object.assign(inputs, typed))).toMatchObject({ reason: 'too_old:contact_unconfirmed' })
    // Once the address is there, only the newest due step goes.
    expect(decide({ ...nameless, address: 'ada@shoppers.example' })).toEqual({ outcome: 'skip', reason: 'superseded' })
  })

  test('an earlier final reason takes precedence', () => {
    expect(old((inputs) => Object.assign(inputs.cart!, { status: 'purchased' }))).toMatchObject({ reason: 'purchased' })
  })
})

describe('how long a hold lasts (D2)', () => {
  const until = (spoil: (inputs: DecisionInputs) => void) => {
    const inputs = buildSendableInputs()
    spoil(inputs)
    const decision = decide(inputs)
    return decision.outcome === 'hold' ? decision.until : null
  }

  test('an active cart holds until it may be abandoned, a pending payment until its time is over', () => {
    const active = { status: 'active', abandonAt: at(HOUR) } as const
    expect(until((inputs) => Object.assign(inputs, { cart: active }))).toEqual(at(HOUR))
    expect(until((inputs) => Object.assign(inputs, { pendingUntil: at(2 * HOUR) }))).toEqual(at(2 * HOUR))
  })

  test('a hold never ends in the past, so that decisions do not loop', () => {
    const late = { status: 'active', abandonAt: at(-HOUR) } as const
    expect(until((inputs) => Object.assign(inputs, { cart: late }))).toEqual(at(1_000))
    expect(until((inputs) => Object.assign(inputs.cap, { used: 3, freesAt: at(-5) }))).toEqual(at(1_000))
    expect(until((inputs) => Object.assign(inputs.cap, { used: 3, freesAt: null }))).toEqual(at(1_000))
  })

  test('the cap holds until its oldest message expires, the plan until the next month', () => {
    expect(until((inputs) => Object.assign(inputs.cap, { used: 3, freesAt: at(HOUR) }))).toEqual(at(HOUR))
    expect(until((inputs) => Object.assign(inputs.plan, { used: 500 }))).toEqual(at(700 * HOUR))
  })

  test('an unlimited plan never holds', () => {
    expect(until((inputs) => Object.assign(inputs.plan, { used: 1_000_000, limit: -1 }))).toBeNull()
  })
})

describe('the order check (D3)', () => {
  const checked = (ms: number | null, more: Partial<DecisionInputs['orderCheck']> = {}) =>
    decide({
      ...buildSendableInputs(),
      orderCheck: { ...buildSendableInputs().orderCheck, startedAt: ms === null ? null : at(ms), ...more },
    })

  test('a check of the last minute counts, and one a second older holds the message', () => {
    expect(checked(0)).toMatchObject({ outcome: 'send', reason: 'ok' })
    expect(checked(-60_000)).toMatchObject({ outcome: 'send', reason: 'ok' })
    expect(checked(-60_001)).toMatchObject({ outcome: 'hold', reason: 'store_unreachable' })
    expect(checked(null)).toMatchObject({ outcome: 'hold', reason: 'store_unreachable' })
  })

  test('a check dated in the future predates a backward clock step and does not count (T4)', () => {
    expect(checked(1)).toMatchObject({ outcome: 'hold', reason: 'store_unreachable' })
  })

  test('the reason names the store’s failure, and the message waits until the next attempt', () => {
    const away = { problem: 'unreachable', nextTryAt: at(20_000) }
    expect(checked(-60_001, away)).toEqual({
      outcome: 'hold',
      reason: 'store_unreachable:unreachable',
      until: at(20_000),
    })
  })
})

describe('the draw (F1)', () => {
  const drawn = (person: Partial<DecisionInputs['person']>, spoil: (inputs: DecisionInputs) => void = () => {}) => {
    const inputs = {
      ...buildSendableInputs(),
      person: { arm: null, isMember: false, isInProgress: false, drawnArm: 'control' as const, ...person },
    }
    spoil(inputs)
    return decide(inputs)
  }

  test('a contactable shopper is drawn, and one in the control group is skipped', () => {
    expect(drawn({})).toEqual({ outcome: 'skip', reason: 'holdout', assignArm: 'control' })
    expect(drawn({ drawnArm: 'treated' })).toEqual({
      outcome: 'send',
      sendAuthorization: 'decision',
      reason: 'ok',
      assignArm: 'treated',
    })
  })

  test('the drawn arm is kept even when a later check holds the message', () => {
    const isAway = (inputs: DecisionInputs) => Object.assign(inputs.orderCheck, { startedAt: null })
    expect(drawn({ drawnArm: 'treated' }, isAway)).toMatchObject({ reason: 'store_unreachable', assignArm: 'treated' })
    expect(drawn({}, isAway)).toEqual({ outcome: 'skip', reason: 'holdout', assignArm: 'control' })
  })

  test('a shopper is not drawn before they may be contacted', () => {
    for (const index of [9, 10, 11, 12]) expect(drawn({}, PROBLEMS[index]![2])).not.toHaveProperty('assignArm')
  })

  test('members are never held out, and neither is anyone at a share of 0', () => {
    expect(drawn({ isMember: true })).toEqual({ outcome: 'send', sendAuthorization: 'decision', reason: 'ok' })
    expect(drawn({ isMember: true, arm: 'control' })).toEqual({
      outcome: 'send',
      sendAuthorization: 'decision',
      reason: 'ok',
    })
    const noShare = (inputs: DecisionInputs) =>
      Object.assign(inputs, { origin: { isOn: true, isStepRemoved: false, holdoutBps: 0 } })
    expect(drawn({}, noShare)).toEqual({ outcome: 'send', sendAuthorization: 'decision', reason: 'ok' })
  })

  test('a cart with a message before the experiment causes no draw, and a shopper in the control group stays there', () => {
    expect(drawn({ isInProgress: true })).toEqual({ outcome: 'send', sendAuthorization: 'decision', reason: 'ok' })
    expect(drawn({ isInProgress: true, arm: 'control' })).toEqual({ outcome: 'skip', reason: 'holdout' })
  })

  test('the arm is stable per shopper and experiment, and the shares are as requested', () => {
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

test('retries wait 30 s, then twice as long each time, at most 15 minutes (D4)', () => {
  const waits = (attempts: number, jitter: number) => backOff(now, attempts, jitter).getTime() - now.getTime()
  expect([0, 1, 2, 3, 4, 5, 6, 1_000, 1e9].map((attempts) => waits(attempts, 0.5))).toEqual([
    30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000, 900_000,
  ])
  expect(waits(0, 0)).toBe(27_000)
  expect(waits(0, 1)).toBe(33_000)
})

test('a month is a calendar month in UTC (decision 6)', () => {
  expect(formatMonth(new Date('2026-03-31T23:59:59.999Z'))).toBe('2026-03-01')
  expect(formatMonth(new Date('2026-04-01T00:00:00.000Z'))).toBe('2026-04-01')
})
