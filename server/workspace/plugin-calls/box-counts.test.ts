import { beforeEach, expect, test } from 'vitest'
import type { CaptureMode } from '../../../shared/shoppers/capture-mode.ts'
import { type BoxCount, boxCountDays } from '../../../shared/shoppers/consent-box.ts'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import {
  buildCartEntry,
  buildWireOrder,
  createCartToken,
  createPluginShop,
  type PluginShop,
} from '../../../test/plugin-shop.ts'
import { createWorld } from '../../../test/world.ts'
import { foldStorePosts } from '../../carts/capture/capture-intake.ts'
import { deleteOldBoxCounts } from '../../shoppers/consent/box-counts.ts'

// How many shoppers see and tick a consent box, as reported by script and plugin.

const world = createWorld()
const DAY = 86_400_000
let shop: PluginShop

beforeEach(async () => {
  shop = await createPluginShop(world)
})

const setMode = (mode: CaptureMode | null) =>
  world.db.updateTable('stores').set({ before_consent: mode }).where('id', '=', shop.storeId).execute()

const read = async () => (await world.request('GET', '/api/consent/boxes/counts', { token: shop.owner.token })).body

/** Place, channel and language with shown, ticked, and ticked alone. */
const counts = async () =>
  (await read()).counts.map((each: BoxCount) => [
    [each.place, each.channel, each.language].join(' '),
    each.shown,
    each.ticked,
    each.tickedAlone,
  ])

const yes = buildConsentBox('email', true, 'Mugs & More')
const boxIds = { email: yes.id }

let posts = 0
async function post(cart: string, body: object) {
  const { capture_key: key } = await world.db
    .selectFrom('stores')
    .select('capture_key')
    .where('id', '=', shop.storeId)
    .executeTakeFirstOrThrow()
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${key}`,
    headers: { origin: shop.home, 'content-type': 'text/plain' },
    payload: JSON.stringify({
      cart: cart.padEnd(20, 'x'),
      page: `page-${cart}`.padEnd(20, 'x'),
      seq: posts++,
      ...body,
    }),
  })
  expect([reply.statusCode, reply.body]).toEqual([204, ''])
  await foldStorePosts(world.deps, { storeId: shop.storeId, db: world.db })
}

let seq = 0
const report = (cart: string, isTicked: boolean | undefined, more: object = {}) =>
  shop.batch([
    {
      seq: ++seq,
      ...buildCartEntry({
        cart,
        forms: { block: { email: { id: yes.id, ...(isTicked !== undefined && { isTicked }) } } },
        ...more,
      }),
    },
  ])

test('a cart counts once for all posts of the script, and an unticked box no longer counts as ticked', async () => {
  await setMode('cart_only')
  for (const cart of ['ada', 'bob', 'ada']) await post(cart, { boxes: boxIds })
  expect(await counts()).toEqual([['page email ', 2, 0, 0]])
  const contact = { email: 'ada@shoppers.example.com' }
  await post('ada', { contact, boxes: boxIds, consent: { email: yes } })
  await post('ada', { contact, boxes: boxIds, consent: { email: yes } })
  expect(await counts()).toEqual([['page email ', 2, 1, 0]])
  // A page that shows the box unticked again is no answer.
  await post('ada', { boxes: boxIds })
  expect(await counts()).toEqual([['page email ', 2, 1, 0]])
  await post('ada', { contact, boxes: boxIds, consent: { email: { ...yes, isGiven: false } } })
  expect(await counts()).toEqual([['page email ', 2, 0, 0]])
  const views = await world.db
    .selectFrom('consent_box_views')
    .selectAll()
    .where('store_id', '=', shop.storeId)
    .execute()
  expect(JSON.stringify(views)).not.toMatch(/ada|bob/)
})

test("boxes with other texts than the store's are not counted", async () => {
  await post('eve', { contact: { email: 'eve@shoppers.example.com' }, boxes: { email: 'w-other', sms: '' } })
  expect(await counts()).toEqual([])
})

test("a plugin's cart counts in each place and language where its shopper saw the box", async () => {
  const german = { channel: 'email', language: 'de', words: 'Erinnert mich.' }
  const saved = await world.request('PUT', '/api/consent/boxes', { token: shop.owner.token, body: german })
  const [de] = saved.body.box.languages
  const id = /data-recoup-wording="(\w+)"/.exec(de.html)![1]!
  const [ada, bob] = [createCartToken(), createCartToken()]
  await report(ada, undefined)
  await report(ada, true)
  await report(bob, undefined, { forms: { classic: { email: { id } } } })
  // A text cached by the shop counts; its language is no longer known.
  await report(createCartToken(), true, { forms: { classic: { email: { id: 'w-old', isTicked: true } } } })
  expect(await counts()).toEqual([
    ['block email ', 1, 1, 0],
    ['classic email de', 1, 0, 0],
    ['classic email ', 1, 1, 0],
  ])
})

test("an order counts the boxes of its checkout, even after the cart's report", async () => {
  const [ada, bob] = [createCartToken(), createCartToken()]
  const forms = { block: { email: { id: yes.id, isTicked: true } } }
  await report(ada, undefined)
  const order = (cart: string) => ({ type: 'order', order: buildWireOrder(world), cart, event: 'placed', forms })
  await shop.batch([{ seq: ++seq, ...order(ada) }])
  await shop.batch([{ seq: ++seq, ...order(bob) }])
  expect(await counts()).toEqual([['block email ', 2, 2, 0]])
})

test('My account counts each save, without its customer, and a repeated entry once', async () => {
  const entry = (isTicked: boolean) => ({ type: 'form', forms: { account: { email: { id: yes.id, isTicked } } } })
  const first = { seq: ++seq, ...entry(true) }
  for (let n = 0; n < 2; n++) expect((await shop.batch([first])).body).toMatchObject({ done: [first.seq], refused: [] })
  await shop.batch([{ seq: ++seq, ...entry(false) }])
  expect(await counts()).toEqual([['account email ', 2, 1, 0]])
})

test('a store that keeps nothing before consent has ticks and no rate', async () => {
  await report(createCartToken(), undefined)
  await setMode('nothing')
  const contact = { email: 'ada@shoppers.example.com', country: 'US' }
  await report(createCartToken(), true, { contact, consent: { email: yes } })
  await report(createCartToken(), undefined, { agreed: true })
  await post('eve', { boxes: boxIds })
  expect(await counts()).toEqual([['block email ', 1, 0, 1]])
  expect((await read()).mode).toBe('nothing')
})

test('an empty box stores no row if nothing may be stored before consent', async () => {
  await setMode('nothing')
  const cart = createCartToken()
  const views = () =>
    world.db.selectFrom('consent_box_views').selectAll().where('store_id', '=', shop.storeId).execute()
  const block = (box: object) => ({ block: { email: { id: yes.id, ...box } } })
  const order = { type: 'order', order: buildWireOrder(world), cart, event: 'placed', forms: block({}) }
  await report(cart, undefined)
  await shop.batch([{ seq: ++seq, ...order }])
  await shop.batch([{ seq: ++seq, type: 'form', forms: { account: { email: { id: yes.id, isTicked: false } } } }])
  expect(await views()).toEqual([])
  const contact = { email: 'ada@shoppers.example.com', country: 'US' }
  await report(cart, true, { contact, consent: { email: yes } })
  expect(await counts()).toEqual([['block email ', 0, 0, 1]])
})

test('reports of older plugins are not counted', async () => {
  await shop.batch([{ seq: ++seq, ...buildCartEntry({ boxes: boxIds, consent: { email: yes } }) }])
  expect(await counts()).toEqual([])
})

test('counts are shown for 30 days, and hashes of carts are deleted after two', async () => {
  const cart = createCartToken()
  await report(cart, undefined)
  world.advance(3 * DAY)
  await deleteOldBoxCounts(world.deps)
  const views = () =>
    world.db.selectFrom('consent_box_views').selectAll().where('store_id', '=', shop.storeId).execute()
  expect(await views()).toEqual([])
  expect(await counts()).toEqual([['block email ', 1, 0, 0]])
  world.advance((boxCountDays - 4) * DAY)
  expect(await counts()).toHaveLength(1)
  world.advance(DAY)
  expect(await counts()).toEqual([])
})
