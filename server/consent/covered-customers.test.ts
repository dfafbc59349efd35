import { expect, test } from 'vitest'
import { aStore } from '../../test/factories.ts'
import { aWorld } from '../../test/world.ts'
import { newId } from '../core/ids.ts'
import { insertConsent } from './consent-sql.ts'
import { recordSaid } from './consents.ts'
import { agreedChannels } from './covered-customers.ts'

const world = aWorld()
const PHONE = '+4915123456789'

test('a number counts as agreed once its customer has confirmed it by SMS, and for nobody else', async () => {
  const { storeId } = await aStore(world, { url: 'https://confirmed.example.com' })
  const store = { storeId, db: world.db }
  const said = {
    channel: 'sms',
    address: PHONE,
    isGiven: true,
    wording: 'Yes',
    country: 'DE',
    customerId: '77',
  } as const
  await world.db.transaction().execute((db) => recordSaid(world.deps, { storeId, db }, [said], world.now))
  const agreed = async (customerId: string) => {
    const person = { customerId, email: null, phone: PHONE, country: 'DE' }
    return (await agreedChannels(world.deps, store, [person])).get(person) ?? []
  }
  expect(await agreed('77')).toEqual([])
  world.advance(1_000)
  const confirmed = { channel: 'sms', status: 'granted', isConfirmed: true, source: 'sms', wording: null } as const
  const addressHash = world.deps.secrets.addressHash(PHONE)
  await insertConsent(store, { ...confirmed, id: newId(), addressHash, at: world.now })
  expect([await agreed('77'), await agreed('88')]).toEqual([['sms'], []])
})
