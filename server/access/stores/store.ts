// Access to store rows for other rooms. store-settings/ creates and ends them.

export {
  deleteCredentials,
  holdConnected,
  isDemoAccount,
  lockStore,
  readStore,
  type StoreRow,
  storesOf,
  storesToPurge,
  updateStore,
} from './sql.ts'
