import { expect, test } from 'vitest'
import { checkConnection } from '../shared/access/stores.ts'
import { listAbandonedCarts } from '../shared/carts/carts.ts'
import { readRecoveryRateTrend, readRevenueTrend } from '../shared/insights/analytics.ts'
import { createScreens } from './app.ts'

// A shop that has never reported a cart: empty screens give the reason and link to the capture script.

const app = createScreens()

test.each([
  ['/analytics', 'Try selecting a different time period'],
  ['/carts', 'No abandoned carts found. Your store might not have any abandoned carts yet.'],
])('%s gives the reason for being empty, and links to the capture script', async (path, text) => {
  app.api.alter(checkConnection, (reply) => ({
    ...reply,
    store: { ...reply.store!, isDemo: false, captureSeenAt: null, mode: 'limited' as const },
  }))
  app.api.alter(listAbandonedCarts, (reply) => ({
    ...reply,
    carts: [],
    pagination: { ...reply.pagination, total: 0, pages: 0 },
  }))
  for (const endpoint of [readRecoveryRateTrend, readRevenueTrend])
    app.api.alter(endpoint, (reply) => ({
      ...reply,
      datasets: reply.datasets.map((set) => ({ ...set, data: reply.labels.map(() => null) })),
    }))
  await app.open(path)
  await app.page.getByText(text).first().waitFor()
  await app.page
    .getByText(/Your shop has not reported a cart yet/)
    .first()
    .waitFor()
  await app.waitUntilSettled()
  expect(await app.findViolations()).toEqual([])
  await app.page.getByRole('link', { name: 'Install the tracking script' }).first().click()
  await app.page.waitForURL('**/settings/capture-script')
})

test('with the plugin, /carts has no link to the capture script, and the script’s page says it is not needed', async () => {
  app.api.alter(checkConnection, (reply) => ({
    ...reply,
    store: { ...reply.store!, isDemo: false, captureSeenAt: null, mode: 'plugin' as const },
  }))
  app.api.alter(listAbandonedCarts, (reply) => ({
    ...reply,
    carts: [],
    pagination: { ...reply.pagination, total: 0, pages: 0 },
  }))
  await app.open('/carts')
  await app.page.getByText('No abandoned carts found.').first().waitFor()
  await expect.poll(() => app.page.getByText(/Install the tracking script|has not reported a cart/).count()).toBe(0)
  await app.open('/settings/capture-script')
  await app.page.getByText('The plugin reports carts from your shop.').waitFor()
  await app.waitUntilSettled()
  expect(await app.findViolations()).toEqual([])
})
