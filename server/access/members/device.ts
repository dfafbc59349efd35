import Bowser from 'bowser'

/** "Chrome on Windows": enough for users to recognise their browser. null for an unknown user agent. Pure. */
export function describeDevice(userAgent: string | undefined): string | null {
  if (!userAgent) return null
  const { browser, os, platform } = Bowser.parse(userAgent.slice(0, 512))
  if (!browser.name) return null
  const machine = platform.model === 'iPhone' || platform.model === 'iPad' ? platform.model : os.name
  return machine ? `${browser.name} on ${machine}` : browser.name
}
