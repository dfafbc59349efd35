import {
  type BrandLook,
  type ColourName,
  colourNames,
  contrastOf,
  contrastProblems,
  LEAST_CONTRAST,
  labelOn,
  shownRatio,
  socialKindNames,
} from '../../shared/brand.ts'
import { brandTexts, LOGO_BYTES } from '../../shared/brand-calls.ts'

// What the brand screen says and takes. Pure.

/** null: it may be uploaded; the server looks into it. */
export const fileProblem = ({ size }: { size: number }): string | null => {
  if (size === 0) return 'This file is empty.'
  return size > LOGO_BYTES ? brandTexts.logoTooLarge : null
}

const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text)

/** What a color is worth where it stands, while it is chosen; null: it is no color yet. */
export function contrastWords(name: 'button' | 'text' | 'accent', look: BrandLook): string | null {
  const colour = look[name]
  if (!isColour(colour)) return null
  if (name === 'button') {
    const label = labelOn(colour)
    return `${label === '#ffffff' ? 'White' : 'Black'} label, contrast ${shownRatio(contrastOf(label, colour))}`
  }
  if (!isColour(look.ground)) return null
  const ratio = contrastOf(colour, look.ground)
  return ratio < LEAST_CONTRAST ? null : `Contrast ${shownRatio(ratio)}`
}

/** What a color field shows beside its text; the browser's own picker knows no other form. */
export const pickable = (text: string): string => (isColour(text.trim()) ? text.trim().toLowerCase() : '#000000')

/** Not linked yet, in the order they are offered. */
export const kindsLeft = ({ social }: Pick<BrandLook, 'social'>) =>
  socialKindNames.filter((kind) => !social.some((link) => link.kind === kind))

/** As it is kept: what is typed in capitals, or with spaces around it, is the same. */
export const tidied = (look: BrandLook): BrandLook => ({
  ...look,
  button: look.button.trim().toLowerCase(),
  text: look.text.trim().toLowerCase(),
  ground: look.ground.trim().toLowerCase(),
  accent: look.accent.trim().toLowerCase(),
  social: look.social.map(({ kind, url }) => ({ kind, url: url.trim() })),
})

/** What is hard to read is said at once; an unfinished color only when it is to be saved. */
export function problemWhileChosen(name: ColourName, look: BrandLook): string | null {
  const isFinished = colourNames.every((each) => isColour(look[each].trim()))
  return isFinished ? (contrastProblems(tidied(look))[name] ?? null) : null
}
