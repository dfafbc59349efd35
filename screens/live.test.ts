import { expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import { checkConnection } from '../shared/access/stores.ts'
import { listActiveCarts } from '../shared/carts/active-carts.ts'
import type { Endpoint } from '../shared/core/endpoint.ts'
import { readDashboardStats } from '../shared/insights/dashboard.ts'
import { listNotifications } from '../shared/workspace/notification-calls.ts'
import { fixture } from './api.ts'
import { createScreens, NOW } from './app.ts'
import { buildCarts } from './carts-scene.ts'
import { openAnotherPage } from './page-checks.ts'

// The live connection: changes made elsewhere are refetched, even after a disconnection and in a hidden tab.

const app = createScreens()
/** Of the 17 unread ones. */
const unread = fixture(listNotifications).notifications[0]!
const count = (endpoint: Endpoint) => app.api.calls(endpoint).length
/** Waits until connected and initially refetched. */
async function openDashboard() {
  const page = await app.open('/dashboard')
  await expect.poll(app.live.connections).toBe(1)
  await app.waitUntilSettled()
  return page
}

test('a change made elsewhere is refetched at once, without a violation of the content security policy', async () => {
  const violations: string[] = []
  app.page.on('console', (line) => /Content Security Policy/i.test(line.text()) && violations.push(line.text()))
  await openDashboard()
  const before = count(checkConnection)
  app.live.changed('settings')
  await expect.poll(() => count(checkConnection)).toBeGreaterThan(before)
  expect(violations).toEqual([])
})

test('a dropped connection reconnects and refetches missed changes', { tags: ['A9'] }, async () => {
  const page = await openAnotherPage(app)
  await page.clock.install()
  await page.goto(`${app.url}/dashboard`)
  await expect.poll(app.live.connections).toBe(1)
  await expect.poll(() => app.api.waiting).toBe(0)
  const [before, doubts] = [count(readDashboardStats), count(me)]
  app.live.cut()
  await expect.poll(app.live.connections).toBe(0)
  // The server closed it: the session is checked at once, and the browser reconnects after ten seconds.
  await expect.poll(() => count(me)).toBeGreaterThan(doubts)
  await page.clock.fastForward(10_000)
  await expect.poll(app.live.connections).toBe(1)
  await expect.poll(() => count(readDashboardStats)).toBeGreaterThan(before)
  const found = count(checkConnection)
  app.live.changed('settings')
  await expect.poll(() => count(checkConnection)).toBeGreaterThan(found)
})

test('a hidden tab refetches once it is shown', async () => {
  const page = await openDashboard()
  const hide = (isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => value })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  // Wait for the previous count, which would replace the notification's.
  await page.getByRole('button', { name: 'Notifications, 17 unread' }).waitFor()
  await app.waitUntilSettled()
  await hide(true)
  const before = count(checkConnection)
  app.live.changed('settings')
  // A notification sent afterwards over the same connection is shown.
  app.live.notify({ type: 'new', notification: { ...unread, _id: crypto.randomUUID() } })
  await page.getByRole('button', { name: 'Notifications, 18 unread' }).waitFor()
  expect(count(checkConnection)).toBe(before)
  await hide(false)
  await expect.poll(() => count(checkConnection)).toBeGreaterThan(before)
})

test('a cart that is being filled appears on the dashboard without a reload, and counts down', async () => {
  const page = await openDashboard()
  const active = page.getByRole('region', { name: 'Active now' })
  await active.getByText('No cart is being filled right now.').waitFor()
  const [cart] = buildCarts(1)
  const abandons_at = new Date(NOW.getTime() + 59_000).toISOString()
  app.api.alter(listActiveCarts, (answer) => ({
    ...answer,
    total: 1,
    now: NOW.toISOString(),
    carts: [
      {
        ...cart!,
        state: 'active' as const,
        customer_name: 'Guest',
        customer_email: 'live@shoppers.example',
        abandons_at,
      },
    ],
  }))
  app.live.changed('carts')
  await active.getByText('live@shoppers.example').waitFor()
  await active.getByText(/counts as abandoned in 0:\d\d/).waitFor()
})
