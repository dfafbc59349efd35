import type { Platform, PlatformName, PlatformPlugin } from '../platform/public.ts'
import { shopify } from '../shopify/public.ts'
import { woocommerce } from '../woocommerce/public.ts'

// All platforms. Other code looks them up by the store's `platform` and names none.

const platforms: Readonly<Record<PlatformName, Platform>> = { woocommerce, shopify }

/** Platforms that a store can be connected to. */
export const platformNames = Object.keys(platforms) as PlatformName[]

export const findPlatform = (name: PlatformName): Platform => platforms[name]

/** For a platform that is known to have a plugin. */
export function findPluginProtocol(name: PlatformName): PlatformPlugin {
  const { plugin } = findPlatform(name)
  if (!plugin) throw new Error(`Shops of the platform ${name} have no plugin.`)
  return plugin
}
