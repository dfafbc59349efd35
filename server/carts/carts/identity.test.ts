import { expect, test } from 'vitest'
import { assignArm, readAssignments } from '../../../test/experiment-scene.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { sql } from '../../core/db/db.ts'
import { selectArm } from '../experiments/fragments.ts'
import { createToken } from '../links/message-tokens.ts'

// Which reports belong to one shopper, and what happens to their carts (S6, S7, F1).

const world = createWorld()
let n = 0
const newEmail = () => `ada${++n}@shoppers.example.com`

test('an email typed later merges two carts, which keeps the earlier start and the latest contents (S6)', async () => {
  const shop = await createShop(world)
  const email = newEmail()
  await shop.fill('phone', [buildTea()])
  world.advance(MINUTE)
  await shop.fill('laptop', [pot])
  await shop.type('laptop', { email })
  world.advance(MINUTE)
  await shop.type('phone', { email })
  const [survivor, joined] = await shop.carts()
  expect(survivor).toMatchObject({ status: 'active', email, items: [{ name: 'Teapot' }] })
  expect(joined).toMatchObject({ status: 'merged', merged_into: survivor!.id, abandon_at: null })
  expect((await shop.events()).at(-1)).toMatchObject({ kind: 'merged', cart_id: survivor!.id })
})

test('a merge adds no message: steps sent by one cart are closed on the other, open ones are cancelled (S6)', async () => {
  const shop = await createShop(world)
  const email = newEmail()
  await shop.fill('phone', [buildTea()])
  world.advance(MINUTE)
  await shop.fill('laptop', [pot])
  await shop.type('laptop', { email })
  await shop.passTime(HOUR)
  const sent = world.sent.length
  expect(world.sent.at(-1)).toMatchObject({ to: email })
  const later = (await shop.carts())[1]!
  await shop.type('phone', { email })
  await shop.passTime(HOUR)
  expect(world.sent).toHaveLength(sent)
  const survivor = await shop.cart()
  expect(survivor).toMatchObject({
    status: 'abandoned',
    badge: 'Email Sent',
    last_sent_at: later.last_sent_at,
  })
  const messages = await shop.messages()
  const getStates = (cartId: string) =>
    messages.filter((each) => each.cart_id === cartId).map((each) => [each.step, each.state, each.reason])
  expect(getStates(later.id)).toEqual([
    [1, 'sent', null],
    [2, 'cancelled', 'merged'],
    [3, 'cancelled', 'merged'],
  ])
  expect(getStates(survivor.id)).toEqual([
    [1, 'skipped', 'merged'],
    [2, 'scheduled', null],
    [3, 'scheduled', null],
  ])
  await shop.passTime(DAY)
  expect(world.sent).toHaveLength(sent + 1)
})

test('a manual message of a merged cart appears once, as it was sent (S6)', async () => {
  const shop = await createShop(world, { isFlowOn: false })
  const email = newEmail()
  await shop.fill('phone', [buildTea()])
  world.advance(MINUTE)
  await shop.fill('laptop', [pot])
  await shop.type('laptop', { email })
  await shop.passTime(DAY)
  const later = (await shop.carts())[1]!
  const body = { channel: 'email', cartIds: [later.id] }
  await world.request('POST', '/api/carts/send', { token: shop.token, body })
  await shop.passTime(MINUTE)
  await shop.type('phone', { email })
  const survivor = await shop.cart()
  expect(survivor.id).not.toBe(later.id)
  const messages = (await shop.get(`/api/carts/${survivor.id}/messages`)).body.messages
  expect(messages.map((each: { to: string; state: string }) => [each.to, each.state])).toEqual([[email, 'sent']])
})

test('links of repeatedly merged carts open the last survivor, and nothing is sent twice (S6)', async () => {
  const shop = await createShop(world)
  const [first, second] = [newEmail(), newEmail()]
  await shop.fill('oldest', [buildTea()])
  world.advance(MINUTE)
  await shop.fill('middle', [buildTea()])
  await shop.type('middle', { email: first })
  world.advance(MINUTE)
  await shop.fill('newest', [pot])
  await shop.type('newest', { email: second })
  await shop.passTime(HOUR)
  const mailed = (await shop.messages()).find((each) => each.to_address === second && each.state === 'sent')!
  await shop.type('newest', { email: first })
  await shop.type('oldest', { email: first })
  const survivor = await shop.cart()
  const joined = (await shop.carts()).filter((cart) => cart.status === 'merged')
  expect(joined.map((cart) => cart.merged_into)).toEqual([survivor.id, survivor.id])
  expect((await shop.press(mailed.id)).body.items).toMatchObject([{ product_name: 'Teapot' }])
  const mine = (await shop.messages()).filter((each) => each.cart_id === survivor.id)
  expect(mine.find((each) => each.step === 1)).toMatchObject({ state: 'skipped' })
  const { body } = await shop.get(`/api/carts/${mailed.cart_id}/messages`)
  expect(body.timeline.map((entry: { kind: string }) => entry.kind)).toContain('restore')
  expect(body.messages.map((each: { to: string }) => each.to)).toContain(second)
})

test('a click in a merged cart’s mail counts for the survivor, which gets no "No Response" (S6, decision 11)', async () => {
  const shop = await createShop(world)
  const email = newEmail()
  await shop.fill('phone', [buildTea()])
  world.advance(MINUTE)
  await shop.fill('laptop', [pot])
  await shop.type('laptop', { email })
  await shop.passTime(HOUR)
  const mailed = (await shop.messages()).find((each) => each.state === 'sent')!
  await shop.type('phone', { email })
  world.advance(MINUTE)
  const token = createToken(world.deps.secrets, 'click', mailed.id)
  await world.request('GET', `/c/${token}`, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } })
  await world.db.updateTable('flows').set({ is_on: false }).where('store_id', '=', shop.storeId).execute()
  await shop.passTime(2 * DAY)
  expect((await shop.cart()).badge).toBe('Email Sent')
})

test('a device never merges two emails, yet a purchase with one stops the other’s messages (S6, Identity)', async () => {
  const shop = await createShop(world)
  const device = [{ kind: 'device' as const, value: `tablet-${n}` }]
  const [mine, yours] = [newEmail(), newEmail()]
  await shop.fill('one', [buildTea()], { keys: [...device, { kind: 'email', value: mine }] })
  await shop.type('one', { email: mine })
  world.advance(MINUTE)
  await shop.fill('two', [pot], { keys: [...device, { kind: 'email', value: yours }] })
  await shop.type('two', { email: yours })
  expect(await shop.liveCarts()).toHaveLength(2)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: yours })
  const sent = world.sent.length
  await shop.passTime(HOUR)
  expect(world.sent).toHaveLength(sent)
  expect((await shop.messages())[0]).toMatchObject({ state: 'cancelled', reason: 'purchased' })
  expect((await shop.liveCarts())[0]!.status).toBe('abandoned')
})

test('a draft without contact is a cart only if no other source sees the shopper (S6)', async () => {
  const shop = await createShop(world)
  const nameless = { kind: 'draft', email: null, phone: null } as const
  await shop.order(nameless)
  expect(await shop.carts()).toHaveLength(1)
  await world.db.updateTable('stores').set({ capture_seen_at: world.now }).where('id', '=', shop.storeId).execute()
  const draft = await shop.order(nameless)
  expect(await shop.carts()).toHaveLength(1)
  await shop.order({ ...draft, email: newEmail() })
  expect(await shop.carts()).toHaveLength(2)
})

test('the store’s own and placeholder addresses merge no shoppers (Identity)', async () => {
  const shop = await createShop(world, { url: `https://own${++n}.example.net` })
  for (const email of [`desk@own${n}.example.net`, 'noreply@shoppers.example.com']) {
    await shop.order({ email })
    await shop.order({ email })
  }
  const carts = await shop.carts()
  expect(carts.map((cart) => cart.status)).toEqual(['active', 'active', 'active', 'active'])
  expect(carts.map((cart) => cart.email)).toEqual([null, null, null, null])
})

test('a known fact and an older state of an order change nothing (S7, Y1)', async () => {
  const shop = await createShop(world)
  const draft = await shop.order({ kind: 'draft' })
  world.advance(MINUTE)
  const bought = { kind: 'purchase', status: 'processing', modifiedAt: world.now.toISOString() } as const
  await shop.order({ ...draft, ...bought, paidAt: bought.modifiedAt })
  const before = await shop.cart()
  await shop.order({ ...draft, ...bought, paidAt: bought.modifiedAt }, 'sync')
  expect(await shop.cart()).toEqual(before)
  await shop.order(draft, 'sync')
  expect(await shop.cart()).toMatchObject({ status: 'purchased', ended_at: world.now })
  expect((await shop.orders())[0]).toMatchObject({ kind: 'purchase', status: 'processing', net_minor: 4_200 })
})

test('a late purchase closes the cart at its time and cancels open messages, and later contents are another cart (S7)', async () => {
  const shop = await createShop(world)
  const email = newEmail()
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email })
  world.advance(10 * MINUTE)
  const boughtAt = world.now.toISOString()
  world.advance(20 * MINUTE)
  await shop.fill('one', [pot])
  await shop.passTime(HOUR)
  await shop.order({ kind: 'purchase', email, createdAt: boughtAt, modifiedAt: boughtAt })
  const [first, second] = await shop.carts()
  expect(first).toMatchObject({ status: 'purchased', ended_at: new Date(boughtAt), items: [{ name: 'Earl Grey' }] })
  expect(second).toMatchObject({ status: 'active', items: [{ name: 'Teapot' }], email })
  const open = (await shop.messages()).filter((each) => each.cart_id === first!.id && each.state === 'scheduled')
  expect(open).toEqual([])
})

test('the timeline shows only purchased when the checkout empties the cart before its order arrives (S3, D12)', async () => {
  const shop = await createShop(world)
  const email = newEmail()
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email })
  await shop.passTime(HOUR)
  world.advance(MINUTE)
  await shop.fill('one', [])
  const { id } = await shop.cart()
  const emptied = await shop.get(`/api/carts/${id}/messages`)
  expect(listKinds(emptied.body)).toEqual(expect.arrayContaining(['emptied', 'message_cancel']))
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email })
  const { body } = await shop.get(`/api/carts/${id}/messages`)
  expect(listKinds(body)).not.toContain('emptied')
  expect(listKinds(body).filter((kind) => kind === 'message_cancel')).toHaveLength(2)
  const cancelled = body.messages.filter((each: { state: string }) => each.state === 'cancelled')
  expect(cancelled.map((each: { reason: string }) => each.reason)).toEqual(['purchased', 'purchased'])
})

const listKinds = (body: { timeline: { kind: string }[] }) => body.timeline.map((entry) => entry.kind)

test('two merged shoppers keep the experiment assignment made first, whichever was known first (F1)', async () => {
  const shop = await createShop(world)
  const [mine, yours] = [newEmail(), newEmail()]
  await shop.fill('phone', [buildTea()])
  await shop.type('phone', { email: mine })
  world.advance(MINUTE)
  await shop.fill('laptop', [pot])
  await shop.type('laptop', { email: yours })
  const draw = (email: string, arm: 'treated' | 'control') => {
    world.advance(MINUTE)
    return assignArm(world, shop.storeId, arm, { email })
  }
  await draw(yours, 'control')
  await draw(mine, 'treated')
  await shop.type('laptop', { email: mine })
  const { rows } = await sql`select ${selectArm(sql`s.store_id`, sql`s.id`, world.now)} as arm from shoppers s
    where s.store_id = ${shop.storeId}`.execute(world.db)
  expect(rows).toEqual([{ arm: 'control' }])
  // The analysis still counts two.
  expect((await readAssignments(world, shop.storeId)).map(({ arm }) => arm)).toEqual(['control', 'treated'])
})

test('staff of the store’s account are marked as such, and shoppers are not (F1)', async () => {
  const shop = await createShop(world)
  const owner = await world.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', shop.userId)
    .executeTakeFirstOrThrow()
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email: owner.email })
  await shop.order({ email: newEmail() })
  const otherShop = await createShop(world)
  await otherShop.order({ email: owner.email })
  const marks = await world.db
    .selectFrom('shoppers')
    .select(['email', 'is_member'])
    .where('store_id', 'in', [shop.storeId, otherShop.storeId])
    .orderBy('is_member')
    .execute()
  expect(marks.filter((row) => row.is_member)).toEqual([{ email: owner.email, is_member: true }])
  expect(marks).toHaveLength(3)
})
