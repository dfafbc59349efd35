import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mailsTo, readMail, until } from './app-instance.ts'
import { beginVisit, db, endVisit, instance, page, waiting } from './carts/visit.ts'
import { checkInEveryTheme } from './every-theme.ts'

// Discount mail in a real browser, on the demo's 90 days: chosen, previewed, sent and read in the mailbox.

beforeAll(beginVisit, 420_000)
afterAll(endVisit)

const CODE = 'THANKYOU20'
const dialog = () => page.getByRole('dialog')
const customers = () => dialog().getByRole('region', { name: 'Customers' })
const preview = () => dialog().getByRole('region', { name: 'Preview' })

async function openFromCoupons(): Promise<Locator> {
  await page.goto(`${instance.url}/coupons`)
  await page.getByRole('button', { name: 'Send Discount Mail' }).click()
  await customers().getByRole('checkbox').first().waitFor()
  return dialog()
}

test('without a coupon the dialog leads to creating one', async () => {
  const form = await openFromCoupons()
  const link = form.getByRole('link', { name: 'Create a coupon' })
  if (await link.isVisible()) expect(await link.getAttribute('href')).toBe('/coupons?form=new')
  await page.keyboard.press('Escape')
  const token = await page.evaluate(() => (localStorage.getItem('token') ?? sessionStorage.getItem('token'))!)
  const [startDate, endDate] = [-1, 7].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const coupon = { code: CODE, type: 'percentage', amount: 20, startDate, endDate }
  const made = await page.request.post(`${instance.url}/api/coupons`, {
    headers: { authorization: `Bearer ${token}` },
    data: coupon,
  })
  expect([made.status(), await made.text()]).toEqual([200, expect.stringContaining(CODE)])
})

test('nothing is sent without customers and a coupon, and both are said', async () => {
  const form = await openFromCoupons()
  await form.getByRole('button', { name: 'Send to 0 customers' }).click()
  await form.getByText('Please select at least one customer.').waitFor()
  await form.getByText('Please choose a coupon.').waitFor()
  await page.keyboard.press('Escape')
})

test('the selection of all who match is not carried over to another search, and this is said', async () => {
  const form = await openFromCoupons()
  await form
    .getByText('Choose a coupon to see the message with it.')
    .or(form.getByText('Select a customer'))
    .first()
    .waitFor()
  await form.getByRole('button', { name: /^Select all/ }).click()
  await form.getByText(/\d+ customers selected/).waitFor()
  await customers().getByRole('searchbox').fill('zzzz')
  await page.keyboard.press('Enter')
  await form.getByText(/^The selection was cleared/).waitFor()
  await customers().getByRole('button', { name: 'Clear search' }).click()
  await customers().getByRole('checkbox').first().check()
  await form.getByText(/^The selection was cleared/).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
})

test('own words are not thrown away without a question', async () => {
  const form = await openFromCoupons()
  await form.getByLabel('Subject').fill('My own words')
  await page.keyboard.press('Escape')
  const asked = page.getByRole('dialog', { name: 'Leave without sending?' })
  await asked.waitFor()
  await page.keyboard.press('Escape')
  await asked.waitFor({ state: 'detached' })
  const own = page.getByRole('dialog', { name: 'Send Discount Mail' })
  expect(await own.getByLabel('Subject').inputValue()).toBe('My own words')
  await own.getByRole('button', { name: 'Cancel' }).click()
  await asked.getByRole('button', { name: 'Leave' }).click()
  await own.waitFor({ state: 'detached' })
})

test('a refused cart URL is said until it is changed; nothing looks ready meanwhile', async () => {
  const form = await openFromCoupons()
  await customers().getByRole('checkbox', { name: waiting[0]!.customer_name, exact: true }).first().press('Space')
  await form.getByText('Please choose a coupon.').waitFor()
  await form.getByText('Choose a coupon to see the message with it.').waitFor()
  expect(await form.getByText('Every check passed').count()).toBe(0)
  await form.getByRole('combobox', { name: 'Coupon' }).click()
  await page.getByRole('option', { name: new RegExp(CODE) }).click()
  await form.getByText('Ready to send').waitFor()
  await form.getByLabel('Cart URL (optional)').fill('https://elsewhere.example/cart')
  await form.getByRole('button', { name: 'Send to 1 customer' }).click()
  await form.getByText('The cart URL must be an address of your store.').first().waitFor()
  expect(await form.getByText('Ready to send').count()).toBe(0)
  await form.getByLabel('Cart URL (optional)').fill('')
  await form.getByText('The cart URL must be an address of your store.').first().waitFor({ state: 'detached' })
  await form.getByText('Ready to send').waitFor()
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
})

test('all who match are selected at once, looked at, and the message reaches one of them with the code', async () => {
  const form = await openFromCoupons()
  await form.getByRole('button', { name: /^Select all/ }).click()
  await form.getByText(/\d+ customers? selected/).waitFor()
  await form.getByText(/of \d+ customers would get this email now|Ready to send/).waitFor({ timeout: 30_000 })
  await form.getByRole('button', { name: 'Deselect all' }).click()
  await form.getByText('Nobody is selected yet').waitFor()
  await form.getByRole('button', { name: /^Select all/ }).click()
  await customers().getByText('All customers').click()
  await form.getByRole('button', { name: 'Send to 0 customers' }).waitFor()
  await customers().getByRole('checkbox').first().waitFor()
  await customers().getByText('With an abandoned cart').click()
  await customers().getByRole('checkbox', { name: waiting[0]!.customer_name, exact: true }).first().press('Space')
  await form.getByText('1 customer selected').waitFor()
  await form.getByRole('combobox', { name: 'Coupon' }).click()
  await page.getByRole('option', { name: new RegExp(CODE) }).click()
  await preview().getByText('Plain text', { exact: true }).click()
  await preview().getByText(CODE).first().waitFor({ timeout: 30_000 })
  await checkInEveryTheme(page, 'discount-mail', '[role=dialog]')
  const saved = await preview().locator('pre').innerText()
  await form.getByRole('button', { name: 'Send to 1 customer' }).click()
  await form.getByText('Discount emails sent successfully!').first().waitFor({ timeout: 60_000 })
  await form.getByRole('button', { name: 'Results' }).click()
  const answers = form.getByRole('list', { name: 'Results by customer' })
  const [to] = (await answers.innerText()).match(/\S+@\S+/)!
  await until(
    async () => (await mailsTo(instance, to)).some(({ subject }) => subject.startsWith('A coupon for you')),
    20_000,
  )
  const [mail] = (await mailsTo(instance, to)).filter(({ subject }) => subject.startsWith('A coupon for you'))
  const { text } = await readMail(instance, mail!.id)
  const total = /Total with the coupon: (\S+)/.exec(saved)![1]!
  for (const part of [CODE, '20% off', `Total with the coupon: ${total}`]) expect(text).toContain(part)
})

test.each([
  ['the words of the server', 422, { error: 'In its own words.', code: 'unprocessable' }, 'In its own words.'],
  ['its own where the server has none', 500, { error: 'x', code: 'internal' }, 'Failed to send discount email.'],
])('what could not be begun is said in %s', async (_name, status, json, text) => {
  const form = await openFromCoupons()
  await customers().getByRole('checkbox').first().press('Space')
  await form.getByRole('combobox', { name: 'Coupon' }).click()
  await page.getByRole('option', { name: new RegExp(CODE) }).click()
  const call = '**/api/email/send-discount-offers*'
  await page.route(call, (route) => route.fulfill({ status, json }))
  await form.getByRole('button', { name: 'Send to 1 customer' }).click()
  await form.getByText(text, { exact: true }).waitFor()
  await page.unroute(call)
  await form.getByRole('button', { name: 'Cancel' }).click()
  await form.waitFor({ state: 'detached' })
})

test('from a customer’s page and from a cart’s, that person is meant', async () => {
  await page.goto(`${instance.url}/customers`)
  await page.locator('tbody a').first().click()
  await page.getByRole('button', { name: 'Send discount' }).waitFor()
  const name = await page.getByRole('heading', { level: 1 }).innerText()
  await page.getByRole('button', { name: 'Send discount' }).click()
  await dialog().getByRole('button', { name: 'Send discount' }).waitFor()
  await dialog().getByText(`To ${name}`, { exact: true }).waitFor()
  expect(await customers().count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.goto(`${instance.url}/carts/${waiting[0]!.id}`)
  await page.getByRole('button', { name: 'Send Discount Mail' }).click()
  await dialog().getByText(`To ${waiting[0]!.customer_name}`, { exact: true }).waitFor()
  await dialog().getByRole('combobox', { name: 'Coupon' }).click()
  await page.getByRole('option', { name: new RegExp(CODE) }).click()
  await dialog()
    .getByText(/Ready to send|Not ready to send/)
    .waitFor()
  await preview().getByText('Phone', { exact: true }).click()
  await page.keyboard.press('Escape')
})

test('a cart that was bought offers no discount mail', async () => {
  const bought = await db
    .selectFrom('carts')
    .select('id')
    .where('status', '=', 'recovered')
    .where('email', 'is not', null)
    .executeTakeFirstOrThrow()
  await page.goto(`${instance.url}/carts/${bought.id}`)
  await page.getByText('The shopper has bought, so nothing more is sent for this cart.').waitFor()
  expect(await page.getByRole('button', { name: 'Send Discount Mail' }).count()).toBe(0)
})
