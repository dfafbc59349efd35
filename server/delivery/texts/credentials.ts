import type { z } from 'zod'
import type {
  chooseWhatsappTemplate,
  saveSmsChannel,
  saveWhatsappChannel,
  TextChannelView,
} from '../../../shared/messages/text-channels.ts'
import { textChannelTexts } from '../../../shared/messages/text-channels.ts'
import type { Session } from '../../access/members/public.ts'
import { AppError, createToken, requireFound } from '../../core/common/public.ts'
import {
  type AccountDb,
  type AccountTx,
  type Db,
  type Limit,
  takePoint,
  transactAccount,
} from '../../core/db/public.ts'
import { canReach } from '../../core/net/public.ts'
import type { TextTemplate } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import {
  countPlaceholders,
  type ProviderTemplate,
  type Sender,
  type TextChannelName,
} from '../../messages/channels/public.ts'
import { wakeMessagesOf } from '../../messages/messages/public.ts'
import type { StoredCredentials } from './credentials-sql.ts'
import * as sql from './credentials-sql.ts'
import { toColumns } from './credentials-sql.ts'
import {
  buildChannel,
  type CredentialSecrets,
  currentCredentials,
  hookUrl,
  type Identity,
  isOwn,
  openSecrets,
  sealSecrets,
} from './text-channels.ts'

// Setup of an account's SMS and WhatsApp. The provider verifies credentials before they are saved.

const CHECKS: Limit = { name: 'channel-check', points: 30, windowS: 900 }

type SmsInput = z.output<typeof saveSmsChannel.body>
type WhatsappInput = z.output<typeof saveWhatsappChannel.body>

/** `mayLead`: includes the webhook URLs to enter at the provider. */
export async function viewChannels(deps: Deps, account: AccountDb<Db>, session: Session, mayLead: boolean) {
  const [sms, whatsapp] = await Promise.all([
    viewChannel(deps, account, session, { channel: 'sms', mayLead }),
    viewChannel(deps, account, session, { channel: 'whatsapp', mayLead }),
  ])
  return { sms, whatsapp }
}

export async function viewChannel(
  deps: Deps,
  account: AccountDb<Db>,
  session: Session,
  { channel, mayLead }: { channel: TextChannelName; mayLead: boolean },
): Promise<z.input<typeof TextChannelView>> {
  const row = await currentCredentials(deps, account.accountId, channel)
  const isSandbox = row?.provider === 'sandbox'
  const isReachable = isSandbox || canReach(deps.config.publicUrl)
  const fixed = { channel, isFixed: session.isDemo, isReachable }
  if (!row) return { ...fixed, ...NOTHING }
  if (row.provider === 'operator') return { ...fixed, ...NOTHING, state: 'operator', senders: listSenders(deps) }
  const { template } = row
  return {
    ...fixed,
    state: isSandbox ? 'sandbox' : 'ready',
    provider: row.provider === 'sandbox' ? null : row.provider,
    identity: row.identity,
    senders: row.senders,
    checkAnswer: row.check_answer,
    checkedAt: row.checked_at.toISOString(),
    hooks: mayLead && !isSandbox ? listHooks(deps, row) : [],
    template: template && { name: template.name, language: template.language, variables: template.variables },
    templates: row.templates,
    templatesAt: row.templates_at?.toISOString() ?? null,
    phoneUrl: isSandbox ? (deps.phoneUrl ?? null) : null,
    version: row.version,
  }
}

const listSenders = ({ config }: Pick<Deps, 'config'>) => [...(config.operatorTexts?.senders ?? [])]

const NOTHING = {
  state: 'missing' as const,
  provider: null,
  identity: {},
  senders: [],
  checkAnswer: null,
  checkedAt: null,
  hooks: [],
  template: null,
  templates: [],
  templatesAt: null,
  phoneUrl: null,
  version: 0,
}

function listHooks({ config, secrets }: Pick<Deps, 'config' | 'secrets'>, row: sql.CredentialsRow) {
  if (row.provider === 'twilio') {
    const label = row.channel === 'sms' ? 'A message comes in' : 'When a message comes in'
    return [{ label, value: hookUrl.twilioInbound(config, row.hook_key) }]
  }
  return [
    { label: 'Callback URL', value: hookUrl.meta(config, row.hook_key) },
    { label: 'Verify token', value: openSecrets(secrets, row).verifyToken },
  ]
}

interface ChannelInput {
  channel: TextChannelName
  provider: 'twilio' | 'meta'
  identity: Identity
  senders: Sender[]
  /** Empty: keep the stored secret. */
  secrets: Pick<CredentialSecrets, 'authToken' | 'accessToken' | 'appSecret'>
  version: number
}

export function saveSms(deps: Deps, account: AccountDb<Db>, session: Session, channelInput: SmsInput): Promise<void> {
  const { accountSid, authToken, senders, version } = channelInput
  const secrets = { authToken, accessToken: '', appSecret: '' }
  const identity = { accountSid }
  return save(deps, account, session, { channel: 'sms', provider: 'twilio', identity, senders, secrets, version })
}

export function saveWhatsapp(
  deps: Deps,
  account: AccountDb<Db>,
  session: Session,
  channelInput: WhatsappInput,
): Promise<void> {
  const { provider, version } = channelInput
  if (provider === 'twilio') {
    const { accountSid, authToken, senders } = channelInput
    const secrets = { authToken, accessToken: '', appSecret: '' }
    const identity = { accountSid }
    return save(deps, account, session, { channel: 'whatsapp', provider, identity, senders, secrets, version })
  }
  const { phoneNumberId, businessAccountId, accessToken, appSecret } = channelInput
  const identity = { phoneNumberId, businessAccountId }
  const secrets = { authToken: '', accessToken, appSecret }
  return save(deps, account, session, { channel: 'whatsapp', provider, identity, senders: [], secrets, version })
}

/**
 * Verifies and saves credentials, and wakes messages that waited for them in the same commit. Throws `unprocessable`
 * with the provider's message and saves nothing if the provider refuses them.
 */
async function save(deps: Deps, account: AccountDb<Db>, session: Session, channelInput: ChannelInput): Promise<void> {
  keepDemo(session)
  const { channel, provider, identity } = channelInput
  const known = await sql.readCredentials(account, channel)
  const stored = known && known.provider === provider ? openSecrets(deps.secrets, known) : null
  const secrets = completeSecrets(channelInput, stored)
  await takePoint(deps, CHECKS, account.accountId)
  const hookKey = known && isOwn(known) ? known.hook_key : createToken()
  const isSame = known !== undefined && JSON.stringify(known.identity) === JSON.stringify(identity)
  const template = isSame && known.provider === provider ? known.template : null
  const tried = buildChannel(deps, { ...channelInput, hook_key: hookKey, template }, secrets)
  const accepted = await tryOut(tried, channel).finally(() => tried.close())
  await transactAccount(account, async (tx) => {
    const now = deps.now()
    const row = await lockCredentials(tx, channel)
    if ((row?.version ?? 0) !== channelInput.version) throw new AppError('conflict', textChannelTexts.changedMeanwhile)
    await saveCredentials(tx, {
      channel,
      provider,
      identity,
      template,
      senders: channelInput.senders,
      hook_key: hookKey,
      encrypted: sealSecrets(deps.secrets, { accountId: account.accountId, channel }, secrets),
      templates: accepted.templates,
      templates_at: channel === 'whatsapp' ? now : null,
      check_answer: accepted.answer,
      checked_at: now,
      version: channelInput.version + 1,
    })
    await wakeMessagesOf(tx.db, tx.accountId, [`${channel}_not_configured`], now)
  })
  deps.log.info({ accountId: account.accountId, channel, provider }, 'channels.saved')
}

function keepDemo(session: Session): void {
  if (session.isDemo) throw new AppError('forbidden', textChannelTexts.demo)
}

/** The verify token is created once and kept, because it is stored in Meta's settings. */
function completeSecrets({ provider, secrets }: ChannelInput, stored: CredentialSecrets | null): CredentialSecrets {
  const names = provider === 'twilio' ? (['authToken'] as const) : (['accessToken', 'appSecret'] as const)
  const missing = names.filter((name) => !secrets[name] && !stored?.[name])
  if (missing.length > 0) {
    const message = 'This field is required'
    throw new AppError('invalid', message, { fields: Object.fromEntries(missing.map((name) => [name, message])) })
  }
  const chosen = names.map((name) => [name, secrets[name] || stored![name]])
  const verifyToken = stored?.verifyToken || createToken()
  return { authToken: '', accessToken: '', appSecret: '', verifyToken, ...Object.fromEntries(chosen) }
}

async function tryOut(tried: ReturnType<typeof buildChannel>, channel: TextChannelName) {
  const check = await tried.check()
  if (!check.isOk) throw new AppError('unprocessable', check.response)
  const templates = channel === 'whatsapp' ? await listTemplates(tried) : []
  return { answer: check.detail ?? 'Accepted', templates }
}

async function listTemplates(channel: { listTemplates(): Promise<ProviderTemplate[]> }): Promise<ProviderTemplate[]> {
  try {
    return await channel.listTemplates()
  } catch (error) {
    if (error instanceof Error) throw new AppError('unprocessable', `The templates: ${error.message}`)
    throw error
  }
}

/** Reloads the provider's templates. A chosen template that is no longer approved stays chosen and is shown as such. */
export async function refreshTemplates(
  deps: Pick<Deps, 'channels' | 'now' | 'pool' | 'secrets'>,
  account: AccountDb<Db>,
): Promise<void> {
  await takePoint(deps, CHECKS, account.accountId)
  const channel = await deps.channels.text(account.accountId, 'whatsapp')
  if (!channel?.listTemplates) throw new AppError('unprocessable', textChannelTexts.notConfigured)
  const templates = await listTemplates({ listTemplates: channel.listTemplates })
  await saveTemplates(account, 'whatsapp', templates, deps.now())
}

type Choice = z.output<typeof chooseWhatsappTemplate.body>

export async function chooseTemplate(
  deps: Pick<Deps, 'config' | 'now'>,
  account: AccountDb<Db>,
  session: Session,
  choice: Choice,
): Promise<void> {
  keepDemo(session)
  await transactAccount(account, async (tx) => {
    const row = requireFound(await lockCredentials(tx, 'whatsapp'), 'WhatsApp')
    const template = row.templates.find(({ name, language }) => name === choice.name && language === choice.language)
    const problem = template ? choiceProblem(deps, template, choice) : 'The provider does not have this template.'
    if (!template || problem) throw new AppError('unprocessable', problem ?? '')
    const { name, language, text, buttonUrlPrefix } = template
    const category = template.category === 'utility' ? ('utility' as const) : ('marketing' as const)
    const chosen = { name, language, category, text, variables: choice.variables, buttonUrlPrefix }
    await saveTemplate(tx, chosen, row.version + 1)
    await wakeMessagesOf(tx.db, tx.accountId, ['template_missing'], deps.now())
  })
}

function choiceProblem(
  { config }: Pick<Deps, 'config'>,
  template: ProviderTemplate,
  { variables }: Choice,
): string | null {
  if (template.problem) return template.problem
  if (countPlaceholders(template.text) !== variables.length) return 'Choose a value for each variable of the template.'
  const ours = `${config.publicUrl}/c/`
  if (template.buttonUrlPrefix !== null && template.buttonUrlPrefix !== ours) {
    return `The template’s button links to ${template.buttonUrlPrefix}…; for recovery links, it must begin with ${ours}`
  }
  const hasLink = template.buttonUrlPrefix !== null || variables.includes('checkout_link')
  return hasLink ? null : 'The template needs the checkout link, as a variable in its text or in a button.'
}

export async function removeChannel(
  deps: Pick<Deps, 'log'>,
  account: AccountDb<Db>,
  session: Session,
  channel: TextChannelName,
): Promise<void> {
  keepDemo(session)
  if (await deleteCredentials(account, channel)) {
    deps.log.info({ accountId: account.accountId, channel }, 'channels.removed')
  }
}

function lockCredentials({ db, accountId }: AccountTx, channel: TextChannelName) {
  return db
    .selectFrom('channel_credentials')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .forUpdate()
    .executeTakeFirst()
}

async function saveCredentials({ db, accountId }: AccountTx, stored: StoredCredentials): Promise<void> {
  const { channel, columns } = toColumns(stored)
  await db
    .insertInto('channel_credentials')
    .values({ account_id: accountId, channel, ...columns })
    .onConflict((conflict) => conflict.columns(['account_id', 'channel']).doUpdateSet(columns))
    .execute()
}

async function saveTemplates(
  { db, accountId }: AccountDb,
  channel: TextChannelName,
  templates: object,
  now: Date,
): Promise<void> {
  await db
    .updateTable('channel_credentials')
    .set({ templates: JSON.stringify(templates), templates_at: now })
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .execute()
}

async function saveTemplate({ db, accountId }: AccountTx, template: TextTemplate, version: number): Promise<void> {
  await db
    .updateTable('channel_credentials')
    .set({ template: JSON.stringify(template), version })
    .where('account_id', '=', accountId)
    .where('channel', '=', 'whatsapp')
    .execute()
}

async function deleteCredentials({ db, accountId }: AccountDb, channel: TextChannelName): Promise<boolean> {
  const deleted = await db
    .deleteFrom('channel_credentials')
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .where('provider', 'not in', ['sandbox', 'operator'])
    .returning('channel')
    .execute()
  return deleted.length > 0
}
