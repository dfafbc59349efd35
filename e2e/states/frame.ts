import {
  alters,
  asks,
  fills,
  isOwnAccount,
  isUser,
  isViewer,
  NO_PLAN,
  NO_STORE,
  NOT_HERE,
  offers,
  presses,
  refuses,
  type State,
  says,
} from './steps.ts'

// What stands around the sections: the way in by plan and store, and the frame itself.

const SECOND_STORE = {
  id: NOT_HERE,
  name: 'Pots & Plates',
  storeUrl: 'https://pots-and-plates.example',
  platform: 'woocommerce',
  isActive: true,
  currency: 'USD',
}

export const onTheWayIn: State[] = [
  {
    name: 'connecting a store',
    of: 'owner',
    path: '/store-setup',
    given: [NO_STORE],
    steps: [offers('Connect Store')],
  },
  {
    name: 'connecting failed',
    of: 'owner',
    path: '/store-setup',
    given: [
      NO_STORE,
      isOwnAccount,
      refuses('stores/connect-store', 'The store answers, but refuses these keys. Make a new pair and try again.'),
    ],
    steps: [
      fills('Store URL', 'https://pots-and-plates.example'),
      fills('Consumer key', `ck_${'a'.repeat(40)}`),
      fills('Consumer secret', `cs_${'b'.repeat(40)}`),
      presses('Connect Store'),
      says('Connection failed'),
    ],
  },
  {
    name: 'connecting a store without a plan',
    of: 'owner',
    path: '/store-setup',
    given: [NO_PLAN],
    steps: [says('Subscription Required')],
  },
  {
    name: 'prices for somebody who cannot choose',
    of: 'owner',
    path: '/pricing',
    given: [NO_PLAN, isViewer],
    steps: [says('only an owner or admin of it can choose one')],
  },
]

export const ofTheFrame: State[] = [
  {
    name: 'server not to be reached',
    of: 'owner',
    path: '/flows',
    isLoading: true,
    steps: [
      (page) => page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor(),
      (page) => page.route('**/api/**', (route) => route.abort()),
      presses('Abandoned Carts', 'link'),
      says('The Recoup server is not responding.'),
      offers('Retry'),
    ],
  },
  {
    name: 'sending paused',
    of: 'owner',
    path: '/flows',
    given: [alters('instance', (said) => ({ ...said, isPaused: true }))],
    steps: [says('Sending is paused.')],
  },
  {
    name: 'an account with two stores',
    of: 'owner',
    path: '/flows',
    widths: [1280],
    given: [isUser(({ stores }) => ({ stores: [...(stores as object[]), SECOND_STORE] }))],
    steps: [presses('Switch store'), says('Pots & Plates'), says('WooCommerce, pots-and-plates.example')],
  },
  {
    name: 'an account with two stores on a phone',
    of: 'owner',
    path: '/flows',
    widths: [360],
    given: [isUser(({ stores }) => ({ stores: [...(stores as object[]), SECOND_STORE] }))],
    steps: [presses('Open menu'), asks, presses('Switch store'), says('Pots & Plates')],
  },
  {
    name: 'the menu of a phone',
    of: 'owner',
    path: '/carts',
    widths: [360],
    steps: [presses('Open menu'), asks],
  },
]
