import { canSend, describeMail, type Invariant, MOMENT_MS, SURELY_FREE_MS } from './scene.ts'

// Decisions 85 and 90: suspensions and plans without room stop sends, and sends resume afterwards.

const ENDED_BY: Record<string, string> = { account_suspended: 'a suspension', store_resting: 'a rest' }

/** Nothing is sent meanwhile; after a full worker pass nothing is held for a reason that has ended. */
export const checkStops: Invariant = (scene) => {
  const { harness, step, state, fresh } = scene
  const wrong = fresh.flatMap((mail) => {
    const { suspendedSince, restingSince } = mail.sendBlocks
    const reasons = { 'the account is suspended': suspendedSince, 'the store rests': restingSince }
    return Object.entries(reasons)
      .filter(([, since]) => since !== null && mail.at - since >= MOMENT_MS)
      .map(([why]) => `${describeMail(mail)} was sent while ${why}`)
  })
  const { suspended, isResting, changedAt } = harness.stops
  const isWhole = step.do === 'work' && step.meanwhile === null && canSend(scene) && !harness.hasJumped
  const isOver = !suspended && !isResting && harness.clock.trueNow() - changedAt >= SURELY_FREE_MS + step.waitMs
  if (!isWhole || !isOver) return wrong
  const now = harness.clock.now().getTime()
  const forgotten = state.messages.filter(
    (message) => message.state === 'held' && (message.reason ?? '') in ENDED_BY && message.dueAt <= now,
  )
  return [
    ...wrong,
    ...forgotten.map(
      ({ step: number, reason }) => `step ${number} is held because of ${ENDED_BY[reason!]} that has ended`,
    ),
  ]
}
