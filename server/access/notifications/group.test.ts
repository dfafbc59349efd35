import { expect, test } from 'vitest'
import { getNotificationText } from '../../../shared/workspace/notifications.ts'
import { createStore } from '../../../test/factories.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { sql } from '../../core/db/db.ts'
import { groupNotifications } from './group.ts'
import { buildSearchText, type Hour, type PendingEvent, planRows } from './group-rules.ts'
import { notify } from './notifications.ts'

// Decisions 64 and 65: bulk events become one notification for an hour or a part of the day.

const NOON = new Date('2026-03-02T12:00:00.000Z')
const minutes = (n: number) => new Date(NOON.getTime() + n * 60_000)
const EPOCH = new Date(0)

const cart = (at: Date, { value = 100, currency = 'USD' } = {}): PendingEvent => ({
  storeId: 's',
  id: createId(),
  type: 'cart_abandoned',
  zone: null,
  timeZone: 'UTC',
  at,
  data: { cartId: createId(), customer: 'Ada', itemCount: 1, value, currency, timestamp: at.toISOString() },
})
const sent = (at: Date, isInMailbox = false): PendingEvent => ({
  storeId: 's',
  id: createId(),
  type: 'email_sent',
  zone: null,
  timeZone: 'UTC',
  at,
  data: { cartId: createId(), messageId: createId(), step: 1, to: 'ada@example.com', isInMailbox },
})
const failed = (at: Date, cause: 'refused' | 'unanswered' = 'refused'): PendingEvent => ({
  storeId: 's',
  id: createId(),
  type: 'email_failed',
  zone: null,
  timeZone: 'UTC',
  at,
  data: {
    cartId: createId(),
    messageId: createId(),
    step: 1,
    to: 'ada@example.com',
    cause,
    answer: '550 no',
  } as PendingEvent['data'],
})
const many = (count: number, make: (n: number) => PendingEvent) => Array.from({ length: count }, (_, n) => make(n))
const titles = (plan: ReturnType<typeof planRows>) => plan.inserts.map((row) => getNotificationText(row).title)

test('sent messages share one row per channel and hour, without personal data', () => {
  const few = [sent(minutes(0)), ...many(8, () => sent(minutes(59))), sent(minutes(60))]
  const plan = planRows(few, [], EPOCH)
  expect(titles(plan)).toEqual(['9 emails sent', 'Recovery email sent'])
  expect(plan.inserts[0]!.data).toEqual({
    count: 9,
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

test('more than ten sent messages in a day share one row per part of the day', () => {
  // Noon to five, five to ten, and the night until the next morning.
  const day = Array.from({ length: 24 }, (_, hour) => many(214, () => sent(minutes(hour * 60)))).flat()
  expect(titles(planRows(day, [], EPOCH))).toEqual(
    [5, 5, 10, 4].map((n) => `${(n * 214).toLocaleString('en-US')} emails sent`),
  )
})

test('messages reported together are planned like single ones', () => {
  const together = (at: Date, count: number): PendingEvent =>
    count === 1
      ? sent(at)
      : { ...sent(at), data: { count, since: at.toISOString(), until: at.toISOString(), isInMailbox: false } }
  const planned = (pending: PendingEvent[]) => {
    const { inserts, hours } = planRows(pending, [], EPOCH)
    return [inserts.map(({ data, zone }) => ({ ...data, zone })), hours.map(({ hour, count }) => [hour, count])]
  }
  for (const counts of [
    [2, 3, 4],
    [9, 2, 1, 3],
    [12, 5],
    [10, 100, 1],
    [3, 3, 3, 3, 3],
  ]) {
    const at = (n: number) => minutes(20 + n * 25)
    const alone = counts.flatMap((count, n) => many(count, () => sent(at(n))))
    expect(planned(counts.map((count, n) => together(at(n), count)))).toEqual(planned(alone))
  }
})

test('up to ten abandoned carts a day have their own rows; further ones share a row per hour and one for the night', () => {
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
  const inHours = (...later: number[]) => later.flatMap((hours) => many(3, () => cart(minutes(hours * 60))))
  const later = planRows(inHours(1, 2, 9, 10, 19, 20), third.hours, third.lastAt)
  expect(titles(later)).toEqual([3, 3, 3, 6, 3].map((count) => `${count} carts abandoned`))
  // A day later there are few again.
  expect(titles(planRows(inHours(24), third.hours, third.lastAt))).toEqual(Array(3).fill('Cart abandoned'))
})

test('the parts of a day follow the store’s clock', () => {
  const inKolkata = many(11, (n) => ({ ...cart(minutes(n * 60)), timeZone: 'Asia/Kolkata' }))
  const later = many(12, (n) => ({ ...cart(minutes(n * 60)), timeZone: 'Asia/Kolkata' }))
  const plan = planRows(inKolkata, [], EPOCH)
  // 17:30 to 03:30 there: the eleventh belongs to the night.
  expect(titles(plan)).toEqual(Array(11).fill('Cart abandoned'))
  const next = planRows(later.slice(11), plan.hours, plan.lastAt)
  expect(next.inserts).toEqual([])
  expect(next.updates).toMatchObject([{ id: plan.inserts[10]!.id, data: { count: 2 } }])
})

test('a row of several hours is one row, whichever hour it is read with', () => {
  const first = planRows([...many(20, () => sent(minutes(0))), sent(minutes(60))], [], EPOCH)
  // The database returns a copy of the row with each hour.
  const hours = first.hours.map((hour) => ({ ...hour, row: { ...hour.row! } }))
  const next = planRows([sent(minutes(61)), sent(minutes(120))], hours, first.lastAt)
  expect(next.inserts).toEqual([])
  expect(next.updates).toMatchObject([{ id: first.inserts[0]!.id, data: { count: 23 } }])
})

test('the total value of carts in several currencies is omitted', () => {
  const hours: Hour[] = [{ storeId: 's', topic: 'cart_abandoned', hour: NOON, count: 50, row: null }]
  const carts = [cart(minutes(1)), cart(minutes(2), { currency: 'EUR' }), cart(minutes(3))]
  expect(planRows(carts, hours, EPOCH).inserts.map(({ data }) => data)).toMatchObject([
    { count: 3, value: null, currency: null },
  ])
})

test('more than ten failures in a day share one row per channel and part of the day, with a count per cause', () => {
  const plan = planRows([...many(24, (n) => failed(minutes(n * 30))), failed(minutes(719), 'unanswered')], [], EPOCH)
  const one = 'Recovery email not delivered'
  expect(titles(plan)).toEqual([...Array(10).fill(one), '10 emails not delivered', '5 emails not delivered'])
  expect(getNotificationText(plan.inserts.at(-1)!).message).toBe(
    'Within 2 hours: 4 were refused by the mail server, 1 got no answer from the mail server.',
  )
  expect(JSON.stringify(plan.inserts.slice(10).map(({ data }) => data))).not.toMatch(/ada@|550/)
})

test('recoveries, failures and complaints share the ten rows of a day; abandoned carts have their own', () => {
  const recovered = (n: number): PendingEvent => ({ ...cart(minutes(n)), type: 'cart_recovered' })
  const complaint = (n: number): PendingEvent => ({
    ...failed(minutes(n)),
    type: 'complaint_failed',
    data: { cartId: null, messageId: createId(), to: 'ada@example.com' },
  })
  const news = [...many(30, (n) => cart(minutes(n))), ...many(6, recovered), ...many(4, complaint)]
  const some = planRows(news, [], EPOCH)
  expect(some.inserts).toHaveLength(10 + 1 + 6 + 4)
  const more = planRows([...many(3, recovered), ...many(3, (n) => failed(minutes(n)))], some.hours, some.lastAt)
  expect(titles(more)).toEqual(['3 carts recovered', '3 emails not delivered'])
})

test('a row with a hundred failures ends with its hour, so that continuing failures appear as news', () => {
  const failing = (hour: number, count: number) => many(count, () => failed(minutes(hour * 60)))
  const plan = planRows([...failing(0, 100), ...failing(1, 50), ...failing(2, 60), ...failing(3, 5)], [], EPOCH)
  expect(titles(plan).slice(10)).toEqual(['140 emails not delivered', '65 emails not delivered'])
})

test('a text that cannot be rendered is reported separately, once per part of the day and step', () => {
  const broken = (n: number, step: number): PendingEvent => ({
    ...failed(minutes(n)),
    data: { cartId: null, messageId: createId(), cause: 'unrenderable', step, count: 20 },
  })
  const plan = planRows([...many(40, (n) => failed(minutes(n))), broken(1, 1), broken(2, 2), broken(3, 1)], [], EPOCH)
  expect(titles(plan).slice(-2)).toEqual([
    '40 messages were not sent: the text cannot be rendered',
    '20 messages were not sent: the text cannot be rendered',
  ])
  expect(getNotificationText(plan.inserts.at(-2)!).message).toMatch(/^The text of reminder 1 took/)
})

test('stores are grouped separately, and alarms never', () => {
  const plan = planRows(
    [
      ...many(12, () => cart(minutes(0))),
      { ...cart(minutes(0)), storeId: 'other' },
      ...many(3, (n) => ({ ...sent(minutes(n)), type: 'capture_flood', data: { ceiling: n } }) as PendingEvent),
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

const world = createWorld()
const sentData = () => ({
  cartId: createId(),
  messageId: createId(),
  step: 1,
  to: 'ada@example.com',
  isInMailbox: false,
})

test('concurrent workers and senders lose nothing and count nothing twice', async () => {
  const { storeId } = await createStore(world)
  const store = { storeId, db: world.db }
  const announce = () => notify(store, { type: 'email_sent', data: sentData(), at: world.now })
  await Promise.all([
    ...Array.from({ length: 60 }, async () => {
      await announce()
      await groupNotifications(world.deps)
    }),
  ])
  await groupNotifications(world.deps)
  const rows = await world.db.selectFrom('notifications').select('data').where('store_id', '=', storeId).execute()
  expect(rows.map(({ data }) => data)).toMatchObject([{ count: 60 }])
  expect(await world.db.selectFrom('pending_notifications').selectAll().execute()).toEqual([])
})

test('a grouped row keeps its position and read state when its numbers change (decision 65)', async () => {
  const { storeId, token } = await createStore(world)
  const announce = async (ms: number) => {
    await notify(
      { storeId, db: world.db },
      { type: 'email_sent', data: sentData(), at: new Date(world.now.getTime() + ms) },
    )
    await groupNotifications(world.deps)
  }
  await announce(0)
  await announce(1_000)
  const list = async () => (await world.request('GET', '/api/notifications', { token })).body.notifications
  const [before] = await list()
  await world.request('POST', '/api/notifications/mark-read', { token, body: { notificationIds: [before._id] } })
  await announce(60_000)
  const [after] = await list()
  expect(after).toMatchObject({ _id: before._id, createdAt: before.createdAt, read: true, title: '3 emails sent' })
  const stored = await world.db.selectFrom('notifications').select('search').where('store_id', '=', storeId).execute()
  expect(stored[0]!.search).toContain('3 emails sent')
})

test('an hour whose row was erased gets a new row (C8)', async () => {
  const { storeId } = await createStore(world)
  const announce = () => notify({ storeId, db: world.db }, { type: 'email_sent', data: sentData(), at: world.now })
  await announce()
  await groupNotifications(world.deps)
  await sql`delete from notifications where store_id = ${storeId}`.execute(world.db)
  await announce()
  expect((await readNotifications(world, storeId)).map(({ title }) => title)).toEqual(['Recovery email sent'])
})

test('more events than one batch are processed in the same tick', async () => {
  const { storeId } = await createStore(world)
  await sql`insert into pending_notifications (store_id, id, type, data, created_at)
    select ${storeId}, gen_random_uuid(), 'email_sent', ${JSON.stringify(sentData())}::jsonb, ${world.now}
    from generate_series(1, 2500)`.execute(world.db)
  expect(await groupNotifications(world.deps)).toBe(2_500)
  expect((await readNotifications(world, storeId)).map(({ title }) => title)).toEqual(['2,500 emails sent'])
})

test('the search text is cut between characters, not within one', () => {
  const flood = { ...sent(minutes(0)), createdAt: NOON }
  for (const before of ['', 'x']) {
    expect(
      buildSearchText({
        ...flood,
        data: { ...flood.data, to: before + '\u{1f6d2}'.repeat(1_500) } as PendingEvent['data'],
      }),
    ).toSatisfy((search: string) => search.isWellFormed())
  }
})

const readPending = (storeId: string, type: string, data: string, count = 1) =>
  sql`
  insert into pending_notifications (store_id, id, type, data, created_at)
  select ${storeId}, gen_random_uuid(), ${type}, ${data}::jsonb, ${world.now} from generate_series(1, ${count}::int)`.execute(
    world.db,
  )

test('a failing account with many events delays no other account', async () => {
  const [broken, other] = [await createStore(world), await createStore(world)]
  await readPending(broken.storeId, 'email_sent', JSON.stringify(sentData()), 6_000)
  await sql`insert into notification_hours (store_id, topic, hour, count) values (${broken.storeId}, 'email_sent', date_trunc('hour', ${world.now}::timestamptz), 2147483647)`.execute(
    world.db,
  )
  await readPending(other.storeId, 'capture_flood', '{"ceiling": 1}')
  expect((await readNotifications(world, other.storeId)).map(({ type }) => type)).toEqual(['capture_flood'])
  await sql`delete from pending_notifications`.execute(world.db)
})

test('a row that cannot be planned is skipped, and the account continues', async () => {
  const { storeId } = await createStore(world)
  await readPending(storeId, 'email_sent', 'null')
  await readPending(storeId, 'capture_flood', '{"ceiling": 1}')
  expect((await readNotifications(world, storeId)).map(({ type }) => type)).toEqual(['capture_flood'])
})

test('events written by a newer version of the server wait for it', async () => {
  const { storeId } = await createStore(world)
  await readPending(storeId, 'drone_landed', '{}')
  await readPending(storeId, 'capture_flood', '{"ceiling": 1}')
  await groupNotifications(world.deps)
  const remaining = await world.db
    .selectFrom('pending_notifications')
    .select('type')
    .where('store_id', '=', storeId)
    .execute()
  expect(remaining).toEqual([{ type: 'drone_landed' }])
})
