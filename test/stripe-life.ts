import type Stripe from 'stripe'
import type { StripeServer } from '../providers/contracts/stripe/server.ts'
import { findEntry } from '../server/billing/payments/catalogue-rules.ts'
import { type DerivedSubscription, deriveSubscription, findCounted } from '../server/billing/payments/derive-rules.ts'
import { StripeInvoice, StripeSchedule, StripeSubscription } from '../server/billing/payments/stripe-schemas.ts'

// Test support: a random history of an account's subscription at Stripe, and its expected result.

export type Random = () => number
export const isOneIn = (chance: Random, count: number) => chance() * count < 1
export const pick = <T>(chance: Random, all: readonly T[]): T => all[Math.floor(chance() * all.length)]!

export interface BillingHistory {
  server: StripeServer
  stripe: Stripe
  customer: string
  chance: Random
}

const CARDS = ['pm_card_visa', 'pm_card_amex', 'pm_card_chargeCustomerFail', 'pm_card_authenticationRequired']

const findPriceId = ({ server }: BillingHistory, key: string) =>
  server.all('price').find(({ lookup_key }) => lookup_key === `recoup_${key}`)!.id

function drawItems(life: BillingHistory) {
  const { chance } = life
  const cycle = pick(chance, ['month', 'month', 'year'])
  const plan = { price: findPriceId(life, `${pick(chance, ['starter', 'growth'])}_${cycle}`), quantity: 1 }
  const stores = { price: findPriceId(life, `extra_store_${cycle}`), quantity: 1 + Math.floor(chance() * 4) }
  return isOneIn(chance, 3) ? [plan, stores] : [plan]
}

const filterOwn = <T extends { customer?: unknown }>({ customer }: BillingHistory, all: readonly T[]) =>
  all.filter((one) => one.customer === customer)
const listSubscriptions = (life: BillingHistory) => filterOwn(life, life.server.all('subscription'))
const findLiveSubscription = (life: BillingHistory) =>
  listSubscriptions(life).find(({ ended_at, status }) => !ended_at && status !== 'incomplete')

/** Actions of an owner, an operator, a bank or Stripe. An action that Stripe refuses has no effect. */
const actions: ((life: BillingHistory) => Promise<unknown> | unknown)[] = [
  startSubscription,
  startSubscription,
  (life) => attachRandomCard(life),
  (life) => attachRandomCard(life),
  (life) => changeSubscription(life, () => ({ cancel_at_period_end: true })),
  (life) => changeSubscription(life, () => ({ cancel_at_period_end: false })),
  upgrade,
  planSmaller,
  (life) => {
    const live = findLiveSubscription(life)
    return live?.schedule && life.stripe.subscriptionSchedules.release(live.schedule as string)
  },
  (life) =>
    isOneIn(life.chance, 3) &&
    findLiveSubscription(life) &&
    life.stripe.subscriptions.cancel(findLiveSubscription(life)!.id),
  async (life) => {
    const [open] = filterOwn(life, life.server.all('invoice')).filter(({ status }) => status === 'open')
    return (
      open && life.stripe.invoices[pick(life.chance, ['pay', 'voidInvoice', 'markUncollectible'] as const)](open.id!)
    )
  },
  (life) => {
    const charge = filterOwn(life, life.server.all('charge')).findLast(({ paid }) => paid)
    return charge && life.stripe.refunds.create({ charge: charge.id, amount: pick(life.chance, [100, charge.amount]) })
  },
  (life) => {
    const charge = filterOwn(life, life.server.all('charge')).findLast(({ paid, disputed }) => paid && !disputed)
    return charge && isOneIn(life.chance, 3) && life.server.openDispute(charge.id)
  },
]

export async function runRandomAction(life: BillingHistory): Promise<void> {
  try {
    await pick(life.chance, actions)(life)
  } catch (error) {
    if (!(error instanceof Error) || /own fault/.test(error.message)) throw error
  }
}

/** Sometimes starts a second live subscription, as two tabs would. */
async function startSubscription(life: BillingHistory): Promise<void> {
  if (findLiveSubscription(life) && !isOneIn(life.chance, 8)) return
  await life.stripe.subscriptions.create({
    customer: life.customer,
    items: drawItems(life),
    ...(isOneIn(life.chance, 2) && {
      trial_period_days: 14,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' as const } },
    }),
  })
}

/** Returns the card's fingerprint. */
export async function attachRandomCard(
  { stripe, customer, chance }: BillingHistory,
  card = pick(chance, CARDS),
): Promise<string> {
  const method = await stripe.paymentMethods.attach(card, { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } })
  return method.card!.fingerprint!
}

async function changeSubscription(life: BillingHistory, change: () => Stripe.SubscriptionUpdateParams): Promise<void> {
  const live = findLiveSubscription(life)
  if (live) await life.stripe.subscriptions.update(live.id, change())
}

function upgrade(life: BillingHistory): Promise<void> {
  return changeSubscription(life, () => {
    const deleted = findLiveSubscription(life)!.items.data.map(({ id }) => ({ id, deleted: true }))
    return {
      items: [...deleted, ...drawItems(life)],
      proration_behavior: 'always_invoice',
      payment_behavior: pick(life.chance, ['pending_if_incomplete', 'allow_incomplete'] as const),
    }
  })
}

async function planSmaller(life: BillingHistory): Promise<void> {
  const live = findLiveSubscription(life)
  if (!live) return
  const schedule = await life.stripe.subscriptionSchedules.create({ from_subscription: live.id })
  const [phase] = schedule.phases
  await life.stripe.subscriptionSchedules.update(schedule.id, {
    phases: [
      {
        items: phase!.items.map(({ price, quantity }) => ({ price: price as string, quantity: quantity ?? 1 })),
        start_date: phase!.start_date,
        end_date: phase!.end_date,
        ...(phase!.trial_end && { trial_end: phase!.trial_end }),
      },
      { items: drawItems(life), duration: { interval: 'year' } },
    ],
  })
}

/** Derives the subscription from Stripe's present objects. */
export function deriveCurrent(life: BillingHistory): DerivedSubscription {
  const { server, customer } = life
  const subscriptions = listSubscriptions(life).map((one) => StripeSubscription.parse(one))
  const its = server.all('subscription_schedule').find(({ id }) => id === findCounted(subscriptions)?.schedule)
  const prices = new Map(server.all('price').map((price) => [price.id, price]))
  const phases = its?.phases.map((phase) => ({
    ...phase,
    items: phase.items.map((item) => ({ ...item, price: prices.get(item.price as string) })),
  }))
  const found = server.all('customer').find(({ id }) => id === customer) as Stripe.Customer
  return deriveSubscription(
    {
      subscriptions,
      invoices: filterOwn(life, server.all('invoice')).map((one) => StripeInvoice.parse(one)),
      schedule: its ? StripeSchedule.parse({ ...its, phases }) : null,
      hasCard: found.invoice_settings.default_payment_method !== null,
    },
    findEntry,
  )
}
