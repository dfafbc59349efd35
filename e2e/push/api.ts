import type { Page, Route } from 'playwright-core'
import { DEFAULT_PROMPT, DEFAULT_PUSH } from '../../shared/push.ts'
import type { PushSetup } from '../../web/push/queries.ts'

// Web push of a store as the server tells of it, made up: what the screens do with it is looked at.

export const PUBLIC_KEY = 'BPJYBreFx1l2eXJ0s4OMsXPlkdnoNSi6OotTGWvsk4fS96bXv3KpZ-ZnTDikfJGL_oGg34rZ7sVkTsfkmLiHqbY'
export const WORKER = "/* Recoup */\nself.addEventListener('push', () => {})\n"
const MINUTE_MS = 60_000

export const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString()

export const aSetup = (more: Partial<PushSetup> = {}): PushSetup => ({
  ...{ storeUrl: 'https://shop.example', storeName: 'Maple & Clay', platform: 'woocommerce', canHostWorker: true },
  ...{ storeKey: 'KEY-1', settings: { ...DEFAULT_PUSH }, prompt: DEFAULT_PROMPT, seen: [], subscribers: 0, keys: null },
  ...more,
})

export const withKeys = (more: Partial<PushSetup> = {}) =>
  aSetup({
    keys: { publicKey: PUBLIC_KEY, madeAt: ago(9_000), subscriptions: 214, older: [] },
    subscribers: 214,
    ...more,
  })

export const SOME_STATS = {
  ...{ totalCustomers: 1_840, subscribedCustomers: 214, pendingCustomers: 1_626, conversionRate: 12 },
  ...{ subscribers: 214, notifications: 530, clickRate: 8.3 },
}

interface Asked {
  call: string
  method: string
  body: Record<string, unknown>
}

interface Api {
  setup: PushSetup
  asked: Asked[]
  /** Answers in place of what would be, by the call's name. */
  refuse: Record<string, { status: number; json: object }>
  /** Keeps answers waiting, by the call's name, until it is resolved. */
  wait: Record<string, Promise<unknown>>
}

/** Takes the place of the calls of web push on this page. */
export async function withPush(page: Page, setup: PushSetup): Promise<Api> {
  const api: Api = { setup, asked: [], refuse: {}, wait: {} }
  await page.route(/\/push\/sw\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: WORKER }))
  await page.route(/\/api\/push-notifications\//, (route) => answer(api, route))
  return api
}

async function answer(api: Api, route: Route): Promise<void> {
  const request = route.request()
  const call = new URL(request.url()).pathname.split('/').at(-1)!
  const body = (request.postDataJSON() ?? {}) as Record<string, unknown>
  api.asked.push({ call, method: request.method(), body })
  await api.wait[call]
  const { status, json } = api.refuse[call] ?? { status: 200, json: answerOf(api, call, body) }
  await route.fulfill({ status, json })
}

function answerOf(api: Api, call: string, body: Record<string, unknown>): object {
  const success = true
  switch (call) {
    case 'setup':
      return api.setup
    case 'store-stats':
      return { success, message: '', stats: SOME_STATS }
    case 'generate-vapid-keys':
      api.setup = { ...withKeys(), ...api.setup, keys: api.setup.keys ?? withKeys().keys }
      return { success, vapidKeys: { publicKey: PUBLIC_KEY }, subscriptions: 0 }
    case 'save-settings':
      api.setup = { ...api.setup, settings: body.settings as PushSetup['settings'] }
      return { success, settings: body.settings }
    case 'prompt':
      api.setup = { ...api.setup, prompt: body.prompt as PushSetup['prompt'] }
      return { success, prompt: body.prompt }
    case 'send-store-notification':
      return {
        success,
        message: '',
        results: Array.from({ length: 214 }, (_, n) => ({ id: `${n}`, status: 'planned' })),
      }
    default:
      return { success, message: '' }
  }
}
