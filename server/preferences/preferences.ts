import type { z } from 'zod'
import {
  channelNames,
  type Language,
  type PreferenceChannel,
  type PreferencesView,
  preferenceChannels,
  type savePreferences as saveEndpoint,
} from '../../shared/preferences.ts'
import { isTextChannelName } from '../channels/traits.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import * as trackSql from '../messages/track-sql.ts'
import { tokenHash } from '../secrets.ts'
import { besides, maskedAddress } from '../shoppers/mask.ts'
import { insertConsent } from '../shoppers/sql.ts'
import * as system from '../system.ts'
import { type ChannelFacts, changesOf, standingOf } from './rules.ts'
import * as sql from './sql.ts'
import { wordingsIn } from './wording.ts'

// The preference page: what a person gets, and what they decide about it. Whoever holds the link of a message decides for the address
// it went to; looking changes nothing (C3), a decision counts for every message not yet handed over (C2).

type Decision = z.output<typeof saveEndpoint.body>

interface Contact {
  channel: PreferenceChannel
  address: string
  hash: Buffer
}

interface Person {
  store: StoreDb<Db>
  accountId: string
  storeName: string
  shopperId: string
  language: Language | null
  contacts: Contact[]
}

const SOURCE = 'preference page'

/** `browser`: what the reader's browser asks for, where they have not chosen a language yet. */
export async function readPreferences(deps: Deps, token: string, browser: Language): Promise<PreferencesView> {
  const person = await personOf(deps, token)
  return view(person.store, person, browser)
}

export async function decidePreferences(
  deps: Deps,
  token: string,
  decision: Decision,
  browser: Language,
): Promise<PreferencesView> {
  const person = await personOf(deps, token)
  const { store, shopperId, contacts } = person
  return transact(store, async (tx) => {
    // Two decisions of one person at the same time: one after the other.
    await sql.lockShopper(tx, shopperId)
    const facts = await factsOf(tx, person)
    const { on, off } = changesOf(facts, decision)
    const wordings = await wordingsIn(tx, person.storeName)
    const words = { wording: wordings[decision.language], decision, now: deps.now() }
    for (const contact of contacts.filter(({ channel }) => off.includes(channel))) {
      await switchOff(tx, person, contact, words)
    }
    if (decision.isStopAll) await stopAll(tx, person, words.now)
    for (const contact of contacts.filter(({ channel }) => on.includes(channel))) {
      await switchOn(tx, person, contact, words)
    }
    await sql.keepLanguage(tx, shopperId, decision.language)
    return view(tx, { ...person, language: decision.language }, browser)
  })
}

interface Words {
  wording: Record<PreferenceChannel, string>
  decision: Decision
  now: Date
}

async function switchOff(tx: StoreTx, { accountId }: Person, contact: Contact, words: Words): Promise<void> {
  const { channel, address, hash } = contact
  const { now } = words
  const row = { accountId, hash, address, channel, reason: 'unsubscribed', source: SOURCE, at: now }
  await trackSql.suppress(tx, row)
  await insertConsent(tx, consentOf(contact, 'withdrawn', words))
  await trackSql.skipOpenTo(tx, { accountId, address, channel, now })
}

/** Also what has no box on the page, such as notifications of the browser. */
async function stopAll(tx: StoreTx, { accountId, contacts }: Person, now: Date): Promise<void> {
  for (const [hash, address] of new Map(contacts.map((each) => [each.hash.toString('hex'), each.address]))) {
    const row = { accountId, hash: Buffer.from(hash, 'hex'), address, channel: 'all', reason: 'unsubscribed' }
    await trackSql.suppress(tx, { ...row, source: SOURCE, at: now })
  }
}

/** The person's own act restores (C5), and what was switched off with it stays off. */
async function switchOn(tx: StoreTx, { accountId }: Person, contact: Contact, words: Words): Promise<void> {
  const { channel, hash } = contact
  await trackSql.splitStopAll(tx, accountId, hash, besides(channel))
  await trackSql.unsuppress(tx, accountId, hash, channel)
  await insertConsent(tx, consentOf(contact, 'granted', words))
}

function consentOf({ channel, address, hash }: Contact, status: 'granted' | 'withdrawn', words: Words) {
  const { wording, decision, now } = words
  const { language, reason, note } = decision
  const why = status === 'withdrawn' ? { ...(reason && { reason }), ...(note.trim() && { note: note.trim() }) } : {}
  return {
    id: newId(),
    addressHash: hash,
    channel,
    status,
    source: SOURCE,
    wording: `${channelNames[language][channel]}: ${wording[channel]}`,
    at: now,
    who: maskedAddress(channel, address),
    evidence: { language, ...why },
  }
}

async function view(store: StoreDb, person: Person, browser: Language): Promise<PreferencesView> {
  const facts = await factsOf(store, person)
  return {
    storeName: person.storeName,
    language: person.language ?? browser,
    wordings: await wordingsIn(store, person.storeName),
    channels: facts.map((fact, index) => {
      const { channel, address } = person.contacts[index]!
      return { ...standingOf(fact), address: maskedAddress(channel, address) }
    }),
  }
}

/** Of each contact of the person, in their order. */
async function factsOf(store: StoreDb, { accountId, contacts }: Person): Promise<ChannelFacts[]> {
  const hashes = contacts.map(({ hash }) => hash)
  const ledger = await sql.wordsOf(store, hashes, preferenceChannels)
  const suppressions = await sql.suppressionsOf(store, accountId, hashes)
  return contacts.map(({ channel, hash }) => {
    const hex = hash.toString('hex')
    const rows = suppressions.filter((row) => row.hash === hex && (row.channel === 'all' || row.channel === channel))
    return { channel, ledger: ledger.get(`${channel}:${hex}`) ?? null, suppressed: rows.map(({ reason }) => reason) }
  })
}

async function personOf(deps: Deps, token: string): Promise<Person> {
  const link = await system.linkToken(deps.db, tokenHash(token), 'preferences', deps.now())
  const store = link ? { storeId: link.store_id, db: deps.db as Db } : null
  const row = store && link?.message_id ? await sql.personOf(store, link.message_id) : undefined
  if (!store || !row?.to_address) throw gone()
  const email = row.channel === 'email' ? row.to_address : null
  const phone = row.channel === 'email' ? row.phone : row.to_address
  const contacts: Contact[] = []
  for (const channel of preferenceChannels) {
    const address = channel === 'email' ? email : phone
    if (!address) continue
    const contact = { channel, address, hash: deps.secrets.addressHash(address) }
    if (await isUsed(store, row.account_id, contact)) contacts.push(contact)
  }
  const { account_id: accountId, store_name: storeName, shopper_id: shopperId, language } = row
  return { store, accountId, storeName, shopperId, language, contacts }
}

/**
 * Email always. A text channel where it has a word of the person to change: somebody else may have typed the number beside the address,
 * so a first yes to texts is not given here.
 */
async function isUsed(store: StoreDb<Db>, accountId: string, { channel, hash }: Contact): Promise<boolean> {
  if (!isTextChannelName(channel)) return true
  if ((await sql.wordsOf(store, [hash], [channel])).size > 0) return true
  const suppressions = await sql.suppressionsOf(store, accountId, [hash])
  return suppressions.some((row) => row.channel === channel || row.channel === 'all')
}

const gone = () => new AppError('not_found', 'This link is not valid or has expired.')
