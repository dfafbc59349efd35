import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isItsDay } from '../test/tier.ts'
import { type AppInstance, anAppInstance, mailsTo, readMail, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { buy, minutePasses, typeAtCheckout } from './demo-shopper.ts'

// The whole loop as a new user meets it: abandon a cart in the demo store, get the mail, restore, buy, see why.

let instance: AppInstance
let browser: Browser
let owner: Page
const ANA = 'ana@shoppers.example'
const GRETA = 'greta@shoppers.example'
const CARA = 'cara@shoppers.example'

beforeAll(async () => {
  // Long enough to be seen being written.
  instance = await anAppInstance({ DEMO_DAYS: '45' })
  browser = await openBrowser()
  owner = await (await browser.newContext()).newPage()
  await owner.goto(`${instance.url}/login`)
  await owner.getByRole('button', { name: 'Try the live demo' }).click()
  await owner.waitForURL(/dashboard|carts/)
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

/** A shopper with a browser profile of their own puts tea in the cart and types an email at checkout. */
async function abandonCart(email: string, country: string): Promise<Page> {
  const context = await browser.newContext()
  const shop = await context.newPage()
  await shop.goto(instance.storeUrl)
  await shop.locator('a[href*="/product/"]').first().click()
  await shop.getByRole('button', { name: 'Add to cart' }).click()
  await shop.getByText('has been added to your cart').waitFor()
  await typeAtCheckout(instance, shop, email, country)
  return shop
}

async function cartOf(email: string): Promise<{ id: string; status: string; state: string } | undefined> {
  const reply = await api<{ carts: { id: string; status: string; state: string; customer_email: string }[] }>(
    `/api/carts/abandoned?search=${encodeURIComponent(email)}`,
  )
  return reply.carts.find((cart) => cart.customer_email === email)
}

async function api<T>(path: string): Promise<T> {
  const token = await owner.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(`${instance.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return reply.json() as Promise<T>
}

interface Messages {
  messages: {
    step: number
    state: string
    reason: string | null
    explanation: string
    decisions: { reason: string }[]
  }[]
  order: { attributedMessageId: string | null } | null
  timeline: { title: string; text: string }[]
}

/** Came before the demo's past was written, and stays on the list of carts. */
let early: Page

test('whoever comes early is told that the demo’s past is being written', async () => {
  early = await (await browser.newContext()).newPage()
  await early.goto(`${instance.url}/login`)
  await early.getByRole('button', { name: 'Try the live demo' }).click()
  await early.getByRole('link', { name: 'Abandoned Carts', exact: true }).click()
  await early.getByRole('heading', { level: 1, name: 'Abandoned Carts' }).waitFor()
  await early.getByText('Setting up your demo').waitFor()
  await early.getByRole('progressbar', { name: 'Demo setup progress' }).waitFor()
})

test('a cart left behind is reminded, restored, bought, and counted for that mail', async () => {
  const shop = await abandonCart(ANA, 'US')
  // The guide of the demo stands on the dashboard, and follows the first cart that comes.
  const guide = owner.getByRole('region', { name: 'Guide to the demo' })
  const step = (name: string) => guide.locator(`[data-step=${name}][data-state=done]`)
  await step('email').getByText(ANA).waitFor({ timeout: 60_000 })
  await abandonCart(GRETA, 'DE')
  await abandonCart(CARA, 'US')
  for (const email of [ANA, GRETA, CARA]) await minutePasses(instance, email)
  await until(async () => (await mailsTo(instance, ANA)).length > 0, 110_000)

  await step('sent').waitFor({ timeout: 60_000 })
  const toMailbox = await guide.getByRole('link', { name: 'Open the mailbox' }).getAttribute('href')
  expect(new URL(toMailbox!).searchParams.get('to')).toBe(ANA)
  const [summary] = await mailsTo(instance, ANA)
  const mail = await readMail(instance, summary!.id)
  expect(mail.raw).toMatch(/^List-Unsubscribe: <https?:/im)
  expect(mail.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/im)
  expect(`${summary!.subject}${mail.html}${mail.text}`).not.toContain('{{')

  const link = /https?:\/\/[^\s"<>]+\/c\/[\w-]+/.exec(mail.html)![0]
  await shop.goto(link)
  await shop.getByRole('button', { name: 'Restore Cart' }).waitFor()
  expect(await shop.getByRole('columnheader').allInnerTexts()).toEqual(['Product', 'Qty', 'Price', 'Total'])
  expect(new URL(shop.url()).searchParams.get('cart_id')).toMatch(/^rt_/)
  await shop.getByRole('button', { name: 'Restore Cart' }).click()
  await shop.getByText('Cart restored! You can now continue shopping or checkout.').waitFor()
  const stored = await shop.evaluate(() => JSON.parse(localStorage.getItem('restoredCart') ?? '[]') as object[])
  expect(stored).toMatchObject([{ quantity: 1, product_name: expect.any(String), price: expect.any(Number) }])
  await shop.getByRole('link', { name: 'Continue to checkout' }).click()
  await shop.waitForURL('**/checkout/**')
  await buy(shop, ANA)

  // The shop's notice of the order is on its way.
  const orderedAlready = shop.getByRole('heading', { name: 'You have already ordered.' })
  await until(async () => {
    await shop.goto(link)
    await shop.getByRole('heading').first().waitFor()
    return orderedAlready.isVisible()
  }, 60_000)
  expect(await shop.getByRole('link', { name: 'Go to the shop' }).getAttribute('href')).toBe(instance.storeUrl)

  await expect.poll(() => cartOf(ANA), { timeout: 60_000, interval: 1_000 }).toMatchObject({ status: 'Recovered' })
  const cart = (await cartOf(ANA))!
  const record = await api<Messages>(`/api/carts/${cart.id}/messages`)
  const [first, second] = record.messages
  expect(first).toMatchObject({ step: 1, state: 'sent' })
  expect(second).toMatchObject({ step: 2, state: 'cancelled', reason: 'purchased' })
  expect(record.order?.attributedMessageId).toBeTruthy()
  await step('bought').waitFor({ timeout: 90_000 })
  await expect.poll(() => guide.locator('[data-state=done]').count()).toBe(6)
  await guide.getByRole('button', { name: 'Finish' }).click()
  await guide.waitFor({ state: 'detached' })
  await owner.goto(`${instance.url}/carts/${cart.id}`)
  await owner.getByText('The shopper has bought. No further message goes out for this cart.').first().waitFor()
  expect(await mailsTo(instance, ANA)).toHaveLength(1)
}, 240_000)

// The wait for the past is as long as all else here: `npm test` waits on every third day.
test.runIf(isItsDay(1, 3))(
  'the list that was empty has filled by itself',
  async () => {
    // The past gives way to everything else, and beside other tests there is much of that.
    await early.getByRole('row').nth(10).waitFor({ timeout: 400_000 })
  },
  420_000,
)

test('a link without its cart, or of none, says so (B 5, B 8)', async () => {
  const visitor = await (await browser.newContext()).newPage()
  await visitor.goto(`${instance.url}/cart/recover`)
  await visitor.getByText('No cart ID provided.', { exact: true }).waitFor()
  await visitor.goto(`${instance.url}/cart/recover?cart_id=rt_${'a'.repeat(43)}`)
  await visitor.getByText('Cart not found or expired.', { exact: true }).waitFor()
})

test('a shopper in Germany without consent gets no mail, and the record says why', async () => {
  await until(
    async () => {
      const cart = await cartOf(GRETA)
      if (!cart) return false
      const { messages } = await api<Messages>(`/api/carts/${cart.id}/messages`)
      return messages[0]?.reason === 'no_consent'
    },
    60_000,
    1_000,
  )
  expect(await mailsTo(instance, GRETA)).toHaveLength(0)
}, 90_000)

// In another browser than the cart was left in, in one press, and when something fails on the way.

interface Cart {
  id: string
  customer_email: string | null
  items: { product_name: string }[]
}

const cartOfCara = async () =>
  (await api<{ carts: Cart[] }>(`/api/carts/abandoned?search=${encodeURIComponent(CARA)}`)).carts[0]!

const restoresOf = async ({ id }: Cart) =>
  (await api<{ timeline: { kind: string }[] }>(`/api/carts/${id}/messages`)).timeline.filter(
    ({ kind }) => kind === 'restore',
  ).length

async function aPhone(): Promise<Page> {
  return (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
}

const storedIn = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('restoredCart') ?? '[]') as { product_name: string }[])

/** From the mail that Cara got. */
async function linkToCara(): Promise<string> {
  await until(async () => (await mailsTo(instance, CARA)).length > 0, 110_000)
  const mail = await readMail(instance, (await mailsTo(instance, CARA))[0]!.id)
  return /https?:\/\/[^\s"<>]+\/c\/[\w-]+/.exec(mail.html)![0]
}

describe('the way back from a mail to the filled checkout', () => {
  test('while the server is away the items are restored, and what failed is told beside it with a retry', async () => {
    const phone = await aPhone()
    await phone.goto(await linkToCara())
    await phone.route('**/api/carts/*/restore*', (route) =>
      route.fulfill({ status: 503, json: { error: 'Back soon.' } }),
    )
    await phone.getByRole('button', { name: 'Restore Cart' }).click()
    await phone.getByText('Cart restored! You can now continue shopping or checkout.', { exact: true }).waitFor()
    await phone.getByText('Back soon.').waitFor()
    expect(await storedIn(phone)).toHaveLength(1)
    expect(await restoresOf(await cartOfCara())).toBe(0)
    await phone.unroute('**/api/carts/*/restore*')
    await phone.getByRole('button', { name: 'Retry' }).click()
    await phone.getByRole('link', { name: 'Continue to checkout' }).waitFor()
    expect(await phone.getByText('Back soon.').count()).toBe(0)
    expect(await restoresOf(await cartOfCara())).toBe(1)
  })

  test('a member restores by the cart’s own id, which is a test and counts nowhere', async () => {
    const cart = await cartOfCara()
    const before = await restoresOf(cart)
    await owner.goto(`${instance.url}/cart/recover?cart_id=${cart.id}`)
    await owner.getByText('is a test and is not counted').waitFor()
    await owner.getByRole('button', { name: 'Restore Cart' }).click()
    await owner.getByText('Cart restored! You can now continue shopping or checkout.').waitFor()
    expect(await restoresOf(cart)).toBe(before)
  })

  test('in another browser one press leads to the filled checkout, and it goes on as the same cart', async () => {
    const before = await cartOfCara()
    const phone = await aPhone()
    await phone.goto(await linkToCara())
    await phone.locator('main img').first().waitFor()
    await phone.getByRole('button', { name: 'Continue to checkout' }).click()
    await phone.waitForURL(`${instance.storeUrl}/checkout/**`)
    await phone.getByText(before.items[0]!.product_name).first().waitFor()
    await expect.poll(() => phone.url()).not.toContain('recoup_cart')
    await phone.goto(`${instance.storeUrl}/shop/`)
    await phone.locator('[data-quick-add]').last().click()
    await expect.poll(async () => (await cartOfCara()).items.length, { timeout: 20_000 }).toBe(2)
    expect((await cartOfCara()).id).toBe(before.id)
  })
})
