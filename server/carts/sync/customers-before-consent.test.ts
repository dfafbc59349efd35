import { beforeEach, expect, test } from 'vitest'
import type { CaptureMode } from '../../../shared/shoppers/capture-mode.ts'
import { type ConnectedStore, createConnectedStore, createSyncHelpers } from '../../../test/connected-store.ts'
import { buildOrder } from '../../../test/fake-store.ts'
import { createShopifyStore, deliverWebhook } from '../../../test/shopify-store.ts'
import { createWorld } from '../../../test/world.ts'
import { transact } from '../../core/db/db.ts'
import type { PlatformConsent, PlatformCustomer } from '../../platforms/platform/platform.ts'
import { recordAnswers } from '../../shoppers/consent/consents.ts'
import { pullCheckouts } from './checkouts.ts'
import { pullCustomers } from './local-copies.ts'

// A shop creates a customer for an address that was only typed at the checkout. Before consent it is not kept (C9).

const world = createWorld()
const MINUTE_MS = 60_000
const { formatTimeBefore, runOrderCheck } = createSyncHelpers(world)
const EMAIL = 'ada@mail.example.org'
const PHONE = '+12125550177'

let store: ConnectedStore

beforeEach(async () => {
  store = await createShopifyStore(world)
})

const setMode = (mode: CaptureMode | null) =>
  world.db.updateTable('stores').set({ before_consent: mode }).where('id', '=', store.storeId).execute()

/** A Shopify customer as it exists after the email field of the checkout was filled. */
const buildCustomer = (more: Partial<PlatformCustomer> = {}): PlatformCustomer => ({
  customerId: '7',
  email: EMAIL,
  phone: PHONE,
  firstName: 'Ada',
  lastName: 'Lovelace',
  company: 'Engines',
  country: 'US',
  createdAt: formatTimeBefore(MINUTE_MS),
  modifiedAt: formatTimeBefore(MINUTE_MS),
  lastLoginAt: null,
  ordersCount: 0,
  spentMinor: 0,
  consents: [buildConsent('none')],
  ...more,
})

const buildConsent = (
  state: PlatformConsent['state'],
  channel: PlatformConsent['channel'] = 'email',
): PlatformConsent => ({
  channel,
  state,
  level: 'single',
  at: formatTimeBefore(MINUTE_MS),
  wording: null,
})

/** For each way in which customers arrive. */
const SOURCES = {
  'the import': () => pullCustomers(world.deps, { storeId: store.storeId }),
  'the read of changed customers': async () => {
    const { storeId } = store
    const watermark = new Date(formatTimeBefore(60 * MINUTE_MS))
    await pullCheckouts(world.deps, { storeId })
    await world.db
      .updateTable('sync_state')
      .set({ watermark })
      .where('store_id', '=', storeId)
      .where('stream', '=', 'checkouts')
      .execute()
    await pullCheckouts(world.deps, { storeId })
  },
  'a webhook': async () => {
    expect(await deliverWebhook(world, store.captureKey, { topic: 'customers/update', body: { id: 7 } })).toBe(200)
    await world.runJobs()
  },
}
const recordConsentHere = (isGiven = true) => {
  const word = { address: EMAIL, channel: 'email', isGiven, wording: 'Yes, please', country: 'US' } as const
  return transact({ storeId: store.storeId, db: world.db }, (tx) => recordAnswers(world.deps, tx, [word], world.now))
}
const sources = Object.keys(SOURCES) as (keyof typeof SOURCES)[]
const strict = ['nothing', 'cart_only'] as const

const selectRows = (table: 'customers' | 'shoppers' | 'shopper_keys' | 'consents') =>
  world.db.selectFrom(table).selectAll().where('store_id', '=', store.storeId).execute()
const readRecords = async () => {
  const records = world.db.selectFrom('customers').select(['email', 'phone']).where('store_id', '=', store.storeId)
  return (await records.execute()).map(({ email, phone }) => [email, phone])
}
const selectShoppers = () => world.db.selectFrom('shoppers').selectAll().where('store_id', '=', store.storeId).execute()

test.each(sources)('%s keeps no customer without a purchase or a consent (C9)', async (source) => {
  for (const mode of strict) {
    await setMode(mode)
    store.fake.allCustomers = [buildCustomer()]
    await SOURCES[source]()
    const stored = [await selectRows('customers'), await selectRows('shoppers'), await selectRows('shopper_keys')]
    expect([mode, ...stored, await selectRows('consents')]).toEqual([mode, [], [], [], []])
  }
  await setMode('cart_and_contact')
  await SOURCES[source]()
  expect(await readRecords()).toEqual([[EMAIL, PHONE]])
})

test.each(sources)('%s keeps only the contact covered by a customer’s later consent (C9)', async (source) => {
  await setMode('nothing')
  store.fake.allCustomers = [buildCustomer()]
  await SOURCES[source]()
  store.fake.allCustomers = [buildCustomer({ modifiedAt: formatTimeBefore(0), consents: [buildConsent('granted')] })]
  await SOURCES[source]()
  expect(await readRecords()).toEqual([[EMAIL, null]])
  expect(await selectShoppers()).toMatchObject([
    { email: EMAIL, phone: null, account_first_name: 'Ada', is_registered: true },
  ])
  expect(await selectRows('consents')).toMatchObject([{ channel: 'email', status: 'granted' }])
  const both = [buildConsent('granted'), buildConsent('granted', 'sms')]
  store.fake.allCustomers = [buildCustomer({ modifiedAt: formatTimeBefore(0), consents: both })]
  await SOURCES[source]()
  expect(await readRecords()).toEqual([[EMAIL, PHONE]])
})

test('a customer with a paid order in the store is kept (C6, C9)', async () => {
  await setMode('cart_only')
  store.fake.allCustomers = [buildCustomer({ ordersCount: 1, spentMinor: 1_800 })]
  await SOURCES['the import']()
  // The phone number may only have been typed.
  expect(await readRecords()).toEqual([[EMAIL, null]])
})

test('a customer whose order arrives later appears with the order, and the record with its next read', async () => {
  await setMode('nothing')
  store.fake.allCustomers = [buildCustomer()]
  await SOURCES['the import']()
  const order = { orderId: '9', kind: 'purchase', status: 'paid', email: EMAIL, phone: PHONE, customerId: '7' } as const
  store.fake.allOrders = [buildOrder({ ...order, modifiedAt: formatTimeBefore(0), paidAt: formatTimeBefore(0) })]
  await runOrderCheck(store.storeId)
  expect(await selectShoppers()).toMatchObject([{ email: EMAIL, phone: PHONE, is_registered: false }])
  await SOURCES['the import']()
  expect(await readRecords()).toEqual([[EMAIL, PHONE]])
  expect(await selectShoppers()).toMatchObject([{ email: EMAIL, phone: PHONE, is_registered: true }])
})

test('a customer with a consent in the ledger is kept for the addresses it covers (C9)', async () => {
  await setMode('cart_only')
  store.fake.allCustomers = [buildCustomer()]
  await recordConsentHere()
  await SOURCES['the import']()
  expect(await readRecords()).toEqual([[EMAIL, null]])
})

test('a consent that is still set in the shop does not keep a customer who withdrew it in Recoup', async () => {
  await setMode('cart_only')
  await recordConsentHere(false)
  store.fake.allCustomers = [buildCustomer({ consents: [buildConsent('granted')] })]
  await SOURCES['the import']()
  expect(await readRecords()).toEqual([])
})

test('an opt-out in the shop is recorded without the customer, and a later consent counts (C5)', async () => {
  await setMode('nothing')
  store.fake.allCustomers = [buildCustomer({ consents: [buildConsent('withdrawn')] })]
  await SOURCES['the import']()
  expect(await readRecords()).toEqual([])
  expect(await selectRows('consents')).toMatchObject([{ channel: 'email', status: 'withdrawn' }])
  expect(JSON.stringify(await selectRows('consents'))).not.toContain(EMAIL)
  await recordConsentHere()
  await SOURCES['the import']()
  expect(await readRecords()).toEqual([[EMAIL, null]])
})

test('of a WooCommerce shop only customers with a paid order or a consent are kept (C9)', async () => {
  store = await createConnectedStore(world)
  const { ordersCount: _, spentMinor: __, consents: ___, ...account } = buildCustomer()
  for (const mode of strict) {
    await setMode(mode)
    store.fake.allCustomers = [{ ...account, isPaying: false }]
    await SOURCES['the import']()
    expect([mode, await readRecords(), await selectShoppers()]).toEqual([mode, [], []])
  }
  store.fake.allCustomers = [{ ...account, isPaying: true }]
  await SOURCES['the import']()
  expect(await readRecords()).toEqual([[EMAIL, null]])
})
