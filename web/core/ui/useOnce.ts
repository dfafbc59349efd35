import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'

const DOUBLE_MS = 1_000

type Once<Data, Variables> = Omit<UseMutationResult<Data, Error, Variables>, 'mutateAsync'>

/**
 * A mutation that ignores the second press of a double click, which may come before the first is rendered or right
 * after it finished, and would replace its result. A failed call or one with other variables (compared as JSON) may run
 * at once.
 */
export function useOnce<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): Once<Data, Variables> {
  const locked = useRef({ isRunning: false, until: Number.NEGATIVE_INFINITY, what: '' })
  const { mutate, ...mutation } = useMutation({
    ...options,
    onError: async (...failed) => {
      locked.current.until = Number.NEGATIVE_INFINITY
      await options.onError?.(...failed)
    },
    onSettled: async (...settled) => {
      locked.current.isRunning = false
      await options.onSettled?.(...settled)
    },
  })
  const once = useCallback<typeof mutate>(
    (...call) => {
      const now = performance.now()
      const what = JSON.stringify([call[0]])
      const { isRunning, until, what: last } = locked.current
      if (isRunning || (now < until && what === last)) return
      locked.current = { isRunning: true, until: now + DOUBLE_MS, what }
      mutate(...call)
    },
    [mutate],
  )
  return { ...mutation, mutate: once } as Once<Data, Variables>
}
