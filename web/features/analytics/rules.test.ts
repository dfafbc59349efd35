import { expect, test } from 'vitest'
import { computeReturn } from '../../../shared/insights/roi.ts'
import { buildStages, chooseTone, formatDays, formatMonth, parseRange, readSections, writeSections } from './rules.ts'

test('computes profit as revenue minus message cost and plan, and no return without costs', () => {
  expect(computeReturn({ attributedRevenue: 100, messageCost: 1, planPrice: 49 })).toEqual({
    costs: 50,
    profit: 50,
    rate: 1,
  })
  expect(computeReturn({ attributedRevenue: 10, messageCost: 1, planPrice: 19 })).toEqual({
    costs: 20,
    profit: -10,
    rate: -0.5,
  })
  expect(computeReturn({ attributedRevenue: 10, messageCost: 2 })).toEqual({ costs: 2, profit: 8, rate: 4 })
  expect(computeReturn({ attributedRevenue: 10, messageCost: 0, planPrice: null })).toEqual({
    costs: 0,
    profit: 10,
    rate: null,
  })
})

test('formats a month the same in every time zone', () => {
  expect(formatMonth('2026-03')).toBe('Mar 2026')
})

test('treats a rise as good for gains and bad for losses', () => {
  expect([chooseTone(0.2, false), chooseTone(0.2, true), chooseTone(-0.2, false), chooseTone(-0.2, true)]).toEqual([
    'good',
    'bad',
    'bad',
    'good',
  ])
  expect([chooseTone(null, false), chooseTone(0.0004, true)]).toEqual(['quiet', 'quiet'])
})

test('defaults to the range 30d (B 9)', { tags: ['B9'] }, () => {
  expect(['7d', '30d', '90d', '1y', '2d', null].map(parseRange)).toEqual(['7d', '30d', '90d', '1y', '30d', '30d'])
})

const funnel = { cartsCreated: 8, emailsSent: 9, emailsOpened: 4, clicks: 2, conversions: 1 }

test('shows a stage as a share of the carts created, with its bar capped at 100 percent (B 9)', {
  tags: ['B9'],
}, () => {
  const stages = buildStages(funnel, 'email')
  expect(stages.map(({ label, count, share, width }) => [label, count, share, width])).toEqual([
    ['Carts created', 8, 1, 100],
    ['Emails sent', 9, 1.125, 100],
    ['Emails opened', 4, 0.5, 50],
    ['Clicks', 2, 0.25, 25],
    ['Conversions', 1, 0.125, 12.5],
  ])
  const none = { cartsCreated: 0, emailsSent: 0, emailsOpened: 0, clicks: 0, conversions: 0 }
  expect(buildStages(none, 'email').every(({ share, width }) => share === null && width === 0)).toBe(true)
  expect(buildStages(funnel, 'sms').map(({ label }) => label)).toEqual([
    'Carts created',
    'SMS sent',
    'Clicks',
    'Conversions',
  ])
})

test('shows amounts without a percentage when costs are almost zero and no plan is paid', () => {
  expect(computeReturn({ attributedRevenue: 3_408.13, messageCost: 0.1, planPrice: 0 })).toMatchObject({
    costs: 0.1,
    rate: null,
  })
  expect(computeReturn({ attributedRevenue: 200, messageCost: 1.99 }).rate).toBeNull()
  expect(computeReturn({ attributedRevenue: 200, messageCost: 2 }).rate).toBe(99)
  expect(computeReturn({ attributedRevenue: 9_800, messageCost: 0, planPrice: 49 }).rate).toBe(199)
  expect(computeReturn({ attributedRevenue: 0, messageCost: 0.1 }).rate).toBe(-1)
})

test('writes the days of a range, and the open sections of the address', () => {
  expect(formatDays({ firstDay: '2026-10-30', lastDay: '2026-11-28' })).toBe('Oct 30 – Nov 28')
  expect([readSections(''), readSections('#roi,reach')]).toEqual([[], ['roi', 'reach']])
  expect([writeSections([]), writeSections(['roi', 'reach'])]).toEqual(['', '#roi,reach'])
})
