import type { z } from 'zod'
import { discountTexts, MOST_RECIPIENTS, type sendDiscountOffers } from '../../shared/discount-mail.ts'
import type { Db, StoreDb } from '../core/db.ts'
import { AppError } from '../core/errors.ts'
import { idsOfAbandoned, idsOfCustomers } from '../customers/abandoned.ts'
import { filterOf } from '../customers/customers.ts'

// Who is meant: customers chosen one by one, or all who match.

type Wanted = Pick<z.output<typeof sendDiscountOffers.body>, 'customers' | 'matching'>

/** Throws where more match than one discount mail may go to. */
export async function recipientsOf(store: StoreDb<Db>, { customers, matching }: Wanted): Promise<string[]> {
  if (!matching) return [...new Set(customers)]
  const except = new Set(matching.except)
  const idsOf = matching.abandonedOnly ? idsOfAbandoned : idsOfCustomers
  const found = await idsOf(store, filterOf(matching), MOST_RECIPIENTS + except.size + 1)
  const ids = found.filter((id) => !except.has(id))
  if (ids.length <= MOST_RECIPIENTS) return ids
  throw new AppError('unprocessable', discountTexts.tooMany, { fields: { customers: discountTexts.tooMany } })
}
