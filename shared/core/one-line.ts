/** Control characters and bidirectional marks, which no name may contain. */
export const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u

/** Removes line breaks and bidirectional marks, which shop names copied from a browser often contain. */
export const removeInvisible = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(new RegExp(INVISIBLE, 'gu'), '')
    .trim()

/** The error of a text that must fit on one line of a mail; null: none. */
export function findOneLineProblem(text: string): string | null {
  if (/\p{Cc}/u.test(text)) return 'One line only'
  return INVISIBLE.test(text) ? 'Remove characters that change the text direction' : null
}
