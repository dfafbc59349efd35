import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canEnter } from '../config/data-dir.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'
import { isAlive } from './postmaster.ts'

const isRoot = process.getuid?.() === 0
const settings = { fsync: 'off', shared_buffers: '16MB' }
const scratch: string[] = []
let dataDir: string

function folder() {
  const created = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-pg-test-'))
  if (isRoot) fs.chmodSync(created, 0o711)
  scratch.push(created)
  return created
}

function start(where = dataDir) {
  return startEmbedded({ dataDir: where, settings, elsewhere: path.join(scratch[0]!, 'elsewhere') })
}

async function ask(url: string, query: string) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return Object.values((await client.query(query)).rows[0] as Record<string, unknown>)[0]
  } finally {
    await client.end()
  }
}

/** Starts the database in its own process and kills that with -9, like a crash of Recoup. */
async function startAndCrash(where = dataDir) {
  const module = new URL('./embedded.ts', import.meta.url).href
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(module)})
    const { pid } = await startEmbedded({ dataDir: ${JSON.stringify(where)}, settings: ${JSON.stringify(settings)} })
    console.log(pid)
    process.kill(process.pid, 'SIGKILL')`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
  expect(child.signal, child.stderr).toBe('SIGKILL')
  return Number(child.stdout)
}

function kill(server: EmbeddedPostgres) {
  process.kill(server.pid, 'SIGKILL')
}

const pidFile = () => path.join(dataDir, 'postgres/pgdata/postmaster.pid')

beforeAll(() => {
  fs.mkdirSync(path.join(folder(), 'elsewhere'))
  dataDir = folder()
})
afterAll(() => {
  for (const created of scratch) fs.rmSync(created, { recursive: true, force: true })
})

test('starts on an empty folder with a private socket and no port, and stops', async () => {
  const server = await start()
  expect(server.adopted).toBe(false)
  expect(await ask(server.url, 'select current_database()')).toBe('recoup')
  expect(await ask(server.url, 'show listen_addresses')).toBe('')
  expect(await ask(server.url, 'show synchronous_commit')).toBe('on')
  const socketDir = new URLSearchParams(server.url.split('?')[1]).get('host')!
  expect(fs.statSync(socketDir).mode & 0o777).toBe(0o700)
  await server.stop()
  expect(isAlive(server.pid)).toBe(false)
  expect(fs.existsSync(socketDir)).toBe(false)
})

test('keeps written data after a restart', async () => {
  const first = await start()
  await ask(first.url, 'create table kept as select 42 as answer returning 1').catch(() => {})
  const client = new pg.Client(first.url)
  await client.connect()
  await client.query('create table if not exists kept as select 42 as answer')
  await client.end()
  await first.stop()
  const second = await start()
  expect(await ask(second.url, 'select answer from kept')).toBe(42)
  await second.stop()
})

test('adopts the server that a killed Recoup left behind', async () => {
  const pid = await startAndCrash()
  const server = await start()
  expect(server).toMatchObject({ adopted: true, pid })
  expect(await ask(server.url, 'select 1')).toBe(1)
  await server.stop()
  expect(isAlive(pid)).toBe(false)
})

test('starts again at once after the database itself was killed', async () => {
  const killed = await start()
  const client = new pg.Client(killed.url)
  client.on('error', () => {})
  await client.connect()
  kill(killed)
  const server = await start()
  expect(server.adopted).toBe(false)
  expect(await ask(server.url, 'select 1')).toBe(1)
  await server.stop()
})

test('ignores a pid file whose pid now belongs to another program', async () => {
  const foreign = spawn('sleep', ['60'])
  fs.writeFileSync(pidFile(), [foreign.pid, path.dirname(pidFile()), 1, 5432, '/tmp', '', '', 'ready', ''].join('\n'))
  const server = await start()
  expect(server.adopted).toBe(false)
  expect(isAlive(foreign.pid!)).toBe(true)
  await server.stop()
  foreign.kill()
})

test('two concurrent starts share one server', async () => {
  const [one, two] = await Promise.all([start(), start()])
  expect(one.pid).toBe(two.pid)
  await one.stop()
  await two.stop()
})

test('reports PostgreSQL’s own message when it cannot start', async () => {
  const failing = startEmbedded({ dataDir, settings: { ...settings, shared_buffers: 'plenty' } })
  await expect(failing).rejects.toThrow(/did not start: invalid value for parameter "shared_buffers"/)
})

/** Every file with its size and modification time. */
function getFiles(where: string) {
  return fs.readdirSync(where, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { size, mtimeMs } = fs.lstatSync(path.join(where, name))
    return [name, size, mtimeMs]
  })
}

test('refuses another PostgreSQL version’s database in one sentence and leaves it unchanged', async () => {
  const where = folder()
  await (await start(where)).stop()
  const home = path.join(where, 'postgres')
  // Another Recoup leaves only its own programs behind.
  for (const name of fs.readdirSync(home).filter((found) => found.startsWith('postgresql-')))
    fs.rmSync(path.join(home, name), { recursive: true })
  const sentences = {
    17: /^The database in .* was made by PostgreSQL 17, .* Nothing was changed: start the Recoup from before the update/,
    19: /^The database in .* was made by PostgreSQL 19, .* Nothing was changed: start the newer Recoup that made it\.$/,
  }
  for (const [version, sentence] of Object.entries(sentences)) {
    fs.writeFileSync(path.join(home, 'pgdata/PG_VERSION'), `${version}\n`)
    const before = getFiles(where)
    await expect(start(where)).rejects.toThrow(sentence)
    expect(getFiles(where)).toEqual(before)
  }
})

test.runIf(isRoot)('runs as another user when started as root', async () => {
  const server = await start()
  expect(fs.statSync(`/proc/${server.pid}`).uid).not.toBe(0)
  await server.stop()
})

test.runIf(isRoot)('started as root, lets its user but no other through the data folder', async () => {
  const where = path.join(folder(), 'data')
  const server = await start(where)
  expect(await ask(server.url, 'show data_directory')).toBe(path.join(where, 'postgres', 'pgdata'))
  const { mode, gid } = fs.statSync(where)
  const [database, foreign] = [fs.statSync(`/proc/${server.pid}`), { uid: 65_432, gid: 65_432 }]
  expect([mode & 0o777, gid]).toEqual([0o710, database.gid])
  expect([canEnter(where, { uid: database.uid, gid }), canEnter(where, foreign)]).toEqual([true, false])
  await server.stop()
})

test.runIf(isRoot)(
  'keeps the database elsewhere when its user cannot enter the folder, reports it, and finds it again',
  async () => {
    const home = folder()
    fs.chmodSync(home, 0o700)
    const closed = path.join(home, 'data')
    const messages: string[] = []
    const elsewhere = path.join(scratch[0]!, 'elsewhere')
    const first = await startEmbedded({
      dataDir: closed,
      settings,
      elsewhere,
      say: (sentence) => messages.push(sentence),
    })
    expect(messages).toEqual([expect.stringContaining(`cannot enter ${closed}`)])
    await first.stop()
    const moved = path.join(home, 'moved')
    fs.renameSync(closed, moved)
    const second = await start(moved)
    expect(await ask(second.url, 'show data_directory')).toContain(elsewhere)
    await second.stop()
    fs.cpSync(moved, path.join(home, 'copy'), { recursive: true })
    await expect(start(path.join(home, 'copy'))).rejects.toThrow('is a copy of')
  },
)
