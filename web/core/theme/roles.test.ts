import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readablePairs } from '../../../test/color-pairs.ts'
import { readChartColors } from './chart.ts'
import { themeNames } from './theme-choice.ts'

type Roles = Record<string, string>

/** The roles of a theme in roles.css. */
function readRoles(theme: string): Roles {
  const css = readFileSync('web/core/theme/roles.css', 'utf8')
  const block = new RegExp(`\\[data-theme='${theme}'\\] \\{([^}]+)\\}`).exec(css)![1]!
  return Object.fromEntries([...block.matchAll(/--rc-([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]))
}

/** WCAG 2.2: relative luminance, 0 to 1. */
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high! + 0.05) / (low! + 0.05)
}

/** Like CSS `color-mix(in srgb, one share, other)`. */
const mixColours = (one: string, other: string, share: number) =>
  [1, 3, 5].reduce((hex, at) => {
    const [ofOne, ofOther] = [one, other].map((color) => Number.parseInt(color.slice(at, at + 2), 16))
    return (
      hex +
      Math.round(share * ofOne! + (1 - share) * ofOther!)
        .toString(16)
        .padStart(2, '0')
    )
  }, '#')

/** Hue 0 to 360, and saturation 0 to 1. */
function computeHue(hex: string): { hue: number; chroma: number } {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as [
    number,
    number,
    number,
  ]
  const chroma = Math.max(red, green, blue) - Math.min(red, green, blue)
  const hue = Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * (180 / Math.PI)
  return { hue: (hue + 360) % 360, chroma }
}

/** A 4.3, B 4: the colors the specification names, by tone. */
const hues: [tone: string, from: number, to: number][] = [
  ['good', 90, 160],
  ['info', 195, 240],
  ['warn', 30, 65],
  ['bad', 0, 20],
]

const combinations: [sign: string, ground: string][] = [
  ['line-field', 'surface'],
  ['accent', 'page'],
]

/** Roles of a thread's stations, by outcome. */
const stationRoles = [
  ...readFileSync('web/core/ui/thread.css', 'utf8').matchAll(
    /^\[data-outcome='\w+'\] \{ --station: var\(--rc-([\w-]+)\)/gm,
  ),
].map(([, role]) => role!)

it('gives each outcome of a thread a color of its own', () => {
  expect(stationRoles).toHaveLength(7)
  expect(new Set(stationRoles).size).toBe(7)
})

/** `--rc-` roles of a style rule that sets both text and background. */
const readPair = (rule: string) => [
  /(?:^|[;\s])color: var\(--rc-([\w-]+)\)/.exec(rule)?.[1],
  /(?:^|[;\s])background(?:-color)?: var\(--rc-([\w-]+)\)/.exec(rule)?.[1],
]

it('measures each color pair that a style rule sets together', () => {
  const sheets = globSync('web/**/*.css').map((name) => readFileSync(name, 'utf8'))
  const rules = sheets.flatMap((css) => [...css.matchAll(/\{([^{}]*)\}/g)].map(([, rule]) => readPair(rule!)))
  const pairs = rules.filter(([text, ground]) => text && ground).map((pair) => pair.join(' on '))
  expect(pairs.length).toBeGreaterThan(20)
  const measured = readablePairs.map((pair) => pair.join(' on '))
  expect(pairs.filter((pair) => !measured.includes(pair))).toEqual([])
})

describe.each(themeNames)('the theme %s', (theme) => {
  const roles = readRoles(theme)

  it('gives every role a color', () => {
    expect(Object.keys(roles)).toEqual(Object.keys(readRoles('light')))
  })

  it('uses green for good, blue for info, yellow for a warning, red for bad and grey for quiet (A 4.3)', {
    tags: ['A4.3'],
  }, () => {
    for (const [tone, from, to] of hues) {
      const { hue, chroma } = computeHue(roles[tone]!)
      expect([tone, hue >= from && hue <= to, chroma > 0.25]).toEqual([tone, true, true])
    }
    expect(computeHue(roles.quiet!).chroma).toBeLessThan(0.2)
  })

  it.each(readablePairs)('keeps %s readable on %s', (text, ground) => {
    expect(contrast(roles[text]!, roles[ground]!)).toBeGreaterThanOrEqual(4.5)
  })

  it('keeps text readable on backgrounds tinted with the accent', () => {
    const tinted = [0.05, 0.08, 0.09].map((share) => mixColours(roles.accent!, roles.surface!, share))
    const least = tinted.flatMap((ground) => [contrast(roles.text!, ground), contrast(roles['text-soft']!, ground)])
    expect(Math.min(...least)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(combinations)('keeps %s visible on %s', (sign, ground) => {
    expect(contrast(roles[sign]!, roles[ground]!)).toBeGreaterThanOrEqual(3)
  })

  it.each(stationRoles)('keeps a station in %s visible on every background', (role) => {
    const tinted = mixColours(roles.accent!, roles.surface!, 0.08)
    const grounds = [...['page', 'surface', 'surface-hover', 'sunken'].map((ground) => roles[ground]!), tinted]
    expect(Math.min(...grounds.map((ground) => contrast(roles[role]!, ground)))).toBeGreaterThanOrEqual(3)
    // The shape inside the disc.
    expect(contrast(roles.surface!, roles[role]!)).toBeGreaterThanOrEqual(3)
  })

  it('gives charts visible series and readable labels', () => {
    const { series, text, grid, surface } = readChartColors({
      getPropertyValue: (name: string) => ` ${roles[name.slice('--rc-'.length)]}`,
    })
    expect(series.filter((color) => contrast(color, surface) < 3)).toEqual([])
    expect(new Set(series).size).toBe(6)
    expect(contrast(text, surface)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(grid, surface)).toBeGreaterThan(1)
  })
})
