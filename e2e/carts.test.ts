import type { Browser, Page } from 'playwright-core'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { ActiveCart } from '../shared/carts/active-carts.ts'
import type { MessageView } from '../shared/carts/carts.ts'
import { listMails, readMail, waitUntil } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { abandonCart, advanceDemoMinute, buy } from './demo-shopper.ts'
import { type SharedInstance, startSharedInstance } from './shared-instances.ts'

// A cart abandoned in the demo store gets one mail, is restored and bought. No mail is sent without consent or after a
// purchase.

let instance: SharedInstance
let browser: Browser
let token: string
/** Demo carts are backdated, so they were abandoned before this file began. */
const since = new Date(Date.now() - 10 * 60_000).toISOString()

beforeAll(async () => {
  instance = await startSharedInstance('demo')
  browser = await openBrowser()
  token = (await ask<{ token: string }>('POST', '/api/auth/demo')).token
})
afterEach(() => closePages(browser))

async function ask<T>(method: string, path: string, body: object = {}): Promise<T> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const how = method === 'GET' ? {} : { body: JSON.stringify(body) }
  return (await fetch(instance.url + path, { method, headers, ...how })).json() as Promise<T>
}

const findCart = async (email: string) =>
  (await ask<{ cart: ActiveCart | null }>('GET', `/api/carts/followed?${new URLSearchParams({ since, email })}`)).cart

interface Messages {
  messages: MessageView[]
  order: { attributedMessageId: string | null } | null
  timeline: { kind: string }[]
}
async function readMessages(email: string): Promise<Messages> {
  const cart = await findCart(email)
  return cart ? ask('GET', `/api/carts/${cart.id}/messages`) : { messages: [], order: null, timeline: [] }
}

/** Waits until the address has this many mails. */
async function waitForLastMail(email: string, count: number) {
  await waitUntil(async () => (await listMails(instance, email)).length >= count)
  const mails = await listMails(instance, email)
  expect(mails).toHaveLength(count)
  return readMail(instance, Math.max(...mails.map(({ id }) => id)))
}

const linkIn = (html: string, path: string) => new RegExp(`https?://[^\\s"<>]+/${path}/[\\w-]+`).exec(html)![0]

test('an abandoned cart gets one mail, is restored in another browser and bought, and its order is credited to that mail', {
  tags: ['A1', 'B2'],
}, async () => {
  const email = 'ana@shoppers.example'
  await abandonCart(instance, browser, email)
  await advanceDemoMinute(instance, email)
  const mail = await waitForLastMail(email, 1)
  expect(mail.raw).toMatch(/^List-Unsubscribe: <https?:/im)
  expect(mail.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/im)
  expect(`${mail.html}${mail.text}`).not.toContain('{{')

  const link = linkIn(mail.html, 'c')
  const before = (await findCart(email))!
  const phone = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
  await phone.goto(link)
  expect(new URL(phone.url()).searchParams.get('cart_id')).toMatch(/^rt_/)
  await phone.getByRole('button', { name: 'Continue to checkout' }).click()
  await phone.waitForURL(`${instance.storeUrl}/checkout/**`)
  await phone.getByText(before.items[0]!.product_name).first().waitFor()
  await expect.poll(() => phone.url()).not.toContain('recoup_cart')
  expect((await readMessages(email)).timeline.filter(({ kind }) => kind === 'restore')).toHaveLength(1)
  await buy(phone, email)

  await expect.poll(async () => (await findCart(email))?.state).toBe('recovered')
  expect((await findCart(email))!.id).toBe(before.id)
  const { messages, order } = await readMessages(email)
  const [first, second] = messages
  expect(first).toMatchObject({ step: 1, state: 'sent' })
  expect(second).toMatchObject({ step: 2, state: 'cancelled', reason: 'purchased' })
  expect(order?.attributedMessageId).toBe(first!.id)
  await phone.goto(link)
  await phone.getByRole('heading', { name: 'You have already ordered.' }).waitFor()
  expect(await listMails(instance, email)).toHaveLength(1)
})

test('a shopper without the required consent, and one who bought in time, get no mail', async () => {
  const [greta, bea] = ['greta@shoppers.example', 'bea@shoppers.example']
  await abandonCart(instance, browser, greta, 'DE')
  await advanceDemoMinute(instance, greta)
  const checkout = await abandonCart(instance, browser, bea)
  await waitUntil(async () => (await findCart(bea)) !== null)
  const { id } = (await findCart(bea))!
  await buy(checkout, bea)
  await expect.poll(async () => (await readMessages(greta)).messages[0]?.reason).toBe('no_consent')
  expect((await readMessages(greta)).messages[0]!.explanation).not.toBe('')
  const readCart = () => ask<{ cart: ActiveCart }>('GET', `/api/carts/followed?id=${id}`)
  await expect.poll(async () => (await readCart()).cart.state).toBe('purchased')
  const { messages } = await ask<Messages>('GET', `/api/carts/${id}/messages`)
  expect(messages.filter(({ state }) => state !== 'cancelled')).toEqual([])
  for (const email of [greta, bea]) expect(await listMails(instance, email)).toEqual([])
})

test('a manual mail arrives once; after unsubscribing nothing is sent, and an erased customer disappears', {
  tags: ['B2'],
}, async () => {
  const email = 'hana@shoppers.example'
  await abandonCart(instance, browser, email)
  await advanceDemoMinute(instance, email)
  await waitForLastMail(email, 1)
  const cart = (await findCart(email))!
  const owner = await openOwner()
  await owner.goto(`${instance.url}/carts/${cart.id}`)
  await owner.getByRole('button', { name: 'Send Email' }).click()
  const form = owner.getByRole('dialog', { name: 'Send Email Reminder' })
  await form.getByText('Ready to send').waitFor()
  await form.getByRole('button', { name: 'Send Now' }).click()
  await form.waitFor({ state: 'detached' })
  const mail = await waitForLastMail(email, 2)
  expect(mail.text).toContain(cart.items[0]!.product_name)

  const shopper = await (await browser.newContext()).newPage()
  await shopper.goto(linkIn(mail.html, 'u'))
  await shopper.getByRole('button', { name: 'Unsubscribe' }).click()
  await shopper.getByRole('button', { name: 'Subscribe again' }).waitFor()
  const again = await ask<{ error: string }>('POST', '/api/email/send-email', { to: email, cart_id: cart.id })
  expect(again.error).toContain('unsubscribed')
  await expect
    .poll(async () =>
      (await readMessages(email)).messages.filter(({ state, channel }) => state === 'scheduled' && channel === 'email'),
    )
    .toEqual([])
  expect(await listMails(instance, email)).toHaveLength(2)

  await owner.goto(`${instance.url}/customers/${cart.customer_id}`)
  await owner.getByRole('button', { name: 'Erase this person' }).click()
  await owner.getByLabel('Type “erase” to confirm').fill('erase')
  await owner.getByRole('button', { name: 'Erase permanently' }).click()
  await owner.getByText('This person is erased').waitFor()
  const search = new URLSearchParams({ search: email, page: '1' })
  const remaining = await ask<{ customers: unknown[] }>('GET', `/api/stores/customers/recent?${search}`)
  expect(remaining.customers).toEqual([])
})

async function openOwner(): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  await page.goto(`${instance.url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
  return page
}
