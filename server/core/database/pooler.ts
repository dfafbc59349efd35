import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Config, StartupError } from '../config/public.ts'

// Finds out at the start what an external database, or the pooler before it, can do.

const ANSWER_MS = 10_000
const TRIES = 20

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'isDatabasePrepared'>

/** Returns the configuration that the database allows. Throws a StartupError where Recoup cannot work. */
export async function adaptToDatabase<C extends DatabaseConfig>(
  config: C,
  say: (sentence: string) => void,
  answerMs = ANSWER_MS,
): Promise<C> {
  const { databaseUrl: url, isDatabasePrepared } = config
  if (!url) return config
  const directUrl = config.databaseDirectUrl ?? url
  await switchJitOff(directUrl, say)
  const isDelivered = await deliversNotifications(directUrl, answerMs)
  if (!isDelivered)
    throw new StartupError(explainLostNotifications(directUrl === url ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'))
  if (!isDatabasePrepared || directUrl === url || (await keepsNames(url))) return config
  say(
    'The pooler in DATABASE_URL does not keep named statements, as PgBouncer before 1.21. They are switched off; DATABASE_PREPARED=off skips this check.',
  )
  return { ...config, isDatabasePrepared: false }
}

/**
 * JIT compilation costs more time than any of our statements takes. It belongs to the role, because a pooler refuses
 * start-up options.
 */
async function switchJitOff(url: string, say: (sentence: string) => void): Promise<void> {
  await withClients(url, async (client) => {
    const { rows } = await client.query<{ jit: string; database: string }>(
      `select current_setting('jit') as jit, quote_ident(current_database()) as database`,
    )
    if (rows[0]!.jit === 'off') return
    try {
      await client.query(`alter role current_user in database ${rows[0]!.database} set jit = off`)
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      // Another process sets it at this moment.
      if (code !== 'XX000' && code !== '23505')
        say(`The database does not allow Recoup to set jit = off (${message}). Set it at the server: it saves time.`)
    }
  })
}

/** A pooler in transaction mode accepts LISTEN and delivers nothing. */
async function deliversNotifications(url: string, answerMs: number): Promise<boolean> {
  const channel = `recoup_probe_${randomBytes(6).toString('hex')}`
  return withClients(url, async (listener, sender) => {
    const received = new Promise<boolean>((resolve) => listener.once('notification', () => resolve(true)))
    await listener.query(`listen ${channel}`)
    await sender.query(`notify ${channel}`)
    return Promise.race([received, sleep(answerMs, false, { ref: false })])
  })
}

const explainLostNotifications = (setting: string) =>
  `PostgreSQL’s notifications do not arrive through ${setting}, as behind PgBouncer in transaction mode. Set DATABASE_DIRECT_URL to the address of the PostgreSQL server itself.`

/** Runs a named statement on a connection other than the one it was prepared on. */
async function keepsNames(url: string): Promise<boolean> {
  const named = {
    name: `recoup_probe_${randomBytes(6).toString('hex')}`,
    text: 'select pg_backend_pid() as pid, $1::int as value',
    values: [1],
  }
  return withClients(url, async (client, other) => {
    const run = async () => (await client.query<{ pid: number }>(named)).rows[0]!.pid
    const first = await run()
    for (let attempt = 0; attempt < TRIES; attempt++) {
      // Poolers hand out the connection that was used last, so this one takes it.
      await other.query('begin')
      try {
        if ((await run()) !== first) return true
      } catch (error) {
        if (isUnavailableName(error)) return false
        throw error
      } finally {
        await other.query('commit')
      }
    }
    // A connection of its own.
    return true
  })
}

/** No such statement, or another one of that name, or the pooler has a single connection. */
function isUnavailableName(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string }
  return code === '26000' || code === '42P05' || message === 'Query read timeout'
}

async function withClients<T>(url: string, work: (one: pg.Client, two: pg.Client) => Promise<T>): Promise<T> {
  const open = () => new pg.Client({ connectionString: url, application_name: 'recoup', query_timeout: ANSWER_MS })
  const clients = [open(), open()] as const
  for (const client of clients) client.on('error', () => {})
  try {
    await Promise.all(clients.map((client) => client.connect()))
    return await work(...clients)
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}
