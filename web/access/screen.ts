import { useLocation, useMatches } from 'react-router'
import { type Screen, screenOf } from '../../shared/screens.ts'

/**
 * The screen that is shown: the one the router has matched, if the registry has it at this address too. Null is the 404 page: what is
 * not registered, or stands in the router in some other way, is not shown.
 */
export function useScreen(): Screen | null {
  const { pathname } = useLocation()
  return listedScreen(pathname, useMatches().at(-1)?.handle)
}

export function listedScreen(pathname: string, handle: unknown): Screen | null {
  const screen = screenOf(pathname)
  return screen !== null && screen === handle ? screen : null
}
