import { describe, expect, it } from 'vitest'
import { screens } from '../../../shared/screens.ts'
import { type AccessState, access, decideEarly } from './access.ts'

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
  '/how-we-test': ['.', '.', '.', '.'],
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
  '/settings/sending/sms': ['/landing', '.', '.', '.'],
  '/settings/nowhere': ['.', '.', '.', '.'],
  '/customers/x': ['.', '.', '.', '.'],
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
  '/customers/01999999-0000-7000-8000-000000000001': ['/landing', '/pricing', '/store-setup', '.'],
  '/campaigns': ['/landing', '/pricing', '/store-setup', '.'],
  '/campaigns/42': ['/landing', '/pricing', '/store-setup', '.'],
  '/notifications': ['/landing', '/pricing', '/store-setup', '.'],
  '/coupons': ['/landing', '/pricing', '/store-setup', '.'],
  '/analytics': ['/landing', '/pricing', '/store-setup', '.'],
  // For other users the guard shows the 404 page there before it applies this rule.
  '/operator': ['/landing', '.', '.', '.'],
}

const bools = [false, true]
const accessStates = bools.flatMap((authenticated) =>
  bools.flatMap((subscribed) => bools.map((connected): AccessState => ({ authenticated, subscribed, connected }))),
)

/** Without a token no other answer counts; without a subscription the store does not. */
function chooseColumn({ authenticated, subscribed, connected }: AccessState) {
  if (!authenticated) return 0
  if (!subscribed) return 1
  return connected ? 3 : 2
}

describe('the access rule', () => {
  for (const [path, row] of Object.entries(table)) {
    it.each(accessStates)(`decides about ${path} for %o`, { tags: ['A2.1', 'A4.1', 'A6'] }, (accessState) => {
      const expected = row[chooseColumn(accessState)]!
      expect(access(path, accessState)).toEqual(expected === '.' ? { show: true } : { show: false, redirect: expected })
    })
  }

  const unknowns = [...bools, null].flatMap((subscribed) =>
    [...bools, null].map((connected) => ({ subscribed, connected })),
  )

  it('returns null exactly while a pending answer could change the decision', { tags: ['A4.1'] }, () => {
    for (const path of Object.keys(table)) {
      for (const authenticated of bools) {
        for (const known of unknowns) {
          const possible = accessStates.filter(
            (accessState) =>
              accessState.authenticated === authenticated &&
              [null, accessState.subscribed].includes(known.subscribed) &&
              [null, accessState.connected].includes(known.connected),
          )
          const answers = new Set(possible.map((accessState) => JSON.stringify(access(path, accessState))))
          const soFar = decideEarly(path, { authenticated, ...known })
          expect(soFar && JSON.stringify(soFar)).toBe(answers.size === 1 ? [...answers][0] : null)
        }
      }
    }
  })

  it('never redirects in a circle', { tags: ['A4.1'] }, () => {
    for (const accessState of accessStates) {
      for (const path of Object.keys(table)) {
        let here = path
        for (let hops = 0; hops < 3; hops++) {
          const answer = access(here, accessState)
          if (answer.show) break
          here = answer.redirect
        }
        expect(access(here, accessState)).toEqual({ show: true })
      }
    }
  })
})

describe('the registered screens', () => {
  const fillParameters = (path: string) => path.replace(/:\w+/, '01999999-0000-7000-8000-000000000001')
  const visitor = { authenticated: false, subscribed: false, connected: false }

  it('are shown to everyone if they are public', { tags: ['A2.1'] }, () => {
    const open = screens.filter((screen) => screen.access === 'everybody').map(({ path }) => path)
    const named = ['/landing', '/cart/recover', '/test', '/terms', '/privacy']
    expect(open).toEqual(expect.arrayContaining(named))
    for (const path of open) {
      for (const accessState of accessStates) expect([path, access(path, accessState)]).toEqual([path, { show: true }])
    }
  })

  it('are never shown to a visitor if they are behind the guard', { tags: ['A4.1'] }, () => {
    const guarded = screens.filter((screen) => screen.access !== 'everybody')
    const visible = guarded.filter(({ path }) => access(fillParameters(path), visitor).show)
    expect(visible.map(({ path }) => path)).toEqual(['/login', '/register', '/reset-password'])
    expect(visible.filter(({ frame }) => frame !== 'page')).toEqual([])
  })

  it('appear in the table above, or below a path that does', () => {
    const missing = screens.filter(
      ({ path, access }) =>
        access !== 'everybody' &&
        !Object.keys(table).some((known) => `${fillParameters(path)}/`.startsWith(`${known}/`)),
    )
    expect(missing).toEqual([])
  })
})

it('keep only the notifications open after the store was disconnected (decision 27)', () => {
  const ended = { authenticated: true, subscribed: true, connected: false, ended: true }
  const open = screens
    .filter(({ access: to, isUuid }) => to === 'connected' && !isUuid)
    .filter(({ path }) => access(path, ended).show)
  expect(open.map(({ path }) => path)).toEqual(['/notifications'])
  expect(access('/notifications', { ...ended, subscribed: false }).show).toBe(false)
  expect(access('/dashboard', ended)).toEqual({ show: false, redirect: '/store-setup' })
})
