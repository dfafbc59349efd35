import { Readable } from 'node:stream'
import { z } from 'zod'
import { CSV_START, csvLine } from '../../../shared/csv.ts'
import type { Permission } from '../../../shared/endpoint.ts'
import { mayDo } from '../../../shared/roles.ts'
import type { AccountDb, Db, StoreDb } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { type Limit, take } from '../../core/db/rate-limits.ts'
import type { Deps } from '../../deps.ts'
import type { Session } from '../members/session.ts'
import { memberOf } from '../members/users.ts'
import { storesOf } from '../stores/store.ts'

// Downloads. A browser's navigation carries no token, so a download's link is its own permission: for two minutes, for one member, for
// what is encrypted in it and nothing else. `serveDownload` (http.ts) answers the link.

const LINK_MS = 120_000
/** Rows read at once, as fast as the file is taken. */
export const DOWNLOAD_PAGE = 1_000

export interface DownloadFile {
  fileName: string
  type: string
  content: Readable | string
}

interface Spec<What, Owner> {
  /** Of the seal: a ticket for one download opens no other. */
  name: string
  path: `/api/${string}`
  /** The member needs it when the link is followed, too. */
  permission: Permission
  /** Of links, per member or for the whole account. */
  limit: Limit
  limitPer?: 'member' | 'account'
  /** What a link is for, for example a filter. */
  what: z.ZodType<What>
  /** How an expired link tells to begin again. */
  again?: 'export' | 'download'
  read: (deps: Deps, owner: Owner, what: What) => Promise<DownloadFile>
}

/** Of a store, or of the account. */
export type Download<What> =
  | (Spec<What, StoreDb<Db>> & { scope: 'store' })
  | (Spec<What, AccountDb<Db>> & { scope: 'account' })

export const storeDownload = <What>(spec: Spec<What, StoreDb<Db>>): Download<What> => ({ scope: 'store', ...spec })
export const accountDownload = <What>(spec: Spec<What, AccountDb<Db>>): Download<What> => ({
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

/** `storeId`: of a store's download. */
export async function prepareDownload<What>(
  deps: Deps,
  download: Download<What>,
  { session, storeId = null, what }: { session: Session; storeId?: string | null; what: What },
): Promise<{ url: string; expiresAt: string }> {
  const { accountId, userId } = session
  await take(deps, download.limit, download.limitPer === 'account' ? accountId : userId)
  const expiresAt = new Date(deps.now().getTime() + LINK_MS)
  const ticket: Ticket = { accountId, userId, storeId, expiresAt: expiresAt.getTime(), what }
  const encrypted = deps.secrets.seal(JSON.stringify(ticket), contextOf(download)).toString('base64url')
  return { url: `${download.path}?ticket=${encrypted}`, expiresAt: expiresAt.toISOString() }
}

/** Whoever it was made for must still be of the account and be allowed, and the store must be the account's. */
export async function openDownload<What>(deps: Deps, download: Download<What>, text: string): Promise<DownloadFile> {
  const ticket = unsealed(deps, download, text)
  if (!ticket || ticket.expiresAt <= deps.now().getTime()) {
    throw new AppError('not_found', `This link is no longer valid. Start the ${download.again ?? 'export'} again.`)
  }
  const account = { accountId: ticket.accountId, db: deps.db }
  const role = (await memberOf(account, ticket.userId))?.role
  if (!role || !mayDo(role, download.permission)) throw new AppError('not_found', 'Not found')
  const what = download.what.parse(ticket.what)
  if (download.scope === 'account') return download.read(deps, account, what)
  const store = (await storesOf(account)).find(({ id }) => id === ticket.storeId)
  if (!store) throw new AppError('not_found', 'Not found')
  return download.read(deps, { storeId: store.id, db: deps.db }, what)
}

const contextOf = ({ name }: { name: string }) => `download:${name}`

/** null: not ours, or not as we wrote it. Base64 is read leniently, so the ticket must also be the one its bytes make. */
function unsealed(deps: Deps, download: { name: string }, text: string): Ticket | null {
  const encrypted = Buffer.from(text, 'base64url')
  if (encrypted.toString('base64url') !== text) return null
  try {
    return Ticket.parse(JSON.parse(deps.secrets.open(encrypted, contextOf(download))))
  } catch {
    return null
  }
}

/** "carts-2026-01-31". */
export const datedName = (deps: Deps, name: string): string => `${name}-${deps.now().toISOString().slice(0, 10)}`

export type CsvColumn<Row> = readonly [name: string, read: (row: Row) => string | number | null]

interface CsvRows<Row, Shown> {
  columns: readonly CsvColumn<Shown>[]
  pages: AsyncIterable<readonly Row[]>
  /** A row as the columns read it. */
  show: (row: Row) => Shown
}

/** A CSV file of `name` and today, written while its pages are read. */
export function csvFile<Row, Shown>(
  deps: Deps,
  name: string,
  { columns, pages, show }: CsvRows<Row, Shown>,
): DownloadFile {
  const lineOf = (row: Row) => {
    const shown = show(row)
    return csvLine(columns.map(([, read]) => read(shown)))
  }
  const lines = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(CSV_START + csvLine(columns.map(([heading]) => heading)))
    yield* writtenLines(pages, lineOf)
  }
  return {
    fileName: `${datedName(deps, name)}.csv`,
    type: 'text/csv; charset=utf-8',
    content: Readable.from(lines(), { objectMode: false }),
  }
}

/** All pages of a list that is read after the last row of the page before: one statement each, so that nothing is held in between. */
export async function* pagesOf<Row>(
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
 * Each page as one piece of a file. A row is presented and written before the next one: where all rows of a page are presented first, they
 * outlive a collection of young objects, V8 then makes such objects among the long-lived ones, and a file fills memory with garbage
 * (docs/performance.md).
 */
export async function* writtenLines<Row>(
  pages: AsyncIterable<readonly Row[]>,
  lineOf: (row: Row) => string,
): AsyncGenerator<Buffer> {
  for await (const page of pages) {
    let text = ''
    for (const row of page) text += lineOf(row)
    yield Buffer.from(text)
  }
}
