import { type CartView, exportCarts } from '../../../shared/carts/carts.ts'
import { formatPhoneCell } from '../../../shared/core/csv.ts'
import { type CsvColumn, csvFile, DOWNLOAD_PAGE, storeDownload } from '../../access/http/public.ts'
import { parseFilter, readCartPages } from '../../carts/carts/public.ts'
import { countFiltered } from '../manual-sends/public.ts'
import { presentCart } from './present.ts'

/** Exports the cart list as CSV. */
export const cartsDownload = storeDownload({
  name: 'carts',
  path: '/api/carts/export/file',
  permission: exportCarts.permission,
  limit: { name: 'carts-export', points: 30, windowS: 3_600 },
  what: exportCarts.query,
  read: async (deps, store, query) => {
    const filter = parseFilter(query)
    const pages = readCartPages(store, filter, await countFiltered(deps, store, filter), DOWNLOAD_PAGE)
    return csvFile(deps, 'abandoned-carts', { columns, pages, show: (row) => presentCart(row) })
  },
})

const columns: readonly CsvColumn<CartView>[] = [
  ['Customer', (cart) => cart.customer_name],
  ['Email', (cart) => cart.customer_email],
  ['Phone', (cart) => formatPhoneCell(cart.phone)],
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
