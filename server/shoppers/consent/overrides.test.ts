import { beforeEach, describe, expect, test } from 'vitest'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { HOUR, listStepDecisions, listStepStates, MINUTE, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { insertConsent } from './consent-sql.ts'

// An owner overrides a rule on a legal ground of their own (C6).

const world = createWorld()
const GROUND = 'Section 7 (3) UWG: we advertise our own similar goods, and say so at the checkout.'
let store: TestStore
beforeEach(async () => {
  store = await createStore(world)
  world.sent.length = 0
})

const german = { channel: 'email', country: 'DE', from: 'soft_opt_in', to: 'opt_out', legalGround: GROUND }
const override = (body: object = german, token = store.token) =>
  world.request('POST', '/api/consent/overrides', { token, body })
const end = (id: string) => world.request('POST', `/api/consent/overrides/${id}/end`, { token: store.token })
const table = async () => (await world.request('GET', '/api/consent/table', { token: store.token })).body

async function createGermanCart() {
  const order = buildOrder(world, { country: 'DE' })
  await recordOrders(world.deps, store.storeId, [order], 'sync')
  world.sent.length = 0
  return order
}

async function recordAnswer(status: 'granted' | 'withdrawn', email: string) {
  const addressHash = world.deps.secrets.addressHash(email)
  const row = {
    id: createId(),
    addressHash,
    channel: 'email' as const,
    status,
    source: 'test',
    wording: null,
    at: world.now,
  }
  await insertConsent({ storeId: store.storeId, db: world.db }, row)
}

describe('an override', () => {
  test('releases waiting messages at once, and record and timeline name it', async () => {
    await createGermanCart()
    await passTime(world, store.storeId, HOUR)
    expect((await listStepStates(world, store.storeId))[0]).toBe('held(no_consent)')
    const { body } = await override()
    await passTime(world, store.storeId, MINUTE)
    expect(world.sent).toHaveLength(1)
    const decision = await world.db
      .selectFrom('decision_records')
      .select('inputs')
      .where('store_id', '=', store.storeId)
      .where('outcome', '=', 'send')
      .executeTakeFirstOrThrow()
    expect(decision.inputs).toMatchObject({
      consentRule: 'soft_opt_in',
      consentBasis: { kind: 'override', id: body.id, rule: 'opt_out' },
    })
    const [cart] = await world.db.selectFrom('carts').select('id').where('store_id', '=', store.storeId).execute()
    const reply = await world.request('GET', `/api/carts/${cart!.id}/messages`, { token: store.token })
    const texts = reply.body.timeline.map((entry: { text: string }) => entry.text)
    expect(texts).toContainEqual(expect.stringContaining('For Germany the rule is: Opt-in or existing customer.'))
    expect(texts).toContainEqual(
      expect.stringContaining('For Germany this store’s rule, changed by its team, is: Opt-out.'),
    )
  })

  test('never beats a withdrawal', async () => {
    await override()
    const order = await createGermanCart()
    await recordAnswer('withdrawn', order.email!)
    await passTime(world, store.storeId, HOUR)
    expect([world.sent.length, (await listStepStates(world, store.storeId))[0]]).toEqual([
      0,
      'skipped(consent_withdrawn)',
    ])
  })

  test('applies until it is ended, and keeps authors and times of both', async () => {
    const overridden = (await override()).body
    expect(overridden).toMatchObject({
      ...german,
      createdAt: world.now.toISOString(),
      createdBy: expect.stringMatching(/^Owner/),
    })
    world.advance(MINUTE)
    const ended = (await end(overridden.id)).body
    expect(ended).toMatchObject({ endedAt: world.now.toISOString(), endedBy: overridden.createdBy })
    world.advance(MINUTE)
    expect((await end(overridden.id)).body).toEqual(ended)
    await createGermanCart()
    await passTime(world, store.storeId, HOUR)
    expect([world.sent.length, await listStepDecisions(world, store.storeId)]).toEqual([0, ['hold no_consent']])
    expect((await table()).overrides).toEqual([ended])
  })

  test('that ends while mails decided by it wait in flight stops all of them (D10)', async () => {
    const overridden = (await override()).body
    const orders = Array.from({ length: 8 }, () => buildOrder(world, { country: 'DE' }))
    await recordOrders(world.deps, store.storeId, orders, 'sync')
    const usual = world.answer
    let ended: Promise<unknown> | undefined
    world.answer = async (mail) => {
      ended ??= end(overridden.id)
      await ended
      return usual(mail)
    }
    await passTime(world, store.storeId, HOUR).finally(() => {
      world.answer = usual
    })
    const onTheWire = world.sent.length
    expect(onTheWire).toBeLessThan(8)
    await passTime(world, store.storeId, MINUTE)
    expect(world.sent).toHaveLength(onTheWire)
    const states = await world.db
      .selectFrom('messages')
      .select('reason')
      .where('store_id', '=', store.storeId)
      .where('step', '=', 1)
      .where('state', '=', 'held')
      .execute()
    expect(states).toEqual(Array.from({ length: 8 - onTheWire }, () => ({ reason: 'no_consent' })))
  })

  test('applies to one store, and another store of the account keeps the rule', async () => {
    await override()
    const other = await createStore(world, { accountId: store.accountId })
    await recordOrders(world.deps, other.storeId, [buildOrder(world, { country: 'DE' })], 'sync')
    world.sent.length = 0
    await passTime(world, other.storeId, HOUR)
    expect(world.sent).toHaveLength(0)
  })

  test('can be created again after it ended, but not twice at a time', async () => {
    const { body } = await override()
    expect((await override()).status).toBe(409)
    await end(body.id)
    expect((await override()).status).toBe(200)
  })
})

describe('an override is refused', () => {
  test('without a written legal ground', async () => {
    for (const legalGround of ['', '   ', 'because we can']) {
      const reply = await override({ ...german, legalGround })
      expect([reply.status, reply.body.fields.legalGround]).toEqual([400, expect.stringContaining('at least 20')])
    }
  })

  test('for SMS below a consent, for WhatsApp, and to a stricter rule', async () => {
    const refused = [
      { channel: 'sms', country: 'US', from: 'opt_in', to: 'opt_out' },
      { channel: 'sms', country: 'DE', from: 'confirmed_opt_in', to: 'soft_opt_in' },
      { channel: 'whatsapp', country: '*', from: 'opt_in', to: 'opt_out' },
      { channel: 'email', country: 'US', from: 'opt_out', to: 'opt_in' },
    ]
    for (const body of refused) {
      const reply = await override({ ...body, legalGround: GROUND })
      expect([reply.status, typeof reply.body.fields.to]).toEqual([422, 'string'])
    }
    expect((await override({ ...refused[1], to: 'opt_in', legalGround: GROUND })).status).toBe(200)
  })

  test('for a rule that is not the table’s for that country', async () => {
    expect((await override({ ...german, country: 'US' })).status).toBe(409)
    expect((await override({ ...german, country: '*', from: 'confirmed_opt_in', to: 'opt_in' })).status).toBe(409)
  })
})

test('the screen gets every rule, each country’s rule and the possible overrides', async () => {
  const { rules, countries, elsewhere, overridable } = await table()
  expect(rules.map(({ name }: { name: string }) => name)).toEqual([
    'opt_out',
    'soft_opt_in',
    'opt_in',
    'confirmed_opt_in',
  ])
  const of = (code: string) => countries.find(({ country }: { country: string }) => country === code).rules
  expect(of('DE')).toEqual({ email: 'soft_opt_in', sms: 'confirmed_opt_in', whatsapp: 'opt_in' })
  expect(of('US')).toEqual({ email: 'opt_out', sms: 'opt_in', whatsapp: 'opt_in' })
  expect(elsewhere).toEqual({ email: 'opt_in', sms: 'confirmed_opt_in', whatsapp: 'opt_in' })
  expect(overridable).toEqual([
    { channel: 'email', from: 'soft_opt_in', to: ['opt_out'] },
    { channel: 'email', from: 'opt_in', to: ['opt_out', 'soft_opt_in'] },
    { channel: 'sms', from: 'confirmed_opt_in', to: ['opt_in'] },
  ])
})
