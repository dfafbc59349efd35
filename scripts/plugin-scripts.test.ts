import { readFileSync } from 'node:fs'
import vm from 'node:vm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadDevice } from '../storefront/push-cart.ts'

// The plugin's scripts, which are served unbuilt, in a minimal fake page.

const ASSETS = new URL('../plugin/recoup-for-woocommerce/assets/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, ASSETS), 'utf8')

interface Field {
  id: string
  type: string
  value: string
  checked?: boolean
}

function openPage({ cookie = '', checkout, tool }: { cookie?: string; checkout?: object; tool?: object }) {
  const listeners = new Map<string, ((event: object) => void)[]>()
  const listen = (name: string, listener: (event: object) => void) =>
    listeners.set(name, [...(listeners.get(name) ?? []), listener])
  const fields = new Map<string, Field>()
  const posts: { url: string; body?: FormData }[] = []
  const page = {
    cookie,
    addEventListener: listen,
    getElementById: (id: string) => fields.get(id) ?? null,
    querySelectorAll: () => [],
  }
  const window: Record<string, unknown> = { recoupCheckout: checkout, recoupConsentTool: tool }
  const fetch = async (url: string, { body }: { body?: FormData }) => {
    posts.push({ url, ...(body && { body }) })
  }
  Object.assign(window, { window, document: page, addEventListener: listen, FormData, fetch })
  Object.assign(window, { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout })
  vm.createContext(window)
  if (checkout) vm.runInContext(read('checkout.js'), window)
  if (tool) vm.runInContext(read('consent.js'), window)
  const fire = (name: string, target?: object) => {
    for (const listener of listeners.get(name) ?? []) listener({ target })
  }
  const type = (id: string, value: string) => {
    const field = { id, type: 'text', value }
    fields.set(id, field)
    fire('change', field)
  }
  return { page, posts, fire, type }
}

const CHECKOUT = { url: '/?wc-ajax=recoup_contact', nonce: 'n', asks: '1', tool: 'wp_consent' }
const TOOL = { url: '/?wc-ajax=recoup_agreement' }
const FILLED = 'woocommerce_items_in_cart=1'
const EMAIL = 'ada@shoppers.example'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const answer = async ({ page, fire }: ReturnType<typeof openPage>, cookie: string) => {
  page.cookie = cookie
  for (let category = 0; category < 5; category++) fire('wp_listen_for_consent_change')
  await vi.advanceTimersByTimeAsync(1_000)
}

test.each([
  'allow',
  'deny',
])('reports an answer in the consent tool to the shop once, within a second: %s', async (word) => {
  const page = openPage({ tool: TOOL })
  await answer(page, `${FILLED}; wp_consent_marketing=${word}`)
  expect(page.posts).toEqual([{ url: TOOL.url }])
})

test('sends no consent answer while the cart is empty', async () => {
  const page = openPage({ tool: TOOL })
  await answer(page, 'wp_consent_marketing=allow')
  expect(page.posts).toEqual([])
})

test('sends a consent answer when the page is closed at once', () => {
  const page = openPage({ cookie: `${FILLED}; wp_consent_marketing=deny`, tool: TOOL })
  page.fire('wp_listen_for_consent_change')
  page.fire('pagehide')
  expect(page.posts).toEqual([{ url: TOOL.url }])
})

test('sends typed contact fields with the consent in one request', async () => {
  const page = openPage({ checkout: { ...CHECKOUT }, tool: TOOL })
  page.type('billing_email', EMAIL)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(page.posts).toEqual([])
  await answer(page, `${FILLED}; wp_consent_marketing=allow`)
  expect(page.posts.map(({ url, body }) => [url, body?.get('email')])).toEqual([[CHECKOUT.url, EMAIL]])
})

test('sends no typed fields after a refusal', async () => {
  const page = openPage({ checkout: { ...CHECKOUT, asks: '' }, tool: TOOL })
  await answer(page, `${FILLED}; wp_consent_marketing=deny`)
  expect(page.posts.map(({ url }) => url)).toEqual([TOOL.url])
  page.type('billing_email', EMAIL)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(page.posts).toHaveLength(1)
})

test('reads consent cookies with a custom prefix', async () => {
  const page = openPage({ cookie: 'shop_consent_marketing=allow', checkout: { ...CHECKOUT, tool: 'shop_consent' } })
  page.type('billing_email', EMAIL)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(page.posts).toHaveLength(1)
})

test('sends the text id of a ticked box', async () => {
  const page = openPage({ checkout: { ...CHECKOUT } })
  const box = { id: 'recoup_consent_email', checked: true, getAttribute: () => 'w2' }
  page.fire('change', box)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(page.posts.map(({ body }) => body?.get('recoup_consent_email_wording'))).toEqual(['w2'])
})

interface Box {
  isVisible: boolean
}

/** Opens a block checkout with these boxes by element id. */
function openBlocks(boxes: Record<string, Box>) {
  const listeners = new Map<string, () => void>()
  const page = { isExpress: false }
  let use: (options: object, next: (options: object) => object) => { headers?: Record<string, string> } = () => ({})
  const getElementById = (id: string) => {
    const box = boxes[id]
    return box ? { closest: () => null, getClientRects: () => (box.isVisible ? [{}] : []) } : null
  }
  const window: Record<string, unknown> = {
    recoupBlocks: { boxes: { email: 'w1', sms: 'w2' } },
    wp: {
      apiFetch: {
        use(user: typeof use) {
          use = user
        },
      },
      data: { select: () => ({ isExpressPaymentMethodActive: () => page.isExpress }) },
    },
    document: {
      getElementById,
      addEventListener: (name: string, listener: () => void) => listeners.set(name, listener),
    },
  }
  window.window = window
  vm.createContext(window)
  vm.runInContext(read('blocks.js'), window)
  const send = (path = '/wc/store/v1/cart/update-customer') =>
    use({ path }, (options) => options).headers?.['Recoup-Boxes'] ?? null
  return { page, send, change: () => listeners.get('change')?.() }
}

test.each([
  ['WooCommerce 8.9', 'contact-recoup/consent-email'],
  ['later versions', 'contact-recoup-consent-email'],
])('the block checkout reports the box that %s shows', (_, id) => {
  const { send } = openBlocks({ [id]: { isVisible: true } })
  expect(send()).toBe('email=w1')
  expect(send('/wp/v2/posts')).toBeNull()
})

test('reports a box that a later step hides, and “none” only for an express payment', () => {
  const box = { isVisible: true }
  const { page, send, change } = openBlocks({ 'contact-recoup-consent-sms': box })
  change()
  box.isVisible = false
  expect(send()).toBe('sms=w2')
  page.isExpress = true
  expect(send()).toBe('none')
})

test('distinguishes hidden boxes from missing ones', () => {
  expect(openBlocks({ 'contact-recoup-consent-sms': { isVisible: false } }).send()).toBe('hidden')
  expect(openBlocks({}).send()).toBe('unknown')
})

test.each([
  ['https:', true],
  ['http:', false],
])('on a page by %s the cookie that tells the plugin the device is secure: %s', (protocol, isSecure) => {
  const page = { cookie: '' }
  vi.stubGlobal('document', page)
  vi.stubGlobal('location', { protocol })
  const memory = { get: () => undefined, token: () => 'd'.repeat(32) } as unknown as Parameters<
    typeof loadDevice
  >[0]['memory']
  try {
    loadDevice({ method: 'plugin', memory })
  } finally {
    vi.unstubAllGlobals()
  }
  expect(page.cookie).toMatch(/^recoup_device=d{32}; path=\/; max-age=34560000; samesite=lax/)
  expect(page.cookie.endsWith('; secure')).toBe(isSecure)
})
