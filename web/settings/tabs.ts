import { findScreen, type Screen, screens } from '../../shared/screens.ts'

export interface SettingsTab {
  path: string
  title: string
}

/** The tabs in order; `/settings` shows the first. */
export const settingsTabs: readonly SettingsTab[] = screens.flatMap(({ path, tab }) =>
  tab ? [{ path, title: tab }] : [],
)

/** A screen below a tab, such as `/settings/sending/domain`, belongs to it; any other path to the first. */
export function findTab(pathname: string): SettingsTab {
  const here = getPath(findScreen(pathname))
  return (
    settingsTabs.find(({ path }) => path === here) ??
    settingsTabs.slice(1).find(({ path }) => here.startsWith(`${path}/`)) ??
    settingsTabs[0]!
  )
}

export function findTitle(pathname: string): string {
  const screen = findScreen(pathname)
  return screen && !screen.tab ? screen.title : findTab(pathname).title
}

const getPath = (screen: Screen | null) => screen?.path ?? ''
