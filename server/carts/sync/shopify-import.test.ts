import { afterEach, expect, test } from 'vitest'
import { openLargeShop } from '../../../test/large-shop.ts'
import { isFullRun } from '../../../test/seed.ts'
import { createShopifyStore } from '../../../test/shopify-store.ts'
import { createWorld, type World } from '../../../test/world.ts'
import { importStore } from './sync.ts'

// Import of a very large store from the contract server: 50,000 orders of 30,000 shoppers and 20,000 abandoned
// checkouts, with throttling and expiring tokens. `npm test` imports a hundredth of it.

const SHARE = isFullRun ? 1 : 100
const SIZE = { orders: 50_000 / SHARE, checkouts: 20_000 / SHARE }
const POINTS_DROP_EVERY_PAGES = isFullRun ? 50 : 2
const TOKENS_END_EVERY_PAGES = isFullRun ? 200 : 3

const world = createWorld()
const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const countRows = async (storeId: string) => {
  const { rows } = await world.pool.query(
    `select (select count(*)::int from orders where store_id = $1) as orders,
      (select count(distinct fold->'episode'->'checkout'->>'id')::int from carts where store_id = $1) as checkouts,
      (select count(*)::int from facts where store_id = $1) as facts,
      (select count(*)::int from shoppers where store_id = $1) as shoppers,
      (select json_agg(error_code) from sync_state where store_id = $1 and error_code is not null) as problems`,
    [storeId],
  )
  return rows[0]
}

test('many orders and checkouts are imported completely despite refusals of the store', async () => {
  const { storeId } = await createShopifyStore(world)
  const { client, say, start } = await openLargeShop(closing, SIZE, (ms) => world.advance(ms))
  world.now = start
  world.storeClient = throttle(client, say)
  await importStore(world.deps, { storeId })
  const first = await countRows(storeId)
  // The order and the checkout from which the others are copied belong together: it was bought.
  expect(first).toMatchObject({ orders: SIZE.orders + 1, checkouts: SIZE.checkouts, problems: null })
  expect(await say({ do: 'tell' })).toMatchObject({ bulkRuns: isFullRun ? 1 : 0, throttled: expect.any(Number) })
  expect((await say({ do: 'tell' })).throttled).toBeGreaterThan(0)
  await importStore(world.deps, { storeId })
  expect(await countRows(storeId)).toEqual(first)
}, 1_800_000)

/** Regularly leaves hardly any query points, or expires the token. */
function throttle(
  client: ReturnType<World['storeClient']>,
  say: Awaited<ReturnType<typeof openLargeShop>>['say'],
): World['storeClient'] {
  let pages = 0
  async function* harriedPages<Page>(source: AsyncIterable<Page>): AsyncGenerator<Page> {
    for await (const page of source) {
      pages += 1
      if (pages % POINTS_DROP_EVERY_PAGES === 0) await say({ do: 'leave points', points: 5 })
      if (pages % TOKENS_END_EVERY_PAGES === 0) await say({ do: 'end tokens' })
      yield page
    }
  }
  const harriedClient = {
    ...client,
    orders: (query) => harriedPages(client.orders(query)),
    checkouts: (query) => harriedPages(client.checkouts(query)),
  } as typeof client
  return () => harriedClient
}
