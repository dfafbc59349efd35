import { useSyncExternalStore } from 'react'

// The browser's theme (A 4.7): the stored choice, else the system's, which is followed only while nothing is stored.

export const themeNames = ['light', 'dark', 'blue'] as const
export type ThemeName = (typeof themeNames)[number]

const KEY = 'theme'
const listeners = new Set<() => void>()

/** Mantine has two schemes; Blue is a light one. */
export const schemeOf = (theme: ThemeName) => (theme === 'dark' ? 'dark' : 'light')

export const useTheme = () => useSyncExternalStore(subscribe, shownTheme)

/** Applies immediately and is remembered. */
export function chooseTheme(theme: ThemeName) {
  localStorage.setItem(KEY, theme)
  show()
}

/** `public/theme.js` set it before the first paint. */
function shownTheme(): ThemeName {
  return (document.documentElement.dataset.theme as ThemeName | undefined) ?? wantedTheme()
}

function wantedTheme(): ThemeName {
  const stored = themeNames.find((name) => name === localStorage.getItem(KEY))
  return stored ?? (systemIsDark().matches ? 'dark' : 'light')
}

function show() {
  const theme = wantedTheme()
  const root = document.documentElement
  root.dataset.theme = theme
  root.style.colorScheme = schemeOf(theme)
  for (const listener of listeners) listener()
}

const systemIsDark = () => matchMedia('(prefers-color-scheme: dark)')
/** A choice in another tab applies here too; null: that tab cleared the storage. */
const onStorage = ({ key }: StorageEvent) => {
  if (key === KEY || key === null) show()
}

function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    systemIsDark().addEventListener('change', show)
    addEventListener('storage', onStorage)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    systemIsDark().removeEventListener('change', show)
    removeEventListener('storage', onStorage)
  }
}
