import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import type { StoreDb } from '../../core/db/public.ts'
import { loadBrand } from './brand.ts'

/** Style of Recoup's pages for shoppers, equal to that of the store's mails. */
export async function loadShopBrand(store: StoreDb): Promise<ShopBrand> {
  const { logo, button, text, ground, accent, fontStack, radius, promise } = await loadBrand(store)
  return { logo, button, text, ground, accent, fontStack, radius, promise }
}
