import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AppInstance, aSeededInstance } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { isFocused } from './keys.ts'

// The frame around every screen: themes, ways in and out, the route transition from one screen to the next.

let instance: AppInstance
let browser: Browser

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
}, 420_000)

afterEach(() => closePages(browser))

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function aVisitor(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  return context.newPage()
}

async function anOwner(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  return signedIn(await aVisitor(options))
}

async function signedIn(page: Page): Promise<Page> {
  await page.goto(`${instance.url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.getByRole('heading', { level: 1, name: /Dashboard|Abandoned Carts/ }).waitFor()
  return page
}

const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme)
const groundOf = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

describe('the theme', () => {
  test('is the system’s while nothing is stored, is there with the first paint, and follows the system', async () => {
    const page = await aVisitor({ colorScheme: 'dark' })
    await page.addInitScript(() => {
      const seen: string[] = []
      Object.assign(window, { seen })
      const look = () => {
        if (document.body) seen.push(getComputedStyle(document.body).backgroundColor)
        if (seen.length < 20) requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    await page.goto(`${instance.url}/login`)
    await page.getByLabel('Email').waitFor()
    const grounds = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
    expect(new Set(grounds)).toEqual(new Set([await groundOf(page)]))
    expect(await themeOf(page)).toBe('dark')
    expect(await page.evaluate(() => localStorage.getItem('theme'))).toBeNull()
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => themeOf(page)).toBe('light')
  })

  test('applies at once when chosen, is stored, and then no longer follows the system', async () => {
    const page = await anOwner()
    await page.goto(`${instance.url}/settings/appearance`)
    await page.getByRole('radio', { name: 'Light' }).waitFor()
    const before = await groundOf(page)
    await page.getByText('Blue', { exact: true }).click()
    expect(await themeOf(page)).toBe('blue')
    expect(await groundOf(page)).not.toBe(before)
    expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('blue')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.reload()
    await page.getByRole('radio', { name: 'Blue' }).waitFor()
    expect(await page.getByRole('radio', { name: 'Blue' }).isChecked()).toBe(true)
    expect(await themeOf(page)).toBe('blue')
  })
})

describe('the ways', () => {
  test('lead a visitor to the landing page, to sign-in for prices, and to 404 for what does not exist', async () => {
    const page = await aVisitor()
    for (const path of ['/', '/carts', '/Carts/42', '/%63arts', '/customers', '/settings']) {
      await page.goto(`${instance.url}${path}`)
      await page.waitForURL(`${instance.url}/landing`)
    }
    await page.goto(`${instance.url}/pricing`)
    await page.waitForURL('**/login')
    for (const path of ['/customers/x', '/settings/nothing', '/nowhere/at-all']) {
      const answer = await page.goto(`${instance.url}${path}`)
      expect([path, answer?.status()]).toEqual([path, 404])
      await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    }
    await page.getByText("Sorry, we couldn't find the page you're looking for.").waitFor()
    expect(await page.getByRole('link', { name: 'Go back to Dashboard' }).getAttribute('href')).toBe('/dashboard')
    await page.goto(`${instance.url}/test?a=b#c`)
    for (const words of [`${instance.url}/test?a=b#c`, '?a=b', '#c'])
      await page.getByText(words, { exact: true }).waitFor()
  })

  test('signed in, login and store set-up lead to the dashboard, and the storage keys are those specified', async () => {
    const page = await anOwner()
    const keys = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort())
    expect(keys).toEqual([
      ...['isConnected', 'platform', 'storeUrl', 'store_connection', 'token', 'user', 'woocommerce_connection'],
    ])
    for (const path of ['/', '/login', '/register', '/reset-password', '/store-setup']) {
      await page.goto(`${instance.url}${path}`)
      await page.waitForURL(/\/(dashboard|carts)$/)
    }
  })

  test('out: the question is asked, everything stored is forgotten, in every tab', async () => {
    const page = await anOwner()
    // Of the demo too: a cart opened in a new tab is there.
    const [other, third] = [await page.context().newPage(), await page.context().newPage()]
    const isLive = third.waitForEvent('websocket')
    for (const tab of [other, third]) {
      await tab.goto(`${instance.url}/settings`)
      await tab.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    }
    await isLive
    // The answer is slow: the other tabs hear from the server that the token is over before this one does.
    await other.route('**/api/auth/logout', async (route) => {
      const reply = await route.fetch()
      await third.waitForURL('**/landing')
      await route.fulfill({ response: reply }).catch(() => {})
    })
    await other.getByRole('button', { name: 'Logout' }).click()
    await other.getByText('Are you sure you want to log out?').waitFor()
    await other.getByRole('dialog').getByRole('button', { name: 'Log out' }).click()
    await third.waitForURL('**/landing')
    await other.waitForURL('**/landing')
    const left = await other.evaluate(() => Object.keys(localStorage))
    expect(left).toEqual([])
    await other.unrouteAll({ behavior: 'wait' })
  })
})

describe('the route transition', () => {
  test('shows its overlay for 200 ms, reads “Loading page...” forward and “Loading...” back, and tells where one is', async () => {
    const page = await aVisitor()
    // Before the first timer: one that was set on the real clock could not be cleared on this one.
    await page.clock.install()
    await signedIn(page)
    // Its file is there, so that nothing but the 200 ms is waited for.
    await page.getByRole('link', { name: 'Flows' }).click()
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
    await page.waitForFunction(() => !document.querySelector('.route-transition'))
    await page.clock.pauseAt(Date.now() + 60_000)
    const overlay = page.locator('.route-transition')
    const lasts200Ms = async (text: string) => {
      await overlay.getByText(text, { exact: true }).waitFor()
      await page.clock.runFor(199)
      expect(await overlay.count()).toBe(1)
      await page.clock.runFor(1)
      await overlay.waitFor({ state: 'detached' })
    }
    await page.getByRole('link', { name: 'Flows' }).click()
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor()
    await lasts200Ms('Loading page...')
    await page.waitForFunction(() => document.activeElement?.tagName === 'MAIN')
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
    await lasts200Ms('Loading...')
  })

  test('takes the keyboard to the beginning of the new screen, unless it has gone on by itself', async () => {
    const page = await aVisitor()
    await page.clock.install()
    await signedIn(page)
    const flows = page.getByRole('link', { name: 'Flows' })
    await page.clock.pauseAt(Date.now() + 60_000)
    await flows.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor()
    const support = page.getByRole('banner').getByRole('link', { name: 'Support' })
    await support.focus()
    await page.clock.runFor(200)
    await page.getByRole('status').getByText('Flows').waitFor()
    expect(await isFocused(support)).toBe(true)
    await page.getByRole('link', { name: 'Coupons' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Coupons' }).waitFor()
    await page.clock.runFor(200)
    expect(await isFocused(page.locator('main'))).toBe(true)
  })

  test('loads a screen when its link is pointed at, before it is followed', async () => {
    const page = await anOwner()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.getByRole('link', { name: 'Flows' }).hover()
    await expect.poll(() => asked.filter((url) => /FlowsPage-.*\.js$/.test(url)).length).toBe(1)
  })
})

describe('the shell', () => {
  test('has a menu on a phone that the keyboard opens, walks and closes', async () => {
    const page = await anOwner({ viewport: { width: 360, height: 740 } })
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

  test('says platform, store, plan and support, and skips to the content', async () => {
    const page = await anOwner()
    const header = page.getByRole('banner')
    await header.getByText('WooCommerce').waitFor()
    await header.getByRole('button', { name: 'Subscription: Growth, Active' }).waitFor()
    expect(await header.getByRole('link', { name: 'Support' }).getAttribute('href')).toMatch(/^mailto:/)
    await page.reload()
    await header.getByText('WooCommerce').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')
  })
})
