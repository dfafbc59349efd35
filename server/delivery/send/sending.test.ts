import { beforeEach, expect, test } from 'vitest'
import type { PlanKey, SubscriptionStatus } from '../../../shared/billing/billing.ts'
import { buildOrder } from '../../../test/factories.ts'
import { createShop, grantConsent, postWithWorker, takeGermanPhone } from '../../../test/manual-send-scene.ts'
import { createMessageScene, DAY, HOUR, passTime, readMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// The messages sent on each plan in each billing status (decisions 6, 86 and 121), through the real engine.

const world = createWorld()

beforeEach(() => {
  world.textChannels.sms = true
  world.texts.length = 0
  world.sent.length = 0
})

interface Bought {
  plan: PlanKey | null
  status?: SubscriptionStatus
  days?: number
}

/** `days`: how long the payment has been past due. */
async function set(accountId: string, { plan, status = 'active', days = 0 }: Bought): Promise<void> {
  await world.db.deleteFrom('subscriptions').where('account_id', '=', accountId).execute()
  if (!plan) return
  const past_due_since = status === 'past_due' ? new Date(world.now.getTime() - days * DAY) : null
  await world.db
    .insertInto('subscriptions')
    .values({ account_id: accountId, plan, status, past_due_since, updated_at: world.now })
    .execute()
}

const SENT = 'sent'
const LIMIT = 'held plan_limit'
const PART = 'held plan_required'

const cases: [bought: Bought, mail: string, flowText: string, manualText: string | null][] = [
  [{ plan: null }, LIMIT, PART, 'plan_required'],
  [{ plan: 'free' }, SENT, PART, 'plan_required'],
  [{ plan: 'starter' }, SENT, PART, null],
  [{ plan: 'starter', status: 'trialing' }, SENT, PART, null],
  [{ plan: 'starter', status: 'past_due', days: 6 }, SENT, PART, null],
  [{ plan: 'starter', status: 'past_due', days: 8 }, LIMIT, PART, 'plan_limit'],
  [{ plan: 'starter', status: 'canceled' }, SENT, PART, 'plan_required'],
  [{ plan: 'growth' }, SENT, SENT, null],
  [{ plan: 'growth', status: 'trialing' }, SENT, SENT, null],
  [{ plan: 'growth', status: 'past_due', days: 6 }, SENT, SENT, null],
  [{ plan: 'growth', status: 'past_due', days: 8 }, LIMIT, LIMIT, 'plan_limit'],
  [{ plan: 'growth', status: 'canceled' }, SENT, PART, 'plan_required'],
]

const readFirst = async (storeId: string) => {
  const { state, reason } = (await readMessages(world, storeId))[0]!
  return [state, reason].filter(Boolean).join(' ')
}

test.each(cases)('%j: an email of a flow is %s', async (bought, mail) => {
  const { storeId, accountId } = await createMessageScene(world, 1)
  await set(accountId, bought)
  await passTime(world, storeId, HOUR)
  expect(await readFirst(storeId)).toBe(mail)
  expect(world.sent).toHaveLength(mail === SENT ? 1 : 0)
})

test.each(cases)('%j: an SMS of a flow: %s, %s', async (bought, _mail, flowText) => {
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T09:00:00Z`)
  const scene = await createMessageScene(world, 0)
  await world.db.updateTable('flow_steps').set({ channel: 'sms' }).where('store_id', '=', scene.storeId).execute()
  const order = buildOrder(world, { country: 'DE', phone: takeGermanPhone() })
  await recordOrders(world.deps, scene.storeId, [order], 'sync')
  await grantConsent(world, scene, order)
  await set(scene.accountId, bought)
  await passTime(world, scene.storeId, HOUR)
  expect(await readFirst(scene.storeId)).toBe(flowText)
  expect(world.texts).toHaveLength(flowText === SENT ? 1 : 0)
})

test.each(cases)('%j: an SMS that a member sends: %s, %s, refused by %s', async (bought, _mail, _flow, refusal) => {
  const shop = await createShop(world)
  await set(shop.accountId, bought)
  const reply = await postWithWorker(world, shop, '/api/sms/send-reminder', { cartId: shop.cartIds[0] })
  expect(world.texts).toHaveLength(refusal ? 0 : 1)
  expect(reply.status).toBe(refusal ? 403 : 200)
  if (refusal) expect(reply.body.fields?.reason ?? reply.body.code).toBe(refusal)
})

test('messages held for an overdue payment are sent once the plan is paid', async () => {
  const { storeId, accountId, token } = await createMessageScene(world, 1)
  await set(accountId, { plan: 'growth', status: 'past_due', days: 8 })
  await passTime(world, storeId, HOUR)
  expect(await readFirst(storeId)).toBe(LIMIT)
  await world.request('POST', '/api/subscribe/manual-update', { token, body: { planKey: 'growth' } })
  await passTime(world, storeId, 1_000)
  expect(await readFirst(storeId)).toBe(SENT)
})
