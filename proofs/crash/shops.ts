import { randomBytes } from 'node:crypto'
import { type DemoStore, startDemoStore } from '../../providers/woocommerce/store.ts'
import { saveKeys } from '../../server/access/stores/access.ts'
import { recordOrders } from '../../server/carts/carts/record.ts'
import { createLogger } from '../../server/core/common/logger.ts'
import { createSecrets } from '../../server/core/common/secrets.ts'
import type { Db } from '../../server/core/db/db.ts'
import { retryUntilAvailable } from '../../server/core/db/db-unavailable.ts'
import type { Deps } from '../../server/deps.ts'
import { buildOrder, createStore, type TestStore } from '../../test/factories.ts'
import { buildWooKeys } from '../../test/woo-access.ts'
import type { World } from '../../test/world.ts'

// Three shops of two owners, and shoppers who abandoned carts there.

export const SECRET = randomBytes(32).toString('base64url')
export const KEYS = { consumerKey: `ck_${'c'.repeat(40)}`, consumerSecret: `cs_${'e'.repeat(40)}` }
const MINUTE_MS = 60_000
const SHOPS = 3
export const PEOPLE_PER_SHOP = 14
export const PEOPLE = SHOPS * PEOPLE_PER_SHOP
/**
 * Per shop: four workers may each hold a full batch, and some remain. On a slow machine two batches need not overlap,
 * but of five some do.
 */
export const CROWD = 460

/** Shops that answer the order check; several lanes share them. */
export function startShops(): Promise<DemoStore[]> {
  return Promise.all(Array.from({ length: SHOPS }, () => startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })))
}

export async function connectShops(db: Db, shops: readonly DemoStore[]): Promise<TestStore[]> {
  const deps = createDeps(db)
  const world = { db, now: new Date(Date.now() - 60 * MINUTE_MS) } as World
  const stores: TestStore[] = []
  for (const { url } of shops) {
    const same = stores.length === 1 ? { accountId: stores[0]!.accountId } : {}
    const store = await createStore(world, { url, plan: 'growth', orderCheckAgeMs: null, ...same })
    await db
      .transaction()
      .execute((tx) => saveKeys(deps, { accountId: store.accountId, db: tx }, store.storeId, buildWooKeys(KEYS)))
    stores.push(store)
  }
  await db.updateTable('flow_steps').set({ delay_minutes: 10 }).where('step', '=', 1).execute()
  await db.updateTable('stores').set({ effective_timeout_minutes: 10 }).execute()
  return stores
}

/** A product of every demo store; without a known product nothing is sent. */
const MUG = {
  productId: '20',
  variationId: null,
  name: 'Mug',
  sku: null,
  imageUrl: null,
  quantity: 1,
  unitPriceMinor: 2_100,
}

/** All are due at once. The name in the address selects the mail server's treatment; `gone` has unsubscribed. */
export async function addAbandonedCarts(
  db: Db,
  stores: readonly TestStore[],
  addresses: readonly string[],
): Promise<void> {
  const deps = createDeps(db)
  const modifiedAt = new Date(Date.now() - 15 * MINUTE_MS)
  for (const [index, store] of stores.entries()) {
    const here = addresses.filter((_, n) => n % stores.length === index)
    const orders = here.map((email) => buildOrder({ now: modifiedAt } as World, { email, items: [MUG] }))
    const missing = here.filter((address) => address.startsWith('gone-'))
    // The first may be due, and the database killed, while the last are being written. Both statements are safe to
    // repeat.
    await retryUntilAvailable(() => unsubscribe(deps, store, missing))
    await retryUntilAvailable(() => recordOrders(deps, store.storeId, orders, 'sync'))
  }
}

async function unsubscribe({ db, secrets }: Deps, { accountId }: TestStore, addresses: readonly string[]) {
  if (addresses.length === 0) return
  const rows = addresses.map((address) => ({
    account_id: accountId,
    address_hash: secrets.addressHash(address),
    channel: 'email' as const,
    address,
    reason: 'unsubscribed' as const,
    source: 'link',
    created_at: new Date(),
  }))
  await db
    .insertInto('suppressions')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

function createDeps(db: Db): Deps {
  return { db, now: () => new Date(), log: createLogger('silent'), secrets: createSecrets(SECRET) } as Deps
}
