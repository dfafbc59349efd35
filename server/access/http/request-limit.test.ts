import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { buildApp } from '../../app.ts'
import { openPool } from '../../core/db/db.ts'

const LIMIT = 60
const world = createWorld({ API_RATE_LIMIT: String(LIMIT) })
let shop: TestStore

beforeAll(async () => {
  shop = await createStore(world)
})

afterEach(async () => {
  vi.useRealTimers()
})

const ask = (token: string, path = '/api/auth/me') => world.request('GET', path, { token })
const readLeft = (headers: Record<string, unknown>) =>
  Number(/^"account";r=(\d+);t=\d+$/.exec(String(headers.ratelimit))?.[1])

describe('API requests of an account', () => {
  test('are refused above the limit, with the standard headers, and allowed again in the next window', async () => {
    const first = await ask(shop.token)
    expect(first).toMatchObject({ status: 200, headers: { 'ratelimit-policy': `"account";q=${LIMIT};w=60` } })
    expect(readLeft(first.headers)).toBe(LIMIT - 1)
    // Members share the account's limit. Answers that refuse count, too.
    const colleague = await createColleague(world, shop, 'viewer')
    expect(readLeft((await ask(colleague.token, '/api/operator/accounts')).headers)).toBe(LIMIT - 2)
    for (let asked = 2; asked < LIMIT; asked += 1) expect((await ask(shop.token)).status).toBe(200)
    const refused = await ask(shop.token)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(refused.headers['retry-after']).toBe(String(refused.body.retryAfterS))
    expect(refused.headers.ratelimit).toBe(`"account";r=0;t=${refused.body.retryAfterS}`)
    // Another account is not affected, and neither is what needs no sign-in.
    expect((await ask((await createStore(world)).token)).status).toBe(200)
    expect((await world.request('GET', '/api/instance')).headers).not.toHaveProperty('ratelimit')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    expect(readLeft((await ask(shop.token)).headers)).toBe(LIMIT - 1)
  })

  test('share one limit over two processes', async () => {
    const { token } = await createStore(world)
    const pool = openPool({ url: world.pool.options.connectionString!, max: 2 })
    const second = buildApp({ ...world.deps, pool })
    const statuses: number[] = []
    for (let asked = 0; asked < LIMIT; asked += 1) {
      statuses.push((await ask(token)).status)
      const reply = await second.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } })
      statuses.push(reply.statusCode)
    }
    await second.close()
    await pool.end()
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT)
    expect(statuses.slice(0, LIMIT)).not.toContain(429)
  })

  test('asked at once are never more than the limit', async () => {
    const { token } = await createStore(world)
    const replies = await Promise.all(Array.from({ length: LIMIT + 20 }, () => ask(token)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(LIMIT)
  })
})
