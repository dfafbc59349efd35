import { AppError } from '../../server/core/common/errors.ts'
import type { Harness } from './harness.ts'
import type { Act } from './steps.ts'

// What the engine refuses in so many words is ordinary; anything else is a broken engine.

/** What nobody in a history has a reason to be refused. */
const GRANTED: ReadonlySet<Act['do']> = new Set([
  ...(['suppress', 'plan', 'budget', 'flow', 'pause', 'disconnect', 'suspend', 'rest'] as const),
])

/** A suspended account cannot switch its flow on. */
export const isExpectedRefusal = (error: unknown, { stops }: Harness, { do: what }: Act): boolean =>
  error instanceof AppError && (!GRANTED.has(what) || (what === 'flow' && stops.suspended))
