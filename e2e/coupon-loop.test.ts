import pg from 'pg'
import { expect, test } from 'vitest'
import { startDemoStore } from '../providers/woocommerce/store.ts'
import type { Coupon } from '../shared/carts/coupons.ts'
import type { AnalyticsReply } from '../shared/insights/analytics.ts'
import { type AppInstance, listMails, readMail } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { buy, typeAtCheckout } from './demo-shopper.ts'
import { createOwnerWithoutStore, KEYS } from './owner.ts'
import { startSharedInstance } from './shared-instances.ts'

interface Flow {
  id: string
  name: string
  steps: { id: string; delayMinutes: number }[]
}

interface Messages {
  messages: { id: string; step: number; state: string }[]
  order: { attributedMessageId: string | null } | null
  timeline: { text: string }[]
}

const SHOPPER = 'nina@loop-shoppers.example'
/** Background jobs run every few seconds. */
const SLOW = { interval: 1_000 }
const toCents = (text: string) => Math.round(Number(text.replace(/[^\d.]/g, '')) * 100)

/**
 * Backdates the shopper's fresh cart by an hour, so the first reminder is due. Repeated, because the page may report
 * the cart again, which counts as activity.
 */
const backdateByHour = (database: pg.Client) =>
  database.query(
    `with left_behind as (
      update carts set started_at = started_at - interval '1 hour', last_activity_at = last_activity_at - interval '1 hour',
        abandon_at = abandon_at - interval '1 hour'
      where email = $1 and customer_name = 'Ana Lopez' and status = 'active' and last_activity_at > now() - interval '30 minutes'
      returning store_id, shopper_id),
    switched as (update flows f set takes_from = f.takes_from - interval '1 hour' from left_behind l where f.store_id = l.store_id)
    update facts f set at = f.at - interval '1 hour' from left_behind l where f.store_id = l.store_id and f.shopper_id = l.shopper_id`,
    [SHOPPER],
  )

test('a personal code is mailed, applied to the restored cart, used in the order, and counted', async () => {
  const instance = (await startSharedInstance('own')) as AppInstance
  const store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  const browser = await openBrowser()
  const database = new pg.Client(instance.databaseUrl())
  await database.connect()
  try {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
    const owner = await createOwnerWithoutStore(instance, page, 'olive@coupon-loop.example')
    await owner.connect(store)
    await owner.ask('PUT', '/api/stores/settings', { senderName: 'Maple & Clay', postalAddress: '12 Kiln Road' })
    const connection = await owner.ask<{ store: { captureKey: string } }>('GET', '/api/stores/check-connection')
    const { captureKey } = connection.store
    store.setCapture({ scriptUrl: `${instance.url}/capture/${captureKey}.js`, storeKey: captureKey })

    await page.goto(`${instance.url}/coupons?form=new`)
    const form = page.getByRole('dialog')
    await form.getByLabel('A personal code for each shopper').check()
    await form.getByLabel('Codes start with').fill('LOOP')
    await form.getByLabel(/^Amount in/).fill('10')
    await form.getByRole('button', { name: 'Create coupon' }).click()
    await form.waitFor({ state: 'detached' })
    const loop = async () =>
      (await owner.ask<{ coupons: Coupon[] }>('GET', '/api/coupons?search=LOOP')).coupons.at(0) ?? null
    const coupon = { couponId: (await loop())!._id, fallback: 'skip', firstOrderOnly: false, pauseDays: null }
    const { id: flowId, name, steps } = (await owner.ask<{ flows: Flow[] }>('GET', '/api/flows')).flows[0]!
    await owner.ask('PUT', `/api/flows/${flowId}`, {
      name,
      steps: steps.map(({ id, delayMinutes }, place) => ({
        id,
        delayMinutes,
        ...(place === 0 && { coupon: { ...coupon, aboveAmount: null } }),
      })),
    })
    const switched = await owner.ask<{ flow: { isOn: boolean } }>('POST', `/api/flows/${flowId}/switch`, { isOn: true })
    expect(switched).toMatchObject({ flow: { isOn: true } })

    // Two products on sale and one at full price: the mail promises the store's discount.
    const shop = await (await browser.newContext()).newPage()
    await shop.goto(`${store.url}/shop/`)
    const cards = shop.locator('.card').filter({ has: shop.locator('[data-quick-add]') })
    const onSale = cards.filter({ has: shop.locator('.badge.sale') })
    for (const card of [onSale, onSale, cards.filter({ hasNot: shop.locator('.badge') })]) {
      const added = shop.waitForResponse('**/add-item*')
      await card.first().locator('[data-quick-add]').click()
      expect((await added).ok()).toBe(true)
    }
    await typeAtCheckout({ ...instance, storeUrl: store.url }, shop, SHOPPER, 'US')
    await expect
      .poll(async () => {
        await backdateByHour(database)
        return (await listMails(instance, SHOPPER)).length
      }, SLOW)
      .toBe(1)
    const [summary] = await listMails(instance, SHOPPER)
    const mail = await readMail(instance, summary!.id)
    const [, code = '', saving = ''] = /Coupon (LOOP-[A-Z0-9]{8}): −(\$[\d.,]+) \(valid until/.exec(mail.text)!
    const mailed = {
      saving: toCents(saving),
      total: toCents(/Total with the coupon: (\$[\d.,]+)/.exec(mail.text)![1]!),
    }
    expect(mail.html).toContain(code)
    expect(mailed.saving).toBeGreaterThan(0)
    await expect
      .poll(async () => (await loop())?.figures)
      .toEqual({ issued: 1, sent: 1, used: 0, orders: 0, netRevenue: 0, discountGiven: 0 })

    // In another browser, which has nothing of the cart.
    const phone = await (await browser.newContext()).newPage()
    await phone.goto(/https?:\/\/[^\s"<>]+\/c\/[\w-]+/.exec(mail.html)![0])
    await phone.getByText(`Coupon ${code}`).waitFor()
    await phone.getByRole('button', { name: 'Continue to checkout' }).click()
    await phone.waitForURL(`${store.url}/checkout/**`)
    const totals = phone.locator('.totals')
    await totals.getByText(code.toLowerCase()).waitFor()
    await expect.poll(() => phone.locator('.summary li').count()).toBe(2)
    const goods = toCents(await totals.locator('div', { hasText: 'Subtotal' }).locator('dd').innerText())
    const off = toCents(await totals.locator('.discount dd').innerText())
    expect({ saving: off, total: goods - off }).toEqual(mailed)
    await buy(phone, SHOPPER)
    const orderId = /order-received\/(\d+)/.exec(phone.url())![1]!

    const findCart = async () => {
      await owner.ask('POST', '/api/stores/sync', {})
      const path = `/api/carts/abandoned?search=${SHOPPER}`
      return (await owner.ask<{ carts: { id: string; status: string }[] }>('GET', path)).carts.at(0)
    }
    await expect.poll(findCart, SLOW).toMatchObject({ status: 'Recovered' })
    const { messages, order, timeline } = await owner.ask<Messages>(
      'GET',
      `/api/carts/${(await findCart())!.id}/messages`,
    )
    expect(messages[0]).toMatchObject({ step: 1, state: 'sent' })
    expect(messages.slice(1).map(({ state }) => state)).toEqual(messages.slice(1).map(() => 'cancelled'))
    expect(order?.attributedMessageId).toBe(messages[0]!.id)
    const texts = timeline.map(({ text }) => text).join('\n')
    expect(texts).toContain(`The code ${code} was created in the store for one message to this shopper.`)
    expect(texts).toContain(`The code ${code} was used in an order.`)
    expect(texts).toContain(orderId)
    await expect
      .poll(async () => (await loop())?.figures, SLOW)
      .toMatchObject({ issued: 1, sent: 1, used: 1, orders: 1, discountGiven: mailed.saving / 100 })
    expect((await loop())!.figures.netRevenue).toBeGreaterThanOrEqual(mailed.total / 100)
    await expect
      .poll(async () => (await owner.ask<AnalyticsReply>('GET', '/api/analytics?range=7d')).funnel, SLOW)
      .toMatchObject({ cartsCreated: 1, emailsSent: 1, clicks: 1, conversions: 1 })
    expect(await listMails(instance, SHOPPER)).toHaveLength(1)
  } finally {
    await closePages(browser)
    await database.end()
    await store.stop()
  }
})
