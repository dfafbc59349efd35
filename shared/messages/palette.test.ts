import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrastRatio, DEFAULT_BRAND } from './brand.ts'
import { buildShopTheme, type Palette } from './palette.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map((part) => `#${part.toString(16).padStart(6, '0')}`)
const kit = fc.record({ button: colour, text: colour, ground: colour, accent: colour })
const fixed = { fontStack: 'system', radius: 8 } as const

function unreadable({ page, card, text, muted, pageMuted, accent, button, onButton, soft, edge }: Palette): string[] {
  const pairs: [string, string, string, number][] = [
    ['text', text, card, 4.5],
    ['muted', muted, card, 4.5],
    ['footer', pageMuted, page, 4.5],
    ['link', accent, card, 4.5],
    ['label', onButton, button, 4.5],
    ['code', text, soft, 4],
    ['edge', edge, card, 1.4],
  ]
  return pairs.filter(([, one, other, min]) => contrastRatio(one, other) < min).map(([name]) => name)
}

describe('the colours of a mail', () => {
  test('are readable in light and dark mode with any brand kit', () => {
    fc.assert(
      fc.property(kit, (colours) => {
        const { light, dark } = buildShopTheme({ ...colours, ...fixed })
        expect([unreadable(light), unreadable(dark)]).toEqual([[], []])
        expect(light.card).toBe(colours.ground)
        expect(light.button).toBe(colours.button)
      }),
    )
  })

  test("use the kit's colours if they are readable", () => {
    const kit = { button: '#b4532a', accent: '#9a4520', text: '#3a2a20', ground: '#fffaf3', ...fixed }
    expect(buildShopTheme(kit).light).toMatchObject({
      button: '#b4532a',
      accent: '#9a4520',
      text: '#3a2a20',
      card: '#fffaf3',
    })
  })

  test('in dark mode lighten black and coloured buttons, and keep a dark kit unchanged', () => {
    const { dark } = buildShopTheme({ ...DEFAULT_BRAND, button: '#000000' })
    expect([dark.button, dark.onButton]).toEqual([dark.text, '#000000'])
    expect(
      contrastRatio(buildShopTheme({ ...DEFAULT_BRAND, button: '#1d4ed8' }).dark.button, dark.card),
    ).toBeGreaterThan(3)
    const night = buildShopTheme({ ...DEFAULT_BRAND, ground: '#101114', text: '#ffffff' })
    expect([night.isDarkByDay, night.dark]).toEqual([true, night.light])
  })

  test('replace invalid colours by the defaults and limit the radius', () => {
    const bad = { button: 'red;}', text: '#12', ground: 'url(x)', accent: '', fontStack: 'x' as 'system', radius: 900 }
    expect(buildShopTheme(bad)).toEqual({ ...buildShopTheme(DEFAULT_BRAND), radius: 24 })
    expect(buildShopTheme({ ...DEFAULT_BRAND, radius: Number.NaN }).radius).toBe(0)
  })
})
