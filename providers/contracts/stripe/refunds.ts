import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { createInvalidError } from './errors.ts'
import type { Call, Handlers } from './handlers.ts'
import { type ListParams, listKind, mergeMetadata } from './lists.ts'
import { DAY, type StripeState } from './state.ts'
import { assertSupported } from './supported.ts'

// Refunds, which an operator makes, and disputes, which a bank opens.

export const refunds: Handlers = {
  'Refunds.create': ({ world, params }: Call<Stripe.RefundCreateParams>) => refund(world, params),
  'Refunds.retrieve': ({ world, id }: Call<unknown>) => world.need('refund', id),
  'Refunds.list': ({ world, params }: Call<Stripe.RefundListParams>) =>
    listKind(world, 'refund', params as ListParams & Record<string, unknown>, ['charge', 'payment_intent']),
  'Disputes.retrieve': ({ world, id }: Call<unknown>) => world.need('dispute', id),
  'Disputes.list': ({ world, params }: Call<Stripe.DisputeListParams>) =>
    listKind(world, 'dispute', params as ListParams & Record<string, unknown>, ['charge', 'payment_intent']),
  'Disputes.close': ({ world, id }: Call<unknown>) => closeDispute(world, id, 'lost'),
}

function refund(world: StripeState, params: Stripe.RefundCreateParams): Stripe.Refund {
  assertSupported(params, ['amount', 'charge', 'expand', 'metadata', 'payment_intent', 'reason'])
  const charge = findCharge(world, params)
  const refundable = charge.amount - charge.amount_refunded
  if (charge.status !== 'succeeded') throw createInvalidError(`Charge ${charge.id} has no amount to refund.`, 'charge')
  if (refundable === 0)
    throw createInvalidError(`Charge ${charge.id} has already been refunded.`, undefined, 'charge_already_refunded')
  if (charge.disputed)
    throw createInvalidError(
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
      undefined,
      'charge_disputed',
    )
  const amount = params.amount ?? refundable
  if (amount < 1)
    throw createInvalidError('This value must be greater than or equal to 1.', 'amount', 'parameter_invalid_integer')
  if (amount > refundable) {
    throw createInvalidError(
      `Refund amount (${formatDollars(amount)}) is greater than unrefunded amount on charge (${formatDollars(refundable)})`,
      'amount',
    )
  }
  const refund = world.put(
    'refund',
    buildObject<Stripe.Refund>('Refunds', 'Refund', {
      id: world.id('re'),
      amount,
      charge: charge.id,
      created: world.now,
      currency: charge.currency,
      customer: charge.customer,
      metadata: mergeMetadata(null, params.metadata),
      payment_intent: charge.payment_intent,
      payment_method: charge.payment_method,
      reason: params.reason ?? null,
      status: 'succeeded',
    }),
  )
  world.emit('refund.created', refund)
  world.update('charge.refunded', charge, () => {
    charge.amount_refunded += amount
    charge.refunded = charge.amount_refunded === charge.amount
  })
  return refund
}

const formatDollars = (amount: number) => `$${(amount / 100).toFixed(2)}`

function findCharge(world: StripeState, { charge, payment_intent }: Stripe.RefundCreateParams): Stripe.Charge {
  if (charge && payment_intent)
    throw createInvalidError('You may only specify one of these parameters: charge, payment_intent.')
  if (charge) return world.need('charge', charge, 'charge')
  if (!payment_intent)
    throw createInvalidError(
      'One of the following params should be provided for this request: payment_intent or charge.',
    )
  const intent = world.need('payment_intent', payment_intent, 'payment_intent')
  if (intent.status === 'succeeded') return world.need('charge', intent.latest_charge as string, 'payment_intent')
  throw createInvalidError(
    `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
    'payment_intent',
  )
}

/** Opens a dispute, with which the bank takes a payment back. */
export function openDispute(world: StripeState, chargeId: string, reason = 'fraudulent'): Stripe.Dispute {
  const charge = world.need('charge', chargeId, 'charge')
  if (charge.status !== 'succeeded') throw new Error(`The charge ${chargeId} was not paid`)
  const dispute = world.put(
    'dispute',
    buildObject<Stripe.Dispute>('Disputes', 'Dispute', {
      id: world.id('du'),
      amount: charge.amount - charge.amount_refunded,
      charge: charge.id,
      created: world.now,
      currency: charge.currency,
      evidence_details: { due_by: world.now + 7 * DAY, submission_count: 0, submission_method: 'not_submitted' },
      payment_intent: charge.payment_intent,
      reason,
      status: 'needs_response',
    }),
  )
  charge.disputed = true
  world.emit('charge.dispute.created', dispute)
  world.emit('charge.dispute.funds_withdrawn', dispute)
  return dispute
}

export function closeDispute(world: StripeState, id: string, status: 'won' | 'lost'): Stripe.Dispute {
  const dispute = world.need('dispute', id)
  if (dispute.status !== 'needs_response') throw createInvalidError('This dispute is already closed')
  world.update('charge.dispute.closed', dispute, () => {
    dispute.status = status
  })
  if (status === 'won') world.emit('charge.dispute.funds_reinstated', dispute)
  return dispute
}
