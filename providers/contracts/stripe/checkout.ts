import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { createInlinePrice } from './catalogue.ts'
import { assertSession } from './checkout-rules.ts'
import { requireCustomer } from './customers.ts'
import { createInvalidError } from './errors.ts'
import type { Call, Handlers } from './handlers.ts'
import { type ListParams, listKind, mergeMetadata, pageRows } from './lists.ts'
import { DAY, listObjects, type StripeState } from './state.ts'

// Checkout sessions until payment; buying.ts completes them.

type Order = Stripe.Checkout.SessionCreateParams

export const checkout: Handlers = {
  'Checkout/Sessions.create': ({ world, params }: Call<Order>) => {
    if (params.customer) requireCustomer(world, params.customer)
    assertSession(world, params)
    const lines = (params.line_items ?? []).map((line, at) => buildLine(world, line, `line_items[${at}]`))
    return openSession(world, params, lines)
  },
  'Checkout/Sessions.retrieve': ({ world, id }: Call<unknown>) =>
    world.need('checkout.session', id, 'id', 'checkout.session'),
  'Checkout/Sessions.list': ({ world, params }: Call<Stripe.Checkout.SessionListParams>) =>
    listKind(world, 'checkout.session', params as ListParams & Record<string, unknown>, [
      'customer',
      'status',
      'subscription',
      'payment_intent',
    ]),
  'Checkout/Sessions.expire': ({ world, id }: Call<unknown>) => {
    const session = world.need('checkout.session', id, 'id', 'checkout.session')
    if (session.status !== 'open') {
      throw createInvalidError(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}`,
      )
    }
    return expireSession(world, session)
  },
  'Checkout/Sessions.listLineItems': ({ world, id, params }: Call<ListParams>) => {
    world.need('checkout.session', id, 'id', 'checkout.session')
    return pageRows(
      [...listSessionLines(world, id)].reverse(),
      params,
      `/v1/checkout/sessions/${id}/line_items`,
      'line_item',
    )
  },
}

export const listSessionLines = (world: StripeState, session: string): Stripe.LineItem[] =>
  (world.notes.get(session)?.lineItems as Stripe.ApiList<Stripe.LineItem> | undefined)?.data ?? []

export function expireSession(world: StripeState, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  session.status = 'expired'
  session.url = null
  world.emit('checkout.session.expired', session)
  return session
}

function buildLine(
  world: StripeState,
  line: Stripe.Checkout.SessionCreateParams.LineItem,
  path: string,
): Stripe.LineItem {
  const price = line.price
    ? world.need('price', line.price, `${path}[price]`)
    : createInlinePrice(world, line.price_data!, `${path}[price_data]`)
  const product = world.need('product', price.product as string)
  const amount = price.unit_amount! * line.quantity!
  return buildObject<Stripe.LineItem>('LineItems', 'LineItem', {
    id: world.id('li'),
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: product.name,
    price,
    quantity: line.quantity,
  })
}

function readInvoiceCreation({ invoice_creation: invoiceCreation }: Order): Stripe.Checkout.Session.InvoiceCreation {
  const { description = null, footer = null, metadata } = invoiceCreation?.invoice_data ?? {}
  const none = { account_tax_ids: null, custom_fields: null, issuer: null, rendering_options: null }
  return {
    enabled: invoiceCreation?.enabled ?? false,
    invoice_data: { ...none, description, footer, metadata: mergeMetadata(null, metadata) },
  }
}

function openSession(world: StripeState, order: Order, lines: Stripe.LineItem[]): Stripe.Checkout.Session {
  const id = world.id('cs_test')
  const mode = order.mode!
  const total = lines.reduce((sum, line) => sum + line.amount_total, 0)
  const isTrial = Boolean(order.subscription_data?.trial_period_days ?? order.subscription_data?.trial_end)
  const session = buildObject<Stripe.Checkout.Session>('Checkout/Sessions', 'Session', {
    id,
    allow_promotion_codes: order.allow_promotion_codes ?? null,
    amount_subtotal: isTrial ? 0 : total,
    amount_total: isTrial ? 0 : total,
    automatic_tax: { enabled: order.automatic_tax?.enabled ?? false },
    cancel_url: order.cancel_url ?? null,
    client_reference_id: order.client_reference_id ?? null,
    created: world.now,
    currency: lines[0]?.currency ?? order.currency ?? 'usd',
    customer: order.customer ?? null,
    customer_creation: mode === 'payment' ? (order.customer_creation ?? 'if_required') : null,
    customer_email: order.customer_email ?? null,
    expires_at: order.expires_at ?? world.now + DAY,
    invoice_creation: mode === 'payment' ? readInvoiceCreation(order) : null,
    locale: order.locale ?? null,
    metadata: mergeMetadata(null, order.metadata),
    mode,
    payment_method_collection: mode === 'subscription' ? (order.payment_method_collection ?? 'always') : null,
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    status: 'open',
    success_url: order.success_url ?? null,
    tax_id_collection: { enabled: order.tax_id_collection?.enabled ?? false, required: 'never' },
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${world.settings.url}/c/pay/${id}`,
  })
  world.orders.set(id, order)
  world.notes.set(id, { lineItems: listObjects(lines, `/v1/checkout/sessions/${id}/line_items`) })
  return world.put('checkout.session', session)
}
