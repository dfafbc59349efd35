import { expect, test } from 'vitest'
import { connectFakeStore } from '../../../test/connected-store.ts'
import { buildConnectForm, createShopifyStore } from '../../../test/shopify-store.ts'
import { createWorld } from '../../../test/world.ts'
import type { Deps } from '../../deps.ts'
import type { StoreToken, TokenCache } from '../../platforms/platform/access.ts'
import { openStoreClient } from './access.ts'
import { createTokenShelf } from './token-cache.ts'

const world = createWorld()

const buildToken = (accessToken: string): StoreToken => ({
  accessToken,
  scopes: ['read_orders'],
  madeAt: '2026-11-01T00:00:00.000Z',
  expiresAt: '2026-11-02T00:00:00.000Z',
})

async function createShelf() {
  const { storeId } = await createShopifyStore(world)
  const row = () =>
    world.db.selectFrom('store_credentials').selectAll().where('store_id', '=', storeId).executeTakeFirstOrThrow()
  const { encrypted } = await row()
  const open = () => createTokenShelf(world.deps, storeId, (stored) => stored.equals(encrypted))
  return { storeId, row, open, shelf: open() }
}

test('two processes that renew together create one token, stored encrypted', async () => {
  const { row, open, shelf } = await createShelf()
  const other = open()
  let count = 0
  const make = async () => buildToken(`shpat_${++count}`)
  expect(await shelf.read()).toBeNull()
  expect(await Promise.all([shelf.renew(null, make), other.renew(null, make)])).toEqual([
    buildToken('shpat_1'),
    buildToken('shpat_1'),
  ])
  expect([count, await other.read()]).toEqual([1, buildToken('shpat_1')])
  expect((await row()).encrypted_token!.toString('latin1')).not.toContain('shpat_1')
  expect(await other.renew(buildToken('shpat_1'), make)).toEqual(buildToken('shpat_2'))
  expect(await shelf.renew(buildToken('shpat_1'), make)).toEqual(buildToken('shpat_2'))
})

test('a failed renewal keeps the previous token, and a token of replaced keys is not stored', async () => {
  const { storeId, row, shelf } = await createShelf()
  await shelf.renew(null, async () => buildToken('shpat_1'))
  await expect(shelf.renew(buildToken('shpat_1'), () => Promise.reject(new Error('no answer')))).rejects.toThrow(
    'no answer',
  )
  expect(await shelf.read()).toEqual(buildToken('shpat_1'))
  const late = createTokenShelf(world.deps, storeId, () => false)
  expect(await late.renew(buildToken('shpat_1'), async () => buildToken('shpat_2'))).toEqual(buildToken('shpat_2'))
  expect(await shelf.read()).toEqual(buildToken('shpat_1'))
  expect((await row()).encrypted_token).not.toBeNull()
})

test('a process that read the store before a reconnect with the same keys still stores its token for all', async () => {
  const { owner, fake, storeId } = await createShopifyStore(world)
  const shelves: TokenCache[] = []
  const storeClient: Deps['storeClient'] = (_access, stored) => {
    shelves.push(stored!.shelf)
    return fake
  }
  await openStoreClient({ ...world.deps, storeClient }, { storeId, db: world.db })
  await connectFakeStore(world, owner, fake, buildConnectForm(fake))
  await shelves[0]!.renew(null, async () => buildToken('shpat_1'))
  await openStoreClient({ ...world.deps, storeClient }, { storeId, db: world.db })
  expect(await shelves[1]!.read()).toEqual(buildToken('shpat_1'))
  // With other keys the token is not shared.
  await connectFakeStore(world, owner, fake, buildConnectForm(fake, 'shpss_another'))
  await shelves[0]!.renew(null, async () => buildToken('shpat_2'))
  expect(await shelves[1]!.read()).toBeNull()
})
