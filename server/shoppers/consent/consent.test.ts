import { describe, expect, test } from 'vitest'
import {
  type ConsentInputs,
  type ConsentOverride,
  consentFinding,
  type LedgerWord,
  mayOverride,
  recipientCountry,
  ruleInForce,
  textLimits,
  textProblem,
} from './consent.ts'

// The cells of the table have tests of their own (consent-table.test.ts).

const us = { baseCountry: 'US', sellingCountries: ['US'] }
const nobody = { country: null, phone: null }
const noPhone = () => null

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

describe('what a decision rests on (C5)', () => {
  const word = (evidence: LedgerWord['evidence']): LedgerWord => ({
    ...{ evidence, id: `row-${evidence}`, source: 'checkout', at: '2026-03-01T00:00:00.000Z' },
  })
  const ask = (changes: Partial<ConsentInputs>) =>
    consentFinding({
      ...{ channel: 'email' as const, country: 'DE', word: null, hasBoughtBefore: false, overrides: [] },
      ...changes,
    })

  test('a person’s own word, by its row, yes or no', () => {
    for (const evidence of ['express_yes', 'confirmed', 'withdrawn', 'pending'] as const) {
      expect(ask({ word: word(evidence) }).basis).toMatchObject({ kind: 'ledger', id: `row-${evidence}` })
    }
  })

  test('without one the rule, by its name, whether it lets pass or not', () => {
    expect(ask({ country: 'US' })).toMatchObject({ problem: null, basis: { kind: 'rule', rule: 'opt_out' } })
    expect(ask({ hasBoughtBefore: true })).toMatchObject({
      problem: null,
      evidence: 'bought_before',
      basis: { kind: 'rule', rule: 'soft_opt_in' },
    })
    expect(ask({})).toMatchObject({ problem: 'no_consent', basis: { kind: 'rule', rule: 'soft_opt_in' } })
  })

  describe('where an owner relaxed the rule (C6)', () => {
    const overridden = (changes: Partial<ConsentOverride> = {}): ConsentOverride => ({
      ...{ id: 'mine', channel: 'email', country: 'DE', from: 'soft_opt_in', to: 'opt_out' },
      ...changes,
    })
    const withOne = (changes: Partial<ConsentOverride>, more: Partial<ConsentInputs> = {}) =>
      ask({ overrides: [overridden(changes)], ...more })

    test('it is the override that is named, and only where the rule itself would have refused', () => {
      expect(withOne({})).toMatchObject({
        problem: null,
        rule: 'soft_opt_in',
        basis: { kind: 'override', id: 'mine', rule: 'opt_out' },
      })
      expect(withOne({}, { word: word('express_yes') }).basis.kind).toBe('ledger')
      expect(withOne({}, { hasBoughtBefore: true }).basis.kind).toBe('rule')
    })

    test('a withdrawal beats it', () => {
      expect(withOne({}, { word: word('withdrawn') }).problem).toBe('consent_withdrawn')
    })

    test('it holds for its channel, its country and the rule it was given for, and nothing else', () => {
      for (const other of [{ channel: 'sms' as const }, { country: 'FR' }, { from: 'opt_in' as const }]) {
        expect(withOne(other).problem, JSON.stringify(other)).toBe('no_consent')
      }
      expect(withOne({ country: '*' }).problem).toBeNull()
      expect(withOne({ country: '*' }, { country: null }).problem).toBe('no_consent')
      expect(withOne({ country: '*', from: 'opt_in' }, { country: null }).problem).toBeNull()
    })

    test('SMS and WhatsApp are never relaxed below an express yes, whatever stands in the database', () => {
      const sms = { channel: 'sms' as const, from: 'confirmed_opt_in' as const }
      expect(withOne({ ...sms, to: 'soft_opt_in' }, { channel: 'sms', hasBoughtBefore: true }).problem).toBe(
        'no_consent',
      )
      expect(withOne({ ...sms, to: 'opt_in' }, { channel: 'sms', word: word('express_yes') }).problem).toBeNull()
      expect(withOne({ ...sms, to: 'opt_in' }, { channel: 'sms' }).problem).toBe('no_consent')
      expect([mayOverride('sms', 'confirmed_opt_in', 'opt_in'), mayOverride('sms', 'opt_in', 'soft_opt_in')]).toEqual([
        true,
        false,
      ])
      expect([mayOverride('whatsapp', 'opt_in', 'opt_out'), mayOverride('push', 'opt_in', 'opt_out')]).toEqual([
        false,
        false,
      ])
      expect([mayOverride('email', 'soft_opt_in', 'opt_out'), mayOverride('email', 'opt_out', 'opt_in')]).toEqual([
        true,
        false,
      ])
    })

    test('what is asked of a person from now on follows it', () => {
      const overrides = [overridden({ channel: 'sms', from: 'confirmed_opt_in', to: 'opt_in' })]
      expect(ruleInForce({ channel: 'sms', country: 'DE', overrides })).toBe('opt_in')
      expect(ruleInForce({ channel: 'sms', country: 'AT', overrides })).toBe('confirmed_opt_in')
    })
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
