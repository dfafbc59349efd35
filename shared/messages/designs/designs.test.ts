import { describe, expect, test } from 'vitest'
import { buildItems, buildSampleValues, SAMPLE_COUPON } from '../../../test/mail-documents.ts'
import { type BrandKit, contrastRatio, DEFAULT_BRAND, MIN_CONTRAST } from '../brand.ts'
import { compile } from '../mail-compile.ts'
import { listBlocks, type MailDocument, MailDocumentSchema, themeNames } from '../mail-document.ts'
import { fill } from '../mail-fill.ts'
import { listShownPoints } from '../mail-points.ts'
import { buildMailTheme, type Ground, type MailBrandKit } from '../mail-theme.ts'
import type { MailValues } from '../mail-values.ts'
import { listDesigns } from './designs.ts'

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl']
const KIT: MailBrandKit = { ...DEFAULT_BRAND, logo: null }

const render = (document: MailDocument, language = 'en', values: Partial<MailValues> = {}) =>
  fill(compile(document, KIT, document.theme, language), buildSampleValues(values))

const removeSpace = (text: string) => text.replace(/\s/g, '')
const count = (text: string, part: string) => text.split(part).length - 1

test('names twelve designs for the gallery', () => {
  const names = listDesigns('en').map(({ name }) => name)
  expect(names.slice(0, 3)).toEqual(['Quiet: first reminder', 'Quiet: second reminder', 'Quiet: last reminder'])
  expect(new Set(names).size).toBe(12)
  expect(listDesigns('de-AT').map(({ name }) => name)).toEqual(names)
})

test('a language without words is English', () => {
  expect(LANGUAGES.map((language) => listDesigns(language)[0]!.document.language)).toEqual(LANGUAGES)
  for (const other of ['fi', 'constructor', '']) expect(listDesigns(other)[0]!.document.language).toBe('en')
  expect(listDesigns('fi')).toEqual(listDesigns('en'))
})

test.each(LANGUAGES)('shows no answer of a design in %s before the owner writes it', (language) => {
  const blocks = listDesigns(language).flatMap(({ document }) => listBlocks(document))
  const points = blocks.flatMap((block) => (block.type === 'trust' ? block.points : []))
  expect(points.length).toBeGreaterThan(0)
  expect(listShownPoints(points)).toEqual([])
})

test('no language shows the words of another', () => {
  const listTexts = (language: string) =>
    listDesigns(language).flatMap(({ document }) =>
      [...listBlocks(document), { inlines: document.subject }].flatMap((block) =>
        'inlines' in block && Array.isArray(block.inlines)
          ? block.inlines.flatMap((run) => (run.kind === 'text' && run.text.length > 20 ? [run.text] : []))
          : [],
      ),
    )
  const known = new Map<string, string>()
  for (const language of LANGUAGES) {
    for (const text of listTexts(language)) {
      expect([text, known.get(text) ?? language]).toEqual([text, language])
      known.set(text, language)
    }
  }
})

describe.each(LANGUAGES)('designs in %s', (language) => {
  test.each(listDesigns(language))('$name is a valid document whose words arrive', ({ document, place }) => {
    expect(MailDocumentSchema.parse(document)).toEqual(document)
    const cases = [render(document, language, { coupon: SAMPLE_COUPON }), render(document, language)]
    const shown = removeSpace(cases.map(({ subject, text, html }) => subject + text + html).join('')).replaceAll(
      '&#39;',
      "'",
    )
    const lists = [
      document.subject,
      document.preview,
      ...listBlocks(document).map((each) => 'inlines' in each && each.inlines),
    ]
    for (const inlines of lists) {
      if (!Array.isArray(inlines)) continue
      for (const run of inlines) {
        // The headline for a coupon without a saving is tested below.
        if (run.kind === 'text' && !inlines.some((each) => each.kind === 'value' && each.name === 'coupon_offer')) {
          expect(shown).toContain(removeSpace(run.text))
        }
      }
    }
    for (const { subject, text, html, problem } of cases) {
      expect(problem).toBeNull()
      expect(`${subject}${text}${html}`).not.toMatch(/\{\{|\{%|\{\w+[|}]|undefined/)
      for (const [, href] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) expect(href).toMatch(/^https:\/\//)
      expect(count(text, 'https://app.example/c/Ab9')).toBeGreaterThan(0)
    }
    expect(place === 'last').toBe(cases[0]!.subject.includes('$8.00'))
  })
})

describe.each(listDesigns('en'))('$name', ({ document, place }) => {
  const items = buildItems(60, 'n'.repeat(115))

  test('has each item once in the text part and is below 80 KB with 60 items', () => {
    const few = render(document, 'en', { items: buildItems(3), coupon: SAMPLE_COUPON }).text
    for (const { name } of buildItems(3)) expect([name, count(few, name)]).toEqual([name, 1])
    const mail = render(document, 'en', { items, coupon: SAMPLE_COUPON })
    for (const { name } of items) expect(count(mail.text, `${name}:`)).toBeLessThanOrEqual(1)
    expect(mail.text).toMatch(/and \d+ more items/)
    expect(new TextEncoder().encode(mail.html).length).toBeLessThan(80_000)
  })

  test('leaves nothing out of any cart and coupon', () => {
    for (const coupon of [null, SAMPLE_COUPON, { ...SAMPLE_COUPON, saving: null, expires: null }]) {
      expect(render(document, 'en', { coupon }).leftOut.paragraphs).toEqual([])
    }
  })

  test('says of an answer nothing until it is written', () => {
    expect(render(document).text).not.toMatch(/Shipping|Returns|free of charge/)
    const answered = structuredClone(document)
    const answers = listBlocks(answered).flatMap((block) => (block.type === 'trust' ? block.points : []))
    expect(answers.length).toBe(place === 'second' ? 3 : 0)
    for (const point of answers.slice(1)) point.text = 'Within 30 days'
    for (const part of [render(answered).text, render(answered).html]) {
      expect(count(part, 'Within 30 days')).toBe(answers.length === 0 ? 0 : 2)
      expect(part.includes('Returns')).toBe(place === 'second')
      expect(part).not.toContain('Shipping')
    }
  })

  test('shows an own title without an answer', () => {
    const changed = structuredClone(document)
    const [answer] = listBlocks(changed).flatMap((block) => (block.type === 'trust' ? block.points : []))
    if (!answer) return
    answer.title = 'Free returns'
    for (const part of [render(changed).text, render(changed).html]) expect(count(part, 'Free returns')).toBe(1)
  })

  test('shows the coupon, its saving as headline, only where there is one', () => {
    const mail = render(document, 'en', { coupon: SAMPLE_COUPON })
    expect(count(mail.text, 'WELCOME10')).toBe(place === 'last' ? 1 : 0)
    if (place === 'last') {
      expect(mail.html).toMatch(/<h1[^>]*>[^<]*\$8\.00/)
      const unknown = render(document, 'en', { coupon: { ...SAMPLE_COUPON, saving: null } })
      expect(unknown.html).toMatch(/<h1[^>]*>For your cart: 10% off</)
      expect(unknown.subject).toBe('A coupon for you at Harbour Goods')
      expect(render(document).subject).toBe('Your cart at Harbour Goods')
    }
    expect(render(document).html).not.toContain('coupon')
  })

  test('begins and ends its card with round corners, whatever is shown', () => {
    if (document.theme !== 'warm' && document.theme !== 'letter') return
    for (const coupon of [null, SAMPLE_COUPON]) {
      const { html } = render(document, 'en', { coupon })
      const rows = [...html.matchAll(/<td class="s ([^"]*)"/g)].map(([, css]) => css!)
      expect(rows.map((css) => css.includes('begin')).lastIndexOf(true)).toBe(document.theme === 'letter' ? 0 : 1)
      expect(rows.map((css) => / end\b/.test(css)).indexOf(true)).toBe(rows.length - 1)
    }
  })
})

const kits: Record<string, Partial<BrandKit>> = {
  clay: { button: '#a3431f', accent: '#a3431f', text: '#2b211c', radius: 8 },
  mono: { button: '#111111', accent: '#111111', text: '#111111', radius: 0, fontStack: 'arial' },
  vivid: {
    button: '#5b21b6',
    accent: '#0f766e',
    text: '#1e1b4b',
    ground: '#fffdf7',
    radius: 16,
    fontStack: 'trebuchet',
  },
}

test.each(Object.entries(kits))('the colours of %s can be read in every theme, light and dark', (_, changes) => {
  for (const name of themeNames) {
    const theme = buildMailTheme({ ...DEFAULT_BRAND, ...changes }, name)
    const grounds: Ground[] = [...Object.values(theme.grounds), ...Object.values(theme.darkGrounds)]
    for (const { background, text, muted, link, soft, button, onButton } of grounds) {
      for (const colour of [text, muted, link]) {
        expect(contrastRatio(colour, background)).toBeGreaterThanOrEqual(MIN_CONTRAST)
      }
      // In the field of a coupon.
      for (const colour of [text, muted]) expect(contrastRatio(colour, soft)).toBeGreaterThanOrEqual(MIN_CONTRAST)
      expect(contrastRatio(onButton, button)).toBeGreaterThanOrEqual(MIN_CONTRAST)
    }
  }
})

test('three brand kits and four themes give twelve different looks', () => {
  const looks = Object.values(kits).flatMap((changes) =>
    themeNames.map((name) => {
      const { font, headingFont, radius, buttonRadius, page, grounds } = buildMailTheme(
        { ...DEFAULT_BRAND, ...changes },
        name,
      )
      return JSON.stringify([
        font,
        headingFont,
        radius,
        buttonRadius,
        page,
        grounds.card.button,
        grounds.accent.background,
      ])
    }),
  )
  expect(new Set(looks).size).toBe(12)
})
