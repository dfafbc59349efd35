import {
  ImportMapping,
  type ImportPreview,
  type ImportProblem,
  type ImportView,
  importProblems,
  importReasons,
} from '../../../shared/marketing/ledger.ts'
import { findUserById, type Session } from '../../access/members/public.ts'
import { notify } from '../../access/notifications/public.ts'
import { AppError, chunked, createId, createSemaphore, deriveId, requireFound } from '../../core/common/public.ts'
import { type Db, isDatabaseUnavailable, type Limit, type StoreDb, takePoint, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { maskAddress } from '../../messages/channels/public.ts'
import { scheduleNextRun, wakeStoreMessages } from '../../messages/messages/public.ts'
import { type NewEntry, suppressImported } from '../../shoppers/suppressions/public.ts'
import { decodeText, parseTable, type Table } from './file.ts'
import { headingKind } from './import-marks.ts'
import {
  findConsentColumns,
  guessMapping,
  isNotOwnDecision,
  optOutsFirst,
  pickSampleOutcomes,
  type ReadOptions,
  type ReadRow,
  readRow,
  suppressionFor,
} from './import-rules.ts'
import * as sql from './import-sql.ts'
import { consentImportJob } from './jobs.ts'
import { isImportId } from './rules.ts'
import { readPlace } from './sql.ts'

// Imports consents given elsewhere, with their proof (C5). A file is uploaded, previewed, confirmed on a legal ground,
// and then stored part by part. Equal rows are stored once, and earlier opt-outs stay in force.

const SAMPLE_ROWS = 10
/** Rows per statement. */
const PART = 2_000
/** Rows parsed or evaluated without yielding: two to four milliseconds. */
const YIELD_ROWS = 200
const uploads: Limit = { name: 'consent-upload', points: 60, windowS: 3_600 }
const previews: Limit = { name: 'consent-preview', points: 120, windowS: 3_600 }

export async function uploadConsents(
  deps: Pick<Deps, 'now' | 'pool' | 'secrets'>,
  session: Session,
  store: StoreDb,
  { body, fileName }: { body: unknown; fileName: string },
) {
  await takePoint(deps, uploads, session.accountId)
  return oneUpload(session.accountId, async () => {
    const content = await decodeText(body)
    return runInQueue(session.accountId, () =>
      keepUpload(deps, store, { content, fileName, accountId: session.accountId }),
    )
  })
}

async function keepUpload(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb,
  { content, fileName, accountId }: { content: string; fileName: string; accountId: string },
) {
  const table = await parseTable(content)
  const { country, zone } = await readPlace(store)
  const mapping = guessMapping(table.columns, table.rows.slice(0, 50), country)
  const at = deps.now()
  const id = createId()
  const { delimiter, columns, rows } = table
  const about = { id, fileName: fileName.trim() || 'consents.csv', content, delimiter, columns, rowCount: rows.length }
  await sql.insertImport(store, { ...about, mapping, at })
  const reading = buildReading(table, { mapping, country, zone, uploadedAt: at })
  const preview = await buildPreview(deps, store, { table, reading, accountId })
  return { import: await viewImport(store, id), columns, preview }
}

export async function previewConsents(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  session: Session,
  store: StoreDb,
  { id, mapping }: { id: string; mapping: ImportMapping },
): Promise<ImportPreview> {
  await takePoint(deps, previews, session.accountId)
  return runInQueue(session.accountId, async () => {
    const row = await uploadedImport(store, id)
    const table = await parseTable(row.content, row.delimiter)
    const { country, zone, uploaded_at: uploadedAt, account_id: accountId } = row
    return buildPreview(deps, store, {
      table,
      reading: buildReading(table, { mapping, country, zone, uploadedAt }),
      accountId,
    })
  })
}

interface PreviewInput {
  table: Table
  reading: ReadOptions
  accountId: string
}

async function buildPreview(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb,
  { table, reading, accountId }: PreviewInput,
): Promise<ImportPreview> {
  const { mapping, columns, uploadedAt } = reading
  const rows = await readAll(table, reading)
  const problems = new Map<ImportProblem, number>()
  const counts = { granted: 0, withdrawn: 0, suppressed: 0 }
  for (const { problem, status } of rows) {
    if (problem) problems.set(problem, (problems.get(problem) ?? 0) + 1)
    else if (status) counts[status]++
  }
  const samples = pickSampleOutcomes(rows, SAMPLE_ROWS)
  const evaluations = samples.map((row) => evaluateRow(deps, store.storeId, table, row, uploadedAt))
  const decisions = await sql.listDecisions(store, accountId, evaluations)
  const chosen = mapping.status === null ? undefined : table.columns[mapping.status]
  return {
    mapping,
    rows: samples.map(({ given, at, problem, others, ...row }) => {
      const decision = problem ?? (decisions.get(row.line) as ImportProblem | undefined)
      return {
        ...row,
        others: [...others],
        source: given,
        at: at?.toISOString() ?? null,
        problem: decision ? importProblems[decision] : null,
      }
    }),
    readable: counts.granted + counts.withdrawn + counts.suppressed,
    counts,
    statesConsent: columns.main !== null,
    asksYesMeans: chosen !== undefined && headingKind(chosen) === null,
    optOutColumns: columns.noes.map(({ name }) => name),
    problems: [...problems].map(([problem, count]) => ({ problem: importProblems[problem], count })),
  }
}

const buildReading = (table: Table, reading: Omit<ReadOptions, 'columns'>): ReadOptions => ({
  ...reading,
  columns: findConsentColumns(table.columns, reading.mapping),
})

/** A large file takes seconds to parse; yields to other requests. */
async function readAll(table: Table, reading: ReadOptions): Promise<ReadRow[]> {
  const read: ReadRow[] = []
  for await (const piece of chunked(table.rows, YIELD_ROWS)) {
    for (const cells of piece) read.push(readRow(cells, read.length + 2 + table.skipped, reading))
  }
  return read
}

export async function confirmConsents(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now'>,
  session: Session,
  store: StoreDb,
  { id, mapping, legalGround }: { id: string; mapping: ImportMapping; legalGround: string },
): Promise<ImportView> {
  await uploadedImport(store, id)
  const by = requireFound(await findUserById(deps.db, session.userId), 'User').name
  await transact(store, async (tx) => {
    const isConfirmed = await sql.confirmImport(tx, id, { mapping, legalGround, by, at: deps.now() })
    if (!isConfirmed) throw new AppError('conflict', 'This file has already been confirmed.')
    await deps.jobs.enqueue(tx.db, consentImportJob, { storeId: store.storeId, importId: id }, id)
  })
  deps.log.info({ storeId: store.storeId, importId: id }, 'ledger.import-confirmed')
  return viewImport(store, id)
}

export async function cancelConsents(store: StoreDb, id: string): Promise<void> {
  if (!isImportId(id) || !(await sql.deleteUploaded(store, id))) throw new AppError('not_found', 'Import not found')
}

/** The job. An error other than an unavailable database is permanent, so the import fails visibly. */
export async function runImport(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>,
  { storeId, importId }: { storeId: string; importId: string },
): Promise<void> {
  const store = { storeId, db: deps.db }
  try {
    await storeAllParts(deps, store, importId)
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    deps.log.error({ storeId, importId, err: error }, 'ledger.import-failed')
    await sql.finishImport(store, importId, 'failed', deps.now())
  }
}

async function storeAllParts(deps: Pick<Deps, 'now' | 'secrets'>, store: StoreDb<Db>, importId: string): Promise<void> {
  const row = await sql.readImport(store, importId)
  if (row?.state !== 'running' || row.content === null || !row.mapping) return
  const table = await parseTable(row.content, row.delimiter)
  // A file confirmed by an earlier version lacks answers to newer questions.
  const mapping = ImportMapping.parse(row.mapping)
  const { country, zone, uploaded_at: uploadedAt, account_id: accountId, file_name: fileName } = row
  const reading = buildReading(table, { mapping, country, zone, uploadedAt })
  const { rows, yesFrom } = optOutsFirst(await readAll(table, reading))
  for (let start = row.done_count, end = start; start < rows.length; start = end) {
    // A statement does not see its own writes, so opt-outs and opt-ins are never in one part.
    end = Math.min(start + PART, start < yesFrom ? yesFrom : rows.length)
    const part: sql.EvaluatedRow[] = []
    const entries: NewEntry[] = []
    // A row counts once, even with several addresses.
    const further: NewEntry[] = []
    for await (const piece of chunked(rows.slice(start, end), YIELD_ROWS)) {
      for (const each of piece) {
        const entry = toSuppression(each)
        const more = each.others.map((address) => ({ ...each, address, isFurther: true }))
        if (entry) {
          entries.push(entry)
          further.push(...more.map(({ address }) => ({ ...entry, address })))
        } else for (const row of [each, ...more]) part.push(evaluateRow(deps, store.storeId, table, row, uploadedAt))
      }
    }
    const isMine = await transact(store, async (tx) => {
      // Another process has advanced it, or a member removed it.
      if ((await sql.lockRunning(tx, importId)) !== start) return false
      const account = { accountId, db: tx.db }
      const suppressed = await suppressImported(deps, account, importId, { entries, fileName })
      if (further.length > 0) await suppressImported(deps, account, importId, { entries: further, fileName })
      await sql.storePart(tx, { importId, accountId, rows: part, suppressed, size: end - start, now: deps.now() })
      return true
    })
    if (!isMine) return
  }
  await transact(store, async (tx) => {
    const done = await sql.finishImport(tx, importId, 'done', deps.now())
    if (done) await notify(tx, { type: 'import_finished', data: { importId, ...done }, at: deps.now() })
    // Messages held for missing consent may have it now.
    await wakeStoreMessages(tx, ['no_consent'], deps.now())
    await scheduleNextRun(tx)
  })
}

/** null: the row goes to the ledger or is rejected. */
function toSuppression({ problem, status, reason, channel, address }: ReadRow): NewEntry | null {
  const entry = status === 'suppressed' && reason && suppressionFor[reason]
  if (problem || !entry || !channel) return null
  return { address, channel, reason: entry, note: `The file says: ${importReasons[reason]}` }
}

function evaluateRow(
  deps: Pick<Deps, 'secrets'>,
  storeId: string,
  table: Table,
  row: ReadRow & { isFurther?: boolean },
  uploadedAt: Date,
): sql.EvaluatedRow {
  const { isFurther: is_further = false, line, address, channel, status, reason, at, given, wording, problem } = row
  const cells = (table.rows[line - 2 - table.skipped] ?? [])
    .slice(0, table.columns.length)
    .map((cell) => cell.slice(0, 500))
  const none = { hash: null, channel, status, reason, is_no_act: false, is_further, at: null, wording: null, who: null }
  if (problem || !channel) return { ...none, id: createId(), line, given, cells, problem }
  const hash = deps.secrets.addressHash(address)
  const identity = [storeId, hash.toString('hex'), channel, status, at?.getTime() ?? 'no date', given, wording]
  return {
    id: deriveId(JSON.stringify(identity)),
    line,
    hash: hash.toString('hex'),
    channel,
    status,
    reason,
    is_no_act: isNotOwnDecision(reason),
    is_further,
    at: (at ?? uploadedAt).toISOString(),
    wording: wording || null,
    who: maskAddress(channel, address),
    given,
    cells,
    problem: null,
  }
}

export async function viewImports(store: StoreDb): Promise<ImportView[]> {
  return (await sql.listImports(store)).map(present)
}

export async function viewImport(store: StoreDb, id: string): Promise<ImportView> {
  const [row] = await sql.listImports(store, id)
  return present(requireFound(row, 'Import'))
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
  suppressedCount: row.suppressed_count,
  standing: row.standing,
  doubt: row.doubt,
  reviewedBy: row.reviewed_by,
  reviewedAt: row.reviewed_at?.toISOString() ?? null,
  legalGround: row.legal_ground,
  confirmedBy: row.confirmed_by,
  uploadedAt: row.uploaded_at.toISOString(),
  confirmedAt: row.confirmed_at?.toISOString() ?? null,
  finishedAt: row.finished_at?.toISOString() ?? null,
  hasReport: Boolean(row.has_report),
})

async function uploadedImport(store: StoreDb, id: string) {
  const row = isImportId(id) ? await sql.readImport(store, id) : undefined
  if (!row) throw new AppError('not_found', 'Import not found')
  if (row.state !== 'uploaded' || row.content === null) {
    throw new AppError('conflict', 'This file has already been confirmed, or is too old. Upload it again.')
  }
  return { ...row, content: row.content }
}

const UPLOAD_RETENTION_MS = 86_400_000
const REPORT_RETENTION_MS = 7 * 86_400_000

export async function deleteOldImports(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const before = (ms: number) => new Date(deps.now().getTime() - ms)
  await sql.deleteOld(deps.db, { uploads: before(UPLOAD_RETENTION_MS), reports: before(REPORT_RETENTION_MS) })
}

// A 20 MB file needs some hundred megabytes and seconds to parse. So two are parsed at a time, one per account; the
// others wait without using memory.

const semaphore = createSemaphore(2)
/** The last waiting import of each account. */
const accountQueues = new Map<string, Promise<unknown>>()

/** Limits an account to one file at a time, so that its other files do not delay other accounts. */
export async function runInQueue<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  const mine = (accountQueues.get(accountId) ?? Promise.resolve()).then(() => semaphore(work))
  const over = mine.catch(() => undefined)
  accountQueues.set(accountId, over)
  void over.then(() => {
    if (accountQueues.get(accountId) === over) accountQueues.delete(accountId)
  })
  return mine
}

const uploading = new Set<string>()

/** Limits uploads, because an uploaded file stays in memory while it waits. */
async function oneUpload<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  if (uploading.has(accountId)) {
    throw new AppError('conflict', 'Another file is being uploaded. Please try again when that one is read.')
  }
  uploading.add(accountId)
  try {
    return await work()
  } finally {
    uploading.delete(accountId)
  }
}
