import type { Page } from 'playwright-core'
import type { z } from 'zod'
import { me } from '../shared/access/auth.ts'
import { checkConnection } from '../shared/access/stores.ts'
import { type PlanKey, subscriptionStatus } from '../shared/billing/billing.ts'
import type { previewMessage } from '../shared/marketing/message-preview.ts'
import { type Screens, token } from './app.ts'
import demo from './fixtures/demo.json' with { type: 'json' }

// Sets the server's answers about an account's plan and store, and what the browser has stored.

/** Names of `CONNECTION_KEYS` in web/core/session/session.ts. */
export const CONNECTION_KEYS = ['isConnected', 'platform', 'storeUrl', 'store_connection', 'woocommerce_connection']

interface Access {
  plan?: PlanKey | null
  status?: 'active' | 'trialing' | 'past_due' | 'canceled' | null
  isSubscribed?: boolean
  isConnected?: boolean
}

/** Later answers of the server. */
export function setAccess(
  { api }: Screens,
  { plan = 'growth', status = plan && 'active', isSubscribed = plan !== null, isConnected = true }: Access,
): void {
  const subscription = { plan, planInForce: plan, status, hasActiveSubscription: isSubscribed }
  api.alter(subscriptionStatus, (reply) => ({ ...reply, ...subscription }))
  api.alter(me, ({ user }) => ({
    user: { ...user, subscriptionStatus: status, hasActiveSubscription: isSubscribed, isDemo: false },
  }))
  if (isConnected) api.alter(checkConnection, (reply) => reply)
  else api.answer(checkConnection, { hasConnection: false, platform: null, store_url: null, store: null })
}

/** Opens a path with only this in the browser's storage. */
export async function openWithStorage(app: Screens, path: string, stored: Record<string, string>): Promise<Page> {
  await app.page.goto(`${app.url}/blank`)
  await fill(app.page, stored)
  await app.page.goto(app.url + path)
  return app.page
}

/** Another page of the owner, which has not opened a screen yet. */
export async function openOwnerPage(app: Screens, page: Page): Promise<Page> {
  await page.goto(`${app.url}/blank`)
  await fill(page, { ...demo.storage, token })
  return page
}

const fill = (page: Page, stored: Record<string, string>) =>
  page.evaluate((entries) => {
    localStorage.clear()
    for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value)
  }, stored)

export const readStoredConnection = (page: Page): Promise<string[]> =>
  page.evaluate((names) => names.filter((name) => localStorage.getItem(name) !== null), CONNECTION_KEYS)

/** The server, not the app, serves the landing page. */
export const stubLandingPage = ({ page }: Screens) =>
  page.route('**/landing.html', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Landing page</h1>' }))

/** Navigates within the page, like one of its links. */
export const navigateWithin = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState({}, '', to)
    dispatchEvent(new PopStateEvent('popstate', { state: {} }))
  }, path)

export const SECTIONS = [
  'Dashboard',
  'Abandoned Carts',
  'Flows',
  'Email Campaigns',
  'Customers',
  'Notifications',
  'Coupons',
  'Analytics',
  'Settings',
]
export const listSections = (page: Page) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allInnerTexts()

/** Content of a message, where it does not matter. */
export const samplePreview: z.input<typeof previewMessage.reply> = {
  subject: 'Complete Your Purchase',
  html: '<p>Your cart</p>',
  text: 'Your cart',
  segments: null,
  price: null,
  words: { subject: 'Complete Your Purchase', body: 'Your cart' },
  problem: null,
  couponNote: null,
  couponWarning: null,
  decision: null,
}
