import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import {
  createShopperEverywhere,
  type ErasureScene,
  findTraces,
  postCapture,
  ZEN,
} from '../../../test/erasure-scene.ts'
import { buildOrder, createStore } from '../../../test/factories.ts'
import { waitForBlockedConnections } from '../../../test/locks.ts'
import { HOUR, markPurchased, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { readStore } from '../../access/stores/sql.ts'
import { refold } from '../../carts/carts/carts.ts'
import { detectLost } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { readEvidence } from '../../carts/orders/attribution.ts'
import { upsertCustomers } from '../../carts/sync/sync-sql.ts'
import { transact } from '../../core/db/db.ts'
import { handleReply } from '../../delivery/inbound/inbound.ts'
import { foldRollups } from '../../insights/analytics/rollups.ts'
import { recordAnswers } from '../../shoppers/consent/consents.ts'
import { resumeErasures } from './erase.ts'

const world = createWorld()
const address = encodeURIComponent(ZEN.email)
let zen: ErasureScene

const ask = (method: string, rest = '', body?: unknown, token = zen.token) =>
  world.request(method, `/api/privacy/${rest}`, { token, body })

const cartColumns = `id, shopper_id, status, (select badge from cart_badges b where b.store_id = c.store_id and b.cart_id = c.id) as badge, started_at, last_activity_at, abandon_at, abandoned_at, ended_at, recovered_at,
  pending_until, lost_at, opening_fact_id, last_fact_at, last_fact_id, items, item_count, value_minor, currency, coupons`
/** Without the chosen item attributes, which may identify a person. */
const cartsNow = async (more = '') =>
  (
    await world.pool.query(`select ${cartColumns}${more} from carts c where store_id = $1 order by id`, [zen.storeId])
  ).rows.map((row) => ({ ...row, items: row.items.map(({ choices: _, ...item }: { choices?: unknown }) => item) }))
const sums = async () => {
  await foldRollups(world.deps)
  const { rows } = await world.pool.query(
    `select slot, abandoned, abandoned_recovered, recovered, attributed_minor from rollups where store_id = $1 order by slot`,
    [zen.storeId],
  )
  const orders = await world.pool.query(
    `select order_id, cart_id, touchpoint_id, message_id, net_minor, total_minor, purchased_at from orders where store_id = $1 order by 1`,
    [zen.storeId],
  )
  return { rollups: rows, orders: orders.rows }
}

describe('a person', () => {
  let carts: unknown[]
  let counted: unknown

  beforeAll(async () => {
    zen = await createShopperEverywhere(world)
    carts = await cartsNow()
    counted = await sums()
  })

  test('is found by any of their addresses in any spelling, without data of others', async () => {
    const { body } = await ask('GET', encodeURIComponent('(212) 555-0199'))
    expect(body.person).toMatchObject({ names: ['Zenobia Quartermain'], stores: [{ id: zen.storeId }] })
    expect(body.person.addresses.toSorted()).toEqual([ZEN.phone, ZEN.email].toSorted())
    expect(body.person.counts).toMatchObject({ carts: 2, orders: 2, customers: 1 })
    expect(body.person.suppressed).toHaveLength(2)
    const otherStore = await createStore(world)
    for (const [method, rest] of [
      ['GET', address],
      ['GET', `${address}/export`],
      ['DELETE', address],
    ] as const) {
      expect(
        (await ask(method, rest, method === 'DELETE' ? { confirmation: 'erase' } : undefined, otherStore.token)).status,
      ).toBe(404)
    }
    expect((await ask('GET', 'nobody')).status).toBe(404)
  })

  test('has a complete export that opens in a spreadsheet', async () => {
    const json = await download(`${address}/export`)
    const file = JSON.parse(json.rawPayload.toString())
    expect(file.addresses.toSorted()).toEqual([ZEN.phone, ZEN.email].toSorted())
    const [store] = file.stores
    // Every table with their data is in it, except for secrets and data in another form.
    const places = (await findTraces(world)).map((place) => place.split('.')[0]!)
    const held = [...Object.keys(store.tables), ...Object.keys(file.account)]
    const apart = ['link_tokens', 'capture_inbox', 'idempotency_keys', 'consent_imports']
    const everywhere = ['facts', 'carts', 'shoppers', 'shopper_keys', 'customers', 'orders', 'messages', 'consents']
    expect(places).toEqual(
      expect.arrayContaining([
        ...everywhere,
        'mail_reports',
        'manual_messages',
        'notifications',
        'pending_notifications',
        ...apart.slice(1),
      ]),
    )
    expect([...new Set(places)].filter((table) => !apart.includes(table) && !held.includes(table))).toEqual([])
    expect(json.rawPayload.toString()).not.toContain(zen.other.email)
    const files = unzip((await download(`${address}/export?format=csv`)).rawPayload)
    expect([...files.keys()].toSorted()).toEqual([...held.map((name) => `${name}.csv`), 'README.txt'].toSorted())
    expect(files.get('orders.csv')!.split('\r\n')[0]).toContain('order_id')
    expect(files.get('messages.csv')!.split(/\r\n(?=Tea)/)).toHaveLength(1 + store.tables.messages.length)
  })

  test('is erased by an owner or admin who types the word, which closes open messages at once', async () => {
    expect((await ask('DELETE', address, {})).body.fields).toHaveProperty('confirmation')
    expect(await findTraces(world)).not.toEqual([])
    const { status, body } = await ask('DELETE', address, { confirmation: 'Erase' })
    expect([status, body.erasure.finishedAt]).toEqual([202, null])
    const { rows } = await world.pool.query(
      `select count(*)::int as n from messages m join carts c on c.store_id = m.store_id and c.id = m.cart_id
       where c.email = $1 and m.state in ('scheduled', 'held', 'claimed')`,
      [ZEN.email],
    )
    expect(rows[0].n).toBe(0)
    await world.runJobs()
    const after = await world.request('GET', `/api/erasures/${body.erasure.id}`, { token: zen.token })
    expect(after.body.erasure).toMatchObject({ storesDone: 1, counts: { shoppers: 1, carts: 2, orders: 2 } })
    expect(after.body.erasure.finishedAt).not.toBeNull()
  })

  test('leaves no trace but hashes in any column of any table (C8)', async () => {
    expect(await findTraces(world)).toEqual([])
    const { rows } = await world.pool.query(
      `select encode(address_hash, 'hex') as hash, channel, address from suppressions where account_id = $1 and reason = 'erased'`,
      [zen.accountId],
    )
    const hashes = [ZEN.email, ZEN.phone].map((each) => world.deps.secrets.addressHash(each).toString('hex'))
    expect(rows.map(({ hash }) => hash).toSorted()).toEqual(hashes.toSorted())
    expect(rows.every(({ channel, address }) => channel === 'all' && address === null)).toBe(true)
    // The other shopper is unchanged.
    expect(await findTraces(world, [zen.other.email!.split('@')[0]!])).not.toEqual([])
  })

  test('leaves carts that show the owner no address and no name (C8)', async () => {
    const { body } = await world.request('GET', `/api/carts/abandoned?storeId=${zen.storeId}`, zen)
    const erased = { first_name: null, last_name: null, phone: null, whatsapp: null }
    const others = body.carts.filter((cart: { customer_email: unknown }) => cart.customer_email !== zen.other.email)
    expect(others).toHaveLength(2)
    for (const cart of others) expect(cart).toMatchObject({ customer_email: null, customer_data: erased })
  })

  test('leaves figures unchanged, and a refold of the facts gives the same carts (S7)', async () => {
    expect(await cartsNow()).toEqual(carts)
    expect(await sums()).toEqual(counted)
    const people = ', customer_name, email, phone, search, fold'
    const before = await cartsNow(people)
    const shoppers = await world.pool.query('select id from shoppers where store_id = $1', [zen.storeId])
    await transact({ storeId: zen.storeId, db: world.db }, async (tx) => {
      const ids = shoppers.rows.map(({ id }) => id)
      await refold(tx, (await readStore(tx))!, { shopperIds: ids }, await readEvidence(tx, ids), world.now)
    })
    expect(await cartsNow(people)).toEqual(before)
    expect(await sums()).toEqual(counted)
  })

  test('does not return with later store data, gets no message, and later purchases are anonymous', async () => {
    world.sent.length = 0
    const again = { ...zen.order, kind: 'purchase' as const, status: 'completed', paidAt: world.now.toISOString() }
    const fresh = buildOrder(world, { ...ZEN, kind: 'purchase' })
    const draft = buildOrder(world, { ...ZEN, kind: 'draft' })
    await recordOrders(world.deps, zen.storeId, [again, fresh, draft], 'sync')
    const copied = {
      customer_id: '4712',
      email: ZEN.email,
      first_name: ZEN.firstName,
      hashes: [world.deps.secrets.addressHash(ZEN.email).toString('hex')],
    }
    await transact({ storeId: zen.storeId, db: world.db }, (tx) =>
      upsertCustomers(tx, JSON.stringify([copied]), world.now, world.now),
    )
    await postCapture(world, zen, {
      cart: 'a-new-token-of-hers',
      device: 'a-new-device-of-hers',
      page: 'a-new-page',
      seq: 1,
      items: [{ id: '16', quantity: 2 }],
      contact: { email: ZEN.email, firstName: ZEN.firstName },
    })
    await postCapture(world, zen, {
      cart: 'a-new-token-of-hers',
      device: 'a-new-device-of-hers',
      page: 'a-new-page',
      seq: 2,
      contact: { email: ZEN.email, phone: ZEN.phone, lastName: ZEN.lastName },
      consent: { email: buildConsentBox('email') },
    })
    const account = { accountId: zen.accountId, db: world.db }
    const stop = { channel: 'sms', id: 'later', from: ZEN.phone, text: 'STOP', at: null, isAnswered: true }
    await handleReply(world.deps, account, { ...stop, isAnsweredAtOnce: true } as never)
    const entry = { address: ZEN.email, note: 'Zenobia rang again' }
    await world.request('POST', '/api/suppressions', { token: zen.token, body: entry })
    for (let hour = 0; hour < 4; hour++) await passTime(world, zen.storeId, 24 * HOUR)
    expect(world.sent.filter(({ to }) => to === ZEN.email)).toEqual([])
    expect(await findTraces(world)).toEqual([])
    const { rows } = await world.pool.query('select order_id, net_minor, email from orders where order_id = any($1)', [
      [zen.order.orderId, fresh.orderId, draft.orderId],
    ])
    expect(rows.map(({ order_id }) => order_id).toSorted()).toEqual([zen.order.orderId, fresh.orderId].toSorted())
    expect(rows.every(({ email, net_minor }) => email === null && net_minor > 0)).toBe(true)
  })

  test('has earlier orders that a later refund still reduces (S3)', async () => {
    const refunded = {
      ...zen.order,
      kind: 'purchase' as const,
      status: 'refunded',
      modifiedAt: world.now.toISOString(),
    }
    await recordOrders(world.deps, zen.storeId, [{ ...refunded, refundedMinor: refunded.totalMinor }], 'webhook')
    const { rows } = await world.pool.query('select net_minor, email from orders where order_id = $1', [
      zen.order.orderId,
    ])
    expect(rows).toEqual([{ net_minor: 0, email: null }])
    expect(await findTraces(world)).toEqual([])
  })

  test('is erased after messages in flight, so that nothing is written afterwards', async () => {
    const greta = buildOrder(world, { email: 'greta@walk.example' })
    await recordOrders(world.deps, zen.storeId, [greta], 'sync')
    await passTime(world, zen.storeId, 2 * HOUR)
    const move = (state: string) =>
      world.pool.query('update messages set state = $1 where store_id = $2 and to_address = $3', [
        state,
        zen.storeId,
        greta.email,
      ])
    await move('sending')
    await ask('DELETE', 'greta@walk.example', { confirmation: 'erase' })
    const erasing = world.runJobs()
    await sleep(700)
    expect(await findTraces(world, ['greta@walk'])).not.toEqual([])
    await move('sent')
    await erasing
    expect(await findTraces(world, ['greta@walk'])).toEqual([])
  })

  test('whose erasure was interrupted is erased on resume, and a second erasure finds nothing', async () => {
    const { body } = await ask('DELETE', address, { confirmation: 'erase' })
    world.queued.length = 0
    world.advance(61_000)
    await resumeErasures(world.deps)
    await world.runJobs()
    const { body: after } = await ask('GET', address)
    expect(after.person.erasures.map((each: { id: string }) => each.id)[0]).toBe(body.erasure.id)
    expect(after.person.erasures).toHaveLength(2)
    // Of consents, status and time remain by hash: the proof for earlier messages.
    expect([after.person.names, Object.keys(after.person.counts)]).toEqual([[], ['consents']])
    expect(after.person.suppressed.length).toBeGreaterThan(0)
  })

  test('is not affected by store data that arrives during and after the erasure', async () => {
    const dan = buildOrder(world, { email: 'dan@walk.example' })
    await recordOrders(world.deps, zen.storeId, [dan], 'sync')
    world.advance(HOUR)
    const { status } = await ask('DELETE', 'dan@walk.example', { confirmation: 'erase' })
    expect(status).toBe(202)
    const order = markPurchased(world, dan)
    await recordOrders(world.deps, zen.storeId, [order], 'sync')
    await world.runJobs()
    expect(await recordOrders(world.deps, zen.storeId, [order], 'webhook')).toMatchObject({ stored: 0 })
    const yes = { channel: 'sms' as const, address: ZEN.phone, isGiven: true, wording: 'Yes', country: 'DE' }
    const store = { storeId: zen.storeId, db: world.db }
    expect(await transact(store, (tx) => recordAnswers(world.deps, tx, [yes], world.now))).toBe(false)
    expect(await findTraces(world, ['2125550199'])).toEqual([])
    expect(await findTraces(world, ['dan@walk'])).toEqual([])
  })

  test("with another shopper's phone ends that shopper's reminders by a purchase (D3)", async () => {
    const mary = buildOrder(world, { email: 'mary@walk.example' })
    const ada = buildOrder(world, { email: 'ada@walk.example', phone: '+12125550166' })
    await recordOrders(world.deps, zen.storeId, [mary, ada], 'sync')
    await ask('DELETE', 'mary@walk.example', { confirmation: 'erase' })
    await world.runJobs()
    world.advance(HOUR)
    await recordOrders(world.deps, zen.storeId, [{ ...markPurchased(world, mary), phone: ada.phone }], 'sync')
    world.sent.length = 0
    await passTime(world, zen.storeId, 24 * HOUR)
    expect(world.sent.filter(({ to }) => to === ada.email)).toEqual([])
    const { rows } = await world.pool.query(
      `select c.status from orders o join carts c on c.store_id = o.store_id and c.shopper_id = o.shopper_id where o.order_id = $1`,
      [mary.orderId],
    )
    expect(rows.map(({ status }) => status).toSorted()).toEqual(['merged', 'purchased'])
    expect(await findTraces(world, ['mary@walk'])).toEqual([])
  })

  test("with another address of someone's mailbox ends that shopper's reminders by a purchase (D3)", async () => {
    const [rose, ivy] = [
      buildOrder(world, { email: 'rose@walk.example' }),
      buildOrder(world, { email: 'ivy@walk.example' }),
    ]
    await recordOrders(world.deps, zen.storeId, [rose, ivy], 'sync')
    await ask('DELETE', 'rose@walk.example', { confirmation: 'erase' })
    await world.runJobs()
    world.advance(HOUR)
    const buy = async (email: string) => {
      const order = { ...markPurchased(world, buildOrder(world, { email })), phone: '+12125550188' }
      await recordOrders(world.deps, zen.storeId, [order], 'sync')
      return order.orderId
    }
    const other = { ...buildOrder(world, { email: 'fern@walk.example' }), phone: '+12125550188' }
    await recordOrders(world.deps, zen.storeId, [other], 'sync')
    await ask('DELETE', 'fern@walk.example', { confirmation: 'erase' })
    await world.runJobs()
    // An alias of the erased person is theirs and is not stored for anyone.
    const theirs = await buy('rose+tea@walk.example')
    expect(await findTraces(world, ['rose+tea@walk'])).toEqual([])
    await buy('ivy+tea@walk.example')
    world.sent.length = 0
    await passTime(world, zen.storeId, 24 * HOUR)
    expect(world.sent.filter(({ to }) => to === ivy.email)).toEqual([])
    const { rows } = await world.pool.query('select email from orders where order_id = $1', [theirs])
    expect(rows).toEqual([{ email: null }])
  })

  test('who buys before the job runs gets no more reminders, at other addresses either (D3)', async () => {
    const post = (seq: number, more: object) =>
      postCapture(world, zen, { cart: 'tok-of-una-browser-cart-1', page: 'tok-of-una-browser-p', seq, ...more })
    await post(1, { contact: { email: 'una@walk.example' }, items: [{ id: '16', quantity: 1 }] })
    const { status } = await ask('DELETE', 'una@walk.example', { confirmation: 'erase' })
    expect(status).toBe(202)
    world.advance(1_000)
    await post(2, { contact: { email: 'una-two@walk.example' } })
    const cart = () =>
      world.db
        .selectFrom('carts')
        .select(['status', 'email'])
        .where('store_id', '=', zen.storeId)
        .orderBy('created_at', 'desc')
    expect(await cart().executeTakeFirst()).toEqual({ status: 'active', email: 'una-two@walk.example' })
    world.advance(1_000)
    await recordOrders(
      world.deps,
      zen.storeId,
      [markPurchased(world, buildOrder(world, { email: 'una@walk.example' }))],
      'sync',
    )
    expect((await cart().executeTakeFirst())?.status).toBe('purchased')
    await world.runJobs()
    expect(await findTraces(world, ['una@walk', 'una-two@walk'])).toEqual([])
  })

  test('who ticks a box in the same moment is erased together with that consent (C8)', async () => {
    const [phone, hash] = ['+12125550177', world.deps.secrets.addressHash('+12125550177')]
    const yes = { channel: 'whatsapp' as const, address: phone, isGiven: true, wording: 'Yes', country: 'US' }
    const store = { storeId: zen.storeId, db: world.db }
    await transact(store, (tx) => recordAnswers(world.deps, tx, [yes], world.now))
    let erasing: Promise<unknown> | undefined
    await transact(store, async (tx) => {
      expect(await recordAnswers(world.deps, tx, [{ ...yes, isGiven: false }], world.now)).toBe(true)
      const { status } = await ask('DELETE', encodeURIComponent(phone), { confirmation: 'erase' })
      expect(status).toBe(202)
      erasing = world.runJobs()
      await waitForBlockedConnections(world, 1)
    })
    await erasing
    const { rows } = await world.pool.query('select who from consents where address_hash = $1', [hash])
    expect(rows).toEqual([{ who: null }, { who: null }])
  })

  test('whose cart is open has it closed later, without affecting others (S5)', async () => {
    const [ida, other] = [buildOrder(world, { email: 'ida@walk.example' }), buildOrder(world)]
    await recordOrders(world.deps, zen.storeId, [ida, other], 'sync')
    await passTime(world, zen.storeId, 2 * HOUR)
    await ask('DELETE', 'ida@walk.example', { confirmation: 'erase' })
    await world.runJobs()
    world.advance(40 * 24 * HOUR)
    await detectLost(world.deps)
    const { rows } = await world.pool.query(
      `select status, email from carts where store_id = $1 and status in ('abandoned', 'lost') order by email`,
      [zen.storeId],
    )
    expect(rows.every(({ status }) => status === 'lost')).toBe(true)
    expect(rows.map(({ email }) => email)).toEqual(expect.arrayContaining([other.email, null]))
    expect(await findTraces(world, ['ida@walk'])).toEqual([])
  })
})

async function download(rest: string) {
  const { body } = await ask('GET', rest)
  const reply = await world.app.inject({ url: body.url })
  expect(reply.statusCode, reply.body.slice(0, 300)).toBe(200)
  return reply
}

function unzip(bytes: Buffer): Map<string, string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'recoup-person-'))
  try {
    writeFileSync(path.join(folder, 'export.zip'), bytes)
    const script = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])'
    execFileSync('python3', ['-c', script, path.join(folder, 'export.zip'), path.join(folder, 'out')])
    return new Map(
      readdirSync(path.join(folder, 'out')).map((name) => [name, readFileSync(path.join(folder, 'out', name), 'utf8')]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}
