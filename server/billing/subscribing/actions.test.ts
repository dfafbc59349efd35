import { beforeEach, expect, it } from 'vitest'
import { registerOwner } from '../../../test/connected-store.ts'
import { createPayer, type Payer } from '../../../test/payer.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { createWorld } from '../../../test/world.ts'

// Portal, cancellation and reactivation of a subscription (A 4.3, A 7, decisions 85 and 122).

const world = createStripeWorld()
const without = createWorld({ HOST: '0.0.0.0' })

const DAY = 86_400_000
const PORTAL = 'create-portal-session'
const CANCEL = 'cancel-subscription'
const REACTIVATE = 'reactivate-subscription'

beforeEach(() => {
  world.stripe.intercept = () => undefined
})

type Who = { token: string }
const post = (call: string, { token }: Who) => world.request('POST', `/api/payments/${call}`, { token })
const chooseFreePlan = ({ token }: Who) => world.request('POST', '/api/subscribe/create-free-subscription', { token })
const status = async ({ token }: Who) => (await world.request('GET', '/api/subscribe/status', { token })).body
const at = ({ subscription }: Payer) => world.stripe.all('subscription').find(({ id }) => id === subscription)!

async function passMonth() {
  world.passTime(32 * DAY)
  await world.db
    .updateTable('sessions')
    .set({ last_seen_at: world.now, expires_at: new Date(world.now.getTime() + DAY) })
    .execute()
}

async function downgrade(payer: Payer) {
  const { token } = payer
  const { body } = await world.request('POST', '/api/payments/preview-change', { token, body: { planKey: 'starter' } })
  await world.request('POST', '/api/payments/change', { token, body: { token: body.token } })
}

it('opens the account’s portal with its allowed actions and returns to /billing', {
  tags: ['A7'],
}, async () => {
  const payer = await createPayer(world)
  const { status: code, body } = await post(PORTAL, payer)
  const session = world.stripe.all('billing_portal.session').at(-1)!
  expect({ code, url: body.url }).toEqual({ code: 200, url: session.url })
  expect(session).toMatchObject({ customer: payer.customer, return_url: 'http://localhost:3000/billing' })
})

it('creates a removed portal configuration again', async () => {
  const payer = await createPayer(world)
  const stripe = world.deps.stripe!
  for (const { id } of world.stripe.all('billing_portal.configuration')) {
    await stripe.billingPortal.configurations.update(id, { active: false })
  }
  expect((await post(PORTAL, payer)).status).toBe(200)
  expect((await post(PORTAL, payer)).status).toBe(200)
  const active = world.stripe.all('billing_portal.configuration').filter((one) => one.active)
  expect(active).toMatchObject([{ features: { subscription_cancel: { enabled: false } } }])
})

it('does not open a page that is not Stripe’s', async () => {
  const payer = await createPayer(world)
  const { url } = (await post(PORTAL, payer)).body
  expect(new URL(url).origin).toBe(world.stripe.url)
  world.stripe.intercept = ({ path }) =>
    path === '/v1/billing_portal/sessions'
      ? { status: 200, body: { object: 'billing_portal.session', url: 'javascript:alert(1)' } }
      : undefined
  expect((await post(PORTAL, payer)).status).toBe(503)
})

it('cancels at the end of the period, after which the free plan applies', { tags: ['A7'] }, async () => {
  const payer = await createPayer(world)
  const { status: code, body } = await post(CANCEL, payer)
  expect({ code, ...body }).toEqual({
    code: 200,
    success: true,
    message: 'Your Starter plan ends after the billing period. Then you are on the Lite plan.',
  })
  expect(at(payer)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  expect(await status(payer)).toMatchObject({ plan: 'starter', status: 'active', cancelAtPeriodEnd: true })
  expect((await post(CANCEL, payer)).status).toBe(200)
  await passMonth()
  await world.request('GET', '/api/payments/subscription', { token: payer.token })
  expect(await status(payer)).toMatchObject({ plan: 'free', status: 'active', cancelAtPeriodEnd: false })
  expect((await post(CANCEL, payer)).body.error).toBe('No subscription found')
})

it('withdraws a cancellation', { tags: ['A7'] }, async () => {
  const payer = await createPayer(world)
  await post(CANCEL, payer)
  expect((await post(REACTIVATE, payer)).body).toEqual({ success: true, message: 'Your Starter plan continues.' })
  expect(at(payer).cancel_at_period_end).toBe(false)
  expect(await status(payer)).toMatchObject({ plan: 'starter', cancelAtPeriodEnd: false })
  expect((await post(REACTIVATE, payer)).status).toBe(200)
  await passMonth()
  expect(at(payer).status).toBe('active')
})

it('withdraws an end set by an operator for another day at Stripe', async () => {
  const payer = await createPayer(world)
  const stripe = world.deps.stripe!
  const day = Math.floor(world.now.getTime() / 1000) + 10 * 86_400
  await stripe.subscriptions.update(payer.subscription, { cancel_at: day })
  await post(REACTIVATE, payer)
  expect(at(payer).cancel_at).toBeNull()
})

it('withdraws a scheduled smaller plan, which does not block a cancellation', {
  tags: ['A7'],
}, async () => {
  const payer = await createPayer(world, { planKey: 'growth' })
  await downgrade(payer)
  expect((await status(payer)).change).toMatchObject({ plan: 'starter' })
  await post(REACTIVATE, payer)
  expect((await status(payer)).change).toBeNull()
  await downgrade(payer)
  expect((await post(CANCEL, payer)).status).toBe(200)
  expect(at(payer)).toMatchObject({ schedule: null, cancel_at_period_end: true })
  expect(await status(payer)).toMatchObject({ plan: 'growth', change: null, cancelAtPeriodEnd: true })
})

it('a canceled trial lasts until its end without a charge', async () => {
  const payer = await createPayer(world, {}, { isTrial: true })
  await post(CANCEL, payer)
  expect(await status(payer)).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true })
  await passMonth()
  expect(at(payer).status).toBe('canceled')
  expect(world.stripe.all('invoice').filter((one) => one.customer === payer.customer && one.amount_paid > 0)).toEqual(
    [],
  )
})

it('“Start with Lite” cancels a paid plan at the end of its period, never at once (decision 122)', {
  tags: ['A7'],
}, async () => {
  const payer = await createPayer(world)
  const { body } = await chooseFreePlan(payer)
  expect(body).toEqual({
    success: true,
    message: 'Your Starter plan ends after the billing period. Then you are on the Lite plan.',
    url: '/store-setup',
  })
  expect(at(payer)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  expect(await status(payer)).toMatchObject({ plan: 'starter', cancelAtPeriodEnd: true })
})

it('the free plan applies at once for a new account and after an ended subscription', async () => {
  const owner = await registerOwner(world, null)
  expect((await chooseFreePlan(owner)).body).toEqual({
    success: true,
    message: 'You are on the Lite plan.',
    url: '/store-setup',
  })
  expect(await status(owner)).toMatchObject({ plan: 'free', source: 'free' })
  const payer = await createPayer(world)
  await world.deps.stripe!.subscriptions.cancel(payer.subscription)
  expect((await chooseFreePlan(payer)).body.message).toBe('You are on the Lite plan.')
})

it('a plan paid while the free one is chosen wins', { tags: ['A7'] }, async () => {
  const payer = await createPayer(world)
  let answers = 0
  world.stripe.intercept = ({ path }) =>
    path === '/v1/subscriptions' && answers++ === 0
      ? { status: 200, body: { object: 'list', data: [], has_more: false, url: path } }
      : undefined
  expect((await chooseFreePlan(payer)).status).toBe(200)
  expect(await status(payer)).toMatchObject({ plan: 'starter', source: 'stripe' })
})

it('without a subscription there is none to cancel or manage', { tags: ['A8'] }, async () => {
  const owner = await registerOwner(world)
  for (const call of [PORTAL, CANCEL, REACTIVATE]) {
    expect(await post(call, owner)).toMatchObject({ status: 404, body: { error: 'No subscription found' } })
  }
  const payer = await createPayer(world)
  await world.deps.stripe!.customers.del(payer.customer)
  for (const call of [PORTAL, CANCEL, REACTIVATE]) {
    expect(await post(call, payer)).toMatchObject({ status: 404, body: { error: 'No subscription found' } })
  }
})

const ACTIONS = [
  `payments/${PORTAL}`,
  `payments/${CANCEL}`,
  `payments/${REACTIVATE}`,
  'payments/preview-change',
  'payments/change',
  'subscribe/create-free-subscription',
]
const buildBody = (call: string) =>
  call.endsWith('preview-change') ? { planKey: 'growth' } : call.endsWith('/change') ? { token: 'a.b' } : {}
const postAction = (call: string, { token }: Who) =>
  world.request('POST', `/api/${call}`, { token, body: buildBody(call) })

it('members, viewers, the demo and a copy of an installation change nothing at Stripe', async () => {
  const payer = await createPayer(world)
  const before = world.stripe.seen.filter(({ method }) => method !== 'GET').length
  const as = (role: 'member' | 'viewer' | 'owner') =>
    world.db.updateTable('members').set({ role }).where('user_id', '=', payer.userId).execute()
  for (const role of ['member', 'viewer'] as const) {
    await as(role)
    for (const call of ACTIONS) expect((await postAction(call, payer)).status, `${role} ${call}`).toBe(403)
  }
  await as('owner')
  const demo = (is_demo: boolean) =>
    world.db.updateTable('accounts').set({ is_demo }).where('id', '=', payer.accountId).execute()
  await demo(true)
  for (const call of ACTIONS) {
    expect(await postAction(call, payer)).toMatchObject({
      status: 403,
      body: { error: 'The demo’s plan cannot be changed.' },
    })
  }
  await demo(false)
  const only = { is_only: true, fingerprint: 'copied', is_paused: true, created_at: world.now }
  await world.db
    .insertInto('instance')
    .values(only)
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ is_paused: true }))
    .execute()
  for (const call of ACTIONS) {
    const { status: code, body } = await postAction(call, payer)
    expect({ code, error: body.error }).toEqual({
      code: 409,
      error: expect.stringMatching(/^This is a copy of another installation/),
    })
  }
  await world.db.updateTable('instance').set({ is_paused: false }).execute()
  expect(world.stripe.seen.filter(({ method }) => method !== 'GET').length).toBe(before)
})

it('is not found where nothing is sold', async () => {
  const { token } = await registerOwner(without, null)
  for (const call of [PORTAL, CANCEL, REACTIVATE]) {
    const reply = await without.request('POST', `/api/payments/${call}`, { token })
    expect(reply).toMatchObject({ status: 404, body: { error: 'Not found' } })
  }
})

it('limits an account’s requests to Stripe', async () => {
  const payer = await createPayer(world)
  const codes: number[] = []
  for (let n = 0; n < 60; n++) codes.push((await post(PORTAL, payer)).status)
  expect(codes.at(0)).toBe(200)
  expect(codes.at(-1)).toBe(429)
  expect((await post(PORTAL, await createPayer(world))).status).toBe(200)
})

it('limits checks of a checkout too, without using up the owner’s limit', async () => {
  const payer = await createPayer(world)
  const checkSession = () =>
    world.request('GET', '/api/subscribe/check-session?session_id=cs_test_none', { token: payer.token })
  const codes: number[] = []
  for (let n = 0; n < 60; n++) codes.push((await checkSession()).status)
  expect([codes.at(0), codes.at(-1)]).toEqual([404, 429])
  expect((await post(PORTAL, payer)).status).toBe(200)
  for (let n = 0; n < 60; n++) codes.push((await chooseFreePlan(payer)).status)
  expect(codes.at(-1)).toBe(429)
})

it('a completed action succeeds even if the copy fails, which is retried', async () => {
  const payer = await createPayer(world)
  world.stripe.intercept = ({ method, path }) =>
    method === 'GET' && path.startsWith('/v1/invoices') ? 'cut' : undefined
  expect((await post(CANCEL, payer)).status).toBe(200)
  world.stripe.intercept = () => undefined
  expect(at(payer).cancel_at_period_end).toBe(true)
  expect(await status(payer)).toMatchObject({ cancelAtPeriodEnd: false })
  await world.runJobs()
  expect(await status(payer)).toMatchObject({ cancelAtPeriodEnd: true })
})
