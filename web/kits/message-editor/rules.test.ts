import { describe, expect, it } from 'vitest'
import { TEMPLATE_VARIABLES } from '../../../server/messages/templates/context.ts'
import {
  bareCouponVariables,
  couponWarnings,
  insertAt,
  messageOf,
  nameHint,
  offeredVariables,
  unknownText,
  unknownVariables,
  variables,
} from './rules.ts'

it('inserts over the selection', () => {
  expect(insertAt('Hello you!', '{{ customer_name }}', 6, 9)).toEqual({ text: 'Hello {{ customer_name }}!', caret: 25 })
})

it('lists each variable that a template may use', () => {
  expect(variables.map(({ name }) => name).toSorted()).toEqual([...TEMPLATE_VARIABLES].toSorted())
})

it('offers no name variables for a notification, and reports texts that use them (decision 72)', () => {
  const namesOf = (...[isWithoutCart, isNotification]: Parameters<typeof offeredVariables>) =>
    offeredVariables(isWithoutCart, isNotification).map(({ name }) => name)
  const others = namesOf(false, false).filter((name) => name !== 'customer_name')
  expect(namesOf(false, true)).toEqual(others)
  expect(namesOf(false, false)).toContain('customer_name')
  expect(namesOf(true, true)).toEqual(namesOf(true, false).filter((name) => name !== 'customer_name'))
  expect(nameHint({ subject: 'Hi {{ customer_name }}', body: 'Your cart' })).toMatch(
    /^Notifications never contain the customer’s name/,
  )
  expect(nameHint({ subject: 'Hi', body: '{{customer_name | upcase}}' })).toMatch(/becomes “there”/)
  expect(nameHint({ subject: 'Hi', body: 'Your cart at {{ store_name }}' })).toBeNull()
})

describe('a coupon variable that may be empty', () => {
  it.each([
    ['Use {{ coupon_code }} for {{coupon_amount}} off', ['coupon_code', 'coupon_amount']],
    ['{% if coupon_code %}{{ coupon_code }}{% else %}{{ coupon_amount }}{% endif %}', ['coupon_amount']],
    ['{%- if coupon_code -%}{% if customer_name %}{{ coupon_code }}{% endif %}{% endif %}', []],
    ['{% if coupon_code %}x{% endif %}{{ coupon_expires }}', ['coupon_expires']],
    ['{% unless coupon_code %}{{ coupon_code }}{% endunless %}', ['coupon_code']],
    ['{{ coupon_amount | default: "10%" }} coupon_code {{ customer_name }}', []],
  ])('%s', (text, names) => {
    expect(bareCouponVariables(text)).toEqual(names)
  })

  it('is reported if messages are sent without the coupon, also in the subject', () => {
    const words = { subject: '{{ coupon_amount }} off', body: 'Use {{ coupon_code }} until {{ coupon_expires }}' }
    expect(couponWarnings(words, 'maybe', false)).toEqual([
      'A message may be sent without the coupon: every paragraph with coupon_code or coupon_expires is left out of it.',
      'A message may be sent without the coupon: this subject has coupon_amount, so a default subject is used.',
      'Put such text between {% if coupon_code %} and {% endif %}, or give it a default.',
    ])
    expect(couponWarnings({ ...words, subject: '' }, 'never', true)).toEqual([
      'These messages have no coupon: every sentence with coupon_code or coupon_expires is left out of them.',
    ])
    expect(couponWarnings(words, 'always', false)).toEqual([])
    expect(couponWarnings({ subject: 'Hi', body: 'Hi {{ customer_name }}' }, 'maybe', false)).toEqual([])
  })
})

it('names each unknown variable once', () => {
  const text = 'Hi {{ customer_name }}, {{ coupon_amount | default: "10%" }} {{-nonsense}} {{ nonsense }}'
  expect(unknownVariables(text)).toEqual(['nonsense'])
})

it('does not report variables that the text assigns', () => {
  expect(unknownVariables('{% assign total = cart_total %}{{ total }}')).toEqual([])
})

it('says that a variable does not exist, and points to the list below if it is shown', () => {
  expect(unknownText('{{ nobody }}', true)).toBe('There is no variable nobody. Select one of those below.')
  expect(unknownText('{{ nobody }}', false)).toBe('There is no variable nobody.')
  expect(unknownText('{{ customer_name }}', true)).toBeUndefined()
})

it('builds the message only when all required fields are filled in', () => {
  expect(messageOf('email', { subject: ' ', body: 'x' })).toBeNull()
  expect(messageOf('email', { subject: 'a', body: 'x' })).toEqual({ subject: 'a', body: 'x' })
  expect(messageOf('sms', { subject: '', body: 'x' })).toEqual({ body: 'x' })
  expect(messageOf('whatsapp', { subject: '', body: '' })).toEqual({})
})
