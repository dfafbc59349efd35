import { describe, expect, test } from 'vitest'
import { checkConnection } from '../shared/access/stores.ts'
import { pushTexts } from '../shared/delivery/push.ts'
import * as calls from '../shared/delivery/push-calls.ts'
import { listFlows, saveFlow } from '../shared/marketing/flows.ts'
import { createScreens } from './app.ts'
import {
  buildSeenMethod,
  buildSetupWithoutKeys,
  createPushStore,
  KEYS,
  PUBLIC_KEY,
  STORE,
  subtractMinutes,
  WORKER,
} from './push-store.ts'

const app = createScreens()
const push = createPushStore(app)
const { button, card, copied, expectToFit, figures, sent } = push

const MANAGER = '/push-notifications'
const INTEGRATION = '/push-setup'

async function openIntegration() {
  const page = await app.open(INTEGRATION)
  await card('Step 1: VAPID public key').waitFor()
  return page
}

describe('the Push Notification Integration', () => {
  test('step 1 creates the key, and reports a failure', { tags: ['A2.10', 'A8'] }, async () => {
    push.setup = buildSetupWithoutKeys()
    const page = await openIntegration()
    await page.getByRole('heading', { name: 'Push Notification Integration', level: 1 }).waitFor()
    const step = card('Step 1: VAPID public key')
    app.api.fail(calls.generateVapidKeys, 500)
    await button('Generate').click()
    await step.getByText(pushTexts.keysFailed).waitFor()
    push.answerKeys()
    await button('Generate').click()
    await step.getByText(pushTexts.keysMade).waitFor()
    await step.getByText(PUBLIC_KEY).waitFor()
  })

  test('regenerating warns how many subscriptions it invalidates, and asks whether the key leaked', {
    tags: ['A2.10'],
  }, async () => {
    push.setup.keys = {
      ...KEYS,
      older: [{ madeAt: subtractMinutes(90_000), endsAt: subtractMinutes(-90_000), subscriptions: 14 }],
    }
    const page = await openIntegration()
    const step = card('Step 1: VAPID public key')
    const dialog = page.getByRole('dialog', { name: 'Regenerate the VAPID key?' })
    await step.getByText('An older key still has 14 subscriptions.').waitFor()
    await step.getByRole('button', { name: 'Regenerate' }).click()
    await dialog.getByText('Regenerating invalidates existing customer subscriptions.').waitFor()
    await dialog.getByText('This affects 214 subscriptions.').waitFor()
    await expectToFit()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(sent(calls.generateVapidKeys)).toEqual([])
    await step.getByRole('button', { name: 'Regenerate' }).click()
    await dialog.getByRole('button', { name: 'Regenerate' }).click()
    await step.getByText(pushTexts.keysMade).waitFor()
    await step.getByRole('button', { name: 'Regenerate' }).click()
    await dialog.getByLabel('The key leaked: end all subscriptions now').check()
    await dialog.getByText('All of them end at once.').waitFor()
    await dialog.getByRole('button', { name: 'Regenerate' }).click()
    await expect
      .poll(() => sent(calls.generateVapidKeys))
      .toEqual(['moving', 'leaked'].map((replace) => ({ platform: 'woocommerce', storeUrl: STORE, replace })))
  })

  test('steps 2 and 3 have code for three methods and sw.js to copy, and the statistics', {
    tags: ['A2.10', 'A3', 'A8'],
  }, async () => {
    push.setup.seen = [buildSeenMethod('functions')]
    await openIntegration()
    const step = card('Step 2: integration code')
    const methods = {
      'Easy Integration': [/^Upload sw\.js/, /header of every page/, /^Empty the cache/],
      'Manual Button': [/^Upload sw\.js/, /“Custom HTML”/, /script’s line/, /^Empty the cache/],
      'Functions.php (recommended)': [/child theme/, /choose functions\.php/, /end of the file/, /^Empty the cache/],
    }
    const labels = await step.getByRole('radio').evaluateAll((all) => all.map((each) => each.nextSibling?.textContent))
    expect(labels).toEqual(Object.keys(methods))
    await step.getByText('seen 2 min ago from shop.example').waitFor()
    const codes: Record<string, string> = {}
    for (const [label, steps] of Object.entries(methods)) {
      await step.getByText(label, { exact: true }).click()
      codes[label] = await step.getByLabel(`Code: ${label}`).inputValue()
      await step.getByRole('button', { name: 'Copy code' }).click()
      await step.getByText('Code copied to clipboard').waitFor()
      await expect.poll(copied).toBe(codes[label])
      const listed = card(`Installation in WordPress: ${label}`).getByRole('listitem')
      await expect.poll(() => listed.allTextContents()).toEqual(steps.map((text) => expect.stringMatching(text)))
      if (label === 'Easy Integration') await step.getByText('Not seen yet').waitFor()
    }
    const line = (method: string) =>
      `<script src="${app.url}/push/KEY-1.js" data-method="${method}" data-store-url="${STORE}" defer></script>`
    expect(codes['Easy Integration']).toBe(line('easy'))
    expect(codes['Manual Button']).toMatch(/^<button type="button" data-recoup-push hidden>.*<\/button>\n/)
    for (const part of [line('functions'), "header( 'Service-Worker-Allowed: /' );", WORKER.trim()])
      expect(codes['Functions.php (recommended)']).toContain(part)
    const worker = card('Step 3: service worker file sw.js')
    await expect.poll(() => worker.getByLabel('sw.js', { exact: true }).inputValue()).toBe(WORKER)
    await worker.getByRole('button', { name: 'Copy sw.js' }).click()
    await worker.getByText('Code copied to clipboard').waitFor()
    await expect.poll(() => copied()).toBe(WORKER)
    await expect.poll(() => worker.getByRole('link', { name: 'Download sw.js' }).getAttribute('download')).toBe('sw.js')
    await card('Statistics').getByText('8.3%').waitFor()
    await expect
      .poll(() => figures('Statistics'))
      .toEqual([
        ['Total Subscribers', '214'],
        ['Notifications Sent', '530'],
        ['Click Rate', '8.3%'],
      ])
    await expectToFit()
  })
})

describe.each([MANAGER, INTEGRATION])('%s', (path) => {
  test('disables every form without a store and links to /store-setup', { tags: ['A4.5'] }, async () => {
    app.api.answer(checkConnection, { hasConnection: false, platform: null, store_url: null, store: null })
    const page = await app.open(path)
    await page.getByText('No store is connected yet').waitFor()
    await expect
      .poll(() => page.getByRole('link', { name: 'Connect your store' }).getAttribute('href'))
      .toBe('/store-setup')
    const fields = page.getByRole('main').locator('form :is(input, select, textarea, button)')
    const enabled = await fields.evaluateAll((all) =>
      all
        // The preview's bar is in a shadow tree, and inert.
        .filter((each) => each.getRootNode() === document && !each.matches(':disabled'))
        .map((each) => each.outerHTML),
    )
    expect(enabled).toEqual([])
    await expect.poll(async () => (await fields.count()) > 20).toBe(path === MANAGER)
    const names = ['Generate', 'Copy code', 'Load store stats', 'Send test notification', 'Send to this browser only']
    for (const name of names)
      for (const each of await button(name).all())
        await expect.poll(async () => [name, await each.isDisabled()]).toEqual([name, true])
  })

  test('states that web push does not work on Shopify, and offers nothing', async () => {
    push.setup = { ...buildSetupWithoutKeys(), platform: 'shopify', canHostWorker: false }
    const page = await app.open(path)
    await page.getByText('Web push does not work on Shopify').waitFor()
    await expect.poll(() => page.getByRole('main').getByRole('button').count()).toBe(0)
  })
})

test('on Shopify neither sending, nor campaigns, nor a flow’s step offers web push', async () => {
  const platform = 'shopify' as const
  app.api.alter(checkConnection, (reply) => ({ ...reply, platform, store: { ...reply.store!, platform } }))
  app.api.alter(listFlows, (reply) => ({
    ...reply,
    channels: { ...reply.channels, push: { problem: pushTexts.noHost } },
  }))
  app.api.answer(calls.readVapidKey, { success: true, publicKey: null })
  const page = await app.open('/settings/sending')
  await page.getByRole('link', { name: 'Web push Does not work on Shopify' }).waitFor()
  await app.open('/campaigns?form=new')
  await page.getByText(pushTexts.noHost).waitFor()
  await expect.poll(() => page.getByRole('radio', { name: 'Push' }).isDisabled()).toBe(true)
  await app.open('/flows/:flowId')
  await page.getByRole('button', { name: /^(Edit|Show) message 1,/ }).click()
  const step = page.locator('.step-panel')
  await step.getByRole('radiogroup', { name: 'Channel' }).getByText('Push', { exact: true }).click()
  await step.getByText(pushTexts.noHost).first().waitFor()
  await step.getByLabel('Title', { exact: true }).waitFor()
  await expect.poll(() => step.getByText('A test to this browser needs').count()).toBe(0)
  await button('Save').click()
  // Shown for the channel, and for the unsaved step.
  await expect.poll(() => step.getByText(pushTexts.noHost).count()).toBe(2)
  expect(app.api.calls(saveFlow)).toEqual([])
})
