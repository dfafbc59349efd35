import { aCoupon, someCoupons } from '../coupons/api.ts'
import { ofAnalytics } from './analytics.ts'
import { ofFlows } from './flows.ts'
import {
  answers,
  asks,
  couponsAre,
  goes,
  hangs,
  isTitled,
  isViewer,
  late,
  NO_CARTS,
  NO_FIGURES,
  NO_PLAN,
  NOT_HERE,
  offers,
  presses,
  refuses,
  type State,
  says,
  shows,
  waits,
} from './steps.ts'

// The screens one works on.

const me = late('auth/me')

const ofTheDashboard: State[] = [
  {
    name: 'dashboard without a plan',
    of: 'owner',
    path: '/pricing',
    // Who one is comes last, and still speaks of the plan.
    given: [NO_PLAN, me.given],
    steps: [offers('Choose'), me.comes, goes('/dashboard'), says('Subscription Required')],
  },
  {
    name: 'dashboard on its way',
    of: 'owner',
    path: '/dashboard',
    isLoading: true,
    given: [hangs('dashboard/'), hangs('carts/abandoned')],
    steps: [waits],
  },
  {
    name: 'dashboard not to be had',
    of: 'owner',
    path: '/dashboard',
    given: [answers('dashboard/stats', { error: '', code: 'store_unreachable' }, 503)],
    steps: [says('Store connection failed.')],
  },
  {
    name: 'dashboard with a warning',
    of: 'owner',
    path: '/dashboard',
    given: [refuses('dashboard/stats'), refuses('dashboard/chart'), refuses('carts/abandoned')],
    steps: [says('Dashboard Warning')],
  },
  {
    name: 'dashboard of a new account',
    of: 'owner',
    path: '/dashboard',
    given: [NO_FIGURES, NO_CARTS],
    steps: [says('Get ready to win carts back')],
  },
]

const PAST_ON_ITS_WAY = answers('demo/past', { isBeingWritten: true, percent: 42 })

const ofCarts: State[] = [
  ...['/dashboard', '/carts'].map((path): State => {
    const given = [NO_FIGURES, NO_CARTS, PAST_ON_ITS_WAY]
    return { name: `${path} while the demo is being written`, of: 'owner', path, given, steps: [says('42%')] }
  }),
  {
    name: 'carts on their way',
    of: 'owner',
    path: '/carts',
    isLoading: true,
    given: [hangs('carts/abandoned')],
    steps: [waits],
  },
  {
    name: 'carts not to be had',
    of: 'owner',
    path: '/carts',
    given: [refuses('carts/abandoned')],
    steps: [offers('Retry')],
  },
  { name: 'no carts', of: 'owner', path: '/carts', given: [NO_CARTS], steps: [shows('.empty-sign')] },
  {
    name: 'cart on its way',
    of: 'owner',
    path: '/carts/:cartId',
    isLoading: true,
    given: [hangs('carts/')],
    steps: [waits],
  },
  { name: 'cart that is not there', of: 'owner', path: `/carts/${NOT_HERE}`, steps: [says('Cart not found')] },
  { name: 'cart to a viewer', of: 'owner', path: '/carts/:cartId', given: [isViewer], steps: [isTitled] },
]

const NO_NOTIFICATIONS = answers('notifications?', {
  notifications: [],
  pagination: { page: 1, limit: 10, total: 0, pages: 0 },
})
const opensTheBell = presses(/^Notifications/)

const ofNotifications: State[] = [
  {
    name: 'notifications on their way',
    of: 'owner',
    path: '/notifications',
    isLoading: true,
    given: [hangs('notifications?')],
    steps: [says('Loading notifications...')],
  },
  {
    name: 'notifications not to be had',
    of: 'owner',
    path: '/notifications',
    given: [refuses('notifications?')],
    steps: [offers('Retry')],
  },
  {
    name: 'no notifications',
    of: 'owner',
    path: '/notifications',
    given: [NO_NOTIFICATIONS],
    steps: [says('No notifications')],
  },
  {
    name: 'notification that is not there',
    of: 'owner',
    path: `/notifications?notificationId=${NOT_HERE}`,
    steps: [says('This notification is no longer there')],
  },
  {
    name: 'the bell',
    of: 'owner',
    path: '/flows',
    steps: [opensTheBell, shows('.bell-item, .bell-panel .empty-sign')],
  },
  {
    name: 'the bell, empty',
    of: 'owner',
    path: '/flows',
    given: [NO_NOTIFICATIONS],
    steps: [opensTheBell, says('No notifications')],
  },
  {
    name: 'the bell, waiting',
    of: 'owner',
    path: '/flows',
    isLoading: true,
    given: [hangs('notifications?')],
    steps: [opensTheBell, shows('.bell-panel [role=status][aria-label=Loading]')],
  },
  {
    name: 'the bell, failed',
    of: 'owner',
    path: '/flows',
    given: [refuses('notifications?')],
    steps: [opensTheBell, offers('Retry')],
  },
]

const createsOne = presses('Create coupon')

const ofCoupons: State[] = [
  { name: 'coupons', of: 'owner', path: '/coupons', given: [couponsAre(someCoupons())], steps: [says('SUMMER10')] },
  {
    name: 'coupons on their way',
    of: 'owner',
    path: '/coupons',
    isLoading: true,
    given: [hangs('coupons?')],
    steps: [waits],
  },
  {
    name: 'coupons not to be had',
    of: 'owner',
    path: '/coupons',
    given: [refuses('coupons?')],
    steps: [offers('Retry')],
  },
  { name: 'no coupons', of: 'owner', path: '/coupons', given: [couponsAre([])], steps: [says('No coupons yet')] },
  {
    name: 'coupons to a viewer',
    of: 'owner',
    path: '/coupons',
    given: [couponsAre([aCoupon()]), isViewer],
    steps: [says('SUMMER10')],
  },
  {
    name: 'coupons of a read-only key',
    of: 'owner',
    path: '/coupons',
    given: [couponsAre([aCoupon()], { canWrite: false })],
    steps: [says('The key of this store is read-only.')],
  },
  { name: 'coupon form', of: 'owner', path: '/coupons', given: [couponsAre([])], steps: [createsOne, asks] },
]

const opensDiscountMail = presses('Send Discount Mail')
const NOBODY_LEFT_A_CART = answers('customers/abandoned', { customers: [], next: null, total: 0 })
const NO_CUSTOMERS = answers('stores/customers/recent', {
  customers: [],
  pagination: { page: 1, limit: 100, total: 0, pages: 1 },
})

const somebody = (more: object) => ({
  ...{ _id: '00000000-0000-4000-8000-000000000001', first_name: 'Ada', last_name: 'Lovelace', phone: null },
  ...{ customer_email: 'ada@shoppers.example', company: null, is_registered: false, last_login: null, ...more },
})
const ONE_OF_MANY = answers('customers/abandoned', {
  customers: [somebody({ cart_id: NOT_HERE, cart_value: 42, currency: 'USD' })],
  ...{ next: null, total: 12_000 },
})
const FOUND_ANYWHERE = answers('customers/abandoned', {
  customers: [somebody({ cart_id: NOT_HERE, cart_value: 42, currency: 'USD' })],
  ...{ next: null, total: 1, lookedThrough: 10_000 },
})

const ofDiscountMail: State[] = [
  {
    name: 'discount mail to more than one may go to',
    of: 'owner',
    path: '/coupons',
    given: [couponsAre(someCoupons()), ONE_OF_MANY],
    steps: [
      opensDiscountMail,
      presses('Select all 12,000'),
      says('At most 10,000 customers can get one discount mail.'),
    ],
  },
  {
    name: 'discount mail to those a search found among the newest',
    of: 'owner',
    path: '/coupons',
    given: [couponsAre(someCoupons()), FOUND_ANYWHERE],
    steps: [opensDiscountMail, says('among the newest 10,000 customers; whoever came before them is not found.')],
  },
  {
    name: 'discount mail, its customers on their way',
    of: 'owner',
    path: '/coupons',
    isLoading: true,
    given: [couponsAre(someCoupons()), hangs('customers/abandoned')],
    steps: [opensDiscountMail, shows('[role=dialog] [role=status][aria-label=Loading]')],
  },
  {
    name: 'discount mail, its customers not to be had',
    of: 'owner',
    path: '/coupons',
    given: [couponsAre(someCoupons()), refuses('customers/abandoned')],
    steps: [opensDiscountMail, offers('Retry')],
  },
  {
    name: 'discount mail of a store without abandoned carts',
    of: 'owner',
    path: '/coupons',
    given: [couponsAre(someCoupons()), NOBODY_LEFT_A_CART],
    steps: [opensDiscountMail, says('No abandoned carts found.')],
  },
  {
    name: 'discount mail of a store without customers',
    of: 'owner',
    path: '/coupons',
    given: [couponsAre(someCoupons()), NOBODY_LEFT_A_CART, NO_CUSTOMERS],
    steps: [
      opensDiscountMail,
      (page) => page.getByText('All customers').click(),
      says('No customers found. Please check your store connection.'),
    ],
  },
]

const ofCustomers: State[] = [
  {
    name: 'customers on their way',
    of: 'owner',
    path: '/customers',
    isLoading: true,
    given: [hangs('stores/customers/recent')],
    steps: [says('Loading customers...')],
  },
  {
    name: 'customers not to be had',
    of: 'owner',
    path: '/customers',
    given: [refuses('stores/customers/recent')],
    steps: [offers('Retry')],
  },
  {
    name: 'no customers',
    of: 'owner',
    path: '/customers?search=nobody-at-all',
    steps: [shows('.empty-sign')],
  },
  {
    name: 'customer on their way',
    of: 'owner',
    path: '/customers/:customerId',
    isLoading: true,
    given: [hangs('customers/')],
    steps: [waits],
  },
  {
    name: 'customer that is not there',
    of: 'owner',
    path: `/customers/${NOT_HERE}`,
    steps: [says('Customer not found')],
  },
  { name: 'customer to a viewer', of: 'owner', path: '/customers/:customerId', given: [isViewer], steps: [isTitled] },
]

export const ofTheSections: State[] = [
  ...ofTheDashboard,
  ...ofCarts,
  ...ofFlows,
  ...ofCustomers,
  ...ofNotifications,
  ...ofCoupons,
  ...ofDiscountMail,
  ...ofAnalytics,
]
