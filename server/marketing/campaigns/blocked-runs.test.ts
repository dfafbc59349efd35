import { beforeEach, describe, expect, test } from 'vitest'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import {
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
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { insertManyRecipients } from '../../../test/many-recipients.ts'
import { DAY, HOUR } from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { CAMPAIGN_TEMPLATES } from '../../messages/templates/ready-templates.ts'
import { delayRun } from './custom-text.ts'

// Due runs that may not begin: the plan, an overdue payment, the limit of a young account. Each is reported.

// Not in local mode, where accounts have no limits.
const world = createWorld({
  HOST: '0.0.0.0',
  PUBLIC_URL: 'https://recoup.example',
  SMTP_URL: 'smtp://mail.example:587',
})
beforeEach(() => {
  world.sent.length = 0
})

const subscribe = (
  shop: Shop,
  change: { plan?: 'free' | 'starter'; status?: 'active' | 'past_due'; since?: Date | null },
) => {
  const { since: past_due_since = null, ...rest } = change
  return world.db
    .updateTable('subscriptions')
    .set({ ...rest, past_due_since })
    .where('account_id', '=', shop.accountId)
    .execute()
}
const readStatus = async (shop: Shop, id: string) => {
  const { status, pausedBy, putOffBy } = await readCampaign(world, shop, id)
  return [status, pausedBy, putOffBy]
}
const listNotifications = async (shop: Shop, type: string) =>
  (await readNotifications(world, shop.storeId)).filter((each) => each.type === type)
const play = (shop: Shop, id: string) => callCampaigns(world, shop, 'PATCH', `/${id}/play`)
const readRuns = (id: string) =>
  world.db.selectFrom('campaign_runs').select('run').where('campaign_id', '=', id).execute()
const later = (days: number) => ({ startDate: formatStoreDate(world, days), timeOfDay: '10:00' })

describe('after a downgrade', () => {
  test('a recurring campaign starts no run, reports why, and continues with Play after an upgrade', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, {
      schedule: { ...later(0), timeOfDay: '00:00', frequency: 'daily' },
    })
    await runTick(world, shop)
    expect(await readRuns(id)).toHaveLength(1)
    await subscribe(shop, { plan: 'free' })
    await runTick(world, shop, DAY)
    await runTick(world, shop, DAY)
    expect(await readRuns(id)).toHaveLength(1)
    expect(await readStatus(shop, id)).toEqual(['paused', 'plan', null])
    const listed = await callCampaigns(world, shop, 'GET', '')
    expect(listed.body.campaigns[0]).toMatchObject({ id, status: 'paused', pausedBy: 'plan' })
    expect(await listNotifications(shop, 'campaign_paused')).toMatchObject([
      {
        title: 'The campaign “Spring” was paused',
        message: expect.stringMatching(/your plan no longer includes it/),
      },
    ])
    const refused = await play(shop, id)
    expect([refused.status, refused.body.error]).toEqual([403, campaignTexts.scheduledPlan])
    await subscribe(shop, { plan: 'starter' })
    await runTick(world, shop, DAY)
    expect(await readStatus(shop, id)).toEqual(['paused', 'plan', null])
    expect((await play(shop, id)).body.campaign).toMatchObject({ status: 'scheduled', pausedBy: null })
    await runTick(world, shop, DAY)
    expect(await readRuns(id)).toHaveLength(2)
  })

  test('a scheduled campaign does not begin; Send Now, available on every plan, sends it', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, { schedule: later(2) })
    await subscribe(shop, { plan: 'free' })
    await runTick(world, shop, 3 * DAY)
    expect([await readStatus(shop, id), await readCampaignMessages(world, id)]).toEqual([['paused', 'plan', null], []])
    expect((await play(shop, id)).status).toBe(403)
    expect((await callCampaigns(world, shop, 'POST', `/${id}/send-now`)).status).toBe(200)
    await runTick(world, shop)
    expect(await readStatus(shop, id)).toEqual(['sent', null, null])
  })

  test("today's campaign begins on Lite too; an ended one cannot be played by its schedule", async () => {
    const shop = await createShop(world)
    const daily = { ...later(0), timeOfDay: '00:00', frequency: 'daily' }
    const { id: ended } = await createCampaign(world, shop, { name: 'Daily', schedule: daily, sendNow: true })
    await runTick(world, shop)
    expect(await readStatus(shop, ended)).toEqual(['sent', null, null])
    await subscribe(shop, { plan: 'free' })
    expect((await play(shop, ended)).status).toBe(403)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '23:00' },
    })
    await callCampaigns(world, shop, 'PATCH', `/${id}/pause`)
    world.advance(30 * HOUR)
    expect((await play(shop, id)).status).toBe(200)
    await runTick(world, shop)
    expect(await readStatus(shop, id)).toEqual(['completed', null, null])
    expect(await readRuns(id)).toHaveLength(1)
  })

  test('a daily campaign sent at once on Free has one run, and Play never uses its schedule', async () => {
    const shop = await createShop(world)
    await subscribe(shop, { plan: 'free' })
    const daily = { ...later(0), timeOfDay: '00:00', frequency: 'daily' }
    expect((await requestCampaign(world, shop, { schedule: daily })).status).toBe(403)
    const { id } = await createCampaign(world, shop, { schedule: daily, sendNow: true })
    await callCampaigns(world, shop, 'PATCH', `/${id}/pause`)
    expect((await play(shop, id)).body.campaign).toMatchObject({ status: 'scheduled', nextRunAt: null })
    await runTick(world, shop)
    expect(await readStatus(shop, id)).toEqual(['sent', null, null])
    expect((await play(shop, id)).status).toBe(403)
    await runTick(world, shop, DAY)
    await runTick(world, shop, DAY)
    expect([await readStatus(shop, id), await readRuns(id)]).toEqual([['sent', null, null], [{ run: 1 }]])
  })

  test('an edit to a schedule that needs no plan starts the campaign', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, { schedule: later(3) })
    await subscribe(shop, { plan: 'free' })
    const soon = { startDate: formatStoreDate(world), timeOfDay: '23:00' }
    const body = { name: 'Spring', targetAudience: { mode: 'matching' }, content: campaignContent, schedule: soon }
    expect((await callCampaigns(world, shop, 'PUT', `/${id}`, body)).status).toBe(200)
    await runTick(world, shop, 30 * HOUR)
    expect((await readRuns(id)).length).toBe(1)
  })
})

test('nothing begins while a payment is overdue; Play continues after the payment', async () => {
  const shop = await createShop(world)
  const { id } = await createCampaign(world, shop, { schedule: later(2) })
  await subscribe(shop, { status: 'past_due', since: world.now })
  await runTick(world, shop, DAY)
  expect(await readStatus(shop, id)).toEqual(['scheduled', null, null])
  await subscribe(shop, { status: 'past_due', since: new Date(world.now.getTime() - 8 * DAY) })
  await runTick(world, shop, 2 * DAY)
  expect([await readStatus(shop, id), await readRuns(id)]).toEqual([['paused', 'payment', null], []])
  expect((await listNotifications(shop, 'campaign_paused'))[0]!.message).toMatch(/your last payment is overdue/)
  for (const [method, path] of [
    ['PATCH', `/${id}/play`],
    ['POST', `/${id}/send-now`],
  ] as const) {
    const { status, body } = await callCampaigns(world, shop, method, path)
    expect([status, body.error]).toEqual([403, campaignTexts.paymentOverdue])
  }
  await subscribe(shop, { status: 'active' })
  expect((await play(shop, id)).status).toBe(200)
  await runTick(world, shop)
  expect(await readStatus(shop, id)).toEqual(['completed', null, null])
})

describe('custom text of a young account', () => {
  const many = (shop: Shop) => ({
    mode: 'selected',
    customerEmails: [shop.orders[0]!.email!, ...Array.from({ length: 59 }, (_, n) => `nobody${n}@elsewhere.example`)],
  })

  test('delays the run, shows this in the list and on its page, notifies the owner once; the default text starts it', async () => {
    const shop = await createShop(world)
    await world.db.updateTable('accounts').set({ created_at: world.now }).where('id', '=', shop.accountId).execute()
    const schedule = { startDate: formatStoreDate(world), timeOfDay: '00:00' }
    const { id } = await createCampaign(world, shop, { schedule, targetAudience: many(shop) })
    await runTick(world, shop)
    const before = await readCampaign(world, shop, id)
    expect(before).toMatchObject({ status: 'scheduled', putOffBy: 'own_words' })
    expect(Date.parse(before.nextRunAt!)).toBeGreaterThan(world.now.getTime())
    expect((await callCampaigns(world, shop, 'GET', '')).body.campaigns[0]).toMatchObject({ id, putOffBy: 'own_words' })
    await world.db.updateTable('campaigns').set({ next_run_at: world.now }).where('id', '=', id).execute()
    await runTick(world, shop)
    expect(await readStatus(shop, id)).toEqual(['scheduled', null, 'own_words'])
    expect(await listNotifications(shop, 'campaign_postponed')).toMatchObject([
      {
        title: 'A run of the campaign “Spring” was postponed',
        message: expect.stringContaining('retried automatically'),
      },
    ])
    const { subject, body } = CAMPAIGN_TEMPLATES[0]!
    const ours = { name: 'Spring', schedule, targetAudience: many(shop), content: { subject, body } }
    expect((await callCampaigns(world, shop, 'PUT', `/${id}`, ours)).body.campaign.putOffBy).toBe(null)
    await runTick(world, shop)
    expect(await listCampaignStates(world, id)).toEqual(['1 sent'])
    expect(await readStatus(shop, id)).toEqual(['completed', null, null])
  })

  test('counts retries of failed messages, too', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop)
    await runTick(world, shop)
    await insertManyRecipients(world, shop, id, { count: 60, state: 'failed', reason: 'rejected:smtp_550' })
    await world.db.updateTable('accounts').set({ created_at: world.now }).where('id', '=', shop.accountId).execute()
    const refused = await callCampaigns(world, shop, 'POST', `/${id}/retry`)
    expect([refused.status, refused.body.error]).toEqual([429, expect.stringContaining('50 emails with custom text')])
    expect(await readRuns(id)).toHaveLength(1)
    const { subject, body } = CAMPAIGN_TEMPLATES[0]!
    const ours = { name: 'Spring', targetAudience: { mode: 'matching' }, content: { subject, body } }
    const schedule = { startDate: formatStoreDate(world), timeOfDay: '00:00' }
    await callCampaigns(world, shop, 'PUT', `/${id}`, { ...ours, schedule })
    expect((await callCampaigns(world, shop, 'POST', `/${id}/retry`)).body.retried).toBe(60)
  })

  test('does not delay a campaign that was paused meanwhile', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00' },
    })
    await callCampaigns(world, shop, 'PATCH', `/${id}/pause`)
    const before = await readCampaign(world, shop, id)
    await delayRun({ storeId: shop.storeId, db: world.db }, id, { waitS: 60, now: world.now })
    expect(await readCampaign(world, shop, id)).toEqual(before)
    expect(await listNotifications(shop, 'campaign_postponed')).toEqual([])
  })

  test('stops waiting after a pause, and rejects a manual send with an explanation', async () => {
    const shop = await createShop(world)
    await world.db.updateTable('accounts').set({ created_at: world.now }).where('id', '=', shop.accountId).execute()
    const { id } = await createCampaign(world, shop, {
      schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00' },
      targetAudience: many(shop),
    })
    await runTick(world, shop)
    const refused = await callCampaigns(world, shop, 'POST', `/${id}/send-now`)
    expect([refused.status, refused.body.error]).toEqual([429, expect.stringContaining('50 emails with custom text')])
    await callCampaigns(world, shop, 'PATCH', `/${id}/pause`)
    expect(await readStatus(shop, id)).toEqual(['paused', null, null])
    expect((await requestCampaign(world, shop, { targetAudience: many(shop), sendNow: true })).status).toBe(429)
  })
})
