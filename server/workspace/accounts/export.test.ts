import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { storeTables } from './export-tables.ts'

const world = createWorld()

const prepare = (token: string) => world.request('POST', '/api/account/export', { token })

async function download(store: TestStore): Promise<Map<string, string>> {
  const { body } = await prepare(store.token)
  const reply = await world.app.inject({ url: body.url })
  expect(reply.statusCode, reply.body.slice(0, 200)).toBe(200)
  expect(reply.headers['content-type']).toBe('application/zip')
  expect(reply.headers['content-disposition']).toMatch(/^attachment; filename="recoup-export-2026-03-02\.zip"$/)
  return unzip(reply.rawPayload)
}

function unzip(bytes: Buffer): Map<string, string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'recoup-export-'))
  try {
    writeFileSync(path.join(folder, 'export.zip'), bytes)
    // Unpacks with an independent program.
    const script = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])'
    execFileSync('python3', ['-c', script, path.join(folder, 'export.zip'), path.join(folder, 'out')])
    const names = readdirSync(path.join(folder, 'out'), { recursive: true, withFileTypes: true })
    const files = names.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name))
    return new Map(files.map((file) => [path.relative(path.join(folder, 'out'), file), readFileSync(file, 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const getLines = (text: string | undefined) =>
  (text ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('an export is a zip with all rows of the account, in any number', async () => {
  const store = await createStore(world)
  await recordOrders(world.deps, store.storeId, [buildOrder(world), buildOrder(world)], 'sync')
  await world.pool.query(
    `insert into products (store_id, product_id, name, price_minor, currency, is_available, seen_at)
     select $1, n::text, 'Tea ' || n, 100, 'USD', true, now() from generate_series(1, 2500) n`,
    [store.storeId],
  )
  const files = await download(store)
  const folder = `stores/tea-co-${store.storeId.slice(-8)}`
  expect(files.get('README.txt')).toContain('JSON Lines')
  expect(JSON.parse(files.get('account.json')!)).toMatchObject({ id: store.accountId })
  expect(getLines(files.get('members.jsonl'))).toMatchObject([{ user_id: store.userId, role: 'owner' }])
  expect(JSON.parse(files.get(`${folder}/store.json`)!)).toMatchObject({ id: store.storeId })
  expect(getLines(files.get(`${folder}/carts.jsonl`))).toHaveLength(2)
  expect(getLines(files.get(`${folder}/flow_steps.jsonl`)).length).toBeGreaterThan(1)
  const products = getLines(files.get(`${folder}/products.jsonl`))
  expect(products).toHaveLength(2_500)
  expect(new Set(products.map((each) => each.product_id)).size).toBe(2_500)
})

test('a consent can be joined to its shopper by the shared hash', async () => {
  const store = await createStore(world)
  const email = 'greta@shoppers.example'
  await recordOrders(world.deps, store.storeId, [buildOrder(world, { email })], 'sync')
  const consent = { channel: 'email', status: 'granted', source: 'checkout', at: world.now } as const
  const address_hash = world.deps.secrets.addressHash(email)
  await world.db
    .insertInto('consents')
    .values({ store_id: store.storeId, id: createId(), address_hash, ...consent })
    .execute()
  const files = await download(store)
  const folder = `stores/tea-co-${store.storeId.slice(-8)}`
  const [consentRow] = getLines(files.get(`${folder}/consents.jsonl`))
  const shopper = getLines(files.get(`${folder}/shoppers.jsonl`)).find((each) => each.email === email)
  expect(consentRow.address_hash).toBe(shopper.email_hash)
})

test('an export contains no secret and nothing of another account', async () => {
  const [store, other] = [await createStore(world), await createStore(world)]
  await recordOrders(world.deps, other.storeId, [buildOrder(world, { email: 'other@shoppers.example' })], 'sync')
  const files = await download(store)
  files.delete('README.txt')
  const all = [...files.values()].join('\n')
  expect(all).not.toMatch(/password|token_hash|encrypted|capture_key/)
  for (const foreign of [other.accountId, other.storeId, 'other@shoppers.example', store.captureKey]) {
    expect(all).not.toContain(foreign)
  }
})

test('a link is valid for two minutes while the user keeps the right, and cannot be forged', async () => {
  const store = await createStore(world)
  const other = await createStore(world)
  const { body } = await prepare(store.token)
  const open = async (url: string) => (await world.app.inject({ url })).statusCode
  expect(await open(body.url)).toBe(200)
  const carts = (await world.request('GET', '/api/carts/export', { token: other.token })).body.url as string
  expect(await open(`/api/account/export/file?${carts.split('?')[1]}`)).toBe(404)
  expect(await open(body.url.slice(0, -1))).toBe(404)
  expect(await open('/api/account/export/nonsense')).toBe(404)
  await world.db.updateTable('members').set({ role: 'member' }).where('user_id', '=', store.userId).execute()
  expect(await open(body.url)).toBe(404)
  await world.db.updateTable('members').set({ role: 'owner' }).where('user_id', '=', store.userId).execute()
  world.advance(2 * 60_000)
  expect(await open(body.url)).toBe(404)
})

test('the exported tables are read along their primary keys', async () => {
  for (const { name, key } of storeTables) {
    const { rows } = await world.pool.query<{ column: string }>(
      `select a.attname as column from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any((i.indkey::int[])[0:i.indnkeyatts - 1])
       where i.indrelid = $1::regclass and i.indisprimary order by array_position(i.indkey::int[], a.attnum::int)`,
      [name],
    )
    expect([name, rows.map((row) => row.column)]).toEqual([name, ['store_id', ...key.map(([column]) => column)]])
  }
})
