import { expect, test } from 'vitest'
import { type CustomerView, exportCustomers, listCustomers, readCustomer } from '../shared/marketing/customers.ts'
import { fixture } from './api.ts'
import { createScreens, PHONE } from './app.ts'
import { subtractHours } from './carts-scene.ts'

// The customer list and a customer's page (B 2, decisions 40 and 127).

const app = createScreens()
const rows = () => app.page.getByRole('region', { name: 'Customers' }).locator('tbody tr')
const listCells = async (row: number) =>
  (await rows().nth(row).locator('td').allInnerTexts()).map((text) => text.trim())
const heading = (name: string) => app.page.getByRole('heading', { level: 1, name }).waitFor()
const readLastQuery = () => app.api.calls(listCustomers).at(-1)?.sent.query

const ada: CustomerView = {
  _id: '0198a0c4-6f0e-7c1b-9a55-00000000000a',
  first_name: 'Ada',
  last_name: 'Lovelace',
  customer_email: 'ada@engines.example',
  phone: '+12125550101',
  company: 'Engines & Co',
  is_registered: true,
  last_login: subtractHours(2),
}
const guest: CustomerView = {
  ...ada,
  _id: ada._id.replace(/a$/, 'b'),
  first_name: 'Nora',
  last_name: 'Guest',
  customer_email: 's1@shops.example',
  phone: null,
  company: null,
  is_registered: false,
  last_login: null,
}
const nameless: CustomerView = {
  ...guest,
  _id: ada._id.replace(/a$/, 'c'),
  first_name: null,
  last_name: null,
  customer_email: null,
  phone: '+12125550177',
}
const buildList = (customers: CustomerView[], total = customers.length) => ({
  customers,
  pagination: { page: 1, limit: 10, total, pages: Math.ceil(total / 10) },
})
const show = () => app.api.answer(listCustomers, buildList([ada, guest, nameless], 60))

test('has the specified columns, with blanks as -', { tags: ['A2.1', 'B2'] }, async () => {
  show()
  const page = await app.open('/customers')
  await rows().first().waitFor()
  const heads = await page.locator('thead th').allInnerTexts()
  expect(heads.map((text) => text.trim())).toEqual(['Name', 'Email', 'Phone', 'Company', 'Registered', 'Last Login'])
  await expect
    .poll(() => listCells(0))
    .toEqual(['Ada Lovelace', 'ada@engines.example', '+12125550101', 'Engines & Co', 'Yes', '2 h ago'])
  await expect.poll(() => listCells(1)).toEqual(['Nora Guest', 's1@shops.example', '-', '-', 'No', '-'])
  await page.getByText('Showing 1 to 10 of 60 entries').waitFor()
  const tabs = page.getByRole('navigation', { name: 'Sections' })
  await expect.poll(() => tabs.getByRole('link', { name: 'Customers' }).getAttribute('aria-current')).toBe('page')
})

test('searches a second after the last key, filters, sorts and exports, with everything in the address', async () => {
  show()
  app.api.answer(exportCustomers, { url: '/favicon.svg?ticket=x', expiresAt: subtractHours(-1) })
  const page = await app.open('/customers')
  const order = page.getByLabel('Order', { exact: true })
  await expect.poll(() => order.inputValue()).toBe('desc')
  await order.selectOption('Oldest first')
  await expect.poll(() => order.inputValue()).toBe('asc')
  const typedAt = await page.evaluate(() => performance.now())
  await page.getByRole('searchbox', { name: 'Search by name, email or phone' }).pressSequentially('lo')
  await page.waitForURL(/search=lo/)
  await expect.poll(readLastQuery).toMatchObject({ search: 'lo', order: 'asc' })
  // The browser lists a request once it has ended, later than the server knows of it.
  const search = await page.waitForFunction(() =>
    performance.getEntriesByType('resource').find(({ name }) => /customers\/recent.*search=lo/.test(name)),
  )
  const startedAt = await search.evaluate((request) => request!.startTime)
  expect(startedAt - typedAt).toBeGreaterThanOrEqual(1_000)
  await page.getByRole('radiogroup', { name: 'Which customers' }).getByText('Guests').click()
  await page.waitForURL(/registered=no/)
  await expect.poll(readLastQuery).toMatchObject({ search: 'lo', registered: 'no' })
  const phone = page.getByRole('columnheader', { name: 'Phone' })
  for (const [way, order] of [
    ['ascending', 'asc'],
    ['descending', 'desc'],
  ]) {
    await phone.getByRole('button').press('Enter')
    await expect.poll(() => phone.getAttribute('aria-sort')).toBe(way)
    await expect.poll(readLastQuery).toMatchObject({ sort: 'phone', order })
  }
  // Now sorted by a column.
  await expect.poll(() => page.getByText(/customers first$/).count()).toBe(0)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.waitForURL(/page=2/)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect((await saved).url()).toContain('ticket=x')
  await expect
    .poll(() => app.api.calls(exportCustomers)[0]!.sent.query)
    .toMatchObject({ search: 'lo', registered: 'no' })
})

test('opens a customer by keyboard and by a click anywhere in the row; one without a name by the phone', async () => {
  show()
  app.api.answer(readCustomer, ({ params }) => {
    const customer = [ada, guest, nameless].find(({ _id }) => _id === params.id)!
    return { customer: { ...fixture(readCustomer).customer, ...customer, phones: ['+12125550177'], emails: [] } }
  })
  const page = await app.open('/customers')
  await page.getByRole('link', { name: 'Ada Lovelace' }).press('Enter')
  await page.waitForURL(`**/customers/${ada._id}`)
  await heading('Ada Lovelace')
  await page.goBack()
  await rows().nth(1).locator('td').nth(3).click()
  await heading('Nora Guest')
  await page.goBack()
  await page.getByRole('link', { name: '+12125550177' }).click()
  await heading('+12125550177')
})

test('shows different texts for an empty list and an empty search', { tags: ['B2'] }, async () => {
  app.api.answer(listCustomers, buildList([]))
  const page = await app.open('/customers')
  await page.getByText('No customers found for this platform.').waitFor()
  await app.open('/customers?search=nobody')
  await page.getByText('No customers match your search or filter.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL('**/customers')
})

test('shows loading and failure; Retry reloads the page', { tags: ['B2', 'B8'] }, async () => {
  app.api.fail(listCustomers, 400, { code: 'invalid', error: 'In its own words.' })
  const page = await app.open('/customers')
  await page.getByText('In its own words.').waitFor()
  app.api.fail(listCustomers, 500, { code: 'internal', error: 'Something went wrong.' })
  await app.open('/customers')
  await page.getByText('Failed to load customers').waitFor()
  await page.getByText('Failed to fetch customers. Please try again later.').waitFor()
  show()
  const answer = app.api.hold(listCustomers)
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('Loading customers...').waitFor()
  answer.release()
  await rows().first().waitFor()
  await expect.poll(() => page.evaluate(() => 'isSamePage' in window)).toBe(false)
})

test('has no accessibility violations on desktop and phone, where a select sets the order', async () => {
  show()
  const page = await app.open('/customers')
  await rows().first().waitFor()
  expect(await app.findViolations()).toEqual([])
  await page.setViewportSize(PHONE)
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  expect(await app.findViolations()).toEqual([])
  const order = page.getByRole('combobox', { name: 'Sort by' })
  await expect.poll(() => order.locator('option:checked').innerText()).toBe('Customer since')
  await order.selectOption('Company')
  await page.waitForURL('**sort=company&order=asc')
})

test('a customer’s page has contact, value by currency, orders, consent, suppression and data requests', async () => {
  const order = { id: '501', status: 'completed', total: 42, net: 40, currency: 'USD', at: subtractHours(3) }
  app.api.alter(readCustomer, ({ customer }) => ({
    customer: {
      ...customer,
      ...ada,
      emails: ['ada@engines.example'],
      phones: ['+12125550101'],
      value: [
        { currency: 'USD', orders: 1, net: 40, average: 40, recovered: 25 },
        { currency: 'EUR', orders: 1, net: 10, average: 10, recovered: 0 },
      ],
      orders: { rows: [{ ...order, is_purchase: true, cart_id: null }], total: 1 },
    },
  }))
  const page = await app.open(`/customers/${ada._id}`)
  await heading('Ada Lovelace')
  const main = page.getByRole('main')
  for (const name of [
    'Contact',
    'Value',
    'Carts',
    'Orders',
    'Messages',
    'Consent',
    'Suppression list',
    'Data requests',
  ]) {
    await main.getByRole('heading', { level: 2, name, exact: true }).waitFor()
  }
  const text = (await main.innerText()).replace(/\s+/g, ' ')
  for (const part of [
    'Orders in USD 1',
    'Spent $40.00',
    'Recovered $25.00',
    'Orders in EUR 1',
    '€10.00',
    'Order #501',
    'ada@engines.example',
    'Engines & Co',
  ]) {
    expect(text).toContain(part)
  }
  await main.getByRole('button', { name: 'Erase this person' }).waitFor()
  await expect.poll(() => main.getByRole('button', { name: 'Export JSON' }).count()).toBe(1)
  expect(await app.findViolations()).toEqual([])
})

test('an unknown customer is not found, and an invalid id is the 404 page (decision 129)', async () => {
  app.api.fail(readCustomer, 404, { code: 'not_found' })
  const page = await app.open(`/customers/${ada._id}`)
  await page.getByText('Customer not found').waitFor()
  await app.open('/customers/42')
  await heading('Page not found')
})
