import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Coupon } from '../shared/coupons.ts'
import { type AppInstance, aSeededInstance, mailsTo, readMail, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { rowOf } from './coupons/scene.ts'
import { buy, minutePasses, typeAtCheckout } from './demo-shopper.ts'
import { cardOf, openStep } from './flow-steps.ts'

// A coupon's whole way on the demo: made, put on a step, mailed as a code of one shopper's own, carried by the link into the cart, used
// in an order, and counted. What the mail promises is what the store takes.

let instance: AppInstance
let browser: Browser
let owner: Page
let shop: Page
/** Of the shopper, as the mail has it. */
let code = ''
let mailed = { saving: 0, total: 0 }
let cartId = ''
let orderId = ''
const NINA = 'nina@shoppers.example'

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
  owner = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  shop = await (await browser.newContext()).newPage()
  await owner.goto(`${instance.url}/login`)
  await owner.getByRole('button', { name: 'Try the live demo' }).click()
  await owner.getByRole('navigation', { name: 'Sections' }).waitFor()
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function api<T>(path: string): Promise<T> {
  const token = await owner.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(`${instance.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return reply.json() as Promise<T>
}

const inCents = (text: string) => Math.round(Number(text.replace(/[^\d.]/g, '')) * 100)

const figures = async () => {
  const { coupons } = await api<{ coupons: Coupon[] }>('/api/coupons?search=LOOP')
  return coupons[0]!.figures
}

interface Messages {
  messages: { id: string; step: number; state: string }[]
  order: { attributedMessageId: string | null } | null
  timeline: { title: string; text: string }[]
}

test('Quick Create makes one for everybody, the form a personal one', async () => {
  await owner.goto(`${instance.url}/coupons`)
  await owner.getByRole('button', { name: 'Quick Create' }).first().click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  const quick = await owner
    .getByText(/^Coupon CART/)
    .locator('strong')
    .innerText()
  await rowOf(owner, quick).getByText(/^10%$/).waitFor()
  await owner.getByRole('button', { name: 'Create coupon' }).click()
  const form = owner.getByRole('dialog')
  await form.getByLabel('A personal code for each shopper').check()
  await form.getByLabel('Beginning of the codes').fill('LOOP')
  await form.getByLabel(/^Amount in/).fill('10')
  await form.getByRole('button', { name: 'Create coupon' }).click()
  await form.waitFor({ state: 'detached', timeout: 20_000 })
  await rowOf(owner, 'LOOP-••••••••').waitFor()
}, 60_000)

test('it is put on the first step of the demo’s flow', async () => {
  const [flow] = (await api<{ flows: { id: string }[] }>('/api/flows')).flows
  await owner.goto(`${instance.url}/flows/${flow!.id}`)
  await openStep(owner, 1)
  await owner.getByRole('combobox', { name: 'Coupon' }).click()
  await owner.getByRole('option', { name: /^LOOP-•+ · 10%$/ }).click()
  await owner.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
  await cardOf(owner, 1).getByText('LOOP-••••••••').waitFor()
}, 60_000)

test('the mail to a cart that was left shows the code, the saving and what is left to pay', async () => {
  await shop.goto(`${instance.storeUrl}/shop/`)
  const cards = shop.locator('.card').filter({ has: shop.locator('[data-quick-add]') })
  const onSale = cards.filter({ has: shop.locator('.badge.sale') })
  for (const card of [onSale, onSale, cards.filter({ hasNot: shop.locator('.badge') })]) {
    const added = shop.waitForResponse('**/add-item*')
    await card.first().locator('[data-quick-add]').click()
    expect((await added).ok()).toBe(true)
  }
  await typeAtCheckout(instance, shop, NINA, 'US')
  await minutePasses(instance, NINA)
  await until(async () => (await mailsTo(instance, NINA)).length > 0, 110_000)
  const mail = await readMail(instance, (await mailsTo(instance, NINA))[0]!.id)
  const [, made, saving] = /Coupon (LOOP-[A-Z0-9]{8}): −(\$[\d.,]+) \(valid until/.exec(mail.text)!
  code = made!
  mailed = { saving: inCents(saving!), total: inCents(/Total with the coupon: (\$[\d.,]+)/.exec(mail.text)![1]!) }
  expect(mail.html).toContain(code)
  expect(mailed.saving).toBeGreaterThan(0)
  expect(await figures()).toMatchObject({ issued: 1, sent: 1, used: 0, orders: 0, netRevenue: 0, discountGiven: 0 })
}, 200_000)

test('its link refills the cart with the coupon applied, and the store takes what the mail said', async () => {
  const mail = await readMail(instance, (await mailsTo(instance, NINA))[0]!.id)
  // In another browser: nothing of the cart is left in it.
  shop = await (await browser.newContext()).newPage()
  await shop.goto(/https?:\/\/[^\s"<>]+\/c\/[\w-]+/.exec(mail.html)![0])
  await shop.getByText(`Coupon ${code}`).waitFor()
  await shop.getByRole('button', { name: 'Continue to checkout' }).click()
  await shop.waitForURL(`${instance.storeUrl}/checkout/**`)
  const totals = shop.locator('.totals')
  await totals.getByText(code.toLowerCase()).waitFor()
  expect(await shop.locator('.summary li').count()).toBe(2)
  const goods = inCents(await totals.locator('div', { hasText: 'Subtotal' }).locator('dd').innerText())
  const off = inCents(await totals.locator('.discount dd').innerText())
  expect({ saving: off, total: goods - off }).toEqual(mailed)
  await buy(shop, NINA)
  orderId = /order-received\/(\d+)/.exec(shop.url())![1]!
}, 90_000)

test('the order is owed to the mail, and the coupon’s figures move', async () => {
  const cartOfNina = async () =>
    (await api<{ carts: { id: string; status: string }[] }>(`/api/carts/abandoned?search=${NINA}`)).carts[0]
  await expect.poll(cartOfNina, { timeout: 90_000, interval: 1_000 }).toMatchObject({ status: 'Recovered' })
  cartId = (await cartOfNina())!.id
  const record = async () => api<Messages>(`/api/carts/${cartId}/messages`)
  const { messages, order } = await record()
  expect(messages[0]).toMatchObject({ step: 1, state: 'sent' })
  expect(order?.attributedMessageId).toBe(messages[0]!.id)
  await expect.poll(figures, { timeout: 60_000, interval: 1_000 }).toMatchObject({
    ...{ issued: 1, sent: 1, used: 1, orders: 1, discountGiven: mailed.saving / 100 },
  })
  const { netRevenue } = await figures()
  expect(netRevenue).toBeGreaterThanOrEqual(mailed.total / 100)
  await owner.goto(`${instance.url}/coupons?search=LOOP`)
  await owner.getByRole('button', { name: 'LOOP-••••••••', exact: true }).click()
  const results = owner.getByRole('region', { name: 'Results' })
  await results.getByText('Issued').waitFor()
  const dollars = (amount: number) => `$${amount.toFixed(2)}`
  for (const figure of ['1 code', '1 message', '1 time', dollars(netRevenue), dollars(mailed.saving / 100)]) {
    await results.getByText(figure, { exact: true }).waitFor()
  }
}, 200_000)

test('the cart’s timeline names the code that was made and the order it was used in', async () => {
  await owner.goto(`${instance.url}/carts/${cartId}`)
  await owner.getByText(`The code ${code} was created in the store for one message to this shopper.`).waitFor()
  await owner.getByText(`The code ${code} was used in an order. Order ${orderId}.`).waitFor()
}, 60_000)
