import { type Config, loadConfig, StartupError } from '../../core/config/public.ts'
import { isMigrated } from '../../core/database/public.ts'
import { openDb, openPool } from '../../core/db/public.ts'
import { printLine, runCommand, withEmbedded } from '../../core/postgres/public.ts'
import { checkInstance, confirmLive } from './instance.ts'

// `npm run confirm-live`: shell access proves the operator (D7). Works whether Recoup is running or not.

async function confirm(config: Config, url: string): Promise<void> {
  const pool = openPool({ url, isPrepared: false })
  const deps = { config, db: openDb(pool), now: () => new Date() }
  try {
    if (!(await isMigrated(pool))) {
      throw new StartupError(
        'The database of Recoup is missing or not up to date. Start Recoup once before, then confirm again.',
      )
    }
    const isPaused = await checkInstance(deps)
    if (isPaused) await confirmLive(deps)
    printLine(
      isPaused
        ? `This is the live installation from now on: ${config.publicUrl} sends again. Make sure that no other one runs.`
        : 'Nothing to confirm: this installation is not paused.',
    )
  } finally {
    await pool.end()
  }
}

await runCommand(async () => {
  const config = loadConfig()
  if (config.databaseUrl) return confirm(config, config.databaseUrl)
  return withEmbedded(config.dataDir, (url) => confirm(config, url))
})
