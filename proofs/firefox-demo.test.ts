import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_PROMPT } from '../shared/delivery/push.ts'
import type { PushSetup } from '../web/features/push/queries.ts'
import { type Firefox, missingFirefox, openFirefox } from './firefox.ts'
import { openPushDemo, type PushDemo } from './push-demo.ts'

// Web push from end to end: the product as users start it, its demo store, a real Firefox and a strict push service.
// The shopper types no address before buying: only the notification brings them back.

let demo: PushDemo
let shopper: Firefox

describe.skipIf(missingFirefox)(`the demo in Firefox${missingFirefox}`, () => {
  beforeAll(async () => {
    demo = await openPushDemo()
    shopper = await openFirefox(demo.browsers.port)
  }, 400_000)

  afterAll(async () => {
    await shopper?.close()
    await demo?.stop()
  })

  const TIMES = { timeout: 90_000, interval: 500 }
  const WORDS = { title: 'Still thinking about it?', body: '{{ cart_items }} for {{ cart_total }} at {{ store_name }}' }

  const setup = () => demo.api<PushSetup>('GET', '/api/push-notifications/setup')

  /** Puts tea into the cart, and accepts the opt-in bar and the browser's prompt. */
  async function subscribe(firefox: Firefox): Promise<void> {
    await firefox.goto(`${demo.instance.storeUrl}/shop/`)
    await firefox.press('[data-quick-add]')
    const hasBar = () =>
      firefox.run<boolean>('return [...document.querySelectorAll("body > div")].some((each) => each.shadowRoot)')
    await expect.poll(hasBar, TIMES).toBe(true)
    const before = (await setup()).subscribers
    await firefox.pressInBar(DEFAULT_PROMPT.accept)
    await firefox.allowInPrompt()
    await expect.poll(async () => (await setup()).subscribers, TIMES).toBe(before + 1)
  }

  test('the owner switches notifications on, and sees that the demo store’s widget and worker run', async () => {
    const { storeUrl, settings } = await setup()
    expect(settings.enabled).toBe(false)
    await demo.api('POST', '/api/push-notifications/save-settings', {
      storeUrl,
      settings: { ...settings, ...WORDS, enabled: true },
    })
    await subscribe(shopper)
    const seen = (await setup()).seen
    expect(seen).toMatchObject([{ method: 'plugin', origin: demo.instance.storeUrl, workerAt: expect.any(String) }])
  }, 180_000)

  test('an abandoned cart is followed by a notification with its product and title', async () => {
    await demo.minutePasses()
    await expect.poll(() => shopper.shown(), TIMES).toHaveLength(1)
    const [shown] = await shopper.shown()
    expect(shown!.title).toBe(WORDS.title)
    expect(shown!.text).toMatch(/^.+ for \$\d+\.\d\d at Maple & Clay$/)
    const sent = demo.service.seen.at(-1)!
    expect(sent.headers).toMatchObject({
      ttl: '86400',
      urgency: 'normal',
      topic: expect.stringMatching(/^[\w-]{1,32}$/),
    })
  }, 180_000)

  test('a click restores the cart, and the purchase is attributed to the notification', async () => {
    await shopper.pressShown()
    await expect.poll(() => shopper.windows(), TIMES).toBe(2)
    await shopper.newestWindow()
    await shopper.pressButton('Restore Cart')
    await shopper.pressButton('Continue to checkout')
    await expect.poll(() => shopper.url(), TIMES).toContain('/checkout/')
    await buy(shopper)
    await expect.poll(readRecovered, TIMES).toMatchObject({ order: { attributedMessageId: expect.any(String) } })
    const { messages, order } = (await readRecovered())!
    expect(messages.find(({ id }) => id === order!.attributedMessageId)).toMatchObject({
      channel: 'push',
      state: 'delivered',
    })
  }, 240_000)

  test('an inactive browser counts with the old key after a key change, and its subscription survives its return (decision 74)', async () => {
    const { storeUrl } = await setup()
    await demo.api('POST', '/api/push-notifications/generate-vapid-keys', { storeUrl, replace: 'moving' })
    const readOlderKeys = async () => (await setup()).keys!.older.map(({ subscriptions }) => subscriptions)
    expect(await readOlderKeys()).toEqual([1])
    await shopper.run('sessionStorage.clear()')
    await shopper.goto(`${demo.instance.storeUrl}/shop/`)
    await expect.poll(readOlderKeys, TIMES).not.toContain(1)
    expect((await setup()).subscribers).toBe(1)
    expect(demo.browsers.live()).toHaveLength(1)
  }, 120_000)

  test('after the permission is revoked, the next push gets 410, the subscription is deleted, and the ledger records a withdrawal', async () => {
    const other = await openFirefox(demo.browsers.port)
    try {
      await subscribe(other)
      await other.revoke(demo.instance.storeUrl)
      // Firefox reports it only to its push service.
      await expect.poll(() => demo.browsers.live().length, TIMES).toBe(1)
      expect((await setup()).subscribers).toBe(2)
      await demo.minutePasses()
      await expect.poll(() => demo.service.seen.some(({ status }) => status === 410), TIMES).toBe(true)
      await expect.poll(async () => (await setup()).subscribers, TIMES).toBe(1)
      const { entries } = await demo.api<{ entries: { status: string }[] }>('GET', '/api/consent/ledger?channel=push')
      expect(entries.map(({ status }) => status).toSorted()).toEqual(['granted', 'granted', 'withdrawn'])
    } finally {
      await other.close()
    }
  }, 300_000)

  interface Recovered {
    messages: { id: string; channel: string; state: string }[]
    order: { attributedMessageId: string | null } | null
  }

  async function readRecovered(): Promise<Recovered | undefined> {
    const { carts } = await demo.api<{ carts: { id: string; customer_email: string }[] }>(
      'GET',
      `/api/carts/abandoned?search=${encodeURIComponent(EMAIL)}`,
    )
    return carts[0] && demo.api<Recovered>('GET', `/api/carts/${carts[0].id}/messages`)
  }

  const EMAIL = 'noor@shoppers.example'

  async function buy(firefox: Firefox): Promise<void> {
    const typed = { email: EMAIL, 'shipping-first_name': 'Noor', 'shipping-last_name': 'Haddad' }
    const address = { 'shipping-address_1': '1 Main Street', 'shipping-city': 'New York', 'shipping-postcode': '10001' }
    for (const [id, text] of Object.entries({ ...typed, ...address })) await firefox.type(`#${id}`, text)
    await firefox.run(`const state = document.querySelector('#shipping-state'); state.value = 'NY';
    state.dispatchEvent(new Event('change', { bubbles: true }))`)
    await firefox.pressButton('Place order')
    await expect.poll(() => firefox.url(), TIMES).toContain('/order-received/')
  }
})
