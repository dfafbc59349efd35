// What other rooms use: search, import and export of consents.

export { deleteOldImports, runImport } from './import.ts'
export { consentImportJob } from './jobs.ts'
export { listEntries } from './ledger.ts'
export { ledgerRoutes } from './routes.ts'
