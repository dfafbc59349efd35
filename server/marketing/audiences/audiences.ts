import {
  type Audience,
  type AudienceFilters,
  audienceTexts,
  MAX_AUDIENCES,
} from '../../../shared/marketing/audience.ts'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFeature } from '../../billing/billing/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, transact } from '../../core/db/public.ts'
import type { StoredFilters } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { isFiltered, presentFilters, toStoredFilters } from './filters.ts'
import * as sql from './sql.ts'

// Saved filter sets ("Customer Segmentation", decision 42). A campaign keeps a copy of its filters.

export async function readAudiences(store: StoreDb): Promise<Audience[]> {
  const currency = await readCurrency(store)
  return (await sql.listAudiences(store)).map((row) => present(row, currency))
}

export async function createAudience(
  deps: Pick<Deps, 'now'>,
  { store, account }: { store: StoreDb<Db>; account: AccountDb },
  { name, filters }: { name: string; filters: AudienceFilters },
): Promise<Audience> {
  const now = deps.now()
  await requireFeature(account, now, { feature: 'audience_filters', sentence: campaignTexts.filterPlan })
  const currency = await readCurrency(store)
  const row = { id: createId(), name, filters: toStoredFilters(filters, currency) }
  await transact(store, async (tx) => {
    const isFull = (await sql.lockAudiences(tx)) >= MAX_AUDIENCES
    if (isFull) throw new AppError('conflict', audienceTexts.tooManyKept)
    if (await sql.insertAudience(tx, row, now)) return
    throw new AppError('conflict', audienceTexts.nameTaken, { fields: { name: audienceTexts.nameTaken } })
  })
  return present(row, currency)
}

export async function deleteAudience(store: StoreDb, id: string): Promise<void> {
  if (!(await sql.deleteAudience(store, id))) throw new AppError('not_found', 'Audience not found')
}

/** Converts filters to stored form. Throws if the plan allows only the default filters. */
export async function resolveFilters(
  deps: Pick<Deps, 'now'>,
  store: StoreDb,
  filters: AudienceFilters,
  account?: AccountDb,
): Promise<StoredFilters> {
  const stored = toStoredFilters(filters, await readCurrency(store))
  if (account && isFiltered(stored)) {
    await requireFeature(account, deps.now(), { feature: 'audience_filters', sentence: campaignTexts.filterPlan })
  }
  return stored
}

const readCurrency = async (store: StoreDb): Promise<string> => requireFound(await readStore(store), 'Store').currency

const present = ({ id, name, filters }: sql.AudienceRow, currency: string): Audience => ({
  id,
  name,
  filters: presentFilters(filters, currency),
})
