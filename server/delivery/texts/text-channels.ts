import { z } from 'zod'
import { randomToken, type Secrets } from '../../core/common/secrets.ts'
import type { Config } from '../../core/config/config.ts'
import type { Db } from '../../core/db/db.ts'
import { canReach } from '../../core/net/addresses.ts'
import type { TextTemplate } from '../../core/schema/text-channels.ts'
import type { OutgoingText, TextChannel, TextChannelName } from '../../messages/channels/channel.ts'
import { notSent } from '../../messages/channels/not-sent.ts'
import type { Authorized } from '../../messages/channels/send-authorization.ts'
import type { Sender } from '../../messages/channels/senders.ts'
import * as sql from './credentials-sql.ts'
import { registerLine, sandboxIdentity, sandboxTemplate } from './phone-sandbox.ts'
import { createTwilioChannel, type TwilioChannel } from './twilio.ts'
import { createWhatsAppChannel, type WhatsAppChannel } from './whatsapp.ts'

// An account's SMS and WhatsApp channels, made from its credentials. Without credentials, SMS uses the operator's
// account, if there is one (decision 85), else the built-in phones in local mode and the demo (decision 29). WhatsApp
// never uses the operator's account: number and templates belong to one business. There is one object per account and
// channel, because the slots in flight are counted per object (D10).

/** The encrypted secrets; each provider uses some of them. */
const Sealed = z.object({
  authToken: z.string().default(''),
  accessToken: z.string().default(''),
  appSecret: z.string().default(''),
  verifyToken: z.string().default(''),
})
export type CredentialSecrets = z.infer<typeof Sealed>

export interface Identity {
  accountSid?: string
  phoneNumberId?: string
  businessAccountId?: string
}

export interface TextChannelDeps {
  config: Config
  db: Db
  secrets: Secrets
  now: () => Date
  /** URL of the built-in phones; null: there are none. */
  phoneUrl?: string | null
}

/** Encryption context. It binds secrets to account and channel, so that they cannot be decrypted in another row. */
const contextOf = (accountId: string, channel: string) => `text-channel:${accountId}:${channel}`

export function sealSecrets(secrets: Secrets, row: { accountId: string; channel: string }, plain: CredentialSecrets) {
  return secrets.seal(JSON.stringify(plain), contextOf(row.accountId, row.channel))
}

export function openSecrets(
  secrets: Secrets,
  row: Pick<sql.CredentialsRow, 'account_id' | 'channel' | 'encrypted'>,
): CredentialSecrets {
  return Sealed.parse(JSON.parse(secrets.open(row.encrypted, contextOf(row.account_id, row.channel))))
}

/** The secrets that verify a provider's calls; null: the operator's account is no longer configured. */
export function trustedOf(
  { config, secrets }: Pick<TextChannelDeps, 'config' | 'secrets'>,
  row: Pick<sql.CredentialsRow, 'account_id' | 'channel' | 'provider' | 'encrypted' | 'identity'>,
): { identity: Identity; secrets: CredentialSecrets } | null {
  if (row.provider !== 'operator') return { identity: row.identity, secrets: openSecrets(secrets, row) }
  return config.operatorTexts && trustedOperator(config.operatorTexts)
}

type OperatorTexts = NonNullable<Config['operatorTexts']>

export const trustedOperator = ({ accountSid, authToken }: OperatorTexts) => ({
  identity: { accountSid },
  secrets: Sealed.parse({ authToken }),
})

/** Replaces the account's hook key in the URL for replies; hook keys of accounts are longer. */
export const OPERATOR_KEY = 'operator'

/** Webhook URLs for providers. */
export const hookUrl = {
  /** For replies to the operator's numbers, which many accounts share. */
  operatorInbound: (config: Config) => hookUrl.twilioInbound(config, OPERATOR_KEY),
  twilioStatus: (config: Config, key: string, messageId: string) =>
    `${config.publicUrl}/api/webhooks/twilio/${key}/status/${messageId}`,
  twilioInbound: (config: Config, key: string) => `${config.publicUrl}/api/webhooks/twilio/${key}/inbound`,
  meta: (config: Config, key: string) => `${config.publicUrl}/api/webhooks/whatsapp/${key}`,
}

export interface TextChannels {
  /** null: not configured. */
  text(accountId: string, channel: TextChannelName): Promise<TextChannel | null>
  close(): Promise<void>
}

const MOST_KEPT = 2_000

export function openTextChannels(deps: TextChannelDeps): TextChannels {
  const kept = new Map<string, { version: string; made: Promise<TextChannel> }>()
  const closing = (made: Promise<TextChannel>) => made.then((channel) => channel.close()).catch(() => {})
  return {
    async text(accountId, channel) {
      const row = await currentCredentials(deps, accountId, channel)
      const key = `${accountId}:${channel}`
      const known = kept.get(key)
      const version = row ? `${row.provider}:${row.version}:${row.hook_key}` : ''
      if (known && known.version === version) return known.made
      if (known) {
        kept.delete(key)
        void closing(known.made)
      }
      if (!row) return null
      if (kept.size >= MOST_KEPT)
        for (const [oldest, { made }] of [...kept].slice(0, 100)) kept.delete(oldest) && closing(made)
      const made = makeChannel(deps, row)
      kept.set(key, { version, made })
      made.catch(() => kept.get(key)?.made === made && kept.delete(key))
      return made
    },
    async close() {
      await Promise.all([...kept.values()].map(({ made }) => closing(made)))
    },
  }
}

/** Whether the account entered these credentials itself. */
export const isOwn = ({ provider }: Pick<sql.CredentialsRow, 'provider'>): boolean =>
  provider !== 'sandbox' && provider !== 'operator'

/**
 * Without own credentials: the sandbox for the demo; for others the operator's account or, in local mode, the sandbox.
 */
export async function currentCredentials(deps: TextChannelDeps, accountId: string, channel: TextChannelName) {
  const account = { accountId, db: deps.db }
  const row = await sql.readCredentials(account, channel)
  if (row && isOwn(row)) return row
  const given = await givenTo(deps, accountId, channel)
  if (!given || given === row?.provider) return given ? row : undefined
  const made = given === 'operator' ? operatorRow(deps, accountId) : sandboxRow(deps, accountId, channel)
  await sql.insertBuiltIn(account, made)
  return sql.readCredentials(account, channel)
}

async function givenTo(deps: TextChannelDeps, accountId: string, channel: TextChannelName) {
  const { config, phoneUrl } = deps
  const isByOperator = config.operatorTexts !== null && channel === 'sms'
  if (!phoneUrl && !isByOperator) return null
  const isSandboxForAll = config.isLocal && !isByOperator
  if (phoneUrl && isSandboxForAll) return 'sandbox'
  if (await sql.isDemoAccount(deps.db, accountId)) return phoneUrl ? 'sandbox' : null
  return isByOperator ? 'operator' : null
}

function sandboxRow(deps: TextChannelDeps, accountId: string, channel: TextChannelName): sql.KeptCredentials {
  const { sender, ...identity } = sandboxIdentity(accountId)
  const [authToken, accessToken, appSecret, verifyToken] = Array.from({ length: 4 }, randomToken)
  const plain = { authToken: authToken!, accessToken: accessToken!, appSecret: appSecret!, verifyToken: verifyToken! }
  return {
    channel,
    provider: 'sandbox',
    hook_key: randomToken(),
    encrypted: sealSecrets(deps.secrets, { accountId, channel }, plain),
    identity,
    senders: [{ country: null, sender }],
    template: channel === 'whatsapp' ? sandboxTemplate(deps.config.publicUrl) : null,
    templates: [],
    templates_at: null,
    check_answer: 'The phone sandbox',
    checked_at: deps.now(),
    version: 0,
  }
}

/** Stores only a hook key, so that delivery reports name the account; the rest is in the configuration. */
function operatorRow({ secrets, now }: TextChannelDeps, accountId: string): sql.KeptCredentials {
  const plain = { authToken: '', accessToken: '', appSecret: '', verifyToken: '' }
  return {
    ...{ channel: 'sms', provider: 'operator', hook_key: randomToken(), identity: {}, senders: [], template: null },
    ...{ templates: [], templates_at: null, check_answer: 'The operator’s account', checked_at: now(), version: 0 },
    encrypted: sealSecrets(secrets, { accountId, channel: 'sms' }, plain),
  }
}

/** Records the recipient before the send, so that a reply always finds its account. */
function byOperator(
  { config, db, secrets, now }: TextChannelDeps,
  row: Pick<sql.CredentialsRow, 'account_id' | 'hook_key'>,
): TextChannel {
  const { accountSid, authToken, senders } = config.operatorTexts!
  const isReachable = canReach(config.publicUrl)
  const twilio = createTwilioChannel({
    ...{ channel: 'sms', accountSid, authToken, senders },
    statusUrl: (messageId) => (isReachable ? hookUrl.twilioStatus(config, row.hook_key, messageId) : null),
    baseUrl: config.twilioApiUrl ?? null,
  })
  const account = { accountId: row.account_id, db }
  return {
    ...twilio,
    carrier: 'operator',
    credits: { perMille: config.textCreditPerMille },
    async send(message: Authorized<OutgoingText>) {
      try {
        await sql.recordOperatorContact(account, secrets.addressHash(message.to), now())
      } catch {
        return notSent('the database was unreachable.')
      }
      return twilio.send(message)
    },
  }
}

async function makeChannel(deps: TextChannelDeps, row: sql.CredentialsRow): Promise<TextChannel> {
  const { config } = deps
  if (row.provider === 'operator') return byOperator(deps, row)
  if (row.provider === 'sandbox') await announce(deps, row)
  const channel = channelOf(deps, row, openSecrets(deps.secrets, row))
  if (row.provider !== 'sandbox') return channel
  // In billing test mode the built-in phones act as the operator's account, so that credits can be tested.
  const isTried = row.channel === 'sms' && config.isBillingTestMode
  return { ...channel, carrier: 'sandbox', ...(isTried && { credits: { perMille: config.textCreditPerMille } }) }
}

/** Creates a channel with these credentials, stored or only under test. */
export function channelOf(
  { config, phoneUrl }: TextChannelDeps,
  row: Pick<sql.CredentialsRow, 'channel' | 'provider' | 'hook_key'> & {
    identity: Identity
    senders: readonly Sender[]
    template: TextTemplate | null
  },
  secrets: CredentialSecrets,
): TwilioChannel | WhatsAppChannel {
  const isSandbox = row.provider === 'sandbox'
  const isTwilio = row.provider === 'twilio' || (isSandbox && row.channel === 'sms')
  if (isTwilio) {
    const isReachable = isSandbox || canReach(config.publicUrl)
    return createTwilioChannel({
      channel: row.channel,
      accountSid: row.identity.accountSid ?? '',
      authToken: secrets.authToken,
      senders: row.senders,
      template: row.template,
      inboundUrl: isSandbox || !isReachable ? null : hookUrl.twilioInbound(config, row.hook_key),
      statusUrl: (messageId) => (isReachable ? hookUrl.twilioStatus(config, row.hook_key, messageId) : null),
      baseUrl: isSandbox ? `${phoneUrl}/twilio` : (config.twilioApiUrl ?? null),
    })
  }
  return createWhatsAppChannel({
    phoneNumberId: row.identity.phoneNumberId ?? '',
    businessAccountId: row.identity.businessAccountId ?? '',
    accessToken: secrets.accessToken,
    inboundUrl: isSandbox || !canReach(config.publicUrl) ? null : hookUrl.meta(config, row.hook_key),
    template: row.template,
    apiVersion: config.whatsappApiVersion,
    baseUrl: isSandbox ? `${phoneUrl}/graph` : (config.whatsappApiUrl ?? null),
  })
}

function announce({ config, phoneUrl, secrets }: TextChannelDeps, row: sql.CredentialsRow): Promise<void> {
  const inboundUrl =
    row.channel === 'sms' ? hookUrl.twilioInbound(config, row.hook_key) : hookUrl.meta(config, row.hook_key)
  const identity = sandboxIdentity(row.account_id)
  return registerLine(phoneUrl!, { channel: row.channel, identity, secrets: openSecrets(secrets, row), inboundUrl })
}
