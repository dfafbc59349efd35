import { useState } from 'react'
import { useStore, useSubscription } from '../../core/access/queries.ts'
import { ApiError } from '../../core/api/api.ts'
import { useNow } from '../../core/ui/clock.ts'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'

import {
  checkDraft,
  type Draft,
  findPlanGate,
  findProblemStep,
  formatToday,
  mapRefusedFields,
  type Problems,
  type StepName,
} from './rules.ts'

const MINUTE_MS = 60_000

/** Validation errors, hidden until the user first tries to save. */
export function useDraftProblems(draft: Draft, error: Error | null, { savedStart }: { savedStart: string | null }) {
  const [isSubmitted, ask] = useState(false)
  const zone = useStore()?.timeZone ?? 'UTC'
  const plan = useSubscription()?.planInForce
  const today = formatToday(zone, useNow(MINUTE_MS))
  const found = checkDraft(draft, draft.schedule.startDate === savedStart ? null : today)
  const refused = error instanceof ApiError ? mapRefusedFields(error.fields) : {}
  const problems: Problems = isSubmitted && Object.keys(found).length > 0 ? found : refused
  return { problems, found, gate: findPlanGate(draft, plan, today), ask, zone }
}

/** Goes to the step with the error and focuses its first field. */
export function focusProblem(
  problems: Problems,
  within: 'main' | '[role=dialog]',
  choose: (step: StepName) => void,
): boolean {
  const step = findProblemStep(problems)
  if (step === null) return false
  choose(step)
  focusFirstError(within)
  return true
}

export const readRefusedFields = (error: Error): Problems =>
  error instanceof ApiError ? mapRefusedFields(error.fields) : {}
