import type { Page } from 'playwright-core'

// What is made up before a screen is opened, and what is done there until the state is reached: the steps the states are put together of.

type Step = (page: Page) => Promise<unknown>

export interface State {
  name: string
  of: 'owner' | 'visitor'
  path: string
  /** What is made up before the path is opened. */
  given?: Step[]
  /** What is done there; the last one waits until the state is reached. */
  steps: Step[]
  /** Something is still on its way, and stays so. */
  isLoading?: boolean
  widths?: number[]
}

export const answers =
  (path: string, json: object, status = 200): Step =>
  (page) =>
    page.route(`**/api/${path}*`, (route) => route.fulfill({ status, json }))
export const refuses = (path: string, error = 'Please try again.') => answers(path, { error, code: 'invalid' }, 400)
export const hangs =
  (path: string): Step =>
  (page) =>
    page.route(`**/api/${path}*`, () => {})

/** What the server really says, told no sooner than `comes`. */
export function late(path: string): { given: Step; comes: Step } {
  let tell = () => {}
  const told = new Promise<void>((resolve) => {
    tell = resolve
  })
  return {
    given: (page) => page.route(`**/api/${path}*`, (route) => told.then(() => route.continue())),
    async comes(page) {
      const answer = page.waitForResponse(`**/api/${path}*`)
      tell()
      await (await answer).finished()
    },
  }
}

/** What the server really says, with some of it changed. */
export const alters =
  (path: string, change: (said: Record<string, unknown>) => object): Step =>
  (page) =>
    page.route(`**/api/${path}*`, async (route) => {
      const reply = await route.fetch()
      await route.fulfill({ response: reply, json: change(await reply.json()) })
    })
export const isUser = (change: (user: Record<string, unknown>) => object) =>
  alters('auth/me', ({ user, ...rest }) => {
    const real = user as Record<string, unknown>
    return { ...rest, user: { ...real, ...change(real) } }
  })
export const isOwnAccount = isUser(() => ({ isDemo: false }))
export const isViewer = isUser(() => ({ role: 'viewer', isDemo: false }))

export const shows =
  (selector: string): Step =>
  (page) =>
    page.locator(selector).first().waitFor()
export const says =
  (words: string): Step =>
  (page) =>
    page.getByText(words).first().waitFor()
export const offers =
  (name: string): Step =>
  (page) =>
    page.getByRole('button', { name }).first().waitFor()
export const presses =
  (name: string | RegExp, role: 'button' | 'link' = 'button'): Step =>
  (page) =>
    page.getByRole(role, { name }).first().click()
export const fills =
  (label: string, text: string): Step =>
  (page) =>
    page.getByLabel(label, { exact: true }).first().fill(text)
/** Within the page, as by one of its links. */
export const goes =
  (path: string): Step =>
  (page) =>
    page.evaluate((to) => {
      history.pushState({}, '', to)
      dispatchEvent(new PopStateEvent('popstate', { state: {} }))
    }, path)
export const asks: Step = (page) => page.getByRole('dialog').waitFor()
export const waits = shows('.shell[data-complete=true] [role=status][aria-label=Loading]')
export const isTitled = shows('h1')

export const NO_STORE = answers('stores/check-connection', {
  hasConnection: false,
  platform: null,
  store_url: null,
  store: null,
})
export const NO_PLAN = answers('subscribe/status', {
  plan: null,
  status: null,
  nextBillingDate: null,
  hasActiveSubscription: false,
  planInForce: null,
  graceUntil: null,
  isTestMode: true,
  ...{ sells: 'test', source: null, isUnlimited: false, cancelAtPeriodEnd: false, trialEndsAt: null },
  ...{ currentPeriodEnd: null, hasCard: false, hasUsedTrial: false, change: null, suspension: null },
})
export const NO_FIGURES = answers('dashboard/stats', {
  ...{ abandonedCarts: 0, recoveredCarts: 0, recoveryRate: null, totalRevenue: 0, monthlyRevenue: 0 },
  ...{ activeCustomers: 0, trends: {}, currency: 'USD', otherCurrencies: [], syncAgeSeconds: null },
})
export const NO_CARTS = answers('carts/abandoned', {
  carts: [],
  pagination: { total: 0, page: 1, pages: 0, limit: 20 },
})
/** No cart's and no store's. */
export const NOT_HERE = '00000000-0000-4000-8000-000000000000'

export const couponsAre = (coupons: object[], more: object = {}) =>
  answers('coupons?', {
    ...{ coupons, pagination: { page: 1, limit: 50, total: coupons.length, pages: 1 }, readAt: null, problem: null },
    ...{ currency: 'USD', timeZone: 'Europe/Berlin', canWrite: true, ...more },
  })
