import { type RawBuilder, sql } from 'kysely'

/** PostgreSQL reads an offset as POSIX does, with the sign turned round: `+02:00` of a store is `-02:00` there. Names stay. */
export const zoneInSql = (zone: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`case when ${zone} ~ '^[+-]' then translate(${zone}, '+-', '-+') else ${zone} end`
