import { beforeEach, expect, test } from 'vitest'
import { reasonTexts } from '../../../shared/delivery/reasons.ts'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { buildTea, createShop, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { chooseRestingStores, type StoreOrder } from './resting.ts'

// Stores beyond the plan's limit rest (decision 85).

const NOON = new Date('2026-03-02T12:00:00Z')
const at = (id: string, minute: number, restsFirst = false): StoreOrder => ({
  id,
  restsFirst,
  connectedAt: new Date(NOON.getTime() + minute * MINUTE),
})

test.each([
  ['no store rests if there is just enough room', [at('a', 1), at('b', 2)], 2, []],
  ['no store rests if there is more room', [at('a', 1)], 3, []],
  ['no limit', [at('a', 1, true), at('b', 2)], -1, []],
  ['the newest rest', [at('c', 3), at('a', 1), at('b', 2)], 1, ['b', 'c']],
  ['the chosen stores rest first', [at('a', 1, true), at('b', 2), at('c', 3)], 2, ['a']],
  ['of too many chosen stores the newest rest', [at('a', 1, true), at('b', 2), at('c', 3, true)], 2, ['c']],
  ['the newest rest too if too few are chosen', [at('a', 1), at('b', 2, true), at('c', 3)], 1, ['b', 'c']],
  ['stores connected at the same moment have a fixed order', [at('b', 1), at('a', 1)], 1, ['b']],
  ['no store at all', [], 1, []],
  ['all rest if there is no room', [at('a', 1)], 0, ['a']],
] as const)('%s', (_, stores, limit, expected) => {
  expect([...chooseRestingStores(stores, limit)].sort()).toEqual(expected)
})

const world = createWorld()

beforeEach(() => {
  world.answer = acceptMail
})

const setPlan = async ({ token }: TestStore, planKey: string) => {
  expect((await world.request('POST', '/api/subscribe/manual-update', { token, body: { planKey } })).status).toBe(200)
}
const chooseRestingFirst = ({ token }: TestStore, ...storeIds: string[]) =>
  world.request('PUT', '/api/subscribe/resting-stores', { token, body: { storeIds } })
const list = async ({ token }: TestStore) =>
  (await world.request('GET', '/api/subscribe/resting-stores', { token })).body.stores as {
    id: string
    isResting: boolean
    restsFirst: boolean
  }[]
const listResting = async (store: TestStore) =>
  (await list(store)).filter(({ isResting }) => isResting).map(({ id }) => id)

/** A Growth account with three stores, created a minute apart. */
async function createThreeStores(): Promise<[Shop, Shop, Shop]> {
  const first = await createShop(world, { plan: 'growth' })
  const others: Shop[] = []
  for (let n = 0; n < 2; n++) {
    world.advance(MINUTE)
    others.push(await createShop(world, { accountId: first.accountId }))
  }
  return [first, others[0]!, others[1]!]
}
const countSentTo = (address: string) => world.sent.filter((mail) => mail.to === address).length

test('a smaller plan makes the newest stores rest, and a larger one wakes them', async () => {
  const [first, second, third] = await createThreeStores()
  expect(await listResting(first)).toEqual([])
  await setPlan(first, 'starter')
  expect(await listResting(first)).toEqual([third.storeId])
  await setPlan(first, 'free')
  expect(await listResting(first)).toEqual([second.storeId, third.storeId])
  await setPlan(first, 'starter')
  expect(await listResting(first)).toEqual([third.storeId])
  await setPlan(first, 'growth')
  expect(await listResting(first)).toEqual([])
})

test('the owner chooses which stores rest, effective as soon as there is no room for all', async () => {
  const [first, second, third] = await createThreeStores()
  expect(await chooseRestingFirst(first, first.storeId)).toMatchObject({
    status: 200,
    body: { success: true, resting: [] },
  })
  expect((await list(first)).map(({ restsFirst }) => restsFirst)).toEqual([true, false, false])
  await setPlan(first, 'starter')
  expect(await listResting(first)).toEqual([first.storeId])
  expect((await chooseRestingFirst(first, second.storeId)).body.resting).toEqual([second.storeId])
  expect((await chooseRestingFirst(first)).body.resting).toEqual([third.storeId])
  expect(await list(first)).toMatchObject([{ restsFirst: false }, { restsFirst: false }, { restsFirst: false }])
})

test('only stores of the account can be chosen, and only by owners and admins', async () => {
  const [first, second] = await createThreeStores()
  const otherStore = await createStore(world)
  for (const id of [otherStore.storeId, createId()]) {
    expect(await chooseRestingFirst(first, second.storeId, id)).toMatchObject({
      status: 404,
      body: { error: 'Store not found' },
    })
  }
  expect((await list(first)).some(({ restsFirst }) => restsFirst)).toBe(false)
  const member = await createColleague(world, first, 'member')
  const asMember = { ...first, token: member.token }
  expect((await chooseRestingFirst(asMember, second.storeId)).status).toBe(403)
  expect(await list(asMember)).toHaveLength(3)
  const admin = await createColleague(world, first, 'admin')
  expect((await chooseRestingFirst({ ...first, token: admin.token }, second.storeId)).status).toBe(200)
})

test('the demo account’s stores stay as they are', async () => {
  const [first] = await createThreeStores()
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', first.accountId).execute()
  expect((await chooseRestingFirst(first, first.storeId)).status).toBe(403)
})

test('a resting store captures carts and holds its messages until it wakes (D5)', async () => {
  const [first, , third] = await createThreeStores()
  await setPlan(first, 'starter')
  await third.fill('one', [buildTea()])
  await third.type('one', { email: 'ada@example.com' })
  await third.passTime(HOUR + MINUTE)
  expect((await third.cart()).status).toBe('abandoned')
  expect(countSentTo('ada@example.com')).toBe(0)
  expect((await third.messages())[0]).toMatchObject({ state: 'held', reason: 'store_resting' })
  const view = await world.request('GET', `/api/stores/check-connection?storeId=${third.storeId}`, {
    token: first.token,
  })
  expect(view.body).toMatchObject({ hasConnection: true, store: { isResting: true } })
  await setPlan(first, 'growth')
  await third.passTime(1_000)
  expect(countSentTo('ada@example.com')).toBe(1)
})

test('other stores of the account keep sending', async () => {
  const [first, second] = await createThreeStores()
  await setPlan(first, 'starter')
  await first.mailed({ email: 'cy@example.com' })
  await second.mailed({ email: 'dee@example.com' })
  expect([countSentTo('cy@example.com'), countSentTo('dee@example.com')]).toEqual([1, 1])
})

test('a store that starts to rest between decision and send sends nothing more (D10)', async () => {
  const [first, , third] = await createThreeStores()
  const people = Array.from({ length: 7 }, (_, number) => `lou${number}@example.com`)
  for (const [number, email] of people.entries()) {
    await third.fill(`browser ${number}`, [buildTea()])
    await third.type(`browser ${number}`, { email })
  }
  let rests: Promise<void> | undefined
  world.answer = async (mail) => {
    rests ??= setPlan(first, 'starter')
    await rests
    return acceptMail(mail)
  }
  await third.passTime(HOUR + MINUTE)
  world.answer = acceptMail
  // Five are in flight at a time; the others are decided again.
  await third.passTime(1_000)
  expect(people.filter((email) => countSentTo(email) === 1)).toHaveLength(5)
  const others = (await third.messages()).filter((each) => each.step === 1 && each.state !== 'sent')
  expect(others.map(({ state, reason }) => `${state} ${reason}`)).toEqual(Array(2).fill('held store_resting'))
})

test('disconnecting a store makes room for a resting one, and a reconnected store does not rest', async () => {
  const [first, second, third] = await createThreeStores()
  await setPlan(first, 'starter')
  await third.fill('one', [buildTea()])
  await third.type('one', { email: 'eve@example.com' })
  await third.passTime(HOUR + MINUTE)
  const reply = await world.request('DELETE', `/api/stores/disconnect?storeId=${second.storeId}`, {
    token: first.token,
  })
  expect(reply.status).toBe(200)
  expect(await listResting(first)).toEqual([])
  await third.passTime(1_000)
  expect(countSentTo('eve@example.com')).toBe(1)
  await setPlan(first, 'free')
  expect(await listResting(first)).toEqual([third.storeId])
  await world.request('DELETE', `/api/stores/disconnect?storeId=${third.storeId}`, { token: first.token })
  const row = await world.db
    .selectFrom('stores')
    .select('rests_since')
    .where('id', '=', third.storeId)
    .executeTakeFirst()
  expect(row).toEqual({ rests_since: null })
})

test('manual and test messages of a resting store are refused with the reason, and nothing is queued', async () => {
  const [first, , third] = await createThreeStores()
  await third.mailed({ email: 'bo@example.com' })
  const cart = await third.cart()
  await setPlan(first, 'starter')
  const text = reasonTexts.store_resting
  const manual = await postWithWorker(
    world,
    { ...third, token: first.token },
    `/api/email/send-email?storeId=${third.storeId}`,
    {
      to: 'bo@example.com',
      cart_id: cart.id,
    },
  )
  expect([manual.status, manual.body.code, manual.body.error]).toEqual([403, 'plan_required', text])
  expect((await third.messages()).filter((each) => each.origin_kind === 'manual' && each.state === 'held')).toEqual([])
  for (const [path, body] of [
    ['/api/stores/sending/test-mail', {}],
    ['/api/messages/test-send', { channel: 'email', cartId: cart.id }],
  ] as const) {
    const reply = await world.request('POST', `${path}?storeId=${third.storeId}`, { token: first.token, body })
    expect([path, reply.status, reply.body.error]).toEqual([path, 403, text])
  }
})

test('an overdue payment makes no store rest, and an ended plan does', async () => {
  const [first, second, third] = await createThreeStores()
  const past_due_since = new Date(world.now.getTime() - 30 * 24 * HOUR)
  const subscription = world.db.updateTable('subscriptions').where('account_id', '=', first.accountId)
  await subscription.set({ status: 'past_due', past_due_since }).execute()
  await chooseRestingFirst(first)
  expect(await listResting(first)).toEqual([])
  await subscription.set({ status: 'canceled', past_due_since: null }).execute()
  await chooseRestingFirst(first)
  expect(await listResting(first)).toEqual([second.storeId, third.storeId])
})

test('extra stores make room, and an unlimited plan has room for all', async () => {
  const [first, second, third] = await createThreeStores()
  const subscription = world.db.updateTable('subscriptions').where('account_id', '=', first.accountId)
  await subscription.set({ plan: 'free', extra_stores: 1 }).execute()
  await chooseRestingFirst(first)
  expect(await listResting(first)).toEqual([third.storeId])
  await subscription.set({ extra_stores: 0 }).execute()
  await chooseRestingFirst(first)
  expect(await listResting(first)).toEqual([second.storeId, third.storeId])
  await subscription.set({ is_unlimited: true }).execute()
  await chooseRestingFirst(first)
  expect(await listResting(first)).toEqual([])
})

test('a plan that shrinks while a store is disconnected leaves no store resting needlessly', async () => {
  const [first, second, third] = await createThreeStores()
  const remove = world.request('DELETE', `/api/stores/disconnect?storeId=${second.storeId}`, { token: first.token })
  await Promise.all([remove, setPlan(first, 'starter')])
  expect(await listResting(first)).toEqual([])
  expect((await list(first)).map(({ id }) => id)).toEqual([first.storeId, third.storeId])
})
