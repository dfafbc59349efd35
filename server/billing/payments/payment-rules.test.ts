import fc from 'fast-check'
import { expect, it } from 'vitest'
import { buildPayment, findFirstPayments } from './payment-rules.ts'
import type { StripeIntent, StripeInvoice } from './stripe-schemas.ts'

const CREATED = 1_772_445_600

const invoice = (overrides: Partial<StripeInvoice> = {}): StripeInvoice => ({
  id: 'in_1',
  status: 'paid',
  created: CREATED,
  number: 'A-1',
  currency: 'usd',
  amount_due: 1_900,
  amount_paid: 1_900,
  billing_reason: 'subscription_cycle',
  description: null,
  next_payment_attempt: null,
  parent: null,
  lines: [{ description: '1 × Recoup Starter (at $19.00 / month)' }],
  hosted_invoice_url: 'https://invoice.stripe.com/i/1',
  status_transitions: { finalized_at: CREATED, paid_at: CREATED },
  ...overrides,
})
const intent = (overrides: { refunded?: number; error?: string | null }): StripeIntent => ({
  id: 'pi_1',
  status: 'succeeded',
  currency: 'usd',
  amount_received: 0,
  metadata: {},
  last_payment_error: overrides.error === undefined ? null : { message: overrides.error },
  latest_charge:
    overrides.refunded === undefined ? null : { id: 'ch_1', amount_refunded: overrides.refunded, disputed: false },
})
const declined = intent({ error: 'Your card was declined.' })

it.each([
  ['paid', {}, [intent({ refunded: 0 })], 'succeeded', 0],
  ['paid outside Stripe', {}, [], 'succeeded', 0],
  ['partly refunded', {}, [intent({ refunded: 900 })], 'succeeded', 900],
  ['refunded', {}, [intent({ refunded: 1_900 })], 'refunded', 1_900],
  ['refunded from two payments', {}, [intent({ refunded: 1_000 }), intent({ refunded: 900 })], 'refunded', 1_900],
  ['open', { status: 'open', amount_paid: 0 }, [intent({})], 'pending', 0],
  ['open and declined', { status: 'open', amount_paid: 0 }, [declined], 'failed', 0],
  ['written off', { status: 'uncollectible', amount_paid: 0 }, [], 'failed', 0],
  ['void', { status: 'void', amount_paid: 0 }, [intent({})], 'canceled', 0],
  ['voided after a decline', { status: 'void', amount_paid: 0 }, [declined], 'failed', 0],
])('%s', (_, overrides, intents, status, refundMinor) => {
  expect(buildPayment(invoice(overrides), intents)).toMatchObject({
    status,
    refundMinor,
    amountMinor: 1_900,
    currency: 'USD',
  })
})

it.each([
  ['a draft', { status: 'draft' }],
  ['an invoice without a state', { status: null }],
  ['an invoice of a trial over nothing', { amount_due: 0, amount_paid: 0 }],
  ['an invoice paid by the balance', { amount_due: 0, amount_paid: 0 }],
  ['an invoice without a currency', { currency: '' }],
])('is no payment: %s', (_, overrides) => {
  expect(buildPayment(invoice(overrides), [])).toBeNull()
})

it('has the bank’s reason if it failed, and only then', () => {
  const open = { status: 'open' as const, amount_paid: 0 }
  expect(buildPayment(invoice(open), [declined])!.failureReason).toBe('Your card was declined.')
  expect(buildPayment(invoice(open), [intent({ error: null })])!.failureReason).toBe('The payment did not go through.')
  expect(buildPayment(invoice(open), [intent({ error: 'x'.repeat(900) })])!.failureReason).toHaveLength(200)
  expect(buildPayment(invoice(), [declined])!.failureReason).toBeNull()
  expect(buildPayment(invoice({ ...open, status: 'void' }), [declined])!.failureReason).toBe(
    'Your card was declined. You owe nothing for it.',
  )
})

it('is described by its only line, else by its reason', () => {
  const describe = (overrides: Partial<StripeInvoice>) => buildPayment(invoice(overrides), [])!.description
  const two = [{ description: 'Unused time' }, { description: 'Remaining time' }]
  expect(describe({})).toBe('1 × Recoup Starter (at $19.00 / month)')
  expect(describe({ lines: two, billing_reason: 'subscription_update' })).toBe('Change of the plan')
  expect(describe({ lines: two, billing_reason: 'constructor' })).toBe('Invoice')
  expect(describe({ description: ' White label ' })).toBe('White label')
  expect(describe({ description: 'White\u0000\nlabel \ud800' })).toBe('White label \ufffd')
})

it('the first payment after a trial does not count as a renewal, because nothing was paid before', () => {
  const lines = [{ description: 'Starter' }, { description: 'Extra store' }]
  const of = (subscription: string) => ({ subscription_details: { subscription } })
  const trial = invoice({ id: 'in_0', lines, amount_due: 0, amount_paid: 0, parent: of('sub_1'), created: CREATED })
  const first = invoice({ id: 'in_1', lines, parent: of('sub_1'), created: CREATED + 14 })
  const next = invoice({ id: 'in_2', lines, parent: of('sub_1'), created: CREATED + 44 })
  const other = invoice({ id: 'in_3', lines, parent: null, created: CREATED - 9 })
  const all = findFirstPayments([next, other, first, trial])
  expect([...all]).toEqual(['in_1'])
  const describe = [first, next].map((one) => buildPayment(one, [], all.has(one.id))!.description)
  expect(describe).toEqual(['First payment of the subscription', 'Renewal of the subscription'])
})

it.each([
  'javascript:alert(1)',
  'http://invoice.example/1',
  'data:text/html,hi',
  '/relative',
  `https://x.example/${'a'.repeat(2_000)}`,
])('does not link to such a URL: %s', (url) => {
  expect(buildPayment(invoice({ hosted_invoice_url: url }), [])!.invoiceUrl).toBeNull()
})

it('never refunds more than was paid, and is refunded only when all of it is', () => {
  const status = fc.constantFrom('paid', 'open', 'void', 'uncollectible')
  fc.assert(
    fc.property(status, fc.nat(5_000), fc.array(fc.nat(3_000), { maxLength: 3 }), (of, amount, refunds) => {
      const overrides = { status: of, amount_due: amount, amount_paid: of === 'paid' ? amount : 0 }
      const payment = buildPayment(
        invoice(overrides),
        refunds.map((refunded) => intent({ refunded })),
      )
      expect(payment === null).toBe(amount === 0)
      if (!payment) return
      expect(payment.refundMinor).toBeLessThanOrEqual(payment.amountMinor)
      if (of === 'paid') expect(payment.status === 'refunded').toBe(payment.refundMinor === payment.amountMinor)
    }),
  )
})
