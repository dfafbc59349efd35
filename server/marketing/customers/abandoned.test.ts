import { expect, test } from 'vitest'
import { setBadge } from '../../../test/cart-badges.ts'
import { createCouponShop } from '../../../test/discount-scene.ts'
import { buildOrder } from '../../../test/factories.ts'
import { DAY, HOUR, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// Customers with an abandoned cart (B 7), for the recipients of a discount mail.

const world = createWorld()

test('the list lists each person once by their newest cart, as an array or in pages', {
  tags: ['B9'],
}, async () => {
  const shop = await createCouponShop(world, { carts: 3, buyers: 2 })
  const ask = (query = '', path = '/api/customers/abandoned') =>
    world.request('GET', `${path}${query}`, { token: shop.token }).then((reply) => reply.body)
  const [first] = shop.orders
  // Weeks later the first shopper returns and abandons another cart.
  await passTime(world, shop.storeId, 2 * DAY)
  await recordOrders(world.deps, shop.storeId, [buildOrder(world, { kind: 'purchase', email: first!.email })], 'sync')
  const items = [{ ...first!.items[0]!, quantity: 1, unitPriceMinor: 1_250 }]
  world.advance(HOUR)
  await recordOrders(
    world.deps,
    shop.storeId,
    [buildOrder(world, { email: first!.email, country: 'DE', items })],
    'sync',
  )
  await passTime(world, shop.storeId, DAY)
  const all: { _id: string; customer_email: string; cart_value: number; is_registered: boolean }[] = await ask()
  expect(all[0]).toMatchObject({
    _id: shop.people[0],
    first_name: 'Ada',
    last_name: 'Lovelace',
    customer_email: first!.email,
    company: null,
    is_registered: false,
    last_login: null,
    cart_value: 12.5,
    currency: 'USD',
  })
  expect(all.map(({ _id }) => _id).sort()).toEqual([...shop.people].sort())
  expect(await ask('', '/customers/abandoned')).toEqual(all)
  const page = await ask('?cursor=&limit=2')
  expect([page.total, page.customers]).toEqual([3, all.slice(0, 2)])
  const rest = await ask(`?limit=2&cursor=${page.next}`)
  expect([rest.next, rest.customers]).toEqual([null, all.slice(2)])
  const found = await ask(`?cursor=&search=${first!.email!.slice(0, -2)}`)
  expect([found.total, found.customers]).toEqual([1, [all[0]]])
  expect((await ask('?cursor=nonsense')).code).toBe('invalid')
})

test('the list returns data on a path shared with a page, and the page to clients that prefer HTML (decision 129)', {
  tags: ['B7'],
}, async () => {
  const shop = await createCouponShop(world)
  const ask = (accept?: string) =>
    world.app.inject({
      url: '/customers/abandoned',
      headers: { authorization: `Bearer ${shop.token}`, ...(accept && { accept }) },
    })
  for (const accept of [undefined, '*/*', 'application/json']) {
    const reply = await ask(accept)
    expect([accept, reply.statusCode, reply.json()]).toMatchObject([accept, 200, [{ _id: shop.people[0] }]])
    expect([reply.headers.vary, reply.headers['cache-control']]).toEqual(['accept', 'no-store'])
  }
  const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8')
  expect(page.statusCode).toBe(404)
  expect(page.body).not.toContain(shop.people[0])
})

test('filters match an audience with its newest matching cart, and a channel limits to people it reaches', async () => {
  const shop = await createCouponShop(world, { carts: 3, buyers: 1 })
  const { storeId } = shop
  const [first, second, third] = shop.people as [string, string, string]
  const change = (id: string, values: object) =>
    world.db.updateTable('carts').set(values).where('store_id', '=', storeId).where('shopper_id', '=', id).execute()
  const ask = async (query: string) => {
    const { body } = await world.request('GET', `/api/customers/abandoned?cursor=&${query}`, { token: shop.token })
    const found = body.customers.map(({ _id }: { _id: string }) => _id)
    expect(body.total).toBe(found.length)
    return found.sort()
  }
  await change(first, { value_minor: 9_000 })
  const theirs = await world.db.selectFrom('carts').select('id').where('shopper_id', '=', first).execute()
  await setBadge(
    world.db,
    theirs.map(({ id }) => id),
    'No Response',
  )
  await change(second, { items: JSON.stringify([{ productId: '7' }]) })
  await change(third, { email: null, phone: '+12125550123' })
  await world.db.updateTable('shoppers').set({ country: 'AT' }).where('id', '=', second).execute()
  expect(await ask('minCartValue=90')).toEqual([first])
  expect(await ask('badge=No%20Response&maxCartValue=90')).toEqual([first])
  expect(await ask('productId=7&country=AT&mailedBefore=no')).toEqual([second])
  expect(await ask('channel=email')).toEqual([first, second].sort())
  const withPhone = await ask('channel=sms')
  expect(withPhone).toContain(third)
  expect(await ask(`channel=email&search=${encodeURIComponent(shop.orders[0]!.email!)}`)).toEqual([first])
  expect(await ask(`country=AT&search=${encodeURIComponent(shop.orders[0]!.email!)}`)).toEqual([])
  expect(await ask('')).toEqual([first, second, third].sort())
  for (const query of ['badge=Nobody', 'country=austria', 'minCartValue=-1', 'channel=pigeon']) {
    const { status } = await world.request('GET', `/api/customers/abandoned?${query}`, { token: shop.token })
    expect([query, status]).toEqual([query, 400])
  }
})
