import { normalizeEmail } from '../../../shared/core/contact.ts'
import { loadConfig, StartupError } from '../../core/config/public.ts'
import { isMigrated } from '../../core/database/public.ts'
import { openDb, openPool } from '../../core/db/public.ts'
import { printLine, runCommand, withEmbedded } from '../../core/postgres/public.ts'
import { endSecondFactorByEmail } from './second-factor.ts'

// `npm run end-second-factor -- ada@example.com`: an administrator of the server helps a user who has lost phone and
// recovery codes. Works whether or not Recoup runs.

async function end(url: string, email: string): Promise<void> {
  const pool = openPool({ url, isPrepared: false })
  try {
    if (!(await isMigrated(pool))) {
      throw new StartupError('Recoup’s database is missing or out of date. Start Recoup once, then try again.')
    }
    printLine(await endSecondFactorByEmail(openDb(pool), email))
  } finally {
    await pool.end()
  }
}

await runCommand(async () => {
  const email = normalizeEmail(process.argv[2] ?? '')
  if (!email)
    throw new StartupError('Name the address the user signs in with: npm run end-second-factor -- ada@example.com')
  const config = loadConfig()
  if (config.databaseUrl) return end(config.databaseUrl, email)
  return withEmbedded(config.dataDir, (url) => end(url, email))
})
