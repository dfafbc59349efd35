import { expect, test } from 'vitest'
import { createDatabaseFactory } from '../../../test/databases.ts'
import { createId } from '../../core/common/ids.ts'
import { loadMigrations } from '../../core/database/files.ts'
import { migrate } from '../../core/database/migrate.ts'
import { headingKind } from './import-marks.ts'

// The migration that marks earlier imports as doubtful if they may have read an opt-out as an opt-in, by stored columns
// and mapping.

const databases = createDatabaseFactory()
const HEADINGS = [
  'Unsubscribed',
  'hasOptedOut',
  'EMAIL_BLACKLISTED',
  'Do not contact',
  'Blocked',
  'Bounced',
  'CLEAN_TIME',
  'Spam complaint',
  'Suppressed',
  'Never subscribed',
  'Abgemeldet',
  'Désabonné',
  'Bloqué',
  'Dado de baja',
  'Disiscritto',
  'Não inscrito',
  'Cancellato',
  'Nicht bestätigt',
  'Unterdrückt',
  'Status',
  'Subscribed',
  'Newsletter',
  'Einwilligung',
  'Accepts Marketing',
  'Unsubscribe link',
  'Bounce rate',
  'Opt-in',
  'Abonné',
  'Suscrito',
  'Größe',
  'Consent revoked',
  'Newsletter declined',
  'No consent',
  'Opt-in (yes/no)',
  'Sin consentimiento',
  'Deleted at',
  'Opt-in or opt-out',
  'Contact',
]

async function upgraded(
  files: readonly { columns: string[]; status: number | null; state?: string; added?: number }[],
) {
  const pool = databases.open(await databases.create())
  const migrations = await loadMigrations()
  const before = migrations.filter(({ number }) => number < 35)
  await migrate(pool, { migrations: before })
  const client = await pool.connect()
  const storeId = createId()
  const ids = files.map(() => createId())
  // The referenced account does not have to exist.
  await client.query("set session_replication_role = 'replica'")
  await client.query(
    `insert into stores (id, account_id, platform, url, home_url, name, currency, time_zone, version, connected_at, capture_key)
     values ($1, $2, 'woocommerce', 'https://a.example', 'https://a.example', 'A', 'USD', 'UTC', '1', now(), 'k')`,
    [storeId, createId()],
  )
  for (const [n, { columns, status, state = 'done', added = 1 }] of files.entries()) {
    await client.query(
      `insert into consent_imports (store_id, id, file_name, delimiter, columns, row_count, state, mapping, uploaded_at, added_count)
       values ($1, $2, $3, ',', $4, 7, $5, $6, now(), $7)`,
      [storeId, ids[n], `${n}.csv`, columns, state, JSON.stringify({ address: 0, status }), added],
    )
  }
  await client.query(
    `insert into consents (store_id, id, address_hash, channel, status, source, at, evidence)
     values ($1, $2, '\\x01', 'email', 'granted', 'import', now(), $3), ($1, $4, '\\x02', 'email', 'granted', 'checkout', now(), null)`,
    [storeId, createId(), JSON.stringify({ importId: ids[0], line: 2 }), createId()],
  )
  client.release(true)
  await migrate(pool, { migrations, lockAttempts: 1 })
  const read = async (query: string) => (await pool.query(query)).rows
  return { ids, read }
}

test('the migration doubts imports whose status came from an opt-out heading or from no column, and notifies the owner', async () => {
  const { ids, read } = await upgraded([
    { columns: ['Email', 'Unsubscribed'], status: 1 },
    { columns: ['Email', 'Unsubscribed'], status: null },
    { columns: ['Email', 'Status', 'Unsubscribed'], status: 1 },
    { columns: ['Email'], status: null, state: 'uploaded' },
    { columns: ['Email'], status: null, added: 0 },
    { columns: ['Email', 'Blocked'], status: 1, state: 'failed' },
  ])
  const imports = await read('select file_name, standing, doubt from consent_imports order by file_name')
  expect(imports.map(({ standing, doubt }) => doubt ?? standing)).toEqual([
    'no_heading',
    'no_column',
    'stands',
    'stands',
    'stands',
    'no_heading',
  ])
  const notifications = await read("select type, data from pending_notifications order by data ->> 'fileName'")
  expect(notifications.map(({ type, data }) => [type, data.fileName, data.doubt])).toEqual([
    ['import_doubted', '0.csv', 'no_heading'],
    ['import_doubted', '1.csv', 'no_column'],
    ['import_doubted', '5.csv', 'no_heading'],
  ])
  expect(notifications[0]!.data).toEqual({ importId: ids[0], fileName: '0.csv', rows: 7, doubt: 'no_heading' })
  expect(await read('select decision, decided_by from consent_import_reviews')).toEqual(
    Array.from({ length: 3 }, () => ({ decision: 'doubted', decided_by: null })),
  )
  expect(await read('select source, import_ids from consents order by source')).toEqual([
    { source: 'checkout', import_ids: null },
    { source: 'import', import_ids: [ids[0]] },
  ])
})

test('the migration reads headings as a new import does', async () => {
  const { read } = await upgraded(HEADINGS.map((heading) => ({ columns: ['Email', heading], status: 1 })))
  const doubted = await read("select columns[2] as heading from consent_imports where standing = 'doubted'")
  const expected = HEADINGS.filter((heading) => headingKind(heading)?.means === 'no')
  expect(doubted.map(({ heading }) => heading).sort()).toEqual(expected.sort())
})
