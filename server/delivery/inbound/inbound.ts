import type { z } from 'zod'
import { cleanStoreName } from '../../access/stores/rules.ts'
import { newId } from '../../core/common/ids.ts'
import { type AccountDb, type AccountTx, type Db, transactAccount } from '../../core/db/db.ts'
import { withRetry } from '../../core/db/db-unavailable.ts'
import { type Limit, takeMany } from '../../core/db/rate-limits.ts'
import type { Deps } from '../../deps.ts'
import type { TextChannelName } from '../../messages/channels/channel.ts'
import { maskAddress } from '../../messages/channels/mask.ts'
import { listNumberAliases } from '../../messages/channels/number-aliases.ts'
import { findPhoneCountry } from '../../messages/channels/phone.ts'
import { authorizeAnswer } from '../../messages/channels/send-authorization.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import { computeLaterTime, wakeHeldMessages } from '../../shoppers/consent/consents.ts'
import { recordInbound } from '../outcome/delivery.ts'
import * as sql from './inbound-sql.ts'
import { replyJob } from './jobs.ts'
import { type Keyword, keywordAnswer, keywordOf } from './keywords.ts'
import type { InboundMessage } from './twilio-hooks.ts'

// Shoppers' replies. Each opens WhatsApp's 24-hour window. STOP, START and HELP are executed (C4), once and in the
// order they were sent.

const DAY_MS = 86_400_000
/** How long a reply is stored to detect repeated deliveries. */
const KEPT_MS = 400 * DAY_MS
/** Per account and number: a reply costs money, and a machine could answer each with HELP for ever. */
const ANSWERS: Limit = { name: 'keyword-answers', points: 10, windowS: 86_400 }

const word = { sms: 'SMS', whatsapp: 'WhatsApp' }
const stopSource = (channel: TextChannelName) => `STOP by ${word[channel]}`
const yesSource = (channel: TextChannelName) => `YES by ${word[channel]}`
const startSource = (channel: TextChannelName) => `START by ${word[channel]}`

export interface Inbound extends InboundMessage {
  channel: TextChannelName
  /** The reply can be sent in the response to the provider's request; otherwise a job sends it. */
  isAnsweredAtOnce: boolean
}

/** Handles a reply. Returns the text to answer at once; null: none. Idempotent. */
export async function handleReply(deps: Deps, account: AccountDb<Db>, inbound: Inbound): Promise<string | null> {
  const now = deps.now()
  const answer = await withRetry(() => transactAccount(account, (tx) => keepAndObey(deps, tx, inbound, now)))
  return answer && inbound.isAnsweredAtOnce ? answerText(deps, account, answer, inbound.from) : null
}

async function keepAndObey(deps: Deps, tx: AccountTx, inbound: Inbound, now: Date) {
  const { channel, id: eventKey, from } = inbound
  const keyword = inbound.keyword ?? keywordOf(inbound.text)
  const addressHash = deps.secrets.addressHash(from)
  await sql.lockAddress(tx, addressHash)
  const last = await sql.loadLastReplyAt(tx, channel, addressHash)
  // A provider's clock ahead of ours must not extend the window or outrank later replies. Our own clock may have been
  // set back since the last reply.
  const latest = last && last > now ? computeLaterTime(last, now) : now
  const at = inbound.at && inbound.at < latest ? inbound.at : latest
  const isNew = await sql.keepInbound(tx, { channel, eventKey, addressHash, keyword, at, now })
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
    await sql.queueReply(tx, channel, eventKey, from)
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
  said: readonly sql.OptOut[],
  now: Date,
): Promise<boolean> {
  if (keyword === 'help') return true
  const { channel, addressHash, at } = said[0]!
  if (keyword === 'yes') return confirm(tx, said, now)
  if (await sql.hasLaterKeyword(tx, { channel, addressHash, at, keyword })) return false
  if (keyword === 'stop') return stop(tx, said, now)
  let isMoved = false
  for (const each of said) isMoved = (await start(tx, each)) || isMoved
  return isMoved
}

/** Confirms the newest unanswered request. A YES without one means nothing. */
async function confirm(tx: AccountTx, said: readonly sql.OptOut[], now: Date): Promise<boolean> {
  const { channel, addressHash, at } = said[0]!
  if (await sql.hasLaterKeyword(tx, { channel, addressHash, at, keyword: 'start' })) return false
  for (const each of said) {
    const who = maskAddress(channel, each.phone)
    const out = { ...each, source: yesSource(channel) }
    const storeId = await sql.findAskingStore(tx, out)
    if (!storeId) continue
    const store = { storeId, db: tx.db }
    if (!(await sql.confirmConsent(store, out, { id: newId(), who }))) continue
    await wakeHeldMessages(store, [each.phone], now)
    await scheduleNextLook(store)
    return true
  }
  return false
}

async function start(tx: AccountTx, said: sql.OptOut): Promise<boolean> {
  const isMoved = await sql.unsuppressText(tx, said)
  if (isMoved) await sql.restoreConsents(tx, { ...said, source: startSource(said.channel) }, stopSource(said.channel))
  return isMoved
}

/** Locks sent texts before open ones, as settling does (send/settle.ts), to avoid deadlocks. */
async function stop(tx: AccountTx, said: readonly sql.OptOut[], now: Date): Promise<boolean> {
  const outs = said.map((each) => ({ ...each, source: stopSource(each.channel) }))
  let isMoved = false
  for (const out of outs) {
    const isNew = await sql.suppressText(tx, out)
    await sql.withdrawConsents(tx, out)
    if (isNew) await sql.markAnswered(tx, out)
    isMoved ||= isNew
  }
  for (const out of outs) await sql.closeOpenTexts(tx, out, now)
  return isMoved
}

async function answerText(deps: Deps, account: AccountDb, keyword: Keyword, to: string): Promise<string> {
  const row = await sql.senderOf(account)
  const name = row ? row.sender_name || cleanStoreName(row.name, [row.home_url, row.url]) : deps.config.companyName
  return keywordAnswer(keyword, { name, help: deps.config.supportEmail, country: findPhoneCountry(to) })
}

/** Job: replies to a keyword. Takes the reply before sending it: a lost reply is better than a second one. */
export async function sendReply(deps: Deps, { accountId, channel, eventKey }: z.infer<typeof replyJob.payload>) {
  const account = { accountId, db: deps.db }
  const owed = await sql.takeReply(account, channel, eventKey)
  const transport = owed ? await deps.channels.text(accountId, channel) : null
  if (!owed || !transport) return
  const text = await answerText(deps, account, owed.keyword, owed.reply_to)
  const outcome = await transport.send({
    messageId: newId(),
    channel,
    to: owed.reply_to,
    text,
    template: null,
    sendAuthorization: authorizeAnswer(),
  })
  if (outcome.kind !== 'accepted') deps.log.warn({ accountId, channel, kind: outcome.kind }, 'channels.reply_failed')
}

export async function tidyInbound(deps: Deps): Promise<void> {
  await sql.deleteOldInbound(deps.db, new Date(deps.now().getTime() - KEPT_MS))
}
