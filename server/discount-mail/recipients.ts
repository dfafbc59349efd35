import type { z } from 'zod'
import type { sendDiscountOffers } from '../../shared/discount-mail.ts'
import type { Db, StoreDb } from '../core/db.ts'

// Who is meant: customers chosen one by one, or all who match.

type Wanted = Pick<z.output<typeof sendDiscountOffers.body>, 'customers'>

export async function recipientsOf(_store: StoreDb<Db>, { customers }: Wanted): Promise<string[]> {
  return [...new Set(customers)]
}
