import { beforeEach, describe, expect, test } from 'vitest'
import { buildOrder, createStore } from '../../../test/factories.ts'
import {
  createMessageScene,
  DAY,
  findLink,
  HOUR,
  listStepDecisions,
  listStepStates,
  MINUTE,
  markPurchased,
  passTime,
  readCart,
  readMessages,
} from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { wakeCartMessages } from '../../messages/messages/messages.ts'
import { setNextDue as scheduleNextRun } from '../../messages/messages/sql.ts'
import { insertConsent } from '../../shoppers/consent/consent-sql.ts'

// Consent and unsubscribing (C1–C3, C5–C7), end to end.

const world = createWorld()

beforeEach(() => {
  world.queued.length = 0
})

async function say(storeId: string, email: string, status: 'granted' | 'withdrawn') {
  const addressHash = world.deps.secrets.addressHash(email)
  await world.db.transaction().execute(async (db) => {
    const tx = { storeId, db }
    const consent = { id: createId(), addressHash, channel: 'email' as const, status, source: 'test', wording: null }
    await insertConsent(tx, { ...consent, at: world.now })
    await wakeCartMessages(tx, [(await readCart(world, storeId)).id], world.now)
    await scheduleNextRun(tx)
  })
}

async function createGerman() {
  const store = await createStore(world)
  const order = buildOrder(world, { country: 'DE' })
  await recordOrders(world.deps, store.storeId, [order], 'sync')
  world.sent.length = 0
  return { ...store, order }
}

describe('consent (C5, C6)', () => {
  test('a mail to a shopper in Germany is held without consent, with the reason, and sent once consent is given', async () => {
    const { storeId, order } = await createGerman()
    await passTime(world, storeId, HOUR)
    expect(world.sent).toHaveLength(0)
    expect((await listStepStates(world, storeId))[0]).toBe('held(no_consent)')
    const { inputs } = await world.db
      .selectFrom('decision_records')
      .select('inputs')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    expect(inputs).toMatchObject({ country: 'DE', countrySource: 'address', consentRule: 'soft_opt_in', consent: null })
    await say(storeId, order.email!, 'granted')
    await passTime(world, storeId, MINUTE)
    expect(world.sent).toHaveLength(1)
    expect(await listStepDecisions(world, storeId)).toEqual(['hold no_consent', 'send ok', 'result accepted'])
  })

  test('a mail without consent is closed at the age limit', async () => {
    const { storeId } = await createGerman()
    await passTime(world, storeId, HOUR)
    await passTime(world, storeId, DAY)
    await passTime(world, storeId, 3 * DAY)
    expect(world.sent).toHaveLength(0)
    expect((await listStepStates(world, storeId)).every((step) => step.startsWith('skipped'))).toBe(true)
  })

  test('an existing customer may be contacted (soft opt-in)', async () => {
    const { storeId, order } = await createGerman()
    const earlier = new Date(world.now.getTime() - 10 * DAY).toISOString()
    const past = {
      ...markPurchased(world, order),
      orderId: 'past',
      createdAt: earlier,
      modifiedAt: earlier,
      paidAt: earlier,
    }
    await recordOrders(world.deps, storeId, [past], 'sync')
    await passTime(world, storeId, HOUR)
    expect(world.sent).toHaveLength(1)
  })

  test('a withdrawal closes the message, even where no consent is needed', async () => {
    const { storeId, orders } = await createMessageScene(world)
    await say(storeId, orders[0]!.email!, 'withdrawn')
    await passTime(world, storeId, HOUR)
    expect(world.sent).toHaveLength(0)
    expect((await listStepStates(world, storeId))[0]).toBe('skipped(consent_withdrawn)')
  })

  test('the newest ledger entry counts', async () => {
    const { storeId, order } = await createGerman()
    await say(storeId, order.email!, 'granted')
    world.advance(MINUTE)
    await say(storeId, order.email!, 'withdrawn')
    await passTime(world, storeId, HOUR)
    expect((await listStepStates(world, storeId))[0]).toBe('skipped(consent_withdrawn)')
  })

  test('the strictest rule applies when the country is unknown and the store sells to many', async () => {
    const store = await createStore(world, { sellingCountries: ['US', 'DE'] })
    await recordOrders(world.deps, store.storeId, [buildOrder(world)], 'sync')
    await passTime(world, store.storeId, HOUR)
    expect((await listStepStates(world, store.storeId))[0]).toBe('held(no_consent)')
  })

  test('a later contact lets the step be sent unless it is too old', async () => {
    const store = await createStore(world)
    const order = buildOrder(world, { email: null })
    await recordOrders(world.deps, store.storeId, [order], 'sync')
    world.sent.length = 0
    await passTime(world, store.storeId, HOUR)
    expect((await listStepStates(world, store.storeId))[0]).toBe('held(no_contact)')
    world.advance(MINUTE)
    const known = { ...order, email: 'late@shoppers.example', modifiedAt: world.now.toISOString() }
    await recordOrders(world.deps, store.storeId, [known], 'webhook')
    await passTime(world, store.storeId, 2 * HOUR)
    expect(world.sent.map((mail) => mail.to)).toEqual(['late@shoppers.example'])
  })

  test('every step of a cart without a contact is closed for the missing address, not as superseded (D7)', async () => {
    const store = await createStore(world)
    await recordOrders(world.deps, store.storeId, [buildOrder(world, { email: null })], 'sync')
    await passTime(world, store.storeId, HOUR)
    await passTime(world, store.storeId, 24 * HOUR)
    const flow = `/api/flows/${store.flowId}/upcoming?minutes=1440`
    const upcoming = (await world.request('GET', flow, { token: store.token })).body
    expect(upcoming).toMatchObject({
      total: 0,
      messages: [],
      notSent: [{ explanation: 'No usable email address has been captured yet.', count: 1 }],
    })
    expect((await listStepStates(world, store.storeId)).slice(0, 2)).toEqual([
      'skipped(too_old:no_contact)',
      'held(no_contact)',
    ])
    await passTime(world, store.storeId, 6 * 24 * HOUR)
    expect(new Set(await listStepStates(world, store.storeId))).toEqual(new Set(['skipped(too_old:no_contact)']))
  })
})

describe('the sender (C7)', () => {
  test('a flow cannot be switched on without sender name and postal address', async () => {
    const store = await createStore(world, { isFlowOn: false })
    await world.db.updateTable('stores').set({ postal_address: '' }).where('id', '=', store.storeId).execute()
    const body = { isOn: true }
    const reply = await world.request('POST', `/api/flows/${store.flowId}/switch`, { token: store.token, body })
    expect(reply.status).toBe(422)
    expect(JSON.stringify(reply.body)).toContain('postal address')
  })

  test('nothing is sent when they are removed later', async () => {
    const { storeId } = await createMessageScene(world)
    await world.db.updateTable('stores').set({ sender_name: '' }).where('id', '=', storeId).execute()
    await passTime(world, storeId, HOUR)
    expect(world.sent).toHaveLength(0)
    expect((await listStepStates(world, storeId))[0]).toBe('held(sender_missing)')
  })
})

describe('unsubscribing (C1–C3)', () => {
  /** Two stores of an account, the same person with a cart in each; the first has had its first mail. */
  async function twoStores(email = `two${createId()}@shoppers.example`) {
    const first = await createStore(world)
    const second = await createStore(world, { accountId: first.accountId })
    await recordOrders(world.deps, first.storeId, [buildOrder(world, { email })], 'sync')
    await passTime(world, first.storeId, HOUR)
    await recordOrders(world.deps, second.storeId, [buildOrder(world, { email })], 'sync')
    await passTime(world, second.storeId, HOUR - 1)
    world.sent.length = 0
    return { first, second, email }
  }

  async function readLink(storeId: string) {
    const [row] = await readMessages(world, storeId)
    return findLink(row!.body_html!, '/u/')
  }

  test('neither viewing the link or the page nor a scanner unsubscribes the shopper (C3)', async () => {
    const { first } = await twoStores()
    const link = await readLink(first.storeId)
    const token = link.slice(3)
    for (const copied of [link, `${link}.`, `${link})`]) {
      expect((await world.request('GET', copied)).headers.location).toBe(`/unsubscribe?token=${token}`)
    }
    expect((await world.request('HEAD', link)).status).toBeLessThan(400)
    const page = await world.request('GET', `/api/unsubscribe/${token}`)
    expect(page.body).toMatchObject({ storeName: 'Tea & Co', address: 't•••@shoppers.example', isUnsubscribed: false })
    const rows = await world.db
      .selectFrom('suppressions')
      .selectAll()
      .where('account_id', '=', first.accountId)
      .execute()
    expect(rows).toEqual([])
    const { state } = (await readMessages(world, first.storeId))[1]!
    expect(state).toBe('scheduled')
  })

  test.each([
    'one-click',
    'page',
  ])('%s: every message of the account to that address is closed in the same commit (C2)', async (route) => {
    const { first, second } = await twoStores()
    const link = await readLink(first.storeId)
    await passTime(world, second.storeId, 1)
    world.sent.length = 0
    const reply =
      route === 'page'
        ? await world.request('POST', `/api/unsubscribe/${link.slice(3)}`)
        : await world.request('POST', link, {
            body: 'List-Unsubscribe=One-Click' as never,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
          })
    expect(reply.status).toBe(200)
    for (const { storeId } of [first, second]) {
      const open = (await readMessages(world, storeId)).filter((row) =>
        ['scheduled', 'held', 'claimed'].includes(row.state),
      )
      expect(open).toEqual([])
      expect(await listStepDecisions(world, storeId, 3)).toEqual(['skip suppressed_unsubscribed'])
    }
    await passTime(world, first.storeId, 3 * DAY)
    await passTime(world, second.storeId, 3 * DAY)
    expect(world.sent).toEqual([])
  })

  test('is idempotent and also stops messages about new carts (C1)', async () => {
    const { first, email } = await twoStores()
    const token = (await readLink(first.storeId)).slice(3)
    for (let n = 0; n < 2; n++) expect((await world.request('POST', `/api/unsubscribe/${token}`)).status).toBe(200)
    const third = await createStore(world, { accountId: first.accountId })
    await recordOrders(world.deps, third.storeId, [buildOrder(world, { email })], 'sync')
    await passTime(world, third.storeId, HOUR)
    expect(world.sent).toEqual([])
    expect((await listStepStates(world, third.storeId))[0]).toBe('skipped(suppressed_unsubscribed)')
  })

  test('does not affect another account (C1)', async () => {
    const { first, email } = await twoStores()
    await world.request('POST', `/api/unsubscribe/${(await readLink(first.storeId)).slice(3)}`)
    const otherStore = await createStore(world)
    await recordOrders(world.deps, otherStore.storeId, [buildOrder(world, { email })], 'sync')
    await passTime(world, otherStore.storeId, HOUR)
    expect(world.sent.map((mail) => mail.to)).toEqual([email])
  })

  test('is undone only by the shopper, and only their own unsubscribe (C5)', async () => {
    const { first, email } = await twoStores()
    const token = (await readLink(first.storeId)).slice(3)
    await world.request('POST', `/api/unsubscribe/${token}`)
    await say(first.storeId, email, 'granted')
    const later = await createStore(world, { accountId: first.accountId })
    await recordOrders(world.deps, later.storeId, [buildOrder(world, { email })], 'sync')
    await passTime(world, later.storeId, HOUR)
    expect(world.sent).toEqual([])
    expect((await world.request('DELETE', `/api/unsubscribe/${token}`)).body).toMatchObject({ isUnsubscribed: false })
    const newest = await createStore(world, { accountId: first.accountId })
    await recordOrders(world.deps, newest.storeId, [buildOrder(world, { email })], 'sync')
    await passTime(world, newest.storeId, HOUR)
    expect(world.sent.map((mail) => mail.to)).toEqual([email])
  })
})
