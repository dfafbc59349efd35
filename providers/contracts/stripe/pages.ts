import type Stripe from 'stripe'
import type { ApiRequest } from './api.ts'
import { completePurchase, needsCard, readSessionEmail } from './buying.ts'
import { enterCard } from './cards.ts'
import { listSessionLines } from './checkout.ts'
import { attachCard } from './customers.ts'
import { Refusal } from './errors.ts'
import { decodeForm } from './form.ts'
import {
  escapeHtml,
  formatDollars,
  type PageAnswer,
  renderField,
  renderForm,
  renderLink,
  renderList,
  renderPage,
  renderParagraph,
  renderProblem,
} from './html.ts'
import { collectInvoice, findIntent, findSubscription } from './invoicing.ts'
import { renderPortalPage } from './portal-page.ts'
import type { StripeState } from './state.ts'

// Pages that Stripe shows to a buyer: a checkout session, an invoice, the billing portal.

type Fields = Record<string, string>

export function servePage(world: StripeState, request: ApiRequest): PageAnswer {
  const [, kind, id] = /^\/(c\/pay|i|p\/session)\/(\w+)$/.exec(request.path) ?? []
  const fields = request.method === 'POST' ? (decodeForm(request.body) as Fields) : null
  if (kind === 'c/pay') return serveCheckoutPage(world, id!, fields)
  if (kind === 'i') return serveInvoicePage(world, id!, fields)
  if (kind === 'p/session') return renderPortalPage(world, id!, fields)
  return renderPage('Page not found', [], 404)
}

/** Runs an action; returns the error that Stripe shows the buyer, or undefined. */
export function readRefusal(act: () => void): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function serveCheckoutPage(world: StripeState, id: string, fields: Fields | null): PageAnswer {
  const session = world.find('checkout.session', id)
  if (!session) return renderPage('Something went wrong', [renderParagraph('This page could not be found.')], 404)
  if (session.status !== 'open')
    return renderPage('This session is over', [renderParagraph(`It is ${session.status}.`)], 410)
  if (!fields) return renderCheckoutForm(world, session)
  if (fields.bank === 'no')
    return renderCheckoutForm(world, session, 'We are unable to authenticate your payment method.')
  let outcome = ''
  const { card, email, name } = fields
  const refused = readRefusal(() => {
    outcome = completePurchase(world, id, {
      ...(card && { card }),
      ...(email && { email }),
      ...(name && { name }),
      isConfirmed: fields.bank === 'yes',
    })
  })
  if (refused) return renderCheckoutForm(world, session, refused)
  if (outcome === 'complete')
    return { status: 303, location: session.success_url!.replaceAll('{CHECKOUT_SESSION_ID}', id) }
  return renderPage('Your bank asks', [
    renderParagraph('Complete the payment of your card.'),
    renderForm([], 'Complete', { ...fields, bank: 'yes' }),
    renderForm([], 'Fail', { bank: 'no' }),
  ])
}

function renderCheckoutForm(world: StripeState, session: Stripe.Checkout.Session, refused?: string): PageAnswer {
  const days = world.orders.get(session.id)!.subscription_data?.trial_period_days
  const email = session.customer_email ?? readSessionEmail(world, session)
  const lines = listSessionLines(world, session.id).map(({ description, quantity, amount_total, price }) => {
    const every = price?.recurring ? ` per ${price.recurring.interval}` : ''
    return `${quantity} × ${escapeHtml(description!)} ${formatDollars(amount_total)}${every}`
  })
  const button = days ? 'Start trial' : session.mode === 'subscription' ? 'Subscribe' : 'Pay'
  return renderPage('Checkout', [
    renderList(lines),
    days ? renderParagraph(`${days} days free`) : null,
    renderParagraph(`Total due today ${formatDollars(session.amount_total!)}`),
    renderProblem(refused),
    renderForm(
      [
        email ? renderParagraph(email) : renderField('email', 'Email'),
        needsCard(session) && renderField('card', 'Card number'),
        needsCard(session) && renderField('name', 'Cardholder name'),
      ],
      button,
    ),
    session.cancel_url && renderLink(session.cancel_url, 'Back'),
  ])
}

function serveInvoicePage(world: StripeState, id: string, fields: Fields | null): PageAnswer {
  const invoice = world.find('invoice', id)
  if (!invoice || invoice.status === 'draft') return renderPage('Invoice not found', [], 404)
  const refused = fields ? readRefusal(() => payInvoice(world, invoice, fields)) : undefined
  if (fields && !refused) return { status: 303, location: `/i/${id}` }
  const needsConfirmation = findIntent(world, invoice)?.status === 'requires_action'
  return renderPage(`Invoice ${invoice.number}`, [
    renderList(
      invoice.lines.data.map(({ description, amount }) => `${escapeHtml(description ?? '')} ${formatDollars(amount)}`),
    ),
    renderParagraph(`Total ${formatDollars(invoice.total)}`),
    renderParagraph(`Amount due ${formatDollars(invoice.amount_remaining)}`),
    renderParagraph(`Status: ${invoice.status}`),
    renderProblem(refused),
    invoice.status === 'open' && needsConfirmation && renderForm([], 'Confirm payment', { bank: 'yes' }),
    invoice.status === 'open' && renderForm([renderField('card', 'Card number')], 'Pay invoice'),
  ])
}

/** Saves a card for the subscription if its payment succeeds. */
function payInvoice(world: StripeState, invoice: Stripe.Invoice, fields: Fields): void {
  if (invoice.status !== 'open')
    throw new Refusal(400, { type: 'invalid_request_error', message: `This invoice is ${invoice.status}.` })
  const intent = findIntent(world, invoice)!
  if (fields.bank === 'yes') {
    collectInvoice(world, invoice, { method: intent.payment_method as string, isOwnerThere: true, isConfirmed: true })
    return
  }
  const method = enterCard(world, fields.card ?? '', true)
  attachCard(world, method, invoice.customer as string)
  const outcome = collectInvoice(world, invoice, { method: method.id, isOwnerThere: true })
  if (outcome === 'declined')
    throw new Refusal(402, { type: 'card_error', message: intent.last_payment_error!.message! })
  const subscription = findSubscription(world, invoice)
  if (outcome !== 'paid' || !subscription || subscription.ended_at) return
  world.update('customer.subscription.updated', subscription, () => {
    subscription.default_payment_method = method.id
  })
}
