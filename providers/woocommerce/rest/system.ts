// Site index, namespace index, status report, settings, currency, gateways.

import { getZoneOffsetHours } from '../clock.ts'
import { asText } from '../php.ts'
import { findCurrency } from '../pricing.ts'
import { buildLinks, type RestReply, type RestRequest, type Route } from '../rest.ts'
import { RestError } from '../rest-error.ts'
import { gateways, readSeconds, type Shop, storeName, storeTagline, storeTimeZone, wordpressVersion } from '../shop.ts'
import { selectOne } from '../sqlite.ts'

const namespaces =
  'oembed/1.0 wp/v2 wc/v3 wc/v1 jetpack/v4 wc-admin wc-analytics wc/store wc/store/v1 wc/private wc/v2 wp-site-health/v1'.split(
    ' ',
  )

const LOGO_ID = 4990
const LOGO_SIZE = { width: 570, height: 96 }

export const systemRoutes: Route[] = [
  { pattern: /^\/?$/, GET: { can: 'public', run: buildSiteIndex } },
  { pattern: /^\/wp\/v2\/media\/(\d+)$/, GET: { can: 'public', run: getLogo } },
  { pattern: /^\/wc\/v3$/, GET: { can: 'public', run: buildNamespaceIndex } },
  { pattern: /^\/wc\/v3\/system_status$/, GET: { can: 'list', run: buildSystemStatus } },
  {
    pattern: /^\/wc\/v3\/settings\/general$/,
    GET: { can: 'list', run: ({ shop }) => ({ body: listSettings(shop).map((s) => withLinks(shop, s)) }) },
  },
  { pattern: /^\/wc\/v3\/settings\/general\/[a-z0-9_]+$/, GET: { can: 'view', run: readSetting } },
  { pattern: /^\/wc\/v3\/data\/currencies\/current$/, GET: { can: 'list', run: readCurrency } },
  { pattern: /^\/wc\/v3\/payment_gateways$/, GET: { can: 'list', run: listGateways } },
]

function buildSiteIndex({ shop }: RestRequest): RestReply {
  const body = {
    name: storeName,
    description: storeTagline,
    url: shop.home,
    home: shop.home,
    gmt_offset: getZoneOffsetHours(readSeconds(shop)),
    timezone_string: storeTimeZone,
    page_for_posts: 0,
    page_on_front: 0,
    show_on_front: 'posts',
    namespaces,
    authentication: [],
    routes: describeRoutes(shop, [
      '/',
      '/wc/v3',
      '/wc/v3/orders',
      '/wc/v3/products',
      '/wc/v3/customers',
      '/wc/v3/coupons',
    ]),
    site_logo: LOGO_ID,
    site_icon: 0,
    site_icon_url: '',
    _links: { help: [{ href: 'https://developer.wordpress.org/rest-api/' }] },
  }
  return { body }
}

/** Serves the logo only. Apps do not request product images here. */
function getLogo({ shop, ids: [id] }: RestRequest): RestReply {
  if (id !== LOGO_ID) throw new RestError(404, 'rest_post_invalid_id', 'Invalid post ID.')
  const source_url = `${shop.home}/wp-content/uploads/2026/11/logo.png`
  const size = { file: 'logo.png', width: LOGO_SIZE.width, height: LOGO_SIZE.height, mime_type: 'image/png' }
  return {
    body: {
      id,
      slug: 'logo',
      type: 'attachment',
      link: `${shop.home}/logo/`,
      media_type: 'image',
      mime_type: 'image/png',
      title: { rendered: 'logo' },
      alt_text: storeName,
      source_url,
      media_details: { ...LOGO_SIZE, file: '2026/11/logo.png', sizes: { full: { ...size, source_url } } },
    },
  }
}

function buildNamespaceIndex({ shop }: RestRequest): RestReply {
  const routes = describeRoutes(shop, [
    '/wc/v3',
    '/wc/v3/orders',
    '/wc/v3/products',
    '/wc/v3/customers',
    '/wc/v3/coupons',
  ])
  return { body: { namespace: 'wc/v3', routes, _links: { up: [{ href: `${shop.home}/wp-json/` }] } } }
}

function describeRoutes(shop: Shop, paths: string[]) {
  const buildEntry = (path: string) => ({
    namespace: 'wc/v3',
    methods: ['GET'],
    _links: { self: [{ href: `${shop.home}/wp-json${path}` }] },
  })
  return Object.fromEntries(paths.map((path) => [path, buildEntry(path)]))
}

function buildSystemStatus({ shop }: RestRequest): RestReply {
  const counts = { product: 'products', shop_coupon: 'coupons', shop_order_placehold: 'orders' } as const
  const tables = { database_tables: { woocommerce: [] }, database_size: { data: 1.6, index: 1.9 } }
  const body = {
    environment: describeEnvironment(shop),
    database: { wc_database_version: shop.version, database_prefix: 'wp_', maxmind_geoip_database: '', ...tables },
    active_plugins: [buildWooPlugin(shop)],
    inactive_plugins: [],
    dropins_mu_plugins: { dropins: [], mu_plugins: [] },
    theme: describeTheme(),
    settings: buildSettingsReport(shop),
    security: { secure_connection: shop.isSsl, hide_errors: true },
    pages: ['Shop base', 'Cart', 'Checkout', 'My account', 'Terms and conditions'].map(buildPageReport),
    post_type_counts: Object.entries(counts).map(([type, table]) => ({ type, count: String(count(shop, table)) })),
    logging: {
      logging_enabled: true,
      default_handler: 'Automattic\\WooCommerce\\Internal\\Admin\\Logging\\LogHandlerFileV2',
      retention_period_days: 30,
      level_threshold: '',
      log_directory_size: '0 KB',
    },
  }
  return { body }
}

function buildWooPlugin({ version }: Shop) {
  return {
    plugin: 'woocommerce/woocommerce.php',
    name: 'WooCommerce',
    version,
    version_latest: version,
    url: 'https://woocommerce.com/',
    author_name: 'Automattic',
    author_url: 'https://woocommerce.com',
    network_activated: false,
  }
}

function describeEnvironment(shop: Shop) {
  const hash = shop.secret
  return {
    home_url: shop.home,
    site_url: shop.home,
    store_id: `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`,
    version: shop.version,
    log_directory: '[site-root]/wp-content/uploads/wc-logs/',
    log_directory_writable: true,
    wp_version: wordpressVersion,
    wp_multisite: false,
    wp_memory_limit: 536_870_912,
    wp_debug_mode: false,
    wp_cron: true,
    language: 'en_US',
    external_object_cache: null,
    server_info: 'nginx/1.22.1',
    server_architecture: 'Linux x86_64',
    php_version: '8.2.35',
    php_post_max_size: 34_603_008,
    php_max_execution_time: 120,
    php_max_input_vars: 1000,
    curl_version: '7.88.1, OpenSSL/3.0.19',
    suhosin_installed: false,
    max_upload_size: 33_554_432,
    mysql_version: '10.11.19',
    mysql_version_string: '10.11.19-MariaDB',
    default_timezone: 'UTC',
    fsockopen_or_curl_enabled: true,
    soapclient_enabled: true,
    domdocument_enabled: true,
    gzip_enabled: true,
    mbstring_enabled: true,
    remote_post_successful: false,
    remote_post_response: false,
    remote_get_successful: false,
    remote_get_response: false,
  }
}

function describeTheme() {
  return {
    name: 'Twenty Twenty-Five',
    version: '1.0',
    version_latest: 0,
    author_url: 'https://wordpress.org',
    is_child_theme: false,
    is_block_theme: true,
    has_woocommerce_support: false,
    has_woocommerce_file: false,
    has_outdated_templates: false,
    overrides: [],
    parent_name: '',
    parent_version: '',
    parent_version_latest: '',
    parent_author_url: '',
  }
}

function buildSettingsReport(shop: Shop) {
  const kinds = ['external', 'grouped', 'simple', 'variable']
  const terms =
    'exclude-from-catalog exclude-from-search featured outofstock rated-1 rated-2 rated-3 rated-4 rated-5'.split(' ')
  const named = (list: string[]) => Object.fromEntries(list.map((name) => [name, name]))
  return {
    // The removed legacy API: false on a working store.
    api_enabled: false,
    force_ssl: false,
    currency: shop.pricing.currency,
    currency_symbol: findCurrency(shop).html,
    currency_position: 'left',
    thousand_separator: ',',
    decimal_separator: '.',
    number_of_decimals: shop.pricing.decimals,
    geolocation_enabled: false,
    taxonomies: named(kinds),
    product_visibility_terms: named(terms),
    woocommerce_com_connected: 'no',
    enforce_approved_download_dirs: true,
    order_datastore: 'Automattic\\WooCommerce\\Internal\\DataStores\\Orders\\OrdersTableDataStore',
    HPOS_enabled: true,
    HPOS_sync_enabled: false,
    enabled_features: ['analytics', 'marketplace', 'order_attribution', 'custom_order_tables'],
  }
}

function buildPageReport(page_name: string, at: number) {
  const name = page_name.split(' ')[0]!.toLowerCase()
  const isBlock = name === 'cart' || name === 'checkout'
  const isSet = name !== 'terms'
  const shows = { page_set: isSet, page_exists: isSet, page_visible: isSet }
  const shortcode = isBlock ? `[woocommerce_${name}]` : ''
  const blocks = { block: isBlock ? `woocommerce/${name}` : '', shortcode_required: isBlock, shortcode_present: false }
  return {
    page_name,
    page_id: isSet ? String(at + 5) : '',
    ...shows,
    shortcode,
    ...blocks,
    block_present: isBlock,
    block_required: isBlock,
  }
}

type Setting = {
  id: string
  label: string
  description: string
  type: string
  default: string
  tip?: string
  options?: Record<string, string>
  value: unknown
}

function listSettings(shop: Shop): Setting[] {
  const countries = countryNames()
  const { pricing } = shop
  const base = [pricing.base.country, pricing.base.state].filter(Boolean).join(':')
  const places = { ...countries, 'US:VT': 'United States (US) - Vermont' }
  const yesNo = (is: boolean) => (is ? 'yes' : 'no')
  const { html, name } = findCurrency(shop)
  const labels = {
    all: 'Sell to all countries',
    all_except: 'Sell to all countries, except for&hellip;',
    specific: 'Sell to specific countries',
  }
  const starts = { '': 'No location by default', base: 'Shop country/region' }
  const many = 'multiselect'
  return [
    buildTextSetting('store_address', 'Address line 1', '14 Kiln Lane'),
    buildTextSetting('store_address_2', 'Address line 2', ''),
    buildTextSetting('store_city', 'City', 'Burlington'),
    pick('default_country', 'Country / State', places, base),
    buildTextSetting('store_postcode', 'Postcode / ZIP', '05401'),
    pick('allowed_countries', 'Selling location(s)', labels, 'specific'),
    pick('all_except_countries', labels.all_except, countries, '', many),
    pick('specific_allowed_countries', labels.specific, countries, shop.sellingCountries, many),
    pick('ship_to_countries', 'Shipping location(s)', { '': 'Ship to all countries you sell to' }, ''),
    pick('specific_ship_to_countries', 'Ship to specific countries', countries, '', many),
    pick('default_customer_address', 'Default customer location', starts, 'base'),
    { ...buildTextSetting('calc_taxes', 'Enable taxes', yesNo(pricing.taxRates.length > 0), 'no'), type: 'checkbox' },
    { ...buildTextSetting('enable_coupons', 'Enable coupons', 'yes', 'yes'), type: 'checkbox' },
    { ...buildTextSetting('calc_discounts_sequentially', '', yesNo(pricing.isSequential), 'no'), type: 'checkbox' },
    pick('currency', 'Currency', { [pricing.currency]: `${name} (${html})` }, pricing.currency),
    pick('currency_pos', 'Currency position', { left: 'Left', right: 'Right' }, 'left'),
    buildTextSetting('price_thousand_sep', 'Thousand separator', ',', ','),
    buildTextSetting('price_decimal_sep', 'Decimal separator', '.', '.'),
    { ...buildTextSetting('price_num_decimals', 'Number of decimals', String(pricing.decimals), '2'), type: 'number' },
  ]
}

function buildTextSetting(id: string, label: string, value: unknown, fallback = ''): Setting {
  const texts = { label, description: label, tip: label }
  return { id: `woocommerce_${id}`, ...texts, type: 'text', default: fallback, value }
}

function pick(id: string, label: string, options: Record<string, string>, value: unknown, type = 'select'): Setting {
  return { ...buildTextSetting(id, label, value), type, options }
}

export function countryNames(): Record<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters
    .flatMap((a) => letters.map((b) => a + b))
    .filter((code) => !/^(EU|EZ|UN|XA|XB|QO|ZZ)$/.test(code))
  const existing = codes.map((code) => [code, names.of(code) ?? code] as const).filter(([code, name]) => code !== name)
  return Object.fromEntries(existing)
}

function readSetting({ shop, path }: RestRequest): RestReply {
  const found = listSettings(shop).find(({ id }) => id === path.split('/').at(-1))
  if (found) return { body: withLinks(shop, found) }
  throw new RestError(404, 'rest_setting_setting_invalid', 'Invalid setting.')
}

function withLinks(shop: Shop, setting: Setting) {
  const base = `${shop.home}/wp-json/wc/v3/settings/general`
  const self = [{ href: `${base}/${setting.id}`, targetHints: { allow: ['GET', 'POST', 'PUT', 'PATCH'] } }]
  return { ...setting, _links: { self, collection: [{ href: base }] } }
}

function readCurrency({ shop }: RestRequest): RestReply {
  const base = `${shop.home}/wp-json/wc/v3/data/currencies`
  const code = shop.pricing.currency
  const { html, name } = findCurrency(shop)
  const _links = { self: [{ href: `${base}/${code}`, targetHints: { allow: ['GET'] } }], collection: [{ href: base }] }
  return { body: { code, name, symbol: html, _links } }
}

function listGateways({ shop, query }: RestRequest): RestReply {
  const all = [...gateways, { id: 'cheque', title: 'Check payments', method: 'Check payments' }].toSorted((a, b) =>
    a.id.localeCompare(b.id),
  )
  const body = all.map(({ id, title, method }) => ({
    id,
    title,
    description: '',
    order: '',
    enabled: id !== 'cheque',
    method_title: method,
    method_description: '',
    method_supports: ['products'],
    settings: {},
    _links: { self: buildLinks(shop, 'payment_gateways', 0).collection.map(({ href }) => ({ href: `${href}/${id}` })) },
  }))
  const number = Number(asText(query.page) ?? 1)
  return { body, page: { total: body.length, pages: 1, number } }
}

function count(shop: Shop, table: 'products' | 'coupons' | 'orders'): number {
  return selectOne<{ n: number }>(shop.db, `select count(*) as n from ${table}`)!.n
}
