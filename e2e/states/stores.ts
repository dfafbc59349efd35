import type { Page } from 'playwright-core'
import type { StoreRights } from '../../shared/platforms.ts'
import {
  type StoreProblemCode,
  storeProblemMessage,
  typedProblemMessage,
  typedProblemText,
} from '../../shared/store-problems.ts'
import {
  alters,
  answers,
  fills,
  isOwnAccount,
  NO_STORE,
  NOT_HERE,
  offers,
  presses,
  refuses,
  type State,
  says,
} from './steps.ts'

// Connecting a store: Shopify's two forms with what can be in the way (decision 113), and a store beside another one.

async function choosesShopify(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Platform' }).click()
  await page.getByRole('option', { name: 'Shopify' }).click()
}
const choosesToken = (page: Page) => page.getByText('Access token', { exact: true }).click()

const byApp = [
  choosesShopify,
  fills('Store URL', 'fern-and-finch'),
  fills('Client ID', '0'.repeat(32)),
  fills('Client secret', `shpss_${'0'.repeat(32)}`),
  presses('Connect Store'),
]
const byToken = [
  choosesShopify,
  choosesToken,
  fills('Store URL', 'fern-and-finch.myshopify.com'),
  // The switch between the two forms has the same name.
  (page: Page) => page.locator('[data-path=access_token]').fill(`shpat_${'0'.repeat(32)}`),
  fills('API secret key', '0'.repeat(32)),
  presses('Connect Store'),
]

const inTheWay = (code: StoreProblemCode, steps = byApp): State => ({
  name: `connecting on Shopify: ${code}`,
  of: 'owner',
  path: '/store-setup',
  given: [NO_STORE, isOwnAccount, refuses('stores/connect-store', typedProblemMessage(code))],
  steps: [...steps, says(typedProblemText(code).sentence)],
})

const WEAK: StoreRights = {
  scopes: ['read_orders'],
  missingScopes: ['read_customers', 'read_products', 'write_discounts'],
  ...{ protectedData: 'none', hasAllOrders: false, planName: 'Basic', isPasswordProtected: true },
}

const onShopify = (said: Record<string, unknown>, rights: StoreRights) => ({
  ...said,
  platform: 'shopify',
  store: { ...(said.store as object), platform: 'shopify', version: '2026-10', isDemo: false, rights },
})

const FERN = {
  ...{ id: NOT_HERE, platform: 'shopify', version: '2026-10', rights: WEAK, isDemo: false, canWrite: false },
  ...{ store_url: 'https://fern-and-finch.myshopify.com', name: 'Fern & Finch', currency: 'USD' },
  ...{ timeZone: 'America/Los_Angeles', baseCountry: 'US', sellingCountries: null },
}

export const ofConnecting: State[] = [
  {
    name: 'the form for a Shopify app',
    of: 'owner',
    path: '/store-setup',
    given: [NO_STORE, isOwnAccount],
    steps: [choosesShopify, says('How to get your credentials')],
  },
  {
    name: 'the form for a Shopify token, with everything missing',
    of: 'owner',
    path: '/store-setup',
    given: [NO_STORE, isOwnAccount],
    steps: [choosesShopify, choosesToken, presses('Connect Store'), says('Access token is required for Shopify')],
  },
  inTheWay('shopify_app_not_installed'),
  inTheWay('shopify_wrong_organization'),
  inTheWay('shopify_secret_wrong'),
  inTheWay('shopify_token_revoked', byToken),
  inTheWay('shopify_store_frozen'),
  inTheWay('shopify_store_paused'),
  inTheWay('shopify_wrong_shop'),
  inTheWay('shopify_error', byToken),
  {
    name: 'what the settings of a Shopify store say that lacks everything',
    of: 'owner',
    path: '/settings',
    given: [isOwnAccount, alters('stores/check-connection', (said) => onShopify(said, WEAK))],
    steps: [says('Of the last 60 days'), offers('Replace keys')],
  },
  {
    name: 'another store',
    of: 'owner',
    path: '/store-setup?another=store',
    given: [isOwnAccount],
    steps: [says('The stores that are connected stay as they are.')],
  },
  {
    name: 'another store, for which the plan has no room',
    of: 'owner',
    path: '/store-setup?another=store',
    given: [
      isOwnAccount,
      alters('subscribe/usage', (said) => ({
        ...said,
        stores: {
          used: 1,
          limit: 1,
          problem: 'Your plan (Lite) includes 1 store. Upgrade your plan, or disconnect a store first.',
          canAdd: false,
        },
      })),
    ],
    steps: [says('Your plan has no room for another store')],
  },
  {
    name: 'another store, connected',
    of: 'owner',
    path: '/store-setup?another=store',
    given: [
      isOwnAccount,
      answers('stores/connect-store', {
        ...{ status: 'success', success: true, message: 'Connected', store: FERN },
        warnings: [storeProblemMessage('shopify_protected_data'), storeProblemMessage('shopify_password_page')],
      }),
    ],
    steps: [...byApp, says('is connected')],
  },
]
