import './core/net/lookup-threads.ts'
import type { FastifyInstance } from 'fastify'
import { listDemoStoreUrls } from './access/stores/public.ts'
import { buildApp } from './app.ts'
import { applyDefaultPlan } from './billing/billing/public.ts'
import { openStripe } from './billing/payments/public.ts'
import { openZones } from './carts/capture/public.ts'
import { createId, createLogger, createSecrets, onShutdown } from './core/common/public.ts'
import {
  acquireInstanceLock,
  type Config,
  ensureAppSecret,
  explainStartupError,
  loadConfig,
  openDataDir,
  portSettings,
} from './core/config/public.ts'
import { adaptToDatabase, migrate } from './core/database/public.ts'
import { openDb, openPool } from './core/db/public.ts'
import { startJobQueue } from './core/jobs/jobs.ts'
import { openGuardedHttp } from './core/net/public.ts'
import { startEmbedded } from './core/postgres/public.ts'
import { createSmtpChannel, openMailHeaders, openOwnMails } from './delivery/email/public.ts'
import { listenForBounces } from './delivery/mail-reports/public.ts'
import { openPushChannel } from './delivery/push/public.ts'
import { openTextChannels } from './delivery/texts/public.ts'
import { type DemoInstance, startDemo } from './demo.ts'
import type { Deps } from './deps.ts'
import { chooseMailRoute, createNoMailChannel, NO_MAIL_SERVER } from './messages/channels/public.ts'
import { createClientCache } from './platforms/registry/public.ts'
import { handlers, startWorker } from './worker.ts'
import { checkInstance, releaseForProviders } from './workspace/instance/public.ts'

// Entry point. Starts configuration, database, mail and demo, then the roles of this process.

/** Closed in reverse order of the start. */
type Closing = { name: string; close: () => Promise<unknown> }

async function start(config: Config, closings: Closing[]): Promise<void> {
  const log = createLogger(config.logLevel)
  const onClose = (name: string, close: () => Promise<unknown>) => closings.unshift({ name, close })
  openDataDir(config.dataDir)
  const zones = config.roles.includes('web') ? await openZones(config.geoipDb) : undefined
  const lock = await acquireInstanceLock(config.dataDir, config.publicUrl)
  onClose('lock', () => lock.release())
  const url = await openDatabase(config, onClose)
  const pool = openPool({ url, isPrepared: config.isDatabasePrepared, max: config.databasePool })
  onClose('pool', () => pool.end())
  await migrate(pool, { say })
  const db = openDb(pool)
  const secrets = createSecrets(ensureAppSecret(config))
  await checkInstance({ config, db, now: () => new Date() })
  const demo = await startDemo(config)
  onClose('demo', () => demo.stop())
  const jobs = await startJobQueue(
    config.databaseDirectUrl ?? url,
    log,
    handlers.map((handler) => handler.job),
    config.roles.includes('worker'),
    config.databaseJobsPool,
  )
  onClose('jobs', () => jobs.stop())
  const now = () => new Date()
  const texts = openTextChannels({ config, db, secrets, now, phoneUrl: demo.phoneUrl })
  onClose('texts', () => texts.close())
  const mailHeaders = openMailHeaders({ config, db, secrets, now })
  const ownMails = openOwnMails({ config, db, secrets, now })
  onClose('own mail', () => ownMails.close())
  const push = openPushChannel({ config })
  onClose('push', () => push.close())
  const channels = { ...openMail({ config, demo, mailHeaders }, onClose), ownMail: ownMails.of, text: texts.text, push }
  const http = openGuardedHttp({
    allowPrivate: config.allowsPrivateStores,
    allowedOrigins: listDemoStoreUrls(demo.parts),
    nameServers: config.dnsServers,
  })
  onClose('http', async () => http.close())
  const stripe = config.stripe && (await openStripe(config.stripe))
  const deps: Deps = {
    config,
    db,
    pool,
    now,
    log,
    secrets,
    workerId: createId(),
    jobs,
    channels,
    phoneUrl: demo.phoneUrl,
    storeClient: createClientCache({ fetch: http.fetch, now }),
    ...(zones && { zones }),
    ...(stripe && { stripe }),
    demo: demo.parts,
  }
  const changed = await applyDefaultPlan(deps)
  if (changed > 0) log.info({ accounts: changed, plan: config.defaultPlan }, 'billing.default-plan')
  await startRoles(deps, jobs, demo, onClose)
}

async function openDatabase(
  config: Config,
  onClose: (name: string, close: () => Promise<unknown>) => void,
): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl
  const postgres = await startEmbedded({ dataDir: config.dataDir, say, isPersistent: true })
  onClose('postgres', () => postgres.stop())
  return postgres.url
}

function openMail(
  {
    config,
    demo,
    mailHeaders,
  }: { config: Config; demo: DemoInstance; mailHeaders: ReturnType<typeof openMailHeaders> },
  onClose: (name: string, close: () => Promise<unknown>) => void,
): Pick<Deps['channels'], 'email' | 'demoEmail'> {
  const mailbox = demo.smtpUrl
  const route = chooseMailRoute(config)
  const url = route === 'server' ? config.smtpUrl : route === 'mailbox' ? mailbox : null
  const isMailbox = route === 'mailbox'
  const email = url
    ? createSmtpChannel({ url, poolSize: config.smtpPool, mailHeaders, isMailbox })
    : createNoMailChannel()
  const demoEmail = mailbox && route !== 'mailbox' ? createSmtpChannel({ url: mailbox, poolSize: 3 }) : email
  onClose('mail', () => Promise.all([email.close(), demoEmail === email ? undefined : demoEmail.close()]))
  return { email, demoEmail }
}

async function startRoles(
  deps: Deps,
  jobs: Awaited<ReturnType<typeof startJobQueue>>,
  demo: DemoInstance,
  onClose: (name: string, close: () => Promise<unknown>) => void,
): Promise<void> {
  const { config } = deps
  if (config.roles.includes('web')) {
    const app = buildApp(deps)
    await listen(app, config)
    onClose('web', () => app.close())
    if (config.bounceSmtpPort) {
      const intake = await listenForBounces(deps, config.bounceSmtpPort)
      onClose('bounces', () => intake.stop())
    }
  }
  if (config.roles.includes('worker')) {
    const worker = await startWorker(deps)
    onClose('worker', () => worker.stop())
    await jobs.work(deps, handlers)
    await releaseForProviders(deps)
  }
  await demo.settleIn(deps)
  announce(config, demo)
}

async function listen(app: FastifyInstance, config: Config): Promise<void> {
  await app.listen({ port: config.port, host: config.host })
}

function announce(config: Config, demo: DemoInstance): void {
  say(`Recoup is ready: ${config.publicUrl}`)
  if (demo.parts) {
    say(
      `  demo store:  ${demo.parts.storeUrl}  (put something in the cart, enter an email address at checkout, then leave)`,
    )
    if (demo.parts.shopify) say(`  on Shopify:  ${demo.parts.shopify.storeUrl}  (the demo account's second store)`)
    say(`  sign-in:     press "Try the live demo" on ${config.publicUrl}/login`)
  }
  if (chooseMailRoute(config) === 'none') {
    say(`  no mail:     ${NO_MAIL_SERVER}`)
    say('               Accounts can enter a mail server of their own under Settings, Sending.')
  }
  if (chooseMailRoute(config) === 'server' && !config.isMailFromSet) {
    say(
      `  mail from:   ${config.mailFrom}, as MAIL_FROM is not set. Set it to an address your mail server may send for.`,
    )
  }
  if (demo.mailboxUrl) say(`  mailbox:     ${demo.mailboxUrl}  (the mail it sends)`)
  if (demo.phoneUrl) say(`  phones:      ${demo.phoneUrl}  (the SMS and WhatsApp messages it sends)`)
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}

async function drain(closings: Closing[]): Promise<void> {
  for (const { name, close } of closings.splice(0)) {
    await close().catch((error: unknown) => process.stderr.write(`${name} did not stop: ${String(error)}\n`))
  }
}

async function main(): Promise<void> {
  const closings: Closing[] = []
  let ports = {}
  let isStopping = () => false
  try {
    const config = loadConfig()
    ports = portSettings(config)
    isStopping = onShutdown(() => drain(closings)).isStopping
    await start(await adaptToDatabase(config, say), closings)
  } catch (error) {
    // A shutdown during the start closes resources in use, so errors are expected.
    if (isStopping()) return
    const sentence = explainStartupError(error, ports)
    process.stderr.write(
      sentence ? `${sentence}\n` : `Recoup could not start: ${error instanceof Error ? error.stack : String(error)}\n`,
    )
    await drain(closings)
    process.exit(1)
  }
}

await main()
