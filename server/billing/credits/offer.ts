import {
  type CreditPack,
  type Credits,
  creditPrice,
  creditTexts,
  MICROS,
  type TextCarrier,
} from '../../../shared/credits.ts'
import { estimatedPrice } from '../../../shared/text-prices.ts'
import { planOf, refuseDemo, sellerOf } from '../billing/billing.ts'
import { planLimitsOf } from '../billing/rules.ts'
import type { AccountDb, Db } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import type { Deps } from '../../deps.ts'
import { addCredits, addCreditsOnce, balanceOf, type CreditRequest, findAnswer, weekOf } from './credits.ts'

// What credits are to an account: who carries its SMS, whether it can buy them, and what one costs (decision 85).

/** Of one part, for the countries most written to; null: that of all others. */
const SHOWN = ['US', 'CA', 'GB', 'DE', 'FR', 'AU', null] as const

export async function viewCredits(deps: Deps, account: AccountDb): Promise<Credits> {
  const { config } = deps
  const [carrier, isUsable, balanceMicros, weekMicros] = await Promise.all([
    carrierOf(deps, account),
    includesTexts(deps, account),
    balanceOf(account),
    weekOf(account, deps.now()),
  ])
  const seller = sellerOf(config)
  const prices = SHOWN.map((country) => ({
    country,
    micros: creditPrice(estimatedPrice('sms', country), config.textCreditPerMille),
  }))
  const offer = carrier.takesCredits && seller !== 'none' ? seller : null
  return { carrier: carrier.name, offer, isUsable, balanceMicros, weekMicros, prices }
}

async function carrierOf(deps: Deps, { accountId }: AccountDb): Promise<{ name: TextCarrier; takesCredits: boolean }> {
  const channel = await deps.channels.text(accountId, 'sms')
  return { name: channel ? (channel.carrier ?? 'own') : 'none', takesCredits: channel?.credits !== undefined }
}

/** While a payment is overdue too: the account comes back to its plan. */
async function includesTexts(deps: Deps, account: AccountDb): Promise<boolean> {
  const { entitlements } = await planOf(account, deps.now())
  return planLimitsOf(entitlements).maxSmsPerMonth > 0
}

/** Refuses in words where credits would pay for nothing. */
export async function assertMayBuy(deps: Deps, account: AccountDb): Promise<void> {
  const { name, takesCredits } = await carrierOf(deps, account)
  if (name === 'own') throw new AppError('conflict', creditTexts.ownProvider)
  if (!takesCredits) throw new AppError('not_found', creditTexts.notHere)
  if (!(await includesTexts(deps, account))) throw new AppError('plan_required', creditTexts.planNeeded)
}

/** Decision 3: without paying, where plans are tried out too. `request`: it may come twice. */
export async function addTestCredits(
  deps: Deps,
  account: AccountDb<Db>,
  { pack, request }: { pack: CreditPack; request: CreditRequest | null },
): Promise<number> {
  if (!deps.config.isBillingTestMode) throw new AppError('not_found', 'Not found')
  await refuseDemo(account)
  const draft = { kind: 'test' as const, micros: pack * MICROS }
  const now = deps.now()
  // Whatever may have changed since.
  const answer = request && (await findAnswer(account, request, { draft, now }))
  if (answer !== null) return answer
  await assertMayBuy(deps, account)
  return request ? addCreditsOnce(account, request, { draft, now }) : addCredits(account, draft, now)
}
