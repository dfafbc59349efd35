import crypto from 'node:crypto'
import { Readable } from 'node:stream'
import type { CartBadge, CartView } from '../../shared/carts.ts'
import { mayDo } from '../../shared/roles.ts'
import { type Limit, take } from '../accounts/limits.ts'
import type { Session } from '../accounts/session.ts'
import { member } from '../accounts/sql.ts'
import { CSV_START, csvLine } from '../csv.ts'
import type { StoreDb } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { storesOf } from '../stores/sql.ts'
import * as list from './list-sql.ts'
import { presentCart } from './present.ts'

// The list as a CSV file. Pages of it are read as fast as they are taken, so memory stays the same however many carts there are.

const LINK_MS = 120_000
const PAGE_SIZE = 1_000
const exportPerUser: Limit = { name: 'carts-export', points: 30, windowS: 3_600 }

export interface ExportFilter {
  badge: CartBadge | null
  search: string
}

/** A download carries no token, so its link is its own permission for two minutes, for this filter and nothing else. */
export async function prepareCartExport(deps: Deps, session: Session, storeId: string, filter: ExportFilter) {
  await take(deps, exportPerUser, session.userId)
  const expiresAt = new Date(deps.now().getTime() + LINK_MS)
  const subject = [session.accountId, session.userId, storeId, expiresAt.getTime()].join('.')
  const search = new URLSearchParams({ status: filter.badge ?? '', search: filter.search })
  const url = `/api/carts/export/${subject}.${macOf(deps, subject, filter)}?${search}`
  return { url, expiresAt: expiresAt.toISOString() }
}

export async function downloadCarts(deps: Deps, ticket: string, filter: ExportFilter) {
  const store = await openTicket(deps, ticket, filter)
  const counted = await list.countCarts(store, filter)
  const fileName = `abandoned-carts-${deps.now().toISOString().slice(0, 10)}.csv`
  return { fileName, stream: Readable.from(linesOf(store, filter, counted), { objectMode: false }) }
}

const macOf = (deps: Deps, subject: string, { badge, search }: ExportFilter) =>
  deps.secrets.token('carts-export', JSON.stringify([subject, badge, search]))

/** Whoever it was made for must still be of the account, and the store too. */
async function openTicket(deps: Deps, ticket: string, filter: ExportFilter): Promise<StoreDb> {
  const [accountId = '', userId = '', storeId = '', expires = '', mac = ''] = ticket.split('.')
  const wanted = macOf(deps, [accountId, userId, storeId, expires].join('.'), filter)
  const isOurs = mac.length === wanted.length && crypto.timingSafeEqual(Buffer.from(mac), Buffer.from(wanted))
  if (!isOurs || Number(expires) <= deps.now().getTime()) {
    throw new AppError('not_found', 'This link is no longer valid. Start the export again.')
  }
  const account = { accountId, db: deps.db }
  const role = (await member(account, userId))?.role
  if (!role || !mayDo(role, 'carts:read') || !(await storesOf(account)).some(({ id }) => id === storeId)) {
    throw new AppError('not_found', 'Not found')
  }
  return { storeId, db: deps.db }
}

async function* linesOf(store: StoreDb, filter: ExportFilter, counted: list.CartTotal): AsyncGenerator<Buffer> {
  yield Buffer.from(CSV_START + csvLine(columns.map(([name]) => name)))
  for await (const page of list.pagesOfCarts(store, filter, counted, PAGE_SIZE)) {
    const lines = page.map((row) => {
      const cart = presentCart(row)
      return csvLine(columns.map(([, read]) => read(cart)))
    })
    yield Buffer.from(lines.join(''))
  }
}

const columns: [name: string, read: (cart: CartView) => string | number | null][] = [
  ['Customer', (cart) => cart.customer_name],
  ['Email', (cart) => cart.customer_email],
  ['Phone', (cart) => cart.phone],
  ['Items', (cart) => cart.items.reduce((sum, item) => sum + item.quantity, 0)],
  ['Products', (cart) => cart.items.map((item) => `${item.quantity} × ${item.product_name}`).join('; ')],
  ['Value', (cart) => cart.total],
  ['Currency', (cart) => cart.currency],
  ['Abandoned', (cart) => cart.abandoned_at],
  ['Last activity', (cart) => cart.last_activity],
  ['Status', (cart) => cart.status],
  ['State', (cart) => cart.state],
  ['Cart ID', (cart) => cart.id],
]
