import { expect, test } from 'vitest'
import type { ConsentOverrideView, ConsentTable } from '../../../shared/shoppers/consent.ts'
import { allCountries, findCountries, findOverrides, groupCountries, listCountryChoices } from './country-groups.ts'

const strict = { email: 'opt_in', sms: 'confirmed_opt_in', whatsapp: 'opt_in' } as const
const european = { email: 'soft_opt_in', sms: 'opt_in', whatsapp: 'opt_in' } as const
const buildOverride = (changes: Partial<ConsentOverrideView>): ConsentOverrideView => ({
  id: 'x',
  channel: 'email',
  country: 'FR',
  from: 'soft_opt_in',
  to: 'opt_out',
  legalGround: 'A law that says so',
  createdAt: '2026-03-01T00:00:00Z',
  createdBy: 'Olive',
  endedAt: null,
  endedBy: null,
  ...changes,
})
const table = (overrides: ConsentOverrideView[] = []): ConsentTable => ({
  rules: [],
  countries: [
    { country: 'US', rules: { email: 'opt_out', sms: 'opt_in', whatsapp: 'opt_in' } },
    { country: 'FR', rules: european },
    { country: 'BE', rules: european },
    { country: 'CH', rules: european },
  ],
  elsewhere: strict,
  alsoAsked: [{ channel: 'sms', countries: ['US', 'CH'], sentence: 'One per cart.' }],
  overridable: [],
  overrides,
  smsConfirmation: 'where_required',
})

test('groups countries with the same rules and conditions, the rest of the world last', () => {
  expect(groupCountries(table(), null).map(({ countries }) => countries)).toEqual([['CH'], ['US'], ['BE', 'FR'], []])
})

test('finds any country by part of its name or by its code, listed or not', () => {
  expect(findCountries('  german ')).toEqual(['DE'])
  expect(findCountries('de')).toContain('DE')
  expect(findCountries('')).toEqual([])
  expect(findCountries('Atlantis')).toEqual([])
  const [brazil] = groupCountries(table(), findCountries('Brazil'))
  expect(brazil).toMatchObject({ countries: ['BR'], rules: strict })
})

test('lists every country and no other value', () => {
  expect(allCountries.length).toBeGreaterThan(240)
  expect(allCountries.filter(({ code, name }) => code === name || ['EU', 'UN', 'ZZ', 'UK'].includes(code))).toEqual([])
  expect(allCountries).toContainEqual({ code: 'DE', name: 'Germany' })
})

test('shows an override exactly where it applies', () => {
  const [swiss, us, french, rest] = groupCountries(table(), null)
  const on = (group: typeof us, override: Partial<ConsentOverrideView>) =>
    findOverrides(table([buildOverride(override)]), group!, override.channel ?? 'email').length === 1
  expect([on(french, {}), on(swiss, {}), on(us, {}), on(rest, {})]).toEqual([true, false, false, false])
  expect([on(french, { country: '*' }), on(swiss, { country: '*' }), on(us, { country: '*' })]).toEqual([
    true,
    true,
    false,
  ])
  expect(on(french, { endedAt: '2026-03-02T00:00:00Z' })).toBe(false)
  expect(on(rest, { country: 'BR', from: 'opt_in' })).toBe(true)
})

test('allows an override in the rest of the world for any ungrouped country', () => {
  const codes = listCountryChoices(table(), groupCountries(table(), null).at(-1)!).map(({ code }) => code)
  expect([codes.includes('BR'), codes.includes('US')]).toEqual([true, false])
})
