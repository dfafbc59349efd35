import { expect, test } from 'vitest'
import { contrastOf, DEFAULT_BRAND, labelOn } from '../../shared/brand.ts'
import { aStore } from '../../test/factories.ts'
import { aWorld } from '../../test/world.ts'
import { brandOf } from './brand.ts'

const world = aWorld()

test('a store that has set nothing has the defaults', async () => {
  const store = await aStore(world)
  expect(await brandOf({ storeId: store.storeId, db: world.db })).toEqual(DEFAULT_BRAND)
})

test('a part that was kept in another form has its default, the others stay', async () => {
  const { storeId } = await aStore(world)
  const look = { button: '#aa0000', radius: 'round', social: [{ kind: 'myspace', url: 'https://myspace.com/tea' }] }
  await world.pool.query('insert into brand_kits (store_id, look, updated_at) values ($1, $2, now())', [
    storeId,
    JSON.stringify(look),
  ])
  expect(await brandOf({ storeId, db: world.db })).toEqual({ ...DEFAULT_BRAND, button: '#aa0000' })
})

test('the words of any button can be read', () => {
  for (let grey = 0; grey < 256; grey += 1) {
    const colour = `#${grey.toString(16).padStart(2, '0').repeat(3)}`
    expect([colour, contrastOf(labelOn(colour), colour) >= 4.5]).toEqual([colour, true])
  }
})
