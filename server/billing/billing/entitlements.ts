import type { Feature } from '../../../shared/billing/billing.ts'
import { AppError } from '../../core/common/public.ts'
import type { AccountDb } from '../../core/db/public.ts'
import { computeEntitlements, type Entitlements, hasFeature } from './rules.ts'
import * as sql from './sql.ts'

/** Current entitlements of the account. No other code may decide by the subscription (decision 87). */
export async function loadEntitlements(account: AccountDb, now: Date): Promise<Entitlements> {
  return computeEntitlements((await sql.readSubscription(account)) ?? null, now)
}

/** Throws `plan_required` with `sentence` if the plan lacks the feature (decision 6). */
export async function requireFeature(
  account: AccountDb,
  now: Date,
  { feature, sentence }: { feature: Feature; sentence: string },
): Promise<void> {
  if (!hasFeature(await loadEntitlements(account, now), feature)) throw new AppError('plan_required', sentence)
}
