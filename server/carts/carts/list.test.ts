import { beforeEach, expect, test } from 'vitest'
import { sortColumns } from '../../../shared/carts/carts.ts'
import { setBadge } from '../../../test/cart-badges.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { compactCartCounts } from './detect.ts'

// The cart list and its badges (decision 11).

const world = createWorld()
let shop: Shop
let n = 0

beforeEach(async () => {
  shop = await createShop(world)
})

interface Listed {
  carts: { id: string; customer_name: string; customer_email: string; status: string; state: string; total: number }[]
  pagination: { page: number; limit: number; total: number; pages: number }
}

async function list(query = ''): Promise<Listed> {
  const { status, body } = await shop.get(`/api/carts/abandoned?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const namesIn = async (query: string) => (await list(query)).carts.map((cart) => cart.customer_name)

async function shopper(name: string, items = [buildTea()], more: { email?: string; phone?: string } = {}) {
  const browser = `browser-${++n}`
  const [firstName = '', lastName = ''] = name.split(' ')
  await shop.fill(browser, items)
  await shop.type(browser, { email: `s${n}@shoppers.example.com`, firstName, lastName, ...more })
  world.advance(MINUTE)
  return browser
}

test('lists abandoned, recovered and lost carts, and serves active, purchased and emptied ones by id only', {
  tags: ['A7'],
}, async () => {
  const states = ['active', 'abandoned', 'recovered', 'purchased', 'emptied', 'lost', 'merged'] as const
  for (const state of states) await shopper(state)
  for (const state of states) {
    await world.db
      .updateTable('carts')
      .set({ status: state })
      .where('store_id', '=', shop.storeId)
      .where('customer_name', '=', state)
      .execute()
  }
  expect((await namesIn('sort=customer&order=asc')).sort()).toEqual(['abandoned', 'lost', 'recovered'])
  for (const cart of await shop.carts()) {
    const { status, body } = await shop.get(`/api/carts/${cart.id}`)
    expect(status).toBe(200)
    expect(body.cart.state).toBe(cart.status)
  }
})

test('shows Email Sent after the send, No Response a day later, Recovered after the purchase (decision 11)', {
  tags: ['B4'],
}, async () => {
  await shopper('Ada Lovelace')
  expect((await list()).carts).toEqual([])
  await shop.passTime(HOUR)
  expect((await list()).carts).toMatchObject([{ status: 'Email Sent', state: 'abandoned' }])
  await world.db.updateTable('flows').set({ is_on: false }).where('store_id', '=', shop.storeId).execute()
  await shop.passTime(DAY - 1)
  expect((await list()).carts).toMatchObject([{ status: 'Email Sent' }])
  await shop.passTime(1)
  expect((await list()).carts).toMatchObject([{ status: 'No Response' }])
  const message = (await shop.messages())[0]!
  await shop.press(message.id)
  expect((await list()).carts).toMatchObject([{ status: 'Email Sent' }])
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: (await shop.cart()).email! })
  expect((await list()).carts).toMatchObject([{ status: 'Recovered', state: 'recovered' }])
  await shop.passTime(2 * DAY)
  expect((await list()).carts).toMatchObject([{ status: 'Recovered' }])
})

test('shows No Action for a cart without messages, however old', { tags: ['B4'] }, async () => {
  await shopper('Ada Lovelace', [buildTea()], { email: '' })
  await shop.passTime(HOUR)
  await shop.passTime(3 * DAY)
  expect((await list()).carts).toMatchObject([{ status: 'No Action' }])
})

test('status= filters by badge in any case, all lists every cart, and an unknown badge is refused', {
  tags: ['B2', 'B7'],
}, async () => {
  await shopper('Ada Lovelace')
  await shopper('Grace Hopper', [buildTea()], { email: '' })
  await shop.passTime(HOUR)
  expect(await namesIn('status=email%20sent')).toEqual(['Ada Lovelace'])
  expect(await namesIn('status=NO%20ACTION')).toEqual(['Grace Hopper'])
  expect(await namesIn('status=recovered')).toEqual([])
  expect(await namesIn('status=all')).toHaveLength(2)
  expect((await shop.get('/api/carts/abandoned?status=whatever')).status).toBe(400)
})

test('a search with a badge finds only its carts, by prefix or else substring, in every order', async () => {
  await shopper('Ada Lovelace')
  await shopper('Grace Lovelace', [buildTea()], { email: '' })
  await shop.passTime(HOUR)
  for (const sort of sortColumns) {
    for (const search of ['lovelace', 'velace']) {
      expect(await namesIn(`search=${search}&status=email%20sent&sort=${sort}`)).toEqual(['Ada Lovelace'])
      expect(await namesIn(`search=${search}&status=no%20action&sort=${sort}`)).toEqual(['Grace Lovelace'])
      expect(await namesIn(`search=${search}&status=recovered&sort=${sort}`)).toEqual([])
      expect(await namesIn(`search=${search}&sort=${sort}`)).toHaveLength(2)
    }
  }
})

test('a search finds name, email and phone in any case and treats LIKE’s wildcards as plain characters', {
  tags: ['B7'],
}, async () => {
  await shopper('Ada 100%')
  await shopper('Grace under_score')
  await shopper('Linus back\\slash', [buildTea()], { phone: '+4930123456' })
  await shop.passTime(HOUR)
  const search = (text: string) => namesIn(`search=${encodeURIComponent(text)}`)
  expect(await search('aDa')).toEqual(['Ada 100%'])
  expect(await search('%')).toEqual(['Ada 100%'])
  expect(await search('_')).toEqual(['Grace under_score'])
  expect(await search('\\')).toEqual(['Linus back\\slash'])
  expect(await search('493012')).toEqual(['Linus back\\slash'])
  expect(await search('shoppers.example')).toHaveLength(3)
  expect(await search("' or 1=1 --")).toEqual([])
  expect(await search('   ')).toHaveLength(3)
})

test('every column sorts both ways', { tags: ['B2'] }, async () => {
  await shopper('Ada A', [buildTea(1)], { email: 'z@shoppers.example.com', phone: '+12125550103' })
  await shopper('Bea B', [pot], { email: 'y@shoppers.example.com', phone: '+12125550102' })
  await shopper('Cleo C', [buildTea(1), pot], { email: 'x@shoppers.example.com', phone: '+12125550101' })
  await shop.passTime(HOUR)
  const [ada, bea, cleo] = ['Ada A', 'Bea B', 'Cleo C']
  const ascending = {
    timestamp: [ada, bea, cleo],
    value: [ada, bea, cleo],
    customer: [ada, bea, cleo],
    email: [cleo, bea, ada],
    phone: [cleo, bea, ada],
  }
  for (const [column, names] of Object.entries(ascending)) {
    expect(await namesIn(`sort=${column}&order=asc`), column).toEqual(names)
    expect(await namesIn(`sort=${column}&order=desc`), column).toEqual([...names].reverse())
  }
  expect((await namesIn('sort=items&order=desc'))[0]).toBe(cleo)
  expect((await namesIn('sort=items&order=asc'))[2]).toBe(cleo)
  for (const [name, badge] of [
    [bea, 'Email Sent'],
    [cleo, 'No Response'],
    [ada, 'Recovered'],
  ] as const) {
    const ids = (await shop.carts()).filter((cart) => cart.customer_name === name).map(({ id }) => id)
    await setBadge(world.db, ids, badge)
  }
  expect(await namesIn('sort=status&order=asc')).toEqual([bea, cleo, ada])
  expect(await namesIn('sort=status&order=desc')).toEqual([ada, cleo, bea])
  expect((await shop.get('/api/carts/abandoned?sort=fold')).status).toBe(400)
})

test('pages show each cart once, even when the sorted column has equal values', {
  tags: ['B3', 'B7'],
}, async () => {
  for (let index = 0; index < 7; index++) await shopper(`Ada ${index}`)
  await shop.passTime(HOUR)
  const ids: string[] = []
  for (const page of [1, 2, 3, 4]) {
    const { carts, pagination } = await list(`sort=value&limit=3&page=${page}`)
    expect(pagination).toEqual({ page, limit: 3, total: 7, pages: 3 })
    ids.push(...carts.map((cart) => cart.id))
  }
  expect(new Set(ids).size).toBe(7)
  expect(ids).toHaveLength(7)
  expect((await list('page=1000000&limit=1000')).carts).toEqual([])
  for (const query of ['page=0', 'page=-1', 'limit=0', 'limit=1001', 'page=x']) {
    expect((await shop.get(`/api/carts/abandoned?${query}`)).status, query).toBe(400)
  }
})

test('counters hold the carts per badge and day of last activity, before and after compaction', async () => {
  for (let index = 0; index < 4; index++) {
    await shopper(`Ada ${index}`)
    await shop.passTime(14 * HOUR)
  }
  const counted = async () =>
    (
      await world.db
        .selectFrom('cart_counts')
        .select(({ fn }) => ['badge', 'day', fn.sum<number>('change').as('carts')])
        .where('store_id', '=', shop.storeId)
        .groupBy(['badge', 'day'])
        .having(({ fn }) => fn.sum<number>('change'), '<>', 0)
        .execute()
    )
      .map(({ badge, day, carts }) => `${badge} ${day} ${carts}`)
      .sort()
  const days = new Map<string, number>()
  for (const { badge, last_activity_at } of await shop.carts()) {
    const key = `${badge} ${last_activity_at.toISOString().slice(0, 10)}`
    days.set(key, (days.get(key) ?? 0) + 1)
  }
  const expected = [...days].map(([key, carts]) => `${key} ${carts}`).sort()
  expect(expected.length).toBeGreaterThan(1)
  expect(await counted()).toEqual(expected)
  for (let twice = 0; twice < 2; twice++) await compactCartCounts(world.deps)
  expect(await counted()).toEqual(expected)
  expect((await list()).pagination.total).toBe(4)
})
