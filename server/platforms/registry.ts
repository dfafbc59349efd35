import type { Platform, PlatformPlugin } from './kind.ts'
import type { PlatformName } from './platform.ts'
import { woocommerce } from './woocommerce/platform.ts'

// The platforms there are. Everything else asks here by the store's own `platform` and names none.

const platforms: Partial<Record<PlatformName, Platform>> = { woocommerce }

/** Those a store can be connected to. */
export const platformsHere = Object.keys(platforms) as PlatformName[]

export function platformOf(name: PlatformName): Platform {
  const platform = platforms[name]
  if (!platform) throw new Error(`No store of the platform ${name} can be connected yet.`)
  return platform
}

/** Of a platform that is known to have one. */
export function pluginOf(name: PlatformName): PlatformPlugin {
  const { plugin } = platformOf(name)
  if (!plugin) throw new Error(`Shops of the platform ${name} have no plugin.`)
  return plugin
}
