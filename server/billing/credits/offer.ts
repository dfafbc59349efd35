import {
  type CreditPack,
  type Credits,
  creditPrice,
  creditTexts,
  MICROS,
  type TextCarrier,
} from '../../../shared/credits.ts'
import { estimatedPrice } from '../../../shared/text-prices.ts'
import { AppError } from '../../core/common/errors.ts'
import type { AccountDb, Db } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { findSeller, loadPlan, refuseDemo } from '../billing/billing.ts'
import { computePlanLimits } from '../billing/rules.ts'
import { addCredits, addCreditsOnce, type CreditRequest, findReply, readBalance, readWeeklyUse } from './credits.ts'

// The credits offer for an account: its SMS carrier, whether it can buy credits, and prices (decision 85).

/** Price per part for the most common countries; null: for all others. */
const SHOWN_COUNTRIES = ['US', 'CA', 'GB', 'DE', 'FR', 'AU', null] as const

export async function viewCredits(deps: Deps, account: AccountDb): Promise<Credits> {
  const { config } = deps
  const [carrier, isUsable, balanceMicros, weekMicros] = await Promise.all([
    loadCarrier(deps, account),
    includesTexts(deps, account),
    readBalance(account),
    readWeeklyUse(account, deps.now()),
  ])
  const seller = findSeller(config)
  const prices = SHOWN_COUNTRIES.map((country) => ({
    country,
    micros: creditPrice(estimatedPrice('sms', country), config.textCreditPerMille),
  }))
  const offer = carrier.takesCredits && seller !== 'none' ? seller : null
  return { carrier: carrier.name, offer, isUsable, balanceMicros, weekMicros, prices }
}

async function loadCarrier(
  deps: Deps,
  { accountId }: AccountDb,
): Promise<{ name: TextCarrier; takesCredits: boolean }> {
  const channel = await deps.channels.text(accountId, 'sms')
  return { name: channel ? (channel.carrier ?? 'own') : 'none', takesCredits: channel?.credits !== undefined }
}

/** Also while a payment is overdue, because the account returns to its plan. */
async function includesTexts(deps: Deps, account: AccountDb): Promise<boolean> {
  const { entitlements } = await loadPlan(account, deps.now())
  return computePlanLimits(entitlements).maxSmsPerMonth > 0
}

/** Throws with a sentence if credits would pay for nothing. */
export async function assertCanBuy(deps: Deps, account: AccountDb): Promise<void> {
  const { name, takesCredits } = await loadCarrier(deps, account)
  if (name === 'own') throw new AppError('conflict', creditTexts.ownProvider)
  if (!takesCredits) throw new AppError('not_found', creditTexts.notHere)
  if (!(await includesTexts(deps, account))) throw new AppError('plan_required', creditTexts.planNeeded)
}

/** Decision 3: without payment, in test billing. `request`: may be repeated. */
export async function addTestCredits(
  deps: Deps,
  account: AccountDb<Db>,
  { pack, request }: { pack: CreditPack; request: CreditRequest | null },
): Promise<number> {
  if (!deps.config.isBillingTestMode) throw new AppError('not_found', 'Not found')
  await refuseDemo(account)
  const draft = { kind: 'test' as const, micros: pack * MICROS }
  const now = deps.now()
  // A replay gets its reply even if the account may not buy any more.
  const answer = request && (await findReply(account, request, { draft, now }))
  if (answer !== null) return answer
  await assertCanBuy(deps, account)
  return request ? addCreditsOnce(account, request, { draft, now }) : addCredits(account, draft, now)
}
