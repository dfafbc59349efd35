import type Stripe from 'stripe'
import { cardError } from './cards.ts'
import { type ChangeRequest, planChange } from './changes.ts'
import { assertOwnCard, needCustomer } from './customers.ts'
import type { Call, Handlers } from './handlers.ts'
import { cardOf, collect, finalize, intentOf, invoiceObject, subscriptionOf, voidInvoice } from './invoicing.ts'
import { fullLine, type LineDraft } from './lines.ts'
import { type ListParams, listKind, page } from './lists.ts'
import { currentPeriod, intervalOf, periodEnd } from './periods.ts'
import { assertPlayed } from './played.ts'
import { invalid } from './refusal.ts'
import type { World } from './world.ts'

// Invoices by the API, their payments, and the preview of the next one.

export const invoices: Handlers = {
  'Invoices.retrieve': ({ world, id }: Call<unknown>) => world.need('invoice', id),
  'Invoices.list': ({ world, params }: Call<Stripe.InvoiceListParams>) => {
    const { subscription, ...rest } = params
    assertPlayed(rest, ['created', 'customer', 'ending_before', 'expand', 'limit', 'starting_after', 'status'])
    return listKind(
      world,
      'invoice',
      rest as ListParams & Record<string, unknown>,
      ['customer', 'status'],
      (one) => !subscription || one.parent?.subscription_details?.subscription === subscription,
    )
  },
  'Invoices.listLineItems': ({ world, id, params }: Call<ListParams>) =>
    page([...world.need('invoice', id).lines.data].reverse(), params, `/v1/invoices/${id}/lines`, 'line_item'),
  'Invoices.pay': ({ world, id, params }: Call<Stripe.InvoicePayParams>) =>
    pay(world, world.need('invoice', id), params),
  'Invoices.finalizeInvoice': ({ world, id }: Call<unknown>) => {
    const invoice = world.need('invoice', id)
    if (invoice.status !== 'draft')
      throw invalid("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
    finalize(world, invoice)
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
  'Invoices.createPreview': ({ world, params }: Call<Stripe.InvoiceCreatePreviewParams>) => preview(world, params),
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
  if (!states.includes(invoice.status)) throw invalid(message)
}

function pay(world: World, invoice: Stripe.Invoice, params: Stripe.InvoicePayParams): Stripe.Invoice {
  assertPlayed(params, ['expand', 'off_session', 'payment_method'])
  if (invoice.status === 'paid') throw invalid('Invoice is already paid', undefined, 'invoice_already_paid')
  assertOpen(invoice, ['open', 'uncollectible'], 'This invoice can no longer be paid')
  if (params.payment_method) assertOwnCard(world, params.payment_method, invoice.customer as string, 'payment_method')
  const subscription = subscriptionOf(world, invoice)
  const method = params.payment_method ?? (subscription ? cardOf(world, subscription) : null)
  const outcome = collect(world, invoice, { method, isOwnerThere: false })
  if (outcome === 'paid') return invoice
  if (outcome === 'no_card') {
    throw invalid(
      'There is no `default_payment_method` set on this Customer or Invoice. Please attach a payment method and try again.',
      undefined,
      'missing',
    )
  }
  if (outcome === 'confirm')
    throw cardError(
      'invoice_payment_intent_requires_action',
      'Payment for this invoice requires additional user action before it can be completed successfully.',
    )
  const error = intentOf(world, invoice)!.last_payment_error!
  throw cardError(error.code!, error.message!, error.decline_code)
}

/** The invoice that a change would make, or the next one. */
function preview(world: World, params: Stripe.InvoiceCreatePreviewParams): Stripe.Invoice {
  assertPlayed(params, ['automatic_tax', 'customer', 'expand', 'preview_mode', 'subscription', 'subscription_details'])
  if (params.customer) needCustomer(world, params.customer)
  if (!params.subscription) throw new Error('The contract server previews invoices of a subscription only')
  const subscription = world.need('subscription', params.subscription, 'subscription')
  if (params.customer && subscription.customer !== params.customer) {
    throw invalid(
      `The subscription ${subscription.id} does not belong to the customer ${params.customer}.`,
      'subscription',
    )
  }
  const details = params.subscription_details ?? {}
  assertPlayed(details, [
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
    throw invalid('No upcoming invoices for customer', undefined, 'invoice_upcoming_none')
  }
  return previewOf(world, subscription, details as unknown as ChangeRequest)
}

function previewOf(world: World, subscription: Stripe.Subscription, change: ChangeRequest): Stripe.Invoice {
  const plan = planChange(world, subscription, change)
  const lines: LineDraft[] = [...plan.prorations, ...plan.newPeriod]
  if (!plan.isInvoicedNow) {
    const kept = (world.notes.get(`${subscription.id}/lines`)?.lines as LineDraft[] | undefined) ?? []
    const next = { start: plan.period.end, end: periodEnd(plan.anchor, plan.period.end, intervalOf(plan.items[0]!)) }
    lines.unshift(...kept)
    lines.push(...plan.items.map((item) => fullLine(world, item, next)))
  }
  const reason = plan.isInvoicedNow ? 'subscription_update' : 'upcoming'
  const invoice = invoiceObject(world, { subscription, lines, reason, period: currentPeriod(subscription) })
  invoice.id = invoice.id.replace(/^in_/, 'upcoming_in_')
  for (const line of invoice.lines.data) line.invoice = invoice.id
  invoice.created = plan.isInvoicedNow ? world.now : plan.period.end
  if (change.proration_date !== undefined || plan.prorations.length > 0) {
    invoice.parent!.subscription_details!.subscription_proration_date = change.proration_date ?? world.now
  }
  return invoice
}
