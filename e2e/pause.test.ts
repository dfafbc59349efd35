import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppInstance, aSeededInstance } from './app-instance.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'

// Pause all sending, in two browsers of the same store (decision 136). `SCREENSHOTS=folder` keeps pictures.

let instance: AppInstance
let browser: Browser

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function anOwner(width = 1280): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width, height: 800 } })).newPage()
  await page.goto(`${instance.url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  return page
}

const picture = async (page: Page, name: string) => {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: path.join(folder, `pause-${name}.png`) })
}

/** Not what is told in passing. */
const paused = (page: Page) => page.getByRole('region', { name: 'Notices' }).getByText('All sending is paused')

test('is pressed by keyboard on any screen, seen in every browser, and undone', async () => {
  const [page, phone] = [await anOwner(), await anOwner(360)]
  await page.goto(`${instance.url}/flows`)
  const button = page.getByRole('button', { name: 'Pause all sending' })
  await button.focus()
  await picture(page, 'before')
  await picture(phone, 'before-phone')
  await button.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Pause all sending?' })
  await dialog.getByText('until you resume').waitFor()
  await picture(page, 'asked')
  await dialog.getByRole('button', { name: 'Pause all sending' }).click()
  for (const each of [page, phone]) await paused(each).waitFor()
  expect(await button.count()).toBe(0)
  for (const scheme of ['light', 'dark'] as const) {
    await phone.emulateMedia({ colorScheme: scheme })
    await picture(phone, `phone-${scheme}`)
    expect((await axeOf(phone).include('section[aria-label=Notices]').analyze()).violations).toEqual([])
  }
  await picture(page, 'paused')
  await phone.getByRole('button', { name: 'Resume sending' }).click()
  await phone.getByRole('dialog').getByRole('button', { name: 'Resume sending' }).click()
  for (const each of [page, phone]) await paused(each).waitFor({ state: 'hidden' })
  await button.waitFor()
})
