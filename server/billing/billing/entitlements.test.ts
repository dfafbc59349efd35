import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { PlanKey, plans, SubscriptionStatus } from '../../../shared/billing/billing.ts'
import { createWorld } from '../../../test/world.ts'
import { selectInForce, selectPlanInForce } from './fragments.ts'
import { computeEntitlements, computeInForce, computePlanLimits, hasFeature, type Subscription } from './rules.ts'

// Entitlements of every status, plan and date (decisions 6, 86 and 121).

const NOW = new Date('2026-03-10T12:00:00Z')
const DAY = 86_400_000
const subtractMs = (ms: number) => new Date(NOW.getTime() - ms)
const dates = [
  null,
  subtractMs(-DAY),
  NOW,
  subtractMs(DAY),
  subtractMs(7 * DAY - 1),
  subtractMs(7 * DAY),
  subtractMs(7 * DAY + 1),
  subtractMs(60 * DAY),
]
const every: Subscription[] = PlanKey.options.flatMap((plan) =>
  SubscriptionStatus.options.flatMap((status) =>
    dates.flatMap((pastDueSince) =>
      [0, 1, 20].flatMap((extraStores) =>
        [false, true].map((isUnlimited) => ({ plan, status, pastDueSince, extraStores, isUnlimited })),
      ),
    ),
  ),
)
const bare = { pastDueSince: null, extraStores: 0, isUnlimited: false }
const getSubscription = (plan: PlanKey, status: SubscriptionStatus, more: Partial<Subscription> = {}) =>
  computeEntitlements({ ...bare, plan, status, ...more }, NOW)

describe('an account', () => {
  test.each(['starter', 'growth'] as const)('that is active or on trial has its plan: %s', {
    tags: ['A4.1'],
  }, (plan) => {
    for (const status of ['active', 'trialing'] as const) {
      expect(getSubscription(plan, status)).toEqual({
        plan,
        maySend: true,
        isSubscribed: true,
        whyNot: null,
        graceUntil: null,
        extraStores: 0,
        isUnlimited: false,
        limits: plans[plan].limits,
      })
    }
  })

  test('that is past due keeps its plan for seven days, then sends nothing and is not subscribed (decisions 86, 121)', {
    tags: ['A4.1'],
  }, () => {
    const inGrace = getSubscription('growth', 'past_due', { pastDueSince: subtractMs(7 * DAY - 1) })
    expect(inGrace).toMatchObject({ plan: 'growth', maySend: true, isSubscribed: true, limits: plans.growth.limits })
    expect(inGrace.graceUntil).toEqual(new Date(NOW.getTime() + 1))
    const after = getSubscription('growth', 'past_due', { pastDueSince: subtractMs(7 * DAY) })
    expect(after).toMatchObject({ plan: 'growth', maySend: false, isSubscribed: false, whyNot: 'payment_overdue' })
    expect(Object.values(after.limits)).toEqual([0, 0, 0, 0])
    expect(hasFeature(after, 'flow_texts')).toBe(true)
  })

  test('with a canceled plan has the free plan’s limits and is not subscribed (decisions 86, 121)', {
    tags: ['A4.1'],
  }, () => {
    const canceled = getSubscription('growth', 'canceled')
    expect(canceled).toMatchObject({ plan: 'free', maySend: true, isSubscribed: false, limits: plans.free.limits })
    expect(hasFeature(canceled, 'manual_texts')).toBe(false)
  })

  test.each([
    ['starter', 0, 2],
    ['starter', 1, 3],
    ['growth', 20, 23],
  ] as const)('on %s with %i extra stores has room for %i, and the plan’s other limits (decision 85)', (plan, extraStores, maxStores) => {
    for (const status of ['active', 'trialing'] as const)
      expect(getSubscription(plan, status, { extraStores }).limits).toEqual({ ...plans[plan].limits, maxStores })
  })

  test('that is unlimited has no limits, and only its plan’s features (decision 82)', () => {
    const unlimited = getSubscription('free', 'active', { isUnlimited: true, extraStores: 1 })
    expect(Object.values(unlimited.limits)).toEqual([-1, -1, -1, -1])
    expect(hasFeature(unlimited, 'manual_texts')).toBe(false)
  })

  test('that is overdue or ended has neither extra stores nor unlimited use', () => {
    const more = { extraStores: 3, isUnlimited: true }
    const overdue = getSubscription('growth', 'past_due', { pastDueSince: subtractMs(8 * DAY), ...more })
    expect(Object.values(overdue.limits)).toEqual([0, 0, 0, 0])
    expect(Object.values(computePlanLimits(overdue))).toEqual([-1, -1, -1, -1])
    expect(getSubscription('growth', 'canceled', more).limits).toEqual(plans.free.limits)
  })

  test('on the free plan is subscribed (decision 5), and without a plan has no entitlements', {
    tags: ['A4.1', 'A9'],
  }, () => {
    expect(getSubscription('free', 'active')).toMatchObject({ plan: 'free', maySend: true, isSubscribed: true })
    const none = computeEntitlements(null, NOW)
    expect(none).toMatchObject({ plan: null, maySend: false, isSubscribed: false, whyNot: 'no_plan' })
    expect(hasFeature(none, 'manual_texts')).toBe(false)
  })

  test.each([
    ['free', []],
    ['starter', ['manual_texts']],
    ['growth', ['manual_texts', 'flow_texts']],
  ] as const)('on %s has the features %j (decision 6)', (plan, features) => {
    expect((['manual_texts', 'flow_texts'] as const).filter((each) => hasFeature({ plan }, each))).toEqual(features)
  })
})

describe('in SQL', () => {
  const world = createWorld()

  test('every status, plan and date gives the same result as the rule', async () => {
    const rows = every.map(({ pastDueSince, extraStores, isUnlimited, ...rest }, n) => ({
      n,
      ...rest,
      past_due_since: pastDueSince,
      extra_stores: extraStores,
      is_unlimited: isUnlimited,
    }))
    const table = sql`(select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r(n int, plan text, status text, past_due_since timestamptz, extra_stores smallint, is_unlimited boolean) order by n)`
    const answers = await selectInForce(table, NOW).execute(world.db)
    expect(answers.rows).toEqual(every.map((subscription) => computeInForce(subscription, NOW)))
    expect(new Set(answers.rows.map((row) => JSON.stringify(row))).size).toBe(36)
  })

  test('an account without a plan has nothing in force', async () => {
    const unknownId = sql`'00000000-0000-0000-0000-000000000000'::uuid`
    const { rows } = await sql`select ${selectPlanInForce(unknownId, NOW)} as "inForce"`.execute(world.db)
    expect(rows).toEqual([{ inForce: null }])
  })
})
