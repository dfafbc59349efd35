import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CapturePost } from '../../../shared/carts/capture.ts'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import { buildOrder, type TestStore } from '../../../test/factories.ts'
import { createProviderWorld } from '../../../test/provider-calls.ts'
import { recordCapture } from '../../carts/capture/capture.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { selectEvidence } from '../../shoppers/consent/evidence-sql.ts'
import { LIMITS_WITHOUT_ORDER, mayRequestOptIn, sendOptInRequests } from './opt-in-request.ts'

// Limits which numbers get an opt-in request, and how many: any visitor can type a number into a checkout.

const scene = createProviderWorld()
const { world } = scene
const HOUR = 3_600_000
let store: TestStore
let visits = 0

beforeEach(async () => {
  store = scene.store
  await world.db.updateTable('subscriptions').set({ plan: 'starter' }).execute()
  await world.db
    .updateTable('stores')
    .set({ selling_countries: ['US', 'DE'] })
    .execute()
  await world.db.deleteFrom('rate_limits').execute()
  // Mid-morning in Germany.
  world.now = new Date(`${new Date(world.now.getTime() + 86_400_000).toISOString().slice(0, 10)}T10:00:00Z`)
})

/** A shopper ticks boxes at the checkout. */
async function ticks(consent: NonNullable<CapturePost['consent']>, phone: string, country?: string) {
  const url = 'https://shop.example.com'
  visits += 1
  const post: CapturePost = {
    cart: `cart-of-visit-${String(visits).padStart(6, '0')}`,
    page: `page-${String(visits).padStart(6, '0')}`,
    seq: 0,
    contact: { email: `v${visits}@shoppers.example`, phone, ...(country && { country }) },
  }
  const capture = (post: CapturePost) =>
    recordCapture(world.deps, { id: store.storeId, url, home_url: url }, post, `client-${visits}`)
  await capture(post)
  await capture({ ...post, seq: 1, consent })
  return phone
}

const sms = (isGiven: boolean) => ({ sms: buildConsentBox('sms', isGiven) })

const listRequests = (phone: string) =>
  scene.twilio.network.texts.thread(phone, 'sms', '+12025550100').map(({ body }) => body)

test('a shop’s name cannot inject a link into an opt-in request', async () => {
  const change = (names: { name: string; sender_name: string }) =>
    world.db.updateTable('stores').set(names).where('id', '=', store.storeId).execute()
  const before = world.db.selectFrom('stores').select(['name', 'sender_name']).where('id', '=', store.storeId)
  const names = await before.executeTakeFirstOrThrow()
  const phone = await ticks(sms(true), '+4915123456900')
  await change({ name: 'Security Team evil.com', sender_name: '' })
  await sendOptInRequests(world.deps)
  await change(names)
  expect(listRequests(phone)).toEqual([expect.stringMatching(/^Security Team evil com: /)])
})

describe('opt-in requests', () => {
  afterEach(() => world.db.deleteFrom('opt_in_requests').where('state', '=', 'waiting').execute())

  const sellsTo = (selling_countries: string[] | null) =>
    world.db.updateTable('stores').set({ selling_countries }).where('id', '=', store.storeId).execute()

  const refused = {
    'of a country the store does not sell to': '+447400123456',
    'of Cuba': '+5351234567',
    'a landline': '+4930901820',
    'a premium number': '+499001234567',
    'a toll-free number': '+498001234567',
    'a personal number': '+4970012345678',
    Thuraya: '+88216123456',
    Iridium: '+881612345678',
    Inmarsat: '+870773111632',
    'an international premium number': '+979123456789',
  }

  test('are not sent to countries the store does not sell to, nor to non-mobile numbers', async () => {
    for (const phone of Object.values(refused)) await ticks(sms(true), phone)
    await sendOptInRequests(world.deps)
    const waiting = await world.db
      .selectFrom('opt_in_requests')
      .select('phone')
      .where('phone', 'is not', null)
      .execute()
    expect([Object.values(refused).flatMap(listRequests), waiting]).toEqual([[], []])
  })

  const readEvidence = async (phone: string) => {
    const hash = world.deps.secrets.addressHash(phone)
    const evidence = await selectEvidence({ storeId: store.storeId, db: world.db }, [hash], ['sms'])
    return evidence.get(`sms:${hash.toString('hex')}`)?.evidence
  }

  test('keep an opt-in for a satellite or premium number pending for every country the page names', async () => {
    const names = ['Thuraya', 'Iridium', 'Inmarsat', 'a premium number', 'an international premium number'] as const
    for (const phone of names.map((name) => refused[name])) {
      await ticks(sms(true), phone, 'US')
      expect([phone, await readEvidence(phone)]).toEqual([phone, 'pending'])
    }
    // Puerto Rican numbers are common in the mainland US.
    for (const phone of [refused['of a country the store does not sell to'], '+12025550177', '+17875551234']) {
      await ticks(sms(true), phone, 'US')
      expect([phone, await readEvidence(phone)]).toEqual([phone, 'express_yes'])
    }
  })

  test('go to all countries with a listed price if the store sells everywhere', () => {
    const everywhere = { base_country: 'DE', selling_countries: null }
    const listed = ['+5215512345678', '+447400123456', '+393123456789', '+4915123456789', '+12025550143']
    const others = ['+5351234567', '+252711234567', '+9607712345', '+2693212345', '+18765551234', '+77012345678']
    const noPersons = [
      '+3197012345678',
      '+6286812345678',
      '+4758012345678',
      '+46741234567',
      '+447012345678',
      '+447797123456',
    ]
    expect(listed.filter((phone) => mayRequestOptIn(phone, everywhere))).toEqual(listed)
    expect([...others, ...noPersons].filter((phone) => mayRequestOptIn(phone, everywhere))).toEqual([])
    expect(mayRequestOptIn('+4915123456789', { base_country: 'DE', selling_countries: ['FR'] })).toBe(true)
  })

  /** How many of these were asked. */
  async function askAll(phones: readonly string[]) {
    await sendOptInRequests(world.deps)
    return phones.filter((phone) => listRequests(phone).length > 0).length
  }
  const alarms = () =>
    world.db.selectFrom('pending_notifications').select('data').where('type', '=', 'question_flood').execute()

  test('to numbers without an order are limited to ten an hour with an alarm; a buyer’s number is still asked', async () => {
    await sellsTo(['DE'])
    const phones: string[] = []
    for (let n = 0; n < 14; n++) phones.push(await ticks(sms(true), `+4915123457${100 + n}`))
    expect(await askAll(phones)).toBe(10)
    await sendOptInRequests(world.deps)
    expect((await alarms()).map(({ data }) => data)).toEqual([{ points: 10, per: 'hour' }])
    const buyer = '+4915123458999'
    await recordOrders(world.deps, store.storeId, [buildOrder(world, { kind: 'purchase', phone: buyer })], 'webhook')
    await ticks(sms(true), buyer)
    const drafter = '+4915123458998'
    await recordOrders(world.deps, store.storeId, [buildOrder(world, { phone: drafter })], 'webhook')
    await ticks(sms(true), drafter)
    expect(await askAll([buyer, drafter])).toBe(1)
    world.advance(HOUR)
    await world.db.deleteFrom('rate_limits').execute()
    expect(await askAll([...phones, drafter])).toBe(15)
  })

  test('to numbers without an order are limited to thirty a day', async () => {
    const phones: string[] = []
    for (let n = 0; n < 33; n++) phones.push(await ticks(sms(true), `+4915123459${100 + n}`))
    const daily = LIMITS_WITHOUT_ORDER.filter(({ per }) => per === 'day').map(({ name }) => name)
    for (let hour = 0; hour < 4; hour++) {
      await sendOptInRequests(world.deps)
      world.advance(HOUR)
      await world.db.deleteFrom('rate_limits').where('key', 'not like', `${daily[0]}:%`).execute()
    }
    expect(await askAll(phones)).toBe(30)
  })
})
