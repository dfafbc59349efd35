import { beforeAll, beforeEach, expect } from 'vitest'
import { DEFAULT_PROMPT, DEFAULT_PUSH } from '../shared/delivery/push.ts'
import * as calls from '../shared/delivery/push-calls.ts'
import type { PushSetup } from '../web/features/push/queries.ts'
import { NOW, type Screens } from './app.ts'

// A store's web push in memory, behind the calls of its two screens.

export const STORE = 'https://shop.example'
export const PUBLIC_KEY = 'BPJYBreFx1l2eXJ0s4OMsXPlkdnoNSi6OotTGWvsk4fS96bXv3KpZ-ZnTDikfJGL_oGg34rZ7sVkTsfkmLiHqbY'
export const WORKER = "/* Recoup */\nself.addEventListener('push', () => {})\n"
const STATS = {
  totalCustomers: 1_840,
  subscribedCustomers: 214,
  pendingCustomers: 1_626,
  conversionRate: 12,
  subscribers: 214,
  notifications: 530,
  clickRate: 8.3,
}

export const subtractMinutes = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString()
export const KEYS = { publicKey: PUBLIC_KEY, madeAt: subtractMinutes(9_000), subscriptions: 214, older: [] }

export const buildSetupWithoutKeys = (): PushSetup => ({
  storeUrl: STORE,
  storeName: 'Maple & Clay',
  platform: 'woocommerce',
  canHostWorker: true,
  storeKey: 'KEY-1',
  settings: { ...DEFAULT_PUSH },
  prompt: DEFAULT_PROMPT,
  seen: [],
  subscribers: 214,
  keys: null,
})
export const buildSeenMethod = (
  method: PushSetup['seen'][number]['method'],
  more: Partial<PushSetup['seen'][number]> = {},
) => ({
  method,
  origin: STORE,
  widgetAt: subtractMinutes(2),
  workerAt: subtractMinutes(2),
  isWorkerOld: false,
  ...more,
})

/** Starts with keys and 214 subscribers in each test; the clipboard is readable. */
export function createPushStore(app: Screens) {
  const push = {
    setup: buildSetupWithoutKeys(),
    answerKeys() {
      app.api.answer(calls.generateVapidKeys, () => {
        push.setup = { ...push.setup, keys: KEYS }
        return { success: true, vapidKeys: { publicKey: PUBLIC_KEY }, subscriptions: 0 }
      })
    },
    card: (name: string) => app.page.getByRole('region', { name, exact: true }),
    button: (name: string) => app.page.getByRole('button', { name, exact: true }),
    copied: () => app.page.evaluate(() => navigator.clipboard.readText()),
    sent: (endpoint: Parameters<typeof app.api.calls>[0]) => app.api.calls(endpoint).map((call) => call.sent.body),
    figures: (name: string) =>
      push
        .card(name)
        .locator('dl > div')
        .evaluateAll((all) =>
          all.map((each) => [each.querySelector('dt')!.textContent, each.querySelector('dd')!.textContent]),
        ),
    async expectToFit() {
      for (const width of [1280, 360]) {
        await app.page.setViewportSize({ width, height: 900 })
        const overflow = await app.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        expect([width, overflow]).toEqual([width, 0])
      }
      expect(await app.findViolations()).toEqual([])
    },
  }
  beforeAll(() => app.page.context().grantPermissions(['clipboard-read', 'clipboard-write']))
  beforeEach(async () => {
    push.setup = { ...buildSetupWithoutKeys(), keys: KEYS }
    push.answerKeys()
    await app.page.route('**/push/sw.js', (route) => route.fulfill({ contentType: 'text/javascript', body: WORKER }))
    app.api.answer(calls.readPushSetup, () => push.setup)
    app.api.answer(calls.pushStoreStats, { success: true, message: '', stats: STATS })
    app.api.answer(calls.savePushSettings, ({ body: { settings } }) => ({ success: true, settings }))
    app.api.answer(calls.savePushPrompt, ({ body: { prompt } }) => ({ success: true, prompt }))
    app.api.answer(calls.sendStoreNotification, () => ({
      success: true,
      message: '',
      results: Array.from({ length: 214 }, (_, n) => ({ id: `${n}`, status: 'planned' })),
    }))
  })
  return push
}
