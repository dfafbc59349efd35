import { expect, test } from 'vitest'
import { overAll, scopeOf } from './scope.ts'

const at = (address: string, currencies: string[] | undefined = ['USD', 'EUR']) => {
  const { pathname, searchParams } = new URL(address, 'https://recoup.example')
  return scopeOf({ pathname, search: searchParams }, currencies)
}

test('all stores stand in the address of the dashboard and of analytics, with their currency', () => {
  for (const path of ['/dashboard', '/analytics', '/analytics/']) {
    const all = { isAll: true, currency: 'EUR', query: { stores: 'all', currency: 'EUR' } }
    expect(at(`${path}?stores=all&currency=eur`)).toEqual(all)
    expect(at(overAll(path, 'EUR'))).toEqual(all)
    expect(at(path)).toEqual({ isAll: false, currency: null, query: {} })
  }
})

test('every other screen is about one store, whatever its address says', () => {
  for (const path of ['/carts', '/flows', '/analytics/more', '/']) {
    expect(at(`${path}?stores=all`)).toEqual({ isAll: false, currency: null, query: {} })
  }
})

test('a currency that no store has, and what is none, count as not given', () => {
  for (const currency of ['CHF', 'dollars', '']) {
    expect(at(`/dashboard?stores=all&currency=${currency}`)).toEqual({
      ...{ isAll: true, currency: null },
      query: { stores: 'all' },
    })
  }
  expect(
    scopeOf({ pathname: '/dashboard', search: new URLSearchParams('stores=all&currency=chf') }, undefined),
  ).toMatchObject({
    query: { currency: 'CHF' },
  })
})
