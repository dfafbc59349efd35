import { expect, test } from 'vitest'
import { sql } from '../server/core/db/db.ts'
import { getNotificationText, type NotificationData, type NotificationType } from '../shared/workspace/notifications.ts'
import { createStore } from '../test/factories.ts'
import { runShopDay } from '../test/shop-day.ts'
import { createWorld } from '../test/world.ts'

// Decision 65: the notifications of a busy day, counted with the product itself.
// PRINT_ROWS=1 prints all of them.

const world = createWorld()
const MIDNIGHT = new Date('2026-03-02T05:00:00Z')
const MOST_ROWS = 80

interface Row {
  type: NotificationType
  data: NotificationData[NotificationType] & { count?: number }
  createdAt: Date
}

test('a day of a store with 10,000 carts creates fewer than 80 notifications, including the first one (decision 65)', async () => {
  world.now = MIDNIGHT
  const store = await createStore(world, { isFlowOn: false })
  await world.db.updateTable('stores').set({ effective_timeout_minutes: 60 }).where('id', '=', store.storeId).execute()
  for (const day of ['first day', 'second day']) {
    const from = world.now
    await runShopDay(world, store, 10_000)
    const rows = await readRowsBetween(from, world.now)
    print(day, rows)
    expect(rows.length).toBeLessThan(MOST_ROWS)
    expect(rows.filter(({ type, data }) => type === 'cart_abandoned' && !data.count).length).toBeLessThanOrEqual(10)
    // Single events are never grouped.
    const types = rows.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['stage_failed', 'stage_resumed', 'import_finished', 'capture_flood']))
    expect(types).toEqual(expect.arrayContaining(['domain_throttled', 'domain_reopened']))
    const titles = rows.map((row) => getNotificationText(row).title)
    expect(titles).toContain('40 messages were not sent: the text cannot be rendered')
  }
  // No event is lost in between.
  expect(countEvents(await readRowsBetween(MIDNIGHT, world.now))).toEqual(await countRows())
})

async function readRowsBetween(from: Date, to: Date): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select type, data, created_at as "createdAt" from notifications where created_at >= ${from} and created_at < ${to}
    union all select type, data, created_at from account_notifications where created_at >= ${from} and created_at < ${to}
    order by "createdAt"`.execute(world.db)
  return rows
}

function print(day: string, rows: readonly Row[]): void {
  const byType = Object.entries(Object.groupBy(rows, ({ type }) => type)).map(
    ([type, some]) => `${type} ${some.length}`,
  )
  console.info(`${day}: ${rows.length} notifications: ${byType.join(', ')}`)
  if (!process.env.PRINT_ROWS) return
  for (const row of rows) {
    const at = row.createdAt.toTemporalInstant().toZonedDateTimeISO('America/New_York').toPlainTime().toString()
    const { title, message } = getNotificationText(row)
    console.info(`${at.slice(0, 5)} ${title}: ${message}`)
  }
}

/** Sums over the notification rows. */
function countEvents(rows: readonly Row[]) {
  const sumRows = (matches: (type: string) => boolean) =>
    rows
      .filter(({ type, data }) => matches(type) && !('cause' in data && data.cause === 'unrenderable'))
      .reduce((sum, { data }) => sum + (data.count ?? 1), 0)
  return {
    abandoned: sumRows((type) => type === 'cart_abandoned'),
    recovered: sumRows((type) => type === 'cart_recovered'),
    sent: sumRows((type) => type.endsWith('_sent')),
    failed: sumRows((type) => /^(email|sms|whatsapp)_failed$/.test(type)),
    complaints: sumRows((type) => type === 'complaint_failed'),
  }
}

/** Sums over carts and messages. A bounced message was sent and not delivered. */
async function countRows() {
  const { rows } = await sql`
    select (select count(*)::int from carts where abandoned_at is not null) as abandoned,
      (select count(*)::int from carts where status = 'recovered') as recovered,
      (select count(*)::int from decision_records where reason = 'accepted') as sent,
      (select count(*)::int from messages where state in ('unknown', 'failed')) as failed,
      (select count(*)::int from mail_reports where kind = 'complaint') as complaints`.execute(world.db)
  return rows[0]
}
