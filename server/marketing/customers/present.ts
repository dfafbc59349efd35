import type { CustomerView } from '../../../shared/marketing/customers.ts'

import type { ListedCustomer } from './list-sql.ts'

// Converts customer rows to the API (B 3).

export const presentCustomer = (row: ListedCustomer): CustomerView => ({
  _id: row.id,
  first_name: row.first_name,
  last_name: row.last_name,
  customer_email: row.email,
  phone: row.phone,
  company: row.company,
  is_registered: row.is_registered,
  last_login: row.last_login_at?.toISOString() ?? null,
})
