import { beforeEach, describe, expect, test } from 'vitest'
import type { ExperimentsReply } from '../../../shared/carts/experiments.ts'
import { assignArm, insertExperiment } from '../../../test/experiment-scene.ts'
import { buildTea, createShop, DAY, HOUR, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { describeBefore, describeMeasure } from '../../../web/features/lift/copy.ts'
import { countChanges } from '../../insights/analytics/figures.ts'
import { countExperiments } from './experiments.ts'

// The owner's view before, during and after an experiment (decisions 59 to 61, 63).

const world = createWorld()
let shop: Shop
let n = 0
const newEmail = () => `view${++n}@shoppers.example.com`

beforeEach(async () => {
  shop = await createShop(world)
})

const ask = async (method: 'GET' | 'POST' | 'PUT', path = '', body?: object) => {
  await shop.staySignedIn()
  return world.request(method, `/api/experiments${path}`, { token: shop.token, ...(body && { body }) })
}
const read = async (): Promise<ExperimentsReply> => {
  const { status, body } = await ask('GET')
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

interface Day {
  people: [treated: number, control: number]
  purchases: [treated: number, control: number]
  eachMinor?: number
}

/** Shoppers with a closed window, as sums. */
async function insertClosed(experimentId: string, { people, purchases, eachMinor = 5_000 }: Day, day = '2026-06-01') {
  const of = { store_id: shop.storeId, experiment_id: experimentId, day, overridden: 0, left_out: 0 }
  await world.db
    .insertInto('experiment_days')
    .values(
      (['treated', 'control'] as const).map((arm, place) => ({
        ...of,
        arm,
        people: people[place]!,
        purchases: purchases[place]!,
        net_minor: purchases[place]! * eachMinor,
        net_squares: String(purchases[place]! * eachMinor ** 2),
      })),
    )
    .execute()
}

/** Shoppers with a contact and an abandoned cart in the last weeks; the first ones bought. */
async function insertAbandoners(count: number, bought: number) {
  for (let person = 0; person < count; person++) {
    const email = newEmail()
    await shop.fill(`b${n}`, [buildTea()])
    await shop.type(`b${n}`, { email })
  }
  await shop.passTime(HOUR)
  const carts = (await shop.carts()).slice(0, bought + 1)
  for (const { email } of carts.slice(0, bought)) await shop.order({ kind: 'purchase', email: email! })
  // One more requests a quote.
  const quote = { kind: 'purchase', status: 'quote', paidAt: null, amount: 'if_counted' } as const
  for (const { email } of carts.slice(bought)) await shop.order({ ...quote, email: email! })
}

describe('before the start (decision 60)', () => {
  test('shows the number of shoppers with a contact and an abandoned cart, and how many bought', async () => {
    await insertAbandoners(20, 10)
    await shop.fill('nobody', [buildTea()])
    await shop.passTime(HOUR)
    const known = await read()
    expect(known.pace).toEqual({ people: 20, boughtPercent: 50, assumedPercent: 5, rate: 0.5 })
    expect(known.proposedPercent).toBe(50)
    expect([known.running, known.past]).toEqual([null, []])
    expect(describeBefore(known)).toContain('You have about 20 reachable shoppers a month')
  })

  test('ignores carts of a month ago, and states that the store has none', async () => {
    await insertAbandoners(3, 0)
    await shop.passTime(31 * DAY)
    const known = await read()
    expect(known.pace).toMatchObject({ people: 0, boughtPercent: null, rate: 0.05 })
  })
})

describe('during the experiment', () => {
  test('on day 1 shows when the first shoppers will be counted', async () => {
    expect((await ask('POST', '', { sharePercent: 50 })).status).toBe(200)
    const { running } = await read()
    expect(running).toMatchObject({
      sharePercent: 50,
      windowDays: 8,
      people: { treated: 0, control: 0 },
      endedAt: null,
      health: 'few',
      conversion: { state: 'few' },
      revenue: { state: 'few', missing: null },
      cost: null,
      capAmount: null,
    })
    expect(describeMeasure(running!, 'conversion')).toContain('No shoppers are counted yet')
  })

  test('on day 30 with 300 shoppers a month shows the missing number by the pace so far', async () => {
    const id = await insertExperiment(world, shop.storeId, 5_000)
    await insertClosed(id, { people: [110, 110], purchases: [9, 5] })
    await shop.passTime(30 * DAY)
    const { running } = await read()
    // 220 shoppers in 30 days: five more purchases of the control group need 220 more.
    expect(running!.conversion.missing).toEqual({ people: 220, days: 30 })
    expect(describeMeasure(running!, 'conversion')).toBe(
      'Not enough data yet: about 220 more shoppers (≈ 30 days at your pace).',
    )
  })

  test('with enough purchases shows the interval and no other result', async () => {
    const id = await insertExperiment(world, shop.storeId, 5_000)
    await insertClosed(id, { people: [900, 900], purchases: [60, 40] })
    const { running } = await read()
    expect(running!.conversion).toMatchObject({ state: 'unseen', planned: null })
    expect(running!.revenue.state).toBe('few')
    expect(running!.cost).toBeNull()
    expect(describeMeasure(running!, 'conversion')).toContain('No difference proven. If there is one')
  })

  test('shows amounts in whole units, and the cost of the control group as the same difference', async () => {
    const id = await insertExperiment(world, shop.storeId, 5_000)
    await insertClosed(id, { people: [3_000, 3_000], purchases: [450, 300] })
    const { running } = await read()
    expect(running!.revenue.state).toBe('more')
    // 150 more of 3,000 at 50 each.
    const { low, high } = running!.revenue.anytime!
    expect((low + high) / 2).toBeCloseTo(7_500, 4)
    expect(running!.cost).toEqual(running!.revenue.anytime)
    expect(running!.capAmount).toBe(1_000)
  })

  test('another share keeps the first result, and stopping keeps the findings', async () => {
    const id = await insertExperiment(world, shop.storeId, 5_000)
    await insertClosed(id, { people: [900, 900], purchases: [60, 40] })
    world.advance(DAY)
    const changed: ExperimentsReply = (await ask('PUT', '/running', { sharePercent: 20, days: 60 })).body
    expect(changed.running).toMatchObject({ sharePercent: 20, people: { treated: 0, control: 0 } })
    expect(changed.past).toMatchObject([{ id, endReason: 'changed', conversion: { state: 'unseen' } }])
    const stopped = await ask('POST', '/running/stop')
    expect(stopped.body).toMatchObject({ running: null, past: [{ endReason: 'stopped' }, { id }] })
    expect((await ask('POST', '/running/stop')).status).toBe(409)
    expect((await ask('POST', '', { sharePercent: 51 })).status).toBe(400)
  })
})

test('on the planned day, day 180, its own interval is shown beside the other', async () => {
  const id = await insertExperiment(world, shop.storeId, 5_000)
  await insertClosed(id, { people: [900, 900], purchases: [90, 60] })
  await shop.passTime(180 * DAY)
  const { running, past } = await read()
  expect(running).toBeNull()
  expect(past[0]).toMatchObject({ endReason: 'planned', conversion: { state: 'more' } })
  const { planned, anytime } = past[0]!.conversion
  expect([planned!.low > 0, anytime!.low < 0]).toEqual([true, true])
  expect(describeMeasure(past[0]!, 'conversion', 'planned')).toContain('Your messages caused')
})

test('the planned interval is not shown while shoppers are still to be counted, because it may be shown once', async () => {
  const id = await insertExperiment(world, shop.storeId, 5_000, { days: 9 })
  await insertClosed(id, { people: [900, 900], purchases: [90, 60] })
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email: newEmail() })
  await assignArm(world, shop.storeId, 'treated')
  world.advance(9 * DAY + HOUR)
  await countExperiments(world.deps)
  const early = (await read()).past[0]!
  expect(early).toMatchObject({ endReason: 'planned', conversion: { state: 'unseen', planned: null } })
  // The store's orders are read.
  await shop.passTime(HOUR)
  await countExperiments(world.deps)
  const { people, conversion } = (await read()).past[0]!
  expect([people, conversion.planned !== null]).toEqual([{ treated: 901, control: 900 }, true])
})

test('shoppers missing from a group raise a permanent alarm (decision 61)', async () => {
  const id = await insertExperiment(world, shop.storeId, 5_000)
  await insertClosed(id, { people: [9_000, 7_500], purchases: [60, 40] })
  // The next counted shopper triggers the next check.
  await world.db
    .insertInto('assignments')
    .values({
      store_id: shop.storeId,
      experiment_id: id,
      id: shop.storeId,
      shopper_id: shop.userId,
      arm: 'treated',
      at: world.now,
      window_ends_at: new Date(world.now.getTime() + DAY),
    })
    .execute()
  await shop.passTime(2 * DAY)
  await countExperiments(world.deps)
  expect((await read()).running!.health).toBe('off')
  await insertClosed(id, { people: [0, 1_500], purchases: [0, 0] }, '2026-06-02')
  expect((await read()).running!.health).toBe('off')
})

test('shoppers with an open window are shown as still to be counted', async () => {
  await insertExperiment(world, shop.storeId, 1)
  await shop.mailed({ email: newEmail() })
  await countExperiments(world.deps)
  expect((await read()).running).toMatchObject({ waiting: { treated: 1, control: 0 }, people: { treated: 0 } })
})

test('attributed revenue of the same days is shown beside it on every plan (decision 63)', async () => {
  await insertExperiment(world, shop.storeId, 1)
  const message = await shop.mailed({ email: newEmail() })
  await shop.press(message.id)
  await shop.order({ kind: 'purchase', email: message.to_address!, totalMinor: 12_300 })
  await countChanges({ storeId: shop.storeId, db: world.db }, world.now)
  expect((await read()).running!.attributedAmount).toBe(123)
  await shop.passTime(2 * DAY)
  await shop.order({ kind: 'purchase', email: message.to_address!, totalMinor: 1_000 })
  await shop.passTime(DAY)
  await countChanges({ storeId: shop.storeId, db: world.db }, world.now)
  expect((await read()).running!.attributedAmount).toBe(133)
})

test('an order on the first day before the start is not part of the attributed revenue', async () => {
  const message = await shop.mailed({ email: newEmail() })
  await shop.press(message.id)
  await shop.order({ kind: 'purchase', email: message.to_address!, totalMinor: 12_300 })
  world.advance(HOUR / 60)
  await insertExperiment(world, shop.storeId, 5_000)
  await countChanges({ storeId: shop.storeId, db: world.db }, world.now)
  expect((await read()).running!.attributedAmount).toBe(0)
})
