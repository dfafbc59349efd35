import crypto from 'node:crypto'
import { Readable } from 'node:stream'
import { mayDo } from '../../shared/roles.ts'
import { type SuppressionFilter, suppressionTexts } from '../../shared/suppressions.ts'
import { type Limit, take } from '../accounts/limits.ts'
import type { Session } from '../accounts/session.ts'
import { member } from '../accounts/sql.ts'
import { CSV_START, csvLine } from '../csv.ts'
import type { AccountDb, Db } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { type EntryFilter, type EntryRow, pageOf } from './sql.ts'
import { filterOf } from './suppressions.ts'

// The list as a CSV file, read page by page while it is taken.

const LINK_MS = 120_000
const PAGE_SIZE = 1_000
const exportPerUser: Limit = { name: 'suppressions-export', points: 30, windowS: 3_600 }

/** A download carries no token, so its link is its own permission for two minutes, for this filter and nothing else. */
export async function prepareListExport(deps: Deps, session: Session, filter: SuppressionFilter) {
  await take(deps, exportPerUser, session.userId)
  const expiresAt = new Date(deps.now().getTime() + LINK_MS)
  const subject = [session.accountId, session.userId, expiresAt.getTime()].join('.')
  const search = new URLSearchParams(Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const url = `/api/suppressions/export/${subject}.${macOf(deps, subject, filter)}?${search}`
  return { url, expiresAt: expiresAt.toISOString() }
}

export async function downloadList(deps: Deps, ticket: string, wanted: SuppressionFilter) {
  const account = await openTicket(deps, ticket, wanted)
  const filter = await filterOf(deps, account, wanted)
  const fileName = `suppression-list-${deps.now().toISOString().slice(0, 10)}.csv`
  return { fileName, stream: Readable.from(linesOf(account, filter), { objectMode: false }) }
}

const macOf = (deps: Deps, subject: string, { search, reason, channel }: SuppressionFilter) =>
  deps.secrets.token('suppressions-export', JSON.stringify([subject, search ?? '', reason ?? '', channel ?? '']))

async function openTicket(deps: Deps, ticket: string, filter: SuppressionFilter): Promise<AccountDb<Db>> {
  const [accountId = '', userId = '', expires = '', mac = ''] = ticket.split('.')
  const wanted = macOf(deps, [accountId, userId, expires].join('.'), filter)
  const isOurs = mac.length === wanted.length && crypto.timingSafeEqual(Buffer.from(mac), Buffer.from(wanted))
  if (!isOurs || Number(expires) <= deps.now().getTime()) {
    throw new AppError('not_found', 'This link is no longer valid. Start the export again.')
  }
  const account = { accountId, db: deps.db }
  const role = (await member(account, userId))?.role
  if (!role || !mayDo(role, 'suppressions:write')) throw new AppError('not_found', 'Not found')
  return account
}

const columns: [name: string, read: (row: EntryRow) => string | null][] = [
  ['Address', ({ address }) => address],
  ['Channel', ({ channel }) => suppressionTexts.channels[channel]],
  ['Reason', ({ reason }) => suppressionTexts.reasons[reason]],
  ['Source', ({ source }) => source],
  ['Note', ({ note }) => note],
  ['Added by', ({ added_by }) => added_by],
  ['Since', ({ created_at }) => created_at.toISOString()],
  // An erased person's entry has no address; the fingerprint tells one from another.
  ['Fingerprint', ({ address_hash }) => address_hash.toString('hex')],
]

async function* linesOf(account: AccountDb<Db>, filter: EntryFilter): AsyncGenerator<Buffer> {
  yield Buffer.from(CSV_START + csvLine(columns.map(([name]) => name)))
  let after: EntryRow | null = null
  for (;;) {
    const page: EntryRow[] = await pageOf(account, filter, { after, limit: PAGE_SIZE })
    yield Buffer.from(page.map((row) => csvLine(columns.map(([, read]) => read(row)))).join(''))
    if (page.length < PAGE_SIZE) return
    after = page.at(-1)!
  }
}
