import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { retiredNames, retiredTables, retiredWordTables } from './retired-names.ts'

const ROOT = path.join(import.meta.dirname, '..')
const FOLDERS = ['server', 'web', 'shared', 'storefront', 'demo', 'test', 'e2e', 'bench', 'scripts', 'db']
const CODE = /\.(tsx?|mjs|js|sql|css|html)$/
const OWN = /^test\/(retired-names(\.test)?\.ts$|fixtures\/)/

const files = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => CODE.test(file) && !OWN.test(file) && !file.includes('/node_modules/')),
)

const TABLE = new RegExp(`^(${Object.keys(retiredTables).join('|')})(?=_|$)`)
const WORD_TABLE = new RegExp(`\\b(?:table |into |insertInto\\(')(${Object.keys(retiredWordTables).join('|')})\\b`, 'g')

/** The retired names in a text, each with what to write instead. */
function retiredIn(text: string): string[] {
  const found = new Set<string>()
  for (const [token] of text.matchAll(/[A-Za-z_$][\w$]*(?:-\w+)*/g)) {
    for (const name of [token, ...token.split('-')]) {
      if (Object.hasOwn(retiredNames, name)) found.add(`${name}: now ${retiredNames[name]}`)
      const table = TABLE.exec(name)?.[1]
      if (table) found.add(`${name}: now ${retiredTables[table]}`)
    }
  }
  for (const [, table] of text.matchAll(WORD_TABLE)) found.add(`${table}: now ${retiredWordTables[table!]}`)
  return [...found]
}

test('no retired name is used in code', () => {
  expect(files.length).toBeGreaterThan(1_000)
  const used = files.flatMap((file) => {
    const names = retiredIn(readFileSync(path.join(ROOT, file), 'utf8'))
    return names.length > 0 ? [[file, ...names]] : []
  })
  expect(used).toEqual([])
})

test.each([
  ['an identifier', 'await pullFence(deps)', 'pullFence: now checkOrders'],
  ['a table in SQL', 'select 1 from store_send s', 'store_send: now send_schedule'],
  ['an index of a table', 'create index prices_due_next on x (y)', 'prices_due_next: now price_lookups'],
  ['a table with the name of an ordinary word', 'create table visits (', 'visits: now engagement_events'],
  ['a CSS class', '.cart-card:hover { }', 'cart-card: now list-card'],
])('%s is found', (_what, text, name) => {
  expect(retiredIn(text)).toEqual([name])
})

test('a longer name and an ordinary word are not', () => {
  expect(retiredIn('const pullFences = 1 // it touches nothing, and visits are counted')).toEqual([])
})
