import { beforeEach, describe, expect, test } from 'vitest'
import {
  campaignContent as aText,
  buildCampaignInput,
  callCampaigns,
  createCampaign,
  formatStoreDate,
  runTick,
} from '../../../test/campaign-scene.ts'
import { insertCoupon, readCouponCode } from '../../../test/coupon-copies.ts'
import { completeOrderCheck } from '../../../test/factories.ts'
import { createShop, postWithWorker, type Shop } from '../../../test/manual-send-scene.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  DAY,
  findLink,
  HOUR,
  MINUTE,
  passTime,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { createTestBrowser, readStoreUrl, setUpPush, subscribeBrowser } from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { servedBy } from '../../access/http/http.ts'
import { handleReply } from '../../delivery/inbound/inbound.ts'
import { recordMailReport } from '../../delivery/mail-reports/mail-reports.ts'
import { sendOptInRequests } from '../../delivery/opt-in/opt-in-request.ts'
import * as authorizations from '../../messages/channels/send-authorization.ts'

// Tries every way to send a message to a suppressed address (C1, C2). The ways are read from the code: endpoints that
// send, and the authorizations that a channel requires. A new one that is not tried here fails this test.

const world = createWorld()

beforeEach(() => {
  world.sent.length = 0
  world.texts.length = 0
})

async function suppress(shop: Shop, addresses: readonly (string | null)[]): Promise<void> {
  for (const address of addresses) {
    const reply = await world.request('POST', '/api/suppressions', { token: shop.token, body: { address } })
    expect(reply.status).toBe(200)
  }
}

/** Two shoppers with all consents who may get messages now; the first is suppressed with all addresses. */
async function twoShoppers() {
  const shop = await createShop(world, 2, { plan: 'growth' })
  const [suppressed, there] = shop.orders as [(typeof shop.orders)[0], (typeof shop.orders)[0]]
  await suppress(shop, [suppressed.email, suppressed.phone])
  return { shop, suppressed, there, suppressedCart: shop.cartIds[0]!, carts: shop.cartIds }
}

type Two = Awaited<ReturnType<typeof twoShoppers>>

const later = { sendAt: () => new Date(world.now.getTime() + 2 * HOUR).toISOString() }

/** The request of each endpoint. It may be refused or accepted, but sends nothing to the suppressed shopper. */
const endpoints: Record<string, (two: Two) => Promise<unknown>> = {
  'POST /api/email/send-email': ({ shop, suppressed, suppressedCart }) =>
    postWithWorker(world, shop, '/api/email/send-email', { to: suppressed.email, cart_id: suppressedCart }),
  'POST /api/email/schedule-reminder': async ({ shop, suppressedCart }) => {
    await postWithWorker(world, shop, '/api/email/schedule-reminder', { cartId: suppressedCart, delayHours: 1 })
    await passTime(world, shop.storeId, 2 * HOUR)
  },
  'POST /api/sms/send-reminder': ({ shop, suppressedCart }) =>
    postWithWorker(world, shop, '/api/sms/send-reminder', { cartId: suppressedCart }),
  'POST /api/whatsapp/send-reminder': ({ shop, suppressedCart }) =>
    postWithWorker(world, shop, '/api/whatsapp/send-reminder', { cartId: suppressedCart }),
  'POST /api/whatsapp/send-bulk': ({ shop, carts }) =>
    postWithWorker(world, shop, '/api/whatsapp/send-bulk', { cartIds: carts }),
  'POST /api/carts/send': async ({ shop, carts }) => {
    for (const channel of ['email', 'sms', 'whatsapp']) {
      await postWithWorker(world, shop, '/api/carts/send', { channel, cartIds: carts })
      await postWithWorker(world, shop, '/api/carts/send', { channel, cartIds: carts, sendAt: later.sendAt() })
    }
    await passTime(world, shop.storeId, 3 * HOUR)
  },
  'POST /api/carts/send/:jobId/retry': async ({ shop, carts }) => {
    const { body } = await postWithWorker(world, shop, '/api/carts/send', { channel: 'sms', cartIds: carts })
    await world.runJobs()
    await postWithWorker(world, shop, `/api/carts/send/${body.jobId}/retry`, {})
    await world.runJobs()
  },
  'POST /api/email/send-discount-offer': async ({ shop, suppressed }) => {
    const discountCode = await readCouponCode(world, await insertCoupon(world, shop))
    const offer = { to: suppressed.email, discountCode, discountAmount: 10, discountType: 'percentage' }
    await postWithWorker(world, shop, '/api/email/send-discount-offer', offer)
    await world.runJobs()
  },
  'POST /api/email/send-discount-offers': async ({ shop }) => {
    const couponId = await insertCoupon(world, shop)
    const { status } = await postWithWorker(world, shop, '/api/email/send-discount-offers', { matching: {}, couponId })
    expect(status).toBe(200)
    await world.runJobs()
  },
  'POST /api/messages/test-send': async ({ shop, suppressed, suppressedCart }) => {
    for (const channel of ['sms', 'whatsapp']) {
      await postWithWorker(world, shop, '/api/messages/test-send', {
        cartId: suppressedCart,
        channel,
        to: suppressed.phone,
      })
    }
  },
  'POST /api/email/discount-test': async ({ shop, suppressedCart }) => {
    const cart = world.db.selectFrom('carts').select('shopper_id').where('id', '=', suppressedCart)
    const { shopper_id: customer } = await cart.executeTakeFirstOrThrow()
    const couponId = await insertCoupon(world, shop)
    await postWithWorker(world, shop, '/api/email/discount-test', { customer, couponId })
  },
}

/** Both have a browser subscription; the first shopper wants no messages at all. */
async function sendPush({ shop, suppressed, there }: Two, call: string): Promise<void> {
  const [own, others] = [createTestBrowser(), createTestBrowser()]
  await subscribeBrowser(world, shop, own, { email: suppressed.email! })
  await subscribeBrowser(world, shop, others, { email: there.email! })
  const row = {
    account_id: shop.accountId,
    address_hash: world.deps.secrets.addressHash(suppressed.email!),
    channel: 'all',
  } as const
  await world.db
    .insertInto('suppressions')
    .values({ ...row, reason: 'unsubscribed', source: 'preference page', created_at: world.now })
    .execute()
  world.pushes.length = 0
  const storeUrl = await readStoreUrl(world, shop)
  const reply = await postWithWorker(world, shop, call, { storeUrl, title: 'Sale', body: 'Today' })
  expect(reply.body.results).toHaveLength(2)
  await passTime(world, shop.storeId, MINUTE)
  expect(world.pushes.map(({ subscription }) => subscription.endpoint)).toEqual([others.subscription.endpoint])
}

/** Goes to the requesting member's browser, not to a shopper's. */
async function sendHere({ shop }: Two, call: string): Promise<void> {
  await setUpPush(world, shop)
  world.pushes.length = 0
  const { subscription } = createTestBrowser()
  await postWithWorker(world, shop, call, {
    storeUrl: await readStoreUrl(world, shop),
    title: 'Sale',
    body: 'Today',
    subscription,
  })
  expect(world.pushes.map((push) => push.subscription.endpoint)).toEqual([subscription.endpoint])
}

for (const base of ['/push-notifications', '/api/push-notifications']) {
  const [toAll, toOne] = [`${base}/send-store-notification`, `${base}/send-to-this-browser`]
  endpoints[`POST ${toAll}`] = (two) => sendPush(two, toAll)
  endpoints[`POST ${toOne}`] = (two) => sendHere(two, toOne)
}

/** A scheduled campaign, and the step to take with it. */
async function walkCampaign({ shop }: Two, walk: (id: string) => Promise<unknown>): Promise<void> {
  const schedule = { startDate: formatStoreDate(world, 1), timeOfDay: '00:00' }
  const { id } = await createCampaign(world, shop, { schedule })
  await walk(id)
  await runTick(world, shop)
  await runTick(world, shop, 2 * DAY)
}

const campaigns: typeof endpoints = {
  'POST /api/campaigns': async ({ shop }) => {
    for (const type of ['email', 'sms', 'whatsapp']) await createCampaign(world, shop, { type })
    await runTick(world, shop)
  },
  'PUT /api/campaigns/:id': (two) =>
    walkCampaign(two, (id) =>
      callCampaigns(world, two.shop, 'PUT', `/${id}`, buildCampaignInput(world, { name: 'Autumn' })),
    ),
  'PATCH /api/campaigns/:id/play': (two) =>
    walkCampaign(two, async (id) => {
      await callCampaigns(world, two.shop, 'PATCH', `/${id}/pause`)
      await callCampaigns(world, two.shop, 'PATCH', `/${id}/play`)
    }),
  'POST /api/campaigns/:id/send-now': (two) =>
    walkCampaign(two, (id) => callCampaigns(world, two.shop, 'POST', `/${id}/send-now`)),
  'POST /api/campaigns/:id/retry': (two) =>
    walkCampaign(two, async (id) => {
      await callCampaigns(world, two.shop, 'POST', `/${id}/send-now`)
      await runTick(world, two.shop)
      await callCampaigns(world, two.shop, 'POST', `/${id}/retry`)
    }),
  'POST /api/campaigns/send-to-abandoned-carts': async ({ shop }) => {
    await callCampaigns(world, shop, 'POST', '/send-to-abandoned-carts', {
      subject: aText.subject,
      htmlContent: aText.body,
    })
    await runTick(world, shop)
  },
}
Object.assign(endpoints, campaigns)

describe('endpoints that send', () => {
  /** Members who work with carts may send. Their other write endpoints, which send nothing, are listed here. */
  const sendsNothing = [
    'POST /api/suppressions',
    'POST /api/audiences',
    'DELETE /api/audiences/:id',
    'PATCH /api/campaigns/:id/pause',
    'DELETE /api/campaigns/:id',
    'POST /api/campaigns/:id/drop-held',
  ]

  test('are all tried', () => {
    const served = (servedBy.get(world.app) ?? [])
      .filter(({ permission, method }) => permission === 'carts:write' && method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`)
    expect(served.toSorted()).toEqual([...Object.keys(endpoints), ...sendsNothing].toSorted())
  })

  test.each(Object.keys(endpoints))('%s sends nothing', async (key) => {
    const two = await twoShoppers()
    await endpoints[key]!(two)
    await passTime(world, two.shop.storeId, HOUR)
    expect(world.sent.filter(({ to }) => to === two.suppressed.email)).toEqual([])
    expect(world.texts.filter(({ to }) => to === two.suppressed.phone)).toEqual([])
  })

  test('a discount mail goes only to the other matching shopper', async () => {
    const two = await twoShoppers()
    await endpoints['POST /api/email/send-discount-offers']!(two)
    expect(world.sent.map(({ to }) => to)).toEqual([two.there.email])
  })

  test.each(Object.keys(campaigns))('%s sends only to the other shopper', async (key) => {
    const two = await twoShoppers()
    await campaigns[key]!(two)
    expect(world.sent.map(({ to }) => to)).toEqual([two.there.email])
  })

  test('the other shopper got a message, so the list held back the first', async () => {
    const two = await twoShoppers()
    for (const key of ['POST /api/carts/send', 'POST /api/whatsapp/send-bulk']) await endpoints[key]!(two)
    expect(world.sent.map(({ to }) => to)).toContain(two.there.email)
    expect(new Set(world.texts.map(({ to, channel }) => `${channel} ${to}`))).toContain(`sms ${two.there.phone}`)
    expect(new Set(world.texts.map(({ to, channel }) => `${channel} ${to}`))).toContain(`whatsapp ${two.there.phone}`)
  })
})

describe('authorizations of channels', () => {
  /** The message each sends, and the effect of a suppression on it. */
  const walked: Record<keyof typeof authorizations, () => Promise<void>> = {
    async authorizeByDecision() {
      const scene = await createMessageScene(world, 2)
      const [suppressed, there] = scene.orders
      await suppress(scene as never, [suppressed!.email])
      for (let hours = 0; hours < 80; hours += 8) await passTime(world, scene.storeId, 8 * HOUR)
      const to = world.sent.map((mail) => mail.to)
      expect(to).not.toContain(suppressed!.email)
      expect(to).toContain(there!.email)
    },
    async authorizeTest() {
      const two = await twoShoppers()
      await endpoints['POST /api/messages/test-send']!(two)
      const free = { cartId: two.suppressedCart, channel: 'sms', to: '+4915199900011' }
      await postWithWorker(world, two.shop, '/api/messages/test-send', free)
      expect(world.texts.map(({ to }) => to)).toEqual([free.to])
    },
    async authorizeOptInRequest() {
      const shop = await createShop(world, 1, { plan: 'starter' })
      const phones = ['+4915199900021', '+4915199900022']
      await suppress(shop, [phones[0]!])
      await world.db
        .updateTable('stores')
        .set({ selling_countries: ['DE'] })
        .where('id', '=', shop.storeId)
        .execute()
      for (const phone of phones) {
        const hash = world.deps.secrets.addressHash(phone)
        await world.pool.query(
          `insert into consents (store_id, id, address_hash, channel, status, source, at) values ($1, gen_random_uuid(), $2, 'sms', 'pending', 'checkout', $3)`,
          [shop.storeId, hash, world.now],
        )
        await world.pool.query(
          `insert into opt_in_requests (store_id, channel, address_hash, phone, country, state, created_at, due_at)
           values ($1, 'sms', $2, $3, 'DE', 'waiting', $4, $4)`,
          [shop.storeId, hash, phone, world.now],
        )
      }
      await sendOptInRequests(world.deps)
      expect(world.texts.map(({ to }) => to)).toEqual([phones[1]])
    },
    /** The legally required reply to STOP, START, HELP or YES, sent to its author only (C4). */
    async authorizeAnswer() {
      const shop = await createShop(world)
      const account = { accountId: shop.accountId, db: world.db }
      const withdrawal = {
        channel: 'sms' as const,
        from: '+4915199900031',
        at: null,
        isAnsweredAtOnce: false,
        isAnswered: false,
      }
      for (const id of ['a', 'b']) await handleReply(world.deps, account, { ...withdrawal, id, text: 'STOP' } as never)
      await world.runJobs()
      expect(world.texts.map(({ to }) => to)).toEqual(['+4915199900031'])
    },
    /** Invitations and password mails go to users of Recoup, not to shoppers, and are no marketing. */
    async authorizeAccountMail() {
      const shop = await createShop(world)
      await suppress(shop, ['mia@team.example'])
      const invitation = { email: 'mia@team.example', role: 'member' }
      await world.request('POST', '/api/team/invitations', { token: shop.token, body: invitation })
      await world.runJobs()
      expect(world.sent.map(({ to }) => to)).toEqual(['mia@team.example'])
    },
  }

  test('are all tried', () => {
    expect(Object.keys(authorizations).toSorted()).toEqual(Object.keys(walked).toSorted())
  })
  test.each(Object.keys(walked) as (keyof typeof authorizations)[])('%s', (name) => walked[name]())
})

describe('the shopper’s own withdrawal and bounces hold messages that are already due (C2)', () => {
  /** The first mail was sent; the second is due and was not. */
  async function createDueMail() {
    const scene = await createMessageScene(world, 1)
    await passTime(world, scene.storeId, HOUR)
    const mail = world.sent.at(-1)!
    await advanceToAbandoned(world, scene.storeId, DAY)
    world.sent.length = 0
    return { ...scene, mail, email: scene.orders[0]!.email! }
  }

  const report = { source: 'dsn', status: '5.1.1', words: '550 5.1.1 User unknown' }
  const stops: Record<string, (due: Awaited<ReturnType<typeof createDueMail>>) => Promise<unknown>> = {
    'a one-click POST': ({ mail }) =>
      world.request('POST', findLink(mail.html, '/u/'), {
        body: 'List-Unsubscribe=One-Click' as never,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    'the unsubscribe page': ({ mail }) =>
      world.request('POST', `/api/unsubscribe/${findLink(mail.html, '/u/').slice(3)}`),
    'a complaint': ({ mail }) =>
      recordMailReport(world.deps, { ...report, messageId: mail.messageId, kind: 'complaint' }),
    'a hard bounce': ({ mail }) => recordMailReport(world.deps, { ...report, messageId: mail.messageId, kind: 'hard' }),
    'an owner': ({ token, email }) => world.request('POST', '/api/suppressions', { token, body: { address: email } }),
  }

  test.each(Object.keys(stops))('%s', async (name) => {
    const due = await createDueMail()
    await stops[name]!(due)
    await completeOrderCheck(world, due.storeId)
    await sendDueMessages(world, due.storeId)
    expect(world.sent).toEqual([])
    expect((await readMessages(world, due.storeId))[1]).toMatchObject({
      state: 'skipped',
      reason: expect.stringMatching(/^suppressed_/),
    })
  })

  test('without any of them it is sent', async () => {
    const due = await createDueMail()
    await completeOrderCheck(world, due.storeId)
    await sendDueMessages(world, due.storeId)
    expect(world.sent.map(({ to }) => to)).toEqual([due.email])
  })

  test('STOP holds a text that is already due', async () => {
    const shop = await createShop(world, 1, { plan: 'growth' })
    const body = { channel: 'sms', cartIds: shop.cartIds, sendAt: later.sendAt() }
    await postWithWorker(world, shop, '/api/carts/send', body)
    await advanceToAbandoned(world, shop.storeId, 3 * HOUR)
    const account = { accountId: shop.accountId, db: world.db }
    const stop = { channel: 'sms', id: 'stop', from: shop.orders[0]!.phone, text: 'STOP', at: null, isAnswered: true }
    await handleReply(world.deps, account, { ...stop, isAnsweredAtOnce: true } as never)
    await sendDueMessages(world, shop.storeId)
    expect(world.texts).toEqual([])
  })
})

test('a scanner that opens every link of a mail changes nothing (C3)', async () => {
  const scene = await createMessageScene(world, 1)
  await passTime(world, scene.storeId, HOUR)
  const { html, text } = world.sent.at(-1)!
  const links = [...`${html} ${text}`.matchAll(/https?:\/\/[^\s"'<>)]+/g)].map(([link]) =>
    link.replaceAll('&amp;', '&'),
  )
  const own = [...new Set(links)].filter((link) => link.startsWith(world.deps.config.publicUrl))
  expect(own.length).toBeGreaterThan(3)
  const readState = async () => {
    const query = (sql: string) => world.pool.query(sql, [scene.storeId]).then(({ rows }) => rows)
    return {
      suppressions: (await world.pool.query('select * from suppressions where account_id = $1', [scene.accountId]))
        .rows,
      consents: await query('select * from consents where store_id = $1'),
      carts: await query('select status, version, recovered_at from carts where store_id = $1'),
      badges: await query('select * from cart_badges where store_id = $1 order by cart_id'),
      messages: await query('select id, state, reason, due_at from messages where store_id = $1 order by id'),
      human: await query('select * from touchpoints where store_id = $1 and is_human'),
    }
  }
  const before = await readState()
  for (const method of ['HEAD', 'GET']) {
    for (const link of own) {
      const { pathname, search } = new URL(link)
      const headers = { 'user-agent': 'Mozilla/5.0 (compatible; Proofpoint URL Defense)' }
      expect([link, (await world.request(method, pathname + search, { headers })).status]).not.toEqual([link, 500])
    }
  }
  expect(await readState()).toEqual(before)
})
