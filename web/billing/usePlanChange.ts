import { useState } from 'react'
import type { ChangePreview } from '../../shared/payments.ts'
import { ApiError } from '../api.ts'
import type { Choice } from './change-copy.ts'
import { getFailureText } from './failure.ts'
import { useChange, usePreview } from './payment-queries.ts'

const NOT_SHOWN = 'What this costs could not be found out. Please try again.'
const NOT_CHANGED = 'The plan could not be changed. Please try again.'

const isRefusal = (error: Error | null) =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429

/**
 * State of one plan change, from preview to result. If the server refuses because the amount changed, loads the preview
 * again.
 */
export function usePlanChange(choice: Choice, onDone: (message: string) => void) {
  const preview = usePreview()
  const change = useChange()
  const [shown, setShown] = useState<ChangePreview | null>(null)
  const [other, setOther] = useState<string | null>(null)
  /** Keeps the last preview until the next one arrives. */
  const show = () => preview.mutate(choice, { onSuccess: setShown, onError: () => setShown(null) })
  const look = () => {
    setOther(null)
    change.reset()
    show()
  }
  const make = (restingStoreIds: string[]) => {
    if (!shown) return
    setOther(null)
    change.mutate(
      { token: shown.token, restingStoreIds },
      {
        onSuccess: ({ state, message }) => state !== 'confirm' && onDone(message),
        onError: (error) => {
          if (!(error instanceof ApiError) || error.status !== 409) return
          setOther(error.message)
          change.reset()
          show()
        },
      },
    )
  }
  const back = () => {
    setOther(null)
    setShown(null)
    preview.reset()
    change.reset()
  }
  const { data: made } = change
  return {
    shown,
    bank: made?.state === 'confirm' ? { url: made.url, message: made.message } : null,
    problem: getFailureText(preview.error, NOT_SHOWN) ?? other ?? getFailureText(change.error, NOT_CHANGED),
    /** The shown amounts are outdated. */
    isOther: other !== null,
    /** The server's reason, for problems the owner can fix. */
    isRefused: [preview.error, change.error].some(isRefusal),
    isLooking: preview.isPending,
    isChanging: change.isPending,
    ...{ look, make, back },
  }
}
