import { describe, expect, it } from 'vitest'
import { findScreen, screens } from './screens.ts'

describe('the screen registry', () => {
  it('has each path once, with a title', () => {
    const paths = screens.map(({ path }) => path)
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([])
    expect(screens.filter(({ title }) => title === '')).toEqual([])
  })

  it('has a permission for every screen, except for screens without sign-in', () => {
    const open = screens.filter(({ permission }) => permission === 'public').map(({ access }) => access)
    expect(new Set(open)).toEqual(new Set(['everybody', 'home', 'signed-out']))
    expect(screens.filter(({ access, permission }) => access === 'everybody' && permission !== 'public')).toEqual([])
  })

  it('has every path of the specification (A 2.1)', { tags: ['A2.1'] }, () => {
    const named = [
      '/',
      '/landing',
      '/login',
      '/register',
      '/reset-password',
      '/test-subscription',
      '/cart/recover',
      '/pricing',
      '/billing',
      '/store-setup',
      '/test',
      '/dashboard',
      '/carts',
      '/customers',
      '/campaigns',
      '/notifications',
      '/coupons',
      '/analytics',
      '/settings',
      '/push-notifications',
      '/push-setup',
      '/terms',
      '/privacy',
      '/logout',
    ]
    expect(named.filter((path) => findScreen(path)?.path !== path)).toEqual([])
  })

  it.each([
    ['/carts', '/carts'],
    ['/Carts/', '/carts'],
    ['/%63arts', '/carts'],
    ['/carts/42', '/carts/:id'],
    ['/CARTS/42//', '/carts/:id'],
    ['/carts/a%2Fb', '/carts/:id'],
    ['/settings/sending/sms', '/settings/sending/sms'],
    ['', '/'],
    ['//', '/'],
    ['//carts', null],
    ['/carts//42', null],
    ['/carts/42/more', null],
    ['/carts%2F42', null],
    ['/%E0%A4%A', null],
    ['/customers/x', null],
    ['/customers/42', null],
    ['/customers/abandoned', null],
    ['/Customers/01999999-0000-7000-8000-00000000000A/', '/customers/:customerId'],
    ['/settings/nothing', null],
    ['/constructor', null],
  ])('matches the address %s to the screen %s', (address, path) => {
    expect(findScreen(address)?.path ?? null).toBe(path)
  })
})
