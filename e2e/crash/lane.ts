import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoStore } from '../../demo/store/store.ts'
import { sql } from '../../server/core/db/db.ts'
import type { TestStore } from '../../test/factories.ts'
import { CROWD_DOMAIN, type CrashCase, randomFrom } from './cases.ts'
import { type Database, startDatabase } from './database.ts'
import { countersOff, isClosed, isFinal, isLeftBehind, POOL, problemsOf, type Row, rowsOf } from './look.ts'
import { type Mail, startMail } from './mail.ts'
import type { Taken } from './mail-server.ts'
import { CROWD, connectShops, leaveCarts, PEOPLE, SECRET } from './shops.ts'
import { startSlownessClock } from './slowness.ts'
import { aWorkerProcess, type WorkerProcess } from './workers.ts'

// A database, workers, a mail server and three connected shops, all processes of their own, killed and started again.

export interface Lane {
  /** Lets people become due, kills at the boundary, starts again, and looks at what became of everybody. */
  run(crash: CrashCase, seed: number): Promise<CrashResult>
  stop(): Promise<void>
}

export interface CrashResult {
  /** Accepted by the mail server. */
  mails: number
  unknown: number
  /** From the kill, at which the supervisor starts again, until nothing waits any more that could go. */
  recoveryMs: number
  /** How many times as long as on an idle machine everything took meanwhile. */
  slowdown: number
  problems: string[]
}

/** Who is due in a run; more people later on, where the first of them did not get to the boundary. */
interface Due {
  domain: string
  people: number
}

/** Until a dead process is known to be dead and its leases are over: this takes as long on any machine. */
const WAITING_MS = 18_000
/** Starting, reading, sending: with WAITING_MS the promised 30 s; on a slow or busy machine as many times more as it is slower. */
const WORKING_MS = 12_000
/** For each person more than in most runs. */
const WORKING_PER_PERSON_MS = 50
/** After this nobody waits any longer; what is merely late is told from what is stuck. */
const PATIENCE_MS = 180_000
/** Whether two batches overlap is chance: where nothing came to the boundary, as many people become due again, until it was so many times. */
const MOST_CROWDS = 5

interface Parts {
  database: Database
  mail: Mail
  workers: WorkerProcess[]
  stores: TestStore[]
  runs: number
}

export async function aLane(shops: readonly DemoStore[], workerCount: number): Promise<Lane> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-crash-'))
  // As root the database runs as somebody else, who has to enter.
  fs.chmodSync(folder, 0o711)
  const [database, mail] = await Promise.all([startDatabase(folder), startMail(folder, workerCount)])
  const stores = await connectShops(database.db, shops)
  const workers = await Promise.all(
    mail.ports.map((mailPort, index) =>
      aWorkerProcess({ index, folder, socketPath: database.socketPath, mailPort, secret: SECRET, pool: POOL }),
    ),
  )
  const parts: Parts = { database, mail, workers, stores, runs: 0 }
  // One first: they would all make the job queue's tables, and compile the same files.
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

async function runCrash(parts: Parts, crash: CrashCase, seed: number): Promise<CrashResult> {
  const { database, mail, workers, stores } = parts
  const random = randomFrom(seed)
  const isCrowd = crash.boundary.isOverlapping
  const domain = `run${++parts.runs}.${isCrowd ? CROWD_DOMAIN : 'crash.example'}`
  // Connections are opened anew in every run.
  mail.hangUp()
  const crashed = armCrash(parts, crash, random)
  // Batches overlap where more are due of one store than are claimed together.
  const crowd = isCrowd ? CROWD : PEOPLE
  const due: Due = { domain, people: 0 }
  const leaveMore = () => {
    const addresses = addressesOf(domain, { from: due.people, count: crowd }, random)
    due.people += crowd
    return leaveCarts(database.db, isCrowd ? stores.slice(0, 1) : stores, addresses)
  }
  const sprung = await reach(parts, due, crashed.sprung, leaveMore)
  if (!sprung) {
    crashed.disarm()
    const words = inWords(await rowsOf(database.db, domain))
    return { mails: 0, unknown: 0, recoveryMs: 0, slowdown: 1, problems: [`nothing came to the boundary: ${words}`] }
  }
  const clock = startSlownessClock()
  const mine = () => mail.taken().filter(({ to }) => to.endsWith(`@${domain}`))
  const early = await wait(parts, due, (rows) => rows.every((row) => isFinal(row) || waitsByRule(row, mine())))
  const recoveryMs = performance.now() - sprung.at
  const slowdown = clock.stop()
  const late = await letGo(parts, due)
  await sprung.restarted
  const rows = await rowsOf(database.db, domain)
  const workingMs = WORKING_MS + WORKING_PER_PERSON_MS * (crowd - PEOPLE)
  const problems = [
    ...problemsOf(rows, mine(), sprung.dead),
    ...(await countersOff(database.db)),
    ...workers.flatMap((worker) => worker.lastWords() ?? []).map((words) => `a worker ended by itself: ${words}`),
    ...[early, late].flatMap((stuck) => (stuck ? [`not settled: ${stuck}`] : [])),
    ...(recoveryMs > WAITING_MS + workingMs * slowdown ? [`it took ${Math.round(recoveryMs / 1_000)} s`] : []),
  ]
  const unknown = rows.filter(isLeftBehind).length
  return { mails: mine().length, unknown, recoveryMs, slowdown, problems }
}

/** Lets people become due until the world ends at the boundary; null: something got stuck, or all of them passed it. */
async function reach(parts: Parts, due: Due, sprung: Promise<Sprung>, leaveMore: () => Promise<void>) {
  let isSprung = false
  void sprung.then(() => (isSprung = true))
  for (let crowds = 0; crowds < MOST_CROWDS; crowds++) {
    await leaveMore()
    const taken = () => parts.mail.taken()
    const settled = wait(
      parts,
      due,
      (rows) => isSprung || rows.every((row) => isFinal(row) || waitsByRule(row, taken())),
    )
    const end = await Promise.race([sprung, settled])
    if (end !== null) return typeof end === 'string' ? null : end
    const closed = await Promise.race([sprung, letGo(parts, due, () => isSprung)])
    if (closed !== null) return typeof closed === 'string' ? null : closed
  }
  return null
}

/** Every shop has somebody who unsubscribed. One in four runs has a mail server that dies; what it was put off for then waits for half a minute, as it should. */
function addressesOf(domain: string, { from, count }: { from: number; count: number }, random: () => number): string[] {
  const special = ['gone', 'gone', 'gone', 'later', 'full', 'nobody', 'spam', 'hang', 'drop']
  if (random() < 0.25) special.push('die')
  const all = Array.from({ length: count }, (_, n) => special[n] ?? 'accept')
  const places = all.map((treatment, n) => ({ treatment, n, at: treatment === 'gone' ? -1 : random() }))
  return places.sort((a, b) => a.at - b.at).map(({ treatment, n }) => `${treatment}-${from + n}@${domain}`)
}

interface Sprung {
  at: number
  /** Workers, as their heartbeats called themselves. */
  dead: Set<string>
  restarted: Promise<void>
}

/** How many of a kind pass before the kill: at most as many as come for certain. */
const PASSES = {
  claim: 3,
  decisions: 2,
  preparation: 3,
  send: 8,
  settling: 3,
  // Only what was not accepted has one, and all of that may be of one shop.
  outcome: 1,
  connect: 4,
  mail: 12,
  data: 12,
  dot: 12,
}

function armCrash({ workers, mail, database }: Parts, { boundary, target }: CrashCase, random: () => number) {
  let resolveSprung = (_: Sprung) => {}
  const sprung = new Promise<Sprung>((resolve) => (resolveSprung = resolve))
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
  // Of the batches after the first there are few.
  const passes = boundary.isOverlapping && most < PASSES['send'] ? 0 : drawn
  if (boundary.kind === 'smtp') mail.trap(boundary.place, passes, spring)
  else {
    const { statement, edge, isOverlapping } = boundary
    const trap = { statement, edge, isOverlapping, passes, spring }
    for (const { proxy } of workers) proxy.set(trap)
  }
  return { sprung, disarm }
}

/** Looks until it is so; else what is not, in words. */
async function wait({ database }: Parts, { domain, people }: Due, isSo: (rows: readonly Row[]) => boolean) {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const rows = await rowsOf(database.db, domain).catch(() => [])
    if (rows.length === people && isSo(rows)) return null
    if (performance.now() > end) return inWords(rows)
    await sleep(100)
  }
}

function inWords(rows: readonly Row[]): string {
  const open = rows.filter((row) => !isClosed(row))
  return `${rows.length} rows, ${open.map((row) => `${row.email} ${row.state} ${row.reason ?? ''}`).join(', ')}`
}

const BY_RULE = new Set(['retry', 'domain_throttled'])

/** Taken and never answered, told to come back in half a minute because the mail server was gone, or their domain had enough. */
function waitsByRule(row: Row, taken: readonly Taken[]): boolean {
  if (row.state === 'sending') return taken.some(({ key, isAnswered }) => key === row.id && !isAnswered)
  return row.state === 'held' && BY_RULE.has(row.reason ?? '') && row.wake_at.getTime() > Date.now() + 5_000
}

/** Ends what waits by rule: connections that hang, and back-off, for which nobody here has the time. */
async function letGo(parts: Parts, due: Due, isOver = () => false): Promise<string | null> {
  const { db } = parts.database
  const nudge = async () => {
    // A crash is looked at without it: it would wake whoever sends.
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
    return await wait(parts, due, (rows) => isOver() || rows.every(isClosed))
  } finally {
    clearInterval(nudging)
  }
}
