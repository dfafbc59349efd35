import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { textCodes } from '../../../shared/messages/text-codes.ts'
import { AppError, isSameSecret, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, findCredentialsByHook, listAccountsThatTexted, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type DeliveryReport, listNumberAliases, type TextChannelName } from '../../messages/channels/public.ts'
import { recordDeliveryReport } from '../outcome/public.ts'
import { buildTrustedKeys, getTrustedOperator, OPERATOR_KEY } from '../texts/public.ts'
import { handleReply, type Inbound } from './inbound.ts'
import { parseKeyword } from './keywords.ts'
import type { InboundMessage } from './twilio-hooks.ts'
import { isFromTwilio, readForm, readTwilioInbound, readTwilioStatus, twiml } from './twilio-hooks.ts'

// Handles webhook calls of providers. The key in the URL identifies the account, the signature authenticates the
// provider. Both are checked before anything is changed.

export interface HookCall {
  hookKey: string
  /** Path and query, as called. */
  path: string
  rawBody: Buffer
  signature: string
}

type Hook = Awaited<ReturnType<typeof findHook>>

async function findHook(deps: Deps, hookKey: string) {
  const row = hookKey.includes('\0') ? undefined : await findCredentialsByHook(deps.db, hookKey)
  const known = requireFound(row, 'Address')
  const account: AccountDb<Db> = { accountId: known.account_id, db: deps.db }
  const trusted = requireFound(buildTrustedKeys(deps, known) ?? undefined, 'Address')
  return { account, channel: known.channel as TextChannelName, row: known, ...trusted }
}

const createForgedError = () => new AppError('forbidden', 'Not accepted.')

async function twilioCall(deps: Deps, call: HookCall) {
  const hook = await findHook(deps, call.hookKey)
  return { hook, params: await verifyTwilio(deps, call, hook) }
}

/** The signature covers the URL that Twilio was given: the public one, not the one behind a proxy. */
async function verifyTwilio(
  deps: Pick<Deps, 'config'>,
  call: HookCall,
  { identity, secrets }: Pick<Hook, 'identity' | 'secrets'>,
) {
  const params = readForm(call.rawBody)
  if (params.AccountSid !== identity.accountSid) throw new AppError('not_found', 'Address not found')
  const url = deps.config.publicUrl + call.path
  if (!(await isFromTwilio(secrets.authToken, { url, params, signature: call.signature }))) throw createForgedError()
  return params
}

export async function takeTwilioStatus(deps: Deps, call: HookCall & { messageId: string }): Promise<void> {
  const { hook, params } = await twilioCall(deps, call)
  const status = readTwilioStatus(params)
  if (!status) return
  await report(deps, hook, { ...status, messageId: call.messageId, at: deps.now() })
  if (status.status !== 'sent') await duePrice(deps, hook.account, { ...call, channel: hook.channel, ...status })
}

/** Returns TwiML with the reply to the sender. */
export async function takeTwilioInbound(deps: Deps, call: HookCall): Promise<string> {
  if (call.hookKey === OPERATOR_KEY) return takeOperatorInbound(deps, call)
  const { hook, params } = await twilioCall(deps, call)
  const inbound = readTwilioInbound(params)
  if (!inbound) return twiml(null)
  return twiml(await handleReply(deps, hook.account, { ...inbound, isAnsweredAtOnce: true }))
}

/** Handles messages to the operator's numbers, which many accounts share. */
async function takeOperatorInbound(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'secrets'>,
  call: HookCall,
): Promise<string> {
  const operator = requireFound(deps.config.operatorTexts ?? undefined, 'Address')
  const inbound = readTwilioInbound(await verifyTwilio(deps, call, getTrustedOperator(operator)))
  if (inbound?.channel !== 'sms') return twiml(null)
  return twiml(await receiveShared(deps, { ...inbound, isAnsweredAtOnce: true }))
}

export async function takeMetaNews(deps: Deps, call: HookCall): Promise<void> {
  const hook = await findHook(deps, call.hookKey)
  if (!isFromMeta(hook.secrets.appSecret, call.rawBody, call.signature)) throw createForgedError()
  const news = readMetaNews(call.rawBody, hook.identity.phoneNumberId ?? '')
  for (const status of news.statuses) await report(deps, hook, status)
  for (const message of news.messages) {
    await handleReply(deps, hook.account, { ...message, channel: hook.channel, isAnsweredAtOnce: false })
  }
}

/** Meta's verification request when a webhook is set up. */
export const Handshake = z.object({
  'hub.mode': z.string().max(100).default(''),
  'hub.verify_token': z.string().max(1_000).default(''),
  'hub.challenge': z.string().max(1_000).default(''),
})
type Handshake = z.infer<typeof Handshake>

/** Returns the challenge if the verify token is ours. Throws otherwise. */
export async function shakeHands(deps: Deps, hookKey: string, query: Handshake): Promise<string> {
  const hook = await findHook(deps, hookKey)
  const { verifyToken } = hook.secrets
  if (!verifyToken || hook.row.provider === 'twilio' || query['hub.mode'] !== 'subscribe') throw createForgedError()
  if (!isSameSecret(query['hub.verify_token'], verifyToken)) throw createForgedError()
  return query['hub.challenge']
}

type InboundReply = Pick<DeliveryReport, 'providerId' | 'status' | 'code' | 'at'> & { messageId: string | null }

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

async function report(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  { account, channel }: Hook,
  { messageId, ...reply }: InboundReply,
): Promise<void> {
  const effect = reply.status === 'failed' && reply.code ? textCodes[reply.code]?.effect : undefined
  await recordDeliveryReport(deps, {
    accountId: account.accountId,
    channel,
    ...reply,
    ...(messageId && UUID.test(messageId) && { messageId }),
    ...(effect && effect !== 'retry' && { suppress: effect }),
  })
}

// Replies to the operator's numbers, which many accounts share. A shopper knows the number, not the account, so STOP
// applies to every account that has written to them by it. START and YES apply only to the account of the newest
// message, since a person cannot agree to a text they have not read. Messages from numbers that no account has written to are
// ignored.

/** Handles a reply. Returns the text to answer at once; null: none. */
async function receiveShared(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'secrets'>,
  inbound: Inbound,
): Promise<string | null> {
  const hashes = listNumberAliases(inbound.from).map(deps.secrets.addressHash)
  const newest = await listAccountsThatTexted(deps.db, hashes)
  const meant = (inbound.keyword ?? parseKeyword(inbound.text)) === 'stop' ? newest : newest.slice(0, 1)
  const results = await Promise.allSettled(
    meant.map((accountId) => handleReply(deps, { accountId, db: deps.db }, inbound)),
  )
  // A failure for one account must not block the others. The error makes Twilio repeat the call, which is idempotent.
  const failed = results.find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
  return results.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []))[0] ?? null
}

// Parses Meta's webhook calls. Pure. Lenient: unknown kinds of events and new fields are ignored.

/** Checks X-Hub-Signature-256, an HMAC of the raw body with the app's secret. */
export function isFromMeta(appSecret: string, rawBody: Buffer, signature: string): boolean {
  return isSameSecret(signature, `sha256=${createHmac('sha256', appSecret).update(rawBody).digest('hex')}`)
}

const Status = z.object({
  id: z.string(),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  timestamp: z.string().regex(/^\d{1,12}$/),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(z.object({ code: z.number() })).optional(),
})
const Chosen = z.object({ title: z.string() })
const Message = z.object({
  id: z.string(),
  from: z.string().regex(/^\d{6,15}$/),
  timestamp: z.string().regex(/^\d{1,12}$/),
  text: z.object({ body: z.string() }).optional(),
  button: z.object({ text: z.string() }).optional(),
  interactive: z.object({ button_reply: Chosen.optional(), list_reply: Chosen.optional() }).optional(),
})
/** The shopper's marketing preference in WhatsApp. */
const Preference = z.object({
  wa_id: z.string().regex(/^\d{6,15}$/),
  category: z.literal('marketing_messages'),
  value: z.enum(['stop', 'resume']),
  timestamp: z.coerce.string().regex(/^\d{1,12}$/),
})
const Envelope = z.object({
  entry: z.array(
    z.object({
      changes: z.array(
        z.object({
          field: z.string(),
          value: z.object({
            metadata: z.object({ phone_number_id: z.string() }).optional(),
            statuses: z.array(z.unknown()).optional(),
            messages: z.array(z.unknown()).optional(),
            user_preferences: z.array(z.unknown()).optional(),
          }),
        }),
      ),
    }),
  ),
})

interface MetaChange {
  statuses: (Pick<DeliveryReport, 'providerId' | 'status' | 'code' | 'at'> & { messageId: string | null })[]
  messages: InboundMessage[]
}

const FIELDS = ['messages', 'user_preferences']

/** Reads only events of this phone number: an app may report several numbers to one URL. */
function readMetaNews(rawBody: Buffer, phoneNumberId: string): MetaChange {
  const envelope = Envelope.safeParse(parseJson(rawBody))
  const values = (envelope.data?.entry ?? [])
    .flatMap(({ changes }) => changes)
    .filter(({ field, value }) => FIELDS.includes(field) && value.metadata?.phone_number_id === phoneNumberId)
    .map(({ value }) => value)
  return {
    statuses: known(
      Status,
      values.flatMap(({ statuses }) => statuses ?? []),
    ).map((status) => ({
      providerId: status.id,
      status: status.status,
      code: status.errors?.[0] ? String(status.errors[0].code) : null,
      at: toInstant(status.timestamp),
      messageId: status.biz_opaque_callback_data ?? null,
    })),
    messages: [
      ...known(
        Message,
        values.flatMap(({ messages }) => messages ?? []),
      ).map(readMessage),
      ...known(
        Preference,
        values.flatMap((value) => value.user_preferences ?? []),
      ).map(readPreference),
    ],
  }
}

const readMessage = ({ id, from, timestamp, text, button, interactive }: z.output<typeof Message>): InboundMessage => ({
  id,
  from: `+${from}`,
  text: text?.body ?? button?.text ?? interactive?.button_reply?.title ?? interactive?.list_reply?.title ?? '',
  at: toInstant(timestamp),
  isAnswered: false,
})

/** WhatsApp has already confirmed the change to the shopper, so `isAnswered` is true. */
const readPreference = ({ wa_id: from, value, timestamp }: z.output<typeof Preference>): InboundMessage => ({
  id: `preference:${from}:${timestamp}:${value}`,
  from: `+${from}`,
  text: '',
  at: toInstant(timestamp),
  isAnswered: true,
  isSetting: true,
  keyword: value === 'stop' ? 'stop' : 'start',
})

const toInstant = (seconds: string) => new Date(Number(seconds) * 1_000)

function known<Shape extends z.ZodType>(shape: Shape, rows: readonly unknown[]): z.output<Shape>[] {
  return rows.flatMap((row) => {
    const read = shape.safeParse(row)
    return read.success ? [read.data] : []
  })
}

function parseJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    return null
  }
}

const FIRST_REQUEST_AFTER_MS = 2 * 60_000

async function duePrice(
  deps: Pick<Deps, 'now'>,
  account: AccountDb<Db>,
  of: { providerId: string; messageId: string; channel: TextChannelName },
): Promise<void> {
  if (!/^[\da-f-]{36}$/i.test(of.messageId)) return
  const nextAt = new Date(deps.now().getTime() + FIRST_REQUEST_AFTER_MS)
  await insertPriceDue(account, { ...of, nextAt })
}

/** Schedules a price look-up, only for a message of this account with this provider id. */
async function insertPriceDue(
  { db, accountId }: AccountDb,
  due: { providerId: string; messageId: string; channel: TextChannelName; nextAt: Date },
): Promise<void> {
  await sql`insert into price_lookups (account_id, provider_id, channel, store_id, message_id, next_at)
    select ${accountId}, ${due.providerId}, ${due.channel}, m.store_id, m.id, ${due.nextAt}
    from stores s join messages m on m.store_id = s.id
    where s.account_id = ${accountId} and m.id = ${due.messageId} and m.channel = ${due.channel}
      and m.cost_micros is not null
    on conflict do nothing`.execute(db)
}
