import type { Browser, Page, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { themeNames } from '../web/theme/chosen.ts'
import { type AppInstance, aSeededInstance } from './app-instance.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'

// The page a stranger meets first, as the built app and the real server show it.

let instance: AppInstance
let browser: Browser

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

interface Visit {
  page: Page
  replies: Response[]
  complaints: string[]
}

async function visit(
  path: string,
  more: { theme?: string; width?: number; scheme?: 'light' | 'dark' } = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: more.width ?? 1_280, height: 800 },
    colorScheme: more.scheme ?? 'light',
  })
  const page = await context.newPage()
  const replies: Response[] = []
  const complaints: string[] = []
  page.on('response', (reply) => replies.push(reply))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  if (more.theme) await page.addInitScript((name) => localStorage.setItem('theme', name), more.theme)
  await page.goto(instance.url + path)
  await page.getByRole('heading', { level: 1, name: /Win back abandoned carts/ }).waitFor()
  return { page, replies, complaints }
}

const hasNoSidewaysScroll = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)

test('it is small, compressed, from one place, and revalidated while its parts are kept', async () => {
  const { page, replies, complaints } = await visit('/landing.html')
  await page.waitForLoadState('networkidle')
  const sizes = await Promise.all(replies.map(async (reply) => (await reply.request().sizes()).responseBodySize))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000)
  for (const reply of replies) {
    expect(reply.url().startsWith(`${instance.url}/`), reply.url()).toBe(true)
    const headers = reply.headers()
    const isHashed = reply.url().includes('/assets/')
    expect(headers['cache-control'], reply.url()).toBe(isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
  }
  const [document] = replies
  expect(document!.headers()['content-encoding']).toMatch(/^(br|gzip)$/)
  expect(document!.headers()['content-security-policy']).not.toContain('unsafe-inline')
  expect(complaints).toEqual([])
})

test('the app it leads to is compressed too', async () => {
  const accepting = (encoding: string) => ({ headers: { 'accept-encoding': encoding } })
  const shell = await fetch(`${instance.url}/login`, accepting('br'))
  const [, script] = /<link rel="modulepreload"[^>]* href="([^"]*first[^"]*)"/.exec(await shell.text())!
  expect(shell.headers.get('content-encoding')).toBe('br')
  const answers = await Promise.all(
    ['br', 'gzip', 'identity'].map((each) => fetch(instance.url + script, accepting(each))),
  )
  expect(answers.map((answer) => answer.headers.get('content-encoding'))).toEqual(['br', 'gzip', null])
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expect(new Set(texts).size).toBe(1)
  expect((await fetch(`${instance.url}${script}.br`)).status).toBe(404)
})

test.each(themeNames)('axe finds nothing in the theme %s, wide or narrow', async (theme) => {
  for (const width of [1_280, 360]) {
    const { page, complaints } = await visit('/landing.html', { theme, width })
    await page.locator('summary').first().click()
    const { violations } = await axeOf(page).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([])
    expect(await hasNoSidewaysScroll(page)).toBe(true)
    for (const shot of await page.locator(`.shot-${theme} img`).all()) {
      await shot.scrollIntoViewIfNeeded()
      await expect.poll(() => shot.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0)
    }
    expect(complaints).toEqual([])
    await page.context().close()
  }
})

test('a page is asked about as it is asked for: HEAD answers what GET does, without the page', async () => {
  for (const path of ['/', '/login', '/carts/1', '/landing', '/landing.html', '/terms']) {
    const [asked, about] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(instance.url + path, { method })))
    expect([path, about!.status, about!.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(asked!.status).toBe(200)
    expect(await about!.text()).toBe('')
  }
  for (const path of ['/api/nothing', '/nothing.png', '/nowhere', '/customers/x']) {
    expect([path, (await fetch(instance.url + path, { method: 'HEAD' })).status]).toEqual([path, 404])
  }
})

test('a stranger at / gets it at /landing, in the system’s theme, and can go back', async () => {
  const { page, complaints, replies } = await visit('/', { scheme: 'dark' })
  // It comes with the first answer, and nothing of the app with it.
  expect(replies.filter((reply) => /html/.test(reply.headers()['content-type'] ?? '')).length).toBe(1)
  expect(new URL(page.url()).pathname).toBe('/landing')
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
  await page.getByRole('link', { name: 'Sign in' }).first().click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: /Win back/ }).waitFor()
  expect(complaints).toEqual([])
})

test.each([
  '/landing',
  '/login',
])('/landing says that it loads it, coming from %s, and offers the sign-in when it cannot', async (from) => {
  const page = await (await browser.newContext()).newPage()
  const logged: string[] = []
  page.on('console', (message) => message.type() === 'error' && logged.push(message.text()))
  let isBroken = false
  let seen = Promise.withResolvers<void>()
  await page.route('**/landing.html', async (route) => {
    await seen.promise
    return isBroken ? route.abort() : route.continue()
  })
  const enter = async () => {
    await page.goto(instance.url + from)
    if (from === '/login') await page.getByRole('link', { name: 'Recoup, home' }).click()
  }
  await enter()
  await page.getByText('Loading landing page...').waitFor()
  seen.resolve()
  await page.getByRole('heading', { level: 1, name: /Win back/ }).waitFor()
  isBroken = true
  seen = Promise.withResolvers<void>()
  await enter()
  await page.getByText('Loading landing page...').waitFor()
  seen.resolve()
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
  // A 8: it is only logged.
  expect(logged.filter((text) => text.startsWith('The landing page could not be loaded.')).length).toBe(1)
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('going back from it to a page of the app shows that page', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${instance.url}/login`)
  await page.getByRole('link', { name: 'Recoup, home' }).click()
  await page.getByRole('heading', { level: 1, name: /Win back/ }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/landing')
  await page.goBack({ waitUntil: 'commit' })
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('prices change with the period, by keyboard and without a script', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${instance.url}/landing.html`)
  const starter = page.locator('[data-plan=starter] .price:visible')
  expect(await starter.innerText()).toContain('$19')
  await page.getByLabel('Monthly').press('ArrowRight')
  expect(await starter.innerText()).toContain('$15')
  expect(await starter.innerText()).toContain('billed yearly')
})

test('its demo is one press away, and whoever is signed in is offered the way back in', async () => {
  const { page } = await visit('/landing.html')
  await page.getByRole('link', { name: 'Try the live demo' }).first().click()
  await page.waitForURL(/dashboard|carts/)
  await page.goto(`${instance.url}/landing.html`)
  expect(await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).isVisible()).toBe(false)
  await page.getByRole('link', { name: 'Open Recoup' }).click()
  await page.waitForURL(/dashboard|carts/)
})
