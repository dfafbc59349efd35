import { Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Location, Outlet, ScrollRestoration, useLocation, useNavigation, useNavigationType } from 'react-router'
import { readInstance } from '../../../shared/workspace/instance.ts'
import { call, useIsReachable } from '../../core/api/api.ts'

const OVERLAY_MS = 200

/** Wraps every screen and handles scrolling, covering and focus on route changes. */
export function RouteTransition() {
  useServerReturn()
  return (
    <>
      <Outlet />
      <Overlay />
      <Arrival />
      <ScrollRestoration getKey={getScrollKey} />
    </>
  )
}

/** The first page of every visit has the same key. Without its path it would restore another page's scroll position. */
const getScrollKey = ({ key, pathname }: Location) => (key === 'default' ? pathname : key)

/** Covers the screen for 200 ms after every route change, and while a screen's chunk loads (A 2.1). */
function Overlay() {
  const { pathname } = useLocation()
  const isPending = useNavigation().state !== 'idle'
  const isBackOrForward = useBackOrForward(isPending)
  const isPassing = useIsTransitioning(pathname)
  if (!isPassing && !isPending) return null
  return (
    <div className="route-transition" aria-hidden>
      <Loader size="sm" />
      {isBackOrForward ? 'Loading...' : 'Loading page...'}
    </div>
  )
}

/**
 * Direction of the navigation. The router reports it for the last one; only the browser knows it for the current one.
 */
function useBackOrForward(isPending: boolean): boolean {
  const { key } = useLocation()
  const wasBackOrForward = useNavigationType() === 'POP'
  const isGoing = useRef(false)
  useEffect(() => {
    const note = () => {
      isGoing.current = true
    }
    addEventListener('popstate', note)
    return () => removeEventListener('popstate', note)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: having arrived is what ends it
  useEffect(() => {
    isGoing.current = false
  }, [key])
  return isPending ? isGoing.current : wasBackOrForward
}

/** True for 200 ms after the path changed; the first path does not count. */
function useIsTransitioning(pathname: string): boolean {
  const [finishedPath, setFinishedPath] = useState(pathname)
  useEffect(() => {
    const timer = setTimeout(() => setFinishedPath(pathname), OVERLAY_MS)
    return () => clearTimeout(timer)
  }, [pathname])
  return finishedPath !== pathname
}

/** Announces the new screen to screen readers and moves the focus to its start. */
function Arrival() {
  const { pathname } = useLocation()
  const first = useRef(pathname)
  const [title, setTitle] = useState('')
  // After the new screen is mounted and before a key can be pressed in it.
  useLayoutEffect(() => {
    if (pathname === first.current) return
    first.current = ''
    const cameFrom = document.activeElement
    const timer = setTimeout(() => {
      setTitle(document.title)
      if (!isSomewhere(cameFrom)) document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
    }, OVERLAY_MS)
    return () => clearTimeout(timer)
  }, [pathname])
  return (
    <div className="visually-hidden" role="status">
      {title}
    </div>
  )
}

/** Keeps the focus if it is already in the new screen (autofocus, a dialog) or moved since. */
function isSomewhere(cameFrom: Element | null): boolean {
  const at = document.activeElement
  if (!at || at === document.body) return false
  if (at.closest('main, [role=dialog]')) return true
  // A closing menu returns the focus to its button, which is not a user action.
  return at !== cameFrom && !cameFrom?.closest('[role=dialog], [role=menu]')
}

const AGAIN_MS = 3_000

/** Polls an unreachable server every few seconds; once it answers, refetches everything on screen. */
function useServerReturn(): void {
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
