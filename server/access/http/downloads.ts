import { Readable } from 'node:stream'
import { z } from 'zod'
import { hasPermission } from '../../../shared/access/roles.ts'
import { CSV_START, formatCsvLine } from '../../../shared/core/csv.ts'
import type { Permission } from '../../../shared/core/endpoint.ts'
import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type Db, type Limit, type StoreDb, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { findMember, type Session } from '../members/public.ts'
import { listStores } from '../stores/public.ts'

// Downloads. A browser navigation carries no token, so the link itself grants access: for two minutes, for one member,
// for its encrypted content only. `serveDownload` (http.ts) serves the link.

const LINK_MS = 120_000
/** Rows per query; pages are read as fast as the client takes the file. */
export const DOWNLOAD_PAGE = 1_000

export interface DownloadFile {
  fileName: string
  type: string
  content: Readable | string
}

interface DownloadSpec<What, Owner> {
  /** Part of the encryption context: a ticket for one download opens no other. */
  name: string
  path: `/api/${string}`
  /** The member needs it both to create and to follow the link. */
  permission: Permission
  /** Rate limit of links, per member or for the whole account. */
  limit: Limit
  limitPer?: 'member' | 'account'
  /** The content of a link, for example a filter. */
  what: z.ZodType<What>
  /** How to start again after a link has expired. */
  again?: 'export' | 'download'
  read: (deps: Deps, owner: Owner, what: What) => Promise<DownloadFile>
}

/** A download of a store, or of the account. */
export type Download<What> =
  | (DownloadSpec<What, StoreDb<Db>> & { scope: 'store' })
  | (DownloadSpec<What, AccountDb<Db>> & { scope: 'account' })

export const storeDownload = <What>(spec: DownloadSpec<What, StoreDb<Db>>): Download<What> => ({
  scope: 'store',
  ...spec,
})
export const accountDownload = <What>(spec: DownloadSpec<What, AccountDb<Db>>): Download<What> => ({
  scope: 'account',
  ...spec,
})

const Ticket = z.object({
  accountId: z.uuid(),
  userId: z.uuid(),
  storeId: z.uuid().nullable(),
  expiresAt: z.number(),
  what: z.unknown(),
})
type Ticket = z.infer<typeof Ticket>

/** `storeId`: for a store's download. */
export async function prepareDownload<What>(
  deps: Pick<Deps, 'now' | 'pool' | 'secrets'>,
  download: Download<What>,
  { session, storeId = null, what }: { session: Session; storeId?: string | null; what: What },
): Promise<{ url: string; expiresAt: string }> {
  const { accountId, userId } = session
  await takePoint(deps, download.limit, download.limitPer === 'account' ? accountId : userId)
  const expiresAt = new Date(deps.now().getTime() + LINK_MS)
  const ticket: Ticket = { accountId, userId, storeId, expiresAt: expiresAt.getTime(), what }
  const encrypted = deps.secrets.seal(JSON.stringify(ticket), encryptionContext(download)).toString('base64url')
  return { url: `${download.path}?ticket=${encrypted}`, expiresAt: expiresAt.toISOString() }
}

/** Checks that the member still belongs to the account and has the permission, and that the store is the account's. */
export async function openDownload<What>(deps: Deps, download: Download<What>, text: string): Promise<DownloadFile> {
  const ticket = openTicket(deps, download, text)
  if (!ticket || ticket.expiresAt <= deps.now().getTime()) {
    throw new AppError('not_found', `This link is no longer valid. Start the ${download.again ?? 'export'} again.`)
  }
  const account = { accountId: ticket.accountId, db: deps.db }
  const role = (await findMember(account, ticket.userId))?.role
  if (!role || !hasPermission(role, download.permission)) throw new AppError('not_found', 'Not found')
  const what = download.what.parse(ticket.what)
  if (download.scope === 'account') return download.read(deps, account, what)
  const store = (await listStores(account)).find(({ id }) => id === ticket.storeId)
  if (!store) throw new AppError('not_found', 'Not found')
  return download.read(deps, { storeId: store.id, db: deps.db }, what)
}

const encryptionContext = ({ name }: { name: string }) => `download:${name}`

/** null: not our ticket, or altered. Base64 decoding is lenient, so the ticket must also equal its own re-encoding. */
function openTicket(deps: Pick<Deps, 'secrets'>, download: { name: string }, text: string): Ticket | null {
  const encrypted = Buffer.from(text, 'base64url')
  if (encrypted.toString('base64url') !== text) return null
  try {
    return Ticket.parse(JSON.parse(deps.secrets.open(encrypted, encryptionContext(download))))
  } catch {
    return null
  }
}

/** For example "carts-2026-01-31". */
export const addDate = (deps: Pick<Deps, 'now'>, name: string): string =>
  `${name}-${deps.now().toISOString().slice(0, 10)}`

export type CsvColumn<Row> = readonly [name: string, read: (row: Row) => string | number | null]

interface CsvRows<Row, Shown> {
  columns: readonly CsvColumn<Shown>[]
  pages: AsyncIterable<readonly Row[]>
  /** The row as the columns read it. */
  show: (row: Row) => Shown
}

/** A CSV file named after `name` and today, streamed page by page. */
export function csvFile<Row, Shown>(
  deps: Pick<Deps, 'now'>,
  name: string,
  { columns, pages, show }: CsvRows<Row, Shown>,
): DownloadFile {
  const formatLine = (row: Row) => {
    const view = show(row)
    return formatCsvLine(columns.map(([, read]) => read(view)))
  }
  const lines = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(CSV_START + formatCsvLine(columns.map(([heading]) => heading)))
    yield* formatPages(pages, formatLine)
  }
  return {
    fileName: `${addDate(deps, name)}.csv`,
    type: 'text/csv; charset=utf-8',
    content: Readable.from(lines(), { objectMode: false }),
  }
}

/** All pages of a keyset-paginated list, one statement each, so that no transaction stays open. */
export async function* readPages<Row>(
  read: (page: { after: Row | null; limit: number }) => Promise<readonly Row[]>,
  limit = DOWNLOAD_PAGE,
): AsyncGenerator<readonly Row[]> {
  let after: Row | null = null
  for (;;) {
    const rows: readonly Row[] = await read({ after, limit })
    yield rows
    if (rows.length < limit) return
    after = rows.at(-1)!
  }
}

/**
 * Formats each page as one chunk of a file, row by row. Presenting a whole page first would move its rows to V8's old
 * generation and fill memory with garbage (docs/performance.md).
 */
export async function* formatPages<Row>(
  pages: AsyncIterable<readonly Row[]>,
  formatLine: (row: Row) => string,
): AsyncGenerator<Buffer> {
  for await (const page of pages) {
    let text = ''
    for (const row of page) text += formatLine(row)
    yield Buffer.from(text)
  }
}
