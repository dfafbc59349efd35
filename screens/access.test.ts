import { beforeEach, describe, expect, test } from 'vitest'
import { login, me } from '../shared/access/auth.ts'
import { checkConnection } from '../shared/access/stores.ts'
import { subscriptionStatus } from '../shared/billing/billing.ts'
import {
  CONNECTION_KEYS,
  listSections,
  navigateWithin,
  openWithStorage,
  readStoredConnection,
  SECTIONS,
  setAccess,
  stubLandingPage,
} from './access-scene.ts'
import { fixture } from './api.ts'
import { createScreens, token } from './app.ts'
import demo from './fixtures/demo.json' with { type: 'json' }

// Redirects, and when the server is asked (A 4.1, 4.2). The rule itself: web/core/access/access.test.ts.

const app = createScreens()
beforeEach(() => stubLandingPage(app))

const heading = (name: string) => app.page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const findSection = (name: string) => app.page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name })
const path = () => new URL(app.page.url()).pathname
const storeSubscription = (hasActiveSubscription: boolean) =>
  JSON.stringify({
    id: '1',
    name: 'x',
    email: 'x',
    hasActiveSubscription,
    subscriptionStatus: hasActiveSubscription ? 'active' : null,
  })

describe('the connection check', () => {
  test('runs again on every path change and shares a running check', { tags: ['A4.1'] }, async () => {
    // Live events would trigger it too.
    await app.page.route('**/socket.io/**', (route) => route.abort())
    const countRequests = () => [subscriptionStatus, checkConnection].map((endpoint) => app.api.calls(endpoint).length)
    await app.open('/flows')
    await app.waitUntilSettled()
    for (const name of ['Settings', 'Flows', 'Settings']) {
      const before = countRequests()
      await findSection(name).click()
      await heading(name)
      await app.waitUntilSettled()
      expect(countRequests()).toEqual(before.map((count) => count + 1))
    }
    const { release } = app.api.hold(subscriptionStatus)
    const before = app.api.calls(subscriptionStatus).length
    for (const name of ['Flows', 'Settings', 'Flows']) {
      await findSection(name).click()
      // The page does not wait for it (decision 2).
      await heading(name)
    }
    await expect.poll(() => app.api.calls(subscriptionStatus).length).toBe(before + 1)
    release()
  })

  test('shows “Loading...” while nothing is known', { tags: ['A4.1'] }, async () => {
    const held = [me, subscriptionStatus].map((endpoint) => app.api.hold(endpoint))
    await openWithStorage(app, '/flows', { token })
    await heading('Loading...')
    for (const { release } of held) release()
    await heading('Flows')
  })

  test('an outdated "no" does not redirect: a plan chosen elsewhere counts at once', { tags: ['A4.1'] }, async () => {
    setAccess(app, { plan: null, isConnected: false })
    await openWithStorage(app, '/carts', { token })
    await app.page.waitForURL('**/pricing')
    await heading('Choose your plan')
    await expect
      .poll(() => app.page.evaluate(() => localStorage.getItem('user')))
      .toContain('"hasActiveSubscription":false')
    setAccess(app, { plan: 'free' })
    await navigateWithin(app.page, '/flows')
    await heading('Flows')
    await openWithStorage(app, '/flows', { token, user: storeSubscription(false) })
    await heading('Flows')
    await expect.poll(() => path()).toBe('/flows')
  })

  test('a remembered "yes" shows the page while the server is asked', async () => {
    const held = [subscriptionStatus, checkConnection].map((endpoint) => app.api.hold(endpoint))
    const connection = JSON.stringify({ platform: 'woocommerce', store_url: 'https://shop.example' })
    const stored = { token, user: storeSubscription(true), isConnected: 'true', store_connection: connection }
    await openWithStorage(app, '/flows', stored)
    await heading('Flows')
    for (const { release } of held) release()
  })

  test('an outdated "no" that led to the set-up returns to the page and not to the dashboard', async () => {
    setAccess(app, { isConnected: false })
    app.api.alter(checkConnection, (reply) =>
      app.api.calls(checkConnection).length > 1
        ? reply
        : { hasConnection: false, platform: null, store_url: null, store: null },
    )
    await openWithStorage(app, '/flows?x=1', { token, user: storeSubscription(true) })
    await heading('Flows')
    await app.waitUntilSettled()
    await expect.poll(() => app.api.calls(checkConnection).length).toBeGreaterThan(1)
    await expect.poll(() => app.page.url()).toMatch(/\/flows\?x=1$/)
  })

  test('a store remembered only by the browser causes no redirect from the set-up before the server answers', async () => {
    setAccess(app, { isConnected: false })
    const { release } = app.api.hold(checkConnection)
    const urls: string[] = []
    app.page.on('framenavigated', (frame) => urls.push(new URL(frame.url()).pathname))
    await openWithStorage(app, '/store-setup', { ...demo.storage, token, user: storeSubscription(true) })
    await heading('Loading...')
    release()
    await heading('Connect your store')
    await app.page.getByLabel('Store URL').fill('https://shop.example')
    await app.waitUntilSettled()
    await expect.poll(() => app.page.getByLabel('Store URL').inputValue()).toBe('https://shop.example')
    expect(urls).not.toContain('/dashboard')
  })

  test.each([
    ['without a subscription', { plan: null }],
    ['with a canceled one', { status: 'canceled' as const, isSubscribed: false }],
  ])(
    'never requests the connection %s, and removes the stored one',
    {
      tags: ['A2.2', 'A2.3', 'A4.1'],
    },
    async (_, access) => {
      setAccess(app, access)
      const stored = Object.fromEntries(
        CONNECTION_KEYS.map((key) => [key, key === 'isConnected' ? 'true' : '{"platform":"x"}']),
      )
      await openWithStorage(app, '/dashboard', { ...stored, token, user: storeSubscription(false) })
      await app.page.getByText('Subscription Required').waitFor()
      await expect
        .poll(() => app.page.getByRole('link', { name: 'Choose a Plan' }).getAttribute('href'))
        .toBe('/pricing')
      await expect.poll(() => listSections(app.page)).toEqual(['Dashboard', 'Settings'])
      await navigateWithin(app.page, '/settings')
      await app.page.getByText('Not connected to any store').waitFor()
      await navigateWithin(app.page, '/settings/recovery-rules')
      await app.page.getByText('Not connected to any store').waitFor()
      await app.waitUntilSettled()
      expect(app.api.calls(checkConnection)).toEqual([])
      await expect.poll(() => readStoredConnection(app.page)).toEqual([])
    },
  )

  test('an ended subscription removes the stored connection, even if a "yes" is stored', {
    tags: ['A4.1'],
  }, async () => {
    await app.open('/settings')
    await app.page
      .getByText(/^Connected to /)
      .first()
      .waitFor()
    await expect.poll(() => readStoredConnection(app.page)).toEqual(CONNECTION_KEYS)
    setAccess(app, { status: 'past_due', isSubscribed: false })
    await app.page.reload()
    await app.page.getByText('Not connected to any store').waitFor()
    await app.waitUntilSettled()
    await expect.poll(() => readStoredConnection(app.page)).toEqual([])
  })
})

test.each([
  ['/pricing', { plan: null, isConnected: false }],
  ['/pricing', { status: 'canceled' as const, isSubscribed: false }],
  ['/dashboard', { status: 'past_due' as const }],
  ['/store-setup', { plan: 'free' as const, isConnected: false }],
  ['/dashboard', { plan: 'starter' as const, status: 'trialing' as const }],
])('signing in redirects to %s with %o', { tags: ['A4.2'] }, async (to, access) => {
  setAccess(app, access)
  app.api.answer(login, { token, ...fixture(me) })
  // Left by the previous user.
  await openWithStorage(app, '/login', { storeUrl: 'https://shop.example' })
  await app.page.getByLabel('Email').fill('cara@owners.example')
  await app.page.getByLabel('Password', { exact: true }).fill('secret')
  await app.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await app.page.waitForURL(`**${to}`)
  await app.waitUntilSettled()
  await expect.poll(() => path()).toBe(to)
  await expect.poll(() => readStoredConnection(app.page)).toEqual(to === '/dashboard' ? CONNECTION_KEYS : [])
})

test('a signed-in user is redirected from sign-in and set-up to the dashboard', {
  tags: ['A2.1', 'A4.1', 'A4.2'],
}, async () => {
  await app.open('/dashboard')
  for (const from of ['/', '/login', '/store-setup']) {
    await app.page.goto(app.url + from)
    await app.page.waitForURL('**/dashboard')
  }
})

test('a visitor is redirected to the landing page, and from prices to sign-in', {
  tags: ['A2.1', 'A2.6', 'A4.1', 'A4.3'],
}, async () => {
  await openWithStorage(app, '/%63arts', {})
  await app.page.waitForURL(`${app.url}/landing`)
  await openWithStorage(app, '/pricing', {})
  await app.page.waitForURL('**/login')
})

test('the web push screens are inside the shell and have no tab', { tags: ['A2.1', 'A2.2'] }, async () => {
  for (const [to, title] of [
    ['/push-notifications', 'Push Notification Manager'],
    ['/push-setup', 'Push Notification Integration'],
  ] as const) {
    await app.open(to)
    await heading(title)
    await expect.poll(() => listSections(app.page)).toEqual(SECTIONS)
  }
})

test.each(['/customers/x', '/settings/nothing', '/campaigns/42/more', '/nowhere/at-all'])('%s is the 404 page', {
  tags: ['A2.1'],
}, async (to) => {
  await app.open(to, { as: 'visitor' })
  await heading('Page not found')
  await app.page.getByText("Sorry, we couldn't find the page you're looking for.").waitFor()
  await expect
    .poll(() => app.page.getByRole('link', { name: 'Go back to Dashboard' }).getAttribute('href'))
    .toBe('/dashboard')
})
