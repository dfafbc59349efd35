import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAppClient, openShopify } from '../providers/contracts/shopify.ts'
import type { ShopifyStore } from '../providers/shopify/store.ts'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import type { FlowView } from '../shared/marketing/flows.ts'
import type { CaptureMode } from '../shared/shoppers/capture-mode.ts'
import { buildSavedSteps } from '../test/flow-edits.ts'
import { listMails, readMail, waitUntil } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { addUnfinishedOrders, createAddress, createOwner, createOwnerWithoutStore, type ListedCart } from './owner.ts'
import { type SharedInstance, startSharedInstance } from './shared-instances.ts'

const MINUTE_MS = 60_000
const ANA = createAddress('ana', 'gardens.example')
let instance: SharedInstance
let browser: Browser
let woo: DemoStore
let shopify: ShopifyStore
/** How far the shop's clock is behind: actions now count as done that long ago. */
let behindMs = 0

beforeAll(async () => {
  woo = await startDemoStore({ port: 0, dataFile: ':memory:' })
  shopify = await openShopify({ now: () => Date.now() - behindMs, pastDays: 2 })
  // Sells nothing: the account has the largest plan.
  instance = await startSharedInstance('free')
  browser = await openBrowser()
})

afterAll(async () => {
  if (browser) await closePages(browser)
  await shopify?.stop()
  await woo?.stop()
})

/** Skips the hour until the first reminder by backdating the abandonment and the flow's activation. */
async function backdateByHour(): Promise<void> {
  const shift = `with left_behind as (
      update carts set started_at = started_at - interval '1 hour', last_activity_at = last_activity_at - interval '1 hour',
        abandon_at = abandon_at - interval '1 hour'
      where email = $1 and customer_name = 'Ana Lopez' and status = 'active' returning store_id, shopper_id),
    switched as (update flows f set takes_from = f.takes_from - interval '1 hour' from left_behind l where f.store_id = l.store_id)
    update facts f set at = f.at - interval '1 hour' from left_behind l where f.store_id = l.store_id and f.shopper_id = l.shopper_id`
  const client = new pg.Client(instance.databaseUrl())
  await client.connect()
  try {
    await waitUntil(async () => (await client.query(shift, [ANA])).rowCount! > 0)
  } finally {
    await client.end()
  }
}

/** Webhooks as an app's own configuration subscribes them: this server has no public address to do so itself. */
async function subscribe(captureKey: string, shop = shopify): Promise<void> {
  const ask = await openAppClient(shop)
  const uri = `${instance.url}/api/webhooks/shopify/${captureKey}`
  const query = `mutation W($topic: WebhookSubscriptionTopic!, $uri: String!) {
    webhookSubscriptionCreate(topic: $topic, webhookSubscription: { uri: $uri }) { userErrors { message } } }`
  for (const topic of ['CARTS_UPDATE', 'CHECKOUTS_CREATE', 'CHECKOUTS_UPDATE', 'ORDERS_CREATE', 'ORDERS_PAID']) {
    const { data } = await ask(query, { topic, uri })
    expect(data.webhookSubscriptionCreate).toEqual({ userErrors: [] })
  }
}

/** Puts a watering can into the cart and leaves the checkout after typing an email. */
async function abandonCheckout(shop: Page) {
  // In its first ten minutes the checkout's own address leads to the front page.
  behindMs = 11 * MINUTE_MS
  await shop.goto(`${shopify.url}/products/copper-watering-can`)
  // The script reports the cart before a checkout exists.
  const reported = shop.waitForResponse('**/api/capture/**')
  await shop.getByRole('button', { name: 'Add to cart' }).click()
  await reported
  await shop.getByRole('link', { name: 'View cart' }).click()
  await shop.getByRole('link', { name: 'Check out' }).click()
  await shop.getByRole('heading', { level: 1, name: 'Checkout' }).waitFor()
  behindMs = 0
  await shop.getByLabel('First name').fill('Ana')
  await shop.getByLabel('Last name').fill('Lopez')
  await shop.getByLabel('Email me with news and offers').check()
  // Typed last: activity after the hour would restart it.
  await shop.getByLabel('Email', { exact: true }).fill(ANA)
  await shop.getByLabel('Email', { exact: true }).blur()
}

test('a checkout abandoned in a Shopify store is recovered by its mail, and the same shopper’s WooCommerce cart stays unchanged', async () => {
  addUnfinishedOrders(woo, [{ status: 'checkout-draft', email: ANA, name: 'Ana' }])
  const owner = await (await browser.newContext()).newPage()
  const { ask } = await createOwner(instance, woo, owner)
  const findCart = async (email: string) => {
    const { carts } = await ask<{ carts: ListedCart[] }>(
      'GET',
      `/api/carts/abandoned?search=${encodeURIComponent(email)}`,
    )
    return carts.find((cart) => cart.customer_email === email)
  }
  const { clientId, clientSecret } = shopify.keys
  const { store } = await ask<{ store: { id: string; captureKey: string } }>('POST', '/api/stores/connect-store', {
    platform: 'shopify',
    store_url: shopify.url,
    client_id: clientId,
    client_secret: clientSecret,
  })
  await ask('PUT', '/api/stores/settings', {
    senderName: 'Fern & Finch',
    postalAddress: '2210 SE Clinton St, Portland, OR 97202',
  })
  await subscribe(store.captureKey)
  shopify.setThemeHead(`<script src="${instance.url}/capture/${store.captureKey}.theme.js" defer></script>`)
  const now = Date.now()
  const { coupon } = await ask<{ coupon: { _id: string; code: string } }>('POST', '/api/coupons', {
    code: 'FERN10',
    type: 'percentage',
    amount: 10,
    startDate: new Date(now - MINUTE_MS).toISOString(),
    endDate: new Date(now + 7 * 86_400_000).toISOString(),
  })
  const [flow] = (await ask<{ flows: FlowView[] }>('GET', '/api/flows')).flows
  const onFirst = { couponId: coupon._id, fallback: 'skip', firstOrderOnly: false, pauseDays: null, aboveAmount: null }
  const steps = buildSavedSteps(flow!.steps, ({ step }) => (step === 1 ? { coupon: onFirst } : {}))
  await ask('PUT', `/api/flows/${flow!.id}`, { name: flow!.name, steps })
  expect(await ask('POST', `/api/flows/${flow!.id}/switch`, { isOn: true })).toMatchObject({ flow: { isOn: true } })

  const shop = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
  await abandonCheckout(shop)
  const fetchConnection = () => ask<{ store: { captureSeenAt: string | null } }>('GET', '/api/stores/check-connection')
  await waitUntil(async () => (await fetchConnection()).store.captureSeenAt !== null)
  await backdateByHour()
  await waitUntil(async () => (await listMails(instance, ANA)).length > 0)
  const [summary] = await listMails(instance, ANA)
  const { html, text } = await readMail(instance, summary!.id)
  expect(html).toContain(coupon.code)
  expect(html).toContain('Copper Watering Can')
  expect(`${summary!.subject}${html}${text}`).not.toMatch(/\{\{|Maple/)

  // Another browser, without the cart the link restores.
  const phone = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
  await phone.goto(/https?:\/\/[^\s"<>]+\/c\/[\w-]+/.exec(html)![0])
  await phone.getByRole('button', { name: 'Restore Cart' }).click()
  await phone.getByText('Cart restored! You can now continue shopping or checkout.').waitFor()
  await phone.getByRole('link', { name: 'Continue to checkout' }).click()
  await phone.waitForURL(`${shopify.url}/checkouts/cn/**`)
  await phone.getByText(coupon.code, { exact: true }).waitFor()
  await expect.poll(() => phone.getByLabel('Email', { exact: true }).inputValue()).toBe(ANA)
  await phone.getByLabel('Address', { exact: true }).fill('1 Alder St')
  await phone.getByLabel('City').fill('Portland')
  await phone.getByLabel('ZIP code').fill('97202')
  await phone.getByRole('button', { name: 'Pay now' }).click()
  await phone.getByRole('heading', { name: 'Thank you, Ana!' }).waitFor()
  await expect.poll(() => findCart(ANA), { interval: 500 }).toMatchObject({ status: 'Recovered' })
  const { order, messages } = await ask<{
    order: { attributedMessageId: string | null } | null
    messages: { id: string; step: number; state: string; reason: string | null }[]
  }>('GET', `/api/carts/${(await findCart(ANA))!.id}/messages`)
  expect(messages[0]).toMatchObject({ step: 1, state: 'sent' })
  expect(order?.attributedMessageId).toBe(messages[0]!.id)
  expect(messages[1]).toMatchObject({ step: 2, state: 'cancelled', reason: 'purchased' })
  expect(await listMails(instance, ANA)).toHaveLength(1)

  const switchTo = async (platform: RegExp, name: string) => {
    await owner.getByRole('button', { name: /^Store menu/ }).click()
    await owner.getByRole('menuitem', { name: platform }).click()
    await owner
      .getByRole('button', { name: /^Store menu/ })
      .getByText(name)
      .waitFor()
  }
  await owner.goto(`${instance.url}/carts`)
  await switchTo(/Shopify/, 'Fern & Finch')
  await owner.getByRole('row', { name: new RegExp(`${ANA}.*Recovered`) }).waitFor()
  await switchTo(/WooCommerce/, 'Maple & Clay')
  await owner.getByRole('row', { name: new RegExp(`${ANA}.*No Action`) }).waitFor()
  expect(await findCart(ANA)).toMatchObject({ status: 'No Action' })
  expect(shopify.faults.log.flatMap(({ codes }) => codes)).not.toContain('NOT_MODELLED')
})

describe('before consent (C9)', () => {
  let shop: ShopifyStore
  let ask: Awaited<ReturnType<typeof createOwnerWithoutStore>>['ask']
  let storeId: string
  let db: pg.Pool

  beforeAll(async () => {
    shop = await openShopify()
    db = new pg.Pool({ connectionString: instance.databaseUrl(), max: 2 })
    ask = (await createOwnerWithoutStore(instance, await (await browser.newContext()).newPage())).ask
    const { clientId, clientSecret } = shop.keys
    const { store } = await ask<{ store: { id: string; captureKey: string } }>('POST', '/api/stores/connect-store', {
      platform: 'shopify',
      store_url: shop.url,
      client_id: clientId,
      client_secret: clientSecret,
    })
    storeId = store.id
    await subscribe(store.captureKey, shop)
    // The first import ends with its customers.
    const imported = `select count(*)::int as n from sync_state where store_id = $1 and stream = 'customers' and completed_at is not null`
    await waitUntil(async () => (await count(imported)) > 0)
    shop.setThemeHead(`<script src="${instance.url}/capture/${store.captureKey}.theme.js" defer></script>`)
  })

  afterAll(async () => {
    await db?.end()
    await shop?.stop()
  })

  const TABLES = [
    ...(['carts', 'facts', 'shoppers', 'shopper_keys', 'capture_inbox', 'orders', 'consent_box_views'] as const),
    'customers',
  ] as const

  /** Number of the store's rows per table, and which of them contain this text. */
  async function rows(text: string) {
    const all = await Promise.all(
      TABLES.map(async (table) => {
        const counts = `count(*)::int as rows, count(*) filter (where strpos(t::text, $2) > 0)::int as named`
        const { rows } = await db.query(`select ${counts} from ${table} t where store_id = $1`, [storeId, text])
        return [table, rows[0]] as const
      }),
    )
    const pickColumn = (name: 'rows' | 'named') =>
      Object.fromEntries(all.map(([table, row]) => [table, row[name] as number]))
    return { rows: pickColumn('rows'), named: pickColumn('named') }
  }

  const count = async (statement: string): Promise<number> => (await db.query(statement, [storeId])).rows[0].n

  const EVENTS = `select count(*)::int as n from webhook_events where store_id = $1 and topic = 'checkouts/update'`

  /** The shop's checkout webhook has been processed. */
  async function waitUntilProcessed(eventsBefore: number): Promise<void> {
    await waitUntil(async () => (await count(EVENTS)) > eventsBefore)
    const jobs = `select count(*)::int as n from pgboss.job
      where data ->> 'storeId' = $1 and state < 'completed' and start_after <= now()`
    await waitUntil(async () => (await count(jobs)) === 0)
  }

  async function openShopper() {
    const page = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
    const posts: { contact?: object; device?: string; agreed?: boolean; items?: object[] }[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/capture/')) posts.push(JSON.parse(request.postData() ?? '{}'))
    })
    const readKeys = () =>
      page.evaluate(() =>
        [localStorage, sessionStorage].map(
          (storage) => Object.keys(storage).filter((key) => /recoup/.test(key)).length > 0,
        ),
      )
    return { page, posts, keys: readKeys }
  }

  type Shopper = Awaited<ReturnType<typeof openShopper>>

  /** A cart, and an address typed at the checkout with its consent box unticked. */
  async function shopAround({ page, posts }: Shopper, email: string, mode: CaptureMode): Promise<void> {
    await page.goto(`${shop.url}/products/copper-watering-can`)
    await page.getByRole('button', { name: 'Add to cart' }).click()
    // The checkout has no script. Where nothing is reported, give the script time to do so.
    if (mode === 'nothing') await page.waitForTimeout(2_000)
    else await waitUntil(async () => posts.length > 0)
    await page.getByRole('link', { name: 'View cart' }).click()
    await page.getByRole('link', { name: 'Check out' }).click()
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Email', { exact: true }).blur()
    await page.locator('[data-checkout][data-kept="1"]').waitFor()
  }

  test.each<[mode: CaptureMode, keys: [lasting: boolean, ofVisit: boolean]]>([
    ['nothing', [false, false]],
    ['cart_only', [false, true]],
    ['cart_and_contact', [true, false]],
  ])('%s: limits what the browser sends and stores, and which rows exist, before and after consent', async (mode, keys) => {
    const email = createAddress('zoe', 'gardens.example')
    const legalGround = 'Our shoppers agree to it by contract.'
    expect(await ask('PUT', '/api/consent/capture', { mode, legalGround })).toMatchObject({ mode })
    const before = await rows(email)
    const events = await count(EVENTS)
    const shopper = await openShopper()
    await shopAround(shopper, email, mode)
    await waitUntilProcessed(events)
    // The shop created a customer for the address.
    const sync = async () => expect(await ask('POST', '/api/stores/sync', {})).toMatchObject({ success: true })
    await sync()
    const known = await rows(email)
    expect(await shopper.keys()).toEqual(keys)
    if (mode === 'nothing') expect([shopper.posts, known]).toEqual([[], before])
    else {
      expect(known.rows.carts).toBe(before.rows.carts! + 1)
      expect(shopper.posts.some(({ items }) => items)).toBe(true)
    }
    if (mode === 'cart_only') {
      expect(known.named).toEqual(before.named)
      expect(shopper.posts.filter(({ contact, device, agreed }) => contact || device || agreed)).toEqual([])
    }
    if (mode === 'cart_and_contact') {
      await expect.poll(async () => (await rows(email)).named.carts).toBe(1)
      expect(shopper.posts.every(({ device }) => device)).toBe(true)
    }

    // Consent: at the checkout for the address, and in the shop's consent tool for the pages.
    await shopper.page.getByLabel('Email me with news and offers').check()
    await shopper.page.locator('[data-checkout][data-kept="2"]').waitFor()
    await shopper.page.goto(shop.url)
    await shopper.page.evaluate(() => {
      Object.assign(window, { Shopify: { customerPrivacy: { currentVisitorConsent: () => ({ marketing: 'yes' }) } } })
      document.dispatchEvent(new CustomEvent('visitorConsentCollected'))
    })
    await expect.poll(() => shopper.keys()).toEqual([true, false])
    // Already reported data is not reported again.
    if (mode === 'nothing')
      await expect.poll(() => shopper.posts.some(({ agreed, device, items }) => agreed && device && items)).toBe(true)
    const carts = () =>
      db.query(`select items from carts where store_id = $1 and email = $2 and status <> 'merged'`, [storeId, email])
    await expect
      .poll(async () => (await carts()).rows, { timeout: 30_000 })
      .toEqual([{ items: [expect.objectContaining({ quantity: 1 })] }])
    await sync()
    expect((await rows(email)).named.customers).toBe(1)
  })
})
