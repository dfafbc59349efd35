import type Stripe from 'stripe'
import { createDecline, enterCard, findChargeOutcome } from './cards.ts'
import { listSessionLines } from './checkout.ts'
import { attachCard, createCustomer } from './customers.ts'
import { createInvalidError } from './errors.ts'
import { mergeMetadata } from './lists.ts'
import { createPaymentInvoice } from './payment-invoice.ts'
import { keepCard, openIntent, tryIntent } from './payments.ts'
import { createId, DAY, type StripeState } from './state.ts'
import { startSubscription } from './subscription-start.ts'

// Actions of a buyer on the page of a checkout session.

export interface Purchase {
  /** Number of a test card; empty if no card is needed. */
  card?: string
  email?: string
  name?: string
  /** The buyer has confirmed the bank's challenge. */
  isConfirmed?: boolean
}

/** Pays a session. Returns `confirm` when the bank asks first. Throws the error that the page shows. */
export function completePurchase(world: StripeState, id: string, purchase: Purchase): 'complete' | 'confirm' {
  const session = world.need('checkout.session', id, 'id', 'checkout.session')
  if (session.status !== 'open') throw createInvalidError(`This session is ${session.status}.`)
  if (needsCard(session) && !purchase.card) throw createInvalidError('Enter a card.')
  if (!needsCard(session) && purchase.card) throw createInvalidError('The page of this session asks for no card.')
  const email = session.customer_email ?? readSessionEmail(world, session) ?? purchase.email
  if (!email) throw createInvalidError('Enter an email address.')
  const method = purchase.card ? enterCard(world, purchase.card, session.amount_total! > 0) : null
  if (method) {
    const { fate, decline } = findChargeOutcome(world, method.id, true)
    if (fate === 'declined' && session.amount_total! > 0) throw createDecline(decline)
    if (fate === 'confirm' && !purchase.isConfirmed) return 'confirm'
  }
  complete(world, session, { ...purchase, email }, method)
  return 'complete'
}

export const needsCard = (session: Stripe.Checkout.Session) =>
  session.payment_method_collection !== 'if_required' || session.amount_total! > 0

export function readSessionEmail(world: StripeState, session: Stripe.Checkout.Session): string | null {
  const customer = world.find('customer', createId(session.customer))
  return customer && !customer.deleted ? customer.email : null
}

function complete(
  world: StripeState,
  session: Stripe.Checkout.Session,
  purchase: Purchase & { email: string },
  method: Stripe.PaymentMethod | null,
): void {
  const customer = findBuyer(world, session, purchase)
  if (method && customer) attachCard(world, method, customer)
  if (session.mode === 'subscription') subscribe(world, session, customer!, method?.id ?? null)
  else payOnce(world, session, customer, method!.id)
  session.status = 'complete'
  session.url = null
  session.customer = customer
  session.customer_details = {
    address: null,
    business_name: null,
    email: purchase.email,
    individual_name: null,
    name: purchase.name ?? null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  }
  world.emit('checkout.session.completed', session)
}

/** A session without a customer creates one; in payment mode only if requested. */
function findBuyer(world: StripeState, session: Stripe.Checkout.Session, { email, name }: Purchase): string | null {
  const known = createId(session.customer)
  const update = world.orders.get(session.id)!.customer_update
  if (!known) {
    // An invoice needs a customer.
    const isNeeded = session.customer_creation === 'always' || session.invoice_creation?.enabled
    if (session.mode === 'payment' && !isNeeded) return null
    return createCustomer(world, { email: email!, ...(name && { name }) }).id
  }
  const customer = world.find('customer', known) as Stripe.Customer
  if (name && update?.name === 'auto') {
    world.update('customer.updated', customer, () => {
      customer.name = name
    })
  }
  return known
}

function subscribe(
  world: StripeState,
  session: Stripe.Checkout.Session,
  customer: string,
  method: string | null,
): void {
  const data = world.orders.get(session.id)!.subscription_data
  const days = data?.trial_period_days
  const trialEnd = days ? world.now + days * DAY : (data?.trial_end ?? null)
  if (trialEnd && method) keepCard(world, method, customer)
  const { subscription, invoice } = startSubscription(world, {
    customer,
    items: listSessionLines(world, session.id).map(({ price, quantity }) => ({ price: price!, quantity: quantity! })),
    trialEnd,
    metadata: mergeMetadata(null, data?.metadata),
    description: data?.description ?? null,
    missingPaymentMethod: data?.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
    method,
    isTaxed: session.automatic_tax.enabled,
    payer: { method, isOwnerThere: true, isConfirmed: true },
  })
  session.subscription = subscription.id
  session.invoice = invoice.id
  session.payment_status = invoice.total === 0 ? 'no_payment_required' : 'paid'
}

function payOnce(world: StripeState, session: Stripe.Checkout.Session, customer: string | null, method: string): void {
  const data = world.orders.get(session.id)!.payment_intent_data
  const names = listSessionLines(world, session.id).map(({ description }) => description)
  const intent = openIntent(world, {
    amount: session.amount_total!,
    currency: session.currency!,
    customer,
    description: data?.description ?? names.join(', '),
    metadata: mergeMetadata(null, data?.metadata),
  })
  tryIntent(world, intent, { method, isOwnerThere: true, isConfirmed: true })
  session.payment_intent = intent.id
  session.payment_status = 'paid'
  if (session.invoice_creation?.enabled && customer) session.invoice = createPaymentInvoice(world, session, intent).id
}
