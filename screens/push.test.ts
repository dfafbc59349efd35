import { expect, test } from 'vitest'
import { DEFAULT_PROMPT, DEFAULT_PUSH, pushTexts } from '../shared/delivery/push.ts'
import * as calls from '../shared/delivery/push-calls.ts'
import { previewMessage } from '../shared/marketing/message-preview.ts'
import { readBrand } from '../shared/workspace/brand-calls.ts'
import { stubPushInPage } from '../test/push-in-page.ts'
import { serveUser } from './account-scene.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'
import { buildSeenMethod, buildSetupWithoutKeys, createPushStore, STORE, subtractMinutes } from './push-store.ts'

// The Push Notification Manager.

const app = createScreens()
const push = createPushStore(app)
const { button, card, copied, expectToFit, figures, sent } = push

const GENERATE = 'Generate VAPID keys and widget code'

async function openManager() {
  const page = await app.open('/push-notifications')
  await card('Notification settings').waitFor()
  return page
}

/** Keys and code are in the second tab. */
async function openDeveloper() {
  const page = await openManager()
  await openTab('Developer')
  return page
}

const openTab = (name: string) =>
  app.page.getByRole('navigation', { name: 'Web push' }).getByRole('link', { name }).click()

test('has five instruction steps, and is disabled without a store URL', {
  tags: ['A2.9', 'A4.5', 'A5', 'A8'],
}, async () => {
  const page = await openDeveloper()
  await page.getByRole('heading', { name: 'Push Notification Manager', level: 1 }).waitFor()
  await expect.poll(() => card('Setup instructions').getByRole('listitem').count()).toBe(5)
  const url = page.getByLabel('Store URL')
  await expect.poll(() => url.getAttribute('type')).toBe('url')
  await expect.poll(() => url.getAttribute('placeholder')).toBe('https://your-store.com')
  await expect.poll(() => url.inputValue()).toBe(STORE)
  const buttons = ['Save settings', 'Load store stats', 'Send test notification', 'Save prompt']
  const listDisabled = async () => {
    await openTab('Developer')
    const generates = await button(GENERATE).isDisabled()
    await openTab('Notifications')
    return [generates, ...(await Promise.all(buttons.map((name) => button(name).isDisabled())))]
  }
  await expect.poll(() => listDisabled()).toEqual([false, ...buttons.map(() => false)])
  await openTab('Developer')
  await url.fill('')
  await expect.poll(() => listDisabled()).toEqual([true, ...buttons.map(() => true)])
  await openTab('Developer')
  await url.press('Enter')
  await page.getByRole('alert').filter({ hasText: pushTexts.noStoreUrl }).waitFor()
  expect(sent(calls.generateVapidKeys)).toEqual([])
})

test('generates the keys and shows the widget code to copy', { tags: ['A2.9', 'A4.5', 'A8'] }, async () => {
  push.setup = buildSetupWithoutKeys()
  const page = await openDeveloper()
  const box = page.getByLabel('Widget code', { exact: true })
  const copy = button('Copy widget code')
  await expect.poll(async () => [await box.inputValue(), await copy.isDisabled()]).toEqual(['', true])
  await expect.poll(() => box.getAttribute('readonly')).not.toBeNull()
  const held = app.api.hold(calls.generateVapidKeys)
  await button(GENERATE).click()
  await expect.poll(() => button(GENERATE).isDisabled()).toBe(true)
  held.release()
  const status = page.getByRole('status').filter({ hasText: pushTexts.keysMade })
  await status.waitFor()
  await expect.poll(() => status.getAttribute('class')).toContain('tone-good')
  await expect.poll(() => sent(calls.generateVapidKeys)).toEqual([{ storeUrl: STORE, platform: 'woocommerce' }])
  const code = `<script src="${app.url}/push/KEY-1.js" data-method="easy" data-store-url="${STORE}" defer></script>`
  await expect.poll(() => box.inputValue()).toBe(code)
  await copy.click()
  await page.getByText('Widget code copied to clipboard').waitFor()
  await expect.poll(() => copied()).toBe(code)
})

test('shows a cross with the server’s error, or its own when copying fails', { tags: ['A4.5', 'A8'] }, async () => {
  const page = await openDeveloper()
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
  })
  const isCross = async (where: string, hasText: string) => {
    const alert = card(where).getByRole('alert').filter({ hasText })
    await alert.waitFor()
    await expect.poll(() => alert.getAttribute('class')).toContain('tone-bad')
  }
  await button('Copy widget code').click()
  await isCross('Store and widget code', 'Failed to copy to clipboard')
  for (const [endpoint, error, press, where] of [
    [calls.generateVapidKeys, 'Store not found', GENERATE, 'Store and widget code'],
    [calls.savePushSettings, 'Store not found', 'Save settings', 'Notification settings'],
    [calls.sendStoreNotification, pushTexts.foreignCartUrl, 'Send test notification', 'Test notification'],
  ] as const) {
    app.api.fail(endpoint, 404, { error })
    await openTab(press === GENERATE ? 'Developer' : 'Notifications')
    await button(press).click()
    await isCross(where, `Error: ${error}`)
  }
  await expectToFit()
})

test('starts with the default settings, shows the custom delay for custom only, and saves', {
  tags: ['A2.9', 'A3', 'A4.5', 'A5', 'A8', 'A9'],
}, async () => {
  await openManager()
  const settings = card('Notification settings')
  const frequency = settings.getByLabel('Frequency')
  const delay = settings.getByLabel('Custom delay (minutes)')
  const most = settings.getByLabel('Maximum notifications per customer')
  const enabled = settings.getByLabel('Enable push notifications')
  const title = settings.getByLabel('Notification title')
  const values = await Promise.all(
    [frequency, most, title, settings.getByLabel('Notification body')].map((field) => field.inputValue()),
  )
  expect(values).toEqual([
    'immediate',
    '3',
    "Don't forget your items!",
    'You have items waiting in your cart. Complete your purchase now!',
  ])
  await expect.poll(() => enabled.isChecked()).toBe(false)
  const choices = await frequency.locator('option').evaluateAll((all) => all.map((each) => each.getAttribute('value')))
  expect(choices).toEqual(['immediate', '1hour', '6hours', '24hours', 'custom'])
  for (const choice of choices) {
    await frequency.selectOption(choice)
    await expect.poll(() => delay.count()).toBe(choice === 'custom' ? 1 : 0)
  }
  for (const [field, typed, stored] of [
    [delay, '10081', '0'] as const,
    [delay, '-1', '0'] as const,
    [delay, '', '0'] as const,
    [most, '11', '1'] as const,
    [most, '0', '1'] as const,
    [most, '', '1'] as const,
    [delay, '10080', '10080'] as const,
    [most, '10', '10'] as const,
  ]) {
    await field.fill(typed)
    await field.blur()
    await expect.poll(() => field.inputValue(), { message: typed }).toBe(stored)
  }
  await enabled.press('Space')
  await title.fill('Your tea waits')
  await button('Save settings').click()
  await settings.getByText(pushTexts.settingsSaved).waitFor()
  const changed = { enabled: true, frequency: 'custom', delay: 10_080, maxNotifications: 10, title: 'Your tea waits' }
  await expect
    .poll(() => sent(calls.savePushSettings))
    .toEqual([{ storeUrl: STORE, settings: { ...DEFAULT_PUSH, ...changed } }])
})

test('shows the statistics and refetches them', { tags: ['A2.9', 'A3', 'A4.5', 'A8'] }, async () => {
  push.setup.seen = [buildSeenMethod('plugin')]
  await openManager()
  await card('Store statistics').getByText('1,840').waitFor()
  await expect
    .poll(() => figures('Store statistics'))
    .toEqual([
      ['Total Customers', '1,840'],
      ['Subscribed', '214'],
      ['Pending', '1,626'],
      ['Conversion', '12%'],
    ])
  await expectToFit()
  const held = app.api.hold(calls.pushStoreStats)
  await button('Load store stats').click()
  await expect.poll(() => button('Load store stats').isDisabled()).toBe(true)
  held.release()
  await card('Store statistics').getByText(pushTexts.statsLoaded).waitFor()
})

test('a test states how many it reaches before it is sent, and how many it was sent to', {
  tags: ['A2.9', 'A4.5', 'A8'],
}, async () => {
  const page = await openManager()
  const send = button('Send test notification')
  await page.getByText('This is sent to 214 real subscribers.').waitFor()
  await expect.poll(() => send.getAttribute('aria-describedby')).toBe('push-reach')
  await page.getByLabel('Cart URL (optional)').fill(`${STORE}/cart/`)
  const held = app.api.hold(calls.sendStoreNotification)
  await send.click()
  await expect.poll(() => send.isDisabled()).toBe(true)
  held.release()
  await page.getByText('Test notification sent to 214 customers').waitFor()
  const { title, body } = DEFAULT_PUSH
  await expect
    .poll(() => sent(calls.sendStoreNotification))
    .toEqual([{ storeUrl: STORE, title, body, icon: '', cartUrl: `${STORE}/cart/` }])
})

test('“Send to this browser only” sends this browser’s subscription, unless the browser does not allow it', async () => {
  const page = await openManager()
  const send = button('Send to this browser only')
  await page.evaluate(() => {
    Notification.requestPermission = async () => 'denied'
  })
  await send.click()
  await page.getByText('Error: This browser does not allow notifications from Recoup.').waitFor()
  expect(sent(calls.sendToThisBrowser)).toEqual([])
  await page.evaluate(stubPushInPage, 'granted')
  await page.evaluate(() => {
    const registration = { active: {}, pushManager: Object.create(PushManager.prototype) }
    navigator.serviceWorker.register = async () => registration as ServiceWorkerRegistration
  })
  app.api.answer(calls.sendToThisBrowser, { success: false, message: '410 gone' })
  await send.click()
  await card('Test notification').getByRole('alert').filter({ hasText: '410 gone' }).waitFor()
  app.api.answer(calls.sendToThisBrowser, { success: true as const, message: pushTexts.sentHere })
  await send.click()
  await card('Test notification').getByRole('status').filter({ hasText: pushTexts.sentHere }).waitFor()
  await expect
    .poll(() => sent(calls.sendToThisBrowser)[0])
    .toMatchObject({
      title: DEFAULT_PUSH.title,
      subscription: { endpoint: expect.stringContaining('https://'), keys: { auth: expect.any(String) } },
    })
})

test('previews the notification on a phone and a computer while its texts are edited', async () => {
  app.api.answer(readBrand, { ...fixture(readBrand), logo: { path: '/logo.svg', width: 96, height: 96 } })
  app.api.answer(previewMessage, ({ body }) => ({
    ...fixture(previewMessage),
    subject: body.subject!,
    text: body.body!.replace('{{ cart_items }}', 'Stoneware Mug'),
    picture: '/logo.svg',
  }))
  const page = await openManager()
  const settings = card('Notification settings')
  const [phone, computer] = ['On a phone', 'On a computer'].map((name) => settings.getByRole('figure', { name }))
  await phone!.getByText(DEFAULT_PUSH.title).waitFor()
  await expect.poll(() => phone!.locator('img').count()).toBe(2)
  await expect.poll(() => computer!.locator('img').count()).toBe(1)
  await settings.getByLabel('Notification title').fill('Your tea waits')
  await settings.getByLabel('Notification body').fill('Still there: {{ cart_items }}')
  for (const screen of [phone!, computer!]) {
    await screen.getByText('Your tea waits').waitFor()
    await screen.getByText('Still there: Stoneware Mug').waitFor()
    await screen.getByText('shop.example').waitFor()
  }
  await expect
    .poll(() => app.api.calls(previewMessage).at(-1)!.body)
    .toMatchObject({ channel: 'push', cartId: 'sample' })
  await expectToFit()
  await page.getByRole('button', { name: 'Discard' }).click()
  await phone!.getByText(DEFAULT_PUSH.title).waitFor()
})

test('turning notifications on makes the missing keys, and unsaved changes float in the save bar', async () => {
  push.setup = buildSetupWithoutKeys()
  const page = await openManager()
  const bar = page.getByRole('region', { name: 'Unsaved changes' })
  await expect.poll(() => bar.count()).toBe(0)
  await card('Notification settings').getByLabel('Enable push notifications').press('Space')
  await bar.getByRole('button', { name: 'Save settings' }).click()
  await card('Notification settings').getByText(pushTexts.settingsSaved).waitFor()
  await expect.poll(() => bar.count()).toBe(0)
  expect(sent(calls.generateVapidKeys)).toEqual([{ storeUrl: STORE, platform: 'woocommerce' }])
  expect(sent(calls.savePushSettings)).toMatchObject([{ settings: { enabled: true } }])
})

test('keys and code are in a second tab, and the form says first that the address is not confirmed', async () => {
  serveUser(app.api, { isEmailConfirmed: false })
  const page = await app.open('/push-notifications')
  await page.getByText('Confirm your email address to turn notifications on and send tests.').waitFor()
  await expect.poll(() => card('Store and widget code').count()).toBe(0)
  await openTab('Developer')
  await card('Store and widget code').getByLabel('Widget code', { exact: true }).waitFor()
  await expect.poll(() => card('Notification settings').count()).toBe(0)
  // Unsaved text is kept when the tab changes.
  await openTab('Notifications')
  await card('Notification settings').getByLabel('Notification title').fill('Your tea waits')
  await openTab('Developer')
  await openTab('Notifications')
  await expect
    .poll(() => card('Notification settings').getByLabel('Notification title').inputValue())
    .toBe('Your tea waits')
})

test('previews the prompt with the owner’s texts and colors, and refuses unreadable colors', async () => {
  await openManager()
  const prompt = card('Permission prompt')
  const preview = prompt.getByRole('region', { name: 'Preview of the prompt' })
  await preview.getByText('Maple & Clay sends you a notification').waitFor()
  await prompt.getByLabel('Headline').fill('A word from {store}?')
  await preview.getByText('A word from Maple & Clay?').waitFor()
  await prompt.getByLabel('Button color', { exact: true }).fill('#ffee00')
  await prompt.getByText(/^This text is hard to read: contrast 1\.\d:1/).waitFor()
  await button('Save prompt').click()
  expect(sent(calls.savePushPrompt)).toEqual([])
  await prompt.getByLabel('Button text color', { exact: true }).fill('#000000')
  await prompt.getByLabel('Delay (seconds)').fill('8')
  await button('Save prompt').click()
  await prompt.getByText('Prompt saved successfully').waitFor()
  const changed = { title: 'A word from {store}?', button: '#ffee00', buttonColor: '#000000', delayMs: 8_000 }
  await expect
    .poll(() => sent(calls.savePushPrompt))
    .toEqual([{ storeUrl: STORE, prompt: { ...DEFAULT_PROMPT, ...changed } }])
})

test('the live check shows where widget and worker were found, and which parts are missing or outdated', async () => {
  const page = await openManager()
  const check = card('Live check')
  await check.getByText('Not seen yet').waitFor()
  push.setup.seen = [
    buildSeenMethod('plugin'),
    buildSeenMethod('easy', { origin: 'https://www.shop.example', widgetAt: subtractMinutes(5), workerAt: null }),
  ]
  await page.reload()
  await check.getByText('Working The Recoup plugin: seen 2 min ago from shop.example').waitFor()
  await check.getByText(/Worker missing Easy Integration: widget seen 5 min ago from www.shop.example/).waitFor()
  push.setup.seen = [
    buildSeenMethod('easy', { isWorkerOld: true }),
    buildSeenMethod('functions', { isWorkerOld: true }),
  ]
  await page.reload()
  await check.getByText(/Old sw\.js Easy Integration: seen 2 min ago .* Upload sw\.js from step 3/).waitFor()
  await check.getByText(/Old sw\.js Functions\.php: seen 2 min ago .* Copy the code for functions\.php/).waitFor()
})
