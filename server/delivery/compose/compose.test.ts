import { expect, test } from 'vitest'
import { MailDocumentSchema } from '../../../shared/messages/mail-document.ts'
import { readClick } from '../../carts/links/message-tokens.ts'
import { createSecrets, hashToken } from '../../core/common/secrets.ts'
import { DEFAULT_MAIL_BRAND } from '../../messages/templates/brand.ts'
import { createRenders } from '../../messages/templates/render-queue.ts'
import { formatMinor } from './amounts.ts'
import { buildFeedbackId, type ComposeInput, composeEmail, createRestoreToken, outgoingEmail } from './compose.ts'

const secrets = createSecrets('a secret of the tests, long enough to be one')

const input = (changed: Partial<ComposeInput> = {}): ComposeInput => ({
  messageId: '0195d3a0-0000-7000-8000-000000000001',
  cart: {
    items: [
      {
        productId: '16',
        variationId: null,
        name: 'Earl <b>Grey</b>',
        sku: 'EG',
        quantity: 2,
        unitPriceMinor: 2_100,
        imageUrl: null,
      },
    ],
    valueMinor: 4_200,
    currency: 'USD',
    firstName: 'Ada',
  },
  template: {
    id: '0195d3a0-0000-7000-8000-000000000002',
    version: 1,
    subject: '{{ customer_name }}, your cart at {{ store_name }}',
    body: '<p>{{ cart_items }} {{ cart_total }}</p><p><a href="{{ checkout_link }}">Back</a> <a href="https://shop.example.com/sale">Sale</a> <a href="https://elsewhere.example/x">Else</a></p>',
    design: null,
  },
  store: {
    id: '0195d3a0-0000-7000-8000-000000000001',
    name: 'Tea & Co',
    url: 'https://shop.example.com',
    homeUrl: 'https://shop.example.com',
    senderName: 'Tea & Co',
    postalAddress: '1 Main Street',
    timeZone: 'America/New_York',
  },
  coupon: null,
  brand: DEFAULT_MAIL_BRAND,
  publicUrl: 'https://recoup.example',
  secrets,
  ...changed,
})

test('a message always has the same links, and another message has others (D1)', async () => {
  const first = await composeEmail(input())
  expect(await composeEmail(input())).toEqual(first)
  const other = await composeEmail(input({ messageId: '0195d3a0-0000-7000-8000-000000000009' }))
  const hashes = new Set(first.tokens.map((token) => token.hash))
  expect(other.tokens.some((token) => hashes.has(token.hash))).toBe(false)
  const addresses = (html: string) => [...html.matchAll(/[\w-]{43}/g)].map(([token]) => token)
  expect(addresses(other.html).filter((token) => addresses(first.html).includes(token))).toEqual([])
})

test('each link has its own token, and only the restore token’s hash is stored (X1, decisions 4 and 150)', async () => {
  const { tokens, html, text, links } = await composeEmail(input())
  expect(tokens.map(({ purpose, target }) => [purpose, target])).toEqual([['restore', null]])
  const found = [...html.matchAll(/\/[cou]\/([\w-]{43})(?:\?to=([\w-]+))?|preferences\?token=([\w-]{43})/g)]
  const each = new Map(found.map(([all, token, to, preferences]) => [all, { token: token ?? preferences!, to }]))
  expect(new Set([...each.values()].map(({ token }) => token)).size).toBe(each.size)
  const clicks = [...each.values()].flatMap(({ token, to }) => readClick(secrets, token, to ?? '') ?? [])
  const { messageId } = input()
  expect(clicks).toEqual([
    { messageId, target: null },
    { messageId, target: 'https://shop.example.com/sale' },
  ])
  const sale = links.find(({ url }) => url.endsWith('/sale'))!.trackedUrl!
  expect([html.includes(sale), text.includes(sale)]).toEqual([true, true])
  expect(`${html}${text}`).not.toContain('.invalid')
})

test('links of a test send are stored as rows, because it has no message row', async () => {
  const { tokens, html } = await composeEmail(input({ isTest: true }))
  expect(tokens.map(({ purpose, target }) => [purpose, target?.replace(/=rt_.*/, '=rt_')])).toEqual([
    ['restore', undefined],
    ['click', 'https://recoup.example/cart/recover?cart_id=rt_'],
    ['click', 'https://shop.example.com/sale'],
  ])
  const hashes = [...html.matchAll(/\/c\/([\w-]{43})"/g)].map(([, token]) => hashToken(token!).toString('hex'))
  expect(new Set(hashes)).toEqual(new Set(tokens.slice(1).map(({ hash }) => hash)))
  expect(html).not.toContain('?to=')
})

test('a mail too large with its links is refused, and a very long URL stays untracked', async () => {
  const page = (n: number, length: number) => `https://shop.example.com/${n}/${'p'.repeat(length)}`
  const body = (...urls: string[]) =>
    `<p>${urls.map((url) => `<a href="${url}">x</a>`).join(' ')}</p>{{ checkout_link }}`
  const getMail = (...urls: string[]) =>
    composeEmail(input({ template: { ...input().template, version: 2, body: body(...urls) } }))
  const { links, html } = await getMail(page(1, 900), page(2, 1_000))
  expect(links.map(({ trackedUrl }) => trackedUrl !== null)).toEqual([true, false, false])
  expect(html).toContain(page(2, 1_000))
  const often = `{% for item in cart_items %}<a href="${page(3, 900)}">{{ item.name }}</a>{% endfor %} {{ checkout_link }}`
  const [item] = input().cart.items
  const cart = { ...input().cart, items: Array.from({ length: 90 }, () => item!) }
  const large = composeEmail(input({ cart, template: { ...input().template, version: 3, body: often } }))
  await expect(large).rejects.toMatchObject({ code: 'too_large' })
})

test('only the store’s own links are tracked; others stay as they are (X1)', async () => {
  const { html } = await composeEmail(input())
  expect(html).toContain('https://elsewhere.example/x')
  expect(html).not.toContain('https://shop.example.com/sale')
})

test('product names are escaped as text (X3)', async () => {
  const { html } = await composeEmail(input())
  expect(html).toContain('Earl &lt;b&gt;Grey&lt;/b&gt;')
})

test('a cart with unknown prices shows neither prices nor a total', async () => {
  const free = input().cart.items.map((item) => ({ ...item, unitPriceMinor: 0 }))
  const body = '{{ cart_items }}\n\nTotal: {{ cart_total }}\n\n{{ checkout_link }}'
  const template = { ...input().template, version: 0, body }
  const unknown = await composeEmail(input({ template, cart: { ...input().cart, items: free, valueMinor: 0 } }))
  expect(`${unknown.html}${unknown.text}`).not.toMatch(/\$|Total/)
  expect(unknown.html).toContain('Quantity 2')
  const gift = await composeEmail(
    input({ template, cart: { ...input().cart, items: [...input().cart.items, ...free] } }),
  )
  expect(gift.text).toMatch(/: \$0\.00\n[\s\S]*Total: \$42\.00/)
})

test('the restore token shown in links is the one whose hash is kept', async () => {
  const { tokens, messageId } = { ...(await composeEmail(input())), messageId: input().messageId }
  const token = createRestoreToken(secrets, messageId)
  expect(token).toMatch(/^rt_[\w-]{43}$/)
  expect(tokens[0]!.hash).toBe(hashToken(token.slice(3)).toString('hex'))
})

test('amounts have their currency’s own decimals (decision 21)', async () => {
  expect(formatMinor(4_200, 'USD', 'en-US')).toBe('$42.00')
  expect(formatMinor(4_200, 'JPY', 'en-US')).toBe('¥4,200')
  expect(formatMinor(4_200, 'KWD', 'en-US')).toMatch(/4\.200/)
})

test('each store has its own Feedback-ID, which identifies no person', async () => {
  const ids = [
    ['a', 'https://x.example'],
    ['a', 'https://x.example'],
    ['a', 'https://y.example'],
    ['b', 'https://x.example'],
  ]
  const [one, again, other, foreign] = ids.map(([account, url]) => buildFeedbackId(secrets, account!, url!))
  expect(one).toMatch(/^[\w-]{12}:[\w-]{12}:recovery:recoup$/)
  expect(again).toBe(one)
  expect(new Set([one, other, foreign]).size).toBe(3)
  const sender = { name: 'T', email: null, feedbackId: one! }
  const mail = outgoingEmail('m1', 'ada@shoppers.example', await composeEmail(input()), sender, 'mail@recoup.example')
  expect(mail.headers).toMatchObject({ 'Feedback-ID': one, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' })
})

test('the envelope has the shop’s name, our address and the shop’s Reply-To', async () => {
  const composed = await composeEmail(input())
  const sender = { name: 'Tea & Co', email: 'tea@shop.example.com' }
  expect(outgoingEmail('m1', 'ada@shoppers.example', composed, sender, 'Recoup <mail@recoup.example>')).toMatchObject({
    messageId: 'm1',
    from: { name: 'Tea & Co', address: 'mail@recoup.example' },
    replyTo: 'tea@shop.example.com',
    to: 'ada@shoppers.example',
  })
  const silent = outgoingEmail(
    'm1',
    'ada@shoppers.example',
    composed,
    { name: 'T', email: null },
    'mail@recoup.example',
  )
  expect(silent).not.toHaveProperty('replyTo')
  expect(silent.from.address).toBe('mail@recoup.example')
})

test('names of shoppers, products and shops cannot inject links, and a shop may be named by its own address', async () => {
  const hostile = (firstName: string, product: string, shop: string) => {
    const { cart, store } = input()
    const items = [{ ...cart.items[0]!, name: product }]
    return composeEmail(input({ cart: { ...cart, items, firstName }, store: { ...store, name: shop } }))
  }
  const { subject, html, text } = await hostile(
    ...(['Pay at http://evil.example/1', 'Mug http://evil.example/2', 'Team evil.com'] as const),
  )
  expect(subject).toBe('there, your cart at Team evil com')
  expect(`${html}${text}`).not.toMatch(/evil\.|\/\/evil/)
  expect(html).toContain('Mug http evil example 2')
  const plain = await hostile('José', 'Mug', 'shop.example.com')
  expect(plain.subject).toBe('José, your cart at shop.example.com')
})

test('a mail and its preview are the same bytes, with blocks and with Liquid', async () => {
  const renders = createRenders()
  for (const body of [
    input().template.body,
    '# Hello {{ customer_name }}\n\n{{ cart_items }}\n\n{{ checkout_link }}',
  ]) {
    const mail = input({ template: { ...input().template, version: 7, body }, renders })
    const preview = await composeEmail({ ...mail, who: { queue: 'asking', accountId: 'a' } })
    expect(await composeEmail({ ...mail, who: { queue: 'sending', accountId: 'a' } })).toEqual(preview)
  }
  await renders.close()
})

test('a mail in German has German words, amounts, dates and plurals', async () => {
  const template = { ...input().template, version: 0, body: '{{ cart_items }}\n\n{{ checkout_link }}' }
  const coupon = {
    code: 'DANKE',
    percent: 1_250,
    amountMinor: null,
    currency: 'EUR',
    isFreeShipping: false,
    minSpendMinor: null,
    expiresAt: new Date('2026-12-05T23:00:00Z'),
    totalMinor: 108_025,
  }
  const [item] = input().cart.items
  const items = Array.from({ length: 14 }, () => ({ ...item!, unitPriceMinor: 123_450 }))
  const cart = { ...input().cart, items, valueMinor: 123_450, currency: 'EUR' }
  const store = { ...input().store, timeZone: 'Europe/Berlin' }
  const { html, text } = await composeEmail(input({ template, coupon, cart, store, locale: 'de-AT' }))
  const readable = html.replaceAll('\u00a0', ' ')
  expect(html).toContain('<html lang="de-AT" dir="ltr"')
  for (const part of ['Zurück zum Warenkorb', 'und 2 weitere Artikel', 'Gültig bis 5. Dezember 2026', 'Abmelden']) {
    expect(readable).toContain(part)
  }
  expect(text).toContain('Summe mit Gutschein: € 1.080,25')
  const english = await composeEmail(input({ template, coupon, cart, store }))
  expect(english.text).toContain('Total with the coupon: €1,080.25')
})

test('a design is sent without reading its words as Liquid, and with tracked links', async () => {
  const design = MailDocumentSchema.parse({
    version: 1,
    theme: 'bold',
    subject: [{ kind: 'text', text: 'Still {{ yours }}?' }],
    preview: [],
    bands: [
      {
        id: 'band0001',
        blocks: [
          {
            id: 'block001',
            type: 'text',
            inlines: [{ kind: 'text', text: '{% raw %}', href: 'https://shop.example.com/sale' }],
          },
          { id: 'block002', type: 'button', href: 'shop', label: 'Browse' },
          { id: 'block003', type: 'legacy_text', source: 'Hi {{ customer_name | upcase }}, {{ checkout_link }}' },
        ],
      },
    ],
    footer: {},
  })
  const mail = await composeEmail(input({ template: { ...input().template, id: 'designed', design } }))
  expect(mail.subject).toBe('Still { { yours }}?')
  expect(mail.text).toMatch(/^\{% raw %\} https:\/\/recoup\.example\/c\//)
  expect(mail.text).toContain('Hi ADA, ')
  const targets = mail.links.map(({ url, trackedUrl }) => [url, trackedUrl !== null])
  expect(targets).toEqual([
    [expect.stringContaining('https://recoup.example/c/'), false],
    ['https://shop.example.com/sale', true],
    ['https://shop.example.com/', true],
  ])
  expect(mail.html).not.toContain('shop.example.com/sale')
})

test('a product block shows the product with its price and tracked page, and nothing where it is missing', async () => {
  const design = MailDocumentSchema.parse({
    version: 1,
    theme: 'quiet',
    subject: [{ kind: 'text', text: 'New' }],
    preview: [],
    bands: [
      {
        id: 'band0001',
        blocks: [
          { id: 'block001', type: 'text', inlines: [{ kind: 'text', text: 'Look' }] },
          ...['16', '17', '18'].map((productId) => ({ id: `product${productId}`, type: 'product', productId })),
        ],
      },
    ],
    footer: {},
  })
  const product = (name: string, url: string) => ({ name, priceMinor: 1_950, currency: 'USD', imageUrl: null, url })
  const products = new Map([
    ['16', product('Tin <b>', 'https://shop.example.com/tin')],
    ['17', product('Elsewhere', 'https://elsewhere.example/tin')],
  ])
  const template = { ...input().template, id: 'products', design }
  const { html, text, links } = await composeEmail(input({ template, products }))
  expect(html).toContain('Tin &lt;b&gt;')
  expect(text).toMatch(/- Tin <b>: \$19\.50\nView: https:\/\/recoup\.example\/c\//)
  expect(`${html}${text}`).not.toMatch(/Elsewhere|shop\.example\.com\/tin/)
  expect(links.map(({ url }) => url)).toEqual(['https://shop.example.com/tin'])
})
