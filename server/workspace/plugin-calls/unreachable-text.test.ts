import { afterEach, expect, test } from 'vitest'
import type { Check } from '../../../shared/core/checks.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import { HOUR, MINUTE } from '../../../test/message-scene.ts'
import { buildBeat } from '../../../test/plugin-shop.ts'
import { createUnreachableShop, type UnreachableShop } from '../../../test/unreachable-shop.ts'
import { createWorld } from '../../../test/world.ts'
import { enqueueDueSyncs, syncNow } from '../../carts/sync/sync.ts'

// Texts for the owner of a shop that never answers Recoup, whose data comes from plugin reports only.

const world = createWorld()
let shop: UnreachableShop
afterEach(() => shop.close())

test('all texts say that the shop is unreachable, and none asks to check a typed address', async () => {
  shop = await createUnreachableShop(world)
  await shop.beat()
  world.advance(16 * MINUTE)
  await enqueueDueSyncs(world.deps)
  await world.runJobs()
  const { token } = shop.owner
  const health = (await world.request('GET', '/api/stores/health', { token })).body
  expect(health).toMatchObject({ streams: { sweep: { problem: expect.any(String) } } })
  await shop.beat()
  expect((await world.request('GET', '/api/stores/health', { token })).body).toMatchObject({ isReported: true })
  const now = await world.request('POST', '/api/stores/sync', { token })
  const inDays = (days: number) => new Date(world.now.getTime() + days * 24 * HOUR).toISOString()
  const coupon = { code: 'SAVE', type: 'percentage', amount: 10, startDate: inDays(0), endDate: inDays(7) }
  const make = () => world.request('POST', '/api/coupons', { token, body: { ...coupon, isActive: true } })
  const created = await make()
  expect(now.body.error).toContain('The plugin reports orders, stock and prices instead.')
  const doctor = (await world.request('GET', '/api/stores/doctor', { token })).body.checks as Check[]
  const checks = new Map(doctor.map((check) => [check.id, check]))
  expect(checks.get('sync')).toMatchObject({ state: 'quiet', finding: expect.stringContaining('reports new orders') })
  expect(checks.get('webhooks')).toMatchObject({ state: 'quiet', finding: expect.stringMatching(/^Not needed/) })
  const problems = Object.values(health.streams).map((each) => (each as { problem: string | null }).problem ?? '')
  const texts = [
    ...problems,
    now.body.error,
    created.body.error,
    ...[...checks.values()].map(({ finding }) => finding),
  ].join()
  expect(texts).toContain('A firewall or password protection may block Recoup')
  expect(texts).not.toMatch(/spelling|usually an outage|first import/)
  // If the shop was reached before, one failure says nothing about a firewall.
  await world.db.updateTable('plugin_connections').set({ is_reached: true }).execute()
  expect((await make()).body.error).not.toContain('firewall')
})

test('every doctor check says that the plugin cannot report stock and prices', async () => {
  shop = await createUnreachableShop(world, { isOld: true })
  await shop.beat()
  await shop.beat()
  const { token } = shop.owner
  expect((await world.request('GET', '/api/stores/health', { token })).body).toMatchObject({ isReported: false })
  const { checks } = (await world.request('GET', '/api/stores/doctor', { token })).body as { checks: Check[] }
  const outdated = checks.filter(({ finding }) => finding.includes('version of the plugin does not report stock'))
  expect(outdated.map(({ id }) => id)).toEqual(expect.arrayContaining(['sync', 'plugin-reach']))
  expect(checks.map(({ finding }) => finding).join()).not.toContain('does not report now')
})

test('no text says that the plugin reports once it is silent', async () => {
  shop = await createUnreachableShop(world)
  await shop.beat()
  await shop.beat()
  world.advance(16 * MINUTE)
  const { token } = shop.owner
  expect((await world.request('GET', '/api/stores/health', { token })).body).toMatchObject({ isReported: false })
  expect((await world.request('POST', '/api/stores/sync', { token })).body.error).not.toContain('The plugin reports')
  const { checks } = (await world.request('GET', '/api/stores/doctor', { token })).body as { checks: Check[] }
  const found = new Map(checks.map((check) => [check.id, check]))
  expect(found.get('sync')).toMatchObject({ state: 'warn', finding: expect.stringContaining('does not report now') })
})

test('the dashboard loads before the first report of the plugin', async () => {
  shop = await createUnreachableShop(world)
  const { token } = shop.owner
  const dashboard = () =>
    Promise.all(['stats', 'chart'].map((name) => world.request('GET', `/api/dashboard/${name}`, { token })))
  const answers = async () => (await dashboard()).map(({ status }) => status)
  expect(await answers()).toEqual([200, 200])
  expect((await world.request('GET', '/api/stores/health', { token })).body).toMatchObject({
    ageSeconds: null,
    isReported: false,
  })
  // A shop that was reached before: its plugin calls, but reads have failed for longer than is tolerated.
  await world.db.updateTable('plugin_connections').set({ is_reached: true, called_at: world.now }).execute()
  expect(await answers()).toEqual([200, 200])
  // A silent plugin says nothing about a shop that was reached before.
  world.advance(3 * HOUR)
  expect(await answers()).toEqual([503, 503])
  // All of its data comes from its plugin, until that is silent for two days.
  await world.db.updateTable('plugin_connections').set({ is_reached: false }).execute()
  expect(await answers()).toEqual([200, 200])
  world.advance(46 * HOUR)
  expect(await answers()).toEqual([503, 503])
})

test('the doctor says only what is known of a shop that never answers', async () => {
  shop = await createUnreachableShop(world)
  await shop.call('beat', buildBeat(shop))
  let checks = await examine()
  expect(checks.get('permissions')).toMatchObject({ finding: 'Could not be checked: the store did not answer.' })
  expect(checks.get('sync')).toMatchObject({
    title: 'Orders from the plugin',
    finding: expect.stringContaining('has not reported orders yet'),
    nextStep: pluginTexts.reportsByCron,
  })
  expect(checks.get('plugin-test')).toMatchObject({ finding: expect.stringMatching(/^No test cart yet/) })
  await shop.beat()
  await shop.beat()
  world.advance(2 * MINUTE)
  checks = await examine()
  const { finding } = checks.get('plugin-reach')!
  expect(finding).toContain('last 2 minutes ago. A due message waits for the next report.')
  expect(finding).not.toContain('messages are sent')
  // Scheduled tasks that ran within the hour are late for such a shop: its messages wait for them.
  world.advance(10 * MINUTE)
  expect((await examine()).get('plugin-tasks')).toMatchObject({
    state: 'warn',
    finding: expect.stringContaining('Messages wait for them'),
    nextStep: pluginTexts.reportsByCron,
  })
})

test('a test cart that waits for the plugin’s next call is distinguished from the last one', async () => {
  shop = await createUnreachableShop(world)
  const { token } = shop.owner
  // From the plugin's own screen.
  await shop.batch([{ seq: 1, type: 'test', test: 'f'.repeat(32) }])
  const asked = await world.request('POST', '/api/stores/plugin/test', { token })
  expect(asked.body.message).toBe(pluginTexts.testAwaited)
  expect((await examine()).get('plugin-test')).toMatchObject({
    state: 'quiet',
    finding: 'The last one arrived just now. Another was requested and comes with the plugin’s next call.',
  })
})

test('“Sync now” says that an unreachable shop cannot be read from here, even after our own time limit', async () => {
  shop = await createUnreachableShop(world, { isSilent: true })
  const store = { storeId: shop.storeId, db: world.db }
  const expected = /^Recoup cannot read this shop\. .*wp-cron\.php every minute/
  await expect(syncNow(world.deps, store, 30)).rejects.toThrow(expected)
  // While another sync waits for the shop.
  await world.db
    .updateTable('sync_state')
    .set({ lease_until: new Date(world.now.getTime() + MINUTE), started_at: world.now })
    .where('stream', '=', 'sweep')
    .execute()
  await expect(syncNow(world.deps, store)).rejects.toThrow(expected)
})

async function examine(): Promise<Map<string, Check>> {
  const { body } = await world.request('GET', '/api/stores/doctor', { token: shop.owner.token })
  return new Map((body.checks as Check[]).map((check) => [check.id, check]))
}
