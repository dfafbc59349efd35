import { LRUCache } from 'lru-cache'
import type { Twilio } from 'twilio'
import type RequestClient from 'twilio/lib/base/RequestClient.js'
import { z } from 'zod'
import { createToken, type Secrets } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import { type AccountDb, type Db, sql } from '../../core/db/public.ts'
import { canReach } from '../../core/net/public.ts'
import type { TextTemplate } from '../../core/schema/public.ts'
import {
  type Authorized,
  buildNotSentOutcome,
  type Cost,
  chooseSender,
  describeInbound,
  estimateText,
  findTemplateProblem,
  joinLines,
  type Outcome,
  type OutgoingText,
  type ProviderTemplate,
  parseButtonPrefix,
  type Sender,
  type TextChannel,
  type TextChannelName,
} from '../../messages/channels/public.ts'
import { type CredentialsRow, readCredentials, type StoredCredentials, toColumns } from './credentials-sql.ts'
import { registerLine, sandboxIdentity, sandboxTemplate } from './phone-sandbox.ts'
import { openProviderHttp, type ProviderAnswer, type ProviderHttp, toSilenceOutcome } from './provider-http.ts'
import { toRefusalOutcome } from './text-outcome.ts'
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
const buildContext = (accountId: string, channel: string) => `text-channel:${accountId}:${channel}`

export function sealSecrets(secrets: Secrets, row: { accountId: string; channel: string }, plain: CredentialSecrets) {
  return secrets.seal(JSON.stringify(plain), buildContext(row.accountId, row.channel))
}

export function openSecrets(
  secrets: Secrets,
  row: Pick<CredentialsRow, 'account_id' | 'channel' | 'encrypted'>,
): CredentialSecrets {
  return Sealed.parse(JSON.parse(secrets.open(row.encrypted, buildContext(row.account_id, row.channel))))
}

/** The secrets that verify a provider's calls; null: the operator's account is no longer configured. */
export function buildTrustedKeys(
  { config, secrets }: Pick<TextChannelDeps, 'config' | 'secrets'>,
  row: Pick<CredentialsRow, 'account_id' | 'channel' | 'provider' | 'encrypted' | 'identity'>,
): { identity: Identity; secrets: CredentialSecrets } | null {
  if (row.provider !== 'operator') return { identity: row.identity, secrets: openSecrets(secrets, row) }
  return config.operatorTexts && getTrustedOperator(config.operatorTexts)
}

type OperatorTexts = NonNullable<Config['operatorTexts']>

export const getTrustedOperator = ({ accountSid, authToken }: OperatorTexts) => ({
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

const MAX_CACHED = 2_000

export function openTextChannels(deps: TextChannelDeps): TextChannels {
  const close = ({ channel: opening }: { channel: Promise<TextChannel> }) =>
    opening.then((channel) => channel.close()).catch(() => {})
  const cache = new LRUCache<string, { version: string; channel: Promise<TextChannel> }>({
    max: MAX_CACHED,
    dispose: (old) => void close(old),
  })
  return {
    async text(accountId, channel) {
      const row = await currentCredentials(deps, accountId, channel)
      const key = `${accountId}:${channel}`
      const known = cache.get(key)
      const version = row ? `${row.provider}:${row.version}:${row.hook_key}` : ''
      if (known && known.version === version) return known.channel
      cache.delete(key)
      if (!row) return null
      const opening = makeChannel(deps, row)
      cache.set(key, { version, channel: opening })
      opening.catch(() => cache.get(key)?.channel === opening && cache.delete(key))
      return opening
    },
    async close() {
      await Promise.all([...cache.values()].map(close))
    },
  }
}

/** Whether the account entered these credentials itself. */
export const isOwn = ({ provider }: Pick<CredentialsRow, 'provider'>): boolean =>
  provider !== 'sandbox' && provider !== 'operator'

/**
 * Without own credentials: the sandbox for the demo; for others the operator's account or, in local mode, the sandbox.
 */
export async function currentCredentials(deps: TextChannelDeps, accountId: string, channel: TextChannelName) {
  const account = { accountId, db: deps.db }
  const row = await readCredentials(account, channel)
  if (row && isOwn(row)) return row
  const assigned = await findAssigned(deps, accountId, channel)
  if (!assigned || assigned === row?.provider) return assigned ? row : undefined
  const builtIn = assigned === 'operator' ? operatorRow(deps, accountId) : sandboxRow(deps, accountId, channel)
  await insertBuiltIn(account, builtIn)
  return readCredentials(account, channel)
}

async function findAssigned(deps: TextChannelDeps, accountId: string, channel: TextChannelName) {
  const { config, phoneUrl } = deps
  const isByOperator = config.operatorTexts !== null && channel === 'sms'
  if (!phoneUrl && !isByOperator) return null
  const isSandboxForAll = config.isLocal && !isByOperator
  if (phoneUrl && isSandboxForAll) return 'sandbox'
  if (await isDemoAccount(deps.db, accountId)) return phoneUrl ? 'sandbox' : null
  return isByOperator ? 'operator' : null
}

function sandboxRow(deps: TextChannelDeps, accountId: string, channel: TextChannelName): StoredCredentials {
  const { sender, ...identity } = sandboxIdentity(accountId)
  const [authToken, accessToken, appSecret, verifyToken] = Array.from({ length: 4 }, createToken)
  const plain = { authToken: authToken!, accessToken: accessToken!, appSecret: appSecret!, verifyToken: verifyToken! }
  return {
    channel,
    provider: 'sandbox',
    hook_key: createToken(),
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
function operatorRow({ secrets, now }: TextChannelDeps, accountId: string): StoredCredentials {
  const plain = { authToken: '', accessToken: '', appSecret: '', verifyToken: '' }
  return {
    channel: 'sms',
    provider: 'operator',
    hook_key: createToken(),
    identity: {},
    senders: [],
    template: null,
    templates: [],
    templates_at: null,
    check_answer: 'The operator’s account',
    checked_at: now(),
    version: 0,
    encrypted: sealSecrets(secrets, { accountId, channel: 'sms' }, plain),
  }
}

/** Records the recipient before the send, so that a reply always finds its account. */
function createOperatorChannel(
  { config, db, secrets, now }: TextChannelDeps,
  row: Pick<CredentialsRow, 'account_id' | 'hook_key'>,
): TextChannel {
  const { accountSid, authToken, senders } = config.operatorTexts!
  const isReachable = canReach(config.publicUrl)
  const twilio = createTwilioChannel({
    channel: 'sms',
    accountSid,
    authToken,
    senders,
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
        await recordOperatorContact(account, secrets.addressHash(message.to), now())
      } catch {
        return buildNotSentOutcome('the database was unreachable.')
      }
      return twilio.send(message)
    },
  }
}

async function makeChannel(deps: TextChannelDeps, row: CredentialsRow): Promise<TextChannel> {
  const { config } = deps
  if (row.provider === 'operator') return createOperatorChannel(deps, row)
  if (row.provider === 'sandbox') await announce(deps, row)
  const channel = buildChannel(deps, row, openSecrets(deps.secrets, row))
  if (row.provider !== 'sandbox') return channel
  // In billing test mode the built-in phones act as the operator's account, so that credits can be tested.
  const isTried = row.channel === 'sms' && config.isBillingTestMode
  return { ...channel, carrier: 'sandbox', ...(isTried && { credits: { perMille: config.textCreditPerMille } }) }
}

/** Creates a channel with these credentials, stored or only under test. */
export function buildChannel(
  { config, phoneUrl }: TextChannelDeps,
  row: Pick<CredentialsRow, 'channel' | 'provider' | 'hook_key'> & {
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

function announce({ config, phoneUrl, secrets }: TextChannelDeps, row: CredentialsRow): Promise<void> {
  const inboundUrl =
    row.channel === 'sms' ? hookUrl.twilioInbound(config, row.hook_key) : hookUrl.meta(config, row.hook_key)
  const identity = sandboxIdentity(row.account_id)
  return registerLine(phoneUrl!, { channel: row.channel, identity, secrets: openSecrets(secrets, row), inboundUrl })
}

// Twilio: SMS, and WhatsApp by content templates. Twilio's client builds the requests. We send them ourselves, because
// after a failure it must be known whether the body was sent. The client is loaded with the first message, since most
// servers never send one.

export interface TwilioOptions {
  channel: TextChannelName
  accountSid: string
  authToken: string
  senders: readonly Sender[]
  /** The chosen WhatsApp template; null: none yet. Unused for SMS. */
  template?: TextTemplate | null
  /** Webhook for shoppers' replies, which `check` compares; null: Twilio cannot reach us. */
  inboundUrl?: string | null
  /** Webhook for reports about a message; null: Twilio cannot reach us. */
  statusUrl: (messageId: string) => string | null
  /** Replaces api.twilio.com and its other hosts. */
  baseUrl?: string | null
  poolSize?: number
  connectMs?: number
  answerMs?: number
}

interface TwilioChannel extends TextChannel {
  listTemplates(): Promise<ProviderTemplate[]>
  /** The final price; null: not known yet. */
  priceOf(providerId: string): Promise<Cost | null>
}

const TWILIO_POOL = 10

export function createTwilioChannel(options: TwilioOptions): TwilioChannel {
  const { channel, poolSize = TWILIO_POOL } = options
  const http = openProviderHttp({ ...options, poolSize })
  let client: Promise<Twilio> | null = null
  const twilio = () => (client ??= loadClient(options, http))
  return {
    poolSize,
    ...(channel === 'whatsapp' && { template: options.template ?? null }),
    estimate: (message) => estimateText(channel, message),
    async send(message) {
      const from = chooseSender(options.senders, message.to)
      if (!from) return buildNoSenderOutcome()
      try {
        const sent = await (await twilio()).messages.create(messageParams(options, message, from))
        return acceptedOutcome(sent)
      } catch (error) {
        return outcomeOfError(error)
      }
    },
    check: async () => checkAccount(options, await twilio()),
    listTemplates: async () => listContents(await twilio()),
    async priceOf(providerId) {
      const { price, priceUnit } = await (await twilio()).messages(providerId).fetch()
      return price === null || price === undefined ? null : toCost(price, priceUnit)
    },
    close: () => http.close(),
  }
}

/** Thrown by our request client, so that the kind of failure survives Twilio's library. */
class ProviderTrouble extends Error {
  readonly answer: ProviderAnswer
  constructor(answer: ProviderAnswer) {
    super('the provider did not accept')
    this.answer = answer
  }
}

async function loadClient({ accountSid, authToken }: TwilioOptions, http: ProviderHttp): Promise<Twilio> {
  const { default: twilio } = await import('twilio')
  class OurRequests extends twilio.RequestClient {
    override async request<Data>(options: RequestClient.RequestOptions) {
      const answer = await http.request(buildRequest(options))
      if (!answer.isAnswered || answer.status >= 300 || answer.json === null) throw new ProviderTrouble(answer)
      return { statusCode: answer.status, body: answer.json as Data, headers: {} }
    }
  }
  return twilio(accountSid, authToken, { httpClient: new OurRequests(), lazyLoading: true })
}

function buildRequest({ method, uri, username, password, headers, params, data }: RequestClient.RequestOptions) {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(params ?? {})) url.searchParams.set(name, String(value))
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  return {
    method: method === 'post' ? ('POST' as const) : ('GET' as const),
    url: url.href,
    headers: { ...(headers as Record<string, string>), authorization },
    ...(method === 'post' && { body: encodeForm(data as Record<string, unknown>) }),
  }
}

function encodeForm(data: Record<string, unknown>): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(data)) {
    if (value !== undefined && value !== null) for (const each of [value].flat()) form.append(name, String(each))
  }
  return form.toString()
}

function messageParams(options: TwilioOptions, message: OutgoingText, from: string) {
  const address = (bare: string) => (options.channel === 'whatsapp' ? `whatsapp:${bare}` : bare)
  const statusCallback = options.statusUrl(message.messageId)
  return {
    to: address(message.to),
    ...(from.startsWith('MG') ? { messagingServiceSid: from } : { from: address(from) }),
    ...(message.template ? contentParams(message.template) : { body: message.text }),
    ...(statusCallback && { statusCallback }),
  }
}

/** Content variables: those of the body, then the button's. */
function contentParams({ name, body, buttonUrlSuffix }: NonNullable<OutgoingText['template']>) {
  const parameters = buttonUrlSuffix === null ? body : [...body, buttonUrlSuffix]
  const variables = Object.fromEntries(parameters.map((word, index) => [String(index + 1), word]))
  return { contentSid: name, contentVariables: JSON.stringify(variables) }
}

type Sent = Awaited<ReturnType<Twilio['messages']['create']>>

function acceptedOutcome(sent: Sent): Outcome {
  if (!sent.sid) return { kind: 'unknown', reason: 'unclear_answer', response: 'Twilio returned no id' }
  const segments = Number(sent.numSegments)
  const outcome = { kind: 'accepted', providerId: sent.sid, response: sent.status ?? 'queued' } as const
  return {
    ...outcome,
    ...(segments > 0 && { segments }),
    ...(sent.price && { cost: toCost(sent.price, sent.priceUnit) }),
  }
}

/** Twilio reports charges as negative numbers. */
const toCost = (price: string, unit: string | null): Cost => ({
  amountMicros: Math.round(Math.abs(Number(price)) * 1_000_000),
  currency: (unit ?? 'USD').toUpperCase(),
})

const buildNoSenderOutcome = (): Outcome => ({
  kind: 'rejected',
  reason: '21603',
  response: 'No sender is set for the country of this number',
  isRecipientFault: false,
})

function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof ProviderTrouble)) throw error
  const { answer } = error
  if (!answer.isAnswered) return toSilenceOutcome(answer)
  // An unreadable success response may mean that the message was accepted.
  if (answer.status < 300) return { kind: 'unknown', reason: 'unclear_answer', response: joinLines(answer.text) }
  return toRefusalOutcome(readRefusal(answer))
}

function readRefusal(answer: Extract<ProviderAnswer, { isAnswered: true }>) {
  const { code, message } = (answer.json ?? {}) as { code?: unknown; message?: unknown }
  return {
    status: answer.status,
    code: typeof code === 'number' ? code : null,
    message: typeof message === 'string' ? message : answer.text,
    retryAfterMs: answer.retryAfterMs,
  }
}

/** Checks that the account is active and owns the sender numbers. */
async function checkAccount({ accountSid, senders, channel, inboundUrl }: TwilioOptions, twilio: Twilio) {
  try {
    const account = await twilio.api.v2010.accounts(accountSid).fetch()
    const name = `Account “${account.friendlyName}”, ${account.status}`
    if (account.status !== 'active') return { isOk: false as const, response: name }
    const sentences: string[] = []
    for (const { sender } of senders) {
      const found = await findSender(twilio, channel, sender)
      if (found === 'unknown') return { isOk: false as const, response: `${sender} does not belong to this account` }
      if (found && inboundUrl) sentences.push(describeInbound(sender, found.told, inboundUrl))
    }
    return { isOk: true as const, detail: [name, ...sentences].join('. ') }
  } catch (error) {
    const outcome = outcomeOfError(error)
    return { isOk: false as const, response: 'response' in outcome ? outcome.response : outcome }
  }
}

/** The configured webhook for replies; null: not available for sender names, short codes and WhatsApp numbers. */
async function findSender(twilio: Twilio, channel: TextChannelName, sender: string) {
  if (sender.startsWith('MG')) {
    const service = await twilio.messaging.v1.services(sender).fetch().catch(unlessMissing)
    if (!service) return 'unknown' as const
    return { told: service.useInboundWebhookOnNumber ? 'where each of its numbers says' : service.inboundRequestUrl }
  }
  if (channel !== 'sms' || !sender.startsWith('+')) return null
  const [own] = await twilio.incomingPhoneNumbers.list({ phoneNumber: sender, limit: 1 })
  if (!own) return 'unknown' as const
  // An application's URLs take precedence over the number's.
  return { told: own.smsApplicationSid ? `the application ${own.smsApplicationSid}` : own.smsUrl }
}

function unlessMissing(error: unknown): null {
  if (error instanceof ProviderTrouble && error.answer.isAnswered && error.answer.status === 404) return null
  throw error
}

async function listContents(twilio: Twilio): Promise<ProviderTemplate[]> {
  const contents = await twilio.content.v1.contentAndApprovals.list({ limit: 500 })
  return contents.map((content) => {
    const [type = '', shape] = Object.entries(content.types as Record<string, ContentShape>)[0] ?? []
    const { category = '', status = 'unsubmitted' } = content.approvalRequests as { category?: string; status?: string }
    const text = shape?.body ?? ''
    const button = shape?.actions?.find(({ url }) => url) ?? null
    const hasMedia = !['twilio/text', 'twilio/call-to-action', 'twilio/quick-reply'].includes(type)
    const about = { status: status.toLowerCase(), category: category.toLowerCase(), text, hasMedia, button }
    return {
      name: content.sid,
      title: content.friendlyName,
      language: content.language,
      category: toCategory(about.category),
      status: about.status,
      text,
      buttonUrlPrefix: parseButtonPrefix(button),
      problem: findTemplateProblem({ ...about, buttonPlace: (places) => places + 1 }),
    }
  })
}

interface ContentShape {
  body?: string
  actions?: { url: string }[]
}

const toCategory = (name: string) => (name === 'utility' || name === 'authentication' ? name : 'marketing')

/** Inserts built-in credentials once. They replace other built-in ones, but none that the account entered. */
async function insertBuiltIn({ db, accountId }: AccountDb, row: StoredCredentials): Promise<void> {
  const { channel, columns } = toColumns(row)
  await db
    .insertInto('channel_credentials')
    .values({ account_id: accountId, channel, ...columns })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'channel'])
        .doUpdateSet(columns)
        .where('channel_credentials.provider', 'in', ['sandbox', 'operator'])
        .where('channel_credentials.provider', '<>', row.provider),
    )
    .execute()
}

async function isDemoAccount(db: Db, accountId: string): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('is_demo').where('id', '=', accountId).executeTakeFirst()
  return row?.is_demo ?? false
}

/** Records that the operator's number writes to this address. Call before the send. */
async function recordOperatorContact({ db, accountId }: AccountDb, addressHash: Buffer, now: Date): Promise<void> {
  await sql`insert into operator_text_contacts as c (account_id, address_hash, last_at)
    values (${accountId}, ${addressHash}, ${now})
    on conflict (account_id, address_hash) do update set last_at = greatest(c.last_at, excluded.last_at)`.execute(db)
}
