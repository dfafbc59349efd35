import type { CreditPack } from '../../../shared/credits.ts'
import { creditTexts } from '../../../shared/credits.ts'
import { AppError } from '../../core/common/errors.ts'
import type { AccountDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { sellerOf } from '../billing/billing.ts'
import { balanceOf } from '../credits/credits.ts'
import { assertCanBuy } from '../credits/offer.ts'
import { CREDITS_OF } from '../payments/payment-rules.ts'
import { refreshAccount } from '../payments/refresh.ts'
import { askStripe, readAnswer, readPage, stripeCodeOf } from '../payments/stripe.ts'
import { SeenCreditSession, SeenSession } from './answers.ts'
import { creditSessionOf } from './credit-session.ts'
import { customerOf } from './customers.ts'
import { assertMayPay, takeCheck } from './guard.ts'

// Packs of credits, paid once at Stripe's checkout. Each press is a session of its own: two that are both paid are two packs. What was bought
// is copied with all else that Stripe has of the account (payments/refresh.ts).

export async function openCreditCheckout(deps: Deps, account: AccountDb, pack: CreditPack): Promise<{ url: string }> {
  if (sellerOf(deps.config) !== 'stripe') throw new AppError('not_found', creditTexts.notHere)
  await assertMayPay(deps, account)
  await assertCanBuy(deps, account)
  const customer = await customerOf(deps, account)
  const params = creditSessionOf({ accountId: account.accountId, customer, pack }, deps.config)
  const { url } = readAnswer(SeenSession, await askStripe(deps, (stripe) => stripe.checkout.sessions.create(params)))
  return { url: readPage(deps.config, url) }
}

/** What became of a session; of another account's, or one for a plan, it says what it says of one that never was. */
export async function checkCredits(deps: Deps, account: AccountDb, id: string) {
  await takeCheck(deps, account)
  const session = await sessionAt(deps, id)
  const isIts = session?.client_reference_id === account.accountId && session.metadata[CREDITS_OF] !== undefined
  if (!session || !isIts) throw new AppError('not_found', 'Checkout session not found')
  if (session.payment_status === 'paid') await refreshAccount(deps, account.accountId)
  return { isPaid: session.payment_status === 'paid', balanceMicros: await balanceOf(account) }
}

async function sessionAt(deps: Deps, id: string) {
  try {
    const answer = await askStripe(deps, (stripe) => stripe.checkout.sessions.retrieve(id))
    return readAnswer(SeenCreditSession, answer)
  } catch (error) {
    if (stripeCodeOf(error) === 'resource_missing') return null
    throw error
  }
}
