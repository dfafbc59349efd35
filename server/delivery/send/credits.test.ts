import { beforeEach, describe, expect, test } from 'vitest'
import { plans } from '../../../shared/billing/billing.ts'
import { buildOrder } from '../../../test/factories.ts'
import { grantConsent, takeGermanPhone } from '../../../test/manual-send-scene.ts'
import { createMessageScene, HOUR, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { addCredits } from '../../billing/credits/credits.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// Credits pay for texts beyond the plan and are refunded for unsent texts (decision 85).

const world = createWorld()
const PRICE = 15_000
let answerText: typeof world.answerText
beforeEach(() => {
  answerText ??= world.answerText
  world.answerText = answerText
  world.textCredits = { perMille: 1_500 }
  world.texts.length = 0
})

/** A German shopper whose cart gets an SMS after an hour, of an account that has used `used` of its plan. */
async function createTextFlow({
  plan = 'growth' as 'free' | 'starter' | 'growth',
  used = plans.growth.limits.maxSmsPerMonth,
} = {}) {
  world.now = new Date(`${new Date(world.now.getTime() + 86_400_000).toISOString().slice(0, 10)}T09:00:00Z`)
  const scene = await createMessageScene(world, 0, { plan })
  await world.db.updateTable('flow_steps').set({ channel: 'sms' }).where('store_id', '=', scene.storeId).execute()
  const counter = {
    account_id: scene.accountId,
    month: `${world.now.toISOString().slice(0, 7)}-01`,
    channel: 'sms' as const,
  }
  await world.db
    .insertInto('plan_usage')
    .values({ ...counter, used })
    .execute()
  const order = buildOrder(world, { country: 'DE', phone: takeGermanPhone() })
  await recordOrders(world.deps, scene.storeId, [order], 'sync')
  await grantConsent(world, scene, order)
  return scene
}
type Scene = Awaited<ReturnType<typeof createTextFlow>>

const fill = ({ accountId }: Scene, micros: number) =>
  addCredits({ accountId, db: world.db }, { kind: 'test', micros }, world.now)
const readFirst = async ({ storeId }: Scene) => (await readMessages(world, storeId))[0]!
const ledger = async ({ accountId }: Scene) => {
  const rows = await world.db
    .selectFrom('credit_entries')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('seq')
    .execute()
  return rows.map(({ kind, micros }) => [kind, micros])
}
const used = async ({ accountId }: Scene) =>
  (
    await world.db
      .selectFrom('plan_usage')
      .select('used')
      .where('account_id', '=', accountId)
      .where('channel', '=', 'sms')
      .executeTakeFirstOrThrow()
  ).used

describe('a text beyond the plan', () => {
  test('is held without credits and sent after the next purchase of credits', async () => {
    const scene = await createTextFlow()
    await passTime(world, scene.storeId, HOUR)
    expect(await readFirst(scene)).toMatchObject({ state: 'held', reason: 'plan_limit' })
    await fill(scene, PRICE)
    await passTime(world, scene.storeId, MINUTE)
    expect(await readFirst(scene)).toMatchObject({ state: 'sent' })
    expect(await ledger(scene)).toEqual([
      ['test', PRICE],
      ['use', -PRICE],
    ])
    // It uses no plan message.
    expect(await used(scene)).toBe(plans.growth.limits.maxSmsPerMonth)
  })

  test('is held when the balance is a millionth too low', async () => {
    const scene = await createTextFlow()
    await fill(scene, PRICE - 1)
    await passTime(world, scene.storeId, HOUR)
    expect(await readFirst(scene)).toMatchObject({ state: 'held', reason: 'plan_limit' })
    expect(world.texts).toEqual([])
  })

  test('is never paid with credits when the account uses its own provider', async () => {
    const scene = await createTextFlow()
    world.textCredits = null
    await fill(scene, 10 * PRICE)
    await passTime(world, scene.storeId, HOUR)
    expect(await readFirst(scene)).toMatchObject({ state: 'held', reason: 'plan_limit' })
  })

  test('is not unlocked by credits when the plan includes no texts', async () => {
    for (const plan of ['free', 'starter'] as const) {
      const scene = await createTextFlow({ plan, used: 0 })
      await fill(scene, 10 * PRICE)
      await passTime(world, scene.storeId, HOUR)
      expect(await readFirst(scene)).toMatchObject({ state: 'held', reason: 'plan_required' })
    }
  })

  test('uses the plan first, and no credits when the plan is unlimited', async () => {
    const within = await createTextFlow({ used: 0 })
    await fill(within, PRICE)
    await passTime(world, within.storeId, HOUR)
    expect([await ledger(within), await used(within)]).toEqual([[['test', PRICE]], 1])
    const without = await createTextFlow()
    await world.db
      .updateTable('subscriptions')
      .set({ is_unlimited: true })
      .where('account_id', '=', without.accountId)
      .execute()
    await fill(without, PRICE)
    await passTime(world, without.storeId, HOUR)
    expect((await readFirst(without)).state).toBe('sent')
    expect(await ledger(without)).toEqual([['test', PRICE]])
  })
})

describe('a credit payment', () => {
  test('is refunded on proof of non-acceptance and charged once when the retry is sent', async () => {
    const scene = await createTextFlow()
    await fill(scene, PRICE)
    world.answerText = () => ({ kind: 'retry', reason: '429', response: 'later' })
    await passTime(world, scene.storeId, HOUR)
    expect(await ledger(scene)).toEqual([
      ['test', PRICE],
      ['use', -PRICE],
      ['give_back', PRICE],
    ])
    world.answerText = answerText
    await passTime(world, scene.storeId, HOUR)
    expect(await readFirst(scene)).toMatchObject({ state: 'sent' })
    expect((await ledger(scene)).map(([kind]) => kind)).toEqual(['test', 'use', 'give_back', 'use'])
    expect(await used(scene)).toBe(plans.growth.limits.maxSmsPerMonth)
  })

  test('is refunded after a rejection and kept when no reply came', async () => {
    const refused = await createTextFlow()
    await fill(refused, PRICE)
    world.answerText = () => ({ kind: 'rejected', reason: '30005', response: 'no', isRecipientFault: true })
    await passTime(world, refused.storeId, HOUR)
    expect((await ledger(refused)).map(([kind]) => kind)).toEqual(['test', 'use', 'give_back'])
    const silent = await createTextFlow()
    await fill(silent, PRICE)
    world.answerText = () => ({ kind: 'unknown', reason: 'timeout', response: 'none' })
    await passTime(world, silent.storeId, HOUR)
    expect((await ledger(silent)).map(([kind]) => kind)).toEqual(['test', 'use'])
  })

  test('is fixed at the send and ignores later charges of the provider', async () => {
    const scene = await createTextFlow()
    await fill(scene, PRICE)
    world.answerText = (text) => ({
      kind: 'accepted',
      providerId: `t-${text.messageId}`,
      response: 'queued',
      segments: 3,
      cost: { amountMicros: 99_000, currency: 'USD' },
    })
    await passTime(world, scene.storeId, HOUR)
    expect(await readFirst(scene)).toMatchObject({ cost_micros: 99_000 })
    expect(await ledger(scene)).toEqual([
      ['test', PRICE],
      ['use', -PRICE],
    ])
  })
})
