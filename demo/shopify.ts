import type { StoreRow } from '../server/access/stores/sql.ts'
import { hasBrand, saveBrand } from '../server/carts/brand/brand.ts'
import type { Deps, ShopifyDemo } from '../server/deps.ts'
import { connectStore } from '../server/workspace/store-settings/connect.ts'
import { type BrandFields, DEFAULT_BRAND_FIELDS } from '../shared/messages/brand.ts'
import { findConnectedStore } from './find-store.ts'
import { switchOnFlows } from './flows.ts'
import * as sql from './sql.ts'

// The demo account's second store, on Shopify. Its past comes from the normal import.

/** The colors of the demo store's own pages. */
const BRAND: BrandFields = {
  ...DEFAULT_BRAND_FIELDS,
  button: '#2f5d3a',
  text: '#1f2a21',
  ground: '#ffffff',
  accent: '#2f5d3a',
  fontStack: 'georgia',
  radius: 6,
  promise: 'Packed in Portland · 30 days to return',
  footerWords: 'Seeds, bulbs and tools for small gardens.',
}
const SENDER = { name: 'Fern & Finch', postalAddress: 'Fern & Finch, 2210 SE Clinton St, Portland, OR 97202, USA' }

/** Idempotent. Requires a listening store, because connecting calls it. */
export async function ensureShopifyStore(deps: Deps, accountId: string, shopify: ShopifyDemo): Promise<void> {
  const sought = { storeUrl: shopify.storeUrl, keys: { kind: 'shopify_app', ...shopify.keys } as const }
  const store = (await findConnectedStore(deps, accountId, sought)) ?? (await connect(deps, accountId, shopify))
  const handle = { storeId: store.id, db: deps.db }
  await sql.saveSender(handle, SENDER)
  await switchOnFlows(deps, store.id)
  if (!(await hasBrand(handle))) await saveBrand(deps, handle, { look: BRAND })
  const script = `${deps.config.publicUrl}/capture/${store.capture_key}.theme.js`
  shopify.setThemeHead(`<script src="${script}" defer></script>`)
}

async function connect(deps: Deps, accountId: string, shopify: ShopifyDemo): Promise<StoreRow> {
  const { store } = await connectStore(
    deps,
    { accountId, sessionId: null },
    {
      platform: 'shopify',
      store_url: shopify.storeUrl,
      client_id: shopify.keys.clientId,
      client_secret: shopify.keys.clientSecret,
    },
  )
  return store
}
