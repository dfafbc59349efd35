import path from 'node:path'
import { startEmbedded } from '../server/postgres/embedded.ts'

const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '256MB',
  // In the data folder: what a killed server leaves behind goes with it.
  dynamic_shared_memory_type: 'mmap',
}

/** A throw-away PostgreSQL in the run's folder; `url` is that of its database `recoup`. */
export async function startTestPostgres(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  return startEmbedded({
    dataDir: path.join(folder, 'postgres'),
    settings: SETTINGS,
    elsewhere: path.join(folder, 'elsewhere'),
  })
}
