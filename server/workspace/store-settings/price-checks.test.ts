import { expect, test } from 'vitest'
import type { PluginRow } from '../../access/plugin/plugin-sql.ts'
import type { StoreProfile } from '../../platforms/platform/platform.ts'
import { buildPriceChecks } from './price-checks.ts'

// Prices with and without tax for a store connected by keys alone.

const now = new Date('2026-11-01T10:00:00Z')

function check(pricesIncludeTax: boolean | null, showsTax: boolean | null, plugin: Partial<PluginRow> | null = null) {
  const pricing = { pricesIncludeTax, showsTax, decimals: 2, isSequential: false }
  const storeAnswer = { kind: 'answered', profile: { pricing } as StoreProfile, hooks: null } as const
  return buildPriceChecks({ storeAnswer, plugin: plugin as PluginRow | null, now })
}

test.each([
  [true, true],
  [false, false],
])('the doctor is silent if the shop shows prices as entered (with tax: %s)', (pricesIncludeTax, showsTax) => {
  expect(check(pricesIncludeTax, showsTax)).toEqual([])
})

test.each([
  [false, true, 'enters prices without tax and shows them with tax'],
  [true, false, 'enters prices with tax and shows them without tax'],
])('the doctor explains which prices messages show if they differ (entered with tax: %s)', (pricesIncludeTax, showsTax, settings) => {
  const [[id, , result]] = check(pricesIncludeTax, showsTax) as [ReturnType<typeof check>[number]]
  expect(id).toBe('prices')
  expect(result.state).toBe('quiet')
  expect(result.finding).toContain(settings)
  expect(result.finding).toContain('messages show product page prices')
})

test('the doctor reports that the key cannot read the tax settings', () => {
  const [[, , result]] = check(true, null) as [ReturnType<typeof check>[number]]
  expect(result).toMatchObject({ state: 'quiet', finding: expect.stringContaining('cannot read the tax settings') })
})

test('the doctor is silent while the plugin reports prices as the shop shows them', () => {
  expect(check(false, true, { called_at: now, connected_at: now, ended_at: null })).toEqual([])
})
