import { beforeEach, expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { buildTea, createShop, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

// The cart list as a CSV file.

const world = createWorld()
let shop: Shop
let n = 0

beforeEach(async () => {
  shop = await createShop(world)
})

async function shopper(firstName: string, lastName: string, product = 'Earl Grey') {
  const browser = `export-${++n}`
  await shop.fill(browser, [{ ...buildTea(2), name: product }])
  await shop.type(browser, { email: `e${n}@shoppers.example.com`, firstName, lastName, phone: `+1212555${1000 + n}` })
  world.advance(MINUTE)
}

async function download(query = ''): Promise<string> {
  const { status, body } = await shop.get(`/api/carts/export?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  const file = await world.request('GET', body.url)
  expect(file.status).toBe(200)
  expect(file.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(file.headers['content-disposition']).toMatch(/^attachment; filename="abandoned-carts-[\d-]+\.csv"$/)
  return file.body as string
}

const getRows = (file: string) => file.replace('\ufeff', '').trimEnd().split('\r\n').slice(1)

test('the file has the filtered carts, newest first, with formulas neutralized (X3)', async () => {
  await shopper('=HYPERLINK("http://evil")', 'x')
  await shopper('Ada', 'Lovelace', '+cmd|calc')
  await shop.passTime(HOUR)
  const [first, second] = getRows(await download())
  expect(first).toMatch(/^Ada Lovelace,e2@shoppers\.example\.com,'\+12125551002,2,2 × \+cmd\|calc,42,USD,2026-/)
  expect(second).toMatch(/^"'=HYPERLINK\(""http:\/\/evil""\) x",/)
  expect(getRows(await download('search=lovelace'))).toHaveLength(1)
  expect(getRows(await download('status=recovered'))).toHaveLength(0)
  expect((await shop.get('/api/carts/export?status=whatever')).status).toBe(400)
})

test('the link works for its filter, for two minutes, and for members of the store only', async () => {
  await shopper('Ada', 'Lovelace')
  const { body } = await shop.get('/api/carts/export?search=nobody')
  const file = await world.request('GET', body.url)
  expect([file.status, getRows(file.body)]).toEqual([200, []])
  expect(getRows((await world.request('GET', `${body.url}&search=`)).body)).toEqual([])
  expect((await world.request('GET', body.url.slice(0, -1))).status).toBe(404)
  const other = await createStore(world)
  await world.db.deleteFrom('members').where('user_id', '=', shop.userId).execute()
  expect((await world.request('GET', body.url)).status).toBe(404)
  const { body: later } = await world.request('GET', '/api/carts/export', { token: other.token })
  world.advance(2 * MINUTE)
  expect((await world.request('GET', later.url)).status).toBe(404)
})
