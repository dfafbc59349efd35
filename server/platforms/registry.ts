import type { PlatformName, RawDelivery, StoreAccess, StoreClient, StoreEvent } from './platform.ts'
import { createWooCommerceClient, type WooNet } from './woocommerce/client.ts'
import { couponUrl } from './woocommerce/coupons.ts'
import { derivedKeys, PLUGIN_FILE, pluginLink, toldOrders, toldProfile } from './woocommerce/plugin.ts'
import { restoreLink } from './woocommerce/restore.ts'
import { readDelivery } from './woocommerce/webhooks.ts'

// The platforms there are. Everything else asks here by the store's own `platform` and names none.

interface Platform {
  /** Keep one per store. */
  createClient(access: StoreAccess, net: WooNet): StoreClient
  /** null: this secret has not signed it. */
  readDelivery(delivery: RawDelivery, secret: string): StoreEvent | null
  /** The address that brings a cart back; null when none does. */
  restoreLink: typeof restoreLink
  /** Where a member of the shop edits a coupon. */
  couponUrl: (homeUrl: string, couponId: string) => string
  /** A worker for notifications can be served from the root of a shop (decision 75). */
  canHostWorker: boolean
  /** What a shop's plugin tells us, and where it is reached. */
  plugin: {
    /** How its zip is called. */
    file: string
    link: typeof pluginLink
    derivedKeys: typeof derivedKeys
    profile: typeof toldProfile
    orders: typeof toldOrders
  }
}

const plugin = { file: PLUGIN_FILE, link: pluginLink, derivedKeys, profile: toldProfile, orders: toldOrders }

const platforms: Partial<Record<PlatformName, Platform>> = {
  woocommerce: {
    ...{ createClient: createWooCommerceClient, readDelivery, restoreLink, couponUrl },
    canHostWorker: true,
    plugin,
  },
}

/** Those a store can be connected to. */
export const platformsHere = Object.keys(platforms) as PlatformName[]

export function platformOf(name: PlatformName): Platform {
  const platform = platforms[name]
  if (!platform) throw new Error(`No store of the platform ${name} can be connected yet.`)
  return platform
}
