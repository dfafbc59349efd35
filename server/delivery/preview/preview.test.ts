import { beforeEach, describe, expect, test } from 'vitest'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { createShop } from '../../../test/manual-send-scene.ts'
import { createMessageScene, HOUR, markPurchased, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'

// The sample cart: a message can be read before the first cart is left. And what a shopper had last.

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
})

const step = (store: TestStore, body: object = {}) =>
  world.request('POST', `/api/flows/${store.flowId}/preview`, {
    token: store.token,
    body: { step: 1, cartId: 'sample', ...body },
  })
const manual = (store: TestStore, body: object = {}) =>
  world.request('POST', '/api/messages/preview', {
    token: store.token,
    body: { channel: 'email', cartId: 'sample', ...body },
  })

function sells(store: TestStore, name: string, more: { image?: string | null; price?: number; isAvailable?: boolean }) {
  const { image = null, price = 1_250, isAvailable = true } = more
  const row = { store_id: store.storeId, product_id: createId(), variation_id: '', currency: 'USD', seen_at: world.now }
  return world.db
    .insertInto('products')
    .values({ ...row, name, price_minor: price, image_url: image, is_available: isAvailable })
    .execute()
}

describe('the sample cart', () => {
  test('shows a flow’s messages in a store without carts and products, with built-in images', async () => {
    const store = await createStore(world)
    const { status, body } = await step(store)
    expect([status, body.problem, body.decision]).toEqual([200, null, null])
    expect(body.html).toContain(`src="${world.deps.config.publicUrl}/sample/mug.jpg"`)
    expect(body.html).toContain('$28.00')
    expect(body.text).toContain('Storage jar')
  })

  test('has amounts in the store’s currency', async () => {
    const store = await createStore(world)
    const stores = world.db.updateTable('stores').where('id', '=', store.storeId)
    await stores.set({ currency: 'JPY' }).execute()
    expect((await step(store)).body.text).toContain('¥2,800')
    await stores.set({ currency: 'EUR' }).execute()
    expect((await manual(store)).body.text).toContain('€28.00')
  })

  test('contains available products of the store, preferring those with an image that mail programs show', async () => {
    const store = await createStore(world)
    const { url } = await world.db
      .selectFrom('stores')
      .select('url')
      .where('id', '=', store.storeId)
      .executeTakeFirstOrThrow()
    await sells(store, 'Plain tin', {})
    await sells(store, 'Drawn pot', { image: `${url}/pot.svg` })
    await sells(store, 'Gone cup', { image: `${url}/cup.jpg`, isAvailable: false })
    await sells(store, 'Given away', { image: `${url}/free.jpg`, price: 0 })
    await sells(store, 'Green tea', { image: `${url}/tea.jpg?v=2` })
    const { body } = await step(store)
    expect(body.html).toContain(`src="${url}/tea.jpg?v=2"`)
    expect([...body.text.matchAll(/× ([\w ]+): \$/g)].map(([, name]) => name)).toEqual(['Green tea', 'Drawn pot'])
    expect(body.text).toContain('$25.00')
  })

  test('shows unsaved texts and their problems, for flows and manual messages', async () => {
    const store = await createStore(world)
    for (const preview of [step, manual]) {
      const { body } = await preview(store, { subject: 'For {{ customer_name }}', body: 'Come {{ cart_total }}' })
      expect([body.subject, body.problem]).toEqual(['For Alex', null])
      expect(body.html).toContain('$62.00')
      const wrong = await preview(store, { subject: 'x', body: '{{ nonsense }}' })
      expect(wrong.body.problem).toMatch(/nonsense/)
    }
  })

  test('is priced like an SMS to the store’s country', async () => {
    const shop = await createShop(world)
    const { body } = await manual(shop, { channel: 'sms', body: 'Back: {{ checkout_link }}' })
    expect(body).toMatchObject({ problem: null, price: { currency: 'USD' }, decision: null })
    expect(body.text).toMatch(/^Back: http/)
    expect(body.price.amount).toBeGreaterThan(0)
  })

  test('stores nothing: no row, no working link, no tracking', async () => {
    const store = await createStore(world)
    const { publicUrl } = world.deps.config
    const rows = async () =>
      Promise.all(
        (
          ['carts', 'shoppers', 'messages', 'decisions', 'link_tokens', 'touchpoints', 'engagement_events'] as const
        ).map(async (table) => (await world.db.selectFrom(table).select('store_id').execute()).length),
      )
    const before = await rows()
    const { body } = await step(store)
    expect(await rows()).toEqual(before)
    expect(body.html).not.toContain('/o/')
    const links = [...body.html.matchAll(/href="([^"]+)"/g)].map(([, link]) => link as string)
    const paths = links.filter((link) => link.startsWith(publicUrl)).map((link) => new URL(link))
    expect(paths.length).toBeGreaterThan(1)
    for (const { pathname, search } of paths) {
      for (const method of ['GET', 'POST'] as const) {
        const { statusCode, headers } = await world.app.inject({ method, url: `${pathname}${search}` })
        expect([200, 302, 404]).toContain(statusCode)
        // At most to a page of ours that reports an unknown link.
        expect(new URL(String(headers.location ?? '/'), publicUrl).origin).toBe(new URL(publicUrl).origin)
      }
    }
    expect(await rows()).toEqual(before)
  })

  test('cannot be sent but as a test', async () => {
    const shop = await createShop(world)
    const calls: [string, object][] = [
      ['/api/carts/send', { cartIds: ['sample'], channel: 'email' }],
      ['/api/email/send-email', { cart_id: 'sample', to: 'ada@shoppers.example.com' }],
    ]
    for (const [url, body] of calls) {
      expect((await world.request('POST', url, { token: shop.token, body })).status).toBe(400)
    }
    expect(world.sent).toEqual([])
  })
})

describe('the shopper’s last message', () => {
  const last = async (store: TestStore, cartId: string) =>
    (await world.request('GET', `/api/carts/${cartId}/last-message`, { token: store.token })).body.message
  const readCart = (store: TestStore) =>
    world.db.selectFrom('carts').select('id').where('store_id', '=', store.storeId).orderBy('started_at', 'desc')

  test('is empty before the first one, then the newest about any of their carts', async () => {
    const store = await createMessageScene(world)
    const first = await readCart(store).executeTakeFirstOrThrow()
    expect(await last(store, first.id)).toBeNull()
    await passTime(world, store.storeId, HOUR)
    const message = await last(store, first.id)
    expect(message).toEqual({
      channel: 'email',
      at: world.now.toISOString(),
      subject: world.sent[0]!.subject,
      outcome: 'sent',
    })
    await recordOrders(world.deps, store.storeId, [markPurchased(world, store.orders[0]!)], 'sync')
    world.advance(HOUR)
    await recordOrders(world.deps, store.storeId, [buildOrder(world, { email: store.orders[0]!.email })], 'sync')
    const carts = await readCart(store).execute()
    expect(carts.length).toBe(2)
    for (const { id } of carts) expect(await last(store, id)).toEqual(message)
  })

  test('shows its known progress, and ignores opens by machines', async () => {
    const store = await createMessageScene(world)
    await passTime(world, store.storeId, HOUR)
    const cart = await readCart(store).executeTakeFirstOrThrow()
    const message = await world.db
      .selectFrom('messages')
      .select('id')
      .where('cart_id', '=', cart.id)
      .where('sending_at', 'is not', null)
      .executeTakeFirstOrThrow()
    const visit = (kind: 'open' | 'click', by: 'human' | 'machine') =>
      world.db
        .insertInto('engagement_events')
        .values({
          store_id: store.storeId,
          id: createId(),
          message_id: message.id,
          link: '',
          at: world.now,
          kind,
          class: by,
          class_reason: 'browser',
        })
        .execute()
    await visit('open', 'machine')
    expect((await last(store, cart.id)).outcome).toBe('sent')
    await visit('open', 'human')
    expect((await last(store, cart.id)).outcome).toBe('opened')
    await visit('click', 'human')
    expect((await last(store, cart.id)).outcome).toBe('clicked')
  })
})
