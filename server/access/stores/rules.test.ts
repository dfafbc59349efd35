import { expect, test } from 'vitest'
import { cleanStoreName, isOnStoreHost, isOnStoreOrigin, isSameAddress } from './rules.ts'

test('an address is the same with or without https and www', () => {
  expect(isSameAddress('http://shop.example.com', 'https://www.Shop.example.com')).toBe(true)
  expect(isSameAddress('https://shop.example.com/a', 'https://shop.example.com/b')).toBe(false)
})

test('an address belongs to the store by host and port only, over http or https (X1)', () => {
  const store = { url: 'https://shop.example', home_url: 'https://www.shop.example' }
  for (const own of ['https://shop.example/cart', 'http://www.shop.example/', 'https://SHOP.example:443/?a=b']) {
    expect([own, isOnStoreHost(own, store)]).toEqual([own, true])
  }
  const foreign = [
    'https://shop.example.evil.example',
    'https://shop.example@evil.example',
    'https://shop.example:8443/',
  ]
  for (const address of [...foreign, 'javascript://shop.example/%0aalert(1)', 'shop.example/cart', '', null]) {
    expect([address, isOnStoreHost(address, store)]).toEqual([address, false])
  }
  expect(isOnStoreHost('https://shop.example/', { home_url: store.home_url })).toBe(false)
})

test('links with a cart or an order key require https where the platform reports it, and the same port (X1)', () => {
  const store = { url: 'http://wp.example', home_url: 'https://shop.example' }
  for (const own of ['https://shop.example/checkout/', 'http://wp.example/checkout/', 'https://wp.example/checkout/']) {
    expect([own, isOnStoreOrigin(own, store)]).toEqual([own, true])
  }
  for (const address of ['http://shop.example/', 'https://shop.example:8443/', 'http://shop.example:443/', '', null]) {
    expect([address, isOnStoreOrigin(address, store)]).toEqual([address, false])
  }
  expect(isOnStoreOrigin('http://shop.example/', { ...store, url: 'http://shop.example' })).toBe(true)
})

test.each([
  ['\u200fMugs & More\u200e', 'Mugs & More'],
  ['Mugs \u202eerom', 'Mugs erom'],
  ['shop.example', 'shop.example'],
  ['Pay at evil.com', 'Pay at evil com'],
  ['\u200f', 'shop.example'],
])('messages show the store name %j as %j', (name, expected) => {
  expect(cleanStoreName(name, ['https://shop.example', 'https://www.shop.example'])).toBe(expected)
})
