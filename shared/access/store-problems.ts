import type { PlatformName, StoreRights } from '../platforms/platforms.ts'
import { storeTexts } from './stores.ts'

// Problems of a store's connection as text its owner can act on, and the parsing of typed store addresses.

export const STORE_PROBLEM_CODES = [
  'unreachable',
  'timeout',
  'redirect_loop',
  'moved',
  'certificate',
  'private_address',
  'no_wordpress',
  'shop_inactive',
  'plain_permalinks',
  'api_blocked',
  'wrong_key',
  'wrong_secret',
  'read_only_key',
  'no_rights',
  'clock_skew',
  'needs_signing',
  'sign_in_lost',
  'store_error',
  'maintenance',
  'rate_limited',
  'bad_answer',
  'shopify_app_not_installed',
  'shopify_wrong_organization',
  'shopify_token_revoked',
  'shopify_secret_wrong',
  'shopify_scopes_missing',
  'shopify_protected_data',
  'shopify_store_frozen',
  'shopify_store_paused',
  'shopify_wrong_shop',
  'shopify_password_page',
  'shopify_error',
  'shopify_bad_answer',
] as const

/** Why a store cannot be used. The doctor's findings have the same codes. */
export type StoreProblemCode = (typeof STORE_PROBLEM_CODES)[number]

export const isStoreProblem = (code: string | undefined): code is StoreProblemCode =>
  STORE_PROBLEM_CODES.some((each) => each === code)

export interface StoreProblemText {
  /** The problem in one sentence. */
  sentence: string
  /** What to do about it, in one or two sentences. */
  nextStep: string
}

export const STORE_PROBLEM_TEXT: Readonly<Record<StoreProblemCode, StoreProblemText>> = {
  unreachable: {
    sentence: 'There is no response from this store address.',
    nextStep: 'Check the spelling, and that the store opens in your browser from outside your own network.',
  },
  timeout: {
    sentence: 'The store took too long to answer.',
    nextStep: 'Open the store in your browser; if it is slow there too, ask your host. Then try again.',
  },
  redirect_loop: {
    sentence: 'The store address redirects endlessly.',
    nextStep: 'Open it in your browser and copy the final address, including https://.',
  },
  moved: {
    sentence: 'The store redirects to another address, and keys are only sent to the address you entered.',
    nextStep: 'Connect with the address the store moved to.',
  },
  certificate: {
    sentence: 'The store’s security certificate is not valid, so the connection is not safe.',
    nextStep: 'Ask your host to renew or install a valid certificate for this address.',
  },
  private_address: {
    sentence: 'This address belongs to a private network and cannot be used.',
    nextStep:
      'Use the store’s public address. On your own installation, set ALLOW_PRIVATE_STORES to connect a local store.',
  },
  no_wordpress: {
    sentence: 'There is no WordPress site at this address.',
    nextStep: 'Enter the address of the WordPress site itself, including its folder if it has one.',
  },
  shop_inactive: {
    sentence: 'WordPress is there, but WooCommerce is not active.',
    nextStep: 'Activate the WooCommerce plugin in WordPress under Plugins, then try again.',
  },
  plain_permalinks: {
    sentence: 'The store uses plain permalinks, so WooCommerce ignores the keys.',
    nextStep: 'In WordPress choose Settings → Permalinks → Post name, save, then try again.',
  },
  api_blocked: {
    sentence: 'Something in front of the store blocks WordPress’s REST API.',
    nextStep: 'Allow /wp-json/ in your security plugin or firewall, then try again.',
  },
  wrong_key: {
    sentence: 'The store does not recognize this consumer key.',
    nextStep: 'Copy the consumer key again, or create a new one under WooCommerce → Settings → Advanced → REST API.',
  },
  wrong_secret: {
    sentence: 'The consumer secret does not belong to this consumer key.',
    nextStep: 'The secret is shown only once: create a new key and copy both parts.',
  },
  read_only_key: {
    sentence: 'This key is read-only, so coupons cannot be created and the store cannot notify us.',
    nextStep: 'Create a key with Read/Write permissions, then choose “Replace keys” under Settings, Store.',
  },
  no_rights: {
    sentence: 'This key cannot read the store’s orders and settings.',
    nextStep: 'Create a key with Read/Write permissions for a user who is administrator or shop manager.',
  },
  clock_skew: {
    sentence: 'The store’s clock and ours differ by more than 15 minutes, so it refuses our signature.',
    nextStep: 'Ask your host to correct the server’s clock, or use https, where the clock does not matter.',
  },
  needs_signing: {
    sentence: 'WordPress does not detect that it is reached by https, so it ignores the key.',
    nextStep:
      'Ask your host to tell WordPress about https (the proxy’s X-Forwarded-Proto must switch HTTPS on in wp-config.php).',
  },
  sign_in_lost: {
    sentence:
      'The store did not receive our credentials: the key is unknown, or the web server removes the Authorization header.',
    nextStep: 'Copy the key again; if it is right, ask your host to pass the Authorization header on to WordPress.',
  },
  store_error: {
    sentence: 'The store reported an internal error.',
    nextStep: 'Try again in a few minutes. If the error persists, see WooCommerce → Status → Logs.',
  },
  maintenance: {
    sentence: 'The store is in maintenance mode.',
    nextStep: 'Nothing to do: we retry until it is back. If it takes long, look for a failed update in WordPress.',
  },
  rate_limited: {
    sentence: 'The store is rate limiting our requests.',
    nextStep: 'Nothing to do: we retry automatically a little later.',
  },
  bad_answer: {
    sentence: 'The store’s response is not from WooCommerce.',
    nextStep: 'A plugin or cache may change the responses of /wp-json/. Exclude it from caching and optimization.',
  },
  shopify_app_not_installed: {
    sentence: 'The app is not installed in this store.',
    nextStep: 'In the Dev Dashboard open your app, choose Install app and select this store, then try again.',
  },
  shopify_wrong_organization: {
    sentence: 'The app and the store belong to different organizations, so Shopify denies access.',
    nextStep: 'Create the app in the Dev Dashboard of the organization that owns this store.',
  },
  shopify_token_revoked: {
    sentence: 'Shopify no longer accepts this access token: it was revoked, or its app was uninstalled.',
    nextStep: 'Install the app again, or create a new token, then choose “Replace keys” under Settings, Store.',
  },
  shopify_secret_wrong: {
    sentence: 'Shopify does not accept this client ID with this client secret.',
    nextStep: 'Copy both again: Dev Dashboard, your app, Settings, Credentials.',
  },
  shopify_scopes_missing: {
    sentence: 'The app lacks access scopes that Recoup needs.',
    nextStep:
      'Add the scopes in a new version of the app, release it and approve the update in the store, then sync again.',
  },
  shopify_protected_data: {
    sentence:
      'Shopify withholds the names, emails and phone numbers of your shoppers from this app, so no one can be reminded.',
    nextStep:
      'A store’s own app gets them on the Grow plan or higher. Change the plan under Shopify → Settings → Plan, or check the app’s protected customer data access.',
  },
  shopify_store_frozen: {
    sentence: 'Shopify has frozen this store because of an unpaid bill.',
    nextStep: 'Pay the bill under Shopify → Settings → Billing, then try again.',
  },
  shopify_store_paused: {
    sentence: 'This store is paused or closed, so Shopify refuses every request.',
    nextStep: 'Choose a plan again under Shopify → Settings → Plan, then try again.',
  },
  shopify_wrong_shop: {
    sentence: 'Shopify has no store at this address.',
    nextStep: 'Enter the address that ends in .myshopify.com: Shopify → Settings → Domains.',
  },
  shopify_password_page: {
    sentence: 'The storefront asks visitors for a password, so shoppers cannot get back to their carts.',
    nextStep: 'Turn the password off under Shopify → Online Store → Preferences before you send reminders.',
  },
  shopify_error: {
    sentence: 'Shopify reported an internal error.',
    nextStep: 'Try again in a few minutes. If the error persists, see www.shopifystatus.com.',
  },
  shopify_bad_answer: {
    sentence: 'The response is not from Shopify’s Admin API.',
    nextStep: 'Check the address. If it is right, try again in a few minutes.',
  },
}

export const SHOPIFY_TOKEN_REQUIRED = storeTexts.tokenRequired
export const CONSUMER_KEYS_REQUIRED = storeTexts.keysRequired
export const SHOPIFY_SECRET_REQUIRED = storeTexts.apiSecretRequired
export const SHOPIFY_CREDENTIALS_REQUIRED = storeTexts.clientRequired
export const STORE_URL_INVALID = 'Store URL is not a web address'
export const CERTIFICATE_HINT = 'For local development use http:// instead of https://.'

/**
 * The message for a failed connection: sentence, next step, the store's response, and the hint of A 8 on certificates.
 */
export function storeProblemMessage(code: StoreProblemCode, detail: string | null = null): string {
  return joinMessage(STORE_PROBLEM_TEXT[code], detail)
}

/** The same for keys that are tried for the first time. */
export const getTypedProblemMessage = (code: StoreProblemCode, detail: string | null = null): string =>
  joinMessage(getTypedProblemText(code), detail)

function joinMessage({ sentence, nextStep }: StoreProblemText, detail: string | null): string {
  const quoted = detail ? ` (${detail})` : ''
  return addCertificateHint(`${sentence} ${nextStep}${quoted}`)
}

const OUTAGE =
  'This is usually an outage: open the store in your browser, and ask your host if it does not open there. Then try again.'

/** Texts that differ for a connected store, because its address was right before. */
const CONNECTED_STORE_TEXT: Partial<Record<StoreProblemCode, StoreProblemText>> = {
  unreachable: { sentence: 'The store does not answer at the moment.', nextStep: OUTAGE },
  timeout: { sentence: 'The store takes too long to answer at the moment.', nextStep: OUTAGE },
  no_wordpress: { sentence: 'WordPress does not answer at the store’s address at the moment.', nextStep: OUTAGE },
}

/** Texts that differ for newly typed keys, which have not connected anything yet. */
const TYPED_KEYS_TEXT: Partial<Record<StoreProblemCode, StoreProblemText>> = {
  shopify_token_revoked: {
    sentence: 'Shopify does not accept this access token.',
    nextStep:
      'Copy it again: it begins with shpat_ and belongs to an app that is installed in this store. Check the store’s address as well.',
  },
}

/** The text of a problem with keys that are tried for the first time. */
export const getTypedProblemText = (code: StoreProblemCode): StoreProblemText =>
  TYPED_KEYS_TEXT[code] ?? STORE_PROBLEM_TEXT[code]

/** The message for a failed request to a connected store. */
export function getConnectedProblemMessage(code: StoreProblemCode, detail: string | null = null): string {
  const texts = CONNECTED_STORE_TEXT[code]
  return texts ? `${texts.sentence} ${texts.nextStep}` : storeProblemMessage(code, detail)
}

/** A sync error on our side: our secret cannot decrypt the store's keys. */
export const KEYS_UNREADABLE = 'keys_unreadable'
/** Orders of an unreachable shop are too old (D3): its plugin has not reported them since. */
export const ORDERS_UNREPORTED = 'orders_unreported'
/** Why stock and prices of an unreachable shop are unknown (D3): its plugin has not reported them yet, or cannot. */
export const STOCK_UNREPORTED = 'stock_unreported'
export const PLUGIN_OUTDATED = 'plugin_outdated'
export const KEYS_UNREADABLE_TEXT =
  'The keys of this store can no longer be read, because the secret of this server changed. Enter its keys again: Settings, Store, “Replace keys”.'

/** The text of a stored sync error; some codes are our own. */
export function getProblemText(code: string, detail: string | null): string {
  if (isStoreProblem(code)) return storeProblemMessage(code, detail)
  if (code === KEYS_UNREADABLE) return KEYS_UNREADABLE_TEXT
  return 'Syncing the store failed on our side. We retry automatically.'
}

/** The same for missing coupon rights of a key. */
export function getCouponProblemText(code: string, detail: string | null): string {
  const sentence =
    code === 'read_only_key'
      ? 'The key of this store is read-only, so coupon codes cannot be created or deleted.'
      : 'The key of this store cannot create or delete coupon codes.'
  const quoted = detail ? ` (${detail})` : ''
  const known = code === 'read_only_key' || code === 'shopify_scopes_missing' ? code : 'no_rights'
  return `${sentence} ${STORE_PROBLEM_TEXT[known].nextStep}${quoted}`
}

/** A 8: appends a hint to use http:// for local development if the detail mentions a certificate. */
export function addCertificateHint(message: string): string {
  return /certificate/i.test(message) ? `${message} ${CERTIFICATE_HINT}` : message
}

/** WooCommerce's keys begin with ck_, its secrets with cs_. */
export const areKeysSwapped = (consumerKey: string, consumerSecret: string): boolean =>
  consumerKey.trim().startsWith('cs_') && consumerSecret.trim().startsWith('ck_')

export type StoreUrlAnswer = { ok: true; storeUrl: string } | { ok: false; message: string }

/**
 * Parses a typed address (A 5). Trims it and removes trailing slash, query and fragment; rejects a user and password.
 * Shopify always gets https, and a shop name or admin address is enough; a demo store on this machine may use http.
 * WooCommerce without a scheme gets http, and on localhost http even with https (decision 7).
 */
export function normalizeStoreUrl(platform: PlatformName, input: unknown): StoreUrlAnswer {
  const answer = normalizeShopUrl(platform, input)
  if (platform !== 'woocommerce' || !answer.ok || !isLocalhost(new URL(answer.storeUrl))) return answer
  return { ok: true, storeUrl: answer.storeUrl.replace(/^https:/, 'http:') }
}

/**
 * This machine's name and names under it (RFC 6761). localhostel.com only contains the letters: its keys stay
 * encrypted.
 */
const isLocalhost = ({ hostname }: URL) => /(^|\.)localhost\.?$/.test(hostname)

/** Parses an address that the shop reported: keeps its scheme, on localhost too. */
export function normalizeShopUrl(platform: PlatformName, input: unknown): StoreUrlAnswer {
  const text = typeof input === 'string' ? input.trim() : ''
  if (text === '') return { ok: false, message: storeTexts.urlRequired }
  // "localhost:8080" parses as a scheme, so a scheme counts only with slashes.
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const withScheme = hasScheme ? text : `http://${text}`
  if (text.length > 500 || !URL.canParse(withScheme)) return { ok: false, message: STORE_URL_INVALID }
  const url = new URL(withScheme)
  if (!/^https?:$/.test(url.protocol) || url.hostname === '' || url.username || url.password) {
    return { ok: false, message: STORE_URL_INVALID }
  }
  if (platform === 'shopify') return { ok: true, storeUrl: shopifyAddress(url) }
  return { ok: true, storeUrl: `${url.protocol}//${url.host}${url.pathname.replace(/(?<!\/)\/+$/, '')}` }
}

function shopifyAddress(url: URL): string {
  const { hostname, host, protocol, pathname } = url
  if (hostname === 'localhost' || hostname === '127.0.0.1') return `${protocol}//${host}`
  const ofAdmin =
    hostname === 'admin.shopify.com' ? /^\/store\/([a-z0-9][a-z0-9-]{0,99})(\/|$)/i.exec(pathname)?.[1] : undefined
  const name = ofAdmin ?? (/^[a-z0-9][a-z0-9-]*$/i.test(host) ? host : undefined)
  return name ? `https://${name.toLowerCase()}.myshopify.com` : `https://${host}`
}

/** Rights that the keys or the plan of a store lack, worst first. */
export function findRightsProblems(rights: StoreRights | null): (StoreProblemText & { code: RightsProblem })[] {
  if (!rights) return []
  const { missingScopes, protectedData, isPasswordProtected, hasAllOrders } = rights
  const scopes = STORE_PROBLEM_TEXT.shopify_scopes_missing
  return [
    ...(missingScopes.length > 0
      ? [{ code: 'scopes' as const, ...scopes, sentence: `${scopes.sentence} Missing: ${missingScopes.join(', ')}.` }]
      : []),
    ...(protectedData === 'none' ? [{ code: 'data' as const, ...STORE_PROBLEM_TEXT.shopify_protected_data }] : []),
    ...(isPasswordProtected ? [{ code: 'password' as const, ...STORE_PROBLEM_TEXT.shopify_password_page }] : []),
    ...(hasAllOrders ? [] : [{ code: 'orders' as const, ...SIXTY_DAYS }]),
  ]
}

export type RightsProblem = 'scopes' | 'data' | 'password' | 'orders'

/** Decision 135. */
const SIXTY_DAYS: StoreProblemText = {
  sentence: 'Recoup reads the orders of the last 60 days only, because the app lacks the scope read_all_orders.',
  nextStep:
    'Reminders work without it. To include older orders in reports, add the scope to the app and approve the update in the store.',
}
