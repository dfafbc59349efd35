import type { StoreAccess, StoreKeys } from '../server/platforms/platform/access.ts'

interface KeyPair {
  consumerKey: string
  consumerSecret: string
}

const SOME: KeyPair = { consumerKey: 'ck_1', consumerSecret: 'cs_1' }

export const buildWooKeys = ({ consumerKey, consumerSecret }: KeyPair = SOME) =>
  ({ kind: 'woocommerce', consumerKey, consumerSecret }) as const satisfies StoreKeys

/** Address and keys of a WooCommerce store. */
export const buildWooAccess = (storeUrl: string, keys: KeyPair = SOME, homeUrl = storeUrl): StoreAccess => ({
  platform: 'woocommerce',
  storeUrl,
  homeUrl,
  keys: buildWooKeys(keys),
})
