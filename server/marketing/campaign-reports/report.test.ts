import { beforeEach, describe, expect, test } from 'vitest'
import type { CampaignReport } from '../../../shared/marketing/campaign-report.ts'
import {
  callCampaigns,
  campaignContent,
  createCampaign,
  formatStoreDate,
  runTick,
} from '../../../test/campaign-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { DAY, findLink, MINUTE, markPurchased } from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createToken } from '../../carts/links/message-tokens.ts'
import { createId } from '../../core/common/ids.ts'
import { createRestoreToken } from '../../delivery/compose/compose.ts'
import { recordMailReport } from '../../delivery/mail-reports/mail-reports.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'

// The report of a campaign: its figures match the message rows after late events, too.

const world = createWorld()
let shop: Shop
let id: string

beforeEach(() => {
  world.sent.length = 0
  world.answer = acceptMail
})

/** Sends a campaign to `count` people. */
async function createRun(count: number, bodyOf: (url: string) => object = () => ({})) {
  shop = await createShop(world, count)
  const { url } = await world.db
    .selectFrom('stores')
    .select('url')
    .where('id', '=', shop.storeId)
    .executeTakeFirstOrThrow()
  id = (await createCampaign(world, shop, bodyOf(url))).id
  await runTick(world, shop)
  world.advance(10 * MINUTE)
}

const report = async (): Promise<CampaignReport> =>
  (await callCampaigns(world, shop, 'GET', `/${id}/report`)).body.report
const mailTo = (index: number) => world.sent.findLast(({ to }) => to === shop.orders[index]!.email)!
const visit = (url: string, userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0') =>
  world.app.inject({ method: 'GET', url, headers: { 'user-agent': userAgent }, remoteAddress: '198.51.100.7' })
const clickBy = (index: number) => visit(findLink(mailTo(index).html!, '/c/'))
const openBy = (index: number, agent?: string) =>
  visit(`/o/${createToken(world.deps.secrets, 'open', mailTo(index).messageId)}`, agent)
const comeBack = (index: number, kind: 'hard' | 'refused' | 'complaint' | 'delivered') =>
  recordMailReport(world.deps, {
    messageId: mailTo(index).messageId,
    kind,
    source: 'dsn',
    status: null,
    words: 'said',
  })
const order = async (index: number, more: Partial<PlatformOrder> = {}) => {
  world.advance(1_000)
  await recordOrders(world.deps, shop.storeId, [{ ...markPurchased(world, shop.orders[index]!), ...more }], 'webhook')
}

/** Computes the same figures from the rows one by one. */
async function recount(): Promise<Partial<CampaignReport>> {
  const { db } = world
  const of = { messages: await db.selectFrom('messages').selectAll().where('origin_id', '=', id).execute() }
  const ids = of.messages.map((each) => each.id)
  const orders = (await db.selectFrom('orders').selectAll().execute()).filter((each) => ids.includes(each.message_id!))
  const touches = await db.selectFrom('touchpoints').selectAll().where('message_id', 'in', ids).execute()
  const visits = await db.selectFrom('engagement_events').selectAll().where('message_id', 'in', ids).execute()
  const { rows: reports } = await world.pool.query('select * from mail_reports where message_id = any($1)', [ids])
  const inState = (...states: string[]) => of.messages.filter(({ state }) => states.includes(state)).length
  const people = (messageIds: string[]) =>
    new Set(of.messages.filter((each) => messageIds.includes(each.id)).map(({ shopper_id }) => shopper_id)).size
  const cents = orders.reduce((sum, { net_minor }) => sum + net_minor, 0)
  return {
    counts: {
      planned: ids.length,
      waiting: inState('scheduled', 'claimed'),
      held: inState('held'),
      inFlight: inState('sending'),
      sent: inState('sent', 'delivered'),
      skipped: inState('skipped'),
      failed: inState('failed'),
      unknown: inState('unknown'),
      cancelled: inState('cancelled'),
    },
    delivered: inState('delivered'),
    clicked: people(touches.filter((each) => each.is_human).map((each) => each.message_id)),
    opened: people(
      visits.filter((each) => each.kind === 'open' && each.class === 'human').map((each) => each.message_id),
    ),
    orders: orders.length,
    revenue: orders.length === 0 ? [] : [{ amount: cents / 100, currency: 'USD' }],
    bounced: of.messages.filter(({ state, reason }) => state === 'failed' && reason!.startsWith('bounced')).length,
    complained: people(reports.filter(({ kind }) => kind === 'complaint').map((each) => each.message_id)),
  }
}

describe('the report', () => {
  test('matches the message rows before and after late bounces, complaints and refunds', async () => {
    await createRun(6)
    expect(await report()).toMatchObject({ ...(await recount()), orders: 0, revenue: [], clicked: 0 })
    await Promise.all([clickBy(0), clickBy(1), openBy(2), openBy(3, 'Mozilla/5.0')])
    await world.request('POST', `/api/carts/${createRestoreToken(world.deps.secrets, mailTo(4).messageId)}/restore`)
    await order(0)
    await order(1)
    // An order that is not attributed to the campaign.
    await order(5)
    expect(await report()).toMatchObject({
      ...(await recount()),
      opened: 1,
      openedByMachines: 1,
      clicked: 3,
      orders: 2,
      revenue: [{ amount: 84, currency: 'USD' }],
      counts: { planned: 6, sent: 6 },
    })
    await order(1, { refundedMinor: 1_200, modifiedAt: new Date(world.now.getTime() + 5_000).toISOString() })
    world.advance(2 * DAY)
    await comeBack(2, 'hard')
    await comeBack(3, 'complaint')
    await comeBack(4, 'delivered')
    const after = await report()
    expect(after).toMatchObject({
      ...(await recount()),
      bounced: 1,
      complained: 1,
      delivered: 2,
      orders: 2,
      revenue: [{ amount: 72, currency: 'USD' }],
      counts: { planned: 6, sent: 5, failed: 1 },
    })
    expect(after.runs).toEqual([
      {
        run: 1,
        startedAt: expect.any(String),
        plannedAt: expect.any(String),
        counts: after.counts,
        orders: 2,
        revenue: [{ amount: 72, currency: 'USD' }],
      },
    ])
  })

  test('counts each shopper who unsubscribed by its link once, and not those who resubscribed', async () => {
    await createRun(3)
    const unsubscribe = async (index: number) => {
      const url = findLink(mailTo(index).html!, '/u/')
      expect((await world.request('POST', url)).status).toBe(200)
      return url.slice(3)
    }
    await unsubscribe(0)
    await unsubscribe(0)
    const token = await unsubscribe(1)
    expect((await report()).unsubscribed).toBe(2)
    expect((await world.request('DELETE', `/api/unsubscribe/${token}`)).status).toBe(200)
    expect((await report()).unsubscribed).toBe(1)
  })

  test('lists the clicked links without their query parameters', async () => {
    let shelf = ''
    await createRun(2, (url) => {
      shelf = `${url}/teapots/`
      return {
        content: { ...campaignContent, body: `${campaignContent.body} <a href="${shelf}?for=ada#top">Teapots</a>` },
      }
    })
    const urls = [...mailTo(0).html!.matchAll(/\/c\/[\w-]{43}(?:\?to=[\w-]+)?/g)].map(([url]) => url)
    for (const url of new Set(urls)) {
      world.advance(5 * MINUTE)
      await visit(url)
    }
    await clickBy(1)
    const { links } = await report()
    expect(links.find(({ target }) => target.endsWith('/cart/recover'))).toMatchObject({ people: 2 })
    expect(links.find(({ target }) => target === shelf)).toEqual({ target: shelf, clicks: 1, people: 1 })
    expect(links).toHaveLength(2)
  })

  test('separates the runs of a recurring campaign and survives its deletion', async () => {
    await createRun(1, () => ({
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', frequency: 'daily' },
    }))
    await runTick(world, shop, DAY)
    const { runs, counts } = await report()
    expect(runs.map(({ run, counts }) => [run, counts.planned])).toEqual([
      [2, 0],
      [1, 1],
    ])
    expect(counts.planned).toBe(1)
    await callCampaigns(world, shop, 'DELETE', `/${id}`)
    expect((await callCampaigns(world, shop, 'GET', `/${id}`)).status).toBe(404)
    expect((await report()).counts).toEqual(counts)
  })

  test('returns 404 for an unknown campaign', async () => {
    await createRun(1)
    for (const path of ['report', 'recipients', 'export']) {
      expect((await callCampaigns(world, shop, 'GET', `/${createId()}/${path}`)).status).toBe(404)
    }
  })
})
