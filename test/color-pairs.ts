// Text and background color roles that appear together. `web/core/theme/roles.test.ts` measures the contrast of each pair in
// each theme, and finds the pairs that a style rule sets. `proofs/themes.test.ts` checks every pair on every screen.

const grounds = ['page', 'surface', 'surface-hover', 'sunken']
const tones = ['good', 'info', 'warn', 'bad', 'quiet']

/** A text color and its background. */
export const readablePairs: [text: string, ground: string][] = [
  ...['text', 'text-soft', 'accent', 'bad', 'good'].flatMap((text) =>
    grounds.map((ground): [string, string] => [text, ground]),
  ),
  ['text-hint', 'surface'],
  ['quiet', 'sunken'],
  ['surface', 'accent'],
  ['on-brand', 'brand'],
  ['on-brand', 'brand-hover'],
  ['on-brand', 'danger'],
  ['on-brand', 'danger-hover'],
  ['text', 'brand-soft'],
  ['accent', 'brand-soft'],
  ['accent', 'brand-soft-hover'],
  ['side-text', 'side'],
  ['side-text', 'side-hover'],
  ['side-soft', 'side'],
  ['side-soft', 'side-hover'],
  ['side-active-text', 'side-active'],
  ...tones.flatMap((tone): [string, string][] => [
    [tone, `${tone}-soft`],
    [tone, 'surface'],
    ['text', `${tone}-soft`],
  ]),
]
