import { expect, test } from 'vitest'
import { createConnectedStore } from '../../../test/connected-store.ts'
import { buildOrder } from '../../../test/fake-store.ts'
import { recordStatements } from '../../../test/statements.ts'
import { createWorld } from '../../../test/world.ts'
import { importOrders, importStore, syncStore } from './sync.ts'

// Cost of syncing quiet stores.

const world = createWorld()

test('the periodic sync of an unchanged store takes few statements', async () => {
  const { storeId } = await createConnectedStore(world)
  await importStore(world.deps, { storeId })
  await syncStore(world.deps, { storeId })
  world.advance(15 * 60_000)
  const { count } = await recordStatements(() => syncStore(world.deps, { storeId }))
  expect(count).toBeLessThanOrEqual(14)
})

test('imports analyze a table when it has doubled, not for every store', async () => {
  const analyzed: number[] = []
  for (let n = 0; n < 6; n++) {
    const { storeId, fake } = await createConnectedStore(world)
    fake.pageSize = 100
    fake.allOrders = Array.from({ length: 100 }, (_, order) => {
      const email = `shopper${order}@shop-${n}.example.com`
      return buildOrder({ orderId: String(order), email, modifiedAt: world.now.toISOString() })
    })
    const { plain } = await recordStatements(() => importOrders(world.deps, storeId))
    analyzed.push(plain.filter((text) => text.startsWith('analyze')).length)
  }
  // Six tables, from zero to six hundred orders.
  expect(analyzed[0]).toBeGreaterThan(0)
  expect(analyzed.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(6 * 4)
})
