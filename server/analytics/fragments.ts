import { sql } from '../core/db.ts'
import type { DayBounds } from './days.ts'

/** The days to be counted, as rows of `days` (day, since, until). */
export const daysOf = (bounds: readonly DayBounds[]) =>
  sql`days as materialized (
    select * from jsonb_to_recordset(${JSON.stringify(bounds)}::jsonb) as d (day date, since timestamptz, until timestamptz))`
