import type Stripe from 'stripe'
import { createCardError, createDecline } from './cards.ts'
import { applyItemChanges, type ChangePlan, type ChangeRequest, findRecurringPrice, planChange } from './changes.ts'
import { assertOwnCard, requireCustomer } from './customers.ts'
import { createInvalidError, createMissingError } from './errors.ts'
import type { Call, Handlers } from './handlers.ts'
import { buildInvoice, collectInvoice, finalizeInvoice, findCard, openDraft } from './invoicing.ts'
import type { LineDraft } from './lines.ts'
import { type ListParams, listKind, mergeMetadata } from './lists.ts'
import { predictOutcome } from './payments.ts'
import { applyPlan, savePendingUpdate } from './pending.ts'
import { findCurrentPeriod } from './periods.ts'
import { recordInPhase } from './phase-items.ts'
import { DAY, type StripeState } from './state.ts'
import { startSubscription } from './subscription-start.ts'
import { endSubscription } from './subscription-status.ts'
import { assertSupported } from './supported.ts'

// Subscriptions in the API.

type Update = Stripe.SubscriptionUpdateParams

export const subscriptions: Handlers = {
  'Subscriptions.create': ({ world, params }: Call<Stripe.SubscriptionCreateParams>) => create(world, params),
  'Subscriptions.retrieve': ({ world, id }: Call<unknown>) => world.need('subscription', id),
  'Subscriptions.list': ({ world, params }: Call<Stripe.SubscriptionListParams>) => list(world, params),
  'Subscriptions.update': ({ world, id, params }: Call<Update>) => {
    const subscription = world.need('subscription', id)
    updateSubscription(world, subscription, params)
    recordInPhase(world, subscription)
    return subscription
  },
  'Subscriptions.cancel': ({ world, id, params }: Call<Stripe.SubscriptionCancelParams>) => {
    assertSupported(params, ['cancellation_details', 'expand'])
    const subscription = world.need('subscription', id)
    if (subscription.ended_at) throw createMissingError('subscription', id, 'id', 404)
    setDetails(subscription, params.cancellation_details)
    endSubscription(world, subscription, 'cancellation_requested')
    return subscription
  },
}

function list(world: StripeState, { status, price, ...rest }: Stripe.SubscriptionListParams) {
  assertSupported({ ...rest }, ['customer', 'created', 'ending_before', 'expand', 'limit', 'starting_after'])
  const isEnded = (one: Stripe.Subscription) => ['canceled', 'incomplete_expired'].includes(one.status)
  const isMeant = (one: Stripe.Subscription) => {
    if (status === 'all') return true
    if (status === 'ended') return isEnded(one)
    return status ? one.status === status : one.status !== 'canceled'
  }
  return listKind(
    world,
    'subscription',
    rest as ListParams & Record<string, unknown>,
    ['customer'],
    (one) => isMeant(one) && (!price || one.items.data.some((item) => item.price.id === price)),
  )
}

function create(world: StripeState, params: Stripe.SubscriptionCreateParams): Stripe.Subscription {
  assertSupported(params, [
    'automatic_tax',
    'customer',
    'default_payment_method',
    'description',
    'expand',
    'items',
    'metadata',
    'off_session',
    'payment_behavior',
    'trial_end',
    'trial_period_days',
    'trial_settings',
  ])
  const customer = requireCustomer(world, params.customer!)
  const method = params.default_payment_method ?? (customer.invoice_settings.default_payment_method as string | null)
  if (params.default_payment_method)
    assertOwnCard(world, params.default_payment_method, customer.id, 'default_payment_method')
  const items = (params.items ?? []).map(({ price, quantity }, at) => ({
    price: findRecurringPrice(world, price!, `items[${at}][price]`),
    quantity: quantity ?? 1,
  }))
  if (items.length === 0) throw createInvalidError('Missing required param: items.', 'items', 'parameter_missing')
  applyItemChanges(world, [], params.items as [], items[0]!.price.currency)
  const days = params.trial_period_days
  const trialEnd = days ? world.now + days * DAY : typeof params.trial_end === 'number' ? params.trial_end : null
  if (!method && !trialEnd) {
    throw createInvalidError(
      'This customer has no attached payment source or default payment method.',
      undefined,
      'resource_missing',
    )
  }
  const { subscription } = startSubscription(world, {
    customer: customer.id,
    items,
    trialEnd,
    metadata: mergeMetadata(null, params.metadata),
    description: params.description ?? null,
    missingPaymentMethod: params.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
    method: params.default_payment_method ?? null,
    isTaxed: params.automatic_tax?.enabled ?? false,
    payer: { method, isOwnerThere: false },
  })
  return subscription
}

const UPDATES: (keyof Update)[] = [
  'automatic_tax',
  'billing_cycle_anchor',
  'cancel_at',
  'cancel_at_period_end',
  'cancellation_details',
  'default_payment_method',
  'description',
  'expand',
  'items',
  'metadata',
  'off_session',
  'payment_behavior',
  'proration_behavior',
  'proration_date',
  'trial_end',
  'trial_settings',
]

/** Parameters allowed with a pending change (docs.stripe.com/billing/subscriptions/pending-updates-reference). */
const WITH_PENDING: (keyof Update)[] = [
  'billing_cycle_anchor',
  'expand',
  'items',
  'off_session',
  'payment_behavior',
  'proration_behavior',
  'proration_date',
  'trial_end',
]

export function updateSubscription(world: StripeState, subscription: Stripe.Subscription, params: Update): void {
  assertSupported(params, UPDATES)
  assertUpdate(world, subscription, params)
  const isChange = params.items || params.trial_end !== undefined || params.billing_cycle_anchor?.type === 'now'
  const plan = isChange ? planChange(world, subscription, params as unknown as ChangeRequest) : null
  if (!plan) {
    world.update('customer.subscription.updated', subscription, () => setFields(world, subscription, params))
    return
  }
  const lines = [...plan.prorations, ...plan.newPeriod]
  if (params.trial_end === 'now' && subscription.status === 'trialing') {
    world.emit('customer.subscription.trial_will_end', subscription)
  }
  change(world, subscription, { params, plan, lines })
}

function assertUpdate(world: StripeState, subscription: Stripe.Subscription, params: Update): void {
  const fields = (Object.keys(params) as (keyof Update)[]).filter((one) => params[one] !== undefined)
  if (subscription.ended_at) {
    if (fields.every((one) => ['metadata', 'cancellation_details', 'expand'].includes(one))) return
    throw createInvalidError('A canceled subscription can only update its cancellation_details and metadata.')
  }
  if (params.cancel_at_period_end && params.cancel_at) {
    throw createInvalidError('You may only specify one of these parameters: cancel_at, cancel_at_period_end.')
  }
  const isCancellation = params.cancel_at_period_end !== undefined || params.cancel_at !== undefined
  if (subscription.schedule && isCancellation) {
    throw createInvalidError(
      `The subscription is managed by the subscription schedule \`${subscription.schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
      params.cancel_at_period_end === undefined ? 'cancel_at' : 'cancel_at_period_end',
    )
  }
  if (params.default_payment_method) {
    assertOwnCard(world, params.default_payment_method, subscription.customer as string, 'default_payment_method')
  }
  const extra = fields.find((one) => !WITH_PENDING.includes(one))
  if (params.payment_behavior === 'pending_if_incomplete' && extra) {
    throw createInvalidError(
      `When \`payment_behavior\` is set to \`pending_if_incomplete\`, you cannot pass \`${extra}\`. Only attributes that pending updates support can be changed.`,
      extra,
    )
  }
}

function setFields(world: StripeState, subscription: Stripe.Subscription, params: Update): void {
  if (params.cancel_at_period_end !== undefined) {
    endAt(world, subscription, params.cancel_at_period_end ? findCurrentPeriod(subscription).end : null)
    subscription.cancel_at_period_end = params.cancel_at_period_end
  }
  if (params.cancel_at !== undefined) {
    const isPeriod = typeof params.cancel_at === 'string' && params.cancel_at !== ''
    endAt(
      world,
      subscription,
      isPeriod ? findCurrentPeriod(subscription).end : ((params.cancel_at as number | null) ?? null),
    )
  }
  setDetails(subscription, params.cancellation_details)
  if (params.default_payment_method !== undefined)
    subscription.default_payment_method = params.default_payment_method || null
  if (params.description !== undefined) subscription.description = params.description || null
  if (params.automatic_tax) subscription.automatic_tax.enabled = params.automatic_tax.enabled
  if (params.trial_settings) {
    subscription.trial_settings = structuredClone(params.trial_settings) as Stripe.Subscription.TrialSettings
  }
  subscription.metadata = mergeMetadata(subscription.metadata, params.metadata)
}

function endAt(world: StripeState, subscription: Stripe.Subscription, at: number | null): void {
  subscription.cancel_at = at
  subscription.cancel_at_period_end = false
  subscription.canceled_at = at === null ? null : world.now
  subscription.cancellation_details!.reason = at === null ? null : 'cancellation_requested'
}

function setDetails(
  subscription: Stripe.Subscription,
  details: Stripe.SubscriptionCancelParams.CancellationDetails | undefined,
) {
  if (!details) return
  if (details.comment !== undefined) subscription.cancellation_details!.comment = details.comment || null
  if (details.feedback !== undefined) {
    subscription.cancellation_details!.feedback = (details.feedback as 'other' | null) || null
  }
}

interface Change {
  params: Update
  plan: ChangePlan
  lines: LineDraft[]
}

function change(world: StripeState, subscription: Stripe.Subscription, { params, plan, lines }: Change): void {
  const behavior = params.payment_behavior ?? 'allow_incomplete'
  if (behavior === 'default_incomplete')
    throw new Error('The contract server does not play payment_behavior=default_incomplete')
  const draft = { subscription, lines, reason: 'subscription_update' as const, period: plan.period }
  const due = plan.isInvoicedNow ? buildInvoice(world, draft).amount_due : 0
  const payer = { method: findCard(world, subscription), isOwnerThere: false }
  const outcome = due > 0 ? predictOutcome(world, payer) : 'paid'
  if (behavior === 'error_if_incomplete' && outcome !== 'paid') throw createPaymentError(outcome)
  const waits = behavior === 'pending_if_incomplete' && outcome !== 'paid'
  world.update('customer.subscription.updated', subscription, () => {
    setFields(world, subscription, params)
    if (waits) savePendingUpdate(world, subscription, plan)
    else applyPlan(world, subscription, plan)
  })
  if (!plan.isInvoicedNow) {
    keepForLater(world, subscription, plan.prorations)
    return
  }
  const invoice = openDraft(world, draft)
  finalizeInvoice(world, invoice)
  if (invoice.status === 'open') collectInvoice(world, invoice)
}

function createPaymentError(outcome: string) {
  if (outcome === 'declined') return createDecline('generic_decline')
  if (outcome === 'no_card')
    return createInvalidError(
      'This customer has no attached payment source or default payment method.',
      undefined,
      'resource_missing',
    )
  return createCardError(
    'subscription_payment_intent_requires_action',
    'Payment for this subscription requires additional user action before it can be completed successfully.',
  )
}

/** Prorations that are not invoiced at once become lines of the next invoice. */
function keepForLater(world: StripeState, subscription: Stripe.Subscription, lines: LineDraft[]): void {
  if (lines.length === 0) return
  const storedLines = world.notes.get(`${subscription.id}/lines`)?.lines as LineDraft[] | undefined
  world.notes.set(`${subscription.id}/lines`, { lines: [...(storedLines ?? []), ...lines] })
}
