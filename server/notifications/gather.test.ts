import { expect, test } from 'vitest'
import { notificationText } from '../../shared/notifications.ts'
import { aStore } from '../../test/factories.ts'
import { told } from '../../test/notifications.ts'
import { aWorld } from '../../test/world.ts'
import { sql } from '../core/db.ts'
import { newId } from '../core/ids.ts'
import { gatherNotifications } from './gather.ts'
import { type Hour, type Pending, planRows, searchOf } from './gather-rules.ts'
import { notify } from './notifications.ts'

// Decisions 64 and 65: what happens in bulk is one notification per hour.

const NOON = new Date('2026-03-02T12:00:00.000Z')
const minutes = (n: number) => new Date(NOON.getTime() + n * 60_000)
const EPOCH = new Date(0)

const cart = (at: Date, { value = 100, currency = 'USD' } = {}): Pending => ({
  ...{ storeId: 's', id: newId(), type: 'cart_abandoned', zone: null, at },
  data: { cartId: newId(), customer: 'Ada', itemCount: 1, value, currency, timestamp: at.toISOString() },
})
const sent = (at: Date, isInMailbox = false): Pending => ({
  ...{ storeId: 's', id: newId(), type: 'email_sent', zone: null, at },
  data: { cartId: newId(), messageId: newId(), step: 1, to: 'ada@example.com', isInMailbox },
})
const failed = (at: Date, cause: 'refused' | 'unanswered' = 'refused'): Pending => ({
  ...{ storeId: 's', id: newId(), type: 'email_failed', zone: null, at },
  data: {
    cartId: newId(),
    messageId: newId(),
    step: 1,
    to: 'ada@example.com',
    cause,
    answer: '550 no',
  } as Pending['data'],
})
const many = (count: number, make: (n: number) => Pending) => Array.from({ length: count }, (_, n) => make(n))
const titles = (plan: ReturnType<typeof planRows>) => plan.inserts.map((row) => notificationText(row).title)

test('of messages sent there is one row per channel and hour, and nothing of a person in it', () => {
  const plan = planRows([sent(minutes(0)), ...many(213, () => sent(minutes(59))), sent(minutes(60))], [], EPOCH)
  expect(titles(plan)).toEqual(['214 emails sent', 'Recovery email sent'])
  expect(plan.inserts[0]!.data).toEqual({
    count: 214,
    since: minutes(0).toISOString(),
    until: minutes(59).toISOString(),
    isInMailbox: false,
  })
  expect(plan.inserts[0]!.search).not.toContain('ada@')
  expect(titles(planRows([sent(minutes(0)), sent(minutes(1), true)], [], EPOCH))).toEqual([
    'Recovery email sent',
    'Recovery email kept on this server',
  ])
})

test('up to ten abandoned carts an hour have a row each; what is above them is gathered, and for a day after', () => {
  const first = planRows(
    many(10, (n) => cart(minutes(n))),
    [],
    EPOCH,
  )
  expect(titles(first)).toEqual(Array(10).fill('Cart abandoned'))
  const second = planRows(
    many(5, () => cart(minutes(30))),
    first.hours,
    first.lastAt,
  )
  expect(titles(second)).toEqual(['5 carts abandoned'])
  expect(second.inserts[0]!.data).toMatchObject({ count: 5, value: 500, currency: 'USD' })
  const third = planRows(
    many(2, () => cart(minutes(40))),
    second.hours,
    second.lastAt,
  )
  expect(third.inserts).toEqual([])
  expect(third.updates).toMatchObject([{ id: second.inserts[0]!.id, data: { count: 7, value: 700 } }])
  const hours = [...third.hours]
  const nextHours = [60, 23 * 60, 24 * 60].map((later) =>
    planRows(
      many(3, () => cart(minutes(later))),
      hours,
      third.lastAt,
    ),
  )
  expect(nextHours.map(titles)).toEqual([['3 carts abandoned'], ['3 carts abandoned'], Array(3).fill('Cart abandoned')])
})

test('what carts of several currencies are worth together is not said', () => {
  const hours: Hour[] = [{ storeId: 's', topic: 'cart_abandoned', hour: NOON, count: 50, row: null }]
  const carts = [cart(minutes(1)), cart(minutes(2), { currency: 'EUR' }), cart(minutes(3))]
  expect(planRows(carts, hours, EPOCH).inserts.map(({ data }) => data)).toMatchObject([
    { count: 3, value: null, currency: null },
  ])
})

test('more than ten failures of a cause in a day are one row per hour; each cause for itself', () => {
  const plan = planRows([...many(24, (n) => failed(minutes(n * 30))), failed(minutes(0), 'unanswered')], [], EPOCH)
  const one = 'Recovery email not delivered'
  // Ten alone, then one per hour for the rest of the day.
  expect(titles(plan)).toEqual([...Array(10).fill(one), ...Array(7).fill('2 emails not delivered'), one])
  expect(JSON.stringify(plan.inserts.slice(10, 17).map(({ data }) => data))).not.toMatch(/ada@|550/)
})

test('stores are gathered each for itself, and alarms never', () => {
  const plan = planRows(
    [
      ...many(12, () => cart(minutes(0))),
      { ...cart(minutes(0)), storeId: 'other' },
      ...many(3, (n) => ({ ...sent(minutes(n)), type: 'capture_flood', data: { ceiling: n } }) as Pending),
    ],
    [],
    EPOCH,
  )
  expect(plan.inserts.map(({ storeId, type }) => [storeId, type]).slice(10)).toEqual([
    ['s', 'cart_abandoned'],
    ['other', 'cart_abandoned'],
    ...Array(3).fill(['s', 'capture_flood']),
  ])
})

const world = aWorld()
const sentData = () => ({ cartId: newId(), messageId: newId(), step: 1, to: 'ada@example.com', isInMailbox: false })

test('several workers and several senders at once lose nothing and count nothing twice', async () => {
  const { storeId } = await aStore(world)
  const store = { storeId, db: world.db }
  const tell = () => notify(store, { type: 'email_sent', data: sentData(), at: world.now })
  await Promise.all([
    ...Array.from({ length: 60 }, async () => {
      await tell()
      await gatherNotifications(world.deps)
    }),
  ])
  await gatherNotifications(world.deps)
  const rows = await world.db.selectFrom('notifications').select('data').where('store_id', '=', storeId).execute()
  expect(rows.map(({ data }) => data)).toMatchObject([{ count: 60 }])
  expect(await world.db.selectFrom('pending_notifications').selectAll().execute()).toEqual([])
})

test('a gathered row stays where it is and read: what is added changes its figures (decision 65)', async () => {
  const { storeId, token } = await aStore(world)
  const tell = async (ms: number) => {
    await notify(
      { storeId, db: world.db },
      { type: 'email_sent', data: sentData(), at: new Date(world.now.getTime() + ms) },
    )
    await gatherNotifications(world.deps)
  }
  await tell(0)
  await tell(1_000)
  const list = async () => (await world.request('GET', '/api/notifications', { token })).body.notifications
  const [before] = await list()
  await world.request('POST', '/api/notifications/mark-read', { token, body: { notificationIds: [before._id] } })
  await tell(60_000)
  const [after] = await list()
  expect(after).toMatchObject({ _id: before._id, createdAt: before.createdAt, read: true, title: '3 emails sent' })
  const stored = await world.db.selectFrom('notifications').select('search').where('store_id', '=', storeId).execute()
  expect(stored[0]!.search).toContain('3 emails sent')
})

test('where the row of an hour was erased, the hour gets a new one (C8)', async () => {
  const { storeId } = await aStore(world)
  const tell = () => notify({ storeId, db: world.db }, { type: 'email_sent', data: sentData(), at: world.now })
  await tell()
  await gatherNotifications(world.deps)
  await sql`delete from notifications where store_id = ${storeId}`.execute(world.db)
  await tell()
  expect((await told(world, storeId)).map(({ title }) => title)).toEqual(['Recovery email sent'])
})

test('more news than one turn takes is taken in the same tick', async () => {
  const { storeId } = await aStore(world)
  await sql`insert into pending_notifications (store_id, id, type, data, created_at)
    select ${storeId}, gen_random_uuid(), 'email_sent', ${JSON.stringify(sentData())}::jsonb, ${world.now}
    from generate_series(1, 2500)`.execute(world.db)
  expect(await gatherNotifications(world.deps)).toBe(2_500)
  expect((await told(world, storeId)).map(({ title }) => title)).toEqual(['2500 emails sent'])
})

test('a day of a store with 10,000 carts a day leaves fewer than 80 notifications (decision 65)', () => {
  // Carts by hour of the day; messages leave between 8 and 21, and one in a hundred fails.
  const curve = Array.from(
    { length: 24 },
    (_, hour) => 417 + Math.round(350 * Math.sin(((hour - 8) / 24) * 2 * Math.PI)),
  )
  const isAwake = (hour: number) => hour >= 8 && hour < 21
  const recovered = (at: Date) => ({ ...cart(at), type: 'cart_recovered' as const })
  const dayRows = [0, 0]
  let [hours, lastAt]: [Hour[], Date] = [[], EPOCH]
  for (let hour = 0; hour < 48; hour++) {
    const at = minutes((hour - 12) * 60)
    const count = curve[hour % 24]!
    const news = [
      ...many(count, () => cart(at)),
      ...many(Math.round(count / 10), () => recovered(at)),
      ...(isAwake(hour % 24)
        ? [...many(count, () => sent(at)), ...many(Math.ceil(count / 100), () => failed(at))]
        : []),
    ]
    const plan = planRows(news, hours, lastAt)
    dayRows[Math.floor(hour / 24)]! += plan.inserts.length
    hours = [...hours, ...plan.hours]
    lastAt = plan.lastAt
  }
  expect(curve.reduce((sum, count) => sum + count)).toBeGreaterThan(9_900)
  // The first day also has ten of each that came before it was busy.
  expect(dayRows[0]).toBeLessThanOrEqual(dayRows[1]! + 3 * 10)
  expect(dayRows[1]).toBeLessThan(80)
})

test('what is searched is cut between characters, not within one', () => {
  const flood = { ...sent(minutes(0)), createdAt: NOON }
  for (const before of ['', 'x']) {
    expect(
      searchOf({ ...flood, data: { ...flood.data, to: before + '\u{1f6d2}'.repeat(1_500) } as Pending['data'] }),
    ).toSatisfy((search: string) => search.isWellFormed())
  }
})

const pendingOf = (storeId: string, type: string, data: string, count = 1) =>
  sql`
  insert into pending_notifications (store_id, id, type, data, created_at)
  select ${storeId}, gen_random_uuid(), ${type}, ${data}::jsonb, ${world.now} from generate_series(1, ${count}::int)`.execute(
    world.db,
  )

test('one account that fails, however much waits for it, holds up no other', async () => {
  const [broken, other] = [await aStore(world), await aStore(world)]
  await pendingOf(broken.storeId, 'email_sent', JSON.stringify(sentData()), 6_000)
  await sql`insert into notification_hours (store_id, topic, hour, count) values (${broken.storeId}, 'email_sent', date_trunc('hour', ${world.now}::timestamptz), 2147483647)`.execute(
    world.db,
  )
  await pendingOf(other.storeId, 'capture_flood', '{"ceiling": 1}')
  expect((await told(world, other.storeId)).map(({ type }) => type)).toEqual(['capture_flood'])
  await sql`delete from pending_notifications`.execute(world.db)
})

test('a row that cannot be planned is skipped: the account goes on', async () => {
  const { storeId } = await aStore(world)
  await pendingOf(storeId, 'email_sent', 'null')
  await pendingOf(storeId, 'capture_flood', '{"ceiling": 1}')
  expect((await told(world, storeId)).map(({ type }) => type)).toEqual(['capture_flood'])
})

test('what a newer version of the server has written waits for it', async () => {
  const { storeId } = await aStore(world)
  await pendingOf(storeId, 'drone_landed', '{}')
  await pendingOf(storeId, 'capture_flood', '{"ceiling": 1}')
  await gatherNotifications(world.deps)
  const left = await world.db
    .selectFrom('pending_notifications')
    .select('type')
    .where('store_id', '=', storeId)
    .execute()
  expect(left).toEqual([{ type: 'drone_landed' }])
})
