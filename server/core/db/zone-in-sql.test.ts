import { expect, test } from 'vitest'
import { createWorld } from '../../../test/world.ts'
import { sql, toSqlZone } from './db.ts'

const world = createWorld()

test.each([
  ['+02:00', '2026-11-01T01:30:00'],
  ['-05:00', '2026-10-31T18:30:00'],
  ['+05:30', '2026-11-01T05:00:00'],
  ['-03:30', '2026-10-31T20:00:00'],
  ['+13:00', '2026-11-01T12:30:00'],
  ['Europe/Berlin', '2026-11-01T00:30:00'],
  ['UTC', '2026-10-31T23:30:00'],
  ['Etc/GMT+2', '2026-10-31T21:30:00'],
])('a store’s clock at %s is the same in SQL', async (zone, clock) => {
  const { rows } = await sql<{ at: string }>`select to_char('2026-10-31T23:30:00Z'::timestamptz
    at time zone ${toSqlZone(sql`${zone}::text`)}, 'YYYY-MM-DD"T"HH24:MI:SS') as at`.execute(world.db)
  expect(rows[0]!.at).toBe(clock)
})
