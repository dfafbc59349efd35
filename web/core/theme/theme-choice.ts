import { useSyncExternalStore } from 'react'

// The browser's theme (A 4.7): the stored choice, else the system's, which is followed only while nothing is stored.

export const themeNames = ['light', 'dark', 'blue'] as const
export type ThemeName = (typeof themeNames)[number]

const KEY = 'theme'
const listeners = new Set<() => void>()

/** Mantine has two schemes; Blue is a light one. */
export const getScheme = (theme: ThemeName) => (theme === 'dark' ? 'dark' : 'light')

export const useTheme = () => useSyncExternalStore(subscribe, getCurrentTheme)

/** Applies immediately and is remembered. */
export function chooseTheme(theme: ThemeName) {
  localStorage.setItem(KEY, theme)
  applyTheme()
}

/** `public/theme.js` set it before the first paint. */
function getCurrentTheme(): ThemeName {
  return (document.documentElement.dataset.theme as ThemeName | undefined) ?? getPreferredTheme()
}

function getPreferredTheme(): ThemeName {
  const stored = themeNames.find((name) => name === localStorage.getItem(KEY))
  return stored ?? (systemIsDark().matches ? 'dark' : 'light')
}

function applyTheme() {
  const theme = getPreferredTheme()
  const root = document.documentElement
  root.dataset.theme = theme
  root.style.colorScheme = getScheme(theme)
  for (const listener of listeners) listener()
}

const systemIsDark = () => matchMedia('(prefers-color-scheme: dark)')
/** A choice in another tab applies here too; null: that tab cleared the storage. */
const onStorage = ({ key }: StorageEvent) => {
  if (key === KEY || key === null) applyTheme()
}

function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    systemIsDark().addEventListener('change', applyTheme)
    addEventListener('storage', onStorage)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    systemIsDark().removeEventListener('change', applyTheme)
    removeEventListener('storage', onStorage)
  }
}
