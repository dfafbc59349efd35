import { expect, test } from 'vitest'
import { buildAddress, createCouponShop } from '../../../test/coupon-scene.ts'
import { assignArm, insertExperiment, readAssignments } from '../../../test/experiment-scene.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { transact } from '../../core/db/db.ts'
import {
  changeExperiment,
  countExperiments,
  recountExperiments,
  startExperiment,
  stopExperiment,
} from './experiments.ts'
import { anonymizeShoppers } from './outcomes-sql.ts'
import { insertAssignments as assign } from './sql.ts'

// Assignment of shoppers, their results and the sums (decisions 58 and 61).

const world = createWorld()
let n = 0
const newEmail = () => `eva${++n}@shoppers.example.com`

const toHandle = ({ storeId }: { storeId: string }) => ({ storeId, db: world.db })
const experiments = (storeId: string) =>
  world.db.selectFrom('experiments').selectAll().where('store_id', '=', storeId).orderBy('started_at').execute()
const people = (storeId: string) =>
  world.db.selectFrom('assignments').selectAll().where('store_id', '=', storeId).orderBy('at').orderBy('id').execute()
const days = (storeId: string) =>
  world.db
    .selectFrom('experiment_days')
    .select(['arm', 'day', 'people', 'purchases', 'net_minor', 'net_squares', 'overridden', 'left_out'])
    .where('store_id', '=', storeId)
    .orderBy('day')
    .orderBy('arm')
    .execute()

/** Counts after all windows are over. */
async function counted(shop: Pick<Shop, 'passTime' | 'storeId'>, after = 9 * DAY) {
  await shop.passTime(after)
  await countExperiments(world.deps)
  return people(shop.storeId)
}

/** Buys the abandoned cart and abandons another. */
async function buyAndAbandonAnother(shop: Shop, email: string) {
  await shop.order({ kind: 'purchase', email })
  await shop.passTime(HOUR)
  await shop.fill('next', [pot])
  await shop.type('next', { email })
  await shop.passTime(2 * HOUR)
}

/** A shopper with a message, in an experiment with hardly any control group. */
async function createTreated(email = newEmail()) {
  const shop = await createShop(world)
  await insertExperiment(world, shop.storeId, 1)
  const message = await shop.mailed({ email })
  return { shop, email, message }
}

test('a shopper is assigned before the first message, with their identity at that time and a window', async () => {
  const { shop, email } = await createTreated()
  const [person] = await people(shop.storeId)
  expect(person).toMatchObject({ arm: 'treated', keys: [`email:${email}`], bought: null, closed_at: null })
  expect(person!.window_ends_at!.getTime() - person!.at.getTime()).toBe(8 * DAY)
})

test('shoppers are identified by email, phone and customer id, or without these by the carts of their own browser', async () => {
  const shop = await createShop(world)
  const experimentId = await insertExperiment(world, shop.storeId, 5_000)
  const [email, phone] = [newEmail(), '+4915112345678']
  await shop.fill('one', [buildTea()], { keys: [{ kind: 'cart', value: 'checkout:1' }] })
  await shop.fill('two', [pot], { keys: [{ kind: 'customer', value: '7' }] })
  await shop.type('two', { email, phone })
  const drawn = (await shop.carts()).map(({ shopper_id }) => ({ shopperId: shopper_id, arm: 'treated' as const }))
  await assign(toHandle(shop), drawn, { experimentId, now: world.now })
  const readKeys = async () => (await people(shop.storeId)).map(({ keys }) => [...keys].sort().join())
  expect((await readKeys()).sort()).toEqual(['cart:one', `customer:7,email:${email},phone:${phone}`])
  await shop.order({ kind: 'purchase', email: null, cartToken: 'one', totalMinor: 3_000 })
  await shop.order({ kind: 'purchase', email: null, cartToken: 'two', totalMinor: 4_000 })
  await counted(shop)
  expect(await days(shop.storeId)).toMatchObject([{ people: 2, purchases: 1, net_minor: 3_000 }])
})

test('an order counts net if it is not cancelled when the window is counted, and later changes do not matter', async () => {
  const { shop, email } = await createTreated()
  const purchase = await shop.order({ kind: 'purchase', email, totalMinor: 9_000, refundedMinor: 2_000 })
  const lost = await shop.order({ kind: 'purchase', email, totalMinor: 5_000 })
  const again = (order: typeof purchase, more: Parameters<Shop['order']>[0]) => {
    world.advance(MINUTE)
    return shop.order({ ...order, modifiedAt: world.now.toISOString(), ...more })
  }
  await again(lost, { kind: 'cancelled', status: 'cancelled' })
  await counted(shop)
  const sums = [{ people: 1, purchases: 1, net_minor: 7_000, net_squares: '49000000' }]
  expect(await days(shop.storeId)).toMatchObject(sums)
  await again(purchase, { kind: 'cancelled', status: 'cancelled' })
  await counted(shop, DAY)
  expect(await days(shop.storeId)).toMatchObject(sums)
  const other = await createTreated()
  const otherOrder = await other.shop.order({ kind: 'purchase', email: other.email })
  world.advance(MINUTE)
  await other.shop.order({ ...otherOrder, modifiedAt: world.now.toISOString(), kind: 'cancelled', status: 'cancelled' })
  await counted(other.shop)
  expect(await days(other.shop.storeId)).toMatchObject([{ people: 1, purchases: 0, net_minor: 0 }])
})

test('a request for a quote and a fully refunded order count in no arm until they have revenue (S4)', async () => {
  const { shop, email } = await createTreated()
  const quote = {
    kind: 'purchase',
    email,
    status: 'quote',
    paidAt: null,
    amount: 'if_counted',
    totalMinor: 5_000,
  } as const
  await shop.order(quote)
  await shop.order({ ...quote, totalMinor: 0 })
  await shop.order({ kind: 'purchase', email, status: 'rejected', paidAt: null, amount: 'none' })
  await shop.order({ kind: 'purchase', email, totalMinor: 5_000, refundedMinor: 5_000 })
  await counted(shop)
  expect(await days(shop.storeId)).toMatchObject([{ people: 1, purchases: 0, net_minor: 0 }])
})

test('a purchase with the same address counts once the window is over, net and capped, and a later one does not', async () => {
  const { shop, email } = await createTreated()
  await shop.order({ kind: 'purchase', email, totalMinor: 90_000, refundedMinor: 10_000 })
  await shop.order({ kind: 'purchase', email: email.toUpperCase().toLowerCase(), totalMinor: 50_000 })
  await shop.passTime(7 * DAY)
  await countExperiments(world.deps)
  expect(await days(shop.storeId)).toEqual([])
  await shop.passTime(2 * DAY)
  await shop.order({ kind: 'purchase', email, totalMinor: 1_000 })
  const [person] = await counted(shop, 0)
  // The cap is 1,000.
  expect(person).toMatchObject({ bought: true, net_minor: 100_000, keys: [] })
  expect(await days(shop.storeId)).toMatchObject([
    { arm: 'treated', people: 1, purchases: 1, net_minor: 100_000, net_squares: '10000000000', left_out: 0 },
  ])
})

test('a purchase with another email through our link counts for attribution, not for lift (decision 58)', async () => {
  const { shop, message } = await createTreated()
  expect((await shop.press(message.id)).status).toBe(200)
  world.advance(MINUTE)
  // The platform reports it for the same cart.
  await shop.order({ kind: 'purchase', email: newEmail(), cartToken: 'one' })
  expect(await shop.orders()).toMatchObject([{ message_id: message.id, shopper_id: message.shopper_id }])
  expect(await counted(shop)).toMatchObject([{ shopper_id: message.shopper_id, bought: false, net_minor: 0 }])
})

test('a purchase by another shopper with our code counts for attribution, not for lift (decision 58)', async () => {
  const shop = await createCouponShop(world)
  await insertExperiment(world, shop.storeId, 1)
  await shop.abandoned('ada')
  await shop.make()
  await shop.passTime(0)
  const sent = await shop.firstMessage()
  const [code] = await shop.codes()
  world.advance(10 * MINUTE)
  await shop.order({ kind: 'purchase', email: buildAddress('bob'), coupons: [code!.code] })
  expect(await shop.orders()).toMatchObject([{ message_id: sent.id }])
  expect((await counted(shop)).filter((each) => each.shopper_id === sent.shopper_id)).toMatchObject([{ bought: false }])
})

test('both arms are measured alike: an address learnt after the assignment counts in neither', async () => {
  const shop = await createShop(world)
  await insertExperiment(world, shop.storeId, 5_000)
  const [treated, control] = [newEmail(), newEmail()]
  for (const [browser, email] of [
    ['one', treated],
    ['two', control],
  ] as const) {
    await shop.fill(browser, [buildTea()])
    await shop.type(browser, { email })
  }
  await assignArm(world, shop.storeId, 'treated', { email: treated })
  await assignArm(world, shop.storeId, 'control', { email: control })
  for (const browser of ['one', 'two']) {
    const later = newEmail()
    await shop.type(browser, { email: later })
    await shop.order({ kind: 'purchase', email: later })
  }
  expect((await counted(shop)).map(({ arm, bought }) => [arm, bought]).sort()).toEqual([
    ['control', false],
    ['treated', false],
  ])
})

test('two merged shoppers stay two, each with their own orders', async () => {
  const shop = await createShop(world)
  await insertExperiment(world, shop.storeId, 5_000)
  const [mine, yours] = [newEmail(), newEmail()]
  await shop.fill('phone', [buildTea()])
  await shop.type('phone', { email: mine })
  await shop.fill('laptop', [pot])
  await shop.type('laptop', { email: yours })
  await assignArm(world, shop.storeId, 'treated', { email: mine })
  await assignArm(world, shop.storeId, 'control', { email: yours })
  await shop.type('laptop', { email: mine })
  expect(new Set((await people(shop.storeId)).map(({ shopper_id }) => shopper_id)).size).toBe(1)
  await shop.order({ kind: 'purchase', email: yours, totalMinor: 7_000 })
  const closed = await counted(shop)
  expect(closed.map(({ arm, bought, net_minor }) => [arm, bought, net_minor]).sort()).toEqual([
    ['control', true, 7_000],
    ['treated', false, 0],
  ])
})

test('an erased shopper stays as an anonymous row with their purchases', async () => {
  const { shop, email, message } = await createTreated()
  await shop.order({ kind: 'purchase', email, totalMinor: 4_200 })
  await transact(toHandle(shop), (tx) => anonymizeShoppers(tx, [message.shopper_id]))
  expect(await people(shop.storeId)).toMatchObject([{ arm: 'treated', keys: [], bought: true, closed_at: null }])
  // A second erasure finds no identity, and the stored result stays.
  await transact(toHandle(shop), (tx) => anonymizeShoppers(tx, [message.shopper_id]))
  await counted(shop)
  expect(await days(shop.storeId)).toMatchObject([{ people: 1, purchases: 1, net_minor: 4_200 }])
})

test('members and shoppers whose window was cut off are excluded from both arms', async () => {
  const { shop, email, message } = await createTreated()
  await shop.order({ kind: 'purchase', email })
  await world.db.updateTable('shoppers').set({ is_member: true }).where('id', '=', message.shopper_id).execute()
  await counted(shop)
  expect(await days(shop.storeId)).toMatchObject([{ people: 0, purchases: 0, left_out: 1 }])
  const other = await createTreated()
  await stopExperiment(world.deps, toHandle(other.shop))
  await counted(other.shop)
  expect(await days(other.shop.storeId)).toMatchObject([{ people: 0, left_out: 1 }])
})

test('no shopper is counted before the store’s orders were read, and after three days they are excluded', async () => {
  const { shop, email } = await createTreated()
  await shop.order({ kind: 'purchase', email })
  world.advance(9 * DAY)
  await countExperiments(world.deps)
  expect(await days(shop.storeId)).toEqual([])
  world.advance(2 * DAY)
  await countExperiments(world.deps)
  expect(await days(shop.storeId)).toMatchObject([{ people: 0, left_out: 1 }])
})

test('shoppers of the control group with a manual message are counted as such', async () => {
  const shop = await createShop(world)
  const email = newEmail()
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email })
  await assignArm(world, shop.storeId, 'control')
  await shop.passTime(HOUR)
  const body = { to: email, cart_id: (await shop.cart()).id, overrideHoldout: true }
  const reply = await postWithWorker(world, shop, '/api/email/send-email', body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  await counted(shop)
  expect(await days(shop.storeId)).toMatchObject([{ arm: 'control', people: 1, overridden: 1 }])
})

test('recomputed sums are equal, and counting twice changes nothing', async () => {
  const shop = await createShop(world)
  await insertExperiment(world, shop.storeId, 5_000)
  for (let person = 0; person < 12; person++) {
    const email = newEmail()
    await shop.fill(`b${person}`, [buildTea()])
    await shop.type(`b${person}`, { email })
    await assignArm(world, shop.storeId, person % 3 === 0 ? 'control' : 'treated', { email })
    if (person % 2 === 0) await shop.order({ kind: 'purchase', email, totalMinor: 1_000 * (person + 1) })
    if (person % 4 === 3) world.advance(DAY)
  }
  await counted(shop, 12 * DAY)
  const dayFigures = await days(shop.storeId)
  expect(dayFigures.reduce((sum, day) => sum + day.people, 0)).toBe(12)
  expect(dayFigures.reduce((sum, day) => sum + day.purchases, 0)).toBe(6)
  await countExperiments(world.deps)
  await recountExperiments(toHandle(shop))
  expect(await days(shop.storeId)).toEqual(dayFigures)
})

test('the window is fixed by the last step and the attribution window, the cap by earlier orders', async () => {
  const shop = await createShop(world)
  for (const totalMinor of [1_000, 2_000, 9_000]) await shop.order({ kind: 'purchase', email: newEmail(), totalMinor })
  await startExperiment(world.deps, toHandle(shop), { controlBps: 2_000, days: 90 })
  const [begun] = await experiments(shop.storeId)
  // Three days and five; ten times the median of three orders.
  expect(begun).toMatchObject({ control_bps: 2_000, window_days: 8, cap_minor: 20_000, cap_orders: 3, currency: 'USD' })
  expect(begun!.planned_end_at.getTime() - begun!.started_at.getTime()).toBe(90 * DAY)
  await expect(startExperiment(world.deps, toHandle(shop), { controlBps: 1_000, days: 90 })).rejects.toThrow(
    'already in use',
  )
})

test('a removed step does not extend the window', async () => {
  const shop = await createShop(world)
  await world.pool.query('update flow_steps set removed_at = $2 where store_id = $1 and step > 1', [
    shop.storeId,
    world.now,
  ])
  await startExperiment(world.deps, toHandle(shop), { controlBps: 2_000, days: 90 })
  // One hour plus five days of attribution is below the minimum.
  expect((await experiments(shop.storeId))[0]).toMatchObject({ window_days: 7 })
})

test('the cap of many orders is their 99th percentile', async () => {
  const shop = await createShop(world)
  const orders = Array.from({ length: 200 }, (_, index) => 100 * (index + 1))
  for (const totalMinor of orders) await shop.order({ kind: 'purchase', email: newEmail(), totalMinor })
  await startExperiment(world.deps, toHandle(shop), { controlBps: 2_000, days: 90 })
  expect((await experiments(shop.storeId))[0]).toMatchObject({ cap_minor: 19_800, cap_orders: 200 })
})

test('another share starts another experiment with new assignments, and the first result stays (decision 61)', async () => {
  const { shop, email } = await createTreated()
  await changeExperiment(world.deps, toHandle(shop), { controlBps: 5_000, days: 90 })
  expect((await experiments(shop.storeId)).map(({ control_bps, end_reason }) => [control_bps, end_reason])).toEqual([
    [1, 'changed'],
    [5_000, null],
  ])
  const drawnIn = async () => (await people(shop.storeId)).map(({ experiment_id }) => experiment_id)
  // The cart with a message continues, and its shopper is assigned for the next cart.
  await shop.passTime(23 * HOUR)
  expect(new Set(await drawnIn()).size).toBe(1)
  await buyAndAbandonAnother(shop, email)
  expect(new Set(await drawnIn()).size).toBe(2)
  await stopExperiment(world.deps, toHandle(shop))
  await expect(stopExperiment(world.deps, toHandle(shop))).rejects.toThrow('No control group')
})

test('a cart with an earlier message continues and is not counted, whichever arm its shopper would have', async () => {
  const shop = await createShop(world)
  const [joined, fresh, ...had] = Array.from({ length: 8 }, newEmail)
  for (const [index, email] of had.entries()) await shop.mailed({ email }, `had ${index}`)
  await shop.mailed({ email: joined! }, 'two')
  world.advance(MINUTE)
  // Of six, some would be in the control group.
  await insertExperiment(world, shop.storeId, 5_000)
  await shop.fill('three', [buildTea()])
  await shop.type('three', { email: fresh! })
  // Another browser's cart, merged into the one with a message.
  await shop.fill('four', [pot])
  await shop.type('four', { email: joined! })
  await shop.passTime(3 * DAY)
  const drawn = async () => (await readAssignments(world, shop.storeId)).map(({ email }) => email)
  const mailsTo = (address: string) => world.sent.filter(({ to }) => to === address).length
  expect(had.map(mailsTo)).toEqual([2, 2, 2, 2, 2, 2])
  expect(mailsTo(joined!)).toBeGreaterThan(1)
  expect(await drawn()).toEqual([fresh])
  await buyAndAbandonAnother(shop, had[0]!)
  expect(await drawn()).toEqual([fresh, had[0]])
})

test('it ends on the planned day, and shoppers whose window would end later are not assigned and get all messages', async () => {
  const shop = await createShop(world)
  await insertExperiment(world, shop.storeId, 5_000, { days: 9 })
  const [early, late] = [newEmail(), newEmail()]
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email: early })
  await assignArm(world, shop.storeId, 'control', { email: early })
  await shop.passTime(2 * DAY)
  await shop.fill('two', [buildTea()])
  await shop.type('two', { email: late })
  await shop.passTime(HOUR)
  expect(await readAssignments(world, shop.storeId)).toHaveLength(1)
  expect(world.sent.map(({ to }) => to)).toEqual(expect.arrayContaining([late]))
  expect(world.sent.map(({ to }) => to)).not.toContain(early)
  await shop.passTime(7 * DAY)
  await countExperiments(world.deps)
  expect((await experiments(shop.storeId))[0]).toMatchObject({ end_reason: 'planned' })
  expect(await days(shop.storeId)).toMatchObject([{ arm: 'control', people: 1, left_out: 0 }])
  // The earlier cart is lost by then, and closed messages stay closed.
  await shop.passTime(40 * DAY)
  await shop.fill('three', [pot])
  await shop.type('three', { email: early })
  await shop.passTime(HOUR)
  expect(world.sent.map(({ to }) => to)).toContain(early)
})
