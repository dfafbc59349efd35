import { beforeEach, expect, test } from 'vitest'
import { type Owner, registerOwner } from '../../../test/connected-store.ts'
import { createColleague } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'

// Test credits with an Idempotency-Key (D9).

const world = createWorld()
const DAY = 86_400_000
const DOLLAR = 1_000_000
let owner: Owner

beforeEach(async () => {
  world.textCredits = { perMille: 1_500 }
  world.deps.config = { ...world.deps.config, isBillingTestMode: true }
  owner = await registerOwner(world, 'growth')
})

const add = (pack: number, key?: string, token = owner.token) =>
  world.request('POST', '/api/subscribe/manual-credits', {
    token,
    body: { pack },
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })
const balance = async () =>
  (await world.request('GET', '/api/subscribe/credits', { token: owner.token })).body.balanceMicros / DOLLAR

test('the same key adds credits once a day and always gets the first reply', async () => {
  const first = await add(25, 'a')
  expect(first).toMatchObject({ status: 200, body: { balanceMicros: 25 * DOLLAR } })
  expect(await add(10, 'b')).toMatchObject({ body: { balanceMicros: 35 * DOLLAR } })
  world.textCredits = null
  expect(await add(25, 'a')).toMatchObject({ status: 200, body: first.body })
  world.textCredits = { perMille: 1_500 }
  expect(await balance()).toBe(35)
  world.advance(DAY)
  expect(await add(25, 'a')).toMatchObject({ body: { balanceMicros: 60 * DOLLAR } })
})

test('concurrent requests add once', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => add(25, 'a')))
  expect(answers.map(({ body }) => body.balanceMicros)).toEqual(Array(8).fill(25 * DOLLAR))
  expect(await balance()).toBe(25)
})

test('the same key with another pack is refused and adds nothing, and another member’s key is separate', async () => {
  await add(25, 'a')
  expect(await add(10, 'a')).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(await add(10, 'x'.repeat(256))).toMatchObject({ status: 400 })
  expect(await balance()).toBe(25)
  const { token } = await createColleague(world, { ...owner, storeId: null } as never, 'admin')
  expect(await add(10, 'a', token)).toMatchObject({ status: 200 })
  expect(await balance()).toBe(35)
})

test('each request counts without a key, and after a refusal', async () => {
  await add(10)
  await add(10)
  world.textCredits = null
  expect(await add(25, 'a')).toMatchObject({ status: 409 })
  world.textCredits = { perMille: 1_500 }
  expect(await add(25, 'a')).toMatchObject({ status: 200 })
  expect(await balance()).toBe(45)
})
