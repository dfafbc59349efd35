import { expect, test } from 'vitest'
import { analyticsTexts } from '../../../shared/insights/analytics.ts'
import { createColleague } from '../../../test/factories.ts'
import { createShop, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createAppAccess } from '../../../test/shopify-store.ts'
import { createWorld } from '../../../test/world.ts'
import { sql } from '../../core/db/db.ts'
import { countFigures } from '../../insights/analytics/figures.ts'

// The Advanced Analytics file (B 7, decision 100).

const world = createWorld()
const ada = { email: 'ada@shoppers.example.com' }

const setPlan = (shop: Shop, plan: string) =>
  sql`update subscriptions set plan = ${plan} where account_id = (select account_id from stores where id = ${shop.storeId})`.execute(
    world.db,
  )

/** A recovered cart, and a cart with a product whose name is a formula. */
async function createShopHistory(): Promise<Shop> {
  const shop = await createShop(world)
  await setPlan(shop, 'growth')
  const message = await shop.mailed(ada)
  await shop.press(message.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 4_200 })
  await shop.fill('two', [{ ...pot, name: '=HYPERLINK("http://evil.example"), “Kanne”', sku: '00123' }])
  await shop.type('two', { email: 'bo@shoppers.example.com' })
  await shop.passTime(2 * HOUR)
  await countFigures(world.deps)
  return shop
}

/** Parses cells as a spreadsheet does. */
function getCells(text: string): string[][] {
  const lines: string[][] = [[]]
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    lines.at(-1)!.push(quoted === undefined ? bare! : quoted.replaceAll('""', '"'))
    if (end === '\r\n') lines.push([])
    if (end === '') break
  }
  return lines
}

/** Title, names, definitions and rows of each block. */
function getBlocks(text: string): Map<string, { names: string[]; means: string[]; rows: string[][] }> {
  const blocks = text.trimEnd().split('\r\n\r\n').map(getCells)
  return new Map(blocks.map(([title, names, means, ...rows]) => [title![0]!, { names: names!, means: means!, rows }]))
}

test('the file is named by platform and range, and defines every figure', {
  tags: ['B7'],
}, async () => {
  const shop = await createShopHistory()
  for (const range of ['7d', '30d', '90d', '1y']) {
    const file = await shop.get(`/api/analytics/export?platform=woocommerce&range=${range}`)
    expect([range, file.status, file.headers['content-type']]).toEqual([range, 200, 'text/csv; charset=utf-8'])
    expect(file.headers['content-disposition']).toBe(`attachment; filename="analytics-woocommerce-${range}.csv"`)
    const text = file.body as string
    expect(text.startsWith('\ufeff')).toBe(true)
    const blocks = getBlocks(text.slice(1))
    expect([...blocks.keys()]).toEqual([
      'Advanced Analytics',
      'Figures',
      'Conversion Funnel',
      'Email Performance',
      'Recovery rate over time',
      'Revenue over time',
      'Customer Insights',
      'WooCommerce metrics',
      'Revenue by attribution',
      'Revenue by time since abandonment',
      'Carts that can be reached',
      'By country',
      'New and returning shoppers',
      'Flows, campaigns and manual messages',
      'ROI Tracking by month',
      'ROI Tracking by channel',
      'ROI Tracking by flow and campaign',
      'Top Abandoned Products',
    ])
    for (const [title, { names, means, rows }] of blocks) {
      expect([title, means.length, means.every((each) => each.length > 5)]).toEqual([title, names.length, true])
      expect(rows.every((row) => row.length === names.length)).toBe(true)
    }
    expect(blocks.get('Advanced Analytics')!.rows[0]!.slice(1, 3)).toEqual(['WooCommerce', range])
    const figures = blocks.get('Figures')!
    expect(figures.names[0]).toBe('Revenue opportunity (USD)')
    expect(figures.means[0]).toBe('Value at abandonment of the carts abandoned in this period and not bought yet.')
    expect(figures.rows).toEqual([['68', '', '44.5', '', '1', '', '42', '']])
    expect(blocks.get('Conversion Funnel')!.rows).toEqual([
      ['All', '2', '2', '0', '1', '1'],
      ['Email', '2', '2', '0', '1', '1'],
    ])
    expect(blocks.get('Email Performance')!.rows).toEqual([
      ['Email', '2', '0', '0.5', '0.5', '21', '42', '0', '0', '0', '0'],
    ])
    const trend = blocks.get('Revenue over time')!.rows
    expect(trend).toHaveLength({ '7d': 7, '30d': 30, '90d': 13, '1y': 12 }[range]!)
    expect(trend.at(-1)).toEqual([expect.stringMatching(/^2026-\d\d-\d\d$/), '42', '68'])
    expect(blocks.get('Customer Insights')!.rows[0]!.slice(0, 4)).toEqual(['1', '0', '0', '1'])
    expect(blocks.get('WooCommerce metrics')!.rows).toEqual([['1', '44.5', '0.5']])
    expect(blocks.get('Revenue by attribution')!.rows.map((row) => row.slice(0, 3))).toEqual([
      ['Attributed', '1', '42'],
      ['Assisted', '0', '0'],
      ['Organic', '0', '0'],
    ])
    expect(blocks.get('ROI Tracking by month')!.rows).toEqual([['2026-03', '42', '0', '49', '-7', '-0.142857', '0']])
    expect(blocks.get('ROI Tracking by channel')!.rows).toEqual([['Email', '42', '0', '42', '', '0']])
    expect(blocks.get('New and returning shoppers')!.rows).toEqual([['New', '2', '1', '0.5', '68']])
    expect(blocks.get('Carts that can be reached')!.rows).toContainEqual(['Can be reached', '', '1'])
  }
})

test('the file of a Shopify store has its file name and platform block (B 7, decision 96)', {
  tags: ['B7'],
}, async () => {
  const shop = await createShopHistory()
  await sql`update stores set platform = 'shopify' where id = ${shop.storeId}`.execute(world.db)
  const file = await shop.get('/api/analytics/export?platform=shopify&range=7d')
  expect(file.headers['content-disposition']).toBe('attachment; filename="analytics-shopify-7d.csv"')
  const blocks = getBlocks((file.body as string).slice(1))
  expect([blocks.has('Shopify metrics'), blocks.has('WooCommerce metrics')]).toEqual([true, false])
})

test('the file states how far back orders could be read (decision 135)', async () => {
  const shop = await createShopHistory()
  const readText = async () => {
    const { names, rows } = (await readFile(shop)).get('Advanced Analytics')!
    return rows[0]![names.indexOf('Orders known')]
  }
  expect(await readText()).toBe('Since 90 days before connecting')
  const rights = JSON.stringify({ ...createAppAccess(), hasAllOrders: false })
  await sql`update stores set rights = ${rights}::jsonb where id = ${shop.storeId}`.execute(world.db)
  expect(await readText()).toBe('Since 60 days before connecting')
})

const readFile = async (shop: Shop) =>
  getBlocks(((await shop.get('/api/analytics/export?range=7d')).body as string).slice(1))

test('the file has carts by device as soon as one is known (decision 99)', async () => {
  const shop = await createShopHistory()
  expect((await readFile(shop)).has('By device')).toBe(false)
  await sql`update carts set fold = jsonb_set(fold, '{episode,deviceClass}', '"phone"') where store_id = ${shop.storeId} and email = ${ada.email}`.execute(
    world.db,
  )
  await countFigures(world.deps)
  const { names, rows } = (await readFile(shop)).get('By device')!
  expect(names).toEqual(['Device', 'Abandoned', 'Recovered', 'Recovery rate', 'Revenue opportunity (USD)'])
  expect(rows.map((row) => row.slice(0, 3)).sort()).toEqual([
    ['Not known', '1', '0'],
    ['Phone', '1', '1'],
  ])
})

test('the file states that figures are still being counted', async () => {
  const shop = await createShopHistory()
  const readText = async () => {
    const { names, rows } = (await readFile(shop)).get('Advanced Analytics')!
    return rows[0]![names.indexOf('Counted up to')]
  }
  expect(await readText()).toBe('')
  await sql`delete from figure_counts where store_id = ${shop.storeId}`.execute(world.db)
  await sql`insert into figure_days (store_id, subject, day, due_at) values (${shop.storeId}, 'carts', '2026-03-01', '2026-01-01')`.execute(
    world.db,
  )
  expect(await readText()).toBe('Still being counted: these figures are incomplete')
  await countFigures(world.deps)
  expect(await readText()).toBe('')
})

test('the file keeps formulas and leading zeros as text, and commas and quotes in their cell (X3)', async () => {
  const shop = await createShopHistory()
  const { body } = await shop.get('/api/analytics/export?range=7d')
  expect(getBlocks(body).get('Top Abandoned Products')!.rows).toEqual([
    [`'=HYPERLINK("http://evil.example"), “Kanne”`, "'00123", '1', '0', '68', '17'],
    ['Earl Grey', '', '1', '1', '0', '16'],
  ])
})

test('the file writes small fractions without an exponent', async () => {
  const shop = await createShopHistory()
  await sql`update order_figures set net_minor = net_minor - 1 where store_id = ${shop.storeId}`.execute(world.db)
  await sql`update cart_figures set began_over = 3000000, began_abandoned = 1 where store_id = ${shop.storeId} and dimension = 'all'`.execute(
    world.db,
  )
  const { body } = await shop.get('/api/analytics/export?range=7d')
  expect(getBlocks(body).get('Figures')!.rows[0]![4]).toBe('0')
  expect(body).not.toMatch(/\d[eE][-+]?\d+(,|\r)/)
})

test('the file has all products of a year, most lost revenue first, beyond one read', async () => {
  const shop = await createShop(world)
  await setPlan(shop, 'growth')
  const count = 5_003
  await sql`insert into figure_products (store_id, product_id, name)
    select ${shop.storeId}, 'p' || n, 'Product ' || n from generate_series(1, ${count}::int) n`.execute(world.db)
  await sql`insert into product_figures (store_id, day, product_id, currency, abandoned, recovered, lost_minor)
    select ${shop.storeId}, '2026-03-01'::date, 'p' || n, 'USD', 2, 1, 100 * (n / 3)
    from generate_series(1, ${count}::int) n`.execute(world.db)
  const { body } = await shop.get('/api/analytics/export?range=1y')
  const rows = getBlocks(body).get('Top Abandoned Products')!.rows
  expect(new Set(rows.map(([name]) => name)).size).toBe(count)
  expect(rows).toHaveLength(count)
  const lost = rows.map((row) => Number(row[4]))
  expect(lost).toEqual(lost.toSorted((a, b) => b - a))
})

test('the file adds up all stores of one currency and names them (decision 154)', async () => {
  const shop = await createShopHistory()
  const other = await createShop(world, { accountId: shop.accountId })
  await other.fill('three', [pot])
  await other.type('three', { email: 'cy@shoppers.example.com' })
  await other.passTime(2 * HOUR)
  await countFigures(world.deps)
  const file = await shop.get('/api/analytics/export?range=7d&stores=all')
  expect(file.headers['content-disposition']).toBe('attachment; filename="analytics-all-stores-7d.csv"')
  const blocks = getBlocks(file.body.slice(1))
  const { rows: names } = await sql<{ name: string }>`
    select name from stores where account_id = ${shop.accountId} order by id`.execute(world.db)
  const text = blocks.get('Advanced Analytics')!.rows[0]![0]!
  for (const { name } of names) expect(text).toContain(name)
  expect(blocks.get('Figures')!.rows[0]![0]).toBe('136')
  expect(blocks.get('Top Abandoned Products')!.rows.map((row) => row[4])).toEqual(['68', '68', '0'])
  expect(blocks.has('Carts that can be reached')).toBe(false)
  const { body } = await shop.get('/api/analytics/export/link?range=7d&stores=all')
  expect((await world.request('GET', body.url)).body).toBe(file.body)
  expect((await shop.get('/api/analytics/export?stores=all&currency=CHF')).status).toBe(422)
})

test("a browser link downloads the same file, and no other store's", async () => {
  const shop = await createShopHistory()
  const link = await shop.get('/api/analytics/export/link?range=90d')
  expect(link.status).toBe(200)
  const file = await world.request('GET', link.body.url)
  expect(file.headers['content-disposition']).toBe('attachment; filename="analytics-woocommerce-90d.csv"')
  expect(file.body).toBe((await shop.get('/api/analytics/export?range=90d')).body)
  await setPlan(shop, 'starter')
  expect((await world.request('GET', link.body.url)).status).toBe(403)
})

test('other plans and roles are rejected with the required plan or role (decisions 8 and 100)', {
  tags: ['A9'],
}, async () => {
  const shop = await createShopHistory()
  for (const path of ['/api/analytics/export', '/api/analytics/export/link']) {
    for (const plan of ['free', 'starter']) {
      await setPlan(shop, plan)
      const { status, body } = await shop.get(path)
      expect([path, plan, status, body.code, body.error]).toEqual([
        path,
        plan,
        403,
        'plan_required',
        analyticsTexts.exportPlan,
      ])
    }
    await setPlan(shop, 'growth')
    for (const [role, status] of [
      ['admin', 200],
      ['member', 403],
      ['viewer', 403],
    ] as const) {
      const { token } = await createColleague(world, shop, role)
      expect([path, role, (await world.request('GET', path, { token })).status]).toEqual([path, role, status])
    }
    expect((await shop.get(`${path}?range=2d`)).status).toBe(400)
  }
})
