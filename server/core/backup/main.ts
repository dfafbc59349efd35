import path from 'node:path'
import { handlers } from '../../worker.ts'
import {
  acquireInstanceLock,
  type Config,
  ensureAppSecret,
  loadConfig,
  StartupError,
  storeAppSecret,
} from '../config/public.ts'
import { printLine, runCommand, startEmbedded, withEmbedded } from '../postgres/public.ts'
import { writeBackup } from './backup.ts'
import { restoreBackup } from './restore.ts'

// `npm run backup -- [FILE]` and `npm run restore -- FILE` for the embedded database.

/** Works whether or not Recoup runs on the data folder. */
async function backup(config: Config, target: string | undefined): Promise<void> {
  const now = new Date()
  const file = path.resolve(target ?? `recoup-${now.toISOString().slice(0, 19).replaceAll(':', '-')}.zip`)
  await withEmbedded(config.dataDir, async (url) => {
    const secret = ensureAppSecret(config)
    const tableCount = await writeBackup({ url, secret, isSecretIncluded: !config.appSecret, file, now })
    printLine(`Backup written: ${file} (${tableCount} tables).`)
    printLine(
      config.appSecret
        ? 'It holds personal data. It does not hold APP_SECRET, which is needed to restore it: keep that elsewhere.'
        : 'It holds personal data and the secret that store keys are encrypted with: keep it where only you can read it.',
    )
  })
}

async function restore(config: Config, file: string | undefined): Promise<void> {
  if (!file) throw new StartupError('Name the backup: npm run restore -- recoup-2026-01-31T09-00-00.zip')
  const lock = await acquireInstanceLock(config.dataDir, '')
  try {
    const postgres = await startEmbedded({ dataDir: config.dataDir, say: printLine })
    try {
      const jobs = handlers.map((handler) => handler.job)
      const options = { url: postgres.url, file: path.resolve(file), secret: config.appSecret ?? null, jobs }
      const { madeAt: createdAt, secret, tableCount } = await restoreBackup(options)
      if (secret) storeAppSecret(config, secret)
      printLine(`Restored ${tableCount} tables as of ${createdAt.toISOString()} into ${config.dataDir}.`)
      printLine(
        'Start Recoup with npm start. It starts paused and sends nothing until you confirm that it is the live installation.',
      )
    } finally {
      await postgres.stop()
    }
  } finally {
    await lock.release()
  }
}

const [command, file] = process.argv.slice(2)

await runCommand(async () => {
  const config = loadConfig()
  if (config.databaseUrl) {
    throw new StartupError(
      'DATABASE_URL is set: back up and restore that database with its own tools (pg_dump, pg_restore), and keep APP_SECRET.',
    )
  }
  if (command === 'backup') return backup(config, file)
  if (command === 'restore') return restore(config, file)
  throw new StartupError('Usage: npm run backup -- [FILE] or npm run restore -- FILE')
})
