import type { ImportMapping } from '../../../shared/marketing/ledger.ts'
import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import { doesConsentCount } from '../../shoppers/consent/public.ts'

// SQL for consent imports.

export interface NewImport {
  id: string
  fileName: string
  content: string
  delimiter: string
  columns: readonly string[]
  rowCount: number
  mapping: ImportMapping
  at: Date
}

export async function insertImport({ db, storeId }: StoreDb, news: NewImport): Promise<void> {
  await db
    .insertInto('consent_imports')
    .values({
      store_id: storeId,
      id: news.id,
      file_name: news.fileName,
      content: news.content,
      delimiter: news.delimiter,
      columns: [...news.columns],
      row_count: news.rowCount,
      state: 'uploaded',
      mapping: JSON.stringify(news.mapping),
      uploaded_at: news.at,
    })
    .execute()
}

const MAX_LISTED = 50

const IMPORT_COLUMNS = [
  'i.id',
  'i.file_name',
  'i.columns',
  'i.row_count',
  'i.state',
  'i.legal_ground',
  'i.confirmed_by',
  'i.uploaded_at',
  'i.confirmed_at',
  'i.finished_at',
  'i.done_count',
  'i.added_count',
  'i.known_count',
  'i.refused_count',
  'i.suppressed_count',
  'i.standing',
  'i.doubt',
] as const

/** Imports that wait for a decision come first. `id`: only that import. */
export function listImports({ db, storeId }: StoreDb, id?: string) {
  return db
    .selectFrom('consent_imports as i')
    .select(IMPORT_COLUMNS)
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('consent_import_errors as r')
            .select('r.line')
            .whereRef('r.store_id', '=', 'i.store_id')
            .whereRef('r.import_id', '=', 'i.id'),
        )
        .as('has_report'),
    )
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('consent_import_reviews as r')
          .select(['r.decided_by as reviewed_by', 'r.at as reviewed_at'])
          .whereRef('r.store_id', '=', 'i.store_id')
          .whereRef('r.import_id', '=', 'i.id')
          .where('r.decision', '<>', 'doubted')
          .orderBy('r.at', 'desc')
          .orderBy('r.id', 'desc')
          .limit(1)
          .as('v'),
      (on) => on.onTrue(),
    )
    .select(['v.reviewed_by', 'v.reviewed_at'])
    .where('i.store_id', '=', storeId)
    .$if(id !== undefined, (query) => query.where('i.id', '=', id!))
    .orderBy(sql`i.standing = 'doubted'`, 'desc')
    .orderBy('i.uploaded_at', 'desc')
    .orderBy('i.id', 'desc')
    .limit(MAX_LISTED)
    .execute()
}

export type ImportRow = Awaited<ReturnType<typeof listImports>>[number]

/** Includes the file and its mapping. */
export function readImport({ db, storeId }: StoreDb, id: string) {
  return db
    .selectFrom('consent_imports as i')
    .innerJoin('stores as s', 's.id', 'i.store_id')
    .select([
      'i.content',
      'i.delimiter',
      'i.mapping',
      'i.state',
      'i.uploaded_at',
      'i.done_count',
      'i.file_name',
      'i.columns',
    ])
    .select(['s.base_country as country', 's.time_zone as zone', 's.account_id'])
    .where('i.store_id', '=', storeId)
    .where('i.id', '=', id)
    .executeTakeFirst()
}

/** false: the import does not wait for confirmation. */
export async function confirmImport(
  { db, storeId }: StoreTx,
  id: string,
  { mapping, legalGround, by, at }: { mapping: ImportMapping; legalGround: string; by: string; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('consent_imports')
    .set({
      state: 'running',
      mapping: JSON.stringify(mapping),
      legal_ground: legalGround,
      confirmed_by: by,
      confirmed_at: at,
    })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('state', '=', 'uploaded')
    .where('content', 'is not', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteUploaded({ db, storeId }: StoreDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('consent_imports')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('state', '=', 'uploaded')
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The line reached; undefined: the import must not continue. Locks the row. */
export async function lockRunning({ db, storeId }: StoreTx, id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('consent_imports')
    .select('done_count')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .forUpdate()
    .executeTakeFirst()
  return row?.done_count
}

/** A row of the file for the ledger. `id` derives from the content, so an equal row has the same id. */
export interface EvaluatedRow {
  id: string
  line: number
  hash: string | null
  channel: string | null
  status: string | null
  /** Why the row is not a consent. */
  reason: string | null
  /** Not the person's own decision: a consent given here overrides it. */
  is_no_act: boolean
  /** A further address of a row; the first one counts the row. */
  is_further: boolean
  at: string | null
  wording: string | null
  who: string | null
  given: string
  cells: readonly string[]
  problem: string | null
}

/** Which of these rows are rejected, and why: `decision`. `said` has the rows. */
const selectEvaluated = (storeId: string, accountId: string, rows: readonly EvaluatedRow[]) => sql`
    said as materialized (
      select r.*, decode(r.hash, 'hex') as address_hash from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(id uuid, line int, hash text, channel text, status text, reason text, is_no_act boolean, is_further boolean, at timestamptz, wording text,
          who text, given text, cells jsonb, problem text)),
    evaluated as materialized (
      select s.*, coalesce(s.problem, case when s.status = 'granted' then case
        when exists (select 1 from consents n where n.store_id = ${storeId} and n.address_hash = s.address_hash
          and n.channel = s.channel and n.status = 'withdrawn' and ${doesConsentCount('n')} and not exists (
            select 1 from consents y where y.store_id = ${storeId} and y.address_hash = s.address_hash and y.channel = s.channel
              and y.status = 'granted' and y.source <> 'import' and (y.at, y.id) > (n.at, n.id))) then 'withdrawn'
        when exists (select 1 from suppressions p where p.account_id = ${accountId} and p.address_hash = s.address_hash
          and p.channel in ('all', s.channel)) then 'suppressed' end
      when s.is_no_act and (select y.status from consents y where y.store_id = ${storeId} and y.address_hash = s.address_hash
        and y.channel = s.channel and y.source <> 'import' order by y.at desc, y.id desc limit 1) = 'granted' then 'opted_in' end) as decision
      from said s)`

/** By line, why a row would be rejected now. */
export async function listDecisions(
  { db, storeId }: StoreDb,
  accountId: string,
  rows: readonly EvaluatedRow[],
): Promise<Map<number, string>> {
  const found = await sql<{ line: number; decision: string }>`
    with ${selectEvaluated(storeId, accountId, rows)}
    select line, decision from evaluated where decision is not null`.execute(db)
  return new Map(found.rows.map(({ line, decision }) => [line, decision]))
}

/**
 * Stores one part of the file in one statement. Rejects an opt-in for suppressed addresses, and for people who opted
 * out without a later opt-in of their own (C5).
 * A row from an earlier file belongs to both imports; it is added again if no earlier import is valid.
 * `suppressed`: the number of rows that became new suppressions.
 */
export async function storePart(
  { db, storeId }: StoreTx,
  part: {
    importId: string
    accountId: string
    rows: readonly EvaluatedRow[]
    suppressed: number
    size: number
    now: Date
  },
): Promise<{ added: number; refused: number }> {
  const { importId, accountId, rows, suppressed, size, now } = part
  const result = await sql<{ added: number; refused: number }>`
    with ${selectEvaluated(storeId, accountId, rows)},
    fresh as materialized (
      select distinct on (e.id) e.*, not exists (select 1 from consents k where k.store_id = ${storeId} and k.id = e.id
        and ${doesConsentCount('k')}) as is_new
      from evaluated e where e.decision is null order by e.id, e.line),
    added as (
      insert into consents as c (store_id, id, address_hash, channel, status, source, wording, at, who, evidence, import_ids)
      select ${storeId}, id, address_hash, channel, status, 'import', wording, at, who,
        jsonb_strip_nulls(jsonb_build_object('importId', ${importId}::text, 'line', line, 'given', given, 'said', reason)),
        array[${importId}]::uuid[]
      from fresh
      on conflict (store_id, id) do update set import_ids = c.import_ids || excluded.import_ids
        where not c.import_ids @> excluded.import_ids),
    refused as (
      insert into consent_import_errors (store_id, import_id, line, address_hash, cells, problem, at)
      select ${storeId}, ${importId}, line, address_hash, array(select jsonb_array_elements_text(cells)), decision, ${now}
      from evaluated where decision is not null and not is_further
      on conflict do nothing returning 1),
    counted as (
      select (select count(*)::int from fresh where is_new and not is_further) + ${suppressed}::int as added, (select count(*)::int from refused) as refused)
    update consent_imports i set done_count = i.done_count + ${size}, added_count = i.added_count + counted.added,
      suppressed_count = i.suppressed_count + ${suppressed}::int, refused_count = i.refused_count + counted.refused,
      known_count = i.known_count + ${size} - counted.added - counted.refused
    from counted where i.store_id = ${storeId} and i.id = ${importId} returning counted.added, counted.refused`.execute(
    db,
  )
  return result.rows[0]!
}

/** Deletes the file, which contains personal data, and returns the finished import; undefined: it had already ended. */
export function finishImport({ db, storeId }: StoreDb, id: string, state: 'done' | 'failed', now: Date) {
  return db
    .updateTable('consent_imports')
    .set({ state, content: null, finished_at: now })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returning(['file_name as fileName', 'row_count as rows', 'added_count as added', 'refused_count as refused'])
    .executeTakeFirst()
}

/** For all stores: deletes unconfirmed files and old reports. */
export async function deleteOld(db: Db, { uploads, reports }: { uploads: Date; reports: Date }): Promise<void> {
  await db
    .deleteFrom('consent_imports')
    .where('content', 'is not', null)
    .where('uploaded_at', '<', uploads)
    .where('state', '=', 'uploaded')
    .execute()
  await db.deleteFrom('consent_import_errors').where('at', '<', reports).execute()
}
