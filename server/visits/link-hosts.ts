import type { LookupFunction } from 'node:net'
import type { LinkHostView } from '../../shared/link-host.ts'
import { type Limit, take } from '../accounts/limits.ts'
import type { Session } from '../accounts/session.ts'
import { openDns } from '../channels/dns.ts'
import type { Db, StoreDb } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { FetchProblem } from '../net/fetch-problem.ts'
import { openGuardedHttp } from '../net/guarded-fetch.ts'
import * as sql from './link-host-sql.ts'

// A shop's own host for the links in its mails. It is used while a request to it comes out here, over TLS where the server itself has it;
// the first check that fails ends that at once.

const CHECKS: Limit = { name: 'link-host-check', points: 30, windowS: 900 }
const CHECKED_EVERY_MS = 5 * 60_000
/** A process that ended in the middle of it. */
const ASK_AGAIN_MS = 10 * 60_000

export const PROOF_PATH = '/.well-known/recoup-links'

/** Nobody else can answer this for a host. */
export const proofOf = ({ secrets }: Pick<Deps, 'secrets'>, host: string): string =>
  secrets.token('link host', host.toLowerCase())

/** The address links begin with; the server's own where the shop has no host in use. */
export function linkBase(publicUrl: string, host: string | null): string {
  if (!host) return publicUrl
  const url = new URL(publicUrl)
  url.hostname = host
  return url.origin
}

export async function viewLinkHost(deps: Deps, store: StoreDb, { isDemo }: Session): Promise<LinkHostView> {
  const row = await sql.readLinkHost(store)
  return {
    host: row?.host ?? null,
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
  if (host === new URL(deps.config.publicUrl).hostname) {
    throw new AppError('invalid', 'This is the host of the server itself.', { fields: { host: 'Choose another name' } })
  }
  const known = await sql.readLinkHost(store)
  if (known?.host !== host && !(await sql.saveLinkHost(store, host, deps.now()))) {
    throw new AppError('conflict', 'Another store uses this host.')
  }
  await check(deps, { store_id: store.storeId, host })
}

export async function removeLinkHost(store: StoreDb, session: Session): Promise<void> {
  keepDemo(session)
  await sql.deleteLinkHost(store)
}

function keepDemo({ isDemo }: Session): void {
  if (isDemo) throw new AppError('forbidden', 'The demo’s links stay on this server.')
}

/** Tick. */
export async function checkLinkHosts(deps: Deps, lookup?: LookupFunction): Promise<void> {
  const now = deps.now()
  const due = await sql.takeDueHosts(deps.db, now, new Date(now.getTime() + ASK_AGAIN_MS))
  await Promise.all(due.map((row) => check(deps, row, lookup)))
}

async function check(deps: Deps, { store_id, host }: { store_id: string; host: string }, lookup?: LookupFunction) {
  const problem = await problemOf(deps, host, lookup)
  const now = deps.now()
  const again = new Date(now.getTime() + CHECKED_EVERY_MS)
  await sql.noteCheck({ storeId: store_id, db: deps.db }, { host, problem, now, again })
  deps.log.info({ storeId: store_id, isUsed: problem === null }, 'visits.link-host')
}

/** A sentence for the shop's owner; null: it leads here. */
async function problemOf(deps: Deps, host: string, lookup?: LookupFunction): Promise<string | null> {
  const http = openGuardedHttp({ allowPrivate: deps.config.allowsPrivateStores, ...(lookup ? { lookup } : {}) })
  try {
    const request = { timeoutMs: 8_000, hasCredentials: true }
    const answer = await http.fetch(`${linkBase(deps.config.publicUrl, host)}${PROOF_PATH}`, request)
    const isOurs = answer.status === 200 && answer.body.toString('utf8') === proofOf(deps, host)
    return isOurs ? null : `${host} leads somewhere else, not to this server.`
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
      return `There is no record for ${host} yet. It can take an hour until a new one is seen.`
    return record.rows.includes(target)
      ? `${host} leads to ${target}, but no address was found behind it.`
      : `${host} leads to ${record.rows[0]}, not to ${target}.`
  }
  if (kind === 'certificate') {
    return `${host} leads here, but the server has no certificate for it. Whoever runs the server has to add one.`
  }
  return `${host} does not answer. Whoever runs the server has to let its proxy take this name.`
}

/** Paths of messages; everything else of the server is not there on a host of a shop's. */
const SERVED = /^\/(?:(?:c|o|u)\/[^/?]+|\.well-known\/recoup-links)$/
const PAGES = ['/cart/recover', '/unsubscribe', '/preferences']

/** Pure: what a request to a host of a shop's gets. `elsewhere`: the same page on the server's own host. */
export function onLinkHost(path: string): 'served' | 'elsewhere' | 'not_there' {
  if (SERVED.test(path)) return 'served'
  return PAGES.includes(path) ? 'elsewhere' : 'not_there'
}

const KNOWN_MS = 30_000
const MOST_KNOWN = 2_000

/** Whether a host is a shop's; asked for every request that is not to the server's own, so it is remembered for a moment. */
export function openLinkHosts({
  db,
  config,
  now,
}: Pick<Deps, 'db' | 'config' | 'now'>): (host: string) => Promise<boolean> {
  const own = new URL(config.publicUrl).hostname
  const known = new Map<string, { isOne: boolean; until: number }>()
  return async (name) => {
    const host = name.toLowerCase()
    if (host === own || !/\.[a-z]/.test(host)) return false
    const at = now().getTime()
    const last = known.get(host)
    if (last && at < last.until && last.until - at <= KNOWN_MS) return last.isOne
    const isOne = await sql.isLinkHost(db, host)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(host, { isOne, until: at + KNOWN_MS })
    return isOne
  }
}
