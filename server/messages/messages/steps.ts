import type { StoreTx } from '../../core/db/db.ts'
import * as sql from './sql.ts'
import * as steps from './steps-sql.ts'

// Messages follow their flow's steps (decision 53). Called with the flow locked; `scheduleNextLook` is still to be called.

export interface EditedSteps {
  flowId: string
  /** Their open messages are cancelled. */
  removed: readonly string[]
  added: readonly string[]
  /** All that stay, as they are now; `isChanged`: by other channels, with other words, coupon or conditions. */
  kept: readonly (steps.FollowedStep & { isChanged: boolean })[]
}

export interface StepsEffect {
  moved: number
  /** Of these, to a time that has come. */
  dueNow: number
  /** Moved as well, and never sent: a later message has gone out or is due. */
  overtaken: number
  cancelled: number
  added: number
  /** Carts that an added step comes too late for. */
  tooLate: number
  /** Decided anew. */
  changed: number
}

export async function followEditedSteps(
  tx: StoreTx,
  { flowId, removed, added, kept }: EditedSteps,
  now: Date,
): Promise<StepsEffect> {
  if (added.length > 0) await steps.lockCartsOf(tx, flowId)
  const cancelled = removed.length > 0 ? await steps.cancelSteps(tx, flowId, removed, now) : 0
  await steps.followPlaces(tx, flowId, kept)
  const edited = kept.filter(({ isChanged }) => isChanged)
  const changed = edited.length > 0 ? await steps.followSteps(tx, flowId, edited, now) : 0
  const retimed = await sql.retimeEdited(tx, flowId, now)
  const effect = { ...retimed, cancelled, changed, added: 0, tooLate: 0 }
  if (added.length === 0) return effect
  const tooLate = await steps.countTooLate(tx, flowId, added, now)
  const carts = await steps.planSteps(tx, flowId, added, now)
  if (carts.length > 0) {
    // Behind what went out they keep their distance, as all others.
    await sql.retimeEdited(tx, flowId, now)
    await sql.moveLostAt(tx, [...new Set(carts)])
  }
  return { ...effect, added: carts.length, tooLate }
}

export { cancelFlow as cancelFlowMessages } from './steps-sql.ts'
