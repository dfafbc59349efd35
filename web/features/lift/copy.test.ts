import { describe, expect, test } from 'vitest'
import type { ExperimentsReply, ExperimentView, Finding } from '../../../shared/carts/experiments.ts'
import {
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
      'Recoup brought in between $120.00 and $900.50 more from these 400 people.',
    ],
    [
      'less',
      { revenue: buildFinding(-900, -20) },
      'With messages these 400 people brought in between $20.00 and $900.00 less than they would have without.',
    ],
    [
      'nothing seen: the larger bound is told, whichever side it is on',
      { revenue: buildFinding(-300, 200) },
      'No difference seen; if there is one it is smaller than $300.00, in all from these 400 people.',
    ],
    [
      'too few, with a pace',
      { revenue: buildFewFinding({ people: 250, days: 40 }) },
      'Not enough data yet: about 250 more people (≈ 40 days at your pace).',
    ],
    [
      'too few, without a pace',
      { revenue: buildFewFinding({ people: 1, days: null }) },
      'Not enough data yet: about 1 more person.',
    ],
    ['too few, and nobody knows', {}, 'Not enough data yet.'],
    [
      'day 1',
      { people: { treated: 0, control: 0 } },
      'Nobody is counted yet: each person’s orders count for 8 days, so the first are counted from March 9, 2026.',
    ],
    [
      'ended too early',
      { endedAt: '2026-03-20T10:00:00Z', endReason: 'stopped' },
      'Not enough data: it ended before enough people had bought in both groups.',
    ],
    [
      'without a cap',
      { capAmount: null },
      'Amounts are not compared: there was no order when it began to say what an unusually large one is.',
    ],
  ])('%s', (_, change, sentence) => {
    expect(describeMeasure(buildExperiment(change), 'revenue')).toBe(sentence)
  })

  test('rounds purchases to whole numbers and never narrows an interval', () => {
    const describeInterval = (low: number, high: number) =>
      describeMeasure(buildExperiment({ conversion: buildFinding(low, high) }), 'conversion')
    expect(describeInterval(12.6, 40.2)).toBe(
      'Recoup brought in between 12 and 41 purchases more from these 400 people.',
    )
    expect(describeInterval(0.4, 33)).toBe('Recoup brought in up to 33 purchases more from these 400 people.')
    expect(describeInterval(-3, 1)).toContain('smaller than 3 purchases')
    const { inner, outer } = getBoundFormats('conversion', 'USD')
    expect([inner(0.4), outer(33.1)]).toEqual(['0', '34'])
    const money = (low: number, high: number, currency = 'USD') =>
      describeMeasure(buildExperiment({ revenue: buildFinding(low, high), currency }), 'revenue')
    expect(money(12.349, 40.101)).toContain('between $12.34 and $40.11 more')
    expect(money(-40.101, -12.349)).toContain('between $12.34 and $40.11 less')
    expect(money(0.004, 1.1)).toBe('Recoup brought in up to $1.10 more from these 400 people.')
    expect(money(-3.001, 1)).toContain('smaller than $3.01')
    expect(money(99.6, 200.2, 'JPY')).toContain('between ¥99 and ¥201 more')
    const cost = (low: number, high: number) => describeCost(buildExperiment({ cost: { low, high } }))
    expect(cost(12.349, 40.101)).toContain('between $12.34 and $40.11.')
    expect(cost(-1, 40.101)).toContain('at most $40.11,')
    const coins = getBoundFormats('revenue', 'USD')
    expect([coins.inner(12.349), coins.outer(40.101)]).toEqual(['$12.34', '$40.11'])
  })

  test('shows the interval of the planned day', () => {
    const known = buildExperiment({ revenue: buildFinding(-10, 700, { low: 40, high: 600 }) })
    expect(describeMeasure(known, 'revenue')).toContain('No difference seen')
    expect(describeMeasure(known, 'revenue', 'planned')).toContain('between $40.00 and $600.00 more')
  })

  test('shows the planned day for an ended group, and no result if its groups lost people', () => {
    const known = buildExperiment({
      revenue: buildFinding(-10, 700, { low: 40, high: 600 }),
      endedAt: '2026-05-30T10:00:00Z',
    })
    expect(describePast(known)).toContain('between $40.00 and $600.00 more')
    expect(describePast(buildExperiment({ conversion: buildFinding(-3, 1) }))).toContain('smaller than 3 purchases')
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
  [null, 'What it cost not to write to the 400 people of the control group cannot be told, for the same reason.'],
  [{ low: 10, high: 90 }, 'Not writing to the 400 people of the control group has cost between $10.00 and $90.00.'],
  [
    { low: -10, high: 90 },
    'Not writing to the 400 people of the control group has cost at most $90.00, and perhaps nothing.',
  ],
  [{ low: -20, high: -10 }, 'Not writing to the 400 people of the control group has cost nothing.'],
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
  test('with 300 shoppers a month, a doubling is detectable and a rise of a fifth is not', () => {
    expect(describeBefore(buildReply({}))).toBe(
      'With 300 people a month who leave a cart and can be written to, and half of them held out, you would see 2.1 times as many purchases or more in 90 days. A smaller rise, such as a fifth, could not be told from chance.',
    )
  })

  test('states that there are too few shoppers, or none', () => {
    const few = { boughtPercent: null, assumedPercent: 5, rate: 0.05 }
    expect(describeBefore(buildReply({ pace: { people: 30, ...few }, proposedPercent: null }))).toBe(
      'With 30 people a month who leave a cart and can be written to, even a large effect could not be seen in 90 days, whatever the share: too few of them would buy. A control group is not worth it yet.',
    )
    const noTraffic = buildReply({ pace: { people: 0, ...few }, proposedPercent: null })
    expect(describeBefore(noTraffic)).toContain('nothing could be measured yet. A control group is not worth it yet.')
    expect(describePace(noTraffic)).toContain('5% is assumed')
    expect(describePace(buildReply({}))).toContain('4% bought')
  })

  test('states each share’s excluded people and detectable rise in the chosen days', () => {
    expect(describeChoice({ sharePercent: 50, treated: 600, control: 600, smallestPercent: 95 }, 120)).toBe(
      '600 of 1,200 people in 120 days get no messages. You would see twice as many purchases or more.',
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
    [18, 'a rise of 18% or more in purchases'],
    [89, 'a rise of 89% or more in purchases'],
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
  expect(describeMeasure(buildExperiment(late), 'conversion')).toContain('the first are counted from March 10, 2026')
})

test('states that a running group covers all flows and campaigns, with its share', () => {
  expect(describeRunning(12.5)).toBe(
    'A control group is running for all flows and campaigns of this store: 12.5% of people get no message of any of them, and no push notification.',
  )
})
