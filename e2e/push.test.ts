import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { DEFAULT_PROMPT, type PushMethod, WORKER_PATHS } from '../shared/delivery/push.ts'
import { stubPushInPage } from '../test/push-in-page.ts'
import { buttonCode, easyCode, functionsCode } from '../web/features/push/code.ts'
import type { PushSetup } from '../web/features/push/queries.ts'
import type { AppInstance } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { createOwnerWithoutStore, KEYS } from './owner.ts'
import { startSharedInstance } from './shared-instances.ts'

let instance: AppInstance
let shop: DemoStore
let browser: Browser

beforeAll(async () => {
  instance = (await startSharedInstance('free')) as AppInstance
  shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  browser = await openBrowser()
})
afterAll(async () => {
  if (browser) await closePages(browser)
  await shop?.stop()
})

/** Puts tea into the cart and accepts the prompt bar. */
async function subscribeShopper(isByButton: boolean): Promise<void> {
  const context = await browser.newContext()
  await context.grantPermissions(['notifications'], { origin: shop.url })
  await context.addInitScript(stubPushInPage, 'default')
  const page = await context.newPage()
  await page.goto(`${shop.url}/shop/`)
  // A browser can subscribe only for a cart the server knows.
  const captured = page.waitForResponse((reply) => reply.url().includes('/api/capture/'))
  await page.locator('[data-quick-add]').first().click()
  await captured
  if (isByButton) await page.getByRole('button', { name: 'Remind me of my cart' }).click()
  await page.getByRole('button', { name: DEFAULT_PROMPT.accept }).click()
  // Stored once the server has answered; the box itself exists earlier.
  await expect.poll(() => page.evaluate(async () => Boolean(await caches.match('/recoup-push/kept')))).toBe(true)
  await context.close()
}

test('the code of each method subscribes shoppers, and the live check shows the shop', {
  tags: ['A2.10', 'A7'],
}, async () => {
  const page = await (await browser.newContext()).newPage()
  const { ask, connect } = await createOwnerWithoutStore(instance, page, `push-${randomUUID()}@owners.example`)
  await connect(shop)
  const read = () => ask<PushSetup>('GET', '/api/push-notifications/setup')
  const { storeUrl, storeKey } = await read()
  await ask('POST', '/api/push-notifications/generate-vapid-keys', { storeUrl })
  await ask('PUT', '/api/push-notifications/prompt', { storeUrl, prompt: { ...DEFAULT_PROMPT, delayMs: 0 } })
  shop.setCapture({ scriptUrl: `${instance.url}/capture/${storeKey}.js`, storeKey })
  const text = await (await fetch(`${instance.url}/push/sw.js`)).text()
  const widget = { origin: instance.url, storeKey, storeUrl }
  const [button = '', line = ''] = buttonCode(widget).split('\n')
  // PHP is not run here: the test extracts what the code prints and serves.
  const php = functionsCode(widget, text)
  const pasted = {
    easy: { head: easyCode(widget), worker: { text } },
    button: { head: line, body: button, worker: { text } },
    functions: {
      head: /echo '(<script.*<\/script>)';/.exec(php)![1]!,
      worker: { text: /<<<'RECOUP_SW'\n(.*)\nRECOUP_SW;/s.exec(php)![1]! },
    },
  } satisfies Partial<Record<PushMethod, object>>
  for (const [index, method] of (['easy', 'button', 'functions'] as const).entries()) {
    shop.setPush({ ...pasted[method], workerPath: WORKER_PATHS[method] })
    await subscribeShopper(method === 'button')
    const { seen, subscribers } = await read()
    expect(seen.find((each) => each.method === method)).toMatchObject({
      origin: shop.url,
      workerAt: expect.any(String),
    })
    expect(subscribers).toBe(index + 1)
  }
})
