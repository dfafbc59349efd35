import { beforeEach, expect, test } from 'vitest'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { sql } from '../../core/db/db.ts'
import { foldCustomerListCounts } from './counts.ts'

// The customer list (decisions 40 and 127) and its CSV file.

const world = createWorld()
let store: TestStore
let n = 0

beforeEach(async () => {
  store = await createStore(world)
})

interface Person {
  name?: string
  email?: string | null
  phone?: string | null
  company?: string | null
  isRegistered?: boolean
  lastLogin?: string | null
  daysAgo?: number
}

/** Each is created a minute after the previous one. */
async function person({
  name = 'Ada Lovelace',
  company = null,
  isRegistered = false,
  daysAgo = 0,
  ...more
}: Person = {}) {
  const [first_name, last_name] = name.split(' ')
  const email = more.email === undefined ? `s${++n}@shoppers.example.com` : more.email
  const at = new Date(world.advance(60_000).getTime() - daysAgo * 86_400_000)
  const id = createId()
  await world.db
    .insertInto('shoppers')
    .values({
      store_id: store.storeId,
      id,
      email,
      phone: more.phone ?? null,
      created_at: at,
      first_seen_at: at,
      first_name: first_name || null,
      last_name: last_name ?? null,
      company,
      is_registered: isRegistered,
      last_login_at: more.lastLogin ? new Date(more.lastLogin) : null,
    })
    .execute()
  return id
}

const ask = (query: string, token = store.token) =>
  world.request('GET', `/api/stores/customers/recent?${query}`, { token })

async function page(query = '') {
  const { status, body } = await ask(query.includes('page=') ? query : `page=1&${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as {
    customers: { _id: string; first_name: string; company: string | null; is_registered: boolean }[]
    pagination: { page: number; limit: number; total: number; pages: number; totalIsCapped?: boolean }
  }
}

const namesIn = async (query: string) => (await page(query)).customers.map(({ first_name }) => first_name)

async function people(...names: string[]) {
  for (const name of names) await person({ name })
}

test('without `page`, the list returns a plain list of the newest hundred (B 7)', { tags: ['A7', 'B7'] }, async () => {
  for (let index = 0; index < 101; index++) await person({ name: `Nr${index}` })
  const { body } = await ask('platform=woocommerce')
  expect(body).toHaveLength(100)
  expect([body[0].first_name, body[99].first_name]).toEqual(['Nr100', 'Nr1'])
})

test('with `page`, the list returns {customers, pagination}, fifty by default and at most a hundred', async () => {
  for (let index = 0; index < 51; index++) await person({ name: `Nr${index}` })
  const { customers, pagination } = await page()
  expect([customers.length, pagination]).toEqual([50, { page: 1, limit: 50, total: 51, pages: 2 }])
  expect(await namesIn('page=2')).toEqual(['Nr0'])
  expect(await namesIn('page=3')).toEqual([])
  expect((await ask('page=1&limit=101')).status).toBe(400)
})

test('the list excludes shoppers who are neither registered nor have given a contact', async () => {
  await person({ name: 'Nobody', email: null })
  await person({ name: 'Phone', email: null, phone: '+12125550101' })
  await person({ name: 'Member', email: null, isRegistered: true })
  expect(await namesIn('')).toEqual(['Member', 'Phone'])
  expect((await page()).pagination.total).toBe(2)
})

test('the list excludes customers of other stores', async () => {
  await people('Ada')
  const other = await createStore(world)
  expect((await ask('page=1', other.token)).body.customers).toEqual([])
})

test.each([
  ['since', ['Cy', 'Bo', 'Al'], ['Al', 'Bo', 'Cy']],
  ['name', ['Cy', 'Bo', 'Al'], ['Al', 'Bo', 'Cy']],
  ['email', ['Al', 'Cy', 'Bo'], ['Bo', 'Cy', 'Al']],
  ['phone', ['Bo', 'Al', 'Cy'], ['Cy', 'Al', 'Bo']],
  ['company', ['Bo', 'Al', 'Cy'], ['Cy', 'Al', 'Bo']],
  ['registered', ['Al', 'Bo', 'Cy'], ['Cy', 'Bo', 'Al']],
  ['last_login', ['Al', 'Bo', 'Cy'], ['Cy', 'Bo', 'Al']],
])('sorts by %s in both directions, with blanks first', async (sort, down, up) => {
  const login = '2026-03-01T00:00:00Z'
  await person({
    name: 'Al',
    email: 'z@a.example',
    phone: '+1212555001',
    company: 'acme',
    isRegistered: true,
    lastLogin: login,
  })
  await person({
    name: 'Bo',
    email: null,
    phone: '+1212555002',
    company: 'Brew',
    isRegistered: true,
    lastLogin: '2026-02-01T00:00:00Z',
  })
  await person({ name: 'Cy', email: 'y@a.example' })
  expect(await namesIn(`sort=${sort}&order=desc`)).toEqual(down)
  expect(await namesIn(`sort=${sort}&order=asc`)).toEqual(up)
})

test('the list filters by registered customers or guests', async () => {
  await person({ name: 'Guest' })
  await person({ name: 'Member', isRegistered: true })
  expect(await namesIn('registered=yes')).toEqual(['Member'])
  expect(await namesIn('registered=no')).toEqual(['Guest'])
  expect((await page('registered=no')).pagination.total).toBe(1)
  expect((await ask('page=1&registered=maybe')).status).toBe(400)
})

test.each([
  ['the first name', 'GRACE', ['Grace']],
  ['the last name', 'hop', ['Grace']],
  ['the full name', 'grace hopper', ['Grace']],
  ['the email', 'GHop@', ['Grace']],
  ['the number', '+1 (212) 555-01', ['Grace']],
  ['the number without its plus sign', '1212555', ['Grace']],
  ['the number with spaces', '+1 (212) 555 01', ['Grace']],
  ['a part of the number with a space, where none begins with it', '555 0123', ['Grace']],
  ['nobody', 'zzz', []],
  ['a part, where nothing begins with it', 'race hop', ['Grace']],
  ['a percent sign', '%', []],
])('search finds the beginning of %s', { tags: ['B3'] }, async (_, search, expected) => {
  await people('Ada Lovelace')
  await person({ name: 'Grace Hopper', email: 'ghop@navy.example', phone: '+12125550123' })
  expect(await namesIn(`search=${encodeURIComponent(search)}`)).toEqual(expected)
})

test('search works with a filter, in every order, page by page', async () => {
  for (let index = 0; index < 6; index++) await person({ name: `Ada${index} Byron`, isRegistered: index % 2 === 0 })
  await people('Grace')
  expect(await namesIn('search=byron&registered=yes')).toEqual(['Ada4', 'Ada2', 'Ada0'])
  expect(await namesIn('search=byron&sort=name&order=asc&limit=2&page=2')).toEqual(['Ada2', 'Ada3'])
  expect((await page('search=byron&limit=4')).pagination).toEqual({ page: 1, limit: 4, total: 6, pages: 2 })
  // One customer has the prefix, so substring matches do not count.
  await person({ name: 'Xbyron', isRegistered: true })
  expect(await namesIn('search=byron&registered=yes')).toHaveLength(3)
})

test('every page matches the full list, from both ends and in the middle', async () => {
  for (let index = 0; index < 23; index++)
    await person({ name: `Nr${index}`, isRegistered: index % 3 === 0, daysAgo: index % 5 })
  for (const sort of ['since', 'name', 'registered']) {
    for (const order of ['asc', 'desc']) {
      const whole = await namesIn(`sort=${sort}&order=${order}&limit=100`)
      const pages = []
      for (let number = 1; number <= 5; number++)
        pages.push(...(await namesIn(`sort=${sort}&order=${order}&limit=5&page=${number}`)))
      expect(pages).toEqual(whole)
    }
  }
})

test('counts of each kind stay correct as customers come, change and go, folded or not', async () => {
  const [a] = [await person(), await person({ isRegistered: true }), await person({ email: null })]
  const counted = async () => [(await page()).pagination.total, (await page('registered=yes')).pagination.total]
  expect(await counted()).toEqual([2, 1])
  await foldCustomerListCounts(world.deps)
  expect(await counted()).toEqual([2, 1])
  await world.db.updateTable('shoppers').set({ is_registered: true }).where('id', '=', a!).execute()
  expect(await counted()).toEqual([2, 2])
  await world.db.updateTable('shoppers').set({ is_registered: false, email: null }).where('id', '=', a!).execute()
  for (let twice = 0; twice < 2; twice++) await foldCustomerListCounts(world.deps)
  expect(await counted()).toEqual([1, 1])
  await world.db.deleteFrom('shoppers').where('store_id', '=', store.storeId).execute()
  await foldCustomerListCounts(world.deps)
  expect(await counted()).toEqual([0, 0])
  const remaining = await sql`select 1 from customer_counts where store_id = ${store.storeId}`.execute(world.db)
  expect(remaining.rows).toEqual([])
})

test('the file has the filtered customers, newest first, with formulas neutralized (X3)', async () => {
  await person({ name: '=HYPERLINK("http://evil") x', email: 'e1@a.example', company: '+cmd|calc' })
  await person({
    name: 'Ada Lovelace',
    email: 'e2@a.example',
    isRegistered: true,
    lastLogin: '2026-03-01T00:00:00Z',
    phone: '+12125550123',
  })
  const readRows = async (query: string) => {
    const link = await world.request('GET', `/api/stores/customers/export?${query}`, { token: store.token })
    expect(link.status, JSON.stringify(link.body)).toBe(200)
    const file = await world.request('GET', link.body.url)
    expect(file.headers['content-disposition']).toMatch(/^attachment; filename="customers-[\d-]+\.csv"$/)
    return (file.body as string).replace('\ufeff', '').trimEnd().split('\r\n')
  }
  const [head, first, second, ...more] = await readRows('')
  expect(head).toBe('First name,Last name,Email,Phone,Company,Registered,Last login,Customer ID')
  // A spreadsheet would read it as a number.
  expect(first).toMatch(/^Ada,Lovelace,e2@a\.example,'\+12125550123,,Yes,2026-03-01T00:00:00\.000Z,[\da-f-]{36}$/)
  expect(second).toMatch(/^"'=HYPERLINK\(""http:\/\/evil""\)",x,e1@a\.example,,'\+cmd\|calc,No,,/)
  expect(more).toEqual([])
  expect(await readRows('registered=no')).toHaveLength(2)
  expect(await readRows('search=lovelace')).toHaveLength(2)
})

test('a file longer than one read has each customer once', async () => {
  await sql`insert into shoppers (store_id, id, email, created_at, first_seen_at, is_registered)
    select ${store.storeId}, gen_random_uuid(), 'p' || n || '@a.example', ${world.now}, ${world.now}, n % 2 = 0
    from generate_series(1, 2300) n`.execute(world.db)
  const { body } = await world.request('GET', '/api/stores/customers/export', { token: store.token })
  const lines = ((await world.request('GET', body.url)).body as string).trimEnd().split('\r\n').slice(1)
  expect(new Set(lines).size).toBe(2300)
})

test('owners and admins can export, members and viewers cannot (decision 8)', async () => {
  for (const [role, status] of [
    ['owner', 200],
    ['admin', 200],
    ['member', 403],
    ['viewer', 403],
  ] as const) {
    const { token } = await createColleague(world, store, role)
    expect((await world.request('GET', '/api/stores/customers/export', { token })).status, role).toBe(status)
    expect((await ask('page=1', token)).status).toBe(200)
  }
})
