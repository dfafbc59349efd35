import { expect, it } from 'vitest'
import { reasonTexts } from '../../../shared/delivery/reasons.ts'
import { findDecidedChannel, listChecks } from './checks.ts'

type Decision = Parameters<typeof listChecks>[0]

const inputs = {
  step: 1,
  channel: 'email',
  expires: '2026-07-02T10:00:00.000Z',
  country: 'DE',
  ordersReadAt: '2026-07-01T09:59:50.000Z',
  messagesInWindow: 1,
  messagesAllowed: 3,
  planUsed: 12,
  planLimit: 500,
  arm: null,
}

const buildDecision = (change: Partial<Decision>): Decision => ({
  at: '2026-07-01T10:00:00.000Z',
  outcome: 'send',
  reason: 'ok',
  explanation: 'The reason in words.',
  until: null,
  inputs,
  ...change,
})

it('lists every check of a sent message as passed, in the order of D2', () => {
  const lines = listChecks(buildDecision({}), 'email')
  expect(lines.every(({ result }) => result === 'passed')).toBe(true)
  expect(lines.map(({ text }) => text)).toEqual([
    'The store is connected, the flow is on, and sending is not paused.',
    'Sender and mail server are set up.',
    'The shopper has not bought, and the cart is not empty.',
    'No later message of the flow is due yet.',
    'The cart is abandoned, and no order is waiting for payment.',
    'The message has not expired.',
    'The shopper is not in the control group.',
    'The address is not on the suppression list.',
    'An email address is known.',
    'The consent rule of Germany allows this email.',
    'The store’s latest orders were just checked. None is from this shopper.',
    'At least one item in the cart is still for sale.',
    'The shopper has had 1 of 3 messages that the frequency cap allows.',
    'The message was rendered without errors.',
    'Your mail server and the receiving server are accepting email.',
    'The plan’s limit is not reached: 12 of 500 messages used this month.',
  ])
})

it('describes checks of a notification in terms of browsers', () => {
  const texts = listChecks(buildDecision({}), 'push').map(({ text }) => text)
  expect(texts).toContain('The shopper has not stopped notifications.')
  expect(texts).toContain('The shopper’s browser accepts notifications.')
  expect(texts).toContain('The shopper has allowed notifications in that browser.')
  expect(texts).toContain('It is outside quiet hours where the shopper lives.')
  expect(texts.join(' ')).not.toMatch(/number is|phone|country’s other rules/)
})

it('ends at the check that held or ended the message', () => {
  const held = listChecks(buildDecision({ outcome: 'hold', reason: 'store_unreachable:timeout' }), 'email')
  expect(held.at(-1)).toEqual({ result: 'held', text: 'The reason in words.' })
  expect(held.at(-2)?.text).toBe('The consent rule of Germany allows this email.')
  const ended = listChecks(buildDecision({ outcome: 'cancel', reason: 'purchased' }), 'email')
  expect(ended.map(({ result }) => result)).toEqual(['passed', 'passed', 'failed'])
})

it('shows nothing for a check that did not run', () => {
  const late = buildDecision({ outcome: 'skip', reason: 'too_old:no_contact', at: '2026-07-02T10:00:00.000Z' })
  expect(listChecks(late, 'email').map(({ text }) => text)).toEqual([
    'The store is connected.',
    'The shopper has not bought, and the cart is not empty.',
    'No later message of the flow is due yet.',
    'The reason in words.',
  ])
  const nameless = listChecks(buildDecision({ outcome: 'hold', reason: 'no_contact' }), 'email')
  expect(nameless.map(({ text }) => text)).not.toContain('The address is not on the suppression list.')
})

it('places the control group where the shopper was drawn (F1)', () => {
  const drawnNow = listChecks(buildDecision({ outcome: 'skip', reason: 'holdout' }), 'email')
  expect(drawnNow.at(-2)?.text).toBe('The consent rule of Germany allows this email.')
  const known = buildDecision({ outcome: 'skip', reason: 'holdout', inputs: { ...inputs, arm: 'control' } })
  expect(listChecks(known, 'email').at(-2)?.text).toBe('The message has not expired.')
})

it('shows SMS checks for SMS only', () => {
  const texts = listChecks(buildDecision({}), 'sms').map(({ text }) => text)
  expect(texts).toContain('It is outside quiet hours where the shopper lives.')
  expect(texts).toContain('A phone number is known.')
  expect(texts).not.toContain('Your mail server and the receiving server are accepting email.')
})

it('shows that a coupon is valid, or why the message is sent without it (decision 35)', () => {
  const withCoupon = (more: object) =>
    listChecks(buildDecision({ inputs: { ...inputs, coupon: 'CART10', ...more } }), 'email')
  const listTexts = (more: object) => withCoupon(more).map(({ text }) => text)
  expect(listTexts({ couponIncluded: true })).toContain('The coupon CART10 is valid for this message.')
  const without = listTexts({ couponIncluded: false, couponReason: 'coupon_invalid:min_spend' })
  expect(without).toContain(
    'The message is sent without the coupon CART10. The cart is below the coupon’s minimum spend.',
  )
  expect(without.indexOf('The message was rendered without errors.')).toBe(
    without.findIndex((text) => /CART10/.test(text)) + 1,
  )
  expect(listChecks(buildDecision({}), 'email').some(({ text }) => /coupon/i.test(text))).toBe(false)
})

it('shows no checks for an external cancellation or a late reply', () => {
  expect(listChecks(buildDecision({ outcome: 'cancel', reason: 'flow_removed', inputs: {} }), 'email')).toEqual([])
  expect(listChecks(buildDecision({ outcome: 'result', reason: 'accepted' }), 'email')).toEqual([])
})

it('assigns every reason of a decision to a check', () => {
  const decided = Object.keys(reasonTexts).filter((reason) => !afterwards.includes(reason.split(':')[0]!))
  for (const reason of decided) {
    const lines = listChecks(
      buildDecision({ outcome: 'hold', reason }),
      reason.startsWith('sms') ? 'sms' : textOnly(reason),
    )
    expect(lines.at(-1)?.result, reason).toBe('held')
  }
})

const textOnly = (reason: string) => (['cooldown', 'quiet_hours'].includes(reason) ? 'whatsapp' : 'email')

/** Reasons written elsewhere: by replies, members or the sending code. */
const afterwards = [
  'ok',
  'retry',
  'changed',
  'accepted',
  'rejected',
  'unknown',
  'bounced',
  'complaint',
  'opt_out',
  'delivered',
  'undelivered',
  'step_removed',
  'template_error',
  'cart_missing',
  'customer_missing',
]

it('describes the channel of the decision after the message changed its channel', () => {
  expect(findDecidedChannel(buildDecision({}), 'sms')).toBe('email')
  expect(findDecidedChannel(buildDecision({ inputs: {} }), 'sms')).toBe('sms')
})
