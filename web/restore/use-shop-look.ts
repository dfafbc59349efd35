import { useLayoutEffect, useMemo } from 'react'
import { lookOf, type Palette } from '../../shared/palette.ts'
import type { ShopBrand } from '../../shared/shop-brand.ts'
import { schemeOf, useTheme } from '../theme/chosen.ts'

/** Gives the whole page the shop's colours and letters, by the theme's roles, until it is left. */
export function useShopLook(brand: ShopBrand | null): void {
  const scheme = schemeOf(useTheme())
  const look = useMemo(() => brand && lookOf(brand), [brand])
  useLayoutEffect(() => {
    if (!look) return
    const { style } = document.documentElement
    const roles = { ...rolesOf(look[scheme]), 'rc-font': look.font, 'rc-radius': `${look.radius}px` }
    for (const [name, value] of Object.entries(roles)) style.setProperty(`--${name}`, value)
    return () => {
      for (const name of Object.keys(roles)) style.removeProperty(`--${name}`)
    }
  }, [look, scheme])
}

const rolesOf = (palette: Palette): Record<string, string> => ({
  'rc-page': palette.page,
  'rc-surface': palette.card,
  'rc-surface-hover': palette.soft,
  'rc-sunken': palette.soft,
  'rc-line': palette.line,
  'rc-line-strong': palette.line,
  'rc-line-field': palette.muted,
  'rc-text': palette.text,
  'rc-text-soft': palette.muted,
  'rc-text-hint': palette.muted,
  'rc-brand': palette.button,
  'rc-brand-hover': palette.button,
  'rc-on-brand': palette.onButton,
  'rc-accent': palette.accent,
})
