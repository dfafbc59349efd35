import { describe, expect, test } from 'vitest'
import { type ConsentRule, consentProblem, consentRule, recipientCountry, textLimits, textProblem } from './consent.ts'

const us = { baseCountry: 'US', sellingCountries: ['US'] }
const nobody = { country: null, phone: null }
const noPhone = () => null

describe('which rule a country has (C6)', () => {
  test('email: opt-out in the US, opt-in with soft opt-in in the EU, the UK, Canada and Australia', () => {
    expect(consentRule('email', 'US')).toBe('opt_out')
    for (const country of ['DE', 'FR', 'IE', 'HR', 'GB', 'CA', 'AU']) {
      expect(consentRule('email', country), country).toBe('soft_opt_in')
    }
  })

  test('what is not listed, and a country nobody knows, are the strictest', () => {
    for (const country of [null, 'BR', 'ZZ', 'us', '']) expect(consentRule('email', country)).toBe('opt_in')
  })

  test('SMS, WhatsApp and push always need an express opt-in', () => {
    for (const channel of ['sms', 'whatsapp', 'push'] as const) expect(consentRule(channel, 'US')).toBe('opt_in')
  })
})

describe('where the recipient is (C6)', () => {
  const german = { country: 'DE', phone: '+15550123456' }
  test('the address first, then the phone, then the store; the finding names its source', () => {
    expect(recipientCountry('email', german, us, () => 'US')).toEqual({ country: 'DE', source: 'address' })
    const byPhone = { country: null, phone: '+49301234567' }
    expect(recipientCountry('email', byPhone, us, () => 'DE')).toEqual({ country: 'DE', source: 'phone' })
    expect(recipientCountry('email', byPhone, us, noPhone)).toEqual({ country: 'US', source: 'store' })
    expect(recipientCountry('email', nobody, us, noPhone)).toEqual({ country: 'US', source: 'store' })
  })

  test('the store’s country counts only if all it sells to has one rule', () => {
    const store = (sellingCountries: string[] | null, baseCountry: string | null = 'US') =>
      recipientCountry('email', nobody, { baseCountry, sellingCountries }, noPhone)
    const unknown = { country: null, source: 'unknown' }
    expect(store(['US', 'CA'])).toEqual(unknown)
    expect(store(['DE', 'FR', 'GB'], 'DE')).toEqual({ country: 'DE', source: 'store' })
    expect(store(['DE'], 'US')).toEqual(unknown)
    expect(store([])).toEqual(unknown)
    expect(store(null)).toEqual(unknown)
    expect(store(['US'], null)).toEqual(unknown)
  })
})

describe('who may be written to (C5)', () => {
  const ask = (rule: ConsentRule, ledger: 'granted' | 'withdrawn' | null, hasBoughtBefore = false) =>
    consentProblem({ rule, ledger, hasBoughtBefore })

  test('a withdrawal beats every rule, also for somebody who bought before', () => {
    for (const rule of ['opt_out', 'soft_opt_in', 'opt_in'] as const) {
      expect(ask(rule, 'withdrawn', true)).toBe('consent_withdrawn')
    }
  })

  test('without a word: yes where the rule is opt-out, buyers where it is soft, nobody where it is opt-in', () => {
    expect([ask('opt_out', null), ask('opt_in', null), ask('opt_in', null, true)]).toEqual([
      null,
      'no_consent',
      'no_consent',
    ])
    expect([ask('soft_opt_in', null), ask('soft_opt_in', null, true)]).toEqual(['no_consent', null])
  })

  test('a yes is a yes everywhere', () => {
    for (const rule of ['opt_out', 'soft_opt_in', 'opt_in'] as const) expect(ask(rule, 'granted')).toBeNull()
  })
})

describe('what a country asks of a text beyond consent (C6)', () => {
  const facts = { sentForCart: 0, sinceActivityMs: 3_600_000, isMarketing: true }
  const hours = (count: number) => count * 3_600_000
  const problem = (
    channel: 'sms' | 'whatsapp',
    country: string | null,
    phone: string,
    more: Partial<typeof facts> = {},
  ) => textProblem(textLimits(channel, [country], phone), { ...facts, ...more })

  test('an SMS to the US: once per cart, within 48 hours; elsewhere neither', () => {
    expect(problem('sms', 'US', '+12125550123')).toBeNull()
    expect(problem('sms', 'US', '+12125550123', { sentForCart: 1 })).toBe('sms_once_per_cart')
    expect(problem('sms', 'US', '+12125550123', { sinceActivityMs: hours(48) })).toBeNull()
    expect(problem('sms', 'US', '+12125550123', { sinceActivityMs: hours(48) + 1 })).toBe('sms_too_late')
    expect(problem('sms', 'DE', '+49301234567', { sentForCart: 3, sinceActivityMs: hours(500) })).toBeNull()
  })

  test('an American number with an address elsewhere, and the other way round, are held to the stricter', () => {
    for (const countries of [
      ['DE', 'US'],
      ['US', 'DE'],
    ]) {
      expect(textProblem(textLimits('sms', countries, '+12125550123'), { ...facts, sentForCart: 1 })).toBe(
        'sms_once_per_cart',
      )
    }
  })

  test('WhatsApp: marketing to +1 is refused, what is none is not, and other numbers get both', () => {
    expect(problem('whatsapp', 'US', '+12125550123')).toBe('whatsapp_marketing_refused')
    expect(problem('whatsapp', 'CA', '+14165550123')).toBe('whatsapp_marketing_refused')
    expect(problem('whatsapp', 'US', '+12125550123', { isMarketing: false })).toBeNull()
    expect(problem('whatsapp', 'US', '+49301234567')).toBeNull()
  })
})
