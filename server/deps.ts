import type pg from 'pg'
import type { Logger } from 'pino'
import type Stripe from 'stripe'
import type { HistoricOrder } from '../demo/store/history.ts'
import type { DemoPast } from '../shared/instance.ts'
import type { Zones } from './carts/capture/zones.ts'
import type { EmailChannel, PushChannel, TextChannel, TextChannelName } from './messages/channels/channel.ts'
import type { Config } from './core/config/config.ts'
import type { Db } from './core/db/db.ts'
import type { Jobs } from './core/jobs/jobs.ts'
import type { Secrets } from './core/common/secrets.ts'
import type { OwnMails } from './delivery/email/own-mail.ts'
import type { StoreAccess, TokenShelf } from './platforms/platform/access.ts'
import type { StoreClient } from './platforms/platform/platform.ts'
import type { Renders } from './messages/templates/renders.ts'

/** Everything the server needs from outside. Built once in main.ts; tests build their own. */
export interface Deps {
  config: Config
  db: Db
  pool: pg.Pool
  /** The only clock of the domain; SQL gets it as a parameter (T4). */
  now: () => Date
  log: Logger
  secrets: Secrets
  /** Names this process in what it has in flight. */
  workerId: string
  jobs: Jobs
  channels: {
    email: EmailChannel
    /** Where the demo account's mail goes, whatever is configured (decision 29). */
    demoEmail: EmailChannel
    /** The account's own mail server; null while it has none: its mail goes by `email`. */
    ownMail: OwnMails['of']
    /** The account's SMS or WhatsApp; null while it has none configured. The demo account's is always the phone sandbox. */
    text: (accountId: string, channel: TextChannelName) => Promise<TextChannel | null>
    push: PushChannel
  }
  /** The page of the built-in phones, where there are some; SMS and WhatsApp without credentials go there. */
  phoneUrl?: string | null
  /** Of a store that is kept, with where its token is; a token of another lives as long as its client. */
  storeClient: (access: StoreAccess, kept?: KeptShelf) => StoreClient
  /** Where owners' texts are put together; this process's own threads unless said otherwise. */
  renders?: Renders
  /** Where a shopper's address is; absent where no posts are taken. */
  zones?: Zones
  /** Where plans are paid; absent where none is sold by card (decision 82). */
  stripe?: Stripe
  /** Present while the demo store runs beside us. */
  demo: DemoParts | null
}

export interface KeptShelf {
  storeId: string
  shelf: TokenShelf
}

export interface ShopifyDemo {
  storeUrl: string
  keys: { clientId: string; clientSecret: string }
  /** What stands before </head> on every page of its theme. */
  setThemeHead(html: string): void
  reset(): void
}

export interface DemoParts {
  storeUrl: string
  /** On Shopify; null unless DEMO_SHOPIFY asks for it. */
  shopify: ShopifyDemo | null
  mailboxUrl: string
  keys: { consumerKey: string; consumerSecret: string }
  setCapture(capture: { scriptUrl: string; storeKey: string }): void
  /** Web push as the plugin brings it: HTML in the head of every page, and the worker's text from this address. */
  setPush(host: { head: string; workerUrl: string }): void
  reset(): void
  /** The whole demo back to its first state: store, account, past. */
  rebuild(deps: Deps): Promise<void>
  insertOrders(orders: HistoricOrder[]): number[]
  /** The account is in line with this process: the store has its capture script and push. */
  isReady(): boolean
  /** Whether this process is writing the account's past, or about to, and how far it is. */
  past(deps: Deps): DemoPast
}
