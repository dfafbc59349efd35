import path from 'node:path'
import { startEmbedded } from '../server/core/postgres/embedded.ts'
import { isProof } from './seed.ts'

const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '256MB',
  // In the data folder: what a killed server leaves behind goes with it.
  dynamic_shared_memory_type: 'mmap',
  // Nobody copies this server, and it is gone before a table needs care.
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
}

/** Planning was a third of PostgreSQL's time, as each file begins with new connections. Proofs look at plans, so they make the usual ones. */
const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan', join_collapse_limit: '3', from_collapse_limit: '3' }

/** A throw-away PostgreSQL in the run's folder; `url` is that of its database `recoup`. */
export async function startTestPostgres(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  return startEmbedded({
    dataDir: path.join(folder, 'postgres'),
    settings: isProof ? SETTINGS : { ...SETTINGS, ...PLANNED_ONCE },
    elsewhere: path.join(folder, 'elsewhere'),
  })
}
