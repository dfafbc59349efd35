import type { CreditPack } from '../../../shared/credits.ts'
import { creditTexts } from '../../../shared/credits.ts'
import { AppError } from '../../core/common/errors.ts'
import type { AccountDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { findSeller } from '../billing/billing.ts'
import { readBalance } from '../credits/credits.ts'
import { assertCanBuy } from '../credits/offer.ts'
import { CREDITS_METADATA } from '../payments/payment-rules.ts'
import { refreshAccount } from '../payments/refresh.ts'
import { askStripe, parseAnswer, parsePageUrl, readStripeCode } from '../payments/stripe.ts'
import { buildCreditSession } from './credit-session.ts'
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

async function fetchCreditSession(deps: Deps, id: string) {
  try {
    const answer = await askStripe(deps, (stripe) => stripe.checkout.sessions.retrieve(id))
    return parseAnswer(CreditSession, answer)
  } catch (error) {
    if (readStripeCode(error) === 'resource_missing') return null
    throw error
  }
}
