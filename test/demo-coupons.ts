import { afterAll, beforeAll } from 'vitest'
import { openStore } from '../providers/woocommerce/recordings.ts'
import type { DemoStore } from '../providers/woocommerce/store.ts'
import { saveKeys } from '../server/access/stores/access.ts'
import { createCodes } from '../server/carts/coupon-codes/codes.ts'
import { type GuardedHttp, openGuardedHttp } from '../server/core/net/guarded-fetch.ts'
import { findUnneededCodes } from '../server/delivery/send/needless-codes.ts'
import { wakeDueStores } from '../server/messages/messages/scan.ts'
import { createWooCommerceClient } from '../server/platforms/woocommerce/platform.ts'
import { completeOrderCheck, type TestStore } from './factories.ts'
import { buildTerms } from './fake-store.ts'
import { buildWooAccess, buildWooKeys } from './woo-access.ts'
import type { World } from './world.ts'

// Test support: a demo store that holds the coupons of a test's shop; products and orders belong to the test.

export interface DemoCoupons {
  store: DemoStore
  /** Connects the shop to the demo store with its keys. */
  connect(shop: TestStore): Promise<void>
  make(shop: TestStore): Promise<unknown>
  /** Runs jobs until none is due. */
  work(shop: TestStore): Promise<void>
}

/** Call once per test file. */
export function createDemoCoupons(world: World): DemoCoupons {
  let guarded: GuardedHttp
  const demo = {
    async connect({ accountId, storeId }) {
      const { consumerKey, consumerSecret } = demo.store.keys
      await world.db
        .transaction()
        .execute((db) =>
          saveKeys(world.deps, { accountId, db }, storeId, buildWooKeys({ consumerKey, consumerSecret })),
        )
    },
    make: ({ storeId }) => createCodes(world.deps, { storeId }, findUnneededCodes),
    async work({ storeId }) {
      for (let round = 0; round < 3; round += 1) {
        await completeOrderCheck(world, storeId)
        await wakeDueStores(world.deps)
        await world.runJobs()
      }
    },
  } as DemoCoupons

  beforeAll(async () => {
    demo.store = (await openStore({ publicUrl: '', now: () => world.now.getTime() })).store
    guarded = openGuardedHttp({ allowPrivate: true, totalTimeoutMs: 5_000 })
    const access = buildWooAccess(demo.store.url, demo.store.keys)
    const client = createWooCommerceClient(access, { fetch: guarded.fetch, now: () => world.now, pauseMs: 0 })
    world.storeClient = () => ({ ...client, terms: async ({ items }) => buildTerms(items) })
  })
  afterAll(async () => {
    await guarded?.close()
    await demo.store?.stop()
  })
  return demo
}
