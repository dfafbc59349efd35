import { beforeEach, expect, it } from 'vitest'
import { registerOwner } from '../../../test/connected-store.ts'
import { createStore } from '../../../test/factories.ts'
import { createPayer, type Payer } from '../../../test/payer.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { createWorld } from '../../../test/world.ts'

// Decision 85: the previewed amount is charged, and a smaller plan starts at the end of the period.

const world = createStripeWorld()
const without = createWorld({ HOST: '0.0.0.0' })

const DAY = 86_400_000
const OTHER = 'The plan changed in the meantime. Check the amount again.'

beforeEach(() => {
  world.stripe.intercept = () => undefined
})

type Who = { token: string }
const post = (call: string, { token }: Who, body: object = {}) =>
  world.request('POST', `/api/payments/${call}`, { token, body })
const preview = (who: Who, planKey: string, more: object = {}) => post('preview-change', who, { planKey, ...more })
const change = (who: Who, token: string, restingStoreIds: string[] = []) =>
  post('change', who, { token, restingStoreIds })
const status = async ({ token }: Who) => (await world.request('GET', '/api/subscribe/status', { token })).body
const at = ({ subscription }: Payer) => world.stripe.all('subscription').find(({ id }) => id === subscription)!
const listInvoices = ({ customer }: Payer) => world.stripe.all('invoice').filter((one) => one.customer === customer)
const sumPaid = (payer: Payer) => listInvoices(payer).reduce((sum, { amount_paid: paid }) => sum + paid, 0)
const countWrites = () =>
  world.stripe.seen.filter(({ method, path }) => method === 'POST' && path !== '/v1/invoices/create_preview').length
const listIdempotencyKeys = (payer: Payer) =>
  at(payer).items.data.map(({ price, quantity }) => `${price.lookup_key!.replace('recoup_', '')} ${quantity}`)

async function passMonth() {
  world.passTime(32 * DAY)
  await world.db
    .updateTable('sessions')
    .set({ last_seen_at: world.now, expires_at: new Date(world.now.getTime() + DAY) })
    .execute()
}

/** Pays with this card from now on. */
async function giveCard({ customer, subscription }: Payer, card: string) {
  const stripe = world.deps.stripe!
  const { id } = await stripe.paymentMethods.attach(card, { customer })
  await stripe.subscriptions.update(subscription, { default_payment_method: id })
}

it('a larger plan charges the previewed amount and applies at once', async () => {
  const payer = await createPayer(world)
  world.passTime(10 * DAY)
  const { status: code, body: quote } = await preview(payer, 'growth')
  expect({ code, ...quote }).toMatchObject({ code: 200, when: 'now', currency: 'usd', tax: 0, nextAmount: 4_900 })
  expect(quote.dueNow).toBe(quote.charge - quote.credit)
  expect(quote.dueNow).toBeGreaterThan(0)
  expect(quote.nextDate).toBe(new Date(at(payer).items.data[0]!.current_period_end * 1000).toISOString())
  const before = sumPaid(payer)
  expect(listIdempotencyKeys(payer)).toEqual(['starter_month 1'])
  // One second is worth more than a cent: the preview counts, not the moment.
  world.passTime(10 * 60_000)
  expect((await change(payer, quote.token)).body).toEqual({
    state: 'done',
    url: null,
    message: 'You are on the Growth plan.',
  })
  expect(sumPaid(payer) - before).toBe(quote.dueNow)
  expect(listIdempotencyKeys(payer)).toEqual(['growth_month 1'])
  expect(await status(payer)).toMatchObject({ plan: 'growth', status: 'active' })
})

it('a yearly cycle with more stores charges the new period minus credit, and the next bill is in a year', async () => {
  const payer = await createPayer(world)
  world.passTime(5 * DAY)
  const { body: quote } = await preview(payer, 'starter', { cycle: 'year', addOns: { extraStores: 2 } })
  expect(quote).toMatchObject({ when: 'now', charge: 42_000, nextAmount: 42_000, lost: [] })
  expect(Date.parse(quote.nextDate) - world.now.getTime()).toBeGreaterThan(364 * DAY)
  const before = sumPaid(payer)
  await change(payer, quote.token)
  expect(sumPaid(payer) - before).toBe(quote.dueNow)
  expect(listIdempotencyKeys(payer)).toEqual(['starter_year 1', 'extra_store_year 2'])
})

it('extra stores included in a larger plan are removed', async () => {
  const payer = await createPayer(world, { addOns: { extraStores: 1 } })
  const { body: quote } = await preview(payer, 'growth')
  expect(quote.lost).toEqual([])
  expect((await change(payer, quote.token)).body.state).toBe('done')
  expect(listIdempotencyKeys(payer)).toEqual(['growth_month 1', 'extra_store_month 0'])
  const detail = await world.request('GET', '/api/payments/subscription', { token: payer.token })
  expect(detail.body.subscription).toMatchObject({ plan: 'growth', extraStores: 0, amount: 4_900 })
})

it('a declined card changes nothing and is reported', async () => {
  const payer = await createPayer(world)
  await giveCard(payer, 'pm_card_chargeCustomerFail')
  world.passTime(10 * DAY)
  const before = sumPaid(payer)
  const { body: quote } = await preview(payer, 'growth')
  const reply = await change(payer, quote.token)
  expect(reply).toMatchObject({
    status: 422,
    body: { error: 'The card was declined. Use another card, or ask your bank. Your plan has not changed.' },
  })
  expect(listIdempotencyKeys(payer)).toEqual(['starter_month 1'])
  expect(sumPaid(payer)).toBe(before)
  // It cannot be paid by accident later.
  expect(listInvoices(payer).filter((one) => one.status === 'open')).toEqual([])
  expect(await status(payer)).toMatchObject({ plan: 'starter', status: 'active' })
  const tried = await world.request('GET', '/api/payments/payment-history', { token: payer.token })
  expect(tried.body.payments[0]).toMatchObject({
    amount: quote.dueNow,
    status: 'failed',
    failureReason: expect.stringContaining('You owe nothing for it.'),
  })
  await giveCard(payer, 'pm_card_visa')
  expect((await change(payer, quote.token)).body.error).toBe(OTHER)
  const again = (await preview(payer, 'growth')).body
  expect((await change(payer, again.token)).body.state).toBe('done')
  expect(sumPaid(payer) - before).toBe(again.dueNow)
})

it('if the bank requires confirmation, the owner gets the invoice page, and the plan applies with the payment', async () => {
  const payer = await createPayer(world)
  await giveCard(payer, 'pm_card_authenticationRequired')
  world.passTime(10 * DAY)
  const { body: quote } = await preview(payer, 'growth')
  const { body: pendingChange } = await change(payer, quote.token)
  const open = listInvoices(payer).find((one) => one.status === 'open')!
  expect(pendingChange).toEqual({
    state: 'confirm',
    url: open.hosted_invoice_url,
    message: 'Your bank asks you to confirm the payment. The plan changes after that.',
  })
  expect(await status(payer)).toMatchObject({ plan: 'starter', status: 'active' })
  const stripe = world.deps.stripe!
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: payer.customer })
  await stripe.invoices.pay(open.id!, { payment_method: card.id })
  world.passTime(2 * 60_000)
  const detail = await world.request('GET', '/api/payments/subscription', { token: payer.token })
  expect(detail.body.subscription).toMatchObject({ plan: 'growth' })
})

it('without a card no change that costs something is made', async () => {
  const payer = await createPayer(world)
  await world.deps.stripe!.paymentMethods.detach(at(payer).default_payment_method as string)
  const reply = await preview(payer, 'growth')
  expect(reply).toMatchObject({
    status: 422,
    body: { error: 'Add a card first, under Manage Billing. Then change the plan.' },
  })
})

it('in a trial a larger plan costs nothing before the end, with or without a card', async () => {
  const payer = await createPayer(world, {}, { isTrial: true })
  const ends = new Date(at(payer).trial_end! * 1000).toISOString()
  const { body: quote } = await preview(payer, 'growth', { cycle: 'year' })
  expect(quote).toMatchObject({ when: 'now', dueNow: 0, charge: 0, credit: 0, nextAmount: 46_800, nextDate: ends })
  expect(quote.needsCard).toBe(true)
  expect((await change(payer, quote.token)).body.state).toBe('done')
  expect(sumPaid(payer)).toBe(0)
  expect(await status(payer)).toMatchObject({ plan: 'growth', status: 'trialing', trialEndsAt: ends })
})

it('in a trial a smaller plan starts at its end, which stays the same', async () => {
  const payer = await createPayer(world, { planKey: 'growth' }, { isTrial: true })
  await giveCard(payer, 'pm_card_visa')
  const { trial_end: ends } = at(payer)
  const { body: quote } = await preview(payer, 'starter')
  expect(quote).toMatchObject({
    when: 'period_end',
    at: new Date(ends! * 1000).toISOString(),
    dueNow: 0,
    needsCard: false,
  })
  expect((await change(payer, quote.token)).body.state).toBe('scheduled')
  expect(at(payer)).toMatchObject({ status: 'trialing', trial_end: ends })
  expect(sumPaid(payer)).toBe(0)
  await passMonth()
  expect(listIdempotencyKeys(payer)).toEqual(['starter_month 1'])
  expect(sumPaid(payer)).toBe(1_900)
})

it('a smaller plan starts and is charged at the end of the period, and not before', async () => {
  const payer = await createPayer(world, { planKey: 'growth' })
  world.passTime(3 * DAY)
  const end = new Date(at(payer).items.data[0]!.current_period_end * 1000).toISOString()
  const { body: quote } = await preview(payer, 'starter')
  expect(quote).toMatchObject({ when: 'period_end', at: end, dueNow: 0, nextAmount: 1_900, nextDate: end })
  expect(quote.lost).toContain('More than 2 stores.')
  const before = sumPaid(payer)
  expect((await change(payer, quote.token)).body).toEqual({
    state: 'scheduled',
    url: null,
    message: 'Your plan changes to Starter after the current billing period.',
  })
  expect(await status(payer)).toMatchObject({
    plan: 'growth',
    change: { plan: 'starter', cycle: 'month', at: end },
  })
  expect(sumPaid(payer)).toBe(before)
  await passMonth()
  const detail = await world.request('GET', '/api/payments/subscription', { token: payer.token })
  expect(detail.body.subscription).toMatchObject({ plan: 'starter', amount: 1_900 })
  expect(sumPaid(payer) - before).toBe(1_900)
})

it('a second smaller plan replaces the first, and a larger one removes both', async () => {
  const payer = await createPayer(world, { planKey: 'growth', addOns: { extraStores: 2 } })
  const go = async (planKey: string, more: object = {}) =>
    change(payer, (await preview(payer, planKey, more)).body.token)
  await go('starter')
  await go('growth', { addOns: { extraStores: 1 } })
  expect((await status(payer)).change).toMatchObject({ plan: 'growth' })
  const schedules = world.stripe.all('subscription_schedule').filter((one) => one.customer === payer.customer)
  expect(schedules.map((one) => [one.status, one.phases.length])).toEqual([['active', 2]])
  expect((await go('growth', { addOns: { extraStores: 4 } })).body.state).toBe('done')
  expect((await status(payer)).change).toBeNull()
  expect(at(payer).schedule).toBeNull()
  await passMonth()
  expect(listIdempotencyKeys(payer)).toEqual(['growth_month 1', 'extra_store_month 4'])
})

it('a scheduled plan stays if the larger plan is not paid', async () => {
  const payer = await createPayer(world, { planKey: 'growth', addOns: { extraStores: 1 } })
  await change(payer, (await preview(payer, 'starter')).body.token)
  const before = (await status(payer)).change
  await giveCard(payer, 'pm_card_chargeCustomerFail')
  world.passTime(DAY)
  const { body: quote } = await preview(payer, 'growth', { addOns: { extraStores: 3 } })
  expect((await change(payer, quote.token)).status).toBe(422)
  expect(listIdempotencyKeys(payer)).toEqual(['growth_month 1', 'extra_store_month 1'])
  const waiting = world.stripe.all('subscription_schedule').find(({ id }) => id === at(payer).schedule)
  expect(waiting).toMatchObject({ status: 'active', phases: [{}, {}] })
  expect((await status(payer)).change).toEqual(before)
})

it('a smaller plan requires enough resting stores of this account', async () => {
  const payer = await createPayer(world, { planKey: 'growth' })
  const [first, second, third] = [
    await createStore(world, { accountId: payer.accountId }),
    await createStore(world, { accountId: payer.accountId }),
    await createStore(world, { accountId: payer.accountId }),
  ]
  const foreign = await createStore(world)
  const { body: quote } = await preview(payer, 'starter')
  expect(quote).toMatchObject({ storesTooMany: 1 })
  expect(quote.stores.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    [first, second, third].map(({ storeId }) => storeId).toSorted(),
  )
  const before = countWrites()
  expect(await change(payer, quote.token)).toMatchObject({
    status: 422,
    body: { error: 'Choose 1 store to make inactive.' },
  })
  expect((await change(payer, quote.token, [foreign.storeId])).status).toBe(404)
  expect(countWrites()).toBe(before)
  expect((await change(payer, quote.token, [first.storeId])).body.state).toBe('scheduled')
  const rests = async () =>
    (await world.request('GET', '/api/subscribe/resting-stores', { token: payer.token })).body.stores.filter(
      ({ isResting }: { isResting: boolean }) => isResting,
    )
  expect(await rests()).toEqual([])
  await passMonth()
  await world.request('GET', '/api/payments/subscription', { token: payer.token })
  expect((await rests()).map(({ id }: { id: string }) => id)).toEqual([first.storeId])
})

it('another account’s, a forged and an expired token are refused and change nothing', async () => {
  const [ann, bob] = [await createPayer(world), await createPayer(world)]
  const { body: quote } = await preview(ann, 'growth')
  const before = countWrites()
  const UNKNOWN_PREVIEW = 'This change was not shown before. Check the amount again.'
  expect(await change(bob, quote.token)).toMatchObject({ status: 400, body: { error: UNKNOWN_PREVIEW } })
  const [body, mac] = quote.token.split('.')
  const read = JSON.parse(Buffer.from(body, 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ ...read, dueNow: 1 })).toString('base64url')
  for (const token of [`${forged}.${mac}`, `${body}.`, body, '', 'a.b', `${quote.token}.c`]) {
    expect(await change(ann, token)).toMatchObject({ status: 400, body: { error: UNKNOWN_PREVIEW } })
  }
  world.passTime(16 * 60_000)
  expect(await change(ann, quote.token)).toMatchObject({
    status: 409,
    body: { error: 'The amount shown is out of date. Check it again.' },
  })
  expect(countWrites()).toBe(before)
})

it('a subscription changed meanwhile requires a new preview', async () => {
  const payer = await createPayer(world)
  const { body: quote } = await preview(payer, 'growth')
  await post('cancel-subscription', payer)
  await post('reactivate-subscription', payer)
  expect((await change(payer, quote.token)).body.state).toBe('done')
  const other = await createPayer(world)
  const { body: later } = await preview(other, 'growth')
  await world.deps.stripe!.subscriptions.update(other.subscription, {
    items: [{ id: at(other).items.data[0]!.id, quantity: 2 }],
  })
  expect(await change(other, later.token)).toMatchObject({ status: 409, body: { error: OTHER } })
})

it('a repeated or concurrent request changes and pays once', async () => {
  const payer = await createPayer(world)
  world.passTime(3 * DAY)
  const before = sumPaid(payer)
  const { body: quote } = await preview(payer, 'growth')
  const both = await Promise.all([change(payer, quote.token), change(payer, quote.token)])
  expect(both.some(({ body }) => body.state === 'done')).toBe(true)
  expect(await change(payer, quote.token)).toMatchObject({ status: 409, body: { error: OTHER } })
  expect(sumPaid(payer) - before).toBe(quote.dueNow)
})

it('of two concurrent changes one is made and charged as previewed', async () => {
  const payer = await createPayer(world)
  world.passTime(3 * DAY)
  const before = sumPaid(payer)
  const quote = [await preview(payer, 'growth'), await preview(payer, 'starter', { addOns: { extraStores: 5 } })]
  const replies = await Promise.all(quote.map(({ body }) => change(payer, body.token)))
  expect(replies.map(({ status: code }) => code).toSorted()).toEqual([200, 409])
  const won = replies.findIndex(({ status: code }) => code === 200)
  expect(sumPaid(payer) - before).toBe(quote[won]!.body.dueNow)
})

it('of two concurrent smaller plans one is scheduled, and nothing else remains', async () => {
  const payer = await createPayer(world, { planKey: 'growth', addOns: { extraStores: 2 } })
  const quote = [await preview(payer, 'starter'), await preview(payer, 'growth')]
  const replies = await Promise.all(quote.map(({ body }) => change(payer, body.token)))
  expect(replies.filter(({ status: code }) => code === 200).length).toBeGreaterThan(0)
  expect(replies.every(({ status: code }) => code === 200 || code === 409)).toBe(true)
  const schedules = world.stripe.all('subscription_schedule').filter((one) => one.customer === payer.customer)
  expect(schedules.map((one) => [one.status, one.phases.length])).toEqual([['active', 2]])
})

it('an outdated amount is not charged', async () => {
  const payer = await createPayer(world)
  const { body: quote } = await preview(payer, 'growth')
  const before = countWrites()
  const other = { amount_due: quote.dueNow + 1, total: 1, currency: 'usd', lines: { data: [] }, total_taxes: null }
  world.stripe.intercept = ({ path }) =>
    path === '/v1/invoices/create_preview' ? { status: 200, body: { ...other, parent: null } } : undefined
  expect(await change(payer, quote.token)).toMatchObject({ status: 409, body: { error: OTHER } })
  expect(countWrites()).toBe(before)
})

it('a price created by another user at Stripe cannot be changed here', async () => {
  const payer = await createPayer(world)
  const stripe = world.deps.stripe!
  const special = await stripe.prices.create({
    product: 'recoup_starter',
    currency: 'usd',
    unit_amount: 900,
    recurring: { interval: 'month' },
  })
  const [item] = at(payer).items.data
  await stripe.subscriptions.update(payer.subscription, { items: [{ id: item!.id, price: special.id }] })
  expect(await preview(payer, 'growth')).toMatchObject({
    status: 409,
    body: { error: 'This subscription has a price that is not sold here. Please contact support.' },
  })
})

it('an impossible change is refused with the reason', async () => {
  const payer = await createPayer(world)
  const check = async (planKey: string, more: object = {}) => {
    const { status: code, body } = await preview(payer, planKey, more)
    return [code, body.error]
  }
  expect(await check('starter')).toEqual([422, 'This is your current plan.'])
  expect(await check('free')).toEqual([400, 'Cancel the subscription instead: Lite begins when it ends.'])
  expect(await check('gold')).toEqual([400, 'There is no such plan. Choose free, starter, or growth.'])
  expect(await check('growth', { price: 'price_1' })).toEqual([400, 'The request has an unknown field'])
  expect(await check('growth', { addOns: { extraStores: -1 } })).toEqual([400, 'Choose 0 to 20 extra stores.'])
  await post('cancel-subscription', payer)
  expect(await check('growth')).toEqual([
    409,
    'The subscription ends after the billing period. Reactivate it first, then change the plan.',
  ])
  await post('reactivate-subscription', payer)
  await giveCard(payer, 'pm_card_chargeCustomerFail')
  await passMonth()
  expect(await check('growth')).toEqual([409, 'A payment is overdue. Pay it first, then change the plan.'])
})

it('is not found without a subscription, or where nothing is sold', async () => {
  const owner = await registerOwner(world)
  expect(await preview(owner, 'growth')).toMatchObject({ status: 404, body: { error: 'No subscription found' } })
  const other = await registerOwner(without, null)
  for (const call of ['preview-change', 'change']) {
    const body = call === 'change' ? { token: 'a.b' } : { planKey: 'growth' }
    const reply = await without.request('POST', `/api/payments/${call}`, { token: other.token, body })
    expect(reply).toMatchObject({ status: 404, body: { error: 'Not found' } })
  }
})
