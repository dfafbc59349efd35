import { expect, test } from 'vitest'
import { aShopifyStore } from '../../test/shopify-store.ts'
import { aWorld } from '../../test/world.ts'
import type { StoreToken } from '../platforms/access.ts'
import { tokenShelf } from './token-shelf.ts'

const world = aWorld()

const aToken = (accessToken: string): StoreToken => ({
  ...{ accessToken, scopes: ['read_orders'] },
  ...{ madeAt: '2026-11-01T00:00:00.000Z', expiresAt: '2026-11-02T00:00:00.000Z' },
})

async function aShelf() {
  const { storeId } = await aShopifyStore(world)
  const row = () =>
    world.db.selectFrom('store_credentials').selectAll().where('store_id', '=', storeId).executeTakeFirstOrThrow()
  return { storeId, row, shelf: tokenShelf(world.deps, storeId, (await row()).encrypted) }
}

test('two processes that renew at once make one token, which is kept encrypted', async () => {
  const { storeId, row, shelf } = await aShelf()
  const other = tokenShelf(world.deps, storeId, (await row()).encrypted)
  let made = 0
  const make = async () => aToken(`shpat_${++made}`)
  expect(await shelf.read()).toBeNull()
  expect(await Promise.all([shelf.renew(null, make), other.renew(null, make)])).toEqual([
    aToken('shpat_1'),
    aToken('shpat_1'),
  ])
  expect([made, await other.read()]).toEqual([1, aToken('shpat_1')])
  expect((await row()).encrypted_token!.toString('latin1')).not.toContain('shpat_1')
  expect(await other.renew(aToken('shpat_1'), make)).toEqual(aToken('shpat_2'))
  expect(await shelf.renew(aToken('shpat_1'), make)).toEqual(aToken('shpat_2'))
})

test('a token that could not be made leaves the one before, and a token of replaced keys is not kept', async () => {
  const { storeId, row, shelf } = await aShelf()
  await shelf.renew(null, async () => aToken('shpat_1'))
  await expect(shelf.renew(aToken('shpat_1'), () => Promise.reject(new Error('no answer')))).rejects.toThrow(
    'no answer',
  )
  expect(await shelf.read()).toEqual(aToken('shpat_1'))
  const late = tokenShelf(world.deps, storeId, Buffer.from('other keys'))
  expect(await late.renew(aToken('shpat_1'), async () => aToken('shpat_2'))).toEqual(aToken('shpat_2'))
  expect(await shelf.read()).toEqual(aToken('shpat_1'))
  expect((await row()).encrypted_token).not.toBeNull()
})
