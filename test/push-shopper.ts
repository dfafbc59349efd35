import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { DEFAULT_PROMPT } from '../shared/delivery/push.ts'
import type { openPushServer } from './push-page-server.ts'

// Test support: a shopper on a page with the push widget, and the calls that the server received.

type Server = Awaited<ReturnType<typeof openPushServer>>

export function createShopper(shopUrl: () => string, server: () => Server) {
  const listReceived = (call: string) =>
    server()
      .received.filter((each) => each.call === call)
      .map(({ body }) => body)
  const findBar = (page: Page) => page.getByRole('region', { name: DEFAULT_PROMPT.title })
  const findAcceptButton = (page: Page) => findBar(page).getByRole('button', { name: DEFAULT_PROMPT.accept })

  /** Waits until the capture script has reported the cart, which the widget checks by its `has` entry. */
  async function addTea(page: Page): Promise<void> {
    await page.goto(`${shopUrl()}/shop/`)
    await page.locator('[data-quick-add]').first().click()
    await page.getByText('has been added to your cart').waitFor()
    await page.clock.runFor(700)
    await page.waitForFunction(() =>
      Object.entries(localStorage).some(([name, has]) => /_has_/.test(name) && has === '1'),
    )
  }

  async function waitForBar(page: Page): Promise<void> {
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000)
        return findBar(page).count()
      })
      .toBe(1)
  }

  async function waitForSubscription(page: Page): Promise<void> {
    await addTea(page)
    await waitForBar(page)
    await findAcceptButton(page).click()
    await expect.poll(() => listReceived('subscribe').length).toBe(1)
    await expect.poll(() => readStoredToken(page)).toMatch(/\.t+$/)
  }

  const readStoredToken = (page: Page) =>
    page.evaluate(async () => {
      const stored = await (await caches.open('recoup-push')).match('/recoup-push/kept')
      return stored ? ((await stored.json()).token as string) : ''
    })

  const readNextPage = async (page: Page, more: () => Promise<unknown> = async () => {}) => {
    await page.evaluate(() => sessionStorage.clear())
    await more()
    await page.goto(`${shopUrl()}/shop/`)
  }

  return {
    received: listReceived,
    bar: findBar,
    yes: findAcceptButton,
    addTea,
    waitForBar,
    subscribed: waitForSubscription,
    readStoredToken,
    nextPage: readNextPage,
  }
}
