import { beforeEach, expect, it } from 'vitest'
import { DAY } from '../../../test/message-scene.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { createSubscriber, readSubscription, type Subscriber, subscribe } from '../../../test/subscriber.ts'
import { hashPassword } from '../../access/members/passwords.ts'
import { refreshAccount } from './refresh.ts'

// Subscriptions ended at Stripe after the deletion of an account and after a chargeback (decision 121).

const world = createStripeWorld()
const PASSWORD = 'correct horse'

beforeEach(async () => {
  world.stripe.intercept = () => undefined
  world.queued.length = 0
  await world.db.deleteFrom('instance').execute()
})

const listStatuses = ({ customer }: Subscriber) =>
  world.stripe
    .all('subscription')
    .filter((one) => one.customer === customer)
    .map(({ status }) => status)

async function deleteAccount({ token, userId }: Subscriber) {
  const password_hash = await hashPassword(PASSWORD)
  await world.db.updateTable('users').set({ password_hash }).where('id', '=', userId).execute()
  const body = { confirmation: 'delete', password: PASSWORD }
  expect((await world.request('POST', '/api/account/delete', { token, body })).status).toBe(200)
}

const pauseInstance = () =>
  world.db
    .insertInto('instance')
    .values({ fingerprint: 'another', is_paused: true, paused_reason: 'copied', created_at: world.now } as never)
    .execute()

it('a deleted account is no longer charged, even if Stripe is unreachable at first', async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop)
  await refreshAccount(world.deps, shop.accountId)
  world.stripe.intercept = () => ({ status: 500, body: { error: { type: 'api_error' } } })
  await deleteAccount(shop)
  await world.runJobs()
  expect(await world.db.selectFrom('accounts').select('id').where('id', '=', shop.accountId).execute()).toEqual([])
  expect(listStatuses(shop)).toEqual(['active'])
  for (const minutes of [1, 2]) {
    world.advance(minutes * 60_000)
    await world.runJobs()
  }
  world.stripe.intercept = () => undefined
  world.advance(4 * 60_000)
  await world.runJobs()
  expect(listStatuses(shop)).toEqual(['canceled'])
  expect(world.queued).toEqual([])
})

it('its open checkout is closed, and an account without purchases sends no request', async () => {
  const shop = await createSubscriber(world)
  const [price] = world.stripe.all('price')
  const { id } = await world.deps.stripe!.checkout.sessions.create({
    ...{ mode: 'subscription', customer: shop.customer, success_url: 'https://recoup.example/billing' },
    line_items: [{ price: price!.id, quantity: 1 }],
  })
  await deleteAccount(shop)
  await world.runJobs()
  expect(world.stripe.all('checkout.session').find((one) => one.id === id)!.status).toBe('expired')
})

it('a customer already deleted at Stripe needs no more work', async () => {
  const shop = await createSubscriber(world)
  await world.db
    .updateTable('billing_customers')
    .set({ stripe_customer_id: 'cus_unheardof' })
    .where('account_id', '=', shop.accountId)
    .execute()
  await deleteAccount(shop)
  await world.runJobs()
  expect(world.queued).toEqual([])
})

it('a copy of an installation ends no subscription until it is live', async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop)
  await pauseInstance()
  await deleteAccount(shop)
  await world.runJobs()
  expect(listStatuses(shop)).toEqual(['active'])
  await world.db.updateTable('instance').set({ is_paused: false }).execute()
  world.advance(DAY)
  await world.runJobs()
  expect(listStatuses(shop)).toEqual(['canceled'])
})

/** The bank takes back the account's last payment, and Stripe reports it. */
async function dispute(shop: Subscriber, change: (id: string) => void = () => {}) {
  const charge = world.stripe.all('charge').findLast((one) => one.customer === shop.customer)!
  world.stripe.webhooks.drop()
  const { id } = world.stripe.openDispute(charge.id)
  change(id)
  await world.stripe.webhooks.deliverAll(async (payload, signature) => {
    const headers = { 'stripe-signature': signature, 'content-type': 'application/json' }
    return (await world.app.inject({ method: 'POST', url: '/api/webhooks/stripe', headers, payload })).statusCode
  })
  await world.runJobs()
}

const listProblems = ({ accountId }: Subscriber) =>
  world.db.selectFrom('operator_problems').select(['kind', 'detail']).where('account_id', '=', accountId).execute()

it('a chargeback cancels the subscription and informs the operator', async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop, { plan: 'growth' })
  await refreshAccount(world.deps, shop.accountId)
  await dispute(shop)
  expect(listStatuses(shop)).toEqual(['canceled'])
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'growth', status: 'canceled' })
  expect(await listProblems(shop)).toMatchObject([{ kind: 'chargeback', detail: expect.stringContaining('ch_') }])
})

it('a chargeback without an event is found by the next snapshot, and one of an earlier subscription ends no later one', async () => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop)
  const charge = world.stripe.all('charge').findLast((one) => one.customer === shop.customer)!
  await world.deps.stripe!.subscriptions.cancel(id)
  await subscribe(world, shop)
  world.stripe.openDispute(charge.id)
  await refreshAccount(world.deps, shop.accountId)
  expect(listStatuses(shop)).toEqual(['canceled', 'active'])
  world.stripe.openDispute(world.stripe.all('charge').findLast((one) => one.customer === shop.customer)!.id)
  await refreshAccount(world.deps, shop.accountId)
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'starter', status: 'canceled' })
})

it('a dispute that was won meanwhile, and one in a copy, cancel nothing', async () => {
  const [won, copied] = [await createSubscriber(world), await createSubscriber(world)]
  for (const shop of [won, copied]) {
    await subscribe(world, shop)
    await refreshAccount(world.deps, shop.accountId)
  }
  await dispute(won, (id) => world.stripe.closeDispute(id, 'won'))
  await pauseInstance()
  await dispute(copied)
  expect([...listStatuses(won), ...listStatuses(copied)]).toEqual(['active', 'active'])
})
