import type { LookupFunction } from 'node:net'
import type { LinkHostView } from '../../../shared/link-host.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { type Limit, take } from '../../core/db/rate-limits.ts'
import type { Deps } from '../../deps.ts'
import type { Session } from '../../access/members/session.ts'
import { openDns } from '../../core/net/dns.ts'
import { FetchProblem } from '../../core/net/fetch-problem.ts'
import { openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import { FAILING_MS, isReserved, linkBase, proofName, UNPROVEN_MS } from './link-host-rules.ts'
import * as sql from './link-host-sql.ts'

// A shop's own host for the links in its mails. It is the store's once a TXT record proves that the name is theirs, and used while a request
// to it comes out here, over TLS where the server itself has it; the first check that fails ends that at once. Before the proof a claim
// changes nothing: the name stays what it was, and whoever proves it has it.

const CHECKS: Limit = { name: 'link-host-check', points: 30, windowS: 900 }
const CHECKED_EVERY_MS = 5 * 60_000
/** A process that ended in the middle of it. */
const ASK_AGAIN_MS = 10 * 60_000

export const PROOF_PATH = '/.well-known/recoup-links'

/** Nobody else can answer this for a host. */
export const proofOf = ({ secrets }: Pick<Deps, 'secrets'>, host: string): string =>
  secrets.token('link host', host.toLowerCase())

/** What the TXT record of this store says; nobody else's says the same. */
const proofValue = ({ secrets }: Pick<Deps, 'secrets'>, { store_id, host }: sql.Claim): string =>
  `recoup-links=${secrets.token('link host proof', `${store_id} ${host}`).slice(0, 32)}`

export async function viewLinkHost(deps: Deps, store: StoreDb, { isDemo }: Session): Promise<LinkHostView> {
  const row = await sql.readLinkHost(store)
  return {
    host: row?.host ?? null,
    isProven: Boolean(row?.proven_at),
    proof: row ? { name: proofName(row.host), value: proofValue(deps, row) } : null,
    target: new URL(deps.config.publicUrl).hostname,
    isUsed: Boolean(row?.passed_at),
    problem: row?.problem ?? null,
    checkedAt: row?.checked_at?.toISOString() ?? null,
    isFixed: isDemo,
  }
}

/** Kept whatever the check says: the record may take a while to be seen. Naming the same again checks it again. */
export async function saveLinkHost(deps: Deps, store: StoreDb<Db>, session: Session, host: string): Promise<void> {
  keepDemo(session)
  await take(deps, CHECKS, store.storeId)
  if (isReserved(host, deps.config.publicUrl)) {
    const message = 'This domain belongs to the server itself or is not public.'
    throw new AppError('invalid', message, { fields: { host: 'Choose another domain' } })
  }
  const known = await sql.readLinkHost(store)
  if (known?.host !== host) await sql.saveLinkHost(store, host, deps.now())
  await check(deps, { store_id: store.storeId, host })
}

export async function removeLinkHost(store: StoreDb, session: Session): Promise<void> {
  keepDemo(session)
  await sql.deleteLinkHost(store)
}

function keepDemo({ isDemo }: Session): void {
  if (isDemo) throw new AppError('forbidden', 'The demo’s links always use this server.')
}

/** Tick. */
export async function checkLinkHosts(deps: Deps, lookup?: LookupFunction): Promise<void> {
  const now = deps.now()
  const before = (ms: number) => new Date(now.getTime() - ms)
  await sql.deleteExpired(deps.db, { unproven: before(UNPROVEN_MS), failing: before(FAILING_MS) })
  const due = await sql.takeDueHosts(deps.db, now, new Date(now.getTime() + ASK_AGAIN_MS))
  await Promise.all(due.map((row) => check(deps, row, lookup)))
}

async function check(deps: Deps, claim: sql.Claim, lookup?: LookupFunction) {
  const { store_id, host } = claim
  const problem = (await proofProblem(deps, claim)) ?? (await problemOf(deps, host, lookup))
  const now = deps.now()
  const again = new Date(now.getTime() + CHECKED_EVERY_MS)
  await sql.noteCheck({ storeId: store_id, db: deps.db }, { host, problem, now, again })
  deps.log.info({ storeId: store_id, isUsed: problem === null }, 'engagement.link-host')
}

/**
 * A sentence for the shop's owner; null: the name is the store's. Whoever has the record takes the name from whoever has it no longer; once
 * proven, a record that cannot be read costs nothing.
 */
async function proofProblem(deps: Deps, claim: sql.Claim): Promise<string | null> {
  const { store_id, host } = claim
  const store = { storeId: store_id, db: deps.db }
  const asked = await openDns({ servers: deps.config.dnsServers }).txt(proofName(host))
  const values = asked.kind === 'found' ? asked.rows : []
  if (!values.includes(proofValue(deps, claim))) {
    if ((await sql.readLinkHost(store))?.proven_at) return null
    return asked.kind === 'failed'
      ? `The record of ${proofName(host)} could not be read: ${asked.reason}.`
      : `The record of ${proofName(host)} was not found yet. New records can take up to an hour to appear.`
  }
  return transact(store, async (tx) => {
    const rivals = await sql.lockProven(tx.db, host)
    const other = rivals.find((rival) => rival.store_id !== store_id)
    if (other && values.includes(proofValue(deps, other)))
      return 'Another store uses this domain, and its record exists as well.'
    if (other) await sql.unprove(tx.db, other, 'Another store has proven that it owns this domain.')
    await sql.prove(tx, host, deps.now())
    return null
  })
}

/** A sentence for the shop's owner; null: it leads here. */
async function problemOf(deps: Deps, host: string, lookup?: LookupFunction): Promise<string | null> {
  const http = openGuardedHttp({ allowPrivate: deps.config.allowsPrivateStores, ...(lookup ? { lookup } : {}) })
  try {
    const request = { timeoutMs: 8_000, hasCredentials: true }
    const answer = await http.fetch(`${linkBase(deps.config.publicUrl, host)}${PROOF_PATH}`, request)
    const isOurs = answer.status === 200 && answer.body.toString('utf8') === proofOf(deps, host)
    return isOurs ? null : `${host} points somewhere else, not to this server.`
  } catch (error) {
    if (!(error instanceof FetchProblem)) throw error
    return wordsOf(deps, host, error)
  } finally {
    await http.close()
  }
}

async function wordsOf({ config }: Deps, host: string, { kind }: FetchProblem): Promise<string> {
  const target = new URL(config.publicUrl).hostname
  if (kind === 'dns') {
    const record = await openDns({ servers: config.dnsServers }).cname(host)
    if (record.kind !== 'found')
      return `There is no record for ${host} yet. New records can take up to an hour to appear.`
    return record.rows.includes(target)
      ? `${host} points to ${target}, but no address was found for it.`
      : `${host} points to ${record.rows[0]}, not to ${target}.`
  }
  if (kind === 'certificate') {
    return `${host} points here, but the server has no certificate for it. The server’s administrator must add one.`
  }
  return `${host} does not respond. The server’s administrator must configure its proxy for this domain.`
}

const KNOWN_MS = 30_000
const MOST_KNOWN = 2_000

/** Whether a host is a shop's; asked for every request that is not to the server's own, so it is remembered for a moment. */
export function openLinkHosts({
  db,
  config,
  now,
}: Pick<Deps, 'db' | 'config' | 'now'>): (host: string) => Promise<boolean> {
  const known = new Map<string, { isOne: boolean; until: number }>()
  return async (name) => {
    const host = name.toLowerCase()
    if (!/\.[a-z]/.test(host) || isReserved(host, config.publicUrl)) return false
    const at = now().getTime()
    const last = known.get(host)
    if (last && at < last.until && last.until - at <= KNOWN_MS) return last.isOne
    const isOne = await sql.isLinkHost(db, host)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(host, { isOne, until: at + KNOWN_MS })
    return isOne
  }
}
