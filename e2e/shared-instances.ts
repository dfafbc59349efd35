import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { inject } from 'vitest'
import { startStripe } from '../providers/contracts/stripe/server.ts'
import { setUpBilling } from '../server/billing/payments/setup.ts'
import { openStripe } from '../server/billing/payments/stripe.ts'
import { readConfig } from '../server/core/config/config.ts'
import { isAlive } from '../server/core/postgres/postmaster.ts'
import { type AppInstance, findFreePorts, isUp, readDatabaseUrl, waitUntil } from './app-instance.ts'

// The three installations shared by all journeys of a run. Each journey has its own account (or shoppers) and never
// stops one; crash behaviour has its own tests.

declare module 'vitest' {
  interface ProvidedContext {
    shared: Record<SharedName, Place>
  }
}

/**
 * `demo`: with the demo's store, mailbox and history. `own`: sells through the mock of Stripe. `free`: sells nothing.
 */
export type SharedName = 'demo' | 'own' | 'free'
type Place = Pick<AppInstance, 'url' | 'storeUrl' | 'mailboxUrl' | 'dataDir'> & { logFile: string; pid: number }
export type SharedInstance = Pick<AppInstance, 'url' | 'storeUrl' | 'mailboxUrl' | 'dataDir' | 'databaseUrl' | 'output'>

/** Operator address of `own`. */
export const OPERATOR = 'olga@operators.example'

/** On a busy machine a start of two seconds has taken more than a minute. */
const START_LIMIT_MS = 180_000

/** Returns one of them once it is ready. */
export async function startSharedInstance(name: SharedName): Promise<SharedInstance> {
  const { logFile, pid, ...place } = inject('shared')[name]
  const output = () => readFileSync(logFile, 'utf8')
  const isReady = async () => {
    if (!isAlive(pid)) throw new Error('it has ended')
    return isUp(output())
  }
  await waitUntil(isReady, START_LIMIT_MS).catch((error: Error) => {
    throw new Error(`the instance “${name}” is not ready: ${error.message}\n${output().slice(-4_000)}`)
  })
  return { ...place, output, databaseUrl: () => readDatabaseUrl(place.dataDir) }
}

/** Starts them without waiting. */
export async function startSharedInstances(folder: string) {
  // The mock's clock stands still, and the app rejects signatures older than five minutes.
  const stripe = await startStripe({ signedAt: () => new Date() })
  const sells = {
    STRIPE_SECRET_KEY: stripe.apiKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
  }
  const settings: Record<SharedName, Record<string, string>> = {
    demo: { DEMO_DAYS: '30' },
    own: { DEMO: 'off', OPERATOR_EMAILS: OPERATOR, ...sells },
    free: { DEMO: 'off', BILLING_TEST_MODE: 'off' },
  }
  const children: ChildProcess[] = []
  const places = {} as Record<SharedName, Place>
  for (const [name, env] of Object.entries(settings) as [SharedName, Record<string, string>][]) {
    const { child, place } = await startOne(path.join(folder, name), env)
    children.push(child)
    places[name] = place
  }
  stripe.webhooks.deliverTo(`${places.own.url}/api/webhooks/stripe`)
  const config = readConfig({ PUBLIC_URL: places.own.url, ...sells })
  await setUpBilling(await openStripe(config.stripe!), config)
  return {
    value: places,
    async end() {
      stripe.webhooks.deliverTo(null)
      for (const child of children) child.kill('SIGTERM')
      await waitUntil(async () => children.every(hasEnded), 110_000, 50)
      await stripe.close()
      if (stripe.faults.length > 0) throw new Error(`Stripe’s contract was broken: ${JSON.stringify(stripe.faults)}`)
    },
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function startOne(dataDir: string, env: Record<string, string>) {
  mkdirSync(dataDir)
  // When we are root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o711)
  const [port, storePort, mailboxPort, smtpPort] = await findFreePorts(4)
  const logFile = `${dataDir}.log`
  const log = openSync(logFile, 'w')
  const child = spawn(process.execPath, ['server/main.ts'], {
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      DEMO_STORE_PORT: String(storePort),
      MAILBOX_PORT: String(mailboxPort),
      MAILBOX_SMTP_PORT: String(smtpPort),
      LOG_LEVEL: 'warn',
      DATABASE_URL: '',
      API_RATE_LIMIT: '1000000',
      // Each owner has a client address (`createClientHeaders`), so per-client limits do not add up over journeys.
      TRUSTED_PROXIES: '127.0.0.1',
      ...env,
    },
  })
  const buildOrigin = (its: number | undefined) => `http://localhost:${its}`
  return {
    child,
    place: {
      url: buildOrigin(port),
      storeUrl: buildOrigin(storePort),
      mailboxUrl: buildOrigin(mailboxPort),
      dataDir,
      logFile,
      pid: child.pid!,
    },
  }
}
