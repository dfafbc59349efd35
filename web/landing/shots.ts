import { themeNames } from '../theme/chosen.ts'

/** CSS pixels of each picture; the files have twice as many. `scripts/landing-pictures.ts` makes them so. */
export const shots = { wide: { width: 640, height: 590 }, narrow: { width: 360, height: 720 } } as const

export const shotFiles = themeNames.flatMap((theme) =>
  (Object.keys(shots) as (keyof typeof shots)[]).map((shape) => `why-${theme}-${shape}.webp`),
)
