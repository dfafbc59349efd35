import path from 'node:path'
import { ensureDemoAccount } from '../demo/account.ts'
import { markPastPending, readPastProgress, resetDemo, setUpDemo } from '../demo/reset.ts'
import { startMailbox } from '../providers/mailbox/mailbox.ts'
import { openNetwork } from '../providers/phone/network.ts'
import { addPhones } from '../providers/phone/web.ts'
import { startDemoStore } from '../providers/woocommerce/store.ts'
import { type Config, hasMailbox } from './core/config/public.ts'
import type { DemoParts, Deps } from './deps.ts'

// Starts the demo (decision 29): a store in which to abandon a cart, and a mailbox for its mails. In local mode without
// a mail server the mailbox also receives the mail of every account. All of it listens on this machine only, regardless of
// HOST, unless DEMO_HOST says otherwise: mails contain password links.

export interface DemoInstance {
  parts: DemoParts | null
  /** null: no mailbox runs. It runs with the demo and in local mode without SMTP_URL. */
  mailboxUrl: string | null
  smtpUrl: string | null
  /** URL of the built-in phones, which run in local mode and with the demo. */
  phoneUrl: string | null
  /** Creates the demo account and, in the background, its history. */
  settleIn(deps: Deps): Promise<void>
  stop(): Promise<void>
}

export async function startDemo(config: Config): Promise<DemoInstance> {
  const network = hasMailbox(config) ? openPhones(config) : null
  const mailbox = network
    ? await startMailbox({
        host: config.demoHost,
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
  if (parts && config.roles.includes('worker')) markPastPending(parts)
  return {
    parts,
    mailboxUrl: mailbox?.url ?? null,
    smtpUrl: mailbox?.smtpUrl ?? null,
    phoneUrl: mailbox && network ? `${mailbox.url}/phone` : null,
    async settleIn(deps) {
      if (!deps.demo) return
      await ensureDemoAccount(deps, deps.demo)
      // Only the worker process, so that the history is written once.
      if (!config.roles.includes('worker')) return
      const options = { days: config.demoDays, signal: stopping.signal }
      settling = setUpDemo(deps, deps.demo, options).catch((error: unknown) => {
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
  openNetwork({ dataFile: path.join(config.dataDir, 'phones.sqlite'), reach: (url) => toLocalUrl(config, url) })

/** Replaces our public URL, which may be a proxy's, by the local one. */
function toLocalUrl(config: Config, url: string): string {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  const here = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`
  return url.startsWith(`${config.publicUrl}/`) ? here + url.slice(config.publicUrl.length) : url
}

async function openShop(config: Config, forgetTexts: () => void) {
  const store = await startDemoStore({
    port: config.demoStorePort,
    host: config.demoHost,
    dataFile: path.join(config.dataDir, 'demo-store.sqlite'),
    allowedWebhookHosts: [new URL(config.publicUrl).host],
  })
  let isReady = false
  const parts = {
    storeUrl: store.url,
    keys: store.keys,
    setCapture: store.setCapture,
    setPush: ({ head, workerUrl }: { head: string; workerUrl: string }) => {
      store.setPush({ head, workerPath: '/?recoup-sw=1', worker: { url: toLocalUrl(config, workerUrl) } })
      isReady = true
    },
    isReady: () => isReady,
    reset: () => {
      store.reset()
      forgetTexts()
    },
    rebuild: (deps: Deps) => resetDemo(deps, { days: config.demoDays }),
    insertOrders: store.insertOrders,
    past: readPastProgress,
  }
  return { store, parts }
}

/** Loaded on demand, because it brings the GraphQL schema. */
async function openShopify(config: Config) {
  const { startShopifyStore } = await import('../providers/shopify/store.ts')
  const store = await startShopifyStore({
    port: config.demoShopifyPort,
    host: config.demoHost,
    dataFile: path.join(config.dataDir, 'demo-shopify.sqlite'),
    allowedWebhookHosts: [new URL(config.publicUrl).host],
    pastDays: config.demoDays,
  })
  const { url: storeUrl, keys, setThemeHead, reset } = store
  return { store, parts: { storeUrl, keys, setThemeHead, reset } }
}
