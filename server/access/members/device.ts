import Bowser from 'bowser'

/** "Chrome on Windows": enough for people to know their own browser. null for what names none. Pure. */
export function deviceText(userAgent: string | undefined): string | null {
  if (!userAgent) return null
  const { browser, os, platform } = Bowser.parse(userAgent.slice(0, 512))
  if (!browser.name) return null
  const machine = platform.model === 'iPhone' || platform.model === 'iPad' ? platform.model : os.name
  return machine ? `${browser.name} on ${machine}` : browser.name
}
