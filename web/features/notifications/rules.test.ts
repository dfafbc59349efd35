import { describe, expect, test } from 'vitest'
import { matchesFilter } from './cache.ts'
import { groupByDay, notificationsAddress } from './rules.ts'

describe('the address of the screen', () => {
  const read = (text: string) => notificationsAddress.read(new URLSearchParams(text))

  test('has filter, search and page, and keeps the bell’s parameters', () => {
    const query = read('platform=woocommerce&notificationId=n1&filter=problems&search=ada&page=2')
    expect(query).toMatchObject({ filter: 'problems', search: 'ada', page: 2, limit: 10 })
    const params = new URLSearchParams('platform=woocommerce&notificationId=n1')
    expect(String(notificationsAddress.write(query, { search: '' }, params))).toBe(
      'platform=woocommerce&notificationId=n1&filter=problems',
    )
  })

  test('ignores invalid values', () => {
    expect(read('filter=x&page=-1&limit=7&search=%20')).toEqual({
      filter: 'all',
      page: 1,
      limit: 10,
      sort: 'newest',
      order: 'desc',
    })
  })

  test('decides which new notifications match the list', () => {
    const expectText = (text: string, type: 'cart_abandoned' | 'email_failed' | 'email_sent') =>
      matchesFilter(read(text), { type })
    expect(expectText('', 'email_sent')).toBe(true)
    expect(expectText('filter=unread', 'email_sent')).toBe(true)
    expect([expectText('filter=problems', 'email_failed'), expectText('filter=problems', 'email_sent')]).toEqual([
      true,
      false,
    ])
    expect([expectText('filter=new-carts', 'cart_abandoned'), expectText('filter=new-carts', 'email_sent')]).toEqual([
      true,
      false,
    ])
    expect([expectText('page=2', 'email_sent'), expectText('search=ada', 'email_sent')]).toEqual([false, false])
  })
})

describe('days', () => {
  // In the time zone of the machine that runs the tests.
  const buildLocalTime = (year: number, month: number, day: number, hour: number) => {
    const instant = new Date(year, month, day, hour)
    return { createdAt: instant.toISOString() }
  }
  const now = new Date(2026, 2, 10, 9).getTime()

  test('are Today, Yesterday, then weekday and date, with the year if it is not the current one', () => {
    const items = [
      buildLocalTime(2026, 2, 10, 8),
      buildLocalTime(2026, 2, 10, 0),
      buildLocalTime(2026, 2, 9, 23),
      buildLocalTime(2026, 2, 8, 12),
      buildLocalTime(2025, 11, 31, 12),
    ]
    expect(groupByDay(items, now).map(({ label, items }) => [label, items.length])).toEqual([
      ['Today', 2],
      ['Yesterday', 1],
      ['Sunday, March 8', 1],
      ['Wednesday, December 31, 2025', 1],
    ])
  })

  test('change at midnight: a minute before was yesterday', () => {
    const midnight = new Date(2026, 2, 10).getTime()
    const before = { createdAt: new Date(midnight - 60_000).toISOString() }
    expect(groupByDay([before], midnight + 60_000).map(({ label }) => label)).toEqual(['Yesterday'])
  })
})
