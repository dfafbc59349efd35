import fc from 'fast-check'
import { decode } from 'html-entities'
import { describe, expect, test } from 'vitest'
import {
  buildItems,
  buildSampleDocument,
  buildSampleValues,
  generatedDocument,
  generatedValues,
  HOSTILE_TEXTS,
  SAMPLE_COUPON,
} from '../../test/mail-documents.ts'
import { clean, renderReference } from '../../test/mail-reference.ts'
import { isFullRun, testSeed } from '../../test/seed.ts'
import { DEFAULT_BRAND } from './brand.ts'
import { compile } from './mail-compile.ts'
import { type MailDocument, MailDocumentSchema, themeNames } from './mail-document.ts'
import { fill } from './mail-fill.ts'
import type { MailBrandKit } from './mail-theme.ts'
import type { MailValues } from './mail-values.ts'

const DOCUMENTS = Number(process.env.MAIL_DOCUMENTS ?? (isFullRun ? 5_000 : 200))
const KIT: MailBrandKit = { ...DEFAULT_BRAND, logo: null }

const render = (document: MailDocument, values: Partial<MailValues> = {}, kit = KIT, language = 'en-US') =>
  fill(compile(document, kit, document.theme, language), buildSampleValues(values))

/** The part of a mail between logo and footer. */
function cutContent(html: string): string {
  const logo = html.indexOf('<td class="s top')
  return html.slice(html.indexOf('</tr>', logo), html.indexOf('<td class="foot"'))
}
const readWords = (html: string) => decode(html.replace(/<!--.*?-->/gs, '').replace(/<[^>]*>/g, ''))
const removeSpace = (text: string) => text.replace(/\s/g, '')
const listLinks = (html: string) => [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => decode(href!))
/** Tags with the names of their attributes. */
const listTags = (html: string) =>
  [...html.matchAll(/<(\/?[a-z!][^\s>]*)((?:\s+[a-z:-]+(?:="[^"]*")?)*)\s*>/g)].map(
    ([, name, attributes]) => `${name} ${[...attributes!.matchAll(/([a-z:-]+)="/g)].map(([, each]) => each).join(' ')}`,
  )

/** A paragraph with these runs. */
function buildText(inlines: object[], rest: object = {}): MailDocument {
  return MailDocumentSchema.parse({
    version: 1,
    theme: 'letter',
    subject: [{ kind: 'text', text: 'S' }],
    preview: [],
    bands: [{ id: 'band', blocks: [{ id: 'text', type: 'text', inlines, ...rest }] }],
    footer: {},
  })
}

test('generated documents have the words, links and order of a plain renderer', () => {
  const check = (document: MailDocument, values: MailValues) => {
    const mail = fill(compile(document, KIT, document.theme, 'en-US'), values)
    const html = cutContent(mail.html)
    const expected = renderReference(document, values, true)
    expect(removeSpace(readWords(html)).replaceAll('\u00a0', '')).toBe(removeSpace(expected.words))
    expect(listLinks(html)).toEqual(expected.links)
    const hasCouponAlone = values.items.length === 0 && (values.coupon ?? values.entered) !== null
    if (hasCouponAlone) return
    const body = mail.text.slice(0, mail.text.lastIndexOf('\n\n--\n'))
    expect(removeSpace(body)).toBe(removeSpace(renderReference(document, values, false).words))
  }
  fc.assert(fc.property(generatedDocument, generatedValues, check), { numRuns: DOCUMENTS, seed: testSeed })
}, 900_000)

describe('hostile text', () => {
  const harmless = listTags(render(buildSampleDocument('warm'), { coupon: SAMPLE_COUPON }).html)
  const cases = HOSTILE_TEXTS.flatMap((text) => themeNames.map((theme) => [text, theme] as const))

  test.each(cases)('%s is shown and does nothing in every place of an owner (%s)', (text, theme) => {
    const mail = render(buildSampleDocument(theme, text), { coupon: SAMPLE_COUPON, customerName: '' })
    if (theme === 'warm') expect(listTags(mail.html)).toEqual(harmless)
    const shown = removeSpace(clean(text)).slice(0, 40)
    const places = removeSpace(readWords(mail.html)).split(shown).length - 1
    // Preview, subject, label, heading, fallback, two links, button, total, coupon, two of a promise, column, footer.
    expect(places).toBeGreaterThanOrEqual(12)
    expect(removeSpace(mail.text).split(shown).length - 1).toBeGreaterThanOrEqual(9)
    expect(removeSpace(mail.subject)).toContain(shown)
  })

  test.each(HOSTILE_TEXTS)('%s is shown and does nothing as a value of the store or shopper', (text) => {
    const draw = (value: string) =>
      render(buildSampleDocument('warm'), {
        customerName: value,
        storeName: value,
        senderName: value,
        addressLines: [value],
        items: buildItems(3).map((item) => ({ ...item, name: value, unitPrice: value, lineTotal: value })),
        coupon: { ...SAMPLE_COUPON, code: value, expires: value, saving: value },
      })
    const mail = draw(text)
    expect(listTags(mail.html)).toEqual(listTags(draw('x').html))
    expect(removeSpace(readWords(mail.html)).split(removeSpace(text)).length).toBeGreaterThan(10)
  })
})

describe('a mail', () => {
  test.each(themeNames)('with 60 items of long names is below 80 KB (%s)', (theme) => {
    const items = buildItems(60, 'n'.repeat(115))
    const mail = render(buildSampleDocument(theme), { items, coupon: SAMPLE_COUPON })
    expect(new TextEncoder().encode(mail.html).length).toBeLessThan(80_000)
    expect(mail.html).toContain('and 47 more items')
    expect(mail.problem).toBeNull()
  })

  test('has one unsubscribe link, the address and the reason, whatever its blocks', () => {
    const mail = render(buildText([{ kind: 'text', text: 'Hi' }]))
    for (const part of [mail.html, mail.text]) {
      expect(part).toContain('https://app.example/u/Ab9')
      expect(part).toContain('1 Harbour Street, Portland')
      expect(part).toContain('because you left items in your cart at Harbour Goods.')
    }
    expect(render(buildText([{ kind: 'text', text: 'Hi' }]), { isWithoutCart: true }).text).toContain(
      'because you gave your email address to Harbour Goods.',
    )
  })

  test('has the promise once, below the first button that is shown', () => {
    const document = buildSampleDocument('letter')
    const mail = render(document, {}, { ...KIT, promise: 'Free returns' })
    expect(mail.html.split('Free returns').length - 1).toBe(1)
    expect(mail.text.split('Free returns').length - 1).toBe(1)
    const text = render(buildText([{ kind: 'text', text: 'Hi' }]), {}, { ...KIT, promise: 'Free returns' })
    expect(text.html.indexOf('Free returns')).toBeGreaterThan(text.html.indexOf('Hi'))
    expect(text.text).toContain('Hi\n\nFree returns\n\n--')
  })

  test('leaves out a paragraph that prints a missing coupon value, and keeps the way to the cart', () => {
    const inlines = [
      { kind: 'text', text: 'Use ' },
      { kind: 'value', name: 'coupon_code' },
      { kind: 'text', text: ' here', href: 'cart' },
    ]
    const mail = render(buildText(inlines))
    expect(mail.leftOut).toEqual({ isSubject: false, paragraphs: ['Use … here'] })
    expect(mail.html).toContain('Return to your cart')
    expect(mail.text).toContain('Return to your cart:\nhttps://app.example/c/Ab9')
    expect(render(buildText(inlines), { coupon: SAMPLE_COUPON }).text).toContain(
      'Use WELCOME10 here https://app.example/',
    )
  })

  test('says why it must not be sent', () => {
    expect(render(buildText([])).problem).toBe('empty_body')
    expect(render(buildText([{ kind: 'value', name: 'coupon_code' }])).problem).toBe('nothing_left')
    expect(render({ ...buildText([{ kind: 'text', text: 'Hi' }]), subject: [] }).problem).toBe('empty_subject')
    const long = { id: 'long', type: 'text', inlines: [{ kind: 'text', text: '&'.repeat(5_000) }] }
    const many = Array.from({ length: 6 }, (_, at) => ({ ...long, id: `long${at}` }))
    const document = { ...buildText([]), bands: [{ id: 'band', blocks: many }] }
    expect(render(MailDocumentSchema.parse(document)).problem).toBe('too_large')
  })

  test('replaces a subject that names a missing coupon value', () => {
    const subject = [{ kind: 'value' as const, name: 'coupon_amount' as const, marks: [] }]
    const document = { ...buildText([{ kind: 'text', text: 'Hi' }]), subject }
    expect(render(document).subject).toBe('Your cart at Harbour Goods')
    expect(render(document, {}, KIT, 'de-DE').subject).toBe('Dein Warenkorb bei Harbour Goods')
    expect(render(document, { coupon: SAMPLE_COUPON }).subject).toBe('10%')
  })

  test('tracks each link of the shop once, and no other', () => {
    const link = (text: string, href: string) => ({ kind: 'text', text, href })
    const asked: string[] = []
    const inlines = [
      link('a', 'https://shop.example/a'),
      link('b', 'https://shop.example/a'),
      link('c', 'https://other.example/'),
      link('d', 'shop'),
      link('e', 'mailto:help@shop.example'),
    ]
    const trackLink = (url: string) => {
      asked.push(url)
      return url === 'https://app.example/c/Ab9' ? null : `https://app.example/t/${asked.length}`
    }
    const { links, html } = render(buildText(inlines), { trackLink })
    expect(links.map(({ url }) => url)).toEqual([
      'https://shop.example/a',
      'https://other.example/',
      'https://shop.example/',
    ])
    expect(asked.filter((url) => url.startsWith('https://shop.example'))).toHaveLength(2)
    expect(html).toContain('href="mailto:help@shop.example"')
    expect(html).toContain('href="https://other.example/"')
  })

  test('hides what an owner has not filled in', () => {
    const document = buildText([{ kind: 'text', text: 'Hi' }])
    const blocks = [
      ...document.bands[0]!.blocks,
      { id: 'trust', type: 'trust' as const, show: 'always' as const, points: [{ title: ' ', text: '' }] },
    ]
    const withTrust = { ...document, bands: [{ ...document.bands[0]!, blocks }] }
    expect(render(withTrust)).toEqual(render(document))
  })
})

describe('the text part', () => {
  test('has each item once, with coupon and button', () => {
    const document = buildText([{ kind: 'text', text: 'Hello' }])
    const show = 'always' as const
    const blocks = [
      ...document.bands[0]!.blocks,
      {
        id: 'items',
        type: 'items' as const,
        show,
        layout: 'large' as const,
        part: 'all' as const,
        max: 2,
        hasPrices: true,
        hasQuantities: true,
        hasCoupon: true,
      },
    ]
    const { text } = render(
      { ...document, bands: [{ ...document.bands[0]!, blocks }] },
      { coupon: SAMPLE_COUPON, items: buildItems(4).with(1, { ...buildItems(1)[0]!, name: 'Pot', isGone: true }) },
    )
    expect(text).toBe(`Hello

- 1 × Cup 1: $24.00
- 1 × Pot: Sold out
and 2 more items

Coupon WELCOME10: −$8.00 (valid until November 30, 2026)
Total with the coupon: $72.00

--
Harbour Goods, 1 Harbour Street, Portland
You received this email because you left items in your cart at Harbour Goods.
Unsubscribe: https://app.example/u/Ab9
Email preferences: https://app.example/preferences?token=Ab9
`)
  })
})

describe('a legacy text', () => {
  const document = MailDocumentSchema.parse({
    ...buildText([]),
    bands: [{ id: 'band', blocks: [{ id: 'legacy', type: 'legacy_text', source: '{% if x %}<p>…' }] }],
  })
  const legacy = {
    html: '<p>Old</p><a href="https://app.example/c/Ab9">Go</a>\ue008<p>more</p>',
    text: 'Old\n\nGo:\nhttps://app.example/c/Ab9\n\n\ue008more',
    preview: 'Old more',
    links: [{ url: 'https://shop.example/x', trackedUrl: 'https://app.example/t/1' }],
    leftOut: ['left out'],
  }

  test('is placed as it was rendered, with its links, its left out words and the promise below its button', () => {
    const values = { legacyTexts: new Map([['legacy', legacy]]) }
    const mail = render(document, values, { ...KIT, promise: 'Free returns' })
    expect(mail.html).toMatch(/Go<\/a><p class="m"[^>]*>Free returns<\/p><p>more/)
    expect(mail.text).toContain('Free returns\n\nmore')
    expect(mail.html).not.toContain('\ue008')
    expect(mail.links).toEqual(legacy.links)
    expect(mail.leftOut.paragraphs).toEqual(['left out'])
    expect(mail.html).toContain('hidden;mso-hide:all">Old more&#8199;')
  })

  test('is empty until it is rendered', () => {
    expect(render(document).problem).toBe('empty_body')
  })
})
