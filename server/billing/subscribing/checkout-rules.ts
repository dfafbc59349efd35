import type Stripe from 'stripe'
import { TRIAL_DAYS } from '../../../shared/billing.ts'
import type { Config } from '../../core/config/config.ts'
import type { PlanChoice } from '../payments/catalogue-rules.ts'
import { computeDigest } from './digest.ts'

// Builds the checkout session for Stripe (decision 84). Pure.

export interface CheckoutTerms {
  lines: { price: string; quantity: number }[]
  isTrial: boolean
}

export interface CheckoutOrder extends CheckoutTerms {
  accountId: string
  customer: string
  choice: PlanChoice
}

/** Digest of what is bought, stored with the session. Stripe prices are immutable: a new amount is a new price. */
const digestTerms = ({ lines, isTrial }: CheckoutTerms): string => computeDigest([lines, isTrial])

export function buildSession(
  { accountId, customer, choice, lines, isTrial }: CheckoutOrder,
  { publicUrl, stripe }: Pick<Config, 'publicUrl' | 'stripe'>,
): Stripe.Checkout.SessionCreateParams {
  const { plan, cycle, extraStores } = choice
  const metadata = {
    account: accountId,
    plan,
    cycle,
    extra_stores: String(extraStores),
    terms: digestTerms({ lines, isTrial }),
  }
  return {
    mode: 'subscription',
    ui_mode: 'hosted_page',
    customer,
    client_reference_id: accountId,
    line_items: lines,
    success_url: `${publicUrl}/billing?session_id={CHECKOUT_SESSION_ID}`,
    // Returns to the step before, with its choice.
    cancel_url: `${publicUrl}/pricing?plan=${plan}&cycle=${cycle}&stores=${extraStores}`,
    payment_method_collection: 'if_required',
    allow_promotion_codes: true,
    tax_id_collection: { enabled: true },
    // Both are required: the name for a tax id, the address for the tax.
    customer_update: { name: 'auto', address: 'auto' },
    automatic_tax: { enabled: stripe?.computesTax ?? false },
    metadata,
    subscription_data: { metadata: { account: accountId }, ...(isTrial && TRIAL) },
  }
}

/** Without a card the subscription ends with the trial, and the account gets the free plan. */
const TRIAL = {
  trial_period_days: TRIAL_DAYS,
  trial_settings: { end_behavior: { missing_payment_method: 'cancel' as const } },
}

/** Stripe keeps a session for a day. One that expires within minutes is useless. */
const USABLE_MS = 23 * 3_600_000

/** A session with an outdated price or trial would differ from the Pricing page. */
export const isUsable = (session: { at: Date; terms: string | undefined }, wanted: CheckoutTerms, now: Date): boolean =>
  session.terms === digestTerms(wanted) && now.getTime() - session.at.getTime() < USABLE_MS
