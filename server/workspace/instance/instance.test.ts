import crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { createWorld } from '../../../test/world.ts'
import { readiness } from './health.ts'
import { checkInstance, confirmLive, readFingerprint } from './instance.ts'

const world = createWorld({
  SUPPORT_EMAIL: 'help@example.com',
  COMPANY_NAME: 'Tea & Co',
  OPERATOR_EMAILS: 'someone@else.example, Operator@example.com',
})

async function createOwner(email = `${crypto.randomUUID()}@shop.example.com`) {
  const { body } = await world.request('POST', '/api/auth/register', {
    body: { name: 'Ada', email, password: 'secret' },
  })
  return { token: body.token as string, userId: body.user.id as string }
}

const view = async () => (await world.request('GET', '/api/instance')).body

test("everyone can read the instance's name, operator and support address", async () => {
  expect(await view()).toEqual({
    productName: 'Recoup',
    companyName: 'Tea & Co',
    supportEmail: 'help@example.com',
    termsUrl: null,
    privacyUrl: null,
    imprintUrl: null,
    registration: 'open',
    hasDemo: false,
    sells: 'test',
    isPaused: false,
    pausedReason: null,
    mayConfirm: false,
    mail: 'mailbox',
    demoStoreUrl: null,
    mailboxUrl: null,
    phoneUrl: null,
    locationDataFrom: null,
  })
})

test('everyone can read the date of the location data', async () => {
  world.deps.zones = { zoneOf: () => null, builtOn: '2026-06-17' }
  expect((await view()).locationDataFrom).toBe('2026-06-17')
  world.deps.zones = { zoneOf: () => null, builtOn: null }
  expect((await view()).locationDataFrom).toBeNull()
})

test('demo addresses are shown only on this machine', async () => {
  const { config } = world.deps
  world.deps.demo = {
    storeUrl: 'http://localhost:3001',
    mailboxUrl: 'http://localhost:3002',
    shopify: null,
    keys: { consumerKey: 'ck_x', consumerSecret: 'cs_x' },
    setCapture() {},
    setPush() {},
    insertOrders: () => [],
    isReady: () => true,
    past: () => ({ isBeingWritten: false, percent: null }),
    reset() {},
    rebuild: async () => {},
  }
  expect(await view()).toMatchObject({ demoStoreUrl: 'http://localhost:3001', mailboxUrl: 'http://localhost:3002' })
  expect((await readiness(world.deps)).checks).toMatchObject({ demo: 'ok' })
  world.deps.demo.isReady = () => false
  expect((await readiness(world.deps)).checks).toMatchObject({ demo: 'not set up yet' })
  world.deps.config = { ...config, isLocal: false }
  expect(await view()).toMatchObject({ demoStoreUrl: null, mailboxUrl: null })
  world.deps.config = config
  world.deps.demo = null
})

const confirm = (token: string) => world.request('POST', '/api/instance/confirm-live', { token, body: {} })
const readView = async (token: string) => (await world.request('GET', '/api/instance', { token })).body

/** Runs `work` in a copy: the same database at another address. */
async function runInCopy(work: () => Promise<void>) {
  const { config } = world.deps
  expect(await checkInstance(world.deps)).toBe(false)
  world.deps.config = { ...config, publicUrl: `https://${crypto.randomUUID()}.example.com` }
  expect(await checkInstance(world.deps)).toBe(true)
  await work()
  await confirmLive(world.deps)
}

test('stays live in the same place; a copy is paused until confirmed on the server (D7)', async () => {
  expect(await checkInstance(world.deps)).toBe(false)
  const known = await readFingerprint(world.deps)
  await runInCopy(async () => {
    expect(await readFingerprint(world.deps)).not.toBe(known)
    expect(await view()).toMatchObject({ isPaused: true, pausedReason: expect.stringContaining('copy') })
    expect(await checkInstance(world.deps)).toBe(true)
    await confirmLive(world.deps)
    expect(await view()).toMatchObject({ isPaused: false, pausedReason: null })
    expect(await checkInstance(world.deps)).toBe(false)
  })
})

test('owners and admins cannot confirm a copy, as they do not know other copies (D7)', async () => {
  const { token, userId } = await createOwner()
  await runInCopy(async () => {
    for (const role of ['owner', 'admin'] as const) {
      await world.db.updateTable('members').set({ role }).where('user_id', '=', userId).execute()
      const reply = await confirm(token)
      expect([reply.status, reply.body.error]).toEqual([403, expect.stringContaining('npm run confirm-live')])
      expect(await readView(token)).toMatchObject({ isPaused: true, mayConfirm: false })
    }
  })
})

test('an operator with a confirmed address can confirm a copy (D7)', async () => {
  const { token, userId } = await createOwner('operator@example.com')
  await world.db.updateTable('members').set({ role: 'viewer' }).where('user_id', '=', userId).execute()
  const setConfirmed = (at: Date | null) =>
    world.db.updateTable('users').set({ email_confirmed_at: at }).where('id', '=', userId).execute()
  await runInCopy(async () => {
    await setConfirmed(null)
    expect((await confirm(token)).status).toBe(403)
    expect(await readView(token)).toMatchObject({ isPaused: true, mayConfirm: false })
    await setConfirmed(world.now)
    expect(await readView(token)).toMatchObject({ isPaused: true, mayConfirm: true })
    expect(await confirm(token)).toMatchObject({ status: 200, body: { success: true } })
    expect(await readView(token)).toMatchObject({ isPaused: false, mayConfirm: false })
  })
})

test('a visitor of the demo cannot confirm', async () => {
  const { token, userId } = await createOwner()
  const { account_id } = await world.db
    .selectFrom('members')
    .select('account_id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', account_id).execute()
  expect((await world.request('POST', '/api/instance/confirm-live', { token, body: {} })).status).toBe(403)
})
