import { describe, expect, test } from 'vitest'
import {
  buildCampaignInput,
  callCampaigns,
  campaignContent,
  createCampaign,
  formatStoreDate,
  listCampaignStates,
  runTick,
} from '../../../test/campaign-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { HOUR } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'

// Repeated requests about campaigns (D9).

const world = createWorld()

describe('the same request within a minute', () => {
  const sendNow = (shop: Shop, id: string) => callCampaigns(world, shop, 'POST', `/${id}/send-now`)
  const again = (shop: Shop, campaignId: string) =>
    callCampaigns(world, shop, 'POST', '/send-to-abandoned-carts', { campaignId })
  const readRuns = async (id: string) =>
    (await world.db.selectFrom('campaign_runs').select('run').where('campaign_id', '=', id).execute()).length

  test.each([
    ['Send Now', sendNow],
    ['Send', again],
  ])('of %s takes effect once per pause in between', async (_, press) => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, { schedule: { startDate: formatStoreDate(world, 3) } })
    for (let run = 1; run <= 3; run++) {
      const replies = await Promise.all([press(shop, id), press(shop, id), press(shop, id)])
      expect(replies.map(({ status, body }) => [status, body.campaign.status])).toEqual(Array(3).fill([200, 'active']))
      expect([(await press(shop, id)).body.campaign.status, await readRuns(id)]).toEqual(['active', run])
      expect((await callCampaigns(world, shop, 'PATCH', `/${id}/pause`)).body.campaign.status).toBe('paused')
      world.advance(1_000)
    }
  })

  test('of Send Now reports that the campaign was cancelled in between', async () => {
    const shop = await createShop(world)
    const { id } = await createCampaign(world, shop, { schedule: { startDate: formatStoreDate(world, 3) } })
    expect((await sendNow(shop, id)).status).toBe(200)
    await callCampaigns(world, shop, 'PUT', `/${id}`, { status: 'cancelled' })
    expect((await sendNow(shop, id)).status).toBe(409)
  })
})

test('of Create with its key returns the first answer, even after its start has passed', async () => {
  const shop = await createShop(world)
  const body = buildCampaignInput(world, { schedule: { startDate: formatStoreDate(world), timeOfDay: '23:59' } })
  const call = { token: shop.token, body, headers: { 'idempotency-key': 'create-1' } }
  const first = await world.request('POST', '/api/campaigns', call)
  world.advance(23 * HOUR)
  expect(formatStoreDate(world)).not.toBe(body.schedule.startDate)
  const later = await world.request('POST', '/api/campaigns', call)
  expect([later.status, later.body.campaign.id]).toEqual([200, first.body.campaign.id])
  expect((await world.request('POST', '/api/campaigns', { ...call, headers: {} })).status).toBe(422)
})

test('a newer "Send to All" closes held messages of an earlier one for the same cart, but not those of campaigns', async () => {
  const shop = await createShop(world)
  const set = (paused: Date | null) =>
    world.db.updateTable('stores').set({ sending_paused_at: paused }).where('id', '=', shop.storeId).execute()
  const send = async (subject: string) => {
    const body = { subject, htmlContent: campaignContent.body }
    return (await callCampaigns(world, shop, 'POST', '/send-to-abandoned-carts', body)).body.campaign.id as string
  }
  await set(world.now)
  const campaign = (await createCampaign(world, shop, { schedule: { startDate: formatStoreDate(world, 3) } })).id
  await callCampaigns(world, shop, 'POST', `/${campaign}/send-now`)
  const earlier = await send('Earlier')
  await runTick(world, shop)
  expect(await listCampaignStates(world, earlier)).toEqual(['1 held(sending_paused)'])
  world.advance(1_000)
  const newer = await send('Newer')
  await set(null)
  await world.db.updateTable('messages').set({ wake_at: world.now }).where('store_id', '=', shop.storeId).execute()
  await runTick(world, shop)
  expect(await listCampaignStates(world, earlier)).toEqual(['1 skipped(superseded)'])
  expect(await listCampaignStates(world, newer)).toEqual(['1 sent'])
  expect(await listCampaignStates(world, campaign)).toEqual(['1 sent'])
})
