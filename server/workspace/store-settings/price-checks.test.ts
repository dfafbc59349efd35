import { expect, test } from 'vitest'
import type { StoreProfile } from '../../platforms/platform/platform.ts'
import type { PluginRow } from '../../access/plugin/plugin.ts'
import { priceChecks } from './price-checks.ts'

// Prices with and without tax of a store that is connected with keys alone (cases-R8).

const now = new Date('2026-11-01T10:00:00Z')

function check(pricesIncludeTax: boolean | null, showsTax: boolean | null, plugin: Partial<PluginRow> | null = null) {
  const pricing = { pricesIncludeTax, showsTax, decimals: 2, isSequential: false }
  const asked = { kind: 'answered', profile: { pricing } as StoreProfile, hooks: null } as const
  return priceChecks({ asked, plugin: plugin as PluginRow | null, now })
}

test.each([
  [true, true],
  [false, false],
])('says nothing where the shop shows prices as they are entered (with tax: %s)', (pricesIncludeTax, showsTax) => {
  expect(check(pricesIncludeTax, showsTax)).toEqual([])
})

test.each([
  [false, true, 'enters prices without tax and shows them with tax'],
  [true, false, 'enters prices with tax and shows them without tax'],
])('says which prices messages show where they differ (entered with tax: %s)', (pricesIncludeTax, showsTax, settings) => {
  const [[id, , said]] = check(pricesIncludeTax, showsTax) as [ReturnType<typeof check>[number]]
  expect(id).toBe('prices')
  expect(said.state).toBe('quiet')
  expect(said.finding).toContain(settings)
  expect(said.finding).toContain('messages show the prices of your product pages')
})

test('says so where the key cannot read the tax settings', () => {
  const [[, , said]] = check(true, null) as [ReturnType<typeof check>[number]]
  expect(said).toMatchObject({ state: 'quiet', finding: expect.stringContaining('cannot read the tax settings') })
})

test('says nothing while the plugin calls, which reports prices as the shop shows them', () => {
  expect(check(false, true, { called_at: now, connected_at: now, ended_at: null })).toEqual([])
})
