import crypto from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { z } from 'zod'
import { codesJob } from '../../server/carts/coupon-codes/codes-jobs.ts'
import { checkoutJob, customerJob, orderJob } from '../../server/carts/sync/jobs.ts'
import { createLogger } from '../../server/core/common/logger.ts'
import { createSecrets } from '../../server/core/common/secrets.ts'
import { readConfig } from '../../server/core/config/config.ts'
import { type Db, openDb } from '../../server/core/db/db.ts'
import type { Schema } from '../../server/core/schema/schema.ts'
import { replyJob } from '../../server/delivery/inbound/jobs.ts'
import { beat } from '../../server/delivery/send/workers.ts'
import type { Deps } from '../../server/deps.ts'
import { followJob, planRunsJob } from '../../server/marketing/campaigns/jobs.ts'
import type {
  Outcome,
  OutgoingEmail,
  OutgoingPush,
  OutgoingText,
  PushAnswer,
  TextChannel,
  TextChannelName,
} from '../../server/messages/channels/channel.ts'
import type { Authorized } from '../../server/messages/channels/send-authorization.ts'
import type { StoreAccess, TokenCache } from '../../server/platforms/platform/access.ts'
import type { StoreClient } from '../../server/platforms/platform/platform.ts'
import type { Clock } from './clock.ts'
import { POOL_SIZE } from './pool.ts'
import { runStatement } from './statements.ts'
import { type TextTerms, textChannel } from './texts.ts'

// Processes that can be killed. Each has its own way to the database, which ends between two statements when it dies, as
// a killed process's connection does: what was open is rolled back, nothing after it happens.

export class ProcessKilled extends Error {
  override name = 'Killed'
}

export interface ProcessState {
  isDead: boolean
  /** Dies after this many more statements. */
  statementsLeft: number | null
  /** Of a worker since it last began to look for work, of the web server since the history's act began. */
  statements: number
  /** Awaited before every statement that begins something: nothing is locked by this process then. */
  before: (statement: string) => Promise<void>
  /** Awaited behind every commit of a send: what follows is the wire. */
  sending: () => Promise<void>
}

export interface Actor {
  deps: Deps
  life: ProcessState
}

/** A look at a history's few messages takes about a hundred. */
const MOST_STATEMENTS = 1_500

const config = readConfig({
  DEMO: 'off',
  BILLING_TEST_MODE: 'on',
  DATABASE_URL: 'postgres://nobody@nowhere/none',
  PUBLIC_URL: 'https://recoup.example',
  SMTP_URL: 'smtp://nowhere.example',
})
export const secrets = createSecrets('a secret of the simulator, long enough to be one')
const log = createLogger(process.env.LOG_LEVEL ?? 'silent')

export interface Environment {
  pool: pg.Pool
  clock: Clock
  /** The store, as this process reaches it. */
  client: (workerId: string, access: StoreAccess, shelf?: TokenCache) => StoreClient
  /** A provider takes a message from this process. */
  take: (actor: Actor, message: Submission) => Promise<Outcome>
  /** A push service takes a notification from this process. */
  takePush: (actor: Actor, message: Authorized<OutgoingPush>) => Promise<PushAnswer>
  /** What the account's text channels are like; null: it has none. */
  texts: TextTerms | null
  /** Owed to people who wrote. */
  replies: Reply[]
  /** What deliveries of a shop have asked for. */
  storeJobs: StoreJob[]
  /** Whether personal codes are to be made. */
  areCodesDue: boolean
  /** Of these the rows are to be made, or to follow what was changed. */
  campaignJobs: { plan: Set<string>; follow: Set<string> }
  observer: Db
}

const campaignOf = (payload: unknown) => (payload as z.infer<typeof planRunsJob.payload>).campaignId

export interface StoreJob {
  name: string
  payload: unknown
}

/** Jobs behind what shops deliver. */
const STORE_JOBS: ReadonlySet<string> = new Set([orderJob.name, checkoutJob.name, customerJob.name])

type Reply = z.infer<typeof replyJob.payload>

export type Submission = Authorized<OutgoingEmail> | Authorized<OutgoingText>

/** A process that lives as long as the history: the web server. */
export function createProcess(outside: Environment, workerId: string): Actor {
  const nothing = async () => {}
  const life: ProcessState = { isDead: false, statementsLeft: null, statements: 0, before: nothing, sending: nothing }
  const actor = { life } as Actor
  const email = {
    poolSize: POOL_SIZE,
    send: (mail: Authorized<OutgoingEmail>) => outside.take(actor, mail),
    check: async () => ({ isOk: true }) as const,
    close: async () => {},
  }
  const { texts } = outside
  const put = (text: Authorized<OutgoingText>) => outside.take(actor, text)
  // One object for each, as its places in flight are counted by it.
  const channels: Record<TextChannelName, TextChannel> | null = texts && {
    sms: textChannel('sms', texts, put),
    whatsapp: textChannel('whatsapp', texts, put),
  }
  actor.deps = {
    config,
    db: mortalDb(outside.pool, life),
    pool: outside.pool,
    now: outside.clock.now,
    log,
    secrets,
    workerId,
    // Rows are the truth, jobs only wake-ups: whoever works looks for itself. Answers to people's words alone have a job that knows of them.
    jobs: {
      enqueue: async (_, job, payload) => {
        if (job.name === replyJob.name) outside.replies.push(payload as Reply)
        if (STORE_JOBS.has(job.name)) outside.storeJobs.push({ name: job.name, payload })
        if (job.name === codesJob.name) outside.areCodesDue = true
        if (job.name === planRunsJob.name) outside.campaignJobs.plan.add(campaignOf(payload))
        if (job.name === followJob.name) outside.campaignJobs.follow.add(campaignOf(payload))
      },
      queues: async () => [],
    },
    channels: {
      email,
      demoEmail: email,
      ownMail: async () => null,
      text: async (_, channel) => channels?.[channel] ?? null,
      push: { poolSize: POOL_SIZE, send: (push) => outside.takePush(actor, push), close: async () => {} },
    },
    storeClient: (access, kept) => outside.client(workerId, access, kept?.shelf),
    demo: null,
  }
  return actor
}

export async function createWorker(outside: Environment): Promise<Actor> {
  const actor = createProcess(outside, crypto.randomUUID())
  await beat(actor.deps)
  return actor
}

function mortalDb(pool: pg.Pool, life: ProcessState): Db {
  const mortal = {
    connect: async () => mortalClient(await pool.connect(), life),
    end: async () => {},
  }
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: mortal as unknown as pg.Pool }) })
}

function mortalClient(client: pg.PoolClient, life: ProcessState) {
  let isInside = false
  // Sent along with the first statement inside: a transaction that has only begun holds and has seen nothing.
  let opening: string | null = null
  let isSending = false
  const query = async (text: string, values: unknown[] = []) => {
    if (text === 'rollback') {
      isInside = false
      return rollBack(values)
    }
    if (life.isDead) throw new ProcessKilled()
    if (!isInside) await life.before(text)
    if (life.isDead) throw new ProcessKilled()
    const isBegin = /^(begin|start transaction)/.test(text)
    if (isBegin) isInside = true
    if (text === 'commit') isInside = false
    const result = isBegin ? NOTHING : await run(text, values)
    if (isBegin) opening = text
    countDown(life)
    if ((text === 'commit' && isSending) || (!isInside && STARTS_SENDING.test(text))) await life.sending()
    isSending = isInside && (isSending || STARTS_SENDING.test(text))
    return result
  }
  const run = (text: string, values: unknown[]) => {
    const before = opening
    opening = null
    return runStatement(client, text, values, before)
  }
  const rollBack = async (values: unknown[]) => {
    const isOpen = opening === null
    opening = null
    return isOpen ? run('rollback', values) : NOTHING
  }
  // A process killed at its first statement never gets to end what that began; its connection's end does.
  const release = () => {
    if (!isInside) return client.release()
    void rollBack([]).finally(() => client.release())
  }
  return { query, release }
}

/** Within a transaction; a turn that only writes down answers commits by itself. */
const STARTS_SENDING = /update messages m set state = 'sending', reason = null, claim = null/

const NOTHING = { command: 'BEGIN', rowCount: null, rows: [] }

function countDown(life: ProcessState): void {
  life.statements += 1
  if (life.statements > MOST_STATEMENTS) throw new Error('a look for work, or an act, that does not end')
  if (life.statementsLeft === null) return
  life.statementsLeft -= 1
  if (life.statementsLeft > 0) return
  life.isDead = true
  throw new ProcessKilled()
}

/** The simulator's own look at things: it never dies. */
export const openObserver = (pool: pg.Pool): Db => openDb(pool)
