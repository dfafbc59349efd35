import { beforeEach, expect, test } from 'vitest'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { defaultMode } from './capture-choice.ts'

// The choice of what is kept of shoppers before consent (C9).

const world = createWorld()
const GROUND = 'Our lawyer’s letter of May 3, 2026, about carts of shops.'
let store: TestStore

beforeEach(async () => {
  store = await createStore(world)
})

const sellTo = (countries: string[] | null) =>
  world.db.updateTable('stores').set({ selling_countries: countries }).where('id', '=', store.storeId).execute()
const read = async () => (await world.request('GET', '/api/consent/capture', { token: store.token })).body
const choose = (body: object) => world.request('PUT', '/api/consent/capture', { token: store.token, body })

test.each([
  [['US'], 'cart_and_contact'],
  [['US', 'CA', 'AU'], 'cart_and_contact'],
  [['US', 'DE'], 'cart_only'],
  [['GB'], 'cart_only'],
  [['CH'], 'cart_only'],
  [['NO'], 'cart_only'],
  [null, 'cart_only'],
  [[], 'cart_only'],
] as const)('a store that sells to %j starts with %s', (countries, mode) => {
  expect(defaultMode(countries)).toBe(mode)
})

test('an older store keeps cart and contact until an owner chooses, and the history has author and time', async () => {
  await sellTo(['DE', 'US'])
  expect(await read()).toEqual({
    mode: 'cart_and_contact',
    isChosen: false,
    usual: 'cart_only',
    strictCountries: ['DE'],
    choices: [],
  })
  await choose({ mode: 'nothing' })
  world.advance(1_000)
  await choose({ mode: 'cart_only', legalGround: GROUND })
  const by = expect.stringMatching(/^Owner/)
  expect(await read()).toMatchObject({
    mode: 'cart_only',
    isChosen: true,
    choices: [
      { mode: 'cart_only', legalGround: null, by, at: world.now.toISOString() },
      { mode: 'nothing', legalGround: null, by },
    ],
  })
})

test('keeping more than usual requires a legal ground, which is recorded', async () => {
  await sellTo(['FR'])
  const refused = await choose({ mode: 'cart_and_contact', legalGround: 'because' })
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([422, ['legalGround']])
  expect(await read()).toMatchObject({ isChosen: false, choices: [] })
  expect((await choose({ mode: 'cart_and_contact', legalGround: GROUND })).status).toBe(200)
  expect((await read()).choices[0]).toMatchObject({ mode: 'cart_and_contact', legalGround: GROUND })
  await sellTo(['US'])
  expect((await choose({ mode: 'cart_and_contact' })).status).toBe(200)
})
