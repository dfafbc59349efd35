import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { collectInvoice, finalizeInvoice, openDraft } from './invoicing.ts'
import { buildFullLine, buildTrialLine, type Item } from './lines.ts'
import { type Payer, predictOutcome } from './payments.ts'
import { buildItem } from './pending.ts'
import { computePeriodEnd, readInterval } from './periods.ts'
import { listObjects, type StripeState } from './state.ts'

// Starts a subscription, from Checkout or through the API.

export interface SubscriptionStart {
  customer: string
  items: { price: Stripe.Price; quantity: number }[]
  trialEnd: number | null
  metadata: Stripe.Metadata
  description: string | null
  missingPaymentMethod: string
  method: string | null
  isTaxed: boolean
  payer: Payer
}

export function startSubscription(
  world: StripeState,
  beginning: SubscriptionStart,
): { subscription: Stripe.Subscription; invoice: Stripe.Invoice } {
  const { trialEnd } = beginning
  const subscription = buildSubscription(world, beginning)
  world.put('subscription', subscription)
  const period = { start: world.now, end: subscription.items.data[0]!.current_period_end }
  const items: Item[] = subscription.items.data.map(({ id, price, quantity }) => ({
    id,
    price,
    quantity: quantity ?? 1,
  }))
  const lines = items.map((item) =>
    trialEnd ? buildTrialLine(world, item, period) : buildFullLine(world, item, period),
  )
  // When the first payment fails, the subscription starts as incomplete.
  const willBePaid =
    trialEnd !== null || predictOutcome(world, beginning.payer) === 'paid' || lines.every(({ amount }) => amount === 0)
  if (!willBePaid) subscription.status = 'incomplete'
  const draft = {
    subscription,
    lines,
    reason: 'subscription_create' as const,
    period: { start: world.now, end: world.now },
  }
  // The subscription's event comes first, and names its invoice.
  const invoice = openDraft(world, draft)
  world.emit('customer.subscription.created', subscription)
  if (trialEnd && trialEnd - world.now < 3 * 86_400) world.emit('customer.subscription.trial_will_end', subscription)
  finalizeInvoice(world, invoice)
  if (invoice.status === 'open') collectInvoice(world, invoice, beginning.payer)
  return { subscription, invoice }
}

function buildSubscription(world: StripeState, beginning: SubscriptionStart): Stripe.Subscription {
  const { trialEnd, items } = beginning
  const id = world.id('sub')
  const anchor = trialEnd ?? world.now
  const end = trialEnd ?? computePeriodEnd(world.now, world.now, readInterval(items[0]!))
  const period = { start: world.now, end }
  return buildObject<Stripe.Subscription>('Subscriptions', 'Subscription', {
    id,
    automatic_tax: { enabled: beginning.isTaxed, liability: beginning.isTaxed ? { type: 'self' } : null },
    billing_cycle_anchor: anchor,
    billing_mode: { type: 'flexible', flexible: null },
    cancellation_details: {},
    collection_method: 'charge_automatically',
    created: world.now,
    currency: items[0]!.price.currency,
    customer: beginning.customer,
    default_payment_method: beginning.method,
    description: beginning.description,
    invoice_settings: { issuer: { type: 'self' } },
    items: listObjects(
      items.map((item) =>
        buildItem(world, { ...item, price: structuredClone(item.price), id: world.id('si') }, id, period),
      ),
      `/v1/subscription_items?subscription=${id}`,
    ),
    metadata: beginning.metadata,
    payment_settings: { save_default_payment_method: 'off' },
    start_date: world.now,
    status: trialEnd ? 'trialing' : 'active',
    trial_end: trialEnd,
    trial_settings: { end_behavior: { missing_payment_method: beginning.missingPaymentMethod } },
    trial_start: trialEnd ? world.now : null,
  })
}
