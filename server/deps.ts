import type pg from 'pg'
import type { Logger } from 'pino'
import type Stripe from 'stripe'
import type { HistoricOrder } from '../providers/woocommerce/history.ts'
import type { DemoPast } from '../shared/workspace/instance.ts'
import type { Zones } from './carts/capture/public.ts'
import type { Secrets } from './core/common/public.ts'
import type { Config } from './core/config/public.ts'
import type { Db } from './core/db/public.ts'
import type { Jobs } from './core/jobs/jobs.ts'
import type { OwnMails } from './delivery/email/public.ts'
import type { EmailChannel, PushChannel, TextChannel, TextChannelName } from './messages/channels/public.ts'
import type { Renders } from './messages/templates/public.ts'
import type { StoreAccess, StoreClient, TokenCache } from './platforms/platform/public.ts'

/** The server's dependencies. Built once in main.ts; tests build their own. */
export interface Deps {
  config: Config
  db: Db
  pool: pg.Pool
  /** The only clock; SQL gets the time as a parameter. */
  now: () => Date
  log: Logger
  secrets: Secrets
  /** Identifies this process in its claims and messages in flight. */
  workerId: string
  jobs: Jobs
  channels: {
    email: EmailChannel
    /** The built-in mailbox for the demo account's mail, regardless of the configuration (decision 29). */
    demoEmail: EmailChannel
    /** The account's own mail server; null: it has none and uses `email`. */
    ownMail: OwnMails['of']
    /** The account's SMS or WhatsApp channel; null: not configured. The demo account always uses the phone sandbox. */
    text: (accountId: string, channel: TextChannelName) => Promise<TextChannel | null>
    push: PushChannel
  }
  /** URL of the built-in phones, which receive SMS and WhatsApp of accounts without credentials; null: none run. */
  phoneUrl?: string | null
  /**
   * Creates a client of a shop's API. `kept`: where a connected store's token is stored; without it the token lives as
   * long as the client.
   */
  storeClient: (access: StoreAccess, shelf?: StoreTokenShelf) => StoreClient
  /** Render threads for owners' texts; default: those of this process. */
  renders?: Renders
  /** Time zones by IP address; absent in a process without the `web` role. */
  zones?: Zones
  /** Absent if no plan is sold by card (decision 82). */
  stripe?: Stripe
  /** null: no demo store runs. */
  demo: DemoParts | null
}

export interface StoreTokenShelf {
  storeId: string
  shelf: TokenCache
}

export interface ShopifyDemo {
  storeUrl: string
  keys: { clientId: string; clientSecret: string }
  /** Sets the HTML before </head> on every page of the theme. */
  setThemeHead(html: string): void
  reset(): void
}

export interface DemoParts {
  storeUrl: string
  /** The demo store on Shopify; null unless DEMO_SHOPIFY is set. */
  shopify: ShopifyDemo | null
  mailboxUrl: string
  keys: { consumerKey: string; consumerSecret: string }
  setCapture(capture: { scriptUrl: string; storeKey: string }): void
  /** Installs web push like the plugin: HTML in the head of every page, and the service worker from this URL. */
  setPush(host: { head: string; workerUrl: string }): void
  reset(): void
  /** Resets the whole demo: store, account and history. */
  rebuild(deps: Deps): Promise<void>
  insertOrders(orders: HistoricOrder[]): number[]
  /** The store has the account's capture script and push. */
  isReady(): boolean
  /** The progress of writing the account's history in this process. */
  past(deps: Deps): DemoPast
}
