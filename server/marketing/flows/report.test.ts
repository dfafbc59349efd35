import { expect, test } from 'vitest'
import { buildSavedSteps } from '../../../test/flow-edits.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { countFigures } from '../../insights/analytics/figures.ts'
import { foldFlowCounts, reportFlow } from './report.ts'

// The report of a flow (decision 57).

const world = createWorld()

const ada = { email: 'ada@shoppers.example.com', firstName: 'Ada' }

test('the report counts planned, sent, clicked, purchased and unsent messages of each step', async () => {
  const shop = await createShop(world)
  await shop.fill('one', [buildTea(2)])
  await shop.type('one', ada)
  await shop.passTime(HOUR)
  await shop.press((await shop.messages()).find(({ state }) => state === 'sent')!.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 4_200 })
  await countFigures(world.deps)
  const store = { storeId: shop.storeId, db: world.db }
  const read = () => reportFlow(world.deps, store, shop.flowId, 7)
  const { steps, currency } = await read()
  expect(currency).toBe('USD')
  expect(steps.map(({ planned, sent, clicked, orders }) => [planned, sent, clicked, orders])).toEqual([
    [1, 1, 1, 1],
    [1, 0, 0, 0],
    [1, 0, 0, 0],
  ])
  // The flow list shows the same counts of all days.
  const { flows } = (await world.request('GET', '/api/flows', { token: shop.token })).body
  expect(flows[0].responses.clicked).toBe(1)
  expect(steps[0]).toMatchObject({ step: 1, revenue: 42, revenuePerRecipient: 42, delivered: null, skipped: [] })
  expect(steps[1]).toMatchObject({
    revenuePerRecipient: null,
    skipped: [{ reason: 'purchased', explanation: expect.stringContaining('has bought'), count: 1 }],
  })
  // Messages planned and closed before the report's days do not count.
  await world.pool.query(
    `insert into flow_counts (store_id, flow_id, step_id, day, reason, change, is_folded)
    select $1, $2, $3, $4::timestamptz::date - 7, r, 5, f from unnest('{"",purchased}'::text[]) r, unnest('{true,false}'::boolean[]) f`,
    [shop.storeId, shop.flowId, steps[1]!.stepId, world.now],
  )
  expect((await read()).steps).toEqual(steps)
  const [, longer] = (await reportFlow(world.deps, store, shop.flowId, 30)).steps
  expect([longer!.planned, longer!.skipped[0]!.count]).toEqual([11, 11])
  // Folding changes no figure.
  for (let twice = 0; twice < 2; twice++) await foldFlowCounts(world.deps)
  expect((await read()).steps).toEqual(steps)
})

test('the report keeps a removed step with its sent messages under its own name', async () => {
  const shop = await createShop(world, { plan: 'starter' })
  await shop.fill('one', [buildTea(2)])
  await shop.type('one', ada)
  await shop.passTime(HOUR)
  const { flows } = (await world.request('GET', '/api/flows', { token: shop.token })).body
  const steps = buildSavedSteps(flows[0].steps.slice(1), () => ({}))
  await world.request('PUT', `/api/flows/${shop.flowId}`, { token: shop.token, body: { name: 'R', steps } })
  await countFigures(world.deps)
  const { body } = await world.request('GET', `/api/flows/${shop.flowId}/report?days=30`, { token: shop.token })
  expect(body.report.steps.map(({ step, sent }: { step: number; sent: number }) => [step, sent])).toEqual([
    [1, 0],
    [2, 0],
    [null, 1],
  ])
  // Analytics does not assign them to the step that has its place now.
  const { origins } = (await shop.get('/api/analytics/details?range=30d')).body
  const rates = origins.map(({ name, accepted }: { name: string; accepted: number }) => [name, accepted])
  expect(rates).toEqual([['R, First reminder (removed)', 1]])
})

test('the report reports deliveries for channels that report them, and the number of emails otherwise', async () => {
  const shop = await createShop(world)
  const store = { storeId: shop.storeId, db: world.db }
  const [first] = (await reportFlow(world.deps, store, shop.flowId, 30)).steps
  for (const [channel, accepted, delivered] of [
    ['email', 5, 0],
    ['sms', 3, 2],
  ])
    await world.pool.query(
      `insert into message_figures (store_id, day, channel, origin_kind, origin_id, step_id, from_hour, currency, accepted, delivered, opened, machine_opened,
        clicked, credited, bounced, unsubscribed, complained, attributed_minor, discount_minor, cost_micros)
      values ($1, $2::timestamptz::date, $3, 'flow', $4, $5, 0, '', $6, $7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
      [shop.storeId, world.now, channel, shop.flowId, first!.stepId, accepted, delivered],
    )
  await world.pool.query(
    `insert into flow_figures (store_id, flow_id, day, step_id, variant_id, currency, accepted, delivered, clicked, credited, unsubscribed, attributed_minor)
    select store_id, origin_id, day, step_id, variant_id, '', sum(accepted), sum(delivered), 0, 0, 0, 0 from message_figures where store_id = $1
    group by 1, 2, 3, 4, 5`,
    [shop.storeId],
  )
  const [sent, waiting] = (await reportFlow(world.deps, store, shop.flowId, 30)).steps
  expect(sent).toMatchObject({ sent: 8, delivered: 2, reporting: 3 })
  expect(waiting).toMatchObject({ sent: 0, delivered: null, reporting: 0 })
})

test('the report compares a variant with the first only once enough shoppers have bought', async () => {
  const shop = await createShop(world)
  const { flows } = (await world.request('GET', '/api/flows', { token: shop.token })).body
  const [first] = flows[0].steps
  const other = createId()
  const store = { storeId: shop.storeId, db: world.db }
  const figures = async (variantId: string, accepted: number, credited: number, at = world.now) => {
    await world.pool.query(
      `insert into flow_figures (store_id, flow_id, day, step_id, variant_id, currency, accepted, delivered, clicked, credited, unsubscribed,
        attributed_minor)
      values ($1, $3, $2::timestamptz::date, $4, $5, '', $6, 0, 0, $7, 0, 0)
      on conflict (store_id, flow_id, day, step_id, variant_id, currency) do update
        set accepted = excluded.accepted, credited = excluded.credited`,
      [shop.storeId, at, shop.flowId, first.id, variantId, accepted, credited],
    )
  }
  await world.pool.query(
    `insert into flow_variants (store_id, flow_id, step_id, id, place, share_percent) values ($1, $2, $3, $3, 1, 50), ($1, $2, $3, $4, 2, 50)`,
    [shop.storeId, shop.flowId, first.id, other],
  )
  const compared = async () => {
    const [step] = (await reportFlow(world.deps, store, shop.flowId, 30)).steps
    return { needed: step!.purchasesNeeded, of: step!.variants.map(({ comparison }) => comparison) }
  }
  await figures(first.id, 500, 9)
  await figures(other, 500, 60)
  expect(await compared()).toEqual({ needed: 10, of: [null, null] })
  await figures(first.id, 500, 20)
  const report = await compared()
  expect(report).toMatchObject({ needed: null, of: [null, { excludesZero: true }] })
  expect(report.of[1]!.lower).toBeGreaterThan(0)
  await figures(other, 500, 21)
  expect((await compared()).of[1]).toMatchObject({ excludesZero: false })
  // The comparison is valid at any time since the split began, so it covers all days, not only those of the report.
  const longAgo = new Date(world.now.getTime() - 200 * DAY)
  await figures(first.id, 2_000, 80, longAgo)
  await figures(other, 2_000, 240, longAgo)
  const [step] = (await reportFlow(world.deps, store, shop.flowId, 7)).steps
  expect(step!.variants.map(({ people, bought }) => [people, bought])).toEqual([
    [500, 20],
    [500, 21],
  ])
  const { lower, upper } = step!.variants[1]!.comparison!
  expect((lower + upper) / 2).toBeCloseTo(100 * ((240 + 21 - 80 - 20) / 2_500), 9)
})
