import crypto from 'node:crypto'
import { normalizeEmail, normalizePhone } from '../../../shared/core/contact.ts'
import { maxConsentWording } from '../../../shared/shoppers/consent.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { maskAddress } from '../../messages/channels/public.ts'
import { scheduleNextRun } from '../../messages/messages/public.ts'
import type { PlatformConsent } from '../../platforms/platform/public.ts'
import * as sql from './consent-sql.ts'
import { computeLaterTime, computeStatus, dropErased, wakeHeldMessages } from './consents.ts'

// Records consents that a platform keeps, with its level and time (C5), each once. A consent counts from its own time.
// A withdrawal outranks everything known when it was first read, regardless of its time: an opt-out anywhere must be
// respected.
// Later answers given to us count again.

/** A customer or checkout of the platform. */
export interface ConsentHolder {
  email: string | null
  phone: string | null
  country: string | null
  consents?: readonly PlatformConsent[]
}

interface StoreConsent extends PlatformConsent {
  address: string
  country: string | null
}

export async function recordStoreConsents(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  people: readonly ConsentHolder[],
): Promise<void> {
  const consents = people.flatMap(listConsents)
  if (consents.length === 0) return
  const now = deps.now()
  const { storeId } = store
  await transact(store, async (tx) => {
    const news: string[] = []
    const hashed = (await dropErased(deps, tx, consents)).map(({ addressHash, ...word }) => {
      return { word, addressHash, id: buildConsentId(storeId, word, addressHash), now }
    })
    // Nearly all consents of a store are known when it is read again.
    const known = await sql.selectKnownConsents(
      tx,
      hashed.map(({ id }) => id),
    )
    for (const each of hashed) {
      if (known.has(each.id)) continue
      known.add(each.id)
      if (await recordConsent(tx, each)) news.push(each.word.address)
    }
    if (news.length === 0) return
    await wakeHeldMessages(tx, news, now)
    await scheduleNextRun(tx)
  })
}

function listConsents({ email, phone, country, consents = [] }: ConsentHolder): StoreConsent[] {
  const [mail, number] = [normalizeEmail(email), normalizePhone(phone, country)]
  return consents.flatMap((consent) => {
    const address = consent.channel === 'email' ? mail : number
    return address && consent.state !== 'none' ? [{ ...consent, address, country }] : []
  })
}

interface ConsentInput {
  id: string
  word: StoreConsent
  addressHash: Buffer
  now: Date
}

/** Returns whether it adds anything new. */
async function recordConsent(tx: StoreTx, { id, word, addressHash, now }: ConsentInput): Promise<boolean> {
  const last = await sql.selectLastConsent(tx, addressHash, word.channel)
  const isGiven = word.state === 'granted'
  const isConfirmed = isGiven && word.level === 'double'
  // A store's clock ahead of ours must not outrank later entries.
  const answeredAt = word.at && new Date(word.at) < now ? new Date(word.at) : now
  if (!isGiven && last?.status === 'withdrawn') return false
  if (isGiven && last?.status === 'granted' && (last.is_confirmed || !isConfirmed)) return false
  const status = isConfirmed ? 'granted' : await computeStatus(tx, { ...word, isGiven }, addressHash)
  await sql.insertConsent(tx, {
    id,
    addressHash,
    status,
    isConfirmed,
    source: 'store',
    channel: word.channel,
    wording: word.wording?.slice(0, maxConsentWording) || null,
    who: maskAddress(word.channel, word.address),
    at: isGiven ? clampBeforeWithdrawal(answeredAt, last) : last ? computeLaterTime(last.at, answeredAt) : answeredAt,
  })
  // An old consent triggers no opt-in request.
  if (status === 'pending' && now.getTime() - answeredAt.getTime() < FRESH_MS) {
    await sql.queueOptInRequest(tx, { address: word.address, addressHash, country: word.country, now })
  }
  return true
}

const FRESH_MS = 24 * 3_600_000

/** A withdrawal at the same moment counts as later. */
const clampBeforeWithdrawal = (at: Date, last: { status: string; at: Date } | undefined): Date =>
  last?.status === 'withdrawn' && last.at.getTime() === at.getTime() ? new Date(at.getTime() - 1) : at

/**
 * Deterministic id, so that several processes record it once. Without a time it stays the same while the state does.
 */
function buildConsentId(storeId: string, { channel, state, level, at }: StoreConsent, addressHash: Buffer): string {
  const parts = [
    storeId,
    'store',
    addressHash.toString('hex'),
    channel,
    state,
    state === 'granted' ? level : '',
    at ?? '',
  ]
  const hex = crypto.hash('sha256', parts.join('\0'), 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
