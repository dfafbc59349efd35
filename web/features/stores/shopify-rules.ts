import { normalizeStoreUrl } from '../../../shared/access/store-problems.ts'
import { storeTexts } from '../../../shared/access/stores.ts'

// Input checks of the Shopify forms. Pure.

export interface ShopifyForm {
  store_url: string
  kind: 'app' | 'token'
  client_id: string
  client_secret: string
  access_token: string
  api_secret: string
}

export const noShopifyKeys: Omit<ShopifyForm, 'store_url'> = {
  kind: 'app',
  client_id: '',
  client_secret: '',
  access_token: '',
  api_secret: '',
}

/** Permissions required to connect. */
export const SCOPES = ['read_orders', 'read_customers', 'read_products', 'write_discounts'] as const

/** Fields are required in their own form only (decision 133); texts are the specification's (A 5). */
export function checkShopifyKeys(form: ShopifyForm): Partial<Record<keyof ShopifyForm, string>> {
  const problems: Partial<Record<keyof ShopifyForm, string>> = {}
  const url = normalizeStoreUrl('shopify', form.store_url)
  if (!url.ok) problems.store_url = url.message
  const isMissing = (name: keyof ShopifyForm) => form[name].trim() === ''
  if (form.kind === 'app') {
    if (isMissing('client_id')) problems.client_id = storeTexts.clientRequired
    if (isMissing('client_secret')) problems.client_secret = storeTexts.clientRequired
  } else {
    if (isMissing('access_token')) problems.access_token = storeTexts.tokenRequired
    if (isMissing('api_secret')) problems.api_secret = storeTexts.apiSecretRequired
  }
  return problems
}

/** Sends the selected form's fields only. */
export const toShopifyKeys = (form: ShopifyForm) =>
  form.kind === 'app'
    ? { client_id: form.client_id.trim(), client_secret: form.client_secret.trim() }
    : { access_token: form.access_token.trim(), api_secret: form.api_secret.trim() }
