import type { Page, Response } from 'playwright-core'

// What screens look like when something is missing, on its way, refused or open: for `screens.test.ts`.

export interface State {
  name: string
  of: 'owner' | 'visitor'
  path: string
  /** Brings the page into the state and waits until it is there. `open` goes to the path. */
  prepare(page: Page, open: () => Promise<Response | null>): Promise<unknown>
  /** Something is still on its way, and stays so. */
  isLoading?: boolean
  widths?: number[]
}

const answer = (page: Page, path: string, json: object, status = 200) =>
  page.route(`**/api/${path}*`, (route) => route.fulfill({ status, json }))
const hangs = (page: Page, path: string) => page.route(`**/api/${path}*`, () => {})
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const isSaid = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor()

const NO_STORE = { hasConnection: false, platform: null, store_url: null, store: null }
const NO_PLAN = { plan: null, status: null, nextBillingDate: null, isTestMode: true }
const NO_FIGURES = {
  ...{ abandonedCarts: 0, recoveredCarts: 0, recoveryRate: null, totalRevenue: 0, monthlyRevenue: 0 },
  ...{ activeCustomers: 0, trends: {}, currency: 'USD', otherCurrencies: [], syncAgeSeconds: null },
}
const NO_CARTS = { carts: [], pagination: { total: 0, page: 1, pages: 0, limit: 20 } }
const ANN = {
  ...{ address: 'ann@shoppers.example', addresses: ['ann@shoppers.example', '+12125550123'], names: ['Ann Archer'] },
  ...{ stores: [{ id: 'x', name: 'Maple & Clay' }], firstSeenAt: '2026-01-05T10:00:00Z' },
  counts: { carts: 2, orders: 1, messages: 4, facts: 6 },
  suppressed: [{ channel: 'sms', reason: 'unsubscribed', since: '2026-01-06T10:00:00Z' }],
  erasures: [],
}
const NOT_HERE = '00000000-0000-4000-8000-000000000000'

/** What the server really says, with some of it changed. */
const altered = (page: Page, path: string, change: (said: Record<string, unknown>) => object) =>
  page.route(`**/api/${path}*`, async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ response: reply, json: change(await reply.json()) })
  })

const atTheDoor: State[] = [
  {
    name: 'sign-in refused',
    of: 'visitor',
    path: '/login',
    async prepare(page, open) {
      await answer(page, 'auth/login', { error: 'Login failed. Please check your credentials.', code: 'invalid' }, 401)
      await open()
      await page.getByLabel('Email').fill('ada@owners.example')
      await page.getByLabel('Password', { exact: true }).fill('secret')
      await button(page, /^Sign in$/).click()
      await isSaid(page, 'Login failed.')
    },
  },
  {
    name: 'sign-up with everything missing',
    of: 'visitor',
    path: '/register',
    async prepare(page, open) {
      await open()
      await button(page, 'Create account').click()
      await page.locator('[aria-invalid=true]').first().waitFor()
    },
  },
  {
    name: 'password forgotten',
    of: 'visitor',
    path: '/login',
    async prepare(page, open) {
      await open()
      await button(page, 'Forgot password?').click()
      await button(page, 'Send reset link').waitFor()
    },
  },
  {
    name: 'session expired',
    of: 'visitor',
    path: '/carts',
    async prepare(page, open) {
      await page.evaluate(() => localStorage.setItem('token', 'of-yesterday'))
      await open()
      await isSaid(page, 'Your session has expired. Please sign in again.')
    },
  },
  {
    name: 'reset link without token',
    of: 'visitor',
    path: '/reset-password',
    prepare: (page, open) => open().then(() => isSaid(page, 'Invalid reset link.')),
  },
  {
    name: 'invitation not valid',
    of: 'visitor',
    path: '/invite?token=x',
    prepare: (page, open) => open().then(() => isSaid(page, 'no longer valid')),
  },
  {
    name: 'restore link not valid',
    of: 'visitor',
    path: '/cart/recover?cart_id=rt_x',
    prepare: (page, open) => open().then(() => page.getByRole('heading', { level: 1 }).waitFor()),
  },
  {
    name: 'preferences link not valid',
    of: 'visitor',
    path: '/preferences?token=x',
    prepare: (page, open) => open().then(() => isSaid(page, 'not complete')),
  },
  {
    name: 'unsubscribe link not valid',
    of: 'visitor',
    path: '/unsubscribe?token=x',
    prepare: (page, open) => open().then(() => page.getByRole('heading', { level: 1 }).waitFor()),
  },
]

const ofTheDashboard: State[] = [
  {
    name: 'dashboard on its way',
    of: 'owner',
    path: '/dashboard',
    isLoading: true,
    async prepare(page, open) {
      await hangs(page, 'dashboard/')
      await hangs(page, 'carts/abandoned')
      await open()
      await page.getByRole('status', { name: 'Loading' }).first().waitFor()
    },
  },
  {
    name: 'dashboard not to be had',
    of: 'owner',
    path: '/dashboard',
    async prepare(page, open) {
      await answer(page, 'dashboard/stats', { error: '', code: 'store_unreachable' }, 503)
      await open()
      await isSaid(page, 'Store connection failed.')
    },
  },
  {
    name: 'dashboard with a warning',
    of: 'owner',
    path: '/dashboard',
    async prepare(page, open) {
      await answer(page, 'dashboard/stats', { error: 'x', code: 'invalid' }, 400)
      await answer(page, 'dashboard/chart', { error: 'x', code: 'invalid' }, 400)
      await answer(page, 'carts/abandoned', { error: 'x', code: 'invalid' }, 400)
      await open()
      await isSaid(page, 'Dashboard Warning')
    },
  },
  {
    name: 'dashboard of a new account',
    of: 'owner',
    path: '/dashboard',
    async prepare(page, open) {
      await answer(page, 'dashboard/stats', NO_FIGURES)
      await answer(page, 'carts/abandoned', NO_CARTS)
      await open()
      await isSaid(page, 'Get ready to win carts back')
    },
  },
]

const ofTheSections: State[] = [
  {
    name: 'carts on their way',
    of: 'owner',
    path: '/carts',
    isLoading: true,
    async prepare(page, open) {
      await hangs(page, 'carts/abandoned')
      await open()
      await page.getByRole('status', { name: 'Loading' }).first().waitFor()
    },
  },
  {
    name: 'carts not to be had',
    of: 'owner',
    path: '/carts',
    prepare: async (page, open) => {
      await answer(page, 'carts/abandoned', { error: 'Please try again.', code: 'invalid' }, 400)
      await open()
      await button(page, 'Retry').waitFor()
    },
  },
  {
    name: 'no carts',
    of: 'owner',
    path: '/carts',
    prepare: async (page, open) => {
      await answer(page, 'carts/abandoned', NO_CARTS)
      await open()
      await page.locator('.empty-sign').waitFor()
    },
  },
  {
    name: 'cart that is not there',
    of: 'owner',
    path: `/carts/${NOT_HERE}`,
    prepare: (page, open) => open().then(() => page.getByText('There is no such cart').waitFor()),
  },
  {
    name: 'flows not to be had',
    of: 'owner',
    path: '/flows',
    prepare: async (page, open) => {
      await answer(page, 'flows', { error: 'Please try again.', code: 'invalid' }, 400)
      await open()
      await button(page, 'Retry').waitFor()
    },
  },
  {
    name: 'flow being switched off',
    of: 'owner',
    path: '/flows/:flowId',
    prepare: async (page, open) => {
      await open()
      await button(page, /^Switch off/).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'flow with unsaved changes',
    of: 'owner',
    path: '/flows/:flowId',
    prepare: async (page, open) => {
      await open()
      await page.getByLabel('Subject').first().fill('Still thinking about it?')
      await button(page, 'Save').waitFor()
    },
  },
]

const ofSettings: State[] = [
  {
    name: 'settings without a store',
    of: 'owner',
    path: '/settings',
    prepare: async (page, open) => {
      await answer(page, 'stores/check-connection', NO_STORE)
      await open()
      await isSaid(page, 'Not connected to any store')
    },
  },
  {
    name: 'the doctor at work',
    of: 'owner',
    path: '/settings',
    isLoading: true,
    prepare: async (page, open) => {
      await hangs(page, 'stores/doctor')
      await open()
      await page.getByRole('region', { name: 'Connection doctor' }).waitFor()
    },
  },
  {
    name: 'a rule that cannot be',
    of: 'owner',
    path: '/settings/recovery-rules',
    prepare: async (page, open) => {
      await open()
      await page.getByRole('textbox', { name: 'Messages per person', exact: true }).fill('99')
      await page.keyboard.press('Control+s')
      await isSaid(page, 'A whole number from 1 to 20')
    },
  },
  {
    name: 'a file of addresses looked at',
    of: 'owner',
    path: '/settings/consent#suppressions',
    prepare: async (page, open) => {
      await open()
      await button(page, 'Import CSV').click()
      const buffer = Buffer.from('E-mail;Status;Comment\nann@shoppers.example;spam;by letter\nnobody;;\n')
      await page.locator('input[type=file]').setInputFiles({ name: 'old.csv', mimeType: 'text/csv', buffer })
      await button(page, 'Import 2 rows').waitFor()
    },
  },
  {
    name: 'a person about to be erased',
    of: 'owner',
    path: '/settings/consent?person=ann@shoppers.example#person',
    prepare: async (page, open) => {
      await answer(page, 'persons/', { person: ANN })
      await open()
      await button(page, 'Erase this person').click()
      await page.getByRole('textbox', { name: 'Type “erase” to confirm' }).waitFor()
    },
  },
  {
    name: 'leaving without saving',
    of: 'owner',
    path: '/settings/recovery-rules',
    prepare: async (page, open) => {
      await open()
      await page.getByRole('textbox', { name: 'Messages per person', exact: true }).fill('7')
      await page.getByRole('link', { name: 'Appearance' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'a test mail that went',
    of: 'owner',
    path: '/settings/sending',
    prepare: async (page, open) => {
      await open()
      await button(page, 'Send test mail').click()
      await isSaid(page, 'took the mail to')
    },
  },
  {
    name: 'an account one may not change',
    of: 'owner',
    path: '/settings/account',
    prepare: async (page, open) => {
      await altered(page, 'auth/me', ({ user, ...rest }) => ({
        ...rest,
        user: { ...(user as object), role: 'viewer', isDemo: false },
      }))
      await open()
      await isSaid(page, 'You are a viewer')
    },
  },
  {
    name: 'logging out',
    of: 'owner',
    path: '/settings/account',
    prepare: async (page, open) => {
      await open()
      await button(page, 'Log Out').click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'one answer open',
    of: 'owner',
    path: '/settings/faq',
    prepare: async (page, open) => {
      await open()
      await page.getByRole('main').locator('button[aria-expanded]').nth(3).click()
    },
  },
]

const onTheWayIn: State[] = [
  {
    name: 'connecting a store',
    of: 'owner',
    path: '/store-setup',
    prepare: async (page, open) => {
      await answer(page, 'stores/check-connection', NO_STORE)
      await open()
      await button(page, 'Connect Store').waitFor()
    },
  },
  {
    name: 'connecting a store without a plan',
    of: 'owner',
    path: '/store-setup',
    prepare: async (page, open) => {
      await answer(page, 'subscribe/status', NO_PLAN)
      await open()
      await isSaid(page, 'Subscription Required')
    },
  },
  {
    name: 'prices for somebody who cannot choose',
    of: 'owner',
    path: '/pricing',
    prepare: async (page, open) => {
      await answer(page, 'subscribe/status', NO_PLAN)
      await altered(page, 'auth/me', ({ user, ...rest }) => ({
        ...rest,
        user: { ...(user as object), role: 'viewer' },
      }))
      await open()
      await isSaid(page, 'only an owner or admin of it can choose one')
    },
  },
]

const ofTheFrame: State[] = [
  {
    name: 'server not to be reached',
    of: 'owner',
    path: '/flows',
    isLoading: true,
    prepare: async (page, open) => {
      await open()
      await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor()
      await page.route('**/api/**', (route) => route.abort())
      await page.getByRole('link', { name: 'Abandoned Carts' }).click()
      await isSaid(page, 'Recoup’s server does not answer.')
      await button(page, 'Retry').waitFor()
    },
  },
  {
    name: 'sending paused',
    of: 'owner',
    path: '/flows',
    prepare: async (page, open) => {
      await altered(page, 'instance', (said) => ({ ...said, isPaused: true }))
      await open()
      await isSaid(page, 'Sending is paused.')
    },
  },
  {
    name: 'the menu of a phone',
    of: 'owner',
    path: '/carts',
    widths: [360],
    prepare: async (page, open) => {
      await open()
      await button(page, 'Open menu').click()
      await page.getByRole('dialog').waitFor()
    },
  },
]

export const states: State[] = [
  ...atTheDoor,
  ...ofTheDashboard,
  ...ofTheSections,
  ...ofSettings,
  ...onTheWayIn,
  ...ofTheFrame,
]
