import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AppInstance, aSeededInstance, KEEPER } from './app-instance.ts'
import { openBrowser } from './browser.ts'

// The specification's own words where they stand on the screen, and the ways that lead on from them.

let instance: AppInstance
let browser: Browser
let owner: Page

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
  owner = await aVisitor()
  await owner.goto(`${instance.url}/login`)
  await owner.getByRole('button', { name: 'Try the live demo' }).click()
  await owner.getByRole('navigation', { name: 'Sections' }).waitFor()
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

const aVisitor = async (): Promise<Page> =>
  (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()

/** The server breaks where `path` is asked, so that the screen's own sentence shows. */
const breaks = (page: Page, path: string) =>
  page.route(`**${path}*`, (route) => route.fulfill({ status: 500, json: { error: 'x', code: 'internal' } }))

/** As the owner, in a browser that knows nothing of them yet; where no app is there to notice. */
async function enter(page: Page) {
  const token = await owner.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token')!)
  await page.goto(`${instance.url}/readyz`)
  await page.evaluate((text) => localStorage.setItem('token', text), token)
}

/** In the order in which they stand there. */
const sectionsOf = (page: Page) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allInnerTexts()

describe('the shell (A 2.2)', () => {
  test('has name, tagline and the sections in order, and each section its title', async () => {
    const banner = owner.getByRole('banner')
    const name = await owner.locator('.side .logo').first().innerText()
    expect(name.split(/\s*\n\s*/)).toEqual(['Recoup', 'Abandoned Cart Recovery'])
    const work = ['Dashboard', 'Abandoned Carts', 'Flows', 'Email Campaigns', 'Customers', 'Notifications']
    expect(await sectionsOf(owner)).toEqual([...work, 'Coupons', 'Analytics', 'Settings'])
    await expect.poll(() => banner.locator('.logo-mark').count()).toBe(1)
    for (const title of ['Abandoned Carts', 'Settings']) {
      await owner.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: title }).click()
      await banner.getByRole('heading', { level: 1, name: title }).waitFor()
      await expect.poll(() => banner.locator('.logo-mark').count()).toBe(0)
    }
    expect(await banner.getByRole('link', { name: 'Pricing' }).getAttribute('href')).toBe('/pricing')
  })

  test('hides the subscription button on the free plan', async () => {
    await owner.route('**/api/subscribe/status*', (route) =>
      route.fulfill({
        json: { plan: 'free', planInForce: 'free', status: 'active', hasActiveSubscription: true, isTestMode: true },
      }),
    )
    await owner.goto(`${instance.url}/settings`)
    const banner = owner.getByRole('banner')
    await banner.getByRole('link', { name: 'Support' }).waitFor()
    expect(await banner.getByRole('button', { name: /^Subscription/ }).count()).toBe(0)
    await owner.unroute('**/api/subscribe/status*')
  })

  test('offers Login and Register to whoever is signed out', async () => {
    const page = await aVisitor()
    await page.goto(`${instance.url}/terms`)
    const banner = page.getByRole('banner')
    expect(await banner.getByRole('link', { name: 'Login' }).getAttribute('href')).toBe('/login')
    expect(await banner.getByRole('link', { name: 'Register' }).getAttribute('href')).toBe('/register')
  })
})

describe('signing in (A 2.5, 5, 8)', () => {
  test('says what failed in each mode', async () => {
    const page = await aVisitor()
    // The server's own words come first.
    await page.route('**/api/auth/*', (route) =>
      route.fulfill({ status: 422, json: { error: 'Not today.', code: 'unprocessable' } }),
    )
    const problem = page.getByText('Not today.', { exact: true })
    await page.goto(`${instance.url}/login`)
    await page.getByLabel('Email').fill('ada@owners.example')
    await page.getByLabel('Password', { exact: true }).fill('secret')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await problem.waitFor()
    await page.getByRole('button', { name: 'Forgot password?' }).click()
    await problem.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await problem.waitFor()
    await page.unroute('**/api/auth/*')
    await breaks(page, '/api/auth/')
    await page.goto(`${instance.url}/login`)
    await page.getByLabel('Email').fill('ada@owners.example')
    await page.getByLabel('Password', { exact: true }).fill('secret')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Login failed. Please check your credentials.').waitFor()
    await page.getByRole('button', { name: 'Forgot password?' }).click()
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await page.getByText('Failed to send reset email. Please try again.').waitFor()
    await page.goto(`${instance.url}/register`)
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill('ada@owners.example')
    await page.getByLabel('Password', { exact: true }).fill('secret')
    await page.getByLabel('Repeat password').fill('secret2')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Passwords do not match').waitFor()
    await page.getByLabel('Repeat password').fill('secret')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Registration failed. Please try again.').waitFor()
    expect(await page.getByText('If you already have an account').count()).toBe(0)
  })

  test('says what cannot be, once and at its field, and leads on whoever is known here already', async () => {
    const page = await aVisitor()
    const problems = () => page.locator('.mantine-InputWrapper-error, [role=alert]').allInnerTexts()
    const create = page.getByRole('button', { name: 'Create account' })
    const fill = async (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
    await page.goto(`${instance.url}/register`)
    await create.click()
    await expect.poll(problems).toEqual(['Name is required', 'Email is required', 'Password is required'])
    await fill('Name', 'Kit')
    await fill('Email', 'keeper')
    await fill('Password', '12345')
    await fill('Repeat password', '12345')
    await create.click()
    await expect.poll(problems).toEqual(['Password must be at least 6 characters long'])
    for (const label of ['Password', 'Repeat password']) await fill(label, '123456')
    await create.click()
    await expect.poll(problems).toEqual(['Please enter a valid email address.'])
    await fill('Email', KEEPER)
    await create.click()
    await page.getByText('Registration failed. Please try again.').waitFor()
    await page.getByRole('link', { name: 'reset your password' }).click()
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe(KEEPER)
    const sent = page.getByText(/^If an account exists for that address, a link .* this server’s built-in mailbox\.$/)
    await fill('Email', 'nonsense')
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await expect.poll(problems).toEqual(['Please enter a valid email address.'])
    await fill('Email', 'nobody@owners.example')
    const send = page.getByRole('button', { name: /^Send (reset|another) link$/ })
    for (let times = 0; times < 3; times += 1) {
      await Promise.all([page.waitForResponse('**/api/auth/forgot-password'), send.click()])
      await sent.waitFor()
    }
    await send.click()
    await page.getByText('Too many attempts. Please try again in 1 hour.').waitFor()
    await page.getByRole('button', { name: /^Try again in\s+(1:00:00|59:\d\d)$/ }).waitFor()
    // Links are counted per address, and what was said was about that one.
    await fill('Email', KEEPER)
    await page.getByRole('button', { name: 'Send reset link' }).waitFor()
    expect(await problems()).toEqual([])
  })

  test('a reset link without its token is invalid; a new password leads to the landing page after three seconds', async () => {
    const page = await aVisitor()
    await page.goto(`${instance.url}/reset-password`)
    await page.getByText('Invalid reset link. Please request a new password reset.').waitFor()
    await page.goto(`${instance.url}/reset-password?token=x`)
    await page.getByLabel('New password', { exact: true }).fill('12345')
    await page.getByLabel('Repeat new password').fill('123456')
    await page.getByRole('button', { name: 'Set new password' }).click()
    await page.getByText('Password must be at least 6 characters long').waitFor()
    await page.getByText('Passwords do not match').waitFor()
    await page.getByLabel('New password', { exact: true }).fill('secret')
    await page.getByLabel('Repeat new password').fill('secret')
    await page.getByRole('button', { name: 'Set new password' }).click()
    await page.getByText('Invalid reset link. Please request a new password reset.').waitFor()
    const another = await page.getByRole('link', { name: 'Request a new link' }).getAttribute('href')
    expect(another).toBe('/login?forgot')
    await breaks(page, '/api/auth/reset-password')
    await page.getByRole('button', { name: 'Set new password' }).click()
    await page.getByText('Failed to reset password. Please try again.').waitFor()
    await page.unroute('**/api/auth/reset-password*')
    const message = 'Your password has been reset. You can sign in now.'
    await page.route('**/api/auth/reset-password*', (route) => route.fulfill({ json: { message } }))
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.getByRole('button', { name: 'Set new password' }).click()
    // The answer is passed on by a timer, which begins the three seconds.
    const isSaid = async () => {
      await page.clock.runFor(10)
      return page.getByText(message).isVisible()
    }
    await expect.poll(isSaid).toBe(true)
    // The page's own clock stands at the moment when it leaves; the address follows later.
    const said = await page.evaluate(() => {
      const leaving = (window as unknown as { navigation: EventTarget }).navigation
      leaving.addEventListener('navigate', () => sessionStorage.setItem('leftAt', String(Date.now())))
      return Date.now()
    })
    await page.clock.runFor(3_000)
    await page.waitForURL('**/landing.html')
    const left = Number(await page.evaluate(() => sessionStorage.getItem('leftAt')))
    expect(left - said).toBeGreaterThan(2_950)
    expect(left - said).toBeLessThanOrEqual(3_000)
  })
})

describe('the store (A 2.4, 2.8, 4.4)', () => {
  // The demo's account keeps its store; any other one may let go of it.
  beforeEach(() =>
    owner.route('**/api/auth/me', async (route) => {
      const answer = (await (await route.fetch()).json()) as { user: object }
      await route.fulfill({ json: { ...answer, user: { ...answer.user, isDemo: false } } })
    }),
  )
  afterEach(() => owner.unrouteAll({ behavior: 'ignoreErrors' }))

  /** The sign in front of a sentence: which one, and in which colour. */
  const signBeside = (words: Locator) =>
    words.locator('xpath=preceding-sibling::*[1]').evaluate((sign) => {
      const [red = 0, green = 0, blue = 0] = getComputedStyle(sign).stroke.match(/\d+/g)!.map(Number)
      const colour = red > 1.4 * Math.max(green, blue) ? 'red' : green > 1.4 * Math.max(red, blue) ? 'green' : 'other'
      return [/tabler-icon-([a-z-]+)/.exec(sign.getAttribute('class')!)?.[1], colour]
    })

  const withoutStore = () =>
    owner.route('**/api/stores/check-connection*', (route) =>
      route.fulfill({ json: { hasConnection: false, platform: null, store_url: null, store: null } }),
    )
  const connectionFlags = () =>
    owner.evaluate(() => Object.keys(localStorage).filter((key) => /connect|store|platform/i.test(key)))

  test('settings say what is connected, and a disconnection that fails is said and leads nowhere', async () => {
    await breaks(owner, '/api/stores/disconnect')
    await owner.goto(`${instance.url}/settings`)
    await owner.getByRole('heading', { name: 'Store Connection' }).waitFor()
    const connected = owner.getByText(`Connected to ${instance.storeUrl}`).first()
    await connected.waitFor()
    expect(await signBeside(connected)).toEqual(['circle-check', 'green'])
    await owner.getByRole('button', { name: 'Connect to Different Store' }).waitFor()
    await owner.getByRole('button', { name: 'Disconnect Store' }).click()
    await owner.getByRole('dialog').getByRole('button', { name: 'Disconnect Store' }).click()
    await owner.getByText('Failed to disconnect store. Please try again.').waitFor()
    expect(new URL(owner.url()).pathname).toBe('/settings')
    await owner.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  })

  test('another store may be connected even when the server cannot let go of the one before', async () => {
    // News of the store would have it asked again, as the new path does, and the server still knows the one before.
    await owner.route('**/socket.io/**', (route) => route.abort())
    await breaks(owner, '/api/stores/disconnect')
    await owner.goto(`${instance.url}/settings`)
    await owner.getByRole('button', { name: 'Connect to Different Store' }).click()
    await owner.route('**/api/stores/check-connection*', () => {})
    await owner.getByRole('dialog').getByRole('button', { name: 'Disconnect and continue' }).click()
    await owner.waitForURL('**/store-setup')
    expect(await connectionFlags()).toEqual([])
  })

  test('a disconnection forgets the store here and leads to the set-up', async () => {
    // News of the store would ask whether there is one, and be told that there is none, before anybody has confirmed.
    await owner.route('**/socket.io/**', (route) => route.abort())
    await owner.goto(`${instance.url}/settings`)
    await owner.getByRole('button', { name: 'Disconnect Store' }).click()
    await owner.route('**/api/stores/disconnect*', (route) =>
      route.fulfill({ json: { success: true, message: 'x', cancelled: 0 } }),
    )
    await withoutStore()
    await owner.getByRole('dialog').getByRole('button', { name: 'Disconnect Store' }).click()
    await owner.waitForURL('**/store-setup')
    expect(await connectionFlags()).toEqual([])
  })

  test('without a store, settings and set-up lead to connecting one', async () => {
    await withoutStore()
    await owner.goto(`${instance.url}/settings`)
    const missing = owner.getByText('Not connected to any store')
    await missing.waitFor()
    expect(await signBeside(missing)).toEqual(['circle-x', 'red'])
    expect(await owner.getByRole('link', { name: 'Connect Store' }).getAttribute('href')).toBe('/store-setup')
    expect(await connectionFlags()).toEqual([])
    await owner.goto(`${instance.url}/store-setup`)
    await owner.getByRole('button', { name: 'Connect Store' }).waitFor()
    await owner.getByRole('heading', { name: 'How to get your keys' }).waitFor()
    await owner.getByRole('combobox', { name: 'Platform' }).click()
    await expect.poll(() => owner.getByRole('option').allInnerTexts()).toEqual(['WooCommerce', 'Shopify'])
  })

  test('a connection that fails says so under its heading', async () => {
    const page = await aVisitor()
    const reply = await fetch(`${instance.url}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ida', email: 'ida@owners.example', password: 'four pots on Kiln Road' }),
    })
    const { token } = (await reply.json()) as { token: string }
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    await page.goto(`${instance.url}/readyz`)
    await page.evaluate((text) => localStorage.setItem('token', text), token)
    await page.goto(`${instance.url}/store-setup`)
    await page.getByRole('heading', { name: 'Subscription Required' }).waitFor()
    await fetch(`${instance.url}/api/subscribe/create-free-subscription`, { method: 'POST', headers, body: '{}' })
    await page.goto(`${instance.url}/store-setup`)
    await page.getByRole('button', { name: 'Connect Store' }).click()
    await page.getByText('Store URL is required').waitFor()
    await page.getByText('Consumer key and secret are required for WooCommerce').first().waitFor()
    await breaks(page, '/api/stores/connect-store')
    await page.getByLabel('Store URL').fill('shop.example')
    await page.getByLabel('Consumer key').fill('ck_1')
    await page.getByLabel('Consumer secret').fill('cs_1')
    await page.getByRole('button', { name: 'Connect Store' }).click()
    await page.getByText('Connection failed').waitFor()
    await page.getByText('Failed to connect to store. Please check your credentials and try again.').waitFor()
  })
})

test('the screens outside of the sections say what they are for (A 2.1, 2.8)', async () => {
  await owner.goto(`${instance.url}/test`)
  for (const fact of ['Current URL', 'Path', 'Search', 'Hash']) await owner.getByText(fact, { exact: true }).waitFor()
  await Promise.all([owner.waitForEvent('load'), owner.getByRole('button', { name: 'Reload' }).click()])
  await owner.getByRole('button', { name: 'Go to Carts' }).click()
  await owner.waitForURL('**/carts')
  await owner.goto(`${instance.url}/test`)
  await owner.getByRole('button', { name: 'Go to Dashboard' }).click()
  await owner.waitForURL('**/dashboard')
  await owner.goto(`${instance.url}/test-subscription`)
  await owner.getByLabel('Plan').waitFor()
  const offered = await owner.getByLabel('Plan').locator('option').allInnerTexts()
  expect(offered).toEqual(['free', 'starter', 'growth', 'professional', 'enterprise'])
  await owner.goto(`${instance.url}/settings/account`)
  await owner.getByRole('button', { name: 'Log Out', exact: true }).click()
  await owner.getByRole('dialog').getByText('Are you sure you want to log out?').waitFor()
  await owner.goto(`${instance.url}/settings/appearance`)
  for (const theme of ['Light', 'Dark', 'Blue']) await owner.getByRole('radio', { name: theme }).waitFor()
  await expect.poll(() => owner.getByRole('radio').count()).toBe(3)
})

test('of the questions one is open at a time (A 2.8)', async () => {
  await owner.goto(`${instance.url}/settings/faq`)
  const buttons = owner.getByRole('main').locator('button[aria-expanded]')
  await buttons.first().waitFor()
  await expect.poll(() => buttons.count()).toBe(15)
  await buttons.nth(0).click()
  await buttons.nth(5).click()
  await expect.poll(() => owner.locator('main button[aria-expanded=true]').count()).toBe(1)
})

test('the guard waits with “Loading...” while nothing is known, and asks again on the way on (A 4.1)', async () => {
  const page = await aVisitor()
  let [asked, answered] = [0, Promise.resolve()]
  await page.clock.install()
  // Who one is says that there is a plan, too.
  await page.route(/\/api\/(subscribe\/status|auth\/me)/, async (route) => {
    if (route.request().url().includes('status')) asked += 1
    await answered
    await route.continue()
  })
  await enter(page)
  const waiting = Promise.withResolvers<void>()
  answered = waiting.promise
  await page.goto(`${instance.url}/flows`)
  await page.getByText('Loading...').first().waitFor()
  waiting.resolve()
  await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor()
  const before = asked
  await page.clock.fastForward(30_000)
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect.poll(() => asked).toBe(before + 1)
  // The page that is there is not taken away for the question.
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
})

test('the chart names its axes and periods (A 2.3)', async () => {
  const page = await aVisitor()
  await page.addInitScript(() => {
    const written = new Set<string>()
    Object.assign(window, { written })
    const { fillText } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      written.add(text)
      return fillText.call(this, text, ...place)
    }
  })
  // Where there are carts there is a chart.
  const figures = {
    ...{ abandonedCarts: 5, recoveredCarts: 1, recoveryRate: 20, totalRevenue: 10, monthlyRevenue: 10, trends: {} },
    ...{ recoveredOrders: 1, activeCustomers: 3, currency: 'USD', otherCurrencies: [], syncAgeSeconds: null },
  }
  await page.route('**/api/dashboard/stats*', (route) => route.fulfill({ json: figures }))
  await enter(page)
  await page.goto(`${instance.url}/dashboard`)
  await page.getByRole('heading', { name: 'Cart Recovery Overview' }).waitFor()
  await expect
    .poll(() => page.evaluate(() => [...(window as unknown as { written: Set<string> }).written]))
    .toEqual(expect.arrayContaining(['Number of Carts', 'Date']))
  const periods = await page.getByLabel('Period').locator('option').allInnerTexts()
  expect(periods).toEqual(['Last 24 Hours', 'Last 7 Days', 'Last 30 Days'])
})
