import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import { buildShopTheme, type Palette } from '../../../shared/messages/palette.ts'

/** Applies the shop's colors and font to the whole page. `public/theme.js` has chosen light or dark. */
export function applyShopLook(brand: ShopBrand): void {
  const { dataset, style } = document.documentElement
  const roles = buildShopRoles(brand, dataset.theme === 'dark' ? 'dark' : 'light')
  for (const [name, value] of Object.entries(roles)) style.setProperty(name, value)
}

export function buildShopRoles(brand: ShopBrand, scheme: 'light' | 'dark'): Record<string, string> {
  const theme = buildShopTheme(brand)
  const roles = { ...buildPaletteRoles(theme[scheme]), 'rc-font': theme.font, 'rc-radius': `${theme.radius}px` }
  return Object.fromEntries(Object.entries(roles).map(([name, value]) => [`--${name}`, value]))
}

const buildPaletteRoles = (theme: Palette): Record<string, string> => ({
  'rc-page': theme.page,
  'rc-surface': theme.card,
  'rc-surface-hover': theme.soft,
  'rc-sunken': theme.soft,
  'rc-line': theme.line,
  'rc-line-strong': theme.line,
  'rc-line-field': theme.muted,
  'rc-text': theme.text,
  'rc-text-soft': theme.muted,
  'rc-text-hint': theme.muted,
  'rc-brand': theme.button,
  'rc-brand-hover': theme.button,
  'rc-on-brand': theme.onButton,
  'rc-accent': theme.accent,
})
