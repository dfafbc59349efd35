import crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { createWorld, START } from '../../../test/world.ts'
import { deleteExpiredTokens } from './link-tokens.ts'

const world = createWorld()
const HOUR = 3_600_000

test('expired links are deleted in batches, and valid links stay', async () => {
  const { storeId } = await createStore(world)
  const until = (hours: number) => new Date(START.getTime() + hours * HOUR)
  const tokens = [-3, -2, -2, -1, 0, 1, 700].map((hours) => ({
    store_id: storeId,
    token_hash: crypto.randomBytes(32),
    purpose: 'click' as const,
    is_test: true,
    created_at: until(-720),
    expires_at: until(hours),
  }))
  await world.db.insertInto('link_tokens').values(tokens).execute()
  expect(await deleteExpiredTokens(world.deps, 2)).toBe(5)
  const remaining = await world.db.selectFrom('link_tokens').select('expires_at').orderBy('expires_at').execute()
  expect(remaining.map((row) => row.expires_at)).toEqual([until(1), until(700)])
  expect(await deleteExpiredTokens(world.deps, 2)).toBe(0)
})
