import {
  areKeysSwapped,
  CONSUMER_KEYS_REQUIRED,
  SHOPIFY_CREDENTIALS_REQUIRED,
  SHOPIFY_SECRET_REQUIRED,
  SHOPIFY_TOKEN_REQUIRED,
} from '../../../shared/access/store-problems.ts'
import { storeTexts } from '../../../shared/access/stores.ts'
import type { PlatformName } from '../../../shared/platforms/platforms.ts'
import type { StoreKeys } from '../platform/public.ts'

// Parses keys as an owner enters them (A 5): which keys a platform needs, and the error for a missing one.

export interface TypedKeys {
  consumer_key?: string | null | undefined
  consumer_secret?: string | null | undefined
  client_id?: string | null | undefined
  client_secret?: string | null | undefined
  access_token?: string | null | undefined
  api_secret?: string | null | undefined
}

export function readTypedKeys(platform: PlatformName, typed: TypedKeys): { keys: StoreKeys } | { problem: string } {
  return readers[platform](typed)
}

const readers: Readonly<Record<PlatformName, typeof readWooKeys>> = {
  woocommerce: readWooKeys,
  shopify: readShopifyKeys,
}

function readWooKeys(typed: TypedKeys): { keys: StoreKeys } | { problem: string } {
  const consumerKey = typed.consumer_key?.trim()
  const consumerSecret = typed.consumer_secret?.trim()
  if (!consumerKey || !consumerSecret) return { problem: CONSUMER_KEYS_REQUIRED }
  if (areKeysSwapped(consumerKey, consumerSecret)) return { problem: storeTexts.keysSwapped }
  return { keys: { kind: 'woocommerce', consumerKey, consumerSecret } }
}

/** Uses the form with input; without any input, the form of the specification. */
function readShopifyKeys(typed: TypedKeys): { keys: StoreKeys } | { problem: string } {
  const [clientId, clientSecret] = [typed.client_id?.trim(), typed.client_secret?.trim()]
  const [accessToken, apiSecret] = [typed.access_token?.trim(), typed.api_secret?.trim()]
  if (clientId || clientSecret) {
    if (!clientId || !clientSecret) return { problem: SHOPIFY_CREDENTIALS_REQUIRED }
    return { keys: { kind: 'shopify_app', clientId, clientSecret } }
  }
  if (!accessToken) return { problem: SHOPIFY_TOKEN_REQUIRED }
  if (!apiSecret) return { problem: SHOPIFY_SECRET_REQUIRED }
  return { keys: { kind: 'shopify_token', accessToken, apiSecret } }
}
