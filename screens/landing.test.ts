import type { AddressInfo } from 'node:net'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findViolations } from '../e2e/axe.ts'
import { readConfig } from '../server/core/config/config.ts'
import type { Deps } from '../server/deps.ts'
import { siteRoutes } from '../server/workspace/instance/site-routes.ts'
import { themeNames } from '../web/core/theme/theme-choice.ts'
import { Api } from './api.ts'
import { createScreens } from './app.ts'

// The landing page as the server renders it, and the links between it and the app.

const PAGES = path.resolve('dist/web')
const app = createScreens()
const api = new Api()
const config = readConfig({
  PUBLIC_URL: 'https://recoup.test',
  DEMO: 'on',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
})
let site: FastifyInstance
let url: string

beforeAll(async () => {
  site = Fastify({ forceCloseConnections: true })
  api.serve(site)
  const sendApp = siteRoutes(site, { config } as Deps, PAGES)
  site.register(fastifyStatic, {
    root: PAGES,
    wildcard: false,
    preCompressed: true,
    globIgnore: ['**/*.{br,gz}', 'landing*.html', 'index.html'],
  })
  site.setNotFoundHandler((request, reply) => sendApp(request, reply))
  await site.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(site.server.address() as AddressInfo).port}`
})
beforeEach(() => api.reset())
afterAll(() => site.close())

async function visit(to: string, options: Parameters<typeof app.openAnotherPage>[0] = {}) {
  const page = await app.openAnotherPage(options)
  const replies: Response[] = []
  const errors: string[] = []
  page.on('response', (reply) => replies.push(reply))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto(url + to)
  return { page, replies, errors }
}

const findTitle = (page: Page) => page.getByRole('heading', { level: 1, name: /^Win back abandoned carts/ })
const signIn = (page: Page) => page.getByRole('heading', { level: 1, name: 'Sign in' })
const isTooWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

test('loads less than 100 kB beside its pictures, 150 kB in all, from its own origin', async () => {
  const { page, replies, errors } = await visit('/landing.html')
  await findTitle(page).waitFor()
  const sizes = await Promise.all(
    replies.map(async (reply) => ({ url: reply.url(), size: (await reply.request().sizes()).responseBodySize })),
  )
  const others = sizes.filter(({ url }) => !url.endsWith('.webp'))
  const sum = (list: typeof sizes) => list.reduce((total, { size }) => total + size, 0)
  expect(sum(others)).toBeLessThan(100_000)
  expect(sum(sizes)).toBeLessThan(150_000)
  expect(replies.map((reply) => new URL(reply.url()).origin).filter((origin) => origin !== url)).toEqual([])
  expect(errors).toEqual([])
})

test.each(themeNames)('fits a desktop and a phone and passes axe in the theme %s', async (theme) => {
  const { page, errors } = await visit('/robots.txt')
  await page.evaluate((name) => localStorage.setItem('theme', name), theme)
  await page.goto(`${url}/landing.html`)
  await page.locator('summary').first().click()
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(async () => [width, await isTooWide(page)]).toEqual([width, false])
    for (const shot of await page.locator('.shot img:visible').all()) {
      await shot.scrollIntoViewIfNeeded()
      await expect.poll(() => shot.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0)
    }
    // Themes and widths share the elements; only colours and visibility differ.
    const rules = theme === themeNames[0] ? undefined : ['color-contrast']
    expect(await findViolations(page, { rules })).toEqual([])
  }
  expect(errors).toEqual([])
})

test('a visitor at / gets it at /landing with the first response, in the system’s theme, and Back returns to it', {
  tags: ['A2.1', 'A4.1', 'A4.7'],
}, async () => {
  const { page, replies, errors } = await visit('/', { colorScheme: 'dark' })
  await findTitle(page).waitFor()
  expect(replies.filter((reply) => /html/.test(reply.headers()['content-type'] ?? '')).length).toBe(1)
  await expect.poll(() => new URL(page.url()).pathname).toBe('/landing')
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
  await page.getByRole('link', { name: 'Sign in' }).first().click()
  await signIn(page).waitFor()
  await page.goBack()
  await findTitle(page).waitFor()
  expect(errors).toEqual([])
})

test.each(['/landing', '/login'])('/landing shows a loading state, coming from %s, and offers sign-in on failure', {
  tags: ['A2.1', 'A7', 'A8'],
}, async (from) => {
  const { page } = await visit('/robots.txt')
  const logged: string[] = []
  page.on('console', (message) => message.type() === 'error' && logged.push(message.text()))
  let isBroken = false
  let held = Promise.withResolvers<void>()
  await page.route('**/landing.html', async (route) => {
    await held.promise
    return isBroken ? route.abort() : route.continue()
  })
  const enter = async () => {
    await page.goto(url + from)
    if (from === '/login') await page.getByRole('link', { name: /^Recoup Abandoned Cart Recovery/ }).click()
    await page.getByText('Loading landing page...').waitFor()
    held.resolve()
  }
  await enter()
  await findTitle(page).waitFor()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/landing')
  isBroken = true
  held = Promise.withResolvers<void>()
  await enter()
  const way = page.getByRole('link', { name: 'Sign in', exact: true })
  await way.waitFor()
  // A 8: it is only logged.
  expect(logged.filter((text) => text.startsWith('The landing page could not be loaded.')).length).toBe(1)
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  await way.click()
  await signIn(page).waitFor()
})

test('Back from it to a page of the app shows that page', async () => {
  const { page } = await visit('/login')
  await page.getByRole('link', { name: /^Recoup Abandoned Cart Recovery/ }).click()
  await findTitle(page).waitFor()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/landing')
  await page.goBack({ waitUntil: 'commit' })
  await signIn(page).waitFor()
})

test('its prices change with the period, by keyboard and without a script', async () => {
  const { page } = await visit('/landing.html', { javaScriptEnabled: false })
  const starter = page.locator('[data-plan=starter] .price:visible')
  await expect.poll(() => starter.innerText()).toContain('$19')
  await page.getByLabel('Monthly').press('ArrowRight')
  await expect.poll(() => starter.innerText()).toContain('$15')
  await expect.poll(() => starter.innerText()).toContain('billed yearly')
})

test('its demo is one click away, and a signed-in visitor gets a link to the app', async () => {
  const { page } = await visit('/landing.html')
  const demo = page.getByRole('link', { name: 'Try the live demo' }).first()
  await expect.poll(() => demo.getAttribute('href')).toBe('/login?demo')
  await page.evaluate(() => localStorage.setItem('token', 'a-token'))
  await page.reload()
  await expect.poll(() => page.getByRole('banner').getByRole('link', { name: 'Sign in' }).isVisible()).toBe(false)
  await page.getByRole('link', { name: 'Open Recoup' }).click()
  await page.waitForURL('**/dashboard')
})
