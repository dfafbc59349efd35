import pg from 'pg'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { closePages, keptPages, openBrowser } from './browser.ts'
import { KEYS } from './owner.ts'

// Who is led where (A 4.1, 4.2), by what the server really answers, and when it is asked.

const PASSWORD = 'four pots on Kiln Road'
const FLAGS = ['isConnected', 'platform', 'storeUrl', 'store_connection', 'woocommerce_connection']
let instance: AppInstance
let store: DemoStore
let browser: Browser
let aVisitor: () => Promise<Page>

beforeAll(async () => {
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  const desk = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const
  aVisitor = keptPages(browser, `${instance.url}/readyz`, desk)
  const given = { name: 'Cara', email: account.email, password: PASSWORD }
  account.token = (await ask<{ token: string }>('POST', '/api/auth/register', given)).token
})

afterEach(() => closePages(browser))

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await store?.stop()
})

/** One account for all: how many may register in an hour is limited. */
const account = { email: 'cara@owners.example', token: '' }

async function ask<T = object>(method: string, path: string, body: object = {}): Promise<T> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${account.token}` }
  const sent = method === 'GET' ? {} : { body: JSON.stringify(body) }
  return (await (await fetch(instance.url + path, { method, headers, ...sent })).json()) as T
}

interface AccessState {
  plan: 'free' | 'starter' | 'growth' | null
  status?: string
  /** For how long it has been past due. */
  days?: number
  isConnected: boolean
}

async function is({ plan, status = 'active', days = 0, isConnected }: AccessState): Promise<void> {
  // Connecting needs a plan; how it ends is nobody's to choose.
  await setSubscription('growth', 'active')
  if (isConnected) await connect()
  else await ask('DELETE', '/api/stores/disconnect')
  await setSubscription(plan, status, days)
}

const connect = () =>
  ask('POST', '/api/stores/connect-store', {
    ...{ platform: 'woocommerce', store_url: store.url },
    ...{ consumer_key: KEYS.consumerKey, consumer_secret: KEYS.consumerSecret },
  })

/** `days`: for how long it has been past due. */
async function setSubscription(plan: string | null, status = 'active', days = 0): Promise<void> {
  const client = new pg.Client(instance.databaseUrl())
  await client.connect()
  const ofAccount = `account_id = (select account_id from members join users on users.id = user_id where email = $1)`
  await client.query(`delete from subscriptions where ${ofAccount}`, [account.email])
  if (plan) {
    await client.query(
      `insert into subscriptions (account_id, plan, status, past_due_since, updated_at)
       select account_id, $2, $3, now() - make_interval(days => $4), now()
       from members join users on users.id = user_id where email = $1`,
      [account.email, plan, status, status === 'past_due' ? days : null],
    )
  }
  await client.end()
}

/** In a browser that holds the token and what else is given. */
async function enter(page: Page, stored: Record<string, string> = {}): Promise<void> {
  await page.goto(`${instance.url}/readyz`)
  await page.evaluate(
    (entries) => {
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value)
    },
    { token: account.token, ...stored },
  )
}

async function logIn(page: Page): Promise<void> {
  await page.goto(`${instance.url}/login`)
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Within the page, as by one of its links. */
const goWithin = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState({}, '', to)
    dispatchEvent(new PopStateEvent('popstate', { state: {} }))
  }, path)

const storedFlags = (page: Page) =>
  page.evaluate(
    (names) =>
      Object.keys(localStorage)
        .filter((key) => names.includes(key))
        .sort(),
    FLAGS,
  )
const remembered = (hasActiveSubscription: boolean) =>
  JSON.stringify({
    ...{ id: '1', name: 'x', email: 'x', hasActiveSubscription },
    subscriptionStatus: hasActiveSubscription ? 'active' : null,
  })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

const tabsOf = (page: Page) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allInnerTexts()

/** How often each of the two questions was asked. */
function countChecks(page: Page) {
  const asked = { subscription: 0, connection: 0, open: 0 }
  const nameOf = (url: string) =>
    /subscribe\/status/.test(url) ? 'subscription' : /check-connection/.test(url) ? 'connection' : null
  page.on('request', (request) => {
    const name = nameOf(request.url())
    if (name === null) return
    asked[name] += 1
    asked.open += 1
  })
  const close = (request: Request) => {
    if (nameOf(request.url()) !== null) asked.open -= 1
  }
  page.on('requestfinished', close)
  page.on('requestfailed', close)
  return asked
}

describe('the check (A 4.1)', () => {
  test('is made again on every change of path, and one that is under way is shared', async () => {
    await is({ plan: 'free', isConnected: true })
    const page = await aVisitor()
    // News of the store would have it asked too.
    await page.route('**/socket.io/**', (route) => route.abort())
    const asked = countChecks(page)
    await enter(page)
    await page.goto(`${instance.url}/flows`)
    await heading(page, 'Flows')
    await expect.poll(() => asked).toMatchObject({ subscription: expect.any(Number), open: 0 })
    for (const name of ['Settings', 'Flows', 'Settings', 'Flows']) {
      const before = { ...asked }
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click()
      await heading(page, name)
      await expect
        .poll(() => asked)
        .toEqual({ subscription: before.subscription + 1, connection: before.connection + 1, open: 0 })
    }
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/api/subscribe/status*', (route) => held.then(() => route.continue()))
    const before = asked.subscription
    for (const name of ['Settings', 'Flows', 'Settings']) {
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click()
      // The page does not wait for it (decision 2).
      await heading(page, name)
    }
    expect(asked.subscription).toBe(before + 1)
    answer()
  })

  test('a no of before sends nobody away: what was chosen elsewhere counts at once', async () => {
    await is({ plan: null, isConnected: false })
    const page = await aVisitor()
    await enter(page)
    await page.goto(`${instance.url}/carts`)
    await page.waitForURL('**/pricing')
    await heading(page, 'Choose your plan')
    expect(await page.evaluate(() => localStorage.getItem('user') ?? '')).not.toContain('"hasActiveSubscription":true')
    await setSubscription('free')
    await connect()
    // In the visit that was told so …
    await goWithin(page, '/flows')
    await heading(page, 'Flows')
    // … and in a later one that remembers it.
    const later = await aVisitor()
    await enter(later, { user: remembered(false) })
    await later.goto(`${instance.url}/flows`)
    await heading(later, 'Flows')
    expect(new URL(later.url()).pathname).toBe('/flows')
  })

  test('a yes of before shows the page while it is being asked', async () => {
    await is({ plan: 'free', isConnected: true })
    const connection = JSON.stringify({ platform: 'woocommerce', store_url: store.url })
    const page = await aVisitor()
    await page.route(/subscribe\/status|check-connection/, () => {})
    await enter(page, { user: remembered(true), isConnected: 'true', store_connection: connection })
    await page.goto(`${instance.url}/flows`)
    await heading(page, 'Flows')
  })

  test.each([
    ['without a subscription', null],
    ['with a canceled one', 'canceled'],
  ])('asks for the connection only of subscribers: %s it is not asked and what is kept goes', async (_name, status) => {
    await is(status ? { plan: 'growth', status, isConnected: true } : { plan: null, isConnected: true })
    const kept = Object.fromEntries(FLAGS.map((key) => [key, key === 'isConnected' ? 'true' : '{"platform":"x"}']))
    const page = await aVisitor()
    const asked = countChecks(page)
    await enter(page, { ...kept, user: remembered(false) })
    await page.goto(`${instance.url}/dashboard`)
    await page.getByText('Subscription Required').waitFor()
    await expect.poll(() => tabsOf(page)).toEqual(['Dashboard', 'Settings'])
    await goWithin(page, '/settings')
    await page.getByText('Not connected to any store').waitFor()
    await goWithin(page, '/settings/recovery-rules')
    await page.getByText('Not connected to any store').waitFor()
    await page.waitForLoadState('networkidle')
    expect(asked.connection).toBe(0)
    expect(await storedFlags(page)).toEqual([])
  })

  test('a subscription that has ended takes the kept connection with it, also where a yes is remembered', async () => {
    await is({ plan: 'growth', isConnected: true })
    const page = await aVisitor()
    await enter(page)
    await page.goto(`${instance.url}/settings`)
    await page.getByText(`Connected to ${store.url}`).first().waitFor()
    expect(await storedFlags(page)).toEqual(FLAGS)
    await setSubscription('growth', 'past_due', 8)
    await page.reload()
    await page.getByText('Not connected to any store').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await storedFlags(page)).toEqual([])
  })
})

describe('signing in (A 4.2) leads where the guard leads', () => {
  const cases: [to: string, accessState: AccessState][] = [
    ['/pricing', { plan: null, isConnected: false }],
    ['/pricing', { plan: 'growth', status: 'past_due', days: 8, isConnected: true }],
    ['/dashboard', { plan: 'growth', status: 'past_due', days: 6, isConnected: true }],
    ['/pricing', { plan: 'growth', status: 'canceled', isConnected: true }],
    ['/store-setup', { plan: 'free', isConnected: false }],
    ['/dashboard', { plan: 'free', isConnected: true }],
    ['/dashboard', { plan: 'starter', status: 'trialing', isConnected: true }],
  ]
  test.each(cases)('to %s: %o', async (to, accessState) => {
    await is(accessState)
    const page = await aVisitor()
    await page.goto(`${instance.url}/readyz`)
    // Of whoever was here before.
    await page.evaluate(() => localStorage.setItem('storeUrl', 'https://shop.example'))
    await logIn(page)
    await page.waitForURL(`**${to}`)
    await page.waitForLoadState('networkidle')
    expect(new URL(page.url()).pathname).toBe(to)
    expect(await page.evaluate(() => localStorage.getItem('token'))).not.toBeNull()
    expect(await storedFlags(page)).toEqual(to === '/dashboard' ? FLAGS : [])
  })
})

test('the screens of web push stand inside the shell, and have no tab (A 2.2)', async () => {
  await is({ plan: 'free', isConnected: true })
  const page = await aVisitor()
  await enter(page)
  const paths: [path: string, title: string][] = [
    ['/push-notifications', 'Push Notification Manager'],
    ['/push-setup', 'Push Notification Integration'],
  ]
  for (const [path, title] of paths) {
    await page.goto(instance.url + path)
    await heading(page, title)
    await expect
      .poll(() => tabsOf(page))
      .toEqual([
        'Dashboard',
        'Abandoned Carts',
        'Flows',
        'Email Campaigns',
        'Customers',
        'Notifications',
        'Coupons',
        'Analytics',
        'Settings',
      ])
  }
  await page.goto(`${instance.url}/campaigns/42/more`)
  await heading(page, 'Page not found')
})
