import { beforeAll, expect, test } from 'vitest'
import type { CartReach } from '../../../shared/carts/reach.ts'
import type { AnalyticsReply } from '../../../shared/insights/analytics.ts'
import { assignArm } from '../../../test/experiment-scene.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { countFigures } from '../../insights/analytics/figures.ts'

// Which carts email can reach: the badges and filter of the list, and the dashboard's count. All come from the send
// decision.

const world = createWorld()
let shop: Shop

const at = (name: string) => `${name}@shoppers.example.com`

async function abandonCart(name: string, more: { email?: string | null; country?: string } = {}) {
  const { email = at(name), country } = more
  await shop.fill(name, [name === 'ada' ? pot : buildTea()])
  const place = country ? { country, countrySource: 'address' as const } : {}
  await shop.type(name, { firstName: name, ...(email && { email }), ...place })
  world.advance(MINUTE)
}

/** One cart of each kind, in a store whose sending is paused: store-wide blockers do not matter here. */
beforeAll(async () => {
  shop = await createShop(world, { plan: 'growth' })
  await abandonCart('old')
  await shop.passTime(40 * DAY)
  const bought = await shop.mailed({ email: at('recovered'), firstName: 'recovered' }, 'recovered')
  await shop.press(bought.id)
  await shop.order({ kind: 'purchase', email: at('recovered') })
  await shop.mailed({ email: at('capped'), firstName: 'capped' }, 'capped')
  const ofStore = { sending_paused_at: world.now, cap_messages: 1 }
  await world.db.updateTable('stores').set(ofStore).where('id', '=', shop.storeId).execute()
  for (const name of ['ada', 'ben', 'stopped', 'held']) await abandonCart(name)
  await abandonCart('nameless', { email: null })
  await abandonCart('german', { country: 'DE' })
  await abandonCart('french', { country: 'FR' })
  await abandonCart('waiting', { email: 'waiting+tea@shoppers.example.com' })
  await abandonCart('alias', { email: 'alias+tea@shoppers.example.com' })
  await shop.passTime(HOUR)
  await shop.order({ kind: 'purchase', email: at('alias') })
  await shop.order({ kind: 'pending', email: at('waiting') })
  const suppression = { account_id: shop.accountId, channel: 'email', reason: 'unsubscribed', source: 'test' } as const
  const hash = world.deps.secrets.addressHash(at('stopped'))
  await world.db
    .insertInto('suppressions')
    .values({ ...suppression, address_hash: hash, created_at: world.now })
    .execute()
  const signedIn = { expires_at: new Date(world.now.getTime() + DAY), last_seen_at: world.now }
  await world.db.updateTable('sessions').set(signedIn).where('user_id', '=', shop.userId).execute()
  await assignArm(world, shop.storeId, 'control', { email: at('held') })
})

const countReach = async (body: object = {}): Promise<CartReach> => {
  const reply = await world.request('POST', '/api/carts/reach', { token: shop.token, body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body
}

const named = ({ reasons }: CartReach) =>
  Object.fromEntries(reasons.map(({ reason, country, count }) => [country ? `${reason}:${country}` : reason, count]))

const listed = async (query: string) => {
  const { status, body } = await shop.get(`/api/carts/abandoned?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return { names: body.carts.map((cart: { customer_name: string }) => cart.customer_name), ...body.pagination }
}

const reasons = {
  no_contact: 1,
  'no_consent:DE': 1,
  'no_consent:FR': 1,
  suppressed_unsubscribed: 1,
  purchased: 1,
  purchase_in_progress: 1,
  holdout: 1,
  frequency_cap: 1,
}

test('the API counts reachable carts and the blockers of the others, in a paused store as well', async () => {
  const all = await countReach()
  expect(all.reachable).toBe(3)
  expect(named(all)).toEqual(reasons)
  expect(all.lookedThrough).toBeUndefined()
  const amounts = new Map(all.reasons.map(({ reason, country, amounts }) => [`${reason}:${country ?? ''}`, amounts]))
  expect(amounts.get('no_contact:')).toEqual([
    { currency: 'USD', amount: (buildTea().unitPriceMinor! * buildTea().quantity) / 100 },
  ])
})

test("excludes carts abandoned before the dashboard's 30 days", async () => {
  const { body } = await shop.get('/api/dashboard/stats')
  const { reachable, reasons: against } = await countReach({ days: 30 })
  expect(reachable).toBe(2)
  // Only the recovered cart is in neither count.
  expect(reachable + against.reduce((sum, { count }) => sum + count, 0) + 1).toBe(body.abandonedCarts)
  expect((await listed('reach=reachable&days=30')).names.sort()).toEqual(['ada', 'ben'])
  expect((await listed('reach=reachable')).total).toBe(3)
})

test('days and country filter the list, alone or with a reach filter, and so the export and bulk selection', async () => {
  const days = await listed('days=30')
  const { body } = await shop.get('/api/dashboard/stats')
  expect(days.total).toBe(body.abandonedCarts)
  expect(days.names).not.toContain('old')
  expect((await listed('country=DE')).names).toEqual(['german'])
  expect((await listed('country=DE&days=30&reach=no_consent')).names).toEqual(['german'])
  expect((await listed('country=DE&reach=reachable')).total).toBe(0)
  const none = await listed('country=none')
  expect(none.total).toBeGreaterThan(0)
  expect(none.names).not.toContain('german')
  expect(named(await countReach({ country: 'DE' }))).toEqual({ 'no_consent:DE': 1 })
  const { body: link } = await shop.get('/api/carts/export?country=FR')
  const lines = String((await world.request('GET', link.url)).body)
    .trimEnd()
    .split('\r\n')
    .slice(1)
  expect(lines.map((line) => line.split(',')[0])).toEqual(['french'])
  const chosen = { channel: 'email', country: 'FR', days: 30 }
  expect((await world.request('POST', '/api/carts/eligibility', { token: shop.token, body: chosen })).body.total).toBe(
    1,
  )
  for (const query of ['country=de', 'country=Germany', 'days=0']) {
    expect([query, (await shop.get(`/api/carts/abandoned?${query}`)).status]).toEqual([query, 400])
  }
})

interface CartRow {
  pagination: { total: number }
  carts: { customer_name: string; items: { product_id: string }[] }[]
}
const readCarts = async (query: string): Promise<CartRow> =>
  (await shop.get(`/api/carts/abandoned?limit=100&${query}`)).body

test('a product filters by the carts that contain it, in reach and bulk selection', async () => {
  const { carts } = await readCarts('')
  const holding = (id: string) => carts.filter(({ items }) => items.some(({ product_id }) => product_id === id))
  const [pots, teas] = [holding(pot.productId), holding(buildTea().productId)]
  expect([pots.length > 0, teas.length > 0, pots.length < carts.length]).toEqual([true, true, true])
  expect((await readCarts(`product=${pot.productId}`)).carts).toEqual(pots)
  expect((await readCarts(`product=${buildTea().productId}`)).pagination.total).toBe(teas.length)
  expect((await readCarts('product=no-such-product')).carts).toEqual([])
  expect((await listed(`product=${pot.productId}&reach=reachable`)).names).toEqual(['ada'])
  expect((await countReach({ product: pot.productId })).reachable).toBe(1)
  const { body } = await world.request('POST', '/api/carts/eligibility', {
    token: shop.token,
    body: { channel: 'email', product: pot.productId, days: 30 },
  })
  expect(body.total).toBe((await readCarts(`product=${pot.productId}&days=30`)).pagination.total)
  for (const query of ['product=', `product=${'1'.repeat(101)}`]) {
    expect([query, (await shop.get(`/api/carts/abandoned?${query}`)).status]).toEqual([query, 400])
  }
})

test('a funnel stage filters by the carts that reached it (decision 93)', async () => {
  await countFigures(world.deps)
  const { funnels } = (await shop.get('/api/analytics?range=30d')).body as AnalyticsReply
  const names = async (query: string) => (await listed(`days=30&${query}`)).names.sort()
  expect(await names('stage=sent:email')).toEqual(['Ada Lovelace', 'capped'])
  expect(funnels.email).toMatchObject({ emailsSent: 2, clicks: 1, conversions: 1 })
  for (const stage of ['clicked:email', 'clicked', 'converted:email', 'converted']) {
    expect([stage, await names(`stage=${stage}`)]).toEqual([stage, ['Ada Lovelace']])
  }
  expect(await names('stage=sent')).toEqual(['Ada Lovelace', 'capped'])
  for (const stage of ['opened:email', 'sent:sms', 'clicked:sms', 'converted:sms']) {
    expect([stage, await names(`stage=${stage}`)]).toEqual([stage, []])
  }
  for (const stage of ['created', 'sent:fax', 'sent:']) {
    expect([stage, (await shop.get(`/api/carts/abandoned?stage=${stage}`)).status]).toEqual([stage, 400])
  }
})

test('the filter of a reason finds the carts counted under it', async () => {
  for (const [filter, count] of Object.entries(reasons)) {
    const { total, names } = await listed(`reach=${filter}`)
    expect([filter, total, names.length]).toEqual([filter, count, count])
  }
  expect((await listed('reach=no_consent')).names.sort()).toEqual(['french', 'german'])
  expect((await listed('reach=purchased')).names).toEqual(['alias'])
  expect((await listed('reach=no_consent:AT')).total).toBe(0)
})

test('combines with search, status, sorting and paging', async () => {
  expect((await listed('reach=reachable&search=ad')).names).toEqual(['ada'])
  expect((await listed('reach=reachable&status=no%20action')).total).toBe(3)
  expect((await listed('reach=reachable&status=email%20sent')).total).toBe(0)
  expect((await listed('reach=reachable&sort=value&order=desc&limit=1')).names).toEqual(['ada'])
  const pages = [1, 2, 3].map((page) => listed(`reach=reachable&sort=customer&order=asc&limit=1&page=${page}`))
  expect((await Promise.all(pages)).map(({ names, total }) => [...names, total])).toEqual([
    ['ada', 3],
    ['ben', 3],
    ['old', 3],
  ])
  expect(named(await countReach({ search: 'german' }))).toEqual({ 'no_consent:DE': 1 })
})

test('exports the filtered carts, and the link is valid for that filter only', async () => {
  const { body } = await shop.get('/api/carts/export?reach=no_consent&days=30')
  const file = await world.request('GET', body.url)
  const rows = String(file.body).trimEnd().split('\r\n').slice(1)
  expect(rows.map((line) => line.split(',')[0]).sort()).toEqual(['french', 'german'])
  // The ticket contains the filter in encrypted form; a filter added to the address has no effect.
  expect(body.url).not.toMatch(/reach|days/)
  expect((await world.request('GET', `${body.url}&reach=reachable&days=300`)).body).toBe(file.body)
})

test('the API rejects an unknown filter', async () => {
  for (const query of ['reach=whatever', 'reach=no_contact:DE', 'reach=reachable&days=0', 'reach=reachable&days=x']) {
    expect([query, (await shop.get(`/api/carts/abandoned?${query}`)).status]).toEqual([query, 400])
  }
})

test('selects all filtered carts, and the send decision agrees on each when the store is not paused', async () => {
  const paused = { sending_paused_at: null }
  await world.db.updateTable('stores').set(paused).where('id', '=', shop.storeId).execute()
  const ask = (body: object) =>
    world.request('POST', '/api/carts/eligibility', { token: shop.token, body: { channel: 'email', ...body } })
  const matching = (await ask({ reach: 'reachable', days: 30 })).body
  expect([matching.total, matching.eligible.length]).toEqual([2, 2])
  const cartIds = (await shop.carts()).filter(({ status }) => status !== 'recovered').map(({ id }) => id)
  const reasons: [string, string][] = []
  // One at a time: in one request, each cart uses up volume of the ones behind it.
  for (const id of cartIds) reasons.push([id, (await ask({ cartIds: [id] })).body.reasons[0]?.reason ?? 'reachable'])
  const reach = await countReach({ cartIds })
  const badges = new Map(reach.reasons.flatMap(({ reason, cartIds: ids }) => (ids ?? []).map((id) => [id, reason])))
  expect(cartIds.map((id) => [id, badges.get(id) ?? 'reachable'])).toEqual(reasons)
  expect(reach.reachable).toBe(3)
})
