import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { axeOf } from './axe.ts'
import { aHouse, type House, openBrowser, until } from './house.ts'
import { anOwner, KEYS } from './owner.ts'

// The built-in phones: a message of a cart arrives on one, somebody answers there, and Recoup does what was asked of it.

const ADA = '+14155550134'
const shots = process.env.SCREENSHOTS
let store: DemoStore
let house: House
let browser: Browser
let phone: Page
let owner: Awaited<ReturnType<typeof anOwner>>
let cartId: string

beforeAll(async () => {
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  const product = store.shop.db.sqlite.prepare('select id from products order by id limit 1').get() as { id: number }
  const billing = { email: 'ada@customers.example', first_name: 'Ada', last_name: 'Miller', country: 'US', state: 'CA' }
  const twoDaysAgo = Math.floor(Date.now() / 1_000) - 172_800
  const lines = [{ productId: product.id, quantity: 2 }]
  store.insertOrders([{ status: 'failed', createdAt: twoDaysAgo, billing: { ...billing, phone: ADA }, lines }])
  house = await aHouse({ DEMO: 'off' })
  browser = await openBrowser()
  const page = await browser.newPage()
  phone = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  owner = await anOwner(house, store, page)
  await owner.ask('POST', '/api/subscribe/manual-update', { planKey: 'growth' })
  await until(async () => {
    const { carts } = await owner.ask<{ carts: { id: string }[] }>('GET', '/api/carts/abandoned')
    cartId = carts[0]?.id ?? ''
    return cartId !== ''
  }, 60_000)
  if (shots) mkdirSync(shots, { recursive: true })
}, 150_000)

afterAll(async () => {
  await browser?.close()
  await house?.stop()
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
  await phone.goto(house.mailboxUrl)
  await phone.getByRole('link', { name: 'Phones' }).click()
  await phone.getByText('No messages yet').waitFor()
  await look('phones-empty')
})

test('an SMS arrives by itself, with a link, and is delivered', async () => {
  expect(await tryOut('sms')).toMatchObject({ isAccepted: true, response: 'queued' })
  await phone.getByRole('link', { name: new RegExp(`\\${ADA}`) }).click()
  await log().getByText('delivered').waitFor({ timeout: 15_000 })
  expect(await log().getByRole('link').first().getAttribute('href')).toContain(`${house.url}/`)
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
  await phone.goto(`${house.mailboxUrl}/phone?phone=${encodeURIComponent(ADA)}&channel=whatsapp`)
  await log().getByText('you left something in your cart').waitFor({ timeout: 15_000 })
  await phone.getByRole('textbox', { name: 'Reply' }).fill('Help')
  await phone.getByRole('button', { name: 'Send' }).click()
  await log().getByText('reminders of carts you left').waitFor({ timeout: 20_000 })
  await look('phones-whatsapp')
})
