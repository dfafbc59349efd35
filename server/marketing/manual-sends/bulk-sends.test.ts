import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { buildOrder, completeOrderCheck } from '../../../test/factories.ts'
import { createShop, grantConsent, postWithWorker, type Shop } from '../../../test/manual-send-scene.ts'
import { insertManyCarts } from '../../../test/many-carts.ts'
import { HOUR, MINUTE, passTime } from '../../../test/message-scene.ts'
import { isFullRun } from '../../../test/seed.ts'
import { countStatements } from '../../../test/statements.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { closeAbandonedSends } from '../../delivery/send/abandoned.ts'
import { sendDue } from '../../delivery/send/send-due.ts'
import { beat } from '../../delivery/send/workers.ts'
import type { Outcome } from '../../messages/channels/channel.ts'

// Bulk sends (D9): the rows are the job.

const world = createWorld()
let answer: typeof world.answer
let answerText: typeof world.answerText
beforeEach(() => {
  answer ??= world.answer
  answerText ??= world.answerText
  Object.assign(world, { answer, answerText })
  world.sent.length = 0
  world.texts.length = 0
})

const start = (shop: Shop, body: object, headers = {}) =>
  postWithWorker(world, shop, '/api/carts/send', { channel: 'email', cartIds: shop.cartIds, ...body }, headers)
const read = (shop: Shop, jobId: string, query = '') =>
  world.request('GET', `/api/carts/send/${jobId}${query}`, { token: shop.token }).then((reply) => reply.body)
const work = async (shop: Shop) => {
  await completeOrderCheck(world, shop.storeId)
  await sendDue(world.deps, { storeId: shop.storeId })
}
/** A process of its own, whose mail server accepts many mails at a time. */
const buildProcess = () => {
  const { channels } = world.deps
  return {
    ...world.deps,
    workerId: createId(),
    channels: { ...channels, email: { ...channels.email, poolSize: PLACES } },
  }
}

describe('a bulk send', () => {
  test('reports a result per cart, including ids of carts that the store does not have', async () => {
    const shop = await createShop(world, 3)
    const other = await createShop(world, 1)
    const missing = [createId(), other.cartIds[0]!]
    const { jobId } = (await start(shop, { cartIds: [...shop.cartIds, ...missing] })).body
    await work(shop)
    const job = await read(shop, jobId)
    expect(job).toMatchObject({
      state: 'done',
      total: 5,
      done: 5,
      counts: { sent: 3, failed: 2, waiting: 0, unknown: 0 },
    })
    const failed = job.results.filter((item: { outcome: string }) => item.outcome === 'failed')
    expect(failed.map((item: { cartId: string; explanation: string }) => [item.cartId, item.explanation])).toEqual(
      missing.sort().map((id) => [id, 'Cart not found in this store.']),
    )
    expect(world.sent.map((mail) => mail.to).sort()).toEqual(shop.orders.map((order) => order.email).sort())
    const reply = await world.request('GET', `/api/carts/send/${jobId}`, { token: other.token })
    expect(reply.status).toBe(404)
  })

  test('fails items with a temporary reason, and retries only the failed ones', async () => {
    const shop = await createShop(world, 3)
    const [first, second] = shop.orders
    world.answer = (mail) =>
      mail.to === first!.email
        ? { kind: 'rejected', reason: '552', response: '552 mailbox full', isRecipientFault: false }
        : mail.to === second!.email
          ? { kind: 'unknown', reason: 'timeout', response: 'no answer' }
          : answer(mail)
    const { jobId } = (await start(shop, {})).body
    await work(shop)
    expect((await read(shop, jobId)).counts).toEqual({ waiting: 0, sent: 1, unknown: 1, failed: 1 })
    world.answer = answer
    const again = await Promise.all([
      postWithWorker(world, shop, `/api/carts/send/${jobId}/retry`, {}),
      postWithWorker(world, shop, `/api/carts/send/${jobId}/retry`, {}),
    ])
    expect(again.map((reply) => reply.body.retried).sort()).toEqual([0, 1])
    await work(shop)
    expect((await read(shop, jobId)).counts).toEqual({ waiting: 0, sent: 2, unknown: 1, failed: 0 })
    expect(world.sent.map((mail) => mail.to).filter((to) => to === first!.email)).toHaveLength(2)
    expect(world.sent).toHaveLength(4)
  })

  test('keeps a failed item whose cart turned out to be no cart (D9, S6)', async () => {
    const shop = await createShop(world)
    const orders = [1, 2].map(() => ({ ...buildOrder(world), kind: 'pending' as const, status: 'pending' }))
    await recordOrders(world.deps, shop.storeId, orders, 'webhook')
    const emails = orders.map(({ email }) => email)
    const carts = await world.db.selectFrom('carts').select('id').where('email', 'in', emails).execute()
    const { jobId } = (await start(shop, { cartIds: carts.map(({ id }) => id) })).body
    await work(shop)
    expect((await read(shop, jobId)).counts).toMatchObject({ failed: 2, waiting: 0 })
    // Learned only now: the cart had been an order created by the shop's staff.
    const before = new Date(Date.parse(orders[0]!.modifiedAt) - MINUTE).toISOString()
    await recordOrders(world.deps, shop.storeId, [{ ...orders[0]!, source: 'staff', modifiedAt: before }], 'webhook')
    // No worker picks it up before the check.
    const retry = await world.request('POST', `/api/carts/send/${jobId}/retry`, { token: shop.token, body: {} })
    expect(retry.body.retried).toBe(1)
    expect(await read(shop, jobId)).toMatchObject({ total: 2, counts: { failed: 1, waiting: 1 } })
  })

  test('with a send time does nothing earlier, and fails items whose quiet hours last longer', async () => {
    const shop = await createShop(world, 2)
    const soon = new Date(world.now.getTime() + HOUR).toISOString()
    const night = new Date(`${world.now.toISOString().slice(0, 10)}T21:00:00Z`).toISOString()
    const mails = (await start(shop, { sendAt: soon })).body.jobId
    const texts = (await start(shop, { sendAt: night, channel: 'sms' })).body.jobId
    await passTime(world, shop.storeId, HOUR - MINUTE)
    expect((await read(shop, mails)).counts.waiting).toBe(2)
    await passTime(world, shop.storeId, MINUTE)
    expect((await read(shop, mails)).counts.sent).toBe(2)
    world.now = new Date(night)
    await passTime(world, shop.storeId, 0)
    const job = await read(shop, texts)
    expect(job.counts.failed).toBe(2)
    expect(job.results[0].explanation).toMatch(/quiet hours where the shopper lives/)
  })

  test('overrides the control group person by person', async () => {
    const shop = await createShop(world, 2)
    const reply = await start(shop, { overrideHoldout: true })
    expect([reply.status, reply.body.error]).toEqual([422, expect.stringMatching(/one at a time/)])
  })

  test("answers the specification's WhatsApp call with lists of successful and failed", {
    tags: ['B5', 'B7'],
  }, async () => {
    const shop = await createShop(world, 3, { isConsenting: false })
    await grantConsent(world, shop, shop.orders[0]!)
    await grantConsent(world, shop, shop.orders[1]!)
    world.answerText = (text) =>
      text.to === shop.orders[1]!.phone
        ? { kind: 'rejected', reason: '131026', response: '131026 undeliverable', isRecipientFault: false }
        : answerText(text)
    const { body } = await postWithWorker(world, shop, '/api/whatsapp/send-bulk', { cartIds: shop.cartIds })
    expect(body.results.successful).toMatchObject([{ state: 'sent' }])
    expect(body.results.failed.map((item: { reason: string }) => item.reason).sort()).toEqual([
      'no_consent',
      'rejected:131026',
    ])
    const none = await postWithWorker(world, shop, '/api/whatsapp/send-bulk', { cartIds: [] })
    expect([none.status, none.body.error]).toEqual([400, 'Please select at least one cart to send WhatsApp reminders.'])
  })
})

/** Creates `count` abandoned carts and the request that writes to all of them. */
async function manyToSend(count: number) {
  const shop = await createShop(world, 0, { plan: 'growth' })
  const { storeId, flowId } = shop
  await insertManyCarts(world.db, { storeId, flowId, now: world.now, count, isAllOpen: true })
  const carts = await world.db.selectFrom('carts').select('id').where('store_id', '=', storeId).execute()
  const cartIds = carts.map((cart) => cart.id)
  const ask = (channel = 'email') =>
    world.request('POST', '/api/carts/send', {
      token: shop.token,
      body: { channel, cartIds },
      headers: { 'idempotency-key': `many by ${channel}` },
    })
  return { shop, cartIds, ask }
}

/** The maximum of one request, or fewer outside the proof run. */
const MOST = isFullRun ? 10_000 : 1_000
const PAGE = MOST / 10

test('a bulk send accepts many carts in one quick request, lists results in pages, and ignores a repeat', async () => {
  const { shop, cartIds, ask } = await manyToSend(MOST)
  let jobId = ''
  const statements = await countStatements(world.pool).during(async () => {
    jobId = (await ask()).body.jobId
  })
  // Not one statement per cart.
  expect(statements).toBeLessThan(MOST / 10)
  expect((await ask()).body.jobId).toBe(jobId)
  const job = await read(shop, jobId, `?limit=${PAGE}&page=10`)
  expect(job).toMatchObject({ state: 'running', total: MOST, done: 0, counts: { waiting: MOST } })
  expect(job.results).toHaveLength(PAGE)
  const eligibility = await world.request('POST', '/api/carts/eligibility', {
    token: shop.token,
    body: { channel: 'email', cartIds },
  })
  expect(eligibility.body).toMatchObject({ total: MOST, reasons: [] })
  expect(eligibility.body.eligible).toHaveLength(MOST)
})

test('a bulk send rejects more than 10,000 carts', async () => {
  const { token } = await createShop(world, 0)
  const refused = async (count: number) => {
    // One id is invalid, so that the list is rejected even at an allowed length.
    const cartIds = [...Array.from({ length: count - 1 }, createId), 'no id']
    const { body } = await world.request('POST', '/api/carts/send', { token, body: { channel: 'email', cartIds } })
    return Object.keys(body.fields)
  }
  expect(await refused(10_000)).toEqual(['cartIds.9999'])
  expect(await refused(10_001)).toContain('cartIds')
})

const MANY = isFullRun ? 1_000 : 60
/** How many mails a process has at the mail server at a time. */
const PLACES = isFullRun ? 100 : 20

test(
  'one message each; the same request again and a killed server send nothing twice (D9, D10)',
  async () => {
    const { shop, ask } = await manyToSend(MANY)
    const { storeId } = shop
    const { jobId } = (await ask()).body
    // The process is killed half-way; another one continues from the rows.
    const answered = MANY * 0.3
    let remaining = answered
    world.answer = async (mail) => {
      return remaining-- > 0 ? answer(mail) : end.promise
    }
    await completeOrderCheck(world, storeId)
    const killed = buildProcess()
    const end = Promise.withResolvers<Outcome>()
    const killedEnds = sendDue(killed, { storeId }).catch(() => {})
    // Killed once the first results are written and the allowed number of mails is in flight.
    while (remaining > -PLACES || (await read(shop, jobId)).done < answered) await sleep(50)
    expect(await read(shop, jobId)).toMatchObject({ state: 'running', done: answered })
    world.answer = answer
    world.advance(MINUTE)
    await beat(world.deps)
    await closeAbandonedSends(world.deps)
    await world.db.updateTable('send_schedule').set({ lease_until: null }).where('store_id', '=', storeId).execute()
    await completeOrderCheck(world, storeId)
    await sendDue({ ...buildProcess(), workerId: world.deps.workerId }, { storeId })
    expect((await ask()).body.jobId).toBe(jobId)
    await work(shop)
    const job = await read(shop, jobId, '?outcome=unknown')
    expect(job).toMatchObject({ state: 'done', total: MANY, done: MANY })
    // Mails in flight at the time of the kill (D10).
    const { unknown } = job.counts
    expect(unknown).toBe(PLACES)
    expect(job.results).toHaveLength(unknown)
    expect(job.counts).toEqual({ waiting: 0, failed: 0, unknown, sent: MANY - unknown })
    expect(new Set(world.sent.map((mail) => mail.messageId)).size).toBe(MANY)
    expect(world.sent).toHaveLength(MANY)
    end.reject(new Error('The process is over.'))
    await killedEnds
  },
  Math.max(120_000, MANY * 120),
)
