import crypto from 'node:crypto'
import type { Updateable } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serve } from '../../../providers/contracts/serve.ts'
import { readLocalhostTls } from '../../../providers/contracts/tls.ts'
import { type ContractStore, openContractStore, type StoreOptions } from '../../../providers/contracts/woocommerce.ts'
import { KEYS, OWNER, READER } from '../../../providers/contracts/woocommerce-keys.ts'
import { getDetectionText, WITHOUT_SCRIPT_TEXT } from '../../../shared/carts/capture-status.ts'
import { computeWordingId } from '../../../shared/shoppers/consent-box.ts'
import { type Owner, registerOwner } from '../../../test/connected-store.ts'
import { connectPlugin } from '../../../test/plugin-shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import type { StoresTable } from '../../core/schema/stores.ts'
import { createWooCommerceClient } from '../../platforms/woocommerce/platform.ts'
import { readBoxes } from '../../shoppers/consent/boxes.ts'

// Connects a store, then breaks it in various ways.
const world = createWorld({ PUBLIC_URL: 'https://recoup.mugs.com', HOST: '0.0.0.0' })

const open: { close(): Promise<void> }[] = []
let options: StoreOptions
let shop: ContractStore
let owner: Owner
let storeId: string

beforeEach(async () => {
  options = { keys: [...KEYS], now: () => world.now }
  shop = await openContractStore(options)
  const http = openGuardedHttp({ allowPrivate: true, totalTimeoutMs: 2_000 })
  open.push(shop, http)
  world.storeClient = (access) =>
    createWooCommerceClient(access, { fetch: http.fetch, now: () => world.now, pauseMs: 0 })
  owner = await registerOwner(world)
  storeId = await connected(OWNER)
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()))
})

async function connected(keys: typeof OWNER): Promise<string> {
  const { body } = await world.request('POST', '/api/stores/connect-store', {
    token: owner.token,
    body: {
      platform: 'woocommerce',
      store_url: shop.url,
      consumer_key: keys.consumerKey,
      consumer_secret: keys.consumerSecret,
    },
  })
  return body.store.id
}

const examine = (query = '', token = owner.token) => world.request('GET', `/api/stores/doctor${query}`, { token })

async function readChecks() {
  const { status, body } = await examine()
  expect(status).toBe(200)
  const checks = body.checks as {
    id: string
    state: string
    finding: string
    nextStep: string | null
    answer: string
  }[]
  // Every problem has a next step, unless nothing can be done or an earlier check has it.
  for (const { state, nextStep } of checks) if (state === 'bad' || state === 'warn') expect(nextStep).toBeTruthy()
  return Object.fromEntries(checks.map((check) => [check.id, check])) as Record<string, (typeof checks)[number]>
}

const states = (checks: Record<string, { state: string }>) =>
  Object.fromEntries(Object.entries(checks).map(([id, { state }]) => [id, state]))

const change = (columns: Updateable<StoresTable>) =>
  world.db.updateTable('stores').set(columns).where('id', '=', storeId).execute()

const subscribe = () => world.runJobs()

test('a healthy store is good in every check', async () => {
  await subscribe()
  await world.db
    .updateTable('store_webhooks')
    .set({ last_delivery_at: world.now })
    .where('store_id', '=', storeId)
    .execute()
  await change({ capture_seen_at: world.now })
  const checks = await readChecks()
  expect(states(checks)).toEqual({
    reachable: 'good',
    version: 'good',
    keys: 'good',
    permissions: 'good',
    webhooks: 'good',
    capture: 'good',
    'before-consent': 'good',
    boxes: 'quiet',
    sync: 'good',
    clock: 'good',
    // The recorded key cannot read the tax settings.
    prices: 'quiet',
  })
  expect(checks.version!.finding).toContain('10.4.4')
})

test('a store without a choice for data before consent is asked for it (C9)', async () => {
  expect((await readChecks())['before-consent']).toMatchObject({ state: 'good' })
  await change({ before_consent: null })
  expect((await readChecks())['before-consent']).toMatchObject({
    state: 'warn',
    nextStep: expect.stringContaining('Before consent'),
  })
})

test.each([
  ['a name that has no address', 'http://no-such-shop.invalid', /no response from this store address/],
  ['an address that is no WordPress', 'blank', /no WordPress/],
  ['an untrusted certificate', 'tls', /certificate is not valid/],
])('%s is reported as unreachable, and dependent checks as unknown', async (_what, address, expected) => {
  const served = await serve((_, reply) => reply.end('hello'), address === 'tls' ? readLocalhostTls() : undefined)
  open.push(served)
  const url = address.startsWith('http')
    ? address
    : `${address === 'tls' ? 'https' : 'http'}://localhost:${served.port}`
  await change({ url, home_url: url })
  const checks = await readChecks()
  expect(checks.reachable).toMatchObject({ state: 'bad', finding: expect.stringMatching(expected) })
  expect(states(checks)).toMatchObject({ keys: 'quiet', permissions: 'quiet', clock: 'quiet', version: 'quiet' })
})

test('deleted keys are a problem of the keys only', async () => {
  options.keys.splice(0)
  const checks = await readChecks()
  expect(states(checks)).toMatchObject({ reachable: 'good', keys: 'bad', permissions: 'quiet' })
  expect(checks.keys!.finding).toContain('does not recognize this consumer key')
})

test('a user without rights (403) is a problem of the permissions', async () => {
  options.keys.splice(0, options.keys.length, { ...OWNER, mayManage: false })
  expect(states(await readChecks())).toMatchObject({ reachable: 'good', keys: 'good', permissions: 'bad' })
})

test('a read-only key works, but cannot create webhooks', async () => {
  storeId = await connected(READER)
  const checks = await readChecks()
  expect(states(checks)).toMatchObject({ keys: 'good', permissions: 'warn', webhooks: 'warn' })
  expect(checks.permissions!.nextStep).toContain('Read/Write')
})

test('a version before 5.0 is reported as too old, 5.0 is not (A 1)', { tags: ['A1'] }, async () => {
  const isVersion = (version: string) => {
    options.intercept = ({ url }) =>
      url?.includes('/system_status') ? { status: 200, body: { environment: { version } } } : undefined
  }
  isVersion('5.0.0')
  expect((await readChecks()).version).toMatchObject({ state: 'good', finding: expect.stringContaining('5.0.0') })
  isVersion('4.9.2')
  expect((await readChecks()).version).toMatchObject({ state: 'bad', finding: expect.stringContaining('4.9.2') })
  const { body } = await world.request('GET', '/api/stores/check-connection', { token: owner.token })
  expect(body.store.version).toBe('4.9.2')
})

test('an examination without changes does not wait for a lock on the store', async () => {
  await world.db.transaction().execute(async (tx) => {
    await tx.selectFrom('stores').select('id').where('id', '=', storeId).forUpdate().execute()
    expect(states(await readChecks())).toMatchObject({ keys: 'good' })
  })
})

test('webhooks disabled by WooCommerce are reported and created again', async () => {
  await subscribe()
  expect((await readChecks()).webhooks).toMatchObject({
    state: 'warn',
    finding: expect.stringContaining('none has been received'),
  })
  shop.webhooks[0]!.status = 'disabled'
  expect((await readChecks()).webhooks).toMatchObject({ state: 'bad', finding: expect.stringContaining('1 of 3') })
  expect(world.queued.map(({ name }) => name)).toContain('stores.webhooks')
  await world.runJobs()
  expect((await readChecks()).webhooks).toMatchObject({
    state: 'warn',
    finding: expect.stringContaining('none has been received'),
  })
})

test('webhooks that have delivered nothing are fine where the plugin reports orders', async () => {
  await connectPlugin(world, storeId)
  await subscribe()
  expect((await readChecks()).webhooks).toMatchObject({
    state: 'quiet',
    finding: expect.stringContaining('the plugin reports orders at once'),
  })
})

test('a clock off by over five minutes is reported, over fifteen with the resulting rejection', async () => {
  options.now = () => new Date(world.now.getTime() + 4 * 60_000)
  expect((await readChecks()).clock).toMatchObject({ state: 'good' })
  options.now = () => new Date(world.now.getTime() - 7 * 60_000)
  expect((await readChecks()).clock).toMatchObject({
    state: 'warn',
    finding: expect.stringContaining('7 minutes behind'),
  })
  const fast = await openContractStore({ ...options, now: () => new Date(world.now.getTime() + 20 * 60_000) })
  open.push(fast)
  await change({ url: fast.url, home_url: fast.url })
  expect(states(await readChecks())).toMatchObject({ reachable: 'good', keys: 'quiet', clock: 'bad' })
})

test('version and script checks agree on the carts detected without the script', async () => {
  const { version, capture } = await readChecks()
  for (const part of [version, capture]) expect(part?.finding).toContain(WITHOUT_SCRIPT_TEXT)
  const texts = [true, false].map((hasEarlyDrafts) => getDetectionText({ hasEarlyDrafts, hasPlugin: false }))
  expect(texts.map((text) => version?.finding.includes(text)).sort()).toEqual([false, true])
  expect(capture?.finding).not.toContain('Place order')
})

test('a tracking script that is missing or silent since yesterday is reported', async () => {
  expect((await readChecks()).capture).toMatchObject({
    state: 'warn',
    finding: expect.stringContaining('The script has not reported yet'),
  })
  await change({ capture_seen_at: new Date(world.now.getTime() - 3 * 86_400_000) })
  expect((await readChecks()).capture).toMatchObject({ state: 'warn', finding: expect.stringContaining('3 days ago') })
})

test('contacts above the limits are reported with the reason (X5)', async () => {
  await change({ capture_seen_at: world.now })
  const store_id = storeId
  await world.db
    .insertInto('shoppers')
    .values({ store_id, id: createId(), created_at: world.now, first_seen_at: world.now })
    .execute()
  const { id } = await world.db
    .selectFrom('shoppers')
    .select('id')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  const contact = { store_id, shopper_id: id, kind: 'email', said_at: world.now } as const
  await world.db
    .insertInto('unconfirmed_contacts')
    .values([
      { ...contact, value: 'a@shoppers.example', reason: 'client' },
      { ...contact, value: 'b@shoppers.example', reason: 'store' },
    ])
    .execute()
  expect((await readChecks()).capture).toMatchObject({
    state: 'warn',
    finding: expect.stringMatching(
      /2 new contacts were above a limit: 1 because more than 20 .*, 1 because .* more than 60 .* 2 of them are not confirmed/,
    ),
  })
})

test('consent boxes seen, seen with another text, and not seen are reported', async () => {
  const recordSighting = async (wording_id: string) => {
    const row = { store_id: storeId, channel: 'sms' as const, wording_id, seen_at: world.now }
    await world.db.deleteFrom('consent_boxes').where('store_id', '=', storeId).execute()
    await world.db.insertInto('consent_boxes').values(row).execute()
    return (await readChecks()).boxes
  }
  expect((await readChecks()).boxes).toMatchObject({
    state: 'quiet',
    finding: expect.stringContaining('not seen your checkout'),
  })
  await change({ checkout_seen_at: world.now })
  expect((await readChecks()).boxes).toMatchObject({
    state: 'quiet',
    finding: expect.stringContaining('no consent box'),
  })
  expect(await recordSighting('w1')).toMatchObject({
    state: 'warn',
    finding: expect.stringContaining('different text from yours for SMS'),
  })
  const { boxes } = await readBoxes({ storeId, db: world.db })
  expect(await recordSighting(computeWordingId(boxes[1]!.words))).toMatchObject({
    state: 'good',
    finding: expect.stringContaining('SMS'),
  })
})

test('a failed sync and a stopped one are reported', async () => {
  expect((await readChecks()).sync).toMatchObject({ state: 'quiet' })
  await subscribe()
  const streams = world.db.updateTable('sync_state').where('store_id', '=', storeId)
  await streams
    .where('stream', '=', 'import')
    .set({ failed_at: new Date(world.now.getTime() + 1), error_code: 'wrong_key' })
    .execute()
  expect((await readChecks()).sync).toMatchObject({ state: 'bad', finding: expect.stringContaining('consumer key') })
  const old = new Date(world.now.getTime() - 3_600_000)
  await streams.set({ failed_at: null, error_code: null, completed_at: old }).execute()
  expect((await readChecks()).sync).toMatchObject({ state: 'bad', finding: expect.stringContaining('1 hour ago') })
})

test('keys that this server cannot decrypt are reported as such', async () => {
  await world.db
    .updateTable('store_credentials')
    .set({ encrypted: crypto.randomBytes(64) })
    .where('store_id', '=', storeId)
    .execute()
  expect((await readChecks()).keys).toMatchObject({
    state: 'bad',
    nextStep: 'Press “Replace keys” and enter the store’s keys.',
  })
})

test('only members of the store may ask, with a limit', async () => {
  const otherOwner = await registerOwner(world)
  for (const named of [storeId, shop.url]) {
    expect((await examine(`?storeId=${encodeURIComponent(named)}`, otherOwner.token)).status).toBe(404)
  }
  await world.db.deleteFrom('rate_limits').execute()
  for (let attempt = 0; attempt < 20; attempt += 1) expect((await examine()).status).toBe(200)
  expect(await examine()).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
})
