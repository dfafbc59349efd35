import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { Refusal } from './errors.ts'
import type { StripeState } from './state.ts'

// Stripe's test cards (docs.stripe.com/testing), with the outcome of a charge.

export type ChargeOutcome = 'paid' | 'declined' | 'confirm'

interface TestCard {
  brand: string
  /** Outcome when the owner enters it, and when it is charged later without its owner. */
  now: ChargeOutcome
  later: ChargeOutcome
  decline?: string
}

const CARDS: Record<string, TestCard> = {
  '4242424242424242': { brand: 'visa', now: 'paid', later: 'paid' },
  '5555555555554444': { brand: 'mastercard', now: 'paid', later: 'paid' },
  '378282246310005': { brand: 'amex', now: 'paid', later: 'paid' },
  // Can be saved; every charge is declined.
  '4000000000000341': { brand: 'visa', now: 'declined', later: 'declined', decline: 'generic_decline' },
  '4000000000000002': { brand: 'visa', now: 'declined', later: 'declined', decline: 'generic_decline' },
  '4000000000009995': { brand: 'visa', now: 'declined', later: 'declined', decline: 'insufficient_funds' },
  // The bank asks to confirm each payment, also off-session ones.
  '4000002760003184': { brand: 'visa', now: 'confirm', later: 'confirm' },
}

/** Can be saved without a charge. */
const SAVABLE = new Set(['4000000000000341'])

/** Ids of test cards in the API. */
const NAMED: Record<string, string> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_amex: '378282246310005',
  pm_card_chargeCustomerFail: '4000000000000341',
  pm_card_authenticationRequired: '4000002760003184',
}

export const isNamedCard = (id: string) => id in NAMED

export const createCardError = (code: string, message: string, decline?: string) =>
  new Refusal(402, { type: 'card_error', code, message, ...(decline && { decline_code: decline }) })

export const createDecline = (decline: string) =>
  decline === 'insufficient_funds'
    ? createCardError('card_declined', 'Your card has insufficient funds.', decline)
    : createCardError('card_declined', 'Your card was declined.', decline)

/** Creates a card that its owner enters. `isCharged`: it is used for a payment at once. */
export function enterCard(world: StripeState, typed: string, isCharged: boolean): Stripe.PaymentMethod {
  const number = typed.replace(/\D/g, '')
  const card = CARDS[number]
  if (!card) throw createCardError('incorrect_number', 'Your card number is incorrect.')
  if (card.now === 'declined' && !isCharged && !SAVABLE.has(number)) throw createDecline(card.decline!)
  return makeCard(world, number)
}

export const createNamedCard = (world: StripeState, name: string) => makeCard(world, NAMED[name]!)

function makeCard(world: StripeState, number: string): Stripe.PaymentMethod {
  const { brand } = CARDS[number]!
  const method = buildObject<Stripe.PaymentMethod>('PaymentMethods', 'PaymentMethod', {
    id: world.id('pm'),
    allow_redisplay: 'limited',
    billing_details: {},
    card: {
      brand,
      country: 'US',
      display_brand: brand,
      exp_month: 12,
      exp_year: new Date(world.now * 1000).getUTCFullYear() + 3,
      fingerprint: createHash('sha256').update(number).digest('hex').slice(0, 16),
      funding: 'credit',
      last4: number.slice(-4),
    },
    created: world.now,
    type: 'card',
  })
  world.notes.set(method.id, { number })
  return world.put('payment_method', method)
}

export function findChargeOutcome(
  world: StripeState,
  method: string,
  isOwnerThere: boolean,
): { fate: ChargeOutcome; decline: string } {
  const card = CARDS[String(world.notes.get(method)?.number)]!
  return { fate: isOwnerThere ? card.now : card.later, decline: card.decline ?? 'generic_decline' }
}
