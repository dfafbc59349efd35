import type { QueryClient } from '@tanstack/react-query'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { LivePart } from '../../../shared/workspace/live.ts'
import { liveParts } from '../../../shared/workspace/live.ts'
import { meQuery, useStore } from '../../core/access/queries.ts'
import { useSession } from '../../core/session/session.ts'
import { isOutdatedBy, isResting } from './rules.ts'

/** Starts after the first paint and the page's own queries. */
const AFTER_PAINT_MS = 1_000
const AGAIN_MS = 15_000

/** Keeps the current store's screens up to date while signed in. Fails silently, because screens also poll. */
export function useLive() {
  const { token } = useSession()
  const store = useStore()
  const queries = useQueryClient()
  const [storeId, platform] = [store?.id, store?.platform]
  useEffect(() => {
    if (!token || !storeId || !platform) return
    const refresher = createRefresher(queries)
    const where = { queries, storeId, platform }
    let close = () => {}
    let isOver = false
    let timer: ReturnType<typeof setTimeout>
    // Ask the server: a 401 ends the session as usual, a changed role changes the actions.
    const askWhoIAm = () => void queries.invalidateQueries({ queryKey: meQuery.queryKey })
    const open = async () => {
      const loaded = await loadLive().catch(() => null)
      if (isOver) return
      if (!loaded) {
        timer = setTimeout(open, AGAIN_MS)
        return
      }
      const { socket, applyEvent, catchUp } = loaded
      close = socket.openLive({
        token,
        platform,
        storeId,
        onChanged: (parts) => refresher.changed(parts),
        onNotification: (event) => applyEvent(where, event),
        onJoined: ({ markRead }) => {
          void catchUp(where, markRead)
          refresher.changed(liveParts, true)
          askWhoIAm()
        },
        onSessionDoubt: askWhoIAm,
      })
    }
    timer = setTimeout(open, AFTER_PAINT_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
      close()
      refresher.stop()
    }
  }, [token, storeId, platform, queries])
}

const loadLive = () => import('./connection.ts')

/**
 * Refetches changed data, one round at a time: otherwise a slow answer would be discarded by each new change. In hidden
 * tabs changes are collected until the tab is shown.
 */
function createRefresher(queries: QueryClient) {
  const waiting = new Set<LivePart>()
  let isAsking = false
  let isFirstAfterAbsence = false
  const ask = async () => {
    if (isAsking) return
    isAsking = true
    while (waiting.size > 0 && !document.hidden) {
      const changed = [...waiting]
      waiting.clear()
      const rests = isFirstAfterAbsence ? () => false : isResting
      isFirstAfterAbsence = false
      await queries.invalidateQueries({
        predicate: ({ queryKey, state }) => isOutdatedBy(changed, queryKey) && !rests(state, Date.now()),
      })
    }
    isAsking = false
  }
  const onVisibilityChange = () => void ask()
  document.addEventListener('visibilitychange', onVisibilityChange)
  return {
    /** `afterAbsence`: the server is back, so failed queries are repeated too. */
    changed(parts: readonly LivePart[], afterAbsence = false) {
      if (afterAbsence) isFirstAfterAbsence = true
      for (const part of parts) waiting.add(part)
      void ask()
    },
    stop() {
      waiting.clear()
      document.removeEventListener('visibilitychange', onVisibilityChange)
    },
  }
}
