import { beforeEach, expect, test } from 'vitest'
import {
  connectFakeStore,
  createConnectedStore,
  createHomeUrl,
  createOwnerCalls,
  registerOwner,
} from '../../../test/connected-store.ts'
import { createFakeStore } from '../../../test/fake-store.ts'
import { readNotifications } from '../../../test/notifications.ts'
import {
  buildBeat,
  buildInvitation,
  confirmInvitation,
  createPluginShop,
  exchangeCode,
  postPluginCall,
} from '../../../test/plugin-shop.ts'
import { createWorld } from '../../../test/world.ts'
import { signReply } from '../../access/plugin/signature.ts'
import { reachShop } from './reach.ts'

// Decision 103: a shop is connected by its plugin, without anyone handling keys.

const world = createWorld()
const { check, disconnect, storeRow } = createOwnerCalls(world)

beforeEach(() => {
  world.queued.length = 0
})

const pluginRow = (storeId: string) =>
  world.db.selectFrom('plugin_connections').selectAll().where('store_id', '=', storeId).executeTakeFirst()

const review = (token: string, body: string) =>
  world.request('GET', `/api/stores/plugin/request?connect=${encodeURIComponent(body)}`, { token })

test('the owner confirms shop and account, and the plugin exchanges the code, with the result of pasted keys', async () => {
  const [owner, home] = [await registerOwner(world), createHomeUrl()]
  const reviewed = await review(owner.token, buildInvitation(home))
  expect(reviewed).toMatchObject({ status: 200, body: { homeUrl: home, name: 'Mugs & More', problem: null } })
  expect(reviewed.body.cancelUrl).toBe(
    `${home}/wp-admin/admin.php?page=recoup&recoup_state=${'s'.repeat(43)}&recoup_error=cancelled`,
  )
  const code = await confirmInvitation(world, owner, home)
  expect(code.reply.body.url).toContain(`${home}/wp-admin/admin.php?page=recoup&recoup_state=`)
  const { reply, keys } = await exchangeCode(world, home, code)
  expect(reply).toMatchObject({
    status: 200,
    isSigned: true,
    body: { settings: { boxes: expect.any(Array), push: null } },
  })
  const store = await storeRow(reply.body.store)
  expect(store).toMatchObject({
    home_url: home,
    currency: 'USD',
    base_country: 'US',
    is_address_proven: false,
    is_active: true,
  })
  expect(world.queued.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['stores.import', 'stores.webhooks', 'plugin.reach']),
  )
  expect((await check(owner)).body).toMatchObject({ hasConnection: true, store: { id: reply.body.store } })
  const row = await pluginRow(reply.body.store)
  expect(row!.encrypted_secret.toString('latin1')).not.toContain(keys.consumerSecret)
})

test('Recoup reads the shop with the derived keys, and the address is proven', async () => {
  const shop = await createPluginShop(world)
  await world.runJobs()
  expect(shop.fake.access).toMatchObject({ keys: { consumerKey: expect.stringMatching(/^ck_[0-9a-f]{40}$/) } })
  expect(await storeRow(shop.storeId)).toMatchObject({ is_address_proven: true })
  expect(await pluginRow(shop.storeId)).toMatchObject({ is_reached: true, reach_code: null })
  expect(shop.fake.pluginCalls.map(({ body }) => JSON.parse(body).reason)).toContain('connected')
  expect((await shop.call('beat', buildBeat(shop))).body).toMatchObject({
    reach: { isReached: true },
    ask: { ordersSince: null },
  })
})

test('an unreachable shop works by its own calls, and both sides explain why', async () => {
  const shop = await createPluginShop(world, { isCutOff: true })
  await world.runJobs()
  const { body } = await shop.call('beat', buildBeat(shop))
  expect(body).toMatchObject({
    reach: { isReached: false, reason: expect.stringContaining('no response') },
    ask: { everyS: 60 },
  })
  const reply = await world.request('GET', '/api/stores/plugin', { token: shop.owner.token })
  expect(reply.body.plugin).toMatchObject({ isReached: false, reason: expect.stringContaining('no response') })
})

test('only a shop that Recoup has reached is reported as tested (decision 130)', async () => {
  const shop = await createPluginShop(world, { isCutOff: true })
  await world.runJobs()
  const sent = async () => (await readNotifications(world, shop.storeId)).map(({ type, message }) => [type, message])
  expect(await sent()).toEqual([
    ['store_connected', expect.stringMatching(/is connected by its plugin\. (?!.*being read)/)],
  ])
  shop.fake.problem = null
  const again = () => reachShop(world.deps, { storeId: shop.storeId })
  await again()
  await again()
  expect((await sent()).slice(1)).toEqual([['connection_test', expect.stringContaining('works')]])
  // Connected again: another test.
  await world.db.updateTable('plugin_connections').set({ is_reached: null }).execute()
  await again()
  expect(await sent()).toHaveLength(3)
})

test('a slow profile does not shorten the time limit for orders', async () => {
  const shop = await createPluginShop(world, { isCutOff: true })
  const limits: (AbortSignal | undefined)[] = []
  world.storeClient = () =>
    Object.assign(Object.create(shop.fake), {
      async readProfile(signal: AbortSignal) {
        limits.push(signal)
        return shop.fake.profile
      },
      async *orders({ signal }: { signal?: AbortSignal }) {
        limits.push(signal)
        yield* []
      },
    })
  await reachShop(world.deps, { storeId: shop.storeId })
  expect(limits).toEqual([expect.any(AbortSignal), expect.any(AbortSignal)])
  expect(limits[0]).not.toBe(limits[1])
})

test('a code works once, for ten minutes, for the confirmed shop', async () => {
  const [owner, home] = [await registerOwner(world), createHomeUrl()]
  const code = await confirmInvitation(world, owner, home)
  expect((await exchangeCode(world, createHomeUrl(), code)).reply).toMatchObject({
    status: 422,
    body: { code: 'other_shop' },
    isSigned: true,
  })
  expect((await exchangeCode(world, home, code)).reply).toMatchObject({ status: 404, body: { code: 'code_expired' } })
  const second = await confirmInvitation(world, owner, home)
  world.advance(10 * 60_000 + 1_000)
  expect((await exchangeCode(world, home, second)).reply).toMatchObject({
    status: 404,
    body: { code: 'code_expired' },
    isSigned: true,
  })
  const third = await confirmInvitation(world, owner, home)
  expect((await exchangeCode(world, home, { ...third, key: 'k'.repeat(43) })).reply).toMatchObject({
    status: 401,
    isSigned: false,
  })
  expect((await exchangeCode(world, home, third, { time: world.now.getTime() / 1_000 - 400 })).reply).toMatchObject({
    status: 401,
    body: { code: 'clock', now: Math.floor(world.now.getTime() / 1_000) },
    isSigned: true,
  })
  expect((await exchangeCode(world, home, third)).reply.status).toBe(200)
})

test("a code ends with the confirming member's right", async () => {
  const [owner, home] = [await registerOwner(world), createHomeUrl()]
  const code = await confirmInvitation(world, owner, home)
  await world.db.updateTable('members').set({ role: 'viewer' }).where('user_id', '=', owner.userId).execute()
  expect((await exchangeCode(world, home, code)).reply).toMatchObject({ status: 404, body: { code: 'code_expired' } })
})

test('the connect page shows problems before the confirmation: another account, no room, no right', async () => {
  const theirs = await createConnectedStore(world)
  const owner = await registerOwner(world)
  const invitation = buildInvitation(theirs.fake.profile.homeUrl)
  expect((await review(owner.token, invitation)).body.problem).toMatchObject({
    code: 'other_account',
    message: 'This store is already connected to another account.',
    backUrl: expect.stringContaining('recoup_error=other_account'),
  })
  expect(
    await world.request('POST', '/api/stores/plugin/confirm', { token: owner.token, body: { connect: invitation } }),
  ).toMatchObject({ status: 409, body: { error: 'This store is already connected to another account.' } })
  await createPluginShop(world, { owner })
  const full = await review(owner.token, buildInvitation(createHomeUrl()))
  expect(full.body.problem).toMatchObject({ code: 'no_room', message: expect.stringContaining('includes 1 store') })
  await world.db.updateTable('members').set({ role: 'member' }).where('user_id', '=', owner.userId).execute()
  expect((await review(owner.token, buildInvitation(createHomeUrl()))).body.problem).toMatchObject({ code: 'no_right' })
})

test('the API rejects a request that leads elsewhere or is incomplete (X1)', async () => {
  const owner = await registerOwner(world)
  const home = createHomeUrl()
  const bad = [
    buildInvitation(home, { return: 'https://evil.example.net/wp-admin/' }),
    buildInvitation(home, { return: 'javascript:alert(1)' }),
    buildInvitation(home, { home: 'ftp://shop.example.com/' }),
    buildInvitation(home, { home: 'https://user:pass@shop.example.com/' }),
    buildInvitation(home, { state: 'short' }),
    buildInvitation(home, { v: 2 }),
    'not base64url at all',
    Buffer.from('null').toString('base64url'),
  ]
  for (const connect of bad) {
    expect(await review(owner.token, connect)).toMatchObject({ status: 400, body: { code: 'invalid' } })
    const call = { token: owner.token, body: { connect } }
    expect((await world.request('POST', '/api/stores/plugin/confirm', call)).status).toBe(400)
  }
})

test('a plugin with a foreign address takes nothing from its owner, and yields to proof', async () => {
  const squatter = await createPluginShop(world, { isCutOff: true })
  await world.runJobs()
  const owner = await registerOwner(world)
  const real = createFakeStore(squatter.home)
  expect((await connectFakeStore(world, owner, real)).status).toBe(200)
  await world.runJobs()
  expect(await storeRow(squatter.storeId)).toMatchObject({ is_active: false })
  expect(await squatter.call('beat', buildBeat(squatter))).toMatchObject({ status: 410, isSigned: true })
})

test('after a reconnection, the first call with the new secret ends the old one', async () => {
  const first = await createPluginShop(world)
  const again = await createPluginShop(world, { owner: first.owner, home: first.home })
  expect(again.storeId).toBe(first.storeId)
  expect((await first.call('beat', buildBeat(first))).status).toBe(200)
  expect((await again.call('beat', buildBeat(again))).status).toBe(200)
  expect(await first.call('beat', buildBeat(first))).toMatchObject({ status: 401, isSigned: false })
})

test('after a disconnect here, the shop is woken, its next call learns of it, and nothing more is accepted', async () => {
  const shop = await createPluginShop(world)
  let isAnswerProven = false
  shop.fake.answerPlugin = (call) => {
    const body = '{}'
    isAnswerProven = true
    return { status: 200, body, signature: signReply(shop.secret, call.headers['x-recoup-nonce']!, 200, body) }
  }
  expect((await disconnect(shop.owner)).status).toBe(200)
  expect(shop.fake.pluginCalls.map(({ body }) => JSON.parse(body).reason)).toEqual(['disconnected'])
  expect(isAnswerProven).toBe(true)
  for (const name of ['beat', 'batch', 'restore', 'disconnect'] as const) {
    expect(await shop.call(name, {})).toMatchObject({ status: 410, body: { code: 'disconnected' }, isSigned: true })
  }
  // Pasted keys reconnect the store, but not the plugin's secret.
  await connectFakeStore(world, shop.owner, createFakeStore(shop.home))
  expect((await shop.call('beat', buildBeat(shop))).status).toBe(410)
})

test('a disconnect in WordPress disconnects the store here', async () => {
  const shop = await createPluginShop(world)
  expect(await shop.call('disconnect', { v: 1, reason: 'owner' })).toMatchObject({
    status: 200,
    body: {},
    isSigned: true,
  })
  expect(await storeRow(shop.storeId)).toMatchObject({ is_active: false })
  expect((await check(shop.owner)).body.hasConnection).toBe(false)
})

test('before connecting, the plugin learns whether it reaches Recoup, and our clock', async () => {
  const reply = await world.request('GET', '/api/plugin')
  expect(reply.body).toEqual({ recoup: 1, now: Math.floor(world.now.getTime() / 1_000), minPlugin: '0.1.0' })
  expect((await postPluginCall(world, { name: 'beat', store: '0'.repeat(36), key: 'k', body: {} })).status).toBe(401)
})

test.each([
  ['owner', 'shop'],
  ['uninstall', 'uninstall'],
])('a shop that ends its connection (%s) notifies the owner once, and its account learns the cause', async (reason, by) => {
  const shop = await createPluginShop(world)
  await shop.call('disconnect', { v: 1, reason })
  expect((await shop.call('disconnect', { v: 1, reason })).status).toBe(410)
  const notices = await world.db
    .selectFrom('pending_notifications')
    .select(['type', 'data'])
    .where('store_id', '=', shop.storeId)
    .where('type', '=', 'store_uninstalled')
    .execute()
  expect(notices).toEqual([{ type: 'store_uninstalled', data: { url: shop.home } }])
  const { id, at, keptUntil, ...ended } = (await check(shop.owner)).body.ended
  expect([id, at, Date.parse(keptUntil) - Date.parse(at)]).toEqual([
    shop.storeId,
    world.now.toISOString(),
    30 * 86_400_000,
  ])
  expect(ended).toMatchObject({ platform: 'woocommerce', store_url: shop.home, by })
  const list = await world.request('GET', `/api/notifications?storeId=${id}`, { token: shop.owner.token })
  expect(list.status).toBe(200)
})
