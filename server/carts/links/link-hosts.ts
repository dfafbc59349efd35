import type { LookupFunction } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { LinkHostView } from '../../../shared/carts/link-host.ts'
import type { Session } from '../../access/members/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type Db, type Limit, type StoreDb, takePoint, transact } from '../../core/db/public.ts'
import { FetchProblem, openDns, openGuardedHttp } from '../../core/net/public.ts'
import type { Deps } from '../../deps.ts'
import { buildProofName, chooseLinkBase, FAILING_MS, isReserved, UNPROVEN_MS } from './link-host-rules.ts'
import * as sql from './link-host-sql.ts'

// Shops' own hosts for links in mails. A TXT record proves the ownership. The host is used while requests to it reach
// this server (over TLS if the server has it). The first failed check ends that at once. An unproven claim changes
// nothing, and another store that proves the host gets it.

const CHECKS: Limit = { name: 'link-host-check', points: 30, windowS: 900 }
const CHECKED_EVERY_MS = 5 * 60_000
/** Retries a check whose process died. */
const ASK_AGAIN_MS = 10 * 60_000

export const PROOF_PATH = '/.well-known/recoup-links'

/** Response that only this server can give for a host. */
export const buildProof = ({ secrets }: Pick<Deps, 'secrets'>, host: string): string =>
  secrets.token('link host', host.toLowerCase())

/** Value of this store's TXT record. */
const buildProofValue = ({ secrets }: Pick<Deps, 'secrets'>, { store_id, host }: sql.Claim): string =>
  `recoup-links=${secrets.token('link host proof', `${store_id} ${host}`).slice(0, 32)}`

export async function viewLinkHost(
  deps: Pick<Deps, 'config' | 'secrets'>,
  store: StoreDb,
  { isDemo }: Session,
): Promise<LinkHostView> {
  const row = await sql.readLinkHost(store)
  return {
    host: row?.host ?? null,
    isProven: Boolean(row?.proven_at),
    proof: row ? { name: buildProofName(row.host), value: buildProofValue(deps, row) } : null,
    target: new URL(deps.config.publicUrl).hostname,
    isUsed: Boolean(row?.passed_at),
    problem: row?.problem ?? null,
    checkedAt: row?.checked_at?.toISOString() ?? null,
    isFixed: isDemo,
  }
}

/** Saved even if the check fails, because DNS records take time. Saving the same host again checks it again. */
export async function saveLinkHost(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'pool' | 'secrets'>,
  store: StoreDb<Db>,
  session: Session,
  host: string,
): Promise<void> {
  refuseDemo(session)
  await takePoint(deps, CHECKS, store.storeId)
  if (isReserved(host, deps.config.publicUrl)) {
    const message = 'This domain belongs to the server itself or is not public.'
    throw new AppError('invalid', message, { fields: { host: 'Choose another domain' } })
  }
  const known = await sql.readLinkHost(store)
  if (known?.host !== host) await sql.saveLinkHost(store, host, deps.now())
  await check(deps, { store_id: store.storeId, host })
}

export async function removeLinkHost(store: StoreDb, session: Session): Promise<void> {
  refuseDemo(session)
  await sql.deleteLinkHost(store)
}

function refuseDemo({ isDemo }: Session): void {
  if (isDemo) throw new AppError('forbidden', 'The demo’s links always use this server.')
}

/** Tick. */
export async function checkLinkHosts(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'secrets'>,
  lookup?: LookupFunction,
): Promise<void> {
  const now = deps.now()
  const before = (ms: number) => new Date(now.getTime() - ms)
  await sql.deleteExpired(deps.db, { unproven: before(UNPROVEN_MS), failing: before(FAILING_MS) })
  const due = await sql.claimDueHosts(deps.db, now, new Date(now.getTime() + ASK_AGAIN_MS))
  await Promise.all(due.map((row) => check(deps, row, lookup)))
}

async function check(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'secrets'>,
  claim: sql.Claim,
  lookup?: LookupFunction,
) {
  const { store_id, host } = claim
  const store = { storeId: store_id, db: deps.db }
  const problem = (await findProofProblem(deps, store, claim)) ?? (await findReachProblem(deps, host, lookup))
  const now = deps.now()
  const again = new Date(now.getTime() + CHECKED_EVERY_MS)
  await sql.recordCheck(store, { host, problem, now, again })
  deps.log.info({ storeId: store_id, isUsed: problem === null }, 'engagement.link-host')
}

/**
 * Returns a sentence for the shop's owner, or null if the store has the host. A store with the record takes the host
 * from one without it. Once proven, an unreadable record changes nothing.
 */
async function findProofProblem(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  claim: sql.Claim,
): Promise<string | null> {
  const { store_id, host } = claim
  const records = await openDns({ servers: deps.config.dnsServers }).txt(buildProofName(host))
  const values = records.kind === 'found' ? records.rows : []
  if (!values.includes(buildProofValue(deps, claim))) {
    if ((await sql.readLinkHost(store))?.proven_at) return null
    return records.kind === 'failed'
      ? `The record of ${buildProofName(host)} could not be read: ${records.reason}.`
      : `The record of ${buildProofName(host)} was not found yet. New records can take up to an hour to appear.`
  }
  return transact(store, async (tx) => {
    const rivals = await sql.lockProven(tx.db, host)
    const other = rivals.find((rival) => rival.store_id !== store_id)
    if (other && values.includes(buildProofValue(deps, other)))
      return 'Another store uses this domain, and its record exists as well.'
    if (other) await sql.clearProven(tx.db, other, 'Another store has proven that it owns this domain.')
    await sql.markProven(tx, host, deps.now())
    return null
  })
}

/** Returns a sentence for the shop's owner, or null if the host leads here. */
async function findReachProblem(
  deps: Pick<Deps, 'config' | 'secrets'>,
  host: string,
  lookup?: LookupFunction,
): Promise<string | null> {
  const http = openGuardedHttp({ allowPrivate: deps.config.allowsPrivateStores, ...(lookup ? { lookup } : {}) })
  try {
    const request = { timeoutMs: 8_000, hasCredentials: true }
    const answer = await http.fetch(`${chooseLinkBase(deps.config.publicUrl, host)}${PROOF_PATH}`, request)
    const isOurs = answer.status === 200 && answer.body.toString('utf8') === buildProof(deps, host)
    return isOurs ? null : `${host} points somewhere else, not to this server.`
  } catch (error) {
    if (!(error instanceof FetchProblem)) throw error
    return describeProblem(deps, host, error)
  } finally {
    await http.close()
  }
}

async function describeProblem(
  { config }: Pick<Deps, 'config'>,
  host: string,
  { kind }: FetchProblem,
): Promise<string> {
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

const CACHE_MS = 30_000
const MAX_CACHED_HOSTS = 2_000

/** Whether a host is a shop's. Called for every request to another host than the server's, so it is cached briefly. */
export function createHostCheck({
  db,
  config,
  now,
}: Pick<Deps, 'db' | 'config' | 'now'>): (host: string) => Promise<boolean> {
  const known = new LRUCache<string, { isLinkHost: boolean; until: number }>({ max: MAX_CACHED_HOSTS })
  return async (name) => {
    const host = name.toLowerCase()
    if (!/\.[a-z]/.test(host) || isReserved(host, config.publicUrl)) return false
    const at = now().getTime()
    const last = known.get(host)
    if (last && at < last.until && last.until - at <= CACHE_MS) return last.isLinkHost
    const isLinkHost = await sql.isLinkHost(db, host)
    known.set(host, { isLinkHost, until: at + CACHE_MS })
    return isLinkHost
  }
}
