import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { runCampaigns } from '../server/marketing/campaigns/runs.ts'
import { wakeDueStores } from '../server/messages/messages/scan.ts'
import type { CampaignView } from '../shared/marketing/campaigns.ts'
import { completeOrderCheck } from './factories.ts'
import type { Shop } from './manual-send-scene.ts'
import type { Reply, World } from './world.ts'

// Test support: campaigns of a store, and a tick that runs them.

export const campaignContent = {
  subject: 'Your cart',
  body: 'Hi {{ customer_name }}: {{ cart_items }} {{ checkout_link }}',
}

/** For customers selected individually, who may have no cart. */
export const contentWithoutCart = { subject: 'News', body: 'Hi {{ customer_name }}, we have new pots.' }

/** In the store's time zone; the test stores are in New York. */
export const formatStoreDate = (world: World, days = 0) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(world.now.getTime() + days * 86_400_000)

/** Targets all abandoned carts and starts at once. */
export const buildCampaignInput = (world: World, body: object = {}) => ({
  name: 'Spring',
  type: 'email',
  targetAudience: { mode: 'matching' },
  content: campaignContent,
  schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00' },
  ...body,
})

export const callCampaigns = (
  world: World,
  { token }: Pick<Shop, 'token'>,
  method: string,
  path: string,
  body?: object,
) => world.request(method, `/api/campaigns${path}`, { token, ...(body && { body }) })

export const requestCampaign = (world: World, shop: Pick<Shop, 'token'>, body: object = {}): Promise<Reply> =>
  callCampaigns(world, shop, 'POST', '', buildCampaignInput(world, body))

export async function createCampaign(
  world: World,
  shop: Pick<Shop, 'token'>,
  body: object = {},
): Promise<CampaignView> {
  const reply = await requestCampaign(world, shop, body)
  if (reply.status !== 200) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`)
  return reply.body.campaign
}

export async function readCampaign(world: World, shop: Pick<Shop, 'token'>, id: string): Promise<CampaignView> {
  return (await callCampaigns(world, shop, 'GET', `/${id}`)).body.campaign
}

/** Does everything the worker does in one tick, with a fresh order check. */
export async function runTick(world: World, { storeId }: Pick<Shop, 'storeId'>, ms = 0): Promise<void> {
  world.advance(ms)
  await completeOrderCheck(world, storeId)
  await detectAbandoned(world.deps)
  await runCampaigns(world.deps)
  await world.runJobs()
  await wakeDueStores(world.deps)
  await world.runJobs()
  await runCampaigns(world.deps)
}

/** Creates a campaign whose messages are planned and due; none is sent yet. */
export async function createDueCampaign<T extends Shop>(
  world: World,
  shop: T,
  body: object = {},
): Promise<T & { campaignId: string }> {
  const { id: campaignId } = await createCampaign(world, shop, body)
  await runCampaigns(world.deps)
  await world.runJobs()
  await completeOrderCheck(world, shop.storeId)
  return { ...shop, campaignId }
}

export const readCampaignMessages = (world: World, id: string) =>
  world.db.selectFrom('messages').selectAll().where('origin_id', '=', id).orderBy('step').orderBy('id').execute()

/** Lists run, state and reason of each message. */
export async function listCampaignStates(world: World, id: string): Promise<string[]> {
  const rows = await readCampaignMessages(world, id)
  return rows.map(({ step, state, reason }) => `${step} ${state}${reason ? `(${reason})` : ''}`).sort()
}
