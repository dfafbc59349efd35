import { beforeEach, expect, it } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { createPayer, type Payer } from '../../../test/payer.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'

// Changes of plan with a lost answer of Stripe, or with a concurrent change here (decision 85).

const world = createStripeWorld()
const DAY = 86_400_000

beforeEach(() => {
  world.stripe.intercept = () => undefined
})

type Who = { token: string }
const post = (call: string, { token }: Who, body: object) =>
  world.request('POST', `/api/payments/${call}`, { token, body })
const preview = (who: Who, planKey: string, more: object = {}) => post('preview-change', who, { planKey, ...more })
const change = (who: Who, token: string, restingStoreIds: string[] = []) =>
  post('change', who, { token, restingStoreIds })
const status = async ({ token }: Who) => (await world.request('GET', '/api/subscribe/status', { token })).body
const sumPaid = ({ customer }: Payer) =>
  world.stripe
    .all('invoice')
    .filter((one) => one.customer === customer)
    .reduce((sum, { amount_paid: paid }) => sum + paid, 0)
const listIdempotencyKeys = ({ subscription }: Payer) =>
  world.stripe
    .all('subscription')
    .find(({ id }) => id === subscription)!
    .items.data.map(({ price, quantity }) => `${price.lookup_key!.replace('recoup_', '')} ${quantity}`)

/** A scheduled plan in the metadata at Stripe. */
const readMetadata = async ({ subscription }: Payer) =>
  (await world.deps.stripe!.subscriptions.retrieve(subscription)).metadata.recoup_waits

it('a larger plan with a lost answer is not replaced by the smaller one scheduled before', {
  tags: ['A7'],
}, async () => {
  const payer = await createPayer(world, { planKey: 'growth', addOns: { extraStores: 1 } })
  await change(payer, (await preview(payer, 'starter')).body.token)
  world.passTime(DAY)
  const { body: quote } = await preview(payer, 'growth', { addOns: { extraStores: 3 } })
  const before = sumPaid(payer)
  world.stripe.intercept = ({ method, path, body }) =>
    method === 'POST' && path === `/v1/subscriptions/${payer.subscription}` && body.includes('items')
      ? 'lose'
      : undefined
  expect((await change(payer, quote.token)).status).toBe(503)
  expect(sumPaid(payer) - before).toBe(quote.dueNow)
  expect(listIdempotencyKeys(payer)).toEqual(['growth_month 1', 'extra_store_month 3'])
  expect(await status(payer)).toMatchObject({ plan: 'growth', change: null })
})

it('a store disconnected during the request does not fail a change that is made', async () => {
  const payer = await createPayer(world, { planKey: 'growth' })
  const other = await createStore(world, { accountId: payer.accountId })
  const otherStore = await createStore(world, { accountId: payer.accountId })
  const { body: quote } = await preview(payer, 'starter')
  world.stripe.intercept = async ({ path }) => {
    if (!path.startsWith('/v1/subscription_schedules')) return
    await world.db.updateTable('stores').set({ is_active: false }).where('id', '=', otherStore.storeId).execute()
  }
  const reply = await change(payer, quote.token, [otherStore.storeId, other.storeId])
  expect(reply).toMatchObject({ status: 200, body: { state: 'scheduled' } })
  const first = await world.db.selectFrom('stores').select('id').where('rests_first', '=', true).execute()
  expect(first).toEqual([{ id: other.storeId }])
})

it('a scheduled smaller plan is scheduled again if the bank’s question stays unanswered, and dropped once the larger one is paid', async () => {
  const stripe = world.deps.stripe!
  const requestChange = async () => {
    const payer = await createPayer(world, { planKey: 'growth', addOns: { extraStores: 1 } })
    await change(payer, (await preview(payer, 'starter')).body.token)
    const before = (await status(payer)).change
    expect(before).toMatchObject({ plan: 'starter' })
    const { id } = await stripe.paymentMethods.attach('pm_card_authenticationRequired', { customer: payer.customer })
    await stripe.subscriptions.update(payer.subscription, { default_payment_method: id })
    world.passTime(DAY)
    const { body: quote } = await preview(payer, 'growth', { addOns: { extraStores: 3 } })
    expect((await change(payer, quote.token)).body.state).toBe('confirm')
    await world.runJobs()
    expect(await status(payer)).toMatchObject({ plan: 'growth', change: null })
    return { payer, before }
  }

  const { payer: silent, before } = await requestChange()
  const { payer: paying } = await requestChange()
  const open = world.stripe.all('invoice').find((one) => one.customer === paying.customer && one.status === 'open')!
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: paying.customer })
  await stripe.invoices.pay(open.id!, { payment_method: card.id })
  world.passTime(2 * DAY)
  for (const payer of [silent, paying]) {
    await world.request('GET', '/api/payments/subscription', { token: payer.token })
  }
  await world.runJobs()
  expect(listIdempotencyKeys(silent)).toEqual(['growth_month 1', 'extra_store_month 1'])
  expect((await status(silent)).change).toEqual(before)
  expect(listIdempotencyKeys(paying)).toEqual(['growth_month 1', 'extra_store_month 3'])
  expect((await status(paying)).change).toBeNull()
  expect([await readMetadata(silent), await readMetadata(paying)]).toEqual([undefined, undefined])
})

it('a scheduled smaller plan is not restored for an owner who cancels instead', async () => {
  const payer = await createPayer(world, { planKey: 'growth' })
  const stripe = world.deps.stripe!
  const recoup_waits = JSON.stringify({
    from: { plan: 'growth', cycle: 'month', extraStores: 0 },
    to: { plan: 'starter', cycle: 'month', extraStores: 0 },
    at: Math.floor(world.now.getTime() / 1_000),
  })
  await stripe.subscriptions.update(payer.subscription, { metadata: { recoup_waits } })
  await post('cancel-subscription', payer, {})
  expect(await readMetadata(payer)).toBeUndefined()
  await post('reactivate-subscription', payer, {})
  world.passTime(DAY)
  await world.request('GET', '/api/payments/subscription', { token: payer.token })
  await world.runJobs()
  expect(await status(payer)).toMatchObject({ plan: 'growth', change: null, cancelAtPeriodEnd: false })
})
