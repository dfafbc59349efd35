import { sql } from '../../core/db/db.ts'

// Parts of statements about orders, for the statements of others.

/** Whether order `o` counts: it brought something, or it was free and is no request for a quote (S3, S4). */
export const COUNTS = sql<boolean>`(o.net_minor > 0 or o.total_minor = 0 and o.kind = 'purchase' and not o.is_unproven)`
