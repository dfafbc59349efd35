import { expect, test } from 'vitest'
import { type ChannelFacts, choosePageLocale, computeChanges, computeChannelState, detectLanguage } from './rules.ts'

const facts = (changed: Partial<ChannelFacts> = {}): ChannelFacts => ({
  channel: 'email',
  ledger: null,
  suppressed: [],
  ...changed,
})

test('email is on by default and texts are off, because unknown is not an opt-in (C5)', () => {
  expect(computeChannelState(facts()).isOn).toBe(true)
  expect(computeChannelState(facts({ channel: 'sms' })).isOn).toBe(false)
  expect(computeChannelState(facts({ channel: 'sms', ledger: 'express_yes' })).isOn).toBe(true)
  expect(computeChannelState(facts({ ledger: 'withdrawn' })).isOn).toBe(false)
  expect(computeChannelState(facts({ channel: 'sms', ledger: 'pending' }))).toMatchObject({
    isOn: true,
    isPending: true,
  })
})

test.each([
  ['unsubscribed', null],
  ['complaint', 'complaint'],
  ['hard_bounce', 'undeliverable'],
  ['invalid', 'undeliverable'],
  ['manual', 'shop'],
  ['erased', 'shop'],
] as const)('an address suppressed as %s is off, and locked: %s', (reason, lock) => {
  expect(computeChannelState(facts({ ledger: 'express_yes', suppressed: [reason] }))).toEqual({
    channel: 'email',
    isOn: false,
    isPending: false,
    lock,
  })
  const { on } = computeChanges([facts({ suppressed: [reason] })], { channels: { email: true }, isStopAll: false })
  expect(on).toEqual(lock ? [] : ['email'])
})

test('an untouched box writes nothing and does not count as consent', () => {
  const choice = { channels: { email: true, sms: false }, isStopAll: false }
  expect(computeChanges([facts(), facts({ channel: 'sms' })], choice)).toEqual({ on: [], off: [] })
  expect(computeChanges([facts()], { channels: {}, isStopAll: false })).toEqual({ on: [], off: [] })
})

test('stopping everything also withdraws channels off by default and overrides the boxes', () => {
  const all = [facts(), facts({ channel: 'sms' }), facts({ channel: 'whatsapp', ledger: 'withdrawn' })]
  const choice = { channels: { email: true, whatsapp: true }, isStopAll: true }
  expect(computeChanges(all, choice)).toEqual({ on: [], off: ['email', 'sms'] })
})

test.each([
  [undefined, 'en'],
  ['de-DE,de;q=0.9,en;q=0.8', 'de'],
  ['en-GB,de;q=0.9', 'en'],
  ['sv-SE, de;q=0.5, en;q=0.7', 'en'],
  ['sv, DE-at;q=0.3', 'de'],
  ['fr-FR, de;q=0.5, en;q=0.7', 'fr'],
  ['pl', 'pl'],
  ['de;q=0, en;q=0.1', 'en'],
  ['tlh', 'en'],
  [';;,q=', 'en'],
] as const)('a browser that asks for %s reads %s', (header, language) => {
  expect(detectLanguage(header)).toBe(language)
})

test.each([
  ['their own choice', { language: 'fr', locale: 'de-AT', country: 'AT', store: 'it-IT' }, 'pl', 'fr'],
  ['the shop’s pages', { language: null, locale: 'de-AT', country: null, store: 'it-IT' }, 'pl', 'de-AT'],
  ['the browser', { language: null, locale: 'sv-SE', country: 'AT', store: 'it-IT' }, 'de', 'de'],
  ['the shop', { language: null, locale: null, country: 'AT', store: 'it-IT' }, 'tlh', 'it-IT'],
  ['English', { language: null, locale: null, country: null, store: 'sv-SE' }, undefined, 'en-US'],
] as const)('the locale of a shopper’s page: %s', (_case, sources, accepted, locale) => {
  expect(choosePageLocale(sources, accepted)).toBe(locale)
})
