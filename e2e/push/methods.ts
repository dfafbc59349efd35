import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { DEFAULT_PROMPT } from '../../shared/push.ts'
import { pushInPage } from '../../test/push-in-page.ts'
import { aWindow, browser, card, goodBye, instance, store } from './scene.ts'

// The code of each method is taken from the screen, put into the demo store's pages as the instructions say, and used by a shopper; the live
// check on the screen then names the shop. PHP is not run here: what its code prints and serves is read out of it.

interface Pasted {
  head: string
  body?: string
  workerPath: '/?recoup-sw=1' | '/sw.js'
  worker: { text: string }
}

const ready = async (page: Page, label: string) => {
  const box = page.getByLabel(label, { exact: true })
  await expect.poll(() => box.inputValue()).not.toBe('')
  return box.inputValue()
}

const methods: [label: string, paste: (code: string, worker: string) => Pasted][] = [
  ['Easy Integration', (head, text) => ({ head, workerPath: '/sw.js', worker: { text } })],
  [
    'Manual Button',
    (code, text) => {
      const [button = '', line = ''] = code.split('\n')
      return { head: line, body: button, workerPath: '/sw.js', worker: { text } }
    },
  ],
  [
    'Functions.php (recommended)',
    (php) => ({
      head: /echo '(<script.*<\/script>)';/.exec(php)![1]!,
      workerPath: '/?recoup-sw=1',
      worker: { text: /<<<'RECOUP_SW'\n(.*)\nRECOUP_SW;/s.exec(php)![1]! },
    }),
  ],
]

/** A shopper who has tea in the cart and says yes. */
async function shop(isByButton: boolean): Promise<void> {
  const context = await browser.newContext()
  await context.grantPermissions(['notifications'], { origin: store.url })
  await context.addInitScript(pushInPage, 'default')
  const page = await context.newPage()
  await page.goto(`${store.url}/shop/`)
  await page.locator('[data-quick-add]').first().click()
  if (isByButton) await page.getByRole('button', { name: 'Remind me of my cart' }).click()
  await page.getByRole('button', { name: DEFAULT_PROMPT.accept }).click()
  // Kept once the server has answered; the box itself is there before.
  await expect.poll(() => page.evaluate(async () => Boolean(await caches.match('/recoup-push/kept')))).toBe(true)
  await context.close()
}

export const theMethods = () =>
  describe('the three ways to put the code into a shop (A 2.10)', () => {
    test.each(
      methods,
    )('%s: pasted into the demo store it subscribes a shopper, and the live check names the shop', async (label, paste) => {
      const page = await aWindow()
      await page.goto(`${instance.url}/push-setup`)
      const key = card(page, 'Step 1: VAPID public key')
      await key.getByRole('button', { name: /^(Reg|G)enerate$/ }).waitFor()
      if (await key.getByRole('button', { name: 'Generate', exact: true }).count())
        await key.getByRole('button', { name: 'Generate', exact: true }).click()
      const step = card(page, 'Step 2: integration code')
      await step.getByText(label, { exact: true }).click()
      await step.getByText('Not seen yet').waitFor()
      const code = await ready(page, `Code: ${label}`)
      const storeKey = /\/push\/([\w-]+)\.js/.exec(code)![1]!
      store.setCapture({ scriptUrl: `${instance.url}/capture/${storeKey}.js`, storeKey })
      store.setPush(paste(code, await ready(page, 'sw.js')))
      await loadStats(page)
      const before = await subscribers(page)
      await shop(label === 'Manual Button')
      await page.reload()
      await step.getByText(label, { exact: true }).click()
      await step.getByText(`At work seen just now from ${new URL(store.url).host}`).waitFor()
      await loadStats(page)
      await expect.poll(() => subscribers(page)).toBe(before + 1)
      await goodBye(page)
    })
  })

/** Once for each time the screen is loaded: what it says stays. */
async function loadStats(page: Page): Promise<void> {
  await card(page, 'Statistics').getByRole('button', { name: 'Load store stats' }).click()
  await card(page, 'Statistics').getByText('Store stats loaded').waitFor()
}

async function subscribers(page: Page): Promise<number> {
  const figure = card(page, 'Statistics').locator('dl > div', { hasText: 'Total Subscribers' })
  return Number(await figure.locator('dd').innerText())
}
