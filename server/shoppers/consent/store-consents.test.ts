import { expect, test } from 'vitest'
import { createShopifyStore } from '../../../test/shopify-store.ts'
import { createWorld } from '../../../test/world.ts'
import { transact } from '../../core/db/db.ts'
import type { PlatformConsent } from '../../platforms/platform/platform.ts'
import { recordAnswers } from './consents.ts'
import { recordStoreConsents } from './platform-consents.ts'

const world = createWorld()
const HOUR_MS = 3_600_000
const EMAIL = 'grace@mail.example.org'

const subtractHours = (hours: number) => new Date(world.now.getTime() - hours * HOUR_MS)

const buildConsent = (word: Partial<PlatformConsent>): PlatformConsent => ({
  channel: 'email',
  state: 'granted',
  level: 'single',
  at: subtractHours(5).toISOString(),
  wording: null,
  ...word,
})

const record = (storeId: string, word: Partial<PlatformConsent>, phone: string | null = null) =>
  recordStoreConsents(world.deps, { storeId, db: world.db }, [
    { email: EMAIL, phone, country: 'US', consents: [buildConsent(word)] },
  ])

async function ledger(storeId: string) {
  const rows = world.db.selectFrom('consents').select(['channel', 'status', 'is_confirmed', 'source', 'at'])
  return (await rows.where('store_id', '=', storeId).orderBy('at').execute()).map(
    ({ channel, status, is_confirmed, source, at }) => [channel, status, is_confirmed, source, at],
  )
}

test('a consent in the store is one row with its own time and level, however often it is read (C5)', async () => {
  const { storeId } = await createShopifyStore(world)
  await record(storeId, {})
  await record(storeId, {})
  await record(storeId, { state: 'none' })
  expect(await ledger(storeId)).toEqual([['email', 'granted', false, 'store', subtractHours(5)]])
  await record(storeId, { level: 'double', at: subtractHours(4).toISOString() })
  expect((await ledger(storeId)).at(-1)).toEqual(['email', 'granted', true, 'store', subtractHours(4)])
})

test('a withdrawal in the store beats earlier consents regardless of its time, and a later answer to us counts again', async () => {
  const { storeId } = await createShopifyStore(world)
  const say = (hours: number) =>
    transact({ storeId, db: world.db }, (tx) =>
      recordAnswers(
        world.deps,
        tx,
        [{ channel: 'email', address: EMAIL, isGiven: true, wording: `words ${hours}`, country: 'US' }],
        subtractHours(hours),
      ),
    )
  await say(2)
  await record(storeId, { state: 'withdrawn', at: subtractHours(3).toISOString() })
  expect((await ledger(storeId)).at(-1)).toMatchObject(['email', 'withdrawn', false, 'store', expect.any(Date)])
  await say(1)
  await record(storeId, { state: 'withdrawn', at: subtractHours(3).toISOString() })
  expect((await ledger(storeId)).at(-1)).toMatchObject(['email', 'granted', false, 'checkout', expect.any(Date)])
})

test('an older consent of the store does not reverse a later withdrawal', async () => {
  const { storeId } = await createShopifyStore(world)
  await record(storeId, { state: 'withdrawn', at: subtractHours(1).toISOString() })
  await record(storeId, { at: subtractHours(5).toISOString() })
  expect((await ledger(storeId)).at(-1)).toMatchObject(['email', 'withdrawn', false, 'store', subtractHours(1)])
})

test('old consents trigger no opt-in requests', async () => {
  const { storeId } = await createShopifyStore(world)
  await record(storeId, { channel: 'sms', at: subtractHours(48).toISOString() }, '+4915112345678')
  const requests = world.db.selectFrom('opt_in_requests').select('state').where('store_id', '=', storeId)
  expect(await requests.execute()).toEqual([])
})

test('a tick requests the confirmation of a consent that an update left pending, once', async () => {
  const { storeId } = await createShopifyStore(world)
  const phone = '+12125550177'
  await world.pool.query(`update stores set sms_confirmation = 'page_script' where id = $1`, [storeId])
  const tick = (hours: number) =>
    transact({ storeId, db: world.db }, (tx) => {
      const consent = { channel: 'sms' as const, address: phone, isGiven: true, wording: 'Text me', country: 'US' }
      return recordAnswers(
        world.deps,
        tx,
        [{ ...consent, unproven: 'account page', answeredAt: subtractHours(hours) }],
        world.now,
      )
    })
  const requests = world.db.selectFrom('opt_in_requests').select(['state', 'phone']).where('store_id', '=', storeId)
  await tick(5)
  // State after the update, which does not know the number.
  await world.pool.query('delete from opt_in_requests where store_id = $1', [storeId])
  expect(await tick(1)).toBe(false)
  expect(await requests.execute()).toEqual([{ state: 'waiting', phone }])
  await world.pool.query(`update opt_in_requests set state = 'dropped', phone = null where store_id = $1`, [storeId])
  await tick(0)
  expect(await requests.execute()).toEqual([{ state: 'dropped', phone: null }])
})
