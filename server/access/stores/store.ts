// Access to store rows for other rooms. store-settings/ creates and ends them.

export {
  deleteCredentials,
  isDemoAccount,
  listStores,
  listStoresToPurge,
  lockConnected,
  lockStore,
  readStore,
  type StoreRow,
  updateStore,
} from './sql.ts'
