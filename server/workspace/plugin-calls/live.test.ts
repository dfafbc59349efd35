import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createHomeUrl, type Owner, registerOwner } from '../../../test/connected-store.ts'
import { buildProblem, createFakeStore } from '../../../test/fake-store.ts'
import { HOUR, MINUTE, readMessages } from '../../../test/message-scene.ts'
import { passTime, runTick } from '../../../test/unreachable-shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createRestoreToken } from '../../delivery/compose/compose.ts'

// Runs the real plugin in PHP, with the stand-ins of its own tests, against this server: the latest version, and the
// last one without stock and price reports.

const OLD = '9379d6d6'
const root = path.resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(path.join(tmpdir(), 'recoup-live-'))
const runs = (command: string, args: string[]) => {
  try {
    execFileSync(command, args, { cwd: root, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const hasPhp = runs('php', ['-r', 'exit((int) !extension_loaded("pdo_sqlite"));'])
const hasOld = hasPhp && runs('git', ['cat-file', '-e', OLD])

const world = createWorld()
let recoup: string
beforeAll(async () => {
  recoup = await world.app.listen({ port: 0, host: '127.0.0.1' })
  if (hasOld) execFileSync('sh', ['-c', `git archive ${OLD} plugin | tar -x -C ${folder}`], { cwd: root })
})
afterAll(() => rmSync(folder, { recursive: true }))

const plugins = { newest: path.join(root, 'plugin'), old: path.join(folder, 'plugin') }

let shop: { process: ChildProcess; lines: Interface }
afterEach(() => {
  shop?.lines.close()
  shop?.process.kill()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads any answer
function command(what: string, more: Record<string, unknown> = {}): Promise<any> {
  const now = Math.floor(world.now.getTime() / 1_000)
  const { promise, resolve, reject } = Promise.withResolvers()
  shop.lines.once('line', (line) => {
    try {
      resolve(JSON.parse(line))
    } catch {
      reject(new Error(line))
    }
  })
  shop.process.once('exit', () => reject(new Error('PHP has ended')))
  shop.process.stdin!.write(`${JSON.stringify({ do: what, now, ...more })}\n`)
  return promise
}

/** Connects by the plugin's own screen; Recoup reaches it or not. */
async function connected(plugin: keyof typeof plugins, isReached: boolean) {
  const [owner, home] = [await registerOwner(world), createHomeUrl()]
  const fake = createFakeStore(home)
  fake.profile = { ...fake.profile, currency: 'EUR' }
  if (!isReached) fake.problem = buildProblem('timeout')
  world.storeClient = (access) => {
    fake.access = access
    return fake
  }
  const process = spawn(
    'php',
    [path.join(root, 'test/plugin-live.php'), `${plugins[plugin]}/recoup-for-woocommerce`, home],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  process.setMaxListeners(0)
  shop = { process, lines: createInterface({ input: process.stdout }) }
  const { to } = await command('begin', { url: recoup })
  const connect = new URL(to).searchParams.get('connect')
  const confirmed = await world.request('POST', '/api/stores/plugin/confirm', { token: owner.token, body: { connect } })
  const back = new URL(confirmed.body.url).searchParams
  const { why, store } = await command('finish', { state: back.get('recoup_state'), code: back.get('recoup_code') })
  expect(why).toBe('')
  await startFlow(owner, store)
  await world.runJobs()
  world.advance(MINUTE)
  world.sent.length = 0
  return { storeId: store as string, owner, fake }
}

async function startFlow({ token }: Owner, storeId: string) {
  const sender = { sender_name: 'Tea', postal_address: '1 Main Street' }
  await world.db.updateTable('stores').set(sender).where('id', '=', storeId).execute()
  const flow = await world.db.selectFrom('flows').select('id').where('store_id', '=', storeId).executeTakeFirstOrThrow()
  await world.request('POST', `/api/flows/${flow.id}/switch`, { token, body: { isOn: true } })
}

/** WordPress runs its tasks every minute. */
async function minutes(count: number) {
  let answer: Awaited<ReturnType<typeof command>>
  for (let n = 0; n < count; n++) {
    await passTime(world, MINUTE, 30_000)
    answer = await command('task')
    expect(answer.problem).toBe('')
    await runTick(world)
  }
  return answer
}

const readFirstMessage = async (storeId: string) => (await readMessages(world, storeId))[0]!
const cartStatus = async (storeId: string) =>
  (await world.db.selectFrom('carts').select('status').where('store_id', '=', storeId).executeTakeFirst())?.status

async function restoreAndBuy(storeId: string) {
  const token = createRestoreToken(world.deps.secrets, (await readFirstMessage(storeId)).id)
  const { body } = await world.request('POST', `/api/carts/${token}/restore`)
  const back = new URL(body.checkoutUrl).searchParams.get('recoup-restore')
  expect(await command('visit', { token: back })).toMatchObject({
    to: expect.stringContaining('/checkout'),
    quantities: [2],
  })
  world.advance(MINUTE)
  await command('order', { email: 'vera@example.com', isTold: true })
  await runTick(world)
  expect(await cartStatus(storeId)).toBe('recovered')
}

test.skipIf(!hasPhp)('the plugin of an unreachable shop completes cart, report, mail, restore and order', async () => {
  const { storeId } = await connected('newest', false)
  expect(await command('fill', { email: 'vera@example.com' })).toMatchObject({ waiting: 0 })
  await minutes(2)
  await passTime(world, 2 * HOUR, HOUR)
  const { reach, calls } = await minutes(1)
  expect(reach).toMatchObject({ isReached: false, reason: expect.stringContaining('firewall') })
  expect(calls.at(-1).body.orders.goods).toMatchObject([
    { product: '10', terms: { stock_status: 'instock', price: '12.5' } },
  ])
  expect(world.sent).toHaveLength(1)
  await restoreAndBuy(storeId)
})

test.skipIf(!hasPhp)(
  'the plugin of a shop that is not reached: what is sold out or bought is not reminded of',
  async () => {
    const one = await connected('newest', false)
    await command('fill', { email: 'vera@example.com' })
    await passTime(world, 2 * HOUR, HOUR)
    await command('stock', { stock: 0 })
    await minutes(2)
    expect(await readFirstMessage(one.storeId)).toMatchObject({ state: 'skipped', reason: 'items_gone' })
    shop.process.kill()
    const other = await connected('newest', false)
    await command('fill', { email: 'vera@example.com' })
    await passTime(world, 2 * HOUR, HOUR)
    await command('order', { email: 'vera@example.com' })
    await minutes(2)
    expect(await readFirstMessage(other.storeId)).toMatchObject({ state: 'cancelled' })
    expect(world.sent).toEqual([])
  },
)

test.skipIf(!hasOld)(
  'the plugin of before, reached: cart, mail, restore, order, and the update is offered',
  async () => {
    const { storeId, fake } = await connected('old', true)
    await command('fill', { email: 'vera@example.com' })
    await minutes(1)
    await passTime(world, 2 * HOUR, HOUR)
    await minutes(1)
    expect(fake.termQueries).not.toEqual([])
    expect(world.sent).toHaveLength(1)
    await restoreAndBuy(storeId)
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    // `npm run build` creates the zip.
    const isBuilt = existsSync(path.join(root, 'dist/plugin/recoup-for-woocommerce.zip'))
    expect(await command('update')).toMatchObject(isBuilt ? { version, isZip: true } : { version: null })
  },
)

test.skipIf(!hasOld)(
  'the plugin of before, not reached: it reports, its messages wait, and everything says to update it',
  async () => {
    const { storeId, owner, fake } = await connected('old', false)
    await command('fill', { email: 'vera@example.com' })
    await passTime(world, 2 * HOUR, HOUR)
    await minutes(3)
    expect(world.sent).toEqual([])
    expect(await readFirstMessage(storeId)).toMatchObject({
      state: 'held',
      reason: 'store_unreachable:plugin_outdated',
    })
    const { body } = await world.request('GET', '/api/stores/doctor', { token: owner.token })
    expect(body.checks.find(({ id }: { id: string }) => id === 'plugin-reach')).toMatchObject({
      state: 'bad',
      nextStep: expect.stringMatching(/^Update the plugin/),
    })
    fake.problem = null
    await minutes(11)
    expect(world.sent).toHaveLength(1)
    await restoreAndBuy(storeId)
  },
)
