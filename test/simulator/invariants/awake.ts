import { type Invariant, OPEN } from './scene.ts'

// D6: no open message is forgotten.

/** A process that ends leaves a claim for this long, and the look after it is set by that. */
const CLAIM_MS = 60_000

/**
 * Whoever sends looks at the store by the time at which its first open message wants to be looked at. Not where the clock has been put back:
 * a process that ends then may leave a look that is later by as much.
 */
export const checkWakeUps: Invariant = ({ harness, state }) => {
  if (harness.hasJumped) return []
  const open = state.messages.filter((message) => OPEN.has(message.state))
  if (open.length === 0) return []
  const first = Math.min(...open.map(({ wakeAt }) => wakeAt))
  const { nextLookAt } = state
  if (nextLookAt !== null && nextLookAt <= first + CLAIM_MS) return []
  const look = nextLookAt === null ? 'no look is set' : `the next look is ${(nextLookAt - first) / 60_000} min later`
  return open
    .filter(({ wakeAt }) => wakeAt === first)
    .map(
      ({ step, channel, state: is, reason }) =>
        `step ${step} (${channel}, ${is} ${reason ?? ''}) is to be looked at, and ${look}`,
    )
}
