import { z } from 'zod'
import type { TextChannel, TextChannelName } from '../channels/channel.ts'
import type { Sender } from '../channels/senders.ts'
import type { Config } from '../core/config.ts'
import type { Db } from '../core/db.ts'
import { randomToken, type Secrets } from '../core/secrets.ts'
import type { TextTemplate } from '../schema/text-channels.ts'
import { canReach } from '../stores/rules.ts'
import * as sql from './credentials-sql.ts'
import { announceLine, sandboxIdentity, sandboxTemplate } from './phone-sandbox.ts'
import { createTwilioChannel, type TwilioChannel } from './twilio.ts'
import { createWhatsAppChannel, type WhatsAppChannel } from './whatsapp.ts'

// An account's SMS and WhatsApp, made of what it has entered, or of the built-in phones where it has entered nothing and is in a
// place for trying out (decision 29). One object per account and channel: its places on the wire are counted by it (D10).

/** What is encrypted; which of them there are depends on the provider. */
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
  /** The built-in phones; null where there are none. */
  phoneUrl?: string | null
}

/** Bound to account and channel: encrypted credentials moved to another row do not open. */
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

/** Addresses a provider calls us at. */
export const hookUrl = {
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

/** The demo's are the sandbox's whatever is kept; others' too, in local mode, until something is entered. */
export async function currentCredentials(deps: TextChannelDeps, accountId: string, channel: TextChannelName) {
  const account = { accountId, db: deps.db }
  const row = await sql.readCredentials(account, channel)
  if (row && row.provider !== 'sandbox') return row
  if (!deps.phoneUrl) return undefined
  if (row) return row
  if (!deps.config.isLocal && !(await sql.isDemoAccount(deps.db, accountId))) return undefined
  await sql.insertSandbox(account, sandboxRow(deps, accountId, channel))
  return sql.readCredentials(account, channel)
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

async function makeChannel(deps: TextChannelDeps, row: sql.CredentialsRow): Promise<TextChannel> {
  if (row.provider === 'sandbox') await announce(deps, row)
  return channelOf(deps, row, openSecrets(deps.secrets, row))
}

/** A channel with these credentials, kept or only being tried. */
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
  return announceLine(phoneUrl!, { channel: row.channel, identity, secrets: openSecrets(secrets, row), inboundUrl })
}
