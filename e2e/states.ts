import type { Page } from 'playwright-core'

// What screens look like when something is missing, on its way, refused or open: for `screens.test.ts`.

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

const answers =
  (path: string, json: object, status = 200): Step =>
  (page) =>
    page.route(`**/api/${path}*`, (route) => route.fulfill({ status, json }))
const refuses = (path: string, error = 'Please try again.') => answers(path, { error, code: 'invalid' }, 400)
const hangs =
  (path: string): Step =>
  (page) =>
    page.route(`**/api/${path}*`, () => {})

/** What the server really says, with some of it changed. */
const alters =
  (path: string, change: (said: Record<string, unknown>) => object): Step =>
  (page) =>
    page.route(`**/api/${path}*`, async (route) => {
      const reply = await route.fetch()
      await route.fulfill({ response: reply, json: change(await reply.json()) })
    })
const isUser = (change: (user: Record<string, unknown>) => object) =>
  alters('auth/me', ({ user, ...rest }) => {
    const real = user as Record<string, unknown>
    return { ...rest, user: { ...real, ...change(real) } }
  })
const isOwnAccount = isUser(() => ({ isDemo: false }))
const isViewer = isUser(() => ({ role: 'viewer', isDemo: false }))

const shows =
  (selector: string): Step =>
  (page) =>
    page.locator(selector).first().waitFor()
const says =
  (words: string): Step =>
  (page) =>
    page.getByText(words).first().waitFor()
const offers =
  (name: string): Step =>
  (page) =>
    page.getByRole('button', { name }).first().waitFor()
const presses =
  (name: string | RegExp, role: 'button' | 'link' = 'button'): Step =>
  (page) =>
    page.getByRole(role, { name }).first().click()
const fills =
  (label: string, text: string): Step =>
  (page) =>
    page.getByLabel(label, { exact: true }).first().fill(text)
const asks: Step = (page) => page.getByRole('dialog').waitFor()
const waits = shows('.shell[data-complete=true] [role=status][aria-label=Loading]')
const isTitled = shows('h1')

const NO_STORE = answers('stores/check-connection', {
  hasConnection: false,
  platform: null,
  store_url: null,
  store: null,
})
const NO_PLAN = answers('subscribe/status', { plan: null, status: null, nextBillingDate: null, isTestMode: true })
const NO_FIGURES = answers('dashboard/stats', {
  ...{ abandonedCarts: 0, recoveredCarts: 0, recoveryRate: null, totalRevenue: 0, monthlyRevenue: 0 },
  ...{ activeCustomers: 0, trends: {}, currency: 'USD', otherCurrencies: [], syncAgeSeconds: null },
})
const NO_CARTS = answers('carts/abandoned', { carts: [], pagination: { total: 0, page: 1, pages: 0, limit: 20 } })
const ANN = {
  ...{ address: 'ann@shoppers.example', addresses: ['ann@shoppers.example', '+12125550123'], names: ['Ann Archer'] },
  ...{ stores: [{ id: 'x', name: 'Maple & Clay' }], firstSeenAt: '2026-01-05T10:00:00Z' },
  counts: { carts: 2, orders: 1, messages: 4, facts: 6 },
  suppressed: [{ channel: 'sms', reason: 'unsubscribed', since: '2026-01-06T10:00:00Z' }],
  erasures: [],
}
const NOT_HERE = '00000000-0000-4000-8000-000000000000'
const SECOND_STORE = {
  id: NOT_HERE,
  storeUrl: 'https://pots-and-plates.example',
  platform: 'woocommerce',
  isActive: true,
}

const atTheDoor: State[] = [
  {
    name: 'nothing known yet',
    of: 'owner',
    path: '/dashboard',
    isLoading: true,
    given: [
      (page) =>
        page.evaluate(() => {
          for (const key of ['user', 'isConnected', 'store_connection']) localStorage.removeItem(key)
        }),
      hangs('subscribe/status'),
    ],
    steps: [says('Loading...')],
  },
  {
    name: 'sign-in refused',
    of: 'visitor',
    path: '/login',
    given: [answers('auth/login', { error: 'Login failed. Please check your credentials.', code: 'invalid' }, 401)],
    steps: [
      fills('Email', 'ada@owners.example'),
      fills('Password', 'secret'),
      presses(/^Sign in$/),
      says('Login failed.'),
    ],
  },
  {
    name: 'sign-up with everything missing',
    of: 'visitor',
    path: '/register',
    steps: [presses('Create account'), shows('[aria-invalid=true]')],
  },
  {
    name: 'password forgotten',
    of: 'visitor',
    path: '/login',
    steps: [presses('Forgot password?'), offers('Send reset link')],
  },
  {
    name: 'session expired',
    of: 'visitor',
    path: '/carts',
    given: [(page) => page.evaluate(() => localStorage.setItem('token', 'of-yesterday'))],
    steps: [says('Your session has expired. Please sign in again.')],
  },
  {
    name: 'reset link without token',
    of: 'visitor',
    path: '/reset-password',
    steps: [says('Invalid reset link.')],
  },
  { name: 'invitation not valid', of: 'visitor', path: '/invite?token=x', steps: [says('no longer valid')] },
  { name: 'restore link not valid', of: 'visitor', path: '/cart/recover?cart_id=rt_x', steps: [isTitled] },
  { name: 'preferences link not valid', of: 'visitor', path: '/preferences?token=x', steps: [says('not complete')] },
  { name: 'unsubscribe link not valid', of: 'visitor', path: '/unsubscribe?token=x', steps: [isTitled] },
]

const ofTheDashboard: State[] = [
  {
    name: 'dashboard without a plan',
    of: 'owner',
    path: '/dashboard',
    given: [NO_PLAN],
    steps: [says('Subscription Required')],
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

const ofTheSections: State[] = [
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
  { name: 'cart that is not there', of: 'owner', path: `/carts/${NOT_HERE}`, steps: [says('There is no such cart')] },
  { name: 'cart to a viewer', of: 'owner', path: '/carts/:cartId', given: [isViewer], steps: [isTitled] },
  { name: 'flows not to be had', of: 'owner', path: '/flows', given: [refuses('flows')], steps: [offers('Retry')] },
  { name: 'flow to a viewer', of: 'owner', path: '/flows/:flowId', given: [isViewer], steps: [isTitled] },
  { name: 'flow being switched off', of: 'owner', path: '/flows/:flowId', steps: [presses(/^Switch off/), asks] },
  {
    name: 'flow with unsaved changes',
    of: 'owner',
    path: '/flows/:flowId',
    steps: [fills('Subject', 'Still thinking about it?'), offers('Save')],
  },
]

const ofSettings: State[] = [
  {
    name: 'settings without a store',
    of: 'owner',
    path: '/settings',
    given: [NO_STORE],
    steps: [says('Not connected to any store')],
  },
  {
    name: 'store being disconnected',
    of: 'owner',
    path: '/settings',
    given: [isOwnAccount],
    steps: [presses('Disconnect Store'), asks],
  },
  {
    name: 'the doctor at work',
    of: 'owner',
    path: '/settings',
    isLoading: true,
    given: [hangs('stores/doctor')],
    steps: [(page) => page.getByRole('region', { name: 'Connection doctor' }).waitFor()],
  },
  ...['/settings', '/settings/recovery-rules', '/settings/sending', '/settings/consent'].map((path): State => {
    return { name: `${path} to a viewer`, of: 'owner', path, given: [isViewer], steps: [isTitled] }
  }),
  {
    name: 'a rule that cannot be',
    of: 'owner',
    path: '/settings/recovery-rules',
    steps: [
      fills('Messages per person', '99'),
      (page) => page.keyboard.press('Control+s'),
      says('A whole number from 1 to 20'),
    ],
  },
  {
    name: 'a file of addresses looked at',
    of: 'owner',
    path: '/settings/consent#suppressions',
    steps: [
      presses('Import CSV'),
      (page) =>
        page.locator('input[type=file]').setInputFiles({
          ...{ name: 'old.csv', mimeType: 'text/csv' },
          buffer: Buffer.from('E-mail;Status;Comment\nann@shoppers.example;spam;by letter\nnobody;;\n'),
        }),
      offers('Import 2 rows'),
    ],
  },
  {
    name: 'a person about to be erased',
    of: 'owner',
    path: '/settings/consent?person=ann@shoppers.example#person',
    given: [answers('persons/', { person: ANN })],
    steps: [presses('Erase this person'), (page) => page.getByLabel('Type “erase” to confirm').waitFor()],
  },
  {
    name: 'leaving without saving',
    of: 'owner',
    path: '/settings/recovery-rules',
    steps: [fills('Messages per person', '7'), presses('Appearance', 'link'), asks],
  },
  {
    name: 'a test mail that went',
    of: 'owner',
    path: '/settings/sending',
    steps: [presses('Send test mail'), says('took the mail to')],
  },
  {
    name: 'account not to be had',
    of: 'owner',
    path: '/settings/account',
    given: [refuses('auth/me')],
    steps: [says('Your account could not be loaded')],
  },
  {
    name: 'an account one may not change',
    of: 'owner',
    path: '/settings/account',
    given: [isViewer],
    steps: [says('You are a viewer')],
  },
  { name: 'logging out', of: 'owner', path: '/settings/account', steps: [presses('Log Out'), asks] },
  {
    name: 'one answer open',
    of: 'owner',
    path: '/settings/faq',
    steps: [(page) => page.getByRole('main').locator('button[aria-expanded]').nth(3).click()],
  },
]

const onTheWayIn: State[] = [
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

const ofTheFrame: State[] = [
  {
    name: 'server not to be reached',
    of: 'owner',
    path: '/flows',
    isLoading: true,
    steps: [
      (page) => page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor(),
      (page) => page.route('**/api/**', (route) => route.abort()),
      presses('Abandoned Carts', 'link'),
      says('Recoup’s server does not answer.'),
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
    steps: [presses('Switch store'), says('pots-and-plates.example')],
  },
  {
    name: 'an account with two stores on a phone',
    of: 'owner',
    path: '/flows',
    widths: [360],
    given: [isUser(({ stores }) => ({ stores: [...(stores as object[]), SECOND_STORE] }))],
    steps: [presses('Open menu'), asks, presses('Switch store'), says('pots-and-plates.example')],
  },
  {
    name: 'the menu of a phone',
    of: 'owner',
    path: '/carts',
    widths: [360],
    steps: [presses('Open menu'), asks],
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
