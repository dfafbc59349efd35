import { beforeEach, describe, expect, it } from 'vitest'
import { createColleague } from '../../../test/factories.ts'
import { createPayer, findSession, VISA } from '../../../test/payer.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { payWithCredits } from '../credits/credits.ts'
import { refreshAccount } from '../payments/refresh.ts'

// Credits are bought in Stripe's checkout, and the ledger follows Stripe's payments in any order of events (decision
// 85).

const world = createStripeWorld()
const DOLLAR = 1_000_000

beforeEach(() => {
  world.textCredits = { perMille: 1_500 }
  world.stripe.intercept = () => undefined
})

type Payer = Awaited<ReturnType<typeof createPayer>>
const buy = (token: string, pack: unknown) => world.request('POST', '/api/subscribe/credits', { token, body: { pack } })
const view = async ({ token }: { token: string }) =>
  (await world.request('GET', '/api/subscribe/credits', { token })).body
const balance = async (payer: { token: string }) => (await view(payer)).balanceMicros / DOLLAR
const entries = async ({ token }: { token: string }) =>
  (await world.request('GET', '/api/subscribe/credit-entries', { token })).body.entries
const listMoves = async (payer: { token: string }) =>
  (await entries(payer)).map(({ kind, micros, owedMicros }: never) => [kind, micros / DOLLAR, owedMicros / DOLLAR])
const check = (token: string, id: string) =>
  world.request('GET', `/api/subscribe/check-credits?session_id=${id}`, { token })

async function openSession(payer: Payer, pack = 25): Promise<string> {
  const { body } = await buy(payer.token, pack)
  return findSession(world, body.url).id
}

/** Paid and copied; returns the payment's id. */
async function buyPack(payer: Payer, pack = 25): Promise<string> {
  const id = await openSession(payer, pack)
  world.stripe.buy(id, { name: 'Ada', card: VISA })
  await refreshAccount(world.deps, payer.accountId)
  return findPayment(id)
}
const findPayment = (id: string) =>
  String(world.stripe.all('checkout.session').find((session) => session.id === id)!.payment_intent)
const findCharge = (payment: string) =>
  world.stripe.all('charge').find((charge) => charge.payment_intent === payment)!.id
const problems = (accountId: string) =>
  world.db
    .selectFrom('operator_problems')
    .select(['kind', 'detail'])
    .where('account_id', '=', accountId)
    .where('resolved_at', 'is', null)
    .execute()
async function use(payer: Payer, micros: number) {
  await world.db
    .transaction()
    .execute((tx) =>
      payWithCredits(
        { storeId: crypto.randomUUID(), db: tx } as never,
        payer.accountId,
        [{ messageId: crypto.randomUUID(), micros }],
        world.now,
      ),
    )
}

describe('a pack', () => {
  it('is paid at Stripe at face value and added with its payment', async () => {
    const payer = await createPayer(world)
    const id = await openSession(payer)
    expect(world.stripe.all('checkout.session').at(-1)).toMatchObject({
      mode: 'payment',
      amount_total: 2_500,
      client_reference_id: payer.accountId,
      customer: payer.customer,
      success_url: 'http://localhost:3000/billing?credits={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:3000/billing',
      metadata: { account: payer.accountId, recoup_credits: '25' },
      invoice_creation: { enabled: true },
    })
    expect((await check(payer.token, id)).body).toEqual({ isPaid: false, balanceMicros: 0 })
    world.stripe.buy(id, { name: 'Ada', card: VISA })
    expect((await check(payer.token, id)).body).toEqual({ isPaid: true, balanceMicros: 25 * DOLLAR })
    expect((await check(payer.token, id)).body).toEqual({ isPaid: true, balanceMicros: 25 * DOLLAR })
    expect(await listMoves(payer)).toEqual([['purchase', 25, 0]])
  })

  it('appears in the payment history with its invoice and does not change plan or subscription', async () => {
    const payer = await createPayer(world)
    const before = (await world.request('GET', '/api/subscribe/status', { token: payer.token })).body
    await buyPack(payer, 100)
    const history = await world.request('GET', '/api/payments/payment-history', { token: payer.token })
    const its = history.body.payments.find(({ amount }: { amount: number }) => amount === 10_000)
    expect(its).toMatchObject({
      description: 'SMS credits, $100',
      amount: 10_000,
      status: 'succeeded',
    })
    expect(its.invoiceUrl).toContain('/i/')
    expect((await world.request('GET', '/api/subscribe/status', { token: payer.token })).body).toEqual(before)
  })

  it('arrives by webhooks alone, duplicated and shuffled', async () => {
    const payer = await createPayer(world)
    await world.stripe.webhooks.deliverAll(async () => 200)
    for (let n = 0; n < 3; n++) world.stripe.buy(await openSession(payer, 10), { name: 'Ada', card: VISA })
    world.stripe.webhooks.double(() => true)
    world.stripe.webhooks.shuffle(() => 0.3)
    await world.stripe.webhooks.deliverAll(async (payload, signature) => {
      const headers = { 'stripe-signature': signature, 'content-type': 'application/json' }
      return (await world.app.inject({ method: 'POST', url: '/api/webhooks/stripe', headers, payload })).statusCode
    })
    await world.runJobs()
    expect(await balance(payer)).toBe(30)
    expect(await entries(payer)).toHaveLength(3)
  })

  it('counts once however many snapshots see it at the same time', async () => {
    const payer = await createPayer(world)
    world.stripe.buy(await openSession(payer), { name: 'Ada', card: VISA })
    await Promise.all(Array.from({ length: 8 }, () => refreshAccount(world.deps, payer.accountId)))
    expect(await listMoves(payer)).toEqual([['purchase', 25, 0]])
  })

  it('that the card does not pay is not added', async () => {
    const payer = await createPayer(world)
    const id = await openSession(payer)
    expect(() => world.stripe.buy(id, { name: 'Ada', card: '4000000000000002' })).toThrow()
    await refreshAccount(world.deps, payer.accountId)
    expect(await balance(payer)).toBe(0)
  })

  it('with another amount than stated, or of another account, is ignored', async () => {
    const payer = await createPayer(world)
    const stripe = world.deps.stripe!
    const sell = async (unit_amount: number, metadata: Record<string, string>) => {
      const line = { price_data: { currency: 'usd', unit_amount, product_data: { name: 'x' } }, quantity: 1 }
      const session = await stripe.checkout.sessions.create({
        mode: 'payment',
        customer: payer.customer,
        line_items: [line],
        ...{ success_url: 'https://x.example', payment_intent_data: { metadata } },
      } as never)
      world.stripe.buy(session.id, { card: VISA })
    }
    await sell(100, { account: payer.accountId, recoup_credits: '100' })
    await sell(10_000, { account: crypto.randomUUID(), recoup_credits: '100' })
    await sell(10_000, { account: payer.accountId, recoup_credits: '1000000' })
    await refreshAccount(world.deps, payer.accountId)
    expect(await entries(payer)).toEqual([])
  })
})

describe('the request', () => {
  it('for another account, a plan’s session, an unknown session or an unsold pack is refused with a sentence', async () => {
    const [payer, otherPayer] = [await createPayer(world), await createPayer(world)]
    const id = await openSession(payer)
    world.stripe.buy(id, { name: 'Ada', card: VISA })
    const plans = world.stripe.all('checkout.session').find((one) => one.subscription === otherPayer.subscription)!.id
    const none = await check(otherPayer.token, 'cs_test_none')
    expect(none).toMatchObject({ status: 404, body: { error: 'Checkout session not found' } })
    expect((await check(otherPayer.token, id)).body.error).toBe(none.body.error)
    expect((await check(otherPayer.token, plans)).body.error).toBe(none.body.error)
    expect(await entries(otherPayer)).toEqual([])
    for (const pack of [0, -10, 11, 10.5, '25', 1e9, null]) expect((await buy(payer.token, pack)).status).toBe(400)
  })

  it('of a member without billing rights is refused, and shows the balance without the ledger', async () => {
    const payer = await createPayer(world)
    await buyPack(payer)
    const { token } = await createColleague(world, { ...payer, storeId: null } as never, 'viewer')
    expect((await buy(token, 25)).status).toBe(403)
    expect(await balance({ token })).toBe(25)
    expect((await world.request('GET', '/api/subscribe/credit-entries', { token })).status).toBe(403)
  })

  it('with an own provider, none, or a plan without SMS explains why nothing can be bought', async () => {
    const payer = await createPayer(world)
    world.textCredits = null
    expect(await view(payer)).toMatchObject({ carrier: 'own', offer: null })
    expect(await buy(payer.token, 25)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('own provider') },
    })
    world.textChannels.sms = false
    expect(await view(payer)).toMatchObject({ carrier: 'none', offer: null })
    expect((await buy(payer.token, 25)).status).toBe(404)
    world.textChannels.sms = true
    world.textCredits = { perMille: 1_500 }
    expect(await view(payer)).toMatchObject({ carrier: 'operator', offer: 'stripe', isUsable: true })
    await world.db
      .updateTable('subscriptions')
      .set({ plan: 'free' })
      .where('account_id', '=', payer.accountId)
      .execute()
    expect(await view(payer)).toMatchObject({ isUsable: false })
    expect(await buy(payer.token, 25)).toMatchObject({ status: 403, body: { code: 'plan_required' } })
  })
})

describe('a refunded payment', () => {
  it('takes back its credits, in parts and in full', async () => {
    const payer = await createPayer(world)
    const payment = await buyPack(payer)
    const refund = (amount?: number) =>
      world.deps.stripe!.refunds.create({ payment_intent: payment, ...(amount && { amount }) })
    await refund(500)
    for (let n = 0; n < 2; n++) await refreshAccount(world.deps, payer.accountId)
    expect(await balance(payer)).toBe(20)
    await refund()
    await refreshAccount(world.deps, payer.accountId)
    expect(await balance(payer)).toBe(0)
    expect(await listMoves(payer)).toEqual([
      ['refund', -20, 0],
      ['refund', -5, 0],
      ['purchase', 25, 0],
    ])
    expect(await problems(payer.accountId)).toEqual([])
  })

  it('of used credits takes the rest, is reported to the operator, and takes nothing of later packs', async () => {
    const payer = await createPayer(world)
    const payment = await buyPack(payer)
    await use(payer, 18 * DOLLAR)
    await world.deps.stripe!.refunds.create({ payment_intent: payment })
    await refreshAccount(world.deps, payer.accountId)
    expect(await balance(payer)).toBe(0)
    expect((await listMoves(payer))[0]).toEqual(['refund', -7, 18])
    expect(await problems(payer.accountId)).toEqual([
      { kind: 'credits_used', detail: expect.stringContaining('$18.00') },
    ])
    await buyPack(payer, 10)
    expect(await balance(payer)).toBe(10)
  })

  it('by a chargeback takes them too, and a won dispute returns them', async () => {
    const payer = await createPayer(world)
    const payment = await buyPack(payer)
    await use(payer, 5 * DOLLAR)
    const { id } = world.stripe.openDispute(findCharge(payment))
    await refreshAccount(world.deps, payer.accountId)
    expect(await balance(payer)).toBe(0)
    // The subscription was not disputed.
    expect((await world.request('GET', '/api/subscribe/status', { token: payer.token })).body.plan).toBe('starter')
    world.stripe.closeDispute(id, 'won')
    await refreshAccount(world.deps, payer.accountId)
    expect(await balance(payer)).toBe(20)
    expect((await listMoves(payer))[0]).toEqual(['refund', 20, -5])
    expect(await problems(payer.accountId)).toEqual([])
  })
})
