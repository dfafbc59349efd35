// The row of a store, for other nouns. It is created and ended in store-settings/.

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
