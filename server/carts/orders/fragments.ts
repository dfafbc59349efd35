import { sql } from '../../core/db/public.ts'

// SQL fragments on orders.

/** Whether order `o` counts: it has revenue, or is free and not unproven, such as a request for a quote (S3, S4). */
export const isCountedOrder = sql<boolean>`(o.net_minor > 0 or o.total_minor = 0 and o.kind = 'purchase' and not o.is_unproven)`
