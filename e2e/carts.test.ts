import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Db, openDb, openPool } from '../server/db.ts'
import { newId } from '../server/ids.ts'
import { createSecrets } from '../server/secrets.ts'
import type { CartView } from '../shared/carts.ts'
import { reminderTexts } from '../shared/reminders.ts'
import { axeOf } from './axe.ts'
import { aFurnishedHouse, type House, mailsTo, openBrowser, readMail } from './house.ts'

// The carts screen in a real browser, on the demo's 90 days: the list, the panel, and what is sent from it, read in the mailbox.

let house: House
let browser: Browser
let page: Page
let db: Db
let token: string
/** Written about by nobody yet, contactable, newest first. */
let waiting: CartView[]

beforeAll(async () => {
  house = await aFurnishedHouse()
  db = openDb(openPool({ url: house.databaseUrl(), max: 2 }))
  browser = await openBrowser()
  page = await aVisitor()
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
  token = await page.evaluate(() => (localStorage.getItem('token') ?? sessionStorage.getItem('token'))!)
  // Nothing else writes to the same people meanwhile, and it is no quiet hour anywhere: one minute, half an hour away in every zone.
  await db.updateTable('flows').set({ is_on: false }).execute()
  const quiet = (new Date().getUTCMinutes() + 30) % 60
  await db
    .updateTable('stores')
    .set({ quiet_from_minute: quiet, quiet_until_minute: quiet + 1 })
    .execute()
  waiting = await contactable()
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await db?.destroy()
  await house?.stop()
})

/** As the house makes it, with its own secret. */
const addressHash = (address: string) =>
  createSecrets(readFileSync(`${house.dataDir}/app-secret`, 'utf8').trim()).addressHash(address)

interface List {
  carts: CartView[]
  pagination: { total: number }
}

async function aVisitor(): Promise<Page> {
  const viewport = { width: 1360, height: 900 }
  const context = await browser.newContext({ viewport, acceptDownloads: true, reducedMotion: 'reduce' })
  const visitor = await context.newPage()
  await visitor.goto(`${house.url}/login`)
  return visitor
}

async function api<T>(path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const how = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  return (await fetch(`${house.url}${path}`, { headers, ...how })).json() as Promise<T>
}

async function contactable(): Promise<CartView[]> {
  const { carts } = await api<List>('/api/carts/abandoned?limit=300')
  const { eligible } = await api<{ eligible: string[] }>('/api/carts/eligibility', { channel: 'email' })
  const names = carts.map((cart) => cart.customer_name)
  const isOnly = (cart: CartView) => names.filter((name) => name === cart.customer_name).length === 1
  return carts.filter((cart) => eligible.includes(cart.id) && isOnly(cart) && cart.customer_email)
}

const open = async (query = '') => {
  await page.goto(`${house.url}/carts${query}`)
  await page.getByRole('table').waitFor()
}
const names = () => page.locator('.carts-rows tbody .plain-button').allInnerTexts()
const row = (cart: CartView) => page.getByRole('row').filter({ hasText: cart.customer_name })
const dialog = (name: string) => page.getByRole('dialog', { name })
const toast = (text: string | RegExp) => page.getByRole('alert').filter({ hasText: text })

async function violations() {
  const { violations } = await axeOf(page).analyze()
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

/** Only the carts of these people stand in the list. */
async function search(text: string) {
  const box = page.getByRole('searchbox', { name: 'Search customers' })
  await box.fill(text)
  await box.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('search') === text)
  // The address changes before the list does.
  const rows = page.locator('[aria-busy=false] .carts-rows tbody tr')
  const others = page.locator('.carts-rows tbody tr', { hasNotText: text })
  await expect.poll(async () => (await rows.count()) > 0 && (await others.count()) === 0).toBe(true)
}

describe('the list (B 2)', () => {
  test('has the specification’s columns; each is sorted both ways by keyboard and says so', async () => {
    await open()
    const heads = await page.getByRole('columnheader').allInnerTexts()
    expect(heads.map((text) => text.trim()).filter(Boolean)).toEqual([
      ...['Customer', 'Email', 'Phone', 'Items', 'Value', 'Abandoned', 'Status', 'Window', 'Actions'],
    ])
    expect(await page.getByRole('columnheader', { name: 'Abandoned' }).getAttribute('aria-sort')).toBe('descending')
    for (const [label, first, second] of [
      ['Value', 'descending', 'ascending'],
      ['Customer', 'ascending', 'descending'],
    ] as const) {
      const head = page.getByRole('columnheader', { name: label })
      for (const way of [first, second]) {
        await head.getByRole('button').focus()
        await page.keyboard.press('Enter')
        await expect.poll(() => head.getAttribute('aria-sort'), { timeout: 15_000 }).toBe(way)
      }
    }
    await page.locator('[aria-busy=false] .carts-rows').waitFor()
    const shown = (await names()).map((name) => name.toLowerCase())
    expect(shown).toEqual([...shown].sort().reverse())
  })

  test('search waits a second, then filter, sort and page stand in the address', async () => {
    await open()
    const asked: string[] = []
    page.on('request', (request) => /carts\/abandoned\?.*search=/.test(request.url()) && asked.push(request.url()))
    await page.getByRole('searchbox', { name: 'Search customers' }).pressSequentially('le', { delay: 100 })
    await page.waitForTimeout(500)
    expect(asked).toEqual([])
    await page.waitForURL(/search=le/)
    await page.getByLabel('Status').selectOption('Email Sent')
    await page.waitForURL(/status=email\+sent/)
    await open('?search=e&sort=value&order=asc&page=2')
    expect(await page.getByRole('columnheader', { name: 'Value' }).getAttribute('aria-sort')).toBe('ascending')
    await page.getByText(/^Showing 11 to \d+ of \d+ entries$/).waitFor()
    page.removeAllListeners('request')
    const { customer_email: address } = waiting[0]!
    await open(`?search=${encodeURIComponent(address!)}`)
    await page.getByRole('cell', { name: address! }).waitFor()
  })

  test('is kept for five minutes and asked for at most once a second', async () => {
    // News of the store asks too.
    await page.route('**/socket.io/**', (route) => route.abort())
    await open()
    const asked: number[] = []
    page.on('request', (request) => /carts\/abandoned\?.*page=/.test(request.url()) && asked.push(Date.now()))
    const turn = (name: string) => page.getByRole('button', { name, exact: true }).click()
    for (const wanted of [2, 3, 4]) {
      await turn('Next')
      await page.waitForURL(new RegExp(`page=${wanted}`))
    }
    await page.getByText(/^Showing 31 to 40 /).waitFor()
    for (const [index, at] of asked.entries()) if (index > 0) expect(at - asked[index - 1]!).toBeGreaterThan(900)
    const before = asked.length
    await turn('Previous')
    await turn('Next')
    await page.getByText(/^Showing 31 to 40 /).waitFor()
    await page.waitForTimeout(1_500)
    expect(asked.length - before).toBeLessThanOrEqual(1)
    page.removeAllListeners('request')
    await page.unroute('**/socket.io/**')
  })

  test('pages say where one is, and are there only when there are more than one', async () => {
    await open()
    const { pagination } = await api<List>('/api/carts/abandoned')
    const pages = Math.ceil(pagination.total / 10)
    await page.getByText(`Showing 1 to 10 of ${pagination.total} entries`, { exact: true }).waitFor()
    await page.getByText(`Page 1 of ${pages}`, { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText(`Page 2 of ${pages}`, { exact: true }).waitFor()
    await search(waiting[0]!.customer_email!)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'detached' })
  })

  test('says why nothing is there, and what failed, in the specification’s words', async () => {
    // News of the store would ask again by itself, before anybody presses Retry.
    await page.route('**/socket.io/**', (route) => route.abort())
    await page.goto(`${house.url}/carts?search=nobody-is-called-this`)
    await page
      .getByText('No abandoned carts match your current filters. Try adjusting your search or filter criteria.')
      .waitFor()
    await page.goto(`${house.url}/carts?page=9999`)
    await page.getByText('No abandoned carts to display on this page.').waitFor()
    const answer = async (json: object, status = 200) => {
      await page.unroute('**/api/carts/abandoned*')
      await page.route('**/api/carts/abandoned*', (route) => route.fulfill({ status, json }))
      await page.goto(`${house.url}/carts`)
    }
    const none = { page: 1, limit: 10, total: 0, pages: 0 }
    await answer({ carts: [], pagination: none, syncAgeSeconds: null })
    await page.getByText('No abandoned carts found. Your store might not have any abandoned carts yet.').waitFor()
    await answer({ error: 'x', code: 'internal' }, 500)
    const alert = page.getByRole('alert')
    await alert.getByText('Failed to fetch abandoned carts. Please try again.').waitFor()
    await answer({ error: 'The database rests.', code: 'unavailable' }, 400)
    await alert.getByText('The database rests.').waitFor()
    await answer({ error: 'x', code: 'not_found' }, 404)
    await alert.getByText('No platform selected. Please connect a store first.').waitFor()
    await page.unroute('**/api/carts/abandoned*')
    await alert.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('table').waitFor()
    await page.unroute('**/socket.io/**')
  })

  test('columns are chosen by keyboard and stay so', async () => {
    await open()
    await page.getByRole('button', { name: 'Columns' }).press('Enter')
    await page.getByRole('checkbox', { name: 'Phone' }).press('Space')
    await page.getByRole('checkbox', { name: 'State' }).press('Space')
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('columnheader', { name: 'State' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Phone' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Standard columns' }).click()
    await page.getByRole('columnheader', { name: 'Phone' }).waitFor()
    await page.keyboard.press('Escape')
  })

  test('the recovery window counts down from 24 hours and then reads Expired', async () => {
    await open()
    const cells = await page.locator('.carts-rows tbody tr').evaluateAll((rows) => rows.map((each) => each.textContent))
    expect(cells.some((text) => /\d{1,2}:\d\d:\d\d/.test(text ?? ''))).toBe(true)
    await open('?order=asc')
    expect(await page.getByRole('cell', { name: 'Expired' }).count()).toBe(10)
  })

  test('goes out as a CSV file of the filter', async () => {
    const [cart] = waiting
    await open()
    await search(cart!.customer_email!)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^abandoned-carts-[\d-]+\.csv$/)
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(lines[0]).toContain('Customer,Email,Phone,Items,Products,Value')
    expect(lines.slice(1).filter((line) => !line.includes(cart!.customer_email!))).toEqual([])
  })
})

describe('one cart', () => {
  test('details stand beside the list, opened and closed by keyboard', async () => {
    const [cart] = waiting
    await open()
    await search(cart!.customer_email!)
    await page.getByRole('button', { name: cart!.customer_name, exact: true }).press('Enter')
    const panel = dialog('Cart details')
    for (const name of ['Customer Information', 'Cart Summary', 'Products', 'Recovery Actions']) {
      await panel.getByRole('heading', { level: 2, name }).waitFor()
    }
    for (const name of ['Items', 'Total value', 'Abandoned', 'Status']) {
      await panel.getByText(name, { exact: true }).first().waitFor()
    }
    await panel.getByText(cart!.items[0]!.product_name).waitFor()
    expect(await panel.locator('img').count()).toBeGreaterThan(0)
    await panel.getByRole('button', { name: 'Send Email' }).waitFor()
    expect(page.url()).toContain(`cart=${cart!.id}`)
    expect(await violations()).toEqual([])
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('cart=')
  })

  test('an email is sent by keyboard alone, and arrives', async () => {
    const [cart] = waiting
    await open()
    await search(cart!.customer_email!)
    await page.getByRole('button', { name: `Send email to ${cart!.customer_name}` }).press('Enter')
    const form = dialog('Send Email Reminder')
    await form.getByText('It would be sent now.').waitFor()
    expect(await form.getByRole('radio', { name: 'Send Now' }).isChecked()).toBe(true)
    expect(await form.getByLabel('Subject').inputValue()).toBe('Complete Your Purchase')
    expect(await violations()).toEqual([])
    await form.getByRole('button', { name: 'Send Now' }).focus()
    await page.keyboard.press('Enter')
    await toast(reminderTexts.emailSent).waitFor()
    await form.waitFor({ state: 'detached' })
    const [mail] = await mailsTo(house, cart!.customer_email!)
    expect(mail!.subject).toBe('Complete Your Purchase')
    const { text } = await readMail(house, mail!.id)
    expect(text).toContain(cart!.items[0]!.product_name)
    await row(cart!).getByText('Email Sent').waitFor()
  })

  test('a message is shown and tried on oneself before it goes', async () => {
    const cart = waiting[1]!
    await open()
    await search(cart.customer_email!)
    await page.getByRole('button', { name: `Send email to ${cart.customer_name}` }).click()
    const form = dialog('Send Email Reminder')
    await form.getByRole('button', { name: 'Preview and test' }).click()
    const mail = form.frameLocator('iframe[title="Preview of the mail"]')
    await mail.getByText(cart.items[0]!.product_name).first().waitFor()
    await form.getByRole('button', { name: 'Send a test to myself' }).click()
    await form.getByText(/^Sent to /).waitFor()
    expect(await mailsTo(house, cart.customer_email!)).toEqual([])
    await page.keyboard.press('Escape')
  })

  test('an email is scheduled: one hour by default, or at a date, which also goes as an instant', async () => {
    const cart = waiting[1]!
    await open()
    await search(cart.customer_email!)
    const more = page.getByRole('button', { name: `More for ${cart.customer_name}` })
    await more.press('Enter')
    await page.getByRole('menuitem', { name: 'Schedule email' }).press('Enter')
    const form = dialog('Send Email Reminder')
    const delay = form.getByLabel('Send in')
    expect(await delay.locator('option').allInnerTexts()).toEqual([
      ...['1 hour', '2 hours', '6 hours', '12 hours', '24 hours', '3 days', '7 days', 'Custom date and time'],
    ])
    expect(await delay.inputValue()).toBe('1')
    await delay.selectOption('custom')
    await form.getByRole('button', { name: 'Schedule', exact: true }).click()
    await form.getByText('Please select a valid date and time.').waitFor()
    const date = new Date(Date.now() + 50 * 3_600_000)
    await form.getByLabel('Date and time').fill(localText(date))
    const asked = page.waitForRequest('**/api/email/schedule-reminder*')
    await form.getByRole('button', { name: 'Schedule', exact: true }).click()
    expect((await asked).postDataJSON()).toMatchObject({ cartId: cart.id, delayHours: 50, reminderType: 'first' })
    await toast(reminderTexts.emailScheduled).waitFor()
    const { messages } = await api<{ messages: { state: string; dueAt: string; origin: string }[] }>(
      `/api/carts/${cart.id}/messages`,
    )
    const planned = messages.find(({ origin, state }) => origin.startsWith('manual:') && state === 'scheduled')
    expect(Math.abs(new Date(planned!.dueAt).getTime() - date.getTime())).toBeLessThan(61_000)
  })

  test('an SMS shows its price before, and then has to wait', async () => {
    const cart = await anSmsCart()
    await open()
    await search(cart.customer_email!)
    await page.getByRole('button', { name: `Send SMS to ${cart.customer_name}` }).click()
    const form = dialog('Send SMS Reminders')
    await form.getByText(/^Price: \$0\.0\d+ for \d segments?\./).waitFor()
    expect(await violations()).toEqual([])
    await form.getByRole('button', { name: 'Send Now' }).click()
    await toast(reminderTexts.smsSent).waitFor()
    const wait = page.getByRole('button', { name: /^Wait \d+:\d\d:\d\d before sending again$/ })
    await wait.waitFor()
    expect(await wait.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: `More for ${cart.customer_name}` }).click()
    await page.getByRole('menuitem', { name: 'Check SMS status' }).click()
    const status = dialog('SMS status')
    await status
      .getByText(/^(Sent|Delivered)$/)
      .first()
      .waitFor()
    for (const name of ['Attempts', 'Last sent', 'Delivered']) {
      await status.getByText(name, { exact: true }).first().waitFor()
    }
    await page.keyboard.press('Escape')
  })
})

/** As a `datetime-local` field wants it. */
const localText = (date: Date) =>
  new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** A shopper who said yes to SMS and was here within two days. */
async function anSmsCart(): Promise<CartView> {
  const { carts } = await api<List>('/api/carts/abandoned?limit=300')
  const { eligible } = await api<{ eligible: string[] }>('/api/carts/eligibility', { channel: 'email' })
  const cart = carts.find((each) => each.phone?.startsWith('+1') && eligible.includes(each.id))!
  const store = await db.selectFrom('stores').select('id').where('is_demo', '=', true).executeTakeFirstOrThrow()
  await db
    .insertInto('consents')
    .values({
      store_id: store.id,
      id: newId(),
      address_hash: addressHash(cart.phone!),
      channel: 'sms',
      status: 'granted',
      source: 'checkout',
      at: new Date(),
    })
    .execute()
  return cart
}

describe('many carts', () => {
  const select = (cart: CartView) =>
    page.getByRole('checkbox', { name: `Select the cart of ${cart.customer_name}`, exact: true }).check()
  const bar = () => page.getByRole('region', { name: 'Selected carts' })

  /** The rows of these carts, as the list would have them. */
  async function only(carts: CartView[]) {
    await page.route('**/api/carts/abandoned*', (route) =>
      route.fulfill({
        json: { carts, pagination: { page: 1, limit: 10, total: 57, pages: 6 }, syncAgeSeconds: 5 },
      }),
    )
    await open()
  }

  test('an action needs a choice and a selection; all that match can be selected', async () => {
    await open()
    expect(await bar().count()).toBe(0)
    await page.getByRole('checkbox', { name: 'Select all carts on this page' }).check()
    await bar().getByText('10 selected').waitFor()
    expect(await bar().getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    const { pagination } = await api<List>('/api/carts/abandoned')
    await bar()
      .getByRole('button', { name: `Select all ${pagination.total} matching` })
      .click()
    await bar().getByText(`${pagination.total} selected`).waitFor()
    await bar().getByLabel('Bulk action').selectOption('Send Email')
    expect(await violations()).toEqual([])
    await bar().getByRole('button', { name: 'Apply' }).click()
    const form = dialog('Send Email Reminder')
    await form.getByText(new RegExp(`^\\d+ of ${pagination.total} carts would get this email now\\.$`)).waitFor()
    const reasons = form.getByRole('list', { name: 'Who will not get it, and why' })
    await reasons.getByText('The shopper has unsubscribed.').waitFor()
    await reasons.getByText('No usable email address is known yet.').waitFor()
    expect(await violations()).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('checkbox', { name: 'Select all carts on this page' }).uncheck()
    expect(await bar().count()).toBe(0)
  })

  test('a bulk email has an answer for each cart, and only the failed one is tried again', async () => {
    const three = waiting.slice(2, 5)
    await only(three)
    for (const cart of three) await select(cart)
    await bar().getByLabel('Bulk action').selectOption('Send Email')
    await bar().getByRole('button', { name: 'Apply' }).click()
    const form = dialog('Send Email Reminder')
    await form.getByText('3 of 3 carts would get this email now.').waitFor()
    // Between the look and the click one of them unsubscribes.
    const left = await unsubscribe(three[0]!)
    await form.getByRole('button', { name: 'Send to 3 carts' }).click()
    await toast('Bulk email sending completed!').waitFor()
    expect(await bar().count()).toBe(0)
    const job = page.getByRole('region', { name: 'Bulk sending' })
    await job.getByText('3 of 3 done · 2 sent · 1 failed.').waitFor()
    await job.getByRole('button', { name: 'Answer for each cart' }).click()
    const answers = job.getByRole('list', { name: 'Answers' })
    await answers.getByText('The shopper has unsubscribed.').waitFor()
    expect(await answers.getByRole('listitem').count()).toBe(3)
    expect(await violations()).toEqual([])
    await page.reload()
    await job.getByText('3 of 3 done · 2 sent · 1 failed.').waitFor()
    await left.back()
    await job.getByRole('button', { name: 'Retry the 1 failed' }).click()
    await job.getByText(/^(\d) of \1 done · \1 sent\.$/).waitFor()
    for (const cart of three) expect(await mailsTo(house, cart.customer_email!)).toHaveLength(1)
    await job.getByRole('button', { name: 'Dismiss' }).click()
    await job.waitFor({ state: 'detached' })
    await page.unroute('**/api/carts/abandoned*')
  })

  test('deleting only leaves carts out of this view, and is undone', async () => {
    await open()
    const [first] = await names()
    const calls: string[] = []
    page.on('request', (request) => request.method() === 'DELETE' && calls.push(request.url()))
    await page.locator('.carts-rows tbody input[type=checkbox]').first().check()
    await bar().getByLabel('Bulk action').selectOption('Delete from view')
    await bar().getByRole('button', { name: 'Apply' }).click()
    await page.getByText('1 cart removed from this view. Nothing was deleted.').waitFor()
    expect(await page.locator('.carts-rows tbody tr').count()).toBe(9)
    await page.getByRole('button', { name: 'Undo' }).click()
    expect((await names())[0]).toBe(first)
    expect(calls).toEqual([])
    page.removeAllListeners('request')
  })

  test('bulk WhatsApp goes by its own call and says how many got it', async () => {
    const two = waiting.slice(5, 7)
    const ids = two.map(({ id }) => id)
    await only(two)
    await page.route('**/api/carts/eligibility*', (route) =>
      route.fulfill({ json: { total: 2, eligible: ids, reasons: [], price: null } }),
    )
    const apply = async () => {
      for (const cart of two) await select(cart)
      await bar().getByLabel('Bulk action').selectOption('Send WhatsApp')
      await bar().getByRole('button', { name: 'Apply' }).click()
    }
    const form = dialog('Send WhatsApp Reminders')
    await page.route('**/api/whatsapp/send-bulk*', (route) =>
      route.fulfill({ status: 422, json: { error: 'No template is approved.', code: 'unprocessable' } }),
    )
    await apply()
    await form.getByRole('button', { name: 'Send to 2 carts' }).click()
    await form.getByText('Failed to send bulk WhatsApp: No template is approved.').waitFor()
    await page.unroute('**/api/whatsapp/send-bulk*')
    // The real call: these people never agreed to WhatsApp, which each of their answers says.
    const asked = page.waitForRequest('**/api/whatsapp/send-bulk*')
    await form.getByRole('button', { name: 'Send to 2 carts' }).click()
    expect((await asked).postDataJSON().cartIds).toEqual(ids)
    await form.waitFor({ state: 'detached' })
    await toast('WhatsApp sending completed! Successful: 0, Failed: 2').waitFor()
    expect(await bar().count()).toBe(0)
    await page.unroute('**/api/carts/eligibility*')
    await page.unroute('**/api/carts/abandoned*')
  })

  async function unsubscribe(cart: CartView): Promise<{ back(): Promise<void> }> {
    const account = await db.selectFrom('accounts').select('id').where('is_demo', '=', true).executeTakeFirstOrThrow()
    const address_hash = addressHash(cart.customer_email!)
    await db
      .insertInto('suppressions')
      .values({
        account_id: account.id,
        address_hash,
        channel: 'email',
        reason: 'unsubscribed',
        source: 'unsubscribe page',
        created_at: new Date(),
      })
      .execute()
    const back = async () =>
      void (await db.deleteFrom('suppressions').where('address_hash', '=', address_hash).execute())
    return { back }
  }
})

describe('what goes wrong, in the specification’s words (B 8)', () => {
  const refuse = (path: string) =>
    page.route(`**${path}`, (route) =>
      route.fulfill({ status: 422, json: { error: 'Not today.', code: 'unprocessable' } }),
    )

  test('of an email, an SMS and its status', async () => {
    const cart = waiting[7]!
    const withPhone = { ...cart, phone: cart.phone ?? '+12125550100' }
    await page.route('**/api/carts/abandoned*', (route) =>
      route.fulfill({
        json: { carts: [withPhone], pagination: { page: 1, limit: 10, total: 1, pages: 1 }, syncAgeSeconds: 5 },
      }),
    )
    await page.route('**/api/carts/eligibility*', (route) =>
      route.fulfill({ json: { total: 1, eligible: [cart.id], reasons: [], price: null } }),
    )
    for (const path of [
      '/api/email/*',
      '/api/sms/send-reminder*',
      '/api/sms/status/*',
      '/api/whatsapp/send-reminder*',
    ]) {
      await refuse(path)
    }
    await open()
    for (const [button, form, text] of [
      [`Send email to ${cart.customer_name}`, 'Send Email Reminder', 'Failed: Not today.'],
      [`Send SMS to ${cart.customer_name}`, 'Send SMS Reminders', 'Failed to send SMS: Not today.'],
      [
        `Send WhatsApp message to ${cart.customer_name}`,
        'Send WhatsApp Reminders',
        'Failed to send WhatsApp: Not today.',
      ],
    ] as const) {
      await page.getByRole('button', { name: button }).click()
      await dialog(form).getByRole('button', { name: 'Send Now' }).click()
      await dialog(form).getByText(text).waitFor()
      await page.keyboard.press('Escape')
      await dialog(form).waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: `More for ${cart.customer_name}` }).click()
    await page.getByRole('menuitem', { name: 'Check SMS status' }).click()
    await dialog('SMS status').getByText('Failed to check SMS status: Not today.').waitFor()
    await page.keyboard.press('Escape')
    await page.unrouteAll()
  })

  test('on the free plan SMS and WhatsApp are prompts to upgrade (B 6)', async () => {
    await page.route('**/api/subscribe/status*', (route) =>
      route.fulfill({ json: { plan: 'free', status: 'active', nextBillingDate: null, isTestMode: true } }),
    )
    const cart = (await api<List>('/api/carts/abandoned?limit=100')).carts.find(({ phone }) => phone)!
    await open(`?search=${encodeURIComponent(cart.phone!)}`)
    for (const text of [reminderTexts.smsPlan, reminderTexts.whatsappPlan]) {
      expect(await page.getByRole('link', { name: text }).first().getAttribute('href')).toBe('/pricing')
    }
    expect(await page.getByRole('button', { name: /^Send (SMS|WhatsApp)/ }).count()).toBe(0)
    await page.goto(`${house.url}/carts?cart=${cart.id}`)
    const panel = dialog('Cart details')
    for (const text of [reminderTexts.smsPlan, reminderTexts.whatsappPlan]) await panel.getByText(text).waitFor()
    expect(await panel.getByRole('link', { name: 'See plans' }).first().getAttribute('href')).toBe('/pricing')
    expect(await violations()).toEqual([])
    await page.unroute('**/api/subscribe/status*')
  })
})

test('on a phone carts are cards with the same actions, and nothing stands out of the page', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${house.url}/carts`)
  await page.locator('.cart-card').first().waitFor()
  expect(await page.getByRole('table').count()).toBe(0)
  await page.getByRole('checkbox', { name: 'Select all carts on this page' }).check()
  await page.getByRole('region', { name: 'Selected carts' }).getByText('10 selected').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  expect(await violations()).toEqual([])
})
