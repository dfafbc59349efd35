import * as api from '../../../shared/marketing/customers.ts'
import { prepareDownload, type Routes, serveDownload, serveStore } from '../../access/http/public.ts'
import { describePage } from '../../core/db/public.ts'
import { listAbandonedCustomers } from './abandoned.ts'
import { buildFilter, readCustomerPage } from './customers.ts'
import { customersDownload } from './export.ts'
import { countCustomers, listCustomers, MAX_SEARCHED } from './list-sql.ts'
import { presentCustomer } from './present.ts'

/** Default page size. */
const USUAL = 50

export const customerRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listCustomers, async ({ store, query }) => {
    const { page, sort, order } = query
    const limit = query.limit ?? (page === undefined ? api.MAX_CUSTOMERS : USUAL)
    const request = { page: page ?? 1, limit, sort, order, ...buildFilter(query) }
    const counted = await countCustomers(store, request)
    const customers = (await listCustomers(store, request, counted)).map(presentCustomer)
    // The plain list of the specification.
    if (page === undefined) return customers
    const { total, isCapped, isPartial } = counted
    return {
      customers,
      pagination: {
        ...describePage(request, total),
        ...(isCapped ? { totalIsCapped: true } : {}),
        ...(isPartial ? { lookedThrough: MAX_SEARCHED } : {}),
      },
    }
  })

  for (const endpoint of [api.abandonedCustomers, api.abandonedCustomersBesidePage]) {
    serveStore(app, deps, endpoint, ({ store, query }) => listAbandonedCustomers(deps, store, query))
  }

  serveStore(app, deps, api.exportCustomers, ({ store, session, query }) =>
    prepareDownload(deps, customersDownload, { session, storeId: store.storeId, what: query }),
  )

  serveDownload(app, deps, customersDownload)

  serveStore(app, deps, api.readCustomer, async ({ store, account, params }) => ({
    customer: await readCustomerPage(deps, { store, account }, params.id),
  }))
}
