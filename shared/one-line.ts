/** Control characters, and signs that turn the direction of writing: in no name. */
export const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u

/** As one line whose direction of writing nothing turns: names of shops often have such signs from a browser. */
export const withoutInvisible = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(new RegExp(INVISIBLE, 'gu'), '')
    .trim()

/** What is wrong with a text that stands on one line of a mail; null: nothing. */
export function oneLineProblem(text: string): string | null {
  if (/\p{Cc}/u.test(text)) return 'One line only'
  return INVISIBLE.test(text) ? 'Without signs that turn the direction of writing' : null
}
