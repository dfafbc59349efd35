import { expect, it } from 'vitest'
import { registerOwner } from '../../../test/connected-store.ts'
import { choosePlan, findSession } from '../../../test/payer.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'

const world = createStripeWorld()

it('a session with a price that is no longer on the Pricing page is closed', async () => {
  const { token } = await registerOwner(world, null)
  const first = (await choosePlan(world, token, { planKey: 'growth' })).body.url
  const oldPrice = world.stripe.all('price').find(({ lookup_key }) => lookup_key === 'recoup_growth_month')!
  const { prices } = world.deps.stripe!
  await prices.create({
    product: oldPrice.product as string,
    currency: oldPrice.currency,
    unit_amount: oldPrice.unit_amount!,
    recurring: { interval: 'month' },
    tax_behavior: oldPrice.tax_behavior!,
    lookup_key: 'recoup_growth_month',
    transfer_lookup_key: true,
  })
  world.passTime(3_600_000)
  const { id } = findSession(world, first)
  const second = (await choosePlan(world, token, { planKey: 'growth' })).body.url
  expect(second).not.toBe(first)
  const closed = world.stripe.all('checkout.session').find((one) => one.id === id)!
  expect(closed.status).toBe('expired')
  const open = world.stripe.all('checkout.session').filter(({ customer }) => customer === closed.customer)
  expect(open.map(({ status }) => status)).toEqual(['expired', 'open'])
})
