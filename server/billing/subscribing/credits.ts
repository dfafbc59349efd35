import type Stripe from 'stripe'
import type { CreditPack } from '../../../shared/billing/credits.ts'
import { CREDIT_CURRENCY, creditTexts } from '../../../shared/billing/credits.ts'
import { AppError } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import type { AccountDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { findSeller } from '../billing/public.ts'
import { assertCanBuy, readBalance } from '../credits/public.ts'
import {
  askStripe,
  CREDITS_METADATA,
  parseAnswer,
  parsePageUrl,
  readStripeCode,
  refreshAccount,
} from '../payments/public.ts'
import { ensureCustomer } from './customers.ts'
import { assertCanPay, countCheck } from './guard.ts'
import { CheckoutSession, CreditSession } from './stripe-schemas.ts'

// Packs of credits, paid once in Stripe's checkout. Each click opens a session: two paid sessions are two packs.
// Purchases are copied with the account's snapshot (payments/refresh.ts).

export async function openCreditCheckout(deps: Deps, account: AccountDb, pack: CreditPack): Promise<{ url: string }> {
  if (findSeller(deps.config) !== 'stripe') throw new AppError('not_found', creditTexts.notHere)
  await assertCanPay(deps, account)
  await assertCanBuy(deps, account)
  const customer = await ensureCustomer(deps, account)
  const params = buildCreditSession({ accountId: account.accountId, customer, pack }, deps.config)
  const { url } = parseAnswer(
    CheckoutSession,
    await askStripe(deps, (stripe) => stripe.checkout.sessions.create(params)),
  )
  return { url: parsePageUrl(deps.config, url) }
}

/** State of a session. Another account's session, or one for a plan, is treated as unknown. */
export async function checkCreditSession(deps: Deps, account: AccountDb, id: string) {
  await countCheck(deps, account)
  const session = await fetchCreditSession(deps, id)
  const isIts = session?.client_reference_id === account.accountId && session.metadata[CREDITS_METADATA] !== undefined
  if (!session || !isIts) throw new AppError('not_found', 'Checkout session not found')
  if (session.payment_status === 'paid') await refreshAccount(deps, account.accountId)
  return { isPaid: session.payment_status === 'paid', balanceMicros: await readBalance(account) }
}

async function fetchCreditSession(deps: Pick<Deps, 'log' | 'stripe'>, id: string) {
  try {
    const answer = await askStripe(deps, (stripe) => stripe.checkout.sessions.retrieve(id))
    return parseAnswer(CreditSession, answer)
  } catch (error) {
    if (readStripeCode(error) === 'resource_missing') return null
    throw error
  }
}

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
function buildCreditSession(
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
