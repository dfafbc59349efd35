import { AppError } from '../../server/core/common/errors.ts'
import type { Harness } from './harness.ts'
import type { Act } from './steps.ts'

// The engine may refuse an act with an error for the user; any other error is a failure.

/** Acts that are never refused in a scenario. */
const GRANTED: ReadonlySet<Act['do']> = new Set([
  ...(['suppress', 'plan', 'budget', 'flow', 'pause', 'disconnect', 'suspend', 'rest'] as const),
])

/** A suspended account cannot switch its flow on. */
export const isExpectedRefusal = (error: unknown, { stops }: Harness, { do: what }: Act): boolean =>
  error instanceof AppError && (!GRANTED.has(what) || (what === 'flow' && stops.suspended))
