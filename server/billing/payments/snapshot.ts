import type Stripe from 'stripe'
import type { z } from 'zod'
import type { Deps } from '../../deps.ts'
import type { CreditPayment } from '../credits/rules.ts'
import { findCounted, isLive, type StripeObjects } from './derive-rules.ts'
import { buildCreditPayment, buildPayment, findFirstPayments, type Payment } from './payment-rules.ts'
import { askStripe } from './stripe.ts'
import {
  StripeCard,
  StripeCustomer,
  StripeDisputes,
  StripeIntent,
  StripeInvoice,
  StripeSchedule,
  StripeSubscription,
  TAKES_NO_MONEY,
} from './stripe-schemas.ts'

// Fetches a snapshot of everything that Stripe has of a customer.

/** Limit per kind, newest first. Older payments were copied earlier. */
const MAX_PER_KIND = 300

export interface StripeSnapshot {
  /** The customer was deleted at Stripe with all its objects. */
  isDeleted: boolean
  seen: StripeObjects
  payments: Payment[]
  /** Payment intents of an invoice. */
  intentsOf: (invoice: StripeInvoice) => StripeIntent[]
  /** Fingerprints of the customer's cards; fetched during a trial. */
  fingerprints: string[]
  /** Disputed charges of the live subscription. */
  disputed: string[]
  /** Payments for credits. */
  credits: CreditPayment[]
}

type StripeDeps = Pick<Deps, 'stripe' | 'log'>

export async function fetchSnapshot(deps: StripeDeps, customer: string, accountId: string): Promise<StripeSnapshot> {
  const found = await askStripe(deps, (stripe) => stripe.customers.retrieve(customer).then(StripeCustomer.parse))
  if (found.deleted) return NOTHING
  const [subscriptions, invoices, intents] = await Promise.all([
    askStripe(deps, (stripe) =>
      all(stripe.subscriptions.list({ customer, status: 'all', limit: 100 })).then((list) =>
        list.map(readSubscription),
      ),
    ),
    askStripe(deps, (stripe) => all(stripe.invoices.list({ customer, limit: 100, expand: ['data.payments'] }))),
    askStripe(deps, (stripe) =>
      all(stripe.paymentIntents.list({ customer, limit: 100, expand: ['data.latest_charge'] })),
    ),
  ])
  const counted = findCounted(subscriptions)
  const readIntents = parseReadable(deps, StripeIntent, intents)
  const [schedule, fingerprints, credits] = await Promise.all([
    counted?.schedule ? readSchedule(deps, counted.schedule) : null,
    counted?.status === 'trialing' ? readFingerprints(deps, customer) : [],
    readCredits(deps, readIntents, accountId),
  ])
  const readable = parseReadable(deps, StripeInvoice, invoices)
  const byId = new Map(readIntents.map((intent) => [intent.id, intent]))
  const intentsOf = ({ payments = [] }: StripeInvoice) =>
    payments.flatMap(({ payment }) => byId.get(payment.payment_intent ?? '') ?? [])
  const live = counted && isLive(counted) ? counted.id : null
  // At the limit the oldest invoices are missing.
  const first = invoices.length < MAX_PER_KIND ? findFirstPayments(readable) : new Set<string>()
  const ofLive = readable.filter(({ parent }) => live && parent?.subscription_details?.subscription === live)
  return {
    isDeleted: false,
    seen: { subscriptions, invoices: readable, schedule, hasCard: hasCard(found) },
    payments: readable.flatMap((invoice) => buildPayment(invoice, intentsOf(invoice), first.has(invoice.id)) ?? []),
    intentsOf,
    fingerprints,
    credits,
    disputed: ofLive.flatMap(intentsOf).flatMap(({ latest_charge: one }) => (one?.disputed ? [one.id] : [])),
  }
}

const NOTHING: StripeSnapshot = {
  isDeleted: true,
  seen: { subscriptions: [], invoices: [], schedule: null, hasCard: false },
  payments: [],
  intentsOf: () => [],
  fingerprints: [],
  disputed: [],
  credits: [],
}

const all = <T extends { id: string }>(list: Stripe.ApiListPromise<T>) =>
  list.autoPagingToArray({ limit: MAX_PER_KIND })

const readSubscription = (one: unknown) => StripeSubscription.parse(one)

const readSchedule = (deps: StripeDeps, id: string) =>
  askStripe(deps, (stripe) =>
    stripe.subscriptionSchedules.retrieve(id, { expand: ['phases.items.price'] }).then(StripeSchedule.parse),
  )

/** Chargebacks are fetched only for disputed charges. */
function readCredits(deps: StripeDeps, intents: readonly StripeIntent[], accountId: string): Promise<CreditPayment[]> {
  const ofCredits = intents.filter((intent) => buildCreditPayment(intent, accountId, 0))
  return Promise.all(
    ofCredits.map(async (intent) => {
      const { latest_charge: charge } = intent
      const disputed = charge?.disputed ? await sumChargebacks(deps, charge.id) : 0
      return buildCreditPayment(intent, accountId, disputed)!
    }),
  )
}

async function sumChargebacks(deps: StripeDeps, charge: string): Promise<number> {
  const found = await askStripe(deps, (stripe) =>
    stripe.disputes.list({ charge, limit: 100 }).then(StripeDisputes.parse),
  )
  return found.filter(({ status }) => !TAKES_NO_MONEY.test(status)).reduce((sum, { amount }) => sum + amount, 0)
}

async function readFingerprints(deps: StripeDeps, customer: string): Promise<string[]> {
  const methods = await askStripe(deps, (stripe) => all(stripe.customers.listPaymentMethods(customer, { limit: 100 })))
  return parseReadable(deps, StripeCard, methods).flatMap(({ card }) => card?.fingerprint ?? [])
}

/** Skips unreadable objects: the plan does not depend on them. */
function parseReadable<T extends z.ZodType>(
  { log }: StripeDeps,
  schema: T,
  objects: readonly { id: string }[],
): z.infer<T>[] {
  return objects.flatMap((object) => {
    const { data, error } = schema.safeParse(object)
    if (error) log.warn({ id: object.id, fields: error.issues.map(({ path }) => path.join('.')) }, 'stripe.unreadable')
    return error ? [] : [data as z.infer<T>]
  })
}

const hasCard = ({ invoice_settings: settings, default_source: source }: Exclude<StripeCustomer, { deleted: true }>) =>
  settings.default_payment_method !== null || Boolean(source)
