import type { z } from 'zod'
import { discountTexts, MAX_RECIPIENTS, type sendDiscountOffers } from '../../../shared/marketing/discount-mail.ts'
import { AppError } from '../../core/common/public.ts'
import type { AccountDb, Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { resolveFilters } from '../audiences/public.ts'
import { buildFilter, listAbandonedIds, listCustomerIds } from '../customers/public.ts'

// Resolves the recipients: customers chosen one by one, or all that match.

type RecipientChoice = Pick<z.output<typeof sendDiscountOffers.body>, 'customers' | 'matching'>

interface RecipientQuery {
  deps: Deps
  store: StoreDb<Db>
  account: AccountDb
}

/** Throws if the plan lacks the filters, or if more match than one discount mail allows. */
export async function resolveRecipients(
  { deps, store, account }: RecipientQuery,
  { customers, matching }: RecipientChoice,
): Promise<string[]> {
  if (!matching) return [...new Set(customers)]
  const except = new Set(matching.except)
  const max = MAX_RECIPIENTS + except.size + 1
  const filters = matching.abandonedOnly && matching.filters
  const audience = filters
    ? { channel: 'email' as const, filters: await resolveFilters(deps, store, filters, account), now: deps.now() }
    : null
  const found = matching.abandonedOnly
    ? await listAbandonedIds(store, buildFilter(matching), max, audience)
    : await listCustomerIds(store, buildFilter(matching), max)
  const ids = found.filter((id) => !except.has(id))
  if (ids.length <= MAX_RECIPIENTS) return ids
  throw new AppError('unprocessable', discountTexts.tooMany, { fields: { customers: discountTexts.tooMany } })
}
