import type Stripe from 'stripe'
import { applyPendingUpdate } from './pending.ts'
import { createId, type StripeState } from './state.ts'

// A subscription's status after the outcome of its invoices (docs.stripe.com/billing/subscriptions/overview).

export function applyPaidInvoice(world: StripeState, invoice: Stripe.Invoice): void {
  setDelinquent(world, invoice, false)
  const subscription = findInvoiceSubscription(world, invoice)
  if (!subscription || subscription.ended_at || subscription.latest_invoice !== invoice.id) return
  if (subscription.pending_update) applyPendingUpdate(world, subscription)
  else if (['past_due', 'unpaid', 'incomplete'].includes(subscription.status)) {
    world.update('customer.subscription.updated', subscription, () => {
      subscription.status = 'active'
    })
  }
}

export function applyFailedInvoice(world: StripeState, invoice: Stripe.Invoice): void {
  setDelinquent(world, invoice, true)
  const subscription = findInvoiceSubscription(world, invoice)
  // A pending change leaves the subscription as it was; a failed first payment makes it incomplete.
  if (!subscription || subscription.ended_at || subscription.pending_update || subscription.status === 'incomplete')
    return
  const isLast = invoice.auto_advance === true && invoice.next_payment_attempt === null
  const { afterRetries } = world.settings
  if (isLast && afterRetries === 'cancel') endSubscription(world, subscription, 'payment_failed')
  else {
    world.update('customer.subscription.updated', subscription, () => {
      subscription.status = isLast && afterRetries === 'unpaid' ? 'unpaid' : 'past_due'
    })
  }
}

export function endSubscription(
  world: StripeState,
  subscription: Stripe.Subscription,
  reason: NonNullable<Stripe.Subscription.CancellationDetails['reason']> | null,
): void {
  subscription.status = 'canceled'
  subscription.canceled_at ??= world.now
  subscription.ended_at = world.now
  subscription.pending_update = null
  subscription.cancellation_details!.reason ??= reason
  for (const invoice of world.all('invoice')) {
    if (findInvoiceSubscription(world, invoice) !== subscription || invoice.status === 'paid') continue
    // Open invoices can still be paid manually and are no longer collected.
    Object.assign(invoice, { auto_advance: false, next_payment_attempt: null, automatically_finalizes_at: null })
  }
  world.emit('customer.subscription.deleted', subscription)
  cancelSchedule(world, subscription)
}

function cancelSchedule(world: StripeState, subscription: Stripe.Subscription): void {
  const schedule = world.find('subscription_schedule', createId(subscription.schedule))
  if (schedule?.status !== 'active') return
  Object.assign(schedule, { status: 'canceled', canceled_at: world.now, current_phase: null })
  world.emit('subscription_schedule.canceled', schedule)
}

const findInvoiceSubscription = (world: StripeState, invoice: Stripe.Invoice) =>
  world.find('subscription', createId(invoice.parent?.subscription_details?.subscription))

function setDelinquent(world: StripeState, invoice: Stripe.Invoice, delinquent: boolean): void {
  const customer = world.find('customer', createId(invoice.customer))
  if (!customer || customer.deleted || customer.delinquent === delinquent) return
  world.update('customer.updated', customer, () => {
    customer.delinquent = delinquent
  })
}
