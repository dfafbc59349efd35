import type { Feature } from '../../../shared/billing.ts'
import type { AccountDb } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { type Entitlements, entitlementsAt, hasFeature } from './rules.ts'
import * as sql from './sql.ts'

/** What the account's plan allows now. Nobody else reads the subscription to decide something (decision 87). */
export async function entitlementsOf(account: AccountDb, now: Date): Promise<Entitlements> {
  return entitlementsAt((await sql.readSubscription(account)) ?? null, now)
}

/** Refuses with `sentence` what is part of a larger plan (decision 6). */
export async function demandPlan(
  account: AccountDb,
  now: Date,
  { feature, sentence }: { feature: Feature; sentence: string },
): Promise<void> {
  if (!hasFeature(await entitlementsOf(account, now), feature)) throw new AppError('plan_required', sentence)
}
