import { hashPassword } from '../server/access/members/passwords.ts'
import { listDemoStoreUrls } from '../server/access/stores/demo-stores.ts'
import type { StoreRow } from '../server/access/stores/sql.ts'
import { savePlan } from '../server/billing/billing/sql.ts'
import { confirmLogo, findOpenProposal, hasBrand, saveBrand } from '../server/carts/brand/brand.ts'
import { proposeLogo } from '../server/carts/brand/proposals.ts'
import { createId } from '../server/core/common/ids.ts'
import { createToken } from '../server/core/common/secrets.ts'
import { transactAccount } from '../server/core/db/db.ts'
import { ensureKey } from '../server/delivery/push/keys.ts'
import type { DemoParts, Deps } from '../server/deps.ts'
import { demoOwner, insertAccount, insertMember, insertUser } from '../server/workspace/accounts/sql.ts'
import { connectStore } from '../server/workspace/store-settings/connect.ts'
import { type BrandFields, DEFAULT_BRAND_FIELDS } from '../shared/messages/brand.ts'
import { findConnectedStore } from './find-store.ts'
import { switchOnFlows } from './flows.ts'
import { ensureShopifyStore } from './shopify.ts'
import * as sql from './sql.ts'

// The demo account (decision 29): a real account connected to the demo store that runs in the same process. Created
// once and updated at every start. history.ts generates its past.

const EMAIL = 'demo@recoup.example'
/** The colors of the demo store's own pages. */
const BRAND: BrandFields = {
  ...DEFAULT_BRAND_FIELDS,
  button: '#a4451f',
  text: '#2b221c',
  ground: '#ffffff',
  accent: '#a4451f',
  fontStack: 'georgia',
  radius: 12,
  promise: 'Ships from Burlington within two days · 30 days to return',
  footerWords: 'Small-batch pottery, coffee and tea from Burlington, Vermont.',
}
const SENDER = { name: 'Maple & Clay', postalAddress: 'Maple & Clay, 12 Kiln Road, Burlington, VT 05401, USA' }

export interface DemoAccount {
  accountId: string
  storeId: string
}

/** Idempotent. Requires a listening demo store, because connecting calls it. */
export async function ensureDemoAccount(deps: Deps, demo: DemoParts): Promise<DemoAccount> {
  const accountId = (await demoOwner(deps.db))?.account_id ?? (await createAccount(deps))
  const lookup = { storeUrl: demo.storeUrl, keys: { kind: 'woocommerce', ...demo.keys } as const }
  const store = (await findConnectedStore(deps, accountId, lookup)) ?? (await connectStoreAgain(deps, accountId, demo))
  await sql.saveSender({ storeId: store.id, db: deps.db }, SENDER)
  await switchOnFlows(deps, store.id)
  await applyBrand(deps, store.id)
  const scriptUrl = `${deps.config.publicUrl}/capture/${store.capture_key}.js`
  demo.setCapture({ scriptUrl, storeKey: store.capture_key })
  await setUpPush(deps, demo, store)
  if (demo.shopify) {
    await ensureShopifyStore(deps, accountId, demo.shopify)
    await sql.sortStoreFirst({ accountId, db: deps.db }, demo.storeUrl)
  }
  return { accountId, storeId: store.id }
}

/**
 * Installs push widget and worker in the demo store with the code for functions.php, because the store is connected
 * with keys and has no plugin. The visitor may switch push notifications on.
 */
async function setUpPush(deps: Deps, demo: DemoParts, store: StoreRow): Promise<void> {
  await ensureKey(deps, { storeId: store.id, db: deps.db })
  const publicUrl = deps.config.publicUrl
  const line = `src="${publicUrl}/push/${store.capture_key}.js" data-method="functions" data-store-url="${store.url}"`
  demo.setPush({ head: `<script ${line} defer></script>`, workerUrl: `${publicUrl}/push/sw.js` })
}

/** The password is random and unknown, so "Try the live demo" is the only way to sign in. */
async function createAccount(deps: Deps): Promise<string> {
  const account = { accountId: createId(), db: deps.db }
  const now = deps.now()
  const passwordHash = await hashPassword(createToken())
  await transactAccount(account, async (tx) => {
    const userId = (await sql.findUserId(tx.db, EMAIL)) ?? createId()
    await insertUser(tx.db, { id: userId, email: EMAIL, name: 'Demo', passwordHash, now, isConfirmed: true })
    await insertAccount(tx, 'Maple & Clay (demo)', now)
    await sql.markDemo(tx)
    await insertMember(tx, userId, 'owner', now)
    await savePlan(tx, { plan: 'growth', source: 'default' }, now)
  })
  return account.accountId
}

/** A demo store at another address (another port) counts as a new store. Deletes the old one's data. */
async function connectStoreAgain(deps: Deps, accountId: string, demo: DemoParts): Promise<StoreRow> {
  const account = { accountId, db: deps.db }
  await sql.deleteOtherStores(account, listDemoStoreUrls(demo))
  const { store } = await connectStore(
    deps,
    { accountId, sessionId: null },
    {
      platform: 'woocommerce',
      store_url: demo.storeUrl,
      consumer_key: demo.keys.consumerKey,
      consumer_secret: demo.keys.consumerSecret,
    },
  )
  return store
}

/** Applies the shop's look and logo to its emails once, so that a visitor's changes stay. */
async function applyBrand(deps: Deps, storeId: string): Promise<void> {
  const store = { storeId, db: deps.db }
  if (await hasBrand(store)) return
  await saveBrand(deps, store, { look: BRAND })
  await proposeLogo(deps, store)
  const proposed = await findOpenProposal(store)
  if (proposed) await confirmLogo(deps, store, proposed)
}
