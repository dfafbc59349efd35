import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { isFocused } from '../e2e/keys.ts'
import { demoLogin, logout, me } from '../shared/access/auth.ts'
import { syncStore } from '../shared/access/stores.ts'
import { subscriptionStatus } from '../shared/billing/billing.ts'
import { readInstance } from '../shared/workspace/instance.ts'
import {
  CONNECTION_KEYS,
  listSections,
  openOwnerPage,
  readStoredConnection,
  SECTIONS,
  stubLandingPage,
} from './access-scene.ts'
import { fixture } from './api.ts'
import { createScreens, PHONE, token } from './app.ts'

// The frame around every screen: name, sections, header, themes, sign-out, and route transitions.

const app = createScreens()
beforeEach(() => stubLandingPage(app))

const findBanner = () => app.page.getByRole('banner')
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const readTheme = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme)
const readBackground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

describe('the shell', () => {
  test('has name, tagline and the sections in order, with a title for each', {
    tags: ['A2.1', 'A2.2'],
  }, async () => {
    await app.open('/dashboard')
    const name = await app.page.locator('.side .logo').first().innerText()
    expect(name.split(/\s*\n\s*/)).toEqual(['Recoup', 'Abandoned Cart Recovery'])
    await expect.poll(() => listSections(app.page)).toEqual(SECTIONS)
    await expect.poll(() => findBanner().locator('.logo-mark').count()).toBe(1)
    for (const title of SECTIONS.slice(1)) {
      await section(app.page, title).click()
      await findBanner().getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
      await expect.poll(() => findBanner().locator('.logo-mark').count()).toBe(0)
    }
  })

  test('shows platform, plan, prices and support in the header, and a skip link to the content', {
    tags: ['A2.2'],
  }, async () => {
    await app.open('/dashboard')
    await findBanner().getByText('WooCommerce').waitFor()
    await findBanner().getByRole('button', { name: 'Subscription: Growth, Active', exact: true }).waitFor()
    await expect.poll(() => findBanner().getByRole('link', { name: 'Pricing' }).getAttribute('href')).toBe('/pricing')
    const { supportEmail } = fixture(readInstance)
    await expect
      .poll(() => findBanner().getByRole('link', { name: 'Support' }).getAttribute('href'))
      .toContain(`mailto:${supportEmail}?`)
    await app.page.reload()
    await findBanner().getByText('WooCommerce').waitFor()
    await app.page.keyboard.press('Tab')
    await app.page.keyboard.press('Enter')
    await expect.poll(() => app.page.evaluate(() => document.activeElement?.id)).toBe('content')
  })

  test.each([
    ['free', 'active', null],
    ['growth', 'active', 'Growth, Active'],
    ['starter', 'trialing', 'Starter, Trial'],
    ['growth', 'past_due', 'Growth, Past Due'],
    ['growth', 'canceled', 'Growth, Canceled'],
  ] as const)(
    'shows plan and status of a paid plan in the header: %s, %s',
    {
      tags: ['A2.2', 'A4.3', 'A9'],
    },
    async (plan, status, label) => {
      app.api.alter(subscriptionStatus, (reply) => ({ ...reply, plan, planInForce: plan, status }))
      await app.open('/settings/appearance')
      await findBanner().getByRole('link', { name: 'Support' }).waitFor()
      const button = findBanner().getByRole('button', { name: /^Subscription/ })
      if (label === null) return await expect.poll(() => button.count()).toBe(0)
      await expect.poll(() => button.getAttribute('aria-label')).toBe(`Subscription: ${label}`)
      await expect.poll(async () => (await button.innerText()).split(/\s*\n\s*/).join(', ')).toBe(label)
    },
  )

  test('offers Login and Register to a visitor', { tags: ['A2.2'] }, async () => {
    await app.open('/terms', { as: 'visitor' })
    await expect.poll(() => findBanner().getByRole('link', { name: 'Login' }).getAttribute('href')).toBe('/login')
    await expect.poll(() => findBanner().getByRole('link', { name: 'Register' }).getAttribute('href')).toBe('/register')
  })

  test('has a menu on a phone that opens, works and closes by keyboard', async () => {
    const page = await app.open('/dashboard', { viewport: PHONE })
    const burger = page.getByRole('button', { name: 'Open menu' })
    await burger.press('Enter')
    const menu = page.getByRole('dialog')
    for (const name of ['Abandoned Carts', 'Flows', 'Settings', 'Pricing', 'Support']) {
      await menu.getByRole('link', { name, exact: true }).waitFor()
    }
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    await expect.poll(() => isFocused(burger)).toBe(true)
    await page.keyboard.press('Enter')
    await menu.getByRole('link', { name: 'Settings' }).press('Enter')
    await page.waitForURL('**/settings')
    await menu.waitFor({ state: 'hidden' })
  })
})

test('the store’s menu has its logo, the age of its data and the sync, on a phone too', async () => {
  const logo = '/favicon.svg'
  app.api.alter(me, ({ user }) => ({ user: { ...user, stores: user.stores.map((store) => ({ ...store, logo })) } }))
  const counts = { orders: 1, customers: 1, products: 1 }
  app.api.answer(syncStore, { success: true, message: 'Everything is up to date.', counts, ageSeconds: 0 })
  const page = await app.open('/customers', { viewport: PHONE })
  const menu = page.getByRole('button', { name: 'Store menu: Maple & Clay, WooCommerce' })
  await expect.poll(() => menu.locator('img').getAttribute('src')).toBe(logo)
  await menu.press('Enter')
  const sync = page.getByRole('menuitem', { name: /^Sync now Synced .* ago$/ })
  expect(await app.findViolations('.shell-header')).toEqual([])
  await sync.click()
  await page.getByText('Everything is up to date.').waitFor()
  await expect.poll(() => app.api.calls(syncStore).length).toBe(1)
})

test('the account menu leads to account and billing, as the role allows', async () => {
  const page = await app.open('/customers')
  const button = page.getByRole('button', { name: /^Account menu/ })
  await button.click()
  await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['Account', 'Plan and billing'])
  await page.getByRole('menuitem', { name: 'Plan and billing' }).click()
  await page.waitForURL('**/billing')
  app.api.alter(me, ({ user }) => ({ user: { ...user, role: 'viewer' as const } }))
  await app.open('/customers')
  await button.click()
  await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['Account'])
})

test('the demo’s strip is one line, with its links in a menu on a phone', async () => {
  const page = await app.open('/customers')
  const strip = page.locator('.demo-strip')
  await strip.getByRole('link', { name: 'Demo store' }).waitFor()
  await strip.getByText('Messages go to its own mailbox and phones').waitFor()
  await page.setViewportSize(PHONE)
  await strip.getByRole('button', { name: 'Demo links' }).click()
  await page.getByRole('menuitem', { name: 'Reset demo' }).waitFor()
  expect((await strip.boundingBox())!.height).toBeLessThan(40)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})

test('a typed address opens at its top, wherever the previous page was scrolled', async () => {
  const page = await app.open('/push-notifications')
  await page.setViewportSize(PHONE)
  await app.waitUntilSettled()
  await page.evaluate(() => window.scrollTo(0, 400))
  await page.goto(`${app.url}/terms`)
  await app.waitUntilSettled()
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
})

describe('the theme', () => {
  test('is the system’s while nothing is stored, applies at the first paint, and follows the system', {
    tags: ['A4.7'],
  }, async () => {
    const page = await app.openAnotherPage({ colorScheme: 'dark' })
    await page.addInitScript(() => {
      const seen: string[] = []
      Object.assign(window, { seen })
      const look = () => {
        if (document.body) seen.push(getComputedStyle(document.body).backgroundColor)
        if (seen.length < 20) requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    await page.goto(`${app.url}/login`)
    await page.getByLabel('Email').waitFor()
    const grounds = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
    expect(new Set(grounds)).toEqual(new Set([await readBackground(page)]))
    await expect.poll(() => readTheme(page)).toBe('dark')
    await expect.poll(() => page.evaluate(() => localStorage.getItem('theme'))).toBeNull()
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => readTheme(page)).toBe('light')
  })

  test('applies at once when chosen, is stored, and then no longer follows the system', {
    tags: ['A2.8', 'A3', 'A4.7'],
  }, async () => {
    const page = await openOwnerPage(app, await app.openAnotherPage({ colorScheme: 'light' }))
    await page.goto(`${app.url}/settings/appearance`)
    for (const name of ['Light', 'Dark', 'Blue']) await page.getByRole('radio', { name }).waitFor()
    await expect.poll(() => page.getByRole('radio').count()).toBe(3)
    const before = await readBackground(page)
    await page.getByText('Blue', { exact: true }).click()
    await expect.poll(() => readTheme(page)).toBe('blue')
    await expect.poll(() => readBackground(page)).not.toBe(before)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('theme'))).toBe('blue')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.reload()
    await page.getByRole('radio', { name: 'Blue' }).waitFor()
    await expect.poll(() => page.getByRole('radio', { name: 'Blue' }).isChecked()).toBe(true)
    await expect.poll(() => readTheme(page)).toBe('blue')
  })
})

test('the browser stores only the keys of the specification, and none after logging out, in every tab', {
  tags: ['A2.2', 'A2.8', 'A3', 'A4.2', 'A5'],
}, async () => {
  app.api.answer(demoLogin, { token, ...fixture(me) })
  app.api.answer(logout, { success: true })
  await app.open('/login', { as: 'visitor' })
  await app.page.getByRole('button', { name: 'Try the live demo' }).click()
  await heading(app.page, 'Dashboard')
  await app.waitUntilSettled()
  const listStorageKeys = () =>
    app.page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort())
  await expect.poll(() => readStoredConnection(app.page)).toEqual(CONNECTION_KEYS)
  await expect.poll(() => listStorageKeys()).toEqual([...CONNECTION_KEYS, 'token', 'user'].sort())
  const other = await app.page.context().newPage()
  await other.route('**/landing.html', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Landing</h1>' }))
  await other.goto(`${app.url}/settings`)
  await heading(other, 'Settings')
  await section(app.page, 'Settings').click()
  await app.page.getByRole('link', { name: 'Account', exact: true }).click()
  const { release } = app.api.hold(logout)
  await app.page.getByRole('button', { name: 'Log Out', exact: true }).click()
  const dialog = app.page.getByRole('dialog')
  await dialog.getByText('Are you sure you want to log out?').waitFor()
  expect(app.api.calls(logout)).toEqual([])
  await dialog.getByRole('button', { name: 'Log out' }).click()
  // The other tab signs out before the server answers, and does not report an expired session.
  await other.waitForURL('**/landing')
  release()
  await app.page.waitForURL('**/landing')
  await expect.poll(() => app.api.calls(logout)[0]!.sent.headers.authorization).toBe(`Bearer ${token}`)
  await expect
    .poll(() => app.page.evaluate(() => [Object.keys(localStorage), sessionStorage.getItem('token')]))
    .toEqual([[], null])
  await other.close()
})

describe('the route transition', () => {
  async function openWithClock(): Promise<Page> {
    const page = await app.openAnotherPage()
    // Before the first timer: one set on the real clock cannot be cleared on this one.
    await page.clock.install()
    await openOwnerPage(app, page)
    await page.goto(`${app.url}/dashboard`)
    await heading(page, 'Dashboard')
    return page
  }

  test('shows its overlay for 200 ms, “Loading page...” forward and “Loading...” back', {
    tags: ['A2.1', 'A9'],
  }, async () => {
    const page = await openWithClock()
    // The screen's chunk is cached afterwards, so only the 200 ms count.
    await section(page, 'Flows').click()
    await heading(page, 'Flows')
    await page.goBack()
    await heading(page, 'Dashboard')
    const overlay = page.locator('.route-transition')
    await overlay.waitFor({ state: 'detached' })
    await page.clock.pauseAt(Date.now() + 600_000)
    const lasts200Ms = async (text: string) => {
      await overlay.getByText(text, { exact: true }).waitFor()
      await page.clock.runFor(199)
      await expect.poll(() => overlay.count()).toBe(1)
      await page.clock.runFor(1)
      await overlay.waitFor({ state: 'detached' })
    }
    await section(page, 'Flows').click()
    await heading(page, 'Flows')
    await lasts200Ms('Loading page...')
    await page.waitForFunction(() => document.activeElement?.tagName === 'MAIN')
    await page.goBack()
    await heading(page, 'Dashboard')
    await lasts200Ms('Loading...')
  })

  test('moves the focus to the new screen, unless the focus has moved already', async () => {
    const page = await openWithClock()
    await page.clock.pauseAt(Date.now() + 600_000)
    await section(page, 'Flows').press('Enter')
    await heading(page, 'Flows')
    const support = page.getByRole('banner').getByRole('link', { name: 'Support' })
    await support.focus()
    await page.clock.runFor(200)
    await page.getByRole('status').getByText('Flows').waitFor()
    await expect.poll(() => isFocused(support)).toBe(true)
    await section(page, 'Coupons').press('Enter')
    await heading(page, 'Coupons')
    await page.clock.runFor(200)
    await expect.poll(() => isFocused(page.locator('main'))).toBe(true)
  })

  test('preloads a screen’s chunk when its link is hovered', async () => {
    const page = await openOwnerPage(app, await app.openAnotherPage())
    await page.goto(`${app.url}/dashboard`)
    await heading(page, 'Dashboard')
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await section(page, 'Flows').hover()
    await expect.poll(() => requested.filter((url) => /FlowsPage-.*\.js$/.test(url)).length).toBe(1)
  })
})

test('the test page shows the address and links to dashboard and carts', { tags: ['A2.1', 'A3'] }, async () => {
  await app.open('/test?a=b#c')
  for (const fact of ['Current URL', 'Path', 'Search', 'Hash', `${app.url}/test?a=b#c`, '?a=b', '#c'])
    await app.page.getByText(fact, { exact: true }).waitFor()
  await Promise.all([app.page.waitForEvent('load'), app.page.getByRole('button', { name: 'Reload' }).click()])
  await app.page.getByRole('button', { name: 'Go to Carts' }).click()
  await app.page.waitForURL('**/carts')
  await app.page.goBack()
  await app.page.getByRole('button', { name: 'Go to Dashboard' }).click()
  await app.page.waitForURL('**/dashboard')
})

test('the page that sets a plan offers the five plans of the specification', { tags: ['A2.1', 'A3'] }, async () => {
  await app.open('/test-subscription')
  await expect
    .poll(() => app.page.getByLabel('Plan').locator('option').allInnerTexts())
    .toEqual(['free', 'starter', 'growth', 'professional', 'enterprise'])
})

test('the chart labels its axes and periods', { tags: ['A2.3'] }, async () => {
  const page = await openOwnerPage(app, await app.openAnotherPage())
  await page.addInitScript(() => {
    const written = new Set<string>()
    Object.assign(window, { written })
    const { fillText } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      written.add(text)
      return fillText.call(this, text, ...place)
    }
  })
  await page.goto(`${app.url}/dashboard`)
  await page.getByRole('heading', { name: 'Cart Recovery Overview' }).waitFor()
  const readWritten = () => page.evaluate(() => [...(window as unknown as { written: Set<string> }).written])
  await expect.poll(readWritten).toEqual(expect.arrayContaining(['Number of Carts', 'Date']))
  const periods = await page.getByLabel('Period').locator('option').allInnerTexts()
  expect(periods).toEqual(['Last 24 Hours', 'Last 7 Days', 'Last 30 Days'])
})
