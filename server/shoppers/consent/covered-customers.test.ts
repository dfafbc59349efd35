import { expect, test } from 'vitest'
import { buildOrder, createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { insertConsent } from './consent-sql.ts'
import { recordAnswers } from './consents.ts'
import { findConsentedChannels, findCoveredCustomers } from './covered-customers.ts'

const world = createWorld()
const PHONE = '+4915123456789'

test('an address with which a customer bought is covered until they opt out of emails to it', async () => {
  const { storeId } = await createStore(world, { url: 'https://covered.example.com' })
  const store = { storeId, db: world.db }
  const email = 'ada@shoppers.example.com'
  await recordOrders(world.deps, storeId, [buildOrder(world, { kind: 'purchase', customerId: '77', email })], 'sync')
  const people = ['77', '88'].map((customerId) => ({ customerId, email, country: 'DE' }))
  const covered = async () =>
    [...(await findCoveredCustomers(world.deps, store, people))].map((each) => each.customerId)
  expect(await covered()).toEqual(['77'])
  const say = async (status: 'granted' | 'withdrawn') => {
    world.advance(1_000)
    const consent = { channel: 'email', status, source: 'preference page', wording: null } as const
    const addressHash = world.deps.secrets.addressHash(email)
    await insertConsent(store, { ...consent, id: createId(), addressHash, at: world.now })
  }
  await say('withdrawn')
  expect(await covered()).toEqual([])
  await say('granted')
  expect(await covered()).toEqual(['77'])
})

test('a number has a consent once its own customer has confirmed it by SMS', async () => {
  const { storeId } = await createStore(world, { url: 'https://confirmed.example.com' })
  const store = { storeId, db: world.db }
  const consent = {
    channel: 'sms',
    address: PHONE,
    isGiven: true,
    wording: 'Yes',
    country: 'DE',
    customerId: '77',
  } as const
  await world.db.transaction().execute((db) => recordAnswers(world.deps, { storeId, db }, [consent], world.now))
  const agreed = async (customerId: string) => {
    const person = { customerId, email: null, phone: PHONE, country: 'DE' }
    return (await findConsentedChannels(world.deps, store, [person])).get(person) ?? []
  }
  expect(await agreed('77')).toEqual([])
  world.advance(1_000)
  const confirmed = { channel: 'sms', status: 'granted', isConfirmed: true, source: 'sms', wording: null } as const
  const addressHash = world.deps.secrets.addressHash(PHONE)
  await insertConsent(store, { ...confirmed, id: createId(), addressHash, at: world.now })
  expect([await agreed('77'), await agreed('88')]).toEqual([['sms'], []])
})
