import type Stripe from 'stripe'
import { createCardError } from './cards.ts'
import { type ChangeRequest, planChange } from './changes.ts'
import { assertOwnCard, requireCustomer } from './customers.ts'
import { createInvalidError } from './errors.ts'
import type { Call, Handlers } from './handlers.ts'
import {
  buildInvoice,
  collectInvoice,
  finalizeInvoice,
  findCard,
  findIntent,
  findSubscription,
  voidInvoice,
} from './invoicing.ts'
import { buildFullLine, type LineDraft } from './lines.ts'
import { type ListParams, listKind, pageRows } from './lists.ts'
import { computePeriodEnd, findCurrentPeriod, readInterval } from './periods.ts'
import type { StripeState } from './state.ts'
import { assertSupported } from './supported.ts'

// Invoices in the API, their payments, and the preview of the next one.

export const invoices: Handlers = {
  'Invoices.retrieve': ({ world, id }: Call<unknown>) => world.need('invoice', id),
  'Invoices.list': ({ world, params }: Call<Stripe.InvoiceListParams>) => {
    const { subscription, ...rest } = params
    assertSupported(rest, ['created', 'customer', 'ending_before', 'expand', 'limit', 'starting_after', 'status'])
    return listKind(
      world,
      'invoice',
      rest as ListParams & Record<string, unknown>,
      ['customer', 'status'],
      (one) => !subscription || one.parent?.subscription_details?.subscription === subscription,
    )
  },
  'Invoices.listLineItems': ({ world, id, params }: Call<ListParams>) =>
    pageRows([...world.need('invoice', id).lines.data].reverse(), params, `/v1/invoices/${id}/lines`, 'line_item'),
  'Invoices.pay': ({ world, id, params }: Call<Stripe.InvoicePayParams>) =>
    pay(world, world.need('invoice', id), params),
  'Invoices.finalizeInvoice': ({ world, id }: Call<unknown>) => {
    const invoice = world.need('invoice', id)
    if (invoice.status !== 'draft')
      throw createInvalidError("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
    finalizeInvoice(world, invoice)
    return invoice
  },
  'Invoices.voidInvoice': ({ world, id }: Call<unknown>) => {
    const invoice = world.need('invoice', id)
    assertOpen(invoice, ['open', 'uncollectible'], 'You can only void an open or uncollectible invoice.')
    voidInvoice(world, invoice)
    return invoice
  },
  'Invoices.markUncollectible': ({ world, id }: Call<unknown>) => {
    const invoice = world.need('invoice', id)
    assertOpen(invoice, ['open'], 'You can only mark an open invoice as uncollectible.')
    Object.assign(invoice, { status: 'uncollectible', auto_advance: false, next_payment_attempt: null })
    invoice.status_transitions.marked_uncollectible_at = world.now
    world.emit('invoice.marked_uncollectible', invoice)
    return invoice
  },
  'Invoices.createPreview': ({ world, params }: Call<Stripe.InvoiceCreatePreviewParams>) =>
    previewInvoice(world, params),
  'InvoicePayments.retrieve': ({ world, id }: Call<unknown>) => world.need('invoice_payment', id),
  'InvoicePayments.list': ({ world, params }: Call<Stripe.InvoicePaymentListParams>) => {
    const { payment, ...rest } = params
    return listKind(
      world,
      'invoice_payment',
      rest as ListParams & Record<string, unknown>,
      ['invoice', 'status'],
      (one) => !payment?.payment_intent || one.payment.payment_intent === payment.payment_intent,
    )
  },
}

function assertOpen(invoice: Stripe.Invoice, states: (string | null)[], message: string): void {
  if (!states.includes(invoice.status)) throw createInvalidError(message)
}

function pay(world: StripeState, invoice: Stripe.Invoice, params: Stripe.InvoicePayParams): Stripe.Invoice {
  assertSupported(params, ['expand', 'off_session', 'payment_method'])
  if (invoice.status === 'paid') throw createInvalidError('Invoice is already paid', undefined, 'invoice_already_paid')
  assertOpen(invoice, ['open', 'uncollectible'], 'This invoice can no longer be paid')
  if (params.payment_method) assertOwnCard(world, params.payment_method, invoice.customer as string, 'payment_method')
  const subscription = findSubscription(world, invoice)
  const method = params.payment_method ?? (subscription ? findCard(world, subscription) : null)
  const outcome = collectInvoice(world, invoice, { method, isOwnerThere: false })
  if (outcome === 'paid') return invoice
  if (outcome === 'no_card') {
    throw createInvalidError(
      'There is no `default_payment_method` set on this Customer or Invoice. Please attach a payment method and try again.',
      undefined,
      'missing',
    )
  }
  if (outcome === 'confirm')
    throw createCardError(
      'invoice_payment_intent_requires_action',
      'Payment for this invoice requires additional user action before it can be completed successfully.',
    )
  const error = findIntent(world, invoice)!.last_payment_error!
  throw createCardError(error.code!, error.message!, error.decline_code)
}

/** Returns the invoice that a change would create, or the next one. */
function previewInvoice(world: StripeState, params: Stripe.InvoiceCreatePreviewParams): Stripe.Invoice {
  assertSupported(params, [
    'automatic_tax',
    'customer',
    'expand',
    'preview_mode',
    'subscription',
    'subscription_details',
  ])
  if (params.customer) requireCustomer(world, params.customer)
  if (!params.subscription) throw new Error('The contract server previews invoices of a subscription only')
  const subscription = world.need('subscription', params.subscription, 'subscription')
  if (params.customer && subscription.customer !== params.customer) {
    throw createInvalidError(
      `The subscription ${subscription.id} does not belong to the customer ${params.customer}.`,
      'subscription',
    )
  }
  const details = params.subscription_details ?? {}
  assertSupported(details, [
    'billing_cycle_anchor',
    'cancel_at_period_end',
    'items',
    'proration_behavior',
    'proration_date',
    'trial_end',
  ])
  const isEnding = details.cancel_at_period_end ?? subscription.cancel_at !== null
  const isChange = details.items || details.trial_end !== undefined || details.billing_cycle_anchor
  if (subscription.ended_at || (isEnding && !isChange)) {
    throw createInvalidError('No upcoming invoices for customer', undefined, 'invoice_upcoming_none')
  }
  return buildPreview(world, subscription, details as unknown as ChangeRequest)
}

function buildPreview(world: StripeState, subscription: Stripe.Subscription, change: ChangeRequest): Stripe.Invoice {
  const plan = planChange(world, subscription, change)
  const lines: LineDraft[] = [...plan.prorations, ...plan.newPeriod]
  if (!plan.isInvoicedNow) {
    const storedLines = (world.notes.get(`${subscription.id}/lines`)?.lines as LineDraft[] | undefined) ?? []
    const next = {
      start: plan.period.end,
      end: computePeriodEnd(plan.anchor, plan.period.end, readInterval(plan.items[0]!)),
    }
    lines.unshift(...storedLines)
    lines.push(...plan.items.map((item) => buildFullLine(world, item, next)))
  }
  const reason = plan.isInvoicedNow ? 'subscription_update' : 'upcoming'
  const invoice = buildInvoice(world, { subscription, lines, reason, period: findCurrentPeriod(subscription) })
  invoice.id = invoice.id.replace(/^in_/, 'upcoming_in_')
  for (const line of invoice.lines.data) line.invoice = invoice.id
  invoice.created = plan.isInvoicedNow ? world.now : plan.period.end
  if (change.proration_date !== undefined || plan.prorations.length > 0) {
    invoice.parent!.subscription_details!.subscription_proration_date = change.proration_date ?? world.now
  }
  return invoice
}
