// What other rooms use: serves endpoints.

export { docsRoutes } from './docs.ts'
export {
  accountDownload,
  addDate,
  type CsvColumn,
  csvFile,
  DOWNLOAD_PAGE,
  type DownloadFile,
  formatPages,
  prepareDownload,
  readPages,
  storeDownload,
} from './downloads.ts'
export {
  type AccountCall,
  mapErrors,
  type Routes,
  type StoreCall,
  serveAccount,
  serveDownload,
  servePublic,
  serveStore,
  serveStoreFile,
} from './http.ts'
export { readIdempotencyKey } from './idempotency-key.ts'
export { readInput } from './input.ts'
