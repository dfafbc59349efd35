import { Readable } from 'node:stream'
import { StartupError } from '../config/startup-errors.ts'
import { VERSION } from '../config/version.ts'
import { BACKUP_FORMAT, createArchive, deriveSecretCheck, discardArchive, type Header } from './archive.ts'
import * as sql from './sql.ts'

// Backs up the whole database from one snapshot while Recoup keeps running (decision 137).

export interface BackupOptions {
  /** URL of the database itself, as a superuser. */
  url: string
  secret: string
  /** False when the environment holds the secret. */
  isSecretIncluded: boolean
  file: string
  now: Date
}

/** Writes `file` and returns the number of tables in it. Removes the file when it fails. */
export async function writeBackup({ url, secret, isSecretIncluded, file, now }: BackupOptions): Promise<number> {
  try {
    return await sql.withClient(url, 'recoup backup', async (client) => {
      if (!(await sql.hasTables(client)))
        throw new StartupError('There is no database in this data folder yet, so there is nothing to back up.')
      await sql.beginSnapshot(client)
      const tables = await sql.readTables(client)
      const header: Header = {
        product: 'Recoup',
        format: BACKUP_FORMAT,
        madeAt: now.toISOString(),
        version: VERSION,
        migrations: await sql.readMigrations(client),
        tables,
        sequences: await sql.readSequences(client),
        hasSecret: isSecretIncluded,
        secretCheck: deriveSecretCheck(secret),
      }
      const archive = createArchive(file)
      archive.addText('backup.json', JSON.stringify(header, null, 1))
      for (const table of tables) await archive.add(`tables/${table.name}`, sql.copyOut(client, table))
      await archive.add(
        'jobs.json',
        Readable.from([JSON.stringify(await sql.readWaitingJobs(client))], { objectMode: false }),
      )
      if (isSecretIncluded) await archive.add('app-secret', Readable.from([secret], { objectMode: false }))
      await archive.finish()
      return tables.length
    })
  } catch (error) {
    discardArchive(file)
    throw error
  }
}
