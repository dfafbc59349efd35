import { beforeEach, expect, test } from 'vitest'
import type { Check } from '../../../shared/core/checks.ts'
import { createConnectedStore } from '../../../test/connected-store.ts'
import { buildProblem } from '../../../test/fake-store.ts'
import { buildBeat, buildCartEntry, createPluginShop, type PluginShop } from '../../../test/plugin-shop.ts'
import { createWorld } from '../../../test/world.ts'

// The doctor for a store with the plugin (decision 108).

const world = createWorld()
const HOUR = 3_600_000
let shop: PluginShop

beforeEach(async () => {
  shop = await createPluginShop(world)
  await world.runJobs()
})

async function checksNow(): Promise<Map<string, Check>> {
  const { body } = await world.request('GET', '/api/stores/doctor', { token: shop.owner.token })
  return new Map(body.checks.map((check: Check) => [check.id, check]))
}

const beat = (health: Record<string, unknown>) =>
  shop.call('beat', buildBeat(shop, { health: { ...(buildBeat(shop).health as object), ...health } }))

test('the doctor shows version, last call, last cart, queue and scheduled tasks; the script is not needed', async () => {
  await shop.batch([{ seq: 1, ...buildCartEntry() }])
  await beat({ queue: 0 })
  const checks = await checksNow()
  expect(checks.get('plugin')).toMatchObject({
    state: 'good',
    finding: expect.stringMatching(/^Version 1\.0\.0\. Last call .*, last cart /),
  })
  expect(checks.get('plugin-reach')).toMatchObject({ state: 'good' })
  expect(checks.get('plugin-queue')).toMatchObject({ state: 'good', finding: 'The queue is empty.' })
  expect(checks.get('plugin-tasks')).toMatchObject({ state: 'good', finding: 'They ran 30 seconds ago.' })
  expect(checks.get('plugin-test')).toMatchObject({ state: 'quiet' })
  expect(checks.get('capture')).toMatchObject({ state: 'good', finding: 'Not needed: the plugin reports carts.' })
  const { finding } = checks.get('version')!
  expect(finding).toMatch(/^WooCommerce [\d.]+\. The plugin reports a cart from its first item on\.$/)
  expect(checks.get('boxes')).toMatchObject({
    state: 'quiet',
    finding: expect.stringContaining('shows no consent box'),
  })
})

test('problems of the plugin are shown with the next step', async () => {
  await beat({ isBlocked: true, droppedDay: 4, cronS: null, isCronDisabled: true })
  const checks = await checksNow()
  expect(checks.get('plugin')).toMatchObject({ state: 'bad', nextStep: expect.stringContaining('WP_ACCESSIBLE_HOSTS') })
  expect(checks.get('plugin-queue')).toMatchObject({
    state: 'warn',
    finding: expect.stringContaining('4 entries were dropped'),
  })
  await beat({ droppedDay: 1 })
  expect((await checksNow()).get('plugin-queue')).toMatchObject({
    finding: expect.stringContaining('1 entry was dropped'),
  })
  expect(checks.get('plugin-tasks')).toMatchObject({
    state: 'warn',
    finding: expect.stringContaining('DISABLE_WP_CRON'),
  })
})

test('missing scheduled tasks are unknown in the first hour, and the next report is requested', async () => {
  const first = await beat({ cronS: null })
  expect(first.body.ask.everyS).toBe(60)
  expect((await checksNow()).get('plugin-tasks')).toMatchObject({ state: 'quiet', nextStep: null })
  world.advance(10 * 60_000)
  shop.fake.pluginCalls.length = 0
  await checksNow()
  await world.runJobs()
  expect(shop.fake.pluginCalls.map(({ body }) => JSON.parse(body).reason)).toContain('check')
  const second = await beat({ cronS: 0 })
  expect(second.body.ask.everyS).toBe(3_600)
  world.advance(30 * 60_000)
  expect((await checksNow()).get('plugin-tasks')).toMatchObject({ state: 'good', finding: 'They ran 30 minutes ago.' })
  await beat({ cronS: null })
  world.advance(HOUR)
  expect((await checksNow()).get('plugin-tasks')).toMatchObject({ state: 'warn', finding: 'They have not run yet.' })
})

test('a store counts as reported by its plugin from the connection until the plugin is silent', async () => {
  const mode = async () =>
    (await world.request('GET', '/api/stores/check-connection', { token: shop.owner.token })).body.store.mode
  expect(await mode()).toBe('plugin')
  await beat({})
  expect(await mode()).toBe('plugin')
  world.advance(49 * HOUR)
  expect(await mode()).toBe('limited')
})

test('a shop that just stopped answering is not shown as reached elsewhere', async () => {
  await beat({})
  shop.fake.problem = buildProblem('plain_permalinks')
  const checks = await checksNow()
  expect(checks.get('reachable')).toMatchObject({
    state: 'bad',
    nextStep: expect.not.stringContaining('connect again'),
  })
  expect(checks.get('plugin-reach')).toMatchObject({
    state: 'warn',
    finding: expect.stringContaining('plain permalinks'),
  })
  await world.runJobs()
  await beat({})
  expect((await checksNow()).get('plugin-reach')).toMatchObject({
    state: 'bad',
    finding: expect.stringContaining('none has arrived yet'),
  })
  shop.fake.problem = null
  expect((await checksNow()).get('plugin-reach')).toMatchObject({ state: 'quiet' })
  await world.runJobs()
  expect((await checksNow()).get('plugin-reach')).toMatchObject({ state: 'good' })
})

test('a shop behind a firewall with a calling plugin is not reported as a wrong address', async () => {
  await beat({})
  for (const problem of ['unreachable', 'timeout'] as const) {
    shop.fake.problem = buildProblem(problem)
    expect((await checksNow()).get('reachable')).toMatchObject({
      state: 'warn',
      finding: expect.stringContaining('A firewall or password protection'),
      nextStep: null,
    })
  }
})

test('a silent plugin is a warning, after two days an error, and the script is requested again', async () => {
  await beat({})
  world.advance(4 * HOUR)
  expect((await checksNow()).get('plugin')).toMatchObject({ state: 'warn' })
  world.advance(45 * HOUR)
  const checks = await checksNow()
  expect(checks.get('plugin')).toMatchObject({
    state: 'bad',
    nextStep: expect.stringContaining('check that the plugin is active'),
  })
  expect(checks.get('capture')!.finding).not.toContain('Not needed')
})

test('the row on consent boxes says what the plugin reported, and nothing before that', async () => {
  expect((await checksNow()).get('boxes')).toMatchObject({
    state: 'quiet',
    finding: 'The plugin has not reported yet which boxes the checkout shows.',
    nextStep: null,
  })
  await beat({ boxes: ['email'] })
  expect((await checksNow()).get('boxes')).toMatchObject({
    finding: 'The plugin shows boxes for email; no checkout has been seen yet.',
    nextStep: expect.stringContaining('Open your checkout once'),
  })
  await world.db.updateTable('stores').set({ checkout_seen_at: world.now }).execute()
  expect((await checksNow()).get('boxes')!.finding).toBe(
    'The plugin shows boxes for email; the checkout was seen just now without them.',
  )
})

test('a store without the plugin has no plugin checks', async () => {
  const { owner } = await createConnectedStore(world)
  const { body } = await world.request('GET', '/api/stores/doctor', { token: owner.token })
  expect(body.checks.filter(({ id }: Check) => id.startsWith('plugin'))).toEqual([])
  expect(body.checks.length).toBeGreaterThan(5)
})
