import { me } from '../../shared/access/auth.ts'
import {
  getTypedProblemMessage,
  getTypedProblemText,
  type StoreProblemCode,
  storeProblemMessage,
} from '../../shared/access/store-problems.ts'
import { checkConnection, connectStore, examineStore, type StoreView } from '../../shared/access/stores.ts'
import { readUsage } from '../../shared/billing/billing.ts'
import { readMailServer } from '../../shared/delivery/mail-server.ts'
import { pushStoreStats, readPushSetup } from '../../shared/delivery/push-calls.ts'
import { sendTestMail } from '../../shared/delivery/sending.ts'
import type { StoreRights } from '../../shared/platforms/platforms.ts'
import {
  boxChannels,
  boxHtml,
  consentBoxCounts,
  consentBoxes,
  getDefaultBoxText,
} from '../../shared/shoppers/consent-box.ts'
import { previewBrand, readBrand } from '../../shared/workspace/brand-calls.ts'
import { readInstance } from '../../shared/workspace/instance.ts'
import { readDataSubject } from '../../shared/workspace/privacy.ts'
import { type Api, fixture } from '../api.ts'
import {
  fillField,
  pressRole,
  pressSave,
  removePlan,
  removeStore,
  runAction,
  type State,
  signInAsOwner,
  signInAsUser,
  signInAsViewer,
  UNKNOWN_ID,
  waitForButton,
  waitForDialog,
  waitForHeading,
  waitForLoading,
  waitForText,
} from './state.ts'

// Settings, web push, connecting a store, and the frame around the screens.

const connected = fixture(checkConnection).store!

const serveStore = (api: Api, more: Partial<StoreView>) =>
  api.alter(checkConnection, (reply) => ({
    ...reply,
    platform: more.platform ?? reply.platform,
    store: { ...connected, isDemo: false, ...more },
  }))

const mailServer = fixture(readMailServer)
const downServer: typeof mailServer = {
  ...mailServer,
  way: 'own',
  from: 'shop@mugs.example',
  mailboxUrl: null,
  isFixed: false,
  server: {
    host: 'smtp.mugs.example',
    port: 587,
    security: 'starttls',
    user: 'shop@mugs.example',
    fromAddress: null,
    checkAnswer: 'User and password were accepted',
    checkedAt: '2026-01-05T10:00:00Z',
    version: 1,
    problem: '535 5.7.8 Username and password not accepted',
    failingSince: '2026-01-06T10:00:00Z',
    triesAt: null,
  },
}

const settings: State[] = [
  {
    name: 'settings without a store',
    path: '/settings',
    given: removeStore,
    steps: [waitForText('Not connected to any store')],
  },
  {
    name: 'store before it is disconnected',
    path: '/settings',
    given: signInAsOwner,
    steps: [pressRole('Disconnect Store'), waitForDialog],
  },
  {
    name: 'keys replaced by swapped ones',
    path: '/settings',
    given(api) {
      signInAsOwner(api)
      serveStore(api, {})
    },
    steps: [
      pressRole('Replace keys'),
      fillField('Consumer key', 'cs_0123456789'),
      fillField('Consumer secret', 'ck_0123456789'),
      waitForButton('Swap key and secret'),
    ],
  },
  {
    name: 'connection doctor while loading',
    path: '/settings',
    isLoading: true,
    given: (api) => api.hold(examineStore),
    steps: [runAction((page) => page.getByRole('region', { name: 'Connection doctor' }), 'waitFor')],
  },
  ...['', '/recovery-rules', '/sending/sender', '/sending/brand', '/consent'].map(
    (tab): State => ({
      name: `/settings${tab} as a viewer`,
      path: `/settings${tab}`,
      given: signInAsViewer,
      steps: [waitForHeading],
    }),
  ),
  {
    name: 'recovery rule out of its range',
    path: '/settings/recovery-rules',
    steps: [fillField('Messages per person', '99'), pressSave, waitForText('A whole number from 1 to 20')],
  },
  {
    name: 'counts of the consent boxes',
    path: '/settings/consent#boxes',
    given: (api) => {
      api.answer(consentBoxes, { boxes: [], checkoutSeenAt: null })
      api.answer(consentBoxCounts, {
        mode: 'cart_only',
        counts: (['block', 'classic', 'account'] as const).flatMap((place) =>
          boxChannels.flatMap((channel) =>
            (['', 'de', null] as const).map((language) => ({
              channel,
              place,
              language,
              shown: 1_234,
              ticked: language === null ? 0 : 321,
              tickedAlone: 2,
            })),
          ),
        ),
      })
    },
    steps: [waitForText('Shares exclude 54 ticks')],
  },
  {
    name: 'consent boxes that no shopper has seen',
    path: '/settings/consent#boxes',
    given: (api) => {
      api.answer(consentBoxes, { boxes: [], checkoutSeenAt: null })
      api.answer(consentBoxCounts, { mode: 'cart_only', counts: [] })
    },
    steps: [waitForText('No figures yet')],
  },
  {
    name: 'text of a consent box, changed',
    path: '/settings/consent#boxes',
    given: (api) =>
      api.answer(consentBoxes, {
        boxes: boxChannels.map((channel) => {
          const words = getDefaultBoxText(channel, connected.name)
          return {
            channel,
            words,
            isDefault: true,
            html: boxHtml(channel, words),
            seenAt: null,
            isCurrent: true,
            languages: [],
            drafts: [],
          }
        }),
        checkoutSeenAt: null,
      }),
    steps: [fillField('Text of the SMS box', 'Text me about my cart.'), waitForButton('Save text')],
  },
  {
    name: 'suppressed addresses before the import',
    path: '/settings/consent#suppressions',
    steps: [
      pressRole('Import CSV'),
      (page) =>
        page.locator('input[type=file]').setInputFiles({
          name: 'old.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from('E-mail;Status;Comment\nann@shoppers.example;spam;by letter\nnobody;;\n'),
        }),
      waitForButton('Import 2 rows'),
    ],
  },
  {
    name: 'person before they are erased',
    path: '/settings/consent?person=ann@shoppers.example#person',
    given: (api) =>
      api.answer(readDataSubject, {
        person: {
          address: 'ann@shoppers.example',
          addresses: ['ann@shoppers.example', '+12125550123'],
          names: ['Ann Archer'],
          stores: [{ id: connected.id, name: 'Maple & Clay' }],
          erasures: [],
          firstSeenAt: '2026-01-05T10:00:00Z',
          counts: { carts: 2, orders: 1, messages: 4, facts: 6 },
          suppressed: [{ channel: 'sms', reason: 'unsubscribed', since: '2026-01-06T10:00:00Z' }],
        },
      }),
    steps: [pressRole('Erase this person'), runAction((page) => page.getByLabel('Type “erase” to confirm'), 'waitFor')],
  },
  {
    name: 'unsaved changes before the screen is left',
    path: '/settings/recovery-rules',
    steps: [fillField('Messages per person', '7'), pressRole('Appearance', 'link'), waitForDialog],
  },
  {
    name: 'brand after a failed load',
    path: '/settings/sending/brand',
    given: (api) => api.fail(readBrand, 400),
    steps: [waitForText('The brand could not be loaded')],
  },
  {
    name: 'brand while loading',
    path: '/settings/sending/brand',
    isLoading: true,
    given: (api) => api.hold(readBrand),
    steps: [waitForLoading],
  },
  {
    name: 'brand after its preview failed',
    path: '/settings/sending/brand',
    given: (api) => api.fail(previewBrand, 400),
    steps: [waitForText('The preview could not be loaded')],
  },
  {
    name: 'brand with an unreadable color and a wrong link',
    path: '/settings/sending/brand',
    given: (api) => api.alter(readBrand, (reply) => ({ ...reply, logo: null, canUpload: true })),
    steps: [
      (page) => page.getByRole('textbox', { name: 'Link color', exact: true }).fill('#ffcc00'),
      ...[pressRole('Add link'), fillField('Address of Instagram', 'https://shop.example/tea'), pressSave],
      waitForText('Links on this background cannot be read well'),
      waitForText('as this is Instagram'),
    ],
  },
  {
    name: 'mail server after a test email',
    path: '/settings/sending/mail-server',
    given: (api) =>
      api.answer(sendTestMail, {
        isAccepted: true,
        to: 'demo@recoup.example',
        from: mailServer.from,
        way: 'mailbox',
        steps: [],
      }),
    steps: [pressRole('Send test email'), waitForText('The email is in the built-in mailbox')],
  },
  {
    name: 'mail server with an invalid name',
    path: '/settings/sending/mail-server',
    given(api) {
      signInAsOwner(api)
      api.answer(readMailServer, { ...mailServer, isFixed: false })
    },
    steps: [
      fillField('Server', 'mail server'),
      fillField('User', 'shop@mugs.example'),
      pressRole('Check and save'),
      waitForText('A name such as smtp.example.com'),
    ],
  },
  {
    name: 'mail server that accepts nothing',
    path: '/settings/sending/mail-server',
    given(api) {
      signInAsOwner(api)
      api.answer(readMailServer, downServer)
    },
    steps: [waitForText('smtp.mugs.example is not accepting email')],
  },
  {
    name: 'account settings after a failed load',
    path: '/settings/account',
    given: (api) => api.fail(me, 400),
    steps: [waitForText('Your account could not be loaded')],
  },
  {
    name: 'account settings as a viewer',
    path: '/settings/account',
    given: signInAsViewer,
    steps: [waitForText('You are a viewer')],
  },
  { name: 'log-out dialog', path: '/settings/account', steps: [pressRole('Log Out'), waitForDialog] },
  {
    name: 'FAQ with an answer open',
    path: '/settings/faq',
    steps: [
      runAction((page) => page.getByRole('main').locator('button[aria-expanded]').nth(3)),
      runAction((page) => page.getByRole('main').locator('button[aria-expanded=true]'), 'waitFor'),
    ],
  },
]

const setup = fixture(readPushSetup)
const servePushSetup = (api: Api, more: Partial<typeof setup> = {}) => api.answer(readPushSetup, { ...setup, ...more })

const push: State[] = [
  ...['/push-notifications', '/push-setup'].flatMap((path): State[] => [
    {
      name: `${path} without a store`,
      path,
      given: removeStore,
      steps: [waitForText('No store is connected yet')],
    },
    {
      name: `${path} while loading`,
      path,
      isLoading: true,
      given: (api) => api.hold(readPushSetup),
      steps: [waitForLoading],
    },
    {
      name: `${path} after a failed load`,
      path,
      given: (api) => api.fail(readPushSetup, 400),
      steps: [waitForButton('Retry')],
    },
    {
      name: `${path} as a viewer`,
      path,
      given: signInAsViewer,
      steps: [waitForText('Only an owner or admin can change them')],
    },
    {
      name: `${path} of a store on Shopify`,
      path,
      given: (api) => servePushSetup(api, { platform: 'shopify', canHostWorker: false, keys: null }),
      steps: [waitForText('Web push does not work on Shopify')],
    },
    {
      name: `${path} after its statistics failed to load`,
      path,
      given: (api) => api.fail(pushStoreStats, 400),
      steps: [waitForText('The statistics could not be loaded')],
    },
  ]),
  {
    name: '/push-setup after sw.js failed to load',
    path: '/push-setup',
    given: (_api, page) => page.route('**/push/sw.js', (route) => route.abort()),
    steps: [waitForText('sw.js could not be loaded')],
  },
]

const chooseShopify = async (page: import('playwright-core').Page) => {
  await page.getByRole('combobox', { name: 'Platform' }).click()
  await page.getByRole('option', { name: 'Shopify' }).click()
}
const chooseToken = runAction((page) => page.getByText('Access token', { exact: true }))
const pressConnect = pressRole('Connect Store')
const connectByApp = [
  chooseShopify,
  fillField('Store URL', 'fern-and-finch'),
  fillField('Client ID', '0'.repeat(32)),
  fillField('Client secret', `shpss_${'0'.repeat(32)}`),
  pressConnect,
]
const connectByToken: State['steps'] = [
  chooseShopify,
  chooseToken,
  fillField('Store URL', 'fern-and-finch.myshopify.com'),
  // The switch between the two forms has the same name.
  (page) => page.locator('[data-path=access_token]').fill(`shpat_${'0'.repeat(32)}`),
  fillField('API secret key', '0'.repeat(32)),
  pressConnect,
]
const disconnect = (api: Api) => {
  removeStore(api)
  signInAsOwner(api)
}
/** A remembered connection redirects to the dashboard and back, which clears the form. */
const NEVER_CONNECTED = { isConnected: null, store_connection: null }
const buildRefusal = (code: StoreProblemCode, steps: State['steps'] = connectByApp): State => ({
  name: `connecting on Shopify: ${code}`,
  path: '/store-setup',
  storage: NEVER_CONNECTED,
  given(api) {
    disconnect(api)
    api.fail(connectStore, 400, { error: getTypedProblemMessage(code) })
  },
  steps: [...steps, waitForText(getTypedProblemText(code).sentence)],
})

const weakRights: StoreRights = {
  scopes: ['read_orders'],
  missingScopes: ['read_customers', 'read_products', 'write_discounts'],
  protectedData: 'none',
  hasAllOrders: false,
  planName: 'Basic',
  isPasswordProtected: true,
}
const another = '/store-setup?another=store'

const connecting: State[] = [
  {
    name: 'store setup',
    path: '/store-setup',
    storage: NEVER_CONNECTED,
    given: removeStore,
    steps: [waitForButton('Connect Store')],
  },
  {
    name: 'store setup after the keys were refused',
    path: '/store-setup',
    storage: NEVER_CONNECTED,
    given(api) {
      disconnect(api)
      api.fail(connectStore, 400, {
        error: 'The store answers, but refuses these keys. Make a new pair and try again.',
      })
    },
    steps: [
      ...[fillField('Store URL', 'https://pots-and-plates.example'), fillField('Consumer key', `ck_${'a'.repeat(40)}`)],
      fillField('Consumer secret', `cs_${'b'.repeat(40)}`),
      pressConnect,
      waitForText('Connection failed'),
    ],
  },
  {
    name: 'store setup without a plan',
    path: '/store-setup',
    given: removePlan,
    steps: [waitForText('Subscription Required')],
  },
  {
    name: 'prices for a viewer',
    path: '/pricing',
    given(api) {
      removePlan(api)
      signInAsViewer(api)
    },
    steps: [waitForText('only an owner or admin of it can choose one')],
  },
  {
    name: 'form for a Shopify app',
    path: '/store-setup',
    storage: NEVER_CONNECTED,
    given: disconnect,
    steps: [chooseShopify, waitForText('How to get your credentials')],
  },
  {
    name: 'form for a Shopify token without any field filled in',
    path: '/store-setup',
    given: disconnect,
    storage: NEVER_CONNECTED,
    steps: [chooseShopify, chooseToken, pressConnect, waitForText('Access token is required for Shopify')],
  },
  ...(['shopify_app_not_installed', 'shopify_wrong_organization', 'shopify_secret_wrong'] as const).map((code) =>
    buildRefusal(code),
  ),
  buildRefusal('shopify_token_revoked', connectByToken),
  ...(['shopify_store_frozen', 'shopify_store_paused', 'shopify_wrong_shop'] as const).map((code) =>
    buildRefusal(code),
  ),
  buildRefusal('shopify_error', connectByToken),
  {
    name: 'settings of a Shopify store without any rights',
    path: '/settings',
    given(api) {
      signInAsOwner(api)
      serveStore(api, { platform: 'shopify', version: '2026-10', rights: weakRights })
    },
    steps: [waitForText('Last 60 days'), waitForButton('Replace keys')],
  },
  {
    name: 'another store',
    path: another,
    given: signInAsOwner,
    steps: [waitForText('Your connected stores stay as they are.')],
  },
  {
    name: 'another store beyond the plan',
    path: another,
    given(api) {
      signInAsOwner(api)
      const problem = 'Your plan (Lite) includes 1 store. Upgrade your plan, or disconnect a store first.'
      api.alter(readUsage, (reply) => ({ ...reply, stores: { used: 1, limit: 1, problem, canAdd: false } }))
    },
    steps: [waitForText('Your plan’s store limit is reached')],
  },
  {
    name: 'another store, connected',
    path: another,
    given(api) {
      signInAsOwner(api)
      api.alter(readUsage, (reply) => ({ ...reply, stores: { used: 1, limit: 3, problem: null, canAdd: true } }))
      api.answer(connectStore, {
        status: 'success',
        success: true,
        message: 'Connected',
        warnings: [storeProblemMessage('shopify_protected_data'), storeProblemMessage('shopify_password_page')],
        store: {
          ...connected,
          id: UNKNOWN_ID,
          platform: 'shopify',
          version: '2026-10',
          rights: weakRights,
          ...{ isDemo: false, canWrite: false, store_url: 'https://fern-and-finch.myshopify.com' },
          name: 'Fern & Finch',
        },
      })
    },
    steps: [...connectByApp, waitForText('is connected')],
  },
]

const serveTwoStores = (api: Api) =>
  signInAsUser(api, ({ stores }) => ({
    stores: [
      ...stores,
      {
        ...{ id: UNKNOWN_ID, name: 'Pots & Plates', storeUrl: 'https://pots-and-plates.example' },
        platform: 'woocommerce' as const,
        isActive: true,
        currency: 'USD',
      },
    ],
  }))

const frame: State[] = [
  {
    name: 'server that does not respond',
    path: '/flows',
    isLoading: true,
    steps: [
      runAction((page) => page.getByRole('heading', { level: 1, name: 'Flows' }), 'waitFor'),
      (page) => page.route('**/api/**', (route) => route.abort()),
      pressRole('Abandoned Carts', 'link'),
      waitForText('The Recoup server is not responding.'),
      waitForButton('Retry'),
    ],
  },
  {
    name: 'paused sending',
    path: '/flows',
    given: (api) => api.alter(readInstance, (reply) => ({ ...reply, isPaused: true })),
    steps: [waitForText('Sending is paused.')],
  },
  {
    name: 'menu of two stores',
    path: '/flows',
    widths: [1280],
    given: serveTwoStores,
    steps: [
      pressRole(/^Store menu/),
      waitForText('Pots & Plates'),
      waitForText('WooCommerce, pots-and-plates.example'),
    ],
  },
  {
    name: 'menu of two stores on a phone',
    path: '/flows',
    widths: [360],
    given: serveTwoStores,
    steps: [pressRole(/^Store menu/), waitForText('Pots & Plates')],
  },
  { name: 'menu of a phone', path: '/carts', widths: [360], steps: [pressRole('Open menu'), waitForDialog] },
]

export const settingsStates: State[] = [...settings, ...push, ...connecting, ...frame]
