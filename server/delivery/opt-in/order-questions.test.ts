import { beforeEach, expect, test } from 'vitest'
import { buildOrder, type TestStore } from '../../../test/factories.ts'
import { createProviderWorld } from '../../../test/provider-calls.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { transact } from '../../core/db/db.ts'
import { recordAnswers } from '../../shoppers/consent/consents.ts'
import { selectEvidence } from '../../shoppers/consent/evidence-sql.ts'
import { sendOptInRequests } from './opt-in-request.ts'

// Double opt-in for SMS, of consents that come with an order.

const scene = createProviderWorld()
const { world } = scene
const HOUR = 3_600_000
let store: TestStore

beforeEach(async () => {
  store = scene.store
  await world.db.updateTable('subscriptions').set({ plan: 'starter' }).execute()
  await world.db
    .updateTable('stores')
    .set({ selling_countries: ['US', 'DE'] })
    .execute()
  // Mid-morning in Germany.
  world.now = new Date(`${new Date(world.now.getTime() + 86_400_000).toISOString().slice(0, 10)}T10:00:00Z`)
})

async function readWord(phone: string) {
  const hash = world.deps.secrets.addressHash(phone)
  const evidence = await selectEvidence({ storeId: store.storeId, db: world.db }, [hash], ['sms'])
  return evidence.get(`sms:${hash.toString('hex')}`)
}

const listRequests = (phone: string) =>
  scene.twilio.network.texts.thread(phone, 'sms', '+12025550100').map(({ body }) => body)

test('a consent with an order that awaits payment gets a request an hour later, or none if it is paid by then', async () => {
  const set = (mode: 'page_script' | 'where_required') =>
    world.db.updateTable('stores').set({ sms_confirmation: mode }).where('id', '=', store.storeId).execute()
  await set('page_script')
  world.now = new Date(`${world.now.toISOString().slice(0, 10)}T17:00:00Z`)
  const consents = [{ channel: 'sms' as const, wording: 'Text me' }]
  const [paid, open] = ['+12125550183', '+12125550184'].map((phone) =>
    buildOrder(world, { kind: 'pending', paidAt: null, phone, country: 'US', consents }),
  )
  const record = (order: ReturnType<typeof buildOrder>) =>
    recordOrders(world.deps, store.storeId, [{ ...order, modifiedAt: world.now.toISOString() }], 'webhook')
  for (const order of [paid!, open!]) await record(order)
  await sendOptInRequests(world.deps)
  expect([listRequests(paid!.phone!), listRequests(open!.phone!)]).toEqual([[], []])
  world.advance(60_000)
  await record({ ...paid!, kind: 'purchase', paidAt: world.now.toISOString() })
  world.advance(HOUR)
  await sendOptInRequests(world.deps)
  await set('where_required')
  expect(listRequests(paid!.phone!)).toEqual([])
  expect(listRequests(open!.phone!)).toEqual([expect.stringMatching(/reply YES/)])
  expect((await readWord(paid!.phone!))?.evidence).toBe('express_yes')
})

test('a consent with a paid order gets a request at once where confirmation is required, even after a pending payment', async () => {
  const phone = '+4915123456199'
  const consents = [{ channel: 'sms' as const, wording: 'SMS an mich' }]
  const begun = buildOrder(world, { kind: 'pending', paidAt: null, phone, country: 'DE', consents })
  await recordOrders(world.deps, store.storeId, [begun], 'webhook')
  world.advance(60_000)
  const modifiedAt = world.now.toISOString()
  await recordOrders(
    world.deps,
    store.storeId,
    [{ ...begun, kind: 'purchase', paidAt: modifiedAt, modifiedAt }],
    'webhook',
  )
  await sendOptInRequests(world.deps)
  expect(listRequests(phone)).toHaveLength(1)
})

test('a paid order does not drop the request of a newer consent', async () => {
  await world.db
    .updateTable('stores')
    .set({ sms_confirmation: 'page_script' })
    .where('id', '=', store.storeId)
    .execute()
  world.now = new Date(`${world.now.toISOString().slice(0, 10)}T17:00:00Z`)
  const phone = '+12125550185'
  const say = (isGiven: boolean, overrides: object = {}) =>
    transact({ storeId: store.storeId, db: world.db }, (tx) =>
      recordAnswers(
        world.deps,
        tx,
        [{ channel: 'sms', address: phone, isGiven, country: 'US', wording: 'Text me', ...overrides }],
        world.now,
      ),
    )
  const order = buildOrder(world, {
    kind: 'pending',
    paidAt: null,
    phone,
    country: 'US',
    consents: [{ channel: 'sms', wording: 'Text me' }],
  })
  await recordOrders(world.deps, store.storeId, [order], 'webhook')
  world.advance(60_000)
  await say(false)
  world.advance(60_000)
  await say(true, { unproven: 'page script' })
  world.advance(60_000)
  const modifiedAt = world.now.toISOString()
  await recordOrders(
    world.deps,
    store.storeId,
    [{ ...order, kind: 'purchase', paidAt: modifiedAt, modifiedAt }],
    'webhook',
  )
  await sendOptInRequests(world.deps)
  expect(listRequests(phone)).toEqual([expect.stringMatching(/reply YES/)])
})
