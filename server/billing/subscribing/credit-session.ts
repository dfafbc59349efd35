import type Stripe from 'stripe'
import { CREDIT_CURRENCY, type CreditPack } from '../../../shared/credits.ts'
import type { Config } from '../../core/config/config.ts'
import { CREDITS_METADATA } from '../payments/payment-rules.ts'

// Builds the checkout session for credits (decision 85). Pure.

interface CreditOrder {
  accountId: string
  customer: string
  pack: CreditPack
}

/**
 * Each session has its own price, so no catalogue can differ from what is shown. The invoice is for the buyer's books,
 * and puts the payment into the history.
 */
export function buildCreditSession(
  { accountId, customer, pack }: CreditOrder,
  { publicUrl, stripe }: Pick<Config, 'publicUrl' | 'stripe'>,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { account: accountId, [CREDITS_METADATA]: String(pack) }
  const name = `SMS credits, $${pack}`
  return {
    mode: 'payment',
    ui_mode: 'hosted_page',
    customer,
    client_reference_id: accountId,
    line_items: [
      {
        price_data: {
          currency: CREDIT_CURRENCY.toLowerCase(),
          unit_amount: pack * 100,
          tax_behavior: 'exclusive',
          product_data: { name },
        },
        quantity: 1,
      },
    ],
    success_url: `${publicUrl}/billing?credits={CHECKOUT_SESSION_ID}`,
    cancel_url: `${publicUrl}/billing`,
    tax_id_collection: { enabled: true },
    customer_update: { name: 'auto', address: 'auto' },
    automatic_tax: { enabled: stripe?.computesTax ?? false },
    metadata,
    payment_intent_data: { description: name, metadata },
    invoice_creation: { enabled: true, invoice_data: { description: name, metadata } },
  }
}
