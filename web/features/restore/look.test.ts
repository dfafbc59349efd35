import { expect, test } from 'vitest'
import { DEFAULT_BRAND } from '../../../shared/messages/brand.ts'
import { buildShopTheme } from '../../../shared/messages/palette.ts'
import { createShopStyle } from './use-shop-look.ts'

test.each(['light', 'dark'] as const)('the owner’s preview of a shop page has the shop’s branding, %s', (scheme) => {
  const brand = { ...DEFAULT_BRAND, button: '#7a1fa2', fontStack: 'georgia' as const, radius: 2 }
  const theme = buildShopTheme(brand)
  const style = createShopStyle(brand, scheme)
  expect(style).toMatchObject({ '--rc-brand': theme[scheme].button, '--rc-surface': theme[scheme].card })
  expect(style).toMatchObject({ '--rc-font': theme.font, '--rc-radius': '2px', '--rc-text': theme[scheme].text })
  // Colors of the page's parts are derived from these.
  expect(style).toMatchObject({
    '--mantine-primary-color-filled': 'var(--rc-brand)',
    '--mantine-color-text': 'var(--rc-text)',
    '--mantine-font-family': 'var(--rc-font)',
  })
})
