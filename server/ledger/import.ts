import {
  type ImportMapping,
  type ImportPreview,
  type ImportProblem,
  type ImportView,
  importProblems,
} from '../../shared/ledger.ts'
import { maskedAddress } from '../channels/mask.ts'
import { type Db, type StoreDb, transact } from '../core/db.ts'
import { isDatabaseAway } from '../core/db-away.ts'
import { AppError, found } from '../core/errors.ts'
import { idOf, newId } from '../core/ids.ts'
import { inPieces } from '../core/pieces.ts'
import { type Limit, take } from '../core/rate-limits.ts'
import type { Deps } from '../deps.ts'
import type { Session } from '../members/session.ts'
import { userById } from '../members/users.ts'
import { scheduleNextLook, wakeStoreMessages } from '../messages/messages.ts'
import { notify } from '../notifications/notifications.ts'
import { type Table, tableOf, textOf } from './file.ts'
import { guessMapping, inOrder, type ReadingOf, type ReadRow, readRow } from './import-rules.ts'
import * as sql from './import-sql.ts'
import { inTurn, oneUpload } from './import-turns.ts'
import { consentImportJob } from './jobs.ts'
import { isImportId } from './rules.ts'
import { placeOf } from './sql.ts'

// Consents that were given elsewhere, brought in with what proves them (C5). A file is uploaded, looked at, confirmed on a legal ground and
// then taken in part by part; the same row twice is one row, and whoever has said no stays at their no.

const SHOWN_ROWS = 20
/** Rows per statement. */
const PART = 2_000
/** Rows read, or judged, without a turn for others: two to four milliseconds. */
const PIECE = 200
const uploads: Limit = { name: 'consent-upload', points: 60, windowS: 3_600 }
const previews: Limit = { name: 'consent-preview', points: 120, windowS: 3_600 }

export async function uploadConsents(
  deps: Deps,
  session: Session,
  store: StoreDb,
  { body, fileName }: { body: unknown; fileName: string },
) {
  await take(deps, uploads, session.accountId)
  return oneUpload(session.accountId, async () => {
    const content = await textOf(body)
    return inTurn(session.accountId, () => keepUpload(deps, store, { content, fileName }))
  })
}

async function keepUpload(deps: Deps, store: StoreDb, { content, fileName }: { content: string; fileName: string }) {
  const table = await tableOf(content)
  const { country, zone } = await placeOf(store)
  const mapping = guessMapping(table.columns, table.rows.slice(0, 50), country)
  const at = deps.now()
  const id = newId()
  const { delimiter, columns, rows } = table
  const about = { id, fileName: fileName.trim() || 'consents.csv', content, delimiter, columns, rowCount: rows.length }
  await sql.insertImport(store, { ...about, mapping, at })
  const preview = await previewOf(table, { mapping, country, zone, uploadedAt: at })
  return { import: await viewOf(store, id), columns, preview }
}

export async function previewConsents(
  deps: Deps,
  session: Session,
  store: StoreDb,
  { id, mapping }: { id: string; mapping: ImportMapping },
): Promise<ImportPreview> {
  await take(deps, previews, session.accountId)
  return inTurn(session.accountId, async () => {
    const row = await uploadedImport(store, id)
    const table = await tableOf(row.content, row.delimiter)
    return previewOf(table, { mapping, country: row.country, zone: row.zone, uploadedAt: row.uploaded_at })
  })
}

async function previewOf(table: Table, reading: ReadingOf): Promise<ImportPreview> {
  const rows = await readAll(table, reading)
  const counts = new Map<ImportProblem, number>()
  for (const { problem } of rows) if (problem) counts.set(problem, (counts.get(problem) ?? 0) + 1)
  return {
    mapping: reading.mapping,
    rows: rows.slice(0, SHOWN_ROWS).map(({ given, at, problem, ...row }) => ({
      ...row,
      source: given,
      at: at?.toISOString() ?? null,
      problem: problem && importProblems[problem],
    })),
    readable: rows.length - [...counts.values()].reduce((sum, count) => sum + count, 0),
    problems: [...counts].map(([problem, count]) => ({ problem: importProblems[problem], count })),
  }
}

/** A large file takes seconds to read; the server answers others meanwhile. */
async function readAll(table: Table, reading: ReadingOf): Promise<ReadRow[]> {
  const read: ReadRow[] = []
  for await (const piece of inPieces(table.rows, PIECE)) {
    for (const cells of piece) read.push(readRow(cells, read.length + 2, reading))
  }
  return read
}

export async function confirmConsents(
  deps: Deps,
  session: Session,
  store: StoreDb,
  { id, mapping, legalGround }: { id: string; mapping: ImportMapping; legalGround: string },
): Promise<ImportView> {
  await uploadedImport(store, id)
  const by = found(await userById(deps.db, session.userId), 'User').name
  await transact(store, async (tx) => {
    const isConfirmed = await sql.confirmImport(tx, id, { mapping, legalGround, by, at: deps.now() })
    if (!isConfirmed) throw new AppError('conflict', 'This file has already been confirmed.')
    await deps.jobs.enqueue(tx.db, consentImportJob, { storeId: store.storeId, importId: id }, id)
  })
  deps.log.info({ storeId: store.storeId, importId: id }, 'ledger.import-confirmed')
  return viewOf(store, id)
}

export async function cancelConsents(store: StoreDb, id: string): Promise<void> {
  if (!isImportId(id) || !(await sql.deleteUploaded(store, id))) throw new AppError('not_found', 'Import not found')
}

/** The job. What fails for another reason than a database that is away will not heal by itself, and is said. */
export async function runImport(
  deps: Deps,
  { storeId, importId }: { storeId: string; importId: string },
): Promise<void> {
  const store = { storeId, db: deps.db }
  try {
    await takeAllIn(deps, store, importId)
  } catch (error) {
    if (isDatabaseAway(error)) throw error
    deps.log.error({ storeId, importId, err: error }, 'ledger.import-failed')
    await sql.finishImport(store, importId, 'failed', deps.now())
  }
}

async function takeAllIn(deps: Deps, store: StoreDb<Db>, importId: string): Promise<void> {
  const row = await sql.importOf(store, importId)
  if (row?.state !== 'running' || row.content === null || !row.mapping) return
  const table = await tableOf(row.content, row.delimiter)
  const reading = { mapping: row.mapping, country: row.country, zone: row.zone, uploadedAt: row.uploaded_at }
  const { rows, yesFrom } = inOrder(await readAll(table, reading))
  for (let start = row.done_count, end = start; start < rows.length; start = end) {
    // A statement does not see what it writes itself: no yes goes together with a no.
    end = Math.min(start + PART, start < yesFrom ? yesFrom : rows.length)
    const part: sql.EvaluatedRow[] = []
    for await (const piece of inPieces(rows.slice(start, end), PIECE)) {
      for (const each of piece) part.push(evaluated(deps, store.storeId, table, each, row.uploaded_at))
    }
    const isMine = await transact(store, async (tx) => {
      // Another process has come further, or somebody removed it.
      if ((await sql.lockRunning(tx, importId)) !== start) return false
      await sql.takeIn(tx, { importId, accountId: row.account_id, rows: part, now: deps.now() })
      return true
    })
    if (!isMine) return
  }
  await transact(store, async (tx) => {
    const done = await sql.finishImport(tx, importId, 'done', deps.now())
    if (done) await notify(tx, { type: 'import_finished', data: { importId, ...done }, at: deps.now() })
    // Whose message waits for a yes may have one now.
    await wakeStoreMessages(tx, ['no_consent'], deps.now())
    await scheduleNextLook(tx)
  })
}

function evaluated(deps: Deps, storeId: string, table: Table, row: ReadRow, uploadedAt: Date): sql.EvaluatedRow {
  const { line, address, channel, status, at, given, wording, problem } = row
  const cells = (table.rows[line - 2] ?? []).slice(0, table.columns.length).map((cell) => cell.slice(0, 500))
  const none = { hash: null, channel, status, at: null, wording: null, who: null }
  if (problem || !channel) return { ...none, id: newId(), line, given, cells, problem }
  const hash = deps.secrets.addressHash(address)
  const said = [storeId, hash.toString('hex'), channel, status, at?.getTime() ?? 'no date', given, wording]
  return {
    id: idOf(JSON.stringify(said)),
    line,
    hash: hash.toString('hex'),
    channel,
    status,
    at: (at ?? uploadedAt).toISOString(),
    wording: wording || null,
    who: maskedAddress(channel, address),
    given,
    cells,
    problem: null,
  }
}

export async function importsOf(store: StoreDb): Promise<ImportView[]> {
  return (await sql.importsOf(store)).map(present)
}

async function viewOf(store: StoreDb, id: string): Promise<ImportView> {
  return present(
    found(
      (await sql.importsOf(store)).find((row) => row.id === id),
      'Import',
    ),
  )
}

const present = (row: sql.ImportRow): ImportView => ({
  id: row.id,
  fileName: row.file_name,
  state: row.state,
  rowCount: row.row_count,
  doneCount: row.done_count,
  addedCount: row.added_count,
  knownCount: row.known_count,
  refusedCount: row.refused_count,
  legalGround: row.legal_ground,
  confirmedBy: row.confirmed_by,
  uploadedAt: row.uploaded_at.toISOString(),
  confirmedAt: row.confirmed_at?.toISOString() ?? null,
  finishedAt: row.finished_at?.toISOString() ?? null,
  hasReport: Boolean(row.has_report),
})

async function uploadedImport(store: StoreDb, id: string) {
  const row = isImportId(id) ? await sql.importOf(store, id) : undefined
  if (!row) throw new AppError('not_found', 'Import not found')
  if (row.state !== 'uploaded' || row.content === null) {
    throw new AppError('conflict', 'This file has already been confirmed, or is too old. Upload it again.')
  }
  return { ...row, content: row.content }
}

const UPLOAD_KEPT_MS = 86_400_000
const REPORT_KEPT_MS = 7 * 86_400_000

export async function tidyImports(deps: Deps): Promise<void> {
  const before = (ms: number) => new Date(deps.now().getTime() - ms)
  await sql.forgetOld(deps.db, { uploads: before(UPLOAD_KEPT_MS), reports: before(REPORT_KEPT_MS) })
}
