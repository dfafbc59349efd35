import { type Invariant, OPEN } from './scene.ts'

// D6: every open message is checked in time.

/** The claim of a dead process lasts this long, and the next look may be set by it. */
const CLAIM_MS = 60_000

/**
 * The next check of the store is no later than the time of its first open message. Not checked after a backward clock jump: a
 * process that dies then may leave a look that is later by the jump.
 */
export const checkWakeUps: Invariant = ({ harness, state }) => {
  if (harness.hasJumped) return []
  const open = state.messages.filter((message) => OPEN.has(message.state))
  if (open.length === 0) return []
  const first = Math.min(...open.map(({ wakeAt }) => wakeAt))
  const { nextDueAt } = state
  if (nextDueAt !== null && nextDueAt <= first + CLAIM_MS) return []
  const schedule =
    nextDueAt === null ? 'no look is scheduled' : `the next look is ${(nextDueAt - first) / 60_000} min later`
  return open
    .filter(({ wakeAt }) => wakeAt === first)
    .map(
      ({ step, channel, state: is, reason }) =>
        `step ${step} (${channel}, ${is} ${reason ?? ''}) is due for a check, but ${schedule}`,
    )
}
