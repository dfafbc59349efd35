// The layers of the server's nouns (folders of server/), from the lowest up. A noun imports only from layers below its own; nouns of
// one layer do not know each other. To give a new noun its place: below all that will import it, above all that it imports. What a
// lower noun needs of a higher one is in the wrong noun, is a type that belongs below, or comes as a parameter or through `Deps`.

export const layers: readonly Readonly<Record<string, string>>[] = [
  { net: 'addresses, names and HTTP beyond our own machine; knows nothing of ours' },
  { schema: 'the tables as types; what columns keep as JSON is typed here, too' },
  { core: 'what any noun needs: settings, database, jobs, errors, secrets, paging, rate limits' },
  { lift: 'the statistics of an experiment; pure' },
  { postgres: 'runs the embedded database', database: 'brings its tables up to date' },
  { backup: 'one file of everything; an entry of its own (backup/main.ts)' },
  {
    platforms: 'shop systems behind one interface',
    templates: 'makes a text of a template and its values',
    channels: 'what a channel is, its traits, and who may let a message leave',
  },
  { members: 'who is asking: user, session, role, whether the address is confirmed' },
  { stores: 'a store’s row, its keys, and which store a request means' },
  { http: 'an endpoint is served: session, store, contract, download' },
  {
    messages: 'rows of messages: their states, when they are due, what wakes and cancels them',
    notifications: 'what the owner is told',
    problems: 'what of an account only an operator can mend',
    'second-factor': 'codes of an authenticator app, and recovery codes',
    plugin: 'the plugin in a shop: its secret, whether it is alive, the call that wakes it',
  },
  {
    billing: 'what a plan allows, what was used of it',
    shoppers: 'who is the same person',
    suppressions: 'addresses that get no messages',
    links: 'hosts of links, tokens that name their message, what they open',
    coupons: 'a store’s coupons: the copy, those made here, what a coupon takes off',
    brand: 'how a store’s mails look: colors, letters, logo',
  },
  {
    consent: 'who agreed to what, and what the law asks for',
    email: 'the way of a mail, and an account’s mail server',
    credits: 'what an account has paid before for SMS by the operator’s account',
  },
  { 'flow-choice': 'which flow a cart belongs to, and what conditions mean' },
  { orders: 'the mirror of a store’s orders, and what they are owed to' },
  {
    deliverability: 'whether mail arrives: DNS records, signatures, throttles',
    carts: 'facts in, carts out',
    experiments: 'who is written to and who is not, and what became of both',
  },
  { sync: 'reads a store: orders, products, customers, webhooks' },
  {
    texts: 'the way of an SMS or WhatsApp message, and what it costs',
    'coupon-codes': 'personal codes, made for messages and taken out again',
    push: 'keys and subscriptions of web push, and the way of a notification',
  },
  { capture: 'takes in what the capture script posts' },
  { compose: 'a message as it will leave' },
  { decide: 'whether a message may leave now, and why' },
  { outcome: 'what became of a message' },
  { 'opt-in': 'asks shoppers to confirm a consent to SMS' },
  { send: 'hands messages over' },
  {
    preferences: 'the pages of shoppers: preferences, unsubscribe',
    ledger: 'the consent ledger: search, export, import',
    'mail-reports': 'bounces and reports on mails',
    inbound: 'what providers of SMS and WhatsApp report: deliveries, answers, prices',
  },
  { engagement: 'who opened and clicked, a person or a machine', preview: 'a message before it exists' },
  { flows: 'the always-on series of messages', analytics: 'the figures' },
  {
    alarms: 'tells when a stage has stopped',
    'manual-sends': 'messages a member asks for',
  },
  {
    restore: 'brings a cart back from a message',
    'push-setup': 'what is set up of web push, and what shops’ pages ask of it',
  },
  { 'cart-pages': 'the list and the page of carts' },
  { 'store-settings': 'connecting a store, its settings, its sending, its doctor' },
  {
    privacy: 'the data of one person: shown, exported, erased',
    audiences: 'sets of filters over abandoned carts: whom they mean, and those kept by a name',
  },
  {
    customers: 'the list of customers, and the page of one',
    'plugin-calls': 'what the plugin in a shop asks and tells',
  },
  { 'discount-mail': 'a coupon by email to chosen customers', campaigns: 'scheduled sends to an audience' },
  { 'campaign-reports': 'what became of a campaign' },
  { payments: 'Stripe: the way there, what is sold, the copy of what it has' },
  { subscribing: 'what an owner does with a plan that is paid by card' },
  { accounts: 'registration, team, profile, export and end of an account' },
  {
    'notification-mails': 'mails members what they were told',
    'analytics-reports': 'figures as a file, and by mail every week',
  },
  { instance: 'this copy of Recoup: health, demo, whether it is the live one' },
  { live: 'tells open browsers what changed', operator: 'what those who run the server see and do' },
]

/** Puts all of it together, and so may import everything. Of these files, nouns may import deps.ts alone, as a type. */
export const roots: readonly string[] = ['app', 'worker', 'main', 'demo', 'deps', 'backup/main'].map(
  (name) => `server/${name}.ts`,
)

/** More than this many files of code are two nouns. */
export const MOST_FILES = 25

export interface Import {
  from: string
  to: string
  isType: boolean
}

export const nounOf = (file: string): string | undefined => /^server\/([a-z-]+)\//.exec(file)?.[1]

const levels = new Map(layers.flatMap((layer, level) => Object.keys(layer).map((noun) => [noun, level] as const)))

/** What is wrong with imports between files of the server. */
export const faultsOf = (imports: readonly Import[]): string[] =>
  imports.flatMap(({ from, to, isType }) => {
    const fault = roots.includes(from) ? null : faultOf({ from, to, isType })
    return fault ? [`${from} → ${to}: ${fault}`] : []
  })

function faultOf({ from, to, isType }: Import): string | null {
  if (roots.includes(to)) return to === 'server/deps.ts' && isType ? null : 'only the start knows this file'
  const [noun, other] = [nounOf(from), nounOf(to)]
  if (noun === undefined || other === undefined) return 'a file of the server belongs to a noun'
  if (noun === other) return null
  const [level, below] = [levels.get(noun), levels.get(other)]
  if (level === undefined || below === undefined) return 'the noun has no layer in test/layers.ts'
  if (below >= level) return `${noun} is not above ${other}`
  if (to.endsWith('sql.ts')) return `statements are their noun’s own: ${other} exports a function or a fragment`
  return null
}

/** Nouns with too many files; tests do not count. Each platform has a folder of its own within its noun. */
export const tooLarge = (files: readonly string[]): string[] =>
  [...Map.groupBy(files, folderOf)]
    .filter(([folder, its]) => folder !== undefined && its.length > MOST_FILES)
    .map(([folder, its]) => `${folder}: ${its.length} files`)

const folderOf = (file: string): string | undefined => /^server\/([a-z-]+(?:\/[a-z-]+)*)\/[^/]+$/.exec(file)?.[1]
