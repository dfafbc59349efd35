import { Button, type ButtonProps } from '@mantine/core'
import { useState } from 'react'
import { ApiError } from '../../core/api/api.ts'
import { Countdown, useCountdown } from '../../core/ui/Countdown.tsx'

/** Seconds until the next attempt after too many attempts. */
export function useWait() {
  const [until, setUntil] = useState<number | null>(null)
  const waitS = useCountdown(until)
  return {
    waitS,
    /** The last refusal; stored if it has a time to wait. */
    note: (error: Error) => {
      if (error instanceof ApiError && error.retryAfterS) setUntil(Date.now() + error.retryAfterS * 1_000)
    },
    clear: () => setUntil(null),
    /** A refusal that only asked to wait ends with the wait. */
    isOver: (error: Error | null) => waitS === null && error instanceof ApiError && error.code === 'rate_limited',
  }
}

interface Props extends ButtonProps {
  label: string
  isBusy: boolean
  waitS: number | null
}

/** Submit button; disabled with a countdown during the wait. */
export function SubmitButton({ label, isBusy, waitS, disabled = false, ...props }: Props) {
  return (
    <Button type="submit" size="md" loading={isBusy} disabled={disabled || waitS !== null} {...props}>
      {waitS === null ? (
        label
      ) : (
        <>
          Try again in&nbsp;
          <Countdown seconds={waitS} />
        </>
      )}
    </Button>
  )
}
