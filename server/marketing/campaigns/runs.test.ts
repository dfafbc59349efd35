import { beforeEach, describe, expect, test } from 'vitest'
import { getMessageName, type MessageView } from '../../../shared/carts/carts.ts'
import {
  buildCampaignInput,
  callCampaigns,
  contentWithoutCart,
  createCampaign,
  formatStoreDate,
  listCampaignStates,
  readCampaign,
  readCampaignMessages,
  runTick,
} from '../../../test/campaign-scene.ts'
import { createCouponShop } from '../../../test/discount-scene.ts'
import { buildOrder } from '../../../test/factories.ts'
import { waitForBlockedConnections } from '../../../test/locks.ts'
import { createShop, grantConsent, type Shop } from '../../../test/manual-send-scene.ts'
import { DAY, HOUR, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { lockCampaign } from './campaigns-sql.ts'
import { planRunsJob } from './jobs.ts'
import { followCampaign, followZones, planRuns, runCampaigns, startRun } from './runs.ts'

// Runs: when they begin, whom they reach, and what happens after a crash in the middle of one.

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
})

const zoned = (shop: Shop, zone: string) =>
  world.db.updateTable('stores').set({ time_zone: zone }).where('id', '=', shop.storeId).execute()
const readRuns = (id: string) =>
  world.db.selectFrom('campaign_runs').selectAll().where('campaign_id', '=', id).orderBy('run').execute()

/** Clones an abandoned cart `count` times. */
async function copies(shop: Shop, count: number): Promise<void> {
  const [store, first] = [shop.storeId, shop.cartIds[0]!]
  const columns = `status, version, started_at, last_activity_at, abandon_at, abandoned_at, lost_at, opening_fact_id, last_fact_at, last_fact_id, customer_name, items, item_count, value_minor, currency, search, fold, created_at`
  await world.pool.query(
    `with n as (select gen_random_uuid() as shopper, gen_random_uuid() as cart, i from generate_series(1, $3) i),
    s as (insert into shoppers (store_id, id, email, created_at, first_seen_at) select $1, shopper, 'many' || i || '@shoppers.example', now(), now() from n)
    insert into carts (store_id, id, shopper_id, email, ${columns})
    select $1, n.cart, n.shopper, 'many' || n.i || '@shoppers.example', ${columns} from carts c, n where c.store_id = $1 and c.id = $2`,
    [store, first, count],
  )
}

/** Stands for the thousand of production. */
const PAGE = 10

describe('a run', () => {
  test.each([
    ['Europe/Berlin', '2027-03-27', '02:30', ['2027-03-27T01:30', '2027-03-28T01:00', '2027-03-29T00:30']],
    ['Europe/Berlin', '2027-10-30', '02:30', ['2027-10-30T00:30', '2027-10-31T00:30', '2027-11-01T01:30']],
    ['America/New_York', '2027-11-06', '01:30', ['2027-11-06T05:30', '2027-11-07T05:30', '2027-11-08T06:30']],
    ['Australia/Lord_Howe', '2027-10-02', '02:10', ['2027-10-01T15:40', '2027-10-02T15:30', '2027-10-03T15:10']],
  ])('in %s from %s at %s keeps its wall-clock time, once a day, across clock changes (T3)', async (zone, startDate, timeOfDay, times) => {
    world.now = new Date(Date.parse(`${startDate}T00:00:00Z`) - 5 * DAY)
    const shop = await createShop(world)
    await zoned(shop, zone)
    const { id } = await createCampaign(world, shop, { schedule: { startDate, timeOfDay, frequency: 'daily' } })
    for (const [index, time] of times.entries()) {
      const at = new Date(`${time}:00Z`)
      world.now = new Date(at.getTime() - 1_000)
      await runCampaigns(world.deps)
      expect(await readRuns(id)).toHaveLength(index)
      world.now = at
      await Promise.all([runCampaigns(world.deps), runCampaigns(world.deps), runCampaigns(world.deps)])
      const runs = await readRuns(id)
      expect(runs.map((run) => run.at.toISOString())).toEqual(
        times.slice(0, index + 1).map((each) => `${each}:00.000Z`),
      )
    }
    // A clock set back starts nothing again (T4).
    world.advance(-3 * DAY)
    await runCampaigns(world.deps)
    expect(await readRuns(id)).toHaveLength(3)
  })

  test("follows a change of the store's time zone, earlier or later (T3)", async () => {
    const shop = await createShop(world)
    const schedule = { startDate: formatStoreDate(world, 3), timeOfDay: '10:00' }
    const once = await createCampaign(world, shop, { schedule })
    const daily = await createCampaign(world, shop, { schedule: { ...schedule, frequency: 'daily' } })
    const readNext = async (id: string) => (await readCampaign(world, shop, id)).nextRunAt
    const first = Date.parse((await readNext(once.id))!)
    const inBerlin = new Date(`${schedule.startDate}T08:00:00Z`)
    await zoned(shop, 'Europe/Berlin')
    await followZones(world.deps)
    expect([await readNext(once.id), await readNext(daily.id)]).toEqual(Array(2).fill(inBerlin.toISOString()))
    // A change to the west in the last second: no run starts by the old time zone.
    await zoned(shop, 'America/New_York')
    await runTick(world, shop, inBerlin.getTime() - world.now.getTime())
    expect([await readRuns(once.id), await readNext(once.id)]).toEqual([[], new Date(first).toISOString()])
    await runTick(world, shop, first - world.now.getTime())
    expect([(await readRuns(once.id)).length, await readNext(once.id)]).toEqual([1, null])
    // A run that has begun continues in the new time zone; one that is played at this moment keeps its time.
    await zoned(shop, 'Europe/Berlin')
    await followZones(world.deps)
    expect(await readNext(daily.id)).toBe(new Date(inBerlin.getTime() + DAY).toISOString())
    await callCampaigns(world, shop, 'PATCH', `/${once.id}/play`)
    await followZones(world.deps)
    await runCampaigns(world.deps)
    expect(await readRuns(once.id)).toHaveLength(2)
  })

  test('missed together with others is merged into one that is not too late', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world, 1), timeOfDay: '10:00', frequency: 'daily' },
    })
    await runTick(world, shop, 10 * DAY)
    const runs = await readRuns(id)
    expect(runs).toHaveLength(1)
    expect(world.now.getTime() - runs[0]!.at.getTime()).toBeLessThan(DAY)
    expect(world.sent).toHaveLength(1)
  })

  test("appears on the cart's timeline with the campaign's name, sent or not", async () => {
    const shop = await createShop(world)
    await createCampaign(world, shop, {
      name: 'Autumn sale',
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00' },
    })
    await runTick(world, shop)
    await createCampaign(world, shop, {
      name: 'Autumn again',
      schedule: { startDate: formatStoreDate(world, 1), timeOfDay: '10:00' },
    })
    await runTick(world, shop, 5 * DAY)
    const path = `/api/carts/${shop.cartIds[0]}/messages`
    const { messages, timeline } = (await world.request('GET', path, { token: shop.token })).body
    const named = messages.map((message: MessageView) => [getMessageName(message), message.state])
    expect(named).toEqual([
      ['Autumn sale', 'sent'],
      ['Autumn again', 'skipped'],
    ])
    const titles = timeline.map(({ title }: { title: string }) => title)
    expect(titles).toContain('Autumn sale: sent')
    expect(titles).toContain('Autumn again: not sent')
  })

  test('from long ago sends nothing stale after three days of downtime (D7)', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world, 1), timeOfDay: '10:00' },
    })
    await runTick(world, shop, 5 * DAY)
    expect(await listCampaignStates(world, id)).toEqual(['1 skipped(too_old)'])
    expect((await readCampaign(world, shop, id)).status).toBe('completed')
  })

  test('that recurs skips shoppers who had the campaign for the same cart, and stays active', async () => {
    const shop = await createShop(world, 2)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', frequency: 'daily' },
    })
    await runTick(world, shop)
    expect(await listCampaignStates(world, id)).toEqual(['1 sent', '1 sent'])
    const late = buildOrder(world, { country: 'DE' })
    await recordOrders(world.deps, shop.storeId, [late], 'sync')
    await grantConsent(world, shop, { ...late, phone: '+493012341' })
    await passTime(world, shop.storeId, 30 * HOUR)
    await runTick(world, shop)
    expect(await listCampaignStates(world, id)).toEqual(['1 sent', '1 sent', '2 sent'])
    expect(await readCampaign(world, shop, id)).toMatchObject({ status: 'active', counts: { planned: 3, sent: 3 } })
    // A new cart of the same person counts separately.
    await recordOrders(
      world.deps,
      shop.storeId,
      [
        {
          ...late,
          kind: 'purchase',
          status: 'processing',
          paidAt: world.now.toISOString(),
          modifiedAt: world.now.toISOString(),
        },
      ],
      'sync',
    )
    world.advance(HOUR)
    await recordOrders(world.deps, shop.storeId, [buildOrder(world, { email: late.email, country: 'DE' })], 'sync')
    await passTime(world, shop.storeId, 48 * HOUR)
    await runTick(world, shop)
    expect((await listCampaignStates(world, id)).at(-1)).toMatch(/^[34] sent$/)
  })

  test('of chosen customers reaches each once, including those without a cart', {
    tags: ['B3'],
  }, async () => {
    const shop = await createCouponShop(world, { carts: 1, buyers: 2 })
    const emails = [...shop.orders, ...shop.buyerOrders].map(({ email }) => email!)
    const { id } = await createCampaign(world, shop, {
      content: contentWithoutCart,
      targetAudience: { type: 'specific_customers', customerEmails: emails },
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    await runTick(world, shop)
    const rows = await readCampaignMessages(world, id)
    expect(rows.map(({ cart_id }) => cart_id).filter(Boolean)).toEqual(shop.cartIds)
    expect(rows.filter(({ cart_id }) => cart_id === null).map(({ purchases_since }) => purchases_since)).toEqual([
      null,
      null,
    ])
    expect(world.sent.map(({ to }) => to).sort()).toEqual(emails.sort())
    await callCampaigns(world, shop, 'PATCH', `/${id}/play`)
    await runTick(world, shop)
    expect(await readCampaignMessages(world, id)).toHaveLength(3)
    expect((await readCampaign(world, shop, id)).status).toBe('completed')
  })

  test('of a campaign created after its time of day is dated now', async () => {
    const shop = await createShop(world, 1)
    const schedule = { startDate: formatStoreDate(world), timeOfDay: '00:00', frequency: 'daily' }
    const { id, createdAt } = await createCampaign(world, shop, { schedule })
    await runTick(world, shop)
    const [row] = await readCampaignMessages(world, id)
    expect(row!.due_at.toISOString()).toBe(createdAt)
    const later = { startDate: formatStoreDate(world, 3), timeOfDay: '00:00' }
    const moved = await createCampaign(world, shop, { schedule: later })
    world.advance(HOUR)
    await callCampaigns(world, shop, 'PUT', `/${moved.id}`, buildCampaignInput(world, { schedule }))
    expect((await readCampaign(world, shop, moved.id)).nextRunAt).toBe(world.now.toISOString())
  })

  test('has messages due at the later of the run and the delay, spread evenly over the spread hours', async () => {
    const shop = await createShop(world, 1)
    await copies(shop, 600)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', spreadHours: 10 },
    })
    await runCampaigns(world.deps)
    await planRuns(world.deps, { storeId: shop.storeId, campaignId: id })
    const [run] = await readRuns(id)
    const hours = (await readCampaignMessages(world, id)).map(
      ({ due_at }) => (due_at.getTime() - run!.at.getTime()) / HOUR,
    )
    expect(hours).toHaveLength(601)
    expect(Math.min(...hours)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...hours)).toBeLessThan(10)
    for (let hour = 0; hour < 10; hour++) {
      const inIt = hours.filter((each) => Math.floor(each) === hour).length
      expect(inIt).toBeGreaterThan(30)
      expect(inIt).toBeLessThan(100)
    }
    // An edit moves the open messages.
    await callCampaigns(world, shop, 'PUT', `/${id}`, {
      name: 'X',
      targetAudience: { mode: 'matching' },
      content: { subject: 'a', body: 'b' },
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00' },
    })
    await world.runJobs()
    const rows = await readCampaignMessages(world, id)
    expect(new Set(rows.map(({ due_at }) => due_at.getTime()))).toEqual(new Set([run!.at.getTime()]))
  })

  test('updates every open message of every run in pages after an edit, and no other message', async () => {
    const shop = await createShop(world)
    await copies(shop, 6)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    await runTick(world, shop)
    const [claimed, ...open] = (await readCampaignMessages(world, id)).map((row) => row.id)
    await world.db.updateTable('messages').set({ state: 'skipped' }).where('id', '=', claimed!).execute()
    await callCampaigns(world, shop, 'POST', `/${id}/send-now`)
    await copies(shop, 3)
    await world.runJobs()
    const before = await readCampaignMessages(world, id)
    await world.db.updateTable('campaigns').set({ delay_hours: 120 }).where('id', '=', id).execute()
    await followCampaign(world.deps, { storeId: shop.storeId, campaignId: id }, 2)
    const after = await readCampaignMessages(world, id)
    expect([open.length, before.length, new Set(after.map(({ step }) => step))]).toEqual([6, 10, new Set([1, 2])])
    for (const [index, row] of after.entries()) {
      const sooner = row.id === claimed ? 0 : 48 * HOUR
      const moved = (name: 'due_at' | 'expires_at') => before[index]![name].getTime() - row[name].getTime()
      expect([row.id, moved('due_at'), moved('expires_at')]).toEqual([before[index]!.id, sooner, sooner])
      expect(row.wake_at.getTime() - row.due_at.getTime()).toBe(0)
    }
  })

  test('of a disconnected store plans no further page and continues after reconnection', async () => {
    const shop = await createShop(world, 1)
    await copies(shop, 9)
    const { id } = await createCampaign(world, shop)
    await runCampaigns(world.deps)
    const plan = () => planRuns(world.deps, { storeId: shop.storeId, campaignId: id }, 3)
    const stores = world.db.updateTable('stores').where('id', '=', shop.storeId)
    // A concurrent disconnect does not block planning.
    await transact({ storeId: shop.storeId, db: world.db }, async ({ db }) => {
      await db.updateTable('stores').set({ is_active: false }).where('id', '=', shop.storeId).execute()
      await plan()
    })
    await plan()
    await runCampaigns(world.deps)
    await world.runJobs()
    expect([await readCampaignMessages(world, id), (await readRuns(id))[0]!.planned_at]).toEqual([[], null])
    await stores.set({ is_active: true }).execute()
    await runCampaigns(world.deps)
    await world.runJobs()
    expect(await readCampaignMessages(world, id)).toHaveLength(10)
  })

  test('is planned in pages and resumes after a crash without duplicates', async () => {
    const shop = await createShop(world, 1)
    await copies(shop, 24)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    await runCampaigns(world.deps)
    world.queued.length = 0
    const job = { storeId: shop.storeId, campaignId: id }
    let pages = 0
    const dying = {
      ...world.deps,
      now: () => {
        // Each page reads the clock first.
        if (pages++ === 2) throw new Error('killed')
        return world.now
      },
    }
    await expect(planRuns(dying, job, PAGE)).rejects.toThrow('killed')
    expect(await readCampaignMessages(world, id)).toHaveLength(2 * PAGE)
    const [run] = await readRuns(id)
    expect([run!.planned_at, run!.cursor_id]).toEqual([null, expect.any(String)])
    expect((await readCampaign(world, shop, id)).status).toBe('active')
    await runCampaigns(world.deps)
    expect(world.queued.map(({ name }) => name)).toContain(planRunsJob.name)
    // Several processes resume it.
    await Promise.all(Array.from({ length: 3 }, () => planRuns(world.deps, job, PAGE)))
    const rows = await readCampaignMessages(world, id)
    expect([rows.length, new Set(rows.map(({ shopper_id }) => shopper_id)).size]).toEqual([25, 25])
    expect((await readRuns(id))[0]!.planned_at).not.toBe(null)
  })

  test('is planned by one process at a time, without lock waits; the rest is planned later', async () => {
    const shop = await createShop(world, 1)
    await copies(shop, 12)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    await runCampaigns(world.deps)
    const job = { storeId: shop.storeId, campaignId: id }
    await world.db.transaction().execute(async (db) => {
      await lockCampaign({ storeId: shop.storeId, db }, id)
      // With a lock wait, this would wait for its own transaction.
      await planRuns(world.deps, job, PAGE)
      expect(await readCampaignMessages(world, id)).toEqual([])
    })
    world.queued.length = 0
    await runCampaigns(world.deps)
    expect(world.queued.map(({ name }) => name)).toContain(planRunsJob.name)
    await planRuns(world.deps, job, PAGE)
    expect(await readCampaignMessages(world, id)).toHaveLength(13)
  })

  test('started twice during planning reaches each person once', async () => {
    const shop = await createShop(world, 1)
    await copies(shop, 15)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    await runCampaigns(world.deps)
    world.queued.length = 0
    await callCampaigns(world, shop, 'POST', `/${id}/send-now`)
    const job = { storeId: shop.storeId, campaignId: id }
    await Promise.all([planRuns(world.deps, job, PAGE), planRuns(world.deps, job, PAGE)])
    const rows = await readCampaignMessages(world, id)
    expect(rows).toHaveLength(16)
    expect(new Set(rows.map(({ cart_id }) => cart_id)).size).toBe(16)
    expect((await readRuns(id)).map(({ planned_at }) => planned_at !== null)).toEqual([true, true])
  })

  test('started while the previous one ends is sent nonetheless', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop)
    await runTick(world, shop)
    // All messages are done, but the campaign is not marked as ended yet.
    await world.db.updateTable('campaigns').set({ status: 'active' }).where('id', '=', id).execute()
    let ended = Promise.resolve()
    await transact({ storeId: shop.storeId, db: world.db }, async (tx) => {
      const campaign = (await lockCampaign(tx, id))!
      ended = runCampaigns(world.deps)
      await waitForBlockedConnections(world, 1)
      await startRun(world.deps, tx, campaign, { at: world.now, next: null })
    })
    await ended
    expect([(await readCampaign(world, shop, id)).status, (await readRuns(id)).length]).toEqual(['active', 2])
  })

  test('of a disconnected store does not begin', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop)
    await world.db.updateTable('stores').set({ is_active: false }).where('id', '=', shop.storeId).execute()
    await runCampaigns(world.deps)
    expect(await readRuns(id)).toEqual([])
  })

  test("with custom text waits while the account's limit does not allow it", async () => {
    const shop = await createShop(world)
    await copies(shop, 60)
    await world.db.updateTable('accounts').set({ created_at: world.now }).where('id', '=', shop.accountId).execute()
    const held = { ...world.deps, config: { ...world.deps.config, isLocal: false } }
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00' },
    })
    await runCampaigns(held)
    expect(await readRuns(id)).toEqual([])
    const { nextRunAt, status } = await readCampaign(world, shop, id)
    expect([Date.parse(nextRunAt!) > world.now.getTime(), status]).toEqual([true, 'scheduled'])
    expect(await readCampaignMessages(world, createId())).toEqual([])
  })
})
