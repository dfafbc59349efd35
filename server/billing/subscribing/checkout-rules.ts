import type Stripe from 'stripe'
import { TRIAL_DAYS } from '../../../shared/billing.ts'
import type { Config } from '../../core/config/config.ts'
import type { Choice } from '../payments/catalogue-rules.ts'
import { digestOf } from './digest.ts'

// What a checkout asks Stripe for (decision 84). Pure.

export interface Terms {
  lines: { price: string; quantity: number }[]
  isTrial: boolean
}

export interface Order extends Terms {
  accountId: string
  customer: string
  choice: Choice
}

/** What is bought and how, kept with the session. Prices of Stripe never change: a new amount is a new price. */
const termsOf = ({ lines, isTrial }: Terms): string => digestOf([lines, isTrial])

export function sessionOf(
  { accountId, customer, choice, lines, isTrial }: Order,
  { publicUrl, stripe }: Pick<Config, 'publicUrl' | 'stripe'>,
): Stripe.Checkout.SessionCreateParams {
  const { plan, cycle, extraStores } = choice
  const metadata = {
    account: accountId,
    plan,
    cycle,
    extra_stores: String(extraStores),
    terms: termsOf({ lines, isTrial }),
  }
  return {
    mode: 'subscription',
    ui_mode: 'hosted_page',
    customer,
    client_reference_id: accountId,
    line_items: lines,
    success_url: `${publicUrl}/billing?session_id={CHECKOUT_SESSION_ID}`,
    // The step it came from, with what was chosen there.
    cancel_url: `${publicUrl}/pricing?plan=${plan}&cycle=${cycle}&stores=${extraStores}`,
    payment_method_collection: 'if_required',
    allow_promotion_codes: true,
    tax_id_collection: { enabled: true },
    // Both are needed for what is collected: the name with a tax id, the address with the tax.
    customer_update: { name: 'auto', address: 'auto' },
    automatic_tax: { enabled: stripe?.computesTax ?? false },
    metadata,
    subscription_data: { metadata: { account: accountId }, ...(isTrial && TRIAL) },
  }
}

/** Without a card at its end the subscription ends too, and the account is on the free plan. */
const TRIAL = {
  trial_period_days: TRIAL_DAYS,
  trial_settings: { end_behavior: { missing_payment_method: 'cancel' as const } },
}

/** Stripe keeps a session for a day. One that ends in the next minutes is of no use to who is sent there. */
const USABLE_MS = 23 * 3_600_000

/** One made at a price, or with a trial, that is not offered any more would not be what Pricing says. */
export const isUsable = (session: { at: Date; terms: string | undefined }, wanted: Terms, now: Date): boolean =>
  session.terms === termsOf(wanted) && now.getTime() - session.at.getTime() < USABLE_MS
