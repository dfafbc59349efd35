import { type CSSProperties, useMemo } from 'react'
import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import { mantineVariables } from '../../core/theme/mantine.ts'
import { getScheme, useTheme } from '../../core/theme/theme-choice.ts'
import { buildShopRoles } from './look.ts'

/** The shop's colors and font for one element: a preview in the owner's screen. */
export function useShopStyle(brand: ShopBrand): CSSProperties {
  const scheme = getScheme(useTheme())
  return useMemo(() => createShopStyle(brand, scheme), [brand, scheme])
}

export const createShopStyle = (brand: ShopBrand, scheme: 'light' | 'dark') =>
  ({
    ...buildShopRoles(brand, scheme),
    ...mantineVariables,
    '--mantine-primary-color-filled': 'var(--rc-brand)',
    '--mantine-primary-color-filled-hover': 'var(--rc-brand-hover)',
    '--mantine-font-family': 'var(--rc-font)',
    '--mantine-font-family-headings': 'var(--rc-font)',
    fontFamily: 'var(--rc-font)',
    color: 'var(--rc-text)',
  }) as CSSProperties
