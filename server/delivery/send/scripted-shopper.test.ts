import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeName } from '../../../providers/woocommerce/shop.ts'
import { openShopper } from '../../../providers/woocommerce/shoppers.ts'
import { type DemoStore, startDemoStore } from '../../../providers/woocommerce/store.ts'
import { CapturePost } from '../../../shared/carts/capture.ts'
import type { ConsentChannel } from '../../../shared/shoppers/consent.ts'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import { MINUTE } from '../../../test/message-scene.ts'
import { createProviderWorld } from '../../../test/provider-calls.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import { wakeDueStores } from '../../messages/messages/scan.ts'
import { createWooCommerceClient } from '../../platforms/woocommerce/platform.ts'
import { sendOptInRequests } from '../opt-in/opt-in-request.ts'

// Shoppers in the demo store, from the goods and the boxes they tick to what reaches them by mail, SMS and WhatsApp: the shop, its
// order pulls, both providers' servers and their callbacks are real, only time is ours. What each of them gets, and what the cart's
// timeline says of it, is written out here from C4 and C6.

const scene = createProviderWorld({ ALLOW_PRIVATE_STORES: 'on', SMTP_URL: 'smtp://127.0.0.1:2525' })
const { world } = scene
const keys = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }
const http = openGuardedHttp({ allowPrivate: true, totalTimeoutMs: 5_000 })
let shop: DemoStore
let storeId: string
let captureKey: string
let ids: string[]

beforeAll(async () => {
  // 10:00 in New York, 16:00 in Berlin: no quiet hours for the next hours.
  world.now = new Date('2026-03-02T15:00:00Z')
  shop = await startDemoStore({ port: 0, dataFile: ':memory:', now: () => world.now.getTime(), ...keys })
  world.storeClient = (access) =>
    createWooCommerceClient(access, { fetch: http.fetch, now: () => world.now, pauseMs: 0 })
  const { token, accountId } = scene.store
  await world.db.updateTable('subscriptions').set({ plan: 'growth' }).where('account_id', '=', accountId).execute()
  const template = {
    name: 'cart_reminder',
    language: 'en_US',
    variables: ['customer_name', 'store_name', 'cart_items', 'cart_total'],
  }
  const chosen = await world.request('PUT', '/api/channels/whatsapp/template', { token, body: template })
  expect([chosen.status, chosen.body.error]).toEqual([200, undefined])
  const connection = {
    platform: 'woocommerce',
    store_url: shop.url,
    consumer_key: keys.consumerKey,
    consumer_secret: keys.consumerSecret,
  }
  storeId = (await world.request('POST', '/api/stores/connect-store', { token, body: connection })).body.store.id
  await world.runJobs()
  await switchOn()
  const products = await world.db.selectFrom('products').select('product_id').where('store_id', '=', storeId).execute()
  ids = products.map((product) => product.product_id)
})

afterAll(async () => {
  await shop?.stop()
  await http.close()
})

/** An email after one hour, an SMS after two, WhatsApp after three. */
async function switchOn() {
  const sender = { sender_name: 'Maple & Clay', postal_address: '12 Pearl St, Burlington, VT' }
  await world.db
    .updateTable('stores')
    .set({ ...sender, effective_timeout_minutes: 60, selling_countries: ['US', 'DE'] })
    .where('id', '=', storeId)
    .execute()
  const row = await world.db
    .selectFrom('stores')
    .select('capture_key')
    .where('id', '=', storeId)
    .executeTakeFirstOrThrow()
  captureKey = row.capture_key
  for (const [step, channel, delay] of [
    [1, 'email', 60],
    [2, 'sms', 120],
    [3, 'whatsapp', 180],
  ] as const) {
    await world.db
      .updateTable('flow_steps')
      .set({ channel, delay_minutes: delay })
      .where('store_id', '=', storeId)
      .where('step', '=', step)
      .execute()
  }
  await world.db
    .updateTable('flows')
    .set({ is_on: true, switched_on_at: world.now, takes_from: world.now })
    .where('store_id', '=', storeId)
    .execute()
}

interface Shopper {
  name: string
  country: 'US' | 'DE'
  email: string
  phone: string
}

let people = 0
function buildShopper(name: string, country: 'US' | 'DE'): Shopper {
  people += 1
  const phone = country === 'US' ? `+1212555${String(4_000 + people)}` : `+4915155${String(500_000 + people)}`
  return { name, country, phone, email: `${name}.${people}@shoppers.example` }
}

const createBox = (channel: ConsentChannel, isGiven = true) => buildConsentBox(channel, isGiven, storeName)
const all = { email: createBox('email'), sms: createBox('sms'), whatsapp: createBox('whatsapp') }

/** Fills a cart in the shop, types who they are and ticks boxes; the page posts what our script would. */
async function abandonCart({ name, country, email, phone }: Shopper, ...consents: (CapturePost['consent'] | null)[]) {
  const basket = await openShopper(shop)
  await basket.call('POST', 'cart/add-item', { id: Number(ids[0]), quantity: 1 })
  const page = { cart: `cart-of-${name}`.padEnd(24, 'x'), page: `page-of-${name}`.padEnd(20, 'x') }
  const contact = { email, phone, firstName: name, country }
  const boxes = consents.length > 0 ? consents : [null]
  for (const [seq, consent] of boxes.entries()) {
    const post = {
      ...page,
      seq,
      items: [{ id: ids[0]!, quantity: 1 }],
      coupons: [],
      contact,
      ...(consent && { consent }),
    }
    const reply = await world.app.inject({
      method: 'POST',
      url: `/api/capture/${captureKey}`,
      headers: { origin: shop.url, 'content-type': 'text/plain' },
      payload: JSON.stringify(CapturePost.parse(post)),
      remoteAddress: `192.0.2.${phone.slice(-2)}`,
    })
    expect(reply.statusCode).toBe(204)
  }
}

/** Everything the clock does, a quarter of an hour at a time. */
async function hours(count: number) {
  for (let quarter = 0; quarter < count * 4; quarter++) {
    world.advance(15 * MINUTE)
    await sendOptInRequests(world.deps)
    await detectAbandoned(world.deps)
    await wakeDueStores(world.deps)
    await world.runJobs()
  }
}

/** An opt-in request has no link. Its text cannot identify it: the random letters of a link spell JA in one of a hundred. */
const isReminder = (text: string) => text.includes('/c/')
const got = ({ email, phone }: Shopper) => ({
  mails: world.sent.filter(({ to }) => to === email).length,
  sms: scene.twilio.network.texts
    .thread(phone, 'sms', '+12025550100')
    .filter((each) => each.direction === 'out' && isReminder(each.body)).length,
  whatsapp: scene.meta.network.texts
    .thread(phone, 'whatsapp', '+12025550100')
    .filter((each) => each.direction === 'out' && !/keine Nachrichten mehr/.test(each.body)).length,
})

/** The newest timeline entry of each step. */
async function readNotices({ email }: Shopper): Promise<string[]> {
  const cart = await world.db.selectFrom('carts').select('id').where('email', '=', email).executeTakeFirstOrThrow()
  const { body } = await world.request('GET', `/api/carts/${cart.id}/messages?storeId=${storeId}`, {
    token: scene.store.token,
  })
  const decided = (body.timeline as { kind: string; title: string; text: string }[]).filter(({ kind }) =>
    /^message_(send|hold|skip)$/.test(kind),
  )
  const last = new Map(decided.map(({ title, text }) => [title.split(':')[0]!, text]))
  return [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
}

describe('messages to shoppers of the demo store, with reasons', () => {
  const us = {
    agreed: buildShopper('ursula', 'US'),
    silent: buildShopper('uma', 'US'),
    stopped: buildShopper('ulysses', 'US'),
    unticked: buildShopper('ute', 'US'),
  }
  const de = {
    agreed: buildShopper('dora', 'DE'),
    silent: buildShopper('dirk', 'DE'),
    unconfirmed: buildShopper('doris', 'DE'),
    stopped: buildShopper('dieter', 'DE'),
  }
  const replies = ({ phone }: Shopper, text: string) => scene.says(text, { From: phone })
  const writes = ({ phone }: Shopper, body: string) => {
    const timestamp = String(Math.floor(world.now.getTime() / 1_000))
    return scene.fromMeta({
      messages: [{ from: phone.slice(1), id: `wamid.${phone}`, timestamp, type: 'text', text: { body } }],
    })
  }

  beforeAll(async () => {
    await abandonCart(us.agreed, all)
    await abandonCart(us.silent)
    await abandonCart(us.stopped, all)
    await abandonCart(us.unticked, { email: createBox('email') }, { email: createBox('email', false) })
    for (const one of [de.agreed, de.unconfirmed, de.stopped]) await abandonCart(one, all)
    await abandonCart(de.silent)
    await hours(1)
    for (const one of [de.agreed, de.stopped]) await replies(one, 'JA')
    await replies(us.stopped, 'STOP')
    await writes(de.stopped, 'stop')
    await hours(3)
  })

  test('US, agreed to everything: mail and one SMS, as WhatsApp delivers no marketing there', async () => {
    expect(got(us.agreed)).toEqual({ mails: 1, sms: 1, whatsapp: 0 })
    expect(await readNotices(us.agreed)).toEqual([
      expect.stringMatching(
        /^Every check passed.* They opted in on Mar 2, 2026 \(checkout box, not verified: reported by the tracking script\)\.$/,
      ),
      expect.stringMatching(
        /^Every check passed.* They opted in on Mar 2, 2026 \(checkout box, not verified: reported by the tracking script\)\.$/,
      ),
      'WhatsApp delivers no marketing messages to numbers that begin with +1.',
    ])
  })

  test('US, no box ticked: only mail, because opt-out applies', async () => {
    expect(got(us.silent)).toEqual({ mails: 1, sms: 0, whatsapp: 0 })
    expect(await readNotices(us.silent)).toEqual([
      expect.stringMatching(/For United States the rule is: Opt-out\.$/),
      expect.stringMatching(/has not opted in to messages on this channel.* For United States the rule is: Opt-in\.$/),
      expect.stringMatching(/has not opted in to messages on this channel/),
    ])
  })

  test('US, STOP before the SMS was due: only mail', async () => {
    expect(got(us.stopped)).toMatchObject({ mails: 1, sms: 0 })
    expect((await readNotices(us.stopped))[1]).toBe('The shopper has opted out of messages (STOP).')
  })

  test('US, boxes ticked and unticked again: nothing', async () => {
    expect(got(us.unticked)).toEqual({ mails: 0, sms: 0, whatsapp: 0 })
    expect((await readNotices(us.unticked))[0]).toBe(
      'The shopper has withdrawn consent. They opted out on Mar 2, 2026 (checkout box, not verified: reported by the tracking script).',
    )
  })

  test('Germany, agreed to everything and confirmed by JA: mail, SMS and WhatsApp', { tags: ['A1'] }, async () => {
    expect(got(de.agreed)).toEqual({ mails: 1, sms: 1, whatsapp: 1 })
    expect(await readNotices(de.agreed)).toEqual([
      expect.stringContaining(
        'They opted in on Mar 2, 2026 (checkout box, not verified: reported by the tracking script).',
      ),
      expect.stringContaining('They opted in and confirmed it on Mar 2, 2026 (replied YES by SMS).'),
      expect.stringContaining(
        'They opted in on Mar 2, 2026 (checkout box, not verified: reported by the tracking script).',
      ),
    ])
  })

  test('Germany, no box ticked: nothing', async () => {
    expect(got(de.silent)).toEqual({ mails: 0, sms: 0, whatsapp: 0 })
    expect(await readNotices(de.silent)).toEqual([
      expect.stringMatching(/requires consent first.* For Germany the rule is: Opt-in or existing customer\.$/),
      expect.stringMatching(/For Germany the rule is: Double opt-in\.$/),
      expect.stringMatching(/For Germany the rule is: Opt-in\.$/),
    ])
  })

  test('Germany, opt-in request without a reply: mail and WhatsApp, no SMS', async () => {
    expect(got(de.unconfirmed)).toEqual({ mails: 1, sms: 0, whatsapp: 1 })
    expect((await readNotices(de.unconfirmed))[1]).toBe(
      'The shopper was asked by SMS to confirm and has not replied YES yet. They opted in on Mar 2, 2026 (checkout box, not verified: reported by the tracking script), but have not confirmed it yet.',
    )
  })

  test('Germany, STOP on WhatsApp: mail and SMS, no WhatsApp', async () => {
    expect(got(de.stopped)).toEqual({ mails: 1, sms: 1, whatsapp: 0 })
    expect((await readNotices(de.stopped))[2]).toBe('The shopper has opted out of messages (STOP).')
  })
})
