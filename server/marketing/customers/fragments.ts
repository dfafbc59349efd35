import { sql } from '../../core/db/public.ts'

// Columns of a shopper `s` in the customer list.

export const CUSTOMER_COLUMNS = sql`s.id, s.customer_first_name as first_name, s.customer_last_name as last_name,
  s.customer_email as email, s.customer_phone as phone, s.company, s.is_registered, s.last_login_at, s.first_seen_at`
