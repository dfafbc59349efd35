import type { ProductChoice } from '../../../shared/audience.ts'
import type { StoreDb } from '../../core/db/db.ts'
import { productsFound } from './products-sql.ts'

// Products for the audience filter, from the catalogue copy.

const MOST = 20

export async function findProducts(
  store: StoreDb,
  { search }: { search: string },
): Promise<{ products: ProductChoice[] }> {
  return { products: await productsFound(store, search.trim().replaceAll('\0', ''), MOST) }
}
