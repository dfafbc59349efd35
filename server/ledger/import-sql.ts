import type { ImportMapping } from '../../shared/ledger.ts'
import { type Db, type StoreDb, type StoreTx, sql } from '../core/db.ts'

// Imports of consents: SQL and nothing else.

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

const withoutContent = [
  'id',
  'file_name',
  'columns',
  'row_count',
  'state',
  'legal_ground',
  'confirmed_by',
  'uploaded_at',
  'confirmed_at',
  'finished_at',
  'done_count',
  'added_count',
  'known_count',
  'refused_count',
] as const

export function importsOf({ db, storeId }: StoreDb) {
  return db
    .selectFrom('consent_imports as i')
    .select(withoutContent)
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
    .where('i.store_id', '=', storeId)
    .orderBy('uploaded_at', 'desc')
    .orderBy('id', 'desc')
    .limit(20)
    .execute()
}

export type ImportRow = Awaited<ReturnType<typeof importsOf>>[number]

/** With its file and how it is to be read. */
export function importOf({ db, storeId }: StoreDb, id: string) {
  return db
    .selectFrom('consent_imports as i')
    .innerJoin('stores as s', 's.id', 'i.store_id')
    .select(['i.content', 'i.delimiter', 'i.mapping', 'i.state', 'i.uploaded_at', 'i.done_count'])
    .select(['s.base_country as country', 's.time_zone as zone', 's.account_id'])
    .where('i.store_id', '=', storeId)
    .where('i.id', '=', id)
    .executeTakeFirst()
}

export async function columnsOf({ db, storeId }: StoreDb, id: string): Promise<string[] | undefined> {
  const row = await db
    .selectFrom('consent_imports')
    .select('columns')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.columns
}

/** false: it is not waiting for it. */
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

/** How far it is; undefined when nobody should go on with it. Locks it. */
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

/** One row of the file on its way into the ledger; `id` follows from what it says, so that the same again is the same row. */
export interface EvaluatedRow {
  id: string
  line: number
  hash: string | null
  channel: string | null
  status: string | null
  at: string | null
  wording: string | null
  who: string | null
  given: string
  cells: readonly string[]
  problem: string | null
}

/**
 * Takes a part of the file in, one statement. A yes is refused to whoever has said no and has not said yes by an act of their own since
 * (C5), and to suppressed addresses.
 */
export async function takeIn(
  { db, storeId }: StoreTx,
  part: { importId: string; accountId: string; rows: readonly EvaluatedRow[]; now: Date },
): Promise<{ added: number; refused: number }> {
  const { importId, accountId, rows, now } = part
  const result = await sql<{ added: number; refused: number }>`
    with said as materialized (
      select r.*, decode(r.hash, 'hex') as address_hash from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(id uuid, line int, hash text, channel text, status text, at timestamptz, wording text, who text, given text,
          cells jsonb, problem text)),
    evaluated as materialized (
      select s.*, coalesce(s.problem, case when s.status = 'granted' then case
        when exists (select 1 from consents n where n.store_id = ${storeId} and n.address_hash = s.address_hash
          and n.channel = s.channel and n.status = 'withdrawn' and not exists (
            select 1 from consents y where y.store_id = ${storeId} and y.address_hash = s.address_hash and y.channel = s.channel
              and y.status = 'granted' and y.source <> 'import' and (y.at, y.id) > (n.at, n.id))) then 'withdrawn'
        when exists (select 1 from suppressions p where p.account_id = ${accountId} and p.address_hash = s.address_hash
          and p.channel in ('all', s.channel)) then 'suppressed' end end) as decision
      from said s),
    added as (
      insert into consents (store_id, id, address_hash, channel, status, source, wording, at, who, evidence)
      select ${storeId}, id, address_hash, channel, status, 'import', wording, at, who,
        jsonb_build_object('importId', ${importId}::text, 'line', line, 'given', given)
      from evaluated where decision is null
      on conflict (store_id, id) do nothing returning 1),
    refused as (
      insert into consent_import_errors (store_id, import_id, line, address_hash, cells, problem, at)
      select ${storeId}, ${importId}, line, address_hash, array(select jsonb_array_elements_text(cells)), decision, ${now}
      from evaluated where decision is not null
      on conflict do nothing returning 1),
    counted as (select (select count(*)::int from added) as added, (select count(*)::int from refused) as refused)
    update consent_imports i set done_count = i.done_count + ${rows.length}, added_count = i.added_count + counted.added,
      refused_count = i.refused_count + counted.refused,
      known_count = i.known_count + ${rows.length} - counted.added - counted.refused
    from counted where i.store_id = ${storeId} and i.id = ${importId} returning counted.added, counted.refused`.execute(
    db,
  )
  return result.rows[0]!
}

/** The file is not needed any more, and holds everybody's addresses. Answers what it was; undefined: it had ended already. */
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

export interface RefusedRow {
  line: number
  cells: string[]
  problem: string
}

export function refusalsAfter(
  { db, storeId }: StoreDb,
  importId: string,
  line: number,
  limit: number,
): Promise<RefusedRow[]> {
  return db
    .selectFrom('consent_import_errors')
    .select(['line', 'cells', 'problem'])
    .where('store_id', '=', storeId)
    .where('import_id', '=', importId)
    .where('line', '>', line)
    .orderBy('line')
    .limit(limit)
    .execute()
}

/** Of every store: files nobody confirmed, and reports nobody needs any more. */
export async function forgetOld(db: Db, { uploads, reports }: { uploads: Date; reports: Date }): Promise<void> {
  await db
    .deleteFrom('consent_imports')
    .where('content', 'is not', null)
    .where('uploaded_at', '<', uploads)
    .where('state', '=', 'uploaded')
    .execute()
  await db.deleteFrom('consent_import_errors').where('at', '<', reports).execute()
}
