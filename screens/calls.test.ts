import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import * as auth from '../shared/access/auth.ts'
import { checkConnection, connectStore, disconnectStore } from '../shared/access/stores.ts'
import * as billing from '../shared/billing/billing.ts'
import { checkSession } from '../shared/billing/payments.ts'
import * as carts from '../shared/carts/carts.ts'
import * as coupons from '../shared/carts/coupons.ts'
import type { Endpoint } from '../shared/core/endpoint.ts'
import * as push from '../shared/delivery/push-calls.ts'
import * as reminders from '../shared/delivery/reminders.ts'
import * as analytics from '../shared/insights/analytics.ts'
import * as dashboard from '../shared/insights/dashboard.ts'
import * as campaigns from '../shared/marketing/campaigns.ts'
import * as customers from '../shared/marketing/customers.ts'
import * as notifications from '../shared/workspace/notification-calls.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'
import { prepareSending, sampleCart } from './carts-scene.ts'
import { serveRecipients } from './recipients.ts'

// The fields the browser sends with the calls of A 7 and B 7, screen by screen. The account has two stores; the tab
// shows the first.

const app = createScreens()
const URL = 'https://maple-clay.example'
const PLATFORM = { platform: 'woocommerce' }
const STORE = { ...PLATFORM, storeId: URL }

type Fields = Record<string, unknown>
type ExpectedCall = [endpoint: Endpoint, query: Fields, body?: Fields]

/** The last call of each endpoint has these fields; the screen may send more. */
async function expectSent(sent: readonly ExpectedCall[]): Promise<void> {
  for (const [endpoint, query, body] of sent) {
    const name = `${endpoint.method} ${endpoint.path}`
    await expect.poll(() => app.api.calls(endpoint).length, { message: name }).toBeGreaterThan(0)
    const last = app.api.calls(endpoint).at(-1)!.sent
    expect(last.query, name).toMatchObject(query)
    if (body) expect(last.body, name).toMatchObject(body)
  }
}

test.each<[path: string, sent: ExpectedCall[]]>([
  [
    '/dashboard',
    [
      [auth.me, {}],
      [billing.subscriptionStatus, {}],
      [checkConnection, PLATFORM],
      [dashboard.readDashboardStats, STORE],
      [dashboard.readDashboardChart, { ...STORE, period: expect.any(String) }],
      [carts.listAbandonedCarts, { ...STORE, limit: '4' }],
      [campaigns.listCampaigns, { ...STORE, limit: '10' }],
      [notifications.countUnreadNotifications, STORE],
    ],
  ],
  [
    '/carts?page=2&status=email+sent&search=le',
    [[carts.listAbandonedCarts, { ...STORE, page: '2', limit: '10', status: 'email sent', search: 'le' }]],
  ],
  ['/carts/:cartId', [[carts.getCart, STORE]]],
  ['/customers', [[customers.listCustomers, STORE]]],
  ['/campaigns', [[campaigns.listCampaigns, { ...STORE, limit: '50' }]]],
  ['/notifications', [[notifications.listNotifications, { ...STORE, page: '1', limit: '10' }]]],
  ['/coupons', [[coupons.listCoupons, STORE]]],
  [
    '/analytics',
    [
      [analytics.readAnalytics, { ...STORE, range: '30d' }],
      [analytics.readRecoveryRateTrend, { ...STORE, period: '30d' }],
      [analytics.readRevenueTrend, { ...STORE, period: '30d' }],
    ],
  ],
  ['/push-notifications', [[push.pushStoreStats, { platform: 'woocommerce', storeUrl: URL }]]],
])('%s sends the current store in its requests', { tags: ['A7', 'B1', 'B7'] }, async (path, sent) => {
  await app.open(path)
  await expectSent(sent)
})

const buildCampaign = (change: Partial<campaigns.CampaignView>) => ({
  ...(fixture(campaigns.readCampaign).campaign as campaigns.CampaignView),
  ...change,
})
const page1 = { page: 1, limit: 10, total: 1, pages: 1 }
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click()
const confirm = (page: Page, title: string | RegExp, name: string | RegExp) =>
  page.getByRole('dialog', { name: title }).getByRole('button', { name, exact: true }).click()

interface Case {
  path: string
  as?: 'visitor'
  /** Replies set before the screen is opened. */
  prepare?: () => void
  act: (page: Page) => Promise<unknown>
  endpoint: Endpoint
  query?: Fields
  body?: Fields
}

function campaignCase(
  status: campaigns.CampaignView['status'],
  press: string,
  rest: Pick<Case, 'endpoint' | 'body'>,
): Case {
  const shown = buildCampaign({ status, name: 'Spring glaze' })
  return {
    path: '/campaigns',
    prepare: () => {
      prepareSending(app.api)
      app.api.answer(campaigns.listCampaigns, { campaigns: [shown], pagination: page1 })
    },
    act: async (page) => {
      await page.getByRole('button', { name: `${press} Spring glaze`, exact: true }).click()
      const question = page.getByRole('dialog').getByRole('button').last()
      if (['Cancel', 'Delete', 'Send Now', 'Send'].includes(press)) await question.click()
    },
    query: STORE,
    ...rest,
  }
}

const prepareCart = () => prepareSending(app.api)
const serveOwnStore = () => {
  app.api.alter(auth.me, ({ user }) => ({ user: { ...user, isDemo: false } }))
  app.api.alter(checkConnection, (answer) => ({ ...answer, store: answer.store && { ...answer.store, isDemo: false } }))
}

const openBell = async (page: Page) => {
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await page.getByRole('button', { name: 'Mark all as read' }).waitFor()
}

const sendFrom = (button: string) => async (page: Page) => {
  await page.getByRole('button', { name: `${button} ${sampleCart.customer_name}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send Now', exact: true }).click()
}

const cases: Record<string, Case> = {
  'a coupon is made by Quick Create': {
    path: '/coupons',
    act: async (page) => {
      await press('Quick Create')(page)
      await press('Create')(page)
    },
    endpoint: coupons.createCoupon,
    body: {
      code: expect.stringMatching(/^CART[A-Z0-9]{6}$/),
      type: 'percentage',
      amount: 10,
      isActive: true,
      minSpend: null,
      maxDiscount: null,
      usageLimit: null,
      startDate: expect.any(String),
      endDate: expect.any(String),
      ...STORE,
    },
  },
  'a coupon is saved': {
    path: '/coupons',
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit TEA15' }).click()
      await page.getByRole('dialog').getByLabel('Usage limit (optional)').fill('90')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    },
    endpoint: coupons.updateCoupon,
    body: { code: 'TEA15', type: 'percentage', amount: 15, minSpend: 25, usageLimit: 90, isActive: true, ...STORE },
  },
  'a coupon is deleted': {
    path: '/coupons',
    act: async (page) => {
      await page.getByRole('button', { name: 'Delete TEA15' }).click()
      await confirm(page, 'Delete TEA15?', 'Delete')
    },
    endpoint: coupons.deleteCoupon,
  },
  'a campaign is played': campaignCase('paused', 'Play', { endpoint: campaigns.playCampaign }),
  'a campaign is paused': campaignCase('scheduled', 'Pause', { endpoint: campaigns.pauseCampaign }),
  'a campaign is sent now': campaignCase('scheduled', 'Send Now', { endpoint: campaigns.sendCampaignNow }),
  'a campaign is cancelled': campaignCase('scheduled', 'Cancel', {
    endpoint: campaigns.saveCampaign,
    body: { status: 'cancelled' },
  }),
  'a campaign is deleted': campaignCase('completed', 'Delete', { endpoint: campaigns.deleteCampaign }),
  'a campaign is sent again': campaignCase('completed', 'Send', {
    endpoint: campaigns.sendToAbandonedCarts,
    body: { campaignId: fixture(campaigns.readCampaign).campaign.id, ...STORE },
  }),
  'an email is sent from a cart': {
    path: '/carts',
    prepare: prepareCart,
    act: sendFrom('Send email to'),
    endpoint: reminders.sendEmail,
    body: { to: sampleCart.customer_email, subject: 'Complete Your Purchase', cart_id: sampleCart.id, storeUrl: URL },
  },
  'an email is scheduled from a cart': {
    path: '/carts',
    prepare: prepareCart,
    act: async (page) => {
      await page.getByRole('button', { name: `More for ${sampleCart.customer_name}` }).click()
      await page.getByRole('menuitem', { name: 'Schedule email' }).click()
      await page.getByLabel('Send in').selectOption('3 days')
      await page.getByRole('dialog').getByRole('button', { name: 'Schedule', exact: true }).click()
    },
    endpoint: reminders.scheduleReminder,
    body: { cartId: sampleCart.id, platform: 'woocommerce', storeUrl: URL, delayHours: 72, reminderType: 'first' },
  },
  'an SMS is sent from a cart': {
    path: '/carts',
    prepare: prepareCart,
    act: sendFrom('Send SMS to'),
    endpoint: reminders.sendSms,
    body: { cartId: sampleCart.id },
  },
  'a WhatsApp message is sent from a cart': {
    path: '/carts',
    prepare: prepareCart,
    act: sendFrom('Send WhatsApp message to'),
    endpoint: reminders.sendWhatsapp,
    body: { cartId: sampleCart.id, storeUrl: URL },
  },
  'the status of an SMS is checked': {
    path: '/carts',
    act: async (page) => {
      await page.getByRole('button', { name: `More for ${sampleCart.customer_name}` }).click()
      await page.getByRole('menuitem', { name: 'Check SMS status' }).click()
    },
    endpoint: reminders.smsStatus,
  },
  'WhatsApp messages are sent to the selected carts': {
    path: '/carts',
    prepare: prepareCart,
    act: async (page) => {
      await page.getByRole('checkbox', { name: `Select the cart of ${sampleCart.customer_name}` }).check()
      await page.getByLabel('Bulk action').selectOption('Send WhatsApp')
      await press('Apply')(page)
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Send to 1 cart/ })
        .click()
    },
    endpoint: reminders.sendWhatsappBulk,
    body: { cartIds: [sampleCart.id], storeUrl: URL },
  },
  'the figures are exported': {
    path: '/analytics',
    act: press(/^Export/),
    endpoint: analytics.prepareAnalyticsExport,
    query: { ...STORE, range: '30d' },
  },
  'the bell is opened': {
    path: '/settings',
    act: press(/^Notifications/),
    endpoint: notifications.listNotifications,
    query: { ...STORE, page: '1', limit: '10', skipTestNotification: expect.any(String) },
  },
  'the new carts of the bell are asked for': {
    path: '/settings',
    act: async (page) => {
      await openBell(page)
      await page.getByText('New Carts', { exact: true }).click()
    },
    endpoint: notifications.listNewCartNotifications,
  },
  'a notification is read in the bell': {
    path: '/settings',
    prepare: () =>
      app.api.answer(notifications.readNotification, {
        notification: fixture(notifications.listNotifications).notifications[1]!,
      }),
    act: async (page) => {
      await openBell(page)
      await page.getByRole('dialog').getByText('Cart abandoned').first().click()
    },
    endpoint: notifications.markNotificationsRead,
    body: { notificationIds: [expect.any(String)] },
  },
  'all of the bell are read': {
    path: '/settings',
    act: async (page) => {
      await openBell(page)
      await press('Mark all as read')(page)
    },
    endpoint: notifications.markNotificationsRead,
  },
  'a quick message is sent to all': {
    path: '/campaigns',
    prepare: prepareCart,
    act: async (page) => {
      await press('Send to All')(page)
      const form = page.getByRole('dialog', { name: 'Send to All Abandoned Carts' })
      await expect.poll(() => form.getByLabel('Subject').inputValue()).not.toBe('')
      await form.getByRole('button', { name: 'Send to All', exact: true }).click()
      await page
        .getByRole('dialog', { name: /^Send to 1 person/ })
        .getByRole('button', { name: /^Send to/ })
        .click()
    },
    endpoint: campaigns.sendToAbandonedCarts,
    body: { ...STORE, subject: expect.any(String), htmlContent: expect.any(String), filters: {} },
  },
  'the store is disconnected': {
    path: '/settings',
    prepare: serveOwnStore,
    act: async (page) => {
      await press('Disconnect Store')(page)
      await confirm(page, 'Disconnect Store', 'Disconnect Store')
    },
    endpoint: disconnectStore,
  },
  'a store is connected': {
    path: '/store-setup?another=1',
    prepare: serveOwnStore,
    act: async (page) => {
      await page.getByLabel('Store URL').fill('https://two.example')
      await page.getByLabel('Consumer key').fill('ck_1')
      await page.getByLabel('Consumer secret').fill('cs_1')
      await press('Connect Store')(page)
    },
    endpoint: connectStore,
    query: {},
    body: { platform: 'woocommerce', store_url: 'https://two.example', consumer_key: 'ck_1', consumer_secret: 'cs_1' },
  },
  'VAPID keys are made': {
    path: '/push-notifications?tab=developer',
    prepare: () => app.api.alter(push.readPushSetup, (setup) => ({ ...setup, keys: null })),
    act: press('Generate VAPID keys and widget code'),
    endpoint: push.generateVapidKeys,
    query: PLATFORM,
    body: { storeUrl: URL, platform: 'woocommerce' },
  },
  'push settings are saved': {
    path: '/push-notifications',
    act: press('Save settings'),
    endpoint: push.savePushSettings,
    query: PLATFORM,
    body: { storeUrl: URL, settings: { frequency: 'immediate', maxNotifications: 3 } },
  },
  'a test notification is sent': {
    path: '/push-notifications',
    act: press('Send test notification'),
    endpoint: push.sendStoreNotification,
    query: PLATFORM,
    body: {
      storeUrl: URL,
      title: expect.any(String),
      body: expect.any(String),
      cartUrl: expect.any(String),
      icon: expect.any(String),
    },
  },
  'somebody signs in': {
    path: '/login',
    as: 'visitor',
    act: async (page) => {
      await page.getByLabel('Email').fill('ada@owners.example')
      await page.getByLabel('Password', { exact: true }).fill('four pots')
      await page.getByLabel('Password', { exact: true }).press('Enter')
    },
    endpoint: auth.login,
    query: {},
    body: { email: 'ada@owners.example', password: 'four pots' },
  },
  'somebody signs up': {
    path: '/register',
    as: 'visitor',
    act: async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('Ada')
      await page.getByLabel('Email').fill('ada@owners.example')
      await page.getByLabel('Password', { exact: true }).fill('four pots on Kiln Road')
      await page.getByLabel('Repeat password').fill('four pots on Kiln Road')
      await page.getByLabel('Repeat password').press('Enter')
    },
    endpoint: auth.register,
    query: {},
    body: { name: 'Ada', email: 'ada@owners.example', password: 'four pots on Kiln Road' },
  },
  'a password is reset': {
    path: '/reset-password?token=t1',
    as: 'visitor',
    act: async (page) => {
      const fields = page.locator('input[type=password]')
      await fields.nth(0).fill('four pots on Kiln Road')
      await fields.nth(1).fill('four pots on Kiln Road')
      await fields.nth(1).press('Enter')
    },
    endpoint: auth.resetPassword,
    query: {},
    body: { token: 't1', password: 'four pots on Kiln Road' },
  },
  'the return from checkout is checked': {
    path: '/billing?session_id=cs_1',
    act: async () => undefined,
    endpoint: checkSession,
    query: { session_id: 'cs_1' },
  },
  'the people of a campaign are chosen': {
    path: '/campaigns',
    prepare: () => serveRecipients(app.api),
    act: async (page) => {
      await press('New Campaign')(page)
      await page.getByLabel('Campaign name').fill('Autumn')
      await press('Next')(page)
    },
    endpoint: customers.abandonedCustomers,
  },
  'a plan is chosen': {
    path: '/test-subscription',
    prepare: serveOwnStore,
    act: async (page) => {
      await page.getByLabel('Plan').selectOption('starter')
      await press('Set this plan')(page)
    },
    endpoint: billing.manualUpdate,
    query: {},
    body: { planKey: 'starter' },
  },
}

test.each(Object.entries(cases))(
  'when %s, the call has the fields of the specification',
  { tags: ['A7', 'B7'] },
  async (_name, { path, as, prepare, act, endpoint, query = STORE, body }) => {
    app.api.fail(endpoint, 422)
    prepare?.()
    await act(await app.open(path, as && { as }))
    await expectSent([[endpoint, query, body] as ExpectedCall])
  },
)

test('a tab keeps naming its own store when another tab switches stores', {
  tags: ['A7', 'B7'],
}, async () => {
  const page = await app.open('/coupons')
  const other = { platform: 'shopify' as const, store_url: 'https://fern.example' }
  // The other tab writes the shared storage, and the session now uses the other store.
  await page.evaluate(({ platform, store_url }) => {
    localStorage.setItem('platform', platform)
    localStorage.setItem('storeUrl', store_url)
    localStorage.setItem('store_connection', JSON.stringify({ platform, store_url }))
  }, other)
  app.api.answer(checkConnection, ({ query }) =>
    query.storeId === URL ? fixture(checkConnection) : { hasConnection: true, ...other, store: null },
  )
  await page.getByRole('link', { name: 'Analytics', exact: true }).click()
  await expectSent([[analytics.readAnalytics, STORE]])
  await page.getByRole('link', { name: 'Coupons', exact: true }).click()
  app.api.fail(coupons.createCoupon, 422)
  await cases['a coupon is made by Quick Create']!.act(page)
  await expectSent([[coupons.createCoupon, STORE, STORE]])
  await expect.poll(() => app.api.calls(checkConnection).at(-1)!.sent.query).toEqual(STORE)
})
