import type { Check } from '../../../shared/core/checks.ts'
import { isAlive, type PluginRow } from '../../access/plugin/public.ts'
import type { StoreProfile } from '../../platforms/platform/public.ts'

// The doctor's check of prices with and without tax. Pure.

interface PriceFindings {
  plugin: PluginRow | null
  now: Date
  /** The shop's live answer. */
  storeAnswer: { kind: 'answered'; profile: Pick<StoreProfile, 'pricing'> } | { kind: 'problem' }
}

type CheckResult = Pick<Check, 'state' | 'finding'> & Partial<Check>

/** The capture script reports no prices, so they come from the catalogue. Empty if the cart shows the same prices. */
export function buildPriceChecks({
  storeAnswer,
  plugin,
  now,
}: PriceFindings): [id: string, title: string, said: CheckResult][] {
  if (storeAnswer.kind === 'problem' || isAlive(plugin ?? undefined, now)) return []
  const { pricesIncludeTax, showsTax } = storeAnswer.profile.pricing
  if (pricesIncludeTax === null || showsTax === null) {
    const finding = 'The key cannot read the tax settings, so messages show prices as entered in the catalog.'
    const nextStep = 'Create the key for an administrator or a shop manager, or install the plugin.'
    return [['prices', 'Prices with tax', { state: 'quiet', finding, nextStep }]]
  }
  if (pricesIncludeTax === showsTax) return []
  const [entered, displayed] = pricesIncludeTax ? ['with', 'without'] : ['without', 'with']
  const finding = `Your shop enters prices ${entered} tax and shows them ${displayed} tax. For carts from the tracking script, messages show product page prices. The plugin reports cart prices.`
  return [['prices', 'Prices with tax', { state: 'quiet', finding }]]
}
