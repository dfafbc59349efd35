import { type ShopifyStore, type ShopifyStoreOptions, startShopifyStore } from '../shopify/store.ts'

/** Opens the demo's Shopify store as a contract server: free port, in memory, webhooks to this machine allowed. */
export function openShopify(options: Partial<ShopifyStoreOptions> = {}): Promise<ShopifyStore> {
  return startShopifyStore({
    port: 0,
    dataFile: ':memory:',
    allowedWebhookHosts: ['localhost', '127.0.0.1'],
    ...options,
  })
}

export interface ShopifyAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any reply
  data: any
  errors: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[]
  cost: { requestedQueryCost: number; actualQueryCost: number | null; throttleStatus: Record<string, number> }
}

/** Returns a function that queries the store like an app with client id and secret. */
export async function openAppClient(store: ShopifyStore) {
  const token = await requestAppToken(store)
  return async (query: string, variables: Record<string, unknown> = {}, own = token): Promise<ShopifyAnswer> => {
    const answer = await fetch(`${store.url}/admin/api/2026-10/graphql.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-shopify-access-token': own },
      body: JSON.stringify({ query, variables }),
    })
    const {
      data,
      errors = [],
      extensions,
    } = (await answer.json()) as Partial<ShopifyAnswer> & { extensions?: { cost: ShopifyAnswer['cost'] } }
    return {
      status: answer.status,
      data,
      errors: errors as ShopifyAnswer['errors'],
      cost: extensions?.cost as ShopifyAnswer['cost'],
    }
  }
}

export async function requestAppToken(store: ShopifyStore): Promise<string> {
  const { body } = await exchangeCredentials(store, store.keys)
  return String(body.access_token)
}

export async function exchangeCredentials(store: ShopifyStore, keys: { clientId: string; clientSecret: string }) {
  const form = { grant_type: 'client_credentials', client_id: keys.clientId, client_secret: keys.clientSecret }
  const body = new URLSearchParams(form)
  const answer = await fetch(`${store.url}/admin/oauth/access_token`, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as Record<string, string | number> }
}
