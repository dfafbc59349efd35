import { expect, it } from 'vitest'
import { featurePlans, monthlyPrice, planAmountMinor, plans } from '../../../shared/billing/billing.ts'
import { buildSupportLink, explainLine, listLimits, listPlanLines } from './rules.ts'
import { getStatusBadge } from './statusLook.ts'

it('takes 20 percent off the yearly price, rounded', { tags: ['A9'] }, () => {
  expect([0, 19, 49].map((price) => monthlyPrice(price, 'year'))).toEqual([0, 15, 39])
  expect(monthlyPrice(19, 'month')).toBe(19)
  // Both rounding directions: today's prices all round down.
  expect([21, 22].map((price) => monthlyPrice(price, 'year'))).toEqual([17, 18])
})

it('lists the features of each plan', { tags: ['A6'] }, () => {
  expect(listLimits(plans.free.limits)).toEqual(['1 store', '500 emails per month', 'No SMS', 'No WhatsApp'])
  expect(listLimits(plans.growth.limits)).toEqual([
    '3 stores',
    'Unlimited emails per month',
    '1,000 SMS per month',
    '1,000 WhatsApp messages per month',
  ])
})

it('shows each status with its label and color, and an unknown status unchanged (A 4.3)', {
  tags: ['A4.3'],
}, () => {
  const badges = ['active', 'trialing', 'past_due', 'canceled', 'paused'].map(getStatusBadge)
  expect(badges.map(({ label, tone }) => [label, tone])).toEqual([
    ['Active', 'good'],
    ['Trial', 'info'],
    ['Past Due', 'warn'],
    ['Canceled', 'bad'],
    ['paused', 'quiet'],
  ])
})

it('mentions the paid plan in the support mail (A 9)', { tags: ['A9'] }, () => {
  expect(buildSupportLink('a@b.test', 'growth')).toBe('mailto:a@b.test?subject=Growth%20plan%3A%20')
  expect(buildSupportLink('a@b.test', 'free')).toBe('mailto:a@b.test')
  expect(buildSupportLink('a@b.test', null)).toBe('mailto:a@b.test')
})

it('charges a period as A 9 rounds it; an extra store costs the same monthly and yearly', () => {
  expect([planAmountMinor('starter', 'month'), planAmountMinor('growth', 'month')]).toEqual([1_900, 4_900])
  expect([planAmountMinor('starter', 'year'), planAmountMinor('growth', 'year')]).toEqual([18_000, 46_800])
  expect([planAmountMinor('growth', 'month', 2), planAmountMinor('growth', 'year', 2)]).toEqual([6_900, 70_800])
})

it('lists everything in Starter after the limits of Growth', () => {
  for (const [feature, having] of Object.entries(featurePlans)) {
    if (having.includes('starter')) expect([feature, having.includes('growth')]).toEqual([feature, true])
  }
  expect(listPlanLines('growth')[4]).toBe('Everything in Starter')
  expect(listPlanLines('free')).toEqual([...listLimits(plans.free.limits), ...plans.free.features])
  expect(listPlanLines('starter')).toContain('Manual SMS and WhatsApp (automated in Growth)')
})

it('explains every feature of A 9, and the unlimited emails', () => {
  const features = Object.values(plans).flatMap((plan) => plan.features)
  expect([...features, 'Unlimited emails per month'].filter((line) => explainLine(line) === null)).toEqual([])
})
