import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { pushTexts } from '../../shared/push.ts'
import { checkInEveryTheme } from '../every-theme.ts'
import { openStep, panelOf } from '../flow-steps.ts'
import { ago, aSetup, PUBLIC_KEY, WORKER, withKeys, withPush } from './api.ts'
import { asked, aWindow, card, goodBye, instance, openPush } from './scene.ts'

const PATH = '/push-setup'
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }

export const theIntegration = () =>
  describe('the Push Notification Integration (A 2.10)', () => {
    test('step 1 makes the key, and says when it could not', async () => {
      const { page, api } = await openPush(PATH, aSetup())
      const step = card(page, 'Step 1: VAPID public key')
      api.refuse['generate-vapid-keys'] = { status: 500, json: { error: 'Something', code: 'internal' } }
      await step.getByRole('button', { name: 'Generate', exact: true }).click()
      await step.getByText('Failed to generate VAPID keys').waitFor()
      api.refuse = {}
      await step.getByRole('button', { name: 'Generate', exact: true }).click()
      await step.getByText('VAPID keys generated successfully').waitFor()
      await step.getByText(PUBLIC_KEY).waitFor()
      await goodBye(page)
    })

    test('regenerating warns that it invalidates subscriptions, names how many, and asks whether the key leaked (P2)', async () => {
      const { page, api } = await openPush(
        PATH,
        withKeys({
          keys: {
            ...{ publicKey: PUBLIC_KEY, madeAt: ago(9_000), subscriptions: 214 },
            older: [{ madeAt: ago(90_000), endsAt: ago(-90_000), subscriptions: 14 }],
          },
        }),
      )
      const step = card(page, 'Step 1: VAPID public key')
      await step.getByText('An older key still has 14 subscriptions.').waitFor()
      const open = async () => {
        await step.getByRole('button', { name: 'Regenerate' }).click()
        return page.getByRole('dialog', { name: 'Regenerate the VAPID key?' })
      }
      const dialog = await open()
      await dialog.getByText('Regenerating invalidates existing customer subscriptions.').waitFor()
      await dialog.getByText('This concerns 214 subscriptions.').waitFor()
      await checkInEveryTheme(page, 'push-regenerate')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      expect(asked(api, 'generate-vapid-keys')).toEqual([])
      await (await open()).getByRole('button', { name: 'Regenerate' }).click()
      await step.getByText('VAPID keys generated successfully').waitFor()
      const again = await open()
      await again.getByLabel('The key leaked: end all subscriptions now').check()
      await again.getByText('All of them end at once.').waitFor()
      await again.getByRole('button', { name: 'Regenerate' }).click()
      await expect
        .poll(() => asked(api, 'generate-vapid-keys').map(({ replace }) => replace))
        .toEqual(['moving', 'leaked'])
      await goodBye(page)
    })

    test('step 2 has three methods, each with its code to copy and its live check', async () => {
      const seen = [
        {
          method: 'functions' as const,
          origin: 'https://shop.example',
          widgetAt: ago(2),
          workerAt: ago(2),
          isWorkerOld: false,
        },
      ]
      const { page } = await openPush(PATH, withKeys({ seen }), CLIPBOARD)
      const step = card(page, 'Step 2: integration code')
      const labels = ['Easy Integration', 'Manual Button', 'Functions.php (recommended)']
      expect(
        await step.getByRole('radio').evaluateAll((all) => all.map((each) => each.nextSibling?.textContent)),
      ).toEqual(labels)
      await step.getByText('seen 2 min ago from shop.example').waitFor()
      const codeOf = async (label: string) => {
        await step.getByText(label, { exact: true }).click()
        const code = await step.getByLabel(`Code: ${label}`).inputValue()
        await step.getByRole('button', { name: 'Copy code' }).click()
        await step.getByText('Code copied to clipboard').waitFor()
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code)
        return code
      }
      const line = (method: string) =>
        `<script src="${new URL(page.url()).origin}/push/KEY-1.js" data-method="${method}" data-store-url="https://shop.example" defer></script>`
      const php = await codeOf(labels[2]!)
      expect(php).toContain(line('functions'))
      expect(php).toContain("header( 'Service-Worker-Allowed: /' );")
      expect(php).toContain(WORKER.trim())
      expect(await codeOf(labels[0]!)).toBe(line('easy'))
      await step.getByText('Not seen yet').waitFor()
      expect(await codeOf(labels[1]!)).toMatch(/^<button type="button" data-recoup-push hidden>.*<\/button>\n/)
      const steps: [string, RegExp[]][] = [
        ['Easy Integration', [/^Upload sw\.js/, /header of every page/, /^Empty the cache/]],
        ['Manual Button', [/^Upload sw\.js/, /“Custom HTML”/, /script’s line/, /^Empty the cache/]],
        [
          'Functions.php (recommended)',
          [/child theme/, /choose functions\.php/, /end of the file/, /^Empty the cache/],
        ],
      ]
      for (const [label, said] of steps) {
        await step.getByText(label, { exact: true }).click()
        const told = card(page, `Installation in WordPress: ${label}`).getByRole('listitem')
        await expect.poll(() => told.allTextContents()).toEqual(said.map((words) => expect.stringMatching(words)))
      }
      await goodBye(page)
    })

    test('step 3 has sw.js, to copy and to download', async () => {
      const { page } = await openPush(PATH, withKeys(), CLIPBOARD)
      const step = card(page, 'Step 3: service worker file sw.js')
      await expect.poll(() => step.getByLabel('sw.js', { exact: true }).inputValue()).toBe(WORKER)
      await step.getByRole('button', { name: 'Copy sw.js' }).click()
      await step.getByText('Code copied to clipboard').waitFor()
      expect(await step.getByRole('link', { name: 'Download sw.js' }).getAttribute('download')).toBe('sw.js')
      await goodBye(page)
    })

    test('shows subscribers, notifications sent and the click rate', async () => {
      const { page } = await openPush(PATH, withKeys())
      const stats = card(page, 'Statistics')
      await stats.getByText('8.3%').waitFor()
      const figures = await stats
        .locator('dl > div')
        .evaluateAll((all) =>
          all.map((each) => [each.querySelector('dt')!.textContent, each.querySelector('dd')!.textContent]),
        )
      expect(figures).toEqual([
        ['Total Subscribers', '214'],
        ['Notifications Sent', '530'],
        ['Click Rate', '8.3%'],
      ])
      await goodBye(page)
    })

    test('on Shopify the screen says that it cannot work, and offers nothing', async () => {
      const setup = aSetup({ platform: 'shopify', canHostWorker: false })
      for (const path of ['/push-setup', '/push-notifications']) {
        const page = await openOnShopify(path, setup)
        await page.getByText('Web push does not work on Shopify').waitFor()
        expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
        await goodBye(page)
      }
    })

    test('on Shopify no other screen offers it either: sending, a step of a flow, a campaign (decision 75)', async () => {
      const page = await aWindow()
      await asShopify(page)
      await page.goto(`${instance.url}/settings/sending`)
      await page.getByRole('link', { name: 'Web push Does not work on Shopify' }).waitFor()
      await page.goto(`${instance.url}/campaigns?form=new`)
      const type = page.getByRole('radio', { name: 'Push' })
      await page.getByText(pushTexts.noHost).waitFor()
      expect(await type.isDisabled()).toBe(true)
      await page.goto(`${instance.url}/flows`)
      await page.locator('a[href^="/flows/"]').first().click()
      await openStep(page, 1)
      const step = panelOf(page)
      await step.getByRole('radiogroup', { name: 'Channel' }).getByText('Push', { exact: true }).click()
      await step.getByText(pushTexts.noHost).first().waitFor()
      await step.getByLabel('Title', { exact: true }).waitFor()
      expect(await step.getByText('A test to this browser needs').count()).toBe(0)
      const saved: string[] = []
      page.on('request', (request) => request.method() === 'PUT' && saved.push(request.url()))
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      // Said of the channel, and of the step that was not saved.
      await expect.poll(() => step.getByText(pushTexts.noHost).count()).toBe(2)
      expect(saved).toEqual([])
      await page.getByRole('button', { name: 'Discard' }).click()
      await goodBye(page)
    })

    test('looks right in every theme, wide and on a phone', async () => {
      const { page } = await openPush(PATH, withKeys())
      await page.getByText('8.3%').waitFor()
      await checkInEveryTheme(page, 'push-setup')
      await goodBye(page)
    })
  })

/** The store as if it were on Shopify: what the connection says, and what flows may do there. */
async function asShopify(page: Page): Promise<void> {
  const changed = (pattern: RegExp, change: (said: Said) => object) =>
    page.route(pattern, async (route) => {
      if (route.request().method() !== 'GET') return route.fallback()
      const said = (await (await route.fetch()).json()) as Said
      await route.fulfill({ json: { ...said, ...change(said) } })
    })
  const platform = 'shopify'
  await changed(/stores\/check-connection/, ({ store }) => ({ platform, store: { ...store, platform } }))
  await changed(/\/api\/flows(\?|$)/, ({ channels }) => ({
    channels: { ...channels, push: { problem: pushTexts.noHost } },
  }))
}

type Said = Record<'store' | 'channels', object>

async function openOnShopify(path: string, setup: ReturnType<typeof aSetup>) {
  const page = await aWindow()
  await withPush(page, setup)
  await page.goto(instance.url + path)
  return page
}
