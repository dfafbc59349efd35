import type Stripe from 'stripe'
import type { z } from 'zod'
import type { CreditPayment } from '../credits/rules.ts'
import type { Deps } from '../../deps.ts'
import { countedOf, isLive, type Seen } from './derive-rules.ts'
import { creditPaymentFrom, firstPayments, type Payment, paymentFrom } from './payment-rules.ts'
import {
  GIVES_BACK,
  SeenCard,
  SeenCustomer,
  SeenDisputes,
  SeenIntent,
  SeenInvoice,
  SeenSchedule,
  SeenSubscription,
} from './seen.ts'
import { askStripe } from './stripe.ts'

// One look at all that Stripe has of a customer.

/** The newest of each kind. Older payments were copied when they were new. */
const MOST = 300

export interface Look {
  /** Somebody has deleted the customer at Stripe, and with it what it had. */
  isDeleted: boolean
  seen: Seen
  payments: Payment[]
  /** The intents of each invoice. */
  intentsOf: (invoice: SeenInvoice) => SeenIntent[]
  /** Of the customer's cards; asked for while a trial runs. */
  fingerprints: string[]
  /** Charges of the subscription that lives which its bank has questioned. */
  disputed: string[]
  /** Payments for credits. */
  credits: CreditPayment[]
}

type Asking = Pick<Deps, 'stripe' | 'log'>

export async function lookAt(deps: Asking, customer: string, accountId: string): Promise<Look> {
  const found = await askStripe(deps, (stripe) => stripe.customers.retrieve(customer).then(SeenCustomer.parse))
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
  const counted = countedOf(subscriptions)
  const readIntents = readableOf(deps, SeenIntent, intents)
  const [schedule, fingerprints, credits] = await Promise.all([
    counted?.schedule ? readSchedule(deps, counted.schedule) : null,
    counted?.status === 'trialing' ? readFingerprints(deps, customer) : [],
    readCredits(deps, readIntents, accountId),
  ])
  const readable = readableOf(deps, SeenInvoice, invoices)
  const byId = new Map(readIntents.map((intent) => [intent.id, intent]))
  const intentsOf = ({ payments = [] }: SeenInvoice) =>
    payments.flatMap(({ payment }) => byId.get(payment.payment_intent ?? '') ?? [])
  const live = counted && isLive(counted) ? counted.id : null
  // Of more than are asked for the oldest are not here.
  const first = invoices.length < MOST ? firstPayments(readable) : new Set<string>()
  const ofLive = readable.filter(({ parent }) => live && parent?.subscription_details?.subscription === live)
  return {
    isDeleted: false,
    seen: { subscriptions, invoices: readable, schedule, hasCard: hasCard(found) },
    payments: readable.flatMap((invoice) => paymentFrom(invoice, intentsOf(invoice), first.has(invoice.id)) ?? []),
    intentsOf,
    fingerprints,
    credits,
    disputed: ofLive.flatMap(intentsOf).flatMap(({ latest_charge: one }) => (one?.disputed ? [one.id] : [])),
  }
}

const NOTHING: Look = {
  isDeleted: true,
  seen: { subscriptions: [], invoices: [], schedule: null, hasCard: false },
  payments: [],
  intentsOf: () => [],
  fingerprints: [],
  disputed: [],
  credits: [],
}

const all = <T extends { id: string }>(list: Stripe.ApiListPromise<T>) => list.autoPagingToArray({ limit: MOST })

const readSubscription = (one: unknown) => SeenSubscription.parse(one)

const readSchedule = (deps: Asking, id: string) =>
  askStripe(deps, (stripe) =>
    stripe.subscriptionSchedules.retrieve(id, { expand: ['phases.items.price'] }).then(SeenSchedule.parse),
  )

/** What a bank has taken back is asked for where it has questioned something. */
function readCredits(deps: Asking, intents: readonly SeenIntent[], accountId: string): Promise<CreditPayment[]> {
  const ofCredits = intents.filter((intent) => creditPaymentFrom(intent, accountId, 0))
  return Promise.all(
    ofCredits.map(async (intent) => {
      const { latest_charge: charge } = intent
      const disputed = charge?.disputed ? await takenBack(deps, charge.id) : 0
      return creditPaymentFrom(intent, accountId, disputed)!
    }),
  )
}

async function takenBack(deps: Asking, charge: string): Promise<number> {
  const found = await askStripe(deps, (stripe) => stripe.disputes.list({ charge, limit: 100 }).then(SeenDisputes.parse))
  return found.filter(({ status }) => !GIVES_BACK.test(status)).reduce((sum, { amount }) => sum + amount, 0)
}

async function readFingerprints(deps: Asking, customer: string): Promise<string[]> {
  const methods = await askStripe(deps, (stripe) => all(stripe.customers.listPaymentMethods(customer, { limit: 100 })))
  return readableOf(deps, SeenCard, methods).flatMap(({ card }) => card?.fingerprint ?? [])
}

/** One that cannot be read is left out: the plan does not hang on it. */
function readableOf<T extends z.ZodType>({ log }: Asking, schema: T, objects: readonly { id: string }[]): z.infer<T>[] {
  return objects.flatMap((object) => {
    const { data, error } = schema.safeParse(object)
    if (error) log.warn({ id: object.id, fields: error.issues.map(({ path }) => path.join('.')) }, 'stripe.unreadable')
    return error ? [] : [data as z.infer<T>]
  })
}

const hasCard = ({ invoice_settings: settings, default_source: source }: Exclude<SeenCustomer, { deleted: true }>) =>
  settings.default_payment_method !== null || Boolean(source)
