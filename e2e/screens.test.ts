import { mkdirSync } from 'node:fs'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { screens } from '../shared/screens.ts'
import { sharePerDay, wayPerDay } from '../test/tier.ts'
import { type AppInstance, aSeededInstance, until } from './app-instance.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'
import type { State } from './states/steps.ts'
import { states } from './states.ts'

// Every screen, at a desk's and a phone's width, in every theme: axe finds nothing, nothing stands out of the page. So do the states a
// screen is seldom in (`states.ts`): waiting, failed, empty, with something open on it.
// `SCREENSHOTS=folder` keeps a picture of each, to be looked at. `npm run test:all` looks at all of them, `npm test` at a third of the screens and
// a sixth of the states, each in one theme and with axe at one of the widths; others each day.

const WIDTHS = [1280, 360]
const THEMES = ['light', 'dark', 'blue']
const shots = process.env.SCREENSHOTS
const some = <T>(all: readonly T[], parts: number) => (shots ? all : sharePerDay(all, parts))
const way = <T>(all: readonly T[], name: string) => (shots ? all : wayPerDay(all, name))
/** What axe says of these depends on more than what a page is made of. */
const BY_LAYOUT = ['color-contrast', 'target-size', 'scrollable-region-focusable']
const toVisitors = [
  '/login',
  '/register',
  '/reset-password?token=x',
  '/terms',
  '/privacy',
  '/how-we-test',
  '/test',
  '/nowhere',
]
const toOwners = [
  ...screens.filter(({ frame, access }) => frame !== 'page' || access === 'signed-in').map(({ path }) => path),
  '/settings/consent#suppressions',
  '/settings/consent#ledger',
  '/settings/consent#preferences',
  '/settings/faq#sync',
  '/cart/recover?cart_id=:id',
]

/** A page of somebody signed in and one of somebody who is not: tests run two at a time, each at a desk of its own. */
interface Desk {
  owner: Page
  visitor: Page
}

const free: Desk[] = []
const waiting: ((desk: Desk) => void)[] = []
const asked = new WeakMap<Page, Set<Request>>()
let instance: AppInstance
let browser: Browser
let ids: Record<string, string>

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
  for (let desk = 0; desk < 2; desk++) free.push({ owner: await anOwner(), visitor: await aPage() })
  ids = await idsOf(free[0]!.owner)
  if (shots) mkdirSync(shots, { recursive: true })
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

/** In a browser of its own: what one test stores, themes above all, reaches no other. */
async function aPage(): Promise<Page> {
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  const open = new Set<Request>()
  asked.set(page, open)
  page.on('request', (request) => request.url().includes('/api/') && open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  await page.goto(`${instance.url}/favicon.svg`)
  return page
}

async function anOwner(): Promise<Page> {
  const page = await aPage()
  await page.goto(`${instance.url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.getByRole('navigation', { name: 'Sections' }).waitFor()
  return page
}

/** A cart that was written about and came back, a customer, the ready flow, and a campaign made for this. */
async function idsOf(page: Page): Promise<Record<string, string>> {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const read = async (path: string) => (await fetch(`${instance.url}${path}`, { headers })).json()
  const { carts } = (await read('/api/carts/abandoned?status=recovered')) as { carts: { id: string }[] }
  const { flows } = (await read('/api/flows')) as { flows: { id: string }[] }
  const customers = (await read('/api/stores/customers/recent?registered=yes')) as { _id: string }[]
  const campaign = {
    name: 'Spring glaze',
    targetAudience: { mode: 'matching' },
    content: { subject: 'Your cart', body: 'Hi {{ customer_name }}: {{ checkout_link }}' },
    schedule: { startDate: new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10), frequency: 'weekly' },
  }
  const body = JSON.stringify(campaign)
  const made = await (await fetch(`${instance.url}/api/campaigns`, { method: 'POST', headers, body })).json()
  const { id: campaignId } = (made as { campaign: { id: string } }).campaign
  return { customerId: customers[0]!._id, id: carts[0]!.id, cartId: carts[0]!.id, flowId: flows[0]!.id, campaignId }
}

const LIMIT_MS = 300_000

describe.concurrent('looks right, wide and narrow, in every theme', () => {
  test.each(some(toOwners, 3))('to an owner: %s', (path) => at('owner', (page) => lookAsOwner(page, path)), LIMIT_MS)
  test.each(some(toVisitors, 3))('to a visitor: %s', (path) => at('visitor', (page) => look(page, path)), LIMIT_MS)
  test.each(some(states, 6))('$name', (state) => at(state.of, (page) => lookAt(page, state)), LIMIT_MS)
})

async function at(who: keyof Desk, work: (page: Page) => Promise<void>): Promise<void> {
  const desk = free.pop() ?? (await new Promise<Desk>((resolve) => waiting.push(resolve)))
  const page = desk[who]
  const stored = await page.evaluate(() => ({ ...localStorage }))
  try {
    await work(page)
  } finally {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    // Answers made up for a state have been remembered; the next one begins with what is true.
    await page.goto(`${instance.url}/favicon.svg`)
    await page.evaluate((entries) => {
      localStorage.clear()
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value)
    }, stored)
    const next = waiting.shift()
    if (next) next(desk)
    else free.push(desk)
  }
}

const addressOf = (template: string) => instance.url + template.replace(/:(\w+)/g, (_, name: string) => ids[name]!)

/** What it is about is there: a page that says it is not has a heading too. */
async function lookAsOwner(page: Page, template: string): Promise<void> {
  await look(page, template)
  expect(await page.getByText(/ not found$/).count(), template).toBe(0)
}

async function look(page: Page, template: string): Promise<void> {
  await page.setViewportSize({ width: WIDTHS[0]!, height: 900 })
  await page.goto(addressOf(template))
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await inspect(page, nameOf(template), WIDTHS)
}

async function lookAt(page: Page, { name, path, given, steps, isLoading, widths = WIDTHS }: State): Promise<void> {
  await page.setViewportSize({ width: widths[0]!, height: 900 })
  for (const step of given ?? []) await step(page)
  await page.goto(addressOf(path))
  for (const step of steps) await step(page)
  await inspect(page, `state-${name.replace(/^\W+|\W+$/g, '').replace(/\W+/g, '-')}`, widths, isLoading)
}

async function inspect(page: Page, name: string, widths: readonly number[], isLoading = false): Promise<void> {
  let before = ''
  const [themes, withAxe] = [way(THEMES, name), way(widths, name)]
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await isThere(page, isLoading)
    const isLooked = withAxe.includes(width)
    const made = isLooked ? await structureOf(page) : ''
    for (const theme of themes) {
      await chooseTheme(page, theme)
      const isFirst = theme === themes[0]
      if (isLooked && (isFirst || width === widths[0])) {
        // What a screen is made of is the same in every theme, and often at every width; what is readable is not.
        const rules = isFirst ? (made === before ? BY_LAYOUT : undefined) : ['color-contrast']
        expect(await violationsOf(page, rules), `${name}, ${width} px, ${theme}`).toEqual([])
      }
      if (shots) await page.screenshot({ path: `${shots}/${name}-${width}-${theme}.png`, fullPage: true })
    }
    before = made
    const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overhang, `${name}, ${width} px`).toBeLessThanOrEqual(0)
    expect(await page.evaluate(cutTitles), `${name}, ${width} px: titles`).toEqual([])
  }
}

/** Of the section, or the way back to it, where not all of it is seen. */
const cutTitles = () =>
  [...document.querySelectorAll('.header-title, .header-back')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ textContent }) => textContent)

/** Nothing is being waited for: no question asked, no picture loading, no part still on its way in. */
async function isThere(page: Page, isLoading: boolean): Promise<void> {
  const isQuiet = () =>
    page.evaluate((mayLoad) => {
      const isWaiting = document.querySelector('.route-transition, .shell[data-complete=false]')
      const isEmpty = !mayLoad && document.querySelector('[role=status][aria-label=Loading]')
      const isMoving = document.getAnimations().some(({ playState, effect }) => {
        return playState === 'running' && effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY
      })
      const isShowing = [...document.images].some((image) => image.loading !== 'lazy' && !image.complete)
      return !isWaiting && !isEmpty && !isMoving && !isShowing && document.fonts.status === 'loaded'
    }, isLoading)
  await until(async () => (isLoading || asked.get(page)!.size === 0) && (await isQuiet()), 30_000, 50)
  // What has just arrived is drawn.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
}

/** What axe sees of a page: its elements that are shown, with what is said of them. */
const structureOf = (page: Page) =>
  page.evaluate(() =>
    [...document.body.querySelectorAll<HTMLElement>('*')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .map(({ tagName, attributes }) =>
        [
          tagName,
          ...[...attributes].filter(({ name }) => /^(role|aria-|id$|alt|for)/.test(name)).map(({ value }) => value),
        ].join(' '),
      )
      .join('\n'),
  )

async function violationsOf(page: Page, rules?: string[]) {
  const axe = axeOf(page)
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze()
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

/** As another tab's choice arrives: at once, without loading the page again. The other desk is told of none of it. */
async function chooseTheme(page: Page, theme: string) {
  await page.evaluate((name) => {
    localStorage.setItem('theme', name)
    dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
  }, theme)
  await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme)
}

const nameOf = (template: string) =>
  template
    .replace(/\?.*/, '')
    .replace(/[/:#]+/g, '-')
    .slice(1)
