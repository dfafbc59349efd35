import { countryName } from '../../shared/analytics-definitions.ts'
import type { CaptureModeView } from '../../shared/capture-mode.ts'

/** Explains the recommended choice. Pure. */
export function explainUsual({ usual, strictCountries }: Pick<CaptureModeView, 'usual' | 'strictCountries'>): string {
  if (usual === 'cart_and_contact') return 'You sell to no country whose law asks for consent before this.'
  if (strictCountries === null)
    return 'Your store sells everywhere, so also to the European Union, the United Kingdom and Switzerland, whose law asks for consent first.'
  const [first, second, third] = strictCountries.map(countryName)
  const named =
    strictCountries.length > 3
      ? `${first}, ${second} and ${strictCountries.length - 2} more countries`
      : [first, second, third].filter(Boolean).join(', ')
  return `You sell to ${named}, whose law asks for consent first.`
}
