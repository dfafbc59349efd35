import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { buildLineItem, type LineDraft, type Period } from './lines.ts'
import { openIntent, type Payer, tryIntent } from './payments.ts'
import { createId, DAY, listObjects, type StripeState } from './state.ts'
import { applyFailedInvoice, applyPaidInvoice } from './subscription-status.ts'

// The life cycle of an invoice: draft, open, paid, void or uncollectible.

/** Minimum charge in cents; smaller amounts go to the customer's balance (docs.stripe.com/currencies). */
const LEAST_CHARGE = 50

export interface InvoiceDraft {
  subscription: Stripe.Subscription
  lines: LineDraft[]
  reason: NonNullable<Stripe.Invoice['billing_reason']>
  period: Period
}

export function buildInvoice(
  world: StripeState,
  { subscription, lines, reason, period }: InvoiceDraft,
): Stripe.Invoice {
  const id = world.id('in')
  const customer = world.find('customer', createId(subscription.customer)) as Stripe.Customer
  const items = lines.map((line) => buildLineItem(world, line, id, subscription.id))
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0)
  const tax = subscription.automatic_tax.enabled ? Math.round((subtotal * world.settings.taxPercent) / 100) : 0
  const total = subtotal + tax
  return buildObject<Stripe.Invoice>('Invoices', 'Invoice', {
    id,
    ...computeAmounts(total, customer.balance),
    amount_overpaid: 0,
    amount_paid: 0,
    amount_shipping: 0,
    attempt_count: 0,
    // Stripe retries invoices it creates by itself; an invoice created by a call is tried once.
    auto_advance: reason === 'subscription_cycle' || reason === 'upcoming',
    automatic_tax: { enabled: subscription.automatic_tax.enabled },
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created: world.now,
    currency: subscription.currency,
    customer: customer.id,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    issuer: { type: 'self' },
    lines: listObjects(items, `/v1/invoices/${id}/lines`),
    metadata: {},
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, metadata: structuredClone(subscription.metadata) },
    },
    payment_settings: {},
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    status: 'draft',
    status_transitions: {},
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_excluding_tax: subtotal,
    total_taxes: tax === 0 ? [] : [buildTaxLine(tax, subtotal)],
  })
}

const buildTaxLine = (amount: number, taxable_amount: number) => ({
  amount,
  tax_behavior: 'exclusive',
  tax_rate_details: null,
  taxability_reason: 'standard_rated',
  taxable_amount,
  type: 'tax_rate_details',
})

/** Computes the amount due after the customer's balance, which is negative for a credit. */
function computeAmounts(total: number, balance: number) {
  const due = total + balance
  const isCharged = due >= LEAST_CHARGE
  return {
    starting_balance: balance,
    ending_balance: isCharged ? 0 : due,
    amount_due: isCharged ? due : 0,
    amount_remaining: isCharged ? due : 0,
  }
}

/** Opens a draft, which Stripe finalizes after an hour unless it is finalized at once. */
export function openDraft(world: StripeState, draft: InvoiceDraft): Stripe.Invoice {
  const invoice = world.put('invoice', buildInvoice(world, draft))
  invoice.automatically_finalizes_at = world.now + 3_600
  draft.subscription.latest_invoice = invoice.id
  world.emit('invoice.created', invoice)
  return invoice
}

export function finalizeInvoice(world: StripeState, invoice: Stripe.Invoice): void {
  const customer = world.find('customer', createId(invoice.customer)) as Stripe.Customer
  Object.assign(invoice, computeAmounts(invoice.total, customer.balance))
  if (invoice.ending_balance !== customer.balance) {
    world.update('customer.updated', customer, () => {
      customer.balance = invoice.ending_balance!
    })
  }
  invoice.status = 'open'
  invoice.number = `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`
  customer.next_invoice_sequence = customer.next_invoice_sequence! + 1
  invoice.automatically_finalizes_at = null
  invoice.effective_at = world.now
  invoice.status_transitions.finalized_at = world.now
  invoice.hosted_invoice_url = `${world.settings.url}/i/${invoice.id}`
  if (invoice.amount_due > 0) openPayment(world, invoice)
  world.emit('invoice.finalized', invoice)
  if (invoice.amount_due === 0) settle(world, invoice)
}

function openPayment(world: StripeState, invoice: Stripe.Invoice): void {
  const intent = openIntent(world, {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: createId(invoice.customer),
    description: invoice.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
  })
  world.put(
    'invoice_payment',
    buildObject<Stripe.InvoicePayment>('InvoicePayments', 'InvoicePayment', {
      id: world.id('inpay'),
      amount_requested: invoice.amount_due,
      created: world.now,
      currency: invoice.currency,
      invoice: invoice.id,
      is_default: true,
      payment: { type: 'payment_intent', payment_intent: intent.id },
      status: 'open',
      status_transitions: {},
    }),
  )
}

const findPayment = (world: StripeState, invoice: Stripe.Invoice) =>
  world.all('invoice_payment').find((one) => one.invoice === invoice.id)

export const findIntent = (world: StripeState, invoice: Stripe.Invoice): Stripe.PaymentIntent | undefined =>
  world.find('payment_intent', createId(findPayment(world, invoice)?.payment.payment_intent))

/** Finds the card that Stripe charges: the subscription's, else the customer's. */
export function findCard(world: StripeState, subscription: Stripe.Subscription): string | null {
  const customer = world.find('customer', createId(subscription.customer))
  const ofCustomer = customer && !customer.deleted ? createId(customer.invoice_settings.default_payment_method) : null
  return createId(subscription.default_payment_method) ?? ofCustomer
}

/** Tries to collect an open invoice. Without a payer, Stripe tries by itself with the saved card. */
export function collectInvoice(world: StripeState, invoice: Stripe.Invoice, payer?: Payer) {
  const subscription = findSubscription(world, invoice)
  const by = payer ?? { method: subscription ? findCard(world, subscription) : null, isOwnerThere: false }
  const outcome = tryIntent(world, findIntent(world, invoice)!, by)
  invoice.attempted = true
  if (outcome === 'paid') {
    invoice.attempt_count++
    settle(world, invoice)
    return outcome
  }
  // Only Stripe's own attempts count for its retries.
  if (!payer || invoice.attempt_count === 0) planRetry(world, invoice)
  world.emit(outcome === 'confirm' ? 'invoice.payment_action_required' : 'invoice.payment_failed', invoice)
  if (outcome === 'confirm') world.emit('invoice.payment_failed', invoice)
  applyFailedInvoice(world, invoice)
  return outcome
}

function planRetry(world: StripeState, invoice: Stripe.Invoice): void {
  invoice.attempt_count++
  const days = world.settings.retryDays[invoice.attempt_count - 1]
  invoice.next_payment_attempt = days === undefined || !invoice.auto_advance ? null : world.now + days * DAY
}

function settle(world: StripeState, invoice: Stripe.Invoice): void {
  const payment = findPayment(world, invoice)
  if (payment) {
    Object.assign(payment, { status: 'paid', amount_paid: invoice.amount_due })
    payment.status_transitions.paid_at = world.now
    world.emit('invoice_payment.paid', payment)
  }
  Object.assign(invoice, {
    status: 'paid',
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
  })
  invoice.status_transitions.paid_at = world.now
  world.emit('invoice.paid', invoice)
  world.emit('invoice.payment_succeeded', invoice)
  applyPaidInvoice(world, invoice)
}

export function voidInvoice(world: StripeState, invoice: Stripe.Invoice): void {
  const payment = findPayment(world, invoice)
  if (payment) Object.assign(payment, { status: 'canceled' })
  const intent = findIntent(world, invoice)
  if (intent) Object.assign(intent, { status: 'canceled', canceled_at: world.now, cancellation_reason: 'void_invoice' })
  Object.assign(invoice, { status: 'void', auto_advance: false, next_payment_attempt: null })
  invoice.status_transitions.voided_at = world.now
  world.emit('invoice.voided', invoice)
}

export function findSubscription(world: StripeState, invoice: Stripe.Invoice): Stripe.Subscription | undefined {
  return world.find('subscription', createId(invoice.parent?.subscription_details?.subscription))
}
