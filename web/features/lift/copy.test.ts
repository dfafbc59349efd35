import { describe, expect, test } from 'vitest'
import type { ExperimentsReply, ExperimentView, Finding } from '../../../shared/carts/experiments.ts'
import {
  buildGroupBars,
  checkDays,
  chooseMeasure,
  describeBefore,
  describeChoice,
  describeCost,
  describeMeasure,
  describePace,
  describePast,
  describeRise,
  describeRunning,
  findNewestResult,
  formatDay,
  getBoundFormats,
} from './copy.ts'

const buildFewFinding = (missing: Finding['missing'] = null): Finding => ({
  state: 'few',
  anytime: null,
  planned: null,
  missing,
})
const buildFinding = (low: number, high: number, planned: Finding['planned'] = null): Finding => ({
  state: low > 0 ? 'more' : high < 0 ? 'less' : 'unseen',
  anytime: { low, high },
  planned,
  missing: null,
})

const buildExperiment = (change: Partial<ExperimentView> = {}): ExperimentView => ({
  id: '01999999-0000-7000-8000-000000000001',
  sharePercent: 50,
  windowDays: 8,
  currency: 'USD',
  capAmount: 500,
  timeZone: 'UTC',
  startedAt: '2026-03-01T10:00:00Z',
  plannedEndAt: '2026-05-30T10:00:00Z',
  drawsUntil: '2026-05-22T10:00:00Z',
  endedAt: null,
  endReason: null,
  people: { treated: 400, control: 400 },
  purchases: { treated: 40, control: 30 },
  waiting: { treated: 0, control: 0 },
  leftOut: 0,
  overridden: 0,
  drawnEarlier: 0,
  cost: null,
  attributedAmount: 900,
  health: 'few',
  conversion: buildFewFinding(),
  revenue: buildFewFinding(),
  ...change,
})

describe('the text of a result (decision 60)', () => {
  test.each<[what: string, change: Partial<ExperimentView>, sentence: string]>([
    [
      'more',
      { revenue: buildFinding(120, 900.5) },
      'Your messages caused $120.00 to $900.50 of extra sales from these 400 shoppers.',
    ],
    ['less', { revenue: buildFinding(-900, -20) }, 'With messages, these 400 shoppers spent $20.00 to $900.00 less.'],
    [
      'nothing seen: the larger bound is told, whichever side it is on',
      { revenue: buildFinding(-300, 200) },
      'No difference proven. If there is one, it is below $300.00 for these 400 shoppers together.',
    ],
    [
      'too few, with a pace',
      { revenue: buildFewFinding({ people: 250, days: 40 }) },
      'Not enough data yet: about 250 more shoppers (≈ 40 days at your pace).',
    ],
    [
      'too few, without a pace',
      { revenue: buildFewFinding({ people: 1, days: null }) },
      'Not enough data yet: about 1 more shopper.',
    ],
    ['too few, and nobody knows', {}, 'Not enough data yet.'],
    [
      'day 1',
      { people: { treated: 0, control: 0 } },
      'No shoppers are counted yet. Each shopper’s orders count for 8 days, so the first result comes after March 9, 2026.',
    ],
    [
      'ended too early',
      { endedAt: '2026-03-20T10:00:00Z', endReason: 'stopped' },
      'Not enough data: the control group ended before enough shoppers had bought in both groups.',
    ],
    [
      'without a cap',
      { capAmount: null },
      'Revenue is not compared, because the store had no order when the control group started.',
    ],
  ])('%s', (_, change, sentence) => {
    expect(describeMeasure(buildExperiment(change), 'revenue')).toBe(sentence)
  })

  test('rounds purchases to whole numbers and never narrows an interval', () => {
    const describeInterval = (low: number, high: number) =>
      describeMeasure(buildExperiment({ conversion: buildFinding(low, high) }), 'conversion')
    expect(describeInterval(12.6, 40.2)).toBe('Your messages caused 12 to 41 extra purchases from these 400 shoppers.')
    expect(describeInterval(0.4, 33)).toBe('Your messages caused up to 33 extra purchases from these 400 shoppers.')
    expect(describeInterval(-3, 1)).toContain('below 3 purchases')
    const { inner, outer } = getBoundFormats('conversion', 'USD')
    expect([inner(0.4), outer(33.1)]).toEqual(['0', '34'])
    const money = (low: number, high: number, currency = 'USD') =>
      describeMeasure(buildExperiment({ revenue: buildFinding(low, high), currency }), 'revenue')
    expect(money(12.349, 40.101)).toContain('$12.34 to $40.11 of extra sales')
    expect(money(-40.101, -12.349)).toContain('spent $12.34 to $40.11 less')
    expect(money(0.004, 1.1)).toBe('Your messages caused up to $1.10 of extra sales from these 400 shoppers.')
    expect(money(-3.001, 1)).toContain('below $3.01')
    expect(money(99.6, 200.2, 'JPY')).toContain('¥99 to ¥201 of extra sales')
    const cost = (low: number, high: number) => describeCost(buildExperiment({ cost: { low, high } }))
    expect(cost(12.349, 40.101)).toBe('$12.34 to $40.11 in missed sales')
    expect(cost(-1, 40.101)).toBe('At most $40.11 in missed sales, perhaps none')
    const coins = getBoundFormats('revenue', 'USD')
    expect([coins.inner(12.349), coins.outer(40.101)]).toEqual(['$12.34', '$40.11'])
  })

  test('shows the interval of the planned day', () => {
    const known = buildExperiment({ revenue: buildFinding(-10, 700, { low: 40, high: 600 }) })
    expect(describeMeasure(known, 'revenue')).toContain('No difference proven')
    expect(describeMeasure(known, 'revenue', 'planned')).toContain('$40.00 to $600.00 of extra sales')
  })

  test('shows the planned day for an ended group, and no result if its groups lost people', () => {
    const known = buildExperiment({
      revenue: buildFinding(-10, 700, { low: 40, high: 600 }),
      endedAt: '2026-05-30T10:00:00Z',
    })
    expect(describePast(known)).toContain('$40.00 to $600.00 of extra sales')
    expect(describePast(buildExperiment({ conversion: buildFinding(-3, 1) }))).toContain('below 3 purchases')
    expect(describePast({ ...known, health: 'off' })).toContain('Do not rely on this result.')
    expect(describePast({ ...known, health: 'off' })).not.toContain('$')
  })

  test('prefers money to purchases where there is room for one, and shows nothing without enough data', () => {
    expect(chooseMeasure(buildExperiment())).toBeNull()
    expect(chooseMeasure(buildExperiment({ conversion: buildFinding(1, 2) }))).toBe('conversion')
    expect(chooseMeasure(buildExperiment({ conversion: buildFinding(1, 2), revenue: buildFinding(1, 2) }))).toBe(
      'revenue',
    )
    const [silent, old] = [buildExperiment(), buildExperiment({ conversion: buildFinding(-1, 2) })]
    expect(findNewestResult({ running: silent, past: [old] })).toBe(old)
    expect(findNewestResult({ running: silent, past: [] })).toBeNull()
  })
})

test.each<[ExperimentView['cost'], string]>([
  [null, 'Not known yet'],
  [{ low: 10, high: 90 }, '$10.00 to $90.00 in missed sales'],
  [{ low: -10, high: 90 }, 'At most $90.00 in missed sales, perhaps none'],
  [{ low: -20, high: -10 }, 'None'],
])('states the cost of the control group: %o', (cost, sentence) => {
  expect(describeCost(buildExperiment({ cost }))).toBe(sentence)
})

const buildReply = (change: Partial<ExperimentsReply>): ExperimentsReply => ({
  pace: { people: 300, boughtPercent: 4, assumedPercent: 5, rate: 0.04 },
  proposedPercent: 50,
  running: null,
  past: [],
  ...change,
})

describe('the text before a start (decision 60)', () => {
  test('with 300 shoppers a month, a doubling is provable, which is called not worth it', () => {
    expect(describeBefore(buildReply({}))).toBe(
      'You have about 300 reachable shoppers a month. With half of them in a control group, 90 days would only prove 2.1 times as many purchases or more. That’s probably not worth it yet.',
    )
  })

  test('states that there are too few shoppers, or none', () => {
    const few = { boughtPercent: null, assumedPercent: 5, rate: 0.05 }
    expect(describeBefore(buildReply({ pace: { people: 30, ...few }, proposedPercent: null }))).toBe(
      'You have about 30 reachable shoppers a month. Too few would buy in 90 days to prove any increase. It’s not worth it yet.',
    )
    const noTraffic = buildReply({ pace: { people: 0, ...few }, proposedPercent: null })
    expect(describeBefore(noTraffic)).toContain('so there is nothing to measure yet.')
    expect(describePace(noTraffic)).toContain('5% is assumed')
    expect(describePace(buildReply({}))).toContain('4% of shoppers who')
  })

  test('states each share’s excluded people and detectable rise in the chosen days', () => {
    expect(describeChoice({ sharePercent: 50, treated: 600, control: 600, smallestPercent: 95 }, 120)).toBe(
      '600 of 1,200 shoppers in 120 days get no messages. This proves twice as many purchases or more.',
    )
    expect(describeChoice({ sharePercent: 10, treated: 810, control: 90, smallestPercent: null }, 90)).toContain(
      'Too few',
    )
  })

  test.each(['', 0, 7, 44, 366, 90.5])('rejects %s as a number of days and states the bounds', (days) => {
    expect(checkDays(days)).toBe('Enter 45 to 365 days.')
  })

  test.each([45, 90, 365])('accepts %i days', (days) => expect(checkDays(days)).toBeNull())

  test.each([
    [18, 'an increase of 18% or more'],
    [89, 'an increase of 89% or more'],
    [110, 'twice as many purchases or more'],
    [180, '2.8 times as many purchases or more'],
    [899, '10 times as many purchases or more'],
    [3_050, '32 times as many purchases or more'],
    [9_900, '100 times as many purchases or more'],
    [123_456, 'more than 100 times as many purchases'],
  ])('accepts %i percent', (percent, text) => expect(describeRise(percent)).toBe(text))
})

test('uses days of the store’s calendar', () => {
  expect(formatDay('2026-03-01T23:30:00Z', 'UTC')).toBe('March 1, 2026')
  expect(formatDay('2026-03-01T23:30:00Z', 'Europe/Berlin')).toBe('March 2, 2026')
  expect(formatDay('2026-03-01T03:30:00Z', 'America/New_York')).toBe('February 28, 2026')
  const none = { people: { treated: 0, control: 0 }, purchases: { treated: 0, control: 0 } }
  const late = { ...none, startedAt: '2026-03-01T23:30:00Z', timeZone: 'Europe/Berlin' }
  expect(describeMeasure(buildExperiment(late), 'conversion')).toContain('comes after March 10, 2026')
})

test('states that a running group covers all flows and campaigns, with its share', () => {
  expect(describeRunning(12.5)).toBe(
    'A control group is running: 12.5% of shoppers get no flow, campaign or push notification from this store.',
  )
})

test('draws both groups from zero, the one with more purchases per shopper as the longest bar', () => {
  const bars = (change: Partial<ExperimentView>) =>
    buildGroupBars(buildExperiment(change)).map(({ arm, boughtPercent, width }) => [arm, boughtPercent, width])
  expect(bars({})).toEqual([
    ['control', 7.5, 75],
    ['treated', 10, 100],
  ])
  expect(bars({ people: { treated: 0, control: 0 }, purchases: { treated: 0, control: 0 } })).toEqual([
    ['control', null, 0],
    ['treated', null, 0],
  ])
})

test('a rise that a typical store could reach is worth a control group', () => {
  const busy = buildReply({
    pace: { people: 60_000, boughtPercent: 10, assumedPercent: 5, rate: 0.1 },
    proposedPercent: 10,
  })
  expect(describeBefore(busy)).toMatch(
    /^You have about 60,000 reachable shoppers a month. With a tenth of them in a control group, 90 days would prove an increase of \d+% or more.$/,
  )
})
