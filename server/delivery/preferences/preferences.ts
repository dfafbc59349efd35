import type { z } from 'zod'
import {
  channelNames,
  type Language,
  type PreferenceChannel,
  type PreferencesView,
  preferenceChannels,
  type savePreferences as saveEndpoint,
} from '../../../shared/delivery/preferences.ts'
import { buildRetentionPath } from '../../../shared/workspace/kept.ts'
import { readStore } from '../../access/stores/public.ts'
import { loadShopBrand } from '../../carts/brand/public.ts'
import { openLink } from '../../carts/links/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isTextChannelName, listChannelsOfAddress, maskAddress } from '../../messages/channels/public.ts'
import * as trackSql from '../../messages/messages/public.ts'
import { scheduleNextRun } from '../../messages/messages/public.ts'
import {
  computeStatus,
  insertAnswer,
  queueOptInRequest,
  selectEvidence,
  wakeHeldMessages,
} from '../../shoppers/consent/public.ts'
import { splitStopAll, suppress, unsuppress } from '../../shoppers/suppressions/public.ts'
import { countBrowsers, endShopperSubscriptions } from '../push/public.ts'
import { type ChannelFacts, computeChanges, computeChannelState, detectLanguage, findPageLanguage } from './rules.ts'
import * as sql from './sql.ts'
import { loadWordings } from './wording.ts'

// The preference page: a shopper sees and changes what they receive. The holder of a message's link decides for the
// address it was sent to. Viewing changes nothing (C3); a decision applies to every message not yet sent (C2).

type Decision = z.output<typeof saveEndpoint.body>

interface Contact {
  channel: PreferenceChannel
  address: string
  hash: Buffer
}

interface Person {
  accountId: string
  storeName: string
  shopperId: string
  language: Language | null
  storeLocale: string | null
  country: string | null
  contacts: Contact[]
}

const SOURCE = 'preference page'

/** `accepted`: Accept-Language, used until the shopper's language is known. */
export async function readPreferences(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
  accepted: string | undefined,
): Promise<PreferencesView> {
  const { store, messageId } = await openPreferenceLink(deps, token)
  return view(store, await loadPerson(deps, store, messageId), accepted)
}

export async function decidePreferences(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
  decision: Decision,
  accepted: string | undefined,
): Promise<PreferencesView> {
  const { store, messageId } = await openPreferenceLink(deps, token)
  return transact(store, async (tx) => {
    // Serializes concurrent decisions of one shopper. An erased shopper has no message any more (C8).
    await trackSql.lockMessageShopper(tx, messageId)
    const person = await loadPerson(deps, tx, messageId)
    const { shopperId, contacts } = person
    const facts = await loadFacts(tx, person)
    const { on, off } = computeChanges(facts, decision)
    const wordings = await loadWordings(tx, person.storeName)
    const change = { wording: wordings[decision.language], decision, now: deps.now() }
    for (const contact of contacts.filter(({ channel }) => off.includes(channel))) {
      await switchOff(tx, person, contact, change)
    }
    if (decision.isPushOff || decision.isStopAll) await endShopperSubscriptions(deps, tx, shopperId, SOURCE)
    if (decision.isStopAll) await stopAll(tx, person, change.now)
    await trackSql.setUnsubscribed(tx, messageId, { at: change.now, ...(!decision.isStopAll && { channels: off }) })
    for (const contact of contacts.filter(({ channel }) => on.includes(channel))) {
      await switchOn(tx, person, contact, change)
    }
    await trackSql.setUnsubscribed(tx, messageId, { at: null, channels: on })
    await sql.keepLanguage(tx, shopperId, decision.language)
    if (on.length > 0) await wakeContacts(tx, contacts, change.now)
    return view(tx, { ...person, language: decision.language }, accepted)
  })
}

interface ConsentChange {
  wording: Record<PreferenceChannel, string>
  decision: Decision
  now: Date
}

async function switchOff(tx: StoreTx, { accountId }: Person, contact: Contact, change: ConsentChange): Promise<void> {
  const { channel, address, hash } = contact
  const { now } = change
  const row = { accountId, hash, address, channel, reason: 'unsubscribed', source: SOURCE, at: now }
  await suppress(tx, row)
  await insertAnswer(tx, buildConsent(contact, 'withdrawn', change))
  await trackSql.skipOpenMessagesTo(tx, { accountId, address, channel, now })
}

/** Stops all channels, including those without a checkbox on the page. */
async function stopAll(tx: StoreTx, { accountId, contacts }: Person, now: Date): Promise<void> {
  for (const [hash, address] of new Map(contacts.map((each) => [each.hash.toString('hex'), each.address]))) {
    const row = { accountId, hash: Buffer.from(hash, 'hex'), address, channel: 'all', reason: 'unsubscribed' }
    await suppress(tx, { ...row, source: SOURCE, at: now })
  }
}

/**
 * Switches a channel on by the shopper's own action (C5). If the number has to confirm by SMS, it gets an opt-in
 * request, unless it had confirmed before it was switched off here.
 */
async function switchOn(
  tx: StoreTx,
  { accountId, country }: Person,
  contact: Contact,
  change: ConsentChange,
): Promise<void> {
  const { channel, address, hash } = contact
  await splitStopAll(tx, accountId, hash, listChannelsOfAddress(channel))
  await unsuppress(tx, accountId, hash, channel)
  const isConfirmed = await sql.hadConfirmed(tx, hash, channel, SOURCE)
  const status = isConfirmed ? 'granted' : await computeStatus(tx, { channel, address, isGiven: true, country }, hash)
  await insertAnswer(tx, { ...buildConsent(contact, status, change), isConfirmed })
  if (status === 'pending') await queueOptInRequest(tx, { address, addressHash: hash, country, now: change.now })
}

function buildConsent(
  { channel, address, hash }: Contact,
  status: 'pending' | 'granted' | 'withdrawn',
  change: ConsentChange,
) {
  const { wording, decision, now } = change
  const { language, reason, note } = decision
  const why = status === 'withdrawn' ? { ...(reason && { reason }), ...(note.trim() && { note: note.trim() }) } : {}
  return {
    addressHash: hash,
    channel,
    status,
    source: SOURCE,
    wording: `${channelNames[language][channel]}: ${wording[channel]}`,
    at: now,
    who: maskAddress(channel, address),
    evidence: { language, ...why },
  }
}

/** Wakes messages that wait for consent. */
async function wakeContacts(tx: StoreTx, contacts: readonly Contact[], now: Date): Promise<void> {
  const addresses = contacts.map(({ address }) => address)
  await wakeHeldMessages(tx, addresses, now)
  await scheduleNextRun(tx)
}

async function view(store: StoreDb, person: Person, accepted: string | undefined): Promise<PreferencesView> {
  const facts = await loadFacts(store, person)
  return {
    storeName: person.storeName,
    brand: await loadShopBrand(store),
    language: person.language ?? detectLanguage(accepted, person.storeLocale),
    wordings: await loadWordings(store, person.storeName),
    browsers: await countBrowsers(store, person.shopperId),
    keptPath: buildRetentionPath((await readStore(store))!.capture_key),
    channels: facts.map((fact, index) => {
      const { channel, address } = person.contacts[index]!
      return { ...computeChannelState(fact), address: maskAddress(channel, address) }
    }),
  }
}

/** Loads the facts of each contact, in order. */
async function loadFacts(store: StoreDb, { accountId, contacts }: Person): Promise<ChannelFacts[]> {
  const hashes = contacts.map(({ hash }) => hash)
  const ledger = await selectEvidence(store, hashes, preferenceChannels)
  const suppressions = await sql.readSuppressions(store, accountId, hashes)
  return contacts.map(({ channel, hash }) => {
    const hex = hash.toString('hex')
    const rows = suppressions.filter((row) => row.hash === hex && (row.channel === 'all' || row.channel === channel))
    return {
      channel,
      ledger: ledger.get(`${channel}:${hex}`)?.evidence ?? null,
      suppressed: rows.map(({ reason }) => reason),
    }
  })
}

/** Throws `not_found`. */
async function openPreferenceLink(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
): Promise<{ store: StoreDb<Db>; messageId: string }> {
  const link = await openLink(deps, 'preferences', token)
  if (!link) throw buildNotFound()
  return { store: { storeId: link.storeId, db: deps.db }, messageId: link.messageId }
}

/** Throws `not_found` for an erased shopper. */
async function loadPerson(deps: Pick<Deps, 'secrets'>, store: StoreDb, messageId: string): Promise<Person> {
  const row = await sql.readPerson(store, messageId)
  if (!row?.to_address) throw buildNotFound()
  const email = row.channel === 'email' ? row.to_address : null
  const phone = row.channel === 'email' ? row.phone : row.to_address
  const contacts: Contact[] = []
  for (const channel of preferenceChannels) {
    const address = channel === 'email' ? email : phone
    if (!address) continue
    const contact = { channel, address, hash: deps.secrets.addressHash(address) }
    if (await isListed(store, row.account_id, contact)) contacts.push(contact)
  }
  const { account_id: accountId, store_name: storeName, shopper_id: shopperId, country } = row
  const language = findPageLanguage(row)
  return { accountId, storeName, shopperId, language, storeLocale: row.store_locale, country, contacts }
}

/**
 * Whether a channel is shown: email always, a text channel only if the shopper has decided about it before. Another
 * person may have typed the number beside the address, so a first consent to texts cannot be given here.
 */
async function isListed(store: StoreDb, accountId: string, { channel, hash }: Contact): Promise<boolean> {
  if (!isTextChannelName(channel)) return true
  if ((await selectEvidence(store, [hash], [channel])).size > 0) return true
  const suppressions = await sql.readSuppressions(store, accountId, [hash])
  return suppressions.some((row) => row.channel === channel || row.channel === 'all')
}

const buildNotFound = () => new AppError('not_found', 'This link is not valid or has expired.')
