import {
  type BrandFields,
  type ColourName,
  chooseLabelColour,
  colourNames,
  contrastProblems,
  contrastRatio,
  formatRatio,
  MIN_CONTRAST,
  socialKindNames,
} from '../../../shared/messages/brand.ts'
import { brandTexts, LOGO_BYTES } from '../../../shared/workspace/brand-calls.ts'

// Texts and input checks of the brand screen. Pure.

/** null: may be uploaded; the server checks the content. */
export const checkFile = ({ size }: { size: number }): string | null => {
  if (size === 0) return 'This file is empty.'
  return size > LOGO_BYTES ? brandTexts.logoTooLarge : null
}

const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text)

/** Contrast of a color at its place, while it is chosen; null for an incomplete color. */
export function describeContrast(name: 'button' | 'text' | 'accent', brand: BrandFields): string | null {
  const colour = brand[name]
  if (!isColour(colour)) return null
  if (name === 'button') {
    const label = chooseLabelColour(colour)
    return `${label === '#ffffff' ? 'White' : 'Black'} label, contrast ${formatRatio(contrastRatio(label, colour))}`
  }
  if (!isColour(brand.ground)) return null
  const ratio = contrastRatio(colour, brand.ground)
  return ratio < MIN_CONTRAST ? null : `Contrast ${formatRatio(ratio)}`
}

/** The value for the native color picker, which accepts only #rrggbb. */
export const toPickerColour = (text: string): string => (isColour(text.trim()) ? text.trim().toLowerCase() : '#000000')

/** Social networks not linked yet, in display order. */
export const listUnusedKinds = ({ social }: Pick<BrandFields, 'social'>) =>
  socialKindNames.filter((kind) => !social.some((link) => link.kind === kind))

/** Normalizes as the server stores it: case and surrounding spaces do not matter. */
export const normalizeBrand = (brand: BrandFields): BrandFields => ({
  ...brand,
  button: brand.button.trim().toLowerCase(),
  text: brand.text.trim().toLowerCase(),
  ground: brand.ground.trim().toLowerCase(),
  accent: brand.accent.trim().toLowerCase(),
  social: brand.social.map(({ kind, url }) => ({ kind, url: url.trim() })),
})

/** Poor contrast is reported at once; an incomplete color only on saving. */
export function checkWhileChosen(name: ColourName, brand: BrandFields): string | null {
  const isFinished = colourNames.every((each) => isColour(brand[each].trim()))
  return isFinished ? (contrastProblems(normalizeBrand(brand))[name] ?? null) : null
}
