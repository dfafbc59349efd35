import { describe, expect, test } from 'vitest'
import { ApiError, BROKEN } from '../../core/api/api.ts'
import { findSubject } from '../../kits/charts/chart-subject.ts'
import { pickDatasets } from '../../kits/charts/datasets.ts'
import {
  buildPathStations,
  describeOrderReports,
  describeTrend,
  findFailure,
  isNewStore,
  listBlockers,
  summarizeRecovered,
} from './rules.ts'

const buildApiError = (status: number, error: string, code: ApiError['code']) => new ApiError(status, { error, code })

describe('failures (A 8)', () => {
  test.each([
    [
      buildApiError(503, 'There is no response from this store address.', 'store_unreachable'),
      'There is no response from this store address.',
    ],
    [
      buildApiError(503, BROKEN, 'internal'),
      'Store connection failed. Please check if your store is running and accessible.',
    ],
    [
      buildApiError(503, BROKEN, 'store_unreachable'),
      'Store connection failed. Please check if your store is running and accessible.',
    ],
    [
      buildApiError(401, 'x', 'store_credentials'),
      'Authentication failed. Please reconnect your store with valid credentials.',
    ],
    [buildApiError(404, 'x', 'not_found'), 'Store not found. Please connect your store first.'],
  ])('of the store replace the page', { tags: ['A8'] }, (error, text) => {
    expect(findFailure(error, [null])).toEqual({ placement: 'page', text })
  })

  test.each([
    [buildApiError(500, 'x', 'internal')],
    [buildApiError(0, 'x', 'offline')],
    [new TypeError('x')],
  ])('are shown above the dashboard unless they replace it', (error) => {
    const text = 'Failed to fetch dashboard data. Please try again later.'
    expect(findFailure(error, [null])).toEqual({ placement: 'banner', text })
    expect(findFailure(null, [error])).toEqual({ placement: 'banner', text })
  })

  test('of a part never replace the page; null without any', () => {
    const [slight, serious] = [buildApiError(500, 'x', 'internal'), buildApiError(404, 'x', 'not_found')]
    expect(findFailure(serious, [slight])!.placement).toBe('page')
    for (const part of [serious, buildApiError(503, 'The store does not answer.', 'store_unreachable')]) {
      const text = 'Failed to fetch dashboard data. Please try again later.'
      expect(findFailure(null, [null, part])).toEqual({ placement: 'banner', text })
    }
    expect(findFailure(null, [null])).toBeNull()
  })
})

test('says which reports of an unreachable shop are awaited, and since when the figures may be old', () => {
  const streams = {}
  expect(describeOrderReports({ ageSeconds: null, isReported: false, streams })).toMatch(/first report.*wp-cron\.php/)
  expect(describeOrderReports({ ageSeconds: 3_600, isReported: false, streams })).toMatch(/1 h ago.*wp-cron\.php/)
  expect(describeOrderReports({ ageSeconds: 600, isReported: false, streams })).toBeNull()
  expect(describeOrderReports({ ageSeconds: 60, isReported: true, streams })).toBeNull()
  // A reached shop that is still importing, and one whose reads fail while its plugin calls.
  expect(describeOrderReports({ ageSeconds: null, streams })).toBeNull()
  const sweep = { completedAt: null, failedAt: null, problem: 'No answer.', rowsSeen: 0, isRunning: false }
  expect(describeOrderReports({ ageSeconds: 3_600, streams: { sweep } })).toMatch(/1 h ago.*No answer\./)
  expect(describeOrderReports({ ageSeconds: 60, streams: { sweep } })).toBeNull()
})

test('shows a trend with sign and text, and a dash without one (A5)', () => {
  expect(describeTrend(12.5)).toEqual({
    text: '+12.5%',
    description: '12.5% more than in the previous 30 days',
    direction: 'up',
  })
  expect(describeTrend(-1_250)).toMatchObject({ text: '−1,250%', direction: 'down' })
  expect(describeTrend(310_000)).toEqual({
    text: 'more than +9,999%',
    description: 'over 9,999% more than in the previous 30 days',
    direction: 'up',
  })
  expect(describeTrend(0)).toMatchObject({ text: '0.0%', direction: 'level' })
  expect(describeTrend(null).text).toBe('–')
})

test('draws the first two datasets, and nothing for a malformed reply', {
  tags: ['A2.3', 'A9', 'B9'],
}, () => {
  const set = (label: string, ...data: unknown[]) => ({ label, data })
  const answer = { labels: ['a', 'b'], datasets: [set('x', 1, 2), set('y', 3, 4), set('z', 5, 6)] }
  expect(pickDatasets(answer)!.datasets.map(({ label }) => label)).toEqual(['x', 'y'])
  const broken = [undefined, {}, { labels: [] }, { ...answer, labels: 'ab' }, { ...answer, datasets: [] }]
  const uneven = [
    { ...answer, datasets: [set('x', 1)] },
    { ...answer, datasets: [set('x', 1, null)] },
    { ...answer, datasets: [null] },
  ]
  for (const each of [...broken, ...uneven]) expect(pickDatasets(each)).toBeNull()
})

test('draws gaps instead of zeros where no rate was measured (decision 98)', () => {
  const answer = { labels: ['a', 'b'], datasets: [{ label: 'x', data: [null, 0.5] }] }
  expect(pickDatasets(answer, { hasGaps: true })).toEqual(answer)
})

const zeros = {
  abandonedCarts: 0,
  recoveredCarts: 0,
  recoveryRate: null,
  totalRevenue: 0,
  monthlyRevenue: 0,
  recoveredOrders: 0,
  activeCustomers: 12,
  currency: 'USD',
  otherCurrencies: [],
  syncAgeSeconds: 3,
  trends: {} as never,
}

test('leaves the first-steps state after a single cart', () => {
  expect(isNewStore(zeros, 0)).toBe(true)
  expect(isNewStore(zeros, 1)).toBe(false)
  expect(isNewStore({ ...zeros, totalRevenue: 5 }, 0)).toBe(false)
})

describe('recovered revenue of the last 30 days', () => {
  const formatEuros = (monthlyRevenue: number) => ({ currency: 'EUR', totalRevenue: 25, monthlyRevenue })

  test('shows money, with other currencies separate', () => {
    const stats = { ...zeros, monthlyRevenue: 60, recoveredOrders: 4, recoveredCarts: 3, recoveryRate: 75 }
    const yen = { currency: 'JPY', totalRevenue: 900, monthlyRevenue: 0 }
    expect(summarizeRecovered({ ...stats, otherCurrencies: [formatEuros(25), yen] })).toEqual({
      money: 60,
      others: [{ currency: 'EUR', amount: 25 }],
    })
  })

  test('shows a sentence at zero, different from the one of a new store', () => {
    expect(summarizeRecovered({ ...zeros, abandonedCarts: 4, recoveryRate: 0 })).toEqual({
      nothing: expect.stringContaining('An order counts once'),
    })
    const lately = { nothing: 'No orders recovered in the last 30 days.' }
    expect(summarizeRecovered({ ...zeros, totalRevenue: 90 })).toEqual(lately)
    expect(summarizeRecovered({ ...zeros, otherCurrencies: [formatEuros(0)] })).toEqual(lately)
  })

  test('shows its zeros if carts were recovered and everything was refunded', () => {
    expect(summarizeRecovered({ ...zeros, recoveredCarts: 1, recoveryRate: 50 })).toMatchObject({
      money: 0,
    })
  })
})

test('formats the revenue chart as money and states the excluded orders', () => {
  const subject = findSubject('revenue', { currency: 'EUR', otherCurrencies: [{ currency: 'USD', revenue: 12.5 }] })
  expect([subject.axis, subject.format(1_234.5)]).toEqual(['Revenue (EUR)', '€1,234.50'])
  expect(subject.definition).toContain('In other currencies: $12.50.')
  expect(findSubject('carts', undefined)).toMatchObject({ name: 'Cart recovery', axis: 'Number of Carts' })
})

test('lists what blocks carts with their money and a link, and leaves out carts that need no message', () => {
  const blocker = (
    reason: 'no_contact' | 'no_consent' | 'purchased' | 'frequency_cap',
    count: number,
    country = '',
  ) => ({
    ...{ reason, count, country: country || null, explanation: '' },
    amounts: [{ currency: 'USD', amount: count * 10 }],
  })
  const reasons = [blocker('no_contact', 39), blocker('purchased', 9), blocker('no_consent', 1, 'DE')]
  const found = listBlockers({ reasons })
  expect(found.rows.map(({ text, to, amounts }) => [text, to, amounts[0]!.amount])).toEqual([
    ['39 carts without email', '/carts?reach=no_contact&days=30', 390],
    ['1 cart without consent (DE)', '/carts?reach=no_consent:DE&days=30', 10],
  ])
  expect(found.more).toBe(0)
  const countries = ['AT', 'BE', 'DE', 'FR', 'IT'].map((code) => blocker('no_consent', 1, code))
  expect(listBlockers({ reasons: countries })).toMatchObject({ rows: { length: 4 }, more: 1 })
})

test('a station of the path is reached once a cart is there, and the last one is won', () => {
  const stations = (['cart', 'abandoned', 'message', 'click', 'bought'] as const).map((station, place) => ({
    station,
    carts: 4 - place,
    amounts: [],
  }))
  expect(buildPathStations({ stations }).map(({ outcome }) => outcome)).toEqual([
    'done',
    'done',
    'done',
    'done',
    'ahead',
  ])
  expect(buildPathStations({ stations: [{ ...stations[4]!, carts: 1 }] })[0]!.outcome).toBe('won')
})
