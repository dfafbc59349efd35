// Reads the environment once. Reports all mistakes together, in sentences. The result is frozen.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { isTextSender } from '../../../shared/messages/text-channels.ts'
import { isAddressOrRange } from '../net/public.ts'
import { openDataDir } from './data-dir.ts'
import { StartupError } from './startup-errors.ts'

// PUSH_SERVICES: allowed hosts of push services (P3, decision 81). Pure.

/**
 * Sources: Firefox (mozilla-push-service.readthedocs.io), Chrome (firebase.google.com/docs/cloud-messaging), Chromium
 * without Google’s keys, Safari (developer.apple.com, "allow *.push.apple.com") and Edge (learn.microsoft.com, WNS).
 */
const KNOWN = [
  'updates.push.services.mozilla.com',
  'fcm.googleapis.com',
  'jmt17.google.com',
  '*.push.apple.com',
  '*.notify.windows.com',
] as const

function readPushServices(list: string, context: z.RefinementCtx): readonly string[] {
  const services = list.split(',').flatMap((service) => service.trim().toLowerCase() || [])
  if (!services.every(isServiceName)) {
    context.addIssue('PUSH_SERVICES must be host names such as fcm.googleapis.com or *.push.apple.com, with commas.')
  }
  return Object.freeze(services.length > 0 ? services : KNOWN)
}

function isServiceName(name: string): boolean {
  const labels = (name.startsWith('*.') ? name.slice(2) : name).split('.')
  return labels.length >= 2 && labels.every((label) => /^[a-z0-9-]{1,63}$/.test(label)) && /^[a-z]/.test(labels.at(-1)!)
}

// Parses and validates the text of settings. Used only by config.ts. Pure, except where a file is checked.

type Role = 'web' | 'worker'

/**
 * Longest name before the `+` of a return address: a local part has at most 64 characters (RFC 5321), and the mail's id
 * needs 42 (return-path.ts).
 */
const MAX_BOUNCE_NAME_LENGTH = 64 - 1 - 42

function readRoles(list: string, context: z.RefinementCtx): readonly Role[] {
  const roles = list.split(',').map((role) => role.trim())
  const known = roles.filter((role): role is Role => role === 'web' || role === 'worker')
  if (known.length < roles.length) context.addIssue('ROLES must be web, worker or web,worker.')
  return Object.freeze([...new Set(known)])
}

function readProxies(list: string, context: z.RefinementCtx): readonly string[] {
  const proxies = list.split(',').flatMap((proxy) => proxy.trim() || [])
  if (!proxies.every(isAddressOrRange)) {
    context.addIssue('TRUSTED_PROXIES must be addresses or ranges such as 127.0.0.1 or 10.0.0.0/8, with commas.')
  }
  return Object.freeze(proxies)
}

function readAddresses(list: string, context: z.RefinementCtx): readonly string[] {
  const addresses = list.split(',').flatMap((address) => address.trim().toLowerCase() || [])
  if (!addresses.every((address) => /^[^\s@]+@[^\s@]+$/.test(address))) {
    context.addIssue('OPERATOR_EMAILS must be email addresses, with commas.')
  }
  return Object.freeze(addresses)
}

function readNameServers(list: string, context: z.RefinementCtx): readonly string[] {
  const servers = list.split(',').flatMap((server) => server.trim() || [])
  const isServer = (server: string) => ipaddr.isValid(server) || /^([\d.]+|\[[\da-f:]+\]):\d{1,5}$/i.test(server)
  if (!servers.every(isServer))
    context.addIssue('DNS_SERVERS must be addresses such as 1.1.1.1 or 1.1.1.1:53, with commas.')
  return Object.freeze(servers)
}

/** Accepts numbers, messaging services and short codes. Recipients cannot reply STOP to an alphanumeric sender. */
function readTextSenders(list: string, context: z.RefinementCtx) {
  const values = list.split(',').flatMap((one) => one.trim() || [])
  const senders = values.map((one) => {
    const [, country = null, sender = ''] = /^(?:([A-Z]{2}):)?(.*)$/.exec(one) ?? []
    return { country, sender }
  })
  if (!senders.every(({ sender }) => isTextSender(sender) && !isName(sender))) {
    context.addIssue(
      'OPERATOR_TWILIO_SENDERS must be numbers such as +12025550100, messaging services (MG…) or short codes, with commas; with DE: before one that is for a country.',
    )
  }
  return Object.freeze(senders)
}

const isName = (sender: string): boolean => /[a-z]/i.test(sender) && !/^MG[\da-f]{32}$/i.test(sender)

/** Thousandths, so that prices stay whole numbers. */
function readFactor(name: string, otherwise: string) {
  return text(otherwise)
    .refine(
      (value) => /^\d{1,2}(\.\d{1,3})?$/.test(value) && Number(value) >= 0.1,
      `${name} must be a number from 0.1 to 99, such as 1.5, with at most three digits after the point.`,
    )
    .transform((value) => Math.round(Number(value) * 1_000))
}

function text(otherwise: string) {
  return z.string().default(otherwise)
}

function optional(isValid: (value: string) => boolean, mistake: string) {
  return z.string().refine(isValid, mistake).optional()
}

function port(otherwise: number, name = 'PORT') {
  return wholeNumber(name, otherwise, 1, 65_535)
}

function wholeNumber(name: string, otherwise: number, min: number, max: number) {
  const isInRange = (value: string) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max
  return text(String(otherwise))
    .refine(isInRange, `${name} must be a whole number from ${min} to ${max}.`)
    .transform(Number)
}

function onOff(name: string) {
  return z.enum(['on', 'off'], `${name} must be on or off.`).transform((value) => value === 'on')
}

function buildUrlCheck(...protocols: string[]) {
  return (value: string) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol) && new URL(value).hostname !== ''
}

function isBounceAddress(address: string) {
  const [name = '', domain = '', ...more] = address.split('@')
  const isName = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(name) && name.length <= MAX_BOUNCE_NAME_LENGTH
  return isName && more.length === 0 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9-]{1,63}$/i.test(domain)
}

function isFileWithin(file: string, bytes: number) {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.size <= bytes
}

function isOrigin(value: string) {
  if (!buildUrlCheck('http:', 'https:')(value)) return false
  const url = new URL(value)
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
}

/** URL.canParse does not work: the socket form, postgres://user@/name?host=/folder, has no host. */
function isPostgresUrl(value: string) {
  return /^postgres(ql)?:\/\/./.test(value)
}

function isLoopback(host: string) {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  if (/(^|\.)localhost$/i.test(bare)) return true
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback'
}

function defaultPublicUrl(host: string, port: number) {
  const isAnywhere = ['0.0.0.0', '::', '[::]'].includes(host)
  if (isAnywhere || isLoopback(host)) return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host.replace(/[[\]]/g, '')}]` : host}:${port}`
}

export class ConfigError extends StartupError {
  override name = 'ConfigError'
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.mistakes = mistakes
  }
}

export type Config = ReturnType<typeof readConfig>

const MIN_SECRET_LENGTH = 32
const MAX_LOGO_BYTES = 200 * 1_024
const LOOPBACK: readonly string[] = Object.freeze(['127.0.0.0/8', '::1'])
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

// Error messages never repeat a value that may contain a password.
const settings = {
  /** Port of the web server. */
  PORT: port(3000),
  /** Address the web server listens on. */
  HOST: text('127.0.0.1').refine(
    (host) => !/[\s/]/.test(host),
    'HOST must be an address or a name, such as 127.0.0.1 or 0.0.0.0.',
  ),
  /** Public address of Recoup, used in every link of every message. */
  PUBLIC_URL: optional(
    isOrigin,
    'PUBLIC_URL must be an http or https address without a path, such as https://recoup.example.com.',
  ),
  /** Trusted reverse proxies, whose X-Forwarded-For is used. */
  TRUSTED_PROXIES: text('').transform(readProxies),
  /** Folder for the embedded database, the secret and everything else kept on disk. */
  DATA_DIR: text('./data').transform((dir) => path.resolve(dir)),
  /** PostgreSQL 15 or newer; unset: the embedded one. */
  DATABASE_URL: optional(isPostgresUrl, 'DATABASE_URL must begin with postgres:// or postgresql://.'),
  /** The same database without a pooler. */
  DATABASE_DIRECT_URL: optional(isPostgresUrl, 'DATABASE_DIRECT_URL must begin with postgres:// or postgresql://.'),
  /** Named statements; off for poolers that do not support them. */
  DATABASE_PREPARED: onOff('DATABASE_PREPARED').default(true),
  /** Connections to the database, and of the job queue. */
  DATABASE_POOL: wholeNumber('DATABASE_POOL', 16, 4, 200),
  DATABASE_JOBS_POOL: wholeNumber('DATABASE_JOBS_POOL', 6, 2, 50),
  /** Encrypts store keys and signs links; unset: generated into DATA_DIR. */
  APP_SECRET: optional(
    (secret) => secret.length >= MIN_SECRET_LENGTH,
    `APP_SECRET must have at least ${MIN_SECRET_LENGTH} characters.`,
  ),
  /** Roles of this process. */
  ROLES: text('web,worker').transform(readRoles),
  /** Mail server; unset: the built-in mailbox in local mode, no sending elsewhere. */
  SMTP_URL: optional(
    buildUrlCheck('smtp:', 'smtps:'),
    'SMTP_URL must look like smtp://user:password@host:587 or smtps://user:password@host:465.',
  ),
  /** Connections to the mail server. */
  SMTP_POOL: wholeNumber('SMTP_POOL', 10, 1, 20),
  /** Default sender when a store has not set its own. */
  MAIL_FROM: optional(
    (from) => /^([^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(from),
    'MAIL_FROM must be an address, such as Recoup <hello@example.com>.',
  ),
  /** Return address of mails; each mail gets its own, bounces+…@. */
  BOUNCE_ADDRESS: optional(
    isBounceAddress,
    `BOUNCE_ADDRESS must be an address with at most ${MAX_BOUNCE_NAME_LENGTH} letters, digits, dots, _ or - before the @, such as bounces@mail.example.com.`,
  ),
  /** Port on which Recoup receives mail to the return addresses; off unless set. */
  BOUNCE_SMTP_PORT: optional(
    (port) => /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535,
    'BOUNCE_SMTP_PORT must be a whole number from 1 to 65535.',
  ),
  /** Certificate (PEM, with its chain) and key for STARTTLS on that port. */
  BOUNCE_TLS_CERT: optional((file) => fs.existsSync(file), 'The file in BOUNCE_TLS_CERT does not exist.'),
  BOUNCE_TLS_KEY: optional((file) => fs.existsSync(file), 'The file in BOUNCE_TLS_KEY does not exist.'),
  /** Mail provider whose reports are accepted. */
  MAIL_EVENTS: z
    .enum(['ses', 'postmark', 'sendgrid', 'mailgun'], 'MAIL_EVENTS must be ses, postmark, sendgrid or mailgun.')
    .optional(),
  /** Last path segment of the provider's report URL. */
  MAIL_EVENTS_KEY: optional(
    (key) => /^[\w-]{20,100}$/.test(key),
    'MAIL_EVENTS_KEY must have 20 to 100 letters, digits, - or _.',
  ),
  /** Key that verifies the provider's reports. */
  MAIL_EVENTS_SECRET: optional((secret) => secret.length >= 8, 'MAIL_EVENTS_SECRET is too short.'),
  /** Name servers that resolve shop hosts and sender domains; the system's unless set. */
  DNS_SERVERS: text('').transform(readNameServers),
  /** Data centre ranges, whose clicks do not count as human; the bundled list unless set. */
  DATA_CENTRES_FILE: optional((file) => fs.existsSync(file), 'The file in DATA_CENTRES_FILE does not exist.'),
  /** MMDB database for shoppers' locations; the bundled country database unless set. */
  GEOIP_DB: optional((file) => fs.existsSync(file), 'The file in GEOIP_DB does not exist.'),
  /** Version of WhatsApp's Cloud API. Meta retires each after about two years. */
  WHATSAPP_API_VERSION: text('v23.0').refine(
    (version) => /^v\d{1,3}\.\d$/.test(version),
    'WHATSAPP_API_VERSION must look like v23.0.',
  ),
  /** Replaces https://graph.facebook.com, for a proxy. */
  WHATSAPP_API_URL: optional(buildUrlCheck('http:', 'https:'), 'WHATSAPP_API_URL must be an http or https address.'),
  /** Replaces https://api.twilio.com, for a proxy. */
  TWILIO_API_URL: optional(buildUrlCheck('http:', 'https:'), 'TWILIO_API_URL must be an http or https address.'),
  /** The operator's Twilio account: sends SMS for accounts without their own. */
  OPERATOR_TWILIO_ACCOUNT_SID: optional(
    (sid) => /^AC[\da-f]{32}$/i.test(sid),
    'OPERATOR_TWILIO_ACCOUNT_SID must be AC and 32 digits, from the Twilio console.',
  ),
  OPERATOR_TWILIO_AUTH_TOKEN: optional((token) => !/\s/.test(token), 'OPERATOR_TWILIO_AUTH_TOKEN must have no spaces.'),
  /** Sender by country, where one differs. */
  OPERATOR_TWILIO_SENDERS: text('').transform(readTextSenders),
  /** Price of a text in credits, as a multiple of the price table. */
  TEXT_CREDIT_FACTOR: readFactor('TEXT_CREDIT_FACTOR', '1.5'),
  /** Allowed hosts of push services, comma-separated. */
  PUSH_SERVICES: text('').transform(readPushServices),
  /** The demo account, store and mailbox. */
  DEMO: onOff('DEMO').optional(),
  /** Days of history in the demo. */
  DEMO_DAYS: wholeNumber('DEMO_DAYS', 90, 30, 90),
  /** Address on which demo stores and mailbox listen. */
  DEMO_HOST: text('127.0.0.1').refine(
    (host) => ['127.0.0.1', '0.0.0.0'].includes(host),
    'DEMO_HOST must be 127.0.0.1, or 0.0.0.0 in a container.',
  ),
  /** Port of the demo store. */
  DEMO_STORE_PORT: port(3001, 'DEMO_STORE_PORT'),
  /** A second demo store, on Shopify. */
  DEMO_SHOPIFY: onOff('DEMO_SHOPIFY').optional(),
  DEMO_SHOPIFY_PORT: port(3004, 'DEMO_SHOPIFY_PORT'),
  /** Port of the mailbox's web page. */
  MAILBOX_PORT: port(3002, 'MAILBOX_PORT'),
  /** Port on which the mailbox receives mail. */
  MAILBOX_SMTP_PORT: port(3025, 'MAILBOX_SMTP_PORT'),
  /** Allows stores at private addresses. */
  ALLOW_PRIVATE_STORES: onOff('ALLOW_PRIVATE_STORES').optional(),
  /** Allows plan changes without payment. */
  BILLING_TEST_MODE: onOff('BILLING_TEST_MODE').optional(),
  /** Secret key of the Stripe account. */
  STRIPE_SECRET_KEY: optional((key) => /^(sk|rk)_\S+$/.test(key), 'STRIPE_SECRET_KEY must begin with sk_ or rk_.'),
  /** Secrets that verify Stripe's webhooks; two, comma-separated, during rotation. */
  STRIPE_WEBHOOK_SECRET: text('')
    .transform((secrets) =>
      secrets
        .split(',')
        .map((secret) => secret.trim())
        .filter(Boolean),
    )
    .refine(
      (secrets) => secrets.length <= 2 && secrets.every((secret) => /^whsec_\S+$/.test(secret)),
      'STRIPE_WEBHOOK_SECRET must begin with whsec_.',
    ),
  /** Replaces https://api.stripe.com, for a proxy. */
  STRIPE_API_URL: optional(buildUrlCheck('http:', 'https:'), 'STRIPE_API_URL must be an http or https address.'),
  /** Lets Stripe compute the tax. */
  STRIPE_AUTOMATIC_TAX: onOff('STRIPE_AUTOMATIC_TAX').optional(),
  /** The plan of every account when payments are off. */
  DEFAULT_PLAN: text('growth').pipe(
    z.enum(['free', 'starter', 'growth'], 'DEFAULT_PLAN must be free, starter or growth.'),
  ),
  /** URL pinged every minute while all checks pass. */
  ALARM_PING_URL: optional(buildUrlCheck('http:', 'https:'), 'ALARM_PING_URL must be an http or https address.'),
  /** Grants access to /metrics and the details of /readyz. */
  METRICS_TOKEN: optional(
    (token) => /^[\w.~+/-]{20,200}=*$/.test(token),
    'METRICS_TOKEN must have 20 to 200 letters, digits or -._~+/.',
  ),
  /** Users who may confirm in the app that a restored Recoup is the live one. */
  OPERATOR_EMAILS: text('').transform(readAddresses),
  /** Log level. */
  LOG_LEVEL: text('info').pipe(z.enum(LOG_LEVELS, `LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`)),
  /** Support address shown to users. */
  SUPPORT_EMAIL: optional((address) => /^[^\s@]+@[^\s@]+$/.test(address), 'SUPPORT_EMAIL must be an email address.'),
  /** Company named in footers and terms; INSTANCE_NAME unless set. */
  COMPANY_NAME: z.string().optional(),
  /** Name of this installation, in place of "Recoup" in titles, mails and the shell. */
  INSTANCE_NAME: text('Recoup').refine(
    (name) => name.length <= 40 && !/[<>@"\p{Cc}]/u.test(name),
    'INSTANCE_NAME must have at most 40 characters, without < > @ and ".',
  ),
  /** Its logo, square: an SVG or PNG file. */
  INSTANCE_LOGO: optional(
    (file) => /\.(svg|png)$/i.test(file) && isFileWithin(file, MAX_LOGO_BYTES),
    'INSTANCE_LOGO must be an existing .svg or .png file of at most 200 KB.',
  ),
  /** Its own pages, linked in place of the built-in terms and privacy pages. */
  TERMS_URL: optional(buildUrlCheck('http:', 'https:'), 'TERMS_URL must be an http or https address.'),
  PRIVACY_URL: optional(buildUrlCheck('http:', 'https:'), 'PRIVACY_URL must be an http or https address.'),
  /** Linked beside them; no link unless set. */
  IMPRINT_URL: optional(buildUrlCheck('http:', 'https:'), 'IMPRINT_URL must be an http or https address.'),
  /** Who may create an account: everyone, people invited by an operator, or no one. */
  REGISTRATION: text('open').pipe(z.enum(['open', 'invite', 'closed'], 'REGISTRATION must be open, invite or closed.')),
  /** API requests of an account in a minute. */
  API_RATE_LIMIT: wholeNumber('API_RATE_LIMIT', 1_200, 60, 1_000_000),
}

/** All variable names, for the test that compares them with `.env.example`. */
export const settingNames = Object.keys(settings)

/** Settings that may also be given as the path of a file, in NAME_FILE. */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'APP_SECRET',
  'SMTP_URL',
  'MAIL_EVENTS_KEY',
  'MAIL_EVENTS_SECRET',
  'OPERATOR_TWILIO_AUTH_TOKEN',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'ALARM_PING_URL',
  'METRICS_TOKEN',
] as const satisfies (keyof typeof settings)[]

type Environment = Readonly<Record<string, string | undefined>>

/** Reads secrets from the files that NAME_FILE names. */
function readSecretFiles(env: Environment): Record<string, string> {
  const secrets: Record<string, string> = {}
  const mistakes: string[] = []
  for (const name of secretSettings) {
    const file = env[`${name}_FILE`]?.trim()
    if (!file) continue
    const content = readFileIfReadable(file)
    if (env[name]?.trim()) mistakes.push(`${name} and ${name}_FILE are both set. Set one of them.`)
    else if (content === null) mistakes.push(`The file in ${name}_FILE cannot be read.`)
    else if (content === '') mistakes.push(`The file in ${name}_FILE is empty.`)
    else secrets[name] = content
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return secrets
}

function readFileIfReadable(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8').trim()
  } catch {
    return null
  }
}

/** Parses an environment and the files it names. Throws a ConfigError that lists every mistake. */
export function readConfig(env: Environment) {
  const secrets = readSecretFiles(env)
  // Compose files and unit files set unused variables to an empty string.
  const filled = Object.fromEntries(
    settingNames.map((name) => [name, secrets[name] ?? (env[name]?.trim() || undefined)]),
  )
  const parsed = z.object(settings).safeParse(filled)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => issue.message))
  const values = parsed.data
  const publicUrl = values.PUBLIC_URL ? new URL(values.PUBLIC_URL).origin : defaultPublicUrl(values.HOST, values.PORT)
  const isLocal = isLoopback(values.HOST) && isLoopback(new URL(publicUrl).hostname)
  const mailHost = new URL(publicUrl).hostname
  const companyName = values.COMPANY_NAME ?? values.INSTANCE_NAME
  const config = {
    port: values.PORT,
    host: values.HOST,
    publicUrl,
    /** Decision 29: only this machine can reach Recoup. */
    isLocal,
    trustedProxies: values.TRUSTED_PROXIES.length === 0 && isLocal ? LOOPBACK : values.TRUSTED_PROXIES,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
    isDatabasePrepared: values.DATABASE_PREPARED,
    databasePool: values.DATABASE_POOL,
    databaseJobsPool: values.DATABASE_JOBS_POOL,
    appSecret: values.APP_SECRET,
    roles: values.ROLES,
    smtpUrl: values.SMTP_URL,
    smtpPool: values.SMTP_POOL,
    /** Whether the server's administrator chose the sender. */
    isMailFromSet: values.MAIL_FROM !== undefined,
    mailFrom: values.MAIL_FROM ?? `${companyName.replace(/[<>@"]/g, '')} <recoup@${mailHost}>`,
    bounceAddress: values.BOUNCE_ADDRESS?.toLowerCase(),
    bounceSmtpPort: values.BOUNCE_SMTP_PORT === undefined ? undefined : Number(values.BOUNCE_SMTP_PORT),
    bounceTls: values.BOUNCE_TLS_CERT
      ? { certFile: values.BOUNCE_TLS_CERT, keyFile: values.BOUNCE_TLS_KEY ?? '' }
      : undefined,
    mailEvents: values.MAIL_EVENTS && {
      provider: values.MAIL_EVENTS,
      key: values.MAIL_EVENTS_KEY ?? '',
      secret: values.MAIL_EVENTS_SECRET ?? '',
    },
    dnsServers: values.DNS_SERVERS,
    dataCentresFile: values.DATA_CENTRES_FILE,
    geoipDb: values.GEOIP_DB,
    whatsappApiVersion: values.WHATSAPP_API_VERSION,
    whatsappApiUrl: values.WHATSAPP_API_URL,
    twilioApiUrl: values.TWILIO_API_URL,
    operatorTexts: values.OPERATOR_TWILIO_ACCOUNT_SID
      ? {
          accountSid: values.OPERATOR_TWILIO_ACCOUNT_SID,
          authToken: values.OPERATOR_TWILIO_AUTH_TOKEN ?? '',
          senders: values.OPERATOR_TWILIO_SENDERS,
        }
      : null,
    /** In thousandths of the price table. */
    textCreditPerMille: values.TEXT_CREDIT_FACTOR,
    pushServices: values.PUSH_SERVICES,
    isDemo: values.DEMO ?? isLocal,
    demoDays: values.DEMO_DAYS,
    demoHost: values.DEMO_HOST,
    demoStorePort: values.DEMO_STORE_PORT,
    hasDemoShopify: values.DEMO_SHOPIFY ?? false,
    demoShopifyPort: values.DEMO_SHOPIFY_PORT,
    mailboxPort: values.MAILBOX_PORT,
    mailboxSmtpPort: values.MAILBOX_SMTP_PORT,
    allowsPrivateStores: values.ALLOW_PRIVATE_STORES ?? isLocal,
    isBillingTestMode: values.BILLING_TEST_MODE ?? (isLocal && values.STRIPE_SECRET_KEY === undefined),
    stripe: values.STRIPE_SECRET_KEY
      ? {
          secretKey: values.STRIPE_SECRET_KEY,
          webhookSecrets: values.STRIPE_WEBHOOK_SECRET,
          apiUrl: values.STRIPE_API_URL,
          computesTax: values.STRIPE_AUTOMATIC_TAX ?? false,
        }
      : null,
    defaultPlan: values.DEFAULT_PLAN,
    alarmPingUrl: values.ALARM_PING_URL,
    metricsToken: values.METRICS_TOKEN,
    operatorEmails: values.OPERATOR_EMAILS,
    logLevel: values.LOG_LEVEL,
    supportEmail: values.SUPPORT_EMAIL ?? `support@${mailHost}`,
    companyName,
    instanceName: values.INSTANCE_NAME,
    instanceLogo: values.INSTANCE_LOGO,
    termsUrl: values.TERMS_URL,
    privacyUrl: values.PRIVACY_URL,
    imprintUrl: values.IMPRINT_URL,
    registration: values.REGISTRATION,
    apiRateLimit: values.API_RATE_LIMIT,
  }
  const mistakes = [...findContradictions(config)]
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return Object.freeze(config)
}

/** Reads `.env` of the working folder if present, then the environment, which wins. */
export function loadConfig(): Config {
  if (fs.existsSync('.env')) process.loadEnvFile('.env')
  return readConfig(process.env)
}

/** Returns the configured secret, else the one in the data folder. Generates it on the first start. */
export function ensureAppSecret(config: Pick<Config, 'appSecret' | 'dataDir'>): string {
  if (config.appSecret) return config.appSecret
  const file = path.join(openDataDir(config.dataDir), 'app-secret')
  if (!fs.existsSync(file)) writeSecret(file, randomBytes(32).toString('base64url'))
  const secret = fs.readFileSync(file, 'utf8').trim()
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new StartupError(
      `The secret in ${file} is damaged. Restore it from your backup: store keys are encrypted with it.`,
    )
  }
  fs.chmodSync(file, 0o600)
  return secret
}

/** Stores a backup's secret where `ensureAppSecret` finds it. */
export function storeAppSecret(config: Pick<Config, 'dataDir'>, secret: string): void {
  writeSecret(path.join(openDataDir(config.dataDir), 'app-secret'), secret)
}

/** Syncs the secret to disk before use: data encrypted with a secret lost in a power cut is unreadable. */
function writeSecret(file: string, secret: string) {
  const unfinished = `${file}.new`
  fs.writeFileSync(unfinished, `${secret}\n`, { mode: 0o600, flush: true })
  fs.renameSync(unfinished, file)
}

function* findContradictions(config: Config): Generator<string> {
  if (config.isBillingTestMode && /^(sk|rk)_live_/.test(config.stripe?.secretKey ?? '')) {
    yield 'BILLING_TEST_MODE is on with a live Stripe key, so anyone could choose a plan without paying. Turn it off, or use a test key.'
  }
  if (config.databaseDirectUrl && !config.databaseUrl) yield 'DATABASE_DIRECT_URL is set, but DATABASE_URL is not.'
  if (config.bounceSmtpPort && !config.bounceAddress) yield 'BOUNCE_SMTP_PORT is set, but BOUNCE_ADDRESS is not.'
  if (config.bounceTls && !config.bounceTls.keyFile) yield 'BOUNCE_TLS_CERT is set, but BOUNCE_TLS_KEY is not.'
  if (config.mailEvents && !(config.mailEvents.key && config.mailEvents.secret)) {
    yield 'MAIL_EVENTS is set, but MAIL_EVENTS_KEY or MAIL_EVENTS_SECRET is not, so no report could be verified.'
  }
  if (config.operatorTexts && !(config.operatorTexts.authToken && config.operatorTexts.senders.length > 0)) {
    yield 'OPERATOR_TWILIO_ACCOUNT_SID is set, but OPERATOR_TWILIO_AUTH_TOKEN or OPERATOR_TWILIO_SENDERS is not, so no SMS could be sent.'
  }
  if (config.hasDemoShopify && !config.isDemo)
    yield 'DEMO_SHOPIFY is on, but DEMO is not, so there is no demo account to connect it to.'
  const ports = Object.entries(portSettings(config))
  for (const [index, [name, number]] of ports.entries()) {
    const twin = ports.slice(0, index).find(([, other]) => other === number)
    if (twin) yield `${name} and ${twin[0]} are both ${number}. Give one of them another port.`
  }
}

/** The ports this configuration opens, by setting name. */
export function portSettings(config: Config): Record<string, number> {
  const web: { PORT?: number } = config.roles.includes('web') ? { PORT: config.port } : {}
  const store = config.isDemo ? { DEMO_STORE_PORT: config.demoStorePort } : {}
  const shopify = config.isDemo && config.hasDemoShopify ? { DEMO_SHOPIFY_PORT: config.demoShopifyPort } : {}
  const mailbox = hasMailbox(config)
    ? { MAILBOX_PORT: config.mailboxPort, MAILBOX_SMTP_PORT: config.mailboxSmtpPort }
    : {}
  const bounces = config.bounceSmtpPort && web.PORT ? { BOUNCE_SMTP_PORT: config.bounceSmtpPort } : {}
  return { ...web, ...store, ...shopify, ...mailbox, ...bounces }
}

export type MailConfig = Pick<Config, 'smtpUrl' | 'isLocal' | 'isDemo'>

/** The mailbox shows password links, so it takes real mail in local mode only. */
export const hasMailbox = ({ isDemo, isLocal, smtpUrl }: MailConfig): boolean => isDemo || (isLocal && !smtpUrl)
