import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { listenForBounces } from './channels/bounce-intake.ts'
import { openLeaving } from './channels/leaving.ts'
import { createSmtpChannel } from './channels/smtp.ts'
import { openTextChannels } from './channels/text-channels.ts'
import { type Config, ensureAppSecret, loadConfig, portSettings } from './config.ts'
import { openDataDir } from './data-dir.ts'
import { openDb, openPool } from './db.ts'
import { type DemoHouse, startDemo } from './demo.ts'
import type { Deps } from './deps.ts'
import { newId } from './ids.ts'
import { checkInstance } from './instance/instance.ts'
import { acquireInstanceLock } from './instance-lock.ts'
import { startJobQueue } from './jobs.ts'
import { createLogger } from './logger.ts'
import { migrate } from './migrate.ts'
import { openGuardedHttp } from './net/guarded-fetch.ts'
import type { StoreAccess, StoreClient } from './platforms/platform.ts'
import { createWooCommerceClient } from './platforms/woocommerce.ts'
import { startEmbedded } from './postgres/embedded.ts'
import { createSecrets } from './secrets.ts'
import { onShutdown } from './shutdown.ts'
import { explainStartupError } from './startup-errors.ts'
import { handlers, startWorker } from './worker.ts'

// The only file that starts anything: settings, database, mail, demo, then the roles of this process.

/** What is started last stops first. */
type Closing = { name: string; close: () => Promise<unknown> }

async function start(config: Config, closings: Closing[]): Promise<void> {
  const log = createLogger(config.logLevel)
  const later = (name: string, close: () => Promise<unknown>) => closings.unshift({ name, close })
  openDataDir(config.dataDir)
  const lock = await acquireInstanceLock(config.dataDir, config.publicUrl)
  later('lock', () => lock.release())
  const url = await openDatabase(config, later)
  const pool = openPool({ url, isPrepared: config.isDatabasePrepared })
  later('pool', () => pool.end())
  await migrate(pool)
  const db = openDb(pool)
  const secrets = createSecrets(ensureAppSecret(config))
  await checkInstance({ config, db, now: () => new Date() })
  const house = await startDemo(config)
  later('demo', () => house.stop())
  const jobs = await startJobQueue(
    config.databaseDirectUrl ?? url,
    log,
    handlers.map((handler) => handler.job),
    config.roles.includes('worker'),
  )
  later('jobs', () => jobs.stop())
  const now = () => new Date()
  const texts = openTextChannels({ config, db, secrets, now, phoneUrl: house.phoneUrl })
  later('texts', () => texts.close())
  const leaving = openLeaving({ config, db, secrets, now })
  const channels = { ...openMail({ config, house, leaving }, later), text: texts.text }
  const http = openGuardedHttp({
    allowPrivate: config.allowsPrivateStores,
    allowedOrigins: house.parts ? [house.parts.storeUrl] : [],
  })
  later('http', async () => http.close())
  const deps: Deps = {
    config,
    db,
    pool,
    now,
    log,
    secrets,
    workerId: newId(),
    jobs,
    channels,
    phoneUrl: house.phoneUrl,
    storeClient: clientPerStore((access) => createWooCommerceClient(access, { fetch: http.fetch, now })),
    demo: house.parts,
  }
  await startRoles(deps, jobs, house, later)
}

/** A client keeps its requests to one at a time, so a store has one client. */
function clientPerStore(create: (access: StoreAccess) => StoreClient): Deps['storeClient'] {
  const clients = new Map<string, StoreClient>()
  return (_platform, access) => {
    const key = JSON.stringify([access.storeUrl, access.homeUrl, access.consumerKey, access.consumerSecret])
    const known = clients.get(key)
    if (known) return known
    if (clients.size >= MAX_CLIENTS) clients.clear()
    const client = create(access)
    clients.set(key, client)
    return client
  }
}

const MAX_CLIENTS = 2_000

async function openDatabase(
  config: Config,
  later: (name: string, close: () => Promise<unknown>) => void,
): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl
  const postgres = await startEmbedded({ dataDir: config.dataDir, say, isKept: true })
  later('postgres', () => postgres.stop())
  return postgres.url
}

function openMail(
  { config, house, leaving }: { config: Config; house: DemoHouse; leaving: ReturnType<typeof openLeaving> },
  later: (name: string, close: () => Promise<unknown>) => void,
): Pick<Deps['channels'], 'email' | 'demoEmail'> {
  const mailbox = house.smtpUrl
  const email = createSmtpChannel({ url: config.smtpUrl ?? mailbox!, poolSize: config.smtpPool, leaving })
  const demoEmail = mailbox && config.smtpUrl ? createSmtpChannel({ url: mailbox, poolSize: 3 }) : email
  later('mail', () => Promise.all([email.close(), demoEmail === email ? undefined : demoEmail.close()]))
  return { email, demoEmail }
}

async function startRoles(
  deps: Deps,
  jobs: Awaited<ReturnType<typeof startJobQueue>>,
  house: DemoHouse,
  later: (name: string, close: () => Promise<unknown>) => void,
): Promise<void> {
  const { config } = deps
  if (config.roles.includes('web')) {
    const app = buildApp(deps)
    await listen(app, config)
    later('web', () => app.close())
    if (config.bounceSmtpPort) {
      const intake = await listenForBounces(deps, config.bounceSmtpPort)
      later('bounces', () => intake.stop())
    }
  }
  if (config.roles.includes('worker')) {
    const worker = await startWorker(deps)
    later('worker', () => worker.stop())
    await jobs.work(deps, handlers)
  }
  await house.settleIn(deps)
  announce(config, house)
}

async function listen(app: FastifyInstance, config: Config): Promise<void> {
  await app.listen({ port: config.port, host: config.host })
}

function announce(config: Config, house: DemoHouse): void {
  say(`Recoup is ready: ${config.publicUrl}`)
  if (house.parts) {
    say(`  demo store:  ${house.parts.storeUrl}  (put something in the cart, type an email at checkout, leave)`)
    say(`  sign-in:     press "Try the live demo" on ${config.publicUrl}/login`)
  }
  if (house.mailboxUrl) say(`  mailbox:     ${house.mailboxUrl}  (the mail it sends)`)
  if (house.phoneUrl) say(`  phones:      ${house.phoneUrl}  (the SMS and WhatsApp messages it sends)`)
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
  try {
    const config = loadConfig()
    ports = portSettings(config)
    onShutdown(() => drain(closings))
    await start(config, closings)
  } catch (error) {
    const sentence = explainStartupError(error, ports)
    process.stderr.write(
      sentence ? `${sentence}\n` : `Recoup could not start: ${error instanceof Error ? error.stack : String(error)}\n`,
    )
    await drain(closings)
    process.exit(1)
  }
}

await main()
