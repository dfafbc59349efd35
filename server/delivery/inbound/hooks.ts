import { z } from 'zod'
import { textCodes } from '../../../shared/text-codes.ts'
import { AppError, requireFound } from '../../core/common/errors.ts'
import { isSameSecret } from '../../core/common/secrets.ts'
import type { AccountDb, Db } from '../../core/db/db.ts'
import { findCredentialsByHook } from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import type { DeliveryReport, TextChannelName } from '../../messages/channels/channel.ts'
import { recordDeliveryReport } from '../outcome/delivery.ts'
import { OPERATOR_KEY, trustedOf, trustedOperator } from '../texts/text-channels.ts'
import { handleReply } from './inbound.ts'
import { duePrice } from './prices.ts'
import { receiveShared } from './shared-number.ts'
import { isFromTwilio, readForm, readTwilioInbound, readTwilioStatus, twiml } from './twilio-hooks.ts'
import { isFromMeta, readMetaNews } from './whatsapp-hooks.ts'

// Handles webhook calls of providers. The key in the URL identifies the account, the signature authenticates the
// provider. Both are checked before anything is changed.

export interface HookCall {
  hookKey: string
  /** Path and query, as called. */
  path: string
  rawBody: Buffer
  signature: string
}

type Hook = Awaited<ReturnType<typeof hookOf>>

async function hookOf(deps: Deps, hookKey: string) {
  const row = hookKey.includes('\0') ? undefined : await findCredentialsByHook(deps.db, hookKey)
  const known = requireFound(row, 'Address')
  const account: AccountDb<Db> = { accountId: known.account_id, db: deps.db }
  const trusted = requireFound(trustedOf(deps, known) ?? undefined, 'Address')
  return { account, channel: known.channel as TextChannelName, row: known, ...trusted }
}

const forged = () => new AppError('forbidden', 'Not accepted.')

async function twilioCall(deps: Deps, call: HookCall) {
  const hook = await hookOf(deps, call.hookKey)
  return { hook, params: await verifyTwilio(deps, call, hook) }
}

/** The signature covers the URL that Twilio was given: the public one, not the one behind a proxy. */
async function verifyTwilio(deps: Deps, call: HookCall, { identity, secrets }: Pick<Hook, 'identity' | 'secrets'>) {
  const params = readForm(call.rawBody)
  if (params.AccountSid !== identity.accountSid) throw new AppError('not_found', 'Address not found')
  const url = deps.config.publicUrl + call.path
  if (!(await isFromTwilio(secrets.authToken, { url, params, signature: call.signature }))) throw forged()
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
async function takeOperatorInbound(deps: Deps, call: HookCall): Promise<string> {
  const operator = requireFound(deps.config.operatorTexts ?? undefined, 'Address')
  const inbound = readTwilioInbound(await verifyTwilio(deps, call, trustedOperator(operator)))
  if (inbound?.channel !== 'sms') return twiml(null)
  return twiml(await receiveShared(deps, { ...inbound, isAnsweredAtOnce: true }))
}

export async function takeMetaNews(deps: Deps, call: HookCall): Promise<void> {
  const hook = await hookOf(deps, call.hookKey)
  if (!isFromMeta(hook.secrets.appSecret, call.rawBody, call.signature)) throw forged()
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
  const hook = await hookOf(deps, hookKey)
  const { verifyToken } = hook.secrets
  if (!verifyToken || hook.row.provider === 'twilio' || query['hub.mode'] !== 'subscribe') throw forged()
  if (!isSameSecret(query['hub.verify_token'], verifyToken)) throw forged()
  return query['hub.challenge']
}

type Said = Pick<DeliveryReport, 'providerId' | 'status' | 'code' | 'at'> & { messageId: string | null }

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

async function report(deps: Deps, { account, channel }: Hook, { messageId, ...said }: Said): Promise<void> {
  const effect = said.status === 'failed' && said.code ? textCodes[said.code]?.effect : undefined
  await recordDeliveryReport(deps, {
    accountId: account.accountId,
    channel,
    ...said,
    ...(messageId && UUID.test(messageId) && { messageId }),
    ...(effect && effect !== 'retry' && { suppress: effect }),
  })
}
