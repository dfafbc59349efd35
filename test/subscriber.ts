import type Stripe from 'stripe'
import type { BillingCycle } from '../shared/billing/billing.ts'
import { createStore, type TestStore } from './factories.ts'
import type { StripeWorld } from './stripe-world.ts'

// Test support: an account with a Stripe customer, and its subscriptions there.

export interface Subscriber extends TestStore {
  customer: string
}

export interface SubscribeOptions {
  plan?: 'starter' | 'growth'
  cycle?: BillingCycle
  extraStores?: number
  trialDays?: number
  /** A test card of the API; null: none. */
  card?: string | null
}

export async function createSubscriber(world: StripeWorld, hasPlan = true, of?: TestStore): Promise<Subscriber> {
  const store = of ?? (await createStore(world))
  if (!hasPlan) await world.db.deleteFrom('subscriptions').where('account_id', '=', store.accountId).execute()
  const { id } = await world.deps.stripe!.customers.create({ metadata: { recoup_account: store.accountId } })
  await world.db
    .insertInto('billing_customers')
    .values({ account_id: store.accountId, stripe_customer_id: id, created_at: world.now })
    .execute()
  return { ...store, customer: id }
}

export const findPriceId = (world: StripeWorld, key: string): string =>
  world.stripe.all('price').find(({ lookup_key }) => lookup_key === `recoup_${key}`)!.id

export const buildItems = (
  world: StripeWorld,
  { plan = 'starter', cycle = 'month', extraStores = 0 }: SubscribeOptions,
) => [
  { price: findPriceId(world, `${plan}_${cycle}`), quantity: 1 },
  ...(extraStores > 0 ? [{ price: findPriceId(world, `extra_store_${cycle}`), quantity: extraStores }] : []),
]

/** Creates a subscription as Checkout does. */
export async function subscribe(
  world: StripeWorld,
  { customer }: { customer: string },
  options: SubscribeOptions = {},
): Promise<Stripe.Subscription> {
  const { trialDays, card = 'pm_card_visa' } = options
  const stripe = world.deps.stripe!
  if (card) await attachCard(world, customer, card)
  return stripe.subscriptions.create({
    customer,
    items: buildItems(world, options),
    ...(trialDays && {
      trial_period_days: trialDays,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    }),
  })
}

/** Adds a card and makes it the default. */
export async function attachCard(world: StripeWorld, customer: string, card = 'pm_card_visa'): Promise<void> {
  const stripe = world.deps.stripe!
  const { id } = await stripe.paymentMethods.attach(card, { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
}

export const readSubscription = (world: StripeWorld, { accountId }: { accountId: string }) =>
  world.db.selectFrom('subscriptions').selectAll().where('account_id', '=', accountId).executeTakeFirst()

export const readPayments = (world: StripeWorld, { accountId }: { accountId: string }) =>
  world.db.selectFrom('payments').selectAll().where('account_id', '=', accountId).orderBy('created_at').execute()
