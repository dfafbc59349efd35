import { beforeEach, describe, expect, test } from 'vitest'
import {
  buildCampaignInput,
  callCampaigns,
  campaignContent,
  createCampaign,
  formatStoreDate,
  listCampaignStates,
  readCampaign,
  readCampaignMessages,
  requestCampaign,
  runTick,
} from '../../../test/campaign-scene.ts'
import { insertCoupon } from '../../../test/discount-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { insertManyRecipients } from '../../../test/many-recipients.ts'
import { DAY, HOUR } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'

// Creating, listing, editing and rejecting campaigns (B 3, 5, 7, 8).

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
})

const save = (shop: Shop, id: string, body: object) =>
  callCampaigns(world, shop, 'PUT', `/${id}`, buildCampaignInput(world, body))

describe('a campaign', () => {
  test('reaches every abandoned cart and completes with figures that add up', { tags: ['B3', 'B7'] }, async () => {
    const shop = await createShop(world, 3)
    const reply = await createCampaign(world, shop)
    expect(reply).toMatchObject({
      name: 'Spring',
      type: 'email',
      status: 'scheduled',
      platform: 'woocommerce',
      pausedBy: null,
      targetAudience: { type: 'abandoned_carts', mode: 'matching', filters: {}, customerEmails: [] },
      content: { ...campaignContent, template: 'custom', coupon: null },
      schedule: {
        startDate: formatStoreDate(world),
        timeOfDay: '00:00',
        frequency: 'once',
        delay: 0,
        spreadHours: null,
      },
      revenue: [],
      couponShown: null,
      counts: { planned: 0 },
    })
    expect(reply._id).toBe(reply.id)
    expect(reply.nextRunAt).toBe(world.now.toISOString())
    await runTick(world, shop)
    expect(world.sent.map(({ to }) => to).sort()).toEqual(shop.orders.map(({ email }) => email).sort())
    expect(await readCampaign(world, shop, reply.id)).toMatchObject({
      status: 'completed',
      nextRunAt: null,
      counts: {
        planned: 3,
        sent: 3,
        waiting: 0,
        held: 0,
        inFlight: 0,
        skipped: 0,
        failed: 0,
        unknown: 0,
        cancelled: 0,
      },
    })
  })

  test("with a later start waits for that time in the store's time zone", async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world, 1), timeOfDay: '09:30' },
    })
    const { nextRunAt } = await readCampaign(world, shop, id)
    expect(nextRunAt).toBe(`${formatStoreDate(world, 1)}T14:30:00.000Z`)
    await runTick(world, shop)
    expect(world.sent).toEqual([])
    await runTick(world, shop, new Date(nextRunAt!).getTime() - world.now.getTime())
    expect(world.sent).toHaveLength(1)
  })

  test('is listed newest first and found by name and status', { tags: ['A7', 'B7', 'B9'] }, async () => {
    const shop = await createShop(world)
    for (const name of ['One', 'Two 50%', 'Three']) {
      await createCampaign(world, shop, { name })
      world.advance(1_000)
    }
    const names = async (query: string) => {
      const { body } = await callCampaigns(world, shop, 'GET', query)
      return [body.pagination.total, ...body.campaigns.map((each: { name: string }) => each.name)]
    }
    expect(await names('')).toEqual([3, 'Three', 'Two 50%', 'One'])
    expect(await names('?limit=1&page=2')).toEqual([3, 'Two 50%'])
    expect(await names('?search=0%25')).toEqual([1, 'Two 50%'])
    expect(await names('?status=paused')).toEqual([0])
  })

  test('sent immediately ignores its start date and is shown as sent once all messages have been sent', async () => {
    const shop = await createShop(world, 2)
    const later = { startDate: formatStoreDate(world, 3) }
    const reply = await createCampaign(world, shop, { sendNow: true, schedule: later })
    expect(reply).toMatchObject({ status: 'active', nextRunAt: null })
    await runTick(world, shop)
    expect(world.sent).toHaveLength(2)
    expect((await readCampaign(world, shop, reply.id)).status).toBe('sent')
  })

  test('to chosen people reaches only those', { tags: ['B3'] }, async () => {
    const shop = await createShop(world, 4)
    const [first, second, third] = shop.orders.map(({ email }) => email!)
    const audiences = [
      { customerEmails: [first!.toUpperCase()], targetAudience: { customerEmails: [second] } },
      { targetAudience: { customerEmails: [second, 'nobody@elsewhere.example'] } },
      { targetAudience: { filters: { customerEmails: [third], minAbandonTime: 1 } } },
    ]
    for (const [index, audience] of audiences.entries()) {
      world.sent.length = 0
      const { id } = await createCampaign(world, shop, { name: `${index}`, ...audience })
      await runTick(world, shop)
      expect(world.sent.map(({ to }) => to)).toEqual([[first, second, third][index]])
      expect((await readCampaign(world, shop, id)).targetAudience.mode).toBe('selected')
    }
  })
})

describe('validation rejects', () => {
  test.each<[string, object, number, string]>([
    ['no name', { name: ' ' }, 400, 'Enter a name.'],
    ['no subject', { content: { ...campaignContent, subject: ' ' } }, 422, 'Enter a subject.'],
    ['no message', { content: { ...campaignContent, body: ' \n' } }, 422, 'Enter a message.'],
    ['words that are no template', { content: { ...campaignContent, body: '{% if %}' } }, 422, ''],
    ['no customer chosen', { targetAudience: {} }, 422, 'Please select at least one customer to send the campaign to.'],
    [
      'no customer chosen',
      { targetAudience: { type: 'specific_customers', mode: 'matching' } },
      422,
      'Please select at least one customer to send the campaign to.',
    ],
    [
      'too many chosen',
      { customerEmails: Array.from({ length: 1_001 }, (_, n) => `a${n}@b.example`) },
      400,
      'At most 1,000 customers can be selected manually. Choose “All that match” instead.',
    ],
    [
      'a range the wrong way round',
      { targetAudience: { mode: 'matching', filters: { minCartValue: 9, maxCartValue: 8 } } },
      400,
      'The minimum must not be above the maximum.',
    ],
    [
      'a selection that recurs',
      {
        customerEmails: ['a@b.example'],
        targetAudience: {},
        schedule: { startDate: '2030-01-01', frequency: 'daily' },
      },
      422,
      'A recurring campaign needs “All that match”. Selected customers would be the same each time.',
    ],
    ['a start before today', { schedule: { startDate: '2026-01-01' } }, 422, 'Start date cannot be before today'],
    [
      'a start in the year 0, of one that begins now',
      { sendNow: true, schedule: { startDate: '0000-01-01' } },
      400,
      'Start date cannot be before today',
    ],
    [
      'push',
      { type: 'push' },
      422,
      'Push notifications are not set up yet. Generate VAPID keys under Push notifications.',
    ],
    [
      'a coupon that is gone',
      {
        content: {
          ...campaignContent,
          coupon: { couponId: createId(), fallback: 'skip', firstOrderOnly: false, pauseDays: null, aboveAmount: null },
        },
      },
      422,
      'This coupon no longer exists in your store. Choose another one.',
    ],
  ])('%s', { tags: ['B5'] }, async (_, body, status, sentence) => {
    const shop = await createShop(world)
    const reply = await requestCampaign(world, shop, body)
    expect([reply.status, reply.body.error]).toEqual([status, sentence ? sentence : expect.any(String)])
    expect((await callCampaigns(world, shop, 'GET', '')).body.campaigns).toEqual([])
  })

  test("a start date before today in the store's time zone", { tags: ['B5'] }, async () => {
    const shop = await createShop(world)
    // Still the previous evening in New York.
    world.now = new Date(`${formatStoreDate(world, 1)}T03:30:00Z`)
    const [here, elsewhere] = [formatStoreDate(world), world.now.toISOString().slice(0, 10)]
    expect(here < elsewhere).toBe(true)
    expect((await requestCampaign(world, shop, { schedule: { startDate: here } })).status).toBe(200)
    await world.db.updateTable('stores').set({ time_zone: 'Europe/Berlin' }).where('id', '=', shop.storeId).execute()
    const late = await requestCampaign(world, shop, { schedule: { startDate: here } })
    expect([late.status, late.body.error]).toEqual([422, 'Start date cannot be before today'])
  })

  test('a campaign without a configured sender, as flows do', async () => {
    const shop = await createShop(world)
    await world.db.updateTable('stores').set({ postal_address: '' }).where('id', '=', shop.storeId).execute()
    const reply = await requestCampaign(world, shop)
    expect([reply.status, reply.body.error]).toEqual([
      422,
      'Enter your postal address: the law requires it in marketing emails.',
    ])
  })

  test.each<['free' | 'starter', object, string]>([
    [
      'free',
      { schedule: { startDate: '2030-01-01' } },
      'Scheduled campaigns require the Starter plan or higher. Please upgrade to schedule campaigns.',
    ],
    [
      'free',
      { schedule: { startDate: '2030-01-01', frequency: 'weekly' } },
      'Scheduled campaigns require the Starter plan or higher. Please upgrade to schedule campaigns.',
    ],
    [
      'free',
      { targetAudience: { mode: 'matching', filters: { minAbandonTime: 2 } } },
      'Customer segmentation requires the Starter plan or higher. Please upgrade to filter the audience.',
    ],
    ['free', { type: 'sms' }, 'SMS feature requires Starter or Growth plan. Please upgrade to send SMS messages.'],
    [
      'starter',
      { type: 'sms', schedule: { startDate: '2030-01-01' } },
      'Planned and recurring SMS campaigns require the Growth plan. Please upgrade to schedule them.',
    ],
    ['starter', { type: 'whatsapp' }, 'All WhatsApp campaigns require the Growth plan. Please upgrade to send them.'],
  ])('on the %s plan %o', async (plan, body, sentence) => {
    const shop = await createShop(world, 1, { plan })
    const reply = await requestCampaign(world, shop, body)
    expect([reply.status, reply.body.code, reply.body.error]).toEqual([403, 'plan_required', sentence])
  })

  test("nothing in the wizard's defaults on the free plan", { tags: ['B9'] }, async () => {
    const shop = await createShop(world, 1, { plan: 'free' })
    const filters = { minAbandonTime: 1, maxAbandonTime: 72 }
    const schedule = { startDate: formatStoreDate(world), timeOfDay: '10:00', frequency: 'once', delay: 0 }
    const reply = await requestCampaign(world, shop, { targetAudience: { mode: 'matching', filters }, schedule })
    expect([reply.status, reply.body.campaign?.targetAudience.filters]).toEqual([200, filters])
  })
})

describe('an edit', () => {
  test('changes the content, coupon and delay of unsent messages', { tags: ['B7'] }, async () => {
    const shop = await createShop(world, 2)
    const couponId = await insertCoupon(world, shop)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    await runTick(world, shop)
    const [row] = await readCampaignMessages(world, id)
    const cart = await world.db
      .selectFrom('carts')
      .select('last_activity_at')
      .where('id', '=', row!.cart_id!)
      .executeTakeFirstOrThrow()
    expect(row!.due_at).toEqual(new Date(cart.last_activity_at.getTime() + 7 * DAY))
    expect(row!.expires_at).toEqual(new Date(row!.due_at.getTime() + 3 * DAY))
    const coupon = { couponId, fallback: 'skip', firstOrderOnly: false, pauseDays: null, aboveAmount: null }
    const edited = await save(shop, id, {
      name: 'Now',
      content: { subject: 'Other', body: 'B {{ discounted_total }}', coupon },
    })
    expect(edited.body.campaign).toMatchObject({ name: 'Now', status: 'active', couponShown: { _id: couponId } })
    await runTick(world, shop)
    expect(world.sent.map(({ subject }) => subject)).toEqual(['Other', 'Other'])
    expect((await readCampaignMessages(world, id)).map(({ coupon_id }) => coupon_id)).toEqual([couponId, couponId])
    expect((await readCampaign(world, shop, id)).status).toBe('completed')
  })

  test('cancels unsent messages of removed people at once; people added back get it at the next send', async () => {
    const shop = await createShop(world, 3)
    const emails = shop.orders.map(({ email }) => email!)
    const chosen = (...some: string[]) => ({
      targetAudience: { mode: 'selected', customerEmails: some },
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    const { id } = await createCampaign(world, shop, chosen(emails[0]!, emails[1]!))
    await runTick(world, shop)
    expect(await listCampaignStates(world, id)).toEqual(['1 scheduled', '1 scheduled'])
    world.queued.length = 0
    expect((await save(shop, id, chosen(emails[1]!))).status).toBe(200)
    expect(await listCampaignStates(world, id)).toEqual(['1 cancelled(campaign_left_out)', '1 scheduled'])
    const { messages } = (await world.request('GET', `/api/carts/${shop.cartIds[0]}/messages`, { token: shop.token }))
      .body
    expect(messages[0].explanation).toBe('The shopper was removed from the campaign before this was sent.')
    // Added people are not in a run that has begun; the next run reaches them.
    await save(shop, id, chosen(...emails))
    await runTick(world, shop)
    expect(await readCampaignMessages(world, id)).toHaveLength(2)
    const { schedule: _, ...now } = chosen(...emails)
    await save(shop, id, { ...now, schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 0 } })
    expect((await callCampaigns(world, shop, 'POST', '/send-to-abandoned-carts', { campaignId: id })).status).toBe(200)
    await runTick(world, shop)
    expect(world.sent.map(({ to }) => to).sort()).toEqual([...emails].sort())
    expect(await listCampaignStates(world, id)).toEqual([
      '1 cancelled(campaign_left_out)',
      '1 sent',
      '2 sent',
      '2 sent',
    ])
  })

  test('from all matching to selected people cancels the remaining messages in chunks', async () => {
    const shop = await createShop(world, 2)
    const schedule = { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 }
    const { id } = await createCampaign(world, shop, { schedule })
    await runTick(world, shop)
    await insertManyRecipients(world, shop, id, { count: 2_100, state: 'scheduled' })
    const targetAudience = { mode: 'selected', customerEmails: [shop.orders[0]!.email!] }
    await save(shop, id, { schedule, targetAudience })
    await world.runJobs()
    const open = (await readCampaignMessages(world, id)).filter(({ state }) => state === 'scheduled')
    expect(open.map(({ cart_id }) => cart_id)).toEqual([shop.cartIds[0]])
  })

  test('of start or frequency moves the next run, and other edits do not', async () => {
    const shop = await createShop(world, 1)
    const start = { startDate: formatStoreDate(world, 2), timeOfDay: '10:00' }
    const { id, nextRunAt } = await createCampaign(world, shop, { schedule: start })
    expect((await save(shop, id, { name: 'X', schedule: start })).body.campaign.nextRunAt).toBe(nextRunAt)
    const moved = await save(shop, id, { schedule: { ...start, timeOfDay: '11:00' } })
    expect(Date.parse(moved.body.campaign.nextRunAt) - Date.parse(nextRunAt!)).toBe(HOUR)
    await runTick(world, shop, 3 * DAY)
    const ended = await readCampaign(world, shop, id)
    expect([ended.status, ended.nextRunAt]).toEqual(['completed', null])
    const again = await save(shop, id, { schedule: { ...start, frequency: 'daily' } })
    expect([again.body.campaign.status, again.body.campaign.nextRunAt]).toEqual(['completed', null])
  })

  test('reports errors at their field, as creating does', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop)
    const { status, body } = await save(shop, id, { name: ' ', description: 7, schedule: { startDate: 'x' } })
    expect([status, body.error, Object.keys(body.fields)]).toEqual([
      400,
      'Enter a name.',
      ['name', 'description', 'schedule.startDate'],
    ])
  })

  test('accepts an unchanged start in the past, and a new type only before the first run', async () => {
    const shop = await createShop(world, 1, { plan: 'growth' })
    const schedule = { startDate: formatStoreDate(world), timeOfDay: '23:59' }
    const { id } = await createCampaign(world, shop, { schedule })
    expect((await save(shop, id, { schedule, type: 'sms' })).body.campaign.type).toBe('sms')
    expect((await save(shop, id, { schedule })).body.campaign.type).toBe('email')
    await runTick(world, shop, 30 * HOUR)
    expect(world.sent).toHaveLength(1)
    expect((await save(shop, id, { schedule, name: 'Late' })).body.campaign.name).toBe('Late')
    const other = await save(shop, id, { schedule, type: 'sms' })
    expect([other.status, other.body.error]).toEqual([409, 'The type cannot be changed after the first run.'])
  })

  test('on a smaller plan keeps features that the campaign already had', async () => {
    const shop = await createShop(world, 1)
    const was = {
      schedule: { startDate: formatStoreDate(world, 5), frequency: 'weekly' },
      targetAudience: { mode: 'matching', filters: { minCartValue: 1 } },
    }
    const { id } = await createCampaign(world, shop, was)
    await world.db.updateTable('subscriptions').set({ plan: 'free' }).where('account_id', '=', shop.accountId).execute()
    expect((await save(shop, id, { ...was, name: 'Y' })).status).toBe(200)
    expect((await save(shop, id, { ...was, schedule: { ...was.schedule, frequency: 'daily' } })).status).toBe(403)
    expect(
      (await save(shop, id, { ...was, targetAudience: { mode: 'matching', filters: { minCartValue: 2 } } })).status,
    ).toBe(403)
  })
})

test('after an erasure stores no address of the erased person and keeps everyone else (C8)', async () => {
  const shop = await createShop(world, 2)
  const [removed, there] = shop.orders.map(({ email }) => email!)
  const { status } = await world.request('DELETE', `/api/privacy/${removed}`, {
    token: shop.token,
    body: { confirmation: 'erase' },
  })
  expect(status).toBe(202)
  await world.runJobs()
  const chosen = { customerEmails: [removed, there], targetAudience: {} }
  const { id, targetAudience } = await createCampaign(world, shop, chosen)
  expect(targetAudience.customerEmails).toEqual([there])
  const saved = await save(shop, id, chosen)
  expect(saved.body.campaign.targetAudience.customerEmails).toEqual([there])
})

test('the template list has ids for campaigns and for "Send to All"', { tags: ['B3'] }, async () => {
  const shop = await createShop(world)
  const { body } = await callCampaigns(world, shop, 'GET', '/templates')
  expect(body.campaign.map(({ id }: { id: string }) => id)).toEqual([
    'first_reminder',
    'second_reminder',
    'last_reminder',
    'custom',
  ])
  expect(body.quickSend.map(({ id }: { id: string }) => id)).toEqual(['default', 'discount', 'urgency'])
  expect(body.sms).toContain('Reply STOP')
  expect(await listCampaignStates(world, createId())).toEqual([])
})
