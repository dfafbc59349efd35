import type { Browser, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../test/authenticator.ts'
import { type AppInstance, anAppInstance, mailsTo, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'

// Two-factor sign-in, from its setup to its end. The server's clock is the real one and a code counts once, so that each step uses
// another: that of now, that of the next step, then recovery codes.

const OLIVE = { name: 'Olive', email: 'olive@owners.example', password: 'four pots on Kiln Road' }
let instance: AppInstance
let browser: Browser
let page: Page
let secret = ''
let recoveryCodes: string[] = []

beforeAll(async () => {
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await aPage()
  const ask = (path: string, body: object, token = '') =>
    fetch(`${instance.url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    }).then((reply) => reply.json() as Promise<{ token: string }>)
  const { token } = await ask('auth/register', OLIVE)
  await ask('subscribe/create-free-subscription', {}, token)
  await page.goto(`${instance.url}/readyz`)
  await page.evaluate((value) => localStorage.setItem('token', value), token)
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

const aPage = async () => (await browser.newContext({ reducedMotion: 'reduce', acceptDownloads: true })).newPage()
const focused = (on: Page) =>
  on.evaluate(() => {
    const at = document.activeElement as HTMLInputElement
    return at.name || at.textContent
  })
const card = () =>
  page.locator('.mantine-Card-root', { has: page.getByRole('heading', { name: 'Two-factor sign-in' }) })

async function enterPassword(on: Page) {
  await on.goto(`${instance.url}/login`)
  await on.getByLabel('Email').fill(OLIVE.email)
  await on.getByLabel('Password', { exact: true }).fill(OLIVE.password)
  await on.keyboard.press('Enter')
}

/** What a camera would read of the picture on the screen. */
async function scanned(): Promise<string> {
  const shown = card().getByRole('img', { name: 'QR code for your authenticator app' })
  await shown.waitFor()
  const { size, path } = await shown.evaluate((svg) => ({
    size: (svg as SVGSVGElement).viewBox.baseVal.width,
    path: svg.querySelector('.qr-modules')!.getAttribute('d')!,
  }))
  const scale = 4
  const width = size * scale
  const data = new Uint8Array(width * width * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1/g)) {
    for (let row = 0; row < scale; row += 1) {
      const start = ((Number(y) * scale + row) * width + Number(x) * scale) * 4
      for (let at = start; at < start + scale * 4; at += 1) if (at % 4 !== 3) data[at] = 0
    }
  }
  return decodeQR({ width, height: width, data })
}

test('is set up with the password and a code of the app, and gives ten recovery codes once', async () => {
  await page.goto(`${instance.url}/settings/account`)
  await card().getByRole('button', { name: 'Set up' }).click()
  await expect.poll(() => focused(page)).toBe('password')
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await card().getByText('That is not your current password.').waitFor()
  await card().getByLabel('Current password').fill(OLIVE.password)
  await page.keyboard.press('Enter')
  const shown = await card().locator('.typed-secret').innerText()
  secret = shown.replaceAll(' ', '')
  await expect.poll(() => focused(page)).toBe('Scan this with your authenticator app')
  expect(new URL(await scanned()).searchParams.get('secret')).toBe(secret)
  await checkInEveryTheme(page, 'second-factor-setup')
  const code = card().getByLabel('Code the app shows now')
  expect(await code.getAttribute('autocomplete')).toBe('one-time-code')
  await code.fill('000000')
  await page.keyboard.press('Enter')
  await card().getByText('That code is not right').waitFor()
  await code.fill(codeAt(secret, new Date()))
  await page.keyboard.press('Enter')
  await card().getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  recoveryCodes = await card().locator('.recovery-codes > li').allInnerTexts()
  expect(recoveryCodes).toHaveLength(10)
  await checkInEveryTheme(page, 'second-factor-recovery-codes')
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    card().getByRole('button', { name: 'Save as a file' }).click(),
  ])
  expect(saved.suggestedFilename()).toBe('recoup-recovery-codes.txt')
  await card().getByRole('button', { name: 'I have kept them' }).click()
  await card().getByText('10 codes left').waitFor()
  expect(await card().locator('.recovery-codes').count()).toBe(0)
  await checkInEveryTheme(page, 'second-factor-on')
  await until(
    async () => (await mailsTo(instance, OLIVE.email)).some(({ subject }) => /was switched on/.test(subject)),
    20_000,
  )
})

test('signing in asks for the code in a second step, which the keyboard alone works', async () => {
  const visitor = await aPage()
  await enterPassword(visitor)
  await visitor.getByRole('heading', { level: 1, name: 'Two-factor sign-in' }).waitFor()
  await expect.poll(() => focused(visitor)).toBe('code')
  const code = visitor.getByLabel('Code of your authenticator app')
  expect([await code.getAttribute('autocomplete'), await code.getAttribute('inputmode')]).toEqual([
    'one-time-code',
    'numeric',
  ])
  await checkInEveryTheme(visitor, 'sign-in-code')
  await visitor.keyboard.press('Enter')
  await visitor.getByText('Enter the code of your authenticator app.').nth(1).waitFor()
  await visitor.keyboard.type('000000')
  await visitor.keyboard.press('Enter')
  await visitor.getByText('That code is not right').waitFor()
  await expect.poll(() => focused(visitor)).toBe('code')
  // As pasted: the app shows it in two groups.
  const right = codeAt(secret, new Date(), 1)
  await visitor.keyboard.insertText(`${right.slice(0, 3)} ${right.slice(3)}`)
  await visitor.keyboard.press('Enter')
  await visitor.waitForURL('**/store-setup')
})

test('leads back to the first step, and takes a recovery code in place of the app', async () => {
  const visitor = await aPage()
  await enterPassword(visitor)
  await visitor.getByRole('button', { name: 'Back to sign-in' }).click()
  await visitor.getByLabel('Password', { exact: true }).waitFor()
  await enterPassword(visitor)
  await visitor.getByRole('button', { name: 'Use a recovery code instead' }).click()
  await expect.poll(() => focused(visitor)).toBe('code')
  await visitor.getByLabel('Recovery code', { exact: true }).fill(recoveryCodes[0]!)
  await visitor.keyboard.press('Enter')
  await visitor.waitForURL('**/store-setup')
  await page.reload()
  await card().getByText('9 codes left').waitFor()
})

test('gives new recovery codes, and is switched off, each with password and code', async () => {
  await card().getByRole('button', { name: 'New recovery codes' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Current password').fill(OLIVE.password)
  await dialog.getByRole('button', { name: 'Use a recovery code instead' }).click()
  await dialog.getByLabel('Recovery code', { exact: true }).fill(recoveryCodes[1]!)
  await dialog.getByRole('button', { name: 'Make new codes' }).click()
  await dialog.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  const renewed = await dialog.locator('.recovery-codes > li').allInnerTexts()
  expect(renewed.filter((code) => recoveryCodes.includes(code))).toEqual([])
  await dialog.getByRole('button', { name: 'I have kept them' }).click()
  await card().getByText('10 codes left').waitFor()
  await card().getByRole('button', { name: 'Switch off' }).click()
  await dialog.getByText('Switch off two-factor sign-in?').waitFor()
  await checkInEveryTheme(page, 'second-factor-off', '[role=dialog]')
  await dialog.getByLabel('Current password').fill(OLIVE.password)
  await dialog.getByRole('button', { name: 'Use a recovery code instead' }).click()
  await dialog.getByLabel('Recovery code', { exact: true }).fill(recoveryCodes[2]!)
  await dialog.getByRole('button', { name: 'Switch off' }).click()
  await dialog.getByText('That recovery code is not right').waitFor()
  await dialog.getByLabel('Recovery code', { exact: true }).fill(renewed[0]!)
  await dialog.getByRole('button', { name: 'Switch off' }).click()
  await dialog.waitFor({ state: 'detached' })
  await card().getByRole('button', { name: 'Set up' }).waitFor()
  const visitor = await aPage()
  await enterPassword(visitor)
  await visitor.waitForURL('**/store-setup')
})
