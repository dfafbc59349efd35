import { expect, test } from 'vitest'
import type { AnalyticsRange, AnalyticsReply } from '../../../shared/insights/analytics.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { sql } from '../../core/db/db.ts'
import { countFigures } from './figures.ts'

// The calls of Advanced Analytics (B 7), each by its plan.

const world = createWorld()
const shelf = { sku: 'EG-2', imageUrl: 'https://shop.example/tea.png' }
const ada = { email: 'ada@shoppers.example.com' }

const calls = ['', '/details', '/products', '/roi', '/recovery-rate-trend', '/revenue-trend']
const read = (shop: Shop, call: string, query = '') => shop.get(`/api/analytics${call}?platform=woocommerce${query}`)
const setPlan = (shop: Shop, plan: string) =>
  sql`update subscriptions set plan = ${plan} where account_id = (select account_id from stores where id = ${shop.storeId})`.execute(
    world.db,
  )

async function createShopHistory(): Promise<Shop> {
  const shop = await createShop(world)
  const message = await shop.mailed(ada)
  await shop.press(message.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 4_200 })
  await shop.fill('two', [{ ...buildTea(2), ...shelf }])
  await shop.type('two', { email: 'bo@shoppers.example.com' })
  await shop.passTime(2 * HOUR)
  await countFigures(world.deps)
  return shop
}

/** A day or a week by its first day, a month by its name. */
const getLabel = (range: AnalyticsRange, start: string) =>
  new Date(start).toLocaleDateString('en-US', {
    timeZone: 'UTC',
    month: 'short',
    ...(range === '1y' ? { year: 'numeric' } : { day: 'numeric' }),
  })

/** The first day of each bucket: days, weeks that end today, months of the calendar (decision 98). */
function getStarts(range: AnalyticsRange, today: string): string[] {
  const last = Temporal.PlainDate.from(today)
  const count = { '7d': 7, '30d': 30, '90d': 13, '1y': 12 }[range]
  return Array.from({ length: count }, (_, place) => {
    if (range === '1y')
      return last
        .with({ day: 1 })
        .subtract({ months: 11 - place })
        .toString()
    return last.subtract({ days: (range === '90d' ? 7 : 1) * (count - place) - 1 }).toString()
  })
}

test('every endpoint reports one recovered and one lost cart', { tags: ['B3', 'B7', 'B9'] }, async () => {
  const shop = await createShopHistory()
  await setPlan(shop, 'growth')
  for (const range of ['7d', '30d', '90d', '1y'] as const) {
    const { status, body } = await read(shop, '', `&range=${range}`)
    expect([range, status]).toEqual([range, 200])
    expect(body as AnalyticsReply).toMatchObject({
      revenueOpportunity: 42,
      revenueOpportunityChange: null,
      averageCartValue: 31.5,
      abandonmentRate: 1,
      customerLifetimeValue: 42,
      currency: 'USD',
      countedUntil: null,
      isBeingCounted: false,
      otherCurrencies: [],
      funnel: { cartsCreated: 2, emailsSent: 2, emailsOpened: 0, clicks: 1, conversions: 1 },
      email: { accepted: 2, openRate: 0, clickRate: 0.5, conversionRate: 0.5, revenuePerEmail: 21 },
      customers: { new: 1, returning: 0, repeatPurchaseRate: 0, avgOrdersPerCustomer: 1 },
      woocommerce: { cartAbandonmentRate: 1, averageCartValue: 31.5, conversionRate: 0.5 },
      topProducts: [
        {
          name: 'Earl Grey',
          abandonedCount: 2,
          recoveryRate: 0.5,
          revenueLost: 42,
          sku: shelf.sku,
          image: shelf.imageUrl,
        },
      ],
      counts: { carts: 2, abandoned: 2, orders: 1, messages: 2 },
    })
    expect(body.shopify).toBeUndefined()
    for (const trend of ['/recovery-rate-trend', '/revenue-trend']) {
      const { body: drawn } = await read(shop, trend, `&period=${range}`)
      expect(drawn.starts).toEqual(getStarts(range, body.lastDay))
      expect(drawn.labels).toEqual(drawn.starts.map((start: string) => getLabel(range, start)))
      expect(drawn.datasets.map(({ data }: { data: unknown[] }) => data.length)).toEqual(
        Array(2).fill(drawn.labels.length),
      )
    }
  }
  const { body: rates } = await read(shop, '/recovery-rate-trend', '&period=7d')
  expect(
    rates.datasets.map((set: { label: string; data: unknown[] }) => [set.label, set.data.at(-1), set.data[0]]),
  ).toEqual([
    ['Recovery rate', 0.5, null],
    ['Abandonment rate', 1, null],
  ])
  const { body: revenue } = await read(shop, '/revenue-trend', '&period=1y')
  expect(
    revenue.datasets.map((set: { label: string; data: unknown[] }) => [set.label, set.data.at(-1), set.data[0]]),
  ).toEqual([
    ['Recovered revenue', 42, 0],
    ['Revenue opportunity', 42, 0],
  ])
  // A shop with few carts has weeks, which sum up the same 30 days.
  const { body: weeks } = await read(shop, '/revenue-trend', '&period=30d&buckets=auto')
  expect([weeks.labels.length, weeks.starts[0], weeks.starts.at(-1)]).toEqual([
    5,
    weeks.firstDay,
    getStarts('7d', weeks.lastDay)[0],
  ])
  expect(weeks.labels[0]).toMatch(/^\w+ \d+\s–\s(\w+ )?\d+$/)
  expect(weeks.datasets.map(({ data }: { data: number[] }) => data)).toEqual([
    [0, 0, 0, 0, 42],
    [0, 0, 0, 0, 42],
  ])
  const { body: details } = await read(shop, '/details')
  expect(details.sources).toEqual([
    { source: 'attributed', orders: 1, netRevenue: 42 },
    { source: 'assisted', orders: 0, netRevenue: 0 },
    { source: 'organic', orders: 0, netRevenue: 0 },
  ])
  const hours = details.hours.filter(({ accepted }: { accepted: number }) => accepted > 0)
  expect(hours).toMatchObject([
    { fromHour: 0, accepted: 1, conversionRate: 1, attributedRevenue: 42, revenuePerMessage: 42 },
    { fromHour: 1, accepted: 1, conversionRate: 0, attributedRevenue: 0, revenuePerMessage: 0 },
  ])
  expect(details.origins).toMatchObject([{ kind: 'flow', accepted: 2, attributedRevenue: 42 }])
  expect(details.shoppers).toMatchObject([{ key: 'new', abandoned: 2, recovered: 1, recoveryRate: 0.5 }])
  const { body: found } = await read(shop, '/products', '&search=earl')
  expect(found).toMatchObject({ products: [{ name: 'Earl Grey' }], pagination: { total: 1, pages: 1 } })
  expect((await read(shop, '/products', '&search=pot')).body.products).toEqual([])
  expect((await read(shop, '/products', '&page=3')).body).toMatchObject({ products: [], pagination: { total: 1 } })
  const { body: roi } = await read(shop, '/roi')
  expect(roi.channels).toEqual([{ channel: 'email', attributedRevenue: 42, messageCost: 0, discounts: 0 }])
  expect(roi.months).toMatchObject([
    { month: world.now.toISOString().slice(0, 7), attributedRevenue: 42, planPrice: 49 },
  ])
  await expectAWeekLater(shop)
})

/** The seven days before these have the first two carts; these have one that is recovered and one bought at once. */
async function expectAWeekLater(shop: Shop): Promise<void> {
  const unbought = (await shop.messages()).find(({ to_address }) => to_address === 'bo@shoppers.example.com')!
  await shop.press(unbought.id)
  await countFigures(world.deps)
  const { body: clicked } = await read(shop, '', '&range=7d')
  expect(clicked.email).toMatchObject({ clickRate: 1, conversionRate: 0.5 })
  expect(clicked.funnel).toMatchObject({ clicks: 2, conversions: 1 })
  world.advance(7 * DAY)
  await shop.staySignedIn()
  const message = await shop.mailed({ email: 'dee@shoppers.example.com' }, 'three')
  await shop.press(message.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: 'dee@shoppers.example.com', totalMinor: 2_100 })
  await shop.fill('four', [buildTea(2)])
  await shop.type('four', { email: 'cy@shoppers.example.com' })
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: 'cy@shoppers.example.com', totalMinor: 3_000 })
  await countFigures(world.deps)
  const { body: week } = await read(shop, '', '&range=7d')
  const about = (value: number) => expect.closeTo(value, 9)
  expect(week).toMatchObject({
    revenueOpportunity: 0,
    revenueOpportunityChange: -1,
    averageCartValue: 21,
    averageCartValueChange: about(-1 / 3),
    abandonmentRate: 0.5,
    abandonmentRateChange: -0.5,
    customerLifetimeValue: 31,
    customerLifetimeValueChange: about(-11 / 42),
    counts: { carts: 2, abandoned: 1, orders: 2 },
  })
  const { body: unasked } = await read(shop, '')
  expect(unasked).toMatchObject({ revenueOpportunity: 42, counts: { carts: 4, abandoned: 3, orders: 3 } })
  expect(unasked.firstDay).toBe(getStarts('30d', unasked.lastDay)[0])
  const { body: rates } = await read(shop, '/recovery-rate-trend')
  expect(rates.starts).toEqual(getStarts('30d', unasked.lastDay))
  expect(rates.datasets.map(({ data }: { data: unknown[] }) => [data.at(-1), data.at(-8)])).toEqual([
    [1, 0.5],
    [0.5, 1],
  ])
}

test('another range or period than the four is refused (B 9)', { tags: ['B9'] }, async () => {
  const shop = await createShop(world, { plan: 'growth' })
  for (const call of ['', '/details', '/products', '/roi', '/export']) {
    expect([call, (await read(shop, call, '&range=60d')).status]).toEqual([call, 400])
  }
  for (const call of ['/recovery-rate-trend', '/revenue-trend']) {
    expect([call, (await read(shop, call, '&period=60d')).status]).toEqual([call, 400])
  }
})

test('each plan gets the figures it includes, and a reason for the others (decisions 131 and 154)', {
  tags: ['A6', 'A9'],
}, async () => {
  const shop = await createShopHistory()
  const readRefusal = async (call: string, query = '') => {
    const { status, body } = await read(shop, call, query)
    return [status, body.code, body.error]
  }
  const advanced = [
    403,
    'plan_required',
    'This is part of Advanced Analytics, on the Starter and Growth plans. Please upgrade.',
  ]
  const statuses = async () =>
    Object.fromEntries(await Promise.all(calls.map(async (call) => [call || '/', (await read(shop, call)).status])))
  await setPlan(shop, 'free')
  expect(await statuses()).toEqual({
    '/': 200,
    '/details': 403,
    '/products': 403,
    '/roi': 403,
    '/recovery-rate-trend': 403,
    '/revenue-trend': 403,
  })
  expect((await read(shop, '')).body).toMatchObject({
    revenueOpportunity: 42,
    email: null,
    customers: null,
    topProducts: null,
  })
  expect((await read(shop, '')).body.woocommerce).toBeUndefined()
  for (const range of ['90d', '1y']) expect(await readRefusal('', `&range=${range}`)).toEqual(advanced)
  for (const call of ['/details', '/products', '/recovery-rate-trend', '/revenue-trend']) {
    expect([call, ...(await readRefusal(call))]).toEqual([call, ...advanced])
  }
  expect((await readRefusal('/roi'))[2]).toBe('ROI Tracking requires the Growth plan. Please upgrade.')
  await setPlan(shop, 'starter')
  expect(await statuses()).toMatchObject({ '/': 200, '/details': 200, '/roi': 403 })
  for (const range of ['90d', '1y']) expect((await read(shop, '', `&range=${range}`)).status).toBe(200)
  expect(await readRefusal('', '&stores=all')).toEqual([
    403,
    'plan_required',
    'Figures of all stores together require the Growth plan. Please upgrade.',
  ])
  await setPlan(shop, 'growth')
  expect(await statuses()).toMatchObject({ '/details': 200, '/roi': 200 })
  expect((await read(shop, '', '&stores=all')).body).toMatchObject({ revenueOpportunity: 42, currency: 'USD' })
  expect((await read(shop, '', '&stores=all&currency=CHF')).status).toBe(422)
})

test('an older order keeps a customer from being new; buyers are counted again after 15 minutes', async () => {
  const shop = await createShop(world)
  await setPlan(shop, 'growth')
  await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 1_000 })
  world.advance(20 * DAY)
  await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 2_000 })
  await shop.order({ kind: 'purchase', email: 'bo@shoppers.example.com', totalMinor: 3_000 })
  await countFigures(world.deps)
  const first = (await read(shop, '', '&range=7d')).body.customers
  expect(first).toMatchObject({ new: 1, returning: 1, repeatPurchaseRate: 0.5, avgOrdersPerCustomer: 1 })
  await shop.order({ kind: 'purchase', email: 'cy@shoppers.example.com', totalMinor: 3_000 })
  for (const minutes of [0, 14]) {
    world.advance(minutes * MINUTE)
    expect((await read(shop, '', '&range=7d')).body.customers).toEqual(first)
  }
  world.advance(MINUTE)
  expect((await read(shop, '', '&range=7d')).body.customers).toMatchObject({ new: 2, returning: 1 })
  expect((await read(shop, '', '&range=7d')).body.countedUntil).not.toBeNull()
})

test('anonymous orders count in no customer figure', async () => {
  const shop = await createShop(world)
  await setPlan(shop, 'growth')
  const anonymous = { email: null, firstName: null, lastName: null, source: 'pos' as const }
  for (let n = 0; n < 5; n++) await shop.order({ kind: 'purchase', ...anonymous, totalMinor: 1_000 })
  for (let n = 0; n < 2; n++) await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 3_000 })
  await countFigures(world.deps)
  const { customers, customerLifetimeValue, counts } = (await read(shop, '')).body
  expect(customers).toMatchObject({ new: 1, returning: 0, repeatPurchaseRate: 1, avgOrdersPerCustomer: 2 })
  expect([customerLifetimeValue, counts.orders]).toEqual([60, 7])
})

test('a store never counted is shown as being counted, without a time', async () => {
  const shop = await createShop(world)
  await countFigures(world.deps)
  expect((await read(shop, '')).body).toMatchObject({ countedUntil: null, isBeingCounted: false })
  await shop.fill('one', [buildTea()])
  expect((await read(shop, '')).body).toMatchObject({ countedUntil: null, isBeingCounted: true })
  await countFigures(world.deps)
  expect((await read(shop, '')).body).toMatchObject({ countedUntil: null, isBeingCounted: false })
})

test('a store counted while empty is shown as being counted once it has carts, in all replies', async () => {
  const shop = await createShop(world, { plan: 'growth' })
  // All days are marked for a recount, and there is no data.
  await world.db.updateTable('stores').set({ time_zone: 'Europe/Berlin' }).where('id', '=', shop.storeId).execute()
  await countFigures(world.deps)
  await shop.fill('one', [buildTea()])
  const isCounting = { countedUntil: null, isBeingCounted: true }
  expect((await read(shop, '')).body).toMatchObject({ ...isCounting, counts: { carts: 0 } })
  expect((await read(shop, '/recovery-rate-trend', '&period=30d')).body).toMatchObject(isCounting)
  await countFigures(world.deps)
  expect((await read(shop, '')).body).toMatchObject({ isBeingCounted: false, counts: { carts: 1 } })
  // Later events are distinguished by their time.
  await shop.fill('two', [buildTea()])
  expect((await read(shop, '')).body).toMatchObject({ isBeingCounted: false, countedUntil: expect.any(String) })
})

test('the reply has the ten products with the most lost revenue, and the list has all of them by pages (decision 97)', async () => {
  const shop = await createShop(world, { plan: 'growth' })
  const day = world.now.toISOString().slice(0, 10)
  await sql`insert into figure_products (store_id, product_id, name)
    select ${shop.storeId}, 'p' || n, 'Product ' || n from generate_series(1, 43) n`.execute(world.db)
  await sql`insert into product_figures (store_id, day, product_id, currency, abandoned, recovered, lost_minor)
    select ${shop.storeId}, ${day}::date, 'p' || n, 'USD', 44 - n, 0, 100 * n from generate_series(1, 43) n`.execute(
    world.db,
  )
  const namesFrom = (max: number, count: number) => Array.from({ length: count }, (_, n) => `Product ${max - n}`)
  const names = (products: { name: string }[]) => products.map(({ name }) => name)
  const { topProducts } = (await read(shop, '')).body as AnalyticsReply
  expect(names(topProducts!)).toEqual(namesFrom(43, 10))
  expect(topProducts![0]).toMatchObject({ abandonedCount: 1, recoveryRate: 0, revenueLost: 43 })
  const page = async (query: string) => (await read(shop, '/products', query)).body
  const [first, third] = [await page(''), await page('&page=3')]
  expect([names(first.products), names(third.products)]).toEqual([namesFrom(43, 20), namesFrom(3, 3)])
  expect(third.pagination).toEqual({ page: 3, limit: 20, total: 43, pages: 3 })
})

test('unsubscribes, bounces and complaints are counted separately (decision 99)', async () => {
  const shop = await createShopHistory()
  await setPlan(shop, 'starter')
  const sent = (await shop.messages()).filter(({ state }) => state === 'sent')
  const ids = sent.map(({ id }) => id)
  expect(ids).toHaveLength(2)
  await sql`update messages set unsubscribed_at = ${world.now} where store_id = ${shop.storeId} and id = any(${ids}::uuid[])`.execute(
    world.db,
  )
  await sql`update messages set state = 'failed', reason = 'bounced:hard' where store_id = ${shop.storeId} and id = ${ids[0]}`.execute(
    world.db,
  )
  await countFigures(world.deps)
  const known = { unsubscribed: 2, bounced: 1, complaints: 0 }
  expect((await read(shop, '')).body.email).toMatchObject(known)
  const { channels, origins } = (await read(shop, '/details')).body
  expect([channels, origins]).toMatchObject([[known], [known]])
})

test('a mail refused at the send counts as refused, neither accepted nor bounced', async () => {
  const shop = await createShop(world)
  await setPlan(shop, 'starter')
  world.answer = () => ({
    kind: 'rejected',
    reason: 'smtp_550',
    response: '550 5.1.1 no such user',
    isRecipientFault: true,
  })
  try {
    await shop.fill('ada', [buildTea()])
    await shop.type('ada', { email: 'ada@shoppers.example.com', firstName: 'Ada' })
    await shop.passTime(2 * HOUR)
  } finally {
    world.answer = acceptMail
  }
  await countFigures(world.deps)
  expect((await read(shop, '')).body.email).toMatchObject({ accepted: 0, bounced: 0, refused: 1 })
})

test('each step of a flow and each channel of a step has its own figures (decision 94)', async () => {
  const shop = await createShopHistory()
  await setPlan(shop, 'starter')
  const another = (step: number, channel: string, accepted: number) =>
    sql`
      insert into message_figures
      select (jsonb_populate_record(f, jsonb_build_object('step_id', t.id, 'channel', ${channel}::text, 'accepted', ${accepted}::int))).*
      from message_figures f join flow_steps t on t.store_id = f.store_id and t.flow_id = f.origin_id and t.step = ${step}
      where f.store_id = ${shop.storeId} and f.currency = '' order by f.from_hour limit 1`.execute(world.db)
  await another(2, 'email', 5)
  await another(1, 'sms', 7)
  const { origins } = (await read(shop, '/details')).body
  const figures = origins.map(({ name, channel, accepted }: Record<string, unknown>) => [name, channel, accepted])
  const flow = origins[0].name.replace(/, step 1$/, '')
  expect(figures).toEqual([
    [`${flow}, step 1`, 'email', 2],
    [`${flow}, step 1`, 'sms', 7],
    [`${flow}, step 2`, 'email', 5],
  ])
  expect(new Set(origins.map(({ stepId }: { stepId: string }) => stepId)).size).toBe(2)
})
