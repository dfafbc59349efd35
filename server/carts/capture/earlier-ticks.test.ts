import { beforeEach, expect, test } from 'vitest'
import type { CaptureMode } from '../../../shared/shoppers/capture-mode.ts'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../carts/record.ts'
import { foldStorePosts } from './capture-intake.ts'
import { recordSignedPosts } from './signed-posts.ts'

// A box decides what is kept of later posts (C9): a tick on an earlier page, and a covered customer's withdrawal.

const world = createWorld()
const EMAIL = 'ada@shoppers.example.com'
const CART = 'cart-of-ada-0123456789'
const items = [{ id: '11', quantity: 1 }]
const contact = { email: EMAIL, phone: '+12125550177', firstName: 'Ada', country: 'US' }
let store: TestStore
let url: string
let n = 0

beforeEach(async () => {
  url = `https://ticked-${++n}.example.com`
  store = await createStore(world, { url })
})

const setMode = (mode: CaptureMode) =>
  world.db.updateTable('stores').set({ before_consent: mode }).where('id', '=', store.storeId).execute()

let seq = 0
async function post(body: object) {
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${store.captureKey}`,
    headers: { origin: url, 'content-type': 'text/plain' },
    payload: JSON.stringify({ cart: CART, device: 'device-of-ada-012345', page: CART, seq: seq++, ...body }),
  })
  expect([reply.statusCode, reply.body]).toEqual([204, ''])
  world.advance(1_000)
  await foldStorePosts(world.deps, { storeId: store.storeId, db: world.db })
}

/** Everything stored about the shopper: keys, facts, carts, inbox. */
async function readEverythingStored(): Promise<string> {
  const of = (table: 'shopper_keys' | 'facts' | 'carts' | 'capture_inbox' | 'shoppers') =>
    world.db.selectFrom(table).selectAll().where('store_id', '=', store.storeId).execute()
  return JSON.stringify(
    await Promise.all((['shopper_keys', 'facts', 'carts', 'capture_inbox', 'shoppers'] as const).map(of)),
  )
}

test.each([
  ['nothing', '[[],[],[],[],[]]'],
  ['cart_only', null],
] as const)('%s: a tick on an earlier page releases its own contact, unless its text is outdated', async (mode, all) => {
  await setMode(mode)
  await post({ items, contact, ticked: 'w1abcdef' })
  for (const word of [EMAIL, 'Ada', 'device-of-ada']) expect(await readEverythingStored()).not.toContain(word)
  if (all) expect(await readEverythingStored()).toBe(all)
  await post({ items: [{ id: '12', quantity: 1 }], contact, ticked: `w2,${buildConsentBox('email').id}` })
  for (const word of [EMAIL, 'device-of-ada', '"12"']) expect(await readEverythingStored()).toContain(word)
  expect(await readEverythingStored()).not.toContain('12125550177')
})

test('cart only: drops what a covered customer types after a withdrawal at the box (C6)', async () => {
  await setMode('cart_only')
  const order = buildOrder(world, { kind: 'purchase', customerId: '77', email: EMAIL, phone: null, firstName: 'Ada' })
  await recordOrders(world.deps, store.storeId, [order], 'sync')
  const report = (firstName: string, consent: object) =>
    recordSignedPosts(
      world.deps,
      { id: store.storeId, home_url: url },
      {
        install: 'install-of-the-shop',
        posts: [
          {
            at: world.now,
            client: null,
            post: {
              cart: CART,
              page: 'install-of-the-shop',
              seq: ++seq,
              contact: { ...contact, firstName },
              ...consent,
              signed: { items: [], currency: 'USD', customerId: '77', state: null, draftId: null },
            },
          },
        ],
      },
    )
  await report('Beatrice', { consent: { email: buildConsentBox('email', false) } })
  expect(await readEverythingStored()).not.toContain('Beatrice')
  await report('Adelaide', {})
  expect(await readEverythingStored()).toContain('Adelaide')
})
