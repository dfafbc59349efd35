import { type Audience, type AudienceFilters, audienceTexts } from '../../shared/audience.ts'
import { campaignTexts } from '../../shared/campaigns.ts'
import { demandPlan } from '../billing/entitlements.ts'
import type { AccountDb, StoreDb } from '../core/db.ts'
import { AppError, found } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Deps } from '../deps.ts'
import { readStore } from '../stores/store.ts'
import * as sql from './audiences-sql.ts'
import { filtersOf, presentFilters } from './wanted.ts'

// Sets of filters kept by a name ("Customer Segmentation", area decision 42). A campaign made with one has a copy.

export async function readAudiences(store: StoreDb): Promise<Audience[]> {
  const currency = await currencyOf(store)
  return (await sql.listAudiences(store)).map((row) => present(row, currency))
}

export async function createAudience(
  deps: Deps,
  { store, account }: { store: StoreDb; account: AccountDb },
  { name, filters }: { name: string; filters: AudienceFilters },
): Promise<Audience> {
  const now = deps.now()
  await demandPlan(account, now, { feature: 'audience_filters', sentence: campaignTexts.filterPlan })
  const currency = await currencyOf(store)
  const row = { id: newId(), name, filters: filtersOf(filters, currency) }
  if (await sql.insertAudience(store, row, now)) return present(row, currency)
  throw new AppError('conflict', audienceTexts.nameTaken, { fields: { name: audienceTexts.nameTaken } })
}

export async function deleteAudience(store: StoreDb, id: string): Promise<void> {
  if (!(await sql.deleteAudience(store, id))) throw new AppError('not_found', 'Audience not found')
}

const currencyOf = async (store: StoreDb): Promise<string> => found(await readStore(store), 'Store').currency

const present = ({ id, name, filters }: sql.AudienceRow, currency: string): Audience => ({
  ...{ id, name },
  filters: presentFilters(filters, currency),
})
