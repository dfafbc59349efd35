import { Loader } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Location, Outlet, ScrollRestoration, useLocation, useNavigation, useNavigationType } from 'react-router'
import { useReturn } from './useReturn.ts'

const OVERLAY_MS = 200

/** Around every screen: what happens on the way from one to the next. */
export function RouteTransition() {
  useReturn()
  return (
    <>
      <Outlet />
      <Overlay />
      <Arrival />
      <ScrollRestoration getKey={scrollKeyOf} />
    </>
  )
}

/** The first page of every visit has the same key: without its path it would open where another page was left. */
const scrollKeyOf = ({ key, pathname }: Location) => (key === 'default' ? pathname : key)

/** Covers the screen for 200 ms after every change of route, and while a screen's file is still on its way (A 2.1). */
function Overlay() {
  const { pathname } = useLocation()
  const isPending = useNavigation().state !== 'idle'
  const isBackOrForward = useBackOrForward(isPending)
  const isPassing = usePassing(pathname)
  if (!isPassing && !isPending) return null
  return (
    <div className="route-transition" aria-hidden>
      <Loader size="sm" />
      {isBackOrForward ? 'Loading...' : 'Loading page...'}
    </div>
  )
}

/** Which way is being gone. The router says it of the way that is over; of one under way only the browser does. */
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

/** True for 200 ms after the path has changed; the first path is no change. */
function usePassing(pathname: string): boolean {
  const [shown, setShown] = useState(pathname)
  useEffect(() => {
    const timer = setTimeout(() => setShown(pathname), OVERLAY_MS)
    return () => clearTimeout(timer)
  }, [pathname])
  return shown !== pathname
}

/** Tells a screen reader where it is now, and puts the keyboard at the beginning of it. */
function Arrival() {
  const { pathname } = useLocation()
  const first = useRef(pathname)
  const [title, setTitle] = useState('')
  // With the new screen in place and before anybody can press a key in it.
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
    <div className="only-read" role="status">
      {title}
    </div>
  )
}

/** Whoever is in the new screen already (a field with autofocus, an open dialog) or has gone on since it came stays there. */
function isSomewhere(cameFrom: Element | null): boolean {
  const at = document.activeElement
  if (!at || at === document.body) return false
  if (at.closest('main, [role=dialog]')) return true
  // A menu that led here gives the focus back to its button: that is nobody's step.
  return at !== cameFrom && !cameFrom?.closest('[role=dialog], [role=menu]')
}
