import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findImportCycles, findImportFaults, findRoom, floors, type Import, roots } from './districts.ts'

// Who may import whom. A rule here is a wall in the house; the message says what to do instead.
const walls: { from: RegExp; to: RegExp; because: string }[] = [
  { from: /^shared\//, to: /^(server|web|test|demo|storefront)\//, because: 'shared knows no side' },
  { from: /^web\//, to: /^(server|demo|storefront)\//, because: 'the browser talks to the server through shared/' },
  { from: /^server\//, to: /^web\//, because: 'the server does not render pages' },
  { from: /^server\//, to: /^test\//, because: 'what only tests need is in test/' },
  { from: /^storefront\//, to: /^(server|web|demo)\//, because: 'what runs on the shop brings nothing along' },
  {
    from: /^demo\/(store|shopify|mailbox|phone)\//,
    to: /^server\/(?!core\/net\/)/,
    because: 'the demo stores, the mailbox and the phones are outside parties',
  },
  {
    from: /^server\/(?!core\/(?:postgres\/|schema\/|db\/db\.ts))([a-z-]+\/)+(?!.*sql\.ts$)[\w-]+\.ts$/,
    to: /^(kysely|pg)$/,
    because: 'SQL lives in sql.ts',
  },
  {
    from: /(\/|-)(sql|rules|jobs)\.ts$/,
    to: /^(fastify|server\/access\/http\/http\.ts)$/,
    because: 'HTTP lives in routes.ts',
  },
  {
    from: /^server\/(?!app\.ts|access\/http\/(http|docs)\.ts|main\.ts)(?!.*routes\.ts$|workspace\/instance\/health\.ts)/,
    to: /^fastify$/,
    because: 'HTTP lives in routes.ts',
  },
  { from: /^server\/(?!main\.ts|demo\.ts|deps\.ts)/, to: /^demo\//, because: 'only the start knows the demo' },
  {
    from: /\/rules\.ts$|(?<!schema)\/(fold|reconcile|decide|consent|visit)\.ts$/,
    to: /^(node:fs|node:net|pg|kysely|server\/core\/db\/db\.ts)$/,
    because: 'rules are pure',
  },
]

const filesIn = (roots: string[]) =>
  roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${root}/${name}`),
  )
const files = filesIn(['shared', 'server', 'web', 'storefront', 'demo'])
const sources = files.filter((name) => !/\.test\.tsx?$/.test(name))
const IMPORTS = /(?:from|import)\s*\(?\s*'([^']+)'/g

function importsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map(([, target]) =>
    target!.startsWith('.') ? normalize(join(dirname(file), target!)) : target!,
  )
}

test('nobody reaches through a wall', () => {
  const broken = sources.flatMap((file) =>
    importsOf(file).flatMap((to) =>
      walls
        .filter((wall) => wall.from.test(file) && wall.to.test(to))
        .map((wall) => `${file} → ${to}: ${wall.because}`),
    ),
  )
  expect(broken).toEqual([])
})

const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(?:([^;'"]*?)\s*from\s*)?'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\)/g

/** Imports between files of the server; of a type when all that is named is one. */
const serverImports: Import[] = sources
  .filter((file) => file.startsWith('server/'))
  .flatMap((from) =>
    [...readFileSync(from, 'utf8').matchAll(IMPORT)].map(([, names = '', path, loaded]) => ({
      from,
      to: normalize(join(dirname(from), (path ?? loaded)!)),
      isType: /^type\b/.test(names) || /^\{(\s*type [\w$ ]+,?)+\s*\}$/.test(names),
    })),
  )
  .filter(({ to }) => to.startsWith('server/'))

describe('districts of the server', () => {
  test('import only from floors below their own, and no statements of other rooms', () => {
    expect(findImportFaults(serverImports)).toEqual([])
  })

  test('no rooms import each other in a circle', () => {
    expect(findImportCycles(serverImports)).toEqual([])
  })

  test('an import that goes up, across, to statements or to the start is found, and one of an unknown district', () => {
    const found = (from: string, to: string, isType = false) =>
      findImportFaults([{ from: `server/${from}.ts`, to: `server/${to}.ts`, isType }]).length
    expect(found('messages/messages/messages', 'delivery/send/deliver')).toBe(1)
    expect(found('messages/messages/messages', 'delivery/send/deliver', true)).toBe(1)
    expect(found('messages/messages/messages', 'platforms/platform/platform')).toBe(1)
    expect(found('delivery/send/deliver', 'messages/messages/sql')).toBe(1)
    expect(found('delivery/send/deliver', 'messages/messages/track-sql', true)).toBe(1)
    expect(found('delivery/send/deliver', 'worker')).toBe(1)
    expect(found('delivery/send/deliver', 'deps')).toBe(1)
    expect(found('delivery/send/deliver', 'elsewhere/rooms/rules')).toBe(1)
    expect(found('elsewhere/rooms/rules', 'core/db/db')).toBe(1)
    expect(found('delivery/send/deliver', 'messages/messages/messages')).toBe(0)
    expect(found('delivery/send/deliver', 'delivery/send/deliver-sql')).toBe(0)
    expect(found('delivery/send/deliver', 'delivery/decide/decide')).toBe(0)
    expect(found('delivery/send/deliver', 'deps', true)).toBe(0)
    expect(found('worker', 'delivery/send/deliver')).toBe(0)
  })

  test('a circle of rooms is found', () => {
    const rooms = ['send/a', 'decide/b', 'compose/c', 'send/d'].map((name) => `server/delivery/${name}.ts`)
    const ring = rooms.slice(1).map((to, index) => ({ from: rooms[index]!, to, isType: false }))
    expect(findImportCycles(ring)).toEqual(['delivery/send → delivery/decide → delivery/compose → delivery/send'])
    expect(findImportCycles(ring.slice(1))).toEqual([])
  })

  test('all are on a floor, and each of their files is in a room', () => {
    const folders = readdirSync('server', { withFileTypes: true }).filter((each) => each.isDirectory())
    expect(floors.flatMap((floor) => Object.keys(floor)).toSorted()).toEqual(folders.map(({ name }) => name).toSorted())
    expect(roots.filter((file) => !sources.includes(file))).toEqual([])
    const loose = sources.filter((file) => /^server\/([^/]+\/)?[^/]+$/.test(file) && !roots.includes(file))
    expect(loose).toEqual([])
  })

  test('deps.ts is made of types', () => {
    expect(serverImports.filter(({ from, isType }) => from === 'server/deps.ts' && !isType)).toEqual([])
  })

  test('fragments are parts of statements: nothing in them is sent to the database', () => {
    const fragments = sources.filter((file) => /^server\/.*\bfragments\.ts$/.test(file))
    expect(fragments.length).toBeGreaterThan(0)
    expect(
      fragments.filter((file) => /\.execute(TakeFirst|TakeFirstOrThrow)?\(/.test(readFileSync(file, 'utf8'))),
    ).toEqual([])
  })
})

test('no test replaces a module: the modules of a run are shared, and what was loaded before would stay', () => {
  const mocking = files.filter((file) => /\bvi\.(do)?mock\(/i.test(readFileSync(file, 'utf8')))
  expect(mocking.filter((file) => file !== 'test/architecture.test.ts')).toEqual([])
})

test('no wait for a page has an async condition: a promise counts as true at once', () => {
  const waiting = [...files, ...filesIn(['test', 'e2e'])].filter((file) =>
    /\.waitForFunction\(\s*async\b/.test(readFileSync(file, 'utf8')),
  )
  expect(waiting).toEqual([])
})

test('no default exports, no barrels', () => {
  const broken = sources.filter(
    (file) => /^export default /m.test(readFileSync(file, 'utf8')) || /(^|\/)index\.tsx?$/.test(file),
  )
  expect(broken).toEqual([])
})

/** Who may let a message leave, and on what ground (`server/messages/channels/send-authorization.ts`). Everything else goes through the decision. */
const authorizations: Record<string, string[]> = {
  authorizeByDecision: ['server/delivery/decide/decide.ts'],
  authorizeTest: ['server/marketing/manual-sends/test-send.ts', 'server/workspace/push-setup/sends.ts'],
  authorizeAnswer: ['server/delivery/inbound/inbound.ts'],
  authorizeOptInRequest: ['server/delivery/opt-in/opt-in-request.ts'],
  authorizeAccountMail: ['server/workspace/accounts/mails.ts'],
}

test('no message reaches a channel without a send authorization, and nobody else gives one', () => {
  const texts = sources.filter((file) => file.startsWith('server/')).map((file) => [file, readFileSync(file, 'utf8')])
  const minting = texts
    .filter(([, text]) => /\bas (unknown as )?(SendAuthorization|Authorized)\b/.test(text!))
    .map(([file]) => file)
  expect(minting).toEqual(['server/messages/channels/send-authorization.ts'])
  for (const [name, allowed] of Object.entries(authorizations)) {
    const using = texts.filter(
      ([file, text]) => file !== 'server/messages/channels/send-authorization.ts' && text!.includes(name),
    )
    expect([name, using.map(([file]) => file)]).toEqual([name, allowed])
  }
  const exported = [
    ...readFileSync('server/messages/channels/send-authorization.ts', 'utf8').matchAll(/export const (\w+)/g),
  ]
  expect(exported.map(([, name]) => name).sort()).toEqual(Object.keys(authorizations).sort())
})

test('the browser fetches in one place', () => {
  const fetching = sources.filter(
    (file) => file.startsWith('web/') && file !== 'web/api.ts' && /\bfetch\(/.test(readFileSync(file, 'utf8')),
  )
  expect(fetching).toEqual([])
})

/** What only a real schema can answer. `JSON.parse`, `Date.parse` and a spread of `options` are none of it. */
const ASKS_A_SCHEMA =
  /\.(?:safe)?parseAsync\b|\.safeParse\b|(?<!\b(?:JSON|Date))\s*\??\.parse\s*\(|[\w)\]]\s*\??\.(?:options|shape|enum|unwrap)\b/

test('the browser asks no schema: zod is a stand-in there, which takes everything for right (web/zod-stub.ts)', () => {
  const inBrowser = sources.filter((file) => /^(web|storefront)\//.test(file))
  expect(inBrowser.filter((file) => ASKS_A_SCHEMA.test(readFileSync(file, 'utf8')))).toEqual([])
  const asking = ['TextSender.shape.sender', 'View.safeParse(x).success', 'View.parse(x)', 'Status.options.map(f)']
  expect(asking.filter((code) => !ASKS_A_SCHEMA.test(code))).toEqual([])
  const others = ['JSON.parse(text)', 'Date.parse(at)', '{ ...options, year }', 'parse(text)', '[...options]']
  expect(others.filter((code) => ASKS_A_SCHEMA.test(code))).toEqual([])
})

test('ARCHITECTURE.md names every room of the server', () => {
  const rooms = new Set(sources.flatMap((file) => findRoom(file)?.split('/')[1] ?? []))
  const map = readFileSync('ARCHITECTURE.md', 'utf8')
  expect([...rooms].filter((room) => !map.includes(`${room}/`))).toEqual([])
})

test('secrets are compared in one place: timingSafeEqual throws where lengths in bytes differ', () => {
  const comparing = sources.filter(
    (file) => file.startsWith('server/') && readFileSync(file, 'utf8').includes('timingSafeEqual'),
  )
  expect(comparing).toEqual(['server/core/common/secrets.ts'])
})

test('what a plan allows is asked of server/billing/billing: nobody but what copies Stripe names a status or reads the subscription', () => {
  const allowed =
    /^(server\/billing\/(billing|payments)\/|shared\/(billing|payments)\.ts$|web\/billing\/(concerns|paymentLook|plan-copy|statusLook)\.ts$)/
  const deciding = sources.filter(
    (file) =>
      !allowed.test(file) &&
      /['"`](past_due|trialing|canceled)['"`]|\b(from|join) subscriptions\b|selectFrom\('subscriptions/.test(
        readFileSync(file, 'utf8'),
      ),
  )
  expect(deciding).toEqual([])
})

/** What names a platform and why. In sentences for people, "WooCommerce" is a word like any other. */
const namesAPlatform: [RegExp, because: string][] = [
  [/^server\/platforms\//, 'the platforms themselves'],
  [/^shared\/platforms\.ts$/, 'the values, which is the default, and what each can do'],
  [/^shared\/platform-words\.ts$/, 'what is said otherwise of each'],
  [/^shared\/store-problems\.ts$/, 'how the typed address of a store is read, and what is wrong with it'],
  [
    /^(shared\/analytics\.ts|server\/(insights\/analytics\/analytics-rules|workspace\/analytics-reports\/blocks)\.ts|web\/analytics\/PlatformBlock\.tsx)$/,
    'the names the specification gives to blocks of its answer',
  ],
  [
    /^web\/stores\/(StoreSetupPage|StoreKeysForm|ReplaceKeysDialog|Shopify\w+)\.tsx$/,
    'the forms that ask for its keys',
  ],
  [/^web\/stores\/(rules|shopify-rules|ended)\.ts$/, 'what these forms check, and what is said of a store that ended'],
  [/^web\/stores\/(CaptureInstall\.tsx|install-methods\.ts)$/, 'the names of pages of the documentation'],
  [/^storefront\//, 'the script reads the shop’s own pages and cookies'],
  [
    /^server\/(demo|deps|main|core\/config\/config|access\/stores\/demo-stores)\.ts$/,
    'the second demo store, which is of another platform than the first',
  ],
  [/^demo\//, 'the demo store is one, and its account is connected to it'],
]

test('nothing but the platforms’ own code says which platform a store is of', () => {
  // A code of a problem (`shopify_error`) is a value like any other.
  const names =
    /woocommerce|WOOCOMMERCE|wooCommerce|\wWooCommerce|WooCommerce\w|\bshopify\b|SHOPIFY|\wShopify|Shopify\w/
  const naming = sources.filter((file) => names.test(readFileSync(file, 'utf8')))
  expect(naming.filter((file) => !namesAPlatform.some(([where]) => where.test(file)))).toEqual([])
  expect(namesAPlatform.filter(([where]) => !naming.some((file) => where.test(file)))).toEqual([])
})

test('a platform’s own files are reached through the registry', () => {
  const reaching = sources.filter(
    (file) =>
      !/^server\/platforms\//.test(file) &&
      importsOf(file).some((to) => /^server\/platforms\/(shopify|woocommerce)\//.test(to)),
  )
  expect(reaching).toEqual([])
})

test('notifications are written in one place, as a type and data', () => {
  const writing = sources.filter((file) =>
    /\b(into|update|delete from) (pending_)?(account_)?notifications\b|(insertInto|updateTable|deleteFrom)\('(pending_)?(account_)?notifications/.test(
      readFileSync(file, 'utf8'),
    ),
  )
  // The demo's past begins before its store was connected; erasing a person deletes what was told of their carts (C8).
  const ours = ['group-sql.ts', 'sql.ts'].map((name) => `server/access/notifications/${name}`)
  expect(writing.toSorted()).toEqual(['demo/account/sql.ts', ...ours, 'server/workspace/privacy/erase-sql.ts'])
})

/** Where the words stand for something else, and what. */
const otherStates: [file: RegExp, line: RegExp, because: string][] = [
  [/^server\/core\/schema\/messages\.ts$/, /^ {2}\| '/, 'the type of the column'],
  [/^server\/delivery\/deliverability\/(smtp-trial|[a-z]+-checks)\.ts$/, /state/, 'the checks of a mail server'],
  [/^server\/workspace\/store-settings\/sending\.ts$/, /checks\.every/, 'the same'],
  [/^server\/workspace\/privacy\/erase-sql\.ts$/, /consent_imports/, 'an import of consents'],
  [/^server\/carts\/coupon-codes\/codes-sql\.ts$/, /update coupon_codes/, 'a personal code'],
  [/^server\/(marketing\/campaigns\/[a-z-]+|core\/schema\/campaigns)\.ts$/, /scheduled/, 'the status of a campaign'],
  [/^server\/billing\/subscribing\/changes\.ts$/, /state: '(done|scheduled)'/, 'what became of a change of the plan'],
  [
    /^server\/marketing\/manual-sends\/manual\.ts$/,
    /message.*, state: '(scheduled|sent)'/,
    'the API’s answer to a member',
  ],
]

test('only fragments.ts and state-rules.ts of messages/ name the states of a message', () => {
  const words = 'scheduled|held|claimed|sending|sent|delivered|failed|unknown|skipped|cancelled'
  const names = new RegExp(`'(scheduled|held|claimed)'|\\bstate\\b['")]*[\\s(,':=<>!]*(?:in\\b[\\s(]*)?'(${words})'`)
  const naming = sources
    .filter(
      (file) =>
        /^(server|demo)\//.test(file) && !/^server\/messages\/messages\/(fragments|state-rules)\.ts$/.test(file),
    )
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => [file, line] as const),
    )
    .filter(([, line]) => names.test(line))
  const isOther = ([file, line]: readonly [string, string]) =>
    otherStates.some(([where, what]) => where.test(file) && what.test(line))
  expect(naming.filter((each) => !isOther(each)).map(([file, line]) => `${file}: ${line.trim()}`)).toEqual([])
  expect(
    otherStates.filter(([where, what]) => !naming.some(([file, line]) => where.test(file) && what.test(line))),
  ).toEqual([])
})

test('statements ask the state of a message at most ten questions, each explained in the glossary', () => {
  const fragments = readFileSync('server/messages/messages/fragments.ts', 'utf8')
  const questions = [...fragments.matchAll(/export const (\w+) = \(row: Row\) =>[^\n]*\bof\(row, /g)].map(
    ([, name]) => name!,
  )
  expect(questions.length).toBeGreaterThan(0)
  expect(questions.length).toBeLessThanOrEqual(10)
  expect([...fragments.matchAll(/\bof\(row, /g)]).toHaveLength(questions.length)
  const glossary = readFileSync('docs/glossary.md', 'utf8')
  expect(questions.filter((name) => !glossary.includes(`| \`${name}\` |`))).toEqual([])
})

// A page shows what it knows a moment after it was told: what is read once, at once, fails on a slow machine.
test('tests of a page wait for what they expect of it', () => {
  const READ_AT_ONCE =
    /expect\(\s*await [^;\n]*?\.(count|textContent|innerText|allTextContents|allInnerTexts|isVisible|isHidden|isChecked|isDisabled|isEnabled|inputValue|getAttribute)\([^()]*\),?\s*\)/g
  const atOnce = filesIn(['screens', 'storefront', 'e2e', 'proofs']).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(READ_AT_ONCE)].map(([text]) => `${file}: ${text}`),
  )
  expect(atOnce, 'await expect.poll(() => …) instead').toEqual([])
})
