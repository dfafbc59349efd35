import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { openDb, openPool } from '../server/db.ts'
import type { Deps } from '../server/deps.ts'
import { createSecrets } from '../server/secrets.ts'
import { keepKeys } from '../server/stores/access.ts'
import { aStore, type TestStore } from '../test/factories.ts'
import { asAdmin, databaseUrl } from '../test/global.ts'
import type { World } from '../test/world.ts'
import { aHouse, type House, until } from './house.ts'

// kill -9 in the middle of sending, again and again: it goes on by itself, and nobody gets a mail twice (D1, D10).

const SHOPPERS = 60
const KILLS = 3
const POOL = 5
const SECRET = randomBytes(32).toString('base64url')
const KEYS = { consumerKey: `ck_${'c'.repeat(40)}`, consumerSecret: `cs_${'e'.repeat(40)}` }
const name = `recoup_crash_${randomBytes(6).toString('hex')}`

let shop: DemoStore
let house: House
let smtp: SMTPServer
let store: TestStore
const accepted: string[] = []
const url = databaseUrl(inject('databaseUrl'), name)
const pool = openPool({ url, max: 3 })
const db = openDb(pool)

beforeAll(async () => {
  await asAdmin(inject('databaseUrl'), `create database ${name} template ${inject('template')}`)
  shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  insertDrafts(shop)
  const world = { db, now: new Date(Date.now() - 3_600_000) } as World
  store = await aStore(world, { url: shop.url, fenceAgeMs: null })
  await prepareStore()
  smtp = await slowSmtp()
  const port = (smtp.server.address() as AddressInfo).port
  house = await aHouse({
    DEMO: 'off',
    DATABASE_URL: url,
    APP_SECRET: SECRET,
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    SMTP_POOL: String(POOL),
  })
}, 90_000)

afterAll(async () => {
  await house?.stop()
  await new Promise<void>((resolve) => (smtp ? smtp.close(() => resolve()) : resolve()))
  await shop?.stop()
  await pool.end()
  await asAdmin(inject('databaseUrl'), `drop database if exists ${name} with (force)`)
})

function insertDrafts(demo: DemoStore): void {
  const at = Math.floor(Date.now() / 1000) - 900
  const orders = Array.from({ length: SHOPPERS }, (_, n) => ({
    status: 'checkout-draft' as const,
    createdAt: at,
    billing: { email: `shopper${n}@crash.example`, first_name: 'Cora', last_name: `No. ${n}` },
    lines: [{ productId: 20, quantity: 1 }],
  }))
  demo.insertOrders(orders)
}

/** The first step is due ten minutes after the last activity, so every draft is due at once. */
async function prepareStore(): Promise<void> {
  const deps = { secrets: createSecrets(SECRET), now: () => new Date() } as Deps
  await db.transaction().execute((tx) => keepKeys(deps, { accountId: store.accountId, db: tx }, store.storeId, KEYS))
  await db.updateTable('flow_steps').set({ delay_minutes: 10 }).where('step', '=', 1).execute()
  await db.updateTable('stores').set({ effective_timeout_minutes: 10 }).execute()
}

/** Accepts slowly, so that a kill finds messages on the wire. What it accepts is counted before it says so. */
async function slowSmtp(): Promise<SMTPServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, callback) {
      stream.resume()
      stream.on('end', () => {
        setTimeout(() => {
          accepted.push(session.envelope.rcptTo[0]!.address)
          callback(null, 'queued')
        }, 250)
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

async function states(): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('messages')
    .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
    .where('step', '=', 1)
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map((row) => [row.state, Number(row.count)]))
}

test('killed three times while sending, it goes on by itself and sends nothing twice', async () => {
  for (let kill = 1; kill <= KILLS; kill++) {
    await until(async () => accepted.length >= kill * 12, 60_000, 20)
    await house.kill()
    await house.start()
  }
  await until(async () => {
    const now = await states()
    return (now.sent ?? 0) + (now.unknown ?? 0) === SHOPPERS
  }, 90_000)
  const { unknown = 0, sent = 0 } = await states()
  expect(new Set(accepted).size).toBe(accepted.length)
  expect(unknown).toBeLessThanOrEqual(POOL * KILLS)
  expect(accepted.length).toBeGreaterThanOrEqual(sent)
  expect(sent + unknown).toBe(SHOPPERS)
}, 200_000)
