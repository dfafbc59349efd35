import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'

// Somebody presses Connect in their shop and has no account yet: the request goes on once they have registered and chosen a plan.

let instance: AppInstance
let store: DemoStore
let browser: Browser

beforeAll(async () => {
  store = await startDemoStore({ port: 0, dataFile: ':memory:' })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await store?.stop()
})

test('Connect in the shop, register, free plan, confirm: the shop is connected', async () => {
  const page = await browser.newPage()
  await page.goto(`${store.url}/wp-admin/?page=recoup`)
  await page.getByLabel('Address of Recoup').fill(instance.url)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Name').fill('Nora New')
  await page.getByLabel('Email').fill('nora@owners.example')
  await page.getByLabel('Password', { exact: true }).fill('a long password')
  await page.getByLabel(/^(Confirm|Repeat) password/i).fill('a long password')
  await page.getByRole('button', { name: /create account/i }).click()
  await page.waitForURL('**/pricing')
  // As when the payment was made elsewhere.
  await page.reload()
  await page.getByRole('button', { name: 'Continue with Lite' }).click()
  await page.getByRole('heading', { name: 'Connect this shop?' }).waitFor()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('The shop is connected.').waitFor()
  expect(page.url()).toContain(store.url)
  // It was answered: the store set-up is what it always is.
  await page.goto(`${instance.url}/store-setup`)
  await page.waitForURL('**/dashboard')
})
