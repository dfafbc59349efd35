import { refuseDemo, sellerOf } from '../billing/billing.ts'
import type { AccountDb } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { type Limit, take } from '../../core/db/rate-limits.ts'
import type { Deps } from '../../deps.ts'
import { isPaused } from '../payments/pause.ts'

/** Each of these asks Stripe several times. */
const perAccount: Limit = { name: 'stripe-account', points: 60, windowS: 3_600 }
/** Of its own, as every member may look: nobody takes the owner's points. */
const checksPerAccount: Limit = { name: 'stripe-check', points: 60, windowS: 3_600 }

const COPIED =
  'This is a copy of another installation, so it changes nothing at Stripe until the server’s administrator confirms that it is the live one.'

/** Before anything is written to Stripe for an account. A copy of an installation has the same key (D7). */
export async function assertMayPay(deps: Deps, account: AccountDb): Promise<void> {
  if (sellerOf(deps.config) !== 'stripe') throw new AppError('not_found', 'Not found')
  await refuseDemo(account)
  if (await isPaused(account.db)) throw new AppError('conflict', COPIED)
  await takeAsking(deps, account)
}

export const takeAsking = (deps: Deps, { accountId }: AccountDb) => take(deps, perAccount, accountId)
export const takeCheck = (deps: Deps, { accountId }: AccountDb) => take(deps, checksPerAccount, accountId)
