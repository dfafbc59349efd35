import type { z } from 'zod'
import { cleanStoreName } from '../../access/stores/public.ts'
import { createId } from '../../core/common/public.ts'
import {
  type AccountDb,
  type AccountTx,
  type Db,
  type Limit,
  type StoreTx,
  sql,
  takeMany,
  transactAccount,
  withRetry,
} from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  authorizeAnswer,
  findPhoneCountry,
  isGermanSpeaking,
  listNumberAliases,
  maskAddress,
  type TextChannelName,
} from '../../messages/channels/public.ts'
import { becomesSkipped, isOpen, scheduleNextRun, selectOpenTo } from '../../messages/messages/public.ts'
import { computeLaterTime, doesConsentCount, wakeHeldMessages } from '../../shoppers/consent/public.ts'
import { recordInbound } from '../outcome/public.ts'
import { replyJob } from './jobs.ts'
import { type Keyword, parseKeyword } from './keywords.ts'
import type { InboundMessage } from './twilio-hooks.ts'

// Shoppers' replies. Each opens WhatsApp's 24-hour window. STOP, START and HELP are executed (C4), once and in the
// order they were sent.

const DAY_MS = 86_400_000
/** How long a reply is stored to detect repeated deliveries. */
const RETENTION_MS = 400 * DAY_MS
/** Per account and number: a reply costs money, and a machine could answer each with HELP for ever. */
const ANSWERS: Limit = { name: 'keyword-answers', points: 10, windowS: 86_400 }

const word = { sms: 'SMS', whatsapp: 'WhatsApp' }
const stopSource = (channel: TextChannelName) => `STOP by ${word[channel]}`
const formatYesSource = (channel: TextChannelName) => `YES by ${word[channel]}`
const startSource = (channel: TextChannelName) => `START by ${word[channel]}`

export interface Inbound extends InboundMessage {
  channel: TextChannelName
  /** The reply can be sent in the response to the provider's request; otherwise a job sends it. */
  isAnsweredAtOnce: boolean
}

/** Handles a reply. Returns the text to answer at once; null: none. Idempotent. */
export async function handleReply(
  deps: Pick<Deps, 'config' | 'jobs' | 'now' | 'secrets'>,
  account: AccountDb<Db>,
  inbound: Inbound,
): Promise<string | null> {
  const now = deps.now()
  const answer = await withRetry(() => transactAccount(account, (tx) => keepAndObey(deps, tx, inbound, now)))
  return answer && inbound.isAnsweredAtOnce ? answerText(deps, account, answer, inbound.from) : null
}

async function keepAndObey(deps: Pick<Deps, 'jobs' | 'secrets'>, tx: AccountTx, inbound: Inbound, now: Date) {
  const { channel, id: eventKey, from } = inbound
  const keyword = inbound.keyword ?? parseKeyword(inbound.text)
  const addressHash = deps.secrets.addressHash(from)
  await lockAddress(tx, addressHash)
  const last = await loadLastReplyAt(tx, channel, addressHash)
  // A provider's clock ahead of ours must not extend the window or outrank later replies. Our own clock may have been
  // set back since the last reply.
  const latest = last && last > now ? computeLaterTime(last, now) : now
  const at = inbound.at && inbound.at < latest ? inbound.at : latest
  const isNew = await keepInbound(tx, { channel, eventKey, addressHash, keyword, at, now })
  if (!isNew) return null
  const phones = listNumberAliases(from).map((phone) => ({ phone, addressHash: deps.secrets.addressHash(phone) }))
  if (!inbound.isSetting) {
    for (const { phone } of phones) await recordInbound(deps, tx, { channel, from: phone, at })
  }
  if (!keyword) return null
  const isToConfirm = await executeKeyword(
    tx,
    keyword,
    phones.map((phone) => ({ ...phone, channel, source: '', at })),
    now,
  )
  if (!isToConfirm || inbound.isAnswered) return null
  if ((await takeMany(deps, ANSWERS, { db: tx.db, subject: `${tx.accountId}:${from}`, count: 1 })) > 0) return null
  if (!inbound.isAnsweredAtOnce) {
    await queueReply(tx, channel, eventKey, from)
    await deps.jobs.enqueue(tx.db, replyJob, { accountId: tx.accountId, channel, eventKey })
  }
  return keyword
}

/**
 * Executes a keyword. Returns whether it changed anything and needs a reply. `said`: one entry per known number, the
 * sender's first.
 */
async function executeKeyword(
  tx: AccountTx,
  keyword: Keyword,
  optOuts: readonly OptOut[],
  now: Date,
): Promise<boolean> {
  if (keyword === 'help') return true
  const { channel, addressHash, at } = optOuts[0]!
  if (keyword === 'yes') return confirm(tx, optOuts, now)
  if (await hasLaterKeyword(tx, { channel, addressHash, at, keyword })) return false
  if (keyword === 'stop') return stop(tx, optOuts, now)
  let isMoved = false
  for (const each of optOuts) isMoved = (await start(tx, each)) || isMoved
  return isMoved
}

/** Confirms the newest unanswered request. A YES without one means nothing. */
async function confirm(tx: AccountTx, optOuts: readonly OptOut[], now: Date): Promise<boolean> {
  const { channel, addressHash, at } = optOuts[0]!
  if (await hasLaterKeyword(tx, { channel, addressHash, at, keyword: 'start' })) return false
  for (const each of optOuts) {
    const who = maskAddress(channel, each.phone)
    const out = { ...each, source: formatYesSource(channel) }
    const storeId = await findAskingStore(tx, out)
    if (!storeId) continue
    const store = { storeId, db: tx.db }
    if (!(await confirmConsent(store, out, { id: createId(), who }))) continue
    await wakeHeldMessages(store, [each.phone], now)
    await scheduleNextRun(store)
    return true
  }
  return false
}

async function start(tx: AccountTx, optOut: OptOut): Promise<boolean> {
  const isMoved = await unsuppressText(tx, optOut)
  if (isMoved) await restoreConsents(tx, { ...optOut, source: startSource(optOut.channel) }, stopSource(optOut.channel))
  return isMoved
}

/** Locks sent texts before open ones, as settling does (send/settle.ts), to avoid deadlocks. */
async function stop(tx: AccountTx, optOuts: readonly OptOut[], now: Date): Promise<boolean> {
  const outs = optOuts.map((each) => ({ ...each, source: stopSource(each.channel) }))
  let isMoved = false
  for (const out of outs) {
    const isNew = await suppressText(tx, out)
    await withdrawConsents(tx, out)
    if (isNew) await markAnswered(tx, out)
    isMoved ||= isNew
  }
  for (const out of outs) await closeOpenTexts(tx, out, now)
  return isMoved
}

async function answerText(
  deps: Pick<Deps, 'config'>,
  account: AccountDb,
  keyword: Keyword,
  to: string,
): Promise<string> {
  const row = await findSender(account)
  const name = row ? row.sender_name || cleanStoreName(row.name, [row.home_url, row.url]) : deps.config.companyName
  return keywordAnswer(keyword, { name, help: deps.config.supportEmail, country: findPhoneCountry(to) })
}

/** Job: replies to a keyword. Takes the reply before sending it: a lost reply is better than a second one. */
export async function sendReply(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log'>,
  { accountId, channel, eventKey }: z.infer<typeof replyJob.payload>,
) {
  const account = { accountId, db: deps.db }
  const owed = await takeReply(account, channel, eventKey)
  const transport = owed ? await deps.channels.text(accountId, channel) : null
  if (!owed || !transport) return
  const text = await answerText(deps, account, owed.keyword, owed.reply_to)
  const outcome = await transport.send({
    messageId: createId(),
    channel,
    to: owed.reply_to,
    text,
    template: null,
    sendAuthorization: authorizeAnswer(),
  })
  if (outcome.kind !== 'accepted') deps.log.warn({ accountId, channel, kind: outcome.kind }, 'channels.reply_failed')
}

export async function tidyInbound(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  await deleteOldInbound(deps.db, new Date(deps.now().getTime() - RETENTION_MS))
}

// SQL for shoppers' replies and their consequences for an account.

interface StoredInbound {
  channel: TextChannelName
  eventKey: string
  addressHash: Buffer
  keyword: Keyword | null
  at: Date
  now: Date
}

/** Stores a reply. Returns false if it was delivered before. */
async function keepInbound({ db, accountId }: AccountTx, inbound: StoredInbound): Promise<boolean> {
  const rows = await db
    .insertInto('inbound_messages')
    .values({
      account_id: accountId,
      channel: inbound.channel,
      event_key: inbound.eventKey,
      address_hash: inbound.addressHash,
      keyword: inbound.keyword,
      at: inbound.at,
      received_at: inbound.now,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'channel', 'event_key']).doNothing())
    .returning('event_key')
    .execute()
  return rows.length > 0
}

/** Serializes replies from the same address, since each is compared with earlier ones. */
async function lockAddress({ db, accountId }: AccountTx, hash: Buffer): Promise<void> {
  const name = `${accountId}:inbound:${hash.toString('hex')}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
}

/** Returns the time of the newest reply from this address. */
async function loadLastReplyAt(
  { db, accountId }: AccountTx,
  channel: TextChannelName,
  addressHash: Buffer,
): Promise<Date | null> {
  const row = await db
    .selectFrom('inbound_messages')
    .select((eb) => eb.fn.max('at').as('at'))
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .where('address_hash', '=', addressHash)
    .executeTakeFirst()
  return row?.at ?? null
}

/** Whether a later reply contradicts it. */
async function hasLaterKeyword(
  { db, accountId }: AccountTx,
  than: { channel: TextChannelName; addressHash: Buffer; at: Date; keyword: 'stop' | 'start' },
): Promise<boolean> {
  const later = await db
    .selectFrom('inbound_messages')
    .select('event_key')
    .where('account_id', '=', accountId)
    .where('channel', '=', than.channel)
    .where('address_hash', '=', than.addressHash)
    .where('keyword', '=', than.keyword === 'stop' ? 'start' : 'stop')
    .where('at', '>', than.at)
    .limit(1)
    .executeTakeFirst()
  return later !== undefined
}

interface OptOut {
  channel: TextChannelName
  addressHash: Buffer
  /** E.164. */
  phone: string
  source: string
  at: Date
}

/** Suppresses the address. Returns false if it was suppressed before. */
async function suppressText({ db, accountId }: AccountTx, out: OptOut): Promise<boolean> {
  const rows =
    await sql`insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
    values (${accountId}, ${out.addressHash}, ${out.channel}, ${out.phone}, 'unsubscribed', ${out.source}, ${out.at})
    on conflict do nothing returning 1`.execute(db)
  return rows.rows.length > 0
}

/**
 * Records the withdrawal in the ledger of each store of the account that lacks it, because the sender is the account's
 * (C5).
 */
async function withdrawConsents({ db, accountId }: AccountTx, out: OptOut): Promise<void> {
  await sql`
    insert into consents (store_id, id, address_hash, channel, status, source, at, who)
    select s.id, gen_random_uuid(), ${out.addressHash}, ${out.channel}, 'withdrawn', ${out.source}, ${out.at},
      ${maskAddress(out.channel, out.phone)}
    from stores s where s.account_id = ${accountId} and (
      select status from consents c where c.store_id = s.id and c.address_hash = ${out.addressHash} and c.channel = ${out.channel}
      and ${doesConsentCount('c')} order by c.at desc, c.id desc limit 1) is distinct from 'withdrawn'`.execute(db)
}

/** Closes open messages to this number in all stores of the account (C2). */
async function closeOpenTexts({ db, accountId }: AccountTx, out: OptOut, now: Date): Promise<void> {
  await sql`
    with closed as (
      update messages m set ${becomesSkipped('suppressed_unsubscribed', now)}
      from (${selectOpenTo(accountId, out.channel, out.phone)}) o
      where m.store_id = o.store_id and m.id = o.id and ${isOpen('m')}
      returning m.store_id, m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select store_id, gen_random_uuid(), id, ${now}, 'skip', 'suppressed_unsubscribed', '{}' from closed`.execute(db)
}

/** Marks the newest message to this number as answered. */
async function markAnswered({ db, accountId }: AccountTx, out: OptOut): Promise<void> {
  await sql`
    update messages m set unsubscribed_at = coalesce(m.unsubscribed_at, ${out.at}::timestamptz)
    from (select h.store_id, h.id from stores s
      join shopper_keys k on k.store_id = s.id and k.kind = 'phone' and k.value = ${out.phone}
      join messages h on h.store_id = k.store_id and h.shopper_id = k.shopper_id and h.sending_at <= ${out.at}
        and h.channel = ${out.channel}
      where s.account_id = ${accountId} order by h.sending_at desc limit 1) newest
    where m.store_id = newest.store_id and m.id = newest.id`.execute(db)
}

/** Removes the shopper's own opt-out, and no other suppression. Returns false if there was none. */
async function unsuppressText({ db, accountId }: AccountTx, out: OptOut): Promise<boolean> {
  const rows = await sql`delete from suppressions where account_id = ${accountId} and address_hash = ${out.addressHash}
    and channel = ${out.channel} and reason = 'unsubscribed' returning 1`.execute(db)
  return rows.rows.length > 0
}

/** Unanswered opt-in requests to this number, with the newest ledger entry on the consent. */
const openRequests = (out: OptOut) => sql`
  opt_in_requests q join stores s on s.id = q.store_id
  cross join lateral (select status, is_confirmed, at from consents c where c.store_id = q.store_id
    and c.address_hash = q.address_hash and c.channel = q.channel and ${doesConsentCount('c')} order by at desc, id desc limit 1) newest
  where q.channel = ${out.channel} and q.address_hash = ${out.addressHash}
    and q.state in ('asked', 'answered') and newest.status in ('pending', 'granted') and not newest.is_confirmed
    and not exists (select 1 from suppressions p where p.account_id = s.account_id and p.address_hash = q.address_hash
      and p.channel in ('all', q.channel))`

/** The store with the newest unanswered request; undefined: none. */
async function findAskingStore({ db, accountId }: AccountTx, out: OptOut): Promise<string | undefined> {
  const rows = await sql<{ storeId: string }>`
    select q.store_id as "storeId" from ${openRequests(out)} and s.account_id = ${accountId}
    order by q.asked_at desc nulls last limit 1`.execute(db)
  return rows.rows[0]?.storeId
}

/** Confirms the consent for this store. Returns false if another reply was faster. */
async function confirmConsent(
  { db, storeId }: StoreTx,
  out: OptOut,
  { id, who }: { id: string; who: string },
): Promise<boolean> {
  const rows = await sql`
    with asked as (
      select q.wording, newest.at from ${openRequests(out)} and q.store_id = ${storeId} for update of q),
    answered as (
      update opt_in_requests set state = 'answered'
      where store_id = ${storeId} and channel = ${out.channel} and address_hash = ${out.addressHash}
        and exists (select 1 from asked))
    insert into consents (store_id, id, address_hash, channel, status, is_confirmed, source, wording, at, who)
    select ${storeId}, ${id}, ${out.addressHash}, ${out.channel}, 'granted', true, ${out.source}, wording,
      greatest(${out.at}::timestamptz, at), ${who}
    from asked returning 1`.execute(db)
  return rows.rows.length > 0
}

/** Restores the consent before a STOP, if the STOP is the newest entry. START creates no consent that never existed. */
async function restoreConsents({ db, accountId }: AccountTx, out: OptOut, undoes: string): Promise<void> {
  await sql`
    insert into consents (store_id, id, address_hash, channel, status, is_confirmed, source, at, who)
    select s.id, gen_random_uuid(), ${out.addressHash}, ${out.channel}, 'granted', said.confirmed[2], ${out.source}, ${out.at},
      ${maskAddress(out.channel, out.phone)}
    from stores s cross join lateral (
      select array_agg(status order by at desc, id desc) as words, array_agg(source order by at desc, id desc) as sources,
          array_agg(is_confirmed order by at desc, id desc) as confirmed
      from (select status, source, is_confirmed, at, id from consents c
        where c.store_id = s.id and c.address_hash = ${out.addressHash} and c.channel = ${out.channel}
        and ${doesConsentCount('c')} order by at desc, id desc limit 2) newest) said
    where s.account_id = ${accountId} and said.words[1] = 'withdrawn' and said.sources[1] = ${undoes}
      and said.words[2] = 'granted'`.execute(db)
}

async function queueReply({ db, accountId }: AccountTx, channel: TextChannelName, eventKey: string, replyTo: string) {
  await db
    .updateTable('inbound_messages')
    .set({ reply_to: replyTo })
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .where('event_key', '=', eventKey)
    .execute()
}

/** Takes the pending reply, so that no other process sends it. */
async function takeReply({ db, accountId }: AccountDb, channel: TextChannelName, eventKey: string) {
  const rows = await sql<{ reply_to: string; keyword: Keyword }>`
    update inbound_messages t set reply_to = null from (
      select event_key, reply_to from inbound_messages
      where account_id = ${accountId} and channel = ${channel} and event_key = ${eventKey} for update) old
    where t.account_id = ${accountId} and t.channel = ${channel} and t.event_key = old.event_key and old.reply_to is not null
    returning old.reply_to, t.keyword`.execute(db)
  return rows.rows[0]
}

/** The store named in a reply: the newest connected one. */
function findSender({ db, accountId }: AccountDb) {
  return db
    .selectFrom('stores')
    .select(['sender_name', 'name', 'url', 'home_url'])
    .where('account_id', '=', accountId)
    .where('is_active', '=', true)
    .orderBy('connected_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

async function deleteOldInbound(db: Db, receivedBefore: Date): Promise<void> {
  await db.deleteFrom('inbound_messages').where('received_at', '<', receivedBefore).execute()
  await db.deleteFrom('operator_text_contacts').where('last_at', '<', receivedBefore).execute()
}

/** The reply to a keyword. It names the sender and uses the language of the opt-in request. */
function keywordAnswer(keyword: Keyword, from: ReplyContext): string {
  return `${from.name}: ${isGermanSpeaking(from.country) ? german(keyword, from) : english(keyword, from)}`
}

function english(keyword: Keyword, { help }: ReplyContext): string {
  switch (keyword) {
    case 'stop':
      return 'you will get no more messages from us here. Reply START to get them again.'
    case 'start':
      return 'you get our messages again. Reply STOP to stop them.'
    case 'yes':
      return 'thank you, that is confirmed. Reply STOP at any time to stop.'
    case 'help':
      return `reminders about your cart. Questions: ${help}. Reply STOP to stop.`
  }
}

function german(keyword: Keyword, { help }: ReplyContext): string {
  switch (keyword) {
    case 'stop':
      return 'Sie erhalten hier keine Nachrichten mehr von uns. Mit START erhalten Sie sie wieder.'
    case 'start':
      return 'Sie erhalten unsere Nachrichten wieder. STOP beendet.'
    case 'yes':
      return 'Danke, das ist bestätigt. STOP beendet jederzeit.'
    case 'help':
      return `Erinnerungen an Ihren Warenkorb. Fragen: ${help}. STOP beendet.`
  }
}

interface ReplyContext {
  name: string
  /** Contact for questions. */
  help: string
  /** Country of the sender's number; null: unknown. */
  country: string | null
}
