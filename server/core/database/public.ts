// What other rooms use: migrations, registry of tables.

export { loadMigrations } from './files.ts'
export { isMigrated, migrate } from './migrate.ts'
export { adaptToDatabase } from './pooler.ts'
export { type BelongsTo, type ExportedRows, type PersonRows, tables } from './tables.ts'
