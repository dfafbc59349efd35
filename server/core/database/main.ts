import { loadConfig, StartupError } from '../config/public.ts'
import { openPool } from '../db/public.ts'
import { printLine, runCommand } from '../postgres/public.ts'
import { migrate } from './public.ts'

// `npm run migrate`: updates an external database before the processes of a new version start.

await runCommand(async () => {
  const { databaseDirectUrl: url } = loadConfig()
  if (!url) {
    throw new StartupError('DATABASE_URL is not set. The embedded database is updated when Recoup starts.')
  }
  const pool = openPool({ url, isPrepared: false, max: 2 })
  try {
    const applied = await migrate(pool, { say: printLine })
    printLine(applied.length > 0 ? `Applied ${applied.length} migrations.` : 'The database is up to date.')
  } finally {
    await pool.end()
  }
})
