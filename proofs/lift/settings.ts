import { type ExperimentSetting, runExperiment, type Verdict } from './experiment.ts'
import { createRandom } from './random.ts'

// The settings of decision 62, and the results of many experiments of each.

export const SETTINGS: readonly ExperimentSetting[] = [0.1, 0.5].flatMap((share) =>
  [0.01, 0.05, 0.1].flatMap((conversion) =>
    [1, 1.5].flatMap((sigma) => [0, 0.2].map((effect) => ({ share, conversion, sigma, effect }))),
  ),
)

export interface Tally {
  experiments: number
  significant: number
  missed: number
  /** Shown on the planned day, and correct then. */
  planned: number
  plannedRight: number
  naiveMissed: number
}

/** `seed` is the seed of the first experiment. */
export function tallySetting(setting: ExperimentSetting, experiments: number, seed: number) {
  const conversion = createTally(experiments)
  const revenue = createTally(experiments)
  for (let each = 0; each < experiments; each++) {
    const verdicts = runExperiment(setting, createRandom(seed + each))
    add(conversion, verdicts.conversion)
    add(revenue, verdicts.revenue)
  }
  return { conversion, revenue }
}

/**
 * Shares: experiments whose sequence missed the true value, and planned intervals that held it, each among those shown.
 */
export const computeMissedShare = ({ significant, missed }: Tally) => (significant === 0 ? null : missed / significant)
export const computePlannedShare = ({ planned, plannedRight }: Tally) => (planned === 0 ? null : plannedRight / planned)

const createTally = (experiments: number): Tally => ({
  experiments,
  significant: 0,
  missed: 0,
  planned: 0,
  plannedRight: 0,
  naiveMissed: 0,
})

function add(tally: Tally, verdict: Verdict): void {
  if (verdict.isSignificant) tally.significant += 1
  if (verdict.isMissed) tally.missed += 1
  if (verdict.isPlannedRight !== null) tally.planned += 1
  if (verdict.isPlannedRight) tally.plannedRight += 1
  if (verdict.isNaiveMissed) tally.naiveMissed += 1
}
