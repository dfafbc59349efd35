import type Stripe from 'stripe'
import { findProblems } from './check.ts'
import { API_VERSION } from './declarations.ts'
import { createMissingError } from './errors.ts'
import { findDeclaredSchema } from './schema.ts'

/** Stripe's objects, by their `object` field. */
export interface Kinds {
  'billing_portal.configuration': Stripe.BillingPortal.Configuration
  'billing_portal.session': Stripe.BillingPortal.Session
  charge: Stripe.Charge
  'checkout.session': Stripe.Checkout.Session
  customer: Stripe.Customer | Stripe.DeletedCustomer
  dispute: Stripe.Dispute
  event: Stripe.Event
  invoice: Stripe.Invoice
  invoice_payment: Stripe.InvoicePayment
  payment_intent: Stripe.PaymentIntent
  payment_method: Stripe.PaymentMethod
  price: Stripe.Price
  product: Stripe.Product
  refund: Stripe.Refund
  setup_intent: Stripe.SetupIntent
  subscription: Stripe.Subscription
  subscription_schedule: Stripe.SubscriptionSchedule
  webhook_endpoint: Stripe.WebhookEndpoint
}
export type Kind = keyof Kinds

export interface Settings {
  /** Base URL of the server and its pages. */
  url: string
  /** Days from a failed attempt to the next one. */
  retryDays: readonly number[]
  /** What happens to a subscription after its last failed attempt. */
  afterRetries: 'cancel' | 'unpaid' | 'past_due'
  /** Tax rate on top, where automatic tax is on. */
  taxPercent: number
}

type Fields = Record<string, unknown>

export const DAY = 86_400

export class StripeState {
  /** Unix time in seconds. */
  now: number
  readonly settings: Settings
  /** Emits an event to listeners. */
  onEvent: (event: Stripe.Event) => void = () => {}
  /** Replies and events that did not match Stripe's declarations. */
  readonly faults: string[] = []
  /** The request in progress. */
  request: { id: string; idempotencyKey: string | null } | null = null
  /** Parameters of each session: its object does not have all of them. */
  readonly orders = new Map<string, Stripe.Checkout.SessionCreateParams>()
  readonly notes = new Map<string, Fields>()
  private readonly tables = new Map<Kind, Map<string, Fields>>()
  private idCount = 0

  constructor(now: Date, settings: Settings) {
    this.now = Math.floor(now.getTime() / 1000)
    this.settings = settings
  }

  id(prefix: string): string {
    this.idCount++
    return `${prefix}_${'1RcpContract'.slice(0, 8)}${this.idCount.toString(36).toUpperCase().padStart(8, '0')}`
  }

  put<K extends Kind>(kind: K, object: Kinds[K]): Kinds[K] {
    this.table(kind).set((object as { id: string }).id, object as unknown as Fields)
    return object
  }

  /** Objects of a kind, oldest first. */
  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.table(kind).values()] as unknown as Kinds[K][]
  }

  find<K extends Kind>(kind: K, id: string | null | undefined): Kinds[K] | undefined {
    return id ? (this.table(kind).get(id) as unknown as Kinds[K] | undefined) : undefined
  }

  /** Finds an object. `param`: the parameter that names it; `id` is the one in the path. */
  need<K extends Kind>(kind: K, id: string, param = 'id', noun = kind.replace(/^.*\./, '')): Kinds[K] {
    const found = this.find(kind, id)
    if (!found) throw createMissingError(noun, id, param, param === 'id' ? 404 : 400)
    return found
  }

  remove(kind: Kind, id: string): void {
    this.table(kind).delete(id)
  }

  byId(id: string): object | undefined {
    for (const table of this.tables.values()) {
      const found = table.get(id)
      if (found) return found
    }
    return undefined
  }

  /** A field that an object has only when `expand` asks for it. */
  includable(object: Fields, name: string): unknown {
    const buildUrl = (of: string) => `/v1/${of}`
    if (object.object === 'invoice' && name === 'payments') {
      return listObjects(
        this.all('invoice_payment').filter(({ invoice }) => invoice === object.id),
        buildUrl('invoice_payments'),
      )
    }
    if (object.object === 'customer' && name === 'subscriptions') {
      const live = this.all('subscription').filter(({ customer, ended_at }) => customer === object.id && !ended_at)
      return listObjects(live, buildUrl(`customers/${object.id}/subscriptions`))
    }
    if (object.object === 'checkout.session' && name === 'line_items')
      return this.notes.get(String(object.id))?.lineItems
    return undefined
  }

  private table(kind: Kind): Map<string, Fields> {
    const table = this.tables.get(kind) ?? new Map<string, Fields>()
    this.tables.set(kind, table)
    return table
  }

  emit(type: Stripe.Event['type'], object: object, before?: object): void {
    const event = {
      id: this.id('evt'),
      object: 'event',
      api_version: API_VERSION,
      created: this.now,
      livemode: false,
      pending_webhooks: this.table('webhook_endpoint').size,
      request: this.request
        ? { id: this.request.id, idempotency_key: this.request.idempotencyKey }
        : { id: null, idempotency_key: null },
      type,
      data: { object: structuredClone(object), ...(before && { previous_attributes: before }) },
    }
    const name = `${type
      .split(/[._]/)
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join('')}Event`
    this.check(`event ${type}`, findProblems(event, findDeclaredSchema('Events', name)))
    this.onEvent(this.put('event', event as unknown as Stripe.Event))
  }

  /** Changes an object and emits an event with the previous values of changed fields. */
  update<T extends object>(type: Stripe.Event['type'], object: T, change: (object: T) => void): void {
    const before = structuredClone(object) as Fields
    change(object)
    const after = object as Fields
    const different = Object.keys({ ...before, ...after }).filter(
      (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
    )
    if (different.length > 0) {
      this.emit(type, object, Object.fromEntries(different.map((key) => [key, before[key] ?? null])))
    }
  }

  check(what: string, problems: string[]): void {
    if (problems.length === 0) return
    const fault = `${what}: ${problems.slice(0, 5).join('; ')}`
    this.faults.push(fault)
    throw new Error(`The contract server's own fault: ${fault}`)
  }
}

export const listObjects = <T>(data: T[], url: string, hasMore = false) => ({
  object: 'list' as const,
  data,
  has_more: hasMore,
  url,
})

/** Returns the id of an id or an object. */
export const createId = (one: string | { id: string } | null | undefined): string | null =>
  typeof one === 'string' ? one : (one?.id ?? null)
