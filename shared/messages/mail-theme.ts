import { type BrandKit, chooseLabelColour, contrastRatio, MIN_CONTRAST } from './brand.ts'
import type { Background, ThemeName } from './mail-document.ts'
import { buildShopTheme, ensureReadable, mixColours, type Palette } from './palette.ts'

// The look of a mail: the theme gives its character, the brand kit colours, letters, corners and logo. Text stays
// readable with any kit. Pure.

/** A store's brand kit; the logo has the URL used in mails. */
export interface MailBrandKit extends Omit<BrandKit, 'logo'> {
  logo: { url: string; width: number; height: number; alt: string } | null
}

interface ThemeShape {
  /** null: the kit's. */
  headingFont: string | null
  headingWeight: number
  headingSize: number
  /** On a phone. */
  headingSizeSmall: number
  headingLineHeight: number
  headingSpacing: string
  hasCapitals: boolean
  bodySize: number
  /** Of names and amounts of items. */
  itemWeight: number
  padding: number
  /** The words stand on a card; otherwise bands reach the edges. */
  isCard: boolean
  logoAlign: 'start' | 'center'
  /** Of the line above the total. */
  ruleWidth: number
  /** The button's corners; null: the kit's. */
  buttonRadius: number | null
  buttonWeight: number
  /** How the coupon is set off: lines above and below it, a filled field, a frame, or a dashed one. */
  couponShape: 'lines' | 'field' | 'frame' | 'dashes'
  codeWeight: number
  codeSpacing: string
  /** How answers are laid out: title beside text, centred columns, columns under a rule, or below each other. */
  answersShape: 'rows' | 'columns' | 'ruled' | 'stack'
  /** Style of the store's name where there is no logo. */
  nameStyle: string
}

const SERIF = "Georgia,'Times New Roman',serif"
/** Arial Black is too wide for two lines of capitals. */
const HEAVY = "'Helvetica Neue',Helvetica,Arial,sans-serif"

const shapes: Readonly<Record<ThemeName, ThemeShape>> = {
  quiet: {
    headingFont: null,
    headingWeight: 300,
    headingSize: 34,
    headingSizeSmall: 28,
    headingLineHeight: 1.2,
    headingSpacing: '-0.01em',
    hasCapitals: false,
    bodySize: 16,
    itemWeight: 400,
    padding: 48,
    isCard: false,
    logoAlign: 'center',
    ruleWidth: 1,
    buttonRadius: null,
    buttonWeight: 400,
    couponShape: 'lines',
    codeWeight: 400,
    codeSpacing: '0.16em',
    answersShape: 'rows',
    nameStyle: 'font-size:19px;font-weight:400;letter-spacing:0.04em',
  },
  warm: {
    headingFont: SERIF,
    headingWeight: 700,
    headingSize: 36,
    headingSizeSmall: 30,
    headingLineHeight: 1.18,
    headingSpacing: '-0.01em',
    hasCapitals: false,
    bodySize: 17,
    itemWeight: 600,
    padding: 40,
    isCard: true,
    logoAlign: 'center',
    ruleWidth: 1,
    buttonRadius: 28,
    buttonWeight: 600,
    couponShape: 'field',
    codeWeight: 700,
    codeSpacing: '0.06em',
    answersShape: 'columns',
    nameStyle: `font-family:${SERIF};font-size:23px;font-weight:700;letter-spacing:-0.01em`,
  },
  bold: {
    headingFont: HEAVY,
    headingWeight: 900,
    headingSize: 46,
    headingSizeSmall: 36,
    headingLineHeight: 1,
    headingSpacing: '-0.03em',
    hasCapitals: true,
    bodySize: 16,
    itemWeight: 600,
    padding: 40,
    isCard: false,
    logoAlign: 'start',
    ruleWidth: 3,
    buttonRadius: 0,
    buttonWeight: 700,
    couponShape: 'frame',
    codeWeight: 900,
    codeSpacing: '0.04em',
    answersShape: 'ruled',
    nameStyle: `font-family:${HEAVY};font-size:22px;font-weight:900;letter-spacing:-0.02em;text-transform:uppercase`,
  },
  letter: {
    headingFont: null,
    headingWeight: 700,
    headingSize: 28,
    headingSizeSmall: 28,
    headingLineHeight: 1.2,
    headingSpacing: '-0.01em',
    hasCapitals: false,
    bodySize: 16,
    itemWeight: 600,
    padding: 40,
    isCard: true,
    logoAlign: 'start',
    ruleWidth: 1,
    buttonRadius: null,
    buttonWeight: 600,
    couponShape: 'dashes',
    codeWeight: 700,
    codeSpacing: '0.08em',
    answersShape: 'stack',
    nameStyle: 'font-size:20px;font-weight:700;letter-spacing:-0.01em',
  },
}

/** The colours on one background. */
export interface Ground {
  background: string
  text: string
  muted: string
  line: string
  link: string
  /** Behind missing pictures and codes. */
  soft: string
  /** Behind pictures: light in dark mode too, because pictures without a background are made for light pages. */
  plate: string
  button: string
  onButton: string
  edge: string
}

export interface MailTheme extends Omit<ThemeShape, 'headingFont' | 'buttonRadius'> {
  name: ThemeName
  font: string
  headingFont: string
  radius: number
  buttonRadius: number
  page: string
  darkPage: string
  pageMuted: string
  darkPageMuted: string
  isDarkByDay: boolean
  grounds: Readonly<Record<Background, Ground>>
  /** Only these change in dark mode: accent and ink stay. */
  darkGrounds: Readonly<Record<'card' | 'soft', Ground>>
}

type Colours = Pick<BrandKit, 'button' | 'text' | 'ground' | 'accent' | 'fontStack' | 'radius'>

/** The contrasts of a theme take longer than the rest of a mail, and a store has few looks. */
const MAX_THEMES = 100
const known = new Map<string, MailTheme>()

/** The same object for the same look. */
export function findMailTheme(kit: Colours, name: ThemeName): MailTheme {
  const { button, text, ground, accent, fontStack, radius } = kit
  const key = [name, button, text, ground, accent, fontStack, radius].join()
  const found = known.get(key)
  if (found) return found
  if (known.size >= MAX_THEMES) known.clear()
  const theme = buildMailTheme(kit, name)
  known.set(key, theme)
  return theme
}

export function buildMailTheme(kit: Colours, name: ThemeName): MailTheme {
  const { light, dark, isDarkByDay, font, radius } = buildShopTheme(kit)
  const { headingFont, buttonRadius, ...shape } = shapes[name]
  const corners = { quiet: Math.min(radius, 2), warm: Math.max(radius, 12), bold: 0, letter: radius }[name]
  const page = choosePage(light, name)
  const darkPage = name === 'quiet' ? dark.card : dark.page
  const isTinted = name === 'warm'
  return {
    ...shape,
    name,
    font,
    headingFont: headingFont ?? font,
    radius: corners,
    buttonRadius: buttonRadius ?? corners,
    page,
    darkPage,
    pageMuted: ensureReadable(light.pageMuted, page),
    darkPageMuted: ensureReadable(dark.pageMuted, darkPage),
    isDarkByDay,
    grounds: {
      card: buildGround(light, light.card, isTinted ? page : light.soft),
      soft: buildGround(light, mixColours(light.card, light.accent, 0.08), light.card),
      accent: buildStrongGround(light.accent),
      ink: buildStrongGround(light.text),
    },
    darkGrounds: {
      card: buildGround(dark, dark.card, isTinted ? mixColours(dark.card, dark.accent, 0.1) : dark.soft),
      soft: buildGround(dark, mixColours(dark.card, dark.accent, 0.08), dark.card),
    },
  }
}

function choosePage(light: Palette, name: ThemeName): string {
  if (name === 'quiet') return light.card
  return name === 'warm' ? mixColours(light.card, light.accent, 0.09) : light.page
}

function buildGround(palette: Palette, background: string, field: string): Ground {
  const { line, accent, button, onButton, edge } = palette
  const text = ensureReadable(palette.text, background)
  // Some kits have no colour that can be read on both.
  const soft = contrastRatio(text, field) >= MIN_CONTRAST ? field : background
  return {
    background,
    text,
    muted: ensureReadable(ensureReadable(palette.muted, background, text), soft, text),
    line,
    link: ensureReadable(accent, background),
    soft,
    plate: mixColours('#ffffff', accent, 0.07),
    button,
    onButton,
    edge,
  }
}

/** Of a strong colour: everything on it is white or black. */
function buildStrongGround(background: string): Ground {
  const text = chooseLabelColour(background)
  // Away from the text, which then can be read on it too.
  const soft = mixColours(background, text === '#ffffff' ? '#000000' : '#ffffff', 0.1)
  const muted = ensureReadable(mixColours(text, background, 0.2), background, text)
  return {
    background,
    plate: mixColours('#ffffff', background, 0.07),
    text,
    muted,
    line: mixColours(background, text, 0.3),
    link: text,
    soft,
    button: text,
    onButton: ensureReadable(background, text, chooseLabelColour(text)),
    edge: text,
  }
}
