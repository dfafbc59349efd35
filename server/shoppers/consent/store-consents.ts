import crypto from 'node:crypto'
import { maxConsentWording } from '../../../shared/consent.ts'
import { normalizeEmail, normalizePhone } from '../../../shared/contact.ts'
import { maskedAddress } from '../../messages/channels/mask.ts'
import { type StoreTx, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import type { PlatformConsent } from '../../platforms/platform/platform.ts'
import * as sql from './consent-sql.ts'
import { laterThan, ofOthersThanErased, statusOf, wakeThoseTo } from './consents.ts'

// What a platform itself keeps of a person's consent, with its own level and time (C5). Each of its words is written down once, however
// often it is read. A consent stands where it stands in time; a withdrawal beats what we knew when it was first read, whatever its time:
// who has said no anywhere is not written to. What they say to us afterwards counts again.

/** A customer or a checkout of the platform. */
export interface Consenting {
  email: string | null
  phone: string | null
  country: string | null
  consents?: readonly PlatformConsent[]
}

interface Word extends PlatformConsent {
  address: string
  country: string | null
}

export async function recordStoreConsents(deps: Deps, storeId: string, people: readonly Consenting[]): Promise<void> {
  const words = people.flatMap(wordsOf)
  if (words.length === 0) return
  const now = deps.now()
  await transact({ storeId, db: deps.db }, async (tx) => {
    const news: string[] = []
    const said = (await ofOthersThanErased(deps, tx, words)).map(({ addressHash, ...word }) => {
      return { word, addressHash, id: wordId(storeId, word, addressHash), now }
    })
    // Of a store that is read again nearly all is known.
    const known = await sql.consentsAmong(
      tx,
      said.map(({ id }) => id),
    )
    for (const each of said) {
      if (known.has(each.id)) continue
      known.add(each.id)
      if (await recordWord(tx, each)) news.push(each.word.address)
    }
    if (news.length === 0) return
    await wakeThoseTo(tx, news, now)
    await scheduleNextLook(tx)
  })
}

function wordsOf({ email, phone, country, consents = [] }: Consenting): Word[] {
  const [mail, number] = [normalizeEmail(email), normalizePhone(phone, country)]
  return consents.flatMap((consent) => {
    const address = consent.channel === 'email' ? mail : number
    return address && consent.state !== 'none' ? [{ ...consent, address, country }] : []
  })
}

interface Said {
  id: string
  word: Word
  addressHash: Buffer
  now: Date
}

/** Whether it says anything new. */
async function recordWord(tx: StoreTx, { id, word, addressHash, now }: Said): Promise<boolean> {
  const last = await sql.lastConsent(tx, addressHash, word.channel)
  const isGiven = word.state === 'granted'
  const isConfirmed = isGiven && word.level === 'double'
  // A store's clock ahead of ours must not outrank what is said later.
  const saidAt = word.at && new Date(word.at) < now ? new Date(word.at) : now
  if (!isGiven && last?.status === 'withdrawn') return false
  if (isGiven && last?.status === 'granted' && (last.is_confirmed || !isConfirmed)) return false
  const status = isConfirmed ? 'granted' : await statusOf(tx, { ...word, isGiven }, addressHash)
  await sql.insertConsent(tx, {
    ...{ id, addressHash, status, isConfirmed, source: 'store' },
    channel: word.channel,
    wording: word.wording?.slice(0, maxConsentWording) || null,
    who: maskedAddress(word.channel, word.address),
    at: isGiven ? beforeWithdrawal(saidAt, last) : last ? laterThan(last.at, saidAt) : saidAt,
  })
  // Of long ago nobody is asked to confirm it now.
  if (status === 'pending' && now.getTime() - saidAt.getTime() < FRESH_MS) {
    await sql.keepOptInRequest(tx, { address: word.address, addressHash, country: word.country, now })
  }
  return true
}

const FRESH_MS = 24 * 3_600_000

/** What was withdrawn in that very moment was withdrawn after it. */
const beforeWithdrawal = (at: Date, last: { status: string; at: Date } | undefined): Date =>
  last?.status === 'withdrawn' && last.at.getTime() === at.getTime() ? new Date(at.getTime() - 1) : at

/** The same for the same word, whichever process reads it. One without a time is the same as long as its state is. */
function wordId(storeId: string, { channel, state, level, at }: Word, addressHash: Buffer): string {
  const said = [
    storeId,
    'store',
    addressHash.toString('hex'),
    channel,
    state,
    state === 'granted' ? level : '',
    at ?? '',
  ]
  const hex = crypto.hash('sha256', said.join('\0'), 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
