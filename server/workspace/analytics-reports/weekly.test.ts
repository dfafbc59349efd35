import { beforeEach, expect, test } from 'vitest'
import { createColleague } from '../../../test/factories.ts'
import { buildTea, createShop, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { acceptMail, createWorld, START } from '../../../test/world.ts'
import { sql } from '../../core/db/db.ts'
import { countFigures } from '../../insights/analytics/figures.ts'
import { mailWeeklyReport, planWeeklyReports } from './weekly.ts'

// The weekly report by mail (decision 100).

const world = createWorld()
const ada = { email: 'ada@shoppers.example.com' }

beforeEach(() => {
  world.now = START
  world.sent.length = 0
  world.queued.length = 0
  world.answer = acceptMail
})

/** Monday, March 2, 10:00 in New York: a recovered cart and an abandoned one. */
async function createWeek(): Promise<Shop> {
  const shop = await createShop(world)
  await readZone(shop, 'America/New_York')
  await sql`update users set email_confirmed_at = ${world.now}`.execute(world.db)
  const message = await shop.mailed(ada)
  await shop.press(message.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 4_200 })
  await shop.fill('two', [pot, buildTea(2)])
  await shop.type('two', { email: 'bo@shoppers.example.com' })
  await shop.passTime(2 * HOUR)
  await countFigures(world.deps)
  world.sent.length = 0
  return shop
}

const readZone = async (shop: Shop, zone: string) => {
  await sql`update stores set time_zone = ${zone} where id = ${shop.storeId}`.execute(world.db)
  await countFigures(world.deps)
}
const readEmail = async ({ userId }: { userId: string }) =>
  (await world.db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()).email
const choose = (token: string, weeklyReport: boolean) =>
  world.request('PUT', '/api/notifications/preferences', { token, body: { weeklyReport } })

/** Mails at this instant to members of the shop, without those of earlier tests. */
async function mailsAt(instant: string, shop: Shop) {
  world.now = new Date(instant)
  await planWeeklyReports(world.deps)
  await world.runJobs()
  const { rows } = await sql<{ email: string }>`
    select u.email from members m join users u on u.id = m.user_id where m.account_id = ${shop.accountId}`.execute(
    world.db,
  )
  return world.sent.splice(0).filter(({ to }) => rows.some(({ email }) => email === to))
}

const BEFORE_EIGHT = '2026-03-09T11:59:00Z'
/** After the night in which New York's clocks went forward. */
const EIGHT = '2026-03-09T12:00:00Z'

test("the report is mailed to the owner on Monday at eight in the store's zone", async () => {
  const shop = await createWeek()
  expect(await mailsAt(BEFORE_EIGHT, shop)).toEqual([])
  const [mail, ...others] = await mailsAt(EIGHT, shop)
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: await readEmail(shop), headers: { 'Auto-Submitted': 'auto-generated' } })
  const { name } = await world.db
    .selectFrom('stores')
    .select('name')
    .where('id', '=', shop.storeId)
    .executeTakeFirstOrThrow()
  expect(mail!.subject).toBe(`Your week at ${name}: $42.00 recovered`)
  for (const sentence of [
    `${name} from Monday, March 2 to Sunday, March 8, compared with the week before.`,
    'Revenue recovered: $42.00\n$0.00 the week before',
    'Recovered orders: 1\n0 the week before',
    'Recovery rate: 50.00%\n– the week before\n1 of 2 abandoned carts recovered so far.',
    'Revenue opportunity: $110.00\n$0.00 the week before',
    `/analytics?platform=woocommerce&storeId=${shop.storeId}&range=7d`,
    'Choose which of these emails you get:\n',
    '/settings/account/notifications',
  ]) {
    expect(mail!.text).toContain(sentence)
  }
  // The same stations as the thread on screen.
  expect(mail!.text).toMatch(/Cart \d+ → Abandoned 2 → Message \d+ → Click \d+ → Bought 1/)
  expect(mail!.html).toContain('Revenue recovered: $42.00')
})

test('the report of the next week reports changes and later purchases', async () => {
  const shop = await createWeek()
  expect(await mailsAt(EIGHT, shop)).toHaveLength(1)
  world.now = new Date('2026-03-11T15:00:00Z')
  await shop.fill('three', [buildTea(1)])
  await shop.type('three', { email: 'cy@shoppers.example.com' })
  await shop.passTime(2 * HOUR)
  await countFigures(world.deps)
  world.sent.length = 0
  const [mail] = await mailsAt('2026-03-16T12:00:00Z', shop)
  expect(mail!.subject).not.toContain('recovered')
  expect(mail!.text).toContain('Revenue recovered: $0.00\n−100.0% vs. the week before ($42.00)')
  expect(mail!.text).toContain('Recovered orders: 0\n−100.0% vs. the week before (1)')
  expect(mail!.text).toContain('Recovery rate: 0.00%\n−100.0% vs. the week before (50.00%)')
  expect(mail!.text).toContain('Revenue opportunity: $21.00\n−80.9% vs. the week before ($110.00)')
  // Purchased since: neither week has open carts left.
  await shop.order({ kind: 'purchase', email: 'cy@shoppers.example.com', totalMinor: 2_100 })
  await countFigures(world.deps)
  world.sent.length = 0
  const [bought] = await mailsAt('2026-03-23T12:00:00Z', shop)
  expect(bought!.text).toContain('Revenue opportunity: $0.00\n$0.00 the week before')
})

test("the report waits for the week's figures, for two days at most (decision 100)", async () => {
  const shop = await createWeek()
  const isBeingCounted = async ({ storeId }: Shop) => {
    await sql`delete from figure_counts where store_id = ${storeId}`.execute(world.db)
    await sql`insert into figure_days (store_id, subject, day, due_at) values (${storeId}, 'carts', '2026-03-02', '2026-01-01')`.execute(
      world.db,
    )
  }
  await isBeingCounted(shop)
  expect(await mailsAt(EIGHT, shop)).toEqual([])
  expect(await mailsAt('2026-03-09T12:10:00Z', shop)).toEqual([])
  // Counted up to a moment within the week: the rest is missing.
  await sql`insert into figure_counts (store_id, counted_at) values (${shop.storeId}, '2026-03-08T20:00:00Z')`.execute(
    world.db,
  )
  expect(await mailsAt('2026-03-09T12:20:00Z', shop)).toEqual([])
  await countFigures(world.deps)
  const [mail] = await mailsAt('2026-03-09T12:30:00Z', shop)
  expect(mail!.text).toContain('Revenue recovered: $42.00')
  const other = await createWeekOnPlan('growth')
  await isBeingCounted(other)
  expect(await mailsAt(EIGHT, other)).toEqual([])
  expect(await mailsAt('2026-03-11T13:00:00Z', other)).toEqual([])
  await countFigures(world.deps)
  expect(await mailsAt('2026-03-11T14:00:00Z', other)).toEqual([])
})

test('the report has products only with Advanced Analytics (decision 131)', async () => {
  const shop = await createWeek()
  const plan = (name: string) =>
    sql`update subscriptions set plan = ${name} where account_id = ${shop.accountId}`.execute(world.db)
  await plan('free')
  const [free] = await mailsAt(EIGHT, shop)
  expect(free!.text).not.toContain('Teapot')
  const other = await createWeekOnPlan('starter')
  const [starter] = await mailsAt(EIGHT, other)
  expect(starter!.text).toContain('Teapot\nIn 1 abandoned cart, 0.00% recovered\n$68.00 not bought yet.')
  expect(starter!.text.indexOf('Teapot')).toBeLessThan(starter!.text.indexOf('Earl Grey'))
})

async function createWeekOnPlan(plan: string): Promise<Shop> {
  world.now = START
  const shop = await createWeek()
  await sql`update subscriptions set plan = ${plan} where account_id = ${shop.accountId}`.execute(world.db)
  return shop
}

test('the report is sent once by any number of processes, even if its schedule row is lost', async () => {
  const shop = await createWeek()
  world.now = new Date(EIGHT)
  await Promise.all([planWeeklyReports(world.deps), planWeeklyReports(world.deps), planWeeklyReports(world.deps)])
  const jobs = world.queued.map(({ payload }) => payload as { storeId: string; userId: string; monday: string })
  const own = jobs.filter(({ storeId }) => storeId === shop.storeId)
  expect(own).toEqual([{ storeId: shop.storeId, userId: shop.userId, monday: '2026-03-09' }])
  expect(await mailsAt(EIGHT, shop)).toHaveLength(1)
  await Promise.all([mailWeeklyReport(world.deps, own[0]!), mailWeeklyReport(world.deps, own[0]!)])
  await sql`delete from weekly_report_clocks where store_id = ${shop.storeId}`.execute(world.db)
  expect(await mailsAt('2026-03-09T12:05:00Z', shop)).toEqual([])
  expect(await mailsAt('2026-03-10T12:05:00Z', shop)).toEqual([])
})

test('the report is retried after a temporary rejection, but not if the server may have accepted it', async () => {
  const shop = await createWeek()
  const report = { storeId: shop.storeId, userId: shop.userId, monday: '2026-03-09' }
  world.answer = () => ({ kind: 'retry', reason: 'busy' }) as never
  world.now = new Date(EIGHT)
  await planWeeklyReports(world.deps)
  await expect(mailWeeklyReport(world.deps, report)).rejects.toThrow('busy')
  world.answer = () => ({ kind: 'unknown', reason: 'cut off' }) as never
  world.sent.length = 0
  await mailWeeklyReport(world.deps, report)
  await mailWeeklyReport(world.deps, report)
  expect(world.sent).toHaveLength(1)
})

test('the report goes to owners unless disabled, and to others if enabled (decision 100)', async () => {
  const shop = await createWeek()
  const colleague = await createColleague(world, shop, 'viewer')
  await sql`update users set email_confirmed_at = ${world.now}`.execute(world.db)
  const chosen = async (token: string) =>
    (await world.request('GET', '/api/notifications/preferences', { token })).body.weeklyReport
  expect([await chosen(shop.token), await chosen(colleague.token)]).toEqual([true, false])
  const saved = await choose(shop.token, false)
  expect([saved.status, saved.body.weeklyReport, saved.body.topics.length > 5]).toEqual([200, false, true])
  await choose(colleague.token, true)
  expect([await chosen(shop.token), await chosen(colleague.token)]).toEqual([false, true])
  expect((await mailsAt(EIGHT, shop)).map(({ to }) => to)).toEqual([colleague.email])
})

test('the report is not sent if disabled before the send', async () => {
  const shop = await createWeek()
  world.now = new Date(EIGHT)
  await planWeeklyReports(world.deps)
  await choose(shop.token, false)
  expect(await mailsAt(EIGHT, shop)).toEqual([])
})

test.each([
  ['the demo’s account', (shop: Shop) => sql`update accounts set is_demo = true where id = ${shop.accountId}`],
  [
    'an address that is not confirmed',
    (shop: Shop) => sql`update users set email_confirmed_at = null where id = ${shop.userId}`,
  ],
  ['a store that is disconnected', (shop: Shop) => sql`update stores set is_active = false where id = ${shop.storeId}`],
  [
    'a store without carts in both weeks',
    (shop: Shop) => sql`delete from cart_figures where store_id = ${shop.storeId}`,
  ],
  [
    'a store that was connected after that morning',
    (shop: Shop) => sql`update stores set connected_at = ${EIGHT} where id = ${shop.storeId}`,
  ],
])('nothing is mailed for %s', async (_, change) => {
  const shop = await createWeek()
  await change(shop).execute(world.db)
  expect(await mailsAt('2026-03-09T12:30:00Z', shop)).toEqual([])
})

test('a store that is disconnected after its first report gets none the week after', async () => {
  const shop = await createWeek()
  expect(await mailsAt(EIGHT, shop)).toHaveLength(1)
  await sql`update stores set is_active = false where id = ${shop.storeId}`.execute(world.db)
  expect(await mailsAt('2026-03-16T12:00:00Z', shop)).toEqual([])
})

test('a store that is disconnected before its report leaves gets none', async () => {
  const shop = await createWeek()
  world.now = new Date(EIGHT)
  await planWeeklyReports(world.deps)
  await sql`update stores set is_active = false where id = ${shop.storeId}`.execute(world.db)
  expect(await mailsAt(EIGHT, shop)).toEqual([])
})

test('after days without a worker the week is left out, and the next one comes on its morning', async () => {
  const shop = await createWeek()
  expect(await mailsAt('2026-03-12T12:00:00Z', shop)).toEqual([])
  expect(await mailsAt('2026-03-16T11:59:00Z', shop)).toEqual([])
  expect(await mailsAt('2026-03-16T12:00:00Z', shop)).toHaveLength(1)
})

test('one store’s report that fails holds up no other’s', async () => {
  const [first, second] = [await createWeek(), await createWeekOnPlan('growth')]
  const enqueue: typeof world.deps.jobs.enqueue = async (db, job, payload, ...rest) => {
    if ((payload as { storeId?: string }).storeId === first.storeId) throw new Error('no room')
    return world.deps.jobs.enqueue(db, job, payload, ...rest)
  }
  world.now = new Date(EIGHT)
  await planWeeklyReports({ ...world.deps, jobs: { ...world.deps.jobs, enqueue } })
  expect(await mailsAt(EIGHT, second)).toHaveLength(1)
})
