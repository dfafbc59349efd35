import crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { aWorld } from '../../test/world.ts'
import { checkInstance, readFingerprint } from './instance.ts'

const world = aWorld({ SUPPORT_EMAIL: 'help@example.com', COMPANY_NAME: 'Tea & Co' })

async function anOwner() {
  const { body } = await world.request('POST', '/api/auth/register', {
    body: { name: 'Ada', email: `${crypto.randomUUID()}@shop.example.com`, password: 'secret' },
  })
  return { token: body.token as string, userId: body.user.id as string }
}

const view = async () => (await world.request('GET', '/api/instance')).body

test('anybody may know what this server is called, who runs it and who helps', async () => {
  expect(await view()).toEqual({
    productName: 'Recoup',
    companyName: 'Tea & Co',
    supportEmail: 'help@example.com',
    hasDemo: false,
    isPaused: false,
    pausedReason: null,
    demoStoreUrl: null,
    mailboxUrl: null,
    phoneUrl: null,
  })
})

test('the demo’s own addresses are told on this machine only', async () => {
  const { config } = world.deps
  world.deps.demo = {
    storeUrl: 'http://localhost:3001',
    mailboxUrl: 'http://localhost:3002',
    keys: { consumerKey: 'ck_x', consumerSecret: 'cs_x' },
    setCapture() {},
    insertOrders: () => [],
    past: () => ({ isBeingWritten: false, percent: null }),
    reset() {},
    rebuild: async () => {},
  }
  expect(await view()).toMatchObject({ demoStoreUrl: 'http://localhost:3001', mailboxUrl: 'http://localhost:3002' })
  world.deps.config = { ...config, isLocal: false }
  expect(await view()).toMatchObject({ demoStoreUrl: null, mailboxUrl: null })
  world.deps.config = config
  world.deps.demo = null
})

test('the same place stays live, a copied one is paused until an owner confirms it', async () => {
  const { token, userId } = await anOwner()
  expect(await checkInstance(world.deps)).toBe(false)
  expect(await checkInstance(world.deps)).toBe(false)
  const { config } = world.deps
  const known = await readFingerprint(world.deps)
  world.deps.config = { ...config, publicUrl: 'https://copy.example.com' }
  expect(await readFingerprint(world.deps)).not.toBe(known)
  expect(await checkInstance(world.deps)).toBe(true)
  expect(await view()).toMatchObject({ isPaused: true, pausedReason: expect.stringContaining('copy') })
  expect(await checkInstance(world.deps)).toBe(true)

  const confirm = () => world.request('POST', '/api/instance/confirm-live', { token, body: {} })
  await world.db.updateTable('members').set({ role: 'member' }).where('user_id', '=', userId).execute()
  expect((await confirm()).status).toBe(403)
  await world.db.updateTable('members').set({ role: 'owner' }).where('user_id', '=', userId).execute()
  expect(await confirm()).toMatchObject({ status: 200, body: { success: true } })
  expect(await view()).toMatchObject({ isPaused: false, pausedReason: null })
  expect(await checkInstance(world.deps)).toBe(false)
  world.deps.config = config
})

test('a visitor of the demo confirms nothing', async () => {
  const { token, userId } = await anOwner()
  const { account_id } = await world.db
    .selectFrom('members')
    .select('account_id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', account_id).execute()
  expect((await world.request('POST', '/api/instance/confirm-live', { token, body: {} })).status).toBe(403)
})
