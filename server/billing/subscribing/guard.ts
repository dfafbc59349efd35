import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type Limit, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { findSeller, refuseDemo } from '../billing/public.ts'
import { isPaused } from '../payments/public.ts'

/** Each of these actions sends several requests to Stripe. */
const ACCOUNT_LIMIT: Limit = { name: 'stripe-account', points: 60, windowS: 3_600 }
/** Separate limit, because every member may check a session, which must not use up the owner's limit. */
const CHECK_LIMIT: Limit = { name: 'stripe-check', points: 60, windowS: 3_600 }

const COPIED =
  'This is a copy of another installation, so it changes nothing at Stripe until the server’s administrator confirms that it is the live one.'

/** Call before anything is written to Stripe. A copy of an installation has the live one's key (D7). */
export async function assertCanPay(deps: Pick<Deps, 'config' | 'pool' | 'secrets'>, account: AccountDb): Promise<void> {
  if (findSeller(deps.config) !== 'stripe') throw new AppError('not_found', 'Not found')
  await refuseDemo(account)
  if (await isPaused(account.db)) throw new AppError('conflict', COPIED)
  await countRequest(deps, account)
}

export const countRequest = (deps: Pick<Deps, 'pool' | 'secrets'>, { accountId }: AccountDb) =>
  takePoint(deps, ACCOUNT_LIMIT, accountId)
export const countCheck = (deps: Pick<Deps, 'pool' | 'secrets'>, { accountId }: AccountDb) =>
  takePoint(deps, CHECK_LIMIT, accountId)
