import fc from 'fast-check'
import { DEFAULT_MAIL_BRAND } from '../server/messages/templates/brand.ts'
import {
  buildSampleContext,
  type MailBrand,
  type TemplateContext,
  type TemplateCoupon,
  type TemplateItem,
} from '../server/messages/templates/context.ts'
import { generatedTemplate } from './generated-templates.ts'

// Realistic and hostile shopper data for the same templates. Tests of properties that every mail must have use them.

export interface GeneratedMail {
  subject: string
  body: string
  /** Values of one shape are adjacent. */
  contexts: TemplateContext[]
}

export const STORE_HOSTS = ['shop.example', 'www.shop.example:8443']

/** Text that shoppers type at checkout, and attacks. */
const hostile = fc.oneof(
  fc.constantFrom(
    ...[
      'Ana',
      'Bo',
      "O'Neil & Søn",
      '<b>Bold</b>',
      '"quoted"',
      '<script>alert(1)</script>',
      'محمد علی',
      'שלום',
      '\u202egnp.exe',
      '🛒🛒',
      'e\u0301',
    ],
    ...[
      '{{ customer_name }}',
      '{% raw %}',
      '{',
      '{%',
      '}}',
      'a\nb',
      'a\r\nBcc: x@y.example',
      '\u0000\u0007',
      '\ud800',
      'a  b',
      'a \u200b b',
      '\u00a0x\u00a0',
      '\ue000\ue005\ue007',
    ],
    ...[
      'https://evil.example/x',
      'http',
      'https:',
      '//evil.example',
      '/x',
      'x/',
      'x:',
      'amp;',
      '&amp;',
      '&lt;',
      '#60;',
      'lt',
      's://evil.example',
      '$&',
      "$'",
      '$1',
    ],
    ...[
      'z0123456789abcdef0x',
      'https://z0123456789abcdef1x.invalid/c',
      'NaN',
      'null',
      'undefined',
      'there',
      '-->',
      ']]>',
      '" onmouseover="x',
      "javascript:alert('x')",
      'x'.repeat(500),
      'long '.repeat(100),
    ],
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const money = fc.oneof(fc.constantFrom('$1.00', '€1.234,50', 'NaN', '$NaN', 'CHF 1’000.00', '0', '‏١٢٫٠٠ د.إ.‏'), hostile)

const item: fc.Arbitrary<TemplateItem> = fc.record({
  name: hostile,
  quantity: fc.constantFrom(1, 1, 2, 3, 1_000, Number.NaN, 0, -1, 1e21, 0.5),
  unitPrice: fc.oneof(money, fc.constant('')),
  lineTotal: fc.oneof(money, fc.constant('')),
  imageUrl: fc.constantFrom(
    null,
    'https://cdn.example/a.png',
    'http://cdn.example/b.png',
    'data:x',
    'https://shop.example/{{ x }}"',
  ),
  isGone: fc.constantFrom(false, false, false, true),
})
const items = fc.oneof(fc.array(item, { maxLength: 4 }), fc.array(item, { maxLength: 50 }))

const coupon = fc
  .record({ code: money, amount: money, offer: hostile, minimum: money, expires: hostile, saving: money, total: money })
  .map((its): TemplateCoupon => its)

/** Which values are present; the values themselves are drawn per shopper. */
const presence = fc.record({
  hasName: fc.boolean(),
  hasTotal: fc.constantFrom(true, true, true, false),
  coupon: fc.constantFrom('none', 'all', 'some', 'empty', 'entered'),
  isTotalSame: fc.boolean(),
  isWithoutCart: fc.constantFrom(false, false, false, true),
  hasTrackers: fc.boolean(),
  hasPreferences: fc.boolean(),
  items,
})
const shopper = fc.record({
  name: hostile,
  total: money,
  coupon,
  token: fc.string({ unit: fc.constantFrom(...'abcXYZ019-_'), minLength: 1, maxLength: 43 }),
  items,
})

const brand: fc.Arbitrary<MailBrand | undefined> = fc.constantFrom(
  undefined,
  { ...DEFAULT_MAIL_BRAND, promise: 'Free returns & "more"', footerWords: 'Since <1999>' },
  { ...DEFAULT_MAIL_BRAND, logo: { url: 'https://app.example/logo/1.png', width: 300, height: 90, alt: 'Tea & Co' } },
)
const shop = fc.record({ storeName: fc.constantFrom('Harbour', 'Tea & <Co>', 'shop {{ x }}'), brand })

function buildContext(
  where: { shop: { storeName: string; brand: MailBrand | undefined }; there: PresenceOf },
  its: ShopperOf,
  keepsCount: boolean,
): TemplateContext {
  const { there } = where
  const others = its.items.length > 0 ? its.items : there.items
  const list = keepsCount
    ? there.items.map((each, at) => ({
        ...others[at % others.length]!,
        ...copyPricePresence(each, others[at % others.length]!),
      }))
    : its.items
  const total = there.hasTotal ? its.total : ''
  const full = { ...its.coupon, total: there.isTotalSame ? total : its.coupon.total }
  const few: TemplateCoupon = { ...full, amount: '', minimum: null, expires: null, saving: null, total: null }
  const none: TemplateCoupon = { ...few, code: '', offer: '', expires: '' }
  const chosen = { none: null, entered: null, all: full, some: few, empty: none }[there.coupon]
  const { brand, ...named } = where.shop
  return buildSampleContext({
    ...named,
    ...(brand && { brand }),
    customerName: there.hasName ? its.name : '',
    items: there.isWithoutCart ? [] : list,
    cartTotal: total,
    isWithoutCart: there.isWithoutCart,
    coupon: chosen,
    entered: there.coupon === 'entered' ? full : null,
    checkoutLink: `https://app.example/c/${its.token}`,
    unsubscribeLink: `https://app.example/u/${its.token}`,
    ...(there.hasPreferences && { preferencesLink: `https://app.example/preferences?token=${its.token}` }),
    ...(there.hasTrackers && {
      trackers: { honeypotLink: `https://app.example/c/h${its.token}`, pixelUrl: `https://app.example/o/${its.token}` },
    }),
  })
}

/** A price that is present stays present. */
const copyPricePresence = (like: TemplateItem, other: TemplateItem) => ({
  unitPrice: like.unitPrice && (other.unitPrice || '$9'),
  lineTotal: like.lineTotal && (other.lineTotal || '$9'),
})

type PresenceOf = typeof presence extends fc.Arbitrary<infer T> ? T : never
type ShopperOf = typeof shopper extends fc.Arbitrary<infer T> ? T : never

/**
 * Draws `shapes` combinations of present values, each with the values of `shoppers` shoppers. Every fourth shape varies
 * the number of items.
 */
export const buildGeneratedMail = (shapes: number, shoppers: number): fc.Arbitrary<GeneratedMail> =>
  fc
    .record({
      template: generatedTemplate,
      shop,
      shapes: fc.array(
        fc.record({ there: presence, shoppers: fc.array(shopper, { minLength: shoppers, maxLength: shoppers }) }),
        {
          minLength: shapes,
          maxLength: shapes,
        },
      ),
    })
    .map(({ template: content, shop: where, shapes: drawn }) => ({
      ...content,
      contexts: drawn.flatMap(({ there, shoppers: people }) =>
        people.map((its, at) => buildContext({ shop: where, there }, its, at % 4 !== 3)),
      ),
    }))
