// A store's brand kit, sanitised for mails: readable colours, valid addresses, one-line texts. Pure.
import { LRUCache } from 'lru-cache'
import { type BrandKit, DEFAULT_BRAND, socialKinds } from '../../../shared/messages/brand.ts'
import { buildShopTheme, type ShopTheme } from '../../../shared/messages/palette.ts'
import { cleanText, type MailBrand, parseWebAddress } from './context.ts'

export const DEFAULT_MAIL_BRAND: MailBrand = { ...DEFAULT_BRAND, logo: null }

export const toMailBrand = ({ logo, ...kit }: BrandKit, publicUrl: string): MailBrand => ({
  ...kit,
  logo: logo && { url: `${publicUrl}${logo.path}`, width: logo.width, height: logo.height, alt: logo.alt },
})

export interface CleanBrand {
  look: ShopTheme
  logo: CleanLogo | null
  social: { name: string; url: string }[]
  footerWords: string
  promise: string
}

interface CleanLogo {
  url: string
  width: number
  height: number
  alt: string
}

export function cleanBrand(brand: MailBrand, storeName: string): CleanBrand {
  return {
    look: cacheLook(brand),
    logo: brand.logo && cleanLogo(brand.logo, storeName),
    social: brand.social.flatMap(({ kind, url }) => {
      const [known, address] = [socialKinds[kind], parseWebAddress(url)]
      return known && address?.startsWith('https:') ? [{ name: known.name, url: address }] : []
    }),
    footerWords: cleanText(brand.footerWords, 300),
    promise: cleanText(brand.promise, 160),
  }
}

/** A batch shares one store's look. */
const looks = new LRUCache<string, ShopTheme>({ max: 100 })

function cacheLook(brand: MailBrand): ShopTheme {
  const { button, text, ground, accent, fontStack, radius } = brand
  const key = [button, text, ground, accent, fontStack, radius].join()
  const known = looks.get(key)
  if (known) return known
  const look = buildShopTheme(brand)
  looks.set(key, look)
  return look
}

const MAX_LOGO_SIZE = { width: 200, height: 64 }

/** Half its size at most, so that it is sharp on phones, and within the size of a heading. */
function cleanLogo({ url: text, width, height, alt }: CleanLogo, storeName: string): CleanLogo | null {
  const url = parseWebAddress(text)
  if (!url || !(width > 0 && height > 0)) return null
  const halved = width > 2 * MAX_LOGO_SIZE.height ? 0.5 : 1
  const scale = Math.min(halved, MAX_LOGO_SIZE.width / width, MAX_LOGO_SIZE.height / height)
  const scaled = (side: number) => Math.max(1, Math.round(side * scale))
  return { url, width: scaled(width), height: scaled(height), alt: cleanText(alt, 120) || storeName }
}
