import type { Locator, Page } from 'playwright-core'
import { me } from '../../shared/access/auth.ts'
import { readSecondFactor } from '../../shared/access/second-factor.ts'
import { checkConnection } from '../../shared/access/stores.ts'
import { subscriptionStatus } from '../../shared/billing/billing.ts'
import { listAbandonedCarts } from '../../shared/carts/carts.ts'
import { readDashboardStats } from '../../shared/insights/dashboard.ts'
import type { Api, fixture } from '../api.ts'

// A state of a screen: the server's replies, and the actions that reach it.

type Step = (page: Page) => Promise<unknown>

export interface State {
  name: string
  path: string
  /** Default: a signed-in owner. */
  as?: 'visitor' | undefined
  /** Server replies that differ from the recorded ones. */
  given?: ((api: Api, page: Page) => unknown) | undefined
  /** Actions to perform; the last one waits until the state is reached. */
  steps?: Step[] | undefined
  /** Some requests stay unanswered. */
  isLoading?: boolean
  /** Replaces both default widths, widest first. */
  widths?: number[]
  /** Storage entries added before the screen opens; null removes one. */
  storage?: Record<string, string | null>
}

export const waitForSelector =
  (selector: string): Step =>
  (page) =>
    page.locator(selector).first().waitFor()
export const waitForText =
  (text: string): Step =>
  (page) =>
    page.getByText(text).first().waitFor()
export const waitForButton =
  (name: string): Step =>
  (page) =>
    page.getByRole('button', { name }).first().waitFor()
export const pressRole =
  (name: string | RegExp, role: 'button' | 'link' | 'menuitem' = 'button'): Step =>
  (page) =>
    page.getByRole(role, { name }).first().click()
export const fillField =
  (label: string, text: string): Step =>
  (page) =>
    page.getByLabel(label, { exact: true }).first().fill(text)
export const runAction =
  (act: (page: Page) => Locator, how: 'click' | 'waitFor' = 'click'): Step =>
  (page) =>
    act(page)[how]()
/** Navigates within the page, like one of its links. */
export const navigateTo =
  (path: string): Step =>
  (page) =>
    page.evaluate((to) => {
      history.pushState({}, '', to)
      dispatchEvent(new PopStateEvent('popstate', { state: {} }))
    }, path)
export const pressSave: Step = (page) => page.keyboard.press('Control+s')
export const waitForDialog: Step = (page) => page.getByRole('dialog').waitFor()
export const waitForLoading = waitForSelector('.shell[data-complete=true] [role=status][aria-label=Loading]')
export const waitForHeading = waitForSelector('h1')

/** Id of no cart, store, campaign or customer. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'
export const SOME_ID = '01990000-0000-7000-8000-000000000001'

export const buildPagination = (total: number, limit = 50) => ({
  page: 1,
  limit,
  total,
  pages: Math.ceil(total / limit),
})

type User = ReturnType<typeof fixture<typeof me>>['user']

export function signInAsUser(api: Api, change: (user: User) => Partial<User>): void {
  api.alter(me, (reply) => ({ ...reply, user: { ...reply.user, ...change(reply.user) } }))
  // The demo never requests it, so it was not recorded.
  api.answer(readSecondFactor, { isOn: false, since: null, recoveryCodesLeft: 0 })
}
/** An account other than the demo's. */
export const signInAsOwner = (api: Api) => signInAsUser(api, () => ({ isDemo: false }))
export const signInAsViewer = (api: Api) => signInAsUser(api, () => ({ isDemo: false, role: 'viewer' }))

export const removeStore = (api: Api) =>
  api.answer(checkConnection, { hasConnection: false, platform: null, store_url: null, store: null })
export const removePlan = (api: Api) =>
  api.alter(subscriptionStatus, (reply) => ({
    ...reply,
    plan: null,
    planInForce: null,
    status: null,
    source: null,
    hasActiveSubscription: false,
  }))
export const clearFigures = (api: Api) =>
  api.alter(readDashboardStats, (reply) => ({
    ...reply,
    abandonedCarts: 0,
    recoveredCarts: 0,
    recoveredOrders: 0,
    recoveryRate: null,
    totalRevenue: 0,
    monthlyRevenue: 0,
    activeCustomers: 0,
    otherCurrencies: [],
    syncAgeSeconds: null,
    trends: Object.fromEntries(Object.keys(reply.trends).map((name) => [name, null])) as typeof reply.trends,
  }))
export const clearCarts = (api: Api) =>
  api.answer(listAbandonedCarts, { carts: [], pagination: buildPagination(0, 20), syncAgeSeconds: null })
