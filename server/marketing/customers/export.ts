import { formatPhoneCell } from '../../../shared/core/csv.ts'
import { type CustomerView, exportCustomers } from '../../../shared/marketing/customers.ts'
import { type CsvColumn, csvFile, DOWNLOAD_PAGE, storeDownload } from '../../access/http/public.ts'
import { buildFilter } from './customers.ts'
import { countCustomers, pagesOfCustomers } from './list-sql.ts'
import { presentCustomer } from './present.ts'

/** Exports the customer list as CSV. */
export const customersDownload = storeDownload({
  name: 'customers',
  path: '/api/stores/customers/export/file',
  permission: exportCustomers.permission,
  limit: { name: 'customers-export', points: 30, windowS: 3_600 },
  what: exportCustomers.query,
  read: async (deps, store, query) => {
    const filter = buildFilter(query)
    const pages = pagesOfCustomers(store, filter, await countCustomers(store, filter), DOWNLOAD_PAGE)
    return csvFile(deps, 'customers', { columns, pages, show: presentCustomer })
  },
})

const columns: readonly CsvColumn<CustomerView>[] = [
  ['First name', (customer) => customer.first_name],
  ['Last name', (customer) => customer.last_name],
  ['Email', (customer) => customer.customer_email],
  ['Phone', (customer) => formatPhoneCell(customer.phone)],
  ['Company', (customer) => customer.company],
  ['Registered', (customer) => (customer.is_registered ? 'Yes' : 'No')],
  ['Last login', (customer) => customer.last_login],
  ['Customer ID', (customer) => customer._id],
]
