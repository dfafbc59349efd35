import { mkdirSync, readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { openDb, openPool } from '../server/core/db.ts'
import { newId } from '../server/core/ids.ts'
import { createSecrets } from '../server/core/secrets.ts'
import { reminderTexts } from '../shared/reminders.ts'
import { type AppInstance, anAppInstance, until } from './app-instance.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'
import { anOwner, KEYS } from './owner.ts'

// The built-in phones: a message of a cart arrives on one, somebody answers there, and Recoup does what was asked of it.

const ADA = '+14155550134'
/** Meta delivers no marketing to numbers of +1. */
const BEA = '+493012345001'
const CARL = '+493012345002'
const shots = process.env.SCREENSHOTS
let store: DemoStore
let instance: AppInstance
let browser: Browser
let phone: Page
let owner: Awaited<ReturnType<typeof anOwner>>
let page: Page
let cartId: string

beforeAll(async () => {
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  const product = store.shop.db.sqlite.prepare('select id from products order by id limit 1').get() as { id: number }
  const billing = { email: 'ada@customers.example', first_name: 'Ada', last_name: 'Miller', country: 'US', state: 'CA' }
  const twoDaysAgo = Math.floor(Date.now() / 1_000) - 172_800
  const lines = [{ productId: product.id, quantity: 2 }]
  const german = { last_name: 'Koch', country: 'DE', state: '' }
  store.insertOrders([
    { status: 'failed', createdAt: twoDaysAgo, billing: { ...billing, phone: ADA }, lines },
    ...[
      { ...german, email: 'bea@customers.example', first_name: 'Bea', phone: BEA },
      { ...german, email: 'carl@customers.example', first_name: 'Carl', phone: CARL },
    ].map((shopper) => ({ status: 'failed' as const, createdAt: twoDaysAgo, billing: shopper, lines })),
  ])
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  phone = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  owner = await anOwner(instance, store, page)
  await owner.ask('POST', '/api/subscribe/manual-update', { planKey: 'growth' })
  await until(async () => {
    const { carts } = await owner.ask<{ carts: { id: string; phone: string }[] }>('GET', '/api/carts/abandoned')
    cartId = carts.find((cart) => cart.phone === ADA)?.id ?? ''
    return cartId !== '' && carts.length === 3
  }, 60_000)
  if (shots) mkdirSync(shots, { recursive: true })
}, 150_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await store?.stop()
})

const tryOut = (channel: string) =>
  owner.ask<{ isAccepted?: boolean; response?: string; error?: string }>('POST', '/api/messages/test-send', {
    ...{ cartId, channel, to: ADA },
  })

const log = () => phone.getByRole('log', { name: 'Messages' })

/** As a person sees it, wide and narrow. */
async function look(name: string) {
  for (const [width, scheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const) {
    await phone.setViewportSize({ width, height: 900 })
    await phone.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    const overflow = await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect([name, width, overflow <= 0]).toEqual([name, width, true])
    const { violations } = await axeOf(phone).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
    if (shots) await phone.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true })
  }
  await phone.setViewportSize({ width: 1280, height: 900 })
}

test('the phones are one click from the mailbox, and say what will come', async () => {
  await phone.goto(instance.mailboxUrl)
  await phone.getByRole('link', { name: 'Phones' }).click()
  await phone.getByText('No messages yet').waitFor()
  await look('phones-empty')
})

test('an SMS arrives by itself, with a link, and is delivered', async () => {
  expect(await tryOut('sms')).toMatchObject({ isAccepted: true, response: 'queued' })
  await phone.getByRole('link', { name: new RegExp(`\\${ADA}`) }).click()
  await log().getByText('delivered').waitFor({ timeout: 15_000 })
  expect(await log().getByRole('link').first().getAttribute('href')).toContain(`${instance.url}/`)
})

test('STOP is confirmed on the phone, and nothing more is sent until START', async () => {
  await phone.getByRole('button', { name: 'STOP' }).click()
  await log().getByText('you will get no more messages from us here').waitFor()
  expect((await tryOut('sms')).error).toMatch(/STOP|unsubscribed/i)
  await look('phones-stopped')
  await phone.getByRole('button', { name: 'START' }).click()
  await log().getByText('you get our messages again').waitFor()
  expect(await tryOut('sms')).toMatchObject({ isAccepted: true })
})

test('a WhatsApp message comes by template; HELP is answered in words of its own', async () => {
  await tryOut('whatsapp')
  await phone.goto(`${instance.mailboxUrl}/phone?phone=${encodeURIComponent(ADA)}&channel=whatsapp`)
  await log().getByText('you left something in your cart').waitFor({ timeout: 15_000 })
  await phone.getByRole('textbox', { name: 'Reply' }).fill('Help')
  await phone.getByRole('button', { name: 'Send' }).click()
  await log().getByText('reminders of carts you left').waitFor({ timeout: 20_000 })
  await look('phones-whatsapp')
})

/** Both have agreed to WhatsApp, and it is no quiet hour anywhere. */
async function consentOf(phones: string[]) {
  const db = openDb(openPool({ url: instance.databaseUrl(), max: 1 }))
  const { addressHash } = createSecrets(readFileSync(`${instance.dataDir}/app-secret`, 'utf8').trim())
  const { id: store_id } = await db.selectFrom('stores').select('id').executeTakeFirstOrThrow()
  const word = {
    store_id,
    channel: 'whatsapp' as const,
    status: 'granted' as const,
    source: 'checkout',
    at: new Date(),
  }
  await db
    .insertInto('consents')
    .values(phones.map((each) => ({ ...word, id: newId(), address_hash: addressHash(each) })))
    .execute()
  const quiet = (new Date().getUTCMinutes() + 30) % 60
  await db
    .updateTable('stores')
    .set({ quiet_from_minute: quiet, quiet_until_minute: quiet + 1 })
    .execute()
  await db.destroy()
}

test('an SMS shows what it costs, why nobody gets it, and how plain signs make it shorter', async () => {
  await page.goto(`${instance.url}/carts`)
  await page.getByRole('button', { name: 'Send SMS to Bea Koch' }).click()
  const form = page.getByRole('dialog', { name: 'Send SMS Reminder' })
  await form.getByText('This won’t be sent, and it costs nothing. Reason:').waitFor()
  expect(await form.getByRole('button', { name: 'Send Now' }).isDisabled()).toBe(true)
  await form.getByText(/^\d segments? · \$0\.\d+$/).waitFor()
  await form.getByRole('button', { name: 'Change the text' }).click()
  const text = form.getByLabel('Text', { exact: true })
  expect(await text.inputValue()).toContain('{{ checkout_link }}')
  await text.fill('Hi {{ customer_name }} – your cart at {{ store_name }} is “still” here: {{ checkout_link }}')
  await form.getByText('With plain characters, it takes 1 segment instead of 3.').waitFor()
  const { violations } = await axeOf(page).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
  if (shots) await page.screenshot({ path: `${shots}/sms-signs.png` })
  await form.getByRole('button', { name: 'Use plain characters' }).click()
  await form.getByText(/^1 segment · /).waitFor()
  expect(await text.inputValue()).toContain('is "still" here')
  await text.fill('Hi {{ customer_name ')
  await form.getByText(/^The message has a “{{” without the “}}” that closes it/).waitFor()
  await form.getByRole('button', { name: 'Use the default text' }).click()
  await form.getByText(/^2 segments · /).waitFor()
  await page.keyboard.press('Escape')
})

test('WhatsApp goes from the carts screen by its template, to one and to many, and says when it was read', async () => {
  await consentOf([BEA, CARL])
  await page.goto(`${instance.url}/carts`)
  await page.getByRole('button', { name: 'Send WhatsApp message to Bea Koch' }).click()
  const form = page.getByRole('dialog', { name: 'Send WhatsApp Reminder' })
  await form.getByText('Hi Bea, you left something in your cart').waitFor()
  await form.getByText(/^Price: \$0\.\d+\.$/).waitFor()
  expect(await form.getByRole('button', { name: 'Change the text' }).count()).toBe(0)
  const told = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor()
  await Promise.all([told(reminderTexts.whatsappSent), form.getByRole('button', { name: 'Send Now' }).click()])
  await page
    .getByRole('row', { name: /Bea Koch/ })
    .getByText('WhatsApp Sent')
    .waitFor()

  await page.getByRole('checkbox', { name: 'Select the cart of Carl Koch' }).check()
  await page.getByLabel('Bulk action').selectOption('Send WhatsApp')
  await page.getByRole('button', { name: 'Apply' }).click()
  await Promise.all([
    told('WhatsApp sending completed! Successful: 1, Failed: 0'),
    form.getByRole('button', { name: 'Send to 1 cart' }).click(),
  ])
  await form.waitFor({ state: 'detached' })

  await phone.goto(`${instance.mailboxUrl}/phone?phone=${encodeURIComponent(BEA)}&channel=whatsapp`)
  await log().getByText('Hi Bea, you left something in your cart').waitFor()
  await page.getByRole('button', { name: 'Bea Koch', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Cart details' })
  const state = (text: string) => panel.locator('.facts, dl').getByText(text, { exact: true })
  await until(async () => {
    await page.reload()
    await panel.getByRole('heading', { name: 'Cart Summary' }).waitFor()
    return (await state('Read').count()) === 1
  }, 30_000)
  await panel.getByRole('link', { name: 'Messages and history of this cart' }).click()
  const message = page.getByRole('region', { name: 'Manual WhatsApp' })
  for (const label of ['Sent', 'Delivered', 'Read']) await message.getByText(label, { exact: true }).first().waitFor()
  const { violations } = await axeOf(page).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
  if (shots) await page.screenshot({ path: `${shots}/whatsapp-read.png`, fullPage: true })
})
