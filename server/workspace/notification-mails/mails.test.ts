import { beforeEach, expect, test } from 'vitest'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { mailDueNotifications } from '../../access/notifications/mails.ts'
import { notify, notifyAccount } from '../../access/notifications/notifications.ts'
import { deleteOldAccountRows, deleteOldHours, deleteOldRecoveries } from '../../access/notifications/sql.ts'
import { deleteOldNotifications } from '../../access/notifications/tidy.ts'
import { createId } from '../../core/common/ids.ts'

// Decision 65: what members get in the bell and by mail, and how long it is kept.

const world = createWorld()
let store: TestStore
const MINUTE = 60_000

beforeEach(async () => {
  world.sent.length = 0
  world.queued.length = 0
  store = await createStore(world)
  await world.db.updateTable('users').set({ email_confirmed_at: world.now }).where('id', '=', store.userId).execute()
})

const alarm = (stage: 'sync' | 'capture' = 'sync') => ({
  stage,
  cause: 'timeout',
  since: world.now.toISOString(),
  waiting: 0,
  detail: null,
  alarmId: createId(),
})
const announce = async (...notices: Parameters<typeof notify>[1][]) => {
  for (const notice of notices) await notify({ storeId: store.storeId, db: world.db }, notice)
  await groupNotifications(world.deps)
}
const raise = (stage?: 'sync' | 'capture') => announce({ type: 'stage_failed', data: alarm(stage), at: world.now })
async function mails() {
  await mailDueNotifications(world.deps)
  await world.runJobs()
  return world.sent.splice(0)
}
const preferences = (method: string, token: string, topics?: object[]) =>
  world.request(method, '/api/notifications/preferences', { token, ...(topics && { body: { topics } }) })
const choose = (topic: string, mail: string, token = store.token) =>
  preferences('PUT', token, [{ topic, bell: true, mail }])

test('an alarm is mailed to the owner at once, with links to it and to the settings', async () => {
  await raise()
  const [mail, ...others] = await mails()
  expect(others).toEqual([])
  const { email } = await world.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', store.userId)
    .executeTakeFirstOrThrow()
  expect(mail).toMatchObject({ to: email, headers: { 'Auto-Submitted': 'auto-generated' } })
  expect(mail!.subject).toContain('The store has not been synced')
  const { id } = await world.db
    .selectFrom('notifications')
    .select('id')
    .where('store_id', '=', store.storeId)
    .executeTakeFirstOrThrow()
  expect(mail!.text).toContain(`/notifications?platform=woocommerce&storeId=${store.storeId}&notificationId=${id}`)
  expect(mail!.text).toContain('/settings/account/notifications')
  expect(await mails()).toEqual([])
})

test('events within a quarter of an hour are one mail, sent once by several workers', async () => {
  await raise()
  expect(await mails()).toHaveLength(1)
  world.advance(MINUTE)
  await raise('capture')
  await notifyAccount(
    { accountId: store.accountId, db: world.db },
    {
      type: 'domain_throttled',
      data: { domain: 'x.example', kind: 'blocked', since: '', answer: '550 no' },
      at: world.now,
    },
  )
  await groupNotifications(world.deps)
  expect(await mails()).toEqual([])
  world.advance(15 * MINUTE)
  await Promise.all([mailDueNotifications(world.deps), mailDueNotifications(world.deps)])
  const [mail, ...others] = await mails()
  expect(others).toEqual([])
  expect(mail!.subject).toMatch(/^No carts are coming in .*, and 1 more$/)
  expect(mail!.text).toContain('x.example is refusing your email')
  expect(mail!.text).not.toContain('has not been synced')
})

test('by default only owners are mailed, and only about problems', async () => {
  await createColleague(world, store, 'admin')
  const message = { cartId: createId(), messageId: createId(), step: 1, to: 'a@b.example' }
  await announce(
    { type: 'stage_resumed', data: { stage: 'sync', lastedMs: 1, alarmId: createId() }, at: world.now },
    { type: 'email_sent', data: { ...message, isInMailbox: false }, at: world.now },
  )
  expect(await mails()).toEqual([])
  const { body } = await preferences('GET', store.token)
  const mailed = body.topics.filter(({ mail }: { mail: string }) => mail === 'at_once')
  expect(mailed.map(({ topic }: { topic: string }) => topic)).toEqual([
    'failed',
    'stopped',
    'sending',
    'capture',
    'store',
    'complaints',
    'campaigns',
    'limits',
    'billing',
  ])
  expect(body.topics.every(({ bell }: { bell: boolean }) => bell)).toBe(true)
})

test('each member chooses, and a member who disables mail gets none', async () => {
  const colleague = await createColleague(world, store)
  expect((await choose('stopped', 'none')).status).toBe(200)
  await choose('stopped', 'at_once', colleague.token)
  await raise()
  expect((await mails()).map(({ to }) => to)).toEqual([colleague.email])
  for (const topics of [
    [{ topic: 'x', bell: true, mail: 'none' }],
    [{ topic: 'stopped', bell: true, mail: 'hourly' }],
  ]) {
    expect((await preferences('PUT', store.token, topics)).status).toBe(400)
  }
})

test('a disabled topic is neither listed nor counted, and returns when enabled', async () => {
  await raise()
  await preferences('PUT', store.token, [{ topic: 'stopped', bell: false, mail: 'none' }])
  const readSeen = async () => {
    const list = await world.request('GET', '/api/notifications', { token: store.token })
    const { body } = await world.request('GET', '/api/notifications/unread-count', { token: store.token })
    return [list.body.pagination.total, body.count]
  }
  expect(await readSeen()).toEqual([0, 0])
  await choose('stopped', 'none')
  expect(await readSeen()).toEqual([1, 1])
})

test("a daily summary is sent at eight in the store's zone with the events since the last one", async () => {
  await choose('sent', 'daily')
  const sent = () => {
    const data = { cartId: createId(), messageId: createId(), step: 1, to: 'a@b.example', isInMailbox: false }
    return announce({ type: 'email_sent', data, at: world.now })
  }
  await sent()
  world.advance(2 * 3_600_000)
  await sent()
  expect(await mails()).toEqual([])
  const { digest_due_at: due } = await world.db
    .selectFrom('notification_mails')
    .select('digest_due_at')
    .where('user_id', '=', store.userId)
    .executeTakeFirstOrThrow()
  const { time_zone: zone } = await world.db
    .selectFrom('stores')
    .select('time_zone')
    .where('id', '=', store.storeId)
    .executeTakeFirstOrThrow()
  expect(due!.toTemporalInstant().toZonedDateTimeISO(zone).toPlainTime().toString()).toBe('08:00:00')
  world.advance(due!.getTime() - world.now.getTime())
  const [summary, ...others] = await mails()
  expect([summary!.subject, others]).toEqual(['Your daily summary: 2 notifications', []])
  const listed = await world.request('GET', '/api/notifications', { token: store.token })
  expect(listed.body.notifications).toHaveLength(2)
  for (const { _id } of listed.body.notifications) expect(summary!.html).toContain(`notificationId=${_id}"`)
  world.advance(86_400_000)
  expect(await mails()).toEqual([])
  await sent()
  world.advance(86_400_000)
  expect((await mails()).map(({ subject }) => subject)).toEqual(['Your daily summary: 1 notification'])
})

test('mails no unconfirmed address, and no one in the demo', async () => {
  await world.db.updateTable('users').set({ email_confirmed_at: null }).where('id', '=', store.userId).execute()
  await raise()
  expect(await mails()).toEqual([])
  await world.db.updateTable('users').set({ email_confirmed_at: world.now }).where('id', '=', store.userId).execute()
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', store.accountId).execute()
  await raise('capture')
  expect(await mails()).toEqual([])
})

test('notifications are deleted in batches after 90 days (decision 65)', async () => {
  await world.pool.query(
    `insert into notifications (store_id, id, type, data, created_at)
     select $1, gen_random_uuid(), 'capture_flood', '{"ceiling": 1}', $2::timestamptz - n * interval '1 hour' from generate_series(1, 5000) n`,
    [store.storeId, world.now],
  )
  await deleteOldNotifications(world.deps)
  const { rows } = await world.pool.query(
    'select count(*)::int as n, min(created_at) as oldest from notifications where store_id = $1',
    [store.storeId],
  )
  expect(rows[0].n).toBe(90 * 24)
  expect(rows[0].oldest).toEqual(new Date(world.now.getTime() - 90 * 86_400_000))
})

test('a problem is mailed after many events of other topics, and the rest is counted', async () => {
  const rows = (type: string, data: object, count: number) =>
    world.pool.query(
      `insert into pending_notifications (store_id, id, type, data, created_at)
       select $1, gen_random_uuid(), $2, $3, $4 from generate_series(1, $5::int)`,
      [store.storeId, type, data, world.now, count],
    )
  await rows('connection_test', { test: true, channel: 'email', to: 'a@b.example' }, 600)
  await rows('capture_flood', { ceiling: 70 }, 30)
  await groupNotifications(world.deps)
  // Notifications of another account do not count.
  await world.pool.query(
    `insert into account_notifications (account_id, id, type, data, created_at)
     select $1, gen_random_uuid(), type, data, created_at from notifications where store_id = $2 and type = 'capture_flood'`,
    [(await createStore(world)).accountId, store.storeId],
  )
  const [mail, ...others] = await mails()
  expect(others).toEqual([])
  expect(mail!.subject).toMatch(/, and 29 more$/)
  expect(mail!.text).toContain('And 10 more.')
})

test('a mail that cannot be prepared does not block other members', async () => {
  const colleague = await createColleague(world, store)
  await choose('stopped', 'at_once', colleague.token)
  await raise()
  const enqueue: typeof world.deps.jobs.enqueue = async (db, job, payload, ...rest) => {
    if ((payload as { userId?: string }).userId === store.userId) throw new Error('no room')
    return world.deps.jobs.enqueue(db, job, payload, ...rest)
  }
  await mailDueNotifications({ ...world.deps, jobs: { ...world.deps.jobs, enqueue } })
  await world.runJobs()
  expect(world.sent.splice(0).map(({ to }) => to)).toEqual([colleague.email])
  expect(await mails()).toHaveLength(1)
})

test('account notifications and summary states are deleted in batches, too', async () => {
  const before = new Date(world.now.getTime() - 10 * 86_400_000)
  const rows = (into: string, values: string) =>
    world.pool.query(`insert into ${into} select ${values} from generate_series(1, 5) n`, [
      into.startsWith('account') ? store.accountId : store.storeId,
      before,
    ])
  await rows(
    'account_notifications (account_id, id, type, created_at)',
    `$1, gen_random_uuid(), 'domain_reopened', $2::timestamptz - n * interval '1 hour'`,
  )
  await rows(
    'notification_hours (store_id, topic, hour, count)',
    `$1, n::text, $2::timestamptz - n * interval '1 hour', 1`,
  )
  await rows(
    'recoveries_told (store_id, cart_id, at)',
    `$1, gen_random_uuid(), $2::timestamptz - n * interval '1 hour'`,
  )
  for (const deleteSlice of [deleteOldAccountRows, deleteOldHours, deleteOldRecoveries]) {
    expect([await deleteSlice(world.db, before, 3), await deleteSlice(world.db, before, 3)]).toEqual([3, 2])
  }
})

test('a text that cannot be rendered is mailed to the owner with what to do, unless disabled', async () => {
  const data = { cartId: createId(), messageId: createId(), step: 1, cause: 'unrenderable' as const, count: 3 }
  const fail = () => announce({ type: 'email_failed', data, at: world.now })
  await fail()
  const [mail, ...others] = await mails()
  expect(others).toEqual([])
  expect(mail!.text).toContain('too long to render')
  expect(mail!.text).toContain('Open the notification:')
  await choose('failed', 'none')
  world.advance(24 * 3_600_000)
  await fail()
  expect(await mails()).toEqual([])
})
