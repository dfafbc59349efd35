import { beforeEach, describe, expect, test } from 'vitest'
import { type CampaignStatus, campaignTexts } from '../../../shared/marketing/campaigns.ts'
import {
  buildCampaignInput,
  callCampaigns,
  campaignContent,
  contentWithoutCart,
  createCampaign,
  formatStoreDate,
  listCampaignStates,
  readCampaign,
  runTick,
} from '../../../test/campaign-scene.ts'
import { insertCoupon } from '../../../test/discount-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { DAY, HOUR, MINUTE } from '../../../test/message-scene.ts'
import { isFullRun } from '../../../test/seed.ts'
import { createWorld } from '../../../test/world.ts'
import { QUICK_SEND_TEMPLATES } from '../../messages/templates/ready-templates.ts'

// Which steps each campaign status allows, over HTTP (B 4).

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
})

const steps: Record<
  string,
  (shop: Shop, id: string) => Promise<{ status: number; body: { campaign?: { status: string } } }>
> = {
  edit: (shop, id) => callCampaigns(world, shop, 'PUT', `/${id}`, buildCampaignInput(world, { name: 'Edited' })),
  play: (shop, id) => callCampaigns(world, shop, 'PATCH', `/${id}/play`),
  pause: (shop, id) => callCampaigns(world, shop, 'PATCH', `/${id}/pause`),
  'send now': (shop, id) => callCampaigns(world, shop, 'POST', `/${id}/send-now`),
  send: (shop, id) => callCampaigns(world, shop, 'POST', '/send-to-abandoned-carts', { campaignId: id }),
  cancel: (shop, id) => callCampaigns(world, shop, 'PUT', `/${id}`, { status: 'cancelled' }),
  delete: (shop, id) => callCampaigns(world, shop, 'DELETE', `/${id}`),
}
const sentences: Record<string, string> = { refused: 'The campaign’s current status does not allow this.' }

/** The result of each step; `gone`: the campaign is in no list any more. */
const expected: Record<CampaignStatus, Record<keyof typeof steps, string>> = {
  scheduled: {
    edit: 'scheduled',
    play: 'scheduled',
    pause: 'paused',
    'send now': 'active',
    send: 'active',
    cancel: 'cancelled',
    delete: 'refused',
  },
  paused: {
    edit: 'paused',
    play: 'scheduled',
    pause: 'paused',
    'send now': 'active',
    send: 'active',
    cancel: 'cancelled',
    delete: 'refused',
  },
  active: {
    edit: 'active',
    play: 'active',
    pause: 'paused',
    'send now': 'active',
    send: 'active',
    cancel: 'cancelled',
    delete: 'gone',
  },
  completed: {
    edit: 'completed',
    play: 'scheduled',
    pause: 'refused',
    'send now': 'refused',
    send: 'active',
    cancel: 'refused',
    delete: 'gone',
  },
  sent: {
    edit: 'sent',
    play: 'scheduled',
    pause: 'refused',
    'send now': 'sent',
    send: 'active',
    cancel: 'refused',
    delete: 'gone',
  },
  cancelled: {
    edit: 'cancelled',
    play: 'scheduled',
    pause: 'refused',
    'send now': 'refused',
    send: 'active',
    cancel: 'cancelled',
    delete: 'gone',
  },
}

test.each(Object.keys(expected) as CampaignStatus[])('allows exactly the steps of B 4 when the campaign is %s', {
  tags: ['B4', 'B7'],
}, async (status) => {
  const shop = await createShop(world)
  const schedule = { startDate: formatStoreDate(world, 2), timeOfDay: '10:00' }
  for (const [name, step] of Object.entries(steps)) {
    const { id } = await createCampaign(world, shop, { name, schedule })
    await world.db.updateTable('campaigns').set({ status }).where('id', '=', id).execute()
    const { status: code, body } = await step(shop, id)
    const now = await readCampaign(world, shop, id)
    const outcome = code === 409 ? 'refused' : now ? now.status : 'gone'
    expect([name, outcome]).toEqual([name, expected[status][name]])
    if (outcome === 'refused') expect([now.status, body]).toMatchObject([status, { error: sentences.refused }])
    else if (outcome !== 'gone') expect(body.campaign!.status).toBe(now.status)
  }
})

/** As many as the server has connections, plus some that wait for one. */
const CLICKS = isFullRun ? 50 : 16

describe('a step', () => {
  test('alone in the body of PUT can only be a cancellation', { tags: ['B7'] }, async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, { schedule: { startDate: formatStoreDate(world, 2) } })
    for (const status of ['paused', 'active', 'sent', 7]) {
      const reply = await callCampaigns(world, shop, 'PUT', `/${id}`, { status })
      expect([reply.status, reply.body.error]).toEqual([400, campaignTexts.onlyCancel])
    }
    expect((await readCampaign(world, shop, id)).status).toBe('scheduled')
  })

  test('paused stops sending; played continues with the same rows, each person once', { tags: ['B4'] }, async () => {
    const shop = await createShop(world, 3)
    const { id } = await createCampaign(world, shop)
    // Planned, but not sent.
    await world.db.updateTable('stores').set({ sending_paused_at: world.now }).where('id', '=', shop.storeId).execute()
    await runTick(world, shop)
    await steps.pause!(shop, id)
    await world.db.updateTable('stores').set({ sending_paused_at: null }).where('id', '=', shop.storeId).execute()
    await world.db.updateTable('messages').set({ wake_at: world.now }).where('origin_id', '=', id).execute()
    await world.db
      .updateTable('send_schedule')
      .set({ next_due_at: world.now })
      .where('store_id', '=', shop.storeId)
      .execute()
    await runTick(world, shop, MINUTE)
    expect(await listCampaignStates(world, id)).toEqual(Array.from({ length: 3 }, () => '1 held(campaign_paused)'))
    expect(world.sent).toEqual([])
    expect((await steps.play!(shop, id)).body.campaign!.status).toBe('scheduled')
    await runTick(world, shop)
    expect(world.sent).toHaveLength(3)
    expect(await listCampaignStates(world, id)).toEqual(Array.from({ length: 3 }, () => '1 sent'))
    expect((await readCampaign(world, shop, id)).status).toBe('completed')
    await steps.play!(shop, id)
    await runTick(world, shop)
    expect(world.sent).toHaveLength(3)
    expect((await readCampaign(world, shop, id)).status).toBe('completed')
  })

  test('resumed in the middle of a run keeps the campaign active until the run has ended', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    await runTick(world, shop)
    await steps.pause!(shop, id)
    expect((await steps.play!(shop, id)).body.campaign!.status).toBe('scheduled')
    await runTick(world, shop)
    expect((await readCampaign(world, shop, id)).status).toBe('active')
  })

  test('played after a pause past its time runs at once, or at its next time if it recurs', async () => {
    const shop = await createShop(world)
    const schedule = { startDate: formatStoreDate(world, 1), timeOfDay: '10:00' }
    const [once, daily] = [
      await createCampaign(world, shop, { schedule }),
      await createCampaign(world, shop, { name: 'Daily', schedule: { ...schedule, frequency: 'daily' } }),
    ]
    for (const { id } of [once, daily]) await steps.pause!(shop, id)
    await runTick(world, shop, 5 * DAY)
    expect([await listCampaignStates(world, once.id), await listCampaignStates(world, daily.id)]).toEqual([[], []])
    for (const { id } of [once, daily]) await steps.play!(shop, id)
    expect(new Date((await readCampaign(world, shop, once.id)).nextRunAt!)).toEqual(world.now)
    const next = Date.parse((await readCampaign(world, shop, daily.id)).nextRunAt!) - world.now.getTime()
    expect(next > 0 && next <= DAY).toBe(true)
    await runTick(world, shop)
    expect(await listCampaignStates(world, once.id)).toEqual(['1 sent'])
  })

  test('cancelled closes open messages; after Play, people without a message get one', {
    tags: ['B4'],
  }, async () => {
    const shop = await createShop(world, 2)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    await runTick(world, shop)
    await steps.cancel!(shop, id)
    await world.runJobs()
    expect(await listCampaignStates(world, id)).toEqual(
      Array.from({ length: 2 }, () => '1 cancelled(campaign_cancelled)'),
    )
    expect(await readCampaign(world, shop, id)).toMatchObject({
      status: 'cancelled',
      nextRunAt: null,
      counts: { planned: 2, cancelled: 2 },
    })
    await steps.edit!(shop, id)
    await steps.play!(shop, id)
    await runTick(world, shop)
    expect(await listCampaignStates(world, id)).toEqual([
      ...Array.from({ length: 2 }, () => '1 cancelled(campaign_cancelled)'),
      '2 sent',
      '2 sent',
    ])
    expect((await readCampaign(world, shop, id)).status).toBe('completed')
  })

  test('deleted closes open messages, keeps all rows, and hides the campaign', { tags: ['B4'] }, async () => {
    const shop = await createShop(world, 2)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 168 },
    })
    await runTick(world, shop)
    expect((await steps.delete!(shop, id)).status).toBe(200)
    await world.runJobs()
    expect(await listCampaignStates(world, id)).toEqual(
      Array.from({ length: 2 }, () => '1 cancelled(campaign_deleted)'),
    )
    expect((await callCampaigns(world, shop, 'GET', `/${id}`)).status).toBe(404)
    expect((await callCampaigns(world, shop, 'GET', '')).body.campaigns).toEqual([])
    expect((await steps.play!(shop, id)).status).toBe(404)
  })

  test('cancelled takes effect on rows that are not closed yet', async () => {
    const shop = await createShop(world, 1)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 48 },
    })
    await runTick(world, shop)
    await world.db.updateTable('campaigns').set({ status: 'cancelled' }).where('id', '=', id).execute()
    await runTick(world, shop, 2 * DAY)
    expect(await listCampaignStates(world, id)).toEqual(['1 cancelled(campaign_cancelled)'])
    expect(world.sent).toEqual([])
  })

  test('"Send now" ends the schedule, and the campaign is shown as sent once all messages have been sent', {
    tags: ['B4'],
  }, async () => {
    const shop = await createShop(world, 2)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world, 1), frequency: 'daily' },
    })
    const { body } = await steps['send now']!(shop, id)
    expect(body.campaign).toMatchObject({ status: 'active', nextRunAt: null })
    await runTick(world, shop)
    expect(world.sent).toHaveLength(2)
    expect(await readCampaign(world, shop, id)).toMatchObject({ status: 'sent', nextRunAt: null })
    await runTick(world, shop, 2 * DAY)
    expect(world.sent).toHaveLength(2)
    const again = await steps['send now']!(shop, id)
    expect([again.status, again.body.campaign!.status]).toEqual([200, 'sent'])
  })

  test('"Send now" reaches chosen customers, and the row\'s Send does not', { tags: ['B5'] }, async () => {
    const shop = await createShop(world, 1)
    const chosen = { targetAudience: { type: 'specific_customers', customerEmails: [shop.orders[0]!.email] } }
    const { id } = await createCampaign(world, shop, {
      ...chosen,
      content: contentWithoutCart,
      schedule: { startDate: formatStoreDate(world, 1) },
    })
    const refused = await callCampaigns(world, shop, 'POST', '/send-to-abandoned-carts', { campaignId: id })
    expect([refused.status, refused.body.error]).toEqual([
      422,
      'Only abandoned cart campaigns can be sent automatically.',
    ])
    await steps['send now']!(shop, id)
    await runTick(world, shop)
    expect(world.sent.map(({ to }) => to)).toEqual([shop.orders[0]!.email])
  })

  test('requires a sender whenever messages would be sent', async () => {
    const shop = await createShop(world, 1)
    const { id } = await createCampaign(world, shop, { schedule: { startDate: formatStoreDate(world, 1) } })
    await steps.pause!(shop, id)
    await world.db.updateTable('stores').set({ sender_name: '' }).where('id', '=', shop.storeId).execute()
    for (const name of ['play', 'send now', 'send']) {
      const reply = await steps[name]!(shop, id)
      expect([name, reply.status, reply.body]).toMatchObject([
        name,
        422,
        { error: 'Enter the sender name shown in your emails.' },
      ])
    }
    expect((await readCampaign(world, shop, id)).status).toBe('paused')
  })
})

describe('"Send to All Abandoned Carts"', () => {
  const send = (shop: Shop, body: object, headers = {}) =>
    world.request('POST', '/api/campaigns/send-to-abandoned-carts', { token: shop.token, body, headers })
  const mail = { subject: campaignContent.subject, htmlContent: campaignContent.body }
  const discount = QUICK_SEND_TEMPLATES.find(({ id }) => id === 'discount')!

  test('creates a campaign dated today and sends it to every match (B 9)', { tags: ['B7', 'B9'] }, async () => {
    const shop = await createShop(world, 2, { plan: 'free' })
    const { status, body } = await send(shop, { ...mail, platform: 'woocommerce', storeId: 'default' })
    const date = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'America/New_York' }).format(
      world.now,
    )
    expect([status, body.campaign]).toMatchObject([
      200,
      {
        name: `Quick Send - ${date}`,
        type: 'email',
        status: 'active',
        targetAudience: { type: 'abandoned_carts', mode: 'matching', filters: {}, customerEmails: [] },
        content: { ...campaignContent, template: 'quick_send' },
        schedule: { startDate: formatStoreDate(world), frequency: 'once', delay: 0 },
      },
    ])
    await runTick(world, shop)
    expect(world.sent).toHaveLength(2)
    expect((await readCampaign(world, shop, body.campaign.id)).status).toBe('sent')
  })

  test('with filters reaches only matches, on a plan that has filters', async () => {
    const shop = await createShop(world, 2)
    await world.db.updateTable('carts').set({ value_minor: 90_000 }).where('id', '=', shop.cartIds[1]!).execute()
    const filters = { minCartValue: 500 }
    expect((await send(shop, { ...mail, filters })).status).toBe(200)
    await runTick(world, shop)
    expect(world.sent.map(({ to }) => to)).toEqual([shop.orders[1]!.email])
    const free = await createShop(world, 1, { plan: 'free' })
    expect((await send(free, { ...mail, filters })).body.code).toBe('plan_required')
  })

  test.each([
    { subject: ' ' },
    { htmlContent: '\n' },
    { subject: undefined },
  ])('is rejected without content (%o) (B 5)', { tags: ['B5'] }, async (missing) => {
    const shop = await createShop(world)
    const reply = await send(shop, { ...mail, ...missing })
    expect([reply.status, reply.body.error]).toEqual([422, 'Please fill in both subject and message'])
  })

  test.each([
    ['of the discount template', { template: 'discount' }],
    ['with its subject', { subject: discount.subject }],
    ['with its text', { htmlContent: discount.body }],
  ])('%s is rejected without a coupon and sent with one', async (_, body) => {
    const shop = await createShop(world)
    const refused = await send(shop, { ...mail, ...body })
    expect([refused.status, refused.body.error]).toEqual([422, campaignTexts.noOffer])
    expect((await callCampaigns(world, shop, 'GET', '')).body.campaigns).toEqual([])
    const rules = { fallback: 'skip', firstOrderOnly: false, pauseDays: null, aboveAmount: null }
    const coupon = { couponId: await insertCoupon(world, shop), ...rules }
    expect((await send(shop, { ...mail, ...body, coupon })).status).toBe(200)
  })

  test('creates one campaign and one message per person for many concurrent clicks, as do Create and "Send now"', async () => {
    const shop = await createShop(world, 3)
    const clicks = (work: () => Promise<{ status: number; body: { campaign: { id: string } } }>) =>
      Promise.all(Array.from({ length: CLICKS }, work))
    const only = async (replies: Awaited<ReturnType<typeof clicks>>) => {
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
      const ids = new Set(replies.map(({ body }) => body.campaign.id))
      expect(ids.size).toBe(1)
      await runTick(world, shop)
      const states = await listCampaignStates(world, [...ids][0]!)
      expect(states).toEqual(['1 sent', '1 sent', '1 sent'])
      world.advance(25 * HOUR)
      return [...ids][0]!
    }
    const quick = await only(await clicks(() => send(shop, mail)))
    const keyed = await only(
      await clicks(() => send(shop, { ...mail, subject: 'Keyed' }, { 'idempotency-key': 'one' })),
    )
    const created = await only(await clicks(() => callCampaigns(world, shop, 'POST', '', buildCampaignInput(world))))
    expect((await callCampaigns(world, shop, 'GET', '')).body.pagination.total).toBe(3)
    expect(new Set([quick, keyed, created]).size).toBe(3)
    const later = await createCampaign(world, shop, {
      name: 'Later',
      schedule: { startDate: formatStoreDate(world, 3) },
    })
    const other = await createCampaign(world, shop, {
      name: 'Other',
      schedule: { startDate: formatStoreDate(world, 3) },
    })
    expect(await only(await clicks(() => callCampaigns(world, shop, 'POST', `/${later.id}/send-now`) as never))).toBe(
      later.id,
    )
    // The same click on another campaign is a different request.
    expect((await callCampaigns(world, shop, 'POST', `/${other.id}/send-now`)).body.campaign).toMatchObject({
      id: other.id,
      status: 'active',
    })
  })
})

test('a store with an unknown time zone uses UTC', async () => {
  const shop = await createShop(world)
  const zone = { time_zone: 'Mars/Base' }
  await world.db.updateTable('stores').set(zone).where('id', '=', shop.storeId).execute()
  const day = world.now.toISOString().slice(0, 10)
  const schedule = { startDate: day, timeOfDay: '23:45', frequency: 'daily' }
  const { id, nextRunAt } = await createCampaign(world, shop, { schedule })
  expect(nextRunAt).toBe(`${day}T23:45:00.000Z`)
  expect((await callCampaigns(world, shop, 'PATCH', `/${id}/pause`)).status).toBe(200)
  expect((await callCampaigns(world, shop, 'PATCH', `/${id}/play`)).status).toBe(200)
  await runTick(world, shop, DAY)
  expect(await listCampaignStates(world, id)).toEqual(['1 sent'])
  const quick = { channel: 'email', subject: 'Hello', htmlContent: 'Come back' }
  expect((await callCampaigns(world, shop, 'POST', '/send-to-abandoned-carts', quick)).status).toBe(200)
})
