import { themeNames } from '../../core/theme/theme-choice.ts'

interface Size {
  width: number
  height: number
}

interface Shot {
  wide: Size
  /** For phones; without one, the wide picture. */
  narrow?: Size
  /** What it shows looks the same in every theme. */
  isPlain?: true
}

export type ShotName = 'dashboard' | 'why' | 'mail' | 'restore' | 'plugin'

/** CSS pixels of each picture; files have twice as many. `scripts/landing-pictures.ts` creates them. */
export const shots: Readonly<Record<ShotName, Shot>> = {
  dashboard: { wide: { width: 760, height: 660 }, narrow: { width: 360, height: 640 } },
  why: { wide: { width: 640, height: 590 }, narrow: { width: 360, height: 720 } },
  mail: { wide: { width: 360, height: 640 }, isPlain: true },
  restore: { wide: { width: 360, height: 640 }, isPlain: true },
  plugin: { wide: { width: 640, height: 270 }, isPlain: true },
}

export const shotNames = Object.keys(shots) as ShotName[]
export const isThemed = (name: ShotName) => !shots[name].isPlain

export const shotFiles = shotNames.flatMap((name) =>
  (isThemed(name) ? themeNames.map((theme) => `${name}-${theme}`) : [name]).flatMap((file) =>
    (shots[name].narrow ? ['wide', 'narrow'] : ['wide']).map((shape) => `${file}-${shape}.webp`),
  ),
)
