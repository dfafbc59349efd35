import { type CSSProperties, useLayoutEffect, useMemo } from 'react'
import { buildLook, type Palette } from '../../shared/palette.ts'
import type { ShopBrand } from '../../shared/shop-brand.ts'
import { getScheme, useTheme } from '../theme/chosen.ts'
import { inRoles } from '../theme/mantine.ts'

/** Applies the shop's colors and fonts to the whole page through theme roles, until unmounted. */
export function useShopPalette(brand: ShopBrand | null): void {
  const scheme = getScheme(useTheme())
  const palette = useMemo(() => brand && buildLook(brand), [brand])
  useLayoutEffect(() => {
    if (!palette) return
    const { style } = document.documentElement
    const roles = buildRoles(palette, scheme)
    for (const [name, value] of Object.entries(roles)) style.setProperty(name, value)
    return () => {
      for (const name of Object.keys(roles)) style.removeProperty(name)
    }
  }, [palette, scheme])
}

/** The same for one element: a preview in the owner's screen. */
export function useShopStyle(brand: ShopBrand): CSSProperties {
  const scheme = getScheme(useTheme())
  return useMemo(() => createShopStyle(brand, scheme), [brand, scheme])
}

export const createShopStyle = (brand: ShopBrand, scheme: 'light' | 'dark') =>
  ({
    ...buildRoles(buildLook(brand), scheme),
    ...inRoles,
    '--mantine-primary-color-filled': 'var(--rc-brand)',
    '--mantine-primary-color-filled-hover': 'var(--rc-brand-hover)',
    '--mantine-font-family': 'var(--rc-font)',
    '--mantine-font-family-headings': 'var(--rc-font)',
    fontFamily: 'var(--rc-font)',
    color: 'var(--rc-text)',
  }) as CSSProperties

const buildRoles = (palette: ReturnType<typeof buildLook>, scheme: 'light' | 'dark'): Record<string, string> => {
  const roles = { ...buildPaletteRoles(palette[scheme]), 'rc-font': palette.font, 'rc-radius': `${palette.radius}px` }
  return Object.fromEntries(Object.entries(roles).map(([name, value]) => [`--${name}`, value]))
}

const buildPaletteRoles = (palette: Palette): Record<string, string> => ({
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
