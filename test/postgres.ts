import path from 'node:path'
import { startEmbedded } from '../server/core/postgres/embedded.ts'
import { isFullRun } from './seed.ts'

const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '256MB',
  // Shared memory is in the data folder, so that files of a killed server are removed with it.
  dynamic_shared_memory_type: 'mmap',
  // No replication and no autovacuum: the server lives for one run.
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
}

/**
 * Planning took a third of PostgreSQL's time, because each file opens new connections. Proofs check plans and keep the
 * defaults.
 */
const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan', join_collapse_limit: '3', from_collapse_limit: '3' }

/** Starts a temporary PostgreSQL in the run's folder; `url` names its database `recoup`. */
export async function startTestPostgres(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  return startEmbedded({
    dataDir: path.join(folder, 'postgres'),
    settings: isFullRun ? SETTINGS : { ...SETTINGS, ...PLANNED_ONCE },
    elsewhere: path.join(folder, 'elsewhere'),
  })
}
