import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

// Who may import whom. A rule here is a wall in the house; the message says what to do instead.
const NOUN = /^server\/([a-z]+)\//

const walls: { from: RegExp; to: RegExp; because: string }[] = [
  { from: /^shared\//, to: /^(server|web|test|demo|storefront)\//, because: 'shared knows no side' },
  { from: /^web\//, to: /^(server|demo|storefront)\//, because: 'the browser talks to the server through shared/' },
  { from: /^server\//, to: /^web\//, because: 'the server does not render pages' },
  { from: /^storefront\//, to: /^(server|web|demo)\//, because: 'what runs on the shop brings nothing along' },
  {
    from: /^demo\/(store|mailbox|phone)\//,
    to: /^server\//,
    because: 'the demo store, the mailbox and the phones are outside parties',
  },
  {
    from: /^server\/(?!postgres\/)[a-z]+\/(?!.*sql\.ts$)[\w-]+\.ts$/,
    to: /^(kysely|pg)$/,
    because: 'SQL lives in sql.ts',
  },
  { from: /(\/|-)(sql|rules|jobs)\.ts$/, to: /^(fastify|server\/http\.ts)$/, because: 'HTTP lives in routes.ts' },
  {
    from: /^server\/(?!app\.ts|http\.ts|docs\.ts|main\.ts)(?!.*routes\.ts$|instance\/health\.ts)/,
    to: /^fastify$/,
    because: 'HTTP lives in routes.ts',
  },
  { from: /^server\/(?!main\.ts|demo\.ts|deps\.ts)/, to: /^demo\//, because: 'only the start knows the demo' },
  {
    from: /\/rules\.ts$|\/(fold|reconcile|decide|consent|visit)\.ts$/,
    to: /^(node:fs|node:net|pg|kysely|server\/db\.ts)$/,
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

test('no file has grown past 400 lines', () => {
  const long = [...files, ...filesIn(['test', 'e2e', 'bench', 'scripts'])].filter(
    (file) => readFileSync(file, 'utf8').split('\n').length > 401 && file !== 'server/schema.ts',
  )
  expect(long).toEqual([])
})

test('no default exports, no barrels', () => {
  const broken = sources.filter(
    (file) => /^export default /m.test(readFileSync(file, 'utf8')) || /(^|\/)index\.tsx?$/.test(file),
  )
  expect(broken).toEqual([])
})

/** Who may let a message leave, and on what ground (`server/channels/permit.ts`). Everything else goes through the decision. */
const permits: Record<string, string[]> = {
  permitByDecision: ['server/messages/decide.ts'],
  permitTest: ['server/messages/test-send.ts'],
  permitAnswer: ['server/channels/inbound.ts'],
  permitQuestion: ['server/shoppers/question.ts'],
  permitAccountMail: ['server/accounts/mails.ts'],
}

test('no message reaches a channel without a permit, and nobody else gives one', () => {
  const texts = sources.filter((file) => file.startsWith('server/')).map((file) => [file, readFileSync(file, 'utf8')])
  const minting = texts.filter(([, text]) => /\bas (unknown as )?Permit(ted)?\b/.test(text!)).map(([file]) => file)
  expect(minting).toEqual(['server/channels/permit.ts'])
  for (const [name, allowed] of Object.entries(permits)) {
    const using = texts.filter(([file, text]) => file !== 'server/channels/permit.ts' && text!.includes(name))
    expect([name, using.map(([file]) => file)]).toEqual([name, allowed])
  }
  const exported = [...readFileSync('server/channels/permit.ts', 'utf8').matchAll(/export const (\w+)/g)]
  expect(exported.map(([, name]) => name).sort()).toEqual(Object.keys(permits).sort())
})

test('the browser fetches in one place', () => {
  const fetching = sources.filter(
    (file) => file.startsWith('web/') && file !== 'web/api.ts' && /\bfetch\(/.test(readFileSync(file, 'utf8')),
  )
  expect(fetching).toEqual([])
})

test('every noun of the server is a folder the floor plan names', () => {
  const nouns = new Set(sources.map((file) => NOUN.exec(file)?.[1]).filter(Boolean))
  const map = readFileSync('ARCHITECTURE.md', 'utf8')
  expect([...nouns].filter((noun) => !map.includes(`${noun}/`))).toEqual([])
})
