import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { listSessionLines } from './checkout.ts'
import { createId, listObjects, type StripeState } from './state.ts'

// The invoice of a one-time checkout, if requested (`invoice_creation`): created after payment, with the lines of the
// session.

export function createPaymentInvoice(
  world: StripeState,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
): Stripe.Invoice {
  const invoice = world.put('invoice', buildPaidInvoice(world, session, intent))
  const payment = buildObject<Stripe.InvoicePayment>('InvoicePayments', 'InvoicePayment', {
    id: world.id('inpay'),
    amount_paid: intent.amount,
    amount_requested: intent.amount,
    created: world.now,
    currency: intent.currency,
    invoice: invoice.id,
    is_default: true,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status: 'paid',
    status_transitions: { paid_at: world.now },
  })
  world.put('invoice_payment', payment)
  world.emit('invoice.created', invoice)
  world.emit('invoice.finalized', invoice)
  world.emit('invoice_payment.paid', payment)
  world.emit('invoice.paid', invoice)
  world.emit('invoice.payment_succeeded', invoice)
  return invoice
}

function buildPaidInvoice(
  world: StripeState,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
): Stripe.Invoice {
  const id = world.id('in')
  const customer = world.find('customer', createId(intent.customer)) as Stripe.Customer
  const { invoice_data: invoiceData } = session.invoice_creation!
  const number = `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`
  customer.next_invoice_sequence = customer.next_invoice_sequence! + 1
  const total = intent.amount
  return buildObject<Stripe.Invoice>('Invoices', 'Invoice', {
    id,
    number,
    amount_due: total,
    amount_overpaid: 0,
    amount_paid: total,
    amount_remaining: 0,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: true,
    auto_advance: false,
    automatic_tax: { enabled: session.automatic_tax.enabled },
    billing_reason: 'manual',
    collection_method: 'charge_automatically',
    created: world.now,
    currency: intent.currency,
    customer: customer.id,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    description: invoiceData.description,
    effective_at: world.now,
    hosted_invoice_url: `${world.settings.url}/i/${id}`,
    issuer: { type: 'self' },
    lines: listObjects(buildLines(world, session, id), `/v1/invoices/${id}/lines`),
    metadata: invoiceData.metadata,
    parent: null,
    payment_settings: {},
    period_end: world.now,
    period_start: world.now,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: 0,
    ending_balance: 0,
    status: 'paid',
    status_transitions: { finalized_at: world.now, paid_at: world.now },
    subtotal: total,
    subtotal_excluding_tax: total,
    total,
    total_excluding_tax: total,
    total_taxes: [],
  })
}

const buildLines = (world: StripeState, session: Stripe.Checkout.Session, invoice: string): Stripe.InvoiceLineItem[] =>
  listSessionLines(world, session.id).map((line) =>
    buildObject<Stripe.InvoiceLineItem>('InvoiceLineItems', 'InvoiceLineItem', {
      id: world.id('il'),
      amount: line.amount_total,
      currency: line.currency,
      description: line.description,
      discountable: true,
      invoice,
      parent: { type: 'invoice_item_details', invoice_item_details: buildInvoiceItem(world) },
      period: { start: world.now, end: world.now },
      pricing: {
        type: 'price_details',
        price_details: { price: line.price!.id, product: createId(line.price!.product as string | { id: string }) },
        unit_amount_decimal: String(line.price!.unit_amount),
      },
      quantity: line.quantity,
      quantity_decimal: String(line.quantity),
      subtotal: line.amount_subtotal,
    }),
  )

const buildInvoiceItem = (world: StripeState) => ({
  invoice_item: world.id('ii'),
  proration: false,
  proration_details: null,
  subscription: null,
})
