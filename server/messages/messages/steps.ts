import type { StoreTx } from '../../core/db/public.ts'
import * as sql from './sql.ts'
import * as steps from './steps-sql.ts'

// Keeps messages in step with their flow (decision 53). Call with the flow locked; the caller then calls
// `scheduleNextRun`.

export interface EditedSteps {
  flowId: string
  /** Removed steps, whose open messages are cancelled. */
  removed: readonly string[]
  added: readonly string[]
  /** All remaining steps in their new form. `isChanged`: channels, text, coupon or conditions differ. */
  changed: readonly (steps.StepUpdate & { isChanged: boolean })[]
}

export interface StepsEffect {
  moved: number
  /** Moved to a time in the past. */
  dueNow: number
  /** Moved but never sent: a later message was sent or is due. */
  overtaken: number
  cancelled: number
  added: number
  /** Carts that are too late for an added step. */
  tooLate: number
  /** Messages to be decided again. */
  changed: number
}

export async function applyEditedSteps(
  tx: StoreTx,
  { flowId, removed, added, changed: changedSteps }: EditedSteps,
  now: Date,
): Promise<StepsEffect> {
  if (added.length > 0) await steps.lockFlowCarts(tx, flowId)
  const cancelled = removed.length > 0 ? await steps.cancelSteps(tx, flowId, removed, now) : 0
  await steps.updateStepNumbers(tx, flowId, changedSteps)
  const edited = changedSteps.filter(({ isChanged }) => isChanged)
  const changed = edited.length > 0 ? await steps.updateStepMessages(tx, flowId, edited, now) : 0
  const retimed = await sql.retimeEdited(tx, flowId, now)
  const effect = { ...retimed, cancelled, changed, added: 0, tooLate: 0 }
  if (added.length === 0) return effect
  const tooLate = await steps.countTooLate(tx, flowId, added, now)
  const carts = await steps.planSteps(tx, flowId, added, now)
  if (carts.length > 0) {
    // New steps keep their distance to sent ones, like all others.
    await sql.retimeEdited(tx, flowId, now)
    await sql.moveLostAt(tx, [...new Set(carts)])
  }
  return { ...effect, added: carts.length, tooLate }
}
