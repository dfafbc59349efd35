import sharp from 'sharp'
import { expect, test } from 'vitest'
import { brandTexts } from '../../../shared/workspace/brand-calls.ts'
import {
  type ConnectedStore,
  connectFakeStore,
  createConnectedStore,
  createHomeUrl,
  registerOwner,
} from '../../../test/connected-store.ts'
import { createFakeStore } from '../../../test/fake-store.ts'
import { createWorld } from '../../../test/world.ts'
import { purgeStore } from '../../workspace/store-settings/stores.ts'
import { loadBrand } from './brand.ts'
import { proposeLogo } from './proposals.ts'

// A logo found in the store is proposed and never used before a member confirms it.

const world = createWorld()

const picture = (background: string, format: 'png' | 'webp' = 'png') =>
  sharp({ create: { width: 200, height: 80, channels: 3, background } })
    .toFormat(format)
    .toBuffer()

async function createShop(...contents: Buffer[]) {
  const shop = await createConnectedStore(world)
  shop.fake.allLogos = contents.map((content) => ({ source: 'site_logo' as const, content }))
  return shop
}

const call = ({ owner }: ConnectedStore, method: 'GET' | 'POST' | 'DELETE', path = '', body?: object) =>
  world.request(method, `/api/stores/brand${path}`, { token: owner.token, ...(body && { body }) })
/** Confirms the proposal. */
const confirm = async (store: ConnectedStore, hash?: string) =>
  call(store, 'POST', '/proposal/confirm', { hash: hash ?? (await call(store, 'GET')).body.proposal.hash })
const readLogo = async ({ storeId }: ConnectedStore) => (await loadBrand({ storeId, db: world.db })).logo

test('a newly connected store is asked for its logo', async () => {
  await connectFakeStore(world, await registerOwner(world), createFakeStore(createHomeUrl()))
  expect(world.queued.map(({ name }) => name)).toContain('brand.propose')
})

test('a store’s logo is proposed and used only after confirmation', async () => {
  const store = await createShop(Buffer.from('<svg/>'), await picture('#224466', 'webp'))
  await proposeLogo(world.deps, { storeId: store.storeId })
  const { proposal } = (await call(store, 'GET')).body
  expect(proposal).toMatchObject({ source: 'site_logo', logo: { width: 200, height: 80 } })
  expect(await readLogo(store)).toBeNull()
  const confirmed = await confirm(store)
  expect(confirmed.body).toMatchObject({ proposal: null, logo: proposal.logo })
  expect(await readLogo(store)).toMatchObject(proposal.logo)
  expect((await confirm(store, proposal.hash)).status).toBe(404)
})

test('the signed-in user has the logo found in each store, until it is dismissed', async () => {
  const store = await createShop(await picture('#224466'))
  const readLogos = async ({ owner }: ConnectedStore) =>
    (await world.request('GET', '/api/auth/me', { token: owner.token })).body.user.stores.map(
      ({ logo }: { logo?: string }) => logo,
    )
  expect(await readLogos(store)).toEqual([undefined])
  const { proposal } = (await call(store, 'POST', '/proposal')).body
  expect(await readLogos(store)).toEqual([proposal.logo.path])
  // Another account does not see it.
  expect(await readLogos(await createShop())).toEqual([undefined])
  await call(store, 'DELETE', '/proposal')
  expect(await readLogos(store)).toEqual([undefined])
})

test('a confirmation of another picture than the one proposed by now is refused', async () => {
  const store = await createShop(await picture('#224466'))
  const proposal = (await call(store, 'POST', '/proposal')).body.proposal
  store.fake.allLogos[0]!.content = await picture('#886644')
  const found = (await call(store, 'POST', '/proposal')).body.proposal
  expect(found.hash).not.toBe(proposal.hash)
  expect(await confirm(store, proposal.hash)).toMatchObject({ status: 409, body: { error: brandTexts.anotherFound } })
  expect([await readLogo(store), (await call(store, 'GET')).body.proposal]).toEqual([null, found])
  for (const body of [{}, { hash: 'x' }])
    expect((await call(store, 'POST', '/proposal/confirm', body)).status).toBe(400)
  expect((await confirm(store)).body).toMatchObject({ proposal: null, logo: found.logo })
})

test('a store that shows a different logo each time does not accumulate pictures', async () => {
  const store = await createShop(await picture('#000000'))
  for (let n = 0; n < 24; n++) {
    world.advance(3_600_000)
    store.fake.allLogos[0]!.content = await picture(`#0000${(n + 16).toString(16)}`)
    await proposeLogo(world.deps, { storeId: store.storeId })
  }
  const { rows } = await world.pool.query('select 1 from brand_logos where store_id = $1', [store.storeId])
  expect(rows).toHaveLength(20)
  expect((await call(store, 'GET')).body.proposal).not.toBeNull()
})

test('a dismissed logo is proposed again only on request', async () => {
  const store = await createShop(await picture('#224466'))
  await proposeLogo(world.deps, { storeId: store.storeId })
  expect((await call(store, 'DELETE', '/proposal')).body.proposal).toBeNull()
  await proposeLogo(world.deps, { storeId: store.storeId })
  expect((await call(store, 'GET')).body.proposal).toBeNull()
  expect((await call(store, 'POST', '/proposal')).body).toMatchObject({ outcome: 'found', proposal: {} })
  await call(store, 'DELETE', '/proposal')
  store.fake.allLogos[0]!.content = await picture('#886644')
  await proposeLogo(world.deps, { storeId: store.storeId })
  expect((await call(store, 'GET')).body.proposal).not.toBeNull()
})

test('a store with an uploaded logo is not asked again, and the same logo is not proposed', async () => {
  const store = await createShop(await picture('#224466'))
  await call(store, 'POST', '/proposal')
  await confirm(store)
  expect((await call(store, 'POST', '/proposal')).body).toMatchObject({ outcome: 'used', proposal: null })
  store.fake.allLogos = [{ source: 'site_logo', content: await picture('#662244') }]
  await proposeLogo(world.deps, { storeId: store.storeId })
  expect((await call(store, 'GET')).body.proposal).toBeNull()
})

test('a store without a usable picture gets no proposal', async () => {
  const store = await createShop(Buffer.from('<html>'), Buffer.from('89504e470d0a1a0a00', 'hex'))
  expect((await call(store, 'POST', '/proposal')).body).toMatchObject({ outcome: 'none', proposal: null })
})

test('a store disconnected meanwhile is not asked', async () => {
  const store = await createShop(await picture('#224466'))
  await world.request('DELETE', '/api/stores/disconnect', { token: store.owner.token })
  await proposeLogo(world.deps, { storeId: store.storeId })
  const { rows } = await world.pool.query('select 1 from brand_proposals where store_id = $1', [store.storeId])
  expect(rows).toEqual([])
})

test('deleting a store deletes its logos', async () => {
  const store = await createShop(await picture('#224466'))
  await call(store, 'POST', '/proposal')
  const { path } = (await confirm(store)).body.logo
  await world.request('DELETE', '/api/stores/disconnect', { token: store.owner.token })
  world.advance(31 * 86_400_000)
  await purgeStore(world.deps, { storeId: store.storeId })
  expect((await world.app.inject({ url: path })).statusCode).toBe(404)
  const logos = await world.pool.query('select 1 from brand_logos where store_id = $1', [store.storeId])
  expect(logos.rows).toEqual([])
})
