import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { readInstance } from '../../shared/instance.ts'
import { call, useIsReachable } from '../api.ts'

const AGAIN_MS = 3_000

/** Polls an unreachable server every few seconds; once it answers, refetches everything on screen. */
export function useServerReturn(): void {
  const isReachable = useIsReachable()
  const queries = useQueryClient()
  const wasAway = useRef(false)
  useEffect(() => {
    if (isReachable) {
      if (wasAway.current) void queries.refetchQueries({ type: 'active' }, { cancelRefetch: false })
      wasAway.current = false
      return
    }
    wasAway.current = true
    // A failed poll is expected.
    const timer = setInterval(() => void call(readInstance).catch(() => undefined), AGAIN_MS)
    return () => clearInterval(timer)
  }, [isReachable, queries])
}
