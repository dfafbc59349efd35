import { describe, expect, it } from 'vitest'
import { access, isSubscribed, type Standing } from './access.ts'

// Columns: visitor · signed in, no subscription · subscribed, no store · subscribed and connected. '.' = shown.
const table: Record<string, [string, string, string, string]> = {
  '/': ['/landing', '/pricing', '/store-setup', '/dashboard'],
  '/landing': ['.', '.', '.', '.'],
  '/cart/recover': ['.', '.', '.', '.'],
  '/unsubscribe': ['.', '.', '.', '.'],
  '/preferences': ['.', '.', '.', '.'],
  '/invite': ['.', '.', '.', '.'],
  '/terms': ['.', '.', '.', '.'],
  '/privacy': ['.', '.', '.', '.'],
  '/test': ['.', '.', '.', '.'],
  '/nowhere': ['.', '.', '.', '.'],
  '/cartsandmore': ['.', '.', '.', '.'],
  '/login': ['.', '/pricing', '/store-setup', '/dashboard'],
  '/register': ['.', '/pricing', '/store-setup', '/dashboard'],
  '/reset-password': ['.', '/pricing', '/store-setup', '/dashboard'],
  '/pricing': ['/login', '.', '.', '.'],
  '/billing': ['/landing', '.', '.', '.'],
  '/settings': ['/landing', '.', '.', '.'],
  '/logout': ['/landing', '.', '.', '.'],
  '/test-subscription': ['/landing', '.', '.', '.'],
  '/store-setup': ['/landing', '.', '.', '/dashboard'],
  '/push-notifications': ['/landing', '.', '.', '.'],
  '/push-setup': ['/landing', '.', '.', '.'],
  '/dashboard': ['/landing', '.', '/store-setup', '.'],
  '/carts': ['/landing', '/pricing', '/store-setup', '.'],
  '/carts/42': ['/landing', '/pricing', '/store-setup', '.'],
  '/flows': ['/landing', '/pricing', '/store-setup', '.'],
  '/flows/42': ['/landing', '/pricing', '/store-setup', '.'],
  '/customers': ['/landing', '/pricing', '/store-setup', '.'],
  '/campaigns/42': ['/landing', '/pricing', '/store-setup', '.'],
  '/notifications': ['/landing', '/pricing', '/store-setup', '.'],
  '/coupons': ['/landing', '/pricing', '/store-setup', '.'],
  '/analytics': ['/landing', '/pricing', '/store-setup', '.'],
}

const bools = [false, true]
const standings = bools.flatMap((authenticated) =>
  bools.flatMap((subscribed) => bools.map((connected): Standing => ({ authenticated, subscribed, connected }))),
)

/** Without a token nothing else counts, and without a subscription the store does not. */
function columnOf({ authenticated, subscribed, connected }: Standing) {
  if (!authenticated) return 0
  if (!subscribed) return 1
  return connected ? 3 : 2
}

describe('access', () => {
  for (const [path, row] of Object.entries(table)) {
    it.each(standings)(`${path} for %o`, (standing) => {
      const expected = row[columnOf(standing)]!
      expect(access(path, standing)).toEqual(expected === '.' ? { show: true } : { show: false, redirect: expected })
    })
  }

  it('never redirects in a circle', () => {
    for (const standing of standings) {
      for (const path of Object.keys(table)) {
        let here = path
        for (let hops = 0; hops < 3; hops++) {
          const answer = access(here, standing)
          if (answer.show) break
          here = answer.redirect
        }
        expect(access(here, standing)).toEqual({ show: true })
      }
    }
  })

  it('counts the free plan, active and trialing as subscribed', () => {
    expect(isSubscribed('free', 'active')).toBe(true)
    expect(isSubscribed('free', null)).toBe(true)
    expect(isSubscribed('growth', 'trialing')).toBe(true)
    expect(isSubscribed('starter', 'past_due')).toBe(false)
    expect(isSubscribed('growth', 'canceled')).toBe(false)
    expect(isSubscribed(null, null)).toBe(false)
  })
})
