import type Stripe from 'stripe'
import type { ApiRequest } from './api.ts'
import { buy, emailOf, needsCard } from './buying.ts'
import { enterCard } from './cards.ts'
import { linesOf } from './checkout.ts'
import { attach } from './customers.ts'
import { decodeForm } from './form.ts'
import { dollars, escaped, field, form, link, type PageAnswer, pageOf, paragraph, problem, rows } from './html.ts'
import { collect, intentOf, subscriptionOf } from './invoicing.ts'
import { portalPage } from './portal-page.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

// The pages that Stripe shows to a buyer: a checkout session, an invoice, the billing portal.

type Fields = Record<string, string>

export function answerPage(world: World, request: ApiRequest): PageAnswer {
  const [, kind, id] = /^\/(c\/pay|i|p\/session)\/(\w+)$/.exec(request.path) ?? []
  const said = request.method === 'POST' ? (decodeForm(request.body) as Fields) : null
  if (kind === 'c/pay') return checkoutPage(world, id!, said)
  if (kind === 'i') return invoicePage(world, id!, said)
  if (kind === 'p/session') return portalPage(world, id!, said)
  return pageOf('Page not found', [], 404)
}

/** What Stripe tells the buyer, or undefined when it was done. */
export function refusedWords(act: () => void): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function checkoutPage(world: World, id: string, said: Fields | null): PageAnswer {
  const session = world.find('checkout.session', id)
  if (!session) return pageOf('Something went wrong', [paragraph('This page could not be found.')], 404)
  if (session.status !== 'open') return pageOf('This session is over', [paragraph(`It is ${session.status}.`)], 410)
  if (!said) return checkoutForm(world, session)
  if (said.bank === 'no') return checkoutForm(world, session, 'We are unable to authenticate your payment method.')
  let outcome = ''
  const { card, email, name } = said
  const refused = refusedWords(() => {
    outcome = buy(world, id, {
      ...(card && { card }),
      ...(email && { email }),
      ...(name && { name }),
      isConfirmed: said.bank === 'yes',
    })
  })
  if (refused) return checkoutForm(world, session, refused)
  if (outcome === 'complete')
    return { status: 303, location: session.success_url!.replaceAll('{CHECKOUT_SESSION_ID}', id) }
  return pageOf('Your bank asks', [
    paragraph('Complete the payment of your card.'),
    form([], 'Complete', { ...said, bank: 'yes' }),
    form([], 'Fail', { bank: 'no' }),
  ])
}

function checkoutForm(world: World, session: Stripe.Checkout.Session, refused?: string): PageAnswer {
  const days = world.orders.get(session.id)!.subscription_data?.trial_period_days
  const email = session.customer_email ?? emailOf(world, session)
  const lines = linesOf(world, session.id).map(({ description, quantity, amount_total, price }) => {
    const every = price?.recurring ? ` per ${price.recurring.interval}` : ''
    return `${quantity} × ${escaped(description!)} ${dollars(amount_total)}${every}`
  })
  const button = days ? 'Start trial' : session.mode === 'subscription' ? 'Subscribe' : 'Pay'
  return pageOf('Checkout', [
    rows(lines),
    days ? paragraph(`${days} days free`) : null,
    paragraph(`Total due today ${dollars(session.amount_total!)}`),
    problem(refused),
    form(
      [
        email ? paragraph(email) : field('email', 'Email'),
        needsCard(session) && field('card', 'Card number'),
        needsCard(session) && field('name', 'Cardholder name'),
      ],
      button,
    ),
    session.cancel_url && link(session.cancel_url, 'Back'),
  ])
}

function invoicePage(world: World, id: string, said: Fields | null): PageAnswer {
  const invoice = world.find('invoice', id)
  if (!invoice || invoice.status === 'draft') return pageOf('Invoice not found', [], 404)
  const refused = said ? refusedWords(() => payInvoice(world, invoice, said)) : undefined
  if (said && !refused) return { status: 303, location: `/i/${id}` }
  const isAsked = intentOf(world, invoice)?.status === 'requires_action'
  return pageOf(`Invoice ${invoice.number}`, [
    rows(invoice.lines.data.map(({ description, amount }) => `${escaped(description ?? '')} ${dollars(amount)}`)),
    paragraph(`Total ${dollars(invoice.total)}`),
    paragraph(`Amount due ${dollars(invoice.amount_remaining)}`),
    paragraph(`Status: ${invoice.status}`),
    problem(refused),
    invoice.status === 'open' && isAsked && form([], 'Confirm payment', { bank: 'yes' }),
    invoice.status === 'open' && form([field('card', 'Card number')], 'Pay invoice'),
  ])
}

/** A card that pays is kept for the subscription; one that does not is not. */
function payInvoice(world: World, invoice: Stripe.Invoice, said: Fields): void {
  if (invoice.status !== 'open')
    throw new Refusal(400, { type: 'invalid_request_error', message: `This invoice is ${invoice.status}.` })
  const intent = intentOf(world, invoice)!
  if (said.bank === 'yes') {
    collect(world, invoice, { method: intent.payment_method as string, isOwnerThere: true, isConfirmed: true })
    return
  }
  const method = enterCard(world, said.card ?? '', true)
  attach(world, method, invoice.customer as string)
  const outcome = collect(world, invoice, { method: method.id, isOwnerThere: true })
  if (outcome === 'declined')
    throw new Refusal(402, { type: 'card_error', message: intent.last_payment_error!.message! })
  const subscription = subscriptionOf(world, invoice)
  if (outcome !== 'paid' || !subscription || subscription.ended_at) return
  world.update('customer.subscription.updated', subscription, () => {
    subscription.default_payment_method = method.id
  })
}
