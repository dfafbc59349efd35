import { beforeEach, describe, expect, test } from 'vitest'
import { explain } from '../../../shared/delivery/reasons.ts'
import type { CampaignRecipient, CampaignReport, RecipientState } from '../../../shared/marketing/campaign-report.ts'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { ERASE_WORD } from '../../../shared/workspace/privacy.ts'
import {
  callCampaigns,
  createCampaign,
  listCampaignStates,
  readCampaign,
  readCampaignMessages,
  runTick,
} from '../../../test/campaign-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { insertManyRecipients } from '../../../test/many-recipients.ts'
import { MINUTE, markPurchased } from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { recordMailReport } from '../../delivery/mail-reports/mail-reports.ts'
import { readFigures } from './sql.ts'

// Recipients of a campaign: the list, the CSV file, and the retry of failed messages.

const world = createWorld()
let shop: Shop
let id: string

beforeEach(() => {
  world.sent.length = 0
  world.answer = acceptMail
})

async function createRun(count: number, plan: 'free' | 'starter' = 'starter') {
  shop = await createShop(world, count, { plan })
  id = (await createCampaign(world, shop)).id
  await runTick(world, shop)
}

const rejected = (reason: string, response: string) =>
  ({ kind: 'rejected', reason, response, isRecipientFault: false }) as const
const refuses = () => {
  world.answer = () => rejected('smtp_550', '550 5.7.1 no such mail')
}
const list = async (query = '') => (await callCampaigns(world, shop, 'GET', `/${id}/recipients?${query}`)).body
const states = async (query: string) =>
  ((await list(query)).recipients as CampaignRecipient[]).map(({ run, state }) => `${run} ${state}`)
const retry = () => callCampaigns(world, shop, 'POST', `/${id}/retry`)
const retryable = async () => (await callCampaigns(world, shop, 'GET', `/${id}/report`)).body.report.retryable

test('the list lists each recipient with state, reason and explanation', async () => {
  await createRun(2)
  const { recipients, pagination } = await list()
  expect(pagination).toEqual({ page: 1, limit: 50, total: 2, pages: 1 })
  const { body } = await world.request('GET', `/api/carts/${shop.cartIds[0]}`, { token: shop.token })
  expect(recipients.find(({ cartId }: CampaignRecipient) => cartId === shop.cartIds[0])).toMatchObject({
    customer: body.cart.customer_name,
    to: shop.orders[0]!.email,
    run: 1,
    state: 'sent',
    reason: null,
    explanation: 'The message was sent.',
    sentAt: expect.any(String),
  })
  await recordMailReport(world.deps, {
    messageId: recipients[0].messageId,
    kind: 'hard',
    source: 'dsn',
    status: null,
    words: 'gone',
  })
  const [failed] = (await list('state=failed')).recipients
  expect(failed).toMatchObject({
    messageId: recipients[0].messageId,
    state: 'failed',
    reason: 'bounced',
    explanation: expect.stringContaining('The message bounced'),
  })
})

test('the list pages through recipients from both ends without gaps or duplicates, with and without filters', async () => {
  await createRun(1)
  const counts = { sent: 80, delivered: 41, failed: 60, skipped: 25 }
  for (const [state, count] of Object.entries(counts)) await insertManyRecipients(world, shop, id, { count, state })
  const all = async (filter: string) => {
    const { pagination } = await list(filter)
    const found: CampaignRecipient[] = []
    for (let page = 1; page <= pagination.pages; page++) {
      found.push(...(await list(`${filter}&page=${page}`)).recipients)
    }
    expect(found).toHaveLength(pagination.total)
    expect(new Set(found.map(({ messageId }) => messageId)).size).toBe(pagination.total)
    return found
  }
  expect(await all('')).toHaveLength(207)
  const expected: [RecipientState, number][] = [
    ['sent', 122],
    ['failed', 60],
    ['skipped', 25],
    ['held', 0],
  ]
  for (const [state, count] of expected) {
    const found = await all(`state=${state}`)
    expect([state, found.length, found.every((each) => each.state === state)]).toEqual([state, count, true])
  }
  expect(await all('state=sent&run=1')).toHaveLength(122)
  expect(await all('run=2')).toHaveLength(0)
})

test('the file has the same recipients in pages, without the name or address of an erased person', async () => {
  await createRun(2)
  await insertManyRecipients(world, shop, id, { count: 1_050, state: 'failed' })
  const file = async (query = '') => {
    const { body } = await callCampaigns(world, shop, 'GET', `/${id}/export?${query}`)
    const reply = await world.app.inject({ url: body.url })
    expect(reply.headers['content-disposition']).toContain('campaign-2')
    return reply.body.trim().split('\r\n')
  }
  const lines = await file()
  expect(lines).toHaveLength(1_053)
  expect(lines[0]).toContain('Customer,To,Run,State,Reason,Why,Due,Sent')
  expect(await file('state=failed')).toHaveLength(1_051)
  // An id that PostgreSQL cannot parse is a bad request, not a server error.
  expect((await callCampaigns(world, shop, 'GET', `/${id}/export?run=99999999999`)).status).toBe(400)
  const [email] = shop.orders.map((order) => order.email!)
  expect((await file('state=sent')).filter((line) => line.includes(email!))).toHaveLength(1)
  expect(
    (await world.request('DELETE', `/api/privacy/${email}`, { token: shop.token, body: { confirmation: ERASE_WORD } }))
      .status,
  ).toBe(202)
  await world.runJobs()
  const after = await file('state=sent')
  expect([after.length, after.filter((line) => line.includes(email!))]).toEqual([3, []])
})

test('a retry sends failed messages once, in a new run, when two requests arrive', async () => {
  refuses()
  await createRun(3)
  expect(await listCampaignStates(world, id)).toEqual(Array(3).fill('1 failed(rejected:smtp_550)'))
  expect((await readCampaign(world, shop, id)).status).toBe('completed')
  expect(await retryable()).toBe(3)
  // The count stops at the number that one request retries.
  expect((await readFigures({ storeId: shop.storeId, db: world.db }, id, 2)).retryable).toBe(2)
  world.answer = acceptMail
  // Such rejections pause the receiving domain for a while; here they must not.
  await world.pool.query('delete from domain_throttles')
  const replies = await Promise.all([retry(), retry()])
  expect(replies.map(({ body }) => body.retried).sort()).toEqual([0, 3])
  expect((await readCampaign(world, shop, id)).status).toBe('active')
  await runTick(world, shop, MINUTE)
  expect(await listCampaignStates(world, id)).toEqual([
    ...Array(3).fill('1 failed(rejected:smtp_550)'),
    ...Array(3).fill('2 sent'),
  ])
  expect((await readCampaign(world, shop, id)).status).toBe('completed')
  expect(await states('run=2')).toEqual(Array(3).fill('2 sent'))
  expect(await states('state=failed')).toEqual(Array(3).fill('1 failed'))
  expect([await retryable(), (await retry()).body.retried]).toEqual([0, 0])
  expect(await readCampaignMessages(world, id)).toHaveLength(6)
})

test('a retry does not retry unknown results, bounces, rejected addresses and purchased carts', async () => {
  const fates = [
    () => ({ kind: 'unknown' as const, reason: 'unknown', response: 'timeout' }),
    () => rejected('smtp_550', '550 5.1.1 no such user'),
    () => rejected('smtp_554', '554 5.7.1 no'),
    acceptMail,
  ]
  shop = await createShop(world, 4)
  const indexOf = new Map(shop.orders.map(({ email }, index) => [email, index]))
  world.answer = (mail) => fates[indexOf.get(mail.to)!]!(mail)
  id = (await createCampaign(world, shop)).id
  await runTick(world, shop)
  const bounced = world.sent.find(({ to }) => to === shop.orders[3]!.email)!
  await recordMailReport(world.deps, {
    messageId: bounced.messageId,
    kind: 'hard',
    source: 'dsn',
    status: null,
    words: 'gone',
  })
  expect(await retryable()).toBe(1)
  world.advance(1_000)
  await recordOrders(world.deps, shop.storeId, [markPurchased(world, shop.orders[2]!)], 'webhook')
  expect([await retryable(), (await retry()).body.retried]).toEqual([0, 0])
  expect(await readCampaignMessages(world, id)).toHaveLength(4)
})

test('the API rejects a retry on a cancelled campaign with an explanation', async () => {
  refuses()
  await createRun(1)
  await world.db.updateTable('campaigns').set({ status: 'cancelled' }).where('id', '=', id).execute()
  const reply = await retry()
  expect([reply.status, reply.body.error]).toEqual([409, campaignTexts.badStep])
})

describe('held messages', () => {
  /** Two of three have had a message recently, and the store's frequency cap is one a day. */
  async function createHeldRun() {
    shop = await createShop(world, 3)
    await world.db.updateTable('stores').set({ cap_messages: 1 }).where('id', '=', shop.storeId).execute()
    const emails = shop.orders.slice(0, 2).map(({ email }) => email)
    await createCampaign(world, shop, { targetAudience: { mode: 'selected', customerEmails: emails } })
    await runTick(world, shop)
    id = (await createCampaign(world, shop)).id
    await runTick(world, shop)
  }
  const report = async () => (await callCampaigns(world, shop, 'GET', `/${id}/report`)).body.report as CampaignReport
  const drop = () => callCampaigns(world, shop, 'POST', `/${id}/drop-held`)

  test('are counted with the first send time, the reason and the end of the hold', async () => {
    await createHeldRun()
    const { held, counts } = await report()
    expect(counts).toMatchObject({ planned: 3, sent: 1, held: 2 })
    expect(held).toMatchObject({ count: 2, explanation: explain('frequency_cap', 'email') })
    const { recipients } = await list('state=held')
    const untils = recipients.map(({ heldUntil }: CampaignRecipient) => heldUntil).sort()
    expect(untils[0]).toBe(held!.firstUntil)
    expect(new Date(untils[0]).getTime()).toBeGreaterThan(world.now.getTime())
    expect((await list('state=sent')).recipients[0].heldUntil).toBe(null)
  })

  test('are cancelled with a reason while other messages stay unchanged', async () => {
    await createHeldRun()
    const other = await createCampaign(world, shop, { name: 'Another' })
    await runTick(world, shop)
    const before = await listCampaignStates(world, other.id)
    const { body } = await drop()
    expect(body).toEqual({ success: true, dropped: 2 })
    expect(await listCampaignStates(world, id)).toEqual([
      '1 cancelled(campaign_dropped)',
      '1 cancelled(campaign_dropped)',
      '1 sent',
    ])
    expect(await listCampaignStates(world, other.id)).toEqual(before)
    expect(before.filter((state) => state.includes('held'))).toHaveLength(3)
    expect([(await report()).held, (await drop()).body.dropped]).toEqual([null, 0])
    await runTick(world, shop, MINUTE)
    expect((await readCampaign(world, shop, id)).status).toBe('completed')
  })
})
