import { CREDIT_CURRENCY, creditPacks, MICROS } from '../../../shared/billing/credits.ts'
import type { PaymentStatus } from '../../../shared/billing/payments.ts'
import { parseCurrency } from '../../../shared/core/money.ts'
import type { CreditPayment } from '../credits/public.ts'
import { type StripeIntent, type StripeInvoice, toDate } from './stripe-schemas.ts'

// Builds a payment of the history from an invoice and its payment attempts. Pure.

export interface Payment {
  stripeInvoiceId: string
  number: string | null
  createdAt: Date
  description: string
  amountMinor: number
  currency: string
  refundMinor: number
  failureReason: string | null
  status: PaymentStatus
  invoiceUrl: string | null
}

const LONGEST = 200

/**
 * null: nothing was or is due. `intents`: those of this invoice; `isFirst`: nothing was due before for its
 * subscription.
 */
export function buildPayment(
  invoice: StripeInvoice,
  intents: readonly StripeIntent[],
  isFirst = false,
): Payment | null {
  const amountMinor = invoice.status === 'paid' ? invoice.amount_paid : invoice.amount_due
  const currency = parseCurrency(invoice.currency)
  if (invoice.status === null || invoice.status === 'draft' || amountMinor <= 0 || !currency) return null
  const refunded = intents.reduce((sum, { latest_charge: charge }) => sum + (charge?.amount_refunded ?? 0), 0)
  const refundMinor = Math.min(refunded, amountMinor)
  const status = derivePaymentStatus(invoice, intents, refundMinor >= amountMinor)
  return {
    stripeInvoiceId: invoice.id,
    number: invoice.number,
    createdAt: toDate(invoice.created),
    description: describePayment(invoice, isFirst),
    amountMinor,
    currency,
    refundMinor,
    status,
    failureReason: status === 'failed' ? describeFailure(invoice, intents) : null,
    invoiceUrl: readLink(invoice.hosted_invoice_url),
  }
}

function derivePaymentStatus(
  { status }: StripeInvoice,
  intents: readonly StripeIntent[],
  isRefunded: boolean,
): PaymentStatus {
  if (status === 'paid') return isRefunded ? 'refunded' : 'succeeded'
  if (status === 'uncollectible' || intents.some((one) => one.last_payment_error)) return 'failed'
  return status === 'void' ? 'canceled' : 'pending'
}

/** An invoice voided after a decline is no longer owed: its change was given up (decision 85). */
function describeFailure({ status }: StripeInvoice, intents: readonly StripeIntent[]): string {
  const reason = findReason(intents) ?? 'The payment did not go through.'
  return status === 'void' ? shorten(`${reason} You owe nothing for it.`) : reason
}

/** Stripe's own text for the payer. */
export function findReason(intents: readonly StripeIntent[]): string | null {
  const message = intents.map(({ last_payment_error: error }) => error?.message?.trim()).find(Boolean)
  return message ? shorten(message) : null
}

const REASONS = new Map([
  ['subscription_create', 'Start of the subscription'],
  ['subscription_cycle', 'Renewal of the subscription'],
  ['subscription_update', 'Change of the plan'],
])

/** A change has one line for the credit and one for the charge, neither of which describes it. */
function describePayment({ description, lines, billing_reason: reason }: StripeInvoice, isFirst: boolean): string {
  const label = description?.trim() || (lines.length === 1 ? lines[0]!.description?.trim() : '')
  // The trial before it was free, so this is not a renewal.
  const known = isFirst && reason === 'subscription_cycle' ? FIRST : REASONS.get(reason ?? '')
  return shorten(label || known || 'Invoice')
}

const FIRST = 'First payment of the subscription'

/** Ids of invoices that were the first to pay for their subscription. `invoices`: all of the customer. */
export function findFirstPayments(invoices: readonly StripeInvoice[]): Set<string> {
  const first = new Map<string, StripeInvoice>()
  for (const invoice of invoices) {
    const of = invoice.parent?.subscription_details?.subscription
    if (!of || invoice.status === 'draft' || Math.max(invoice.amount_due, invoice.amount_paid) <= 0) continue
    const known = first.get(of)
    if (!known || invoice.created < known.created) first.set(of, invoice)
  }
  return new Set([...first.values()].map(({ id }) => id))
}

/** Removes characters that the database refuses and shortens the text. */
function shorten(text: string): string {
  const line = text.toWellFormed().replace(/\p{Cc}+/gu, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}

/** Accepts web URLs only. */
function readLink(url: string | null | undefined): string | null {
  if (!url || url.length > 2_000 || !URL.canParse(url)) return null
  const { protocol, hostname } = new URL(url)
  const isOwnMachine = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isOwnMachine) ? url : null
}

/** Metadata key of a credits payment: names the pack; the account is in the metadata too. */
export const CREDITS_METADATA = 'recoup_credits'

/** null: not for credits. `disputed`: amount taken back by the bank, in cents. */
export function buildCreditPayment(intent: StripeIntent, accountId: string, disputed: number): CreditPayment | null {
  const pack = creditPacks.find((one) => String(one) === intent.metadata[CREDITS_METADATA])
  if (pack === undefined || intent.metadata.account !== accountId) return null
  const { amount_received: received, currency, latest_charge: charge, status } = intent
  const isPaid = status === 'succeeded' && currency.toUpperCase() === CREDIT_CURRENCY && received >= pack * 100
  const granted = isPaid ? pack * MICROS : 0
  const back = Math.min(received, (charge?.amount_refunded ?? 0) + disputed)
  // The tax is refunded in the same proportion.
  return { paymentId: intent.id, granted, returned: received === 0 ? 0 : Math.ceil((granted * back) / received) }
}
