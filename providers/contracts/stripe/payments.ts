import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { findChargeOutcome } from './cards.ts'
import type { Call, Handlers } from './handlers.ts'
import { type ListParams, listKind } from './lists.ts'
import { createId, type StripeState } from './state.ts'

// Payment intents and their charges.

export const payments: Handlers = {
  'PaymentIntents.retrieve': ({ world, id }: Call<unknown>) => world.need('payment_intent', id),
  'PaymentIntents.list': ({ world, params }: Call<Stripe.PaymentIntentListParams>) =>
    listKind(world, 'payment_intent', params as ListParams & Record<string, unknown>, ['customer']),
  'Charges.retrieve': ({ world, id }: Call<unknown>) => world.need('charge', id),
  'Charges.list': ({ world, params }: Call<Stripe.ChargeListParams>) =>
    listKind(world, 'charge', params as ListParams & Record<string, unknown>, ['customer', 'payment_intent']),
  'SetupIntents.retrieve': ({ world, id }: Call<unknown>) => world.need('setup_intent', id),
  'SetupIntents.list': ({ world, params }: Call<Stripe.SetupIntentListParams>) =>
    listKind(world, 'setup_intent', params as ListParams & Record<string, unknown>, ['customer', 'payment_method']),
}

export type Outcome = 'paid' | 'declined' | 'confirm' | 'no_card'

export interface Payer {
  method: string | null
  /** The owner enters the card now, and can answer the bank. */
  isOwnerThere: boolean
  /** The owner has confirmed the bank's challenge. */
  isConfirmed?: boolean
}

/** Predicts the outcome of a payment. */
export function predictOutcome(world: StripeState, { method, isOwnerThere, isConfirmed }: Payer): Outcome {
  if (!method) return 'no_card'
  const { fate } = findChargeOutcome(world, method, isOwnerThere)
  return fate === 'confirm' && isConfirmed ? 'paid' : fate
}

export function openIntent(
  world: StripeState,
  input: { amount: number; currency: string; customer: string | null; description: string; metadata?: Stripe.Metadata },
): Stripe.PaymentIntent {
  const id = world.id('pi')
  const intent = buildObject<Stripe.PaymentIntent>('PaymentIntents', 'PaymentIntent', {
    ...input,
    id,
    amount_capturable: 0,
    amount_received: 0,
    capture_method: 'automatic',
    client_secret: `${id}_secret_contract`,
    confirmation_method: 'automatic',
    created: world.now,
    metadata: input.metadata ?? {},
    payment_method_types: ['card'],
    status: 'requires_payment_method',
  })
  world.put('payment_intent', intent)
  world.emit('payment_intent.created', intent)
  return intent
}

export function tryIntent(world: StripeState, intent: Stripe.PaymentIntent, payer: Payer): Outcome {
  const outcome = predictOutcome(world, payer)
  if (outcome === 'no_card') return outcome
  intent.payment_method = payer.method
  if (outcome === 'confirm') askBank(world, intent)
  else if (outcome === 'paid') succeedIntent(world, intent)
  else declineIntent(world, intent, findChargeOutcome(world, payer.method!, payer.isOwnerThere).decline)
  return outcome
}

function askBank(world: StripeState, intent: Stripe.PaymentIntent): void {
  intent.status = 'requires_action'
  intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: {} }
  world.emit('payment_intent.requires_action', intent)
}

function succeedIntent(world: StripeState, intent: Stripe.PaymentIntent): void {
  const charge = makeCharge(world, intent, {
    status: 'succeeded',
    paid: true,
    captured: true,
    amount_captured: intent.amount,
  })
  Object.assign(intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge.id,
    last_payment_error: null,
    next_action: null,
  })
  world.emit('charge.succeeded', charge)
  world.emit('payment_intent.succeeded', intent)
}

function declineIntent(world: StripeState, intent: Stripe.PaymentIntent, reason: string): void {
  const message = reason === 'insufficient_funds' ? 'Your card has insufficient funds.' : 'Your card was declined.'
  const charge = makeCharge(world, intent, {
    status: 'failed',
    amount_captured: 0,
    failure_code: 'card_declined',
    failure_message: message,
  })
  Object.assign(intent, {
    status: 'requires_payment_method',
    latest_charge: charge.id,
    last_payment_error: {
      type: 'card_error',
      code: 'card_declined',
      decline_code: reason,
      message,
      charge: charge.id,
      payment_method: structuredClone(world.find('payment_method', createId(intent.payment_method))),
    },
    payment_method: null,
  })
  world.emit('charge.failed', charge)
  world.emit('payment_intent.payment_failed', intent)
}

function makeCharge(
  world: StripeState,
  intent: Stripe.PaymentIntent,
  fields: { [K in keyof Stripe.Charge]?: unknown },
): Stripe.Charge {
  const method = world.find('payment_method', createId(intent.payment_method))!
  return world.put(
    'charge',
    buildObject<Stripe.Charge>('Charges', 'Charge', {
      id: world.id('ch'),
      amount: intent.amount,
      amount_refunded: 0,
      billing_details: structuredClone(method.billing_details),
      created: world.now,
      currency: intent.currency,
      customer: intent.customer,
      description: intent.description,
      metadata: intent.metadata,
      payment_intent: intent.id,
      payment_method: method.id,
      ...fields,
    }),
  )
}

/** Saves a card for later payments, without charging it. */
export function keepCard(world: StripeState, method: string, customer: string): void {
  const intent = buildObject<Stripe.SetupIntent>('SetupIntents', 'SetupIntent', {
    id: world.id('seti'),
    created: world.now,
    customer,
    payment_method: method,
    payment_method_types: ['card'],
    status: 'succeeded',
    usage: 'off_session',
  })
  world.put('setup_intent', intent)
  world.emit('setup_intent.succeeded', intent)
}
