import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { registerOwner } from '../../../test/connected-store.ts'
import { choosePlan, createPayer, findSession, type Payer } from '../../../test/payer.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'

// Attempts to get more than was paid for, or at another account's cost, are refused and change nothing here or at
// Stripe.

const world = createStripeWorld()

const KINDS = ['customer', 'checkout.session', 'subscription', 'subscription_schedule', 'invoice', 'charge'] as const
const TABLES = ['subscriptions', 'billing_customers', 'checkout_sessions', 'trial_claims', 'payments'] as const

/** All purchases of all accounts. */
async function readAllPurchases() {
  const rows = await Promise.all(TABLES.map((table) => world.db.selectFrom(table).selectAll().execute()))
  return structuredClone({
    ...Object.fromEntries(TABLES.map((table, at) => [table, rows[at]!.map(serializeRow).toSorted()])),
    ...Object.fromEntries(KINDS.map((kind) => [kind, world.stripe.all(kind)])),
  })
}

/** The number of fetches does not count as a change. */
const serializeRow = (row: object) => JSON.stringify({ ...row, begun: null, applied: null })

let ann: Payer
let bob: { token: string; accountId: string }
let eve: Payer
async function createThreePeople() {
  ann = await createPayer(world, { planKey: 'growth' })
  bob = await registerOwner(world, null)
  eve = await createPayer(world)
}

const UNKNOWN = 'The request has an unknown field'
const COUNT = 'Choose 0 to 20 extra stores.'
const NO_PLAN = 'There is no such plan. Choose free, starter, or growth.'

const choices: [string, (its: Payer) => object, string][] = [
  ['for another account', ({ accountId }) => ({ account: accountId }), UNKNOWN],
  ['for another account, by its id here', ({ accountId }) => ({ accountId }), UNKNOWN],
  ['as another customer of Stripe', ({ customer }) => ({ customer }), UNKNOWN],
  ['with another account’s reference', ({ accountId }) => ({ client_reference_id: accountId }), UNKNOWN],
  ['into another subscription', ({ subscription }) => ({ subscription }), UNKNOWN],
  ['a longer trial', () => ({ trialDays: 365 }), UNKNOWN],
  ['a trial by Stripe’s own name', () => ({ subscription_data: { trial_period_days: 30 } }), UNKNOWN],
  ['fewer than no stores', () => ({ addOns: { extraStores: -1 } }), COUNT],
  ['more stores than are sold', () => ({ addOns: { extraStores: 21 } }), COUNT],
  ['half a store', () => ({ addOns: { extraStores: 0.5 } }), COUNT],
  ['stores that are not a number', () => ({ addOns: { extraStores: '2' } }), COUNT],
  ['a negative number of plans', () => ({ quantity: -1 }), UNKNOWN],
  ['a price of another product', () => ({ price: 'price_1' }), UNKNOWN],
  ['a line of its own', () => ({ line_items: [{ price: 'price_1', quantity: 1 }] }), UNKNOWN],
  ['an add-on by its price', () => ({ addOns: { price: 'price_1' } }), 'Add ons has an unknown field'],
  ['an add-on for a plan', () => ({ planKey: 'extra_store' }), NO_PLAN],
  ['a plan by its lookup key', () => ({ planKey: 'recoup_growth_month' }), NO_PLAN],
  ['a discount', () => ({ discounts: [{ coupon: 'free' }] }), UNKNOWN],
]

describe('nothing changes by', () => {
  beforeAll(createThreePeople)

  it.each(choices)('a checkout %s', async (_, more, error) => {
    const before = await readAllPurchases()
    const reply = await choosePlan(world, bob.token, { planKey: 'starter', ...more(ann) })
    expect({ code: reply.status, error: reply.body.error }).toEqual({ code: 400, error })
    expect(await readAllPurchases()).toEqual(before)
  })

  it.each(choices)('a change of the own plan %s', async (_, more, error) => {
    const before = await readAllPurchases()
    const body = { planKey: 'growth', ...more(ann) }
    const reply = await world.request('POST', '/api/payments/preview-change', { token: eve.token, body })
    expect({ code: reply.status, error: reply.body.error }).toEqual({ code: 400, error })
    expect(await readAllPurchases()).toEqual(before)
  })
})

describe('nothing is gained by', () => {
  beforeEach(createThreePeople)

  it('a session paid by another account, and an unknown one', async () => {
    const { id } = world.stripe.all('checkout.session').find(({ customer }) => customer === ann.customer)!
    const before = await readAllPurchases()
    for (const { token } of [bob, eve]) {
      for (const [named, code, error] of [
        [id, 404, 'Checkout session not found'],
        ['cs_test_none', 404, 'Checkout session not found'],
        [ann.subscription, 400, 'This is not a checkout session.'],
      ] as const) {
        const reply = await world.request('GET', `/api/subscribe/check-session?session_id=${named}`, { token })
        expect({ code: reply.status, error: reply.body.error }).toEqual({ code, error })
      }
    }
    expect(await readAllPurchases()).toEqual(before)
  })

  it('a paid session again after its subscription has ended', async () => {
    const { id } = world.stripe.all('checkout.session').find(({ customer }) => customer === ann.customer)!
    await world.deps.stripe!.subscriptions.cancel(ann.subscription)
    const check = () => world.request('GET', `/api/subscribe/check-session?session_id=${id}`, { token: ann.token })
    expect((await check()).body).toEqual({ success: true, plan: 'free', status: 'active' })
    const before = await readAllPurchases()
    await check()
    expect(await readAllPurchases()).toEqual(before)
  })

  it('another account’s preview', async () => {
    const body = { planKey: 'starter' }
    const previewReply = await world.request('POST', '/api/payments/preview-change', { token: ann.token, body })
    const before = await readAllPurchases()
    const change = { token: previewReply.body.token, restingStoreIds: [] }
    const reply = await world.request('POST', '/api/payments/change', { token: eve.token, body: change })
    expect({ code: reply.status, error: reply.body.error }).toEqual({
      code: 400,
      error: 'This change was not shown before. Check the amount again.',
    })
    expect(await readAllPurchases()).toEqual(before)
  })

  it('a second trial: the status shows the first, and the next checkout charges at once', async () => {
    await world.deps.stripe!.subscriptions.cancel(eve.subscription)
    const { body } = await world.request('GET', '/api/subscribe/status', { token: eve.token })
    expect(body).toMatchObject({ hasUsedTrial: true })
    const { url } = (await choosePlan(world, eve.token, { planKey: 'starter' })).body
    expect(findSession(world, url)).toMatchObject({ amount_total: 1_900, payment_status: 'unpaid' })
    expect(() => world.stripe.buy(findSession(world, url).id, {})).toThrow('Enter a card.')
  })
})
