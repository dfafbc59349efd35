import { expect, test } from 'vitest'
import { buildOrder, completeOrderCheck, createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { readConfig } from '../../core/config/config.ts'
import { beat } from '../../delivery/send/workers.ts'
import { releaseForProviders } from '../../workspace/instance/instance.ts'
import { wakeDueStores } from '../messages/scan.ts'
import { chooseAccountMailRoute, chooseMailRoute, createNoMailChannel } from './mail-route.ts'

const TOKEN = 'a-token-of-the-monitoring'
const world = createWorld({ PUBLIC_URL: 'https://recoup.example.com', METRICS_TOKEN: TOKEN })
const HOUR = 3_600_000
const SMTP_URL = 'smtp://mail.example.com:587'

async function pass(storeId: string, ms: number) {
  world.advance(ms)
  await completeOrderCheck(world, storeId)
  await detectAbandoned(world.deps)
  await wakeDueStores(world.deps)
  await world.runJobs()
}

test.each([
  [{}, 'mailbox', 'mailbox'],
  [{ SMTP_URL }, 'server', 'mailbox'],
  [{ SMTP_URL, DEMO: 'off' }, 'server', 'none'],
  [{ HOST: '0.0.0.0' }, 'none', 'none'],
  [{ HOST: '0.0.0.0', DEMO: 'on' }, 'none', 'mailbox'],
  [{ PUBLIC_URL: 'https://recoup.example.com', SMTP_URL }, 'server', 'none'],
])('%j routes mail to %s, the demo account’s to %s (decision 29)', (env, own, demo) => {
  const config = readConfig(env)
  const account = (isDemo: boolean, hasOwn: boolean) => chooseAccountMailRoute(config, { isDemo, hasOwn })
  expect([chooseMailRoute(config), account(false, false), account(true, true)]).toEqual([own, own, demo])
  expect(account(false, true)).toBe('own')
})

test('a public instance without a mail server sends nothing and reports it (decision 29)', async () => {
  const { storeId, token } = await createStore(world)
  await recordOrders(world.deps, storeId, [buildOrder(world)], 'sync')
  await pass(storeId, HOUR)
  expect(world.sent).toHaveLength(0)
  const first = () =>
    world.db
      .selectFrom('messages')
      .select(['state', 'reason'])
      .where('store_id', '=', storeId)
      .where('step', '=', 1)
      .executeTakeFirstOrThrow()
  expect(await first()).toEqual({ state: 'held', reason: 'mail_not_configured' })
  expect((await world.request('GET', '/api/instance')).body.mail).toBe('none')
  await beat(world.deps)
  expect((await world.request('GET', '/readyz', { token: TOKEN })).body).toMatchObject({ status: 'ok', mail: 'none' })
  const trial = await world.request('POST', '/api/stores/sending/test-mail', { token, body: {} })
  expect([trial.status, trial.body.error]).toEqual([422, expect.stringContaining('No mail server is set up')])

  world.deps.config = readConfig({ PUBLIC_URL: 'https://recoup.example.com', SMTP_URL })
  await releaseForProviders(world.deps)
  await pass(storeId, 1_000)
  expect(world.sent).toHaveLength(1)
  expect(await first()).toMatchObject({ state: 'sent' })
})

test('mail without a mail server can be retried', async () => {
  const none = createNoMailChannel()
  expect(await none.send({} as never)).toMatchObject({ kind: 'retry', reason: 'mail_not_configured' })
  expect(await none.check()).toMatchObject({ isOk: false })
})
