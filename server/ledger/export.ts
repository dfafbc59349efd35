import { Readable } from 'node:stream'
import { z } from 'zod'
import { importProblems, ledgerChannels, ledgerStatuses, sourceWords, statusWords } from '../../shared/ledger.ts'
import { mayDo } from '../../shared/roles.ts'
import { type Limit, take } from '../accounts/limits.ts'
import type { Session } from '../accounts/session.ts'
import { member } from '../accounts/sql.ts'
import { CSV_START, csvLine } from '../csv.ts'
import type { StoreDb } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { storesOf } from '../stores/sql.ts'
import { columnsOf, refusalsAfter } from './import-sql.ts'
import { entryOf, typedAddress } from './ledger.ts'
import { isImportId } from './rules.ts'
import * as sql from './sql.ts'

// Downloads of the ledger and of an import's refused rows. Pages are read as fast as they are taken.

const LINK_MS = 120_000
const PAGE_SIZE = 1_000
const perUser: Limit = { name: 'ledger-export', points: 30, windowS: 3_600 }

const Filter = z.object({
  address: z.string().default(''),
  channel: z.enum(ledgerChannels).optional(),
  status: z.enum(ledgerStatuses).optional(),
  source: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
})
const Ticket = z.object({
  accountId: z.uuid(),
  userId: z.uuid(),
  storeId: z.uuid(),
  expiresAt: z.number(),
  /** Of the refused rows; else the ledger is meant. */
  importId: z.uuid().optional(),
  filter: Filter.optional(),
})
type Ticket = z.infer<typeof Ticket>
const SEALED_AS = 'ledger-download'

/** A download carries no token, so its link is its own permission for two minutes, for what is sealed in it and nothing else. */
export async function prepareDownload(
  deps: Deps,
  session: Session,
  storeId: string,
  wanted: Pick<Ticket, 'importId' | 'filter'>,
) {
  await take(deps, perUser, session.userId)
  const expiresAt = new Date(deps.now().getTime() + LINK_MS)
  const { accountId, userId } = session
  const ticket: Ticket = { accountId, userId, storeId, expiresAt: expiresAt.getTime(), ...wanted }
  const sealed = deps.secrets.seal(JSON.stringify(ticket), SEALED_AS).toString('base64url')
  return { url: `/api/consent/download?ticket=${sealed}`, expiresAt: expiresAt.toISOString() }
}

/** Of an import of this store. */
export async function prepareReport(deps: Deps, session: Session, store: StoreDb, importId: string) {
  if (!isImportId(importId) || !(await columnsOf(store, importId))) throw new AppError('not_found', 'Import not found')
  return prepareDownload(deps, session, store.storeId, { importId })
}

export async function download(deps: Deps, text: string) {
  const ticket = await openTicket(deps, text)
  const store = { storeId: ticket.storeId, db: deps.db }
  const day = deps.now().toISOString().slice(0, 10)
  if (ticket.importId) {
    const lines = refusedLines(store, ticket.importId)
    return { fileName: `refused-consents-${day}.csv`, stream: Readable.from(lines, { objectMode: false }) }
  }
  const lines = ledgerLines(deps, store, Filter.parse(ticket.filter ?? {}))
  return { fileName: `consent-ledger-${day}.csv`, stream: Readable.from(lines, { objectMode: false }) }
}

/** Whoever it was made for must still be of the account, and the store too. */
async function openTicket(deps: Deps, text: string): Promise<Ticket> {
  const ticket = unsealed(deps, text)
  if (!ticket || ticket.expiresAt <= deps.now().getTime()) {
    throw new AppError('not_found', 'This link is no longer valid. Start the download again.')
  }
  const account = { accountId: ticket.accountId, db: deps.db }
  const role = (await member(account, ticket.userId))?.role
  const isOwn = (await storesOf(account)).some(({ id }) => id === ticket.storeId)
  const permission = ticket.importId ? 'flows:switch' : 'account:export'
  if (!role || !mayDo(role, permission) || !isOwn) throw new AppError('not_found', 'Not found')
  return ticket
}

function unsealed(deps: Deps, text: string): Ticket | null {
  try {
    return Ticket.parse(JSON.parse(deps.secrets.open(Buffer.from(text, 'base64url'), SEALED_AS)))
  } catch {
    return null
  }
}

const HEADINGS = [
  'Person',
  'Fingerprint',
  'Channel',
  'Status',
  'Confirmed',
  'Source',
  'Wording shown',
  'Time',
  'Evidence',
]

async function* ledgerLines(deps: Deps, store: StoreDb, filter: z.infer<typeof Filter>): AsyncGenerator<Buffer> {
  const typed = await typedAddress(store, filter.address)
  const hash = typed ? deps.secrets.addressHash(typed) : null
  yield Buffer.from(CSV_START + csvLine(HEADINGS))
  let after: sql.Wanted['after'] = null
  for (;;) {
    const rows: sql.LedgerRow[] = await sql.ledgerPage(store, { ...filter, hash, after, limit: PAGE_SIZE })
    yield Buffer.from(rows.map((row) => ledgerLine(row, typed)).join(''))
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1)!
  }
}

function ledgerLine(row: sql.LedgerRow, typed: string | null): string {
  const entry = entryOf(row, typed)
  return csvLine([
    entry.who,
    row.hash,
    entry.channel,
    statusWords[entry.status],
    entry.isConfirmed ? 'yes' : 'no',
    sourceWords(entry.source),
    entry.wording,
    entry.at,
    entry.evidence.join('; '),
  ])
}

/** The rows as they were in the file, with what is wrong: to be put right and uploaded again. */
async function* refusedLines(store: StoreDb, importId: string): AsyncGenerator<Buffer> {
  const columns = (await columnsOf(store, importId)) ?? []
  yield Buffer.from(CSV_START + csvLine([...columns, 'Row', 'Problem']))
  let line = 0
  for (;;) {
    const rows = await refusalsAfter(store, importId, line, PAGE_SIZE)
    yield Buffer.from(
      rows.map((row) => csvLine([...padded(row.cells, columns.length), row.line, wordsOf(row.problem)])).join(''),
    )
    if (rows.length < PAGE_SIZE) return
    line = rows.at(-1)!.line
  }
}

const padded = (cells: readonly string[], length: number) => Array.from({ length }, (_, index) => cells[index] ?? '')

const wordsOf = (problem: string): string => importProblems[problem as keyof typeof importProblems] ?? problem
