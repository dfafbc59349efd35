import type { ShopBrand } from '../../../shared/shop-brand.ts'
import type { StoreDb } from '../../core/db/db.ts'
import { brandOf } from './brand.ts'

/** How the store's own pages look to a shopper: as its mails do. */
export async function shopBrandOf(store: StoreDb): Promise<ShopBrand> {
  const { logo, button, text, ground, accent, fontStack, radius, promise } = await brandOf(store)
  return { logo, button, text, ground, accent, fontStack, radius, promise }
}
