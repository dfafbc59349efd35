import { describe, expect, it } from 'vitest'
import { bareScreens, publicScreens, settingsScreens, shellScreens } from '../screens.ts'
import { access, accessSoFar, isSubscribed, type Standing } from './access.ts'

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
  '/carts/42/more': ['.', '.', '.', '.'],
  '/dashboard/nowhere': ['.', '.', '.', '.'],
  '/pricing/nowhere': ['.', '.', '.', '.'],
  '/login/nowhere': ['.', '.', '.', '.'],
  '/carts%2F42': ['.', '.', '.', '.'],
  '/%E0%A4%A': ['.', '.', '.', '.'],
  '/login': ['.', '/pricing', '/store-setup', '/dashboard'],
  '/register': ['.', '/pricing', '/store-setup', '/dashboard'],
  '/reset-password': ['.', '/pricing', '/store-setup', '/dashboard'],
  '/pricing': ['/login', '.', '.', '.'],
  '/billing': ['/landing', '.', '.', '.'],
  '/settings': ['/landing', '.', '.', '.'],
  '/settings/account': ['/landing', '.', '.', '.'],
  '/logout': ['/landing', '.', '.', '.'],
  '/test-subscription': ['/landing', '.', '.', '.'],
  '/store-setup': ['/landing', '.', '.', '/dashboard'],
  '/push-notifications': ['/landing', '.', '.', '.'],
  '/push-setup': ['/landing', '.', '.', '.'],
  '/dashboard': ['/landing', '.', '/store-setup', '.'],
  '/carts': ['/landing', '/pricing', '/store-setup', '.'],
  '/Carts/': ['/landing', '/pricing', '/store-setup', '.'],
  '/%63arts': ['/landing', '/pricing', '/store-setup', '.'],
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

  const unknowns = [...bools, null].flatMap((subscribed) =>
    [...bools, null].map((connected) => ({ subscribed, connected })),
  )

  it('answers before everything is known exactly where the rest cannot matter', () => {
    for (const path of Object.keys(table)) {
      for (const authenticated of bools) {
        for (const known of unknowns) {
          const possible = standings.filter(
            (standing) =>
              standing.authenticated === authenticated &&
              [null, standing.subscribed].includes(known.subscribed) &&
              [null, standing.connected].includes(known.connected),
          )
          const answers = new Set(possible.map((standing) => JSON.stringify(access(path, standing))))
          const soFar = accessSoFar(path, { authenticated, ...known })
          expect(soFar && JSON.stringify(soFar)).toBe(answers.size === 1 ? [...answers][0] : null)
        }
      }
    }
  })

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

describe('the screens', () => {
  const paths = (screens: object) => Object.keys(screens).map((path) => path.replace(/:\w+/, '42'))
  const visitor = { authenticated: false, subscribed: false, connected: false }

  it('are shown to everybody where nothing is asked about them', () => {
    for (const path of paths(publicScreens)) {
      for (const standing of standings) expect([path, access(path, standing)]).toEqual([path, { show: true }])
    }
  })

  it('behind the guard are known to the rule: none of the shell is shown to a visitor', () => {
    const inShell = { ...shellScreens, ...settingsScreens }
    expect(paths(inShell).filter((path) => access(path, visitor).show)).toEqual([])
    const open = paths(bareScreens).filter((path) => access(path, visitor).show)
    expect(open).toEqual(['/login', '/register', '/reset-password'])
  })
})
