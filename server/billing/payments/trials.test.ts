import { expect, it } from 'vitest'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { endTrial } from './refresh.ts'

const world = createStripeWorld()

it('ending a trial charges the card or ends the subscription without one, and releases a scheduled smaller plan', async () => {
  const stripe = world.deps.stripe!
  const price = world.stripe.all('price').find(({ lookup_key }) => lookup_key === 'recoup_growth_month')!.id
  const begin = async (method: string | null) => {
    const { id: customer } = await stripe.customers.create({ email: 'ann@shop.test' })
    if (method) {
      const { id } = await stripe.paymentMethods.attach(method, { customer })
      await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
    }
    return stripe.subscriptions.create({
      customer,
      items: [{ price, quantity: 1 }],
      trial_period_days: 14,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    })
  }
  const paying = await begin('pm_card_visa')
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: paying.id })
  await endTrial(world.deps, { id: paying.id, schedule: schedule.id, hasCard: true })
  expect(await stripe.subscriptions.retrieve(paying.id)).toMatchObject({ status: 'active', schedule: null })
  expect(world.stripe.all('invoice').at(-1)).toMatchObject({ amount_paid: 4_900, status: 'paid' })
  const without = await begin(null)
  await endTrial(world.deps, { id: without.id, schedule: null, hasCard: false })
  expect((await stripe.subscriptions.retrieve(without.id)).status).toBe('canceled')
})
