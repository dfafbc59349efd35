import { expect, it } from 'vitest'
import {
  isInstant,
  isSomethingOpen,
  nextSort,
  readInputs,
  readListQuery,
  showingText,
  writeListQuery,
} from './rules.ts'

const defaults = { page: 1, limit: 10, sort: 'timestamp', order: 'desc' } as const

it('reads the list from the address and takes nonsense as not given', () => {
  expect(readListQuery(new URLSearchParams())).toEqual(defaults)
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

it('writes what it reads, and starts at page 1 when a filter changes', () => {
  const query = readListQuery(new URLSearchParams('page=3&search=ada&sort=value&order=asc'))
  expect(readListQuery(writeListQuery(query, { page: 3 }))).toEqual(query)
  expect(writeListQuery(query, { search: 'bob' }).get('page')).toBeNull()
  expect(writeListQuery(defaults, {}).toString()).toBe('')
  expect(writeListQuery(query, { page: 2 }, new URLSearchParams('cart=c1&page=9')).toString()).toBe(
    'cart=c1&search=ada&sort=value&order=asc&page=2',
  )
})

it('turns a column round when it is pressed again', () => {
  expect(nextSort(defaults, 'timestamp')).toEqual({ sort: 'timestamp', order: 'asc' })
  expect(nextSort(defaults, 'value')).toEqual({ sort: 'value', order: 'desc' })
  expect(nextSort(defaults, 'customer')).toEqual({ sort: 'customer', order: 'asc' })
})

it('says which entries are shown', () => {
  expect(showingText(1, 10, { total: 42, isCapped: false })).toBe('Showing 1 to 10 of 42 entries')
  expect(showingText(5, 10, { total: 42, isCapped: false })).toBe('Showing 41 to 42 of 42 entries')
  expect(showingText(2, 10, { total: 1_000, isCapped: true })).toBe('Showing 11 to 20 of 1,000+ entries')
})

it('makes decision inputs readable', () => {
  const inputs = {
    fenceStartedAt: '2026-01-02T03:04:05Z',
    cap: { messages_sent: 2, max: 3 },
    topics: ['a', 1],
    holdout: false,
  }
  expect(readInputs(inputs)).toEqual([
    { label: 'Fence started at', value: '2026-01-02T03:04:05Z' },
    { label: 'Cap · messages sent', value: 2 },
    { label: 'Cap · max', value: 3 },
    { label: 'Topics', value: 'a, 1' },
    { label: 'Holdout', value: false },
  ])
  expect(isInstant('2026-01-02T03:04:05Z')).toBe(true)
  expect(isInstant('2026-01-02')).toBe(false)
})

it('knows when something is still open', () => {
  expect(isSomethingOpen([{ state: 'sent' }, { state: 'held' }])).toBe(true)
  expect(isSomethingOpen([{ state: 'sent' }, { state: 'skipped' }])).toBe(false)
})
