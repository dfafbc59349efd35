import type { TestStore } from '../test/factories.ts'
import type { AppInstance, Lab } from './lab.ts'

// The three stores of the list and detection benchmarks. The largest also has carts that are due for abandonment.

export const SIZES = [10_000, 100_000, 1_000_000]
export const QUIET_CARTS = 10_000

export async function openCarts(lab: Lab): Promise<AppInstance & { stores: TestStore[] }> {
  const instance = await lab.open({ shared: 'carts' })
  if (instance.isNew) {
    for (const size of [...SIZES].reverse()) {
      lab.say(`writing ${lab.sized(size).toLocaleString('en-US')} carts`)
      const store = await instance.store({ url: `https://shop-${size}.example.com` })
      const quiet = size === SIZES.at(-1) ? lab.sized(QUIET_CARTS) : 0
      await instance.carts(store, { count: lab.sized(size), quiet, isVaried: true })
    }
  }
  return Object.assign(instance, { stores: await readStores(instance) })
}

async function readStores(instance: AppInstance): Promise<TestStore[]> {
  const stores: TestStore[] = []
  for (const size of SIZES) {
    const row = await instance.db
      .selectFrom('stores')
      .innerJoin('flows', 'flows.store_id', 'stores.id')
      .select(['stores.id', 'stores.account_id', 'stores.capture_key', 'flows.id as flow_id'])
      .where('url', '=', `https://shop-${size}.example.com`)
      .executeTakeFirstOrThrow()
    stores.push({
      storeId: row.id,
      accountId: row.account_id,
      captureKey: row.capture_key,
      flowId: row.flow_id,
      userId: '',
      token: '',
    })
  }
  return stores
}
