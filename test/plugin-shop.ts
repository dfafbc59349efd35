import crypto from 'node:crypto'
import { saveSecret } from '../server/access/plugin/plugin.ts'
import { noteCall } from '../server/access/plugin/plugin-sql.ts'
import { type CallName, sign, signReply } from '../server/access/plugin/signature.ts'
import { transact } from '../server/core/db/db.ts'
import { findPluginProtocol } from '../server/platforms/registry/registry.ts'
import { DEFAULT_PLATFORM } from '../shared/platforms/platforms.ts'
import { createHomeUrl, type Owner, registerOwner } from './connected-store.ts'
import { buildProblem, createFakeStore, type FakeStore } from './fake-store.ts'
import type { World } from './world.ts'

// Test support: the calls of a shop's plugin.

export interface PluginShop {
  owner: Owner
  fake: FakeStore
  home: string
  storeId: string
  secret: string
  install: string
  call(name: CallName, body: unknown, more?: CallChange): Promise<CallReply>
  /** Sends entries, each dated a second later than the one before. */
  batch(entries: readonly Record<string, unknown>[], more?: CallChange): Promise<CallReply>
}

/** Deviations from a correct call. */
export interface CallChange {
  store?: string
  key?: string
  time?: number
  nonce?: string
  signedName?: CallName
  headers?: Record<string, string | undefined>
  /** Body that is sent instead of the signed one. */
  payload?: string
  /** Address of the caller. */
  ip?: string
}

export interface CallReply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any reply
  body: any
  /** The reply is signed with the key of the call. */
  isSigned: boolean
}

export async function postPluginCall(
  world: World,
  { name, store, key, body }: { name: CallName; store: string; key: string; body: unknown },
  more: CallChange = {},
): Promise<CallReply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const [id, secret] = [more.store ?? store, more.key ?? key]
  const time = String(more.time ?? Math.floor(world.now.getTime() / 1_000))
  const nonce = more.nonce ?? crypto.randomBytes(16).toString('hex')
  const signed = { direction: 'shop' as const, name: more.signedName ?? name, store: id, time, nonce, body: text }
  const headers = {
    'content-type': 'application/json',
    'x-recoup-store': id,
    'x-recoup-time': time,
    'x-recoup-nonce': nonce,
    'x-recoup-signature': sign(secret, signed),
    ...more.headers,
  }
  const present = Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined)
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/plugin/${name}`,
    headers: Object.fromEntries(present),
    payload: more.payload ?? text,
    remoteAddress: more.ip ?? '192.0.2.10',
  })
  const expected = signReply(secret, nonce, reply.statusCode, reply.body)
  return { status: reply.statusCode, body: reply.json(), isSigned: reply.headers['x-recoup-signature'] === expected }
}

export const buildInvitation = (home: string, change: Record<string, unknown> = {}): string =>
  Buffer.from(
    JSON.stringify({
      v: 1,
      home: `${home}/`,
      name: 'Mugs & More',
      return: `${home}/wp-admin/admin.php?page=recoup`,
      state: 's'.repeat(43),
      plugin: '1.0.0',
      ...change,
    }),
  ).toString('base64url')

export const buildConnectBody = (home: string, salt: string, install: string) => ({
  v: 1,
  plugin: '1.0.0',
  woocommerce: '10.5.2',
  wordpress: '6.9.1',
  php: '8.2.0',
  home: `${home}/`,
  site: `${home}/`,
  salt,
  install,
  profile: {
    name: 'Mugs & More',
    currency: 'USD',
    decimals: 2,
    timeZone: 'America/New_York',
    baseCountry: 'US',
    sellingCountries: ['US'],
    pricesIncludeTax: false,
    showsTax: false,
    isSequential: false,
  },
})

/** Confirms the connection as its owner; returns the code that WordPress receives. */
export async function confirmInvitation(world: World, owner: Owner, home: string) {
  const body = { connect: buildInvitation(home) }
  const reply = await world.request('POST', '/api/stores/plugin/confirm', { token: owner.token, body })
  const [id, key] = (new URL(reply.body.url).searchParams.get('recoup_code') ?? '').split('.') as [string, string]
  return { reply, id, key }
}

export async function exchangeCode(
  world: World,
  home: string,
  code: { id: string; key: string },
  more: CallChange = {},
) {
  const [salt, install] = [crypto.randomBytes(32).toString('base64url'), crypto.randomBytes(16).toString('hex')]
  const body = buildConnectBody(home, salt, install)
  const reply = await postPluginCall(world, { name: 'connect', store: code.id, key: code.key, body }, more)
  const { secret, keys } = findPluginProtocol(DEFAULT_PLATFORM).derivedKeys(code.key, salt)
  return { reply, secret, keys, install }
}

export interface ShopChange {
  owner?: Owner
  home?: string
  /** Recoup cannot reach the shop. */
  isCutOff?: boolean
}

export async function createPluginShop(world: World, change: ShopChange = {}): Promise<PluginShop> {
  const [owner, home] = [change.owner ?? (await registerOwner(world)), change.home ?? createHomeUrl()]
  const fake = createFakeStore(home)
  if (change.isCutOff) fake.problem = buildProblem('unreachable')
  world.storeClient = (access) => {
    fake.access = access
    return fake
  }
  const code = await confirmInvitation(world, owner, home)
  const { reply, secret, install } = await exchangeCode(world, home, code)
  const storeId = reply.body.store
  const call: PluginShop['call'] = (name, body, more) =>
    postPluginCall(world, { name, store: storeId, key: secret, body }, more)
  return {
    owner,
    fake,
    home,
    storeId,
    secret,
    install,
    call,
    batch: (entries, more) => {
      const list = entries.map((entry, place) => ({ age: entries.length - place, ...entry }))
      return call('batch', { v: 1, plugin: '1.0.0', install, entries: list }, more)
    },
  }
}

export const createCartToken = () => crypto.randomBytes(24).toString('base64url')

export const buildCartEntry = (change: Record<string, unknown> = {}) => ({
  type: 'cart',
  cart: createCartToken(),
  lines: [{ product: '16', variation: null, quantity: 2, name: 'Earl Grey', sku: 'T1', price: '19.50', choices: [] }],
  coupons: [],
  currency: 'USD',
  total: '39.00',
  discount: '0.00',
  client: 'c'.repeat(22),
  ...change,
})

/** An order in the form of the shop's REST API. */
export const buildWireOrder = (world: World, change: Record<string, unknown> = {}) => ({
  id: 501,
  status: 'processing',
  currency: 'USD',
  date_created_gmt: world.now.toISOString().slice(0, 19),
  date_modified_gmt: world.now.toISOString().slice(0, 19),
  date_paid_gmt: world.now.toISOString().slice(0, 19),
  total: '39.00',
  prices_include_tax: false,
  customer_id: 0,
  billing: { first_name: 'Ada', last_name: 'L', country: 'US', email: 'ada@shoppers.example.com', phone: '' },
  shipping: {},
  line_items: [{ product_id: 16, variation_id: 0, name: 'Earl Grey', quantity: 2, subtotal: '39.00', price: 19.5 }],
  refunds: [],
  coupon_lines: [],
  created_via: 'checkout',
  payment_url: '',
  meta_data: [],
  ...change,
})

export const buildBeat = (shop: PluginShop, change: Record<string, unknown> = {}) => ({
  v: 1,
  plugin: '1.0.0',
  install: shop.install,
  settings: '',
  health: { queue: 3, oldestS: 20, droppedDay: 0, errorsDay: 0, cronS: 30, isCronDisabled: false, isBlocked: false },
  ...change,
})

/** Connects a plugin to a test store after a first call; returns a function that sends its calls. */
export async function connectPlugin(world: World, storeId: string): Promise<PluginShop['call']> {
  const [secret, install] = [crypto.randomBytes(32).toString('hex'), crypto.randomBytes(16).toString('hex')]
  await transact({ storeId, db: world.db }, (tx) => saveSecret(world.deps, tx, { secret, install, version: '1.0.0' }))
  await noteCall({ storeId, db: world.db }, world.now)
  return (name, body, more) => postPluginCall(world, { name, store: storeId, key: secret, body }, more)
}
