import { beforeEach, expect, it } from 'vitest'
import { registerOwner } from '../../../test/connected-store.ts'
import { choosePlan, createPayer, findSession } from '../../../test/payer.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { createWorld } from '../../../test/world.ts'
import { refreshAccount } from '../payments/refresh.ts'
import { buildSession } from './checkout.ts'

const world = createStripeWorld()
const local = createWorld()
const without = createWorld({ HOST: '0.0.0.0' })

const HOUR = 3_600_000

const check = (token: string, id: string) =>
  world.request('GET', `/api/subscribe/check-session?session_id=${id}`, { token })
const status = async (token: string) => (await world.request('GET', '/api/subscribe/status', { token })).body
const countWrites = () => world.stripe.seen.filter(({ method }) => method === 'POST').length
const listOpenSessions = (customer: unknown) =>
  world.stripe.all('checkout.session').filter((one) => one.customer === customer && one.status === 'open')
const listRows = (accountId: string) =>
  world.db
    .selectFrom('checkout_sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute()

beforeEach(() => {
  world.stripe.intercept = () => undefined
})

/** An owner with this address. */
async function owner(email?: string) {
  const its = await registerOwner(world, null)
  if (email) await world.db.updateTable('users').set({ email }).where('id', '=', its.userId).execute()
  return its
}

it('opens a Stripe page with plan, cycle and extra stores, and returns to /billing', {
  tags: ['A7'],
}, async () => {
  const { token, accountId } = await owner('ann@checkout.test')
  const { status: code, body } = await choosePlan(world, token, {
    planKey: 'Growth',
    cycle: 'year',
    addOns: { extraStores: 2 },
  })
  expect({ code, isFreePlan: body.isFreePlan }).toEqual({ code: 200, isFreePlan: false })
  const session = findSession(world, body.url)
  expect(session).toMatchObject({
    mode: 'subscription',
    client_reference_id: accountId,
    allow_promotion_codes: true,
    payment_method_collection: 'if_required',
    tax_id_collection: { enabled: true },
    automatic_tax: { enabled: false },
    success_url: 'http://localhost:3000/billing?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:3000/pricing?plan=growth&cycle=year&stores=2',
    metadata: { account: accountId, plan: 'growth', cycle: 'year', extra_stores: '2' },
  })
  const lines = await world.deps.stripe!.checkout.sessions.listLineItems(session.id)
  expect(lines.data.map(({ price, quantity }) => [price!.lookup_key, quantity]).toSorted()).toEqual([
    ['recoup_extra_store_year', 2],
    ['recoup_growth_year', 1],
  ])
  expect(world.stripe.all('customer').at(-1)).toMatchObject({
    email: 'ann@checkout.test',
    metadata: { account: accountId },
  })
})

it('starts a trial of 14 days without a card, which ends on the free plan if none is added', () => {
  const choice = { plan: 'starter', cycle: 'month', extraStores: 0 } as const
  const order = { accountId: 'a', customer: 'cus_1', choice, lines: [] }
  const { subscription_data: data, automatic_tax: tax } = buildSession({ ...order, isTrial: true }, world.deps.config)
  expect(data).toMatchObject({
    trial_period_days: 14,
    trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    metadata: { account: 'a' },
  })
  expect(tax).toEqual({ enabled: false })
  const taxed = { ...world.deps.config, stripe: { ...world.deps.config.stripe!, computesTax: true } }
  const without = buildSession({ ...order, isTrial: false }, taxed)
  expect(without.subscription_data).toEqual({ metadata: { account: 'a' } })
  expect(without).toMatchObject({
    automatic_tax: { enabled: true },
    customer_update: { name: 'auto', address: 'auto' },
  })
})

it('verifies the session on return: the plan is on trial, and a second return changes nothing', {
  tags: ['A7'],
}, async () => {
  const { token } = await owner()
  const { body } = await choosePlan(world, token, { planKey: 'starter' })
  const { id } = findSession(world, body.url)
  expect((await check(token, id)).body).toEqual({ success: false, plan: null, status: null })
  world.stripe.buy(id, { name: 'Ann' })
  const first = await check(token, id)
  expect(first).toMatchObject({ status: 200, body: { success: true, plan: 'starter', status: 'trialing' } })
  const before = countWrites()
  const row = await status(token)
  expect(row).toMatchObject({ plan: 'starter', status: 'trialing', source: 'stripe', hasUsedTrial: true })
  expect(await check(token, id)).toMatchObject({ body: first.body })
  expect(await status(token)).toEqual(row)
  expect(countWrites()).toBe(before)
})

it('treats another account’s session as unknown', { tags: ['A7'] }, async () => {
  const [ann, bob] = [await owner(), await owner()]
  const { body } = await choosePlan(world, ann.token, { planKey: 'starter' })
  const { id } = findSession(world, body.url)
  world.stripe.buy(id, {})
  const checkReply = async (token: string, session: string) => {
    const { status: code, body: reply } = await check(token, session)
    return { code, error: reply.error }
  }
  const foreign = await checkReply(bob.token, id)
  expect(foreign).toEqual({ code: 404, error: 'Checkout session not found' })
  expect(await checkReply(bob.token, 'cs_test_none')).toEqual(foreign)
  expect(await status(bob.token)).toMatchObject({ plan: null })
  expect((await check(bob.token, '../v1/customers')).status).toBe(400)
})

it('does not trust our row if Stripe assigns the session to another account', async () => {
  const [ann, bob] = [await owner(), await owner()]
  const { body } = await choosePlan(world, ann.token, { planKey: 'growth' })
  const { id } = findSession(world, body.url)
  world.stripe.buy(id, {})
  const row = { plan: 'growth' as const, cycle: 'month' as const, extra_stores: 0, state: 'open' as const }
  await world.db
    .insertInto('checkout_sessions')
    .values({ ...row, account_id: bob.accountId, stripe_session_id: id, url: body.url, created_at: world.now })
    .execute()
  expect((await check(bob.token, id)).body).toMatchObject({ success: false })
  expect(await status(bob.token)).toMatchObject({ plan: null })
})

it('refuses a second subscription and refers to a change of the first', async () => {
  const payer = await createPayer(world)
  const { status: code, body } = await choosePlan(world, payer.token, { planKey: 'growth' })
  expect({ code, error: body.error }).toEqual({
    code: 409,
    error: 'You have a subscription already. Change its plan instead of buying a second one.',
  })
  expect(world.stripe.all('subscription').filter(({ customer }) => customer === payer.customer)).toHaveLength(1)
})

it('recognizes a subscription before its webhook', async () => {
  const { token } = await owner()
  const { body } = await choosePlan(world, token, { planKey: 'starter' })
  world.stripe.buy(findSession(world, body.url).id, {})
  expect((await choosePlan(world, token, { planKey: 'starter' })).status).toBe(409)
  expect(await status(token)).toMatchObject({ plan: 'starter', status: 'trialing' })
})

it('creates one session and one customer for concurrent requests', async () => {
  const { token, accountId } = await owner()
  const both = await Promise.all([1, 2].map(() => choosePlan(world, token, { planKey: 'starter' })))
  expect(both.map(({ status: code }) => code)).toEqual([200, 200])
  expect(both[0]!.body.url).toBe(both[1]!.body.url)
  expect(await listRows(accountId)).toHaveLength(1)
  const customers = world.stripe.all('customer').filter((one) => !one.deleted && one.metadata.account === accountId)
  expect(customers).toHaveLength(1)
})

it('gives the same page in two tabs for the same choice, and another choice closes it', async () => {
  const { token, accountId } = await owner()
  const first = (await choosePlan(world, token, { planKey: 'starter' })).body.url
  world.passTime(HOUR)
  expect((await choosePlan(world, token, { planKey: 'starter', cycle: 'month' })).body.url).toBe(first)
  const { id } = findSession(world, first)
  const second = (await choosePlan(world, token, { planKey: 'growth' })).body.url
  expect(second).not.toBe(first)
  const session = world.stripe.all('checkout.session').find((one) => one.id === id)!
  expect(session.status).toBe('expired')
  expect(listOpenSessions(session.customer).map(({ url }) => url)).toEqual([second])
  // Back to the first choice: a new page, because the old one is closed.
  const third = (await choosePlan(world, token, { planKey: 'starter' })).body.url
  expect(listOpenSessions(session.customer).map(({ url }) => url)).toEqual([third])
  expect((await listRows(accountId)).map(({ state }) => state)).toEqual(['expired', 'expired', 'open'])
})

it('leaves one page open after different choices in two tabs at the same moment', async () => {
  const { token } = await owner()
  await choosePlan(world, token, { planKey: 'starter', cycle: 'year' })
  const { customer } = world.stripe.all('checkout.session').at(-1)!
  const plans = ['starter', 'growth', 'starter', 'growth']
  await Promise.all(plans.map((planKey) => choosePlan(world, token, { planKey })))
  expect(listOpenSessions(customer)).toHaveLength(1)
})

it('gives a new page after a day, and a new purchase after a cancellation', async () => {
  const { token } = await owner()
  const first = (await choosePlan(world, token, { planKey: 'starter' })).body.url
  world.passTime(25 * HOUR)
  const second = (await choosePlan(world, token, { planKey: 'starter' })).body.url
  expect(second).not.toBe(first)
  const { id } = findSession(world, second)
  world.stripe.buy(id, {})
  await check(token, id)
  const { subscription } = world.stripe.all('checkout.session').find((one) => one.id === id)!
  await world.deps.stripe!.subscriptions.cancel(subscription as string)
  const third = await choosePlan(world, token, { planKey: 'starter' })
  expect(third.status).toBe(200)
  expect(findSession(world, third.body.url).amount_total).toBe(1_900)
  expect((await check(token, id)).body).toMatchObject({ success: true, plan: 'free', status: 'active' })
})

it.each([
  ['the same account', 'first@trial.test', null],
  ['a +tag', 'second@trial.test', 'Second+again@trial.test'],
  ['dots at Gmail', 'th.ird@gmail.com', 't.h.i.r.d@googlemail.com'],
])('gives no second trial by %s', async (_, email, again) => {
  const first = await owner(email)
  const { body } = await choosePlan(world, first.token, { planKey: 'starter' })
  const { id, customer } = findSession(world, body.url)
  expect(findSession(world, body.url).amount_total).toBe(0)
  world.stripe.buy(id, {})
  await check(first.token, id)
  const { subscription } = world.stripe.all('checkout.session').find((one) => one.id === id)!
  await world.deps.stripe!.subscriptions.cancel(subscription as string)
  const next = again ? await owner(again) : first
  const { url } = (await choosePlan(world, next.token, { planKey: 'starter' })).body
  expect(findSession(world, url).amount_total).toBe(1_900)
  expect(findSession(world, url).customer === customer).toBe(!again)
})

it.each([
  [{ planKey: 'enterprise' }, 'The plan "enterprise" is not available yet. Choose free, starter, or growth.'],
  [{ planKey: 'gold' }, 'There is no such plan. Choose free, starter, or growth.'],
  [{ planKey: 'starter', addOns: { extraStores: -1 } }, 'Choose 0 to 20 extra stores.'],
  [{ planKey: 'starter', addOns: { extraStores: 21 } }, 'Choose 0 to 20 extra stores.'],
  [{ planKey: 'starter', addOns: { extraStores: 1.5 } }, 'Choose 0 to 20 extra stores.'],
  [{ planKey: 'starter', price: 'price_1' }, 'The request has an unknown field'],
  [{ planKey: 'starter', account: 'other' }, 'The request has an unknown field'],
  [{ planKey: 'starter', addOns: { credits: 5 } }, 'Add ons has an unknown field'],
  [{ planKey: 'starter', cycle: 'week' }, expect.stringMatching(/month/)],
  [{}, expect.stringMatching(/required/)],
])('refuses %o', async (body, error) => {
  const { token } = await owner()
  const before = countWrites()
  const reply = await choosePlan(world, token, body)
  expect({ code: reply.status, error: reply.body.error }).toEqual({ code: 400, error })
  expect(countWrites()).toBe(before)
})

it('the free plan needs no payment, leads to the setup and changes nothing (decision 122)', async () => {
  const { token } = await owner()
  const before = countWrites()
  expect((await choosePlan(world, token, { planKey: 'free' })).body).toEqual({ isFreePlan: true, url: '/store-setup' })
  expect(countWrites()).toBe(before)
  expect(await status(token)).toMatchObject({ plan: null })
})

it('is not found where nothing is sold, and uses test billing where that is on (decision 3)', async () => {
  const of = async (other: typeof local) => {
    const { token } = await registerOwner(other, null)
    return other.request('POST', '/api/subscribe/create-checkout-session', { token, body: { planKey: 'starter' } })
  }
  expect(await of(without)).toMatchObject({ status: 404, body: { error: 'Not found' } })
  expect((await of(local)).body).toEqual({ isFreePlan: false, url: '/test-subscription' })
})

it('refuses the demo account and members without a request to Stripe', async () => {
  const { token, accountId, userId } = await owner()
  const before = world.stripe.seen.length
  const as = (role: 'member' | 'viewer' | 'owner') =>
    world.db.updateTable('members').set({ role }).where('user_id', '=', userId).execute()
  for (const role of ['member', 'viewer'] as const) {
    await as(role)
    expect((await choosePlan(world, token, { planKey: 'starter' })).status).toBe(403)
  }
  await as('owner')
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', accountId).execute()
  const reply = await choosePlan(world, token, { planKey: 'starter' })
  await world.db.updateTable('accounts').set({ is_demo: false }).where('id', '=', accountId).execute()
  expect(reply).toMatchObject({ status: 403, body: { error: 'The demo’s plan cannot be changed.' } })
  expect(world.stripe.seen.length).toBe(before)
})

it('writes nothing to Stripe in a copy of an installation (D7)', async () => {
  const { token } = await owner()
  const only = { is_only: true, fingerprint: 'copied', is_paused: true, created_at: world.now }
  await world.db
    .insertInto('instance')
    .values(only)
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ is_paused: true }))
    .execute()
  const before = world.stripe.seen.length
  const reply = await choosePlan(world, token, { planKey: 'starter' })
  await world.db.updateTable('instance').set({ is_paused: false }).execute()
  expect(reply.status).toBe(409)
  expect(reply.body.error).toMatch(/^This is a copy of another installation/)
  expect(world.stripe.seen.length).toBe(before)
})

it('reports that Stripe does not respond, and continues when it does', async () => {
  const { token } = await owner()
  world.stripe.intercept = ({ method, path }) =>
    method === 'POST' && path === '/v1/checkout/sessions' ? 'cut' : undefined
  const reply = await choosePlan(world, token, { planKey: 'starter' })
  expect(reply).toMatchObject({ status: 503, body: { error: expect.stringMatching(/^Stripe is not responding/) } })
  world.stripe.intercept = () => undefined
  expect((await choosePlan(world, token, { planKey: 'starter' })).status).toBe(200)
})

it('closes the session of an account deleted meanwhile at once', async () => {
  const { token, accountId } = await owner()
  world.stripe.intercept = async ({ method, path }) => {
    if (method !== 'POST' || path !== '/v1/checkout/sessions') return
    await world.db.updateTable('accounts').set({ deleted_at: world.now }).where('id', '=', accountId).execute()
  }
  expect((await choosePlan(world, token, { planKey: 'starter' })).status).toBe(404)
  const sessions = world.stripe.all('checkout.session').filter((one) => one.client_reference_id === accountId)
  expect(sessions.map(({ status }) => status)).toEqual(['expired'])
})

it('redirects only to Stripe’s own pages', async () => {
  const { token } = await owner()
  for (const url of ['http://evil.test/pay', 'javascript:alert(1)', '', `https://x.test/${'a'.repeat(4_000)}`]) {
    world.stripe.intercept = ({ method, path }) =>
      method === 'POST' && path === '/v1/checkout/sessions'
        ? { status: 200, body: { id: 'cs_test_x', status: 'open', url, client_reference_id: null } }
        : undefined
    expect((await choosePlan(world, token, { planKey: 'starter' })).status).toBe(503)
  }
})

it('creates a customer again that was deleted at Stripe', async () => {
  const { token, accountId } = await owner()
  await choosePlan(world, token, { planKey: 'starter' })
  const readCustomer = async () =>
    (
      await world.db
        .selectFrom('billing_customers')
        .selectAll()
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow()
    ).stripe_customer_id
  const first = await readCustomer()
  await world.deps.stripe!.customers.del(first)
  const { body } = await choosePlan(world, token, { planKey: 'growth' })
  expect(await readCustomer()).not.toBe(first)
  expect(findSession(world, body.url).customer).toBe(await readCustomer())
})

it('ends and charges a trial whose card was used for another account’s trial', async () => {
  const [first, second] = [
    await createPayer(world, {}, { isTrial: true }),
    await createPayer(world, {}, { isTrial: true }),
  ]
  const stripe = world.deps.stripe!
  const addCard = async (payer: typeof first) => {
    const { id } = await stripe.paymentMethods.attach('pm_card_mastercard', { customer: payer.customer })
    await stripe.customers.update(payer.customer, { invoice_settings: { default_payment_method: id } })
    await refreshAccount(world.deps, payer.accountId)
    return status(payer.token)
  }
  expect(await addCard(first)).toMatchObject({ plan: 'starter', status: 'trialing' })
  expect(await addCard(second)).toMatchObject({ plan: 'starter', status: 'active' })
  expect(await addCard(first)).toMatchObject({ status: 'trialing' })
  const paid = world.stripe.all('invoice').filter(({ customer }) => customer === second.customer)
  expect(paid.map(({ amount_paid }) => amount_paid)).toEqual([0, 1_900])
})

it('offers no trial to an address that has had one, so that the preview matches the checkout', {
  tags: ['A7'],
}, async () => {
  const [first, second] = [await owner('told@trial.test'), await owner('told+2@trial.test')]
  const { body } = await choosePlan(world, first.token, { planKey: 'starter' })
  const { id } = findSession(world, body.url)
  world.stripe.buy(id, {})
  expect(await status(second.token)).toMatchObject({ hasUsedTrial: false })
  await check(first.token, id)
  expect(await status(second.token)).toMatchObject({ hasUsedTrial: true })
  const { body: paid } = await choosePlan(world, second.token, { planKey: 'starter' })
  expect(findSession(world, paid.url).amount_total).toBe(1_900)
})

it('ends the later trial of two checkouts of one address opened before either was paid', async () => {
  const [first, second] = [await owner('race@trial.test'), await owner('race+2@trial.test')]
  const urls = [
    await choosePlan(world, first.token, { planKey: 'growth' }),
    await choosePlan(world, second.token, { planKey: 'growth' }),
  ]
  const ids = urls.map(({ body }) => findSession(world, body.url).id)
  for (const id of ids) world.stripe.buy(id, {})
  expect((await check(first.token, ids[0]!)).body).toMatchObject({ plan: 'growth', status: 'trialing' })
  expect((await check(second.token, ids[1]!)).body).toMatchObject({ success: true, plan: 'free', status: 'active' })
})
