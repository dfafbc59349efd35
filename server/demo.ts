import path from 'node:path'
import { ensureDemoAccount } from '../demo/account/account.ts'
import { pastOf, resetDemo, settleDemo } from '../demo/account/reset.ts'
import { startMailbox } from '../demo/mailbox/mailbox.ts'
import { openNetwork } from '../demo/phone/network.ts'
import { addPhones } from '../demo/phone/web.ts'
import { startDemoStore } from '../demo/store/store.ts'
import type { Config } from './config.ts'
import type { DemoParts, Deps } from './deps.ts'

// The demo's parts beside the product (decision 29): a store to abandon a cart in and a mailbox to read the mail. The
// mailbox also takes the mail of every account while no mail server is configured.

export interface DemoHouse {
  parts: DemoParts | null
  /** null when neither the demo nor a missing SMTP_URL asks for the mailbox. */
  mailboxUrl: string | null
  smtpUrl: string | null
  /** The built-in phones: in local mode and with the demo. */
  phoneUrl: string | null
  /** Makes the demo account and, in the background, its history. */
  settleIn(deps: Deps): Promise<void>
  stop(): Promise<void>
}

export async function startDemo(config: Config): Promise<DemoHouse> {
  const needsMailbox = config.isDemo || !config.smtpUrl
  const hasPhones = needsMailbox && (config.isDemo || config.isLocal)
  const network = hasPhones ? openPhones(config) : null
  const mailbox = needsMailbox
    ? await startMailbox({
        smtpPort: config.mailboxSmtpPort,
        webPort: config.mailboxPort,
        host: config.host,
        dataFile: path.join(config.dataDir, 'mailbox.sqlite'),
        ...(network && { phones: (scope) => addPhones(scope, { network, publicUrl: config.publicUrl }) }),
      })
    : null
  const shop = config.isDemo ? await openShop(config, () => network?.texts.forget()) : null
  const stopping = new AbortController()
  let settling: Promise<void> = Promise.resolve()
  return {
    parts: shop && mailbox ? { ...shop.parts, mailboxUrl: mailbox.url } : null,
    mailboxUrl: mailbox?.url ?? null,
    smtpUrl: mailbox?.smtpUrl ?? null,
    phoneUrl: mailbox && network ? `${mailbox.url}/phone` : null,
    async settleIn(deps) {
      if (!deps.demo) return
      await ensureDemoAccount(deps, deps.demo)
      // Only the worker's process: two would live through the same past at once.
      if (!config.roles.includes('worker')) return
      settling = settleDemo(deps, deps.demo, { signal: stopping.signal }).catch((error: unknown) => {
        if (!stopping.signal.aborted) deps.log.error({ err: error }, 'demo.not-settled')
      })
    },
    async stop() {
      stopping.abort()
      await settling
      await shop?.store.stop()
      await mailbox?.stop()
      await network?.stop()
    },
  }
}

/** Our own address may be a proxy's: from here we are nearer. */
function openPhones(config: Config) {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  const nearby = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`
  return openNetwork({
    dataFile: path.join(config.dataDir, 'phones.sqlite'),
    reach: (url) => (url.startsWith(`${config.publicUrl}/`) ? nearby + url.slice(config.publicUrl.length) : url),
  })
}

/** Keys of the demo store open nothing but the demo store, which listens on this machine only. */
const KEYS = { consumerKey: `ck_${'d'.repeat(40)}`, consumerSecret: `cs_${'d'.repeat(40)}` }

async function openShop(config: Config, forgetTexts: () => void) {
  const store = await startDemoStore({
    port: config.demoStorePort,
    host: config.host,
    dataFile: path.join(config.dataDir, 'demo-store.sqlite'),
    allowedWebhookHosts: [new URL(config.publicUrl).host],
    ...KEYS,
  })
  const parts = {
    storeUrl: store.url,
    keys: KEYS,
    setCapture: store.setCapture,
    reset: () => {
      store.reset()
      forgetTexts()
    },
    rebuild: resetDemo,
    insertOrders: store.insertOrders,
    past: pastOf,
  }
  return { store, parts }
}
