import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Text } from '../providers/phone/texts.ts'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { createId } from '../server/core/common/ids.ts'
import { createSecrets } from '../server/core/common/secrets.ts'
import { openDb, openPool } from '../server/core/db/db.ts'
import { waitUntil } from './app-instance.ts'
import { findViolations } from './axe.ts'
import { closePages, openBrowser } from './browser.ts'
import { createOwnerWithoutStore, KEYS } from './owner.ts'
import { type SharedInstance, startSharedInstance } from './shared-instances.ts'

// SMS and WhatsApp from a cart to the built-in phones, and replies from there.

/** German numbers: Meta delivers no marketing to +1 numbers. */
const BEA = '+4915123456001'
const CARL = '+4915123456002'
let store: DemoStore
let instance: SharedInstance
let browser: Browser
let phone: Page
let owner: Awaited<ReturnType<typeof createOwnerWithoutStore>>
const carts = new Map<string, string>()

beforeAll(async () => {
  instance = await startSharedInstance('demo')
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  const product = store.shop.db.sqlite.prepare('select id from products order by id limit 1').get() as { id: number }
  const twoDaysAgo = Math.floor(Date.now() / 1_000) - 172_800
  const shoppers = [
    { email: 'bea@texts.example', first_name: 'Bea', phone: BEA },
    { email: 'carl@texts.example', first_name: 'Carl', phone: CARL },
  ]
  store.insertOrders(
    shoppers.map((shopper) => ({
      status: 'failed' as const,
      createdAt: twoDaysAgo,
      lines: [{ productId: product.id, quantity: 2 }],
      billing: { last_name: 'Koch', country: 'DE', state: '', ...shopper },
    })),
  )
  browser = await openBrowser()
  phone = await (await browser.newContext()).newPage()
  owner = await createOwnerWithoutStore(instance, phone, 'tessa@texts.example')
  await owner.ask('POST', '/api/subscribe/manual-update', { planKey: 'growth' })
  await owner.connect(store)
  await waitUntil(async () => {
    const listed = await owner.ask<{ carts: { id: string; phone: string }[] }>('GET', '/api/carts/abandoned')
    for (const cart of listed.carts) carts.set(cart.phone, cart.id)
    return carts.size === 2
  })
  await prepareShoppers()
})

afterAll(async () => {
  if (browser) await closePages(browser)
  await store?.stop()
})

/** Both have consented to texts, and their quiet hours are off. */
async function prepareShoppers(): Promise<void> {
  const { user } = await owner.ask<{ user: { stores: { id: string }[] } }>('GET', '/api/auth/me')
  const store_id = user.stores[0]!.id
  const db = openDb(openPool({ url: instance.databaseUrl(), max: 1 }))
  const { addressHash } = createSecrets(readFileSync(`${instance.dataDir}/app-secret`, 'utf8').trim())
  const granted = { store_id, status: 'granted' as const, is_confirmed: true, source: 'checkout', at: new Date() }
  const consents = [BEA, CARL].flatMap((number) =>
    (['sms', 'whatsapp'] as const).map((channel) => ({
      ...granted,
      channel,
      id: createId(),
      address_hash: addressHash(number),
    })),
  )
  await db.insertInto('consents').values(consents).execute()
  const quiet = (new Date().getUTCMinutes() + 30) % 60
  const hours = { quiet_from_minute: quiet, quiet_until_minute: quiet + 1 }
  await db.updateTable('stores').set(hours).where('id', '=', store_id).execute()
  await db.destroy()
}

/** Messages sent to a phone, oldest first. */
async function readMessages(number: string, channel: Text['channel']): Promise<Text[]> {
  const reply = await fetch(`${instance.mailboxUrl}/phone/api/texts?phone=${encodeURIComponent(number)}`)
  const { texts } = (await reply.json()) as { texts: Text[] }
  return texts.filter((text) => text.channel === channel && text.direction === 'out')
}

const expectCount = (number: string, channel: Text['channel'], count: number) =>
  expect.poll(async () => (await readMessages(number, channel)).length).toBe(count)

const openPhone = (number: string, channel: Text['channel']) =>
  phone.goto(`${instance.mailboxUrl}/phone?phone=${encodeURIComponent(number)}&channel=${channel}`)
const log = () => phone.getByRole('log', { name: 'Messages' })

/** A text's link leads to the page that restores the shopper's cart. */
async function expectWorkingLink(text: string): Promise<void> {
  const [link] = /https?:\/\/\S+/.exec(text) ?? []
  expect(link).toContain(`${instance.url}/c/`)
  const page = new URL((await fetch(link!)).url)
  expect(page.pathname).toBe('/cart/recover')
  const reply = await fetch(`${instance.url}/api/carts/${page.searchParams.get('cart_id')}`)
  const { cart } = (await reply.json()) as { cart: { shopUrl: string; items: object[] } }
  expect([reply.status, cart.shopUrl, cart.items.length]).toEqual([200, store.url, 1])
}

async function checkPhonePage(): Promise<void> {
  for (const width of [360, 1280]) {
    await phone.setViewportSize({ width, height: 900 })
    const overflow = await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect([width, overflow <= 0]).toEqual([width, true])
  }
  expect(await findViolations(phone)).toEqual([])
}

test('an SMS submitted twice arrives once with a working link, and STOP ends messages until START', {
  tags: ['B2'],
}, async () => {
  const send = () =>
    owner.ask<{ success: boolean }>('POST', '/api/sms/send-reminder', { cartId: carts.get(BEA), storeUrl: store.url })
  const test = () =>
    owner.ask<{ isAccepted?: boolean; error?: string }>('POST', '/api/messages/test-send', {
      cartId: carts.get(BEA),
      channel: 'sms',
      to: BEA,
    })
  const replies = await Promise.all([send(), send()])
  expect(replies).toMatchObject([{ success: true }, { success: true }])
  await waitUntil(async () => (await readMessages(BEA, 'sms'))[0]?.status === 'delivered')
  const [message, ...others] = await readMessages(BEA, 'sms')
  expect(others).toEqual([])
  await expectWorkingLink(message!.body)

  await phone.goto(instance.mailboxUrl)
  await phone.getByRole('link', { name: 'Phones' }).click()
  await phone.getByRole('link', { name: new RegExp(`\\${BEA}`) }).click()
  await log().getByText('delivered').waitFor()
  await phone.getByRole('button', { name: 'STOP' }).click()
  await expectCount(BEA, 'sms', 2)
  await log()
    .getByText((await readMessages(BEA, 'sms'))[1]!.body)
    .waitFor()
  await checkPhonePage()
  expect((await test()).error).toMatch(/STOP|unsubscribed/i)
  expect(await readMessages(BEA, 'sms')).toHaveLength(2)
  await phone.getByRole('button', { name: 'START' }).click()
  await expectCount(BEA, 'sms', 3)
  expect(await test()).toMatchObject({ isAccepted: true })
  await expectCount(BEA, 'sms', 4)
})

test('a WhatsApp message arrives once from its template, is reported as read, and HELP is answered', {
  tags: ['B2', 'B8'],
}, async () => {
  const cartId = carts.get(CARL)!
  const { results } = await owner.ask<{ results: { successful: object[]; failed: object[] } }>(
    ...(['POST', '/api/whatsapp/send-bulk', { cartIds: [cartId], storeUrl: store.url }] as const),
  )
  expect([results.successful.length, results.failed]).toEqual([1, []])
  await expectCount(CARL, 'whatsapp', 1)
  const [message] = await readMessages(CARL, 'whatsapp')
  expect(message!.body).toContain('Hi Carl, you left something in your cart')
  await expectWorkingLink(message!.url!)

  await openPhone(CARL, 'whatsapp')
  await log().getByText('Hi Carl, you left something in your cart').waitFor()
  const outcome = async () =>
    (await owner.ask<{ message: { outcome: string } | null }>('GET', `/api/carts/${cartId}/last-message`)).message
      ?.outcome
  await waitUntil(async () => (await outcome()) === 'read')
  await phone.getByRole('textbox', { name: 'Reply' }).fill('Help')
  await phone.getByRole('button', { name: 'Send' }).click()
  await expectCount(CARL, 'whatsapp', 2)
})
