import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { READY_DISCOUNT } from '../../../shared/marketing/discount-mail.ts'
import { type Inline, type MailDocument, MailDocumentSchema } from '../../../shared/messages/mail-document.ts'
import { buildSampleDocument, generatedDocument, HOSTILE_TEXTS } from '../../../test/mail-documents.ts'
import { isHtml } from './compile.ts'
import { resolveContent } from './content.ts'
import { TEMPLATE_VARIABLES, type TemplateError } from './context.ts'
import { openTemplate } from './open-template.ts'
import { toTemplateText } from './plain-text.ts'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES } from './ready-templates.ts'
import { createTemplateRenderer } from './render.ts'
import { splitLiquid } from './scan.ts'

const build = (blocks: object[], rest: object = {}): MailDocument =>
  MailDocumentSchema.parse({
    version: 1,
    theme: 'warm',
    subject: [{ kind: 'text', text: 'Your cart' }],
    preview: [],
    bands: [{ id: 'band0001', blocks: blocks.map((block, at) => ({ id: `block${at + 1}`, ...block })) }],
    footer: {},
    ...rest,
  })
const run = (text: string, rest: object = {}) => ({ kind: 'text', text, ...rest })
const write = (block: object) => toTemplateText(build([block])).body

describe('the text of a document', () => {
  test.each<[string, object, string]>([
    [
      'a heading',
      { type: 'heading', level: 2, inlines: [run('We saved '), { kind: 'break' }, run('it')] },
      '# We saved it',
    ],
    [
      'values',
      {
        type: 'text',
        inlines: [
          run('Hi '),
          { kind: 'value', name: 'customer_name', fallback: "the 'boss'" },
          { kind: 'break' },
          run('!'),
        ],
      },
      "Hi {{ customer_name | default: 'the ’boss’' }}\n!",
    ],
    ['items', { type: 'items', part: 'first' }, '{{ cart_items }}'],
    ['the items but the first', { type: 'items', part: 'rest' }, '{{ cart_items }}'],
    ['the button', { type: 'button', label: 'Go' }, '{{ checkout_link }}'],
    [
      'a button to a page',
      { type: 'button', label: 'Sale', href: 'https://shop.example/' },
      'Sale: https://shop.example/',
    ],
    ['a button to the shop', { type: 'button', label: '', href: 'shop' }, '{{ store_name }}'],
    ['totals', { type: 'totals' }, 'Total: {{ discounted_total }}'],
    ['totals with a label', { type: 'totals', label: 'To: pay', amount: 'cart_total' }, 'To pay: {{ cart_total }}'],
    [
      'a coupon',
      { type: 'coupon', inlines: [run('For you')] },
      '{% if coupon_code %}\nFor you\n\n{{ coupon_code }}\n{% endif %}',
    ],
    [
      'a condition',
      { type: 'text', inlines: [run('A')], show: 'lacks:coupon_saving' },
      '{% unless coupon_amount %}\nA\n{% endunless %}',
    ],
    ['a link', { type: 'text', inlines: [run('here', { href: 'https://a.example/' })] }, 'here (https://a.example/)'],
    ['a picture', { type: 'image', asset: `${'a'.repeat(64)}.png`, width: 9, height: 9, alt: 'A cup' }, 'A cup'],
    [
      'points',
      {
        type: 'trust',
        points: [
          { title: 'Fast', text: 'In a day' },
          { title: 'Returns', text: ' ' },
          { title: 'Safe', text: '' },
        ],
      },
      'Fast: In a day\nSafe',
    ],
    [
      'a legacy text',
      { type: 'legacy_text', source: 'Hi {{ customer_name | upcase }}' },
      'Hi {{ customer_name | upcase }}',
    ],
    ['a divider', { type: 'divider' }, ''],
  ])('has %s', (_name, block, expected) => {
    expect(write(block)).toBe(expected)
  })

  test('has the items once', () => {
    const { body } = toTemplateText(
      build([
        { type: 'items', part: 'first' },
        { type: 'items', part: 'rest' },
      ]),
    )
    expect(body).toBe('{{ cart_items }}')
  })

  test('is HTML with escaped words beside a legacy text in HTML', () => {
    const legacy = { type: 'legacy_text', source: '<p>Hi</p>' }
    const { body } = toTemplateText(build([{ type: 'heading', inlines: [run('A & <b>')] }, legacy, { type: 'items' }]))
    expect(body).toBe('<h1>A &amp; &lt;b&gt;</h1>\n\n<p>Hi</p>\n\n{{ cart_items }}')
  })

  test('escapes hostile words in every place', () => {
    for (const hostile of HOSTILE_TEXTS) expectRenderable(toTemplateText(buildSampleDocument('bold', hostile)))
    fc.assert(
      fc.property(generatedDocument, (document) => expectRenderable(toTemplateText(document))),
      { numRuns: 150 },
    )
  })

  test('has no tag where two runs make one together', () => {
    const inlines = [
      run('{'),
      run('{ customer_name }}<'),
      run('b>{'),
      { kind: 'value', name: 'store_name' },
      run('<'),
      run('/'),
    ]
    const { body } = toTemplateText(build([{ type: 'text', inlines }]))
    expect(body).toBe('{ { customer_name }}< b>{ {{ store_name }}< /')
  })
})

const TAGS =
  /^\{%-? (?:if|unless) (?:[a-z_]+|cart_items\.size > 1|discounted_total == cart_total) %\}$|^\{% end(?:if|unless) %\}$/

/** Only our own Liquid, and no HTML. */
function expectRenderable({ subject, body }: { subject: string; body: string }): void {
  for (const text of [subject, body]) {
    const pieces = splitLiquid(text)
    for (const [at, piece] of pieces.entries()) {
      if (at % 2 === 0) expect(piece).not.toMatch(/\{[{%]/)
      else if (piece.startsWith('{%')) expect(piece).toMatch(TAGS)
      else expect(TEMPLATE_VARIABLES).toContain(/^\{\{ ([a-z_]+)(?: \| default: '[^'"\\]*')? \}\}$/.exec(piece)?.[1])
    }
  }
  expect(isHtml(body)).toBe(false)
  const code = (renderer.check({ subject: subject || 'S', body: body || 'B' }) as TemplateError | null)?.code
  expect([undefined, 'nothing_left', 'empty_subject', 'empty_body', 'invalid_link']).toContain(code)
}
const renderer = createTemplateRenderer()

const ready = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES, READY_DISCOUNT].filter(({ body }) => body !== '')

/** Documents that a text can say: what `openTemplate` makes of texts. */
const sentence = fc.constantFrom('Hello', 'Your cart & more', '5 < 6', 'a { brace }', '100%', 'Grüße, 世界')
const inline: fc.Arbitrary<Inline> = fc.oneof(
  fc.record({
    kind: fc.constant('value' as const),
    name: fc.constantFrom('store_name' as const, 'coupon_code' as const),
    marks: fc.constant<('bold' | 'italic')[]>([]),
  }),
  fc.record({
    kind: fc.constant('value' as const),
    name: fc.constant('customer_name' as const),
    fallback: fc.constant('friend'),
    marks: fc.constant<('bold' | 'italic')[]>([]),
  }),
)
const line = fc
  .tuple(sentence, inline, sentence)
  .map(([before, value, after]): Inline[] => [
    { kind: 'text', text: `${before} `, marks: [] },
    value,
    { kind: 'text', text: ` ${after}`, marks: [] },
  ])
const block = fc.oneof(
  line.map((inlines) => ({ type: 'heading', level: 1, align: 'start', inlines })),
  fc.tuple(line, line).map(([a, b]) => ({ type: 'text', inlines: [...a, { kind: 'break' }, ...b] })),
  line.map((inlines) => ({ type: 'text', inlines })),
  fc.constant({ type: 'items', max: 12, hasCoupon: true }),
  fc.constant({ type: 'button' }),
  fc
    .constantFrom('cart_total', 'discounted_total')
    .map((amount) => ({ type: 'totals', label: 'Sum', amount, hasBefore: false })),
)
const show = fc.constantFrom('always', 'has:coupon_code', 'lacks:coupon_minimum', 'several_items', 'total_unchanged')

describe('the text of a document, opened again,', () => {
  test.each(ready.map(({ subject, body }) => [subject, body]))('gives the same document for %s', (subject, body) => {
    const document = openTemplate({ subject, body })
    expect(openTemplate(toTemplateText(document))).toEqual(document)
  })

  test('gives an equal document where a text can say it', () => {
    const blocks = fc.array(fc.tuple(block, show), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(line, blocks, (subject, all) => {
        const document = build(
          all.map(([each, when], at) => ({ ...each, show: when, id: `block${String(at + 1).padStart(4, '0')}` })),
          { theme: 'letter', subject },
        )
        expect(openTemplate(toTemplateText(document))).toEqual(document)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a saved email', () => {
  const opened = build([{ type: 'text', inlines: [run('Hello')] }])
  const [band] = opened.bands
  const design = { ...opened, bands: [{ ...band!, id: 'band0002' }] }
  const stored = { ...toTemplateText(design), design }
  const withSubject = { ...stored, subject: 'New', design: { ...design, subject: [run('New', { marks: [] })] } }

  test('with a document has the words of the document as text', () => {
    expect(
      resolveContent({ subject: 'Other', body: 'Other', design }, { subject: 'S', body: 'B', design: null }),
    ).toEqual(stored)
  })

  test('stays a text when its document is sent back unchanged', () => {
    const text = { subject: 'S', body: 'Hi\n\n{{ cart_items }}', design: null }
    expect(resolveContent({ ...text, design: structuredClone(openTemplate(text)) }, text)).toEqual(text)
  })

  test('gives the band of an opened text another id, also the second time', () => {
    const text = { subject: 'S', body: 'B', design: null }
    expect(resolveContent({ design: opened }, text)).toEqual(stored)
    expect(resolveContent({ design: opened, body: stored.body }, stored)).toEqual(stored)
    expect(resolveContent({ design: opened, body: 'New' }, stored)).toMatchObject({ body: 'New', design: null })
    const [block] = band!.blocks
    const taken = { ...opened, bands: [{ ...band!, blocks: [{ ...block!, id: 'band0002' }] }] }
    expect(resolveContent({ design: taken }, text).design?.bands[0]?.id).toBe('band0003')
  })

  test('with another subject alone keeps the document that was sent along', () => {
    const change = { subject: 'New', body: stored.body, design: structuredClone(design) }
    expect(resolveContent(change, stored)).toEqual(withSubject)
  })

  test.each<[string, object, object]>([
    ['nothing', {}, stored],
    ['the same text', { subject: stored.subject, body: stored.body }, stored],
    ['another text', { subject: stored.subject, body: 'New' }, { ...stored, body: 'New', design: null }],
    ['another subject with the text', { subject: 'New', body: stored.body }, withSubject],
    ['its document and another text', { design, body: 'New' }, { ...stored, body: 'New', design: null }],
    ['its document', { design: structuredClone(design) }, stored],
    ['its document beside empty texts', { subject: '', body: '', design: structuredClone(design) }, stored],
    ['no document', { design: null }, { ...stored, design: null }],
    [
      'another subject alone',
      { subject: 'Hi {{ store_name }}' },
      {
        ...stored,
        subject: 'Hi {{ store_name }}',
        design: { ...design, subject: [run('Hi ', { marks: [] }), { kind: 'value', name: 'store_name', marks: [] }] },
      },
    ],
  ])('given %s', (_name, change, expected) => {
    expect(resolveContent(change, stored)).toEqual(expected)
  })
})

describe('a new email', () => {
  const built = build([{ type: 'text', inlines: [run('Hello')] }])
  const design = { ...built, bands: [{ ...built.bands[0]!, id: 'band0002' }] }
  const written = { ...toTemplateText(design), design }
  const text = { subject: 'Hi {{ store_name }}', body: 'Hi **you**\n\n{{ cart_items }}', design: null }

  test.each<[string, object, object]>([
    ['a text', { subject: 'S', body: 'B' }, { subject: 'S', body: 'B', design: null }],
    ['a document', { design }, written],
    ['a document and empty texts', { subject: '', body: '', design }, written],
    ['a document and its text', { ...written }, written],
    [
      'a document and another subject',
      { ...written, subject: 'New' },
      { ...written, subject: 'New', design: { ...design, subject: [run('New', { marks: [] })] } },
    ],
    ['a document and a default subject', { subject: 'Default', design }, written],
    ['a text and the document it opens as', { ...text, design: openTemplate(text) }, text],
  ])('of %s', (_name, change, expected) => {
    expect(resolveContent(change, null)).toEqual(expected)
  })

  test.each<[string, object]>([
    ['a document', { design, body: 'New' }],
    ['the document of another text', { design: openTemplate(text), subject: text.subject, body: 'New' }],
    ['a document, longer than a text may be', { design: openTemplate(text), body: 'x'.repeat(70_000) }],
  ])('of a text and %s is refused', (_name, change) => {
    expect(() => resolveContent(change, null)).toThrow('Send a design, or subject and body.')
  })
})
