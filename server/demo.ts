import path from 'node:path'
import { ensureDemoAccount } from '../demo/account/account.ts'
import { expectPast, pastOf, resetDemo, settleDemo } from '../demo/account/reset.ts'
import { startMailbox } from '../demo/mailbox/mailbox.ts'
import { openNetwork } from '../demo/phone/network.ts'
import { addPhones } from '../demo/phone/web.ts'
import { startDemoStore } from '../demo/store/store.ts'
import { type Config, hasMailbox } from './core/config/config.ts'
import type { DemoParts, Deps } from './deps.ts'

// The demo's parts beside the product (decision 29): a store to abandon a cart in and a mailbox to read the mail. The
// mailbox also takes the mail of every account in local mode while no mail server is configured. All of it answers on this machine only,
// whatever HOST says: the mail holds password links.

export interface DemoInstance {
  parts: DemoParts | null
  /** null when neither the demo nor local mode without SMTP_URL asks for the mailbox. */
  mailboxUrl: string | null
  smtpUrl: string | null
  /** The built-in phones: in local mode and with the demo. */
  phoneUrl: string | null
  /** Makes the demo account and, in the background, its history. */
  settleIn(deps: Deps): Promise<void>
  stop(): Promise<void>
}

export async function startDemo(config: Config): Promise<DemoInstance> {
  const network = hasMailbox(config) ? openPhones(config) : null
  const mailbox = network
    ? await startMailbox({
        smtpPort: config.mailboxSmtpPort,
        webPort: config.mailboxPort,
        dataFile: path.join(config.dataDir, 'mailbox.sqlite'),
        phones: (scope) => addPhones(scope, { network, publicUrl: config.publicUrl }),
      })
    : null
  const shop = config.isDemo ? await openShop(config, () => network?.texts.forget()) : null
  const second = config.isDemo && config.hasDemoShopify ? await openShopify(config) : null
  const stopping = new AbortController()
  let settling: Promise<void> = Promise.resolve()
  const parts = shop && mailbox ? { ...shop.parts, shopify: second?.parts ?? null, mailboxUrl: mailbox.url } : null
  if (parts && config.roles.includes('worker')) expectPast(parts)
  return {
    parts,
    mailboxUrl: mailbox?.url ?? null,
    smtpUrl: mailbox?.smtpUrl ?? null,
    phoneUrl: mailbox && network ? `${mailbox.url}/phone` : null,
    async settleIn(deps) {
      if (!deps.demo) return
      await ensureDemoAccount(deps, deps.demo)
      // Only the worker's process: two would live through the same past at once.
      if (!config.roles.includes('worker')) return
      const wanted = { days: config.demoDays, signal: stopping.signal }
      settling = settleDemo(deps, deps.demo, wanted).catch((error: unknown) => {
        if (!stopping.signal.aborted) deps.log.error({ err: error }, 'demo.not-settled')
      })
    },
    async stop() {
      stopping.abort()
      await settling
      await second?.store.stop()
      await shop?.store.stop()
      await mailbox?.stop()
      await network?.stop()
    },
  }
}

const openPhones = (config: Config) =>
  openNetwork({ dataFile: path.join(config.dataDir, 'phones.sqlite'), reach: (url) => nearby(config, url) })

/** Our own address may be a proxy's: from here we are nearer. */
function nearby(config: Config, url: string): string {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  const here = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`
  return url.startsWith(`${config.publicUrl}/`) ? here + url.slice(config.publicUrl.length) : url
}

async function openShop(config: Config, forgetTexts: () => void) {
  const store = await startDemoStore({
    port: config.demoStorePort,
    dataFile: path.join(config.dataDir, 'demo-store.sqlite'),
    allowedWebhookHosts: [new URL(config.publicUrl).host],
  })
  let isReady = false
  const parts = {
    storeUrl: store.url,
    keys: store.keys,
    setCapture: store.setCapture,
    setPush: ({ head, workerUrl }: { head: string; workerUrl: string }) => {
      store.setPush({ head, workerPath: '/?recoup-sw=1', worker: { url: nearby(config, workerUrl) } })
      isReady = true
    },
    isReady: () => isReady,
    reset: () => {
      store.reset()
      forgetTexts()
    },
    rebuild: (deps: Deps) => resetDemo(deps, { days: config.demoDays }),
    insertOrders: store.insertOrders,
    past: pastOf,
  }
  return { store, parts }
}

/** Loaded only where it is asked for: with the schema that it answers by. */
async function openShopify(config: Config) {
  const { startShopifyStore } = await import('../demo/shopify/store.ts')
  const store = await startShopifyStore({
    port: config.demoShopifyPort,
    dataFile: path.join(config.dataDir, 'demo-shopify.sqlite'),
    allowedWebhookHosts: [new URL(config.publicUrl).host],
    pastDays: config.demoDays,
  })
  const { url: storeUrl, keys, setThemeHead, reset } = store
  return { store, parts: { storeUrl, keys, setThemeHead, reset } }
}
