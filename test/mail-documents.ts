import fc from 'fast-check'
import {
  backgroundNames,
  type Inline,
  type MailDocument,
  type MailDocumentInput,
  MailDocumentSchema,
  showNames,
  type ThemeName,
  themeNames,
  valueNames,
} from '../shared/messages/mail-document.ts'
import type { MailCoupon, MailItem, MailValues } from '../shared/messages/mail-values.ts'

// Documents and values for the tests and the benchmark of the mail compiler.

/** Texts that attack HTML, Liquid, addresses or the order of letters. */
export const HOSTILE_TEXTS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</td></tr></table><h1>out</h1>',
  '<!--[if mso]>x<![endif]-->',
  '--><b>',
  '{{ customer_name }}',
  '{% for i in (1..99999999) %}',
  '{%raw%}',
  '{{',
  'javascript:alert(1)',
  '&lt;b&gt; &amp;amp; &#60;',
  "$& $' $1 \\",
  '%7B%7B style="x:expression(1)"',
] as const

const run = (text: string): Inline => ({ kind: 'text', text, marks: [] })

/** A mail with every kind of block but legacy text. */
export function buildSampleDocument(theme: ThemeName, text = 'words'): MailDocument {
  const inlines = [run(text)]
  const input: MailDocumentInput = {
    version: 1,
    theme,
    subject: [run(text), { kind: 'value', name: 'store_name' }],
    preview: inlines,
    bands: [
      {
        id: 'bandone1',
        background: 'card',
        blocks: [
          { id: 'block001', type: 'text', size: 'label', inlines },
          { id: 'block002', type: 'heading', inlines },
          {
            id: 'block003',
            type: 'text',
            inlines: [
              run('Hi '),
              { kind: 'value', name: 'customer_name', fallback: text.slice(0, 80) },
              { kind: 'break' },
              { kind: 'text', text, marks: ['bold'], href: 'https://shop.example/faq' },
              { kind: 'text', text, marks: [], href: 'cart' },
            ],
          },
          { id: 'block004', type: 'items', layout: 'large', part: 'first' },
          { id: 'block005', type: 'button', label: text.slice(0, 60), isWide: true },
          { id: 'block006', type: 'items', layout: 'list', part: 'rest', max: 12 },
          { id: 'block007', type: 'totals', label: text.slice(0, 60) },
          { id: 'block008', type: 'coupon', inlines },
        ],
      },
      {
        id: 'bandtwo1',
        background: 'soft',
        blocks: [
          { id: 'block009', type: 'trust', points: [{ title: text.slice(0, 40), text: text.slice(0, 120) }] },
          {
            id: 'block010',
            type: 'columns',
            columns: [
              [{ id: 'block011', type: 'image', asset: `${'a'.repeat(32)}.png`, width: 600, height: 300, alt: text }],
              [{ id: 'block012', type: 'text', inlines }],
            ],
          },
          { id: 'block013', type: 'divider' },
          { id: 'block014', type: 'spacer', size: 16 },
        ],
      },
      {
        id: 'bandthr1',
        background: 'accent',
        blocks: [
          { id: 'block015', type: 'items', layout: 'grid', max: 6 },
          { id: 'block016', type: 'button', label: '', href: 'shop', style: 'outline' },
        ],
      },
      { id: 'bandfou1', background: 'ink', show: 'with_coupon', blocks: [{ id: 'block017', type: 'social' }] },
    ],
    footer: { text },
  }
  return MailDocumentSchema.parse(input)
}

export const SAMPLE_COUPON: MailCoupon = {
  code: 'WELCOME10',
  amount: '10%',
  offer: '10% off',
  isFreeShipping: false,
  minimum: '$25.00',
  expires: 'November 30, 2026',
  saving: '$8.00',
  total: '$72.00',
}

export const buildItems = (count: number, name = 'Cup'): MailItem[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `${name} ${at + 1}`,
    quantity: 1 + (at % 2),
    unitPrice: '$24.00',
    lineTotal: at % 2 ? '$48.00' : '$24.00',
    imageUrl: at % 3 === 2 ? null : `https://cdn.example/${at}.jpg`,
    isGone: at % 5 === 4,
  }))

export const buildSampleValues = (changes: Partial<MailValues> = {}): MailValues => ({
  customerName: 'Ana',
  storeName: 'Harbour Goods',
  items: buildItems(3),
  cartTotal: '$80.00',
  isWithoutCart: false,
  coupon: null,
  entered: null,
  checkoutLink: 'https://app.example/c/Ab9',
  shopLink: 'https://shop.example/',
  unsubscribeLink: 'https://app.example/u/Ab9',
  preferencesLink: 'https://app.example/preferences?token=Ab9',
  senderName: 'Harbour Goods',
  addressLines: ['1 Harbour Street, Portland'],
  trackers: { honeypotLink: null, pixelUrl: null },
  storeHosts: new Set(['shop.example']),
  assetsUrl: 'https://app.example/assets',
  trackLink: (url) =>
    url.startsWith('https://app.example/') ? null : `https://app.example/t?u=${encodeURIComponent(url)}`,
  ...changes,
})

// Generated documents

const ownerText = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS, 'Hello', 'شكرا', '🛒', 'a  b\n c', '\u202egnp', '\ue000x'),
  fc.string({ minLength: 1, maxLength: 15 }),
)
const marks = fc.uniqueArray(fc.constantFrom('bold' as const, 'italic' as const, 'underline' as const), {
  maxLength: 3,
})
const href = fc.constantFrom(
  'cart',
  'shop',
  'https://shop.example/a?b=1&c="d"',
  'https://other.example/x',
  'mailto:a@b.example',
)
const inline = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('text' as const), text: ownerText, marks }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('text' as const), text: ownerText, marks, href }) },
  {
    weight: 2,
    arbitrary: fc.record(
      { kind: fc.constant('value' as const), name: fc.constantFrom(...valueNames), fallback: ownerText, marks },
      { requiredKeys: ['kind', 'name', 'marks'] },
    ),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'break' as const }) },
)
const inlines = fc.array(inline, { maxLength: 5 })
const align = fc.constantFrom('start' as const, 'center' as const)
const show = fc.oneof({ weight: 2, arbitrary: fc.constant('always' as const) }, fc.constantFrom(...showNames))
const label = ownerText.map((text) => text.slice(0, 40))
const leaf = fc
  .oneof(
    fc.record({
      type: fc.constant('heading' as const),
      level: fc.constantFrom(1 as const, 2 as const),
      align,
      inlines,
    }),
    fc.record({
      type: fc.constant('text' as const),
      size: fc.constantFrom('body' as const, 'small' as const),
      align,
      inlines,
    }),
    fc.record({
      type: fc.constant('items' as const),
      layout: fc.constantFrom('list' as const, 'large' as const, 'grid' as const),
      part: fc.constantFrom('all' as const, 'first' as const, 'rest' as const),
      max: fc.integer({ min: 1, max: 12 }),
      hasPrices: fc.boolean(),
      hasQuantities: fc.boolean(),
      hasCoupon: fc.boolean(),
    }),
    fc.record({
      type: fc.constant('totals' as const),
      label,
      amount: fc.constantFrom('cart_total' as const, 'discounted_total' as const),
      hasBefore: fc.boolean(),
    }),
    fc.record({
      type: fc.constant('coupon' as const),
      inlines,
      hasSaving: fc.boolean(),
      hasExpiry: fc.boolean(),
    }),
    fc.record({ type: fc.constant('button' as const), label: fc.oneof(label, fc.constant('')), href, align }),
    fc.record({
      type: fc.constant('trust' as const),
      points: fc.array(fc.record({ title: label, text: label }), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ type: fc.constant('divider' as const) }),
    fc.record({ type: fc.constant('social' as const), align }),
  )
  .chain((block) => show.map((when) => ({ ...block, show: when })))
const block = fc.oneof(
  { weight: 6, arbitrary: leaf },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('columns' as const),
      show,
      columns: fc.tuple(fc.array(leaf, { maxLength: 3 }), fc.array(leaf, { maxLength: 3 })),
    }),
  },
)
const band = fc.record({
  background: fc.constantFrom(...backgroundNames),
  show,
  blocks: fc.array(block, { minLength: 1, maxLength: 5 }),
})

export const generatedDocument: fc.Arbitrary<MailDocument> = fc
  .record({
    theme: fc.constantFrom(...themeNames),
    subject: inlines,
    preview: inlines,
    bands: fc.array(band, { minLength: 1, maxLength: 3 }),
  })
  .map(({ bands, ...rest }) => {
    let count = 0
    const withId = <Of extends object>(of: Of) => ({ ...of, id: `id${String(++count).padStart(4, '0')}` })
    return MailDocumentSchema.parse({
      ...rest,
      version: 1,
      footer: {},
      bands: bands.map((each) =>
        withId({
          ...each,
          blocks: each.blocks.map((one) =>
            withId('columns' in one ? { ...one, columns: one.columns.map((column) => column.map(withId)) } : one),
          ),
        }),
      ),
    })
  })

const item: fc.Arbitrary<MailItem> = fc.record({
  name: fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.constant('Cup')),
  quantity: fc.constantFrom(1, 2, 1_000),
  unitPrice: fc.constantFrom('$5.00', ''),
  lineTotal: fc.constantFrom('$10.00', '<b>', ''),
  imageUrl: fc.constantFrom(null, 'https://cdn.example/a.png?b=1&c=2'),
  isGone: fc.boolean(),
})
const coupon: fc.Arbitrary<MailCoupon> = fc.record({
  code: fc.constantFrom('CODE10', '"><b>'),
  amount: fc.constantFrom('10%', ''),
  offer: fc.constantFrom('10% off', 'free shipping'),
  isFreeShipping: fc.boolean(),
  minimum: fc.constantFrom('$25.00', null),
  expires: fc.constantFrom('November 30, 2026', null),
  saving: fc.constantFrom('$8.00', null),
  total: fc.constantFrom('$72.00', null),
})

export const generatedValues: fc.Arbitrary<MailValues> = fc
  .record({
    customerName: fc.constantFrom('Ana', '', '<b>Bo</b>', 'محمد'),
    items: fc.array(item, { maxLength: 15 }),
    cartTotal: fc.constantFrom('$80.00', '$72.00', ''),
    isWithoutCart: fc.boolean(),
    coupon: fc.option(coupon),
    entered: fc.option(coupon),
  })
  .map((values) => buildSampleValues(values))
