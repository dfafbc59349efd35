import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { buildSampleContext, type TemplateContext, TemplateError } from './context.ts'
import type { MailOptions } from './mail.ts'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES } from './ready-templates.ts'
import { createTemplateRenderer } from './render.ts'

const renderer = createTemplateRenderer()
let version = 0

function render(
  body: string,
  context: Partial<TemplateContext> = {},
  options: Partial<MailOptions> = {},
  subject = 'S',
) {
  const source = { id: 'test', version: ++version, subject, body, design: null }
  return renderer.render(source, buildSampleContext(context), {
    storeHosts: ['shop.example'],
    trackLink: track,
    shopLink: 'https://shop.example/',
    assetsUrl: 'https://app.example/pictures',
    ...options,
  })
}

function track(url: string) {
  return `https://app.example/c/${encodeURIComponent(url).length}`
}

function problem(body: string, subject = 'Hello'): string | undefined {
  return renderer.check({ subject, body })?.code
}

const mugItem = { name: 'Mug', quantity: 1, unitPrice: '$5.00', lineTotal: '$5.00', imageUrl: null }

describe('the built-in templates', () => {
  const all = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES].filter(({ id }) => id !== 'custom')

  test.each(
    all.map((template) => [template.id, template] as const),
  )('%s renders with and without a discount', (_id, template) => {
    expect(renderer.check(template)).toBeNull()
    const { html, text } = render(template.body, { coupon: null })
    expect(html).not.toContain('With your discount')
    expect(text).not.toMatch(/discounted|\{\{|\n\n\n/)
  })

  test('have the specified ids', () => {
    expect(CAMPAIGN_TEMPLATES.map(({ id }) => id)).toEqual([
      'first_reminder',
      'second_reminder',
      'last_reminder',
      'custom',
    ])
    expect(QUICK_SEND_TEMPLATES.map(({ id }) => id)).toEqual(['default', 'discount', 'urgency'])
  })
})

describe('a message', () => {
  test('survives a pause of the machine while it is rendered', () => {
    const now = performance.now.bind(performance)
    let stalls = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + (++stalls === 2 ? 5_000 : 0))
    expect(render('Hello {{ customer_name | upcase }}').text).toContain('Hello ANA')
    expect(stalls).toBeGreaterThan(2)
  })

  test('fills in the six variables', () => {
    const names = 'customer_name cart_total checkout_link store_name discounted_total cart_items'.split(' ')
    const { text } = render(names.map((name) => `${name}: {{ ${name} }}`).join('\n\n'), {}, { trackLink: () => null })
    expect(text).toContain('customer_name: Ana')
    expect(text).toContain('cart_total: $80.00')
    expect(text).toContain('https://shop.example/cart/recover?cart_id=sample')
    expect(text).toContain('store_name: Harbour Goods')
    expect(text).toContain('discounted_total: $72.00')
    expect(text).toContain('- 2 × Canvas tote bag: $32.00')
  })

  test('says "there" when the name is unknown', () => {
    expect(render('Hi {{ customer_name }},', { customerName: '  ' }).text).toMatch(/^Hi there,/)
  })

  test('names the sender, the address, the reason and the unsubscribe link (C3, C7)', () => {
    const { html, text, headers } = render('Hi', { preferencesLink: 'https://app.example/p' })
    for (const part of [html, text]) {
      expect(part).toContain('1 Harbour Street, Portland')
      expect(part).toContain('because you left items in your cart at Harbour Goods')
      expect(part).toContain('https://shop.example/unsubscribe?token=sample')
      expect(part).toContain('https://app.example/p')
    }
    expect(headers).toEqual({
      'List-Unsubscribe': '<https://shop.example/unsubscribe?token=sample>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })

  test.each([
    ['Harbour Goods, 1 Harbour Street', '1 Harbour Street'],
    ['harbour goods\n1 Harbour Street', '1 Harbour Street'],
    ['Harbour Goodsman Lane 1', 'Harbour Goodsman Lane 1'],
    ['Harbour Goods', 'Harbour Goods'],
  ])('omits the sender’s name where the address begins with it: %s', (postalAddress, expected) => {
    const { html, text } = render('Hi', { postalAddress })
    expect(text).toContain(`--\nHarbour Goods, ${expected}\nYou received`)
    expect(html).toContain(`<bdi>Harbour Goods</bdi><br><bdi>${expected}</bdi></p>`)
  })

  test.each(['senderName', 'postalAddress'] as const)('is not rendered without %s', (field) => {
    expect(() => render('Hi', { [field]: ' \u200b' })).toThrow(expect.objectContaining({ code: 'sender_missing' }))
  })

  test('stays under 100 KB with the largest cart and counts the omitted items', () => {
    const item = { ...mugItem, name: '<&>'.repeat(200), imageUrl: `https://cdn.example/${'i'.repeat(900)}` }
    const { html } = render('{{ cart_items }}', { items: Array.from({ length: 200 }, () => item) })
    expect(Buffer.byteLength(html)).toBeLessThan(100_000)
    expect(html).toContain('and 188 more items')
  })

  test('is refused when a mail program would clip its body', () => {
    expect(() => render('x'.repeat(39_000), {})).not.toThrow()
    expect(() =>
      render(`{% for i in cart_items %}${'x'.repeat(30_000)}{% endfor %}`, { items: Array(9).fill(mugItem) }),
    ).toThrow(expect.objectContaining({ code: 'too_large' }))
  })

  test('turns plain text into paragraphs, a lone link into a button, lone items into a table', () => {
    const { html } = render('A & B\nsecond\n\n{{ cart_items }}\n\n{{ checkout_link }}')
    expect(html).toContain('>A &amp; B<br>second</p>')
    expect(html).toMatch(/<a [^>]*>Return to your cart<\/a>/)
    expect(html).not.toMatch(/<p[^>]*>\s*<table/)
  })

  test('supports an item loop in HTML', () => {
    const { text } = render(
      '<ul>{% for item in cart_items %}<li>{{ item.name | upcase }} {{ item.total }}</li>{% endfor %}</ul>',
    )
    expect(text).toContain('CANVAS TOTE BAG $32.00')
  })
})

describe('a subject', () => {
  const getSubject = (subject: string, context: Partial<TemplateContext> = {}) =>
    render('Hi', context, {}, subject).subject

  test('shows values unescaped, on one line, bounded', () => {
    expect(getSubject('{{ customer_name }} & {{ store_name }}', { customerName: 'Ana "A" <b>' })).toBe(
      'Ana "A" <b> & Harbour Goods',
    )
    expect(getSubject('{{ customer_name }}', { customerName: 'A\r\nBcc: x@y.example' })).toBe('A Bcc: x@y.example')
    expect([...getSubject('{{ store_name }}'.repeat(20))].length).toBeLessThanOrEqual(150)
  })

  test('is not reversed by a name', () => {
    expect(getSubject('Hi {{ customer_name }}', { customerName: '\u202egnp.exe\u0007\u200b' })).toBe('Hi gnp.exe')
  })

  test('prints the items as text', () => {
    expect(getSubject('{{ cart_items }}')).toBe('Linen shirt, sea blue and 1 more')
  })

  test('must not be empty', () => {
    expect(problem('Hi', '  ')).toBe('empty_subject')
  })
})

describe('hostile store data (X3)', () => {
  test('keeps a postal address of several lines as entered (C7)', () => {
    const { html, text } = render('Hi', { postalAddress: 'Kiln Lane 4 \r\n\n 04101 Portland\n<b>Maine</b>' })
    expect(html).toContain('<br><bdi>Kiln Lane 4</bdi><br><bdi>04101 Portland</bdi><br><bdi>&lt;b&gt;Maine&lt;/b&gt;')
    expect(text).toMatch(/\nKiln Lane 4\n04101 Portland\n<b>Maine<\/b>\n/)
  })

  const hostile = '<img src=x onerror=alert(1)>"\'{{ 7 | times: 7 }}{% raw %}\ue000'

  test('stays text in every position', () => {
    const body = '<p title="{{ customer_name }}">{{ customer_name }} {{ store_name }}</p>{{ cart_items }}'
    const items = [
      { ...mugItem, name: hostile, unitPrice: hostile, lineTotal: hostile, imageUrl: 'javascript:alert(1)' },
    ]
    const context = { customerName: hostile, storeName: hostile, senderName: hostile, postalAddress: hostile, items }
    const { html, text } = render(body, context)
    expect(html).not.toContain('<img')
    expect(html).not.toContain('javascript:')
    expect(html + text).not.toContain('\ue000')
    expect(html + text).not.toMatch(/\{\{|\{%/)
    const harmless = render(body, { items: [mugItem] }).html
    expect(html.match(/</g)).toHaveLength(harmless.match(/</g)!.length)
  })

  test.each([
    ['https://cdn.example/a.png', true],
    ['http://shop.example/a.png', true],
    ['http://elsewhere.example/a.png', false],
    ['data:image/png;base64,AAAA', false],
    ['https://u:p@cdn.example/a.png', false],
    ['//cdn.example/a.png', false],
  ])('picture %s is shown: %s', (imageUrl, isVisible) => {
    const { html } = render('{{ cart_items }}', { items: [{ ...mugItem, imageUrl }] })
    expect(html.includes('<img')).toBe(isVisible)
  })

  test('never creates markup or a line break in the subject', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        const items = [{ ...mugItem, name }]
        const { html, subject, text } = render(
          '{{ customer_name }}',
          { customerName: `x${name}`, items },
          {},
          'x{{ customer_name }}',
        )
        expect(html.match(/</g)).toHaveLength(baseline)
        expect(subject).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        expect(`${html}${text}`).not.toMatch(/\{\{|\{%/)
      }),
      { numRuns: 100 },
    )
  })
  const baseline = render('{{ customer_name }}').html.match(/</g)!.length
})

describe('an owner’s HTML', () => {
  const getBody = (body: string) => render(body).html.split('<div class="w">')[1]!.split('</div></td></tr>')[0]!

  test.each([
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java\nscript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="&#106;avascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,x">x</a>', '<a>x</a>'],
    ['<a href="mailto:a@b.example">x</a>', '<a href="mailto:a@b.example" target="_blank">x</a>'],
    ['<a href="tel:+1555">x</a>', '<a href="tel:+1555" target="_blank">x</a>'],
    ['<a href="#top">x</a>', '<a href="#top" target="_blank">x</a>'],
    ['<b onclick="x()" style="color:red;background:url(x)">x</b>', '<b style="color:red">x</b>'],
    ['a<script>alert(1)</script>b', 'ab'],
    ['a<style>p{}</style><iframe src="x"></iframe>b<p></p>', 'ab'],
    ['<b>a</td></tr></table><i>b', '<b>a<i>b</i></b>'],
    ['<b>1 < 2 <3</b>', '<b>1 &lt; 2 &lt;3</b>'],
    ['<b>x</b><img src="https://a.example/x.png" onerror=alert(1)', '<b>x</b>'],
  ])('%s', (body, expected) => {
    const html = getBody(body)
    if (expected.endsWith('<b>x</b>')) expect(html).not.toContain('onerror')
    else expect(html).toBe(expected)
  })

  test('is sanitised in linear time', () => {
    for (const unit of ['<', '<a ', '<a href="', '<!--', '</', '<script>', '<b>', '<p><a>']) {
      // Measures processor time, independent of other load.
      const start = process.cpuUsage()
      const body = `<b>x</b>${unit.repeat(Math.floor(20_000 / unit.length))}`
      expect([undefined, 'too_large']).toContain(problem(body))
      const { user, system } = process.cpuUsage(start)
      expect((user + system) / 1_000).toBeLessThan(1_500)
    }
  })
})

describe('links', () => {
  test('to the store and the checkout are tracked once each, others stay unchanged (X1)', () => {
    const urls: string[] = []
    const trackLink = (url: string) => {
      urls.push(url)
      return `https://app.example/c/${urls.length}`
    }
    const body = `<a href="https://shop.example/a?x=1&amp;y=2">a</a> <a href="https://shop.example/a?x=1&y=2">again</a>
      <a href="{{ checkout_link }}">cart</a> <a href="https://other.example/b">b</a> https://shop.example/bare.`
    const { links, html } = render(
      body,
      { checkoutLink: 'https://app.example/cart/recover?cart_id=rt_1' },
      { trackLink },
    )
    expect(urls).toEqual([
      'https://shop.example/a?x=1&y=2',
      'https://app.example/cart/recover?cart_id=rt_1',
      'https://shop.example/bare',
    ])
    expect(links.map(({ trackedUrl }) => trackedUrl)).toEqual([
      'https://app.example/c/1',
      'https://app.example/c/2',
      null,
      'https://app.example/c/3',
    ])
    expect(html).toContain('href="https://other.example/b"')
    expect(html).toContain('https://shop.example/bare</a>.')
  })

  test('to a host that resembles the store’s are not tracked', () => {
    const hosts = [
      'https://shop.example.evil.example/',
      'https://shop.example:8443/',
      'https://evil.example/shop.example',
    ]
    const { links } = render(hosts.map((url) => `<a href="${url}">x</a>`).join(''))
    expect(links.every(({ trackedUrl }) => trackedUrl === null)).toBe(true)
  })

  test('stay unchanged when the caller returns null', () => {
    expect(render('{{ checkout_link }}', {}, { trackLink: () => null }).html).toContain('cart_id=sample')
  })

  test('an invalid checkout or unsubscribe link is an error', () => {
    for (const checkoutLink of ['javascript:alert(1)', '/cart', '']) {
      expect(() => render('Hi', { checkoutLink })).toThrow(TemplateError)
    }
  })
})

describe('a template is rejected for', () => {
  test.each([
    ['{{ customer_nam }}', 'unknown_variable'],
    ['{% if false %}{{ secret }}{% endif %}', 'unknown_variable'],
    ['{{ customer_name', 'parse_failed'],
    ['{% if cart_total %}x', 'parse_failed'],
    ['{% include "x" %}', 'unknown_tag'],
    ['{% render "../../package.json" %}', 'unknown_tag'],
    ['{% layout "x" %}', 'unknown_tag'],
    ['{% raw %}{{ customer_name }}{% endraw %}', 'unknown_tag'],
    ['{% capture x %}y{% endcapture %}', 'unknown_tag'],
    ['{{ customer_name | raw }}', 'unknown_filter'],
    ['{{ customer_name | shout }}', 'unknown_filter'],
    ['{{ customer_name | where_exp: "x", "1" }}', 'unknown_filter'],
    ['{% for i in (1..1000000) %}x{% endfor %}', 'limit_exceeded'],
    ['{% for a in cart_items %}{% for b in cart_items %}x{% endfor %}{% endfor %}', 'limit_exceeded'],
    [`x${'y'.repeat(41_000)}`, 'limit_exceeded'],
    ['{{ "{" }}{{ "{ x" }}', 'leftover_placeholder'],
    ['{{ cart_items.constructor.name }}', 'unknown_variable'],
    ['', 'empty_body'],
    ['<p> </p>', 'empty_body'],
  ])('%s → %s', (body, code) => {
    expect(problem(body)).toBe(code)
  })

  test('an assign that doubles itself hits a limit', () => {
    const body = `{% assign x = 'xxxxxxxxxxxxxxxx' %}${'{% assign x = x | append: x %}'.repeat(40)}{{ x }}`
    expect(['limit_exceeded', 'too_large']).toContain(problem(body))
  })

  test('errors are sentences for the owner', () => {
    expect(renderer.check({ subject: 'Hi', body: '{{ custmer }}' })?.message).toBe(
      'The message uses "custmer", which does not exist. Available: customer_name, cart_items, cart_total, checkout_link, store_name, discounted_total, coupon_code, coupon_amount, coupon_offer, coupon_minimum, coupon_expires.',
    )
  })

  test.each([
    ['Hi {{ }} you', 'has an empty {{ }} after “Hi”. Put a variable between the braces, or delete them.'],
    ['Hi {{}}', 'has an empty {{ }} after “Hi”. Put a variable between the braces, or delete them.'],
    ['{% %}', 'has an empty {% %}. Delete it.'],
    ['Hi {{ customer_name', 'has a “{{” without the “}}” that closes it: “{{ customer_name”.'],
    ['{% if coupon_code', 'has a “{%” without the “%}” that closes it: “{% if coupon_code”.'],
    ['{% if cart_total %}x', 'has “{% if cart_total %}” without the {% endif %} that ends it.'],
    ['x{% endif %}', 'has {% endif %} without the {% if %} it belongs to.'],
    ['{% include "x" %}', 'uses {% include %}, which does not exist. Available: if, unless, for, assign,'],
    ['{{ cart_total | shout }}', 'uses the filter "shout", which does not exist. Available: append, '],
    ['Now {% if a = b %}x{% endif %}', 'cannot be read at “{% if a = b %}” after “Now”. Please correct or delete it.'],
  ])('%s: the error names the problem and its place, in the subject and in the message', (text, expected) => {
    expect(renderer.check({ subject: text, body: 'Hi' })?.message).toContain(`The subject ${expected}`)
    expect(renderer.check({ subject: 'Hi', body: text })?.message).toContain(`The message ${expected}`)
  })
})
