import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { READY_DISCOUNT } from '../../../shared/marketing/discount-mail.ts'
import { removeBlankParagraphs } from './blanks.ts'
import { buildSampleContext, type TemplateContext } from './context.ts'
import { createTemplateRenderer } from './render.ts'

const renderer = createTemplateRenderer()
let version = 0
const options = {
  storeHosts: [],
  trackLink: () => null,
  shopLink: 'https://shop.example/',
  assetsUrl: 'https://app.example/pictures',
}

const mail = (body: string, context: Partial<TemplateContext> = { coupon: null }, subject = 'S') =>
  renderer.render(
    { id: 'blanks', version: ++version, subject, body, design: null },
    buildSampleContext(context),
    options,
  )

const readText = (body: string, context?: Partial<TemplateContext>) => mail(body, context).text.split('\n\n--')[0]

const sms = (body: string, context: Partial<TemplateContext> = { coupon: null }) =>
  renderer.text({ id: 'blanks', version: ++version, subject: '-', body, design: null }, buildSampleContext(context))

const coupon = buildSampleContext().coupon!
const FOR_ALL = 'Use {{ coupon_code }} for {{ coupon_amount }} off, until {{ coupon_expires }}.'

describe('a mail without a coupon (decision 37)', () => {
  test('omits paragraphs that name one and keeps all others', () => {
    const body = `Hi {{ customer_name }},\n\n${FOR_ALL}\nHurry.\n\nYour cart is saved.\n\n{{ checkout_link }}`
    expect(readText(body)).toMatch(/^Hi Ana,\n\nYour cart is saved\.\n\nReturn to your cart:/)
    expect(mail(body).html).not.toMatch(/Use|until|Hurry|\ue007/)
    expect(mail(body).leftOut).toEqual({ isSubject: false, paragraphs: ['Use … for … off, until …. Hurry.'] })
    expect(readText(body, {})).toContain('Use WELCOME10 for 10% off, until November 30, 2026.\nHurry.')
    expect(mail(body, {}).leftOut).toEqual({ isSubject: false, paragraphs: [] })
  })

  test.each([
    ['<p>Hi</p><p>Use <b>{{ coupon_code }}</b> now</p>', 'Hi'],
    ['<ul><li>One</li><li>{{ coupon_amount }} off</li></ul>', '* One'],
    ['<ul><li>{{ coupon_amount }} off</li></ul><p>Hi</p>', 'Hi'],
    ['<h1>{{ coupon_amount }} off</h1>Hi', 'Hi'],
    ['Hi<br>Code {{ coupon_code }}<br>Bye', 'Hi\nBye'],
    ['<div>Hi<br>Code {{ coupon_code | upcase }}</div>', 'Hi'],
    ['<table><tr><td>Your code</td></tr><tr><td><p>{{ coupon_code }}</p></td></tr></table>', 'Your code'],
    ['<div><b>Hi<p>Code {{ coupon_code }}</p>there</b></div>', 'Hi there'],
    ['{% assign code = coupon_code %}<p>Use {{ code }}</p><p>Hi</p>', 'Hi'],
    ['<p>Hi</p><p>Until {{- coupon_expires -}} !</p>', 'Hi'],
  ])('%s', (body, expected) => {
    expect(readText(body)).toBe(expected)
  })

  test('keeps text that covers both cases, and addresses that merely contain the code', () => {
    expect(readText('{{ coupon_amount | default: "10%" }} off')).toBe('10% off')
    expect(readText('{% if coupon_code %}Use {{ coupon_code }}{% else %}Come back{% endif %} now')).toBe(
      'Come back now',
    )
    expect(mail('<p><a href="https://x.example/?c={{ coupon_code }}">Go</a></p>').html).toContain(
      'href="https://x.example/?c="',
    )
  })

  test('keeps the checkout link where an omitted paragraph had it', () => {
    const { html, text } = mail('Hi\n\nUse {{ coupon_code }} here: {{ checkout_link }}')
    expect(html).toMatch(/<a [^>]*>Return to your cart<\/a>/)
    expect(text).toContain('Return to your cart:\nhttps://shop.example/cart/recover?cart_id=sample')
    expect(text).not.toContain('here')
  })

  test('gets a default subject in place of one that names it', () => {
    const of = (context: Partial<TemplateContext>, subject = '{{ coupon_amount }} off for you') =>
      mail('Hi', context, subject).subject
    expect(of({ coupon: null })).toBe('Your cart at Harbour Goods')
    expect(of({ coupon: null, isWithoutCart: true })).toBe('A message from Harbour Goods')
    expect(of({ coupon: { ...coupon, amount: '' } })).toBe('A coupon for you at Harbour Goods')
    expect(of({})).toBe('10% off for you')
    expect(mail('Hi', { coupon: null }, '{{ coupon_code }}').leftOut.isSubject).toBe(true)
  })

  test('is not rendered when nothing would remain, but the template may be stored for messages with a coupon', () => {
    expect(() => mail('Use {{ coupon_code }}')).toThrow(expect.objectContaining({ code: 'nothing_left' }))
    expect(() => sms('Use {{ coupon_code }} {{ checkout_link }}')).toThrow(
      expect.objectContaining({ code: 'nothing_left' }),
    )
    expect(renderer.check({ subject: 'Hi', body: 'Use {{ coupon_code }}' })).toBeNull()
    expect(renderer.checkText('Use {{ coupon_code }}')).toBeNull()
  })
})

test('a coupon without an end or an amount omits the paragraph that names it', () => {
  const endless = { coupon: { ...coupon, expires: null } }
  expect(readText('Code {{ coupon_code }}\n\nUntil {{ coupon_expires }}.', endless)).toBe('Code WELCOME10')
  expect(readText('Hi\n\n{{ coupon_amount }} off', { coupon: { ...coupon, amount: '' } })).toBe('Hi')
})

test('a text without a coupon omits the sentence that names one and keeps the checkout link', () => {
  expect(sms('Hi {{ customer_name }}! {{ coupon_amount }} off with {{ coupon_code }}. {{ checkout_link }}')).toBe(
    'Hi Ana! https://shop.example/cart/recover?cart_id=sample',
  )
  expect(sms('Hi.\nUse {{ coupon_code }}: {{ checkout_link }}\nReply STOP to opt out.')).toBe(
    'Hi.\nReply STOP to opt out.\nhttps://shop.example/cart/recover?cart_id=sample',
  )
  expect(sms('Hi. {{ coupon_amount }} off.', {})).toBe('Hi. 10% off.')
})

test('no HTML leaves a mark behind, and text without a coupon stays', () => {
  const parts = fc.constantFrom('<p>', '</p>', '<b>', '</b>', '<br>', '<td>', '</tr>', 'stays ', '\ue007', '<li>', ' ')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (pieces) => {
      const { html } = removeBlankParagraphs(pieces.join(''))
      expect(html).not.toContain('\ue007')
      if (!pieces.includes('\ue007')) expect(html).toBe(pieces.join(''))
    }),
  )
})

describe('the default text of a discount mail', () => {
  const renderCoupon = (changes: Partial<NonNullable<TemplateContext['coupon']>>) =>
    mail(READY_DISCOUNT.body, { coupon: { ...coupon, ...changes } }).text

  test('states the coupon’s discount, minimum amount and end', () => {
    expect(renderCoupon({})).toContain(
      'Here is 10% off at Harbour Goods. Your code is WELCOME10.\n\nIt is for orders from $25.00.\n\nIt is valid until November 30, 2026.',
    )
    expect(renderCoupon({ minimum: null, expires: null })).not.toMatch(/orders from|valid until [^N]/)
  })

  test('fits free shipping and a coupon without a known amount', () => {
    const other = { amount: '', saving: null, total: null }
    expect(renderCoupon({ ...other, offer: 'free shipping', isFreeShipping: true })).toContain(
      'Here is free shipping at Harbour Goods. Your code is',
    )
    expect(renderCoupon({ ...other, offer: 'free shipping', isFreeShipping: true })).toContain(
      'Coupon WELCOME10: Free shipping',
    )
    expect(renderCoupon({ ...other, offer: 'a discount' })).toContain(
      'Here is a discount at Harbour Goods. Your code is',
    )
  })
})
