import { hasSampleRatioMismatch } from '../../server/core/lift/arm-shares.ts'
import { drawPurchasers, type Random } from './random.ts'

// Experiments that lose people from an arm, checked every day (decision 61).

export interface LossCase {
  share: number
  /** People assigned until the last day, lost ones included. */
  people: number
  /** Share of an arm's people that is lost. */
  ofControl: number
  ofTreated: number
}

/** Sizes at which a loss of a tenth is detected in 99 of 100 experiments. */
export const LOSSES: readonly LossCase[] = [
  { share: 0.1, people: 45_000 },
  { share: 0.5, people: 17_000 },
].flatMap((size) => [
  { ...size, ofControl: 0, ofTreated: 0 },
  { ...size, ofControl: 0.1, ofTreated: 0 },
  { ...size, ofControl: 0, ofTreated: 0.1 },
])

const DAYS = 90

/** Whether the alarm was raised on some day. */
export function isLossFound({ share, people, ofControl, ofTreated }: LossCase, chance: Random): boolean {
  let [control, treated] = [0, 0]
  for (let day = 0; day < DAYS; day++) {
    const assigned = Math.round((people * (day + 1)) / DAYS) - Math.round((people * day) / DAYS)
    const held = drawPurchasers(chance, assigned, share)
    control += held - drawPurchasers(chance, held, ofControl)
    treated += assigned - held - drawPurchasers(chance, assigned - held, ofTreated)
    if (control > 0 && treated > 0 && hasSampleRatioMismatch([control, treated], [share, 1 - share])) return true
  }
  return false
}
