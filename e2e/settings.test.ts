import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppInstance, aSeededInstance, mailsTo, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { isFocused } from './keys.ts'

// Settings as two people of a team use them at the same time.

let instance: AppInstance
let browser: Browser
let ada: Page
let mia: Page

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
  ada = await signedIn()
  mia = await signedIn()
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function signedIn(): Promise<Page> {
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await page.goto(`${instance.url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.getByRole('navigation', { name: 'Sections' }).waitFor()
  return page
}

const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const open = async (page: Page, tab: string) => {
  await page.goto(`${instance.url}/settings/${tab}`)
  await page.getByRole('navigation', { name: 'Settings' }).waitFor()
}

test('a wrong value is said at its field, leaving asks, and Ctrl+S saves', async () => {
  await open(ada, 'recovery-rules')
  await field(ada, 'Messages per person').fill('99')
  await ada.keyboard.press('Control+s')
  await ada.getByText('A whole number from 1 to 20').waitFor()
  expect(await field(ada, 'Messages per person').getAttribute('aria-invalid')).toBe('true')
  // On a phone too it stands above the bar, which lies over the page there.
  await ada.setViewportSize({ width: 360, height: 640 })
  await ada.evaluate(() => scrollTo(0, 0))
  await bar(ada).getByRole('button', { name: 'Save' }).click()
  const bottom = async () => (await ada.getByText('A whole number from 1 to 20').boundingBox())!
  await expect
    .poll(async () => (await bottom()).y + (await bottom()).height)
    .toBeLessThan((await bar(ada).boundingBox())!.y)
  await ada.setViewportSize({ width: 1280, height: 720 })
  await field(ada, 'Messages per person').fill('4')
  await ada.getByRole('link', { name: 'Appearance' }).click()
  await ada.getByRole('dialog').getByText('have not been saved').waitFor()
  await ada.getByRole('button', { name: 'Cancel' }).click()
  await ada.keyboard.press('Control+s')
  await bar(ada).waitFor({ state: 'hidden' })
  await ada.reload()
  await until(async () => (await field(ada, 'Messages per person').inputValue()) === '4', 10_000)
})

test('who saves after somebody else is told, and neither loses anything', async () => {
  await open(ada, 'recovery-rules')
  await open(mia, 'recovery-rules')
  await field(ada, 'Days').fill('9')
  await field(mia, 'Messages per person').fill('2')
  await field(mia, 'Days').fill('7')
  await mia.getByRole('button', { name: 'Save' }).click()
  await bar(mia).waitFor({ state: 'hidden' })
  await ada.getByRole('button', { name: 'Save' }).click()
  await ada.getByText('“Attribution window” (theirs: 7 days)').waitFor()
  // Hers is still typed, his is taken in.
  expect(await field(ada, 'Days').inputValue()).toBe('9')
  expect(await field(ada, 'Messages per person').inputValue()).toBe('2')
  await ada.getByRole('button', { name: 'Save' }).click()
  await bar(ada).waitFor({ state: 'hidden' })
  await mia.reload()
  await until(async () => (await field(mia, 'Days').inputValue()) === '9', 10_000)
  expect(await field(mia, 'Messages per person').inputValue()).toBe('2')
})

test('a test mail shows the mail server’s own answers, and arrives', async () => {
  await open(ada, 'sending/mail-server')
  const card = ada.getByRole('region', { name: 'Test email' })
  await card.getByRole('button', { name: 'Send test email' }).click()
  const steps = card.getByRole('list', { name: 'Steps of the test email' })
  await steps.getByRole('heading', { name: 'Submit' }).waitFor()
  await expect.poll(() => steps.getByText(/^220 /).count()).toBe(1)
  const to = /not sent to (\S+),/.exec(await card.getByText('It was not sent to').innerText())![1]!
  await until(
    async () => (await mailsTo(instance, to)).some(({ subject }) => subject.startsWith('Test email from')),
    10_000,
  )
})

test('the doctor asks the store, and again when wanted', async () => {
  await open(ada, '')
  const card = ada.getByRole('region', { name: 'Connection doctor' })
  const parts = card.getByRole('list', { name: 'Parts of the connection' })
  await parts.getByText('The store knows the key and accepts its secret.').waitFor({ timeout: 30_000 })
  await expect.poll(() => parts.getByRole('listitem').count()).toBe(9)
  const again = ada.waitForResponse((response) => response.url().includes('/api/stores/doctor'))
  await card.getByRole('button', { name: 'Run again' }).click()
  expect((await again).status()).toBe(200)
})

test('an answer has an address, one is open at a time, and words find it', async () => {
  await open(ada, 'faq#api-keys')
  await ada.getByText('Press Add key').waitFor()
  await ada.getByRole('button', { name: 'How often is my store’s data synced?' }).click()
  await ada.waitForURL('**/settings/faq#sync')
  await ada.getByText('Press Add key').waitFor({ state: 'hidden' })
  await ada.getByRole('searchbox', { name: 'Search the questions' }).fill('unsubscribe')
  await until(async () => (await ada.getByRole('heading', { level: 3 }).count()) === 1, 5_000)
})

test('consents of a newsletter tool are looked at, taken in, and found by a whole address', async () => {
  await open(ada, 'consent#import')
  const rows = [
    'ann@news.example;13.05.2024;Footer form',
    'bob@;14.05.2024;Footer form',
    'cal@news.example;;Footer form',
  ]
  const buffer = Buffer.from(`E-Mail;Datum;Quelle\n${rows.join('\n')}\n`)
  await ada.locator('input[type=file]').setInputFiles({ name: 'news.csv', mimeType: 'text/csv', buffer })
  const first = ada.getByRole('region', { name: 'First rows' })
  await first.getByText('This is not a complete email address.').waitFor()
  expect(await ada.getByLabel('Date format').inputValue()).toBe('dmy')
  const take = ada.getByRole('button', { name: 'Import 1 row' })
  expect(await take.isDisabled()).toBe(true)
  await ada.getByLabel('How did these people agree?').fill('They ticked the box of our newsletter form.')
  await take.click()
  await ada.getByText('1 imported, 0 already known, 2 refused').waitFor({ timeout: 20_000 })
  const download = ada.waitForEvent('download')
  await ada.getByRole('button', { name: 'Refused rows as CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^refused-consents-/)
  await ada.getByRole('navigation', { name: 'Consent' }).getByRole('link', { name: 'Consent ledger' }).click()
  const search = ada.getByRole('searchbox', { name: 'Full email address or phone number' })
  await search.fill('ANN@news.example')
  await search.press('Enter')
  const found = ada.getByRole('list', { name: 'Consents, newest first' })
  await found.getByText('ann@news.example').waitFor()
  await found.getByText('Given: Footer form').waitFor()
})

test('the owner’s words stand in the preview and on the page a mail leads to; its reader decides by keyboard, in German', async () => {
  await open(ada, 'consent#preferences')
  await field(ada, 'Headline').fill('Post from {store}')
  await ada
    .getByRole('figure')
    .getByText(/^Post from (?!\{)/)
    .waitFor()
  await bar(ada).getByRole('button', { name: 'Save' }).click()
  await bar(ada).waitFor({ state: 'hidden' })
  const page = await (await browser.newContext({ reducedMotion: 'reduce', locale: 'de-DE' })).newPage()
  await page.goto(await preferencesLink())
  await page.getByRole('heading', { level: 1, name: /^Nachrichten von/ }).waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')
  await page.getByRole('switch', { name: 'E-Mail' }).press('Space')
  await page.getByLabel('Warum? (freiwillig)').selectOption('too_many')
  await page.getByRole('button', { name: 'Speichern' }).press('Enter')
  await page.getByText('Gespeichert. Ihre Auswahl gilt ab sofort.').waitFor()
  await page.reload()
  await until(async () => !(await page.getByRole('switch', { name: 'E-Mail' }).isChecked()), 10_000)
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('heading', { level: 1, name: /^Post from/ }).waitFor()
  await page.getByRole('button', { name: 'Unsubscribe from everything' }).click()
  await page.getByText('You are unsubscribed from everything and will get no more messages.').waitFor()
})

test('a rule is found by its country, relaxed on a legal ground only, and holds again when that is ended', async () => {
  await ada.goto(`${instance.url}/settings/consent#countries`)
  await ada.getByRole('searchbox', { name: 'Find a country' }).fill('austri')
  await ada.getByRole('heading', { name: 'Austria' }).waitFor()
  await ada.getByRole('button', { name: 'Change the rule for SMS: Austria' }).press('Enter')
  const dialog = ada.getByRole('dialog', { name: 'Change the rule for SMS' })
  const relax = dialog.getByRole('button', { name: 'Change the rule' })
  await dialog.getByLabel('I have checked this').check()
  await dialog.getByLabel('Which law').fill('Because')
  expect(await relax.isDisabled()).toBe(true)
  await dialog.getByLabel('Which law').fill('Our numbers are proven by the payment app, see contract 12.')
  await relax.click()
  await ada.getByText('Changed for Austria: Opt-in').waitFor()
  const kept = ada.getByRole('listitem').filter({ hasText: 'see contract 12' })
  expect(await kept.innerText()).toMatch(/SMS, Austria[\s\S]*“Opt-in” instead of “Double opt-in”[\s\S]*Demo/)
  await kept.getByRole('button', { name: 'Restore the rule: SMS, Austria' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Restore rule' }).click()
  await ada.getByText('None. The rules above apply as they are.').waitFor()
})

/** Of a mail sent by hand to somebody who may have one. */
async function preferencesLink(): Promise<string> {
  const token = await ada.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const list = await fetch(`${instance.url}/api/carts/abandoned?limit=30`, { headers })
  const { carts } = (await list.json()) as { carts: { id: string; customer_email: string | null }[] }
  const cartIds = carts.filter((cart) => cart.customer_email).map(({ id }) => id)
  await fetch(`${instance.url}/api/carts/send`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ channel: 'email', cartIds }),
  })
  let link: string | undefined
  await until(async () => {
    const { messages } = (await (await fetch(`${instance.mailboxUrl}/api/messages`)).json()) as {
      messages: { id: number }[]
    }
    for (const { id } of messages) {
      const mail = await (await fetch(`${instance.mailboxUrl}/api/messages/${id}`)).text()
      link ??= /https?:\/\/[\w.:-]+\/preferences\?token=[\w-]{43}/.exec(mail)?.[0]
    }
    return link !== undefined
  }, 20_000)
  return link!
}

test('an address is put on the list and taken off by keyboard, and the list says who did it', async () => {
  await open(ada, 'consent#suppressions')
  await ada.getByRole('button', { name: 'Add', exact: true }).press('Enter')
  const dialog = ada.getByRole('dialog')
  // It takes the keyboard a moment after it is drawn.
  await expect.poll(() => isFocused(dialog.getByRole('textbox', { name: 'Email or phone number' }))).toBe(true)
  await ada.keyboard.type('(212) 555-0177')
  await ada.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  const search = ada.getByRole('searchbox', { name: 'Search an email or phone number' })
  await search.fill('212 555 0177')
  await search.press('Enter')
  await ada.getByText('1 entry', { exact: true }).waitFor()
  await ada.getByRole('button', { name: 'Remove +12125550177' }).press('Enter')
  await dialog.getByRole('button', { name: 'Remove' }).press('Enter')
  const removed = ada.getByRole('region', { name: 'Removed from the list' })
  await removed.getByText('+12125550177 (Added by you, Everything) by Demo').waitFor()
})

test('a person is found from their cart, handed over and erased; the cart stays, and says nothing of them', async () => {
  const token = await ada.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`${instance.url}/api/carts/abandoned?status=recovered&limit=5`, { headers })
  const { carts } = (await reply.json()) as { carts: { id: string; customer_name: string; customer_email: string }[] }
  const cart = carts.find(({ customer_email }) => customer_email)!
  await ada.goto(`${instance.url}/carts/${cart.id}`)
  await ada.getByRole('link', { name: 'Export or erase this person' }).click()
  await ada.getByRole('heading', { name: cart.customer_name }).waitFor()
  await find('nobody@shoppers.example')
  await ada.getByText('No data is kept about this address').waitFor()
  await find(cart.customer_email)
  await ada.getByRole('heading', { name: cart.customer_name }).waitFor()
  const download = ada.waitForEvent('download')
  await ada.getByRole('button', { name: 'Export tables (zip)' }).click()
  expect((await download).suggestedFilename()).toMatch(/^person-.*\.zip$/)
  await ada.getByRole('button', { name: 'Erase this person' }).click()
  expect(await ada.getByRole('button', { name: 'Erase permanently' }).isDisabled()).toBe(true)
  await ada.getByRole('textbox', { name: 'Type “erase” to confirm' }).fill('erase')
  await ada.keyboard.press('Enter')
  await ada.getByText('This person is erased').waitFor({ timeout: 20_000 })
  await ada.goto(`${instance.url}/carts/${cart.id}`)
  await ada.getByRole('heading', { level: 1, name: 'Guest' }).waitFor()
  expect(await ada.getByText(cart.customer_email).count()).toBe(0)
})

async function find(address: string) {
  await ada.getByRole('textbox', { name: 'Email or phone number' }).fill(address)
  await ada.getByRole('button', { name: 'Find' }).click()
}
