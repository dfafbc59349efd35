import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { anOwner, KEYS } from './owner.ts'

// The brand of a store, from the logo found in it to a mail that looks like the shop.

let instance: AppInstance
let store: DemoStore
let browser: Browser
let page: Page
let ask: Awaited<ReturnType<typeof anOwner>>['ask']

beforeAll(async () => {
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })).newPage()
  ask = (await anOwner(instance, store, page)).ask
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await store?.stop()
})

const part = (name: string) => page.getByRole('region', { name, exact: true })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const mail = () => page.frameLocator('iframe[title="Email preview"]')
const logoInMail = () => mail().locator('img.logo').getAttribute('src')
const button = (name: string) => page.getByRole('button', { name, exact: true })

test('the logo found on connecting is shown, in no mail before it is confirmed, and then in the preview', async () => {
  await expect
    .poll(async () => (await ask<{ proposal: unknown }>('GET', '/api/stores/brand')).proposal, { timeout: 30_000 })
    .toMatchObject({ source: 'site_logo' })
  await page.goto(`${instance.url}/settings/sending`)
  await page.getByText('A logo was found in your store. Nothing uses it until you confirm it.').waitFor()
  await page.getByRole('link', { name: /^Brand/ }).click()
  await part('Logo').getByText('We found this logo in your store.').waitFor()
  await mail().locator('a.button').first().waitFor()
  expect(await mail().locator('img.logo').count()).toBe(0)
  await checkInEveryTheme(page, 'brand-proposal')
  await button('Use it').press('Enter')
  await part('Logo').getByAltText('Your logo').waitFor()
  await expect.poll(logoInMail).toMatch(/\/brand\/[\w-]{36}\/\w{64}\.png$/)
  const loaded = part('Logo').getByAltText('Your logo')
  await expect.poll(() => loaded.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(570)
})

test('a file of one’s own replaces it; what is no picture is refused in words', async () => {
  const upload = async (name: string, mimeType: string, buffer: Buffer) => {
    const chosen = page.waitForEvent('filechooser')
    await button('Replace logo').click()
    await (await chosen).setFiles({ name, mimeType, buffer })
  }
  const before = await part('Logo').getByAltText('Your logo').getAttribute('src')
  await upload('logo.png', 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
  await part('Logo').getByText('Mail programs do not show SVG pictures.').waitFor()
  await upload('logo.png', 'image/png', Buffer.alloc(310 * 1024))
  await part('Logo').getByText('This file is larger than 300 KB.').waitFor()
  const content = await sharp({ create: { width: 300, height: 100, channels: 3, background: '#205080' } })
    .jpeg()
    .toBuffer()
  await upload('logo.jpg', 'image/jpeg', content)
  await expect.poll(() => part('Logo').getByAltText('Your logo').getAttribute('src')).toMatch(/\.jpg$/)
  expect(await part('Logo').getByText('Not saved').count()).toBe(0)
  expect((await fetch(instance.url + before)).status).toBe(200)
  await expect.poll(logoInMail).toMatch(/\.jpg$/)
})

test('colors, words and links are seen before they are saved; what cannot be read is not saved', async () => {
  await field('Text color').fill('#aaaaaa')
  await part('Colors and font').getByText('Text on this background cannot be read well: contrast 2.3:1').waitFor()
  await page.keyboard.press('Control+s')
  expect(await field('Text color').getAttribute('aria-invalid')).toBe('true')
  await field('Text color').fill('#222222')
  await field('Button color').fill('#7a1fa2')
  await field('Shipping and returns').fill('Ships within two days')
  await button('Add link').click()
  await field('Address of Instagram').fill('https://www.instagram.com/teashop')
  await mail().getByText('Ships within two days').waitFor()
  await checkInEveryTheme(page, 'brand-changed')
  await button('Save').click()
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'hidden' })
  expect(await ask('GET', '/api/stores/brand')).toMatchObject({
    version: 1,
    look: { button: '#7a1fa2', social: [{ kind: 'instagram', url: 'https://www.instagram.com/teashop' }] },
  })
})

test('who changed an older state is told, and saves over it only knowingly', async () => {
  const { look } = await ask<{ look: object }>('GET', '/api/stores/brand')
  await field('Footer').fill('From me')
  await ask('PUT', '/api/stores/brand', { ...look, footerWords: 'From somebody else' })
  await button('Save').click()
  await page.getByText('Someone else has changed the brand since you opened it.').waitFor()
  await button('Discard').click()
  await expect.poll(() => field('Footer').inputValue()).toBe('From somebody else')
  await button('Remove logo').click()
  await button('Upload logo').waitFor()
  await expect.poll(() => mail().locator('img.logo').count()).toBe(0)
})
