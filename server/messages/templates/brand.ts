// A store's brand kit for mails. Pure.
import { LRUCache } from 'lru-cache'
import { type BrandKit, DEFAULT_BRAND } from '../../../shared/messages/brand.ts'
import type { MailBrandKit } from '../../../shared/messages/mail-theme.ts'
import { buildShopTheme, type ShopTheme } from '../../../shared/messages/palette.ts'

export const DEFAULT_MAIL_BRAND: MailBrandKit = { ...DEFAULT_BRAND, logo: null }

export const toMailBrand = ({ logo, ...kit }: BrandKit, publicUrl: string): MailBrandKit => ({
  ...kit,
  logo: logo && { url: `${publicUrl}${logo.path}`, width: logo.width, height: logo.height, alt: logo.alt },
})

/** A batch shares one store's look. */
const looks = new LRUCache<string, ShopTheme>({ max: 100 })

/** The look of owners' HTML. */
export function findLook(brand: MailBrandKit): ShopTheme {
  const { button, text, ground, accent, fontStack, radius } = brand
  const key = [button, text, ground, accent, fontStack, radius].join()
  const known = looks.get(key)
  if (known) return known
  const look = buildShopTheme(brand)
  looks.set(key, look)
  return look
}
