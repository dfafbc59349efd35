import { expect, it } from 'vitest'
import { buildDetail, buildStatus, type Detail, type Status } from '../../../screens/billing-answers.ts'
import { plans } from '../../../shared/billing/billing.ts'
import { fillLimits, findActions, formatAmount, listPageNumbers } from './detail-copy.ts'

const listActions = (detail: Partial<Detail>, status: Partial<Status> = {}, mayPay = true) => {
  const { subscription } = buildDetail(detail)
  const { plan, source } = subscription
  const { change, because, advice, ...may } = findActions({
    detail: subscription,
    subscription: buildStatus({ plan, source, ...status }),
    mayPay,
  })
  const texts = [...(advice ? ['advice'] : []), ...(because ? ['because'] : [])]
  return [change, ...Object.entries(may).flatMap(([name, is]) => (is ? [name] : [])), ...texts]
}
const WAITS = { plan: 'starter', cycle: 'month', at: '2026-12-06T00:00:00.000Z' } as const

it.each([
  ['paid by card', {}, {}, ['here', 'canManage', 'canCancel']],
  ['that ends', { cancelAtPeriodEnd: true }, {}, [null, 'canManage', 'canReactivate']],
  ['whose payment is overdue', {}, { status: 'past_due' }, [null, 'canManage', 'canCancel', 'advice']],
  ['on trial', {}, { status: 'trialing' }, ['here', 'canManage', 'canCancel']],
  ['on trial without a card', { hasCard: false }, { status: 'trialing' }, ['here', 'canManage', 'canCancel', 'advice']],
  ['that changes', {}, { change: WAITS }, ['here', 'canManage', 'canCancel', 'canKeep']],
  [
    'that ends, and would have changed',
    { cancelAtPeriodEnd: true },
    { change: WAITS },
    [null, 'canManage', 'canReactivate'],
  ],
  ['ended by its bank', {}, { planInForce: 'free' }, ['pricing', 'canManage']],
  ['free', { plan: 'free' }, {}, ['pricing']],
  ['free after one that was paid', { plan: 'free', canManage: true }, {}, ['pricing', 'canManage']],
  ['set by the operator', { source: 'operator' }, {}, ['pricing', 'because']],
  ['chosen in test mode', { source: 'test' }, { sells: 'test' }, ['pricing', 'because']],
  ['free in test mode', { plan: 'free' }, { sells: 'test' }, ['pricing', 'because']],
  ['where nothing is sold', { source: 'default' }, { sells: 'none' }, [null, 'because']],
  ['that was paid where nothing is sold any more', {}, { sells: 'none' }, [null, 'because']],
] as const)('lists the actions of a plan: %s', { tags: ['A4.3'] }, (_, detail, status, expected) => {
  expect(listActions(detail, status)).toEqual(expected)
})

it.each([
  ['paid by card', {}, {}],
  ['that ends', { cancelAtPeriodEnd: true }, { change: WAITS }],
  ['whose payment is overdue', {}, { status: 'past_due' }],
  ['free', { plan: 'free', canManage: true }, {}],
] as const)('lists no actions for members without billing permission: %s', (_, detail, status) => {
  expect(listActions(detail, status, false)).toEqual([null])
})

it.each([
  [4_900, 'usd', '$49.00'],
  [46_800, 'USD', '$468.00'],
  [123_456_789, 'usd', '$1,234,567.89'],
  [1_999, 'eur', '€19.99'],
  [5, 'usd', '$0.05'],
] as const)('formats %i of %s as %s: cents, in en-US format (A 9)', { tags: ['A9'] }, (minor, currency, text) => {
  expect(formatAmount(minor, currency)).toBe(text)
})

it('shows limits the server omits as 1 store, 100 emails, 50 SMS, 50 WhatsApp (A 9)', {
  tags: ['A9'],
}, () => {
  const defaults = { maxStores: 1, maxEmailsPerMonth: 100, maxSmsPerMonth: 50, maxWhatsappPerMonth: 50 }
  expect(fillLimits(undefined)).toEqual(defaults)
  expect(fillLimits({ maxSmsPerMonth: 0, maxEmailsPerMonth: -1 })).toEqual({
    ...defaults,
    maxSmsPerMonth: 0,
    maxEmailsPerMonth: -1,
  })
  expect(fillLimits(plans.growth.limits)).toEqual(plans.growth.limits)
})

it.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [1, 5, [1, 2, 3, 4, 5]],
  [4, 9, [2, 3, 4, 5, 6]],
  [9, 9, [5, 6, 7, 8, 9]],
  [8, 9, [5, 6, 7, 8, 9]],
  [3, 5, [1, 2, 3, 4, 5]],
])('shows at most five page buttons: page %i of %i has %j (A 9)', (page, pages, numbers) => {
  expect(listPageNumbers(page, pages)).toEqual(numbers)
})
