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
import { getTextChannel, type TextTerms } from './texts.ts'

// Processes that can be killed. Each has its own database connections. A killed process stops between two statements,
// and its open transaction is rolled back, as when a connection ends.

export class ProcessKilled extends Error {
  override name = 'Killed'
}

export interface ProcessState {
  isDead: boolean
  /** Dies after this many more statements. */
  remainingStatements: number | null
  /** Statements since a worker's pass started, or since the scenario's step started for the web server. */
  statements: number
  /** Awaited before every statement that opens a transaction: the process holds no lock then. */
  before: (statement: string) => Promise<void>
  /** Awaited after every commit of a send, before the provider is called. */
  sending: () => Promise<void>
}

export interface Actor {
  deps: Deps
  life: ProcessState
}

/** A pass over a scenario's few messages takes about a hundred. */
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
  /** Returns the store's client for this process. */
  client: (workerId: string, access: StoreAccess, shelf?: TokenCache) => StoreClient
  /** A provider receives a message from this process. */
  take: (actor: Actor, message: Submission) => Promise<Outcome>
  /** A push service receives a notification from this process. */
  takePush: (actor: Actor, message: Authorized<OutgoingPush>) => Promise<PushAnswer>
  /** Prices and templates of the account's text channels; null: it has none. */
  texts: TextTerms | null
  /** Automatic replies that are due. */
  replies: Reply[]
  /** Jobs queued by webhook deliveries. */
  storeJobs: StoreJob[]
  /** Whether personal codes have to be created. */
  areCodesDue: boolean
  /** Campaigns whose rows have to be planned, or updated after an edit. */
  campaignJobs: { plan: Set<string>; follow: Set<string> }
  observer: Db
}

const readCampaignId = (payload: unknown) => (payload as z.infer<typeof planRunsJob.payload>).campaignId

export interface StoreJob {
  name: string
  payload: unknown
}

/** Jobs that webhook deliveries queue. */
const STORE_JOBS: ReadonlySet<string> = new Set([orderJob.name, checkoutJob.name, customerJob.name])

type Reply = z.infer<typeof replyJob.payload>

export type Submission = Authorized<OutgoingEmail> | Authorized<OutgoingText>

/** Creates a process that lives as long as the scenario: the web server. */
export function createProcess(environment: Environment, workerId: string): Actor {
  const doNothing = async () => {}
  const life: ProcessState = {
    isDead: false,
    remainingStatements: null,
    statements: 0,
    before: doNothing,
    sending: doNothing,
  }
  const actor = { life } as Actor
  const email = {
    poolSize: POOL_SIZE,
    send: (mail: Authorized<OutgoingEmail>) => environment.take(actor, mail),
    check: async () => ({ isOk: true }) as const,
    close: async () => {},
  }
  const { texts } = environment
  const put = (text: Authorized<OutgoingText>) => environment.take(actor, text)
  // One object per channel, because it counts its messages in flight.
  const channels: Record<TextChannelName, TextChannel> | null = texts && {
    sms: getTextChannel('sms', texts, put),
    whatsapp: getTextChannel('whatsapp', texts, put),
  }
  actor.deps = {
    config,
    db: createMortalDb(environment.pool, life),
    pool: environment.pool,
    now: environment.clock.now,
    log,
    secrets,
    workerId,
    // Jobs only wake workers up: a worker finds its work in the rows. Only replies need their job's payload.
    jobs: {
      enqueue: async (_, job, payload) => {
        if (job.name === replyJob.name) environment.replies.push(payload as Reply)
        if (STORE_JOBS.has(job.name)) environment.storeJobs.push({ name: job.name, payload })
        if (job.name === codesJob.name) environment.areCodesDue = true
        if (job.name === planRunsJob.name) environment.campaignJobs.plan.add(readCampaignId(payload))
        if (job.name === followJob.name) environment.campaignJobs.follow.add(readCampaignId(payload))
      },
      queues: async () => [],
    },
    channels: {
      email,
      demoEmail: email,
      ownMail: async () => null,
      text: async (_, channel) => channels?.[channel] ?? null,
      push: { poolSize: POOL_SIZE, send: (push) => environment.takePush(actor, push), close: async () => {} },
    },
    storeClient: (access, life) => environment.client(workerId, access, life?.shelf),
    demo: null,
  }
  return actor
}

export async function createWorker(environment: Environment): Promise<Actor> {
  const actor = createProcess(environment, crypto.randomUUID())
  await beat(actor.deps)
  return actor
}

function createMortalDb(pool: pg.Pool, life: ProcessState): Db {
  const mortal = {
    connect: async () => createMortalClient(await pool.connect(), life),
    end: async () => {},
  }
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: mortal as unknown as pg.Pool }) })
}

function createMortalClient(client: pg.PoolClient, life: ProcessState) {
  let isInside = false
  // `begin` is sent along with the first statement: a transaction without statements has no snapshot and no lock.
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
  // A process killed at its first statement never rolls back itself; the end of its connection does.
  const release = () => {
    if (!isInside) return client.release()
    void rollBack([]).finally(() => client.release())
  }
  return { query, release }
}

/** Matches the update to `sending` in a transaction, and the statement that commits by itself. */
const STARTS_SENDING = /update messages m set state = 'sending', reason = null, claim = null/

const NOTHING = { command: 'BEGIN', rowCount: null, rows: [] }

function countDown(life: ProcessState): void {
  life.statements += 1
  if (life.statements > MOST_STATEMENTS) throw new Error('a worker pass or an act does not end')
  if (life.remainingStatements === null) return
  life.remainingStatements -= 1
  if (life.remainingStatements > 0) return
  life.isDead = true
  throw new ProcessKilled()
}

/** Opens the simulator's own connection, which never dies. */
export const openObserver = (pool: pg.Pool): Db => openDb(pool)
