import { expect, test } from 'vitest'
import { buildAllStoresPath, resolveScope } from './scope.ts'

const readScope = (address: string, currencies: string[] | undefined = ['USD', 'EUR']) => {
  const { pathname, searchParams } = new URL(address, 'https://recoup.example')
  return resolveScope({ pathname, search: searchParams }, currencies)
}

test('reads all stores with their currency from the address of dashboard and analytics', () => {
  for (const path of ['/dashboard', '/analytics', '/analytics/']) {
    const all = { isAll: true, currency: 'EUR', query: { stores: 'all', currency: 'EUR' } }
    expect(readScope(`${path}?stores=all&currency=eur`)).toEqual(all)
    expect(readScope(buildAllStoresPath(path, 'EUR'))).toEqual(all)
    expect(readScope(path)).toEqual({ isAll: false, currency: null, query: {} })
  }
})

test('treats every other screen as one store’s and ignores its address', () => {
  for (const path of ['/carts', '/flows', '/analytics/more', '/']) {
    expect(readScope(`${path}?stores=all`)).toEqual({ isAll: false, currency: null, query: {} })
  }
})

test('ignores invalid currencies and those no store has', () => {
  for (const currency of ['CHF', 'dollars', '']) {
    expect(readScope(`/dashboard?stores=all&currency=${currency}`)).toEqual({
      isAll: true,
      currency: null,
      query: { stores: 'all' },
    })
  }
  expect(
    resolveScope({ pathname: '/dashboard', search: new URLSearchParams('stores=all&currency=chf') }, undefined),
  ).toMatchObject({
    query: { currency: 'CHF' },
  })
})
