import { themeNames } from '../../core/theme/theme-choice.ts'

/** CSS pixels of each picture; files have twice as many. `scripts/landing-pictures.ts` creates them. */
export const shots = {
  dashboard: { wide: { width: 760, height: 660 }, narrow: { width: 360, height: 640 } },
  why: { wide: { width: 640, height: 590 }, narrow: { width: 360, height: 720 } },
} as const

export type ShotName = keyof typeof shots
export const shotNames = Object.keys(shots) as ShotName[]

export const shotFiles = shotNames.flatMap((name) =>
  themeNames.flatMap((theme) => (['wide', 'narrow'] as const).map((shape) => `${name}-${theme}-${shape}.webp`)),
)
