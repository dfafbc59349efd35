import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

test('pg is the version whose undocumented parts pg-client.ts was checked with', () => {
  // After an upgrade: read `query`, `pipeline` and `_pulsePipelinedQueryQueue` in pg/lib/client.js, run
  // server/core/common/at-once.test.ts and `npm run bench -- send`, then change the version here.
  expect(createRequire(import.meta.url)('pg/package.json').version).toBe('8.23.1')
})
