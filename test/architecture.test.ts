import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  findFileCycles,
  findImportCycles,
  findImportFaults,
  findRoom,
  type Import,
  isRoot,
  trees,
} from './districts.ts'

// Import rules of the repository. Each failure message says what to do instead.
const walls: { from: RegExp; to: RegExp; because: string }[] = [
  {
    from: /^shared\//,
    to: /^(server|web|test|demo|providers|storefront)\//,
    because: 'shared code imports neither server nor browser code',
  },
  {
    from: /^web\//,
    to: /^(server|demo|providers|storefront)\//,
    because: 'the browser talks to the server through shared/',
  },
  { from: /^server\//, to: /^web\//, because: 'the server does not render pages' },
  { from: /^server\//, to: /^(test|proofs)\//, because: 'code that only tests need is in test/' },
  {
    from: /^storefront\//,
    to: /^(server|web|demo|providers)\//,
    because: 'scripts in shops import no code of server, app or demo',
  },
  {
    from: /^providers\//,
    to: /^(demo|server)\/(?!core\/net\/)/,
    because: 'stores, mailboxes and phones are outside parties',
  },
  {
    from: /\/routes\.ts$/,
    to: /^(kysely|pg)$/,
    because: 'routes.ts speaks HTTP; statements are below it',
  },
  {
    from: /(\/|-)(sql|rules|jobs)\.ts$/,
    to: /^(fastify|server\/access\/http\/(http|public)\.ts)$/,
    because: 'HTTP lives in routes.ts',
  },
  {
    from: /^server\/(?!app\.ts|access\/http\/(http|docs)\.ts|main\.ts)(?!.*routes\.ts$|workspace\/instance\/health\.ts)/,
    to: /^fastify$/,
    because: 'HTTP lives in routes.ts',
  },
  {
    from: /^server\/(?!main\.ts|demo\.ts|deps\.ts)/,
    to: /^(demo|providers)\//,
    because: 'only entry points import the demo',
  },
  {
    from: /\/rules\.ts$|(?<!schema)\/(fold|reconcile|decide|consent|visit)\.ts$/,
    to: /^(node:fs|node:net|pg|kysely|server\/core\/db\/(db|public)\.ts)$/,
    because: 'rules are pure',
  },
]

const listFiles = (roots: string[]) =>
  roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${root}/${name}`),
  )
const files = listFiles(['shared', 'server', 'web', 'storefront', 'demo', 'providers'])
const sources = files.filter((name) => !/\.test\.tsx?$/.test(name))
const IMPORTS = /(?:from|import)\s*\(?\s*'([^']+)'/g

function listImports(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map(([, target]) =>
    target!.startsWith('.') ? normalize(join(dirname(file), target!)) : target!,
  )
}

test('no file breaks an import rule', () => {
  const broken = sources.flatMap((file) =>
    listImports(file).flatMap((to) =>
      walls
        .filter((wall) => wall.from.test(file) && wall.to.test(to))
        .map((wall) => `${file} → ${to}: ${wall.because}`),
    ),
  )
  expect(broken).toEqual([])
})

const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(?:([^;'"]*?)\s*from\s*)?'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\)/g

/** Lists the imports between files of a tree. An import is a type import when it names only types. */
const listTreeImports = (tree: string): Import[] =>
  sources
    .filter((file) => file.startsWith(`${tree}/`))
    .flatMap((from) =>
      [...readFileSync(from, 'utf8').matchAll(IMPORT)].map(([, names = '', path, loaded]) => ({
        from,
        to: normalize(join(dirname(from), (path ?? loaded)!)),
        isType: /^type\b/.test(names) || /^\{(\s*type [\w$ ]+,?)+\s*\}$/.test(names),
      })),
    )
    .filter(({ to }) => to.startsWith(`${tree}/`))

describe.each(Object.entries(trees))('districts of %s/', (tree, { floors, roots, hasRooms }) => {
  const imports = listTreeImports(tree)

  test('import only from lower floors, and other rooms only by their door', () => {
    expect(imports.length).toBeGreaterThan(0)
    expect(findImportFaults(imports)).toEqual([])
  })

  test('contain no import cycle between rooms, and none between files at run time', () => {
    expect(findImportCycles(imports)).toEqual([])
    expect(findFileCycles(imports)).toEqual([])
  })

  test('every district has a floor, and every file belongs to a room', () => {
    const own = sources.filter((file) => file.startsWith(`${tree}/`))
    const districts = new Set(own.flatMap((file) => findRoom(file)?.split('/')[0] ?? []))
    expect(floors.flatMap((floor) => Object.keys(floor)).toSorted()).toEqual([...districts].toSorted())
    expect(roots.filter((file) => !own.includes(file))).toEqual([])
    const isInRoom = (file: string) => (hasRooms ? findRoom(file)?.includes('/') : findRoom(file) !== undefined)
    expect(own.filter((file) => !isInRoom(file) && !isRoot(file))).toEqual([])
  })
})

describe('rules of districts', () => {
  test('findImportFaults reports imports that go up, across, past a door, to the entry points, or to an unknown district', () => {
    const findImports = (from: string, to: string, isType = false) =>
      findImportFaults([{ from: `server/${from}.ts`, to: `server/${to}.ts`, isType }]).length
    expect(findImports('messages/messages/messages', 'delivery/send/public')).toBe(1)
    expect(findImports('messages/messages/messages', 'delivery/send/public', true)).toBe(1)
    expect(findImports('messages/messages/messages', 'platforms/platform/public')).toBe(1)
    expect(findImports('delivery/send/deliver', 'messages/messages/sql')).toBe(1)
    expect(findImports('delivery/send/deliver', 'messages/messages/track-sql', true)).toBe(1)
    expect(findImports('delivery/send/deliver', 'delivery/decide/evaluate', true)).toBe(1)
    expect(findImports('worker', 'delivery/send/deliver')).toBe(1)
    expect(findImports('delivery/send/deliver', 'worker')).toBe(1)
    expect(findImports('delivery/send/deliver', 'deps')).toBe(1)
    expect(findImports('delivery/send/deliver', 'elsewhere/rooms/public')).toBe(1)
    expect(findImports('elsewhere/rooms/rules', 'core/db/public')).toBe(1)
    expect(findImports('delivery/send/deliver', 'messages/messages/public')).toBe(0)
    expect(findImports('delivery/send/deliver', 'messages/messages/messages')).toBe(0)
    expect(findImports('delivery/send/deliver', 'delivery/send/deliver-sql')).toBe(0)
    expect(findImports('delivery/send/deliver', 'deps', true)).toBe(0)
    expect(findImports('worker', 'delivery/send/public')).toBe(0)
    expect(
      findImportFaults([
        { from: 'server/worker.ts', to: 'server/delivery/send/public.ts', isType: false },
        { from: 'server/worker.ts', to: 'server/delivery/send/send.ts', isType: false },
      ]),
    ).toEqual(['server/worker.ts → server/delivery/send/send.ts: enter by server/delivery/send/public.ts'])
  })

  test('findImportFaults reports imports of the browser app that go up', () => {
    const findImports = (from: string, to: string) =>
      findImportFaults([{ from: `web/${from}`, to: `web/${to}`, isType: false }]).length
    expect(findImports('core/ui/Time.tsx', 'kits/page/BarePage.tsx')).toBe(1)
    expect(findImports('kits/message-editor/WordEditor.tsx', 'features/push/rules.ts')).toBe(1)
    expect(findImports('features/campaigns/CampaignPage.tsx', 'screens/settings/settings.css')).toBe(1)
    expect(findImports('features/carts/CartsPage.tsx', 'router.tsx')).toBe(1)
    expect(findImports('features/carts/CartsPage.tsx', 'features/consent/sections.ts')).toBe(0)
    expect(findImports('features/carts/CartsPage.tsx', 'kits/carts/rules.ts')).toBe(0)
    expect(findImports('screens/settings/StoreTab.tsx', 'features/stores/queries.ts')).toBe(0)
    expect(findImports('screens.ts', 'features/carts/CartsPage.tsx')).toBe(0)
  })

  test('findImportFaults reports imports of shared code that go up or to the list of screens', () => {
    const findImports = (from: string, to: string) =>
      findImportFaults([{ from: `shared/${from}.ts`, to: `shared/${to}.ts`, isType: true }]).length
    expect(findImports('carts/reach', 'insights/analytics')).toBe(1)
    expect(findImports('shoppers/consent', 'billing/billing')).toBe(1)
    expect(findImports('core/money', 'screens')).toBe(1)
    expect(findImports('paging', 'core/money')).toBe(1)
    expect(findImports('insights/analytics', 'carts/reach')).toBe(0)
    expect(findImports('screens', 'core/endpoint')).toBe(0)
  })

  test('findImportCycles reports a cycle of rooms', () => {
    const rooms = ['send/a', 'decide/b', 'compose/c', 'send/d'].map((name) => `server/delivery/${name}.ts`)
    const ring = rooms.slice(1).map((to, index) => ({ from: rooms[index]!, to, isType: false }))
    expect(findImportCycles(ring)).toEqual(['delivery/send → delivery/decide → delivery/compose → delivery/send'])
    expect(findImportCycles(ring.slice(1))).toEqual([])
  })

  test('findFileCycles reports files that load each other, and not those that share types', () => {
    const back = { from: 'server/core/db/b.ts', to: 'server/core/db/a.ts', isType: false }
    const pair = [{ from: 'server/core/db/a.ts', to: 'server/core/db/b.ts', isType: false }, back]
    expect(findFileCycles(pair)).toEqual(['server/core/db/a.ts → server/core/db/b.ts → server/core/db/a.ts'])
    expect(findFileCycles([pair[0]!, { ...back, isType: true }])).toEqual([])
  })

  test('deps.ts contains only types', () => {
    expect(listTreeImports('server').filter(({ from, isType }) => from === 'server/deps.ts' && !isType)).toEqual([])
  })

  test('fragments.ts files contain parts of statements and execute none', () => {
    const fragments = sources.filter((file) => /^server\/.*\bfragments\.ts$/.test(file))
    expect(fragments.length).toBeGreaterThan(0)
    expect(
      fragments.filter((file) => /\.execute(TakeFirst|TakeFirstOrThrow)?\(/.test(readFileSync(file, 'utf8'))),
    ).toEqual([])
  })
})

test('no test mocks a module: test files share modules, and a module that is already loaded would stay unmocked', () => {
  const mocking = files.filter((file) => /\bvi\.(do)?mock\(/i.test(readFileSync(file, 'utf8')))
  expect(mocking.filter((file) => file !== 'test/architecture.test.ts')).toEqual([])
})

test('waitForFunction never gets an async condition: a promise is truthy at once', () => {
  const waiting = [...files, ...listFiles(['test', 'e2e'])].filter((file) =>
    /\.waitForFunction\(\s*async\b/.test(readFileSync(file, 'utf8')),
  )
  expect(waiting).toEqual([])
})

test('there are no default exports and no barrel files', () => {
  const broken = sources.filter(
    (file) => /^export default /m.test(readFileSync(file, 'utf8')) || /(^|\/)index\.tsx?$/.test(file),
  )
  expect(broken).toEqual([])
})

/**
 * Files that may authorize a send, and the kind of authorization (`server/messages/channels/send-authorization.ts`).
 * All other sends go through the decision.
 */
const authorizations: Record<string, string[]> = {
  authorizeByDecision: ['server/delivery/decide/decide.ts'],
  authorizeTest: ['server/marketing/manual-sends/test-send.ts', 'server/workspace/push-setup/sends.ts'],
  authorizeAnswer: ['server/delivery/inbound/inbound.ts'],
  authorizeOptInRequest: ['server/delivery/opt-in/opt-in-request.ts'],
  authorizeAccountMail: ['server/workspace/accounts/mails.ts'],
}

test('every send needs an authorization, and only the listed files create one', () => {
  const texts = sources.filter((file) => file.startsWith('server/')).map((file) => [file, readFileSync(file, 'utf8')])
  const minting = texts
    .filter(([, text]) => /\bas (unknown as )?(SendAuthorization|Authorized)\b/.test(text!))
    .map(([file]) => file)
  expect(minting).toEqual(['server/messages/channels/send-authorization.ts'])
  for (const [name, allowed] of Object.entries(authorizations)) {
    const using = texts.filter(
      ([file, text]) =>
        !/^server\/messages\/channels\/(send-authorization|public)\.ts$/.test(file!) && text!.includes(name),
    )
    expect([name, using.map(([file]) => file)]).toEqual([name, allowed])
  }
  const exported = [
    ...readFileSync('server/messages/channels/send-authorization.ts', 'utf8').matchAll(/export const (\w+)/g),
  ]
  expect(exported.map(([, name]) => name).sort()).toEqual(Object.keys(authorizations).sort())
})

test('web/core/api/api.ts is the only browser file that calls fetch', () => {
  const fetching = sources.filter(
    (file) => file.startsWith('web/') && file !== 'web/core/api/api.ts' && /\bfetch\(/.test(readFileSync(file, 'utf8')),
  )
  expect(fetching).toEqual([])
})

/** Calls that only a real schema can answer; `JSON.parse`, `Date.parse` and a spread of `options` do not count. */
const ASKS_A_SCHEMA =
  /\.(?:safe)?parseAsync\b|\.safeParse\b|(?<!\b(?:JSON|Date))\s*\??\.parse\s*\(|[\w)\]]\s*\??\.(?:options|shape|enum|unwrap)\b/

test('browser code never validates with a schema: zod is a stub there that accepts everything (web/zod-stub.ts)', () => {
  const inBrowser = sources.filter((file) => /^(web|storefront)\//.test(file))
  expect(inBrowser.filter((file) => ASKS_A_SCHEMA.test(readFileSync(file, 'utf8')))).toEqual([])
  const asking = ['TextSender.shape.sender', 'View.safeParse(x).success', 'View.parse(x)', 'Status.options.map(f)']
  expect(asking.filter((code) => !ASKS_A_SCHEMA.test(code))).toEqual([])
  const others = ['JSON.parse(text)', 'Date.parse(at)', '{ ...options, year }', 'parse(text)', '[...options]']
  expect(others.filter((code) => ASKS_A_SCHEMA.test(code))).toEqual([])
})

test('ARCHITECTURE.md lists every room of server/ and web/', () => {
  const ofTrees = sources.filter((file) => /^(server|web)\//.test(file))
  const rooms = new Set(ofTrees.flatMap((file) => findRoom(file)?.split('/')[1] ?? []))
  const map = readFileSync('ARCHITECTURE.md', 'utf8')
  expect([...rooms].filter((room) => !map.includes(`${room}/`))).toEqual([])
})

test('secrets are compared in one place, because timingSafeEqual throws when lengths differ', () => {
  const comparing = sources.filter(
    (file) => file.startsWith('server/') && readFileSync(file, 'utf8').includes('timingSafeEqual'),
  )
  expect(comparing).toEqual(['server/core/common/secrets.ts'])
})

test('only server/billing/billing and the code that copies Stripe read subscriptions or name a status', () => {
  const allowed =
    /^(server\/billing\/(billing|payments)\/|providers\/contracts\/stripe\/|shared\/billing\/(billing|payments)\.ts$|web\/features\/billing\/(concerns|paymentLook|plan-copy|statusLook)\.ts$)/
  const deciding = sources.filter(
    (file) =>
      !allowed.test(file) &&
      /['"`](past_due|trialing|canceled)['"`]|\b(from|join) subscriptions\b|selectFrom\('subscriptions/.test(
        readFileSync(file, 'utf8'),
      ),
  )
  expect(deciding).toEqual([])
})

/** Files that may name a platform, and why. In sentences for people, "WooCommerce" is an ordinary word. */
const namesAPlatform: [RegExp, because: string][] = [
  [/^server\/platforms\//, 'the platforms themselves'],
  [/^shared\/platforms\/platforms\.ts$/, 'the values, the default, and the capabilities of each'],
  [/^shared\/platforms\/platform-words\.ts$/, 'texts that differ by platform'],
  [/^shared\/access\/store-problems\.ts$/, 'parsing a typed store address, and its errors'],
  [
    /^(shared\/insights\/analytics\.ts|server\/(insights\/analytics\/analytics-rules|workspace\/analytics-reports\/export)\.ts|web\/features\/analytics\/AnalyticsPage\.tsx)$/,
    'names of response fields in the specification',
  ],
  [
    /^web\/features\/stores\/(StoreSetupPage|StoreKeysForm|ReplaceKeysDialog|Shopify\w+)\.tsx$/,
    'the forms for its keys',
  ],
  [
    /^web\/features\/stores\/(rules\.ts|shopify-rules\.ts|EndedNotice\.tsx)$/,
    'validation of these forms, and texts about a disconnected store',
  ],
  [/^web\/features\/stores\/(CaptureInstall\.tsx|install-methods\.ts)$/, 'the names of pages of the documentation'],
  [/^storefront\//, 'the script reads the shop’s own pages and cookies'],
  [
    /^server\/(demo|deps|main|core\/config\/config|access\/stores\/demo-stores)\.ts$/,
    'the second demo store, which is on another platform',
  ],
  [/^(demo|providers)\//, 'the demo stores, and the demo account connected to them'],
]

test('only the code of the platforms and the listed files name a platform', () => {
  // A problem code (`shopify_error`) does not count.
  const names =
    /woocommerce|WOOCOMMERCE|wooCommerce|\wWooCommerce|WooCommerce\w|\bshopify\b|SHOPIFY|\wShopify|Shopify\w/
  const naming = sources.filter((file) => names.test(readFileSync(file, 'utf8')))
  expect(naming.filter((file) => !namesAPlatform.some(([where]) => where.test(file)))).toEqual([])
  expect(namesAPlatform.filter(([where]) => !naming.some((file) => where.test(file)))).toEqual([])
})

test('other code reaches platform files only through the registry', () => {
  const reaching = sources.filter(
    (file) =>
      !/^server\/platforms\//.test(file) &&
      listImports(file).some((to) => /^server\/platforms\/(shopify|woocommerce)\//.test(to)),
  )
  expect(reaching).toEqual([])
})

test('notifications are written in one place, as a type and data', () => {
  const writing = sources.filter((file) =>
    /\b(into|update|delete from) (pending_)?(account_)?notifications\b|(insertInto|updateTable|deleteFrom)\('(pending_)?(account_)?notifications/.test(
      readFileSync(file, 'utf8'),
    ),
  )
  // The demo's history begins before its store was connected. Erasure deletes notifications about carts (C8).
  const ours = ['group-sql.ts', 'sql.ts'].map((name) => `server/access/notifications/${name}`)
  expect(writing.toSorted()).toEqual(['demo/sql.ts', ...ours, 'server/workspace/privacy/erase-sql.ts'])
})

/** Files in which these words mean something other than a message state. */
const otherStates: [file: RegExp, line: RegExp, because: string][] = [
  [/^server\/core\/schema\/messages\.ts$/, /^ {2}\| '/, 'the type of the column'],
  [/^server\/delivery\/deliverability\/(smtp-trial|[a-z]+-checks)\.ts$/, /state/, 'the checks of a mail server'],
  [/^server\/workspace\/store-settings\/sending\.ts$/, /checks\.every/, 'the same'],
  [/^server\/workspace\/privacy\/erase-sql\.ts$/, /consent_imports/, 'an import of consents'],
  [/^server\/carts\/coupon-codes\/codes\.ts$/, /update coupon_codes/, 'a personal code'],
  [/^server\/(marketing\/campaigns\/[a-z-]+|core\/schema\/campaigns)\.ts$/, /scheduled/, 'the status of a campaign'],
  [/^server\/billing\/subscribing\/change-plan\.ts$/, /state: '(done|scheduled)'/, 'the result of a plan change'],
  [
    /^server\/marketing\/manual-sends\/manual\.ts$/,
    /message.*, state: '(scheduled|sent)'/,
    'the API’s reply to a member',
  ],
]

test('only fragments.ts and state-rules.ts of messages/ name message states', () => {
  const states = 'scheduled|held|claimed|sending|sent|delivered|failed|unknown|skipped|cancelled'
  const names = new RegExp(`'(scheduled|held|claimed)'|\\bstate\\b['")]*[\\s(,':=<>!]*(?:in\\b[\\s(]*)?'(${states})'`)
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

test('statements use at most ten predicates on message states, each explained in the glossary', () => {
  const fragments = readFileSync('server/messages/messages/fragments.ts', 'utf8')
  const questions = [...fragments.matchAll(/export const (\w+) = \(row: Row\) =>[^\n]*\bisInState\(row, /g)].map(
    ([, name]) => name!,
  )
  expect(questions.length).toBeGreaterThan(0)
  expect(questions.length).toBeLessThanOrEqual(10)
  expect([...fragments.matchAll(/\bisInState\(row, /g)]).toHaveLength(questions.length)
  const glossary = readFileSync('docs/glossary.md', 'utf8')
  expect(questions.filter((name) => !glossary.includes(`| \`${name}\` |`))).toEqual([])
})

// A page updates a moment after its data arrives: a single immediate read fails on a slow machine.
test('page tests poll for their expectations', () => {
  const READ_AT_ONCE =
    /expect\(\s*await [^;\n]*?\.(count|textContent|innerText|allTextContents|allInnerTexts|isVisible|isHidden|isChecked|isDisabled|isEnabled|inputValue|getAttribute)\([^()]*\),?\s*\)/g
  const atOnce = listFiles(['screens', 'storefront', 'e2e', 'proofs']).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(READ_AT_ONCE)].map(([text]) => `${file}: ${text}`),
  )
  expect(atOnce, 'await expect.poll(() => …) instead').toEqual([])
})
