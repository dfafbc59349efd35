import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoStore } from '../../providers/woocommerce/store.ts'
import { sql } from '../../server/core/db/db.ts'
import type { TestStore } from '../../test/factories.ts'
import { CROWD_DOMAIN, type CrashCase, createRandom } from './cases.ts'
import { type Database, startDatabase } from './database.ts'
import {
  findCounterErrors,
  findProblems,
  isAbandoned,
  isClosed,
  isFinal,
  loadRows,
  POOL,
  type Row,
} from './invariants.ts'
import { type MailServer, startMailServer } from './mail.ts'
import type { AcceptedMail } from './mail-server.ts'
import { addAbandonedCarts, CROWD, connectShops, PEOPLE, SECRET } from './shops.ts'
import { startSlownessClock } from './slowness.ts'
import { startWorkerProcess, type WorkerProcess } from './workers.ts'

// A database, workers, a mail server and three connected shops, each its own process, killed and restarted.

export interface CrashRunner {
  /** Makes messages due, kills at the boundary, restarts, and checks the state of every message. */
  run(crash: CrashCase, seed: number): Promise<CrashResult>
  stop(): Promise<void>
}

export interface CrashResult {
  /** Messages accepted by the mail server. */
  mails: number
  unknown: number
  /** Time from the kill, when the supervisor restarts, until no sendable message waits. */
  recoveryMs: number
  /** Slowdown against an idle machine during that time. */
  slowdown: number
  problems: string[]
}

/** Shoppers due in a run; more are added if the first do not reach the boundary. */
interface DueShoppers {
  domain: string
  people: number
}

/** Time until a dead process is detected and its leases expire; the same on every machine. */
const WAITING_MS = 18_000
/** Start, reads and sends; with WAITING_MS the promised 30 s, scaled by the slowdown of the machine. */
const WORKING_MS = 12_000
/** Added per shopper beyond the usual number. */
const WORKING_PER_PERSON_MS = 50
/** After this time no message may wait. Separates stuck messages from late ones. */
const PATIENCE_MS = 180_000
/**
 * Whether two batches overlap is chance. If none reached the boundary, make as many due again, at most this many times.
 */
const MAX_CROWDS = 5

interface RunnerProcesses {
  database: Database
  mail: MailServer
  workers: WorkerProcess[]
  stores: TestStore[]
  runs: number
}

export async function startCrashRunner(shops: readonly DemoStore[], workerCount: number): Promise<CrashRunner> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-crash-'))
  // When we are root the database runs as another user, who must be able to enter the folder.
  fs.chmodSync(folder, 0o711)
  const [database, mail] = await Promise.all([startDatabase(folder), startMailServer(folder, workerCount)])
  const stores = await connectShops(database.db, shops)
  const workers = await Promise.all(
    mail.ports.map((mailPort, index) =>
      startWorkerProcess({ index, folder, socketPath: database.socketPath, mailPort, secret: SECRET, pool: POOL }),
    ),
  )
  const parts: RunnerProcesses = { database, mail, workers, stores, runs: 0 }
  // Start one first: all would create the job queue's tables and compile the same files.
  await workers[0]!.start()
  await workers[0]!.end()
  await Promise.all(workers.map((worker) => worker.start()))
  return {
    run: (crash, seed) => runCrash(parts, crash, seed),
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
      mail.stop()
      await database.stop()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function runCrash(parts: RunnerProcesses, crash: CrashCase, seed: number): Promise<CrashResult> {
  const { database, mail, workers, stores } = parts
  const random = createRandom(seed)
  const isCrowd = crash.boundary.isOverlapping
  const domain = `run${++parts.runs}.${isCrowd ? CROWD_DOMAIN : 'crash.example'}`
  // Every run opens its connections again.
  mail.hangUp()
  const crashed = armCrash(parts, crash, random)
  // Batches overlap if one store has more due messages than one claim takes.
  const crowd = isCrowd ? CROWD : PEOPLE
  const due: DueShoppers = { domain, people: 0 }
  const sendMore = () => {
    const addresses = createAddresses(domain, { from: due.people, count: crowd }, random)
    due.people += crowd
    return addAbandonedCarts(database.db, isCrowd ? stores.slice(0, 1) : stores, addresses)
  }
  const sprung = await waitForBoundary(parts, due, crashed.sprung, sendMore)
  if (!sprung) {
    crashed.disarm()
    const rows = describeRows(await loadRows(database.db, domain))
    return { mails: 0, unknown: 0, recoveryMs: 0, slowdown: 1, problems: [`nothing came to the boundary: ${rows}`] }
  }
  const clock = startSlownessClock()
  const listOwnMails = () => mail.listAccepted().filter(({ to }) => to.endsWith(`@${domain}`))
  const early = await waitForRows(parts, due, (rows) =>
    rows.every((row) => isFinal(row) || isWaitingByRule(row, listOwnMails())),
  )
  const recoveryMs = performance.now() - sprung.at
  const slowdown = clock.stop()
  const late = await waitUntilSettled(parts, due)
  await sprung.restarted
  const rows = await loadRows(database.db, domain)
  const workingMs = WORKING_MS + WORKING_PER_PERSON_MS * (crowd - PEOPLE)
  const problems = [
    ...findProblems(rows, listOwnMails(), sprung.dead),
    ...(await findCounterErrors(database.db)),
    ...workers
      .flatMap((worker) => worker.readLastOutput() ?? [])
      .map((output) => `a worker ended by itself: ${output}`),
    ...[early, late].flatMap((stuck) => (stuck ? [`not settled: ${stuck}`] : [])),
    ...(recoveryMs > WAITING_MS + workingMs * slowdown ? [`it took ${Math.round(recoveryMs / 1_000)} s`] : []),
  ]
  const unknown = rows.filter(isAbandoned).length
  return { mails: listOwnMails().length, unknown, recoveryMs, slowdown, problems }
}

/** Makes messages due until the boundary is hit; null: something got stuck, or all of them passed it. */
async function waitForBoundary(
  parts: RunnerProcesses,
  due: DueShoppers,
  sprung: Promise<Kill>,
  sendMore: () => Promise<void>,
) {
  let isSprung = false
  void sprung.then(() => (isSprung = true))
  for (let crowds = 0; crowds < MAX_CROWDS; crowds++) {
    await sendMore()
    const listAcceptedMails = () => parts.mail.listAccepted()
    const settled = waitForRows(
      parts,
      due,
      (rows) => isSprung || rows.every((row) => isFinal(row) || isWaitingByRule(row, listAcceptedMails())),
    )
    const end = await Promise.race([sprung, settled])
    if (end !== null) return typeof end === 'string' ? null : end
    const closed = await Promise.race([sprung, waitUntilSettled(parts, due, () => isSprung)])
    if (closed !== null) return typeof closed === 'string' ? null : closed
  }
  return null
}

/**
 * Every shop has an unsubscribed shopper. In one of four runs the mail server dies; its deferred messages then wait
 * half a minute, as specified.
 */
function createAddresses(
  domain: string,
  { from, count }: { from: number; count: number },
  random: () => number,
): string[] {
  const special = ['gone', 'gone', 'gone', 'later', 'full', 'nobody', 'spam', 'hang', 'drop']
  if (random() < 0.25) special.push('die')
  const all = Array.from({ length: count }, (_, n) => special[n] ?? 'accept')
  const places = all.map((treatment, n) => ({ treatment, n, at: treatment === 'gone' ? -1 : random() }))
  return places.sort((a, b) => a.at - b.at).map(({ treatment, n }) => `${treatment}-${from + n}@${domain}`)
}

interface Kill {
  at: number
  /** Names of workers in their heartbeats. */
  dead: Set<string>
  restarted: Promise<void>
}

/** How many matching statements pass before the kill: at most the guaranteed number. */
const PASSES = {
  claim: 3,
  decisions: 2,
  preparation: 3,
  send: 8,
  settling: 3,
  // Only rejected messages have one, and all of those may be in one shop.
  outcome: 1,
  connect: 4,
  mail: 12,
  data: 12,
  dot: 12,
}

function armCrash({ workers, mail, database }: RunnerProcesses, { boundary, target }: CrashCase, random: () => number) {
  let resolveSprung = (_: Kill) => {}
  const sprung = new Promise<Kill>((resolve) => (resolveSprung = resolve))
  const disarm = () => {
    for (const { proxy } of workers) proxy.set(null)
    mail.disarm()
  }
  const spring = (index: number) => {
    disarm()
    const worker = workers[index]!
    const dead = new Set(target === 'postgres' ? [] : [worker.proxy.workerId()!])
    if (target !== 'postgres') worker.kill()
    if (target !== 'worker') database.kill()
    resolveSprung({ at: performance.now(), dead, restarted: dead.size > 0 ? worker.start() : Promise.resolve() })
  }
  const most = PASSES[boundary.kind === 'smtp' ? boundary.place : boundary.statement]
  const drawn = Math.floor(random() * most)
  // Batches after the first are few.
  const passes = boundary.isOverlapping && most < PASSES.send ? 0 : drawn
  if (boundary.kind === 'smtp') mail.trap(boundary.place, passes, spring)
  else {
    const { statement, edge, isOverlapping } = boundary
    const trap = { statement, edge, isOverlapping, passes, spring }
    for (const { proxy } of workers) proxy.set(trap)
  }
  return { sprung, disarm }
}

/** Polls until the condition holds; otherwise returns what is missing, as text. */
async function waitForRows(
  { database }: RunnerProcesses,
  { domain, people }: DueShoppers,
  isSo: (rows: readonly Row[]) => boolean,
) {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const rows = await loadRows(database.db, domain).catch(() => [])
    if (rows.length === people && isSo(rows)) return null
    if (performance.now() > end) return describeRows(rows)
    await sleep(100)
  }
}

function describeRows(rows: readonly Row[]): string {
  const open = rows.filter((row) => !isClosed(row))
  return `${rows.length} rows, ${open.map((row) => `${row.email} ${row.state} ${row.reason ?? ''}`).join(', ')}`
}

const BY_RULE = new Set(['retry', 'domain_throttled'])

/**
 * Messages accepted without a reply, deferred for half a minute because the mail server was down, or throttled by
 * their domain.
 */
function isWaitingByRule(row: Row, accepted: readonly AcceptedMail[]): boolean {
  if (row.state === 'sending') return accepted.some(({ key, isAnswered }) => key === row.id && !isAnswered)
  return row.state === 'held' && BY_RULE.has(row.reason ?? '') && row.wake_at.getTime() > Date.now() + 5_000
}

/** Skips waiting times of the rules: hanging connections and back-off. */
async function waitUntilSettled(
  parts: RunnerProcesses,
  due: DueShoppers,
  isOver = () => false,
): Promise<string | null> {
  const { db } = parts.database
  const nudge = async () => {
    // The check after a crash must not use it: it would wake the sender.
    if (isOver()) return
    parts.mail.letGo()
    await sql`delete from domain_throttles`.execute(db)
    await sql`update messages set wake_at = now() where state = 'held' and reason in ('retry', 'domain_throttled')`.execute(
      db,
    )
    await sql`update send_schedule set next_due_at = now() where lease_until is null`.execute(db)
  }
  const nudging = setInterval(() => void nudge().catch(() => {}), 1_000)
  try {
    return await waitForRows(parts, due, (rows) => isOver() || rows.every(isClosed))
  } finally {
    clearInterval(nudging)
  }
}
