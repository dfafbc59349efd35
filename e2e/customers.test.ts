import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { newId } from '../server/core/ids.ts'
import { type AppInstance, anAppInstance, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { anOwner, KEYS } from './owner.ts'

// The customers screen and the page of one (B 2, decisions 40 and 127), of a store with sixty customers whose names are known.

let instance: AppInstance
let shop: DemoStore
let browser: Browser
let db: pg.Client
let page: Page
let ada: string

beforeAll(async () => {
  shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await (await browser.newContext({ acceptDownloads: true, reducedMotion: 'reduce' })).newPage()
  await anOwner(instance, shop, page)
  db = new pg.Client(instance.databaseUrl())
  await db.connect()
  ada = await fill()
})

afterAll(async () => {
  await browser?.close()
  await db?.end().catch(() => undefined)
  await instance?.stop()
  await shop?.stop()
})

/** Whoever the demo store brings along is left out: these are all. */
async function fill(): Promise<string> {
  const isCopied = "select 1 from sync_state where stream = 'customers' and completed_at is not null"
  await until(async () => (await db.query(isCopied)).rowCount === 1, 60_000)
  await db.query('delete from shoppers')
  await db.query('delete from customer_counts')
  const store = (await db.query<{ id: string }>('select id from stores')).rows[0]!.id
  await db.query(
    `insert into shoppers (store_id, id, email, first_name, last_name, phone, company, is_registered, last_login_at, created_at, first_seen_at)
     select $1, gen_random_uuid(), 's' || n || '@shoppers.example', 'Nora' || n, 'Guest', null, null, n % 2 = 0, null,
       now() - n * interval '1 hour', now() - n * interval '1 hour' from generate_series(1, 58) n`,
    [store],
  )
  const id = newId()
  await db.query(
    `insert into shoppers (store_id, id, email, first_name, last_name, phone, company, is_registered, last_login_at, created_at, first_seen_at)
     values ($1, $2, 'ada@engines.example', 'Ada', 'Lovelace', '+12125550101', 'Engines & Co', true, now() - interval '2 hours', now(), now()),
       ($1, $3, null, null, null, '+12125550177', null, false, null, now() - interval '2 days', now() - interval '2 days')`,
    [store, id, newId()],
  )
  await db.query(
    `insert into shopper_keys (store_id, kind, value, shopper_id) values ($1, 'email', 'ada@engines.example', $2),
       ($1, 'phone', '+12125550101', $2), ($1, 'order', '501', $2), ($1, 'order', '502', $2)`,
    [store, id],
  )
  await db.query(
    `insert into orders (store_id, order_id, shopper_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor, net_minor)
     values ($1, '501', $2, 'purchase', 'completed', now(), now(), now(), 'USD', 4200, 4000),
       ($1, '502', $2, 'purchase', 'completed', now(), now(), now(), 'EUR', 1000, 1000)`,
    [store, id],
  )
  return id
}

const rows = () => page.getByRole('region', { name: 'Customers' }).locator('tbody tr')
const cellsOf = async (row: number) => (await rows().nth(row).locator('td').allInnerTexts()).map((text) => text.trim())
const search = () => page.getByRole('searchbox', { name: 'Search by name, email or phone' })
const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

async function open(path = '/customers') {
  await page.goto(`${instance.url}${path}`)
  await rows().first().waitFor()
}

describe('the list', () => {
  test('has the specification’s columns, and blanks as -', async () => {
    await open()
    await heading('Customers')
    const heads = await page.locator('thead th').allInnerTexts()
    expect(heads.map((text) => text.trim())).toEqual(['Name', 'Email', 'Phone', 'Company', 'Registered', 'Last Login'])
    expect(await cellsOf(0)).toEqual([
      'Ada Lovelace',
      'ada@engines.example',
      '+12125550101',
      'Engines & Co',
      'Yes',
      '2 h ago',
    ])
    expect(await cellsOf(1)).toEqual(['Nora1 Guest', 's1@shoppers.example', '-', '-', 'No', '-'])
    await page.getByText('Showing 1 to 10 of 60 entries').waitFor()
    const tabs = page.getByRole('navigation', { name: 'Sections' })
    expect(await tabs.getByRole('link', { name: 'Customers' }).getAttribute('aria-current')).toBe('page')
  })

  test('is searched a second after the last key, filtered and sorted, all of it in the address', async () => {
    await open()
    await search().fill('lovel')
    await page.waitForURL('**/customers?search=lovel')
    await expect.poll(() => rows().count()).toBe(1)
    expect((await cellsOf(0))[0]).toBe('Ada Lovelace')
    await search().fill('nobody at all')
    await page.keyboard.press('Enter')
    await page.getByText('No customers match your search or filter.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL('**/customers')
    await page.getByRole('radiogroup', { name: 'Which customers' }).getByText('Guests').click()
    await page.waitForURL('**/customers?registered=no')
    await page.getByText('of 30 entries').waitFor()
    await page.getByRole('button', { name: 'Phone' }).press('Enter')
    await page.waitForURL('**sort=phone&order=asc**')
    await page.getByRole('button', { name: 'Phone' }).press('Enter')
    await expect.poll(async () => (await cellsOf(0))[2]).toBe('+12125550177')
    expect(await page.getByRole('columnheader', { name: 'Phone' }).getAttribute('aria-sort')).toBe('descending')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Page 2 of 3').waitFor()
  })

  test('opens a customer by keyboard and by a press anywhere in the row', async () => {
    await open()
    await page.getByRole('link', { name: 'Ada Lovelace' }).press('Enter')
    await page.waitForURL(`**/customers/${ada}`)
    await heading('Ada Lovelace')
    await page.goBack()
    await rows().nth(1).locator('td').nth(3).click()
    await heading('Nora1 Guest')
    // Without a name the link is read as who it is.
    await open('/customers?search=%2B12125550177')
    await page.getByRole('link', { name: '+12125550177' }).click()
    await heading('+12125550177')
  })

  test('is downloaded as a CSV file of the filter', async () => {
    await open('/customers?search=lovel')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^customers-[\d-]+\.csv$/)
  })

  test('says that it is empty, that it loads, and what failed, in the specification’s words', async () => {
    const answer = '**/api/stores/customers/recent*'
    const nobody = { customers: [], pagination: { page: 1, limit: 10, total: 0, pages: 0 } }
    await page.route(answer, (route) => route.fulfill({ json: nobody }))
    await page.goto(`${instance.url}/customers`)
    await page.getByText('No customers found for this platform.').waitFor()
    await page.unroute(answer)
    await page.route(answer, () => {})
    await page.goto(`${instance.url}/customers`)
    await page.getByText('Loading customers...').waitFor()
    await page.unroute(answer)
    const internal = { error: 'Something went wrong.', code: 'internal' }
    await page.route(answer, (route) => route.fulfill({ status: 500, json: internal }))
    await page.goto(`${instance.url}/customers`)
    await page.getByText('Failed to load customers').waitFor()
    await page.getByText('Failed to fetch customers. Please try again later.').waitFor()
    await page.unroute(answer)
    // Trying again loads the page anew.
    await page.evaluate(() => Object.assign(window, { isSamePage: true }))
    await page.getByRole('button', { name: 'Retry' }).click()
    await rows().first().waitFor()
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(false)
    await page.route(answer, (route) =>
      route.fulfill({ status: 400, json: { error: 'In its own words.', code: 'invalid' } }),
    )
    await page.goto(`${instance.url}/customers`)
    await page.getByText('In its own words.').waitFor()
    await page.unroute(answer)
  })

  test('looks right in every theme, at a desk and on a phone', async () => {
    await open()
    await checkInEveryTheme(page, 'customers')
    await page.setViewportSize({ width: 360, height: 900 })
    const order = page.getByRole('combobox', { name: 'Sort by' })
    expect(await order.locator('option:checked').innerText()).toBe('Customer since')
    await order.selectOption('Company')
    await page.waitForURL('**sort=company&order=asc')
    await page.setViewportSize({ width: 1280, height: 900 })
  })
})

test('says in which order they are where no column does', async () => {
  await page.goto(`${instance.url}/customers`)
  await page.getByText('Newest customers first').waitFor()
  await page.getByRole('button', { name: 'Oldest first' }).click()
  await page.getByText('Oldest customers first').waitFor()
  await page.getByRole('button', { name: /^Name/ }).click()
  await page.getByText('Oldest customers first').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Newest first' }).click()
  await page.getByText('Newest customers first').waitFor()
})

describe('the page of one', () => {
  test('has contact, value by currency, orders, consent, suppression and data requests', async () => {
    await page.goto(`${instance.url}/customers/${ada}`)
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
    for (const words of [
      'Paid orders in USD 1',
      'Net revenue $40.00',
      'Paid orders in EUR 1',
      '€10.00',
      'Order #501',
      'ada@engines.example',
      'Engines & Co',
    ]) {
      expect(text).toContain(words)
    }
    expect(await main.getByRole('button', { name: 'Erase this person' }).count()).toBe(1)
    expect(await main.getByRole('button', { name: 'Export JSON' }).count()).toBe(1)
    await checkInEveryTheme(page, 'customer')
  })

  test('is not found for a stranger’s number, and no page at all for what is no UUID (decision 129)', async () => {
    await page.goto(`${instance.url}/customers/${newId()}`)
    await page.getByText('Customer not found').waitFor()
    const answer = await page.goto(`${instance.url}/customers/42`)
    expect(answer?.status()).toBe(404)
    await heading('Page not found')
  })

  test('erases the person, who is then on no list', async () => {
    await page.goto(`${instance.url}/customers/${ada}`)
    await page.getByRole('button', { name: 'Erase this person' }).click()
    await page.getByLabel('Type “erase” to confirm').fill('erase')
    await page.getByRole('button', { name: 'Erase permanently' }).click()
    await page.getByText('This person is erased').waitFor()
    await page.getByRole('button', { name: 'To all customers' }).click()
    await page.getByText('of 59 entries').waitFor()
    expect((await cellsOf(0))[0]).toBe('Nora1 Guest')
  })
})
