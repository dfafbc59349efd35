import { CREDIT_CURRENCY, creditPacks, MICROS } from '../../../shared/credits.ts'
import { parseCurrency } from '../../../shared/money.ts'
import type { PaymentStatus } from '../../../shared/payments.ts'
import type { CreditPayment } from '../credits/rules.ts'
import { dateOf, type SeenIntent, type SeenInvoice } from './seen.ts'

// A payment of the history, made of an invoice and of what was tried to collect it. Pure.

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

/** null: nothing was or is to be paid. `intents`: those of this invoice; `isFirst`: nothing was to be paid before for its subscription. */
export function paymentFrom(invoice: SeenInvoice, intents: readonly SeenIntent[], isFirst = false): Payment | null {
  const amountMinor = invoice.status === 'paid' ? invoice.amount_paid : invoice.amount_due
  const currency = parseCurrency(invoice.currency)
  if (invoice.status === null || invoice.status === 'draft' || amountMinor <= 0 || !currency) return null
  const refunded = intents.reduce((sum, { latest_charge: charge }) => sum + (charge?.amount_refunded ?? 0), 0)
  const refundMinor = Math.min(refunded, amountMinor)
  const status = statusOf(invoice, intents, refundMinor >= amountMinor)
  return {
    stripeInvoiceId: invoice.id,
    number: invoice.number,
    createdAt: dateOf(invoice.created),
    description: descriptionOf(invoice, isFirst),
    ...{ amountMinor, currency, refundMinor, status },
    failureReason: status === 'failed' ? failureOf(invoice, intents) : null,
    invoiceUrl: linkOf(invoice.hosted_invoice_url),
  }
}

function statusOf({ status }: SeenInvoice, intents: readonly SeenIntent[], isRefunded: boolean): PaymentStatus {
  if (status === 'paid') return isRefunded ? 'refunded' : 'succeeded'
  if (status === 'uncollectible' || intents.some((one) => one.last_payment_error)) return 'failed'
  return status === 'void' ? 'canceled' : 'pending'
}

/** One that was void after it was declined is not owed any more: what it was for was given up (decision 85). */
function failureOf({ status }: SeenInvoice, intents: readonly SeenIntent[]): string {
  const reason = reasonOf(intents) ?? 'The payment was not made.'
  return status === 'void' ? clipped(`${reason} Nothing is owed for it.`) : reason
}

/** Stripe's own words for whoever pays. */
export function reasonOf(intents: readonly SeenIntent[]): string | null {
  const said = intents.map(({ last_payment_error: error }) => error?.message?.trim()).find(Boolean)
  return said ? clipped(said) : null
}

const REASONS = new Map([
  ['subscription_create', 'Start of the subscription'],
  ['subscription_cycle', 'Renewal of the subscription'],
  ['subscription_update', 'Change of the plan'],
])

/** A change has a line for what is given back and one for what is charged, which say little by themselves. */
function descriptionOf({ description, lines, billing_reason: reason }: SeenInvoice, isFirst: boolean): string {
  const said = description?.trim() || (lines.length === 1 ? lines[0]!.description?.trim() : '')
  // The trial before it cost nothing, so it renews nothing that was paid.
  const known = isFirst && reason === 'subscription_cycle' ? FIRST : REASONS.get(reason ?? '')
  return clipped(said || known || 'Invoice')
}

const FIRST = 'First payment of the subscription'

/** The ids of invoices before which nothing was to be paid for their subscription. `invoices`: all of the customer. */
export function firstPayments(invoices: readonly SeenInvoice[]): Set<string> {
  const first = new Map<string, SeenInvoice>()
  for (const invoice of invoices) {
    const of = invoice.parent?.subscription_details?.subscription
    if (!of || invoice.status === 'draft' || Math.max(invoice.amount_due, invoice.amount_paid) <= 0) continue
    const known = first.get(of)
    if (!known || invoice.created < known.created) first.set(of, invoice)
  }
  return new Set([...first.values()].map(({ id }) => id))
}

/** The database refuses some of what no line needs. */
function clipped(text: string): string {
  const line = text.toWellFormed().replace(/\p{Cc}+/gu, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}

/** A link for people: of a web page, and nothing else. */
function linkOf(url: string | null | undefined): string | null {
  if (!url || url.length > 2_000 || !URL.canParse(url)) return null
  const { protocol, hostname } = new URL(url)
  const isOwnMachine = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isOwnMachine) ? url : null
}

/** Credits as Stripe has them: a payment says by its metadata for which account and which pack it is. */
export const CREDITS_OF = 'recoup_credits'

/** null: not for credits. `disputed`: what its bank has taken back, in cents. */
export function creditPaymentFrom(intent: SeenIntent, accountId: string, disputed: number): CreditPayment | null {
  const pack = creditPacks.find((one) => String(one) === intent.metadata[CREDITS_OF])
  if (pack === undefined || intent.metadata.account !== accountId) return null
  const { amount_received: received, currency, latest_charge: charge, status } = intent
  const isPaid = status === 'succeeded' && currency.toUpperCase() === CREDIT_CURRENCY && received >= pack * 100
  const granted = isPaid ? pack * MICROS : 0
  const back = Math.min(received, (charge?.amount_refunded ?? 0) + disputed)
  // Tax on top comes back in the same proportion.
  return { paymentId: intent.id, granted, returned: received === 0 ? 0 : Math.ceil((granted * back) / received) }
}
