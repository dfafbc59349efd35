import { me } from '../../shared/access/auth.ts'
import { billingTexts } from '../../shared/billing/billing-texts.ts'
import { getCart, listAbandonedCarts } from '../../shared/carts/carts.ts'
import { type Coupon, listCoupons } from '../../shared/carts/coupons.ts'
import {
  readAnalytics,
  readAnalyticsDetails,
  readRecoveryRateTrend,
  readRevenueTrend,
  readRoi,
} from '../../shared/insights/analytics.ts'
import { readDashboardChart, readDashboardStats } from '../../shared/insights/dashboard.ts'
import { listAudiences } from '../../shared/marketing/audience.ts'
import {
  type AbandonedCustomer,
  abandonedCustomers,
  listCustomers,
  readCustomer,
} from '../../shared/marketing/customers.ts'
import { readDemoPast } from '../../shared/workspace/instance.ts'
import { listNotifications, readNotification } from '../../shared/workspace/notification-calls.ts'
import { type Api, fixture } from '../api.ts'
import {
  buildPagination,
  clearCarts,
  clearFigures,
  navigateTo,
  pressRole,
  removePlan,
  runAction,
  SOME_ID,
  type State,
  signInAsViewer,
  UNKNOWN_ID,
  waitForButton,
  waitForDialog,
  waitForHeading,
  waitForLoading,
  waitForSelector,
  waitForText,
} from './state.ts'

// Dashboard, carts, customers, notifications, coupons with the discount mail, and analytics.

let userArrives = () => {}

const dashboard: State[] = [
  {
    // First the ended subscription, then the user with the plan they had.
    name: 'dashboard without a plan',
    path: '/pricing',
    given(api) {
      removePlan(api)
      userArrives = api.hold(me).release
    },
    steps: [
      waitForButton('Choose'),
      async () => userArrives(),
      waitForText(billingTexts.demo),
      navigateTo('/dashboard'),
      waitForText('Subscription Required'),
    ],
  },
  {
    name: 'dashboard while loading',
    path: '/dashboard',
    isLoading: true,
    given(api) {
      for (const call of [readDashboardStats, readDashboardChart, listAbandonedCarts]) api.hold(call)
    },
    steps: [waitForLoading],
  },
  {
    name: 'dashboard of a store that is not reached',
    path: '/dashboard',
    given: (api) => api.fail(readDashboardStats, 503, { error: '', code: 'store_unreachable' }),
    steps: [waitForText('Store connection failed.')],
  },
  {
    name: 'dashboard after a failed load',
    path: '/dashboard',
    given(api) {
      for (const call of [readDashboardStats, readDashboardChart, listAbandonedCarts]) api.fail(call, 400)
    },
    steps: [waitForText('Dashboard Warning')],
  },
  {
    name: 'dashboard of a new account',
    path: '/dashboard',
    given(api) {
      clearFigures(api)
      clearCarts(api)
    },
    steps: [waitForText('Get ready to win carts back')],
  },
]

const carts: State[] = [
  ...['/dashboard', '/carts'].map(
    (path): State => ({
      name: `${path} while the demo is being written`,
      path,
      given(api) {
        clearFigures(api)
        clearCarts(api)
        api.answer(readDemoPast, { isBeingWritten: true, percent: 42 })
      },
      steps: [waitForText('42%')],
    }),
  ),
  {
    name: 'carts while loading',
    path: '/carts',
    isLoading: true,
    given: (api) => api.hold(listAbandonedCarts),
    steps: [waitForLoading],
  },
  {
    name: 'carts after a failed load',
    path: '/carts',
    given: (api) => api.fail(listAbandonedCarts, 400),
    steps: [waitForButton('Retry')],
  },
  { name: 'carts of a store without any', path: '/carts', given: clearCarts, steps: [waitForSelector('.empty-sign')] },
  {
    name: 'cart while loading',
    path: '/carts/:cartId',
    isLoading: true,
    given: (api) => api.hold(getCart),
    steps: [waitForLoading],
  },
  {
    name: 'cart that does not exist',
    path: `/carts/${UNKNOWN_ID}`,
    given: (api) => api.fail(getCart, 404),
    steps: [waitForText('Cart not found')],
  },
  { name: 'cart as a viewer', path: '/carts/:cartId', given: signInAsViewer, steps: [waitForHeading] },
]

const serveNoNotifications = (api: Api) =>
  api.answer(listNotifications, { notifications: [], pagination: buildPagination(0, 10) })
const openBell = pressRole(/^Notifications/)

const notifications: State[] = [
  {
    name: 'notifications while loading',
    path: '/notifications',
    isLoading: true,
    given: (api) => api.hold(listNotifications),
    steps: [waitForText('Loading notifications...')],
  },
  {
    name: 'notifications after a failed load',
    path: '/notifications',
    given: (api) => api.fail(listNotifications, 400),
    steps: [waitForButton('Retry')],
  },
  {
    name: 'notifications without any',
    path: '/notifications',
    given: serveNoNotifications,
    steps: [waitForText('No notifications')],
  },
  {
    name: 'notification that does not exist',
    path: `/notifications?notificationId=${UNKNOWN_ID}`,
    given: (api) => api.fail(readNotification, 404),
    steps: [waitForText('This notification is no longer there')],
  },
  { name: 'bell', path: '/flows', steps: [openBell, waitForSelector('.bell-item')] },
  {
    name: 'bell without notifications',
    path: '/flows',
    given: serveNoNotifications,
    steps: [openBell, waitForText('No notifications')],
  },
  {
    name: 'bell while loading',
    path: '/flows',
    isLoading: true,
    given: (api) => api.hold(listNotifications),
    steps: [openBell, waitForSelector('.bell-panel [role=status][aria-label=Loading]')],
  },
  {
    name: 'bell after a failed load',
    path: '/flows',
    given: (api) => api.fail(listNotifications, 400),
    steps: [openBell, waitForButton('Retry')],
  },
]

const [coupon] = fixture(listCoupons).coupons as [Coupon]
/** One of each kind that looks different. */
const coupons: Coupon[] = [
  {
    ...coupon,
    code: 'SUMMER10',
    usageLimit: 100,
    usageCount: 12,
    minSpend: 50,
    steps: [{ flowId: UNKNOWN_ID, flowName: 'Abandoned cart reminders', step: 2 }],
    figures: { issued: null, sent: 214, used: 12, orders: 12, netRevenue: 1_840.5, discountGiven: 204.5 },
  },
  {
    ...coupon,
    _id: SOME_ID,
    code: 'CART',
    kind: 'personal',
    maxDiscount: 20,
    isActive: false,
    figures: { issued: 40, sent: 38, used: 5, orders: 5, netRevenue: 400, discountGiven: 51.25 },
  },
  ...fixture(listCoupons).coupons.slice(1),
]
export const serveCouponList = (api: Api, coupons: Coupon[], more: object = {}) =>
  api.answer(listCoupons, ({ query }) => {
    const usable =
      query.usable === 'yes' ? coupons.filter(({ endDate }) => endDate === null || endDate > '2026-11-29') : coupons
    return {
      coupons: usable,
      pagination: { ...buildPagination(usable.length), limit: query.limit },
      readAt: null,
      problem: null,
      currency: 'USD',
      timeZone: 'Europe/Berlin',
      canWrite: true,
      ...more,
    }
  })

const ofCoupons: State[] = [
  {
    name: 'coupons of every kind',
    path: '/coupons',
    given: (api) => serveCouponList(api, coupons),
    steps: [waitForText('SUMMER10')],
  },
  {
    name: 'coupons while loading',
    path: '/coupons',
    isLoading: true,
    given: (api) => api.hold(listCoupons),
    steps: [waitForLoading],
  },
  {
    name: 'coupons after a failed load',
    path: '/coupons',
    given: (api) => api.fail(listCoupons, 400),
    steps: [waitForButton('Retry')],
  },
  {
    name: 'coupons of a store without any',
    path: '/coupons',
    given: (api) => serveCouponList(api, []),
    steps: [waitForText('No coupons yet')],
  },
  { name: 'coupons as a viewer', path: '/coupons', given: signInAsViewer, steps: [waitForText('GIFT10')] },
  {
    name: 'coupons with a read-only key',
    path: '/coupons',
    given: (api) => serveCouponList(api, coupons, { canWrite: false }),
    steps: [waitForText('The key of this store is read-only.')],
  },
  {
    name: 'coupon form',
    path: '/coupons',
    given: (api) => serveCouponList(api, []),
    steps: [pressRole('Create coupon'), waitForDialog],
  },
]

const shopper: AbandonedCustomer = {
  _id: SOME_ID,
  first_name: 'Ada',
  last_name: 'Lovelace',
  phone: null,
  company: null,
  is_registered: false,
  customer_email: 'ada@shoppers.example',
  last_login: null,
  cart_id: UNKNOWN_ID,
  cart_value: 42,
  currency: 'USD',
}
const buildDiscountMail = (name: string, steps: State['steps'], given: (api: Api) => void): State => ({
  name: `discount mail ${name}`,
  path: '/coupons',
  given(api) {
    api.answer(listAudiences, { audiences: [] })
    given(api)
  },
  steps: [pressRole('Send Discount Mail'), ...steps!],
})
const serveNoShoppers = (api: Api) => api.answer(abandonedCustomers, { customers: [], next: null, total: 0 })

const ofDiscountMail: State[] = [
  buildDiscountMail(
    'to more than it may go to',
    [pressRole('Select all 12,000'), waitForText('At most 10,000 customers can get one discount mail.')],
    (api) => api.answer(abandonedCustomers, { customers: [shopper], next: null, total: 12_000 }),
  ),
  buildDiscountMail(
    'with customers found among the newest',
    [waitForText('among the newest 10,000 customers.')],
    (api) => api.answer(abandonedCustomers, { customers: [shopper], next: null, total: 1, lookedThrough: 10_000 }),
  ),
  {
    ...buildDiscountMail('while loading', [waitForSelector('[role=dialog] [role=status][aria-label=Loading]')], (api) =>
      api.hold(abandonedCustomers),
    ),
    isLoading: true,
  },
  buildDiscountMail('after a failed load', [waitForButton('Retry')], (api) => api.fail(abandonedCustomers, 400)),
  buildDiscountMail('of a store without abandoned carts', [waitForText('No abandoned carts found.')], serveNoShoppers),
  buildDiscountMail(
    'of a store without customers',
    [
      runAction((page) => page.getByText('All customers')),
      waitForText('No customers found. Please check your store connection.'),
    ],
    (api) => {
      serveNoShoppers(api)
      api.answer(listCustomers, { customers: [], pagination: buildPagination(0, 100) })
    },
  ),
]

const customers: State[] = [
  {
    name: 'customers while loading',
    path: '/customers',
    isLoading: true,
    given: (api) => api.hold(listCustomers),
    steps: [waitForText('Loading customers...')],
  },
  {
    name: 'customers after a failed load',
    path: '/customers',
    given: (api) => api.fail(listCustomers, 400),
    steps: [waitForButton('Retry')],
  },
  {
    name: 'customers without a match',
    path: '/customers?search=nobody-at-all',
    given: (api) => api.answer(listCustomers, { customers: [], pagination: buildPagination(0) }),
    steps: [waitForSelector('.empty-sign')],
  },
  {
    name: 'customer while loading',
    path: '/customers/:customerId',
    isLoading: true,
    given: (api) => api.hold(readCustomer),
    steps: [waitForLoading],
  },
  {
    name: 'customer that does not exist',
    path: `/customers/${UNKNOWN_ID}`,
    given: (api) => api.fail(readCustomer, 404),
    steps: [waitForText('Customer not found')],
  },
  { name: 'customer as a viewer', path: '/customers/:customerId', given: signInAsViewer, steps: [waitForHeading] },
]

const analytics: State[] = [
  {
    name: 'analytics while loading',
    path: '/analytics',
    isLoading: true,
    given(api) {
      for (const call of [readAnalytics, readAnalyticsDetails, readRecoveryRateTrend, readRevenueTrend, readRoi])
        api.hold(call)
    },
    steps: [waitForLoading],
  },
  {
    name: 'analytics after a failed load',
    path: '/analytics',
    given: (api) => api.fail(readAnalytics, 400, { error: 'Failed to fetch analytics data' }),
    steps: [waitForText('Failed to fetch analytics data')],
  },
]

export const storeStates: State[] = [
  ...dashboard,
  ...carts,
  ...customers,
  ...notifications,
  ...ofCoupons,
  ...ofDiscountMail,
  ...analytics,
]
