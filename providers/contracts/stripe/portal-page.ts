import type Stripe from 'stripe'
import { enterCard } from './cards.ts'
import { attachCard, detachCard } from './customers.ts'
import { Refusal } from './errors.ts'
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
import { findProductName } from './lines.ts'
import { keepCard } from './payments.ts'
import type { StripeState } from './state.ts'
import { updateSubscription } from './subscriptions.ts'

// The billing portal: cards, subscriptions and invoices of one customer, as its configuration allows.

type Fields = Record<string, string>

export function renderPortalPage(world: StripeState, id: string, fields: Fields | null): PageAnswer {
  const session = world.find('billing_portal.session', id)
  const customer = world.find('customer', session?.customer)
  if (!session || !customer || customer.deleted) return renderPage('This session has expired', [], 404)
  const { features, business_profile } = world.find('billing_portal.configuration', session.configuration as string)!
  let refused: string | undefined
  if (fields) {
    try {
      runPortalAction(world, customer, features, fields)
      return { status: 303, location: `/p/session/${id}` }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused = error.message
    }
  }
  return renderPage(business_profile.headline ?? 'Manage your billing', [
    renderProblem(refused),
    '<h2>Subscriptions</h2>',
    ...listSubscriptions(world, customer.id).map((one) => renderSubscription(world, one, features)),
    '<h2>Payment methods</h2>',
    ...listCards(world, customer.id).map((one) => renderCards(one, customer, features)),
    features.payment_method_update.enabled &&
      renderForm([renderField('card', 'Card number')], 'Add payment method', { do: 'add' }),
    features.invoice_history.enabled && '<h2>Invoices</h2>',
    features.invoice_history.enabled && renderList(listInvoices(world, customer.id)),
    session.return_url && renderLink(session.return_url, 'Return'),
  ])
}

const listSubscriptions = (world: StripeState, customer: string) =>
  world.all('subscription').filter((one) => one.customer === customer && !one.ended_at)
const listCards = (world: StripeState, customer: string) =>
  world.all('payment_method').filter((one) => one.customer === customer)

const listInvoices = (world: StripeState, customer: string) =>
  world
    .all('invoice')
    .filter((one) => one.customer === customer && one.hosted_invoice_url)
    .map(
      (one) =>
        `<a href="${one.hosted_invoice_url}">${escapeHtml(one.number!)}</a> ${formatDollars(one.total)} ${one.status}`,
    )

type Features = Stripe.BillingPortal.Configuration.Features

function renderSubscription(world: StripeState, one: Stripe.Subscription, { subscription_cancel }: Features): string {
  const names = one.items.data.map(({ price }) => findProductName(world, price)).join(', ')
  const state = one.cancel_at === null ? one.status : 'ends with the period'
  const button = one.cancel_at === null ? 'Cancel subscription' : "Don't cancel subscription"
  const values = { do: one.cancel_at === null ? 'cancel' : 'keep', id: one.id }
  return renderParagraph(`${names}: ${state}`) + (subscription_cancel.enabled ? renderForm([], button, values) : '')
}

function renderCards(
  one: Stripe.PaymentMethod,
  customer: Stripe.Customer,
  { payment_method_update }: Features,
): string {
  const isDefault = customer.invoice_settings.default_payment_method === one.id
  const text = `${one.card!.brand} •••• ${one.card!.last4}${isDefault ? ' (default)' : ''}`
  return (
    renderParagraph(text) +
    (payment_method_update.enabled ? renderForm([], 'Remove', { do: 'remove', id: one.id }) : '')
  )
}

function runPortalAction(world: StripeState, customer: Stripe.Customer, features: Features, fields: Fields): void {
  const isCard = fields.do === 'add' || fields.do === 'remove'
  const isAllowed = isCard ? features.payment_method_update.enabled : features.subscription_cancel.enabled
  if (!isAllowed) throw new Refusal(400, { type: 'invalid_request_error', message: 'This is not allowed here.' })
  const card = listCards(world, customer.id).find(({ id }) => id === fields.id)
  const subscription = listSubscriptions(world, customer.id).find(({ id }) => id === fields.id)
  if (fields.do === 'add') addCard(world, customer, fields.card ?? '')
  if (fields.do === 'remove' && card) detachCard(world, card)
  if (!isCard && subscription) updateSubscription(world, subscription, { cancel_at_period_end: fields.do === 'cancel' })
}

/** Makes a new card the default of the customer, and of subscriptions that had a card of their own. */
function addCard(world: StripeState, customer: Stripe.Customer, number: string): void {
  const method = enterCard(world, number, false)
  attachCard(world, method, customer.id)
  keepCard(world, method.id, customer.id)
  world.update('customer.updated', customer, () => {
    customer.invoice_settings.default_payment_method = method.id
  })
  for (const one of listSubscriptions(world, customer.id)) {
    if (one.default_payment_method) updateSubscription(world, one, { default_payment_method: method.id })
  }
}
