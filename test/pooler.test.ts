import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { groupNotifications } from '../server/access/notifications/group.ts'
import { notify } from '../server/access/notifications/notifications.ts'
import { buildApp } from '../server/app.ts'
import { adaptToDatabase } from '../server/core/database/pooler.ts'
import { openDb, openPool } from '../server/core/db/db.ts'
import { createCampaign, readCampaign, runTick } from './campaign-scene.ts'
import { replaceDatabase } from './global.ts'
import { missingPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'
import { trackCommits } from './queue.ts'
import { isFullRun } from './seed.ts'
import { buildTea, createShop, HOUR } from './shop.ts'
import { createWorld } from './world.ts'

// Recoup behind PgBouncer in transaction mode with its defaults.

const PEOPLE = isFullRun ? 1_000 : 30
const STATEMENTS = isFullRun ? 10_000 : 1_000

describe.skipIf(missingPgBouncer)(`PgBouncer${missingPgBouncer ? ` (${missingPgBouncer})` : ''}`, () => {
  const world = createWorld()
  let pgBouncer: PgBouncer
  let directPool: pg.Pool
  let directUrl: string
  let url: string

  beforeAll(async () => {
    pgBouncer = await startPgBouncer(inject('databaseUrl'))
    directPool = world.pool
    directUrl = world.pool.options.connectionString!
    const name = new pg.Client(directUrl).database!
    url = pgBouncer.buildUrl(name)
    expect(replaceDatabase(inject('databaseUrl'), name)).toBe(directUrl)
    // From here on everything goes through PgBouncer.
    await world.app.close()
    world.pool = openPool({ url, isPrepared: false })
    world.db = trackCommits(openDb(world.pool), world.queued)
    const config = { ...world.deps.config, databaseUrl: url, databaseDirectUrl: directUrl }
    Object.assign(world.deps, { db: world.db, pool: world.pool, config })
    world.app = buildApp(world.deps)
    await world.app.listen({ port: 0, host: '127.0.0.1' })
  })

  afterAll(async () => {
    await world.app.close()
    await world.pool.end()
    world.pool = directPool
    await pgBouncer?.stop()
  })

  const adapt = async (config: { databaseUrl: string; databaseDirectUrl?: string }, answerMs?: number) => {
    const sentences: string[] = []
    const given = { databaseDirectUrl: undefined, isDatabasePrepared: true, ...config }
    const adapted = await adaptToDatabase(given, (one) => void sentences.push(one), answerMs)
    return { isPrepared: adapted.isDatabasePrepared, sentences }
  }

  test('the start switches named statements off where the pooler does not keep them', async () => {
    const { isPrepared, sentences } = await adapt({ databaseUrl: url, databaseDirectUrl: directUrl })
    // From 1.21 on PgBouncer keeps them.
    expect(sentences.length).toBe(isPrepared ? 0 : 1)
    if (!isPrepared) expect(sentences[0]).toMatch(/does not keep named statements.*DATABASE_PREPARED=off/)
    expect(await adapt({ databaseUrl: directUrl })).toEqual({ isPrepared: true, sentences: [] })
  })

  test('the start is refused without a direct address, because notifications do not arrive', async () => {
    await expect(adapt({ databaseUrl: url }, 200)).rejects.toThrow(/through DATABASE_URL.*Set DATABASE_DIRECT_URL/)
  })

  test('the start switches JIT compilation off for the database user', async () => {
    const name = new pg.Client(directUrl).database!
    await directPool.query(`alter role current_user in database ${name} set jit = on`)
    await adapt({ databaseUrl: directUrl })
    const next = openPool({ url: directUrl, max: 1 })
    const { rows } = await next.query(`select current_setting('jit') as jit`)
    await next.end()
    expect(rows).toEqual([{ jit: 'off' }])
  })

  const ask = async (pool: pg.Pool, n: number) => {
    const kind = n % 40
    const { rows } = await pool.query(`select 'kind ${kind}: ' || $1::text as answer`, [String(n)])
    return rows[0].answer === `kind ${kind}: ${n}`
  }

  /** Two pools name their statements independently, as two processes do. */
  const askBoth = async (isPrepared: boolean) => {
    const pools = [openPool({ url, isPrepared }), openPool({ url, isPrepared })]
    try {
      // In opposite order, so that counted names would differ.
      const answers = await Promise.allSettled(
        Array.from({ length: STATEMENTS }, (_, n) => ask(pools[n % 2]!, n % 2 ? n : STATEMENTS - n)),
      )
      return {
        wrong: answers.filter((each) => each.status === 'fulfilled' && !each.value).length,
        failed: answers.filter(({ status }) => status === 'rejected').length,
      }
    } finally {
      for (const pool of pools) await pool.end()
    }
  }

  test('statements of two processes get their own answers', async () => {
    expect(await askBoth(false)).toEqual({ wrong: 0, failed: 0 })
    // With names PgBouncer before 1.21 refuses some, and none is answered by another statement.
    expect((await askBoth(true)).wrong).toBe(0)
  })

  test('a cart is abandoned, mailed, restored and bought', async () => {
    const shop = await createShop(world)
    const { id } = await shop.mailed({ email: 'ada@shoppers.example.com' })
    expect((await shop.press(id)).status).toBe(200)
    await shop.order({ email: 'ada@shoppers.example.com', kind: 'purchase' })
    expect(await shop.cart()).toMatchObject({ status: 'recovered' })
  })

  test('a campaign sends one mail to each shopper', async () => {
    const shop = await createShop(world, { plan: 'growth' })
    for (let n = 0; n < PEOPLE; n++) {
      await shop.fill(`browser ${n}`, [buildTea()])
      await shop.type(`browser ${n}`, { email: `shopper${n}@shoppers.example.com` })
    }
    await world.db.updateTable('flows').set({ is_on: false }).where('store_id', '=', shop.storeId).execute()
    await shop.passTime(2 * HOUR)
    world.sent = []
    const campaign = await createCampaign(world, shop)
    for (let n = 0; n < 10; n++) await runTick(world, shop, 1_000)
    expect(new Set(world.sent.map(({ to }) => to)).size).toBe(PEOPLE)
    expect(world.sent).toHaveLength(PEOPLE)
    expect(await readCampaign(world, shop, campaign._id)).toMatchObject({ status: 'completed' })
  })

  test('a change reaches an open browser', async () => {
    const shop = await createShop(world)
    const { port } = world.app.server.address() as AddressInfo
    const socket = io(`http://127.0.0.1:${port}`, { auth: { token: shop.token }, forceNew: true, reconnection: false })
    try {
      const received: string[] = []
      socket.on('notification', ({ type }) => received.push(type))
      await new Promise<void>((resolve, reject) => socket.on('connect', resolve).on('connect_error', reject))
      await socket.timeout(30_000).emitWithAck('join-platform', 'woocommerce')
      await notify(
        { storeId: shop.storeId, db: world.db },
        { type: 'capture_flood', data: { ceiling: 7 }, at: world.now },
      )
      await groupNotifications(world.deps)
      await vi.waitFor(() => expect(received).toEqual(['new']), 30_000)
    } finally {
      socket.disconnect()
    }
  })
})
