import { describe, expect, test } from 'vitest'
import { READY_DISCOUNT } from '../../../shared/marketing/discount-mail.ts'
import { DEFAULT_BRAND } from '../../../shared/messages/brand.ts'
import { DEFAULT_MAIL_BRAND, toMailBrand } from './brand.ts'
import { buildSampleContext, type MailBrand, type TemplateContext, type TemplateItem } from './context.ts'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES } from './ready-templates.ts'
import { createTemplateRenderer } from './render.ts'

// Order and colours of a mail's parts. screens/mails.test.ts tests the visual result.

const renderer = createTemplateRenderer()
const ready = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES].filter(({ id }) => id !== 'custom')
const CLIP_BYTES = 80 * 1024
const LINK = 'https://shop.example/cart/recover?cart_id=sample'

function render(body: string, context: Partial<TemplateContext> = {}) {
  const options = {
    storeHosts: ['shop.example'],
    trackLink: () => null,
    shopLink: 'https://shop.example/',
    assetsUrl: 'https://app.example/pictures',
  }
  return renderer.render(
    { id: 'look', version: 0, subject: 'S', body, design: null },
    buildSampleContext(context),
    options,
  )
}

const branded = (changes: Partial<MailBrand>) => ({ brand: { ...DEFAULT_MAIL_BRAND, ...changes } })
const item = (name: string, changes: Partial<TemplateItem> = {}): TemplateItem => ({
  ...{ name, quantity: 1, unitPrice: '$24.00', lineTotal: '$24.00', imageUrl: `https://cdn.example/${name}.jpg` },
  ...changes,
})
const items = (count: number) => Array.from({ length: count }, (_, n) => item(`cup-${n + 1}`))
const count = (text: string, part: string | RegExp) => text.split(part).length - 1
const FIRST = ready[0]!.body
const BUTTON = '>Return to your cart</a>'

describe('a mail of a cart', () => {
  test.each(ready.map(({ id, body }) => [id, body]))(
    '%s has name, heading, items, total, one button and footer, in this order',
    { tags: ['B3'] },
    (_id, body) => {
      for (const coupon of [null, buildSampleContext().coupon]) {
        const { html, text } = render(body!, { items: items(3), coupon })
        const total = coupon ? '$72.00' : '$80.00'
        const order = [
          '>Harbour Goods</a>',
          '<h1',
          'Hi <bdi>Ana',
          '<img class="first"',
          'class="thumb"',
          total,
          BUTTON,
          'Unsubscribe</a>',
        ]
        const places = order.map((part) => html.indexOf(part, html.indexOf('<table')))
        expect(places).toEqual(places.toSorted((a, b) => a - b))
        expect(places[0]).toBeGreaterThan(0)
        expect(count(html, BUTTON)).toBe(1)
        expect(text).toContain(`Return to your cart:\n${LINK}\n`)
        expect(text).not.toContain('#')
      }
    },
  )

  test('shows the first product large and the others in rows, and links pictures and names to the cart', () => {
    const { html } = render(FIRST, { items: items(5) })
    expect([count(html, 'class="first"'), count(html, 'class="thumb"')]).toEqual([1, 4])
    expect(html).toMatch(/<img class="first" width="520" alt="cup-1" src="https:\/\/cdn\.example\/cup-1\.jpg"/)
    expect(html).toMatch(/<img class="thumb" width="56" height="56" alt="" src=/)
    for (let n = 1; n <= 5; n++) {
      expect(html).toMatch(new RegExp(`<a href="${LINK.replace(/[?.]/g, '\\$&')}"[^>]*><img[^>]*cup-${n}\\.jpg`))
      expect(html).toMatch(
        new RegExp(`<a class="n" href="${LINK.replace(/[?.]/g, '\\$&')}"[^>]*><bdi dir="auto">cup-${n}<`),
      )
    }
  })

  test.each([1, 5, 60])('with %i items stays below Gmail’s limit and counts the omitted ones', (count) => {
    for (const { body } of ready) {
      const { html } = render(body, { items: items(count).map((each) => ({ ...each, name: 'n'.repeat(200) })) })
      expect(Buffer.byteLength(html)).toBeLessThan(CLIP_BYTES)
      expect(html.includes('and 48 more items')).toBe(count === 60)
    }
  })

  test('without pictures shows names and amounts and no picture column', () => {
    const { html } = render(FIRST, { items: items(3).map((each) => ({ ...each, imageUrl: null })) })
    expect(html).not.toMatch(/<img|class="thumb/)
    expect(count(html, '$24.00')).toBe(3)
  })

  test('keeps the column for one missing picture among others', () => {
    const { html } = render(FIRST, { items: [item('a'), item('b', { imageUrl: null }), item('c')] })
    expect([count(html, 'class="thumb sf"'), count(html, 'class="thumb"')]).toEqual([1, 1])
  })

  test('omits unknown prices and an unknown total', () => {
    const unknown = items(2).map((each) => ({ ...each, quantity: 3, unitPrice: '', lineTotal: '' }))
    const { html, text } = render(FIRST, { items: unknown, cartTotal: '', coupon: null })
    expect(`${html}${text}`).not.toMatch(/\$|Total/)
    expect(html).toContain('Quantity 3')
    expect(text).toContain('- 3 × cup-1\n')
  })

  test('shows sold-out items without a price or link', () => {
    const { html, text } = render(FIRST, { items: [item('a'), item('b', { isGone: true })] })
    expect(html).toMatch(/<span class="m"[^>]*><bdi dir="auto">b</)
    expect(html).toContain('>Sold out</td>')
    expect(text).toContain('- 1 × b: Sold out')
  })

  test('sets the text direction by a name’s letters', () => {
    expect(render(FIRST, { items: [item('كوب')] }).html).toContain('<bdi dir="auto">كوب</bdi>')
  })

  test('with a coupon shows the goods’ total, the code with saving and end, and the remaining total', () => {
    const { html, text } = render(FIRST, { items: items(2) })
    const rows = html.slice(html.indexOf('Subtotal'))
    for (const part of [
      '$80.00',
      'WELCOME10',
      'Valid until November 30, 2026',
      '−$8.00',
      'Total with the coupon',
      '$72.00',
    ]) {
      expect(rows).toContain(part)
    }
    expect(text).toContain('Coupon WELCOME10: −$8.00 (valid until November 30, 2026)\nTotal with the coupon: $72.00')
    expect(html).not.toMatch(/>Total</)
  })

  test('without a coupon has the total in a row of its own, in HTML and text', () => {
    const { html, text } = render(FIRST, { coupon: null })
    expect(html).toMatch(/<td class="l"[^>]*>Total<\/td><td class="l" align="right"[^>]*>\$80\.00</)
    expect(text).toContain('\n\nTotal: $80.00\n\n')
    expect(html).not.toContain('Coupon')
  })

  test('with a discount shows the coupon’s value, and without one omits it', () => {
    const { subject, body } = ready.find(({ id }) => id === 'discount')!
    const message = (coupon: TemplateContext['coupon']) =>
      renderer.render({ id: 'look', version: 0, subject, body, design: null }, buildSampleContext({ coupon }), {
        storeHosts: [],
        trackLink: () => null,
        shopLink: 'https://shop.example/',
        assetsUrl: 'https://app.example/pictures',
      })
    const with15 = message({ ...buildSampleContext().coupon!, amount: '15%' })
    expect([with15.subject, with15.text]).toEqual([
      '15% off your cart at Harbour Goods',
      expect.stringMatching(/^15% off your cart\n[\s\S]*here is 15% off what/),
    ])
    const none = message(null)
    expect(`${none.subject}${none.html}${none.text}`).not.toMatch(/\d ?% off|here is/)
    expect(none.text).toMatch(/^Your cart is waiting\n/)
  })

  test('without a cart shows the code in a box', () => {
    const { html, text } = render(READY_DISCOUNT.body, { items: [], cartTotal: '', isWithoutCart: true })
    expect(html).toMatch(/class="cd"[^>]*><div[^>]*>WELCOME10<\/div>/)
    expect(count(text, 'WELCOME10')).toBe(1)
    expect(render('{{ cart_items }} Hi', { items: [], isWithoutCart: true }).text).toContain('Coupon WELCOME10')
  })
})

describe('the brand kit', () => {
  const warm = {
    button: '#b4532a',
    accent: '#9a4520',
    text: '#3a2a20',
    ground: '#fffaf3',
    fontStack: 'georgia',
    radius: 4,
  } as const

  test('sets the colours of button, text, links and background, and the font and corners', () => {
    const { html } = render(FIRST, branded(warm))
    expect(html).toMatch(
      /<td[^>]*border-radius:4px;background-color:#b4532a[^>]*><a[^>]*color:#ffffff[^>]*>Return to your cart</,
    )
    expect(html).toMatch(
      /class="s bg-card[^>]*background-color:#fffaf3;font-family:Georgia,'Times New Roman',serif[^"]*color:#3a2a20/,
    )
    expect(render('See https://other.example/x', branded(warm)).html).toMatch(/<a[^>]*color:#9a4520[^>]*>https:/)
    expect(html).toContain('prefers-color-scheme:dark')
    expect(html).not.toMatch(/\{\{|#1d4ed8/)
  })

  test('of a dark shop is the same in dark mode', () => {
    const { html } = render(FIRST, branded({ ground: '#101114', text: '#ffffff' }))
    expect(html).toContain('<meta name="color-scheme" content="dark">')
    expect(html).not.toContain('prefers-color-scheme')
  })

  test('shows the logo in place of the name, no larger than a heading, with alternative text', () => {
    const logo = { path: '/brand/s/abc.png', width: 1_200, height: 400, alt: '' }
    const brand = toMailBrand({ ...DEFAULT_BRAND, logo }, 'https://recoup.example')
    const { html } = render(FIRST, { brand })
    expect(html).toContain('src="https://recoup.example/brand/s/abc.png" alt="Harbour Goods" width="192" height="64"')
    expect(html).not.toContain('>Harbour Goods</a>')
    expect(html).toMatch(/\.logo\{[^}]*padding[^}]*\}/)
    const named = render(FIRST, { brand: { ...brand, logo: { ...brand.logo!, alt: 'Harbour "1912"' } } })
    expect(named.html).toContain('alt="Harbour &quot;1912&quot;"')
  })

  test('has the owner’s line below the button, and texts and social links in the footer, also in text', () => {
    const { html, text } = render(
      FIRST,
      branded({
        promise: 'Free shipping <b>over $50</b>',
        footerWords: 'Since 1912 {{ x }}',
        social: [{ kind: 'instagram', url: 'https://instagram.com/harbour' }],
      }),
    )
    expect(html).toMatch(/Return to your cart<\/a><\/td>[^!]*?<p class="m"[^>]*>Free shipping &lt;b&gt;over/)
    expect(html).toMatch(/class="foot"[\s\S]*Since 1912[\s\S]*href="https:\/\/instagram\.com\/harbour"[^>]*>Instagram</)
    expect(text).toMatch(/Return to your cart:\n\S+\n\nFree shipping <b>over \$50<\/b>\n/)
    expect(text).toMatch(/--\nSince 1912/)
    const bare = render('Just words', branded({ promise: 'Free returns' }))
    expect(bare.html).toContain('Free returns</p>')
    expect(bare.text).toContain('Just words\n\nFree returns\n')
  })

  test('is escaped or rejected when hostile', () => {
    const hostile = '"><script>alert(1)</script>'
    const { html } = render(
      FIRST,
      branded({
        button: hostile,
        text: 'red}body{',
        ground: '#fff',
        accent: 'url(x)',
        radius: -5,
        fontStack: hostile as 'system',
        promise: hostile,
        footerWords: hostile,
        social: [
          { kind: 'x', url: 'javascript:alert(1)' },
          { kind: hostile as 'x', url: 'https://x.com/a' },
        ],
        logo: { url: 'javascript:alert(1)', width: 10, height: 10, alt: hostile },
      }),
    )
    expect(html).not.toMatch(/<script|javascript:|url\(x|red\}|href="https:\/\/x\.com/)
    expect(html).toContain('background-color:#1d4ed8')
  })
})

describe('an owner’s text', () => {
  test('gets the same layout: headings, rows and buttons from plain text', () => {
    const { html, text } = render(
      '# Still & here\n\nBefore: {{ cart_total }}\nNow: {{ discounted_total }}\n#1 of all\nTotal: {{ cart_total }} or so',
    )
    expect(html).toMatch(/<h1[^>]*>Still &amp; here<\/h1>/)
    expect(html).toMatch(/>Before<\/td><td[^>]*>\$80\.00</)
    expect(html).toMatch(/>Now<\/td><td[^>]*>\$72\.00</)
    expect(html).toContain('>#1 of all<br>Total: $80.00 or so</p>')
    expect(text).toContain('Still & here\n\nBefore: $80.00\nNow: $72.00\n\n#1 of all')
  })

  test('cannot forge layout marks by characters or escapes', () => {
    const marks = '\ue000\ue002a\ue003b\ue004\ue005c\ue006'
    for (const body of [`x ${marks}`, `<p>x ${marks}</p>`, `x {{ "${marks}" }}`, 'x {{ "\\ue005\\ue006\\ue000" }}']) {
      const { html, text } = render(body)
      expect(html).not.toMatch(/class="cta"|<img|WELCOME10/)
      expect(html + text).not.toMatch(/[\ue000-\uf8ff]/)
    }
  })

  test('keeps its own button', () => {
    const { html } = render('<p>Go <a class="button" href="{{ checkout_link }}">now</a></p>')
    expect(html).toMatch(/<p[^>]*>Go <a href="[^"]*" target="_blank" class="button" style="display:inline-block/)
  })
})
