import { type CSSProperties, useLayoutEffect, useMemo } from 'react'
import { buildShopTheme, type Palette } from '../../../shared/messages/palette.ts'
import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import { mantineVariables } from '../../core/theme/mantine.ts'
import { getScheme, useTheme } from '../../core/theme/theme-choice.ts'

/** Applies the shop's colors and fonts to the whole page through theme roles, until unmounted. */
export function useShopTheme(brand: ShopBrand | null): void {
  const scheme = getScheme(useTheme())
  const theme = useMemo(() => brand && buildShopTheme(brand), [brand])
  useLayoutEffect(() => {
    if (!theme) return
    const { style } = document.documentElement
    const roles = buildRoles(theme, scheme)
    for (const [name, value] of Object.entries(roles)) style.setProperty(name, value)
    return () => {
      for (const name of Object.keys(roles)) style.removeProperty(name)
    }
  }, [theme, scheme])
}

/** The same for one element: a preview in the owner's screen. */
export function useShopStyle(brand: ShopBrand): CSSProperties {
  const scheme = getScheme(useTheme())
  return useMemo(() => createShopStyle(brand, scheme), [brand, scheme])
}

export const createShopStyle = (brand: ShopBrand, scheme: 'light' | 'dark') =>
  ({
    ...buildRoles(buildShopTheme(brand), scheme),
    ...mantineVariables,
    '--mantine-primary-color-filled': 'var(--rc-brand)',
    '--mantine-primary-color-filled-hover': 'var(--rc-brand-hover)',
    '--mantine-font-family': 'var(--rc-font)',
    '--mantine-font-family-headings': 'var(--rc-font)',
    fontFamily: 'var(--rc-font)',
    color: 'var(--rc-text)',
  }) as CSSProperties

const buildRoles = (theme: ReturnType<typeof buildShopTheme>, scheme: 'light' | 'dark'): Record<string, string> => {
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
