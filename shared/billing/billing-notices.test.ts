import { expect, it } from 'vitest'
import { type BillingNotices, billingNoticeTexts } from './billing-notices.ts'

const AT = new Date('2026-03-10T12:00:00Z')
const buildFailed = (changes: Partial<BillingNotices['payment_failed']>) =>
  billingNoticeTexts.payment_failed(
    { amount: 1_900, currency: 'USD', reason: null, nextTry: null, holdsAt: '2026-03-12T12:00:00Z', ...changes },
    AT,
  )

it('the text contains the date from which messages are held for a payment, until they are held', () => {
  expect(buildFailed({}).message).toBe(
    'Messages are sent until March 12, 2026. After that they wait until it is paid. Check your card under Billing.',
  )
  expect(buildFailed({ holdsAt: '1970-01-08T00:00:00Z' }).message).toBe(
    'Messages wait until it is paid. Check your card under Billing.',
  )
})

it('the text omits an unknown amount, and uses the decimals of the currency', () => {
  expect(buildFailed({ amount: null }).title).toBe('A payment has failed')
  expect(buildFailed({ currency: 'JPY' }).title).toBe('A payment of ¥1,900 has failed')
})

it("the text quotes the plan's price in its own cycle", () => {
  const price = { amount: 12_000, currency: 'USD', cycle: 'year' as const }
  const trial = { ...price, plan: 'growth' as const }
  expect(billingNoticeTexts.trial_ended({ ...trial, goesOn: true }, AT).message).toBe(
    'The plan continues and costs $120.00 a year, before discounts and tax.',
  )
  expect(billingNoticeTexts.trial_refused({ ...trial, by: 'email' }, AT).message).toMatch(
    /^The email address of an owner/,
  )
})
