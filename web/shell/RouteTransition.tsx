import { Loader } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Outlet, ScrollRestoration, useLocation, useNavigation, useNavigationType } from 'react-router'
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
      <ScrollRestoration />
    </>
  )
}

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
  useEffect(() => {
    if (pathname === first.current) return
    first.current = ''
    const timer = setTimeout(() => {
      setTitle(document.title)
      // Who is already somewhere in the new screen (a field with autofocus, an open dialog) stays there.
      const isAtBeginning = !document.activeElement?.closest('main, [role=dialog]')
      if (isAtBeginning) document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
    }, OVERLAY_MS)
    return () => clearTimeout(timer)
  }, [pathname])
  return (
    <div className="only-read" role="status">
      {title}
    </div>
  )
}
