import { describe, expect, test } from 'vitest'
import {
  type ConsentInputs,
  type ConsentOverride,
  canOverride,
  decideConsent,
  findRecipientCountry,
  findRuleInForce,
  findTextLimits,
  findTextProblem,
  type LedgerEvidence,
} from './consent.ts'

// The cells of the table are tested in consent-table.test.ts.

const us = { baseCountry: 'US', sellingCountries: ['US'] }
const anonymous = { country: null, phone: null }
const noPhone = () => null

describe('the recipient’s country (C6)', () => {
  const german = { country: 'DE', phone: '+15550123456' }
  test('comes from the address, then the phone, then the store, and the finding names its source', () => {
    expect(findRecipientCountry('email', german, us, () => 'US')).toEqual({ country: 'DE', source: 'address' })
    const byPhone = { country: null, phone: '+49301234567' }
    expect(findRecipientCountry('email', byPhone, us, () => 'DE')).toEqual({ country: 'DE', source: 'phone' })
    expect(findRecipientCountry('email', byPhone, us, noPhone)).toEqual({ country: 'US', source: 'store' })
    expect(findRecipientCountry('email', anonymous, us, noPhone)).toEqual({ country: 'US', source: 'store' })
  })

  test('comes from the store only if all its selling countries have one rule', () => {
    const store = (sellingCountries: string[] | null, baseCountry: string | null = 'US') =>
      findRecipientCountry('email', anonymous, { baseCountry, sellingCountries }, noPhone)
    const unknown = { country: null, source: 'unknown' }
    expect(store(['US', 'CA'])).toEqual(unknown)
    expect(store(['DE', 'FR', 'GB'], 'DE')).toEqual({ country: 'DE', source: 'store' })
    expect(store(['DE'], 'US')).toEqual(unknown)
    expect(store([])).toEqual(unknown)
    expect(store(null)).toEqual(unknown)
    expect(store(['US'], null)).toEqual(unknown)
  })
})

describe('the basis of a decision (C5)', () => {
  const word = (evidence: LedgerEvidence['evidence']): LedgerEvidence => ({
    evidence,
    id: `row-${evidence}`,
    source: 'checkout',
    at: '2026-03-01T00:00:00.000Z',
  })
  const ask = (changes: Partial<ConsentInputs>) =>
    decideConsent({
      channel: 'email' as const,
      country: 'DE',
      word: null,
      hasBoughtBefore: false,
      overrides: [],
      ...changes,
    })

  test('is the person’s own evidence with its row, positive or negative', () => {
    for (const evidence of ['express_yes', 'confirmed', 'withdrawn', 'pending'] as const) {
      expect(ask({ word: word(evidence) }).basis).toMatchObject({ kind: 'ledger', id: `row-${evidence}` })
    }
  })

  test('is the rule by name without own evidence, regardless of the result', () => {
    expect(ask({ country: 'US' })).toMatchObject({ problem: null, basis: { kind: 'rule', rule: 'opt_out' } })
    expect(ask({ hasBoughtBefore: true })).toMatchObject({
      problem: null,
      evidence: 'bought_before',
      basis: { kind: 'rule', rule: 'soft_opt_in' },
    })
    expect(ask({})).toMatchObject({ problem: 'no_consent', basis: { kind: 'rule', rule: 'soft_opt_in' } })
  })

  describe('with an owner’s override (C6)', () => {
    const overridden = (changes: Partial<ConsentOverride> = {}): ConsentOverride => ({
      id: 'mine',
      channel: 'email',
      country: 'DE',
      from: 'soft_opt_in',
      to: 'opt_out',
      ...changes,
    })
    const withOne = (changes: Partial<ConsentOverride>, more: Partial<ConsentInputs> = {}) =>
      ask({ overrides: [overridden(changes)], ...more })

    test('is the override only if the rule would have refused', () => {
      expect(withOne({})).toMatchObject({
        problem: null,
        rule: 'soft_opt_in',
        basis: { kind: 'override', id: 'mine', rule: 'opt_out' },
      })
      expect(withOne({}, { word: word('express_yes') }).basis.kind).toBe('ledger')
      expect(withOne({}, { hasBoughtBefore: true }).basis.kind).toBe('rule')
    })

    test('is a withdrawal, which beats the override', () => {
      expect(withOne({}, { word: word('withdrawn') }).problem).toBe('consent_withdrawn')
    })

    test('is the override only for its channel, its country and its rule', () => {
      for (const other of [{ channel: 'sms' as const }, { country: 'FR' }, { from: 'opt_in' as const }]) {
        expect(withOne(other).problem, JSON.stringify(other)).toBe('no_consent')
      }
      expect(withOne({ country: '*' }).problem).toBeNull()
      expect(withOne({ country: '*' }, { country: null }).problem).toBe('no_consent')
      expect(withOne({ country: '*', from: 'opt_in' }, { country: null }).problem).toBeNull()
    })

    test('is never an override of SMS or WhatsApp below a consent, even if the database has one', () => {
      const sms = { channel: 'sms' as const, from: 'confirmed_opt_in' as const }
      expect(withOne({ ...sms, to: 'soft_opt_in' }, { channel: 'sms', hasBoughtBefore: true }).problem).toBe(
        'no_consent',
      )
      expect(withOne({ ...sms, to: 'opt_in' }, { channel: 'sms', word: word('express_yes') }).problem).toBeNull()
      expect(withOne({ ...sms, to: 'opt_in' }, { channel: 'sms' }).problem).toBe('no_consent')
      expect([canOverride('sms', 'confirmed_opt_in', 'opt_in'), canOverride('sms', 'opt_in', 'soft_opt_in')]).toEqual([
        true,
        false,
      ])
      expect([canOverride('whatsapp', 'opt_in', 'opt_out'), canOverride('push', 'opt_in', 'opt_out')]).toEqual([
        false,
        false,
      ])
      expect([canOverride('email', 'soft_opt_in', 'opt_out'), canOverride('email', 'opt_out', 'opt_in')]).toEqual([
        true,
        false,
      ])
    })

    test('the override applies to new confirmations', () => {
      const overrides = [overridden({ channel: 'sms', from: 'confirmed_opt_in', to: 'opt_in' })]
      expect(findRuleInForce({ channel: 'sms', country: 'DE', overrides })).toBe('opt_in')
      expect(findRuleInForce({ channel: 'sms', country: 'AT', overrides })).toBe('confirmed_opt_in')
    })
  })
})

describe('limits of texts beyond consent (C6)', () => {
  const facts = { sentForCart: 0, sinceActivityMs: 3_600_000, isMarketing: true }
  const hours = (count: number) => count * 3_600_000
  const problem = (
    channel: 'sms' | 'whatsapp',
    country: string | null,
    phone: string,
    more: Partial<typeof facts> = {},
  ) => findTextProblem(findTextLimits(channel, [country], phone), { ...facts, ...more })

  test('allow an SMS to the US once per cart within 48 hours, and set no limit elsewhere', () => {
    expect(problem('sms', 'US', '+12125550123')).toBeNull()
    expect(problem('sms', 'US', '+12125550123', { sentForCart: 1 })).toBe('sms_once_per_cart')
    expect(problem('sms', 'US', '+12125550123', { sinceActivityMs: hours(48) })).toBeNull()
    expect(problem('sms', 'US', '+12125550123', { sinceActivityMs: hours(48) + 1 })).toBe('sms_too_late')
    expect(problem('sms', 'DE', '+49301234567', { sentForCart: 3, sinceActivityMs: hours(500) })).toBeNull()
  })

  test('are the stricter ones if number and address are of different countries', () => {
    for (const countries of [
      ['DE', 'US'],
      ['US', 'DE'],
    ]) {
      expect(findTextProblem(findTextLimits('sms', countries, '+12125550123'), { ...facts, sentForCart: 1 })).toBe(
        'sms_once_per_cart',
      )
    }
  })

  test('forbid WhatsApp marketing to +1 only', () => {
    expect(problem('whatsapp', 'US', '+12125550123')).toBe('whatsapp_marketing_refused')
    expect(problem('whatsapp', 'CA', '+14165550123')).toBe('whatsapp_marketing_refused')
    expect(problem('whatsapp', 'US', '+12125550123', { isMarketing: false })).toBeNull()
    expect(problem('whatsapp', 'US', '+49301234567')).toBeNull()
  })
})
