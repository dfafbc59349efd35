import { describe, expect, test } from 'vitest'
import { DEFAULT_PROMPT, pushTexts } from '../../shared/push.ts'
import { pushInPage } from '../../test/push-in-page.ts'
import { checkInEveryTheme } from '../every-theme.ts'
import { ago, aSetup, SOME_STATS, withKeys } from './api.ts'
import { asked, card, goodBye, openPush } from './scene.ts'

/** Widget and worker, as the shop's plugin hosts them. */
const pluginAtWork = () => ({
  ...{ method: 'plugin' as const, origin: 'https://shop.example' },
  ...{ widgetAt: ago(2), workerAt: ago(2), isWorkerOld: false },
})

const PATH = '/push-notifications'
const GENERATE = 'Generate VAPID keys and widget code'

const NO_STORE = { hasConnection: false, platform: null, store_url: null, store: null }

const held = () => {
  let go = () => {}
  const wait = new Promise<void>((resolve) => {
    go = resolve
  })
  return { wait, go: () => go() }
}

export const theManager = () =>
  describe('the Push Notification Manager (A 2.9)', () => {
    test('asks for the store URL, and without one nothing can be made, saved, looked up or sent (A 4.5, A 5)', async () => {
      const { page, api } = await openPush(PATH, withKeys())
      const url = page.getByLabel('Store URL')
      expect(await url.getAttribute('type')).toBe('url')
      expect(await url.getAttribute('placeholder')).toBe('https://your-store.com')
      expect(await url.inputValue()).toBe('https://shop.example')
      const buttons = [GENERATE, 'Save settings', 'Load store stats', 'Send test notification', 'Save bar']
      const states = () => Promise.all(buttons.map((name) => page.getByRole('button', { name }).isDisabled()))
      expect(await states()).toEqual(buttons.map(() => false))
      await url.fill('')
      expect(await states()).toEqual(buttons.map(() => true))
      await url.press('Enter')
      await page.getByRole('alert').filter({ hasText: pushTexts.noStoreUrl }).waitFor()
      expect(asked(api, 'generate-vapid-keys')).toEqual([])
      await goodBye(page)
    })

    test('generates the keys and shows the widget’s code, which is copied', async () => {
      const { page, api } = await openPush(PATH, aSetup(), { permissions: ['clipboard-read', 'clipboard-write'] })
      const box = page.getByLabel('Widget code', { exact: true })
      const copy = page.getByRole('button', { name: 'Copy widget code' })
      expect([await box.inputValue(), await copy.isDisabled()]).toEqual(['', true])
      expect(await box.getAttribute('readonly')).not.toBeNull()
      const { wait, go } = held()
      api.wait['generate-vapid-keys'] = wait
      await page.getByRole('button', { name: GENERATE }).click()
      await expect.poll(() => page.getByRole('button', { name: GENERATE }).isDisabled()).toBe(true)
      go()
      const said = page.getByRole('status').filter({ hasText: 'VAPID keys generated successfully' })
      await said.waitFor()
      expect(await said.getAttribute('class')).toContain('tone-good')
      expect(asked(api, 'generate-vapid-keys')).toEqual([{ storeUrl: 'https://shop.example' }])
      const code = `<script src="${new URL(page.url()).origin}/push/KEY-1.js" data-method="easy" data-store-url="https://shop.example" defer></script>`
      await expect.poll(() => box.inputValue()).toBe(code)
      await copy.click()
      await page.getByText('Widget code copied to clipboard').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code)
      await goodBye(page)
    })

    test('says what went wrong with a cross, in the server’s words or its own (A 8)', async () => {
      const { page, api } = await openPush(PATH, withKeys())
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
      })
      await page.getByRole('button', { name: 'Copy widget code' }).click()
      const cross = page.getByRole('alert').filter({ hasText: 'Failed to copy to clipboard' })
      await cross.waitFor()
      expect(await cross.getAttribute('class')).toContain('tone-bad')
      const refused = (error: string) => ({ status: 404, json: { error, code: 'not_found' } })
      api.refuse = {
        'generate-vapid-keys': refused('Store not found'),
        'save-settings': refused('Store not found'),
        'send-store-notification': refused(pushTexts.foreignCartUrl),
      }
      const isCross = async (where: string, hasText: string) => {
        const said = card(page, where).getByRole('alert').filter({ hasText })
        await said.waitFor()
        expect(await said.getAttribute('class')).toContain('tone-bad')
      }
      await page.getByRole('button', { name: GENERATE }).click()
      await isCross('Store and widget code', 'Error: Store not found')
      await page.getByRole('button', { name: 'Save settings' }).click()
      await isCross('Notification settings', 'Error: Store not found')
      await page.getByRole('button', { name: 'Send test notification' }).click()
      await isCross('Test notification', `Error: ${pushTexts.foreignCartUrl}`)
      await checkInEveryTheme(page, 'push-manager-errors')
      await goodBye(page)
    })

    test('has five steps of instructions', async () => {
      const { page } = await openPush(PATH, aSetup())
      expect(await card(page, 'Setup instructions').getByRole('listitem').count()).toBe(5)
      await goodBye(page)
    })

    test('settings begin with the defaults, and the custom delay shows for custom alone (A 4.5, A 9)', async () => {
      const { page, api } = await openPush(PATH, aSetup())
      const settings = card(page, 'Notification settings')
      const frequency = settings.getByLabel('Frequency')
      const delay = settings.getByLabel('Custom delay (minutes)')
      const most = settings.getByLabel('Maximum notifications per customer')
      expect(await settings.getByLabel('Enable push notifications').isChecked()).toBe(false)
      expect(await frequency.inputValue()).toBe('immediate')
      expect(await most.inputValue()).toBe('3')
      expect(await settings.getByLabel('Notification title').inputValue()).toBe("Don't forget your items!")
      expect(await settings.getByLabel('Notification body').inputValue()).toBe(
        'You have items waiting in your cart. Complete your purchase now!',
      )
      const choices = await frequency
        .locator('option')
        .evaluateAll((all) => all.map((each) => each.getAttribute('value')))
      expect(choices).toEqual(['immediate', '1hour', '6hours', '24hours', 'custom'])
      for (const choice of choices) {
        await frequency.selectOption(choice)
        expect(await delay.count()).toBe(choice === 'custom' ? 1 : 0)
      }
      await delay.fill('90')
      await most.fill('5')
      await settings.getByLabel('Enable push notifications').press('Space')
      await settings.getByLabel('Notification title').fill('Your tea waits')
      await page.getByRole('button', { name: 'Save settings' }).click()
      await settings.getByText('Settings saved successfully').waitFor()
      expect(asked(api, 'save-settings')[0]).toEqual({
        storeUrl: 'https://shop.example',
        settings: {
          ...{ enabled: true, frequency: 'custom', delay: 90, maxNotifications: 5, title: 'Your tea waits' },
          body: 'You have items waiting in your cart. Complete your purchase now!',
        },
      })
      await goodBye(page)
    })

    test.each([
      ['10080', '10080'],
      ['10081', '0'],
      ['-1', '0'],
      ['', '0'],
    ])('a custom delay of "%s" minutes becomes %s', async (typed, kept) => {
      const { page } = await openPush(PATH, aSetup({ settings: { ...aSetup().settings, frequency: 'custom' } }))
      const delay = page.getByLabel('Custom delay (minutes)')
      await delay.fill(typed)
      await delay.blur()
      await expect.poll(() => delay.inputValue()).toBe(kept)
      await goodBye(page)
    })

    test.each([
      ['10', '10'],
      ['11', '1'],
      ['0', '1'],
      ['', '1'],
    ])('a maximum of "%s" notifications becomes %s', async (typed, kept) => {
      const { page } = await openPush(PATH, aSetup())
      const most = page.getByLabel('Maximum notifications per customer')
      await most.fill(typed)
      await most.blur()
      await expect.poll(() => most.inputValue()).toBe(kept)
      await goodBye(page)
    })

    test('shows the store’s statistics and says when they were loaded again', async () => {
      const { page, api } = await openPush(PATH, withKeys())
      const stats = card(page, 'Store statistics')
      await stats.getByText('1,840').waitFor()
      const figures = await stats
        .locator('dl > div')
        .evaluateAll((all) =>
          all.map((each) => [each.querySelector('dt')!.textContent, each.querySelector('dd')!.textContent]),
        )
      expect(figures).toEqual([
        ['Total Customers', '1,840'],
        ['Subscribed', '214'],
        ['Pending', '1,626'],
        ['Conversion', '12%'],
      ])
      const { wait, go } = held()
      api.wait['store-stats'] = wait
      const load = stats.getByRole('button', { name: 'Load store stats' })
      await load.click()
      await expect.poll(() => load.isDisabled()).toBe(true)
      go()
      await stats.getByText('Store stats loaded').waitFor()
      expect(SOME_STATS.totalCustomers).toBe(1_840)
      await goodBye(page)
    })

    test('a test says whom it reaches before it goes, and how many it went to', async () => {
      const { page, api } = await openPush(PATH, withKeys())
      const send = page.getByRole('button', { name: 'Send test notification' })
      await page.getByText('This goes to 214 real subscribers.').waitFor()
      expect(await send.getAttribute('aria-describedby')).toBe('push-reach')
      await page.getByLabel('Cart URL (optional)').fill('https://shop.example/cart/')
      const { wait, go } = held()
      api.wait['send-store-notification'] = wait
      await send.click()
      await expect.poll(() => send.isDisabled()).toBe(true)
      go()
      await page.getByText('Test notification sent to 214 customers').waitFor()
      expect(asked(api, 'send-store-notification')[0]).toEqual({
        ...{ storeUrl: 'https://shop.example', title: "Don't forget your items!", icon: '' },
        ...{ body: 'You have items waiting in your cart. Complete your purchase now!' },
        cartUrl: 'https://shop.example/cart/',
      })
      await goodBye(page)
    })

    test('“Send to this browser only” says so when the browser does not allow it, and sends to nobody', async () => {
      const { page, api } = await openPush(PATH, withKeys())
      await page.evaluate(() => {
        Notification.requestPermission = async () => 'denied'
      })
      await page.getByRole('button', { name: 'Send to this browser only' }).click()
      await page.getByText('Error: This browser does not allow notifications from Recoup.').waitFor()
      expect(asked(api, 'send-to-this-browser')).toEqual([])
      await goodBye(page)
    })

    test('“Send to this browser only” sends this browser’s subscription, and says what its push service answers', async () => {
      const { page, api } = await openPush(PATH, withKeys())
      await page.evaluate(pushInPage, 'granted')
      const send = page.getByRole('button', { name: 'Send to this browser only' })
      api.refuse['send-to-this-browser'] = { status: 200, json: { success: false, message: '410 gone' } }
      await send.click()
      await card(page, 'Test notification').getByRole('alert').filter({ hasText: '410 gone' }).waitFor()
      api.refuse['send-to-this-browser'] = { status: 200, json: { success: true, message: pushTexts.sentHere } }
      await send.click()
      await card(page, 'Test notification').getByRole('status').filter({ hasText: pushTexts.sentHere }).waitFor()
      expect(asked(api, 'send-to-this-browser')[0]).toMatchObject({
        title: "Don't forget your items!",
        subscription: { endpoint: expect.stringContaining('https://'), keys: { auth: expect.any(String) } },
      })
      await goodBye(page)
    })

    test('the bar’s words and colors are the owner’s, seen as shops get them, and readable', async () => {
      const { page, api } = await openPush(PATH, withKeys())
      const prompt = card(page, 'The bar that asks')
      const preview = prompt.getByRole('region', { name: 'Preview of the bar' })
      await preview.getByText('Maple & Clay sends you a notification').waitFor()
      await prompt.getByLabel('Headline').fill('A word from {store}?')
      await preview.getByText('A word from Maple & Clay?').waitFor()
      await prompt.getByLabel('Button color', { exact: true }).fill('#ffee00')
      await prompt.getByText(/^These words cannot be read well: contrast 1\.\d:1/).waitFor()
      await prompt.getByRole('button', { name: 'Save bar' }).click()
      expect(asked(api, 'prompt')).toEqual([])
      await prompt.getByLabel('Button text color', { exact: true }).fill('#000000')
      await prompt.getByLabel('Seconds before it comes').fill('8')
      await prompt.getByRole('button', { name: 'Save bar' }).click()
      await prompt.getByText('Bar saved successfully').waitFor()
      const changed = { title: 'A word from {store}?', button: '#ffee00', buttonColor: '#000000', delayMs: 8_000 }
      expect(asked(api, 'prompt')).toEqual([
        { storeUrl: 'https://shop.example', prompt: { ...DEFAULT_PROMPT, ...changed } },
      ])
      await goodBye(page)
    })

    test('says from where widget and worker were seen at work, and what is missing', async () => {
      const seen = [
        pluginAtWork(),
        {
          method: 'easy' as const,
          origin: 'https://www.shop.example',
          widgetAt: ago(5),
          workerAt: null,
          isWorkerOld: false,
        },
      ]
      const { page, api } = await openPush(PATH, withKeys({ seen }))
      const live = card(page, 'Live check')
      await live.getByText('At work The Recoup plugin: seen 2 min ago from shop.example').waitFor()
      await live
        .getByText(/Worker missing Easy Integration: the widget was seen 5 min ago from www.shop.example/)
        .waitFor()
      const old = { ...seen[1]!, workerAt: ago(2), isWorkerOld: true }
      api.setup = withKeys({ seen: [old, { ...old, method: 'functions' as const }] })
      await page.reload()
      await live.getByText(/Old sw\.js Easy Integration: seen 2 min ago .* Upload sw\.js from step 3/).waitFor()
      await live.getByText(/Old sw\.js Functions\.php: seen 2 min ago .* Copy the code for functions\.php/).waitFor()
      api.setup = withKeys()
      await page.reload()
      await live.getByText('Not seen yet').waitFor()
      await goodBye(page)
    })

    test('without a store every form is disabled, with a link to /store-setup (decision 132)', async () => {
      for (const path of [PATH, '/push-setup'] as const) {
        const { page } = await openPush(path, aSetup(), {}, NO_STORE)
        await page.getByText('No store is connected yet').waitFor()
        expect(await page.getByRole('link', { name: 'Connect your store' }).getAttribute('href')).toBe('/store-setup')
        const fields = page.getByRole('main').locator('form :is(input, select, textarea, button)')
        const enabled = await fields.evaluateAll((all) =>
          all
            // The bar of the preview is in a shadow tree, and inert.
            .filter((each) => each.getRootNode() === document && !each.matches(':disabled'))
            .map((each) => each.outerHTML),
        )
        expect(enabled).toEqual([])
        expect((await fields.count()) > 20).toBe(path === PATH)
        for (const name of [
          'Generate',
          'Copy code',
          'Load store stats',
          'Send test notification',
          'Send to this browser only',
        ])
          for (const button of await page.getByRole('button', { name, exact: true }).all())
            expect(await button.isDisabled()).toBe(true)
        await goodBye(page)
      }
    })

    test('looks right in every theme, wide and on a phone', async () => {
      const seen = [pluginAtWork()]
      const { page } = await openPush(PATH, withKeys({ seen }))
      await page.getByText('1,840').waitFor()
      await checkInEveryTheme(page, 'push-manager')
      await goodBye(page)
    })
  })
