import { expect, test } from 'vitest'
import { DEFAULT_BRAND_FIELDS } from '../../../shared/messages/brand.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'

// A mail with a look that is being chosen.

const world = createWorld()

const preview = (store: TestStore, change: object) =>
  world.request('POST', '/api/stores/brand/preview', {
    token: store.token,
    body: { ...DEFAULT_BRAND_FIELDS, ...change },
  })

test('an unsaved design is shown by the code that sends and stays unsaved', async () => {
  const store = await createStore(world)
  const { status, body } = await preview(store, { button: '#7a1fa2', promise: 'Ships within two days' })
  expect([status, body.problem]).toEqual([200, null])
  expect(body.html).toContain('#7a1fa2')
  expect(body.text).toContain('Ships within two days')
  const saved = await world.request('GET', '/api/stores/brand', { token: store.token })
  expect(saved.body).toMatchObject({ look: DEFAULT_BRAND_FIELDS, version: 0 })
  expect((await preview(store, {})).body.html).not.toContain('#7a1fa2')
})

test('an unreadable design is refused', async () => {
  const store = await createStore(world)
  const refused = await preview(store, { text: '#eeeeee' })
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, ['text']])
})
