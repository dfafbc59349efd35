import type { KeyObject } from 'node:crypto'
import { createPrivateKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { type Db, sql } from '../../core/db/public.ts'
import { type DnsLookup, openDns } from '../../core/net/public.ts'
import type { Deps } from '../../deps.ts'
import { buildKeyRecordName, type SigningKey } from './dkim.ts'

// The server's DKIM keys, one per sender domain. A key is created when its DNS record is first requested, and signs
// only while the record is in the DNS: a signature that cannot be verified is worse than none.

const CHECKED_EVERY_MS = 3_600_000
/** Cache time; a newly published key is used within this time. */
const KNOWN_MS = 60_000

const sealContext = (domain: string, selector: string): string => `dkim:${domain}:${selector}`

type KeyDeps = Pick<Deps, 'db' | 'secrets' | 'now'>

export async function ensureSenderKey({ db, secrets, now }: KeyDeps, domain: string): Promise<SenderKeyRow> {
  const known = await readSenderKey(db, domain)
  if (known) return known
  const { publicKey, privateKey } = await createKey()
  // A selector of our own, so that it cannot collide with the domain's other keys.
  const selector = `recoup-${Buffer.from(publicKey, 'base64').subarray(-8, -5).toString('hex')}`
  const encrypted = secrets.seal(privateKey, sealContext(domain, selector))
  await insertSenderKey(db, { domain, selector, public_key: publicKey, encrypted, created_at: now() })
  return (await readSenderKey(db, domain))!
}

export type OwnKeyFinding =
  /** `isFirst`: the record was not seen before. */
  | { kind: 'seen'; selector: string; isFirst: boolean }
  | { kind: 'missing'; selector: string; publicKey: string }
  /** The selector has a record with another key. */
  | { kind: 'other'; selector: string; publicKey: string; record: string }
  | { kind: 'failed'; selector: string; publicKey: string; reason: string }

/** Looks up the record and stores whether it exists. Without a DNS reply nothing changes. */
export async function findPublishedKey(deps: KeyDeps, dns: DnsLookup, key: SenderKeyRow): Promise<OwnKeyFinding> {
  const { domain, selector, public_key: publicKey, seen_at } = key
  const answer = await dns.txt(buildKeyRecordName(selector, domain))
  if (answer.kind === 'failed') return { kind: 'failed', selector, publicKey, reason: answer.reason }
  const rows = answer.kind === 'found' ? answer.rows : []
  const isPublished = rows.some((row) => publishes(row, publicKey))
  await recordKeyCheck(deps.db, domain, isPublished, deps.now())
  if (isPublished) return { kind: 'seen', selector, isFirst: seen_at === null }
  return rows[0] === undefined
    ? { kind: 'missing', selector, publicKey }
    : { kind: 'other', selector, publicKey, record: rows[0] }
}

/** Tick: checks for records that appeared or disappeared. */
export async function checkSenderKeys(deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'secrets'>): Promise<void> {
  const now = deps.now()
  const keys = await takeKeysToCheck(deps.db, new Date(now.getTime() - CHECKED_EVERY_MS), now)
  if (keys.length === 0) return
  const dns = openDns({ servers: deps.config.dnsServers })
  for (const key of keys) {
    const { kind } = await findPublishedKey(deps, dns, key)
    if ((kind === 'seen') !== (key.seen_at !== null)) deps.log.info({ domain: key.domain, kind }, 'channels.sender_key')
  }
}

/** Loads the key that signs a domain's mail (or null), with a cache because every mail needs it. */
export function openSigningKeys({ db, secrets, now }: KeyDeps): (domain: string) => Promise<SigningKey | null> {
  const known = new Map<string, { key: SigningKey | null; until: number }>()
  return async (domain) => {
    const at = now().getTime()
    const last = known.get(domain)
    if (last && at < last.until && last.until - at <= KNOWN_MS) return last.key
    const row = await readSenderKey(db, domain)
    const isUsed = row !== undefined && row.seen_at !== null
    const sameKey = isUsed && last?.key?.selector === row.selector ? last.key : null
    const key = isUsed ? (sameKey ?? signingKey(row)) : null
    known.set(domain, { key, until: at + KNOWN_MS })
    return key
  }

  function signingKey({ domain, selector, encrypted }: SenderKeyRow): SigningKey {
    return { domain, selector, privateKey: openKey(secrets.open(encrypted, sealContext(domain, selector))) }
  }
}

// SQL for the server's DKIM keys. They belong to the server, not to an account.

interface SenderKeyRow {
  domain: string
  selector: string
  public_key: string
  encrypted: Buffer
  seen_at: Date | null
}

function readSenderKey(db: Db, domain: string): Promise<SenderKeyRow | undefined> {
  return db
    .selectFrom('sender_keys')
    .select(['domain', 'selector', 'public_key', 'encrypted', 'seen_at'])
    .where('domain', '=', domain)
    .executeTakeFirst()
}

/** Inserts the key unless another process has done so. */
async function insertSenderKey(db: Db, row: Omit<SenderKeyRow, 'seen_at'> & { created_at: Date }): Promise<void> {
  await db
    .insertInto('sender_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('domain').doNothing())
    .execute()
}

async function recordKeyCheck(db: Db, domain: string, isPublished: boolean, now: Date): Promise<void> {
  await sql`update sender_keys set checked_at = ${now}, seen_at = case when ${isPublished} then ${now}::timestamptz end
    where domain = ${domain}`.execute(db)
}

/** Takes the keys not checked since then and marks them as checked, so that only one worker checks each. */
async function takeKeysToCheck(db: Db, before: Date, now: Date): Promise<SenderKeyRow[]> {
  const rows = await sql<SenderKeyRow>`update sender_keys set checked_at = ${now}
    where coalesce(checked_at, created_at) < ${before} returning domain, selector, public_key, encrypted, seen_at`.execute(
    db,
  )
  return rows.rows
}

/** Creates an RSA key of 2048 bits: `publicKey` in the format of p=, `privateKey` as PKCS #8 in base64. */
async function createKey(): Promise<{ publicKey: string; privateKey: string }> {
  const pair = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  return { publicKey: pair.publicKey.toString('base64'), privateKey: pair.privateKey.toString('base64') }
}

const openKey = (privateKey: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(privateKey, 'base64'), type: 'pkcs8', format: 'der' })

/** Whether a TXT record publishes this key; spaces and the order of its parts do not matter. */
function publishes(record: string, publicKey: string): boolean {
  const key = /(?:^|;)\s*p=([^;]*)/i.exec(record)?.[1]
  return key !== undefined && key.replace(/\s+/g, '') === publicKey
}
