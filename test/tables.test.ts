import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type BelongsTo, tables } from '../server/core/database/tables.ts'
import { createWorld } from './world.ts'

// Compares the database catalog with the registry of tables (`server/core/database/tables.ts`) and the scaling rules
// (Z1–Z5).
const world = createWorld()
const readQueryRows = async <T>(query: string): Promise<T[]> => (await world.pool.query(query)).rows as T[]
const listTables = (list: BelongsTo) =>
  Object.entries(tables)
    .filter(([, { of }]) => of === list)
    .map(([name]) => name)

test('every table is on one list, with its shopper data and its part in an export (Z1, C8)', async () => {
  const there = await readQueryRows<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  expect(Object.keys(tables).sort()).toEqual(there.map(({ name }) => name).sort())
})

test('only tables of stores and accounts hold shopper data or are exported whole', () => {
  const classified = Object.entries(tables).flatMap(([name, { of, person, export: exported }]) => [
    ...('by' in person && of === 'global' ? [name] : []),
    ...(exported === 'whole' && of !== 'account' ? [name] : []),
    ...(typeof exported === 'object' && 'key' in exported && of !== 'store' ? [name] : []),
  ])
  expect(classified).toEqual([])
})

interface UniqueIndex {
  table: string
  name: string
  first: string
}

test('every key of a table begins with its store or account (Z1)', async () => {
  const indexes = await readQueryRows<UniqueIndex>(
    `select i.indrelid::regclass::text as table, i.indexrelid::regclass::text as name,
       (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0]) as first
     from pg_index i join pg_class c on c.oid = i.indrelid
     where i.indisunique and c.relnamespace = 'public'::regnamespace`,
  )
  const [ofStores, ofAccounts] = [new Set(listTables('store')), new Set(listTables('account'))]
  expect(indexes.filter(({ table, first }) => ofStores.has(table) && first !== 'store_id')).toEqual([])
  // Tables looked up by a secret or by Stripe's id across accounts, and the two roots of all keys.
  const elsewhere = indexes.filter(({ table, first }) => ofAccounts.has(table) && first !== 'account_id')
  expect(elsewhere.map(({ name }) => name).sort()).toEqual([
    'accounts_pkey',
    'billing_customers_stripe_key',
    'channel_credentials_hook_key_key',
    'invitations_token_hash_key',
    'plugin_codes_id_key',
    'sessions_token_hash_key',
    'stores_capture_key_key',
    'stores_pkey',
    'stores_url_key',
    'subscriptions_by_stripe',
  ])
})

test('foreign keys of a store reference its own rows, and no account row references a store’s rows (Z2)', async () => {
  const keys = await readQueryRows<{ from: string; to: string; columns: string }>(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to, pg_get_constraintdef(oid) as columns
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
  )
  const ofStores = new Set(listTables('store'))
  const astray = keys.filter(({ from, to, columns }) =>
    ofStores.has(to)
      ? !ofStores.has(from) || !columns.startsWith('FOREIGN KEY (store_id, ')
      : ofStores.has(from) && !['stores', 'accounts', 'users'].includes(to),
  )
  expect(astray).toEqual([])
})

test('no function depends on the table that fired it, and only the three that announce changes notify (Z3)', async () => {
  const functions = await readQueryRows<{ name: string; source: string }>(
    `select proname as name, prosrc as source from pg_proc where pronamespace = 'public'::regnamespace`,
  )
  expect(functions.filter(({ source }) => /tg_table_name|tg_relname/i.test(source))).toEqual([])
  const notifying = functions.filter(({ source }) => /pg_notify|\bnotify\b/i.test(source)).map(({ name }) => name)
  expect(notifying.sort()).toEqual(['announce_changes', 'announce_sessions', 'announce_settings'])
  expect(functions.filter(({ source }) => /\bselect from\b/i.test(source))).toEqual([])
})

/** Functions with statements, each with its file, without comments. */
const statements = readdirSync('server', { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.test)\.ts$/.test(name))
  .flatMap((name) =>
    readFileSync(`server/${name}`, 'utf8')
      .split(/^(?=(?:export )?(?:async )?(?:function|const) )/m)
      .map((part) => part.replace(/^\s*(\/\/|\/?\*).*$/gm, ''))
      .map((text) => ({ place: `${name} ${/(?:function\*?|const) (\w+)/.exec(text)?.[1] ?? ''}`, text })),
  )
  .filter(({ text }) => /\bsql(<[^>]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/.test(text))

test('statements use forms that can be distributed (Z5)', () => {
  expect(statements.length).toBeGreaterThan(300)
  const simpleCase = /\bcase\s+(?!when\b)[\w.]+\s+when\b/i
  const forms = statements.filter(({ text }) => simpleCase.test(text) || /\bselect from\b/i.test(text))
  expect(forms.map(({ place }) => place)).toEqual([])
})

test('rows are locked in one store or account at a time (Z5)', () => {
  const isLocking = (text: string) =>
    /\bfor (no key )?(update|share)\b/i.test(text) || /\.for(NoKeyUpdate|Update|Share)\(/.test(text)
  const isOfOne = (text: string) =>
    /\b(store_id|account_id|s\.id) = (any\()?\$\{/.test(text) ||
    /'(store_id|account_id|user_id|\w\.store_id|id)', '='/.test(text)
  const broad = statements.filter(({ text }) => isLocking(text) && !isOfOne(text)).map(({ place }) => place)
  // Tables of accounts and of the installation, which would be whole on every node.
  const functions = broad.map((place) => place.split(' ')[1])
  expect(functions.sort()).toEqual(['claimDueHosts', 'lockProven', 'takeDueMailboxes'])
})
