import { readFileSync } from 'node:fs'
import { compile as compileHtmlToText } from 'html-to-text'
import { describe, expect, test } from 'vitest'
import { READY_DISCOUNT } from '../../../shared/marketing/discount-mail.ts'
import { listBlocks } from '../../../shared/messages/mail-document.ts'
import { DEFAULT_MAIL_BRAND } from './brand.ts'
import { buildSampleContext, type TemplateContext, type TemplateItem } from './context.ts'
import { openTemplate } from './open-template.ts'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES } from './ready-templates.ts'
import { createTemplateRenderer } from './render.ts'

// Every ready template, and texts that blocks cannot express, have the words, links and order that they had as text.
// `opened-mails.json` was written by the renderer of texts that mails had before.

const renderer = createTemplateRenderer()
const toText = compileHtmlToText({
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'h1', options: { uppercase: false } },
    { selector: 'h2', options: { uppercase: false } },
  ],
})
const trackLink = (url: string) => (url.includes('cart_id') ? null : `https://app.example/c/${encodeURIComponent(url)}`)
const options = {
  storeHosts: ['shop.example'],
  trackLink,
  shopLink: 'https://shop.example/',
  assetsUrl: 'https://app.example/pictures',
}

const render = (template: { subject: string; body: string }, context: TemplateContext) =>
  renderer.render({ id: 'opened', version: 0, design: null, ...template }, context, options)

/** Words in order. The logo and the hidden preview are the layout's own. */
const listTexts = (html: string) =>
  toText(html)
    .replace(/\u2007|\u034f/g, '')
    .split(/\s+/)
    .filter(Boolean)
const listLinks = (html: string) =>
  [...html.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))
const listLines = (text: string) => text.split(/\s+/).filter(Boolean)

const item = (name: string, changes: Partial<TemplateItem> = {}): TemplateItem => ({
  name,
  quantity: 1,
  unitPrice: '$24.00',
  lineTotal: '$24.00',
  imageUrl: `https://cdn.example/${name}.jpg`,
  ...changes,
})
const items = (count: number) =>
  Array.from({ length: count }, (_, at) => item(`Cup ${at + 1}`, { quantity: 1 + (at % 2) }))
const { coupon } = buildSampleContext()
const none = { coupon: null }
const cases: Record<string, Partial<TemplateContext>> = {
  'no coupon': none,
  'a percentage': {},
  'free shipping': {
    coupon: {
      ...coupon!,
      amount: '',
      offer: 'free shipping',
      isFreeShipping: true,
      minimum: null,
      expires: null,
      saving: null,
      total: null,
    },
  },
  'an entered coupon': { coupon: null, entered: coupon },
  'one item': { ...none, items: items(1) },
  'twelve items': { items: items(12) },
  'sixty items': { ...none, items: items(60) },
  'sold out': { ...none, items: [item('Cup'), item('Pot', { isGone: true, quantity: 2 })] },
  'no pictures': { ...none, items: items(3).map((each) => ({ ...each, imageUrl: null })) },
  'no name': { ...none, customerName: '' },
  'unknown prices': {
    ...none,
    cartTotal: '',
    items: items(2).map((each) => ({ ...each, unitPrice: '', lineTotal: '' })),
  },
  'no cart': { items: [], cartTotal: '', isWithoutCart: true },
  'no cart and no coupon': { ...none, items: [], cartTotal: '', isWithoutCart: true },
  'a promise and a footer': {
    brand: {
      ...DEFAULT_MAIL_BRAND,
      promise: 'Free returns & exchanges',
      footerWords: 'Since 1999',
      social: [{ kind: 'instagram', url: 'https://www.instagram.com/harbour' }],
      logo: { url: 'https://app.example/logo.png', width: 300, height: 90, alt: 'Harbour' },
    },
    preferencesLink: 'https://app.example/preferences?token=x',
    trackers: { honeypotLink: 'https://app.example/c/h', pixelUrl: 'https://app.example/o/p' },
  },
}

const ready = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES, READY_DISCOUNT].filter(({ body }) => body !== '')
const odd: Record<string, string> = {
  loop: 'Hi {{ customer_name }},\n\n{% for item in cart_items %}\n- {{ item.name }}: {{ item.total }}\n{% endfor %}\n\n{{ checkout_link }}',
  assign:
    'Before\n\n{% assign who = customer_name | upcase %}\n\nHello {{ who }}\n\nBetween\n\nBye {{ who }}\n\n{{ checkout_link }}',
  filter: 'Hi {{ customer_name | upcase }},\n\nplain words\n\n{{ checkout_link }}',
  html: '<h2>Hello {{ customer_name }}</h2><p>Your <b>cart</b> & more, see <a href="https://shop.example/faq">questions</a>.</p>\n\n<p>{{ cart_items }}</p><p><a class="button" href="{{ checkout_link }}">Go</a></p>',
  'link inside a line':
    'Your cart: {{ checkout_link }}. Or see https://shop.example/faq, or (https://other.example/x?a=1&b=2).\nBye',
  'address beside a value': 'See https://shop.example/?n={{ coupon_code }} now\n\nand the end',
  'inline condition': 'Hi{% if coupon_code %}, use {{ coupon_code }}{% endif %}!\n\nEnd',
  'nested conditions':
    '{% if coupon_code %}\nOne\n\n{% if coupon_minimum %}\nFrom {{ coupon_minimum }}\n{% endif %}\n{% endif %}\n\n{{ checkout_link }}',
  unless:
    '{% unless coupon_code %}\nNo coupon today\n{% else %}\nUse {{ coupon_code }}\n{% endunless %}\n\n{{ cart_items }}',
  'blank values':
    '# {{ coupon_offer }} for you\n\nUse {{ coupon_code }} until {{ coupon_expires }}.\n\nFrom {{ coupon_minimum }}.\n\n{{ cart_items }}\n\n{{ checkout_link }}',
  'lost link': 'Hello\n\nUse {{ coupon_code }} at {{ checkout_link }}',
  'blocks in a paragraph':
    'Hi there\n{{ cart_items }}\nTotal: {{ discounted_total }}\nSubtotal: {{cart_total}}\n{{ checkout_link }}\nbye & < good luck\n \nstill the same',
  'several items':
    '{% if cart_items.size > 1 %}\nThese are {{ cart_total }}\n{% endif %}\n\n{{ checkout_link }}\n\nafter',
  'button in a loop text':
    '{% for item in cart_items %}\n{{ item.name }}\n{% endfor %}\n{{ checkout_link }}\n\n{% for i in cart_items %}\nx\n{% endfor %}',
  braces: 'A { brace } and 100% } fine {\n\n{{ checkout_link }}',
  'windows lines': 'One\r\nTwo\r\n\r\n# Three\r\n\r\n{{ checkout_link }}',
}
const templates = [
  ...ready.map(({ subject, body }) => [subject, { subject, body }] as const),
  ...Object.entries(odd).map(
    ([name, body]) => [name, { subject: '{{ coupon_amount }} off at {{ store_name }}', body }] as const,
  ),
]

interface Known {
  subject: string
  text: string
  links: string[]
  words?: string
}
type Expected = Known | { problem: string }
const expected: Record<string, Record<string, Expected>> = JSON.parse(
  readFileSync(new URL('../../../test/opened-mails.json', import.meta.url), 'utf8'),
)

describe.each(templates)('%s', (name, template) => {
  test.each(Object.entries(expected[name]!))('has the same words, links and order with %s', (of, known) => {
    const context = buildSampleContext({ preferencesLink: 'https://app.example/p', ...cases[of] })
    if ('problem' in known) {
      expect(() => render(template, context)).toThrow(expect.objectContaining({ code: known.problem }))
      return
    }
    const mail = render(template, context)
    expect(mail.subject).toBe(known.subject)
    expect(listLines(mail.text).join(' ')).toBe(known.text)
    expect(listLinks(mail.html)).toEqual(known.links)
    if (known.words) expect(listTexts(mail.html).join(' ')).toBe(known.words)
  })
})

describe('an opened template', () => {
  test.each(ready.map(({ subject, body }) => [subject, body]))('%s is blocks only', (subject, body) => {
    const document = openTemplate({ subject: subject!, body: body! })
    expect(listBlocks(document).filter(({ type }) => type === 'legacy_text')).toEqual([])
    expect(Array.isArray(document.subject)).toBe(true)
  })

  test('keeps what it cannot express verbatim, and the rest as blocks', () => {
    const blocks = listBlocks(openTemplate({ subject: 'S', body: odd.loop! }))
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'legacy_text', 'button'])
    expect(blocks[1]).toMatchObject({
      source: '{% for item in cart_items %}\n- {{ item.name }}: {{ item.total }}\n{% endfor %}',
    })
    expect(listBlocks(openTemplate({ subject: 'S', body: odd.assign! })).map(({ type }) => type)).toEqual([
      'text',
      'legacy_text',
      'button',
    ])
  })

  test('is the same each time', () => {
    const template = { subject: 'S', body: odd['blank values']! }
    expect(openTemplate(template)).toEqual(openTemplate(template))
  })

  test('of a blank template is one empty paragraph', () => {
    expect(listBlocks(openTemplate({ subject: '', body: ' \n' }))).toMatchObject([{ type: 'text', inlines: [] }])
  })
})
