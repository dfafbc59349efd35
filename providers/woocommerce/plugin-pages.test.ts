import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { changePlugin, readPlugin } from '../../server/access/plugin/plugin-sql.ts'
import { createSignedCall } from '../../server/access/plugin/signature.ts'
import { detectAbandoned } from '../../server/carts/carts/detect.ts'
import { createRestoreToken } from '../../server/delivery/compose/compose.ts'
import { wakeDueStores } from '../../server/messages/messages/scan.ts'
import { completeOrderCheck } from '../../test/factories.ts'
import { HOUR } from '../../test/message-scene.ts'
import { openPluginDemo, type PluginDemo } from '../../test/plugin-demo.ts'
import { createWorld } from '../../test/world.ts'
import { hmac, readLink } from './plugin-link.ts'
import type { DemoStore } from './store.ts'

// The plugin's endpoints: wake, restore link, consent boxes and the owner's screen.

const world = createWorld()
let connected: PluginDemo
let demo: DemoStore

beforeAll(async () => {
  connected = await openPluginDemo(world)
  demo = connected.demo
  await world.runJobs()
  await demo.plugin.beat()
  const { token } = connected.owner
  await world.request('PUT', '/api/stores/settings', { token, body: { postalAddress: '1 Kiln Road' } })
  const { body } = await world.request('GET', '/api/flows', { token })
  const switched = { token, body: { isOn: true, includeLast24h: false } }
  expect((await world.request('POST', `/api/flows/${body.flows[0].id}/switch`, switched)).status).toBe(200)
})

afterAll(() => connected?.stop())

/** A browser that stores cookies and does not follow redirects. */
function createBrowser() {
  const cookies = new Map<string, string>()
  let nonce = ''
  const go = async (path: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const reply = await fetch(new URL(path, demo.url), {
      redirect: 'manual',
      ...init,
      headers: { ...init.headers, cookie },
    })
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      cookies.set(name!, value!)
    }
    nonce = reply.headers.get('nonce') ?? nonce
    return { status: reply.status, to: reply.headers.get('location'), text: await reply.text() }
  }
  const api = async (method: string, path: string, body?: object) => {
    if (!nonce) await go('/wp-json/wc/store/v1/cart')
    const headers = { 'content-type': 'application/json', nonce }
    const answer = await go(`/wp-json/wc/store/v1/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return JSON.parse(answer.text)
  }
  return { go, api }
}
type Browser = ReturnType<typeof createBrowser>

let products: number[]
beforeEach(() => {
  products = (
    demo.shop.db.sqlite
      .prepare("select id from products where json_extract(doc, '$.type') = 'simple' order by id limit 3")
      .all() as { id: number }[]
  ).map(({ id }) => id)
})

const typeEmail = (browser: Browser, email: string) =>
  browser.api('POST', 'cart/update-customer', {
    billing_address: { email, country: 'US' },
    shipping_address: { country: 'US' },
  })

const findCart = (email: string) =>
  world.db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', connected.storeId)
    .where('email', '=', email)
    .where('status', '<>', 'merged')
    .executeTakeFirstOrThrow()

async function sendChanges() {
  demo.plugin.queueChanges()
  expect((await demo.plugin.sendQueue()).status).toBe(200)
}

const buildWakeUrl = () => `${demo.url}/?rest_route=/recoup/v1/wake`

test('sends a beat after a wake, and rejects forged, late and replayed wakes', async () => {
  const store = { storeId: connected.storeId, db: world.db }
  const link = readLink(demo.shop)!
  const body = JSON.stringify({ v: 1, reason: 'check' })
  const signCall = (key = link.secret, now = world.now) =>
    createSignedCall(key, 'wake', { store: link.store, body, now })
  const call = (headers: Record<string, string>, text = body) =>
    fetch(buildWakeUrl(), { method: 'POST', headers, body: text }).then(async (reply) => ({
      status: reply.status,
      signature: reply.headers.get('x-recoup-signature'),
      text: await reply.text(),
    }))
  expect(await call({})).toMatchObject({ status: 401, signature: null })
  expect(await call(signCall('wrong').headers)).toMatchObject({ status: 401, signature: null })
  expect(await call(signCall().headers, '{}')).toMatchObject({ status: 401, signature: null })
  expect(await call(signCall().headers, 'x'.repeat(1_025))).toMatchObject({ status: 413, signature: null })
  expect(await call(signCall(link.secret, new Date(world.now.getTime() - 301_000)).headers)).toMatchObject({
    status: 401,
  })
  const good = signCall()
  const answer = await call(good.headers)
  expect(answer.status).toBe(200)
  expect(answer.signature).toBe(hmac(link.secret, ['v1', 'answer', good.nonce, '200', answer.text].join('\n')))
  expect((await call(good.headers)).status).toBe(409)
  await changePlugin(store, { beat_at: null })
  await call(signCall().headers)
  await expect.poll(async () => (await readPlugin(store))?.beat_at).not.toBeNull()
})

test('sends a requested test cart with the beat after a wake', async () => {
  await world.request('POST', '/api/stores/plugin/test', { token: connected.owner.token })
  await world.runJobs()
  const { storeId } = connected
  await expect
    .poll(async () => {
      const plugin = await readPlugin({ storeId, db: world.db })
      return plugin?.test_asked !== null && plugin?.test_seen === plugin?.test_asked
    })
    .toBe(true)
})

test('explains in the connection check why this store has no webhooks', async () => {
  const { body } = await world.request('GET', '/api/stores/doctor', { token: connected.owner.token })
  expect(body.checks.find(({ id }: { id: string }) => id === 'webhooks')).toMatchObject({
    state: 'quiet',
    finding: expect.stringMatching(/^Not needed: the plugin reports orders at once\. .* is not public\.$/),
  })
})

test('sends a ticked box with the cart and the order, and a withdrawal when unticked', async () => {
  const browser = createBrowser()
  await browser.go(`/?add-to-cart=${products[0]}`)
  await typeEmail(browser, 'ticks@shoppers.example.com')
  const page = await browser.go('/checkout/')
  const { words } = readLink(demo.shop)!.boxes.find(({ channel }) => channel === 'email')!
  expect(page.text).toContain('data-field="recoup/consent-email"')
  const tick = (isGiven: boolean) =>
    browser.api('POST', 'checkout?__experimental_calc_totals=true', {
      additional_fields: { 'recoup/consent-email': isGiven },
    })
  const listAnswers = async () =>
    (
      await world.db
        .selectFrom('consents')
        .select('status')
        .where('store_id', '=', connected.storeId)
        .where('address_hash', '=', world.deps.secrets.addressHash('ticks@shoppers.example.com'))
        .orderBy('id', 'desc')
        .execute()
    )[0]?.status
  await tick(false)
  await sendChanges()
  const untouched = await listAnswers()
  await tick(true)
  await sendChanges()
  const answers = await listAnswers()
  expect([untouched, answers]).toEqual([undefined, expect.anything()])
  await tick(false)
  await sendChanges()
  expect(await listAnswers()).not.toBe(answers)
  await tick(true)
  const address = {
    first_name: 'Tia',
    last_name: 'Ticks',
    address_1: '1 Main St',
    city: 'Burlington',
    state: 'VT',
    postcode: '05401',
    country: 'US',
  }
  const order = await browser.api('POST', 'checkout', {
    billing_address: { ...address, email: 'ticks@shoppers.example.com' },
    shipping_address: address,
    payment_method: 'cod',
  })
  const orderDoc = JSON.stringify(
    demo.shop.db.sqlite.prepare('select doc from orders where id = ?').get(order.order_id),
  )
  expect(orderDoc).toContain('_recoup_consent_email')
  expect(orderDoc).toContain(words.slice(0, 20))
})

/** Abandons a cart with two items and sends an email; returns the restore token that the restore page creates. */
async function abandonCart(email: string): Promise<string> {
  const browser = createBrowser()
  await browser.go(`/?add-to-cart=${products[0]}&quantity=2`)
  await browser.go(`/?add-to-cart=${products[1]}`)
  await typeEmail(browser, email)
  await sendChanges()
  world.advance(26 * HOUR)
  await completeOrderCheck(world, connected.storeId)
  await detectAbandoned(world.deps)
  await wakeDueStores(world.deps)
  await world.runJobs()
  const { id } = await world.db
    .selectFrom('messages')
    .select('id')
    .where('store_id', '=', connected.storeId)
    .where('to_address', '=', email)
    .executeTakeFirstOrThrow()
  const reply = await world.request('POST', `/api/carts/${createRestoreToken(world.deps.secrets, id)}/restore`)
  return new URL(reply.body.checkoutUrl).searchParams.get('recoup-restore')!
}

test('restores the same cart in another browser', async () => {
  const token = await abandonCart('back@shoppers.example.com')
  const other = createBrowser()
  expect(await other.go(`/?recoup-restore=${token}`)).toMatchObject({ status: 302, to: '/checkout/' })
  const visibleText = await other.go('/checkout/')
  expect(visibleText.text).toContain('Your cart is back.')
  const { items } = await other.api('GET', 'cart')
  expect(items.map((item: { id: number; quantity: number }) => [item.id, item.quantity])).toEqual([
    [products[0], 2],
    [products[1], 1],
  ])
  await other.go(`/?add-to-cart=${products[2]}`)
  await sendChanges()
  expect(await findCart('back@shoppers.example.com')).toMatchObject({ item_count: 4 })
  const { carts } = await world.db
    .selectFrom('carts')
    .select(({ fn }) => fn.countAll<string>().as('carts'))
    .where('store_id', '=', connected.storeId)
    .where('item_count', '=', 4)
    .where('status', '<>', 'merged')
    .executeTakeFirstOrThrow()
  expect(Number(carts)).toBe(1)
})

test('asks before replacing another cart, and ignores a forged link', async () => {
  const token = await abandonCart('asks@shoppers.example.com')
  const other = createBrowser()
  await other.go(`/?add-to-cart=${products[2]}`)
  expect(await other.go(`/?recoup-restore=${token}`)).toMatchObject({ to: '/cart/' })
  expect((await other.go('/cart/')).text).toContain('Use the saved cart')
  const listIds = async () => (await other.api('GET', 'cart')).items.map(({ id }: { id: number }) => id)
  expect(await listIds()).toEqual([products[2]])
  expect(await other.go(`/?recoup-restore=${token}&recoup-use=0`)).toMatchObject({ to: '/cart/' })
  expect(await listIds()).toEqual([products[2]])
  expect(await other.go(`/?recoup-restore=${token}&recoup-use=1`)).toMatchObject({ to: '/checkout/' })
  expect(await listIds()).toEqual([products[0], products[1]])
  for (const forged of ['x'.repeat(43), 'short', '../../etc/passwd']) {
    const answer = await createBrowser().go(`/?recoup-restore=${encodeURIComponent(forged)}`)
    expect([forged, answer.status, answer.to]).toEqual([forged, 404, null])
    expect(answer.text).toContain('Go to the shop')
  }
})

test('lists sold-out items and restores the available quantity', async () => {
  const token = await abandonCart('sold@shoppers.example.com')
  const set = (id: number, stock: number) =>
    demo.shop.db.sqlite.prepare("update products set doc = json_set(doc, '$.stock', ?) where id = ?").run(stock, id)
  set(products[0]!, 1)
  set(products[1]!, 0)
  const other = createBrowser()
  expect(await other.go(`/?recoup-restore=${token}`)).toMatchObject({ to: '/checkout/' })
  expect((await other.go('/checkout/')).text).toContain('No longer available, or fewer than before')
  const { items } = await other.api('GET', 'cart')
  expect(items.map((item: { id: number; quantity: number }) => [item.id, item.quantity])).toEqual([[products[0], 1]])
})

test('returns with a code after Connect in WordPress', async () => {
  const startedAt = await fetch(`${demo.url}/wp-admin/?page=recoup`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ recoup: connected.recoup }),
  })
  const connect = new URL(startedAt.headers.get('location')!).searchParams.get('connect')!
  const { body } = await world.request('POST', '/api/stores/plugin/confirm', {
    token: connected.owner.token,
    body: { connect },
  })
  const before = readLink(demo.shop)!.secret
  const answer = await (await fetch(body.url)).text()
  expect(answer).toContain('The shop is connected.')
  expect(readLink(demo.shop)!.secret).not.toBe(before)
  expect(await (await fetch(body.url)).text()).toContain('This connection was not started here.')
})
