import { useLocation, useMatches } from 'react-router'
import { findScreen, type Screen } from '../../../shared/screens.ts'

/** Returns the screen the router matched, if the registry has it at this address too. Null means the 404 page. */
export function useScreen(): Screen | null {
  const { pathname } = useLocation()
  return findRegisteredScreen(pathname, useMatches().at(-1)?.handle)
}

export function findRegisteredScreen(pathname: string, handle: unknown): Screen | null {
  const screen = findScreen(pathname)
  return screen !== null && screen === handle ? screen : null
}
