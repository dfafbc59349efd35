import { expect, it } from 'vitest'
import type { CartView } from '../../../shared/carts/carts.ts'
import { rangeDays } from '../../../shared/insights/analytics.ts'
import {
  formatStage,
  hasOpenMessage,
  isFromFigure,
  isInstant,
  nextSort,
  readInputs,
  readListQuery,
  toCartList,
  toFilterParams,
  writeListQuery,
} from './rules.ts'

const defaults = { page: 1, limit: 10, sort: 'timestamp', order: 'desc' } as const

it('parses the list’s address and ignores invalid values', { tags: ['B2'] }, () => {
  expect(readListQuery(new URLSearchParams())).toEqual(defaults)
  expect(readListQuery(new URLSearchParams('limit=11'))).toEqual(defaults)
  expect(readListQuery(new URLSearchParams('limit=50')).limit).toBe(50)
  expect(readListQuery(new URLSearchParams('page=-2&sort=password&order=up'))).toEqual(defaults)
  expect(readListQuery(new URLSearchParams('page=3&status=email+sent&search=ada&sort=value&order=asc'))).toEqual({
    page: 3,
    limit: 10,
    status: 'email sent',
    search: 'ada',
    sort: 'value',
    order: 'asc',
  })
})

it('parses the filters of analytics links and no others', () => {
  const address = 'days=30&country=DE&product=17&stage=clicked%3Aemail'
  const query = readListQuery(new URLSearchParams(address))
  expect(query).toEqual({ ...defaults, days: 30, country: 'DE', product: '17', stage: 'clicked:email' })
  expect(writeListQuery(query, {}).toString()).toBe(address)
  const { page, limit, sort, order, ...filter } = query
  expect(toFilterParams(query)).toEqual(filter)
  for (const days of Object.values(rangeDays)) {
    const ofCountry = { days, country: 'none' }
    const read = readListQuery(new URLSearchParams(`days=${days}&country=none`))
    expect(read).toEqual({ ...defaults, ...ofCountry })
    expect(toFilterParams(read)).toEqual(ofCountry)
  }
  expect(readListQuery(new URLSearchParams(`stage=bought&product=${'1'.repeat(101)}&days=367`))).toEqual(defaults)
  for (const country of ['Germany', 'de', 'NONE']) {
    expect(readListQuery(new URLSearchParams({ country }))).toEqual(defaults)
  }
})

it('labels a stage of the funnel', () => {
  expect(formatStage({ stage: 'clicked', channel: 'email' })).toBe('Email clicked')
  expect(formatStage({ stage: 'sent', channel: null })).toBe('Message sent')
  expect(formatStage({ stage: 'converted', channel: 'sms' })).toBe('Recovered by SMS')
  expect(formatStage({ stage: 'converted', channel: null })).toBe('Recovered')
})

it('has 10 rows a page unless 25, 50 or 100 are chosen, and resets to page 1 with another size', () => {
  const query = readListQuery(new URLSearchParams('page=3'))
  expect(writeListQuery(query, { limit: 25 }).toString()).toBe('limit=25')
  expect(writeListQuery({ ...query, limit: 25 }, { limit: 10 }).toString()).toBe('')
})

it('writes an address that it parses back, and resets to page 1 when a filter changes', () => {
  const query = readListQuery(new URLSearchParams('page=3&search=ada&sort=value&order=asc'))
  expect(readListQuery(writeListQuery(query, { page: 3 }))).toEqual(query)
  expect(writeListQuery(query, { search: 'bob' }).get('page')).toBeNull()
  expect(writeListQuery(defaults, {}).toString()).toBe('')
  expect(writeListQuery(query, { page: 2 }, new URLSearchParams('cart=c1&page=9')).toString()).toBe(
    'cart=c1&search=ada&sort=value&order=asc&page=2',
  )
})

it('keeps a reach filter with its days in the address, and ignores invalid ones', () => {
  const query = readListQuery(new URLSearchParams('reach=no_consent:DE&days=30'))
  expect(query).toMatchObject({ reach: 'no_consent:DE', days: 30 })
  expect(readListQuery(writeListQuery(query, { page: 2 }))).toMatchObject({ ...query, page: 2 })
  expect(writeListQuery(query, { days: 0 }).toString()).toBe('reach=no_consent%3ADE')
  expect(writeListQuery(query, { reach: '' }).toString()).toBe('days=30')
  expect(readListQuery(new URLSearchParams('reach=whatever&days=30&country=Germany'))).toEqual({
    ...defaults,
    days: 30,
  })
  for (const country of ['DE', 'none']) {
    expect(toFilterParams(readListQuery(new URLSearchParams({ country })))).toEqual({ country })
  }
  expect(readListQuery(new URLSearchParams('reach=reachable&days=400'))).toEqual({ ...defaults, reach: 'reachable' })
  expect(toFilterParams({ ...query, search: '', status: 'recovered' })).toEqual({
    status: 'recovered',
    reach: 'no_consent:DE',
    days: 30,
  })
})

it('reverses a column’s order on the second press', () => {
  expect(nextSort(defaults, 'timestamp')).toEqual({ sort: 'timestamp', order: 'asc' })
  expect(nextSort(defaults, 'value')).toEqual({ sort: 'value', order: 'desc' })
  expect(nextSort(defaults, 'customer')).toEqual({ sort: 'customer', order: 'asc' })
})

it('formats decision inputs', () => {
  const inputs = {
    orderCheckStartedAt: '2026-01-02T03:04:05Z',
    cap: { messages_sent: 2, max: 3 },
    topics: ['a', 1],
    holdout: false,
  }
  expect(readInputs(inputs)).toEqual([
    { label: 'Order check started at', value: '2026-01-02T03:04:05Z' },
    { label: 'Cap · messages sent', value: 2 },
    { label: 'Cap · max', value: 3 },
    { label: 'Topics', value: 'a, 1' },
    { label: 'Holdout', value: false },
  ])
  expect(isInstant('2026-01-02T03:04:05Z')).toBe(true)
  expect(isInstant('2026-01-02')).toBe(false)
})

it('knows whether a message is still open', () => {
  expect(hasOpenMessage([{ state: 'sent' }, { state: 'held' }])).toBe(true)
  expect(hasOpenMessage([{ state: 'sent' }, { state: 'skipped' }])).toBe(false)
})

it('treats a plain array of carts as complete (B 3)', () => {
  const carts = [{ id: 'a' }, { id: 'b' }] as CartView[]
  expect(toCartList(carts)).toEqual({
    carts,
    pagination: { page: 1, limit: 2, total: 2, pages: 1 },
    syncAgeSeconds: null,
  })
  expect(toCartList([]).pagination).toMatchObject({ total: 0, pages: 0 })
  const paged = { carts, pagination: { page: 2, limit: 2, total: 9, pages: 5 }, syncAgeSeconds: 3 }
  expect(toCartList(paged)).toBe(paged)
})

it('notes where a figure of analytics can exceed its list', () => {
  const isFigureLink = (address: string) => isFromFigure(readListQuery(new URLSearchParams(address)))
  for (const address of ['days=30', 'country=DE&days=30', 'stage=sent:email', 'product=7'])
    expect([address, isFigureLink(address)]).toEqual([address, true])
  for (const address of ['', 'search=ada&status=lost', 'days=30&reach=reachable'])
    expect([address, isFigureLink(address)]).toEqual([address, false])
})
